//! `[login]`: how people sign in to the pages.

use super::table::{Part, hidden, list, one, switch, table, text};
use super::values::{DAY, choice, fitting, lifetime, within};
use super::{OidcPart, Origins};
use crate::actions::sessions::{SessionProvider, SessionRules};
use crate::domain::address::Net;
use crate::web::{Login, Proxy, ProxyMatch};
use jiff::SignedDuration;

table! {
    /// `[login]`: sessions, and who reads without one.
    LoginPart at "login" {
        /// A session ends when nobody uses it for this long.
        idle: Option<SignedDuration> = text(session, r#""14d""#) => SessionRules::default().idle,
        /// A session ends after this long, whatever its use.
        lifetime: Option<SignedDuration> = text(session, r#""90d""#) => SessionRules::default().lifetime,
        /// Whether public rotations are read without signing in.
        public: Option<bool> = one(switch, "false") => false,
        oidc: OidcPart = Part,
        proxy: ProxyPart = Part,
    }
}

table! {
    /// `[login.proxy]`: a proxy that says who the reader is.
    ProxyPart at "login.proxy" {
        /// The header that names the person.
        header: Option<String> = text(
            |text| {
                let why = "the name of a header; send one such as \"Remote-User\"";
                fitting(text, is_header_name(text), why)
            },
            r#""Remote-User""#,
        ),
        /// What it says.
        r#match: Option<ProxyMatch> = text(
            |text| choice(
                text,
                [("email", ProxyMatch::Email), ("id", ProxyMatch::Id)],
                "known; send \"email\" or \"id\"",
            ),
            r#""email""#,
        ) => ProxyMatch::default(),
        /// The networks that such requests come from.
        trusted: Option<Vec<Net>> = list(str::parse, r#"["10.1.0.0/16"]"#) => Vec::new(),
        /// A header, `Name: value`, that such requests carry too.
        secret_header: Option<(String, String)> = hidden(secret_header, r#""X-Proxy-Secret: 0123456789abcdef""#),
    }
}

/// How long sessions may last.
fn session(text: &str) -> Result<SignedDuration, String> {
    lifetime(text)?;
    within(text, 1..=400 * DAY, "too long; send at most 400d")
}

impl LoginPart {
    /// How people sign in.
    ///
    /// # Errors
    /// Refuses a proxy that anybody could pass for, and an identity provider of which something is missing.
    pub fn login(&self, origins: &Origins) -> Result<Login, String> {
        Ok(Login {
            rules: self.rules(),
            public: self.public(),
            proxy: self.proxy.proxy(origins)?,
            provider: self.oidc.settings(origins)?,
        })
    }

    /// When sessions are over.
    pub fn rules(&self) -> SessionRules {
        let provider = self.oidc.issuer.clone().map(|issuer| SessionProvider {
            issuer,
            admins: self.oidc.admins(),
        });
        SessionRules {
            idle: self.idle(),
            lifetime: self.lifetime(),
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
                (self.r#match.is_some(), "login.proxy.match"),
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
        let trusted = self.trusted();
        if trusted.is_empty() {
            return Err(format!(
                "{}: login.proxy.trusted is missing; anybody could send the header. Name the networks of the proxy, such as \
                 trusted = [\"10.0.0.0/8\"]",
                origins.of("login.proxy.header")
            ));
        }
        Ok(Some(Proxy {
            header: header.clone(),
            by: self.r#match(),
            trusted,
            secret: self.secret_header.clone(),
        }))
    }
}

fn is_header_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text.bytes().all(plain)
}

/// The refusal does not repeat what was set: it is a secret.
fn secret_header(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once(':');
    let parts = parts.map(|(name, value)| (name.trim(), value.trim()));
    match parts.filter(|(name, value)| is_header_name(name) && value.len() >= 16) {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(
            "send a header and its value, of 16 characters at least, such as \"X-Proxy-Secret: ...\"".into(),
        ),
    }
}
