//! Parses URLs. Pure.

use std::fmt;
use std::net::Ipv6Addr;

use ureq::http::Uri;

use crate::domain::address::Range;

#[cfg(test)]
mod tests;

/// The longest URL that is requested, in bytes.
const MAX_LENGTH: usize = 2048;

/// A URL that can be requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    url: String,
    /// Without the brackets of an IPv6 address.
    host: String,
    port: u16,
    /// The Host header: with the port unless it is the scheme's default.
    authority: String,
}

/// Why a URL is refused, in a sentence each (`webhook_url_*` in the API).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrlError {
    /// Not a complete URL.
    Malformed(String),
    /// Not https.
    SchemeNotAllowed(String),
    /// The host has no address.
    HostNotResolvable(String),
    /// An address of the host is not public.
    PrivateAddress(String),
}

impl UrlError {
    /// The sentence for the caller, after the name of the member.
    pub fn detail(&self) -> String {
        format!("url: {}", self.why())
    }

    /// What is wrong, and what to send.
    pub fn why(&self) -> &str {
        let (UrlError::Malformed(detail)
        | UrlError::SchemeNotAllowed(detail)
        | UrlError::HostNotResolvable(detail)
        | UrlError::PrivateAddress(detail)) = self;
        detail
    }

    pub(super) fn unresolved(host: &str) -> UrlError {
        UrlError::HostNotResolvable(format!(
            "the host {host} resolves to no address; send one that the service can resolve"
        ))
    }

    /// Names the host as sent and not its addresses, so that callers cannot read the names of the inner network.
    pub(super) fn private(host: &str, range: Range) -> UrlError {
        UrlError::PrivateAddress(format!(
            "the host {host} has an address in the {range} range; send a host that has only public addresses"
        ))
    }
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail())
    }
}

fn malformed(what: &str) -> UrlError {
    UrlError::Malformed(what.to_owned())
}

impl Url {
    /// Parses an absolute URL. Unusual forms are refused rather than repaired, because two parsers might disagree about the
    /// host.
    pub(super) fn parse(url: &str, plain_http: bool) -> Result<Url, UrlError> {
        if url.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
            return Err(malformed(
                "must not have spaces or control characters; percent-encode them",
            ));
        }
        let Some((scheme, rest)) = url.split_once("://").filter(|(s, _)| is_scheme(s)) else {
            return Err(malformed(
                "must be complete, with scheme, host and path, as https://example.com/hook",
            ));
        };
        let scheme = scheme.to_ascii_lowercase();
        let own_port = match scheme.as_str() {
            "https" => 443,
            "http" if plain_http => 80,
            _ => {
                let allowed = if plain_http { "https or http" } else { "https" };
                return Err(UrlError::SchemeNotAllowed(format!(
                    "the scheme is {scheme}; use {allowed}"
                )));
            }
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let host_and_port = match authority.rsplit_once('@') {
            Some((_credentials, host_and_port)) => host_and_port,
            None => authority,
        };
        let (host, port) = split_port(host_and_port)?;
        let (host, shown) = read_host(host)?;
        if !path.is_ascii() {
            return Err(malformed(
                "has non-ASCII characters in its path; percent-encode them",
            ));
        }
        let authority = match port {
            Some(port) if port != own_port => format!("{shown}:{port}"),
            _ => shown.clone(),
        };
        let port_part = port.map(|port| format!(":{port}")).unwrap_or_default();
        let slash = if path.starts_with('/') { "" } else { "/" };
        let url = format!("{scheme}://{shown}{port_part}{slash}{path}");
        if url.len() > MAX_LENGTH {
            return Err(malformed("is too long; send at most 2,048 bytes"));
        }
        // ureq's own parser must accept it, too.
        if url.parse::<Uri>().is_err() {
            return Err(malformed(
                "has characters that a URL may not have; percent-encode them",
            ));
        }
        Ok(Url {
            url,
            host,
            port: port.unwrap_or(own_port),
            authority,
        })
    }

    /// The URL as it is requested.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// The host in lower case, without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, also where the URL leaves it to its scheme.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether it is https.
    pub fn is_secure(&self) -> bool {
        self.url.starts_with("https:")
    }

    pub(super) fn authority(&self) -> &str {
        &self.authority
    }
}

/// The host of a URI without the brackets of an IPv6 address, and the port.
pub(super) fn host_and_port(uri: &Uri) -> (&str, u16) {
    let host = uri.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let own_port = match uri.scheme_str() {
        Some("http") => 80,
        _ => 443,
    };
    (host, uri.port_u16().unwrap_or(own_port))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Splits off the port, if there is one.
fn split_port(text: &str) -> Result<(&str, Option<u16>), UrlError> {
    // The colons of an IPv6 address are inside its brackets.
    let after = text.rfind(']').unwrap_or(0);
    let Some(colon) = text[after..].find(':').map(|at| after + at) else {
        return Ok((text, None));
    };
    let digits = &text[colon + 1..];
    let port = digits.bytes().all(|byte| byte.is_ascii_digit());
    let port = port.then(|| digits.parse().ok()).flatten();
    match port.filter(|port| *port != 0) {
        Some(port) => Ok((&text[..colon], Some(port))),
        None => Err(malformed("must have a port of 1 to 65535, or none")),
    }
}

/// The host for a resolver and the host in a URL, both in lower case.
fn read_host(text: &str) -> Result<(String, String), UrlError> {
    if text.is_empty() {
        return Err(malformed(
            "has no host; send a complete one, as https://example.com/hook",
        ));
    }
    if !text.is_ascii() {
        return Err(malformed(
            "has a host with non-ASCII characters; send it in punycode, as xn--bcher-kva.example",
        ));
    }
    let lower = text.to_ascii_lowercase();
    let bracketed = lower.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    if let Some(inner) = bracketed {
        return match inner.parse::<Ipv6Addr>() {
            Ok(_) => Ok((inner.to_string(), lower)),
            Err(_) => Err(malformed("has an invalid IPv6 address in brackets")),
        };
    }
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if lower.len() > 254 || !lower.bytes().all(known) {
        return Err(malformed(
            "must have a host of letters, digits, hyphens and dots, or an IPv6 address in brackets",
        ));
    }
    Ok((lower.clone(), lower))
}
