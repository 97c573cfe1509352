//! A file of rotations as it is written: members in their order, as TOML with comments, or as JSON.

use super::super::output::visible;
use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use std::collections::BTreeSet;
use toml::ser::ValueSerializer;

/// A value of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Out {
    Text(String),
    /// The id of somebody or something, and its name, which is a comment in TOML.
    Id(String, String),
    Whole(i64),
    Flag(bool),
    /// A date or an instant.
    Date(String),
    List(Vec<Out>),
    Table(Table),
    /// Null in JSON, `""` in TOML.
    NoText,
    /// Null in JSON, `0` in TOML.
    NoNumber,
    /// Null in JSON, `{}` in TOML.
    NoTable,
}

impl Out {
    /// A text that may be null.
    pub fn text(text: Option<&str>) -> Out {
        text.map_or(Out::NoText, |text| Out::Text(text.to_owned()))
    }

    /// Names of the ids in it, each once.
    fn names(&self, found: &mut BTreeSet<(String, String)>) {
        match self {
            Out::Id(id, name) => {
                found.insert((id.clone(), name.clone()));
            }
            Out::List(items) => items.iter().for_each(|item| item.names(found)),
            Out::Table(table) => table.0.iter().for_each(|(_, value)| value.names(found)),
            _ => {}
        }
    }
}

/// Members in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table(pub Vec<(String, Out)>);

impl Table {
    pub fn add(&mut self, name: &str, value: Out) {
        self.0.push((name.to_owned(), value));
    }

    /// Whether it is written below a header of its own.
    fn is_long(name: &str, value: &Out) -> bool {
        match value {
            Out::Table(_) => matches!(name, "hand_over" | "cells"),
            Out::List(items) => matches!(items.first(), Some(Out::Table(_))) && name != "shares",
            _ => false,
        }
    }
}

/// In TOML; in JSON see [`Json`].
struct Toml<'o>(&'o Out);

impl Serialize for Toml<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Out::Text(text) | Out::Id(text, _) => to.serialize_str(text),
            Out::Whole(number) => to.serialize_i64(*number),
            Out::Flag(flag) => to.serialize_bool(*flag),
            Out::Date(text) => {
                let date: toml::value::Datetime = text.parse().map_err(S::Error::custom)?;
                date.serialize(to)
            }
            Out::List(items) => to.collect_seq(items.iter().map(Toml)),
            Out::Table(table) => {
                let mut map = to.serialize_map(Some(table.0.len()))?;
                for (name, value) in &table.0 {
                    map.serialize_entry(name, &Toml(value))?;
                }
                map.end()
            }
            Out::NoText => to.serialize_str(""),
            Out::NoNumber => to.serialize_i64(0),
            Out::NoTable => to.serialize_map(Some(0))?.end(),
        }
    }
}

/// In JSON.
struct Json<'o>(&'o Out);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Out::Text(text) | Out::Id(text, _) | Out::Date(text) => to.serialize_str(text),
            Out::Whole(number) => to.serialize_i64(*number),
            Out::Flag(flag) => to.serialize_bool(*flag),
            Out::List(items) => to.collect_seq(items.iter().map(Json)),
            Out::Table(table) => JsonTable(table).serialize(to),
            Out::NoText | Out::NoNumber | Out::NoTable => to.serialize_none(),
        }
    }
}

struct JsonTable<'o>(&'o Table);

impl Serialize for JsonTable<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.0.iter().map(|(name, value)| (name, Json(value))))
    }
}

/// Writes a file as JSON.
///
/// # Errors
/// A sentence, if a value cannot be written.
pub fn json(file: &Table) -> Result<String, String> {
    serde_json::to_string_pretty(&JsonTable(file)).map_err(|error| error.to_string())
}

/// Writes a file as TOML: members first, then tables below their headers. Names of ids are comments.
///
/// # Errors
/// A sentence, if a value cannot be written.
pub fn toml(file: &Table) -> Result<String, String> {
    let mut text = String::new();
    members(&mut text, "", file)?;
    Ok(text.trim_start().to_owned())
}

