//! Enums that are strings on the wire, such as weekdays.

/// Defines an enum whose values are strings on the wire. The reader that serde derives reports a wrong type as malformed
/// JSON and loses the path; this one lists the accepted strings.
macro_rules! words {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $about:literal])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $about])* $variant,)+
        }

        impl $name {
            const WORDS: &'static [(&'static str, $name)] = &[$(($text, $name::$variant)),+];

            /// The string on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)+
                }
            }

            /// Parses a string in its exact spelling.
            pub fn parse(text: &str) -> Option<$name> {
                $crate::wire::words::find($name::WORDS, text)
            }

            /// The accepted strings in backticks, for refusals.
            pub fn choices() -> String {
                $crate::wire::words::choices($name::WORDS)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                $crate::wire::words::read(from, $name::WORDS)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let words = [$(($text, concat!($($about),*))),+];
                let description = $crate::wire::words::description(concat!($($doc),*), &words);
                schemars::json_schema!({ "type": "string", "enum": [$($text),+], "description": description })
            }
        }
    };
}

/// Defines a wrapper for a domain value that is serialized as its name. The names are defined once, in the domain.
macro_rules! names {
    ($(#[doc = $doc:literal])* $name:ident($of:ty) of $all:expr) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(pub $of);

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.0.name())
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let names: Vec<&str> = $all.into_iter().map(<$of>::name).collect();
                let description = concat!($($doc),*).trim();
                schemars::json_schema!({ "type": "string", "enum": names, "description": description })
            }
        }
    };
}

/// Gives a type that is one JSON value an inline schema.
macro_rules! inline_schema {
    ($name:ident, $schema:tt) => {
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

pub(super) use {inline_schema, names, words};

use super::body;
use serde::de::Unexpected;

/// Finds the value of a string.
pub(super) fn find<T: Copy>(words: &[(&str, T)], text: &str) -> Option<T> {
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| *value)
}

/// Lists the strings in backticks, after `one of`.
pub(super) fn choices<T>(words: &[(&str, T)]) -> String {
    let quoted: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", quoted.join(" ")),
    }
}

/// The description in the OpenAPI document: the enum's, then each value's that has one.
pub(super) fn description(of_all: &str, words: &[(&str, &str)]) -> String {
    let mut text = of_all.trim().to_owned();
    for (word, about) in words.iter().filter(|(_, about)| !about.is_empty()) {
        text.push_str(&format!("\n- `{word}`:{about}"));
    }
    text
}

/// Deserializes one of the strings.
pub(super) fn read<'de, D: serde::Deserializer<'de>, T: Copy>(
    from: D,
    words: &[(&str, T)],
) -> Result<T, D::Error> {
    body::read_text(from, &choices(words), |text| {
        find(words, text).ok_or_else(|| body::member(Unexpected::Str(text), &choices(words)))
    })
}
