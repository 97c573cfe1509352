//! Which addresses that Slack gives are called: that of a socket, and response URLs (rules.md 21.7).

use crate::chat::slack::ApiUrl;
use crate::client::{Client, Url};
use crate::domain::site::is_loopback;

/// Slack's own domains.
const DOMAINS: [&str; 2] = ["slack.com", "slack-gov.com"];

/// The address of a response URL (https), or of a socket (wss) as the https address with the same host and path.
///
/// The host has to be one of Slack's, or that of the Web API. Without TLS only the latter is called, and only while it is on
/// this machine.
///
/// # Errors
/// Why it is not called. The text does not repeat the path, which is a secret.
pub fn checked(client: &Client, api: &ApiUrl, text: &str) -> Result<Url, String> {
    let (scheme, rest) = text.split_once("://").ok_or("it is not a URL")?;
    let scheme = match scheme {
        "https" | "wss" => "https",
        "http" | "ws" => "http",
        _ => return Err("its scheme is neither https nor wss".to_owned()),
    };
    let url = client.url(&format!("{scheme}://{rest}"));
    let url = url.map_err(|error| error.detail())?;
    let host = url.host();
    let is_api = host.eq_ignore_ascii_case(api.host());
    let may_be_plain = is_api && is_loopback(host);
    if !url.is_secure() && !may_be_plain {
        return Err(format!("{host}: it is not secured by TLS"));
    }
    let is_slack = DOMAINS.iter().any(|domain| is_below(host, domain));
    match is_slack || is_api {
        true => Ok(url),
        false => Err(format!("{host} is not a host of Slack")),
    }
}

/// Whether a host is a domain or below it.
fn is_below(host: &str, domain: &str) -> bool {
    let rest = host.strip_suffix(domain);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Tls, Trust};

    /// rules.md 21.7.
    #[test]
    fn addresses() {
        let tls = Tls::load(Trust::Bundled, None).unwrap();
        let slack = "https://slack.com/api/";
        let here = "http://127.0.0.1:81/api/";
        let own = "https://slack.example.org/api/";
        for (api, text, expected) in [
            (
                slack,
                "wss://wss-primary.slack.com/link/?ticket=1",
                Some("https://wss-primary.slack.com/link/?ticket=1"),
            ),
            (
                slack,
                "https://hooks.slack.com/commands/T1/1/a",
                Some("https://hooks.slack.com/commands/T1/1/a"),
            ),
            (slack, "https://slack.com/a", Some("https://slack.com/a")),
            (
                slack,
                "wss://x.slack-gov.com/a",
                Some("https://x.slack-gov.com/a"),
            ),
            (slack, "wss://evil-slack.com/a", None),
            (slack, "wss://slack.com.example.org/a", None),
            (slack, "wss://slack.com@example.org/a", None),
            (slack, "wss://example.org/slack.com", None),
            (slack, "ws://wss-primary.slack.com/link", None),
            (slack, "http://hooks.slack.com/a", None),
            (slack, "ws://127.0.0.1:80/", None),
            (slack, "https://127.0.0.1/", None),
            (slack, "file:///etc/passwd", None),
            (slack, "slack.com", None),
            (slack, "", None),
            (
                here,
                "ws://127.0.0.1:82/link",
                Some("http://127.0.0.1:82/link"),
            ),
            (here, "ws://localhost:82/link", None),
            (here, "http://[::1]:82/link", None),
            (here, "https://127.0.0.2/link", None),
            (here, "ws://10.0.0.1:82/link", None),
            (
                here,
                "wss://wss-primary.slack.com/",
                Some("https://wss-primary.slack.com/"),
            ),
            (
                own,
                "wss://slack.example.org/link",
                Some("https://slack.example.org/link"),
            ),
            (own, "wss://other.example.org/link", None),
            (own, "ws://slack.example.org/link", None),
        ] {
            let api: ApiUrl = api.parse().unwrap();
            let client = Client::new(&tls, api.is_plain(), None);
            let found = checked(&client, &api, text);
            let read = found.as_ref().ok().map(Url::as_str);
            assert_eq!(read, expected, "{api} {text}: {found:?}");
        }
    }
}
