//! What SCIM says of people and user groups, beside their records in the directory.

use super::directory::{PERSON_COLUMNS, columns_of_person, read_person};
use super::rows::{instant, millis};
use super::{ReadTx, Result, WriteTx, list_group_people, load_group};
use crate::domain::ids::{GroupId, UserId};
use crate::domain::provisioning::{ProvisionedGroup, ProvisionedPerson, Times};
use rusqlite::{Params, Row, params};

fn select(condition: &str) -> String {
    format!(
        "SELECT {}, p.phone, p.created_at, p.changed_at, s.user_name, s.attributes
         FROM person p LEFT JOIN provisioned_person s ON s.user_id = p.id
         WHERE {condition} AND s.removal IS NULL ORDER BY p.id",
        columns_of_person()
    )
}

fn person(row: &Row) -> Result<ProvisionedPerson> {
    Ok(ProvisionedPerson {
        person: read_person(row)?,
        phone: row.get(PERSON_COLUMNS)?,
        times: times(row, PERSON_COLUMNS + 1)?,
        user_name: row.get(PERSON_COLUMNS + 3)?,
        attributes: row.get(PERSON_COLUMNS + 4)?,
    })
}

fn times(row: &Row, first: usize) -> Result<Times> {
    Ok(Times {
        created_at: instant(row.get(first)?)?,
        changed_at: instant(row.get(first + 1)?)?,
    })
}

/// Everybody who is listed: all people but those whom SCIM has deleted, by id.
pub fn list_provisioned_people(tx: &ReadTx) -> Result<Vec<ProvisionedPerson>> {
    tx.list(&select("p.id >= ''"), [], person)
}

/// A person by id, if they are listed.
pub fn load_provisioned_person(tx: &ReadTx, user: &UserId) -> Result<Option<ProvisionedPerson>> {
    tx.one(&select("p.id = ?1"), [user.as_str()], person)
}

fn user(tx: &ReadTx, sql: &str, values: impl Params) -> Result<Option<UserId>> {
    tx.one(sql, values, |row| Ok(row.get::<_, String>(0)?.into()))
}

