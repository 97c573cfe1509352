//! The queue of deliveries: what is due, taking it, recording the outcome (rules.md 16).

use super::mention::{any_old_mention, clear_mentions};
use super::message::{any_old_message, clear_messages};
use super::rows::{instant, instant_or_none, json, millis};
use super::{Fault, ReadTx, WriteTx};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::ladder::{self, Standing};
use crate::domain::webhook::{AttemptResult, DeliveryState, SendError};
use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension, params};

/// Each endpoint has two, with one request in flight each: so a retry never holds up a first attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// First attempts, in commit order.
    Fresh,
    /// All further ones, in the order they fall due.
    Retry,
}

impl Lane {
    /// Both.
    pub const ALL: [Lane; 2] = [Lane::Fresh, Lane::Retry];
}

/// What is first on a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub sequence: i64,
    pub due_at: Timestamp,
    /// It waits for a later round that must not begin any more.
    pub expired: bool,
}

/// A delivery taken from its lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub sequence: i64,
    pub id: DeliveryId,
    /// The attempt to be made, from 1.
    pub number: u32,
    /// From 1.
    pub round: u32,
}

const HEAD_OF_FRESH: &str =
    "SELECT sequence, due_at, expires_at, round > 1 AND tries = 0 FROM delivery
    WHERE webhook_id = ?1 AND stage = 'fresh' ORDER BY sequence LIMIT 1";
const HEAD_OF_RETRY: &str =
    "SELECT sequence, due_at, expires_at, round > 1 AND tries = 0 FROM delivery
    WHERE webhook_id = ?1 AND stage = 'retry' ORDER BY due_at, sequence LIMIT 1";

/// What is first on a lane; `now` tells whether it has expired.
pub fn head(
    tx: &ReadTx,
    webhook: &WebhookId,
    lane: Lane,
    now: Timestamp,
) -> Result<Option<Head>, Fault> {
    let sql = match lane {
        Lane::Fresh => HEAD_OF_FRESH,
        Lane::Retry => HEAD_OF_RETRY,
    };
    let found = tx
        .conn
        .prepare_cached(sql)?
        .query_row([webhook.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    let Some((sequence, due_at, expires_at, begins_round)) = found else {
        return Ok(None);
    };
    Ok(Some(Head {
        sequence,
        due_at: instant(due_at)?,
        expired: begins_round && instant(expires_at)? < now,
    }))
}

/// The lanes of enabled endpoints that have anything to send, each with when its first falls due.
pub fn list_lanes(tx: &ReadTx) -> Result<Vec<(WebhookId, Lane, Timestamp)>, Fault> {
    let sql = "SELECT id FROM webhook WHERE disabled_reason IS NULL ORDER BY sequence";
    let ids: Vec<WebhookId> = super::rows::ids(tx.conn, sql, [])?;
    let mut lanes = Vec::new();
    for id in ids {
        for lane in Lane::ALL {
            if let Some(head) = head(tx, &id, lane, Timestamp::MIN)? {
                lanes.push((id.clone(), lane, head.due_at));
            }
        }
    }
    Ok(lanes)
}

/// Takes a delivery from its lane: it counts as an attempt begun from now on, whatever becomes of it. Returns its body, without
/// its `deliveryId`, as well.
pub fn take(tx: &mut WriteTx, sequence: i64) -> Result<(Taken, String), Fault> {
    // Two statements: RETURNING costs more than a second look.
    tx.conn
        .prepare_cached(
            "UPDATE delivery SET stage = 'wire', attempts = attempts + 1, tries = tries + 1 WHERE sequence = ?1",
        )?
        .execute([sequence])?;
    let taken = tx
        .conn
        .prepare_cached(
            "SELECT delivery.id, attempts, round, body FROM delivery CROSS JOIN event ON event.id = event_id
             WHERE sequence = ?1",
        )?
        .query_row([sequence], |row| {
            let taken = Taken {
                sequence,
                id: row.get::<_, String>(0)?.into(),
                number: row.get(1)?,
                round: row.get(2)?,
            };
            Ok((taken, row.get(3)?))
        })?;
    Ok(taken)
}

/// Puts a delivery back on its lane whose attempt was not made after all.
pub fn put_back(tx: &mut WriteTx, taken: &Taken) -> Result<(), Fault> {
    let (sequence, number) = (taken.sequence, taken.number);
    let changed = tx
        .conn
        .prepare_cached(
            "UPDATE delivery SET attempts = attempts - 1, tries = tries - 1,
                    stage = CASE state WHEN 'pending' THEN CASE attempts WHEN 1 THEN 'fresh' ELSE 'retry' END END
             WHERE sequence = ?1 AND stage = 'wire' AND attempts = ?2",
        )?
        .execute(params![sequence, number])?;
    if changed > 0 {
        tx.conn
            .prepare_cached("DELETE FROM attempt WHERE delivery = ?1 AND number = ?2")?
            .execute(params![sequence, number])?;
    }
    tx.note_deliveries();
    Ok(())
}

/// Writes an attempt down before it is made.
pub fn begin_attempt(
    tx: &mut WriteTx,
    taken: &Taken,
    at: Timestamp,
    total_rounds: u32,
    headers: &[(String, String)],
) -> Result<(), Fault> {
    tx.conn
        .prepare_cached(
            "INSERT INTO attempt (delivery, number, at, round, total_rounds, headers, truncated)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
        )?
        .execute(params![
            taken.sequence,
            taken.number,
            millis(at),
            taken.round,
            total_rounds,
            json(&headers)?
        ])?;
    Ok(())
}

/// Writes down how an attempt ended.
pub fn end_attempt(tx: &mut WriteTx, taken: &Taken, result: &AttemptResult) -> Result<(), Fault> {
    let duration = result
        .duration
        .map(|spent| i64::try_from(spent.as_millis()).unwrap_or(i64::MAX));
    let snippet = result.snippet.as_ref();
    tx.conn
        .prepare_cached(
            "UPDATE attempt SET outcome = ?3, status = ?4, error = ?5, duration_ms = ?6, snippet = ?7, truncated = ?8,
                    retry_after_seconds = ?9
             WHERE delivery = ?1 AND number = ?2",
        )?
        .execute(params![
            taken.sequence,
            taken.number,
            result.outcome.name(),
            result.status,
            result.error.map(SendError::name),
            duration,
            snippet.map(|snippet| &snippet.text),
            snippet.is_some_and(|snippet| snippet.truncated),
            result.retry_after_seconds,
        ])?;
    Ok(())
}

/// Where the delivery of an attempt stands now that the attempt has ended; `None` when the attempt decides nothing any
/// more: the delivery was cancelled or deleted meanwhile.
pub fn standing(tx: &ReadTx, taken: &Taken) -> Result<Option<Standing>, Fault> {
    let sql = "SELECT round, tries, expires_at FROM delivery
               WHERE sequence = ?1 AND state = 'pending' AND stage = 'wire' AND attempts = ?2";
    let found = tx
        .conn
        .prepare_cached(sql)?
        .query_row(params![taken.sequence, taken.number], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?))
        })
        .optional()?;
    let Some((round, tries, expires_at)) = found else {
        return Ok(None);
    };
    Ok(Some(Standing {
        round,
        tries,
        expires_at: instant(expires_at)?,
    }))
}

