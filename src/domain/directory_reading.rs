//! The directory of a chat platform as it was read, and the changes that follow (rules.md 17).

mod said;

pub use said::Said;

use super::directory::{Channel, Directory, Group, Person, Team};
use super::ids::{ChannelId, GroupId, UserId};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap, HashSet};

/// People who are away by their chat status, each with when that ends; `None` if it has no end.
pub type AwayInChat = BTreeMap<UserId, Option<Timestamp>>;

/// A full reading of the platform's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Without handles, and without topics, which the platform keeps.
    pub directory: Directory,
    pub away: AwayInChat,
    /// Whether a user group is disabled, of those of which the platform says it.
    pub disabled: BTreeMap<GroupId, bool>,
    /// How many accounts the platform listed, bots included. It always has some.
    pub accounts: usize,
    /// Channels and user groups that others took the place of.
    pub replaced: Vec<Replaced>,
}

/// A channel or user group, or both in one, and the one that took its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    pub old: String,
    pub new: String,
}

/// The stored directory, to compare a reading with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDirectory {
    pub directory: Directory,
    pub away: AwayInChat,
    /// User groups whose people rota is about to change: what the platform says of them may be out of date.
    pub busy: Vec<GroupId>,
    /// User groups that rota has created. They are never lost.
    pub own: Vec<GroupId>,
    /// Those of `own` that rota keeps disabled, because nobody is on call.
    pub disabled: Vec<GroupId>,
}

/// The records to write: whole ones, and ids of those that are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryChanges {
    pub team: Option<Team>,
    /// New and changed people. Those missing from a full reading are among them, as deleted.
    pub people: Vec<Person>,
    /// New and changed user groups with their people.
    pub groups: Vec<Group>,
    pub lost_groups: Vec<GroupId>,
    /// New and changed channels. A topic of `None` keeps the stored one.
    pub channels: Vec<Channel>,
    pub lost_channels: Vec<ChannelId>,
    /// Who is away now, or no longer.
    pub away: Vec<(UserId, AwayChange)>,
    /// People who come or go, or are no longer from outside: rotations follow.
    pub moved: Vec<UserId>,
    /// People who are called something else.
    pub renamed: Vec<UserId>,
    /// User groups that come or go, or have other people: rotations follow.
    pub regrouped: Vec<GroupId>,
    /// User groups of rota's own that somebody has disabled or enabled.
    pub switched: Vec<GroupId>,
    /// What others took the place of: rotations use those instead.
    pub replaced: Vec<Replaced>,
}

/// A change of a chat status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwayChange {
    /// Away until an instant; `None` if it has no end.
    Away(Option<Timestamp>),
    Back,
}

/// Why a full reading is not applied without consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManyMissing {
    /// How many people the reading omits.
    pub missing: usize,
    /// How many there are.
    pub known: usize,
}

/// More people than this, and more than a fifth of them, are too many to go missing at once.
const FEW: usize = 10;

impl Reading {
    /// Whether the reading omits so many people that it is not applied without consent. People whom the platform calls
    /// deactivated are not missing.
    pub fn many_missing(&self, stored: &Directory) -> Option<ManyMissing> {
        let listed: HashSet<&UserId> = self.directory.people.iter().map(|one| &one.id).collect();
        let known = stored.people.iter().filter(|person| !person.is_deleted);
        let (mut found, mut missing) = (0, 0);
        for person in known {
            match listed.contains(&person.id) {
                true => found += 1,
                false => missing += 1,
            }
        }
        let known = found + missing;
        let is_nobody = self.accounts == 0 && known > 0;
        let is_many = missing > FEW && missing * 5 > known;
        (is_nobody || is_many).then_some(ManyMissing { missing, known })
    }

