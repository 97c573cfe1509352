//! The topics and user groups that rota syncs on the chat platform. A row has the last written value and whether a sync is
//! due. The desired value is computed from the rotations.

use super::meta::{first_free, save_hold};
use super::rows::{column, instant_or_none, json, millis};
use super::{ReadTx, Result, SyncTarget, WriteTx};
use crate::domain::ids::{ChannelId, GroupId, RotationId, UserId};
use jiff::Timestamp;
use rusqlite::{Row, params};

/// The state of a sync.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncState {
    /// When it is due; `None` if nothing has changed since the last sync.
    pub due_at: Option<Timestamp>,
    /// The number of requests, so that one made during a sync is not lost.
    pub calls: i64,
    /// Failed tries since the last successful sync.
    pub tries: u32,
    /// Why the last try failed.
    pub error: Option<String>,
}

/// A channel whose topic shows who is on call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelTopic {
    pub channel: ChannelId,
    /// The value that rota wrote last; `None` if it has written nothing.
    pub written: Option<String>,
    /// The value that rota was writing at the last sync, if the result is unknown.
    pub writing: Option<String>,
    /// The topic before rota wrote one.
    pub before: Option<String>,
    pub sync: SyncState,
}

impl ChannelTopic {
    /// Whether rota wrote a topic.
    pub fn is_ours(&self, topic: &str) -> bool {
        [&self.written, &self.writing]
            .into_iter()
            .flatten()
            .any(|ours| ours == topic)
    }
}

/// A user group that is synced with the people on call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DutyGroup {
    pub group: GroupId,
    /// Whether rota created it.
    pub is_own: bool,
    /// The people that rota has added, or was about to add.
    pub placed: Vec<UserId>,
    /// Whether rota has disabled it because nobody is on call.
    pub disabled: bool,
    pub sync: SyncState,
}

fn sync_state(row: &Row, first: usize) -> Result<SyncState> {
    Ok(SyncState {
        due_at: instant_or_none(row.get(first)?)?,
        calls: row.get(first + 1)?,
        tries: row.get(first + 2)?,
        error: row.get(first + 3)?,
    })
}

/// Requests a sync of a channel's topic, as soon as the platform allows.
pub fn request_topic_sync(tx: &mut WriteTx, channel: &ChannelId) -> Result<()> {
    let sql = "INSERT INTO channel_topic (channel_id, due_at, calls, tries) VALUES (?1, ?2, 1, 0)
               ON CONFLICT (channel_id) DO UPDATE SET due_at = ?2, calls = calls + 1";
    let values = params![channel.as_str(), first_free(tx, SyncTarget::Topic.hold())?];
    tx.run(sql, values)?;
    tx.note_chat_sync(SyncTarget::Topic);
    Ok(())
}

/// Requests a sync of a user group's people, as soon as the platform allows. A group without a row counts as adopted.
pub fn request_group_sync(tx: &mut WriteTx, group: &GroupId) -> Result<()> {
    let sql = "INSERT INTO duty_group (group_id, is_own, placed, disabled, due_at, calls, tries)
               VALUES (?1, 0, '[]', 0, ?2, 1, 0)
               ON CONFLICT (group_id) DO UPDATE SET due_at = ?2, calls = calls + 1";
    let values = params![group.as_str(), first_free(tx, SyncTarget::Group.hold())?];
    tx.run(sql, values)?;
    tx.note_chat_sync(SyncTarget::Group);
    Ok(())
}

/// Requests a sync of everything after a change of the directory or the tier.
pub fn request_full_sync(tx: &mut WriteTx) -> Result<()> {
    for target in [SyncTarget::Topic, SyncTarget::Group] {
        let (table, _) = target.names();
        let sql = format!("UPDATE {table} SET due_at = ?1, calls = calls + 1");
        let free = first_free(tx, target.hold())?;
        tx.run(&sql, [free])?;
        tx.note_chat_sync(target);
    }
    Ok(())
}

/// Records that rota created a user group.
pub fn note_own_group(tx: &mut WriteTx, group: &GroupId) -> Result<()> {
    request_group_sync(tx, group)?;
    let sql = "UPDATE duty_group SET is_own = 1 WHERE group_id = ?1";
    tx.run(sql, [group.as_str()]).map(drop)
}

