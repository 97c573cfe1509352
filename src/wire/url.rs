//! Request targets: path segments and query parameters, each decoded alone (RFC 3986).

use std::borrow::Cow;

/// The path and the query of a request target.
pub fn split(target: &str) -> (&str, &str) {
    target.split_once('?').unwrap_or((target, ""))
}

/// The segments of a raw path, still percent-encoded. Each is decoded alone, so that `%2F` never separates segments. `None`
/// if the path does not begin with `/`.
pub fn segments(path: &str) -> Option<Vec<&str>> {
    Some(path.strip_prefix('/')?.split('/').collect())
}

/// Decodes a path segment; `None` if it is not valid percent-encoded UTF-8.
pub fn decode(segment: &str) -> Option<Cow<'_, str>> {
    if !segment.contains('%') {
        return Some(Cow::Borrowed(segment));
    }
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hexadecimal(rest.next()?)? << 4 | hexadecimal(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// A text as one segment of a path. [`decode`] restores it.
pub fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// Query parameters with `+` and percent-encoding decoded; `None` if one is invalid.
pub fn parameters(query: &str) -> Option<Vec<(String, String)>> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let read = |text: &str| Some(decode(&text.replace('+', " "))?.into_owned());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((read(name)?, read(value)?))
    };
    pairs.map(pair).collect()
}

/// Where a path leads.
pub enum RouteMatch<'a> {
    /// To the row with this index, with what it has in the place of each parameter.
    Row(usize, Vec<(&'static str, Cow<'a, str>)>),
    /// To rows for these methods alone.
    OtherMethod(String),
    Nothing,
}

/// Finds the raw segments of a path among rows of a method and a pattern. Literal segments match byte for byte, because a proxy that
/// restricts a path compares bytes too. Only parameters are decoded. `HEAD` matches `GET`; the server omits the body.
pub fn find<'a>(
    rows: impl Iterator<Item = (&'static str, &'static str)>,
    method: &str,
    segments: &[&'a str],
) -> RouteMatch<'a> {
    let method = if method == "HEAD" { "GET" } else { method };
    let mut allowed = Vec::new();
    for (index, (known, pattern)) in rows.enumerate() {
        let Some(parts) = matched(pattern, segments) else {
            continue;
        };
        if known == method {
            return RouteMatch::Row(index, parts);
        }
        if !allowed.contains(&known) {
            allowed.push(known);
        }
    }
    if allowed.is_empty() {
        return RouteMatch::Nothing;
    }
    if allowed.contains(&"GET") {
        allowed.push("HEAD");
    }
    RouteMatch::OtherMethod(allowed.join(", "))
}

/// The names of the parameters of a pattern, and `None` for each literal segment.
pub fn pieces(pattern: &'static str) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let name = |piece: &'static str| piece.strip_prefix('{')?.strip_suffix('}');
    pattern
        .split('/')
        .skip(1)
        .map(move |piece| (piece, name(piece)))
}

/// The values of the parameters, none of them empty; `None` if the path is another one, or a value is not valid percent-encoded
/// UTF-8, which no id is.
fn matched<'a>(
    pattern: &'static str,
    segments: &[&'a str],
) -> Option<Vec<(&'static str, Cow<'a, str>)>> {
    let mut given = segments.iter();
    let mut parts = Vec::new();
    for (piece, name) in pieces(pattern) {
        let segment = *given.next()?;
        match name {
            Some(name) => parts.push((name, decode(segment).filter(|part| !part.is_empty())?)),
            None if piece == segment => {}
            None => return None,
        }
    }
    given.next().is_none().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_stay_encoded() {
        for (path, expected) in [
            ("/v1/rotations", Some("v1|rotations")),
            ("/v1/a%2Fb", Some("v1|a%2Fb")),
            ("/v1/", Some("v1|")),
            ("/v1//x", Some("v1||x")),
            ("/%", Some("%")),
            ("v1", None),
            ("*", None),
        ] {
            let read = segments(path).map(|segments| segments.join("|"));
            assert_eq!(read.as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn a_segment_is_decoded_once() {
        for (segment, expected) in [
            ("rotations", Some("rotations")),
            ("a%2Fb", Some("a/b")),
            ("%72ot", Some("rot")),
            ("%2572", Some("%72")),
            ("", Some("")),
            ("a+b", Some("a+b")),
            ("%C3%A5", Some("\u{e5}")),
            ("%c3", None),
            ("%", None),
            ("%2", None),
            ("%zz", None),
            ("%+1", None),
        ] {
            assert_eq!(decode(segment).as_deref(), expected, "{segment}");
        }
    }

    #[test]
    fn parameters_decode_plus_and_percent() {
        let read = |query| {
            let pairs = parameters(query)?;
            let text: Vec<_> = pairs
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            Some(text.join("|"))
        };
        for (query, expected) in [
            ("", Some("")),
            ("a=1&b=2", Some("a=1|b=2")),
            ("a=x+y%2Bz", Some("a=x y+z")),
            ("a&b=", Some("a=|b=")),
            ("&&a=1=2", Some("a=1=2")),
            ("a=%ff", None),
            ("%=1", None),
        ] {
            assert_eq!(read(query).as_deref(), expected, "{query}");
        }
    }
}
