//! What people are told in chat: the queue of it, and what became of it (contract section 12).

use super::meta::{first_free, save_hold};
use super::rows::{instant, instant_or_none, millis};
use super::{Fault, ReadTx, WriteTx};
use crate::domain::chat::Recipient;
use crate::domain::ids::RotationId;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};
use std::borrow::Cow;

/// The fact that keeps until when the platform asked to be told no message.
const HOLD: &str = "chat_messages_held_until";

/// A message that is to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub sequence: i64,
    pub to: Recipient,
    pub text: String,
    pub created_at: Timestamp,
    /// From when on it is not worth sending.
    pub until: Option<Timestamp>,
    /// Tries that failed.
    pub tries: u32,
}

/// A message that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub at: Timestamp,
    pub to: Recipient,
    pub text: String,
}

/// How the messages of a rotation fare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Postage {
    /// How many wait to be sent after a try that failed.
    pub pending: u64,
    /// Why the last one was not sent, or not yet.
    pub last_error: Option<String>,
}

fn kind(to: &Recipient) -> &'static str {
    match to {
        Recipient::Channel(_) => "channel",
        Recipient::Person(_) => "person",
    }
}

fn id(to: &Recipient) -> &str {
    match to {
        Recipient::Channel(id) => id.as_str(),
        Recipient::Person(id) => id.as_str(),
    }
}

fn recipient(row: &Row, kind: usize) -> rusqlite::Result<Recipient> {
    let id: String = row.get(kind + 1)?;
    Ok(match row.get::<_, String>(kind)?.as_str() {
        "channel" => Recipient::Channel(id.into()),
        _ => Recipient::Person(id.into()),
    })
}

/// Queues messages, to be dropped where they are not sent `until` an instant; those to people who are not in the workspace
/// are left out. Answers whether there is any.
///
/// Those to the same recipient that wait for another try are tried before them, now: people read them in order.
pub fn insert_messages<'a>(
    tx: &mut WriteTx,
    rotation: &RotationId,
    messages: impl Iterator<Item = (&'a Recipient, Cow<'a, str>)>,
    until: Option<Timestamp>,
) -> Result<bool, Fault> {
    let (now, free) = (millis(tx.now()), first_free(tx, HOLD)?);
    // What waits for the same recipient: the last of it, and why.
    let known = "SELECT ?1 = 'channel' OR EXISTS (SELECT 1 FROM person WHERE id = ?2 AND is_deleted = 0),
                     (SELECT due_at FROM message WHERE recipient_kind = ?1 AND recipient_id = ?2 AND state = 'pending'
                      ORDER BY due_at DESC LIMIT 1),
                     (SELECT error FROM message WHERE recipient_kind = ?1 AND recipient_id = ?2 AND state = 'pending'
                      ORDER BY due_at DESC LIMIT 1)";
    let hurry = "UPDATE message SET due_at = ?3
                 WHERE recipient_kind = ?1 AND recipient_id = ?2 AND state = 'pending' AND due_at > ?3";
    let insert = "INSERT INTO message (rotation_id, recipient_kind, recipient_id, text, created_at, state, due_at, tries,
                                       error, until_at)
                  VALUES (?1, ?2, ?3, ?4, ?5, 'pending', ?6, 0, ?7, ?8)";
    let mut any = false;
    for (to, text) in messages {
        let (kind, id) = (kind(to), id(to));
        let mut query = tx.conn.prepare_cached(known)?;
        let (present, last, error): (bool, Option<i64>, Option<String>) = query
            .query_row([kind, id], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        if !present {
            continue;
        }
        if last.is_some_and(|last| last > free) {
            let mut update = tx.conn.prepare_cached(hurry)?;
            update.execute(params![kind, id, free])?;
        }
        let waits = || "the chat platform asked to wait".to_owned();
        let error = error.or_else(|| (free > now).then(waits));
        let mut message = tx.conn.prepare_cached(insert)?;
        let until = until.map(millis);
        message.execute(params![
            rotation.as_str(),
            kind,
            id,
            text,
            now,
            free,
            error,
            until
        ])?;
        any = true;
    }
    if any {
        tx.note_chat_messages();
    }
    Ok(any)
}

/// The messages due at an instant, in the order in which they are to be sent.
pub fn list_due_messages(tx: &ReadTx, now: Timestamp, most: usize) -> Result<Vec<Outgoing>, Fault> {
    let sql = "SELECT sequence, recipient_kind, recipient_id, text, created_at, tries, until_at FROM message
               WHERE state = 'pending' AND due_at <= ?1 ORDER BY due_at, sequence LIMIT ?2";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query(params![millis(now), most as i64])?;
    let mut due = Vec::new();
    while let Some(row) = rows.next()? {
        due.push(Outgoing {
            sequence: row.get(0)?,
            to: recipient(row, 1)?,
            text: row.get(3)?,
            created_at: instant(row.get(4)?)?,
            tries: row.get(5)?,
            until: instant_or_none(row.get(6)?)?,
        });
    }
    Ok(due)
}

