//! The queue of deliveries: what is due, taking it, recording the outcome (rules.md 16).

use super::mention::{any_old_mention, clear_mentions};
use super::message::{any_old_message, clear_messages};
use super::rows::{instant, instant_or_none, json, millis};
use super::{ReadTx, Result, WriteTx};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::retry_schedule::{self, RetryState};
use crate::domain::webhook::{AttemptResult, DeliveryState, SendError};
use jiff::{SignedDuration, Timestamp};
use rusqlite::{OptionalExtension, params};

/// Each endpoint has two queues, with one request in flight each, so that a retry never delays a first attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Queue {
    /// First attempts, in commit order.
    Fresh,
    /// Retries, in the order they are due.
    Retry,
}

impl Queue {
    /// Both queues.
    pub const ALL: [Queue; 2] = [Queue::Fresh, Queue::Retry];
}

/// The first delivery of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub sequence: i64,
    pub due_at: Timestamp,
    /// Whether its remaining rounds have expired.
    pub expired: bool,
}

/// A delivery taken from its queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub sequence: i64,
    pub id: DeliveryId,
    /// The number of the attempt, from 1.
    pub number: u32,
    /// The round, from 1.
    pub round: u32,
}

const HEAD_OF_FRESH: &str =
    "SELECT sequence, due_at, expires_at, round > 1 AND tries = 0 FROM delivery
    WHERE webhook_id = ?1 AND stage = 'fresh' ORDER BY sequence LIMIT 1";
const HEAD_OF_RETRY: &str =
    "SELECT sequence, due_at, expires_at, round > 1 AND tries = 0 FROM delivery
    WHERE webhook_id = ?1 AND stage = 'retry' ORDER BY due_at, sequence LIMIT 1";

