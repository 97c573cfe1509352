//! Replaces the directory's rows by an import.

use super::{
    CHANNELS, Channel, Directory, Group, Handle, Order, PEOPLE, Person, Source, every, load_group,
    people_of_group, save_phone,
};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::store::departed::end_access_of_deactivated;
use crate::store::meta::{SETUP_LINK, note_import, remove_fact, save_team};
use crate::store::{Result, WriteTx, agenda, note_hidden_feeds, turn_invitation};
use rusqlite::{Params, params};
use std::collections::HashSet;

/// Replaces the directory of the file. Missing people stay as deleted rows; missing groups and channels are deleted. What has
/// another source than a file stays as it is where it is missing. Within a group, existing people keep the given order and new
/// ones follow.
///
/// Changes only the directory's rows; the caller updates the rotations. Every id in a group must be among `people` or already
/// stored.
pub fn replace_directory(tx: &mut WriteTx, directory: &Directory) -> Result<()> {
    tx.note_credentials();
    note_import(tx)?;
    save_team(tx, &directory.team)?;
    replace_people(tx, &directory.people)?;
    for person in &directory.people {
        let phone = directory.phones.get(&person.id).map(String::as_str);
        save_phone(tx, &person.id, phone)?;
    }
    replace_groups(tx, &directory.groups)?;
    replace_channels(tx, &directory.channels)?;
    replace_handles(tx, &directory.handles)?;
    note_hidden_feeds(tx, None)
}

fn replace_handles(tx: &mut WriteTx, handles: &[Handle]) -> Result<()> {
    let sql =
        "DELETE FROM person_handle WHERE user_id IN (SELECT id FROM person WHERE source = 'file')";
    run(tx, sql, [])?;
    let sql = "INSERT INTO person_handle (user_id, channel_id, handle) VALUES (?1, ?2, ?3)";
    for Handle {
        user,
        channel,
        handle,
    } in handles
    {
        run(tx, sql, params![user.as_str(), channel.as_str(), handle])?;
    }
    Ok(())
}

fn replace_people(tx: &mut WriteTx, people: &[Person]) -> Result<()> {
    let kept: HashSet<&UserId> = people.iter().map(|person| &person.id).collect();
    for person in every(&tx.as_read(), &PEOPLE)? {
        let is_gone = person.source == Source::File && !kept.contains(&person.id);
        if !person.is_deleted && is_gone {
            run(
                tx,
                "UPDATE person SET is_deleted = 1 WHERE id = ?1",
                [person.id.as_str()],
            )?;
        }
    }
    for person in people {
        save_person(tx, person)?;
    }
    end_access_of_deactivated(tx)
}

/// Inserts or updates a person.
pub(super) fn save_person(tx: &mut WriteTx, person: &Person) -> Result<()> {
    let sql = "INSERT INTO person (id, team_id, display_name, real_name, email, is_guest, is_external, is_deleted, \
               is_admin, avatar_url, time_zone, sort_name, handle, source, zone_is_own) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) \
               ON CONFLICT (id) DO UPDATE SET team_id = excluded.team_id, display_name = excluded.display_name, \
               real_name = excluded.real_name, email = excluded.email, is_guest = excluded.is_guest, \
               is_external = excluded.is_external, is_deleted = excluded.is_deleted, is_admin = excluded.is_admin, \
               avatar_url = excluded.avatar_url, time_zone = excluded.time_zone, sort_name = excluded.sort_name, \
               handle = excluded.handle, source = excluded.source, zone_is_own = excluded.zone_is_own";
    let name = person
        .display_name
        .as_deref()
        .or(person.real_name.as_deref());
    let values = params![
        person.id.as_str(),
        person.team_id,
        person.display_name,
        person.real_name,
        person.email,
        person.is_guest,
        person.is_external,
        person.is_deleted,
        person.is_admin,
        person.avatar_url,
        person.time_zone,
        sort_name(name, person.id.as_str()),
        person.handle,
        person.source.name(),
        person.zone_is_own,
    ];
    turn_invitation::address_may_move(tx, person.id.as_str(), person.email.as_deref())?;
    run(tx, sql, values)?;
    if person.is_admin && person.is_active() {
        // Whoever administers the workspace makes the next ones.
        remove_fact(tx, SETUP_LINK)?;
    }
    agenda::summary_may_move(tx, person.id.as_str())
}

