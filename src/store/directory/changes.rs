//! Writes the differences that a reading of the chat platform's directory found, and who is away by their chat status.

use super::load_directory;
use super::replace::{remove_channel, remove_group, run, save_channel, save_group, save_person};
use crate::domain::directory_reading::{
    AwayChange, AwayInChat, DirectoryChanges, Replaced, StoredDirectory,
};
use crate::domain::ids::{ChannelId, GroupId, RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::chat_sync::list_duty_groups;
use crate::store::departed::end_access_of_deactivated;
use crate::store::meta::{note_import, save_team};
use crate::store::rows::{ids, instant_or_none, json, millis};
use crate::store::{ReadTx, Result, WriteTx, note_hidden_feeds};
use jiff::Timestamp;
use rusqlite::params;

/// Writes changes of the directory. Only rows that differ are written; the caller updates the rotations.
pub fn apply_directory_changes(tx: &mut WriteTx, changes: &DirectoryChanges) -> Result<()> {
    if changes.changes_records() {
        note_import(tx)?;
    }
    if let Some(team) = &changes.team {
        save_team(tx, team)?;
    }
    for person in &changes.people {
        save_person(tx, person)?;
    }
    if !changes.people.is_empty() {
        tx.note_credentials();
    }
    if changes.people.iter().any(|person| person.is_deleted) {
        end_access_of_deactivated(tx)?;
    }
    for group in &changes.groups {
        save_group(tx, group)?;
    }
    for group in &changes.lost_groups {
        remove_group(tx, group)?;
    }
    for channel in &changes.channels {
        save_channel(tx, channel)?;
    }
    for channel in &changes.lost_channels {
        remove_channel(tx, channel)?;
    }
    for replaced in &changes.replaced {
        replace_room(tx, replaced)?;
    }
    for (user, change) in &changes.away {
        save_away(tx, user, *change)?;
    }
    match changes.changes_records() {
        true => note_hidden_feeds(tx, None),
        false => Ok(()),
    }
}

fn save_away(tx: &mut WriteTx, user: &UserId, change: AwayChange) -> Result<()> {
    match change {
        AwayChange::Away(until) => {
            let sql = "INSERT INTO chat_away (user_id, until_at) VALUES (?1, ?2)
                       ON CONFLICT (user_id) DO UPDATE SET until_at = excluded.until_at";
            run(tx, sql, params![user.as_str(), until.map(millis)])
        }
        AwayChange::Back => run(
            tx,
            "DELETE FROM chat_away WHERE user_id = ?1",
            [user.as_str()],
        ),
    }
}

/// The directory with everything that a reading is compared with.
pub fn load_stored_directory(tx: &ReadTx) -> Result<StoredDirectory> {
    let mut stored = StoredDirectory {
        directory: load_directory(tx)?,
        away: load_away(tx)?,
        busy: Vec::new(),
        own: Vec::new(),
        disabled: Vec::new(),
    };
    // Readings have no handles: they belong to incoming webhooks.
    stored.directory.handles.clear();
    // Nor have they telephone numbers.
    stored.directory.phones.clear();
    for group in list_duty_groups(tx)? {
        if group.sync.due_at.is_some() {
            stored.busy.push(group.group.clone());
        }
        if group.is_own && group.disabled {
            stored.disabled.push(group.group.clone());
        }
        if group.is_own {
            stored.own.push(group.group);
        }
    }
    Ok(stored)
}

/// Everybody who is away by their chat status, with when that ends. One that has ended stays until the platform says so.
pub fn load_away(tx: &ReadTx) -> Result<AwayInChat> {
    // In the order of the key, so that this counts as a search.
    let sql = "SELECT user_id, until_at FROM chat_away WHERE user_id >= ''";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([])?;
    let mut away = AwayInChat::new();
    while let Some(row) = rows.next()? {
        away.insert(
            row.get::<_, String>(0)?.into(),
            instant_or_none(row.get(1)?)?,
        );
    }
    Ok(away)
}

/// Until when a person is away by their chat status; `None` if they are not.
pub fn load_away_of(tx: &ReadTx, user: &UserId) -> Result<Option<Option<Timestamp>>> {
    let mut query = tx
        .conn
        .prepare_cached("SELECT until_at FROM chat_away WHERE user_id = ?1")?;
    let mut rows = query.query([user.as_str()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(instant_or_none(row.get(0)?)?))
}

/// Whether anybody is away by their chat status. Mostly nobody is, so this check avoids listing members.
pub(in crate::store) fn is_any_away(tx: &ReadTx) -> Result<bool> {
    let mut query = tx
        .conn
        .prepare_cached("SELECT min(user_id) IS NOT NULL FROM chat_away")?;
    Ok(query.query_row([], |row| row.get(0))?)
}

/// The members of a rotation who are away by their chat status. When it began is not known, and only what is still to come
/// matters.
pub(in crate::store) fn away_members(
    tx: &ReadTx,
    rotation: &Rotation,
) -> Result<Vec<(UserId, Interval)>> {
    let members = crate::domain::roster::order(&rotation.members, None);
    let people: Vec<&str> = members.iter().map(|member| member.user.as_str()).collect();
    let sql = "SELECT user_id, until_at FROM chat_away WHERE user_id IN (SELECT value FROM json_each(?1))";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([json(&people)?])?;
    let mut away = Vec::new();
    while let Some(row) = rows.next()? {
        let until = instant_or_none(row.get(1)?)?;
        let period = Interval::new(Timestamp::MIN, until.unwrap_or(Timestamp::MAX));
        away.push((row.get::<_, String>(0)?.into(), period));
    }
    Ok(away)
}

/// The rotations with one of these people as a member, also by a user group, or that follow one of these groups.
pub fn list_rotations_concerned(
    tx: &ReadTx,
    people: &[UserId],
    groups: &[GroupId],
) -> Result<Vec<RotationId>> {
    let people: Vec<&str> = people.iter().map(UserId::as_str).collect();
    let groups: Vec<&str> = groups.iter().map(GroupId::as_str).collect();
    let sql = "SELECT rotation_id FROM rotation_person WHERE user_id IN (SELECT value FROM json_each(?1))
               UNION
               SELECT g.rotation_id FROM user_group_person m JOIN rotation_group g ON g.group_id = m.group_id
               WHERE m.user_id IN (SELECT value FROM json_each(?1))
               UNION
               SELECT rotation_id FROM rotation_group WHERE group_id IN (SELECT value FROM json_each(?2))";
    ids(tx.conn, sql, params![json(&people)?, json(&groups)?])
}

/// The rotations that use channels or user groups with these ids.
pub fn list_rotations_using(tx: &ReadTx, rooms: &[&str]) -> Result<Vec<RotationId>> {
    let sql = "SELECT rotation_id FROM rotation_channel WHERE channel_id IN (SELECT value FROM json_each(?1))
               UNION
               SELECT rotation_id FROM rotation_group WHERE group_id IN (SELECT value FROM json_each(?1))
               UNION
               SELECT id FROM rotation WHERE duty_group_id IN (SELECT value FROM json_each(?1))";
    ids(tx.conn, sql, [json(&rooms)?])
}

/// Has rotations use another channel and user group in the place of one.
fn replace_room(tx: &mut WriteTx, replaced: &Replaced) -> Result<()> {
    for sql in [
        "UPDATE rotation_channel SET channel_id = ?2 WHERE channel_id = ?1",
        "UPDATE rotation_group SET group_id = ?2 WHERE group_id = ?1",
        "UPDATE rotation SET duty_group_id = ?2 WHERE duty_group_id = ?1",
        "UPDATE rotation SET summary = replace(summary, json_quote(?1), json_quote(?2)) WHERE summary IS NOT NULL",
        "UPDATE OR REPLACE duty_group SET group_id = ?2 WHERE group_id = ?1",
        // What rota wrote there stays: nothing can be put back in a room that was left behind.
        "UPDATE OR REPLACE channel_topic SET channel_id = ?2 WHERE channel_id = ?1",
    ] {
        run(tx, sql, params![replaced.old, replaced.new])?;
    }
    Ok(())
}

/// The channels whose topics show who is on call in these rotations.
pub fn list_topics_of(tx: &ReadTx, rotations: &[RotationId]) -> Result<Vec<ChannelId>> {
    let rotations: Vec<&str> = rotations.iter().map(RotationId::as_str).collect();
    let sql = "SELECT DISTINCT channel_id FROM rotation_channel
               WHERE rotation_id IN (SELECT value FROM json_each(?1)) AND syncs_topic";
    ids(tx.conn, sql, [json(&rotations)?])
}
