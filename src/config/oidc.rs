//! `[login.oidc]`: the identity provider at which people sign in.

use super::known::Setting;
use super::parsed::{parsed, parsed_list};
use super::{Origins, secret};
use crate::client::Secret;
use crate::oidc::{Matching, SLACK, Settings};
use serde::Deserialize;
use serde::de::Deserializer;
use std::path::PathBuf;

/// What is asked of the provider if nothing is set.
const SCOPES: &str = "openid email profile";

/// What the button calls the provider if nothing is set.
const NAME: &str = "single sign-on";

/// The longest name on the button, in characters.
const LONGEST_NAME: usize = 60;

/// `[login.oidc]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OidcPart {
    /// The issuer, exactly as the provider writes it.
    #[serde(deserialize_with = "issuer")]
    pub issuer: Option<String>,
    /// The client that is registered at the provider.
    #[serde(deserialize_with = "client_id")]
    pub client_id: Option<String>,
    #[serde(deserialize_with = "client_secret")]
    pub client_secret: Option<Secret>,
    /// A file that holds the secret instead.
    pub client_secret_file: Option<PathBuf>,
    /// What is asked of the provider, separated by spaces.
    #[serde(deserialize_with = "scopes")]
    pub scopes: Option<String>,
    /// What the button calls the provider.
    #[serde(deserialize_with = "name")]
    pub name: Option<String>,
    /// How people who are not linked are found.
    #[serde(rename = "match", deserialize_with = "matching")]
    pub by: Option<Matching>,
    /// The domains whose verified addresses match a person.
    #[serde(deserialize_with = "domains")]
    pub email_domains: Option<Vec<String>>,
    /// The addresses of those who become workspace administrators for their session.
    #[serde(deserialize_with = "addresses")]
    pub admins: Option<Vec<String>>,
}

impl OidcPart {
    /// This layer, with unset values from the one below.
    pub(super) fn over(self, below: OidcPart) -> OidcPart {
        let (client_secret, client_secret_file) = secret::over(
            (self.client_secret, self.client_secret_file),
            (below.client_secret, below.client_secret_file),
        );
        OidcPart {
            issuer: self.issuer.or(below.issuer),
            client_id: self.client_id.or(below.client_id),
            client_secret,
            client_secret_file,
            scopes: self.scopes.or(below.scopes),
            name: self.name.or(below.name),
            by: self.by.or(below.by),
            email_domains: self.email_domains.or(below.email_domains),
            admins: self.admins.or(below.admins),
        }
    }

    /// The settings of the provider; `None` where there is none. Reads the file of the secret.
    ///
    /// # Errors
    /// What is missing or contradictory, where it was set, and what to write.
    pub(super) fn settings(&self, origins: &Origins) -> Result<Option<Settings>, String> {
        if *self == OidcPart::default() {
            return Ok(None);
        }
        let missing = |key: &str| {
            let line = Setting::find(&format!("login.oidc.{key}")).map(Setting::line);
            let line = line.unwrap_or_default();
            let beside = origins.first_below("login.oidc.");
            format!("{beside}: {key} is missing beside it; write {line} below [login.oidc]")
        };
        let issuer = self.issuer.clone().ok_or_else(|| missing("issuer"))?;
        let client_id = self.client_id.clone().ok_or_else(|| missing("client_id"))?;
        let ways = (&self.client_secret, &self.client_secret_file);
        let client_secret = secret::read(
            "login.oidc.client_secret",
            ways,
            origins,
            parse_client_secret,
        )?;
        let client_secret = client_secret.ok_or_else(|| missing("client_secret"))?;
        let matching = match issuer == SLACK {
            true => Matching::Slack,
            false => self.by.unwrap_or_default(),
        };
        Ok(Some(Settings {
            issuer,
            client_id,
            client_secret,
            scopes: self.scopes.clone().unwrap_or_else(|| SCOPES.to_owned()),
            name: self.name.clone().unwrap_or_else(|| NAME.to_owned()),
            matching,
            email_domains: self.email_domains.clone().unwrap_or_default(),
            admins: self.admins.clone().unwrap_or_default(),
        }))
    }
}

/// An issuer is compared byte for byte, so it is kept as it is written.
pub(super) fn parse_issuer(text: &str) -> Result<String, String> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let odd = |c: char| !c.is_ascii_graphic() || matches!(c, '?' | '#' | '@' | '"' | '\\');
    match rest {
        Some(rest) if !rest.is_empty() && !rest.starts_with(['/', ':']) && !rest.contains(odd) => {
            Ok(text.to_owned())
        }
        _ => Err(format!(
            "{text:?} is not an issuer; write it as the provider does, such as \"https://accounts.google.com\""
        )),
    }
}

pub(super) fn parse_client_id(text: &str) -> Result<String, String> {
    match is_plain(text) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?} is not a client id; write the one that the provider shows, such as \"rota\""
        )),
    }
}

/// The refusal does not repeat what was set: it is a secret.
pub(super) fn parse_client_secret(text: &str) -> Result<Secret, String> {
    match is_plain(text) {
        true => Ok(Secret::new(text)),
        false => Err("this is not a client secret; write the one that the provider shows".into()),
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

pub(super) fn parse_scopes(text: &str) -> Result<String, String> {
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

pub(super) fn parse_name(text: &str) -> Result<String, String> {
    let text = text.trim();
    match is_plain(text) && text.chars().count() <= LONGEST_NAME {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?} is not a name for a button; write 1 to {LONGEST_NAME} characters, such as \"Google\""
        )),
    }
}

pub(super) fn parse_matching(text: &str) -> Result<Matching, String> {
    match text {
        "email" => Ok(Matching::Email),
        "slack" => Ok(Matching::Slack),
        _ => Err(format!(
            "{text:?} is not known; write \"email\" or \"slack\""
        )),
    }
}

pub(super) fn parse_domains(text: &str) -> Result<Vec<String>, String> {
    text.split(',')
        .map(|item| parse_domain(item.trim()))
        .collect()
}

fn parse_domain(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.');
    let is_domain = !text.is_empty() && text.chars().all(plain) && !text.starts_with('.');
    match is_domain {
        true => Ok(text.to_lowercase()),
        false => Err(format!(
            "{text:?} is not a domain; write the part of the addresses after the @, such as \"example.org\""
        )),
    }
}

pub(super) fn parse_addresses(text: &str) -> Result<Vec<String>, String> {
    text.split(',')
        .map(|item| parse_address(item.trim()))
        .collect()
}

fn parse_address(text: &str) -> Result<String, String> {
    let odd = |c: char| c.is_whitespace() || c.is_control();
    let parts = text.rsplit_once('@');
    match parts.filter(|(user, domain)| !user.is_empty() && !domain.is_empty()) {
        Some(_) if !text.contains(odd) => Ok(text.to_lowercase()),
        _ => Err(format!(
            "{text:?} is not a mail address; write one such as \"ana@example.org\""
        )),
    }
}

fn issuer<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    parsed(from, parse_issuer)
}

fn client_id<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    parsed(from, parse_client_id)
}

fn client_secret<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Secret>, D::Error> {
    parsed(from, parse_client_secret)
}

fn scopes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    parsed(from, parse_scopes)
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    parsed(from, parse_name)
}

fn matching<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Matching>, D::Error> {
    parsed(from, parse_matching)
}

fn domains<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    parsed_list(from, parse_domain)
}

fn addresses<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    parsed_list(from, parse_address)
}
