//! Requests for cover and for swaps.

use super::answered::request_message_updates;
use super::rows::{column, instant, json, millis};
use super::which::{Which, of_rotations};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::ids::{RequestId, RotationId, UserId};
use crate::domain::request::{Pending, Request, RequestKind, RequestState};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};

const COLUMNS: &str =
    "id, rotation_id, kind, requester_id, recipients, declined, legs, reason, turn_selection,
                       acknowledged, revision, state, accepted_by, until_at, sequence";

/// The position at which a page of requests ends and the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestPosition {
    until: Timestamp,
    sequence: i64,
}

impl RequestPosition {
    /// The two numbers of the position.
    pub fn numbers(self) -> (i64, i64) {
        (millis(self.until), self.sequence)
    }

    /// The position with these numbers; `None` if they are invalid.
    pub fn of((until, sequence): (i64, i64)) -> Option<RequestPosition> {
        let until = instant(until).ok()?;
        Some(RequestPosition { until, sequence })
    }
}

fn read(row: &Row) -> Result<(Request, RequestPosition)> {
    let state: String = row.get(11)?;
    let known = RequestState::parse(&state);
    let kind = match row.get::<_, String>(2)?.as_str() {
        "swap" => RequestKind::Swap,
        _ => RequestKind::Cover,
    };
    let position = RequestPosition {
        until: instant(row.get(13)?)?,
        sequence: row.get(14)?,
    };
    let request = Request {
        id: row.get::<_, String>(0)?.into(),
        rotation: row.get::<_, String>(1)?.into(),
        kind,
        requester: row.get::<_, String>(3)?.into(),
        recipients: column(row, 4)?,
        declined: column(row, 5)?,
        legs: column(row, 6)?,
        reason: row.get(7)?,
        turn_selection: column(row, 8)?,
        acknowledged: column(row, 9)?,
        revision: row.get::<_, i64>(10)? as u64,
        state: known.ok_or_else(|| Error::Corrupt(format!("request: state {state}")))?,
        accepted_by: row.get::<_, Option<String>>(12)?.map(Into::into),
    };
    Ok((request, position))
}

/// The pending requests of a rotation.
pub(super) fn load_pending(tx: &ReadTx, which: &Which) -> Result<Vec<Vec<Pending>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, id, legs, requester_id FROM request WHERE state = 'pending' AND rotation_id",
        " ORDER BY rotation_id, sequence"
    );
    which.read(tx, sql, &[], |_, row| {
        Ok(Pending {
            id: row.get::<_, String>(1)?.into(),
            requester: row.get::<_, String>(3)?.into(),
            legs: column(row, 2)?,
        })
    })
}

/// The rotation that a request belongs to.
pub fn rotation_of_request(tx: &ReadTx, id: &RequestId) -> Result<Option<RotationId>> {
    let sql = "SELECT rotation_id FROM request WHERE id = ?1";
    Ok(super::rows::ids(tx.conn, sql, [id.as_str()])?.pop())
}

/// A request of a rotation by id.
pub fn load_request(
    tx: &ReadTx,
    rotation: &RotationId,
    kind: RequestKind,
    id: &RequestId,
) -> Result<Option<Request>> {
    let sql =
        format!("SELECT {COLUMNS} FROM request WHERE id = ?1 AND +rotation_id = ?2 AND +kind = ?3");
    let mut query = tx.conn.prepare_cached(&sql)?;
    let key = [id.as_str(), rotation.as_str(), kind.name()];
    let found = query.query_row(key, |row| Ok(read(row)));
    Ok(found.optional()?.transpose()?.map(|(request, _)| request))
}

