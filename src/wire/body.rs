//! Parses request bodies. Every refusal names the member by its path and says what to send.

use super::strict::{self, Strict};
use crate::domain::fault::Fault;
use crate::domain::refusal::Refusal;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use std::fmt;
use std::marker::PhantomData;

/// Reads a JSON object.
///
/// # Errors
/// [`Refusal::Invalid`] for an empty body, malformed JSON, a missing or unknown member, or a member of the wrong type.
pub fn parse<T: Strict>(bytes: &[u8]) -> Result<T, Refusal> {
    if is_blank(bytes) {
        return invalid("", "the body is empty; send a JSON object");
    }
    read::<Object<T>>(bytes).map(|Object(value)| value)
}

/// Like [`parse`], but an absent body or `null` reads as the default.
///
/// # Errors
/// As [`parse`].
pub fn parse_optional<T: Strict + Default>(bytes: &[u8]) -> Result<T, Refusal> {
    if is_blank(bytes) {
        return Ok(T::default());
    }
    let object = read::<Option<Object<T>>>(bytes)?;
    Ok(object.map(|Object(value)| value).unwrap_or_default())
}

pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    if is_too_deep(bytes) {
        return invalid(
            "",
            format!("the body is nested deeper than {DEPTH} levels; send a flatter one"),
        );
    }
    // Checks the whole body: serde does not decode the text of shown members, which it skips.
    let Ok(text) = std::str::from_utf8(bytes) else {
        return invalid("", "the body is not UTF-8; send JSON in UTF-8");
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut reader).or_else(|error| refused(&error))?;
    reader.end().or_else(|error| malformed(&error))?;
    Ok(value)
}

/// The deepest nesting of lists and objects that a body may have. The API needs far less, and the limit protects recursive
/// readers.
const DEPTH: usize = 64;

/// Whether lists and objects are nested deeper than [`DEPTH`], skipped members included.
fn is_too_deep(bytes: &[u8]) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return true;
        }
    }
    false
}

/// Whether the body is empty or only whitespace.
pub fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

pub use crate::domain::refusal::invalid;

fn malformed<T>(error: &serde_json::Error) -> Result<T, Refusal> {
    invalid(
        "",
        format!("the body is not well-formed JSON: {error}; send one JSON value"),
    )
}

fn refused<T>(error: &serde_path_to_error::Error<serde_json::Error>) -> Result<T, Refusal> {
    let path = match error.path().to_string() {
        root if root == "." => String::new(),
        path => path,
    };
    if error.inner().classify() != Category::Data {
        let overflows = error.inner().to_string().starts_with("number out of range");
        return match path.is_empty() {
            false if overflows => invalid(path, "the number is far too large; send a smaller one"),
            _ => malformed(error.inner()),
        };
    }
    let (path, fault) = explain(path, &error.inner().to_string());
    invalid(path, fault)
}

/// Rewrites a serde error about one member: its path, and what to send.
fn explain(path: String, message: &str) -> (String, Fault) {
    let message = match message.rfind(" at line ") {
        Some(end) => &message[..end],
        None => message,
    };
    let quoted = |prefix: &str| message.strip_prefix(prefix)?.strip_suffix('`');
    let below = |member: &str| match path.as_str() {
        "" => member.to_owned(),
        path => format!("{path}.{member}"),
    };
    let unknown = message.strip_prefix(strict::UNKNOWN);
    if let Some((member, advice)) = unknown.and_then(|unknown| unknown.split_once('\n')) {
        return (below(member), Fault::Unknown(advice.to_owned()));
    }
    if let Some(member) = quoted("missing field `") {
        return (below(member), "missing; it is required".into());
    }
    if let Some(member) = quoted("duplicate field `") {
        return (below(member), "sent twice; send it once".into());
    }
    let fault = match message.rsplit_once(", expected ") {
        Some((found, expected)) => {
            let found = found.split_once(": ").map_or(found, |(_, found)| found);
            Fault::Mistyped {
                expected: plain(expected).to_owned(),
                found: shortened(found).into_owned(),
            }
        }
        None if path.is_empty() => format!("the body: {message}").into(),
        None => message.into(),
    };
    (path, fault)
}