/// Who else is listed by a user name: theirs, the address of somebody whom SCIM has never written, or the id of one without an
/// address.
pub fn find_listed_by_name(
    tx: &ReadTx,
    name: &str,
    but: Option<&UserId>,
) -> Result<Option<UserId>> {
    let but = but.map_or("", UserId::as_str);
    let given = "SELECT user_id FROM provisioned_person WHERE folded_name = ?1 AND removal IS NULL AND user_id <> ?2";
    if let Some(found) = user(tx, given, [&name.to_lowercase(), but])? {
        return Ok(Some(found));
    }
    let unwritten = "NOT EXISTS (SELECT 1 FROM provisioned_person s WHERE s.user_id = p.id)";
    for condition in [
        "p.email = ?1 COLLATE NOCASE",
        "p.id = ?1 AND p.email IS NULL",
    ] {
        let sql = format!(
            "SELECT p.id FROM person p WHERE {condition} AND {unwritten} AND p.id <> ?2 LIMIT 1"
        );
        if let Some(found) = user(tx, &sql, [name, but])? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Who else is listed with a mail address, case-insensitive.
pub fn find_listed_by_address(
    tx: &ReadTx,
    email: &str,
    but: Option<&UserId>,
) -> Result<Option<UserId>> {
    let sql = "SELECT p.id FROM person p LEFT JOIN provisioned_person s ON s.user_id = p.id
               WHERE p.email = ?1 COLLATE NOCASE AND s.removal IS NULL AND p.id <> ?2 LIMIT 1";
    user(tx, sql, [email, but.map_or("", UserId::as_str)])
}

/// Whom SCIM has deleted last of those with a user name.
pub fn find_removed_by_name(tx: &ReadTx, name: &str) -> Result<Option<UserId>> {
    let sql =
        "SELECT user_id FROM provisioned_person WHERE folded_name = ?1 AND removal IS NOT NULL
               ORDER BY removal DESC LIMIT 1";
    user(tx, sql, [name.to_lowercase()])
}

/// Whom SCIM has deleted last of those with a mail address, case-insensitive.
pub fn find_removed_by_address(tx: &ReadTx, email: &str) -> Result<Option<UserId>> {
    let sql = "SELECT p.id FROM person p CROSS JOIN provisioned_person s ON s.user_id = p.id
               WHERE p.email = ?1 COLLATE NOCASE AND s.removal IS NOT NULL ORDER BY +s.removal DESC LIMIT 1";
    user(tx, sql, [email])
}

/// Saves what SCIM says of somebody, who is listed from then on.
pub fn save_provisioned_person(
    tx: &mut WriteTx,
    user: &UserId,
    name: &str,
    attributes: &str,
) -> Result<()> {
    let sql = "INSERT INTO provisioned_person (user_id, user_name, folded_name, attributes) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (user_id) DO UPDATE SET user_name = excluded.user_name, folded_name = excluded.folded_name,
                   attributes = excluded.attributes, removal = NULL";
    let folded = name.to_lowercase();
    tx.run(sql, [user.as_str(), name, &folded, attributes])?;
    let sql = "UPDATE person SET changed_at = ?2 WHERE id = ?1";
    tx.run(sql, params![user.as_str(), millis(tx.now())])
        .map(drop)
}

/// Notes that SCIM has deleted somebody, after everybody whom it has deleted before.
pub fn mark_removed(tx: &mut WriteTx, user: &UserId) -> Result<()> {
    let sql = "UPDATE provisioned_person SET removal =
                   (SELECT coalesce(max(removal), 0) + 1 FROM provisioned_person WHERE removal IS NOT NULL)
               WHERE user_id = ?1";
    tx.run(sql, [user.as_str()]).map(drop)
}

/// Lists somebody again who is active again.
pub(super) fn list_again(tx: &mut WriteTx, user: &UserId) -> Result<()> {
    let sql =
        "UPDATE provisioned_person SET removal = NULL WHERE user_id = ?1 AND removal IS NOT NULL";
    tx.run(sql, [user.as_str()]).map(drop)
}

/// All user groups with their people, by id.
pub fn list_provisioned_groups(tx: &ReadTx) -> Result<Vec<ProvisionedGroup>> {
    let sql = "SELECT id FROM user_group WHERE id >= '' ORDER BY id";
    let ids: Vec<GroupId> = super::rows::ids(tx.conn, sql, [])?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(load_provisioned_group(tx, &id)?);
    }
    Ok(found)
}

/// A user group by id with its people.
pub fn load_provisioned_group(tx: &ReadTx, id: &GroupId) -> Result<Option<ProvisionedGroup>> {
    let Some(mut group) = load_group(tx, id)? else {
        return Ok(None);
    };
    group.users = list_group_people(tx, id)?;
    let sql = "SELECT g.created_at, g.changed_at, s.attributes
               FROM user_group g LEFT JOIN provisioned_group s ON s.group_id = g.id WHERE g.id = ?1";
    tx.one(sql, [id.as_str()], |row| {
        Ok(ProvisionedGroup {
            group,
            times: times(row, 0)?,
            attributes: row.get(2)?,
        })
    })
}

/// Saves what SCIM says of a user group.
pub fn save_provisioned_group(tx: &mut WriteTx, group: &GroupId, attributes: &str) -> Result<()> {
    let sql = "INSERT INTO provisioned_group (group_id, attributes) VALUES (?1, ?2)
               ON CONFLICT (group_id) DO UPDATE SET attributes = excluded.attributes";
    tx.run(sql, [group.as_str(), attributes])?;
    touch_group(tx, group)
}

/// Notes that a user group has changed.
pub(super) fn touch_group(tx: &mut WriteTx, group: &GroupId) -> Result<()> {
    let sql = "UPDATE user_group SET changed_at = ?2 WHERE id = ?1";
    tx.run(sql, params![group.as_str(), millis(tx.now())])
        .map(drop)
}

/// When a user group was made and last changed, in milliseconds.
pub(super) fn load_group_times(tx: &ReadTx, group: &GroupId) -> Result<Option<(i64, i64)>> {
    let sql = "SELECT created_at, changed_at FROM user_group WHERE id = ?1";
    tx.one(sql, [group.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Gives a user group whose row was replaced its times back: that of its last change only if it is the same.
pub(super) fn keep_group_times(
    tx: &mut WriteTx,
    group: &GroupId,
    (created, changed): (i64, i64),
    is_same: bool,
) -> Result<()> {
    let sql = "UPDATE user_group SET created_at = ?2, changed_at = coalesce(?3, changed_at) WHERE id = ?1";
    let changed = is_same.then_some(changed);
    tx.run(sql, params![group.as_str(), created, changed])
        .map(drop)
}
