//! Summaries of what is another in the directory.

use super::super::phrase::{Phrase, Quoted};
use super::Summary;
use crate::domain::directory::{Directory, Person};
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::UserId;
use std::collections::{BTreeMap, HashSet};

/// The difference of two directories: who came, changed and left, and how many groups and channels there are.
pub fn directory_changes(before: &Directory, after: &Directory) -> Summary {
    let mut told = Summary::default();
    let both = (before, after);
    told.changed("workspace", both, |d| d.team.name.as_deref().map(Quoted));
    let people = |directory: &'_ Directory| -> BTreeMap<UserId, Person> {
        let people = directory.people.iter().filter(|one| !one.is_deleted);
        people.map(|one| (one.id.clone(), one.clone())).collect()
    };
    let (old, new) = (people(before), people(after));
    told.list("people", (&old, &new), |people| people.keys());
    let other = |(id, person): &(&UserId, &Person)| old.get(id).is_some_and(|old| old != *person);
    let changed = new.iter().filter(other).map(|(id, _)| id.into());
    told.some("people changed: ", changed.collect());
    for (what, is_same, before, after) in [
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
    ] {
        if !is_same {
            told.add(format!("{what}: {before} to {after}"));
        }
    }
    told
}

/// The difference that a reading of the chat platform's directory, or an event of it, makes. Chat statuses are not told.
pub fn synced_changes(changes: &DirectoryChanges) -> Summary {
    let mut told = Summary::default();
    if let Some(team) = &changes.team {
        told.add(Phrase::from("workspace: ").and(team.name.as_deref().map(Quoted)));
    }
    let moved: HashSet<&UserId> = changes.moved.iter().collect();
    let came = |person: &Person| moved.contains(&person.id);
    let gone = |person: &Person| person.is_deleted || person.is_external;
    let ids = |which: &dyn Fn(&Person) -> bool| -> Vec<Phrase> {
        let people = changes.people.iter().filter(|person| which(person));
        people.map(|person| (&person.id).into()).collect()
    };
    told.some(
        "people added: ",
        ids(&|person| came(person) && !gone(person)),
    );
    told.some(
        "people removed: ",
        ids(&|person| came(person) && gone(person)),
    );
    told.some("people changed: ", ids(&|person| !came(person)));
    for (what, count) in [
        ("user groups added or changed", changes.groups.len()),
        ("user groups removed", changes.lost_groups.len()),
        ("channels added or changed", changes.channels.len()),
        ("channels removed", changes.lost_channels.len()),
    ] {
        if count > 0 {
            told.add(format!("{what}: {count}"));
        }
    }
    told
}
