//! Messages that are sent on by mail or to incoming webhooks, and their outcomes.

use super::{MESSAGE, Outgoing, outgoing, subject_id};
use crate::domain::ids::{ChannelId, UserId};
use crate::domain::message::{MessageKind, Subject};
use crate::domain::relay::{NotificationSettings, Way};
use crate::store::rows::{from_json, instant, json, millis};
use crate::store::{ReadTx, Result, WriteTx};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};

/// Where a message waits: for the mail server, or for the incoming webhook of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelayQueue {
    Mail,
    Channel(ChannelId),
}

impl RelayQueue {
    /// The way by which it sends.
    pub fn way(&self) -> Way {
        match self {
            RelayQueue::Mail => Way::Mail,
            RelayQueue::Channel(_) => Way::IncomingWebhook,
        }
    }

    fn channel(&self) -> Option<&str> {
        match self {
            RelayQueue::Mail => None,
            RelayQueue::Channel(channel) => Some(channel.as_str()),
        }
    }
}

/// Queues a message to be sent on, behind those that wait for the same channel.
pub fn insert_relay(tx: &mut WriteTx, sequence: i64, queue: &RelayQueue) -> Result<()> {
    let now = millis(tx.now());
    let last = match queue {
        // Mails to different people do not wait for one another.
        RelayQueue::Mail => None,
        RelayQueue::Channel(channel) => {
            let sql = "SELECT max(due_at) FROM message_relay
                       WHERE way = 'incomingWebhook' AND channel_id = ?1 AND state = 'pending'";
            let mut query = tx.conn.prepare_cached(sql)?;
            query.query_row([channel.as_str()], |row| row.get::<_, Option<i64>>(0))?
        }
    };
    let sql = "INSERT INTO message_relay (sequence, way, channel_id, state, due_at, tries)
               VALUES (?1, ?2, ?3, 'pending', ?4, 0)";
    let due = last.map_or(now, |last| last.max(now));
    let values = params![sequence, queue.way().name(), queue.channel(), due];
    tx.run(sql, values)?;
    tx.note_relays();
    Ok(())
}

/// The messages of a queue that are due at an instant, in sending order.
pub fn list_due_relays(
    tx: &ReadTx,
    queue: &RelayQueue,
    now: Timestamp,
    most: usize,
) -> Result<Vec<Outgoing>> {
    let of_queue = match queue {
        RelayQueue::Mail => "r.way = 'mail' AND r.channel_id IS ?1",
        RelayQueue::Channel(_) => "r.way = 'incomingWebhook' AND r.channel_id = ?1",
    };
    let sql = format!(
        "SELECT x.sequence, x.created_at, r.tries, {MESSAGE}
         FROM message_relay r CROSS JOIN message x ON x.sequence = r.sequence
         WHERE {of_queue} AND r.state = 'pending' AND r.due_at <= ?2 ORDER BY r.due_at, r.sequence LIMIT ?3"
    );
    tx.list(
        &sql,
        params![queue.channel(), millis(now), most as i64],
        outgoing,
    )
}

/// Records that a message was sent on.
pub fn save_relay_sent(tx: &mut WriteTx, sequence: i64, way: Way) -> Result<()> {
    let sql = "UPDATE message_relay SET state = 'sent', due_at = NULL, error = NULL, ended_at = ?3
               WHERE sequence = ?1 AND way = ?2";
    let now = millis(tx.now());
    tx.run(sql, params![&sequence, &way.name(), &now]).map(drop)
}

/// Records that a message is not sent on by a way, and why.
pub fn save_relay_dropped(tx: &mut WriteTx, sequence: i64, way: Way, error: &str) -> Result<()> {
    let sql = "UPDATE message_relay SET state = 'dropped', due_at = NULL, error = ?4, ended_at = ?3
               WHERE sequence = ?1 AND way = ?2";
    let now = millis(tx.now());
    tx.run(sql, params![&sequence, &way.name(), &now, &error])
        .map(drop)
}

/// Schedules a retry of a message. Later messages to the same channel wait for it.
pub fn retry_relay(
    tx: &mut WriteTx,
    sequence: i64,
    queue: &RelayQueue,
    at: Timestamp,
    error: &str,
) -> Result<()> {
    let (way, at) = (queue.way().name(), millis(at));
    let sql = "UPDATE message_relay SET due_at = ?3, tries = tries + 1, error = ?4
               WHERE sequence = ?1 AND way = ?2";
    tx.run(sql, params![&sequence, &way, &at, &error])
        .map(drop)?;
    if let RelayQueue::Channel(channel) = queue {
        let sql = "UPDATE message_relay SET due_at = ?2
                   WHERE way = 'incomingWebhook' AND channel_id = ?1 AND state = 'pending' AND due_at < ?2";
        tx.run(sql, params![&channel.as_str(), &at]).map(drop)?;
    }
    tx.note_relays();
    Ok(())
}

