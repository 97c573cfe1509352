//! The queue of chat messages, and their outcomes.

mod body;
mod listing;
mod relay;
mod update;

use super::meta::{first_free, save_hold};
use super::rows::{instant, instant_or_none, millis};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::chat::{ChatError, is_stale};
use crate::domain::ids::{MessageReference, RotationId};
use crate::domain::message::{Message, Recipient, Subject};
use jiff::Timestamp;
pub use listing::*;
pub use relay::*;
use rusqlite::{OptionalExtension, Row, params};
pub use update::*;

/// The fact that stores until when the platform asked for no messages.
const HOLD: &str = "chat_messages_held_until";

/// A message to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub sequence: i64,
    pub to: Recipient,
    /// The error if it cannot be read.
    pub message: Result<Message, String>,
    pub created_at: Timestamp,
    /// Failed tries.
    pub tries: u32,
}

impl Outgoing {
    /// The message, if it can still be sent.
    ///
    /// # Errors
    /// Why it cannot: it is too old or unreadable.
    pub fn to_send(&self, now: Timestamp) -> Result<&Message, ChatError> {
        let message = self.message.as_ref();
        let message = message.map_err(|why| ChatError::Internal(why.clone()))?;
        let expired = message.expires_at.is_some_and(|at| at <= now);
        match expired || is_stale(self.created_at, now) {
            true => Err(ChatError::Expired),
            false => Ok(message),
        }
    }
}

/// A sent message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMessage {
    pub at: Timestamp,
    pub message: Message,
    /// The platform's reference; `None` for messages that were posted by storing them.
    pub reference: Option<MessageReference>,
}

/// The state of a rotation's messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageStatus {
    /// The number of messages that wait after a failed try: to be sent, or to show what came of their question.
    pub pending: u64,
    /// Why the last one was not sent, or does not show it, or not yet.
    pub last_error: Option<String>,
}

/// A message that was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    pub sequence: i64,
    /// Whether it is posted by that.
    pub is_posted: bool,
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

fn subject_id(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Rotation => None,
        Subject::Request(id) => Some(id.as_str()),
        Subject::Mention(id) => Some(id.as_str()),
    }
}

fn recipient(row: &Row, kind: usize) -> rusqlite::Result<Recipient> {
    let id: String = row.get(kind + 1)?;
    Ok(match row.get::<_, String>(kind)?.as_str() {
        "channel" => Recipient::Channel(id.into()),
        _ => Recipient::Person(id.into()),
    })
}

/// The rotation of a message; it is empty for one about all of them.
fn rotation(row: &Row, index: usize) -> rusqlite::Result<Option<RotationId>> {
    let id: String = row.get(index)?;
    Ok((!id.is_empty()).then(|| id.into()))
}

/// The columns that [`message`] reads.
pub(super) const MESSAGE: &str = "recipient_kind, recipient_id, rotation_id, until_at, body";

/// Reads a message from its columns, beginning with index `first`.
pub(super) fn message(row: &Row, first: usize) -> Result<Message> {
    let body = body::from_text(&row.get::<_, String>(first + 4)?)?;
    Ok(Message {
        to: recipient(row, first)?,
        rotation: rotation(row, first + 2)?,
        subject: body.subject(),
        rotation_name: body.rotation_name,
        content: body.content,
        answers: body.answers,
        people: body.people,
        expires_at: instant_or_none(row.get(first + 3)?)?,
        thread: body.thread,
    })
}

