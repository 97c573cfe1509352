//! Events of the platform about single people, user groups and channels while its directory is read in full: that is newer than
//! what the reading has of them (rules.md 17).

use super::{Reading, StoredDirectory};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use std::collections::HashSet;

/// Whom and what the platform said something of. What it said is stored, or is about to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub people: HashSet<UserId>,
    pub groups: HashSet<GroupId>,
    pub channels: HashSet<ChannelId>,
}

impl Said {
    /// Of one person.
    pub fn person(id: &UserId) -> Said {
        Said {
            people: HashSet::from([id.clone()]),
            ..Said::default()
        }
    }

    /// Of one user group.
    pub fn group(id: &GroupId) -> Said {
        Said {
            groups: HashSet::from([id.clone()]),
            ..Said::default()
        }
    }

    /// Of one channel.
    pub fn channel(id: &ChannelId) -> Said {
        Said {
            channels: HashSet::from([id.clone()]),
            ..Said::default()
        }
    }

    /// Adds what was said of others.
    pub fn add(&mut self, more: Said) {
        self.people.extend(more.people);
        self.groups.extend(more.groups);
        self.channels.extend(more.channels);
    }
}

impl Reading {
    /// Replaces the records that something was said of since the reading began by those that are stored.
    ///
    /// People and user groups that are not stored stay as they were read: they are new, and what was said of them is stored
    /// after the reading. A channel that is not stored is gone.
    #[must_use]
    pub fn giving_way(mut self, said: &Said, stored: &StoredDirectory) -> Reading {
        let (read, known) = (&mut self.directory, &stored.directory);
        let people = known.people.iter();
        let people: Vec<_> = people.filter(|one| said.people.contains(&one.id)).collect();
        let ids: HashSet<&UserId> = people.iter().map(|one| &one.id).collect();
        read.people.retain(|one| !ids.contains(&one.id));
        for id in &ids {
            self.away.remove(*id);
            if let Some(until) = stored.away.get(*id) {
                self.away.insert((*id).clone(), *until);
            }
        }
        read.people.extend(people.into_iter().cloned());
        let groups = known.groups.iter();
        let groups: Vec<_> = groups.filter(|one| said.groups.contains(&one.id)).collect();
        let ids: HashSet<&GroupId> = groups.iter().map(|one| &one.id).collect();
        read.groups.retain(|one| !ids.contains(&one.id));
        read.groups.extend(groups.into_iter().cloned());
        self.disabled.retain(|id, _| !said.groups.contains(id));
        read.channels.retain(|one| !said.channels.contains(&one.id));
        let channels = known.channels.iter();
        let channels = channels.filter(|one| said.channels.contains(&one.id));
        read.channels.extend(channels.cloned());
        self
    }
}
