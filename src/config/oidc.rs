//! `[login.oidc]`: the identity provider at which people sign in.

use super::Origins;
use super::secret::{Hidden, secret};
use super::table::{list, table, text};
use super::values::{choice, fitting, is_mail_address, is_plain_host};
use crate::client::Secret;
use crate::oidc::{Matching, SLACK, Settings};

/// What is asked of the provider if nothing is set.
const SCOPES: &str = "openid email profile";

/// The longest name on the button, in characters.
const LONGEST_NAME: usize = 60;

table! {
    /// `[login.oidc]`.
    OidcPart at "login.oidc" {
        /// The issuer, exactly as the provider writes it: it is compared byte for byte.
        issuer: Option<String> = text(issuer, r#""https://accounts.google.com""#),
        /// The client that is registered at the provider.
        client_id: Option<String> = text(
            |text| {
                let why = "a client id; write the one that the provider shows, such as \"rota\"";
                fitting(text, is_plain(text), why)
            },
            r#""rota""#,
        ),
        client_secret: Hidden = secret(client_secret, r#""0123456789abcdef""#, r#""/etc/rota/oidc-secret""#),
        /// What is asked of the provider, separated by spaces.
        scopes: Option<String> = text(scopes, r#""openid email profile""#) => SCOPES.to_owned(),
        /// What the button calls the provider.
        name: Option<String> = text(name, r#""Google""#) => "single sign-on".to_owned(),
        /// How people who are not linked are found.
        r#match: Option<Matching> = text(
            |text| choice(
                text,
                [("email", Matching::Email), ("slack", Matching::Slack)],
                "known; write \"email\" or \"slack\"",
            ),
            r#""email""#,
        ) => Matching::default(),
        /// The domains whose verified addresses match a person.
        email_domains: Option<Vec<String>> = list(domain, r#"["example.org"]"#) => Vec::new(),
        /// The addresses of those who become workspace administrators for their session.
        admins: Option<Vec<String>> = list(
            |text| {
                let why = "a mail address; write one such as \"ana@example.org\"";
                fitting(text, is_mail_address(text, |_| false), why).map(|address| address.to_lowercase())
            },
            r#"["ana@example.org"]"#,
        ) => Vec::new(),
    }
}

impl OidcPart {
    /// The settings of the provider; `None` where there is none. Reads the file of the secret.
    ///
    /// # Errors
    /// What is missing or contradictory, where it was set, and what to write.
    pub(super) fn settings(&self, origins: &Origins) -> Result<Option<Settings>, String> {
        if *self == OidcPart::default() {
            return Ok(None);
        }
        let missing = |key| origins.missing("login.oidc", key);
        let issuer = self.issuer.clone().ok_or_else(|| missing("issuer"))?;
        let client_id = self.client_id.clone().ok_or_else(|| missing("client_id"))?;
        let client_secret =
            (self.client_secret).read("login.oidc.client_secret", origins, client_secret)?;
        let client_secret = client_secret.ok_or_else(|| missing("client_secret"))?;
        let matching = match issuer == SLACK {
            true => Matching::Slack,
            false => self.r#match(),
        };
        Ok(Some(Settings {
            issuer,
            client_id,
            client_secret,
            scopes: self.scopes(),
            name: self.name(),
            matching,
            email_domains: self.email_domains(),
            admins: self.admins(),
        }))
    }
}

fn issuer(text: &str) -> Result<String, String> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let why = "an issuer; write it as the provider does, such as \"https://accounts.google.com\"";
    fitting(text, rest.is_some_and(is_plain_host), why)
}

/// The refusal does not repeat what was set: it is a secret.
fn client_secret(text: &str) -> Result<Secret, String> {
    match is_plain(text) {
        true => Ok(Secret::new(text)),
        false => Err("this is not a client secret; write the one that the provider shows".into()),
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

fn scopes(text: &str) -> Result<String, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &&str| {
        word.chars()
            .all(|c| c.is_ascii_graphic() && c != '"' && c != '\\')
    };
    match words.contains(&"openid") && words.iter().all(plain) {
        true => Ok(words.join(" ")),
        false => Err(format!(
            "{text:?} has no openid among its scopes; write scopes such as {SCOPES:?}"
        )),
    }
}

fn name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let fits = is_plain(text) && text.chars().count() <= LONGEST_NAME;
    let why =
        format!("a name for a button; write 1 to {LONGEST_NAME} characters, such as \"Google\"");
    fitting(text, fits, &why)
}

fn domain(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.');
    let is_domain = !text.is_empty() && text.chars().all(plain) && !text.starts_with('.');
    let why = "a domain; write the part of the addresses after the @, such as \"example.org\"";
    fitting(text, is_domain, why).map(|domain| domain.to_lowercase())
}
