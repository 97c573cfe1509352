//! Where a browser may send messages from: this server's own address, and this machine. A page of another site that a name leads
//! here by DNS rebinding is refused.

use crate::server::{Problem, Request};
use std::net::IpAddr;

/// Refuses a message that a page of another site sends. Programs send no `Origin`.
///
/// # Errors
/// 403 for another origin, 400 for two of them.
pub fn check(base_url: &str, request: &Request) -> Result<(), Problem> {
    match request.single("Origin")? {
        None => Ok(()),
        Some(origin) if is_own(base_url, origin) => Ok(()),
        Some(_) => Err(Problem::new(
            403,
            "wrong_origin",
            "messages are not taken from pages of other sites; send no Origin header",
        )),
    }
}

fn is_own(base_url: &str, origin: &str) -> bool {
    let Some((scheme, authority)) = parts(origin) else {
        return false;
    };
    let own = parts(base_url);
    own.is_some_and(|(own, at)| own == scheme && at.eq_ignore_ascii_case(authority))
        || is_this_machine(authority)
}

/// The scheme and the authority of an address, without the port that the scheme has anyway.
fn parts(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let authority = rest.split('/').next()?;
    let usual = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    Some((scheme, authority.strip_suffix(usual).unwrap_or(authority)))
}

fn is_this_machine(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let address = host.parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_own;

    #[test]
    fn origins() {
        for (origin, expected) in [
            ("https://rota.example.org", true),
            ("https://Rota.example.org:443", true),
            ("http://rota.example.org", false),
            ("https://rota.example.org:8443", false),
            ("https://rota.example.org.evil.example", false),
            ("https://evil.example", false),
            ("http://localhost:6274", true),
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080", true),
            ("http://127.0.0.1.evil.example", false),
            ("http://localhost.evil.example", false),
            ("null", false),
            ("", false),
            ("chrome-extension://abc", false),
        ] {
            assert_eq!(
                is_own("https://rota.example.org/", origin),
                expected,
                "{origin}"
            );
        }
    }
}
