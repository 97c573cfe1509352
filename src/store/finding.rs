//! Queries for rotations: lists, due rotations, people in rotations, and creation keys.

use super::directory::Page;
use super::rows::{self, column, millis};
use super::{ReadTx, Result, WriteTx};
use crate::domain::cadence::Cadence;
use crate::domain::ids::{GroupId, RotationId, UserId};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use std::collections::HashSet;

/// Filters rotations. `None` does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RotationFilter {
    /// Upper case.
    pub code: Option<String>,
    pub enabled: Option<bool>,
    /// `manual`, `auto` or `external`.
    pub mode: Option<String>,
    /// A member or an owner. Deactivated and external people are neither.
    pub user: Option<UserId>,
    /// Searched in name, code and description, case-insensitive.
    pub text: Option<String>,
    /// Only those that were there at this instant.
    pub created_by: Option<Timestamp>,
    pub order: RotationOrder,
    pub descending: bool,
    pub visible: Visible,
}

/// The rotations that a caller sees; `None` hides nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visible {
    /// Only these rotations, for a key with a selector.
    pub among: Option<Vec<RotationId>>,
    /// Only rotations that this person may see: public ones, and those they own or are a member of.
    pub seen_by: Option<UserId>,
}

impl Visible {
    /// The ids as a list in JSON, and the person.
    pub(super) fn values(&self) -> (Option<String>, Option<&str>) {
        let among = self.among.as_ref().map(|ids| {
            let names: Vec<&str> = ids.iter().map(RotationId::as_str).collect();
            serde_json::Value::from(names).to_string()
        });
        (among, self.seen_by.as_ref().map(UserId::as_str))
    }
}

/// The order of a list of rotations.
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
    AND (?8 IS NULL OR r.created_at <= ?8)
    AND (?6 IS NULL OR r.id IN (SELECT value FROM json_each(?6)))
    AND (?7 IS NULL OR r.public OR r.id IN (
        SELECT rotation_id FROM rotation_owner WHERE user_id = ?7
        UNION SELECT rotation_id FROM rotation_person WHERE user_id = ?7
        UNION SELECT g.rotation_id FROM user_group_person m JOIN rotation_group g ON g.group_id = m.group_id
              WHERE m.user_id = ?7))";

