//! The operator's settings of Slack.

use crate::client::{Proxy, Secret};
use crate::domain::site::{host_of, is_loopback};
use jiff::SignedDuration;
use std::fmt;
use std::str::FromStr;

/// The app of a Slack workspace. `Debug` shows no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackSettings {
    pub bot_token: Secret,
    /// With it, what comes in arrives over Socket Mode.
    pub app_token: Option<Secret>,
    /// With it, what comes in arrives at the request URLs.
    pub signing_secret: Option<Secret>,
    pub api_url: ApiUrl,
    /// For the API and the socket.
    pub proxy: Option<Proxy>,
    /// How often people, groups and channels are read in full.
    pub sync_every: SignedDuration,
    /// The status emoji that mean away, without colons.
    pub away_emoji: Vec<String>,
    /// The public URL of the server, without a trailing slash, for links to its pages; `None` if there are none.
    pub pages: Option<String>,
}

impl SlackSettings {
    /// Whether anything comes in from Slack, rather than only going out.
    pub fn takes_input(&self) -> bool {
        self.app_token.is_some() || self.signing_secret.is_some()
    }
}

/// The address of the Web API, with a trailing slash: the name of a method is appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiUrl(String);

impl Default for ApiUrl {
    fn default() -> ApiUrl {
        ApiUrl("https://slack.com/api/".to_owned())
    }
}

impl ApiUrl {
    /// The address of a method.
    pub fn method(&self, name: &str) -> String {
        format!("{}{name}", self.0)
    }

    /// Whether it is http, which only loopback may be.
    pub fn is_plain(&self) -> bool {
        self.0.starts_with("http://")
    }

    /// The host, without port and without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        host_of(rest.split('/').next().unwrap_or_default())
    }
}

impl fmt::Display for ApiUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ApiUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<ApiUrl, String> {
        let wrong = |why: &str| {
            Err(format!(
                "{text:?} {why}; write https://slack.com/api/ or https://slack-gov.com/api/"
            ))
        };
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let authority = rest.split('/').next().unwrap_or_default();
        let odd = |c: char| !c.is_ascii_graphic() || matches!(c, '?' | '#' | '@' | '"' | '\\');
        let host = host_of(authority);
        if host.is_empty() || rest.contains(odd) || !matches!(scheme, "http" | "https") {
            return wrong("is not the address of an API");
        }
        if scheme == "http" && !is_loopback(host) {
            return wrong("is http, which only a server on this machine may be");
        }
        let text = text.trim_end_matches('/');
        Ok(ApiUrl(format!("{text}/")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_api_are_read() {
        for (text, expected) in [
            (
                "https://slack.com/api/",
                Some(("https://slack.com/api/", "slack.com")),
            ),
            (
                "https://slack-gov.com/api",
                Some(("https://slack-gov.com/api/", "slack-gov.com")),
            ),
            (
                "http://127.0.0.1:80/api/",
                Some(("http://127.0.0.1:80/api/", "127.0.0.1")),
            ),
            ("http://[::1]:80", Some(("http://[::1]:80/", "::1"))),
            (
                "http://localhost:1/x/",
                Some(("http://localhost:1/x/", "localhost")),
            ),
            ("http://slack.com/api/", None),
            ("http://127.0.0.1.example.org/", None),
            ("http://localhost@slack.com/", None),
            ("https://me:secret@slack.com/api/", None),
            ("https://slack.com/api/?token=1", None),
            ("https:///api/", None),
            ("slack.com/api/", None),
            ("ftp://slack.com/", None),
            ("", None),
        ] {
            let read: Result<ApiUrl, String> = text.parse();
            let found = read.as_ref().ok();
            let found = found.map(|url| (url.to_string(), url.host().to_owned()));
            let expected = expected.map(|(url, host)| (url.to_owned(), host.to_owned()));
            assert_eq!(found, expected, "{text}: {read:?}");
        }
        assert_eq!(
            ApiUrl::default().method("auth.test"),
            "https://slack.com/api/auth.test"
        );
    }
}
