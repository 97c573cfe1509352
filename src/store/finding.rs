//! Finding rotations: lists, due ones, the people in them, and the keys that created them.

use super::directory::Page;
use super::rows::{self, millis};
use super::shapes::cadence_from_json;
use super::{Fault, ReadTx, WriteTx};
use crate::domain::cadence::Cadence;
use crate::domain::ids::{GroupId, RotationId, UserId};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

/// What a list of rotations is narrowed to; `None` narrows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RotationFilter {
    /// Upper case.
    pub code: Option<String>,
    pub enabled: Option<bool>,
    /// `manual`, `auto` or `external`.
    pub mode: Option<String>,
    /// A member or an owner; somebody deactivated or from outside the workspace is neither.
    pub user: Option<UserId>,
    /// In name, code or description, whatever the case.
    pub text: Option<String>,
    pub order: RotationOrder,
    pub descending: bool,
    /// Only these, for a key with a selector.
    pub among: Option<Vec<RotationId>>,
    /// Only what this person may see: public ones, and those they own or are in.
    pub seen_by: Option<UserId>,
}

/// What a list of rotations is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RotationOrder {
    Name,
    #[default]
    CreatedAt,
    UpdatedAt,
}

const FILTER: &str = "
    (?1 IS NULL OR r.code = ?1) AND (?2 IS NULL OR r.enabled = ?2) AND (?3 IS NULL OR r.mode = ?3)
    AND (?4 IS NULL OR ?4 IN (SELECT id FROM person WHERE NOT is_deleted AND NOT is_external) AND r.id IN (
        SELECT rotation_id FROM rotation_owner WHERE user_id = ?4
        UNION SELECT rotation_id FROM rotation_person WHERE user_id = ?4
        UNION SELECT g.rotation_id FROM user_group_person m JOIN rotation_group g ON g.group_id = m.group_id
              WHERE m.user_id = ?4))
    AND (?5 IS NULL OR instr(r.search_text, ?5) > 0)
    AND (?6 IS NULL OR r.id IN (SELECT value FROM json_each(?6)))
    AND (?7 IS NULL OR r.public OR r.id IN (
        SELECT rotation_id FROM rotation_owner WHERE user_id = ?7
        UNION SELECT rotation_id FROM rotation_person WHERE user_id = ?7
        UNION SELECT g.rotation_id FROM user_group_person m JOIN rotation_group g ON g.group_id = m.group_id
              WHERE m.user_id = ?7))";

/// A page of rotation ids, and how many there are on all pages.
pub fn list_rotations(
    tx: &ReadTx,
    filter: &RotationFilter,
    page: Page,
) -> Result<(Vec<RotationId>, u64), Fault> {
    let among = filter.among.as_ref().map(|ids| {
        let names: Vec<&str> = ids.iter().map(RotationId::as_str).collect();
        serde_json::Value::from(names).to_string()
    });
    let text = filter.text.as_deref().map(str::to_lowercase);
    let narrowed = params![
        filter.code,
        filter.enabled,
        filter.mode,
        filter.user.as_ref().map(UserId::as_str),
        text,
        among,
        filter.seen_by.as_ref().map(UserId::as_str),
    ];
    let sql = format!("SELECT count(*) FROM rotation r WHERE {FILTER}");
    let total: i64 = tx
        .conn
        .prepare_cached(&sql)?
        .query_row(narrowed, |row| row.get(0))?;
    let column = match filter.order {
        RotationOrder::Name => "sort_name",
        RotationOrder::CreatedAt => "created_at",
        RotationOrder::UpdatedAt => "updated_at",
    };
    let direction = if filter.descending { "DESC" } else { "ASC" };
    let sql = format!(
        "SELECT id FROM rotation r WHERE {FILTER} ORDER BY {column} {direction}, sequence {direction} LIMIT {} OFFSET {}",
        page.size,
        page.offset()
    );
    let mut query = tx.conn.prepare(&sql)?;
    let ids = query.query_map(narrowed, |row| row.get::<_, String>(0))?;
    let ids: Result<Vec<_>, _> = ids.map(|id| id.map(RotationId::from)).collect();
    Ok((ids?, total as u64))
}

/// How many rotations the workspace holds.
pub fn count_rotations(tx: &ReadTx) -> Result<u64, Fault> {
    let count: i64 = tx
        .conn
        .query_row("SELECT count(*) FROM rotation", [], |row| row.get(0))?;
    Ok(count as u64)
}

/// The rotation that was changed last; `None` when there is none. Of those changed in one millisecond it is `of_these`,
/// where that is among them.
pub fn last_changed_rotation(
    tx: &ReadTx,
    of_these: Option<&RotationId>,
) -> Result<Option<RotationId>, Fault> {
    let sql =
        "SELECT id FROM rotation ORDER BY updated_at DESC, id = ?1 DESC, sequence DESC LIMIT 1";
    Ok(rows::ids(tx.conn, sql, [of_these.map(RotationId::as_str)])?.pop())
}

/// Every rotation's id.
pub fn list_rotation_ids(tx: &ReadTx) -> Result<Vec<RotationId>, Fault> {
    rows::ids(tx.conn, "SELECT id FROM rotation ORDER BY id", [])
}

/// Up to `limit` rotations with something due at or before an instant, the longest due first.
pub fn list_due(tx: &ReadTx, at: Timestamp, limit: usize) -> Result<Vec<RotationId>, Fault> {
    let sql = "SELECT id FROM rotation WHERE next_due_at <= ?1 ORDER BY next_due_at, id LIMIT ?2";
    rows::ids(tx.conn, sql, params![millis(at), limit as i64])
}

