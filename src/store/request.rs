//! Requests for cover and for swaps.

use super::answered::request_message_updates;
use super::rows::{from_json, instant, json, millis};
use super::shapes::{
    legs_from_json, legs_to_json, turn_selection_from_json, turn_selection_to_json,
};
use super::which::{Which, of_rotations};
use super::{Error, ReadTx, WriteTx};
use crate::domain::ids::{RequestId, RotationId, UserId};
use crate::domain::request::{Leg, Pending, Request, RequestKind, RequestState};
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

fn read(row: &Row) -> Result<(Request, RequestPosition), Error> {
    let users = |column| -> Result<Vec<UserId>, Error> {
        let names: Vec<String> = from_json(&row.get::<_, String>(column)?)?;
        Ok(names.into_iter().map(UserId::from).collect())
    };
    let state: String = row.get(11)?;
    let known = RequestState::parse(&state);
    let kind = match row.get::<_, String>(2)?.as_str() {
        "swap" => RequestKind::Swap,
        _ => RequestKind::Cover,
    };
    let selection = row.get::<_, Option<String>>(8)?;
    let position = RequestPosition {
        until: instant(row.get(13)?)?,
        sequence: row.get(14)?,
    };
    let request = Request {
        id: row.get::<_, String>(0)?.into(),
        rotation: row.get::<_, String>(1)?.into(),
        kind,
        requester: row.get::<_, String>(3)?.into(),
        recipients: users(4)?,
        declined: users(5)?,
        legs: legs_from_json(&row.get::<_, String>(6)?)?,
        reason: row.get(7)?,
        turn_selection: selection
            .as_deref()
            .map(turn_selection_from_json)
            .transpose()?,
        acknowledged: from_json(&row.get::<_, String>(9)?)?,
        revision: row.get::<_, i64>(10)? as u64,
        state: known.ok_or_else(|| Error::Corrupt(format!("request: state {state}")))?,
        accepted_by: row.get::<_, Option<String>>(12)?.map(Into::into),
    };
    Ok((request, position))
}

/// The pending requests of a rotation.
pub(super) fn load_pending(tx: &ReadTx, which: &Which) -> Result<Vec<Vec<Pending>>, Error> {
    let sql = of_rotations!(
        "SELECT rotation_id, id, legs, requester_id FROM request WHERE state = 'pending' AND rotation_id",
        " ORDER BY rotation_id, sequence"
    );
    which.read(tx, sql, &[], |_, row| {
        let legs = legs_from_json(&row.get::<_, String>(2)?)?;
        Ok(Pending {
            id: row.get::<_, String>(1)?.into(),
            requester: row.get::<_, String>(3)?.into(),
            duties: legs.iter().map(Leg::duty).collect(),
        })
    })
}

/// The rotation that a request belongs to.
pub fn rotation_of_request(tx: &ReadTx, id: &RequestId) -> Result<Option<RotationId>, Error> {
    let sql = "SELECT rotation_id FROM request WHERE id = ?1";
    Ok(super::rows::ids(tx.conn, sql, [id.as_str()])?.pop())
}

/// A request of a rotation by id.
pub fn load_request(
    tx: &ReadTx,
    rotation: &RotationId,
    kind: RequestKind,
    id: &RequestId,
) -> Result<Option<Request>, Error> {
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
) -> Result<Vec<(Request, RequestPosition)>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM request
         WHERE rotation_id = ?1 AND kind = ?2 AND (until_at, sequence) > (?3, ?4) AND +from_at < ?5
         ORDER BY until_at, sequence LIMIT ?6"
    );
    // A request that ends at the start of the range does not overlap it.
    let start = (millis(range.from), i64::MAX);
    let (until, sequence) = behind.map_or(start, |behind| behind.numbers().max(start));
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query(params![
        rotation.as_str(),
        kind.name(),
        until,
        sequence,
        millis(range.until),
        limit as i64,
    ])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// The pending requests of a rotation, at most `limit`, those that begin first first.
pub fn list_pending_requests(
    tx: &ReadTx,
    rotation: &RotationId,
    limit: usize,
) -> Result<Vec<Request>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM request WHERE rotation_id = ?1 AND state = 'pending'
         ORDER BY from_at, sequence LIMIT ?2"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query(params![rotation.as_str(), limit as i64])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?.0);
    }
    Ok(found)
}

fn names(users: &[UserId]) -> Result<String, Error> {
    json(&users.iter().map(UserId::as_str).collect::<Vec<_>>())
}

/// Inserts a request.
pub fn insert_request(tx: &mut WriteTx, new: &Request) -> Result<(), Error> {
    let span = new.span();
    let sql = "INSERT INTO request (id, rotation_id, kind, requester_id, recipients, declined, from_at, until_at, legs,
                                    reason, turn_selection, acknowledged, revision, state, accepted_by)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    tx.conn.prepare_cached(sql)?.execute(params![
        new.id.as_str(),
        new.rotation.as_str(),
        new.kind.name(),
        new.requester.as_str(),
        names(&new.recipients)?,
        names(&new.declined)?,
        millis(span.from),
        millis(span.until),
        legs_to_json(&new.legs)?,
        new.reason,
        new.turn_selection
            .as_ref()
            .map(turn_selection_to_json)
            .transpose()?,
        json(&new.acknowledged)?,
        new.revision as i64,
        new.state.name(),
        new.accepted_by.as_ref().map(|user| user.as_str()),
    ])?;
    Ok(())
}

/// Updates a request: who declined, its legs, revision and state, and who accepted it.
pub fn save_request(tx: &mut WriteTx, request: &Request) -> Result<(), Error> {
    let sql = "UPDATE request SET declined = ?2, legs = ?3, revision = ?4, state = ?5, accepted_by = ?6 WHERE id = ?1";
    tx.conn.prepare_cached(sql)?.execute(params![
        request.id.as_str(),
        names(&request.declined)?,
        legs_to_json(&request.legs)?,
        request.revision as i64,
        request.state.name(),
        request.accepted_by.as_ref().map(|user| user.as_str()),
    ])?;
    request_message_updates(tx, request.id.as_str())
}

/// Marks requests as expired that a rotation no longer lists as pending. Requests settled in the same write are no longer
/// pending in the database.
pub(super) fn save_pending(
    tx: &mut WriteTx,
    before: &Rotation,
    after: &Rotation,
) -> Result<(), Error> {
    for old in &before.pending {
        if !after.pending.iter().any(|kept| kept.id == old.id) {
            let sql = "UPDATE request SET state = 'expired', revision = revision + 1
                       WHERE id = ?1 AND +state = 'pending'";
            let expired = tx.conn.prepare_cached(sql)?.execute([old.id.as_str()])?;
            if expired > 0 {
                request_message_updates(tx, old.id.as_str())?;
            }
        }
    }
    Ok(())
}
