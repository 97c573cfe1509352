//! Enums that are texts in the API and the database: the only place where such an enum gets its names, its JSON and its schema.

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use std::fmt;

/// Defines an enum whose values have names. `ALL` has them in the order of the definition. The comments are the description in
/// the OpenAPI document; `as` gives another name there, `default` says which value is the default.
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident $(as $shown:ident)? $(default $default:ident)? {
            $($(#[doc = $about:literal])* $variant:ident = $text:literal),+ $(,)?
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $($(#[doc = $about])* $variant,)+
        }

        impl $name {
            /// Every value.
            pub const ALL: [$name; [$($text),+].len()] = [$($name::$variant),+];

            /// The name in the API and the database.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)+
                }
            }

            /// The value with that name, in its exact spelling.
            pub fn parse(name: &str) -> Option<$name> {
                $name::ALL.into_iter().find(|known| known.name() == name)
            }
        }

        $(impl Default for $name {
            fn default() -> $name {
                $name::$default
            }
        })?

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                $crate::domain::words::read(from, &[$($text),+], $name::parse)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $crate::domain::words::first(&[$(stringify!($shown),)? stringify!($name)]).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let words = [$(($text, concat!($($about),*))),+];
                let description = $crate::domain::words::description(concat!($($doc),*), &words);
                schemars::json_schema!({ "type": "string", "enum": [$($text),+], "description": description })
            }
        }
    };
}

pub(crate) use words;

pub(crate) fn first<'a>(names: &[&'a str]) -> &'a str {
    names[0]
}

/// The description in the OpenAPI document: the enum's, then each value's that has one.
pub(crate) fn description(of_all: &str, words: &[(&str, &str)]) -> String {
    let mut text = of_all.trim().to_owned();
    for (word, about) in words.iter().filter(|(_, about)| !about.is_empty()) {
        text.push_str(&format!("\n- `{word}`:{about}"));
    }
    text
}

/// Deserializes one of the words. The reader that serde derives reports a wrong type as malformed JSON and loses the path; this
/// one lists the accepted words.
pub(crate) fn read<'de, D: Deserializer<'de>, T>(
    from: D,
    words: &[&str],
    parse: fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    from.deserialize_any(Words(words, parse))
}

struct Words<'a, T>(&'a [&'a str], fn(&str) -> Option<T>);

impl<T> Visitor<'_> for Words<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let quoted: Vec<String> = self.0.iter().map(|word| format!("`{word}`")).collect();
        match quoted.as_slice() {
            [only] => f.write_str(only),
            _ => write!(f, "one of {}", quoted.join(" ")),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        let unknown = || E::invalid_value(Unexpected::Str(text), &self);
        (self.1)(text).ok_or_else(unknown)
    }
}