fn replace_groups(tx: &mut WriteTx, groups: &[Group]) -> Result<()> {
    // The previous people of a group decide who is new, so they are read before the rows are deleted.
    let mut orders = Vec::new();
    for group in groups {
        let before = people_of_group(&tx.as_read(), &group.id, Order::Duty)?;
        let platform = people_of_group(&tx.as_read(), &group.id, Order::Platform)?;
        orders.push(newcomers_last(&before, &platform, &group.users));
    }
    run(tx, "DELETE FROM user_group WHERE source = 'file'", [])?;
    for group in groups {
        remove_group(tx, &group.id)?;
    }
    for (group, order) in groups.iter().zip(orders) {
        write_group(tx, group)?;
        write_people(tx, group, &order)?;
    }
    Ok(())
}

/// Inserts a user group that the platform has created.
pub fn insert_group(tx: &mut WriteTx, group: &Group) -> Result<()> {
    write_group(tx, group)?;
    write_people(tx, group, &group.users.iter().collect::<Vec<_>>())
}

/// Replaces the people of a user group by those that the platform has now.
pub fn replace_group_people(tx: &mut WriteTx, group: &GroupId, users: &[UserId]) -> Result<()> {
    let Some(existing) = load_group(&tx.as_read(), group)? else {
        return Ok(());
    };
    let users = users.to_vec();
    let group = Group { users, ..existing };
    let before = people_of_group(&tx.as_read(), &group.id, Order::Duty)?;
    let platform = people_of_group(&tx.as_read(), &group.id, Order::Platform)?;
    let order = newcomers_last(&before, &platform, &group.users);
    run(
        tx,
        "DELETE FROM user_group_person WHERE group_id = ?1",
        [group.id.as_str()],
    )?;
    write_people(tx, &group, &order)
}

/// Inserts a user group, or updates its names and people. Rotations that follow it keep their rows.
pub(super) fn save_group(tx: &mut WriteTx, group: &Group) -> Result<()> {
    let Some(known) = load_group(&tx.as_read(), &group.id)? else {
        return insert_group(tx, group);
    };
    let names = |one: &Group| (one.team_id.clone(), one.name.clone(), one.handle.clone());
    if names(&known) != names(group) || known.source != group.source {
        let name = group.name.as_deref().or(group.handle.as_deref());
        let sort_name = sort_name(name, group.id.as_str());
        let sql = "UPDATE user_group SET team_id = ?2, name = ?3, handle = ?4, sort_name = ?5, source = ?6
                   WHERE id = ?1";
        let (id, source) = (group.id.as_str(), group.source.name());
        let values = params![
            id,
            group.team_id,
            group.name,
            group.handle,
            sort_name,
            source
        ];
        run(tx, sql, values)?;
    }
    match people_of_group(&tx.as_read(), &group.id, Order::Platform)? == group.users {
        true => Ok(()),
        false => replace_group_people(tx, &group.id, &group.users),
    }
}

/// Deletes a user group with its people.
pub(super) fn remove_group(tx: &mut WriteTx, group: &GroupId) -> Result<()> {
    run(tx, "DELETE FROM user_group WHERE id = ?1", [group.as_str()])
}

fn write_group(tx: &mut WriteTx, group: &Group) -> Result<()> {
    let name = group.name.as_deref().or(group.handle.as_deref());
    let id = group.id.as_str();
    let sql = "INSERT INTO user_group (id, team_id, name, handle, sort_name, source) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let (sort_name, source) = (sort_name(name, id), group.source.name());
    let values = params![
        id,
        group.team_id,
        group.name,
        group.handle,
        sort_name,
        source
    ];
    run(tx, sql, values)
}

