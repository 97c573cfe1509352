//! `[login.oidc]`: the identity provider at which people sign in.

use super::Origins;
use super::secret::{Hidden, secret};
use super::table::{Given, Refused, commas, list, misfit, one, parsed, switch, table, text};
use super::values::{choice, fitting, is_mail_address, is_plain_host};
use crate::client::Secret;
use crate::domain::directory_edit::check_id;
use crate::domain::ids::GroupId;
use crate::oidc::{Matching, SLACK, Settings};
use toml::de::DeValue;

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
        /// Whether somebody whom nobody knows becomes a person at their first sign-in.
        create: Option<bool> = one(switch, "true") => false,
        /// The claim that names the groups of a person.
        groups_claim: Option<String> = text(
            |text| {
                let why = "the name of a claim; write one such as \"groups\"";
                fitting(text, is_plain(text), why)
            },
            r#""groups""#,
        ),
        /// Which user group each name in the claim stands for.
        groups: Option<Vec<(String, GroupId)>> = one(groups, r#"{ "sre" = "GSRE" }"#) => Vec::new(),
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
        if self.create() && self.email_domains().is_empty() {
            return Err(origins.missing_beside("login.oidc", "create", "email_domains"));
        }
        match (&self.groups_claim, self.groups.is_some()) {
            (None, true) => {
                return Err(origins.missing_beside("login.oidc", "groups", "groups_claim"));
            }
            (Some(_), false) => {
                return Err(origins.missing_beside("login.oidc", "groups_claim", "groups"));
            }
            _ => {}
        }
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
            creates_people: self.create(),
            groups_claim: self.groups_claim.clone(),
            groups: self.groups(),
        }))
    }
}

/// The user groups that names stand for: a table in a file, `sre=GSRE,ops=GOPS` in a variable.
fn groups(given: &Given) -> Result<Vec<(String, GroupId)>, Refused> {
    let one = |name: &str, id: &str| {
        let fits = is_plain(name) && check_id("", id).is_ok();
        fits.then(|| (name.to_owned(), GroupId::from(id)))
    };
    let why = "not a name and the id of a user group; write groups = { \"sre\" = \"GSRE\" }";
    let Given::Value(value) = given else {
        return parsed(given, |text| {
            let pair = |pair: &str| {
                let (name, id) = pair.split_once('=')?;
                one(name.trim(), id.trim())
            };
            let pairs = commas(text).into_iter();
            let pairs = pairs.map(|text| pair(text).ok_or_else(|| format!("{text:?} is {why}")));
            pairs.collect()
        });
    };
    let DeValue::Table(table) = value.get_ref() else {
        return Err(misfit(value, "a table of names and ids"));
    };
    let mut found = Vec::new();
    for (name, id) in table {
        let pair = parsed(&Given::Value(id), |text| {
            one(name.get_ref(), text).ok_or_else(|| format!("{text:?} is {why}"))
        });
        found.push(pair?);
    }
    Ok(found)
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
