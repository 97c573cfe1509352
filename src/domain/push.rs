//! Push by ntfy: a topic of a server, to which direct messages of a person are published (rules.md 19.13).

use super::refusal::{Refusal, invalid};
use std::fmt;

/// The member of the API that holds the address.
const URL: &str = "push.url";

/// The longest topic.
const TOPIC: usize = 64;

/// The longest access token.
const TOKEN: usize = 200;

/// Where a person's messages are published. Both parts are secrets: whoever knows the topic can read it.
#[derive(Clone, PartialEq, Eq)]
pub struct PushTarget {
    url: String,
    token: Option<String>,
}

/// The host alone.
impl fmt::Debug for PushTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PushTarget({})", self.host())
    }
}

impl PushTarget {
    /// A target by its address, such as `https://ntfy.example.org/topic`.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for an address with credentials, another path, or a query.
    pub fn new(url: String, token: Option<String>) -> Result<PushTarget, Refusal> {
        let Some((_, rest)) = url.split_once("://") else {
            return invalid(URL, "send an address such as https://ntfy.sh/TOPIC");
        };
        let (server, topic) = rest.split_once('/').unwrap_or((rest, ""));
        if server.contains('@') {
            return invalid(URL, "send no user and password; an access token is `token`");
        }
        if url.contains(['?', '#']) {
            return invalid(
                URL,
                "send no query and no fragment; an access token is `token`",
            );
        }
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if server.is_empty() || !(1..=TOPIC).contains(&topic.len()) || !topic.bytes().all(fits) {
            return invalid(
                URL,
                format!(
                    "send the address of a topic, https://HOST/TOPIC, with 1 to {TOPIC} of A-Z a-z 0-9 _ - as topic"
                ),
            );
        }
        check_token(token.as_deref())?;
        Ok(PushTarget { url, token })
    }

    /// The address of the topic.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The access token.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The root of the server, where JSON is published.
    pub fn server(&self) -> &str {
        let end = self.url.len() - self.topic().len();
        &self.url[..end]
    }

    /// The topic.
    pub fn topic(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or_default()
    }

    /// The host, with its port where the address has one: what others than the person see.
    pub fn host(&self) -> &str {
        let server = self.server().trim_end_matches('/');
        server.split_once("://").map_or(server, |(_, host)| host)
    }

    /// Whether it is reached in the clear.
    pub fn is_plain(&self) -> bool {
        self.url.starts_with("http://")
    }

    /// Whether its host is this machine, by its name.
    pub fn is_loopback(&self) -> bool {
        let host = self.host();
        let host = match host.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        let address = host.parse::<std::net::IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }
}

fn check_token(token: Option<&str>) -> Result<(), Refusal> {
    let fits = |token: &str| {
        (1..=TOKEN).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match token.is_none_or(fits) {
        true => Ok(()),
        false => invalid(
            "push.token",
            format!("send 1 to {TOKEN} printable ASCII characters without spaces"),
        ),
    }
}

/// A change of where a person's messages are published. `None` keeps a member, `Some(None)` clears it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushChange {
    pub url: Option<String>,
    pub token: Option<Option<String>>,
}

impl PushChange {
    /// Whether it sets nothing.
    pub fn is_empty(&self) -> bool {
        self.url.is_none() && self.token.is_none()
    }

    /// The target with the change. A token belongs to its address: with another one it does not stay.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] where there is no address, and as [`PushTarget::new`].
    pub fn applied_to(self, before: Option<&PushTarget>) -> Result<PushTarget, Refusal> {
        let Some(url) = self.url.or_else(|| before.map(|before| before.url.clone())) else {
            return invalid(
                URL,
                "missing; send the address of a topic, https://HOST/TOPIC",
            );
        };
        let same = before.filter(|before| before.url == url);
        let kept = || same.and_then(|same| same.token.clone());
        let token = self.token.unwrap_or_else(kept);
        PushTarget::new(url, token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::member;

    fn target(url: &str) -> Result<PushTarget, Refusal> {
        PushTarget::new(url.to_owned(), None)
    }

    /// rules.md 19.13.
    #[test]
    fn an_address_is_a_topic_of_a_server() {
        let long = format!("https://ntfy.sh/{}", "x".repeat(65));
        for bad in [
            "",
            "ntfy.sh/topic",
            "https://ntfy.sh",
            "https://ntfy.sh/",
            "https:///topic",
            "https://ntfy.sh/a/b",
            "https://ntfy.sh/topic/",
            "https://ntfy.sh/to.pic",
            "https://ntfy.sh/t\u{f6}pic",
            "https://ntfy.sh/topic?auth=x",
            "https://ntfy.sh/topic#x",
            "https://me:secret@ntfy.sh/topic",
            &long,
        ] {
            assert_eq!(member(&target(bad)), Some("push.url"), "{bad}");
        }
        let good = target("https://ntfy.example.org:8443/My_to-pic").expect("a target");
        assert_eq!(good.server(), "https://ntfy.example.org:8443/");
        assert_eq!(
            (good.host(), good.topic()),
            ("ntfy.example.org:8443", "My_to-pic")
        );
        assert_eq!(format!("{good:?}"), "PushTarget(ntfy.example.org:8443)");
        for (url, is_here) in [
            ("http://127.0.0.1:80/t", true),
            ("http://[::1]:80/t", true),
            ("http://localhost/t", true),
            ("http://10.0.0.1/t", false),
            ("http://localhost.example/t", false),
        ] {
            assert_eq!(target(url).expect(url).is_loopback(), is_here, "{url}");
        }
    }

    #[test]
    fn a_token_stays_with_its_address() {
        let before = PushTarget::new("https://ntfy.sh/a".into(), Some("tk_1".into()));
        let before = before.expect("a target");
        let change = |url: Option<&str>, token: Option<Option<&str>>| {
            let change = PushChange {
                url: url.map(str::to_owned),
                token: token.map(|token| token.map(str::to_owned)),
            };
            let after = change.applied_to(Some(&before)).expect("a target");
            (after.url().to_owned(), after.token().map(str::to_owned))
        };
        let of = |url: &str, token: Option<&str>| (url.to_owned(), token.map(str::to_owned));
        let (one, other) = ("https://ntfy.sh/a", "https://ntfy.sh/b");
        assert_eq!(change(None, None), of(one, Some("tk_1")));
        assert_eq!(change(Some(one), None), of(one, Some("tk_1")));
        assert_eq!(change(Some(other), None), of(other, None));
        assert_eq!(change(None, Some(Some("tk_2"))), of(one, Some("tk_2")));
        assert_eq!(change(Some(one), Some(None)), of(one, None));
        let none = PushChange::default().applied_to(None);
        assert_eq!(member(&none), Some("push.url"));
        for bad in ["", "a b", "tk\n", &"x".repeat(201)] {
            let refused = PushTarget::new(one.into(), Some(bad.into()));
            assert_eq!(member(&refused), Some("push.token"), "{bad}");
        }
    }
}
