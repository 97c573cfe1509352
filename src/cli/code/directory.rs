//! People, user groups and channels: from the names of files to ids, and from ids to names.

use super::fault::advice;
use super::server::{Server, Trouble};
use serde_json::Value;
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

/// Somebody or something with an id and names.
#[derive(Clone, Debug, Default)]
struct Known {
    id: String,
    /// An address or a handle, by which it is written if it alone has it.
    handle: Option<String>,
    name: Option<String>,
}

impl Known {
    fn person(user: &Value) -> Known {
        let member = |name: &str| user[name].as_str().filter(|text| !text.is_empty());
        Known {
            id: member("id").unwrap_or_default().to_owned(),
            handle: member("email").map(str::to_owned),
            name: member("displayName")
                .or(member("realName"))
                .map(str::to_owned),
        }
    }

    fn other(item: &Value) -> Known {
        let member = |name: &str| item[name].as_str().filter(|text| !text.is_empty());
        Known {
            id: member("id").unwrap_or_default().to_owned(),
            handle: member("handle").map(str::to_owned),
            name: member("name").map(str::to_owned),
        }
    }

    fn handle(&self) -> Option<&str> {
        self.handle.as_deref()
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// What a name in a file means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The id.
    One(String),
    /// Somebody who has left: their id.
    Left(String),
    /// Nobody, with an advice, or several, with their ids.
    Not(String),
}

/// Those of one kind.
#[derive(Debug, Default)]
struct List {
    all: Vec<Known>,
    by_id: HashMap<String, usize>,
    handles: HashMap<String, Vec<usize>>,
    names: HashMap<String, Vec<usize>>,
    /// Addresses are compared without case, handles with it.
    folds: bool,
}

impl List {
    fn new(all: Vec<Known>, folds: bool) -> List {
        let mut list = List {
            folds,
            ..List::default()
        };
        for (at, known) in all.iter().enumerate() {
            list.by_id.insert(known.id.clone(), at);
            if let Some(handle) = known.handle() {
                list.handles
                    .entry(list.folded(handle))
                    .or_default()
                    .push(at);
            }
            if let Some(name) = known.name() {
                list.names.entry(name.to_owned()).or_default().push(at);
            }
        }
        list.all = all;
        list
    }

    fn folded(&self, handle: &str) -> String {
        match self.folds {
            true => handle.to_lowercase(),
            false => handle.to_owned(),
        }
    }

    fn get(&self, id: &str) -> Option<&Known> {
        self.by_id.get(id).map(|at| &self.all[*at])
    }

    /// Those that a text names: the one with this id, else those with this handle, else those with this name.
    fn named(&self, text: &str) -> Vec<&Known> {
        if let Some(known) = self.get(text) {
            return vec![known];
        }
        let handles = self.handles.get(&self.folded(text));
        let found = handles.or_else(|| self.names.get(text));
        found
            .into_iter()
            .flatten()
            .map(|at| &self.all[*at])
            .collect()
    }

    /// What a text means, without those who have left.
    fn find(&self, text: &str) -> Found {
        match self.named(text).as_slice() {
            [one] => Found::One(one.id.clone()),
            [] => {
                let texts = |known: &'_ Known| [known.handle.clone(), known.name.clone()];
                let names: Vec<String> = self.all.iter().flat_map(texts).flatten().collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                Found::Not(advice(text, &names))
            }
            several => {
                let ids: Vec<&str> = several.iter().map(|known| known.id.as_str()).collect();
                Found::Not(format!("several have it: write one of {}", ids.join(", ")))
            }
        }
    }

    /// How it is written in a file: its handle or, with `by_name`, its name, if it alone is found by it.
    fn written(&self, id: &str, by_name: bool) -> Option<&str> {
        let known = self.get(id)?;
        let texts = [known.handle(), known.name().filter(|_| by_name)];
        let mut texts = texts.into_iter().flatten();
        texts.find(|text| matches!(self.named(text).as_slice(), [one] if one.id == id))
    }

