//! The changes of a directory import, and whether they need consent (rules.md 17).

use super::directory::{Person, Source};
use super::ids::{RotationId, UserId};
use super::resolve;
use super::rotation::Rotation;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A person by id and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonName {
    pub id: UserId,
    pub name: String,
}

/// The changes of an import. People are in the order of the file, leaving people in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportChanges {
    /// People who are new or were deactivated before.
    pub added: Vec<PersonName>,
    /// People whose records change, each with the changed fields.
    pub changed: Vec<(PersonName, Vec<&'static str>)>,
    /// People who are deactivated: missing from the file, or marked so in it.
    pub leaving: Vec<PersonName>,
    /// Rotations that lose people on duty or all their members.
    pub rotations: Vec<RotationLoss>,
    /// The number of people before.
    pub people_before: usize,
    /// What has another source than a file, and stays as it is because the file does not have it.
    pub left_alone: LeftAlone,
}

/// How many records an import leaves alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftAlone {
    pub people: usize,
    pub groups: usize,
    pub channels: usize,
}

/// The losses of a rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RotationLoss {
    pub id: RotationId,
    pub name: String,
    /// The people who come off duty.
    pub off_duty: Vec<PersonName>,
    /// Whether it has no members left.
    pub is_empty: bool,
}

/// Why an import needs consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// A person on duty comes off duty.
    OnDuty,
    /// More than a fifth of the people leave, and more than two.
    ManyLeave,
}

impl ImportChanges {
    /// Compares the people. `before` has all people ever imported.
    pub fn of_people(before: &[Person], after: &[Person]) -> ImportChanges {
        let mut changes = ImportChanges::default();
        let mut gone: HashMap<&UserId, &Person> = HashMap::new();
        for person in before.iter().filter(|person| !person.is_deleted) {
            gone.insert(&person.id, person);
        }
        changes.people_before = gone.len();
        let listed: HashSet<&UserId> = after.iter().map(|person| &person.id).collect();
        gone.retain(|id, person| person.source == Source::File || listed.contains(id));
        for person in after.iter().filter(|person| !person.is_deleted) {
            match gone.remove(&person.id) {
                None => changes.added.push(named(person)),
                Some(known) if known == person => {}
                Some(known) => {
                    let fields = differences(known, person);
                    changes.changed.push((named(person), fields));
                }
            }
        }
        changes.leaving = gone.into_values().map(named).collect();
        let key = |person: &PersonName| (person.name.to_lowercase(), person.id.to_string());
        changes.leaving.sort_by_key(key);
        changes
    }

    /// Adds the changes of a rotation. `names` has the previous people.
    pub fn add_rotation(
        &mut self,
        before: &Rotation,
        after: &Rotation,
        names: &BTreeMap<UserId, String>,
    ) {
        let held = on_duty(after);
        let lost = on_duty(before).into_iter();
        let lost = lost.filter(|user| !held.contains(user));
        let name = |id: UserId| PersonName {
            name: names.get(&id).map_or_else(|| id.to_string(), Clone::clone),
            id,
        };
        let loss = RotationLoss {
            id: after.id.clone(),
            name: after.profile.name.clone(),
            off_duty: lost.map(name).collect(),
            is_empty: has_members(before) && !has_members(after),
        };
        if loss.is_empty || !loss.off_duty.is_empty() {
            self.rotations.push(loss);
        }
    }

    /// Whether people and duty do not change; groups and channels may.
    pub fn is_empty(&self) -> bool {
        let people = [&self.added, &self.leaving];
        people.iter().all(|list| list.is_empty())
            && self.changed.is_empty()
            && self.rotations.is_empty()
    }

    /// Why it needs consent; `None` if it needs none.
    pub fn concern(&self) -> Option<Concern> {
        let leaving = self.leaving.len();
        if self.rotations.iter().any(|loss| !loss.off_duty.is_empty()) {
            Some(Concern::OnDuty)
        } else if leaving > 2 && leaving * 5 > self.people_before {
            Some(Concern::ManyLeave)
        } else {
            None
        }
    }
}

fn has_members(rotation: &Rotation) -> bool {
    let members = &rotation.members;
    !members.users.is_empty() || members.groups.iter().any(|group| !group.users.is_empty())
}

