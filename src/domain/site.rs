//! The sites that web addresses lead to: scheme, host and port.

use std::net::IpAddr;

/// The scheme and the authority of an http or https address, without the port that the scheme has anyway.
pub fn site(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let authority = rest.split('/').next()?;
    let usual = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    Some((scheme, authority.strip_suffix(usual).unwrap_or(authority)))
}

/// The host of `HOST` or `HOST:PORT`, without the brackets of an IPv6 address.
pub fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority
            .rsplit_once(':')
            .map_or(authority, |(host, _)| host),
    }
}

/// Whether a host, without a port and without brackets, is this machine.
pub fn is_loopback(host: &str) -> bool {
    let address = host.parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_addresses() {
        for (address, expected) in [
            (
                "https://rota.example.org",
                Some(("rota.example.org", false)),
            ),
            (
                "https://rota.example.org:443/x",
                Some(("rota.example.org", false)),
            ),
            ("http://LocalHost:80", Some(("LocalHost", true))),
            ("http://127.8.8.8:8080/", Some(("127.8.8.8:8080", true))),
            ("http://[::1]:8080", Some(("[::1]:8080", true))),
            ("http://[::2]", Some(("[::2]", false))),
            ("http://localhost:1:2", Some(("localhost:1:2", false))),
            (
                "http://localhost.example.org",
                Some(("localhost.example.org", false)),
            ),
            ("https://", Some(("", false))),
            ("ftp://localhost", None),
            ("localhost", None),
        ] {
            let found = site(address);
            let found = found.map(|(_, authority)| (authority, is_loopback(host_of(authority))));
            assert_eq!(found, expected, "{address}");
        }
    }
}
