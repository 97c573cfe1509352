//! A file of rotations as values with their lines, whether it is TOML or JSON.

use super::fault::{Fault, Source};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and the line on which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub line: usize,
    pub value: Content,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Only in JSON.
    Null,
    Text(String),
    /// A date or time, as TOML writes it.
    Date(String),
    Whole(i64),
    Flag(bool),
    List(Vec<Node>),
    /// Its members in the order of the file.
    Table(Vec<(String, Node)>),
    /// Something that no member takes, such as a number with a fraction.
    Other,
}

impl Content {
    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Content::Null => "null",
            Content::Text(_) => "a text",
            Content::Date(_) => "a date",
            Content::Whole(_) => "a number",
            Content::Flag(_) => "true or false",
            Content::List(_) => "a list",
            Content::Table(_) => "a table",
            Content::Other => "another kind of number",
        }
    }
}

/// Reads a file: JSON where its name ends in `.json`, else TOML.
///
/// # Errors
/// A fault with the line where the text ends to be JSON or TOML.
pub fn parse(source: &Source, text: &str) -> Result<Node, Fault> {
    match source.is_json() {
        true => json(source, text),
        false => toml(source, text),
    }
}

/// The offsets at which lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines(std::iter::once(0).chain(ends).collect())
    }

    /// The line of an offset, from 1.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }
}

fn toml(source: &Source, text: &str) -> Result<Node, Fault> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| lines.at(span.start));
        Fault::new(source, line, "", error.message())
    })?;
    Ok(Node {
        line: 1,
        value: members(table.get_ref(), &lines),
    })
}

fn members(table: &DeTable, lines: &Lines) -> Content {
    let mut found: Vec<(usize, String, Node)> = table
        .iter()
        .map(|(name, value)| {
            let at = name.span().start;
            (at, name.get_ref().to_string(), node(value, at, lines))
        })
        .collect();
    // The parser sorts them by name.
    found.sort_by_key(|(at, ..)| *at);
    let in_order = found.into_iter().map(|(_, name, node)| (name, node));
    Content::Table(in_order.collect())
}

/// `at` is where the member begins whose value it is: what a header makes has no place of its own.
fn node(value: &Spanned<DeValue>, at: usize, lines: &Lines) -> Node {
    let line = lines.at(value.span().start.max(at));
    let value = match value.get_ref() {
        DeValue::String(text) => Content::Text(text.to_string()),
        DeValue::Integer(number) => {
            let digits = i64::from_str_radix(number.as_str(), number.radix());
            digits.map_or(Content::Other, Content::Whole)
        }
        DeValue::Float(_) => Content::Other,
        DeValue::Boolean(flag) => Content::Flag(*flag),
        DeValue::Datetime(date) => Content::Date(date.to_string()),
        DeValue::Array(items) => {
            Content::List(items.iter().map(|item| node(item, at, lines)).collect())
        }
        DeValue::Table(table) => members(table, lines),
    };
    Node { line, value }
}

fn json(source: &Source, text: &str) -> Result<Node, Fault> {
    let whole: &RawValue = serde_json::from_str(text).map_err(|error| {
        let why = error.to_string();
        let why = why.split(" at line ").next().unwrap_or_default();
        Fault::new(source, error.line(), "", why)
    })?;
    let reading = Reading {
        source,
        text,
        lines: Lines::of(text),
    };
    reading.node(whole, 0)
}

/// Lists and objects within one another; a file of rotations has five.
const DEPTH: usize = 32;

struct Reading<'t> {
    source: &'t Source,
    text: &'t str,
    lines: Lines,
}

impl<'t> Reading<'t> {
    /// A part of the text knows its place by where it lies in memory.
    fn line(&self, part: &RawValue) -> usize {
        let offset = (part.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.lines.at(offset)
    }

    fn node(&self, raw: &'t RawValue, depth: usize) -> Result<Node, Fault> {
        let line = self.line(raw);
        if depth > DEPTH {
            return Err(Fault::new(
                self.source,
                line,
                "",
                "too many lists within lists",
            ));
        }
        let wrong = |error: serde_json::Error| {
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or_default();
            Fault::new(self.source, line, "", why)
        };
        let text = raw.get();
        let value = match text.as_bytes().first() {
            Some(b'{') => {
                let parts = serde_json::Deserializer::from_str(text).deserialize_map(Parts);
                let parts = parts.map_err(wrong)?;
                let mut members = Vec::with_capacity(parts.len());
                for (name, part) in parts {
                    members.push((name, self.node(part, depth + 1)?));
                }
                Content::Table(members)
            }
            Some(b'[') => {
                let parts = serde_json::Deserializer::from_str(text).deserialize_seq(Items);
                let parts = parts.map_err(wrong)?;
                let items = parts.into_iter().map(|part| self.node(part, depth + 1));
                Content::List(items.collect::<Result<_, _>>()?)
            }
            Some(b'"') => Content::Text(serde_json::from_str(text).map_err(wrong)?),
            Some(b't') => Content::Flag(true),
            Some(b'f') => Content::Flag(false),
            Some(b'n') => Content::Null,
            _ => text.parse().map_or(Content::Other, Content::Whole),
        };
        Ok(Node { line, value })
    }
}

/// Members of an object as they are written.
struct Parts;

impl<'de> Visitor<'de> for Parts {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found: Self::Value = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, &RawValue>()? {
            if found.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom(format_args!("`{name}` stands here twice")));
            }
            found.push((name, value));
        }
        Ok(found)
    }
}

/// Items of a list as they are written.
struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(value) = list.next_element()? {
            found.push(value);
        }
        Ok(found)
    }
}
