//! Mentions.

use super::answered::request_message_updates;
use super::rows::{from_json, instant, instant_or_none, json, millis};
use super::{Error, ReadTx, WriteTx};
use crate::domain::ids::{MentionId, RotationId, UserId};
use crate::domain::mention::{Mention, MentionSettings, MentionState, Thread};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};

/// `[expires, reminds, single, rotates]`.
type SettingsShape = (u32, Option<u32>, bool, bool);

/// What [`read`] reads.
pub(super) const MENTION_COLUMNS: &str =
    "id, rotation_id, channel_id, asker_id, message, state, notified, passed,
    acknowledged_by, opened_at, expires_at, remind_at, closed_at, settings, thread";

/// A mention by id.
pub fn load_mention(tx: &ReadTx, id: &MentionId) -> Result<Option<Mention>, Error> {
    let sql = format!("SELECT {MENTION_COLUMNS} FROM mention WHERE id = ?1");
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query([id.as_str()])?;
    rows.next()?.map(read).transpose()
}

pub(super) fn read(row: &Row) -> Result<Mention, Error> {
    let state: String = row.get(5)?;
    let known = MentionState::parse(&state);
    let people = |column| -> Result<Vec<UserId>, Error> {
        let ids: Vec<String> = from_json(&row.get::<_, String>(column)?)?;
        Ok(ids.into_iter().map(UserId::from).collect())
    };
    let settings: SettingsShape = from_json(&row.get::<_, String>(13)?)?;
    Ok(Mention {
        id: row.get::<_, String>(0)?.into(),
        rotation: row.get::<_, String>(1)?.into(),
        channel: row.get::<_, String>(2)?.into(),
        thread: row.get::<_, Option<String>>(14)?.map(Thread),
        asker: row.get::<_, String>(3)?.into(),
        message: row.get(4)?,
        state: known.ok_or_else(|| Error::Corrupt(format!("mention state {state}")))?,
        notified: people(6)?,
        passed: people(7)?,
        acknowledged_by: row.get::<_, Option<String>>(8)?.map(UserId::from),
        opened_at: instant(row.get(9)?)?,
        expires_at: instant(row.get(10)?)?,
        remind_at: instant_or_none(row.get(11)?)?,
        closed_at: instant_or_none(row.get(12)?)?,
        settings: MentionSettings {
            expires_after_minutes: settings.0,
            remind_after_minutes: settings.1,
            one_at_a_time: settings.2,
            rotate_after_acknowledgement: settings.3,
        },
    })
}

/// Inserts or updates a mention.
pub fn save_mention(tx: &mut WriteTx, mention: &Mention) -> Result<(), Error> {
    let sql = "INSERT INTO mention (id, rotation_id, channel_id, asker_id, message, state, notified, passed,
                                    acknowledged_by, opened_at, expires_at, remind_at, closed_at, settings, due_at,
                                    thread)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
               ON CONFLICT (id) DO UPDATE SET state = excluded.state, notified = excluded.notified,
                   passed = excluded.passed, acknowledged_by = excluded.acknowledged_by, remind_at = excluded.remind_at,
                   closed_at = excluded.closed_at, due_at = excluded.due_at";
    let people = |people: &[UserId]| json(&people.iter().map(UserId::as_str).collect::<Vec<_>>());
    let settings = mention.settings;
    let shape: SettingsShape = (
        settings.expires_after_minutes,
        settings.remind_after_minutes,
        settings.one_at_a_time,
        settings.rotate_after_acknowledgement,
    );
    tx.note_due(mention.due_at());
    tx.conn.prepare_cached(sql)?.execute(params![
        mention.id.as_str(),
        mention.rotation.as_str(),
        mention.channel.as_str(),
        mention.asker.as_str(),
        mention.message,
        mention.state.name(),
        people(&mention.notified)?,
        people(&mention.passed)?,
        mention.acknowledged_by.as_ref().map(UserId::as_str),
        millis(mention.opened_at),
        millis(mention.expires_at),
        mention.remind_at.map(millis),
        mention.closed_at.map(millis),
        json(&shape)?,
        mention.due_at().map(millis),
        mention.thread.as_ref().map(|thread| thread.0.as_str()),
    ])?;
    request_message_updates(tx, mention.id.as_str())
}

/// Postpones a mention without reading it.
pub fn put_off_mention(tx: &mut WriteTx, id: &MentionId, until: Timestamp) -> Result<(), Error> {
    tx.note_due(Some(until));
    let sql = "UPDATE mention SET due_at = ?2 WHERE id = ?1 AND due_at IS NOT NULL";
    let mut put_off = tx.conn.prepare_cached(sql)?;
    Ok(put_off
        .execute(params![id.as_str(), millis(until)])
        .map(drop)?)
}

/// The number of mentions of a rotation opened after an instant.
pub fn count_mentions(
    tx: &ReadTx,
    rotation: &RotationId,
    after: Timestamp,
) -> Result<usize, Error> {
    let sql = "SELECT count(*) FROM mention WHERE rotation_id = ?1 AND opened_at > ?2";
    let mut query = tx.conn.prepare_cached(sql)?;
    let values = params![rotation.as_str(), millis(after)];
    let count: i64 = query.query_row(values, |row| row.get(0))?;
    Ok(count as usize)
}

/// The first mention with something due at an instant.
pub fn first_due_mention(tx: &ReadTx, now: Timestamp) -> Result<Option<MentionId>, Error> {
    let sql = "SELECT id FROM mention WHERE due_at <= ?1 ORDER BY due_at, id LIMIT 1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let found = query.query_row([millis(now)], |row| row.get::<_, String>(0));
    Ok(found.optional()?.map(MentionId::from))
}

/// When the next mention is due.
pub fn next_mention(tx: &ReadTx) -> Result<Option<Timestamp>, Error> {
    super::rows::first_instant(
        tx.conn,
        "SELECT min(due_at) FROM mention WHERE due_at IS NOT NULL",
    )
}

/// Whether any mention was closed at or before an instant.
pub(super) fn any_old_mention(tx: &ReadTx, until: Timestamp) -> Result<bool, Error> {
    let sql = "SELECT EXISTS (SELECT 1 FROM mention WHERE closed_at <= ?1)";
    let mut query = tx.conn.prepare_cached(sql)?;
    Ok(query.query_row([millis(until)], |row| row.get(0))?)
}

/// Deletes up to `most` mentions that were closed at or before an instant.
pub(super) fn clear_mentions(tx: &mut WriteTx, until: Timestamp, most: i64) -> Result<(), Error> {
    let sql = "DELETE FROM mention WHERE id IN
                   (SELECT id FROM mention WHERE closed_at <= ?1 ORDER BY closed_at LIMIT ?2)";
    let mut remove = tx.conn.prepare_cached(sql)?;
    Ok(remove.execute(params![millis(until), most]).map(drop)?)
}
