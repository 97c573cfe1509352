//! Reads people, rooms and groups: the members of the space, the rooms that it lists, and the rooms of the account.

use super::api::{Call, Matrix};
use super::power::Deed;
use super::room::{Room, local_part, server_of};
use super::rooms::Rooms;
use super::seen::{Direct, Zone};
use crate::chat::{CallError, FoundPerson, Known};
use crate::client::encode_fields;
use crate::domain::directory::{Channel, Directory, Group, Person, Source, Team};
use crate::domain::directory_reading::{Reading, Replaced};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::domain::wording::one_line;
use crate::domain::zones::ZoneName;
use crate::runtime::clock::monotonic;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// The rooms of a page of the hierarchy.
const PAGE: &str = "100";

/// The most pages.
const MOST_PAGES: usize = 1_000;

/// How long a time zone counts before it is asked for again.
const ZONE_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// How many known people are asked for their time zones in one reading.
const ZONES_AGAIN: usize = 100;

/// Reads the whole directory. Invitations are answered meanwhile.
///
/// # Errors
/// Of the first call that fails. Then there is no reading.
pub(super) fn read(
    matrix: &Matrix,
    team: Team,
    known: &Known,
    deadline: Instant,
) -> Result<Reading, CallError> {
    let me = matrix.me()?;
    let space = team.id.clone();
    let listed = match joined_members(matrix, &space) {
        // Whoever removes rota from the space does not want it back before they invite it.
        Err(CallError::Refused(_)) if matrix.accept_space(&space)? => {
            joined_members(matrix, &space)?
        }
        Err(error @ CallError::Refused(_)) => {
            let called = team.name.as_deref().unwrap_or(&space);
            matrix.health.set_outside(Some(format!(
                "rota is not in the space {called}; invite it"
            )));
            return Err(error);
        }
        listed => listed?,
    };
    matrix.health.set_outside(None);
    let accounts = listed.len();
    let state = matrix.room(&space)?;
    note_upgrade(matrix, &state);
    let mut people = Vec::with_capacity(listed.len());
    for (id, member) in &listed {
        people.extend(person(matrix, &state, (id, member), &me));
    }
    set_zones(matrix, &mut people, known, deadline);
    let mut rooms = matrix.rooms()?;
    if matrix.answer_invitations(&rooms, &people, &space)? {
        rooms = matrix.rooms()?;
    }
    let channels = channels(matrix, &space, &rooms)?;
    let ids: BTreeSet<&UserId> = people.iter().map(|person| &person.id).collect();
    let groups = groups(matrix, (&rooms, &space, &me), &ids, known)?;
    let replaced = replaced(&rooms);
    let own_name = listed.get(&me).and_then(|own| own["display_name"].as_str());
    matrix.seen().own_name = own_name.map(one_line);
    matrix.seen().people = people.iter().map(|person| person.id.clone()).collect();
    see(matrix, rooms, &me);
    let directory = Directory {
        team: Team {
            name: state.name.or(team.name),
            ..team
        },
        people,
        groups,
        channels,
        handles: Vec::new(),
        phones: BTreeMap::new(),
    };
    Ok(Reading {
        directory,
        away: BTreeMap::new(),
        disabled: BTreeMap::new(),
        accounts,
        replaced,
    })
}

/// A space that was upgraded stays the workspace while the server runs: nobody is in the new one at first.
fn note_upgrade(matrix: &Matrix, space: &Room) {
    let notice = space.replaced_by.as_ref().map(|new| {
        format!(
            "the space {} was upgraded to {new}, which counts from the next start with matrix.space = \"{new}\", or with an alias \
             that leads there",
            space.called()
        )
    });
    if matrix.health.set_notice(notice.clone()) {
        log::warn!("matrix: {}", notice.unwrap_or_default());
    }
}

