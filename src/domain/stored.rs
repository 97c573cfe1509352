//! Leaf values that the database has as numbers, for serde's `with`.

use jiff::civil::Weekday;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

/// A value that is stored as another one.
pub trait Stored: Sized {
    type As: Serialize + DeserializeOwned;

    fn stored(&self) -> Self::As;

    fn read(stored: Self::As) -> Result<Self, jiff::Error>;
}

/// From 1, which is Monday.
impl Stored for Weekday {
    type As = i8;

    fn stored(&self) -> i8 {
        self.to_monday_one_offset()
    }

    fn read(number: i8) -> Result<Weekday, jiff::Error> {
        Weekday::from_monday_one_offset(number)
    }
}

impl<T: Stored> Stored for Option<T> {
    type As = Option<T::As>;

    fn stored(&self) -> Option<T::As> {
        self.as_ref().map(T::stored)
    }

    fn read(stored: Option<T::As>) -> Result<Option<T>, jiff::Error> {
        stored.map(T::read).transpose()
    }
}

impl<T: Stored> Stored for Vec<T> {
    type As = Vec<T::As>;

    fn stored(&self) -> Vec<T::As> {
        self.iter().map(T::stored).collect()
    }

    fn read(stored: Vec<T::As>) -> Result<Vec<T>, jiff::Error> {
        stored.into_iter().map(T::read).collect()
    }
}

pub fn serialize<T: Stored, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.stored().serialize(to)
}

pub fn deserialize<'de, T: Stored, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::read(T::As::deserialize(from)?).map_err(D::Error::custom)
}

/// A value in its stored form.
pub struct As<T>(pub T);

impl<T: Stored> Serialize for As<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, to)
    }
}

impl<'de, T: Stored> Deserialize<'de> for As<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<As<T>, D::Error> {
        deserialize(from).map(As)
    }
}

/// Structs that are stored as the list of their members: what to write, its type, and how it is read back.
macro_rules! listed {
    ($($name:ident: |$value:ident| $written:expr, $read:pat_param in $form:ty => $made:expr;)+) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let $value = self;
                serde::Serialize::serialize(&$written, to)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$name, D::Error> {
                let $read = <$form as serde::Deserialize>::deserialize(from)?;
                Ok($made)
            }
        }
    )+};
}

pub(crate) use listed;
