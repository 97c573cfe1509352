//! Connects to a host through an HTTP proxy with CONNECT.

use std::io::{self, Read, Write};

use super::{DialError, USER_AGENT, Url};

/// The largest head of the proxy's response, in bytes.
const ANSWER: usize = 16 * 1024;

/// An HTTP proxy that opens connections with CONNECT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    url: Url,
}

impl Proxy {
    /// Parses `http://HOST:PORT`.
    pub fn parse(text: &str) -> Result<Proxy, String> {
        let wrong = || {
            // What may be a password is not repeated.
            let named = match text.contains('@') {
                true => "this".to_owned(),
                false => format!("{text:?}"),
            };
            format!(
                "{named} is not a proxy: write http://HOST:PORT, without credentials and without a path"
            )
        };
        let url = Url::parse(text, true).map_err(|_| wrong())?;
        // Credentials and a fragment would be dropped silently.
        let bare = url.as_str().trim_end_matches('/');
        let is_bare = text.strip_suffix('/').unwrap_or(text) == bare;
        let path = bare.strip_prefix("http://").ok_or_else(wrong)?;
        match is_bare && !path.contains(['/', '?']) {
            true => Ok(Proxy { url }),
            false => Err(wrong()),
        }
    }

    pub(super) fn host(&self) -> &str {
        self.url.host()
    }

    pub(super) fn port(&self) -> u16 {
        self.url.port()
    }
}

/// Asks the proxy at the other end of `stream` to connect to a host.
pub(super) fn tunnel(
    stream: &mut (impl Read + Write),
    host: &str,
    port: u16,
) -> Result<(), DialError> {
    let authority = match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    };
    let request = format!(
        "CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: {USER_AGENT}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let head = read_head(stream)?;
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let mut words = line.split(' ');
    let is_http = words.next().is_some_and(|word| word.starts_with("HTTP/1."));
    match words.next().and_then(|word| word.parse::<u16>().ok()) {
        Some(200..=299) if is_http => Ok(()),
        Some(status) if is_http => Err(DialError::Proxy(format!("it answered {status}"))),
        _ => Err(DialError::Proxy("its answer is not HTTP".to_owned())),
    }
}

/// The head of the proxy's response. Read byte by byte, because what follows is from the host.
fn read_head(stream: &mut impl Read) -> Result<Vec<u8>, DialError> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == ANSWER {
            return Err(DialError::Proxy("its answer is too large".to_owned()));
        }
        let mut byte = [0];
        match stream.read(&mut byte).map_err(failed)? {
            0 => {
                return Err(DialError::Proxy(
                    "it closed the connection without an answer".to_owned(),
                ));
            }
            _ => head.push(byte[0]),
        }
    }
    Ok(head)
}

fn failed(error: io::Error) -> DialError {
    match error.kind() {
        io::ErrorKind::TimedOut => DialError::Timeout,
        _ => DialError::Proxy(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_read() {
        for (text, expected) in [
            ("http://proxy.example:3128", Some(("proxy.example", 3128))),
            ("http://proxy.example:3128/", Some(("proxy.example", 3128))),
            ("http://10.0.0.1", Some(("10.0.0.1", 80))),
            ("http://[fd00::1]:8080", Some(("fd00::1", 8080))),
            ("https://proxy.example:3128", None),
            ("http://me:secret@proxy.example:3128", None),
            ("http://proxy.example/path", None),
            ("http://proxy.example/?a", None),
            ("http://proxy.example#top", None),
            ("proxy.example:3128", None),
            ("", None),
        ] {
            let found = Proxy::parse(text);
            let read = found.as_ref().ok();
            let read = read.map(|proxy| (proxy.host(), proxy.port()));
            assert_eq!(read, expected, "{text}: {found:?}");
            assert!(!format!("{found:?}").contains("secret"), "{found:?}");
        }
    }
}