/// One member of the space.
///
/// # Errors
/// Those of every call.
pub(super) fn read_person(
    matrix: &Matrix,
    space: &str,
    user: &UserId,
) -> Result<Option<FoundPerson>, CallError> {
    let me = matrix.me()?;
    let listed = joined_members(matrix, space)?;
    let Some(member) = listed.get(user.as_str()) else {
        return Ok(None);
    };
    let state = matrix.room(space)?;
    let person = person(matrix, &state, (user.as_str(), member), &me);
    Ok(person.map(|mut person| {
        person.time_zone = zone(matrix, user);
        FoundPerson { person, away: None }
    }))
}

/// One room that the space lists.
///
/// # Errors
/// Those of every call.
pub(super) fn read_channel(
    matrix: &Matrix,
    space: &str,
    id: &ChannelId,
) -> Result<Option<Channel>, CallError> {
    let rooms = matrix.rooms()?;
    let found = channels(matrix, space, &rooms)?;
    Ok(found.into_iter().find(|channel| channel.id == *id))
}

fn joined_members(matrix: &Matrix, room: &str) -> Result<BTreeMap<String, Value>, CallError> {
    let call = Call::get("joined_members", &["v3", "rooms", room, "joined_members"]);
    let answer = matrix.call(&call)?;
    let Some(joined) = answer["joined"].as_object() else {
        let why = "joined_members answers without joined";
        return Err(CallError::Transient(why.into()));
    };
    Ok(joined.clone().into_iter().collect())
}

impl Matrix {
    /// The whole state of a room.
    ///
    /// # Errors
    /// Those of every call; [`CallError::Refused`] where the account is not in it.
    pub(super) fn room(&self, id: &str) -> Result<Room, CallError> {
        let answer = self.state_events(id)?;
        Ok(Room::read(id, &answer))
    }

    fn state_events(&self, id: &str) -> Result<Vec<Value>, CallError> {
        self.call_list(&Call::get("state", &["v3", "rooms", id, "state"]))
    }
}

/// The person of a member; `None` for the account itself and for bots.
fn person(matrix: &Matrix, space: &Room, (id, member): (&str, &Value), me: &str) -> Option<Person> {
    let id = Some(id).filter(|id| id.starts_with('@') && *id != me)?;
    let user = UserId::from(id);
    if matrix.settings.ignore.contains(&user) {
        return None;
    }
    let name = one_line(member["display_name"].as_str().unwrap_or_default());
    let name = match name.trim() {
        "" => local_part(id),
        name => name,
    };
    Some(Person {
        team_id: space.id.clone(),
        display_name: Some(name.to_owned()),
        real_name: Some(name.to_owned()),
        email: None,
        is_guest: false,
        is_external: false,
        is_deleted: false,
        is_admin: space.powers.allow(id, Deed::Administer),
        // Homeservers give pictures to those who are signed in there alone.
        avatar_url: None,
        time_zone: None,
        handle: None,
        source: Source::Matrix,
        zone_is_own: false,
        id: user,
    })
}

/// Asks for the time zones of new people, and once a day for those of the others, some at a time.
fn set_zones(matrix: &Matrix, people: &mut [Person], known: &Known, deadline: Instant) {
    let before: HashMap<&UserId, &Person> = (known.directory.people.iter())
        .map(|one| (&one.id, one))
        .collect();
    let mut again = ZONES_AGAIN;
    for person in people {
        let kept = matrix.seen().zones.get(&person.id).cloned();
        let is_fresh = kept
            .as_ref()
            .is_some_and(|kept| kept.asked_at.elapsed() < ZONE_KEPT);
        let stored = before.get(&person.id).map(|known| known.time_zone.clone());
        let may_ask = (stored.is_none() || again > 0) && monotonic() < deadline;
        person.time_zone = match (kept, stored) {
            (Some(kept), _) if is_fresh || !may_ask => kept.name,
            (None, stored) if !may_ask => stored.flatten(),
            (_, stored) => {
                again = again.saturating_sub(usize::from(stored.is_some()));
                zone(matrix, &person.id)
            }
        };
    }
}

