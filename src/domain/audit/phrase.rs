//! Words of a summary. People and what else has an id that nobody knows by heart stand in them by their ids, until a line is made
//! with the names of them all.

use super::one_line;
use crate::domain::ids::{ChannelId, GroupId, RotationId, UserId};
use std::collections::HashMap;

/// The longest name that is written, in characters.
const LONGEST_NAME: usize = 60;

/// The longest text of a caller's that is quoted, in characters.
const QUOTED: usize = 60;

/// Items of a list that are named.
const ITEMS: usize = 5;

/// A thing that a phrase names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Referent {
    Person(UserId),
    Group(GroupId),
    Channel(ChannelId),
    Rotation(RotationId),
}

impl Referent {
    fn id(&self) -> &str {
        match self {
            Referent::Person(id) => id.as_str(),
            Referent::Group(id) => id.as_str(),
            Referent::Channel(id) => id.as_str(),
            Referent::Rotation(id) => id.as_str(),
        }
    }
}

/// The names of the things in a line. What is missing is written by its id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(HashMap<Referent, String>);

impl Names {
    /// Adds a name: one line of at most 60 characters is kept of it. It is in quotes where it has what separates words of a
    /// summary, so that nobody is called what reads as another change.
    pub fn add(&mut self, named: Referent, name: &str) {
        let name = cut(one_line(name).trim(), LONGEST_NAME);
        let name = match name.contains([';', ':', ',']) && !name.starts_with('"') {
            true => format!("\"{name}\""),
            false => name,
        };
        if !name.is_empty() {
            self.0.insert(named, name);
        }
    }

    /// The name, with the id where something else in the line is called the same.
    fn of(&self, named: &Referent) -> String {
        let Some(name) = self.0.get(named) else {
            return named.id().to_owned();
        };
        match self.0.values().filter(|other| *other == name).count() {
            1 => name.clone(),
            _ => format!("{name} ({})", named.id()),
        }
    }
}

/// Words in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Phrase(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Text(String),
    Named(Referent),
}

impl Phrase {
    /// The phrase with more behind it.
    pub fn and(mut self, more: impl Into<Phrase>) -> Phrase {
        self.0.append(&mut more.into().0);
        self
    }

    /// The things that it names, in order.
    pub fn named(&self) -> impl Iterator<Item = &Referent> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Named(named) => Some(named),
            Piece::Text(_) => None,
        })
    }

    /// The text, with names in it.
    pub fn text(&self, names: &Names) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Named(named) => names.of(named),
        };
        self.0.iter().map(text).collect()
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Phrase {
        Phrase(vec![Piece::Text(text)])
    }
}

impl From<&str> for Phrase {
    fn from(text: &str) -> Phrase {
        text.to_owned().into()
    }
}

impl From<bool> for Phrase {
    fn from(is: bool) -> Phrase {
        is.to_string().into()
    }
}

impl<T: Into<Phrase>> From<Option<T>> for Phrase {
    fn from(value: Option<T>) -> Phrase {
        value.map_or_else(|| "none".into(), Into::into)
    }
}

/// A text of a caller's, which is shown in quotes.
#[derive(PartialEq)]
pub(super) struct Quoted<'a>(pub &'a str);

impl From<Quoted<'_>> for Phrase {
    fn from(text: Quoted) -> Phrase {
        quoted(text.0).into()
    }
}

impl From<Referent> for Phrase {
    fn from(named: Referent) -> Phrase {
        Phrase(vec![Piece::Named(named)])
    }
}

impl From<&UserId> for Referent {
    fn from(user: &UserId) -> Referent {
        Referent::Person(user.clone())
    }
}

impl From<&UserId> for Phrase {
    fn from(user: &UserId) -> Phrase {
        Referent::from(user).into()
    }
}

impl From<&GroupId> for Phrase {
    fn from(group: &GroupId) -> Phrase {
        Referent::Group(group.clone()).into()
    }
}

impl From<&ChannelId> for Phrase {
    fn from(channel: &ChannelId) -> Phrase {
        Referent::Channel(channel.clone()).into()
    }
}

impl From<&RotationId> for Phrase {
    fn from(rotation: &RotationId) -> Phrase {
        Referent::Rotation(rotation.clone()).into()
    }
}

/// The first items of a list, and how many more there are.
pub fn listed<T: Into<Phrase>>(
    items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> Phrase {
    let mut items = items.into_iter();
    let mut listed = Phrase::default();
    for (index, item) in items.by_ref().take(ITEMS).enumerate() {
        let between = if index > 0 { ", " } else { "" };
        listed = listed.and(between).and(item);
    }
    match items.len() {
        0 => listed,
        more => listed.and(format!(" and {more} more")),
    }
}

/// Text of a caller's in quotes, short, without the user and the password of URLs in it.
pub fn quoted(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        let end = after.find(|c: char| c.is_whitespace() || ['/', '?', '#'].contains(&c));
        let host = &after[..end.unwrap_or(after.len())];
        shown.push_str(before);
        rest = &after[host.rfind('@').map_or(0, |at| at + 1)..];
    }
    shown.push_str(rest);
    format!("\"{}\"", cut(&shown, QUOTED))
}

/// A text of at most so many characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 3).chain("...".chars()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_the_place_of_ids() {
        let users = ["U1", "U2", "U3"].map(UserId::from);
        let mut names = Names::default();
        for (user, name) in users.iter().zip(["Ada\nLovelace", "Bo", "Bo"]) {
            names.add(user.into(), name);
        }
        names.add(Referent::Group("S1".into()), "@ops");
        names.add(Referent::Channel("C1".into()), "  ");
        names.add((&UserId::from("U5")).into(), "Ada; enabled: true to false");
        let long = "x".repeat(61);
        names.add(Referent::Rotation("rot_1".into()), &long);
        for (phrase, expected) in [
            (Phrase::from(&users[0]), "Ada Lovelace"),
            // Two people of one name are told apart.
            (listed(&users), "Ada Lovelace, Bo (U2), Bo (U3)"),
            (Phrase::from(&GroupId::from("S1")), "@ops"),
            // Without a name an id is better than nothing.
            (Phrase::from(&ChannelId::from("C1")).and("!"), "C1!"),
            (Phrase::from(&UserId::from("U4")), "U4"),
            (
                Phrase::from(&UserId::from("U5")),
                "\"Ada; enabled: true to false\"",
            ),
            (
                Phrase::from(&RotationId::from("rot_1")),
                &format!("{}...", "x".repeat(57)),
            ),
        ] {
            assert_eq!(phrase.text(&names), expected);
        }
    }
}