/// The keys and states of the syncs that are due at an instant and pass, the oldest first, `most` at the most.
pub fn list_due_syncs(
    tx: &ReadTx,
    target: SyncTarget,
    now: Timestamp,
    most: usize,
    passes: impl Fn(&str, &SyncState) -> bool,
) -> Result<Vec<(String, SyncState)>> {
    let (table, key) = target.names();
    let sql = format!(
        "SELECT {key}, due_at, calls, tries, error FROM {table} WHERE due_at <= ?1 ORDER BY due_at"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query([millis(now)])?;
    let mut due = Vec::new();
    while due.len() < most
        && let Some(row) = rows.next()?
    {
        let (key, state): (String, SyncState) = (row.get(0)?, sync_state(row, 1)?);
        if passes(&key, &state) {
            due.push((key, state));
        }
    }
    Ok(due)
}

/// When the next sync of a kind is due.
pub fn next_sync(tx: &ReadTx, target: SyncTarget) -> Result<Option<Timestamp>> {
    let (table, _) = target.names();
    let sql = format!("SELECT min(due_at) FROM {table} WHERE due_at IS NOT NULL");
    super::rows::first_instant(tx.conn, &sql)
}

/// Records why a sync waits, without a failed try: it stays due.
pub fn note_sync_waits(tx: &mut WriteTx, target: SyncTarget, key: &str, error: &str) -> Result<()> {
    let (table, column) = target.names();
    let sql = format!("UPDATE {table} SET error = ?2 WHERE {column} = ?1");
    tx.run(&sql, [key, error]).map(drop)
}

/// Records that a sync is refused for good: it is not tried again before something changes.
pub fn refuse_sync(
    tx: &mut WriteTx,
    target: SyncTarget,
    key: &str,
    calls: i64,
    error: &str,
) -> Result<()> {
    end_sync(tx, target, key, calls, Some(error))
}

/// When the next sync of a kind is due after an instant.
pub fn next_sync_after(
    tx: &ReadTx,
    target: SyncTarget,
    after: Timestamp,
) -> Result<Option<Timestamp>> {
    let (table, _) = target.names();
    let sql = format!("SELECT min(due_at) FROM {table} WHERE due_at > ?1");
    instant_or_none(tx.value(&sql, [millis(after)])?)
}

/// Records why a sync failed and when it is retried. `calls` is the number of requests that it covered; if there are more by
/// now, it is retried at once.
pub fn retry_sync(
    tx: &mut WriteTx,
    target: SyncTarget,
    key: &str,
    calls: i64,
    at: Timestamp,
    error: &str,
) -> Result<()> {
    let (table, column) = target.names();
    let sql = format!(
        "UPDATE {table} SET due_at = CASE calls WHEN ?2 THEN ?3 ELSE due_at END, tries = tries + 1, error = ?4
         WHERE {column} = ?1"
    );
    let mut update = tx.conn.prepare_cached(&sql)?;
    update.execute(params![key, calls, millis(at), error])?;
    tx.note_chat_sync(target);
    Ok(())
}

/// Postpones all syncs of a kind that are due before an instant, and those requested until then, because the platform asked
/// to wait.
pub fn hold_syncs(tx: &mut WriteTx, target: SyncTarget, until: Timestamp) -> Result<()> {
    save_hold(tx, target.hold(), until)?;
    let (table, _) = target.names();
    let sql = format!("UPDATE {table} SET due_at = ?1 WHERE due_at < ?1");
    tx.run(&sql, [millis(until)]).map(drop)
}

/// Records a completed sync that covered `calls` requests. It stays due if there are more by now.
fn end_sync(
    tx: &mut WriteTx,
    target: SyncTarget,
    key: &str,
    calls: i64,
    error: Option<&str>,
) -> Result<()> {
    let (table, column) = target.names();
    let sql = format!(
        "UPDATE {table} SET due_at = CASE calls WHEN ?2 THEN NULL ELSE due_at END, tries = 0, error = ?3
         WHERE {column} = ?1"
    );
    tx.run(&sql, params![key, calls, error]).map(drop)
}

/// The state of a channel's topic; `None` if rota does not sync it.
pub fn load_topic(tx: &ReadTx, channel: &ChannelId) -> Result<Option<ChannelTopic>> {
    let sql = "SELECT written, writing, before, due_at, calls, tries, error FROM channel_topic WHERE channel_id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([channel.as_str()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(ChannelTopic {
        channel: channel.clone(),
        written: row.get(0)?,
        writing: row.get(1)?,
        before: row.get(2)?,
        sync: sync_state(row, 3)?,
    }))
}

