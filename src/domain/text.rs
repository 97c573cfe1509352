//! Leaf values that are one text in JSON.

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use std::fmt;

/// The error for a text that is no value. `expected` says what to send instead.
pub(crate) fn unexpected<E: Error>(text: &str, expected: &str) -> E {
    let found = Unexpected::Str(text);
    E::custom(format_args!("invalid value: {found}, expected {expected}"))
}

/// Reads a text and converts it. `expected` says what to send instead of another type: the readers that serde derives report a wrong
/// type as malformed JSON and lose the path.
pub(crate) fn read_text<'de, D: Deserializer<'de>, T>(
    from: D,
    expected: &str,
    make: impl FnOnce(&str) -> Result<T, D::Error>,
) -> Result<T, D::Error> {
    struct Text<'a, F>(&'a str, F);
    impl<T, Refused: Error, F: FnOnce(&str) -> Result<T, Refused>> Visitor<'_> for Text<'_, F> {
        type Value = Result<T, Refused>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok((self.1)(text))
        }
    }
    from.deserialize_any(Text(expected, make))?
}

/// The JSON of types that show and parse themselves, with what to send.
macro_rules! text {
    ($($name:ident = $expected:literal;)+) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                $crate::domain::text::read_text(from, $expected, |text| {
                    $name::parse(text).ok_or_else(|| $crate::domain::text::unexpected(text, $expected))
                })
            }
        }
    )+};
}

pub(crate) use text;