/// The holders of slots, each once. The holder of a shut window counts, because the window opens again.
fn on_duty(rotation: &Rotation) -> Vec<UserId> {
    let mut people = Vec::new();
    for cell in rotation.running().filter(|_| rotation.enabled) {
        let holder = resolve::holder(rotation, cell).map(|hold| hold.user().clone());
        people.extend(holder.filter(|user| !people.contains(user)));
    }
    people
}

fn named(person: &Person) -> PersonName {
    PersonName {
        id: person.id.clone(),
        name: person.name().to_owned(),
    }
}

/// The fields in which two records of a person differ.
fn differences(before: &Person, after: &Person) -> Vec<&'static str> {
    let pairs = [
        ("team", before.team_id != after.team_id),
        ("display name", before.display_name != after.display_name),
        ("real name", before.real_name != after.real_name),
        ("email", before.email != after.email),
        ("guest", before.is_guest != after.is_guest),
        ("external", before.is_external != after.is_external),
        ("admin", before.is_admin != after.is_admin),
        ("avatar", before.avatar_url != after.avatar_url),
        ("time zone", before.time_zone != after.time_zone),
        ("handle", before.handle != after.handle),
        ("source", before.source != after.source),
    ];
    let differing = pairs.into_iter().filter(|(_, differs)| *differs);
    differing.map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ada` is present, `-ada` is deactivated, `ada!` is an admin.
    fn people(text: &str) -> Vec<Person> {
        let person = |word: &str| {
            let id = word.trim_matches(['-', '!']);
            Person {
                id: UserId::from(id),
                team_id: "T1".into(),
                display_name: Some(id.to_uppercase()),
                real_name: None,
                email: None,
                is_guest: false,
                is_external: false,
                is_deleted: word.starts_with('-'),
                is_admin: word.ends_with('!'),
                avatar_url: None,
                time_zone: None,
                handle: None,
                source: Source::File,
                zone_is_own: false,
            }
        };
        text.split_whitespace().map(person).collect()
    }

    fn ids(people: &[PersonName]) -> String {
        let ids: Vec<&str> = people.iter().map(|person| person.id.as_str()).collect();
        ids.join(" ")
    }

    #[test]
    fn people_come_change_and_leave() {
        // Before, after; added, changed, leaving; the number before.
        for (before, after, expected, count) in [
            ("", "b a", ["b a", "", ""], 0),
            ("a b", "a b", ["", "", ""], 2),
            ("a b", "b!", ["", "b", "a"], 2),
            ("a -b", "a b", ["b", "", ""], 1),
            ("a -b", "a -b", ["", "", ""], 1),
            ("a -b", "a", ["", "", ""], 1),
            ("c b", "-b", ["", "", "b c"], 2),
            ("a", "a -b", ["", "", ""], 1),
        ] {
            let changes = ImportChanges::of_people(&people(before), &people(after));
            let changed: Vec<PersonName> =
                changes.changed.iter().map(|(who, _)| who.clone()).collect();
            let found = [&changes.added, &changed, &changes.leaving].map(|list| ids(list));
            assert_eq!(found, expected.map(String::from), "{before} to {after}");
            assert_eq!(changes.people_before, count, "{before}");
            assert_eq!(changes.is_empty(), expected == ["", "", ""]);
        }
        let changes = ImportChanges::of_people(&people("a"), &people("a!"));
        assert_eq!(changes.changed[0].1, ["admin"]);
        assert_eq!(changes.changed[0].0.name, "A");
    }

    #[test]
    fn many_leave_when_they_are_more_than_two_and_more_than_a_fifth() {
        for (before, leaving, concern) in [
            (3, 2, false),
            (3, 3, true),
            (10, 3, true),
            (14, 3, true),
            (15, 3, false),
            (16, 3, false),
            (20, 4, false),
            (20, 5, true),
        ] {
            let all: Vec<String> = (0..before).map(|n| format!("u{n}")).collect();
            let (before, after) = (all.join(" "), all[leaving..].join(" "));
            let changes = ImportChanges::of_people(&people(&before), &people(&after));
            let expected = concern.then_some(Concern::ManyLeave);
            assert_eq!(changes.concern(), expected, "{leaving} of {}", all.len());
        }
    }
}
