//! Tables of settings. A table declares each of its settings once: name, type, how a value is read and checked, what it can look
//! like, and the default.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toml::Spanned;
use toml::de::DeValue;

/// A key of the config file with the variable that sets the same.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The table of the key; empty where it is in none.
    pub table: &'static str,
    pub key: &'static str,
    /// A value as it is written in the file.
    pub example: &'static str,
    /// Whether no message repeats its value.
    pub is_secret: bool,
}

impl Setting {
    /// `webhooks.ladder`.
    pub fn path(&self) -> String {
        match self.table {
            "" => self.key.to_owned(),
            table => format!("{table}.{}", self.key),
        }
    }

    /// `ROTA_WEBHOOKS_LADDER`.
    pub fn variable(&self) -> String {
        format!("ROTA_{}", self.path().replace('.', "_").to_uppercase())
    }

    /// The line of the file that sets it, as an example.
    pub fn line(&self) -> String {
        format!("{} = {}", self.key, self.example)
    }
}

/// What a layer gives for a setting.
pub(super) enum Given<'a> {
    /// The value of a variable.
    Text(OsString),
    /// The value in a file.
    Value(&'a Spanned<DeValue<'a>>),
}

/// Returns what a layer gives for a setting.
pub(super) type Layer<'a> = dyn Fn(&Setting) -> Option<Given<'a>> + 'a;

/// Why a value is refused.
pub(super) struct Refused {
    /// Where in the file the part of it is that does not fit.
    at: Option<usize>,
    pub(super) why: String,
}

impl Refused {
    /// At a part of the value, unless something within it is named.
    pub(super) fn within(self, part: &Spanned<DeValue>) -> Refused {
        Refused {
            at: self.at.or(Some(part.span().start)),
            ..self
        }
    }
}

impl From<String> for Refused {
    fn from(why: String) -> Refused {
        Refused { at: None, why }
    }
}

/// Which setting has a value that is refused, and why.
pub(super) struct Wrong {
    pub(super) setting: Setting,
    /// Where in the file the value is, in bytes.
    pub(super) at: usize,
    pub(super) why: String,
}

/// A table of settings, with the tables below it.
pub(super) trait Table {
    /// Lists the settings in the order of their declaration.
    fn settings(found: &mut Vec<Setting>);

    /// Takes what the layer gives. What it does not give stays.
    fn read(&mut self, layer: &Layer) -> Result<(), Wrong>;