/// Stores messages to people in the workspace and to channels. They are queued, or posted with this write if the platform posts
/// by storing and nothing keeps them waiting. Returns them in their order.
///
/// Earlier messages to the same recipient that wait for a retry become due now and are sent first, so that the order is kept.
pub fn insert_messages(
    tx: &mut WriteTx,
    messages: &[Message],
    posts_by_storing: bool,
) -> Result<Vec<Inserted>> {
    let (now, free) = (millis(tx.now()), first_free(tx, HOLD)?);
    // The last waiting message to the same recipient, and why it waits.
    let known = "SELECT due_at, error FROM message
                 WHERE recipient_kind = ?1 AND recipient_id = ?2 AND state = 'pending'
                 ORDER BY due_at DESC LIMIT 1";
    let hurry = "UPDATE message SET due_at = ?3
                 WHERE recipient_kind = ?1 AND recipient_id = ?2 AND state = 'pending' AND due_at > ?3";
    let mut inserted = Vec::new();
    for message in messages {
        let (kind, id) = (kind(&message.to), id(&message.to));
        let mut query = tx.conn.prepare_cached(known)?;
        let waiting: Option<(i64, Option<String>)> = query
            .query_row([kind, id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let waits = waiting.is_some() || free > now;
        if posts_by_storing && !waits && is_postable(tx, message)? {
            insert_one(tx, message, "sent", (None, Some(now)), None)?;
            inserted.push(Inserted {
                sequence: tx.conn.last_insert_rowid(),
                is_posted: true,
            });
            continue;
        }
        let (last, error) = waiting.unzip();
        if last.is_some_and(|last| last > free) {
            let mut update = tx.conn.prepare_cached(hurry)?;
            update.execute(params![kind, id, free])?;
        }
        let held = || "the chat platform asked to wait".to_owned();
        let error = error.flatten().or_else(|| (free > now).then(held));
        insert_one(tx, message, "pending", (Some(free), None), error)?;
        inserted.push(Inserted {
            sequence: tx.conn.last_insert_rowid(),
            is_posted: false,
        });
        tx.note_chat_messages();
    }
    Ok(inserted)
}

/// Stores a message that is in the inbox of its person and goes no other way.
pub fn insert_in_inbox(tx: &mut WriteTx, message: &Message) -> Result<()> {
    let now = millis(tx.now());
    insert_one(tx, message, "sent", (None, Some(now)), None)
}

/// Whether a message can be posted now: it has not expired, and the app is in its channel.
fn is_postable(tx: &WriteTx, message: &Message) -> Result<bool> {
    if message.expires_at.is_some_and(|at| at <= tx.now()) {
        return Ok(false);
    }
    let Recipient::Channel(channel) = &message.to else {
        return Ok(true);
    };
    let sql = "SELECT 1 FROM channel WHERE id = ?1 AND app_is_member";
    Ok(tx.conn.prepare_cached(sql)?.exists([channel.as_str()])?)
}

/// Inserts a message in a state, with when it is due and when it was posted.
fn insert_one(
    tx: &WriteTx,
    message: &Message,
    state: &str,
    (due_at, ended_at): (Option<i64>, Option<i64>),
    error: Option<String>,
) -> Result<()> {
    let sql = "INSERT INTO message (rotation_id, recipient_kind, recipient_id, body, created_at, state, due_at, tries,
                                    error, until_at, ended_at, subject_id)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, ?9, ?10, ?11)";
    tx.run(
        sql,
        params![
            message.rotation.as_ref().map_or("", RotationId::as_str),
            kind(&message.to),
            id(&message.to),
            body::to_json(message)?,
            millis(tx.now()),
            state,
            due_at,
            error,
            message.expires_at.map(millis),
            ended_at,
            subject_id(&message.subject)
        ],
    )?;
    Ok(())
}

/// The messages due at an instant, in sending order.
pub fn list_due_messages(tx: &ReadTx, now: Timestamp, most: usize) -> Result<Vec<Outgoing>> {
    let sql = format!(
        "SELECT sequence, created_at, tries, {MESSAGE} FROM message
         WHERE state = 'pending' AND due_at <= ?1 ORDER BY due_at, sequence LIMIT ?2"
    );
    tx.list(&sql, params![millis(now), most as i64], outgoing)
}

fn outgoing(row: &Row) -> Result<Outgoing> {
    Ok(Outgoing {
        sequence: row.get(0)?,
        to: recipient(row, 3)?,
        message: match message(row, 3) {
            // The others are still sent.
            Err(Error::Corrupt(why)) => Err(why),
            message => Ok(message?),
        },
        created_at: instant(row.get(1)?)?,
        tries: row.get(2)?,
    })
}

/// A message that waits, as it is listed before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub sequence: i64,
    pub to: Recipient,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

/// The first waiting message of each recipient, if it is due at an instant, in sending order: those of one recipient are due
/// one after the other.
pub fn list_first_messages(tx: &ReadTx, now: Timestamp) -> Result<Vec<Waiting>> {
    let sql = "SELECT sequence, created_at, until_at, recipient_kind, recipient_id FROM message
               WHERE sequence IN (SELECT min(sequence) FROM message WHERE state = 'pending'
                                  GROUP BY recipient_kind, recipient_id) AND due_at <= ?1 ORDER BY sequence";
    tx.list(sql, [millis(now)], |row| {
        Ok(Waiting {
            sequence: row.get(0)?,
            to: recipient(row, 3)?,
            created_at: instant(row.get(1)?)?,
            expires_at: instant_or_none(row.get(2)?)?,
        })
    })
}

/// A message that waits; `None` once it does not.
pub fn load_waiting_message(tx: &ReadTx, sequence: i64) -> Result<Option<Outgoing>> {
    let sql = format!(
        "SELECT sequence, created_at, tries, {MESSAGE} FROM message WHERE sequence = ?1 AND state = 'pending'"
    );
    tx.one(&sql, [sequence], outgoing)
}

/// Whether any waiting message does not say why it waits.
pub fn any_unexplained_message(tx: &ReadTx) -> Result<bool> {
    let sql = "SELECT 1 FROM message WHERE state = 'pending' AND error IS NULL LIMIT 1";
    Ok(tx.conn.prepare_cached(sql)?.exists([])?)
}

/// Records why all waiting messages wait that do not say it, without a failed try.
pub fn note_messages_wait(tx: &mut WriteTx, error: &str) -> Result<()> {
    let sql = "UPDATE message SET error = ?1 WHERE state = 'pending' AND error IS NULL";
    tx.run(sql, [error]).map(drop)
}