/// Drops what waits for ways that are no longer set up: mail unless `mail`, channels that are not among `channels`. Returns
/// how many messages that were.
pub fn drop_relays_except(
    tx: &mut WriteTx,
    mail: bool,
    channels: &[ChannelId],
    error: &str,
) -> Result<usize> {
    let channels: Vec<&str> = channels.iter().map(ChannelId::as_str).collect();
    let sql = "UPDATE message_relay SET state = 'dropped', due_at = NULL, error = ?1, ended_at = ?2
               WHERE due_at IS NOT NULL AND state = 'pending'
                 AND ((way = 'mail' AND NOT ?3)
                      OR (way = 'incomingWebhook' AND channel_id NOT IN (SELECT value FROM json_each(?4))))";
    let values = params![error, millis(tx.now()), mail, json(&channels)?];
    tx.run(sql, values)
}

/// When the next message is to be sent on.
pub fn next_relay(tx: &ReadTx) -> Result<Option<Timestamp>> {
    crate::store::rows::first_instant(
        tx.conn,
        "SELECT min(due_at) FROM message_relay WHERE state = 'pending'",
    )
}

/// When the next message of a queue is to be sent on.
pub fn next_relay_on(tx: &ReadTx, queue: &RelayQueue) -> Result<Option<Timestamp>> {
    let sql = "SELECT min(due_at) FROM message_relay WHERE way = ?1 AND channel_id IS ?2 AND state = 'pending'";
    let mut query = tx.conn.prepare_cached(sql)?;
    let at: Option<i64> = query.query_row(params![queue.way().name(), queue.channel()], |row| {
        row.get(0)
    })?;
    at.map(instant).transpose()
}

/// The first message about a request or mention: its number, and when it was queued.
pub fn first_message_about(tx: &ReadTx, subject: &Subject) -> Result<Option<(i64, Timestamp)>> {
    let sql =
        "SELECT sequence, created_at FROM message WHERE subject_id = ?1 ORDER BY sequence LIMIT 1";
    let Some(id) = subject_id(subject) else {
        return Ok(None);
    };
    let mut query = tx.conn.prepare_cached(sql)?;
    let found: Option<(i64, i64)> = query
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    found
        .map(|(sequence, at)| Ok((sequence, instant(at)?)))
        .transpose()
}

/// The kinds of messages that a person chose to be mailed; the default if they have not chosen.
pub fn load_notification_settings(tx: &ReadTx, user: &UserId) -> Result<NotificationSettings> {
    let sql = "SELECT mail, unwanted FROM notification_preference WHERE user_id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let read = |row: &Row| Ok((row.get::<_, bool>(0)?, row.get::<_, String>(1)?));
    let Some((mail, unwanted)) = query.query_row([user.as_str()], read).optional()? else {
        return Ok(NotificationSettings::default());
    };
    let unwanted: Vec<String> = from_json(&unwanted)?;
    let is_wanted = |kind: &MessageKind| !unwanted.iter().any(|name| name == kind.name());
    let kinds = MessageKind::ALL.into_iter().filter(is_wanted);
    Ok(NotificationSettings::new(mail, kinds))
}

/// Stores what a person chose to be mailed.
pub fn save_notification_settings(
    tx: &mut WriteTx,
    user: &UserId,
    settings: &NotificationSettings,
) -> Result<()> {
    let sql = "INSERT INTO notification_preference (user_id, mail, unwanted) VALUES (?1, ?2, ?3)
               ON CONFLICT (user_id) DO UPDATE SET mail = excluded.mail, unwanted = excluded.unwanted";
    let is_unwanted = |kind: &MessageKind| !settings.kinds.contains(kind);
    let unwanted: Vec<MessageKind> = MessageKind::ALL.into_iter().filter(is_unwanted).collect();
    let values = params![user.as_str(), settings.mail, json(&unwanted)?];
    tx.run(sql, values).map(drop)
}

/// The handle of a person behind the incoming webhook of a channel, without the `@`: that of the file, else their own.
pub fn load_handle(tx: &ReadTx, user: &UserId, channel: &ChannelId) -> Result<Option<String>> {
    let sql = "SELECT coalesce(
                   (SELECT handle FROM person_handle WHERE user_id = ?1 AND channel_id = ?2),
                   (SELECT handle FROM person WHERE id = ?1))";
    let found = tx.one(sql, [user.as_str(), channel.as_str()], |row| {
        Ok(row.get::<_, Option<String>>(0)?)
    })?;
    Ok(found.flatten())
}
