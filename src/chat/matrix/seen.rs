//! What the last reading saw, with what was done since: for what is said of rooms without asking for them.

use super::room::Room;
use crate::domain::ids::{GroupId, UserId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

/// A direct room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Direct {
    pub room: String,
    /// Whether the person has joined.
    pub is_joined: bool,
}

/// A time zone, and when it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Zone {
    pub name: Option<String>,
    pub asked_at: Instant,
}

/// What was seen.
#[derive(Default)]
pub(super) struct Seen {
    /// The rooms that the account is in.
    pub rooms: BTreeMap<String, Room>,
    pub direct: HashMap<UserId, Direct>,
    /// All rooms that are direct ones.
    pub direct_rooms: BTreeSet<String>,
    /// Our display name in the space.
    pub own_name: Option<String>,
    /// Who is invited to groups that are filled here, and has not joined.
    pub invited: HashMap<GroupId, Vec<UserId>>,
    pub zones: HashMap<UserId, Zone>,
    pub people: BTreeSet<UserId>,
    /// Whether the rooms were read at all.
    pub is_read: bool,
}

impl Seen {
    /// What a room is called.
    pub(super) fn called(&self, room: &str) -> String {
        let room = self.rooms.get(room).map_or(room, Room::called);
        room.to_owned()
    }

    /// Whether somebody is a person, as far as is known.
    pub fn is_person(&self, user: &UserId) -> bool {
        !self.is_read || self.people.contains(user)
    }

    /// Why nothing can be done in a room; `None` if nothing is known that stands against it.
    pub(super) fn trouble(&self, id: &str) -> Option<String> {
        let Some(room) = self.rooms.get(id) else {
            return self.is_read.then(|| not_in(id));
        };
        match &room.replaced_by {
            Some(_) => Some(replaced(room.called())),
            None => room.is_encrypted.then(|| encrypted(room.called())),
        }
    }
}

/// What is said of a room that the account is not in.
pub(super) fn not_in(room: &str) -> String {
    format!("rota is not in the room {room}; invite it")
}

/// What is said of an encrypted room.
pub(super) fn encrypted(room: &str) -> String {
    format!("the room {room} is encrypted, and rota writes only in rooms that are not")
}

/// What is said of a room that was upgraded.
pub(super) fn replaced(room: &str) -> String {
    format!("the room {room} was upgraded, and rota waits for an invitation to the new one")
}