/// Has a delivery tried again at an instant; in a later round the tries of it are counted anew.
pub fn try_again(tx: &mut WriteTx, sequence: i64, at: Timestamp, round: u32) -> Result<(), Fault> {
    tx.conn
        .prepare_cached(
            "UPDATE delivery SET stage = 'retry', due_at = ?2, tries = CASE round WHEN ?3 THEN tries ELSE 0 END,
                    round = ?3
             WHERE sequence = ?1",
        )?
        .execute(params![sequence, millis(at), round])?;
    tx.note_deliveries();
    Ok(())
}

/// Takes a delivery that was cancelled off the wire, now that its attempt has ended.
pub fn take_off_the_wire(tx: &mut WriteTx, sequence: i64) -> Result<(), Fault> {
    tx.conn
        .prepare_cached(
            "UPDATE delivery SET stage = NULL WHERE sequence = ?1 AND state <> 'pending'",
        )?
        .execute([sequence])?;
    Ok(())
}

/// Cancels a delivery. One that is on the wire stays there until its attempt ends.
pub fn cancel(tx: &mut WriteTx, sequence: i64) -> Result<(), Fault> {
    tx.conn
        .prepare_cached(
            "UPDATE delivery SET state = 'cancelled', ended_at = ?2, stage = CASE stage WHEN 'wire' THEN 'wire' END,
                    due_at = NULL
             WHERE sequence = ?1",
        )?
        .execute(params![sequence, millis(tx.now())])?;
    tx.note_recalled();
    Ok(())
}

/// Ends a delivery that an attempt has brought home; false where the attempt decides nothing any more.
pub fn finish_delivered(tx: &mut WriteTx, taken: &Taken) -> Result<bool, Fault> {
    let changed = tx
        .conn
        .prepare_cached(
            "UPDATE delivery SET state = 'delivered', ended_at = ?3, stage = NULL, due_at = NULL
             WHERE sequence = ?1 AND state = 'pending' AND stage = 'wire' AND attempts = ?2",
        )?
        .execute(params![taken.sequence, taken.number, millis(tx.now())])?;
    Ok(changed > 0)
}

