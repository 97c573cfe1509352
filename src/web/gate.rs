//! The checks before every page: which hosts it answers to, where writes may come from, and the headers that all answers carry.

use crate::domain::site::{self, host_of, is_loopback};
use crate::server::{Problem, Request, Response};

/// The longest secret in a path that is looked for, in bytes.
pub const LONGEST_SECRET: usize = 100;

/// Headers of every answer of a page.
const HEADERS: [(&str, &str); 3] = [
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
         form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
];

/// Adds the headers that every answer carries, where a page has not set its own; what is not an asset is not kept anywhere.
pub fn secured(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        if !has(&response, name) {
            response = response.with(name, value);
        }
    }
    match has(&response, "Cache-Control") {
        true => response,
        false => response.with("Cache-Control", "no-store"),
    }
}

fn has(response: &Response, name: &str) -> bool {
    let mut names = response.headers.iter().map(|(name, _)| name);
    names.any(|known| known.eq_ignore_ascii_case(name))
}

/// Where this server is reached.
#[derive(Clone, Debug)]
pub struct Site {
    /// Scheme, host and port of the base URL: where writes come from.
    origin: String,
    /// Where writes may come from as well.
    other_origins: Vec<String>,
    /// Names that it answers to, in lower case, without ports.
    hosts: Vec<String>,
    /// Whether cookies are sent back only over TLS, or to this machine.
    pub has_secure_cookies: bool,
}

impl Site {
    /// A server at a base URL that listens on an address, `host:port`.
    pub fn new(base_url: &str, listen: &str) -> Site {
        let (scheme, authority) = site::site(base_url).unwrap_or(("http", base_url));
        let authority = authority.to_ascii_lowercase();
        let own = host_of(&authority);
        Site {
            other_origins: Vec::new(),
            origin: format!("{scheme}://{authority}"),
            has_secure_cookies: scheme == "https" || is_loopback(own),
            hosts: vec![
                own.to_owned(),
                host_of(&listen.to_ascii_lowercase()).to_owned(),
            ],
        }
    }

    /// Answers at these base URLs as well.
    pub fn and_at(mut self, base_urls: &[String]) -> Site {
        for url in base_urls {
            let other = Site::new(url, "");
            self.hosts
                .extend(other.hosts.into_iter().filter(|host| !host.is_empty()));
            self.other_origins.push(other.origin);
        }
        self
    }

    /// Refuses requests for another host: a name of somebody else that leads here would make their pages ours.
    pub fn check_host(&self, request: &Request) -> Result<(), Problem> {
        let host = request.header("Host").unwrap_or_default();
        let host = host_of(host.trim()).to_ascii_lowercase();
        match is_loopback(&host) || self.hosts.contains(&host) {
            true => Ok(()),
            false => Err(Problem::new(
                421,
                "wrong_host",
                format!(
                    "this server answers at {}; where that is not its address, set base_url",
                    self.origin
                ),
            )),
        }
    }

    /// Refuses writes that a page of another site sends.
    ///
    /// `bears_secret`: whoever has the address may write, and its page sends no referrer, so that browsers say `null` over plain
    /// HTTP.
    ///
    /// # Errors
    /// 403 for another site, 400 where two are named.
    pub fn check_origin(&self, request: &Request, bears_secret: bool) -> Result<(), Problem> {
        let origin = request.single("Origin")?;
        let is_own = match request.single("Sec-Fetch-Site")? {
            Some(site) => site == "same-origin",
            None => origin.is_some_and(|origin| {
                let mut own = std::iter::once(&self.origin).chain(&self.other_origins);
                own.any(|own| origin.eq_ignore_ascii_case(own))
                    || (bears_secret && origin == "null")
            }),
        };
        match is_own {
            true => Ok(()),
            false => Err(Problem::new(
                403,
                "wrong_origin",
                format!(
                    "forms are taken from the pages of {} alone; open the page there and send it again",
                    self.origin
                ),
            )),
        }
    }
}

/// Whether the browser asks for a page.
pub fn wants_html(request: &Request) -> bool {
    let mut accepted = request
        .headers()
        .filter(|(name, _)| name.eq_ignore_ascii_case("Accept"))
        .flat_map(|(_, value)| value.split(','));
    accepted.any(|kind| {
        let mut parts = kind.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let refused = parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        let is_page = ["text/html", "application/xhtml+xml"]
            .iter()
            .any(|page| name.eq_ignore_ascii_case(page));
        is_page && !refused
    })
}