/// The time zone of somebody's profile.
fn zone(matrix: &Matrix, user: &UserId) -> Option<String> {
    let call = Call::get("profile", &["v3", "profile", user.as_str()]);
    let profile = match matrix.call(&call) {
        Ok(profile) => profile,
        Err(CallError::Refused(_)) => Value::Null,
        // Asked again with the next reading.
        Err(_) => {
            return matrix
                .seen()
                .zones
                .get(user)
                .and_then(|kept| kept.name.clone());
        }
    };
    let name = profile["m.tz"].as_str();
    let name = name
        .filter(|name| ZoneName::parse(name).is_ok())
        .map(str::to_owned);
    let asked_at = monotonic();
    let kept = Zone {
        name: name.clone(),
        asked_at,
    };
    matrix.seen().zones.insert(user.clone(), kept);
    name
}

/// The rooms that the space, or a space in it, lists.
///
/// # Errors
/// Those of every call.
pub(super) fn channels(
    matrix: &Matrix,
    space: &str,
    rooms: &Rooms,
) -> Result<Vec<Channel>, CallError> {
    let (mut entries, mut children) = (Vec::new(), BTreeSet::new());
    let mut from: Option<String> = None;
    for page in 0.. {
        if page == MOST_PAGES {
            return Err(CallError::Transient(
                "hierarchy: the pages do not end".into(),
            ));
        }
        let mut fields = vec![("limit", PAGE)];
        fields.extend(from.as_deref().map(|from| ("from", from)));
        let call = Call::get("hierarchy", &["v1", "rooms", space, "hierarchy"]);
        let answer = matrix.call(&call.query(&encode_fields(&fields)))?;
        let Some(list) = answer["rooms"].as_array() else {
            return Err(CallError::Transient(
                "hierarchy answers without rooms".into(),
            ));
        };
        for entry in list {
            for child in entry["children_state"].as_array().into_iter().flatten() {
                let is_listed = child["content"]["via"]
                    .as_array()
                    .is_some_and(|via| !via.is_empty());
                children.extend(
                    child["state_key"]
                        .as_str()
                        .filter(|_| is_listed)
                        .map(str::to_owned),
                );
            }
            entries.push(entry.clone());
        }
        let next = answer["next_batch"].as_str().map(str::to_owned);
        if next.is_none() || next == from {
            break;
        }
        from = next;
    }
    let is_direct = direct_rooms(rooms);
    // The space goes on to list a room that was upgraded.
    let taken: BTreeMap<&str, &Room> = children
        .iter()
        .filter_map(|id| Some((id.as_str(), newest(id, rooms)?)))
        .collect();
    let found = entries.iter().filter_map(|entry| {
        let channel = channel(entry, space, rooms)?;
        let id = channel.id.as_str();
        let is_listed = children.contains(id) && !is_direct.contains(id);
        (is_listed && !taken.contains_key(id)).then_some(channel)
    });
    let mut found: Vec<Channel> = found.collect();
    for room in taken.values() {
        let channel = channel_of(room, space);
        if !found.iter().any(|known| known.id == channel.id) {
            found.push(channel);
        }
    }
    Ok(found)
}

/// The room of ours that took the place of another one of ours, itself or by way of others; `None` if none did.
fn newest<'a>(id: &str, rooms: &'a Rooms) -> Option<&'a Room> {
    let next = |room: &'a Room| -> Option<&'a Room> {
        let new = rooms.joined.get(room.replaced_by.as_ref()?)?;
        (new.predecessor.as_ref() == Some(&room.id)).then_some(new)
    };
    let mut newest = next(rooms.joined.get(id)?)?;
    // Rooms could claim to follow one another in a circle.
    for _ in 0..rooms.joined.len() {
        let Some(newer) = next(newest) else {
            return Some(newest);
        };
        newest = newer;
    }
    None
}

/// The rooms whose place others took.
fn replaced(rooms: &Rooms) -> Vec<Replaced> {
    let pair = |old: &Room| {
        Some(Replaced {
            old: old.id.clone(),
            new: newest(&old.id, rooms)?.id.clone(),
        })
    };
    rooms.joined.values().filter_map(pair).collect()
}