/// Requests of a rotation that overlap a range, ordered by their end, after a position; at most `limit`.
pub fn list_requests(
    tx: &ReadTx,
    rotation: &RotationId,
    kind: RequestKind,
    range: Interval,
    behind: Option<RequestPosition>,
    limit: usize,
) -> Result<Vec<(Request, RequestPosition)>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM request
         WHERE rotation_id = ?1 AND kind = ?2 AND (until_at, sequence) > (?3, ?4) AND +from_at < ?5
         ORDER BY until_at, sequence LIMIT ?6"
    );
    // A request that ends at the start of the range does not overlap it.
    let start = (millis(range.from), i64::MAX);
    let (until, sequence) = behind.map_or(start, |behind| behind.numbers().max(start));
    tx.list(
        &sql,
        params![
            rotation.as_str(),
            kind.name(),
            until,
            sequence,
            millis(range.until),
            limit as i64,
        ],
        read,
    )
}

/// The pending requests of a rotation, at most `limit`, those that begin first first.
pub fn list_pending_requests(
    tx: &ReadTx,
    rotation: &RotationId,
    limit: usize,
) -> Result<Vec<Request>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM request WHERE rotation_id = ?1 AND state = 'pending'
         ORDER BY from_at, sequence LIMIT ?2"
    );
    tx.list(&sql, params![rotation.as_str(), limit as i64], |row| {
        Ok(read(row)?.0)
    })
}

/// How many pending requests wait for an answer of somebody.
pub fn count_requests_waiting(tx: &ReadTx, user: &UserId) -> Result<u64> {
    let sql = "SELECT count(*) FROM request
               WHERE state = 'pending' AND EXISTS (SELECT 1 FROM json_each(recipients) WHERE value = ?1)
                     AND NOT EXISTS (SELECT 1 FROM json_each(declined) WHERE value = ?1)";
    let count: i64 = tx
        .conn
        .prepare_cached(sql)?
        .query_row([user.as_str()], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Inserts a request.
pub fn insert_request(tx: &mut WriteTx, new: &Request) -> Result<()> {
    let span = new.span();
    let sql = "INSERT INTO request (id, rotation_id, kind, requester_id, recipients, declined, from_at, until_at, legs,
                                    reason, turn_selection, acknowledged, revision, state, accepted_by)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    tx.conn.prepare_cached(sql)?.execute(params![
        new.id.as_str(),
        new.rotation.as_str(),
        new.kind.name(),
        new.requester.as_str(),
        json(&new.recipients)?,
        json(&new.declined)?,
        millis(span.from),
        millis(span.until),
        json(&new.legs)?,
        new.reason,
        new.turn_selection.as_ref().map(json).transpose()?,
        json(&new.acknowledged)?,
        new.revision as i64,
        new.state.name(),
        new.accepted_by.as_ref().map(|user| user.as_str()),
    ])?;
    Ok(())
}

/// Updates a request: who declined, its legs, revision and state, and who accepted it.
pub fn save_request(tx: &mut WriteTx, request: &Request) -> Result<()> {
    let sql = "UPDATE request SET declined = ?2, legs = ?3, revision = ?4, state = ?5, accepted_by = ?6 WHERE id = ?1";
    tx.conn.prepare_cached(sql)?.execute(params![
        request.id.as_str(),
        json(&request.declined)?,
        json(&request.legs)?,
        request.revision as i64,
        request.state.name(),
        request.accepted_by.as_ref().map(|user| user.as_str()),
    ])?;
    request_message_updates(tx, request.id.as_str())
}

/// Marks requests as expired that a rotation no longer lists as pending. Requests settled in the same write are no longer
/// pending in the database.
pub(super) fn save_pending(tx: &mut WriteTx, before: &Rotation, after: &Rotation) -> Result<()> {
    for old in &before.pending {
        if !after.pending.iter().any(|kept| kept.id == old.id) {
            let sql = "UPDATE request SET state = 'expired', revision = revision + 1
                       WHERE id = ?1 AND +state = 'pending'";
            let expired = tx.run(sql, [old.id.as_str()])?;
            if expired > 0 {
                request_message_updates(tx, old.id.as_str())?;
            }
        }
    }
    Ok(())
}