/// The first instant at which something falls due in any rotation.
pub fn next_due(tx: &ReadTx) -> Result<Option<Timestamp>, Fault> {
    let sql = "SELECT min(next_due_at) FROM rotation WHERE next_due_at IS NOT NULL";
    rows::first_instant(tx.conn, sql)
}

/// Up to `limit` rotations of which somebody is to be reminded at or before an instant, the longest due first.
pub fn list_due_reminders(
    tx: &ReadTx,
    at: Timestamp,
    limit: usize,
) -> Result<Vec<RotationId>, Fault> {
    let sql = "SELECT id FROM rotation WHERE remind_at <= ?1 ORDER BY remind_at, id LIMIT ?2";
    rows::ids(tx.conn, sql, params![millis(at), limit as i64])
}

/// The first instant at which somebody is to be reminded.
pub fn next_reminder(tx: &ReadTx) -> Result<Option<Timestamp>, Fault> {
    rows::first_instant(
        tx.conn,
        "SELECT min(remind_at) FROM rotation WHERE remind_at IS NOT NULL",
    )
}

/// The rotations that take members from a user group.
pub fn list_rotations_following(tx: &ReadTx, group: &GroupId) -> Result<Vec<RotationId>, Fault> {
    let sql =
        "SELECT DISTINCT rotation_id FROM rotation_group WHERE group_id = ?1 ORDER BY rotation_id";
    rows::ids(tx.conn, sql, [group.as_str()])
}

/// Rotations with more lanes than one, which a tier may stop or let run.
pub fn list_many_laned(tx: &ReadTx) -> Result<Vec<RotationId>, Fault> {
    rows::ids(
        tx.conn,
        "SELECT DISTINCT rotation_id FROM cell WHERE lane > 0 ORDER BY rotation_id",
        [],
    )
}

/// The rotation that answers to a code (upper case).
pub fn code_holder(tx: &ReadTx, code: &str) -> Result<Option<RotationId>, Fault> {
    let mut query = tx
        .conn
        .prepare_cached("SELECT id FROM rotation WHERE code = ?1")?;
    Ok(query
        .query_row([code], |row| row.get::<_, String>(0))
        .optional()?
        .map(RotationId::from))
}

/// The people in the workspace's rotations, each once; those of one rotation may be left out of the count.
pub fn list_people_in_rotations(
    tx: &ReadTx,
    but: Option<&RotationId>,
) -> Result<Vec<UserId>, Fault> {
    let sql = "SELECT m.user_id FROM rotation_person m JOIN person p ON p.id = m.user_id AND NOT p.is_deleted AND NOT p.is_external
               WHERE ?1 IS NULL OR m.rotation_id <> ?1
               UNION SELECT m.user_id FROM rotation_group g JOIN user_group_person m ON m.group_id = g.group_id
                     JOIN person p ON p.id = m.user_id AND NOT p.is_deleted AND NOT p.is_external
               WHERE ?1 IS NULL OR g.rotation_id <> ?1";
    rows::ids(tx.conn, sql, [but.map(RotationId::as_str)])
}

/// The people whom a user group brings in: those in it who are neither deactivated nor from outside
/// the workspace.
pub fn list_people_of_group(tx: &ReadTx, group: &GroupId) -> Result<Vec<UserId>, Fault> {
    let sql = "SELECT p.id FROM user_group_person m JOIN person p ON p.id = m.user_id
               WHERE m.group_id = ?1 AND NOT p.is_deleted AND NOT p.is_external ORDER BY m.position";
    rows::ids(tx.conn, sql, [group.as_str()])
}

/// A creation key as it was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreationKey {
    /// Whose it is: keys of different credentials never meet.
    pub credential: String,
    pub key: String,
    /// SHA-256 of the body in canonical form.
    pub body_hash: [u8; 32],
    pub rotation: RotationId,
    pub created_at: Timestamp,
}

/// The use of a creation key by a credential.
pub fn load_creation_key(
    tx: &ReadTx,
    credential: &str,
    key: &str,
) -> Result<Option<CreationKey>, Fault> {
    let sql = "SELECT body_hash, rotation_id, created_at FROM creation_key WHERE credential = ?1 AND key = ?2";
    let row = tx
        .conn
        .prepare_cached(sql)?
        .query_row([credential, key], |row| {
            Ok((
                row.get::<_, [u8; 32]>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, i64>(2)?,
            ))
        })
        .optional()?;
    let Some((body_hash, rotation, created_at)) = row else {
        return Ok(None);
    };
    Ok(Some(CreationKey {
        credential: credential.into(),
        key: key.into(),
        body_hash,
        rotation: rotation.into(),
        created_at: rows::instant(created_at)?,
    }))
}

/// Every cadence that some window has, each once.
pub fn list_cadences(tx: &ReadTx) -> Result<Vec<Cadence>, Fault> {
    let sql = "SELECT DISTINCT cadence FROM coverage_window WHERE cadence IS NOT NULL";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([])?;
    let mut cadences = Vec::new();
    while let Some(row) = rows.next()? {
        cadences.push(cadence_from_json(&row.get::<_, String>(0)?)?);
    }
    Ok(cadences)
}

/// Spends a creation key.
pub fn insert_creation_key(tx: &mut WriteTx, key: &CreationKey) -> Result<(), Fault> {
    let sql = "INSERT INTO creation_key (credential, key, body_hash, rotation_id, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    tx.conn.prepare_cached(sql)?.execute(params![
        key.credential,
        key.key,
        key.body_hash,
        key.rotation.as_str(),
        millis(key.created_at)
    ])?;
    Ok(())
}