/// Shortens what was sent, so that the detail stays readable.
fn shortened(found: &str) -> std::borrow::Cow<'_, str> {
    let found = match found {
        "sequence" => "a list",
        "map" => "an object",
        other => other,
    };
    const SHOWN: usize = 60;
    match found.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &found[..end]).into(),
        None => found.into(),
    }
}

/// Translates serde's type names to JSON's.
fn plain(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        other => other,
    }
}

/// Deserializes only from a JSON object whose members are known. The readers that serde derives also accept a list of the
/// members' values, and skip unknown members.
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Strict> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Object<T>, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Strict> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                strict::read(members)
            }
        }
        from.deserialize_map(Members(PhantomData)).map(Object)
    }
}

/// Deserializer for members that are an object.
///
/// # Errors
/// Those of the object's members, or a wrong type.
pub fn object<'de, D: Deserializer<'de>, T: Strict>(from: D) -> Result<T, D::Error> {
    Object::deserialize(from).map(|Object(value)| value)
}

/// Deserializer for members that are a list of objects.
///
/// # Errors
/// As [`object`].
pub fn objects<'de, D: Deserializer<'de>, T: Strict>(from: D) -> Result<Vec<T>, D::Error> {
    let objects = Vec::<Object<T>>::deserialize(from)?;
    Ok(objects.into_iter().map(|Object(value)| value).collect())
}

/// Deserializer for optional members that are an object and not null.
///
/// # Errors
/// As [`object`].
pub fn present_object<'de, D: Deserializer<'de>, T: Strict>(
    from: D,
) -> Result<Option<T>, D::Error> {
    object(from).map(Some)
}

/// Deserializer for optional members that are an object or null.
///
/// # Errors
/// As [`object`].
pub fn nullable_object<'de, D: Deserializer<'de>, T: Strict>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let sent = Option::<Object<T>>::deserialize(from)?;
    Ok(sent.map(|Object(value)| value))
}

/// Deserializer for optional members that are a list of objects and not null.
///
/// # Errors
/// As [`object`].
pub fn present_objects<'de, D: Deserializer<'de>, T: Strict>(
    from: D,
) -> Result<Option<Vec<T>>, D::Error> {
    objects(from).map(Some)
}

/// Deserializer for optional members that must not be null.
///
/// # Errors
/// Those of the value's type; `null` is a wrong type.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// Deserializer for patch members that `null` clears. The outer `Option` is `None` if the member is absent.
///
/// # Errors
/// Those of the value's type.
pub fn clearable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(from).map(Some)
}

/// Deserializer for patch members that are an object or `null`, which clears them.
///
/// # Errors
/// As [`object`].
pub fn clearable_object<'de, D: Deserializer<'de>, T: Strict>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    nullable_object(from).map(Some)
}

