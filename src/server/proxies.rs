//! Reverse proxies in front of the server: the client's address, and the scheme that it used. Pure.
//!
//! Anyone can send `X-Forwarded-For` and `X-Forwarded-Proto`, so both count only from a peer that the operator trusts. Each
//! proxy appends the address of its own peer, so the list is read from its end: entries before the first address that is not
//! a proxy were sent by that client and cannot be trusted.

use crate::domain::address::Net;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The header that names a request: ours in the response, the client's own in its request.
pub const REQUEST_ID: &str = "X-Request-Id";

/// The networks of the proxies whose headers count; none by default.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<Net>);

/// How the client reached the first proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Http,
    Https,
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        })
    }
}

impl TrustedProxies {
    /// Trusts the proxies of these networks.
    pub fn new(networks: Vec<Net>) -> TrustedProxies {
        TrustedProxies(networks)
    }

    /// Whether the headers of this peer count.
    pub(super) fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(address))
    }

    /// The right-most address of the `X-Forwarded-For` lines, in order, that is not a trusted proxy. `None` if there is none, or if
    /// an invalid entry follows it: the proxy that wrote that entry does not know its client, and earlier entries may be
    /// forged.
    pub(super) fn client<'h>(&self, lines: impl IntoIterator<Item = &'h str>) -> Option<IpAddr> {
        let lines: Vec<&str> = lines.into_iter().collect();
        let entries = lines.iter().rev().flat_map(|line| line.rsplit(','));
        for entry in entries.map(str::trim).filter(|entry| !entry.is_empty()) {
            let address = address(entry)?;
            if !self.trusts(address) {
                return Some(address);
            }
        }
        None
    }
}

/// Parses an address as proxies write it: plain, with a port, in brackets.
fn address(entry: &str) -> Option<IpAddr> {
    let bracketed = || entry.strip_prefix('[')?.strip_suffix(']');
    let address = match entry.parse::<IpAddr>() {
        Ok(address) => address,
        Err(_) => match entry.parse::<SocketAddr>() {
            Ok(socket) => socket.ip(),
            Err(_) => bracketed()?.parse::<Ipv6Addr>().ok()?.into(),
        },
    };
    Some(address.to_canonical())
}

/// The scheme in `X-Forwarded-Proto`. With several values it is unknown which one the client used.
pub(super) fn scheme<'h>(lines: impl IntoIterator<Item = &'h str>) -> Option<Scheme> {
    match only(lines)? {
        value if value.eq_ignore_ascii_case("http") => Some(Scheme::Http),
        value if value.eq_ignore_ascii_case("https") => Some(Scheme::Https),
        _ => None,
    }
}

/// The value of a header that is there once.
fn only<'h>(lines: impl IntoIterator<Item = &'h str>) -> Option<&'h str> {
    let mut lines = lines.into_iter();
    match (lines.next(), lines.next()) {
        (Some(value), None) => Some(value.trim()),
        _ => None,
    }
}

/// The longest request id of a client that is logged, in bytes.
const LONGEST_ID: usize = 128;

