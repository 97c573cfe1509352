//! Updates of messages that were posted with buttons.

use super::super::rows::{instant, instant_or_none, millis};
use super::super::{ReadTx, Result, WriteTx};
use super::{MESSAGE, message};
use crate::domain::ids::MessageReference;
use crate::domain::message::Message;
use jiff::Timestamp;
use rusqlite::params;

/// A posted message that is to show what came of its question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageUpdate {
    pub sequence: i64,
    pub reference: MessageReference,
    pub message: Message,
    /// When it was first requested.
    pub created_at: Timestamp,
    /// The number of requests that it covers.
    pub calls: i64,
    /// Failed tries.
    pub tries: u32,
}

/// Requests an update of one posted message.
pub fn request_message_update(tx: &mut WriteTx, sequence: i64) -> Result<()> {
    let sql = "INSERT INTO message_update (sequence, rotation_id, created_at, due_at, calls, tries)
               SELECT sequence, rotation_id, ?2, ?2, 1, 0 FROM message WHERE sequence = ?1
               ON CONFLICT (sequence) DO UPDATE SET due_at = ?2, calls = calls + 1";
    let now = millis(tx.now());
    tx.run(sql, [sequence, now])?;
    tx.note_chat_messages();
    Ok(())
}

/// The first update that is due at an instant.
pub fn first_due_message_update(tx: &ReadTx, now: Timestamp) -> Result<Option<MessageUpdate>> {
    let sql = format!(
        "SELECT u.sequence, m.reference, u.created_at, u.calls, u.tries, {} FROM message_update u
         CROSS JOIN message m ON m.sequence = u.sequence WHERE u.due_at <= ?1 ORDER BY u.due_at LIMIT 1",
        MESSAGE.replace("rotation_id", "m.rotation_id")
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query([millis(now)])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(MessageUpdate {
        sequence: row.get(0)?,
        reference: row.get::<_, String>(1)?.into(),
        created_at: instant(row.get(2)?)?,
        calls: row.get(3)?,
        tries: row.get(4)?,
        message: message(row, 5)?,
    }))
}

/// When the next update is due.
pub fn next_message_update(tx: &ReadTx) -> Result<Option<Timestamp>> {
    super::super::rows::first_instant(tx.conn, "SELECT min(due_at) FROM message_update")
}

/// When the next update is due after an instant.
pub fn next_message_update_after(tx: &ReadTx, after: Timestamp) -> Result<Option<Timestamp>> {
    let sql = "SELECT min(due_at) FROM message_update WHERE due_at > ?1";
    instant_or_none(tx.value(sql, [millis(after)])?)
}

/// Deletes an update that is made, or that is given up because of an error, unless it was requested again meanwhile. The error
/// stays with the message.
pub fn end_message_update(
    tx: &mut WriteTx,
    update: &MessageUpdate,
    error: Option<&str>,
) -> Result<()> {
    note_update_error(tx, update, error)?;
    let sql = "DELETE FROM message_update WHERE sequence = ?1 AND calls = ?2";
    tx.run(sql, [update.sequence, update.calls]).map(drop)
}

/// Records why an update failed and when it is tried again.
pub fn retry_message_update(
    tx: &mut WriteTx,
    update: &MessageUpdate,
    at: Timestamp,
    error: &str,
) -> Result<()> {
    let sql = "UPDATE message_update SET due_at = CASE calls WHEN ?2 THEN ?3 ELSE due_at END, tries = tries + 1, error = ?4
               WHERE sequence = ?1";
    let mut retry = tx.conn.prepare_cached(sql)?;
    retry.execute(params![update.sequence, update.calls, millis(at), error])?;
    note_update_error(tx, update, Some(error))?;
    tx.note_chat_messages();
    Ok(())
}

/// Records with the message why it does not show what came of its question; `None` if it does.
fn note_update_error(tx: &mut WriteTx, update: &MessageUpdate, error: Option<&str>) -> Result<()> {
    let sql = "UPDATE message SET error = ?2 WHERE sequence = ?1 AND error IS NOT ?2";
    tx.run(sql, params![update.sequence, error]).map(drop)
}

/// The message that asked something and whose reference is this one, or begins with it and a blank: a platform may note more behind
/// it.
pub fn load_question(tx: &ReadTx, reference: &str) -> Result<Option<Message>> {
    let sql = format!(
        "SELECT {MESSAGE} FROM message WHERE reference >= ?1 AND reference < ?1 || '!' AND subject_id IS NOT NULL LIMIT 1"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query([reference])?;
    match rows.next()? {
        Some(row) => Ok(Some(message(row, 0)?)),
        None => Ok(None),
    }
}