fn members(text: &mut String, path: &str, table: &Table) -> Result<(), String> {
    let long = |(name, value): &&(String, Out)| Table::is_long(name, value);
    for (name, value) in table.0.iter().filter(|member| !long(member)) {
        text.push_str(&format!("{} = {}", key(name)?, inline(value)?));
        let mut names = BTreeSet::new();
        value.names(&mut names);
        let names: Vec<String> = names
            .into_iter()
            .map(|(id, name)| match value {
                Out::Id(..) => name,
                _ => format!("{id}: {name}"),
            })
            .collect();
        if !names.is_empty() {
            // A comment ends with its line, and takes no control characters.
            let names = visible(&names.join(", ")).replace(['\n', '\t'], " ");
            text.push_str(&format!(" # {names}"));
        }
        text.push('\n');
    }
    for (name, value) in table.0.iter().filter(long) {
        let path = match path.is_empty() {
            true => name.clone(),
            false => format!("{path}.{name}"),
        };
        match value {
            Out::Table(inner) => {
                text.push_str(&format!("[{path}]\n"));
                members(text, &path, inner)?;
            }
            Out::List(items) => {
                for item in items {
                    if let Out::Table(inner) = item {
                        let gap = if name == "rotation" { "\n" } else { "" };
                        text.push_str(&format!("{gap}[[{path}]]\n"));
                        members(text, &path, inner)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A value on one line, by the serialiser.
fn inline(value: &Out) -> Result<String, String> {
    let mut text = String::new();
    Toml(value)
        .serialize(ValueSerializer::new(&mut text))
        .map_err(|error| error.to_string())?;
    Ok(text)
}

/// A key, quoted where it must be, by the serialiser.
fn key(name: &str) -> Result<String, String> {
    let one = [(name, 0)]
        .into_iter()
        .collect::<std::collections::BTreeMap<_, _>>();
    let line = toml::to_string(&one).map_err(|error| error.to_string())?;
    let key = line.trim_end().strip_suffix(" = 0");
    key.map(str::to_owned)
        .ok_or_else(|| format!("{name}: not a key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(members: Vec<(&str, Out)>) -> Table {
        let named = |(name, value): (&str, Out)| (name.to_owned(), value);
        Table(members.into_iter().map(named).collect())
    }

    fn file() -> Table {
        let id = |id: &str, name: &str| Out::Id(id.into(), name.into());
        let share = table(vec![
            ("user_id", id("U9", "Ana\n\u{202e}")),
            ("percent", Out::Whole(50)),
        ]);
        let dealing = table(vec![("shares", Out::List(vec![Out::Table(share)]))]);
        let hand_over = table(vec![
            ("every", Out::Text("week".into())),
            ("starting", Out::Date("2026-11-23".into())),
        ]);
        let window = table(vec![
            ("key", Out::Text("we\"ek".into())),
            ("hand_over", Out::Table(hand_over)),
        ]);
        let rotation = table(vec![
            ("id", id("rot_1", "DB")),
            ("description", Out::NoText),
            (
                "members",
                Out::List(vec![id("U2", "Linus"), Out::Text("ana@x".into())]),
            ),
            ("dealing", Out::Table(dealing)),
            ("summary", Out::NoTable),
            ("remind", Out::NoNumber),
            ("channel", Out::List(Vec::new())),
            ("window", Out::List(vec![Out::Table(window)])),
            (
                "cells",
                Out::Table(table(vec![("a/b", Out::Text("r".into()))])),
            ),
        ]);
        table(vec![("rotation", Out::List(vec![Out::Table(rotation)]))])
    }

    #[test]
    fn toml_has_members_first_and_names_beside_ids() {
        let expected = r#"[[rotation]]
id = "rot_1" # DB
description = ""
members = ["U2", "ana@x"] # U2: Linus
dealing = { shares = [{ user_id = "U9", percent = 50 }] } # U9: Ana \u{202e}
summary = {}
remind = 0
channel = []
[[rotation.window]]
key = 'we"ek'
[rotation.window.hand_over]
every = "week"
starting = 2026-11-23
[rotation.cells]
"a/b" = "r"
"#;
        let written = toml(&file()).expect("a file");
        assert_eq!(written, expected);
        assert!(written.parse::<toml::Table>().is_ok());
    }

    #[test]
    fn json_has_null_and_the_same_order() {
        let written = json(&file()).expect("a file");
        let value: serde_json::Value = serde_json::from_str(&written).expect("JSON");
        let rotation = &value["rotation"][0];
        for null in ["description", "summary", "remind"] {
            assert!(rotation[null].is_null(), "{null}");
        }
        assert_eq!(rotation["window"][0]["hand_over"]["starting"], "2026-11-23");
        assert!(written.find("\"id\"") < written.find("\"description\""));
    }
}