/// Ends a message: it was sent, or is not sent any more because of an error.
pub fn end_message(tx: &mut WriteTx, sequence: i64, error: Option<&str>) -> Result<(), Fault> {
    let sql = "UPDATE message SET state = ?2, due_at = NULL, error = ?3, ended_at = ?4
               WHERE sequence = ?1";
    let state = if error.is_none() { "sent" } else { "dropped" };
    let values = params![sequence, state, error, millis(tx.now())];
    Ok(tx.conn.prepare_cached(sql)?.execute(values).map(drop)?)
}

/// Has a message tried again, and those to the same recipient wait for it.
pub fn try_message_again(
    tx: &mut WriteTx,
    message: &Outgoing,
    at: Timestamp,
    error: &str,
) -> Result<(), Fault> {
    let sql = "UPDATE message SET tries = tries + 1 WHERE sequence = ?1";
    tx.conn.prepare_cached(sql)?.execute([message.sequence])?;
    let sql = "UPDATE message SET due_at = max(due_at, ?3), error = ?4
               WHERE recipient_kind = ?1 AND recipient_id = ?2 AND state = 'pending'";
    let (kind, id) = (kind(&message.to), id(&message.to));
    let mut update = tx.conn.prepare_cached(sql)?;
    update.execute(params![kind, id, millis(at), error])?;
    tx.note_chat_messages();
    Ok(())
}

/// Has every message wait that is due before an instant, those too that are queued until then: the platform asked for it.
pub fn hold_messages(tx: &mut WriteTx, until: Timestamp, error: &str) -> Result<(), Fault> {
    save_hold(tx, HOLD, until)?;
    let sql = "UPDATE message SET due_at = ?1, error = ?2 WHERE state = 'pending' AND due_at < ?1";
    let mut update = tx.conn.prepare_cached(sql)?;
    Ok(update.execute(params![millis(until), error]).map(drop)?)
}

/// When the next message falls due.
pub fn next_message(tx: &ReadTx) -> Result<Option<Timestamp>, Fault> {
    super::rows::first_instant(
        tx.conn,
        "SELECT min(due_at) FROM message WHERE state = 'pending'",
    )
}

/// Those of the newest messages that were sent, in the order in which they were; `most` are looked at.
pub fn list_sent(tx: &ReadTx, most: usize) -> Result<Vec<Sent>, Fault> {
    let sql = "SELECT ended_at, recipient_kind, recipient_id, text, state FROM message
               ORDER BY sequence DESC LIMIT ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([most as i64])?;
    let mut sent = Vec::new();
    while let Some(row) = rows.next()? {
        if row.get::<_, String>(4)? == "sent" {
            sent.push(Sent {
                at: instant(row.get(0)?)?,
                to: recipient(row, 1)?,
                text: row.get(3)?,
            });
        }
    }
    sent.reverse();
    sent.sort_by_key(|message: &Sent| message.at);
    Ok(sent)
}

/// How the messages of a rotation fare.
pub fn load_postage(tx: &ReadTx, rotation: &RotationId) -> Result<Postage, Fault> {
    let sql = "SELECT count(*) FROM message WHERE rotation_id = ?1 AND state = 'pending' AND error IS NOT NULL";
    let pending: i64 =
        (tx.conn.prepare_cached(sql)?).query_row([rotation.as_str()], |row| row.get(0))?;
    let sql = "SELECT error FROM message WHERE rotation_id = ?1 AND error IS NOT NULL
               ORDER BY sequence DESC LIMIT 1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([rotation.as_str()])?;
    let last_error = rows.next()?.map(|row| row.get(0)).transpose()?;
    Ok(Postage {
        pending: pending as u64,
        last_error,
    })
}

/// Whether the oldest message was made at or before an instant.
pub(super) fn any_old_message(tx: &ReadTx, until: Timestamp) -> Result<bool, Fault> {
    let sql = "SELECT created_at <= ?1 FROM message ORDER BY sequence LIMIT 1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let old = query
        .query_row([millis(until)], |row| row.get(0))
        .optional()?;
    Ok(old.unwrap_or(false))
}

/// Takes away some of the oldest messages, as far as they were made at or before an instant: long after any is sent.
pub(super) fn clear_messages(tx: &mut WriteTx, until: Timestamp, most: i64) -> Result<(), Fault> {
    let sql = "DELETE FROM message WHERE created_at <= ?1 AND sequence IN
                   (SELECT sequence FROM message ORDER BY sequence LIMIT ?2)";
    let mut remove = tx.conn.prepare_cached(sql)?;
    Ok(remove.execute(params![millis(until), most]).map(drop)?)
}
