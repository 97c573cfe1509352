//! Parses the head of a request into [`Head`], or returns the response that refuses it. Pure.
//!
//! httparse does the parsing. This file also refuses what httparse accepts and two servers could read differently: lines
//! that end in a bare line feed, two lengths, a missing or second Host.

use std::mem::MaybeUninit;

use httparse::{Error, Status};

use super::body::Framing;
use super::{Limits, Malformed};

/// The largest number of headers that a limit may allow. They are parsed on the stack.
const HEADERS: usize = 128;

/// Whether the client wants the connection to stay open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persistence {
    Close,
    KeepAlive,
    /// An HTTP/1.0 client asked for keep-alive, so the response must confirm it.
    KeepAliveRequested,
}

#[derive(Debug)]
pub(super) struct Head {
    pub(super) method: String,
    /// The raw target; of an absolute one the part after the authority.
    pub(super) target: String,
    /// The headers as received, except that Host is the authority of an absolute target.
    pub(super) headers: Vec<(String, String)>,
    pub(super) framing: Framing,
    pub(super) persistence: Persistence,
    /// Whether the client speaks HTTP/1.1, so that a response may be chunked.
    pub(super) is_http_1_1: bool,
    /// Whether the client waits for `100 Continue` before it sends its body.
    pub(super) expects_continue: bool,
}

/// Parses the head at the start of `bytes` and returns it with its length. `None` if it is incomplete.
///
/// # Errors
/// Every head that must not reach a handler. The connection cannot be used afterwards, because the start of the next
/// request is unknown.
pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Option<(Head, usize)>, Malformed> {
    let mut places = [const { MaybeUninit::uninit() }; HEADERS];
    let places = &mut places[..limits.headers.min(HEADERS)];
    let mut request = httparse::Request::new(&mut []);
    let length = match request.parse_with_uninit_headers(bytes, places) {
        Ok(Status::Complete(length)) if length <= limits.head_bytes => length,
        Ok(Status::Partial) if bytes.len() < limits.head_bytes => return Ok(None),
        Ok(_) => {
            let detail = format!(
                "The request line and headers are longer than the {} bytes allowed.",
                limits.head_bytes
            );
            return Err(Malformed::new(431, detail));
        }
        Err(error) => return Err(unreadable(error, bytes, limits)),
    };
    if has_bare_line_feed(&bytes[..length]) {
        return Err(bad(
            "Every line of the head must end in CR LF, not in LF alone.",
        ));
    }
    let (Some(method), Some(target), Some(version)) =
        (request.method, request.path, request.version)
    else {
        return Err(bad("The request line is incomplete."));
    };
    let fields = Fields::collect(request.headers)?;
    let (authority, target) = split_target(method, target)?;
    let host = judge_host(&fields, version)?;

    let mut headers: Vec<(String, String)> = Vec::with_capacity(request.headers.len());
    for header in request.headers.iter() {
        // Non-ASCII bytes are allowed and opaque. Header values here are text, so invalid UTF-8 is replaced.
        let value = String::from_utf8_lossy(header.value).into_owned();
        headers.push((header.name.to_owned(), value));
    }
    if let Some(authority) = authority {
        match host {
            Some(at) => headers[at].1 = authority.to_owned(),
            None => headers.push(("Host".to_owned(), authority.to_owned())),
        }
    }

    let is_http_1_1 = version == 1;
    if !is_http_1_1 && fields.transfer_encoding.is_some() {
        return Err(bad("HTTP/1.0 has no Transfer-Encoding."));
    }
    let framing = Framing::of(
        fields.content_length,
        fields.transfer_encoding,
        limits.body_bytes,
    )?;
    let expects_continue = match fields.expect {
        Some(expectation) if is_http_1_1 => {
            if !expectation.eq_ignore_ascii_case(b"100-continue") {
                return Err(Malformed::new(
                    417,
                    "The only supported expectation is `100-continue`.",
                ));
            }
            true
        }
        _ => false,
    };
    let head = Head {
        method: method.to_owned(),
        target: target.to_owned(),
        headers,
        framing,
        is_http_1_1,
        persistence: match (fields.close, is_http_1_1, fields.keep_alive) {
            (true, _, _) | (false, false, false) => Persistence::Close,
            (false, true, _) => Persistence::KeepAlive,
            (false, false, true) => Persistence::KeepAliveRequested,
        },
        expects_continue,
    };
    Ok(Some((head, length)))
}

/// The headers that this module interprets.
#[derive(Default)]
struct Fields<'a> {
    /// Its index and value.
    host: Option<(usize, &'a [u8])>,
    content_length: Option<&'a [u8]>,
    transfer_encoding: Option<&'a [u8]>,
    expect: Option<&'a [u8]>,
    close: bool,
    keep_alive: bool,
}