    /// Lists the files that hold a secret each, with their settings.
    fn secret_files<'a>(&'a self, found: &mut Vec<(String, &'a Path)>);
}

/// The table, the key, and the key of the file that may hold the value instead.
pub(super) type Place = (&'static str, &'static str, &'static str);

/// How a field of a table is set.
pub(super) trait Spec<F> {
    fn settings(&self, _: Place, _: &mut Vec<Setting>) {}

    fn read(&self, _: Place, _: &mut F, _: &Layer) -> Result<(), Wrong> {
        Ok(())
    }

    fn secret_files<'a>(&self, _: Place, _: &'a F, _: &mut Vec<(String, &'a Path)>) {}
}

/// Declares a table: a struct whose fields say how they are set. A default, after `=>`, makes a method of the field's name.
macro_rules! table {
    ($(#[$about:meta])* $name:ident at $table:literal {
        $($(#[$doc:meta])* $field:ident: $type:ty = $spec:expr $(=> $default:expr)?,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$doc])* pub $field: $type,)* }

        impl $crate::config::table::Table for $name {
            fn settings(found: &mut Vec<$crate::config::table::Setting>) {
                $($crate::config::table::Spec::<$type>::settings(
                    &$spec, $crate::config::table::place!($table, $field), found,
                );)*
            }

            fn read(&mut self, layer: &$crate::config::table::Layer) -> Result<(), $crate::config::table::Wrong> {
                $($crate::config::table::Spec::<$type>::read(
                    &$spec, $crate::config::table::place!($table, $field), &mut self.$field, layer,
                )?;)*
                Ok(())
            }

            fn secret_files<'a>(&'a self, found: &mut Vec<(String, &'a std::path::Path)>) {
                $($crate::config::table::Spec::<$type>::secret_files(
                    &$spec, $crate::config::table::place!($table, $field), &self.$field, found,
                );)*
            }
        }

        impl $name {
            $($(
                /// The setting, or its default.
                pub fn $field(&self) -> <$type as IntoIterator>::Item {
                    Clone::clone(&self.$field).unwrap_or($default)
                }
            )?)*
        }
    };
}

macro_rules! place {
    ($table:literal, r#match) => {
        ($table, "match", "")
    };
    ($table:literal, $field:ident) => {
        (
            $table,
            stringify!($field),
            concat!(stringify!($field), "_file"),
        )
    };
}

pub(super) use {place, table};

/// A table below this one.
pub(super) struct Part;

impl<T: Table> Spec<T> for Part {
    fn settings(&self, _: Place, found: &mut Vec<Setting>) {
        T::settings(found);
    }

    fn read(&self, _: Place, field: &mut T, layer: &Layer) -> Result<(), Wrong> {
        field.read(layer)
    }

    fn secret_files<'a>(&self, _: Place, field: &'a T, found: &mut Vec<(String, &'a Path)>) {
        field.secret_files(found);
    }
}

/// A field that is no setting.
pub(super) struct Aside;

impl<F> Spec<F> for Aside {}

/// A setting with one value.
pub(super) struct One<R> {
    read: R,
    example: &'static str,
    is_secret: bool,
}

impl<R> One<R> {
    fn setting(&self, (table, key, _): Place) -> Setting {
        Setting {
            table,
            key,
            example: self.example,
            is_secret: self.is_secret,
        }
    }
}

impl<T, R: Fn(&Given) -> Result<T, Refused>> Spec<Option<T>> for One<R> {
    fn settings(&self, place: Place, found: &mut Vec<Setting>) {
        found.push(self.setting(place));
    }

    fn read(&self, place: Place, field: &mut Option<T>, layer: &Layer) -> Result<(), Wrong> {
        let setting = self.setting(place);
        let Some(given) = layer(&setting) else {
            return Ok(());
        };
        let refused = |refused: Refused| {
            let start = match given {
                Given::Text(_) => 0,
                Given::Value(value) => value.span().start,
            };
            let at = refused.at.unwrap_or(start);
            let why = refused.why;
            Wrong { setting, at, why }
        };
        *field = Some((self.read)(&given).map_err(refused)?);
        Ok(())
    }
}

/// A setting that is read like this, with an example as a file has it.
pub(super) fn one<T, R>(read: R, example: &'static str) -> One<R>
where
    R: Fn(&Given) -> Result<T, Refused>,
{
    One {
        read,
        example,
        is_secret: false,
    }
}

/// A setting of one text.
pub(super) fn text<T>(
    parse: impl Fn(&str) -> Result<T, String>,
    example: &'static str,
) -> One<impl Fn(&Given) -> Result<T, Refused>> {
    one(move |given| parsed(given, &parse), example)
}

/// A setting of several texts, which a variable has with commas between them.
pub(super) fn list<T>(
    item: impl Fn(&str) -> Result<T, String>,
    example: &'static str,
) -> One<impl Fn(&Given) -> Result<Vec<T>, Refused>> {
    one(move |given| items(given, commas, &item), example)
}

/// A setting of one text that no message repeats.
pub(super) fn hidden<T>(
    parse: impl Fn(&str) -> Result<T, String>,
    example: &'static str,
) -> One<impl Fn(&Given) -> Result<T, Refused>> {
    let read = move |given: &Given| match given {
        Given::Value(value) if !matches!(value.get_ref(), DeValue::String(_)) => {
            Err("this is not text in quotes".to_owned().into())
        }
        given => parsed(given, &parse),
    };
    One {
        is_secret: true,
        ..one(read, example)
    }
}

/// Reads one text.
pub(super) fn parsed<T>(
    given: &Given,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Refused> {
    let text = match given {
        Given::Text(text) => match text.to_str() {
            Some(text) => Cow::Borrowed(text.trim()),
            None => return Err("the value is not UTF-8; set plain text".to_owned().into()),
        },
        Given::Value(value) => match value.get_ref() {
            DeValue::String(text) => Cow::clone(text),
            _ => return Err(misfit(value, "text in quotes")),
        },
    };
    parse(&text).map_err(Refused::from)
}

/// The texts between commas.
pub(super) fn commas(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).collect()
}

/// Reads several texts, into which a variable has to be split.
pub(super) fn items<T>(
    given: &Given,
    split: fn(&str) -> Vec<&str>,
    item: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Refused> {
    let Given::Value(value) = given else {
        let parts = |text: &str| split(text).into_iter().map(&item).collect();
        return parsed(given, parts);
    };
    let of_list =
        |value| parsed(&Given::Value(value), &item).map_err(|refused| refused.within(value));
    array(value)?.iter().map(of_list).collect()
}

/// The items of a list in a file.
pub(super) fn array<'a>(
    value: &'a Spanned<DeValue<'a>>,
) -> Result<&'a [Spanned<DeValue<'a>>], Refused> {
    match value.get_ref() {
        DeValue::Array(items) => Ok(items),
        _ => Err(misfit(value, "a list")),
    }
}

/// Reads a path. A variable may have any bytes.
pub(super) fn path(given: &Given) -> Result<PathBuf, Refused> {
    match given {
        Given::Text(text) => Ok(text.into()),
        given => parsed(given, |text| Ok(text.into())),
    }
}

/// Reads a whole number.
pub(super) fn number<T: FromStr + TryFrom<i128>>(given: &Given) -> Result<T, Refused> {
    let Given::Value(value) = given else {
        return parsed(given, |text| {
            let plain = text.bytes().all(|byte| byte.is_ascii_digit());
            let read = text.parse().ok().filter(|_| plain);
            read.ok_or_else(|| {
                format!("{text:?} is not a number in range; write a whole number from 0 up, such as 1000")
            })
        });
    };
    let read = match value.get_ref() {
        DeValue::Integer(number) => i128::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    let read = read.and_then(|number| T::try_from(number).ok());
    read.ok_or_else(|| misfit(value, "a whole number from 0 up, or too large"))
}

/// Reads `true` or `false`.
pub(super) fn switch(given: &Given) -> Result<bool, Refused> {
    match given {
        Given::Value(value) => match value.get_ref() {
            DeValue::Boolean(on) => Ok(*on),
            _ => Err(misfit(value, "a boolean")),
        },
        given => parsed(given, |text| {
            let wrong = |_| format!("{text:?} is not known; send true or false");
            text.parse().map_err(wrong)
        }),
    }
}

/// What to say of a value in a file that is of another type.
pub(super) fn misfit(value: &Spanned<DeValue>, expected: &str) -> Refused {
    let found = match value.get_ref() {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => format!("floating point {number}"),
        DeValue::Boolean(on) => format!("boolean {on}"),
        DeValue::Datetime(at) => at.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    };
    Refused {
        at: Some(value.span().start),
        why: format!("{found} is not {expected}"),
    }
}