/// A page of rotation ids, and the total number.
pub fn list_rotations(
    tx: &ReadTx,
    filter: &RotationFilter,
    page: Page,
) -> Result<(Vec<RotationId>, u64)> {
    let (among, seen_by) = filter.visible.values();
    let text = filter.text.as_deref().map(str::to_lowercase);
    let narrowed = params![
        filter.code,
        filter.enabled,
        filter.mode,
        filter.user.as_ref().map(UserId::as_str),
        text,
        among,
        seen_by,
        filter.created_by.map(millis),
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

/// The rotations in which somebody is a member, or may be on call at an instant: by an arrangement that is not over, on a partner's
/// schedule, or by the record of a rotation that was judged or changed since.
pub fn list_rotations_about(
    tx: &ReadTx,
    user: &UserId,
    at: Timestamp,
) -> Result<HashSet<RotationId>> {
    let sql = "SELECT rotation_id FROM rotation_person WHERE user_id = ?1
               UNION SELECT g.rotation_id FROM user_group_person m JOIN rotation_group g ON g.group_id = m.group_id
                     WHERE m.user_id = ?1
               UNION SELECT rotation_id FROM arrangement WHERE user_id = ?1 AND stage IS NOT NULL
               UNION SELECT rotation_id FROM rotation_external
               UNION SELECT id FROM rotation WHERE judged_at > ?2 OR updated_at > ?2";
    let found = rows::ids(tx.conn, sql, params![user.as_str(), millis(at)])?;
    Ok(found.into_iter().collect())
}

/// The number of rotations in the workspace.
pub fn count_rotations(tx: &ReadTx) -> Result<u64> {
    let count: i64 = tx
        .conn
        .query_row("SELECT count(*) FROM rotation", [], |row| row.get(0))?;
    Ok(count as u64)
}

/// The rotation that was changed last; `None` if there is none. Of several in one millisecond, `of_these` if it is among
/// them.
pub fn last_changed_rotation(
    tx: &ReadTx,
    of_these: Option<&RotationId>,
) -> Result<Option<RotationId>> {
    let sql =
        "SELECT id FROM rotation ORDER BY updated_at DESC, id = ?1 DESC, sequence DESC LIMIT 1";
    Ok(rows::ids(tx.conn, sql, [of_these.map(RotationId::as_str)])?.pop())
}

/// The ids of all rotations.
pub fn list_rotation_ids(tx: &ReadTx) -> Result<Vec<RotationId>> {
    rows::ids(tx.conn, "SELECT id FROM rotation ORDER BY id", [])
}

/// Up to `limit` rotations with something due at or before an instant, earliest first.
pub fn list_due(tx: &ReadTx, at: Timestamp, limit: usize) -> Result<Vec<RotationId>> {
    let sql = "SELECT id FROM rotation WHERE next_due_at <= ?1 ORDER BY next_due_at, id LIMIT ?2";
    rows::ids(tx.conn, sql, params![millis(at), limit as i64])
}

/// How many rotations have something due at or before an instant.
pub fn count_due(tx: &ReadTx, at: Timestamp) -> Result<u64> {
    let sql = "SELECT count(*) FROM rotation WHERE next_due_at <= ?1";
    let count: i64 = tx.value(sql, [millis(at)])?;
    Ok(count as u64)
}

/// The instant of the last stored change of any rotation, by hand or by the clock; `None` without rotations. Reads all of them.
pub fn latest_change(tx: &ReadTx) -> Result<Option<Timestamp>> {
    let sql = "SELECT max(max(judged_at, updated_at)) FROM rotation";
    rows::first_instant(tx.conn, sql)
}

/// The earliest due instant of all rotations.
pub fn next_due(tx: &ReadTx) -> Result<Option<Timestamp>> {
    let sql = "SELECT min(next_due_at) FROM rotation WHERE next_due_at IS NOT NULL";
    rows::first_instant(tx.conn, sql)
}

/// Up to `limit` rotations with a reminder due at or before an instant, earliest first.
pub fn list_due_reminders(tx: &ReadTx, at: Timestamp, limit: usize) -> Result<Vec<RotationId>> {
    let sql = "SELECT id FROM rotation WHERE remind_at <= ?1 ORDER BY remind_at, id LIMIT ?2";
    rows::ids(tx.conn, sql, params![millis(at), limit as i64])
}

/// The earliest due reminder.
pub fn next_reminder(tx: &ReadTx) -> Result<Option<Timestamp>> {
    rows::first_instant(
        tx.conn,
        "SELECT min(remind_at) FROM rotation WHERE remind_at IS NOT NULL",
    )
}

/// The rotations with members from a user group.
pub fn list_rotations_following(tx: &ReadTx, group: &GroupId) -> Result<Vec<RotationId>> {
    let sql =
        "SELECT DISTINCT rotation_id FROM rotation_group WHERE group_id = ?1 ORDER BY rotation_id";
    rows::ids(tx.conn, sql, [group.as_str()])
}

/// Rotations with several lanes, which a change of tier may stop or start.
pub fn list_with_several_lanes(tx: &ReadTx) -> Result<Vec<RotationId>> {
    rows::ids(
        tx.conn,
        "SELECT DISTINCT rotation_id FROM cell WHERE lane > 0 ORDER BY rotation_id",
        [],
    )
}

/// The rotation with a code (upper case).
pub fn rotation_by_code(tx: &ReadTx, code: &str) -> Result<Option<RotationId>> {
    let mut query = tx
        .conn
        .prepare_cached("SELECT id FROM rotation WHERE code = ?1")?;
    Ok(query
        .query_row([code], |row| row.get::<_, String>(0))
        .optional()?
        .map(RotationId::from))
}

/// The people in the workspace's rotations, each once, optionally without those of one rotation.
pub fn list_people_in_rotations(tx: &ReadTx, but: Option<&RotationId>) -> Result<Vec<UserId>> {
    let sql = "SELECT m.user_id FROM rotation_person m JOIN person p ON p.id = m.user_id AND NOT p.is_deleted AND NOT p.is_external
               WHERE ?1 IS NULL OR m.rotation_id <> ?1
               UNION SELECT m.user_id FROM rotation_group g JOIN user_group_person m ON m.group_id = g.group_id
                     JOIN person p ON p.id = m.user_id AND NOT p.is_deleted AND NOT p.is_external
               WHERE ?1 IS NULL OR g.rotation_id <> ?1";
    rows::ids(tx.conn, sql, [but.map(RotationId::as_str)])
}

/// The members that a user group contributes: its people without deactivated and external ones.
pub fn list_people_of_group(tx: &ReadTx, group: &GroupId) -> Result<Vec<UserId>> {
    let sql = "SELECT p.id FROM user_group_person m JOIN person p ON p.id = m.user_id
               WHERE m.group_id = ?1 AND NOT p.is_deleted AND NOT p.is_external ORDER BY m.position";
    rows::ids(tx.conn, sql, [group.as_str()])
}

/// A creation key that was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreationKey {
    /// The credential that used it. Keys of different credentials are independent.
    pub credential: String,
    pub key: String,
    /// SHA-256 of the body in canonical form.
    pub body_hash: [u8; 32],
    pub rotation: RotationId,
    pub created_at: Timestamp,
}

/// A creation key of a credential, if it was used.
pub fn load_creation_key(tx: &ReadTx, credential: &str, key: &str) -> Result<Option<CreationKey>> {
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

/// The distinct cadences of all windows.
pub fn list_cadences(tx: &ReadTx) -> Result<Vec<Cadence>> {
    let sql = "SELECT DISTINCT cadence FROM coverage_window WHERE cadence IS NOT NULL";
    tx.list(sql, [], |row| column(row, 0))
}

/// Inserts a creation key.
pub fn insert_creation_key(tx: &mut WriteTx, key: &CreationKey) -> Result<()> {
    let sql = "INSERT INTO creation_key (credential, key, body_hash, rotation_id, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    tx.run(
        sql,
        params![
            key.credential,
            key.key,
            key.body_hash,
            key.rotation.as_str(),
            millis(key.created_at)
        ],
    )?;
    Ok(())
}