fn write_people(tx: &mut WriteTx, group: &Group, order: &[&UserId]) -> Result<()> {
    let sql = "INSERT INTO user_group_person (group_id, position, platform_position, user_id) \
               VALUES (?1, ?2, ?3, ?4)";
    for (position, user) in order.iter().enumerate() {
        let on_platform = group.users.iter().position(|listed| listed == *user);
        let on_platform = on_platform.unwrap_or_default() as i64;
        let values = params![
            group.id.as_str(),
            position as i64,
            on_platform,
            user.as_str()
        ];
        run(tx, sql, values)?;
    }
    Ok(())
}

/// Saves the current topic of a channel; an empty one is stored as none.
pub fn save_channel_topic(tx: &mut WriteTx, channel: &ChannelId, topic: &str) -> Result<()> {
    let topic = Some(topic).filter(|topic| !topic.is_empty());
    let sql = "UPDATE channel SET topic = ?2 WHERE id = ?1";
    run(tx, sql, params![channel.as_str(), topic])
}

/// The order of duty: existing people in their previous order, or in the platform's if it has changed their relative order,
/// then the new people.
pub(super) fn newcomers_last<'a>(
    before: &[UserId],
    platform: &[UserId],
    now: &'a [UserId],
) -> Vec<&'a UserId> {
    let existing: HashSet<&UserId> = before.iter().collect();
    let listed: HashSet<&UserId> = now.iter().collect();
    let (mut staying, newcomers): (Vec<_>, Vec<_>) =
        now.iter().partition(|user| existing.contains(user));
    let stayed = platform.iter().filter(|user| listed.contains(user));
    if staying.iter().copied().eq(stayed) {
        staying.sort_by_key(|user| before.iter().position(|existing| existing == *user));
    }
    staying.into_iter().chain(newcomers).collect()
}

fn replace_channels(tx: &mut WriteTx, channels: &[Channel]) -> Result<()> {
    let kept: HashSet<&ChannelId> = channels.iter().map(|channel| &channel.id).collect();
    for channel in every(&tx.as_read(), &CHANNELS)? {
        if channel.source == Source::File && !kept.contains(&channel.id) {
            remove_channel(tx, &channel.id)?;
        }
    }
    for channel in channels {
        save_channel(tx, channel)?;
    }
    Ok(())
}

/// Deletes a channel. What rota wrote there is gone with the topic.
pub(super) fn remove_channel(tx: &mut WriteTx, channel: &ChannelId) -> Result<()> {
    let id = channel.as_str();
    run(tx, "DELETE FROM channel WHERE id = ?1", [id])?;
    let sql = "UPDATE channel_topic SET written = NULL, writing = NULL WHERE channel_id = ?1";
    run(tx, sql, [id])
}

/// Inserts or updates a channel. A topic of `None` keeps the stored one.
pub(super) fn save_channel(tx: &mut WriteTx, channel: &Channel) -> Result<()> {
    let sql = "INSERT INTO channel (id, team_id, name, is_private, app_is_member, topic, sort_name, source) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
               ON CONFLICT (id) DO UPDATE SET team_id = excluded.team_id, name = excluded.name, \
               is_private = excluded.is_private, app_is_member = excluded.app_is_member, \
               topic = coalesce(excluded.topic, topic), sort_name = excluded.sort_name, source = excluded.source";
    let values = params![
        channel.id.as_str(),
        channel.team_id,
        channel.name,
        channel.is_private,
        channel.app_is_member,
        channel.topic,
        sort_name(channel.name.as_deref(), channel.id.as_str()),
        channel.source.name(),
    ];
    run(tx, sql, values)
}

fn sort_name(name: Option<&str>, id: &str) -> String {
    name.unwrap_or(id).to_lowercase()
}

pub(super) fn run(tx: &mut WriteTx, sql: &str, values: impl Params) -> Result<()> {
    tx.run(sql, values).map(drop)
}