/// Ends a delivery whose attempt has ended.
pub fn finish(tx: &mut WriteTx, sequence: i64, state: DeliveryState) -> Result<(), Fault> {
    tx.conn
        .prepare_cached(
            "UPDATE delivery SET state = ?2, ended_at = ?3, stage = NULL, due_at = NULL WHERE sequence = ?1",
        )?
        .execute(params![sequence, state.name(), millis(tx.now())])?;
    Ok(())
}

/// Begins a new ladder for a finished delivery, due at once.
pub fn send_anew(tx: &mut WriteTx, sequence: i64) -> Result<(), Fault> {
    let now = tx.now();
    tx.conn
        .prepare_cached(
            "UPDATE delivery SET state = 'pending', ended_at = NULL, stage = 'retry', due_at = ?2, expires_at = ?3,
                    round = 1, tries = 0
             WHERE sequence = ?1",
        )?
        .execute(params![
            sequence,
            millis(now),
            millis(ladder::expires_at(now))
        ])?;
    tx.note_deliveries();
    Ok(())
}

/// Whether a delivery is younger than its endpoint's last sign of health, so that its failure tells something.
pub fn tells_of_failure(tx: &ReadTx, webhook: &WebhookId, sequence: i64) -> Result<bool, Fault> {
    let sql = "SELECT healthy_at_sequence < ?2 FROM webhook WHERE id = ?1";
    let found = tx
        .conn
        .prepare_cached(sql)?
        .query_row(params![webhook.as_str(), sequence], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(false))
}

/// Lets go of what was held while the endpoint was disabled: the time does not count, and what is overdue falls due
/// spread over `within`, in order.
pub fn release(
    tx: &mut WriteTx,
    webhook: &WebhookId,
    held: SignedDuration,
    within: SignedDuration,
) -> Result<(), Fault> {
    let held = i64::try_from(held.as_millis()).unwrap_or(0);
    tx.conn
        .prepare_cached(
            "UPDATE delivery SET expires_at = expires_at + ?2
             WHERE webhook_id = ?1 AND state = 'pending' AND state <> 'delivered'",
        )?
        .execute(params![webhook.as_str(), held])?;
    tx.conn
        .prepare_cached(
            "UPDATE delivery SET due_at = ?2 + ?3 * known.place / known.total
             FROM (SELECT sequence, row_number() OVER (ORDER BY sequence) - 1 AS place, count(*) OVER () AS total
                   FROM delivery
                   WHERE webhook_id = ?1 AND state = 'pending' AND state <> 'delivered' AND stage <> 'wire'
                         AND due_at <= ?2) AS known
             WHERE delivery.sequence = known.sequence",
        )?
        .execute(params![
            webhook.as_str(),
            millis(tx.now()),
            i64::try_from(within.as_millis()).unwrap_or(0)
        ])?;
    tx.note_deliveries();
    Ok(())
}

/// Deliveries on the wire, found by their endpoints.
const ON_THE_WIRE: &str =
    "webhook_id IN (SELECT id FROM webhook) AND state IN ('pending', 'cancelled')
    AND state <> 'delivered' AND stage = 'wire'";

/// After a restart: attempts that nobody saw the end of are `interrupted`, and their deliveries are due at once in the
/// same round. Of two first attempts to one endpoint the later was taken ahead, as earlier versions did, and hardly sent:
/// it goes back among the first attempts, so that they stay in commit order. Answers how many there were.
pub fn end_interrupted(tx: &mut WriteTx) -> Result<usize, Fault> {
    let now = millis(tx.now());
    let run =
        |sql: String| -> Result<usize, Fault> { Ok(tx.conn.prepare_cached(&sql)?.execute([now])?) };
    let ended = run(format!(
        "UPDATE attempt SET outcome = 'no_response', error = 'interrupted'
         WHERE ?1 AND outcome IS NULL
               AND (delivery, number) IN (SELECT sequence, attempts FROM delivery WHERE {ON_THE_WIRE})"
    ))?;
    run(format!(
        "UPDATE delivery SET stage = 'fresh', due_at = ?1, tries = tries - 1
         WHERE {ON_THE_WIRE} AND state = 'pending' AND attempts = 1
               AND EXISTS (SELECT 1 FROM delivery AS known
                           WHERE known.webhook_id = delivery.webhook_id AND known.state IN ('pending', 'cancelled')
                                 AND known.state <> 'delivered' AND known.sequence < delivery.sequence
                                 AND known.stage = 'wire' AND known.attempts = 1)"
    ))?;
    run(format!(
        "UPDATE delivery SET stage = CASE state WHEN 'pending' THEN 'retry' END,
                due_at = CASE state WHEN 'pending' THEN ?1 END, tries = tries - 1
         WHERE {ON_THE_WIRE}"
    ))?;
    tx.note_deliveries();
    Ok(ended)
}