    /// The changes of the reading. People in groups who are in no record are left out.
    pub fn changes(self, stored: &StoredDirectory) -> DirectoryChanges {
        let before = &stored.directory;
        let mut changes = DirectoryChanges {
            team: (self.directory.team != before.team).then_some(self.directory.team),
            ..DirectoryChanges::default()
        };
        let known: HashMap<&UserId, &Person> =
            before.people.iter().map(|one| (&one.id, one)).collect();
        let mut listed: HashSet<UserId> = HashSet::with_capacity(self.directory.people.len());
        for person in self.directory.people {
            if listed.insert(person.id.clone()) {
                changes.add_person(known.get(&person.id).copied(), person);
            }
        }
        for gone in before.people.iter().filter(|one| !listed.contains(&one.id)) {
            let gone_now = Person {
                is_deleted: true,
                ..gone.clone()
            };
            changes.add_person(Some(gone), gone_now);
        }
        let has_record = |user: &UserId| listed.contains(user) || known.contains_key(user);
        let groups: HashMap<&GroupId, &Group> =
            before.groups.iter().map(|one| (&one.id, one)).collect();
        let mut listed_groups: HashSet<GroupId> = HashSet::new();
        for mut group in self.directory.groups {
            if !listed_groups.insert(group.id.clone()) {
                continue;
            }
            let known = groups.get(&group.id).copied();
            match known {
                Some(known) if stored.busy.contains(&group.id) => {
                    group.users.clone_from(&known.users);
                }
                _ => group.users.retain(has_record),
            }
            changes.add_group(known, group);
        }
        let is_stored = |old: &str| {
            let is_channel = before.channels.iter().any(|one| one.id.as_str() == old);
            is_channel || before.groups.iter().any(|one| one.id.as_str() == old)
        };
        changes.replaced = self.replaced;
        changes.replaced.retain(|one| is_stored(&one.old));
        for gone in &before.groups {
            let is_replaced = (changes.replaced.iter()).any(|one| one.old == gone.id.as_str());
            let is_ours = stored.own.contains(&gone.id) && !is_replaced;
            if !listed_groups.contains(&gone.id) && !is_ours {
                changes.lost_groups.push(gone.id.clone());
                changes.regrouped.push(gone.id.clone());
            }
        }
        for own in &stored.own {
            let known = stored.disabled.contains(own);
            let is_other = self.disabled.get(own).is_some_and(|now| *now != known);
            if is_other && !stored.busy.contains(own) {
                changes.switched.push(own.clone());
            }
        }
        let channels: HashMap<&ChannelId, &Channel> =
            before.channels.iter().map(|one| (&one.id, one)).collect();
        let mut listed_channels: HashSet<ChannelId> = HashSet::new();
        for channel in self.directory.channels {
            if listed_channels.insert(channel.id.clone()) {
                changes.add_channel(channels.get(&channel.id).copied(), channel);
            }
        }
        let gone = before.channels.iter().map(|channel| &channel.id);
        changes.lost_channels = gone
            .filter(|id| !listed_channels.contains(*id))
            .cloned()
            .collect();
        for (user, until) in &self.away {
            if stored.away.get(user) != Some(until) && has_record(user) {
                changes.away.push((user.clone(), AwayChange::Away(*until)));
            }
        }
        let back = stored
            .away
            .keys()
            .filter(|user| !self.away.contains_key(*user));
        let back: Vec<_> = back.map(|user| (user.clone(), AwayChange::Back)).collect();
        changes.away.extend(back);
        changes
    }
}

impl DirectoryChanges {
    /// Adds a person as the platform has them now, if that differs from what is stored. What was set here stays.
    pub fn add_person(&mut self, before: Option<&Person>, now: Person) {
        match before {
            Some(known) => self.change_person(before, now.keeping(known)),
            None => self.change_person(None, now),
        }
    }

    /// Adds a person as somebody has changed them here.
    pub fn change_person(&mut self, before: Option<&Person>, now: Person) {
        if before == Some(&now) {
            return;
        }
        if before.is_some_and(Person::is_active) != now.is_active() {
            self.moved.push(now.id.clone());
        }
        if before.is_some_and(|before| before.name() != now.name()) {
            self.renamed.push(now.id.clone());
        }
        self.people.push(now);
    }

    /// Adds a user group, as [`DirectoryChanges::add_person`].
    pub fn add_group(&mut self, before: Option<&Group>, now: Group) {
        if before == Some(&now) {
            return;
        }
        if before.is_none_or(|before| before.users != now.users) {
            self.regrouped.push(now.id.clone());
        }
        self.groups.push(now);
    }

    /// Adds a channel, as [`DirectoryChanges::add_person`]. The topic is not compared.
    pub fn add_channel(&mut self, before: Option<&Channel>, now: Channel) {
        let same = before.is_some_and(|before| {
            let topic = before.topic.clone();
            *before
                == Channel {
                    topic,
                    ..now.clone()
                }
        });
        if !same {
            self.channels.push(now);
        }
    }

    /// Whether records change. Who is away is no record.
    pub fn changes_records(&self) -> bool {
        self.team.is_some()
            || !self.people.is_empty()
            || !self.groups.is_empty()
            || !self.lost_groups.is_empty()
            || !self.channels.is_empty()
            || !self.lost_channels.is_empty()
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        !self.changes_records()
            && self.away.is_empty()
            && self.switched.is_empty()
            && self.replaced.is_empty()
    }
}

#[cfg(test)]
mod tests;