/// The value of an `X-Request-Id` that is safe to log: other characters could forge a line.
pub(super) fn request_id<'h>(lines: impl IntoIterator<Item = &'h str>) -> Option<&'h str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let value = only(lines)?;
    ((1..=LONGEST_ID).contains(&value.len()) && value.bytes().all(plain)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(networks: &str) -> TrustedProxies {
        let networks = networks.split_whitespace();
        TrustedProxies::new(networks.map(|network| network.parse().unwrap()).collect())
    }

    #[test]
    fn the_client_is_the_rightmost_address_that_is_no_proxy() {
        let proxies = proxies("127.0.0.0/8 10.1.0.0/16 fd00:1::/32");
        let rows: &[(&[&str], Option<&str>)] = &[
            (&[], None),
            (&[""], None),
            (&["203.0.113.9"], Some("203.0.113.9")),
            (&["203.0.113.9,"], Some("203.0.113.9")),
            (&["198.51.100.1, 203.0.113.9"], Some("203.0.113.9")),
            (
                &["198.51.100.1, 203.0.113.9 ,10.1.2.3,, 127.0.0.5"],
                Some("203.0.113.9"),
            ),
            // Several lines are one list.
            (&["203.0.113.9", "10.1.2.3"], Some("203.0.113.9")),
            (&["203.0.113.9", "198.51.100.1"], Some("198.51.100.1")),
            // Only proxies.
            (&["10.1.2.3, 10.1.2.4"], None),
            (&["10.2.0.1, 10.1.2.4"], Some("10.2.0.1")),
            // With ports and brackets.
            (&["203.0.113.9:4711"], Some("203.0.113.9")),
            (&["2001:db8::7"], Some("2001:db8::7")),
            (&["[2001:db8::7]"], Some("2001:db8::7")),
            (&["[2001:db8::7]:4711"], Some("2001:db8::7")),
            (&["2001:db8::7, [fd00:1::5]:80"], Some("2001:db8::7")),
            (&["::ffff:203.0.113.9"], Some("203.0.113.9")),
            (&["203.0.113.9, ::ffff:10.1.0.1"], Some("203.0.113.9")),
            // An invalid entry ends the search.
            (&["unknown"], None),
            (&["203.0.113.9, unknown"], None),
            (&["203.0.113.9, unknown, 10.1.0.1"], None),
            (&["unknown, 203.0.113.9"], Some("203.0.113.9")),
            (&["_hidden, \u{fffd}, 203.0.113.9"], Some("203.0.113.9")),
            (&["203.0.113.9 198.51.100.1"], None),
            (&["203.0.113.999"], None),
            (&["203.0.113.9:port"], None),
            (&["[203.0.113.9]"], None),
            (&["[2001:db8::7"], None),
            (&["unix:"], None),
        ];
        for (lines, expected) in rows {
            let found = proxies.client(lines.iter().copied());
            let found = found.map(|address| address.to_string());
            assert_eq!(found.as_deref(), *expected, "{lines:?}");
        }
    }

    #[test]
    fn only_the_operators_networks_are_trusted() {
        let none = TrustedProxies::default();
        let some = proxies("127.0.0.1 fd00:1::/32");
        for (address, trusted) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("127.0.0.2", false),
            ("::1", false),
            ("fd00:1::9", true),
            ("fd00:2::9", false),
        ] {
            let address: IpAddr = address.parse().unwrap();
            assert_eq!(some.trusts(address), trusted, "{address}");
            assert!(!none.trusts(address));
        }
    }

    #[test]
    fn one_scheme_is_taken() {
        let rows: &[(&[&str], Option<Scheme>)] = &[
            (&[], None),
            (&["https"], Some(Scheme::Https)),
            (&[" HTTPS "], Some(Scheme::Https)),
            (&["http"], Some(Scheme::Http)),
            (&["https, http"], None),
            (&["https", "https"], None),
            (&["wss"], None),
            (&["https://evil.example/"], None),
            (&[""], None),
        ];
        for (lines, expected) in rows {
            assert_eq!(scheme(lines.iter().copied()), *expected, "{lines:?}");
        }
    }

    #[test]
    fn request_ids_are_short_and_plain() {
        let longest = "a".repeat(LONGEST_ID);
        for good in ["1", "a.B_c-9", " trimmed ", longest.as_str()] {
            assert_eq!(request_id([good]), Some(good.trim()));
        }
        let longer = "a".repeat(LONGEST_ID + 1);
        for bad in ["", " ", "a b", "a\u{fffd}", "a\tb", "a/b", longer.as_str()] {
            assert_eq!(request_id([bad]), None, "{bad}");
        }
        assert_eq!(request_id([]), None);
        assert_eq!(request_id(["a", "a"]), None);
    }
}