/// How many deliveries up to a sequence are on the wire, or due at an instant and next on their lane: a first attempt
/// waits for those queued before it, also where they fall due later.
pub fn count_unsettled(tx: &ReadTx, newest: i64, now: Timestamp) -> Result<u64, Fault> {
    let sql = "WITH known AS MATERIALIZED
                   (SELECT id, disabled_reason IS NULL AS enabled,
                           (SELECT coalesce(min(sequence), ?1 + 1) FROM delivery
                            WHERE webhook_id = webhook.id AND stage = 'fresh' AND due_at > ?2) AS waiting
                    FROM webhook)
               SELECT count(*) FROM known CROSS JOIN delivery d ON d.webhook_id = known.id
                    AND d.state IN ('pending', 'cancelled') AND d.state <> 'delivered'
               WHERE d.sequence <= ?1
                     AND (d.stage = 'wire'
                          OR known.enabled AND d.due_at <= ?2 AND (d.stage = 'retry' OR d.sequence < known.waiting))";
    let count: i64 = tx
        .conn
        .prepare_cached(sql)?
        .query_row([newest, millis(now)], |row| row.get(0))?;
    Ok(count as u64)
}

/// The newest delivery there ever was.
pub fn newest_delivery(tx: &ReadTx) -> Result<i64, Fault> {
    let sql = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'delivery'), 0)";
    let mut query = tx.conn.prepare_cached(sql)?;
    Ok(query.query_row([], |row| row.get(0))?)
}

/// Rows taken away by one clearing, so that other writers get their turn.
const CLEARED_AT_ONCE: i64 = 500;

/// Whether there is anything to clear away: a delivery that ended at or before `until`, or one of a deleted endpoint.
pub fn anything_to_clear(tx: &ReadTx, until: Timestamp) -> Result<bool, Fault> {
    let oldest: Option<i64> = tx
        .conn
        .prepare_cached("SELECT min(ended_at) FROM delivery WHERE ended_at IS NOT NULL")?
        .query_row([], |row| row.get(0))?;
    let oldest = instant_or_none(oldest)?;
    let removed: bool = tx
        .conn
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM webhook_removed)")?
        .query_row([], |row| row.get(0))?;
    Ok(removed || oldest.is_some_and(|oldest| oldest <= until))
}

/// Whether there are messages or mentions to clear away that ended at or before `until`.
pub fn anything_told_to_clear(tx: &ReadTx, until: Timestamp) -> Result<bool, Fault> {
    Ok(any_old_message(tx, until)? || any_old_mention(tx, until)?)
}

/// Takes away some of them.
pub fn clear_told(tx: &mut WriteTx, until: Timestamp) -> Result<(), Fault> {
    clear_messages(tx, until, CLEARED_AT_ONCE)?;
    clear_mentions(tx, until, CLEARED_AT_ONCE)
}

/// Takes away some deliveries that ended at or before `until`.
pub fn clear_old(tx: &mut WriteTx, until: Timestamp) -> Result<(), Fault> {
    let sql = "DELETE FROM delivery WHERE sequence IN
                   (SELECT sequence FROM delivery WHERE ended_at <= ?1 ORDER BY ended_at LIMIT ?2)
               RETURNING event_id";
    clear(tx, sql, params![millis(until), CLEARED_AT_ONCE]).map(drop)
}

/// Takes away some deliveries of a deleted endpoint; once there are none the endpoint is forgotten.
pub fn clear_removed(tx: &mut WriteTx) -> Result<(), Fault> {
    let id: Option<String> = tx
        .conn
        .prepare_cached("SELECT id FROM webhook_removed ORDER BY id LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(id) = id else { return Ok(()) };
    let sql = "DELETE FROM delivery WHERE sequence IN
                   (SELECT sequence FROM delivery WHERE webhook_id = ?1 ORDER BY sequence LIMIT ?2)
               RETURNING event_id";
    if !clear(tx, sql, params![id, CLEARED_AT_ONCE])? {
        tx.conn
            .prepare_cached("DELETE FROM webhook_removed WHERE id = ?1")?
            .execute([id])?;
    }
    Ok(())
}

/// Deletes deliveries, and the events that no delivery tells of any more; answers whether there were any.
fn clear(tx: &mut WriteTx, sql: &str, params: impl rusqlite::Params) -> Result<bool, Fault> {
    let mut query = tx.conn.prepare_cached(sql)?;
    let events = query.query_map(params, |row| row.get::<_, i64>(0))?;
    let mut events: Vec<i64> = events.collect::<Result<_, _>>()?;
    events.sort_unstable();
    events.dedup();
    let mut remove = tx.conn.prepare_cached(
        "DELETE FROM event WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM delivery WHERE event_id = ?1)",
    )?;
    for event in &events {
        remove.execute([event])?;
    }
    Ok(!events.is_empty())
}
