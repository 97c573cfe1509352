//! Summaries of what is another in the directory.

use super::super::phrase::{Phrase, listed};
use super::{Summary, text_or_none};
use crate::domain::directory::{Directory, Person, Team};
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::UserId;
use std::collections::{BTreeMap, HashSet};

/// What is another in the directory: who came, changed and left, and how many groups and channels there are.
pub fn directory_changes(before: &Directory, after: &Directory) -> Summary {
    let mut told = Summary::default();
    let name = |team: &Team| text_or_none(&team.name);
    told.changed("workspace", &before.team, &after.team, name);
    let people = |directory: &Directory| -> BTreeMap<UserId, Person> {
        let people = directory.people.iter().filter(|one| !one.is_deleted);
        let people = people.map(|one| (one.id.clone(), one.clone()));
        people.collect()
    };
    let (old, new) = (people(before), people(after));
    let ids =
        |people: &BTreeMap<UserId, Person>| -> Vec<UserId> { people.keys().cloned().collect() };
    told.list("people", &ids(&old), &ids(&new), |user| Phrase::from(user));
    let other = |(id, person): &(&UserId, &Person)| old.get(id).is_some_and(|old| old != *person);
    let changed: Vec<UserId> = (new.iter().filter(other))
        .map(|(id, _)| id.clone())
        .collect();
    if !changed.is_empty() {
        told.add(Phrase::from("people changed: ").and(listed(&changed)));
    }
    let counted = [
        (
            "user groups",
            before.groups == after.groups,
            before.groups.len(),
            after.groups.len(),
        ),
        (
            "channels",
            before.channels == after.channels,
            before.channels.len(),
            after.channels.len(),
        ),
        (
            "handles",
            before.handles == after.handles,
            before.handles.len(),
            after.handles.len(),
        ),
    ];
    for (what, _, before, after) in counted.iter().filter(|(_, is_same, ..)| !is_same) {
        told.add(format!("{what}: {before} to {after}"));
    }
    told
}

/// The same of what a reading of the chat platform's directory, or an event of it, changes. Chat statuses are not told.
pub fn synced_changes(changes: &DirectoryChanges) -> Summary {
    let mut told = Summary::default();
    if let Some(team) = &changes.team {
        told.add(format!("workspace: {}", text_or_none(&team.name)));
    }
    let moved: HashSet<&UserId> = changes.moved.iter().collect();
    let came = |person: &&Person| moved.contains(&person.id);
    let gone = |person: &&Person| person.is_deleted || person.is_external;
    let ids = |which: &dyn Fn(&&Person) -> bool| -> Vec<UserId> {
        let people = changes.people.iter().filter(|person| which(person));
        people.map(|person| person.id.clone()).collect()
    };
    for (what, people) in [
        ("added", ids(&|person| came(person) && !gone(person))),
        ("removed", ids(&|person| came(person) && gone(person))),
        ("changed", ids(&|person| !came(person))),
    ] {
        if !people.is_empty() {
            told.add(Phrase::from(format!("people {what}: ")).and(listed(&people)));
        }
    }
    for (what, changed, lost) in [
        (
            "user groups",
            changes.groups.len(),
            changes.lost_groups.len(),
        ),
        (
            "channels",
            changes.channels.len(),
            changes.lost_channels.len(),
        ),
    ] {
        if changed > 0 {
            told.add(format!("{what} added or changed: {changed}"));
        }
        if lost > 0 {
            told.add(format!("{what} removed: {lost}"));
        }
    }
    told
}