/// A path of this site to go on to, and no other; `None` for anything else.
pub fn path_here(next: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_graphic() && c != '\\';
    let here = next.starts_with('/') && !next.starts_with("//") && next.chars().all(plain);
    here.then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(headers: &[(&str, &str)]) -> Request {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()));
        let peer = "127.0.0.1:9".parse().expect("an address");
        Request::new(
            peer,
            "POST".into(),
            "/".into(),
            headers.collect(),
            Vec::new(),
        )
    }

    #[test]
    fn hosts() {
        let site = Site::new("https://rota.example.org", "10.0.0.5:8080");
        for (host, expected) in [
            ("rota.example.org", true),
            ("Rota.Example.org:443", true),
            ("10.0.0.5:8080", true),
            ("localhost", true),
            ("localhost:8080", true),
            ("127.0.0.1:9", true),
            ("127.8.8.8", true),
            ("[::1]:8080", true),
            ("[::2]:8080", false),
            ("example.org", false),
            ("rota.example.org.evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("localhost.evil.example", false),
            ("", false),
        ] {
            let answer = site.check_host(&request(&[("Host", host)]));
            assert_eq!(answer.is_ok(), expected, "{host}");
            assert!(answer.err().is_none_or(|problem| problem.status == 421));
        }
    }

    #[test]
    fn origins_of_writes() {
        let site = Site::new("https://rota.example.org:443/", "127.0.0.1:8080");
        let own = "https://rota.example.org";
        for (fetch_site, origin, expected) in [
            (Some("same-origin"), None, true),
            (Some("same-origin"), Some("null"), true),
            (Some("same-site"), Some(own), false),
            (Some("cross-site"), Some(own), false),
            (Some("none"), Some(own), false),
            (None, Some(own), true),
            (None, Some("HTTPS://rota.example.org"), true),
            (None, Some("http://rota.example.org"), false),
            (None, Some("https://rota.example.org:8443"), false),
            (None, Some("https://rota.example.org.evil.example"), false),
            (None, Some("null"), false),
            (None, None, false),
        ] {
            let named = [("Sec-Fetch-Site", fetch_site), ("Origin", origin)];
            let headers = named
                .iter()
                .filter_map(|(name, value)| Some((*name, (*value)?)));
            let answer = site.check_origin(&request(&headers.collect::<Vec<_>>()), false);
            assert_eq!(answer.is_ok(), expected, "{fetch_site:?} {origin:?}");
        }
    }

    #[test]
    fn pages_with_a_secret_address_send_no_origin() {
        let site = Site::new("http://rota.lan", "0.0.0.0:8080");
        let null = [("Origin", "null")];
        assert!(site.check_origin(&request(&null), true).is_ok());
        let crossed = [("Origin", "null"), ("Sec-Fetch-Site", "cross-site")];
        assert!(site.check_origin(&request(&crossed), true).is_err());
        let other = [("Origin", "http://evil.example")];
        assert!(site.check_origin(&request(&other), true).is_err());
    }

    #[test]
    fn two_origins_are_none() {
        let site = Site::new("https://rota.example.org", "127.0.0.1:8080");
        let own = ("Origin", "https://rota.example.org");
        let same = ("Sec-Fetch-Site", "same-origin");
        for headers in [
            [own, own, same],
            [own, ("origin", "https://evil.example"), same],
            [own, same, same],
            [same, ("sec-fetch-site", "cross-site"), own],
        ] {
            let refused = site
                .check_origin(&request(&headers), true)
                .expect_err("two");
            assert_eq!((refused.status, refused.code), (400, "invalid_request"));
        }
    }

    #[test]
    fn cookies_are_secure_where_browsers_keep_them() {
        for (base_url, expected) in [
            ("https://rota.example.org", true),
            ("http://127.0.0.1:8080", true),
            ("http://localhost:8080", true),
            ("http://[::1]:8080", true),
            ("http://rota.lan:8080", false),
            ("http://192.0.2.7", false),
        ] {
            let site = Site::new(base_url, "127.0.0.1:8080");
            assert_eq!(site.has_secure_cookies, expected, "{base_url}");
        }
    }

    #[test]
    fn where_to_go_on() {
        for (next, expected) in [
            ("/", true),
            ("/rotations/A?from=2026-11-23&span=7d", true),
            ("//evil.example", false),
            ("/\\evil.example", false),
            ("/a\tb", false),
            ("https://evil.example", false),
            ("rotations", false),
            ("", false),
        ] {
            assert_eq!(path_here(next).is_some(), expected, "{next}");
        }
    }

    #[test]
    fn pages_are_asked_for() {
        for (accept, expected) in [
            ("text/html,application/xhtml+xml,*/*;q=0.8", true),
            ("application/json, text/html;q=0.5", true),
            ("text/html;q=0", false),
            ("*/*", false),
            ("application/json", false),
        ] {
            assert_eq!(
                wants_html(&request(&[("Accept", accept)])),
                expected,
                "{accept}"
            );
        }
        assert!(!wants_html(&request(&[])));
    }
}