/// A room of ours as a channel.
fn channel_of(room: &Room, space: &str) -> Channel {
    let is_open = room.is_public || room.allows.iter().any(|allowed| allowed == space);
    Channel {
        id: ChannelId::from(room.id.as_str()),
        team_id: space.to_owned(),
        name: Some(room.called().to_owned()),
        is_private: !is_open,
        app_is_member: true,
        topic: None,
        source: Source::Matrix,
    }
}

/// The room of an entry of the hierarchy; `None` for a space.
fn channel(entry: &Value, space: &str, rooms: &Rooms) -> Option<Channel> {
    let id = entry["room_id"].as_str().filter(|id| id.starts_with('!'))?;
    let joined = rooms.joined.get(id);
    let is_space = entry["room_type"] == "m.space" || joined.is_some_and(|room| room.is_space);
    // One that was upgraded stays until the new one is taken.
    if id == space || is_space {
        return None;
    }
    let text = |name: &str| {
        entry[name]
            .as_str()
            .map(one_line)
            .filter(|text| !text.trim().is_empty())
    };
    let name = text("name").or_else(|| text("canonical_alias"));
    let name = name.unwrap_or_else(|| id.to_owned());
    let rule = entry["join_rule"].as_str().unwrap_or_default();
    let allowed = entry["allowed_room_ids"].as_array().into_iter().flatten();
    let for_space = allowed
        .filter_map(Value::as_str)
        .any(|allowed| allowed == space)
        || joined.is_some_and(|room| room.allows.iter().any(|allowed| allowed == space));
    let is_open = match rule {
        "public" => true,
        "restricted" | "knock_restricted" => for_space,
        _ => false,
    };
    Some(Channel {
        id: ChannelId::from(id),
        team_id: space.to_owned(),
        name: Some(name.trim().to_owned()),
        is_private: !is_open,
        app_is_member: joined.is_some(),
        topic: None,
        source: Source::Matrix,
    })
}

/// The ids of direct rooms.
fn direct_rooms(rooms: &Rooms) -> BTreeSet<&str> {
    let called = rooms.direct.values().flatten().map(String::as_str);
    let made = rooms
        .joined
        .values()
        .filter(|room| room.direct_with.is_some());
    called.chain(made.map(|room| room.id.as_str())).collect()
}

/// The rooms of the account that are groups of people.
fn groups(
    matrix: &Matrix,
    (rooms, space, me): (&Rooms, &str, &str),
    people: &BTreeSet<&UserId>,
    known: &Known,
) -> Result<Vec<Group>, CallError> {
    let direct = direct_rooms(rooms);
    let mut groups = Vec::new();
    let mut invited = HashMap::new();
    for room in rooms.joined.values() {
        let id = room.id.as_str();
        let is_group = !room.is_public && !room.is_space && id != space && !direct.contains(id);
        if !is_group || newest(id, rooms).is_some() {
            continue;
        }
        let before = (known.directory.groups.iter()).find(|group| group.id.as_str() == id);
        // A room that was upgraded has lost its alias, and stays a group until the new one is taken.
        let old_handle = before.filter(|_| room.replaced_by.is_some());
        let old_handle = old_handle.and_then(|group| group.handle.as_deref());
        let Some(handle) = room.handle_on(server_of(me)).or(old_handle) else {
            continue;
        };
        let id = GroupId::from(room.id.as_str());
        let is_filled = known.filled.contains(&id);
        let members = matrix.members(&room.id)?;
        let of = |membership: &str| -> Vec<UserId> {
            let members = members
                .iter()
                .filter(|(_, member)| member.membership == membership);
            let members = members.map(|(user, _)| UserId::from(user.as_str()));
            members.filter(|user| people.contains(user)).collect()
        };
        let mut users = of("join");
        if is_filled {
            let waiting = of("invite");
            users.extend(waiting.iter().cloned());
            invited.insert(id.clone(), waiting);
        }
        let before = before.map_or(&[][..], |group| &group.users);
        in_order(&mut users, before);
        groups.push(Group {
            id,
            team_id: space.to_owned(),
            name: Some(room.called().to_owned()),
            handle: Some(handle.to_owned()),
            users,
            source: Source::Matrix,
        });
    }
    matrix.seen().invited = invited;
    Ok(groups)
}