    /// What people call it: its name, with the handle where several have the name; the handle where it has none.
    fn called(&self, id: &str) -> Option<String> {
        let known = self.get(id)?;
        Some(match (known.name(), known.handle()) {
            (Some(name), handle) => {
                let is_alone = self.names.get(name).is_none_or(|all| all.len() == 1);
                match handle.filter(|_| !is_alone) {
                    Some(handle) => format!("{name} ({handle})"),
                    None => name.to_owned(),
                }
            }
            (None, Some(handle)) => handle.to_owned(),
            (None, None) => id.to_owned(),
        })
    }
}

/// The directory of the workspace, each part read when it is first needed.
pub struct Directory<'s> {
    server: &'s Server,
    people: OnceCell<List>,
    left: OnceCell<List>,
    groups: OnceCell<List>,
    channels: OnceCell<List>,
    /// Whether the directory was refused: then names are not asked for again.
    is_closed: Cell<bool>,
}

impl<'s> Directory<'s> {
    pub fn new(server: &'s Server) -> Directory<'s> {
        Directory {
            server,
            people: OnceCell::new(),
            left: OnceCell::new(),
            groups: OnceCell::new(),
            channels: OnceCell::new(),
            is_closed: Cell::new(false),
        }
    }

    fn part<'d>(
        &self,
        cell: &'d OnceCell<List>,
        path: &str,
        known: fn(&Value) -> Known,
    ) -> Result<&'d List, Trouble> {
        if let Some(list) = cell.get() {
            return Ok(list);
        }
        let items = self.server.list(path)?;
        let folds = path.starts_with("/v1/users");
        let list = List::new(items.iter().map(known).collect(), folds);
        Ok(cell.get_or_init(|| list))
    }

    fn people(&self) -> Result<&List, Trouble> {
        self.part(&self.people, "/v1/users", Known::person)
    }

    fn left(&self) -> Result<&List, Trouble> {
        self.part(&self.left, "/v1/users?deleted=true", Known::person)
    }

    fn groups(&self) -> Result<&List, Trouble> {
        self.part(&self.groups, "/v1/groups", Known::other)
    }

    fn channels(&self) -> Result<&List, Trouble> {
        self.part(&self.channels, "/v1/channels", Known::other)
    }

    /// The person that a text names.
    pub fn person(&self, text: &str) -> Result<Found, Trouble> {
        let found = self.people()?.find(text);
        let is_known = !self.people()?.named(text).is_empty();
        if is_known {
            return Ok(found);
        }
        Ok(match self.left()?.named(text).first() {
            Some(left) => Found::Left(left.id.clone()),
            None => found,
        })
    }

    /// Whether somebody is in the workspace.
    pub fn is_here(&self, id: &str) -> Result<bool, Trouble> {
        Ok(self.people()?.get(id).is_some())
    }

    pub fn group(&self, text: &str) -> Result<Found, Trouble> {
        Ok(self.groups()?.find(text))
    }

    /// The handle of a group.
    pub fn group_handle(&self, id: &str) -> Result<Option<String>, Trouble> {
        let known = self.groups()?.get(id);
        Ok(known.and_then(|known| known.handle.clone()))
    }

    /// Whether a text is the id of a group.
    pub fn is_group(&self, text: &str) -> Result<bool, Trouble> {
        Ok(self.groups()?.get(text).is_some())
    }

    pub fn channel(&self, text: &str) -> Result<Found, Trouble> {
        Ok(self.channels()?.find(text))
    }

    /// How a person is written: by their address, if it is theirs alone.
    pub fn person_written(&self, id: &str) -> Result<Option<String>, Trouble> {
        Ok(self.people()?.written(id, false).map(str::to_owned))
    }

    /// How a group is written: by its handle, if it alone has it.
    pub fn group_written(&self, id: &str) -> Result<Option<String>, Trouble> {
        Ok(self.groups()?.written(id, false).map(str::to_owned))
    }

    /// How a channel is written: by its name, if it alone has it.
    pub fn channel_written(&self, id: &str) -> Result<Option<String>, Trouble> {
        Ok(self.channels()?.written(id, true).map(str::to_owned))
    }

    /// A name, where the directory may be read.
    fn called(&self, list: Result<&List, Trouble>, id: &str) -> Option<String> {
        self.is_closed.set(list.is_err());
        list.ok()?.called(id)
    }

    /// What a person is called; one who has left too, where the directory may be read.
    pub fn person_called(&self, id: &str) -> Option<String> {
        if self.is_closed.get() {
            return None;
        }
        let here = self.called(self.people(), id);
        match self.is_closed.get() || here.is_some() {
            true => here,
            false => self.called(self.left(), id),
        }
    }

    pub fn group_called(&self, id: &str) -> Option<String> {
        (!self.is_closed.get()).then(|| self.called(self.groups(), id))?
    }

    pub fn channel_called(&self, id: &str) -> Option<String> {
        (!self.is_closed.get()).then(|| self.called(self.channels(), id))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn people() -> List {
        let all = [
            json!({ "id": "U1", "displayName": "ana", "realName": "Ana Ruiz", "email": "ana@example.org" }),
            json!({ "id": "U2", "displayName": null, "realName": "Linus", "email": "Linus@Example.org" }),
            json!({ "id": "U3", "displayName": "Sam", "realName": null, "email": null }),
            json!({ "id": "U4", "displayName": "Sam", "realName": null, "email": "sam@example.org" }),
            json!({ "id": "U5", "displayName": "Kim", "realName": null, "email": "shared@example.org" }),
            json!({ "id": "U6", "displayName": "Lee", "realName": null, "email": "shared@example.org" }),
            json!({ "id": "U7", "displayName": "U1", "realName": null, "email": null }),
            json!({ "id": "U8", "displayName": null, "realName": null, "email": "x@example.org" }),
        ];
        List::new(all.iter().map(Known::person).collect(), true)
    }

    #[test]
    fn people_are_found_by_id_address_or_a_name_that_one_has() {
        let people = people();
        let one = |id: &str| Found::One(id.to_owned());
        let not = |text: &str| Found::Not(text.to_owned());
        for (text, found) in [
            ("U1", one("U1")),
            ("ANA@example.org", one("U1")),
            ("ana", one("U1")),
            ("linus@example.org", one("U2")),
            ("Linus", one("U2")),
            ("Sam", not("several have it: write one of U3, U4")),
            (
                "shared@example.org",
                not("several have it: write one of U5, U6"),
            ),
            ("ana@exmaple.org", not("did you mean ana@example.org?")),
        ] {
            assert_eq!(people.find(text), found, "{text}");
        }
        assert!(
            matches!(people.find("Ana Ruiz"), Found::Not(_)),
            "another name counts"
        );
    }

    #[test]
    fn people_are_written_by_an_address_of_their_own() {
        let people = people();
        for (id, written, called) in [
            ("U1", Some("ana@example.org"), "ana"),
            ("U3", None, "Sam"),
            ("U4", Some("sam@example.org"), "Sam (sam@example.org)"),
            ("U5", None, "Kim"),
            ("U8", Some("x@example.org"), "x@example.org"),
        ] {
            assert_eq!(people.written(id, false), written, "{id}");
            assert_eq!(people.called(id).as_deref(), Some(called), "{id}");
        }
        assert_eq!(people.called("U99"), None);
    }

    #[test]
    fn groups_and_channels_are_written_by_what_they_alone_have() {
        let all = [
            json!({ "id": "G1", "handle": "sre", "name": "Site reliability" }),
            json!({ "id": "G2", "handle": null, "name": "sre" }),
            json!({ "id": "C1", "name": "on-call" }),
            json!({ "id": "C2", "name": "dup" }),
            json!({ "id": "C3", "name": "dup" }),
        ];
        let list = List::new(all.iter().map(Known::other).collect(), false);
        for (id, by_handle, by_name) in [
            ("G1", Some("sre"), Some("sre")),
            ("G2", None, None),
            ("C1", None, Some("on-call")),
            ("C2", None, None),
        ] {
            assert_eq!(list.written(id, false), by_handle, "{id}");
            assert_eq!(list.written(id, true), by_name, "{id}");
        }
        assert_eq!(list.find("SRE"), Found::Not("did you mean sre?".into()));
    }
}
