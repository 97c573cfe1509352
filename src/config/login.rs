//! `[login]`: how people sign in to the pages.

use super::parsed::parsed;
use super::{OidcPart, Origins, values};
use crate::actions::sessions::{SessionProvider, SessionRules};
use crate::domain::address::Net;
use crate::web::{Login, Proxy, ProxyMatch};
use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::Deserializer;

/// `[login]`: sessions, and who reads without one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoginPart {
    /// A session ends when nobody uses it for this long; 14 days if unset.
    #[serde(deserialize_with = "values::session")]
    pub idle: Option<SignedDuration>,
    /// A session ends after this long, whatever its use; 90 days if unset.
    #[serde(deserialize_with = "values::session")]
    pub lifetime: Option<SignedDuration>,
    /// Whether public rotations are read without signing in.
    pub public: Option<bool>,
    pub proxy: ProxyPart,
    pub oidc: OidcPart,
}

/// `[login.proxy]`: a proxy that says who the reader is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProxyPart {
    /// The header that names the person.
    #[serde(deserialize_with = "header_name")]
    pub header: Option<String>,
    /// What it says; the address of the person if unset.
    #[serde(rename = "match", deserialize_with = "matching")]
    pub by: Option<ProxyMatch>,
    /// The networks that such requests come from.
    #[serde(deserialize_with = "values::nets")]
    pub trusted: Option<Vec<Net>>,
    /// A header, `Name: value`, that such requests carry too.
    #[serde(deserialize_with = "secret_header")]
    pub secret_header: Option<(String, String)>,
}

impl LoginPart {
    /// This layer, with unset values from the one below.
    pub(super) fn over(self, below: LoginPart) -> LoginPart {
        LoginPart {
            idle: self.idle.or(below.idle),
            lifetime: self.lifetime.or(below.lifetime),
            public: self.public.or(below.public),
            proxy: ProxyPart {
                header: self.proxy.header.or(below.proxy.header),
                by: self.proxy.by.or(below.proxy.by),
                trusted: self.proxy.trusted.or(below.proxy.trusted),
                secret_header: self.proxy.secret_header.or(below.proxy.secret_header),
            },
            oidc: self.oidc.over(below.oidc),
        }
    }

    /// How people sign in.
    ///
    /// # Errors
    /// Refuses a proxy that anybody could pass for, and an identity provider of which something is missing.
    pub fn login(&self, origins: &Origins) -> Result<Login, String> {
        Ok(Login {
            rules: self.rules(),
            public: self.public.unwrap_or(false),
            proxy: self.proxy.proxy(origins)?,
            provider: self.oidc.settings(origins)?,
        })
    }

    /// When sessions are over.
    pub fn rules(&self) -> SessionRules {
        let usual = SessionRules::default();
        let provider = self.oidc.issuer.clone().map(|issuer| SessionProvider {
            issuer,
            admins: self.oidc.admins.clone().unwrap_or_default(),
        });
        SessionRules {
            idle: self.idle.unwrap_or(usual.idle),
            lifetime: self.lifetime.unwrap_or(usual.lifetime),
            development: false,
            provider,
        }
    }
}

impl ProxyPart {
    fn proxy(&self, origins: &Origins) -> Result<Option<Proxy>, String> {
        let Some(header) = &self.header else {
            // The line of what is set without it.
            let set = [
                (self.by.is_some(), "login.proxy.match"),
                (self.trusted.is_some(), "login.proxy.trusted"),
                (self.secret_header.is_some(), "login.proxy.secret_header"),
            ];
            return match set.into_iter().find(|(is_set, _)| *is_set) {
                None => Ok(None),
                Some((_, path)) => Err(format!(
                    "{}: login.proxy.header is missing; name the header of the proxy, such as header = \"Remote-User\"",
                    origins.of(path)
                )),
            };
        };
        let trusted = self.trusted.clone().filter(|trusted| !trusted.is_empty());
        let Some(trusted) = trusted else {
            return Err(format!(
                "{}: login.proxy.trusted is missing; anybody could send the header. Name the networks of the proxy, such as \
                 trusted = [\"10.0.0.0/8\"]",
                origins.of("login.proxy.header")
            ));
        };
        Ok(Some(Proxy {
            header: header.clone(),
            by: self.by.unwrap_or_default(),
            trusted,
            secret: self.secret_header.clone(),
        }))
    }
}

fn is_header_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text.bytes().all(plain)
}

pub(super) fn parse_header_name(text: &str) -> Result<String, String> {
    match is_header_name(text) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?} is not the name of a header; send one such as \"Remote-User\""
        )),
    }
}

pub(super) fn parse_match(text: &str) -> Result<ProxyMatch, String> {
    match text {
        "email" => Ok(ProxyMatch::Email),
        "id" => Ok(ProxyMatch::Id),
        _ => Err(format!("{text:?} is not known; send \"email\" or \"id\"")),
    }
}

/// The refusal does not repeat what was set: it is a secret.
pub(super) fn parse_secret_header(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once(':');
    let parts = parts.map(|(name, value)| (name.trim(), value.trim()));
    match parts.filter(|(name, value)| is_header_name(name) && value.len() >= 16) {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(
            "send a header and its value, of 16 characters at least, such as \"X-Proxy-Secret: ...\"".into(),
        ),
    }
}

fn header_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    parsed(from, parse_header_name)
}

fn matching<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ProxyMatch>, D::Error> {
    parsed(from, parse_match)
}

fn secret_header<'de, D>(from: D) -> Result<Option<(String, String)>, D::Error>
where
    D: Deserializer<'de>,
{
    parsed(from, parse_secret_header)
}
