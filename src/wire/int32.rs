//! 32-bit integers in requests.

use crate::domain::limits::digits;
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An integer in a request: a JSON integer, or a string of digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Int32(pub i32);

impl schemars::JsonSchema for Int32 {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Int32".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A whole number: a JSON integer, or a string of digits.",
            "anyOf": [
                { "type": "integer", "format": "int32" },
                { "type": "string", "pattern": "^-?(0|[1-9][0-9]*)$" },
            ],
        })
    }
}

impl<'de> Deserialize<'de> for Int32 {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Int32, D::Error> {
        from.deserialize_any(Int32Visitor)
    }
}

struct Int32Visitor;

impl Visitor<'_> for Int32Visitor {
    type Value = Int32;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a whole number of at most 32 bits")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Int32, E> {
        let small = i32::try_from(value).map(Int32);
        small.map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Int32, E> {
        let small = i32::try_from(value).map(Int32);
        small.map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Int32, E> {
        digits(text)
            .map(Int32)
            .ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::Int32;
    use crate::wire::body::read;

    #[test]
    fn whole_numbers_are_integers_or_digits() {
        for (text, expected) in [
            ("7", Some(7)),
            ("-7", Some(-7)),
            ("\"7\"", Some(7)),
            ("\"-12\"", Some(-12)),
            ("\"0\"", Some(0)),
            ("\"-0\"", Some(0)),
            ("2147483647", Some(i32::MAX)),
            ("\"-2147483648\"", Some(i32::MIN)),
            ("2147483648", None),
            ("\"2147483648\"", None),
            ("18446744073709551615", None),
            ("\"01\"", None),
            ("\"+1\"", None),
            ("\"-\"", None),
            ("\"\"", None),
            ("\" 1\"", None),
            ("\"1.0\"", None),
            ("1.0", None),
            ("1e3", None),
            ("true", None),
            ("null", None),
            ("\"\u{0661}\"", None),
        ] {
            let read = read::<Int32>(text.as_bytes()).ok();
            assert_eq!(read, expected.map(Int32), "{text}");
        }
    }
}