/// Records what rota is about to write to a channel, and its previous topic.
pub fn note_topic(tx: &mut WriteTx, topic: &ChannelTopic) -> Result<()> {
    let sql =
        "UPDATE channel_topic SET written = ?2, writing = ?3, before = ?4 WHERE channel_id = ?1";
    let id = topic.channel.as_str();
    let values = params![id, topic.written, topic.writing, topic.before];
    tx.run(sql, values).map(drop)
}

/// Records a completed sync of a channel's topic: what rota wrote, the previous topic, and why it differs from the desired one
/// if it does.
pub fn save_topic(tx: &mut WriteTx, topic: &ChannelTopic, error: Option<&str>) -> Result<()> {
    note_topic(tx, topic)?;
    end_sync(
        tx,
        SyncTarget::Topic,
        topic.channel.as_str(),
        topic.sync.calls,
        error,
    )
}

/// Deletes the row of a channel whose topic is no longer synced, unless a sync is due.
pub fn remove_topic(tx: &mut WriteTx, channel: &ChannelId, calls: i64) -> Result<()> {
    let sql = "DELETE FROM channel_topic WHERE channel_id = ?1 AND calls = ?2";
    let mut remove = tx.conn.prepare_cached(sql)?;
    let values = params![channel.as_str(), calls];
    if remove.execute(values)? == 0 {
        let sql = "UPDATE channel_topic SET written = NULL, writing = NULL, before = NULL WHERE channel_id = ?1";
        tx.run(sql, [channel.as_str()])?;
    }
    Ok(())
}

/// The rotations that use a channel for their topic, in the order of creation. Whether a rotation currently shows who is on
/// call there is a setting of the rotation.
pub fn list_rotations_of_topic(tx: &ReadTx, channel: &ChannelId) -> Result<Vec<RotationId>> {
    let sql = "SELECT r.id FROM rotation_channel c CROSS JOIN rotation r ON r.id = c.rotation_id
               WHERE c.channel_id = ?1 AND c.syncs_topic ORDER BY r.sequence";
    super::rows::ids(tx.conn, sql, [channel.as_str()])
}

/// The state of a user group; `None` if rota does not sync it.
pub fn load_duty_group(tx: &ReadTx, group: &GroupId) -> Result<Option<DutyGroup>> {
    let sql = "SELECT is_own, placed, disabled, due_at, calls, tries, error FROM duty_group WHERE group_id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([group.as_str()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(DutyGroup {
        group: group.clone(),
        is_own: row.get(0)?,
        placed: column(row, 1)?,
        disabled: row.get(2)?,
        sync: sync_state(row, 3)?,
    }))
}

/// Records a completed sync of a user group: the people that rota has added, whether it is disabled, and why it differs from
/// the desired state if it does.
pub fn save_duty_group(tx: &mut WriteTx, group: &DutyGroup, error: Option<&str>) -> Result<()> {
    note_group(tx, group)?;
    end_sync(
        tx,
        SyncTarget::Group,
        group.group.as_str(),
        group.sync.calls,
        error,
    )
}

/// Records whom rota is about to add to a user group, and whether it is about to disable it.
pub fn note_group(tx: &mut WriteTx, group: &DutyGroup) -> Result<()> {
    let sql = "UPDATE duty_group SET placed = ?2, disabled = ?3 WHERE group_id = ?1";
    let values = params![group.group.as_str(), json(&group.placed)?, group.disabled];
    Ok(tx.conn.prepare_cached(sql)?.execute(values).map(drop)?)
}

/// Deletes the row of a user group that no rotation uses, unless a sync is due.
pub fn remove_duty_group(tx: &mut WriteTx, group: &DutyGroup) -> Result<()> {
    let sql = "DELETE FROM duty_group WHERE group_id = ?1 AND calls = ?2";
    let values = params![group.group.as_str(), group.sync.calls];
    tx.run(sql, values).map(drop)
}

/// The rotations that use a user group, in the order of creation.
pub fn list_rotations_of_duty_group(tx: &ReadTx, group: &GroupId) -> Result<Vec<RotationId>> {
    let sql = "SELECT id FROM rotation WHERE duty_group_id = ?1 ORDER BY sequence";
    super::rows::ids(tx.conn, sql, [group.as_str()])
}

/// The user groups that rota syncs or has created.
pub fn list_duty_groups(tx: &ReadTx) -> Result<Vec<DutyGroup>> {
    let sql = "SELECT group_id FROM duty_group ORDER BY group_id";
    let ids: Vec<GroupId> = super::rows::ids(tx.conn, sql, [])?;
    let mut groups = Vec::new();
    for id in &ids {
        groups.extend(load_duty_group(tx, id)?);
    }
    Ok(groups)
}