/// Puts people in the order in which they are known; those who are new come last, by their ids.
fn in_order(users: &mut [UserId], before: &[UserId]) {
    let place = |user: &UserId| {
        before
            .iter()
            .position(|known| known == user)
            .unwrap_or(before.len())
    };
    users.sort_by(|a, b| (place(a), a).cmp(&(place(b), b)));
}

/// Keeps what was seen of the rooms.
fn see(matrix: &Matrix, rooms: Rooms, me: &str) {
    let mut direct = HashMap::new();
    for (user, ids) in &rooms.direct {
        let found = ids.iter().find_map(|id| rooms.joined.get(id));
        if let Some(room) = found.filter(|_| user != me) {
            let direct_room = Direct {
                room: room.id.clone(),
                is_joined: room.joined > 1,
            };
            direct.insert(UserId::from(user.as_str()), direct_room);
        }
    }
    let direct_rooms = direct_rooms(&rooms)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut seen = matrix.seen();
    seen.direct_rooms = direct_rooms;
    seen.direct = direct;
    seen.rooms = rooms.joined;
    seen.is_read = true;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn people_of_groups_keep_their_order() {
        for (found, before, expected) in [
            ("a b c", "", "a b c"),
            ("a b c", "c a", "c a b"),
            ("a c", "c b a", "c a"),
            ("d a b", "b", "b a d"),
        ] {
            let ids =
                |text: &str| -> Vec<UserId> { text.split_whitespace().map(Into::into).collect() };
            let mut users = ids(found);
            in_order(&mut users, &ids(before));
            assert_eq!(users, ids(expected), "{found} / {before}");
        }
    }

    #[test]
    fn rooms_take_the_place_of_others() {
        let mut rooms = Rooms::default();
        for (id, replaced_by, predecessor) in [
            ("!a", "!b", ""),
            ("!b", "!c", "!a"),
            ("!c", "", "!b"),
            // The new room does not say so, or is not ours.
            ("!d", "!c", ""),
            ("!e", "!gone", ""),
            ("!f", "!g", "!g"),
            ("!g", "!f", "!f"),
        ] {
            let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            let room = Room {
                id: id.into(),
                replaced_by: some(replaced_by),
                predecessor: some(predecessor),
                ..Room::default()
            };
            rooms.joined.insert(id.into(), room);
        }
        let found = replaced(&rooms);
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.old.as_str(), one.new.as_str()))
            .collect();
        assert_eq!(found, [("!a", "!c"), ("!b", "!c")]);
    }

    #[test]
    fn rooms_that_a_space_lists_are_read() {
        let read = |entry: Value| {
            let found = channel(&entry, "!space", &Rooms::default())?;
            let private = if found.is_private { "private" } else { "open" };
            Some(format!("{} {private}", found.name.unwrap_or_default()))
        };
        for (entry, expected) in [
            (
                json!({ "room_id": "!r", "name": "Duty", "join_rule": "public" }),
                Some("Duty open"),
            ),
            (
                json!({ "room_id": "!r", "canonical_alias": "#d:a", "join_rule": "restricted", "allowed_room_ids": ["!space"] }),
                Some("#d:a open"),
            ),
            (
                json!({ "room_id": "!r", "join_rule": "knock_restricted", "allowed_room_ids": ["!other"] }),
                Some("!r private"),
            ),
            (
                json!({ "room_id": "!r", "join_rule": "invite" }),
                Some("!r private"),
            ),
            (json!({ "room_id": "!r" }), Some("!r private")),
            (json!({ "room_id": "!r", "room_type": "m.space" }), None),
            (json!({ "room_id": "!space" }), None),
            (json!({ "room_id": 5 }), None),
        ] {
            assert_eq!(read(entry.clone()).as_deref(), expected, "{entry}");
        }
    }
}
