//! Reads the members of a table: each by its name and kind; what is left over is unknown.

use super::fault::{Faults, advice};
use super::tree::{Content, Node};
use std::cell::RefCell;

/// A text with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub text: String,
    pub line: usize,
}

/// A table that is being read.
pub struct Reader<'a> {
    pub faults: &'a Faults,
    pub line: usize,
    /// Its path in the file.
    pub path: String,
    members: &'a [(String, Node)],
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Reader<'a> {
    /// The table at a path; `None`, and a fault, where it is something else.
    pub fn of(node: &'a Node, path: &str, faults: &'a Faults) -> Option<Reader<'a>> {
        match &node.value {
            Content::Table(members) => Some(Reader {
                faults,
                line: node.line,
                path: path.to_owned(),
                members,
                asked: RefCell::default(),
            }),
            other => {
                let what = format!("write a table, not {}", other.kind());
                faults.add(node.line, path, what);
                None
            }
        }
    }

    /// The path of a member.
    pub fn path_of(&self, name: &str) -> String {
        match self.path.is_empty() {
            true => name.to_owned(),
            false => format!("{}.{name}", self.path),
        }
    }

    /// Says that a member is wrong.
    pub fn fault(&self, name: &str, what: impl Into<String>) {
        let own = self.members.iter().find(|(known, _)| known == name);
        let line = own.map_or(self.line, |(_, node)| node.line);
        self.faults.add(line, &self.path_of(name), what);
    }

    /// All members, for a table whose names are not fixed.
    pub fn every(&self) -> &'a [(String, Node)] {
        self.members
    }

    /// A member, whatever it is.
    pub fn node(&self, name: &'static str) -> Option<&'a Node> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&name) {
            asked.push(name);
        }
        let found = self.members.iter().find(|(known, _)| known == name);
        found.map(|(_, node)| node)
    }

    pub fn has(&self, name: &'static str) -> bool {
        self.node(name).is_some()
    }

    fn wrong<T>(&self, name: &str, node: &Node, wanted: &str) -> Option<T> {
        let what = format!("write {wanted}, not {}", node.value.kind());
        self.faults.add(node.line, &self.path_of(name), what);
        None
    }

    /// A text.
    pub fn text(&self, name: &'static str) -> Option<Named> {
        let node = self.node(name)?;
        match &node.value {
            Content::Text(text) => Some(Named {
                text: text.clone(),
                line: node.line,
            }),
            _ => self.wrong(name, node, "a text"),
        }
    }

    /// A text that must be there.
    pub fn needed(&self, name: &'static str) -> Option<Named> {
        if !self.has(name) {
            self.fault(name, "missing");
        }
        self.text(name)
    }

    /// A text that may be null, which is `""` in TOML.
    pub fn clearable(&self, name: &'static str) -> Option<Option<Named>> {
        match self.node(name)?.value {
            Content::Null => Some(None),
            _ => self
                .text(name)
                .map(|named| (!named.text.is_empty()).then_some(named)),
        }
    }

    pub fn flag(&self, name: &'static str) -> Option<bool> {
        let node = self.node(name)?;
        match node.value {
            Content::Flag(flag) => Some(flag),
            _ => self.wrong(name, node, "true or false"),
        }
    }

    pub fn whole(&self, name: &'static str) -> Option<i64> {
        let node = self.node(name)?;
        match node.value {
            Content::Whole(number) => Some(number),
            _ => self.wrong(name, node, "a whole number"),
        }
    }

    /// A number that may be null, which is `0` in TOML.
    pub fn clearable_whole(&self, name: &'static str) -> Option<Option<i64>> {
        match self.node(name)?.value {
            Content::Null => Some(None),
            _ => self
                .whole(name)
                .map(|number| (number != 0).then_some(number)),
        }
    }

    /// One of some words.
    pub fn word(&self, name: &'static str, known: &[&str]) -> Option<String> {
        let given = self.text(name)?;
        self.known(name, &given, known).then_some(given.text)
    }

    fn known(&self, name: &str, given: &Named, known: &[&str]) -> bool {
        let is_known = known.contains(&given.text.as_str());
        if !is_known {
            let advice = advice(&given.text, known);
            let what = format!("`{}` is not known; {advice}", given.text);
            self.faults.add(given.line, &self.path_of(name), what);
        }
        is_known
    }

    /// A list of words.
    pub fn words(&self, name: &'static str, known: &[&str]) -> Option<Vec<String>> {
        let given = self.names(name)?;
        let all = given.iter().all(|one| self.known(name, one, known));
        all.then(|| given.into_iter().map(|one| one.text).collect())
    }

    /// A list, whatever its items are.
    pub fn list(&self, name: &'static str) -> Option<&'a [Node]> {
        let node = self.node(name)?;
        match &node.value {
            Content::List(items) => Some(items),
            _ => self.wrong(name, node, "a list"),
        }
    }

    /// A list of texts.
    pub fn names(&self, name: &'static str) -> Option<Vec<Named>> {
        let items = self.list(name)?.iter().map(|item| match &item.value {
            Content::Text(text) => Some(Named {
                text: text.clone(),
                line: item.line,
            }),
            _ => self.wrong(name, item, "a list of texts"),
        });
        items.collect()
    }

    /// A table.
    pub fn table(&self, name: &'static str) -> Option<Reader<'a>> {
        Reader::of(self.node(name)?, &self.path_of(name), self.faults)
    }

    /// A table that may be null, which is `{}` in TOML.
    pub fn clearable_table(&self, name: &'static str) -> Option<Option<Reader<'a>>> {
        match &self.node(name)?.value {
            Content::Null => Some(None),
            Content::Table(members) if members.is_empty() => Some(None),
            _ => self.table(name).map(Some),
        }
    }

    /// A list of tables.
    pub fn tables(&self, name: &'static str) -> Option<Vec<Reader<'a>>> {
        let path = self.path_of(name);
        let items = self.list(name)?.iter();
        Some(
            items
                .filter_map(|item| Reader::of(item, &path, self.faults))
                .collect(),
        )
    }

    /// Says which members are unknown: all that were not asked for.
    pub fn end(self) {
        let known = self.asked.borrow();
        for (name, node) in self.members {
            if !known.contains(&name.as_str()) {
                let what = format!("unknown; {}", advice(name, &known));
                self.faults.add(node.line, &self.path_of(name), what);
            }
        }
    }
}
