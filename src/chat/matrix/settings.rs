//! The operator's settings of Matrix.

use crate::client::Secret;
use crate::domain::address::Net;
use crate::domain::ids::UserId;
use crate::domain::site::{host_of, is_loopback};
use jiff::SignedDuration;
use std::fmt;
use std::path::PathBuf;

/// An account on a homeserver, and the space whose members are the workspace. `Debug` shows no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixSettings {
    pub homeserver: Homeserver,
    pub token: TokenSource,
    /// The alias or the id of the space.
    pub space: String,
    /// The word that begins a command.
    pub command: String,
    /// Members of the space that are no people: bots and bridges.
    pub ignore: Vec<UserId>,
    /// How often people, rooms and groups are read in full.
    pub sync_every: SignedDuration,
}

/// Where the access token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSource {
    /// As it was when the settings were read.
    pub token: Secret,
    /// The file that holds it, which is read again while the homeserver does not take the token.
    pub file: Option<PathBuf>,
}

/// The address of a homeserver, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Homeserver(String);

impl Homeserver {
    /// Reads an address. `nets` are the networks to which http is permitted, beside this machine.
    ///
    /// # Errors
    /// What is wrong, and what to write.
    pub fn read(text: &str, nets: &[Net]) -> Result<Homeserver, String> {
        let wrong = |why: &str| {
            Err(format!(
                "{text:?} {why}; write one such as https://matrix.example.org"
            ))
        };
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let authority = rest.split('/').next().unwrap_or_default();
        let odd = |c: char| !c.is_ascii_graphic() || matches!(c, '?' | '#' | '@' | '"' | '\\');
        let host = host_of(authority);
        if host.is_empty() || rest.contains(odd) || !matches!(scheme, "http" | "https") {
            return wrong("is not the address of a homeserver");
        }
        let is_allowed = |host: &str| {
            let address = host.parse().ok();
            address.is_some_and(|address| nets.iter().any(|net| net.contains(address)))
        };
        if scheme == "http" && !is_loopback(host) && !is_allowed(host) {
            return wrong(
                "is http, which only a server on this machine, or at an address of [webhooks] allow_nets, may be",
            );
        }
        Ok(Homeserver(text.trim_end_matches('/').to_owned()))
    }

    /// Whether it is http.
    pub fn is_plain(&self) -> bool {
        self.0.starts_with("http://")
    }
}

impl fmt::Display for Homeserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_homeservers_are_read() {
        let nets = ["10.1.0.0/16".parse().expect("a network")];
        for (text, expected) in [
            (
                "https://matrix.example.org",
                Some("https://matrix.example.org"),
            ),
            (
                "https://matrix.example.org/",
                Some("https://matrix.example.org"),
            ),
            (
                "https://example.org:8448/x/",
                Some("https://example.org:8448/x"),
            ),
            ("http://127.0.0.1:8008", Some("http://127.0.0.1:8008")),
            ("http://[::1]:8008/", Some("http://[::1]:8008")),
            ("http://localhost:8008", Some("http://localhost:8008")),
            ("http://10.1.2.3:8008", Some("http://10.1.2.3:8008")),
            ("http://10.2.2.3:8008", None),
            ("http://matrix.example.org", None),
            ("http://127.0.0.1.example.org", None),
            ("https://me:secret@example.org", None),
            ("https://example.org/?a=1", None),
            ("matrix.example.org", None),
            ("ftp://example.org", None),
            ("https:///", None),
            ("", None),
        ] {
            let read = Homeserver::read(text, &nets);
            let found = read.as_ref().ok().map(ToString::to_string);
            assert_eq!(found.as_deref(), expected, "{text}: {read:?}");
        }
    }
}
