//! Where a browser may send messages from: this server's own address, and this machine. A page of another site that a name leads
//! here by DNS rebinding is refused.

use crate::domain::site::{host_of, is_loopback, site};
use crate::server::{Problem, Request};

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
    let Some((scheme, authority)) = site(origin) else {
        return false;
    };
    let own = site(base_url);
    own.is_some_and(|(own, at)| own == scheme && at.eq_ignore_ascii_case(authority))
        || is_loopback(host_of(authority))
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
