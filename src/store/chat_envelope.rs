//! Envelopes of Slack, stored before they are acknowledged.

use super::rows::{instant, millis};
use super::{ReadTx, Result, WriteTx};
use jiff::Timestamp;
use rusqlite::{Row, params};

/// Something that Slack sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatEnvelope {
    /// Does not change when Slack sends it again.
    pub id: String,
    /// The name of its class, as on the socket.
    pub kind: String,
    /// The payload, as JSON.
    pub body: String,
    pub received_at: Timestamp,
    /// Until when its response URL takes answers, by the system's clock.
    pub answer_until: Timestamp,
}

/// Records purged per commit, so that other writers are not delayed.
const PURGE_BATCH: i64 = 500;

/// Stores an envelope whose id is not stored.
pub fn insert_chat_envelope(tx: &mut WriteTx, envelope: &ChatEnvelope) -> Result<()> {
    let sql = "INSERT INTO chat_envelope (id, kind, body, received_at, answer_until) VALUES (?1, ?2, ?3, ?4, ?5)";
    tx.run(
        sql,
        params![
            envelope.id,
            envelope.kind,
            envelope.body,
            millis(envelope.received_at),
            millis(envelope.answer_until),
        ],
    )?;
    Ok(())
}

/// Whether an envelope with this id is stored.
pub fn has_chat_envelope(tx: &ReadTx, id: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM chat_envelope WHERE id = ?1)";
    tx.value(sql, [id])
}

/// Records that an envelope is processed. Its payload is forgotten: only its id is needed, to know it when it comes again.
pub fn finish_chat_envelope(
    tx: &mut WriteTx,
    id: &str,
    outcome: &str,
    at: Timestamp,
) -> Result<()> {
    let sql = "UPDATE chat_envelope SET processed_at = ?2, outcome = ?3, body = NULL WHERE id = ?1 AND processed_at IS NULL";
    tx.run(sql, params![id, millis(at), outcome]).map(drop)
}

/// How many envelopes are not processed.
pub fn count_open_chat_envelopes(tx: &ReadTx) -> Result<u64> {
    let sql = "SELECT count(*) FROM chat_envelope WHERE processed_at IS NULL AND received_at >= ?1";
    let count: i64 = tx.value(sql, [i64::MIN])?;
    Ok(count.unsigned_abs())
}

/// The oldest envelopes that are not processed.
pub fn list_open_chat_envelopes(tx: &ReadTx, most: usize) -> Result<Vec<ChatEnvelope>> {
    let sql = "SELECT id, kind, body, received_at, answer_until FROM chat_envelope
               WHERE processed_at IS NULL AND received_at >= ?1 ORDER BY received_at, id LIMIT ?2";
    let mut query = tx.conn.prepare_cached(sql)?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = query.query_map(params![i64::MIN, most], |row| Ok(envelope(row)))?;
    rows.map(|row| row?).collect()
}

fn envelope(row: &Row) -> Result<ChatEnvelope> {
    Ok(ChatEnvelope {
        id: row.get(0)?,
        kind: row.get(1)?,
        body: row.get(2)?,
        received_at: instant(row.get(3)?)?,
        answer_until: instant(row.get(4)?)?,
    })
}

/// Whether any processed envelope was received before an instant.
pub fn any_old_chat_envelope(tx: &ReadTx, until: Timestamp) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM chat_envelope WHERE processed_at IS NOT NULL AND received_at < ?1)";
    tx.value(sql, [millis(until)])
}

/// Purges some of the processed envelopes that were received before an instant.
pub fn clear_chat_envelopes(tx: &mut WriteTx, until: Timestamp) -> Result<()> {
    let sql = "DELETE FROM chat_envelope WHERE id IN (
                   SELECT id FROM chat_envelope WHERE processed_at IS NOT NULL AND received_at < ?1
                   ORDER BY received_at LIMIT ?2)";
    let mut remove = tx.conn.prepare_cached(sql)?;
    let old = params![millis(until), PURGE_BATCH];
    Ok(remove.execute(old).map(drop)?)
}