/// The first delivery of a queue. `now` determines whether it has expired.
pub fn head(
    tx: &ReadTx,
    webhook: &WebhookId,
    queue: Queue,
    now: Timestamp,
) -> Result<Option<Head>> {
    let sql = match queue {
        Queue::Fresh => HEAD_OF_FRESH,
        Queue::Retry => HEAD_OF_RETRY,
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

/// The queues of enabled endpoints that are not empty, each with its earliest due instant.
pub fn list_queues(tx: &ReadTx) -> Result<Vec<(WebhookId, Queue, Timestamp)>> {
    let sql = "SELECT id FROM webhook WHERE disabled_reason IS NULL ORDER BY sequence";
    let ids: Vec<WebhookId> = super::rows::ids(tx.conn, sql, [])?;
    let mut queues = Vec::new();
    for id in ids {
        for queue in Queue::ALL {
            if let Some(head) = head(tx, &id, queue, Timestamp::MIN)? {
                queues.push((id.clone(), queue, head.due_at));
            }
        }
    }
    Ok(queues)
}

/// Takes a delivery from its queue. It counts as an attempt from now on, whatever its outcome. Also returns the body without its
/// `deliveryId`.
pub fn take(tx: &mut WriteTx, sequence: i64) -> Result<(Taken, String)> {
    // Two statements: RETURNING is slower than a second query.
    tx.run("UPDATE delivery SET stage = 'wire', attempts = attempts + 1, tries = tries + 1 WHERE sequence = ?1", [sequence])?;
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

/// Returns a delivery to its queue whose attempt was not made.
pub fn put_back(tx: &mut WriteTx, taken: &Taken) -> Result<()> {
    let (sequence, number) = (taken.sequence, taken.number);
    let changed = tx.run("UPDATE delivery SET attempts = attempts - 1, tries = tries - 1,
                    stage = CASE state WHEN 'pending' THEN CASE attempts WHEN 1 THEN 'fresh' ELSE 'retry' END END
             WHERE sequence = ?1 AND stage = 'wire' AND attempts = ?2", params![sequence, number])?;
    if changed > 0 {
        tx.run(
            "DELETE FROM attempt WHERE delivery = ?1 AND number = ?2",
            params![sequence, number],
        )?;
    }
    tx.note_deliveries();
    Ok(())
}

/// Records an attempt before it is made.
pub fn begin_attempt(
    tx: &mut WriteTx,
    taken: &Taken,
    at: Timestamp,
    total_rounds: u32,
    headers: &[(String, String)],
) -> Result<()> {
    let sql = "INSERT INTO attempt (delivery, number, at, round, total_rounds, headers, truncated)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)";
    tx.run(
        sql,
        params![
            taken.sequence,
            taken.number,
            millis(at),
            taken.round,
            total_rounds,
            json(&headers)?
        ],
    )?;
    Ok(())
}

/// Records the outcome of an attempt.
pub fn end_attempt(tx: &mut WriteTx, taken: &Taken, result: &AttemptResult) -> Result<()> {
    let duration = result
        .duration
        .map(|spent| i64::try_from(spent.as_millis()).unwrap_or(i64::MAX));
    let snippet = result.snippet.as_ref();
    let sql = "UPDATE attempt SET outcome = ?3, status = ?4, error = ?5, duration_ms = ?6, snippet = ?7, truncated = ?8,
                    retry_after_seconds = ?9
             WHERE delivery = ?1 AND number = ?2";
    tx.run(
        sql,
        params![
            taken.sequence,
            taken.number,
            result.outcome.name(),
            result.status,
            result.error.map(SendError::name),
            duration,
            snippet.map(|snippet| &snippet.text),
            snippet.is_some_and(|snippet| snippet.truncated),
            result.retry_after_seconds,
        ],
    )?;
    Ok(())
}

/// The retry state of a delivery after an attempt. `None` if the delivery was cancelled or deleted meanwhile, so the attempt
/// no longer matters.
pub fn load_retry_state(tx: &ReadTx, taken: &Taken) -> Result<Option<RetryState>> {
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
    Ok(Some(RetryState {
        round,
        tries,
        expires_at: instant(expires_at)?,
    }))
}

/// Schedules a retry. In a later round the tries are counted from 0.
pub fn try_again(tx: &mut WriteTx, sequence: i64, at: Timestamp, round: u32) -> Result<()> {
    let sql = "UPDATE delivery SET stage = 'retry', due_at = ?2, tries = CASE round WHEN ?3 THEN tries ELSE 0 END,
                    round = ?3
             WHERE sequence = ?1";
    tx.run(sql, params![sequence, millis(at), round])?;
    tx.note_deliveries();
    Ok(())
}

/// Ends the flight of a cancelled delivery whose attempt has ended.
pub fn end_flight(tx: &mut WriteTx, sequence: i64) -> Result<()> {
    tx.run(
        "UPDATE delivery SET stage = NULL WHERE sequence = ?1 AND state <> 'pending'",
        [sequence],
    )?;
    Ok(())
}

/// Cancels a delivery. An attempt in flight continues until it ends.
pub fn cancel(tx: &mut WriteTx, sequence: i64) -> Result<()> {
    let sql = "UPDATE delivery SET state = 'cancelled', ended_at = ?2, stage = CASE stage WHEN 'wire' THEN 'wire' END,
                    due_at = NULL
             WHERE sequence = ?1";
    tx.run(sql, params![sequence, millis(tx.now())])?;
    tx.note_recalled();
    Ok(())
}

/// Marks a delivery as delivered; `false` if it was cancelled or deleted meanwhile.
pub fn finish_delivered(tx: &mut WriteTx, taken: &Taken) -> Result<bool> {
    let changed = tx.run(
        "UPDATE delivery SET state = 'delivered', ended_at = ?3, stage = NULL, due_at = NULL
             WHERE sequence = ?1 AND state = 'pending' AND stage = 'wire' AND attempts = ?2",
        params![taken.sequence, taken.number, millis(tx.now())],
    )?;
    Ok(changed > 0)
}

/// Ends a delivery whose attempt has ended.
pub fn finish(tx: &mut WriteTx, sequence: i64, state: DeliveryState) -> Result<()> {
    tx.run("UPDATE delivery SET state = ?2, ended_at = ?3, stage = NULL, due_at = NULL WHERE sequence = ?1", params![sequence, state.name(), millis(tx.now())])?;
    Ok(())
}

/// Starts a new retry schedule for a finished delivery, due at once.
pub fn restart_schedule(tx: &mut WriteTx, sequence: i64) -> Result<()> {
    let now = tx.now();
    let sql = "UPDATE delivery SET state = 'pending', ended_at = NULL, stage = 'retry', due_at = ?2, expires_at = ?3,
                    round = 1, tries = 0
             WHERE sequence = ?1";
    tx.run(
        sql,
        params![
            sequence,
            millis(now),
            millis(retry_schedule::expires_at(now))
        ],
    )?;
    tx.note_deliveries();
    Ok(())
}

/// Whether a delivery is newer than its endpoint's last success, so that its failure counts.
pub fn counts_as_failure(tx: &ReadTx, webhook: &WebhookId, sequence: i64) -> Result<bool> {
    let sql = "SELECT healthy_at_sequence < ?2 FROM webhook WHERE id = ?1";
    let found = tx
        .conn
        .prepare_cached(sql)?
        .query_row(params![webhook.as_str(), sequence], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(false))
}

/// Releases the deliveries that were held while the endpoint was disabled. That time does not count, and overdue deliveries
/// become due in order, spread over `within`.
pub fn release(
    tx: &mut WriteTx,
    webhook: &WebhookId,
    held: SignedDuration,
    within: SignedDuration,
) -> Result<()> {
    let held = i64::try_from(held.as_millis()).unwrap_or(0);
    let sql = "UPDATE delivery SET expires_at = expires_at + ?2
             WHERE webhook_id = ?1 AND state = 'pending' AND state <> 'delivered'";
    tx.run(sql, params![webhook.as_str(), held])?;
    let sql = "UPDATE delivery SET due_at = ?2 + ?3 * known.place / known.total
             FROM (SELECT sequence, row_number() OVER (ORDER BY sequence) - 1 AS place, count(*) OVER () AS total
                   FROM delivery
                   WHERE webhook_id = ?1 AND state = 'pending' AND state <> 'delivered' AND stage <> 'wire'
                         AND due_at <= ?2) AS known
             WHERE delivery.sequence = known.sequence";
    tx.run(
        sql,
        params![
            webhook.as_str(),
            millis(tx.now()),
            i64::try_from(within.as_millis()).unwrap_or(0)
        ],
    )?;
    tx.note_deliveries();
    Ok(())
}

/// Deliveries in flight, found by endpoint.
const IN_FLIGHT: &str =
    "webhook_id IN (SELECT id FROM webhook) AND state IN ('pending', 'cancelled')
    AND state <> 'delivered' AND stage = 'wire'";

/// Whether a delivery is in flight.
pub fn any_in_flight(tx: &ReadTx) -> Result<bool> {
    tx.value(
        &format!("SELECT EXISTS (SELECT 1 FROM delivery WHERE {IN_FLIGHT})"),
        [],
    )
}

/// After a restart: attempts without an outcome become `interrupted`, and their deliveries are due at once in the same
/// round. An earlier version could take two first attempts for one endpoint. The later one was probably not sent, so it
/// returns to the first attempts, which keeps commit order. Returns the number of interrupted attempts.
pub fn end_interrupted(tx: &mut WriteTx) -> Result<usize> {
    let now = millis(tx.now());
    let run = |sql: String| -> Result<usize> { tx.run(&sql, [now]) };
    let ended = run(format!(
        "UPDATE attempt SET outcome = 'no_response', error = 'interrupted'
         WHERE ?1 AND outcome IS NULL
               AND (delivery, number) IN (SELECT sequence, attempts FROM delivery WHERE {IN_FLIGHT})"
    ))?;
    run(format!(
        "UPDATE delivery SET stage = 'fresh', due_at = ?1, tries = tries - 1
         WHERE {IN_FLIGHT} AND state = 'pending' AND attempts = 1
               AND EXISTS (SELECT 1 FROM delivery AS known
                           WHERE known.webhook_id = delivery.webhook_id AND known.state IN ('pending', 'cancelled')
                                 AND known.state <> 'delivered' AND known.sequence < delivery.sequence
                                 AND known.stage = 'wire' AND known.attempts = 1)"
    ))?;
    run(format!(
        "UPDATE delivery SET stage = CASE state WHEN 'pending' THEN 'retry' END,
                due_at = CASE state WHEN 'pending' THEN ?1 END, tries = tries - 1
         WHERE {IN_FLIGHT}"
    ))?;
    tx.note_deliveries();
    Ok(ended)
}

/// The number of deliveries up to a sequence that are in flight, or due at an instant and next on their queue. A first
/// attempt waits for those queued before it, even if they are due later.
pub fn count_unfinished(tx: &ReadTx, newest: i64, now: Timestamp) -> Result<u64> {
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

/// The sequence of the newest delivery ever.
pub fn newest_delivery(tx: &ReadTx) -> Result<i64> {
    let sql = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'delivery'), 0)";
    tx.value(sql, [])
}

/// Rows purged per commit, so that other writers are not delayed.
const PURGE_BATCH: i64 = 500;

/// Whether there is anything to purge: a delivery that ended at or before `until`, or one of a deleted endpoint.
pub fn anything_to_clear(tx: &ReadTx, until: Timestamp) -> Result<bool> {
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

/// Whether there are messages or mentions to purge that ended at or before `until`.
pub fn any_old_messages_or_mentions(tx: &ReadTx, until: Timestamp) -> Result<bool> {
    Ok(any_old_message(tx, until)? || any_old_mention(tx, until)?)
}

/// Purges some of them.
pub fn clear_messages_and_mentions(tx: &mut WriteTx, until: Timestamp) -> Result<()> {
    clear_messages(tx, until, PURGE_BATCH)?;
    clear_mentions(tx, until, PURGE_BATCH)
}

/// Purges some deliveries that ended at or before `until`.
pub fn clear_old(tx: &mut WriteTx, until: Timestamp) -> Result<()> {
    let sql = "DELETE FROM delivery WHERE sequence IN
                   (SELECT sequence FROM delivery WHERE ended_at <= ?1 ORDER BY ended_at LIMIT ?2)
               RETURNING event_id";
    clear(tx, sql, params![millis(until), PURGE_BATCH]).map(drop)
}

/// Purges some deliveries of a deleted endpoint, and the endpoint itself once it has none.
pub fn clear_removed(tx: &mut WriteTx) -> Result<()> {
    let id: Option<String> = tx
        .conn
        .prepare_cached("SELECT id FROM webhook_removed ORDER BY id LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(id) = id else { return Ok(()) };
    let sql = "DELETE FROM delivery WHERE sequence IN
                   (SELECT sequence FROM delivery WHERE webhook_id = ?1 ORDER BY sequence LIMIT ?2)
               RETURNING event_id";
    if !clear(tx, sql, params![id, PURGE_BATCH])? {
        tx.run("DELETE FROM webhook_removed WHERE id = ?1", [id])?;
    }
    Ok(())
}

/// Deletes deliveries and their events that no other delivery uses. Returns whether there were any.
fn clear(tx: &mut WriteTx, sql: &str, params: impl rusqlite::Params) -> Result<bool> {
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
