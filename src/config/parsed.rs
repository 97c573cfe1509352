//! Settings that are written as text and checked where they are read, so that an error names the file and the line.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// A setting of one text.
pub(super) fn parsed<'de, D: Deserializer<'de>, T>(
    from: D,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(from)?;
    parse(&text).map(Some).map_err(D::Error::custom)
}

/// A setting of several texts.
pub(super) fn parsed_list<'de, D: Deserializer<'de>, T>(
    from: D,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Option<Vec<T>>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    let items = texts.iter().map(|text| parse(text));
    items
        .collect::<Result<_, _>>()
        .map(Some)
        .map_err(D::Error::custom)
}