impl<'a> Fields<'a> {
    fn collect(headers: &[httparse::Header<'a>]) -> Result<Fields<'a>, Malformed> {
        let mut fields = Fields::default();
        for (at, header) in headers.iter().enumerate() {
            let is = |name: &str| header.name.eq_ignore_ascii_case(name);
            // Checks the length first, because most headers are none of these.
            match header.name.len() {
                4 if is("host") => once(&mut fields.host, (at, header.value), "Host")?,
                6 if is("expect") => once(&mut fields.expect, header.value, "Expect")?,
                10 if is("connection") => fields.connection(header.value),
                14 if is("content-length") => {
                    once(&mut fields.content_length, header.value, "Content-Length")?;
                }
                17 if is("transfer-encoding") => {
                    if fields.transfer_encoding.is_some() {
                        // Two codings form a list, which is not supported.
                        fields.transfer_encoding = Some(b"");
                    } else {
                        fields.transfer_encoding = Some(header.value);
                    }
                }
                _ => {}
            }
        }
        Ok(fields)
    }

    fn connection(&mut self, value: &[u8]) {
        for option in value.split(|byte| *byte == b',') {
            let option = option.trim_ascii();
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }
}

fn once<T>(slot: &mut Option<T>, value: T, name: &str) -> Result<(), Malformed> {
    if slot.replace(value).is_some() {
        return Err(bad(format!("The {name} header may be sent only once.")));
    }
    Ok(())
}

/// The index of the Host header. HTTP/1.1 requires it. An invalid host is always refused.
fn judge_host(fields: &Fields<'_>, version: u8) -> Result<Option<usize>, Malformed> {
    match fields.host {
        Some((at, value)) if is_authority(value) => Ok(Some(at)),
        Some(_) => Err(bad(
            "The Host header must hold one host name, with a port or without.",
        )),
        None if version == 0 => Ok(None),
        None => Err(bad("The Host header is missing.")),
    }
}

/// Removes the authority from a request target, if present.
fn split_target<'t>(
    method: &str,
    target: &'t str,
) -> Result<(Option<&'t str>, &'t str), Malformed> {
    if !target
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'#')
    {
        return Err(bad(
            "The request target may contain only visible ASCII characters and no `#`; percent-encode the others.",
        ));
    }
    if target.starts_with('/') || target == "*" && method == "OPTIONS" {
        return Ok((None, target));
    }
    let absolute = target
        .split_at_checked("http://".len())
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("http://"));
    if let Some((_, rest)) = absolute {
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if is_authority(authority.as_bytes()) {
            match path.as_bytes().first() {
                Some(b'/') => return Ok((Some(authority), path)),
                None => return Ok((Some(authority), "/")),
                // A query without a path. No client sends this, and the target would have to be rebuilt.
                Some(_) => {}
            }
        }
    }
    Err(bad(
        "The request target must be a path that begins with `/`.",
    ))
}

/// Whether the text has only the characters of a host with an optional port, without user information.
fn is_authority(text: &[u8]) -> bool {
    !text.is_empty()
        && text
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:[]".contains(byte))
}

fn has_bare_line_feed(head: &[u8]) -> bool {
    // No early exit, so that the compiler can vectorize it.
    head.first() == Some(&b'\n')
        || head.windows(2).fold(false, |is_head, pair| {
            is_head | (pair[0] != b'\r') & (pair[1] == b'\n')
        })
}

fn unreadable(error: Error, bytes: &[u8], limits: &Limits) -> Malformed {
    match error {
        Error::TooManyHeaders => Malformed::new(
            431,
            format!("More than the {} headers allowed.", limits.headers),
        ),
        Error::Version if names_other_version(bytes) => {
            Malformed::new(505, "Only HTTP/1.1 and HTTP/1.0 are supported.")
        }
        Error::Version => bad("The request line must end in HTTP/1.1."),
        Error::Token => bad("The request line must be a method, a target and HTTP/1.1."),
        Error::HeaderName => bad(
            "A header must begin with its name, at the beginning of its line and followed by a colon at once.",
        ),
        Error::HeaderValue => bad("A header value may not contain control characters."),
        Error::NewLine | Error::Status => bad("Every line of the head must end in CR LF."),
    }
}

/// Whether the request line ends in a well-formed but unsupported version.
fn names_other_version(bytes: &[u8]) -> bool {
    let line = bytes.trim_ascii_start();
    let line = line.split(|byte| *byte == b'\r').next().unwrap_or(line);
    let mut words = line.split(|byte| *byte == b' ').skip(2);
    let (Some(version), None) = (words.next(), words.next()) else {
        return false;
    };
    version
        .strip_prefix(b"HTTP/")
        .is_some_and(|number| match number {
            [major] => major.is_ascii_digit(),
            [major, b'.', minor] => major.is_ascii_digit() && minor.is_ascii_digit(),
            _ => false,
        })
}

fn bad(detail: impl Into<String>) -> Malformed {
    Malformed::new(400, detail)
}

#[cfg(test)]
mod tests;