/// Deserializer for required members that may be `null`.
///
/// # Errors
/// Those of the value's type.
pub fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Option::<T>::deserialize(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::detail;
    use crate::wire::int32::Int32;
    use crate::wire::strict::strict;
    use schemars::JsonSchema;
    use serde::Serialize;

    strict!(Inner, Outer => Shown);

    /// What the resource of [`Outer`] shows.
    #[derive(Serialize, JsonSchema)]
    struct Shown {
        id: String,
        more: Option<String>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Inner {
        roster_id: Option<String>,
        #[serde(default, deserialize_with = "present")]
        period: Option<Int32>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    struct Outer {
        name: String,
        #[serde(default, deserialize_with = "objects")]
        cells: Vec<Inner>,
        #[serde(default, deserialize_with = "clearable")]
        code: Option<Option<String>>,
    }

    fn refused(body: &str) -> String {
        detail(&parse::<Outer>(body.as_bytes()).expect_err(body))
    }

    #[test]
    fn refusals_name_the_member_and_what_to_send() {
        for (body, detail) in [
            ("", "the body is empty; send a JSON object"),
            (" \n", "the body is empty; send a JSON object"),
            ("{}", "name: missing; it is required"),
            ("[]", "the body: send an object, not a list"),
            (r#"["a"]"#, "the body: send an object, not a list"),
            ("null", "the body: send an object, not null"),
            (r#"{"name":null}"#, "name: send a string, not null"),
            (r#"{"name":7}"#, "name: send a string, not integer `7`"),
            (
                r#"{"name":"a","name":"b"}"#,
                "name: sent twice; send it once",
            ),
            (
                r#"{"name":"a","cells":{}}"#,
                "cells: send a list, not an object",
            ),
            (
                r#"{"name":"a","cells":[{},{"period":null}]}"#,
                "cells[1].period: send a whole number of at most 32 bits, not null",
            ),
            (
                r#"{"name":"a","cells":[{"period":"1.5"}]}"#,
                "cells[0].period: send a whole number of at most 32 bits, not string \"1.5\"",
            ),
            (
                r#"{"name":"a","cells":[{"rosterId":7}]}"#,
                "cells[0].rosterId: send a string, not integer `7`",
            ),
        ] {
            assert_eq!(refused(body), detail, "{body}");
        }
        let huge = "9".repeat(400);
        for (body, path) in [
            (format!(r#"{{"name":{huge}}}"#), "name: "),
            (
                format!(r#"{{"name":"a","cells":[{{}},{{"period":-{huge}}}]}}"#),
                "cells[1].period: ",
            ),
            (
                r#"{"name":"a","cells":[{"period":1e999}]}"#.into(),
                "cells[0].period: ",
            ),
        ] {
            let detail = refused(&body);
            assert!(detail.starts_with(path), "{detail}");
        }
        for body in ["{", "{\"name\":\"a\"} x", "{\"name\":}", "nul", "\u{1}"] {
            assert!(refused(body).contains("not well-formed JSON"), "{body}");
        }
    }

    #[test]
    fn unknown_members_are_refused() {
        for (body, detail) in [
            (
                r#"{"name":"a","nmae":1}"#,
                "nmae: unknown; did you mean name?",
            ),
            (
                r#"{"colour":1}"#,
                "colour: unknown; known are name, cells, code",
            ),
            (
                r#"{"name":"a","cells":[{},{"rosterid":null}]}"#,
                "cells[1].rosterid: unknown; did you mean rosterId?",
            ),
            (
                r#"{"name":"a","cells":[{"more":1}]}"#,
                "cells[0].more: unknown; known are rosterId, period",
            ),
            (r#"{"":1}"#, ": unknown; known are name, cells, code"),
            (
                r#"{"a at line 7":1}"#,
                "a at line 7: unknown; known are name, cells, code",
            ),
        ] {
            assert_eq!(refused(body), detail, "{body}");
        }
    }

    #[test]
    fn shown_members_are_skipped_if_the_body_is_utf8() {
        for more in ["1e999", r#""\ud800""#, r#"{"more":[-1E+999]}"#] {
            let body = format!(r#"{{"name":"a","more":{more}}}"#);
            assert!(parse::<Outer>(body.as_bytes()).is_ok(), "{body}");
        }
        for body in [
            &b"{\"name\":\"a\",\"more\":\"\xff\"}"[..],
            b"{\"name\":\"\xff\"}",
            b"\xff\xfe{\0}\0",
        ] {
            let detail = detail(&parse::<Outer>(body).unwrap_err());
            assert!(detail.contains("UTF-8"), "{detail}");
        }
    }

    #[test]
    fn depth_is_bounded_everywhere() {
        let nested = |depth: usize| {
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            format!(r#"{{"name":"[[\\\"[","more":{open}"[{{"{close}}}"#)
        };
        assert!(parse::<Outer>(nested(63).as_bytes()).is_ok());
        for depth in [64, 100_000] {
            assert!(refused(&nested(depth)).contains("deeper than 64"));
        }
    }

    #[test]
    fn absent_null_and_shown_members() {
        let read = |body: &str| parse::<Outer>(body.as_bytes()).unwrap();
        assert_eq!(read(r#"{"name":"a","more":[1]}"#).code, None);
        assert_eq!(read(r#"{"name":"a","code":null}"#).code, Some(None));
        assert_eq!(
            read(r#"{"name":"a","code":"x"}"#).code,
            Some(Some("x".into()))
        );
        assert_eq!(parse_optional::<Outer>(b"null"), Ok(Outer::default()));
        assert_eq!(parse_optional::<Outer>(b" "), Ok(Outer::default()));
        assert!(parse_optional::<Outer>(b"7").is_err());
    }
}
