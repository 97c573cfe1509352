//! Unknown members of request bodies and unknown query parameters are refused, so that a misspelt name has an error. The refusal
//! suggests the nearest known name.

use crate::domain::fault::Fault;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::zones::shown;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// An object in a request body. Its own members are the fields of the type.
pub trait Strict: for<'de> Deserialize<'de> {
    /// The resource that the object creates or changes. A request may repeat the members that the resource shows, with any value,
    /// so that a body that was read can be sent back.
    type Shown: JsonSchema + 'static;
}

/// Declares objects of request bodies, each with the resource whose members it may repeat: `A => B`. `A` alone repeats
/// nothing.
macro_rules! strict {
    ($($name:ident $(=> $shown:ty)?),+ $(,)?) => {
        $(impl $crate::wire::strict::Strict for $name {
            type Shown = $crate::wire::strict::strict!(@ $($shown)?);
        })+
    };
    (@ $shown:ty) => { $shown };
    (@) => { () };
}
pub(crate) use strict;

/// Reads an object from its members, and refuses the first one that is neither a field of `T` nor shown by its resource.
///
/// # Errors
/// Those of the members. An unknown one begins with [`UNKNOWN`].
pub(super) fn read<'de, T: Strict, A: MapAccess<'de>>(members: A) -> Result<T, A::Error> {
    T::deserialize(Object {
        members,
        shown: members_of::<T::Shown>,
    })
}

/// The prefix of an error about an unknown member, followed by its name, the end of a line and an advice.
pub(super) const UNKNOWN: &str = "unknown member ";

/// An object that is read as a struct, for which serde provides the names of the fields.
struct Object<A> {
    members: A,
    shown: fn() -> Arc<[String]>,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for Object<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, A::Error> {
        Err(A::Error::custom("objects of requests are read as structs"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_map(Members {
            members: self.members,
            fields,
            shown: self.shown,
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Members that are checked to be known.
struct Members<A> {
    members: A,
    fields: &'static [&'static str],
    shown: fn() -> Arc<[String]>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Some(name) = self.members.next_key::<String>()? else {
            return Ok(None);
        };
        let is_field = self.fields.contains(&name.as_str());
        if !is_field && !(self.shown)().contains(&name) {
            let (name, advice) = unknown(&name, self.fields, "this object takes no members");
            return Err(A::Error::custom(format_args!("{UNKNOWN}{name}\n{advice}")));
        }
        let name: StringDeserializer<A::Error> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.members.next_value_seed(seed)
    }
}

/// The members of a resource, by its schema.
pub fn members_of<T: JsonSchema + 'static>() -> Arc<[String]> {
    static MEMBERS: LazyLock<Mutex<HashMap<TypeId, Arc<[String]>>>> = LazyLock::new(Mutex::default);
    let mut known = MEMBERS.lock().unwrap_or_else(PoisonError::into_inner);
    let members = known.entry(TypeId::of::<T>()).or_insert_with(|| {
        let generator = SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator();
        let schema = generator.into_root_schema_for::<T>();
        let members = schema.get("properties").and_then(|all| all.as_object());
        members
            .into_iter()
            .flat_map(|all| all.keys().cloned())
            .collect()
    });
    Arc::clone(members)
}

/// Refuses a query with an unknown parameter.
///
/// # Errors
/// [`Refusal::Invalid`] naming the parameter.
pub fn check_query(pairs: &[(String, String)], known: &[&str]) -> Result<(), Refusal> {
    let is_known = |(name, _): &&(String, String)| known.contains(&name.as_str());
    match pairs.iter().find(|pair| !is_known(pair)) {
        None => Ok(()),
        Some((name, _)) => {
            let (name, advice) = unknown(name, known, "this route takes no query parameters");
            invalid(name, Fault::Unknown(advice))
        }
    }
}

/// The length of an unknown name in a refusal, in characters.
const SHOWN: usize = 60;

/// An unknown name, shortened, and the advice `did you mean timeZone?` Lists all known names if none is near, or
/// returns `none` if there are none.
fn unknown(name: &str, known: &[&str], none: &str) -> (String, String) {
    let start: String = name.chars().take(SHOWN).map(shown).collect();
    let more = if name.chars().nth(SHOWN).is_some() {
        "..."
    } else {
        ""
    };
    let advice = match nearest(name, known) {
        Some(near) => format!("did you mean {near}?"),
        None if known.is_empty() => none.to_owned(),
        None => format!("known are {}", known.join(", ")),
    };
    (format!("{start}{more}"), advice)
}

/// The known name that was probably meant, case-insensitive: at most a third of the letters differ.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let letters = name.chars().count();
    if letters > SHOWN {
        return None;
    }
    let name = name.to_lowercase();
    let distance = |known: &str| strsim::osa_distance(&name, &known.to_lowercase());
    let near = known.iter().map(|known| (distance(known), *known));
    let (distance, near) = near.min_by_key(|(distance, _)| *distance)?;
    let longest = letters.max(near.chars().count());
    (3 * distance <= longest).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let known = ["description", "timeZone", "pageSize", "userIds", "q"];
        for (name, near) in [
            ("descripton", Some("description")),
            ("timezone", Some("timeZone")),
            ("TIME_ZONE", Some("timeZone")),
            ("page_size", Some("pageSize")),
            ("userId", Some("userIds")),
            ("usreIds", Some("userIds")),
            ("Q", Some("q")),
            ("x", None),
            ("", None),
            ("colour", None),
            (&"q".repeat(10_000), None),
        ] {
            assert_eq!(nearest(name, &known), near, "{name}");
        }
        assert_eq!(nearest("q", &[]), None);
    }

    #[test]
    fn refusals_repeat_little_of_what_was_sent() {
        for (name, known, expected) in [
            ("nme", &["name"][..], "nme: unknown; did you mean name?"),
            (
                "a\nb",
                &["q", "sort"],
                "a\u{fffd}b: unknown; known are q, sort",
            ),
            ("a", &[], "a: unknown; none here"),
        ] {
            let (name, advice) = unknown(name, known, "none here");
            assert_eq!(format!("{name}: unknown; {advice}"), expected);
        }
        let (long, advice) = unknown(&"é".repeat(1_000), &["q"], "");
        let start = "é".repeat(SHOWN);
        assert_eq!(
            format!("{long}: unknown; {advice}"),
            format!("{start}...: unknown; known are q")
        );
    }
}
