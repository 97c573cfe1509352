//! Members of rotations as they were before SCIM changed the directory, until the rotations follow.

use super::directory::orders_of_group;
use super::rows::{from_json, instant, json, millis};
use super::which::{Which, of_rotations};
use super::{ReadTx, Result, WriteTx, load_members};
use crate::domain::ids::{GroupId, RotationId, UserId};
use crate::domain::rotation::{GroupMembers, Members};
use jiff::Timestamp;
use rusqlite::{Row, params};

/// The stored form of members.
type Stored = (Vec<String>, Vec<(String, Vec<String>)>);

/// When the directory was changed by SCIM for the first and the last time since rotations followed, by the system's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldSince {
    pub first_at: Timestamp,
    pub last_at: Timestamp,
}

fn stored(members: &Members) -> Stored {
    let ids = |users: &[UserId]| users.iter().map(ToString::to_string).collect();
    let group = |group: &GroupMembers| (group.group.to_string(), ids(&group.users));
    (
        ids(&members.users),
        members.groups.iter().map(group).collect(),
    )
}

fn read(row: &Row, column: usize) -> Result<Members> {
    let (users, groups): Stored = from_json(&row.get::<_, String>(column)?)?;
    let ids = |users: Vec<String>| users.into_iter().map(UserId::from).collect();
    let group = |(group, users): (String, Vec<String>)| GroupMembers {
        group: group.into(),
        users: ids(users),
    };
    Ok(Members {
        users: ids(users),
        groups: groups.into_iter().map(group).collect(),
    })
}

/// The members that are held of each rotation; `None` where none are.
pub(super) fn load_held(tx: &ReadTx, which: &Which) -> Result<Vec<Option<Members>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, members FROM held_members WHERE rotation_id",
        ""
    );
    let found = which.read(tx, sql, &[], |_, row| read(row, 1))?;
    Ok(found.into_iter().map(|mut one| one.pop()).collect())
}

/// Holds the members of a rotation as they are, unless they are held; `at` is in real time. `key` is the id and the name of the
/// key whose change the rotation will follow.
pub fn hold_members(
    tx: &mut WriteTx,
    rotation: &RotationId,
    at: Timestamp,
    (id, name): (&str, &str),
) -> Result<()> {
    let members = json(&stored(&load_members(&tx.as_read(), rotation)?))?;
    let sql = "INSERT INTO held_members (rotation_id, members, first_at, last_at, key_id, key_name)
               VALUES (?1, ?2, ?3, ?3, ?4, ?5)
               ON CONFLICT (rotation_id) DO UPDATE SET
                   last_at = excluded.last_at, key_id = excluded.key_id, key_name = excluded.key_name";
    tx.run(
        sql,
        params![rotation.as_str(), members, millis(at), id, name],
    )
    .map(drop)
}

/// Holds the orders of the people of a user group as they are, unless they are held.
pub fn hold_order(tx: &mut WriteTx, group: &GroupId) -> Result<()> {
    let (duty, platform) = orders_of_group(&tx.as_read(), group)?;
    let ids = |users: Vec<UserId>| -> Vec<String> {
        users.into_iter().map(|user| user.to_string()).collect()
    };
    let orders = json(&(ids(duty), ids(platform)))?;
    let sql = "INSERT INTO held_order (group_id, orders) VALUES (?1, ?2) ON CONFLICT (group_id) DO NOTHING";
    tx.run(sql, [group.as_str(), &orders]).map(drop)
}

/// The orders of the people of a user group by which newcomers are judged, where they are held.
pub(super) fn load_held_order(
    tx: &ReadTx,
    group: &GroupId,
) -> Result<Option<(Vec<UserId>, Vec<UserId>)>> {
    let sql = "SELECT orders FROM held_order WHERE group_id = ?1";
    tx.one(sql, [group.as_str()], |row| {
        let (duty, platform): (Vec<String>, Vec<String>) = from_json(&row.get::<_, String>(0)?)?;
        let ids = |users: Vec<String>| users.into_iter().map(UserId::from).collect();
        Ok((ids(duty), ids(platform)))
    })
}

/// Since when anything is held; `None` where every rotation has followed.
pub fn held_since(tx: &ReadTx) -> Result<Option<HeldSince>> {
    let sql = "SELECT min(first_at), max(last_at) FROM held_members WHERE rotation_id >= ''";
    let since = tx.one(sql, [], |row| {
        let (first, last): (Option<i64>, Option<i64>) = (row.get(0)?, row.get(1)?);
        Ok(first.zip(last))
    })?;
    let Some((first, last)) = since.flatten() else {
        return Ok(None);
    };
    Ok(Some(HeldSince {
        first_at: instant(first)?,
        last_at: instant(last)?,
    }))
}

/// The rotations whose members are held, each with the id and the name of the key whose change they follow.
pub fn list_held(tx: &ReadTx) -> Result<Vec<(RotationId, String, String)>> {
    let sql = "SELECT rotation_id, key_id, key_name FROM held_members WHERE rotation_id >= '' ORDER BY rotation_id";
    tx.list(sql, [], |row| {
        Ok((row.get::<_, String>(0)?.into(), row.get(1)?, row.get(2)?))
    })
}

/// The rotations whose held members have somebody.
pub fn list_holding(tx: &ReadTx, user: &UserId) -> Result<Vec<RotationId>> {
    let found = every(tx)?.into_iter();
    let found = found.filter(|(_, members)| members.contains(user));
    Ok(found.map(|(rotation, _)| rotation).collect())
}

/// Takes somebody out of all held members: they leave at once.
pub fn drop_held(tx: &mut WriteTx, user: &UserId) -> Result<()> {
    for (rotation, mut members) in every(&tx.as_read())? {
        if !members.contains(user) {
            continue;
        }
        members.users.retain(|other| other != user);
        for group in &mut members.groups {
            group.users.retain(|other| other != user);
        }
        let sql = "UPDATE held_members SET members = ?2 WHERE rotation_id = ?1";
        let members = json(&stored(&members))?;
        tx.run(sql, [rotation.as_str(), &members])?;
    }
    Ok(())
}

fn every(tx: &ReadTx) -> Result<Vec<(RotationId, Members)>> {
    let sql = "SELECT rotation_id, members FROM held_members WHERE rotation_id >= '' ORDER BY rotation_id";
    tx.list(sql, [], |row| {
        Ok((row.get::<_, String>(0)?.into(), read(row, 1)?))
    })
}

/// Forgets the members that are held of a rotation: they are those of now.
pub(super) fn release_members(tx: &mut WriteTx, rotation: &RotationId) -> Result<()> {
    let sql = "DELETE FROM held_members WHERE rotation_id = ?1";
    tx.run(sql, [rotation.as_str()]).map(drop)
}

/// Forgets everything that is held.
pub fn release_all(tx: &mut WriteTx) -> Result<()> {
    tx.run("DELETE FROM held_members WHERE rotation_id >= ''", [])?;
    tx.run("DELETE FROM held_order WHERE group_id >= ''", [])
        .map(drop)
}