/// When the next message is due after an instant.
pub fn next_message_after(tx: &ReadTx, after: Timestamp) -> Result<Option<Timestamp>> {
    let sql = "SELECT min(due_at) FROM message WHERE state = 'pending' AND due_at > ?1";
    instant_or_none(tx.value(sql, [millis(after)])?)
}

/// Records that a message was sent, with the platform's reference.
pub fn save_message_sent(
    tx: &mut WriteTx,
    sequence: i64,
    reference: &MessageReference,
) -> Result<()> {
    let sql = "UPDATE message SET state = 'sent', due_at = NULL, error = NULL, ended_at = ?2, reference = ?3
               WHERE sequence = ?1";
    let values = params![sequence, millis(tx.now()), reference.as_str()];
    tx.run(sql, values).map(drop)
}

/// Records that a message will not be sent, and why.
pub fn save_message_dropped(tx: &mut WriteTx, sequence: i64, error: &str) -> Result<()> {
    let sql = "UPDATE message SET state = 'dropped', due_at = NULL, error = ?3, ended_at = ?2
               WHERE sequence = ?1";
    let values = params![sequence, millis(tx.now()), error];
    tx.run(sql, values).map(drop)
}

/// Schedules a retry of a message. Later messages to the same recipient wait for it.
pub fn try_message_again(
    tx: &mut WriteTx,
    message: &Outgoing,
    at: Timestamp,
    error: &str,
) -> Result<()> {
    let sql = "UPDATE message SET tries = tries + 1 WHERE sequence = ?1";
    tx.run(sql, [message.sequence])?;
    let sql = "UPDATE message SET due_at = max(due_at, ?3), error = ?4
               WHERE recipient_kind = ?1 AND recipient_id = ?2 AND state = 'pending'";
    let (kind, id) = (kind(&message.to), id(&message.to));
    let mut update = tx.conn.prepare_cached(sql)?;
    update.execute(params![kind, id, millis(at), error])?;
    tx.note_chat_messages();
    Ok(())
}

/// Postpones every message that is due before an instant, and those queued until then, because the platform asked to wait.
pub fn hold_messages(tx: &mut WriteTx, until: Timestamp, error: &str) -> Result<()> {
    save_hold(tx, HOLD, until)?;
    let sql = "UPDATE message SET due_at = ?1, error = ?2 WHERE state = 'pending' AND due_at < ?1";
    tx.run(sql, params![millis(until), error]).map(drop)
}

/// When the next message is due.
pub fn next_message(tx: &ReadTx) -> Result<Option<Timestamp>> {
    super::rows::first_instant(
        tx.conn,
        "SELECT min(due_at) FROM message WHERE state = 'pending'",
    )
}

/// The sent messages among the `most` newest ones, in sending order.
pub fn list_sent(tx: &ReadTx, most: usize) -> Result<Vec<SentMessage>> {
    let sql = format!(
        "SELECT state, ended_at, reference, {MESSAGE} FROM message ORDER BY sequence DESC LIMIT ?1"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query([most as i64])?;
    let mut sent = Vec::new();
    while let Some(row) = rows.next()? {
        if row.get::<_, String>(0)? == "sent" {
            sent.push(SentMessage {
                at: instant(row.get(1)?)?,
                reference: row.get::<_, Option<String>>(2)?.map(Into::into),
                message: message(row, 3)?,
            });
        }
    }
    sent.reverse();
    sent.sort_by_key(|message: &SentMessage| message.at);
    Ok(sent)
}

/// The state of a rotation's messages.
pub fn load_message_status(tx: &ReadTx, rotation: &RotationId) -> Result<MessageStatus> {
    let sql = "SELECT count(*) FROM message m WHERE rotation_id = ?1 AND error IS NOT NULL
               AND (state = 'pending' OR EXISTS (SELECT 1 FROM message_update u WHERE u.sequence = m.sequence))";
    let pending: i64 =
        (tx.conn.prepare_cached(sql)?).query_row([rotation.as_str()], |row| row.get(0))?;
    let sql = "SELECT error FROM message WHERE rotation_id = ?1 AND error IS NOT NULL
               ORDER BY sequence DESC LIMIT 1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([rotation.as_str()])?;
    let last_error = rows.next()?.map(|row| row.get(0)).transpose()?;
    Ok(MessageStatus {
        pending: pending as u64,
        last_error,
    })
}

/// Whether the oldest message was created at or before an instant.
pub(super) fn any_old_message(tx: &ReadTx, until: Timestamp) -> Result<bool> {
    let sql = "SELECT created_at <= ?1 FROM message ORDER BY sequence LIMIT 1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let old = query
        .query_row([millis(until)], |row| row.get(0))
        .optional()?;
    Ok(old.unwrap_or(false))
}

/// Deletes up to `most` of the oldest messages that were created at or before an instant, long after they were sent.
pub(super) fn clear_messages(tx: &mut WriteTx, until: Timestamp, most: i64) -> Result<()> {
    let sql = "DELETE FROM message WHERE created_at <= ?1 AND sequence IN
                   (SELECT sequence FROM message ORDER BY sequence LIMIT ?2)";
    tx.run(sql, params![millis(until), most]).map(drop)
}
