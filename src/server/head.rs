//! A request's head: bytes to [`Head`], or to the answer that refuses them. Pure.
//!
//! httparse finds the parts. Added here is what it lets pass and two servers in a row could read differently: lines
//! that end in a bare line feed, two lengths, a missing or second Host.

use std::mem::MaybeUninit;

use httparse::{Error, Status};

use super::body::Framing;
use super::{Limits, Malformed};

/// The most headers that any limit allows; their places are on the stack.
const HEADERS: usize = 128;

/// What the connection does after the answer, as far as the client has a say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persistence {
    Close,
    KeepAlive,
    /// An HTTP/1.0 client asked to keep it; it has to be told that we do.
    Asked,
}

#[derive(Debug)]
pub(super) struct Head {
    pub(super) method: String,
    /// The raw target; of an absolute one the part after the authority.
    pub(super) target: String,
    /// As received, but Host is the authority of an absolute target.
    pub(super) headers: Vec<(String, String)>,
    pub(super) framing: Framing,
    pub(super) persistence: Persistence,
    /// HTTP/1.1, so that an answer may come in chunks.
    pub(super) modern: bool,
    /// The client holds its body back until it is told to go on.
    pub(super) expects_continue: bool,
}

/// Reads the head at the beginning of `bytes`; with it comes its length. `None` while it is incomplete.
///
/// # Errors
/// Everything that must not reach a handler; the connection cannot be used any more then, as nobody knows where the
/// next request would begin.
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
        // Bytes beyond ASCII are allowed and opaque; ours are text, so what is no UTF-8 is marked as such.
        let value = String::from_utf8_lossy(header.value).into_owned();
        headers.push((header.name.to_owned(), value));
    }
    if let Some(authority) = authority {
        match host {
            Some(at) => headers[at].1 = authority.to_owned(),
            None => headers.push(("Host".to_owned(), authority.to_owned())),
        }
    }

    let modern = version == 1;
    if !modern && fields.transfer_encoding.is_some() {
        return Err(bad("HTTP/1.0 has no Transfer-Encoding."));
    }
    let framing = Framing::of(
        fields.content_length,
        fields.transfer_encoding,
        limits.body_bytes,
    )?;
    let expects_continue = match fields.expect {
        Some(expectation) if modern => {
            if !expectation.eq_ignore_ascii_case(b"100-continue") {
                return Err(Malformed::new(
                    417,
                    "The only expectation met is `100-continue`.",
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
        modern,
        persistence: match (fields.close, modern, fields.keep_alive) {
            (true, _, _) | (false, false, false) => Persistence::Close,
            (false, true, _) => Persistence::KeepAlive,
            (false, false, true) => Persistence::Asked,
        },
        expects_continue,
    };
    Ok(Some((head, length)))
}

/// The headers that this layer acts on.
#[derive(Default)]
struct Fields<'a> {
    /// Its place and value.
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
            // Most headers are none of these, and their length says so.
            match header.name.len() {
                4 if is("host") => once(&mut fields.host, (at, header.value), "Host")?,
                6 if is("expect") => once(&mut fields.expect, header.value, "Expect")?,
                10 if is("connection") => fields.connection(header.value),
                14 if is("content-length") => {
                    once(&mut fields.content_length, header.value, "Content-Length")?;
                }
                17 if is("transfer-encoding") => {
                    if fields.transfer_encoding.is_some() {
                        // Two codings are a list of two, and that is none we know.
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

fn once<T>(place: &mut Option<T>, value: T, name: &str) -> Result<(), Malformed> {
    if place.replace(value).is_some() {
        return Err(bad(format!("The {name} header may be sent only once.")));
    }
    Ok(())
}

/// The place of the Host header. Required since HTTP/1.1, and never with a value that is no host.
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

/// Takes the authority, if there is one, off a request target.
fn split_target<'t>(
    method: &str,
    target: &'t str,
) -> Result<(Option<&'t str>, &'t str), Malformed> {
    if !target
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'#')
    {
        return Err(bad(
            "The request target may hold only visible ASCII characters and no `#`; percent-encode the others.",
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
                // A query without a path: nobody sends it, and it would have to be put together.
                Some(_) => {}
            }
        }
    }
    Err(bad(
        "The request target must be a path that begins with `/`.",
    ))
}

/// A host with an optional port, by its characters; no user information.
fn is_authority(text: &[u8]) -> bool {
    !text.is_empty()
        && text
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:[]".contains(byte))
}

fn has_bare_line_feed(head: &[u8]) -> bool {
    // No early end, so that the compiler can look at many bytes at a time.
    head.first() == Some(&b'\n')
        || head.windows(2).fold(false, |bare, pair| {
            bare | (pair[0] != b'\r') & (pair[1] == b'\n')
        })
}

fn unreadable(error: Error, bytes: &[u8], limits: &Limits) -> Malformed {
    match error {
        Error::TooManyHeaders => Malformed::new(
            431,
            format!("More than the {} headers allowed.", limits.headers),
        ),
        Error::Version if names_other_version(bytes) => {
            Malformed::new(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
        }
        Error::Version => bad("The request line must end in HTTP/1.1."),
        Error::Token => bad("The request line must be a method, a target and HTTP/1.1."),
        Error::HeaderName => bad(
            "A header must begin with its name, at the beginning of its line and followed by a colon at once.",
        ),
        Error::HeaderValue => bad("A header value may not hold control characters."),
        Error::NewLine | Error::Status => bad("Every line of the head must end in CR LF."),
    }
}

/// Whether the request line ends in a well-formed version, only not one of ours.
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
