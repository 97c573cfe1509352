//! The address of the mail server.

use std::fmt;
use std::str::FromStr;

/// `smtps://host:465`, with TLS from the first byte, or `smtp://host:587`, which begins in the clear and continues with TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailServer {
    /// Whether TLS begins with the connection.
    pub tls_first: bool,
    /// Without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
}

impl FromStr for MailServer {
    type Err = String;

    fn from_str(text: &str) -> Result<MailServer, String> {
        let read = || {
            let (scheme, rest) = text.split_once("://")?;
            let (tls_first, usual) = match scheme {
                "smtps" => (true, 465),
                "smtp" => (false, 587),
                _ => return None,
            };
            let rest = rest.strip_suffix('/').unwrap_or(rest);
            let (host, port) = match rest.strip_prefix('[') {
                Some(rest) => {
                    let (host, port) = rest.split_once(']')?;
                    host.parse::<std::net::Ipv6Addr>().ok()?;
                    (
                        host,
                        port.strip_prefix(':').or(port.is_empty().then_some("")),
                    )
                }
                None => match rest.split_once(':') {
                    Some((host, port)) => (host, Some(port).filter(|port| !port.is_empty())),
                    None => (rest, Some("")),
                },
            };
            let port = match port? {
                "" => usual,
                digits => digits.parse().ok().filter(|port| *port != 0)?,
            };
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
            let good = !host.is_empty() && host.chars().all(plain);
            good.then(|| MailServer {
                tls_first,
                host: host.to_owned(),
                port,
            })
        };
        read().ok_or_else(|| {
            format!(
                "{text:?} is not a mail server; write one such as \"smtps://mail.example.org:465\" or \
                 \"smtp://mail.example.org:587\", without user and password"
            )
        })
    }
}

impl fmt::Display for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MailServer { host, port, .. } = self;
        match host.contains(':') {
            true => write!(f, "[{host}]:{port}"),
            false => write!(f, "{host}:{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_a_scheme_a_host_and_perhaps_a_port() {
        for (text, tls_first, shown) in [
            ("smtps://mail.example.org:465", true, "mail.example.org:465"),
            ("smtps://mail.example.org", true, "mail.example.org:465"),
            ("smtp://mail.example.org/", false, "mail.example.org:587"),
            ("smtp://127.0.0.1:2525", false, "127.0.0.1:2525"),
            ("smtp://[::1]:25", false, "[::1]:25"),
            ("smtps://[::1]", true, "[::1]:465"),
        ] {
            let server: MailServer = text.parse().expect(text);
            assert_eq!(
                (server.tls_first, server.to_string().as_str()),
                (tls_first, shown)
            );
        }
        for bad in [
            "",
            "mail.example.org",
            "mail.example.org:587",
            "http://x",
            "smtp://",
            "smtp://:25",
            "smtp://a:0",
            "smtp://a:x",
            "smtp://a:",
            "smtp://user:secret@mail",
            "smtp://a b",
            "smtp://[::1",
            "smtp://[x]:25",
            "smtp://a/b",
            "SMTP://a",
        ] {
            assert!(bad.parse::<MailServer>().is_err(), "{bad:?}");
        }
    }
}
