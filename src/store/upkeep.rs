//! What rota keeps as it should be on the chat platform: topics of channels and people of user groups. A row says what was
//! done last and whether it is to be looked at again; what it should be follows from the rotations (contract section 12).

use super::meta::{first_free, save_hold};
use super::rows::{from_json, instant_or_none, json, millis};
use super::{Fault, ReadTx, WriteTx};
use crate::domain::ids::{ChannelId, GroupId, RotationId, UserId};
use jiff::Timestamp;
use rusqlite::{Row, params};

/// How bringing something in line fares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// When it is looked at next; `None` where nothing has changed since it was brought in line.
    pub due_at: Option<Timestamp>,
    /// Counts what called for it, so that a call that comes while it is looked at is not lost.
    pub calls: i64,
    /// Tries that failed since it was last in line.
    pub tries: u32,
    /// Why the last one did.
    pub error: Option<String>,
}

/// A channel whose topic tells who is on call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelTopic {
    pub channel: ChannelId,
    /// What rota wrote last; `None` where it has written nothing yet.
    pub written: Option<String>,
    /// What rota was writing when it was looked at last, if nobody knows whether that came about.
    pub writing: Option<String>,
    /// What stood there before.
    pub before: Option<String>,
    pub upkeep: Upkeep,
}

impl ChannelTopic {
    /// Whether a topic is one that rota wrote.
    pub fn is_ours(&self, topic: &str) -> bool {
        [&self.written, &self.writing]
            .into_iter()
            .flatten()
            .any(|ours| ours == topic)
    }
}

/// A user group kept in step with whoever is on call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DutyGroup {
    pub group: GroupId,
    /// Whether rota made it.
    pub is_own: bool,
    /// Whom rota has put in, or was about to.
    pub placed: Vec<UserId>,
    /// Whether rota has disabled it, with nobody on call.
    pub disabled: bool,
    pub upkeep: Upkeep,
}

/// One of the two kinds of things kept: its table, and the column of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    Topic,
    Group,
}

impl Kept {
    /// How the log names one.
    pub fn noun(self) -> &'static str {
        match self {
            Kept::Topic => "topic of channel",
            Kept::Group => "user group",
        }
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Kept::Topic => ("channel_topic", "channel_id"),
            Kept::Group => ("duty_group", "group_id"),
        }
    }

    /// The fact that keeps until when the platform asked to be asked for none of them.
    fn hold(self) -> &'static str {
        match self {
            Kept::Topic => "chat_topics_held_until",
            Kept::Group => "chat_groups_held_until",
        }
    }
}

fn upkeep(row: &Row, first: usize) -> Result<Upkeep, Fault> {
    Ok(Upkeep {
        due_at: instant_or_none(row.get(first)?)?,
        calls: row.get(first + 1)?,
        tries: row.get(first + 2)?,
        error: row.get(first + 3)?,
    })
}

/// Has the topic of a channel looked at, as soon as the platform lets us.
pub fn call_for_topic(tx: &mut WriteTx, channel: &ChannelId) -> Result<(), Fault> {
    let sql = "INSERT INTO channel_topic (channel_id, due_at, calls, tries) VALUES (?1, ?2, 1, 0)
               ON CONFLICT (channel_id) DO UPDATE SET due_at = ?2, calls = calls + 1";
    let values = params![channel.as_str(), first_free(tx, Kept::Topic.hold())?];
    tx.conn.prepare_cached(sql)?.execute(values)?;
    tx.note_chat_sync(Kept::Topic);
    Ok(())
}

/// Has the people of a user group looked at, likewise. One that rota does not keep yet counts as adopted.
pub fn call_for_group(tx: &mut WriteTx, group: &GroupId) -> Result<(), Fault> {
    let sql = "INSERT INTO duty_group (group_id, is_own, placed, disabled, due_at, calls, tries)
               VALUES (?1, 0, '[]', 0, ?2, 1, 0)
               ON CONFLICT (group_id) DO UPDATE SET due_at = ?2, calls = calls + 1";
    let values = params![group.as_str(), first_free(tx, Kept::Group.hold())?];
    tx.conn.prepare_cached(sql)?.execute(values)?;
    tx.note_chat_sync(Kept::Group);
    Ok(())
}

/// Has everything that is kept looked at, likewise: the directory changed, or the plan.
pub fn call_for_everything(tx: &mut WriteTx) -> Result<(), Fault> {
    for kept in [Kept::Topic, Kept::Group] {
        let (table, _) = kept.names();
        let sql = format!("UPDATE {table} SET due_at = ?1, calls = calls + 1");
        let free = first_free(tx, kept.hold())?;
        tx.conn.prepare_cached(&sql)?.execute([free])?;
        tx.note_chat_sync(kept);
    }
    Ok(())
}

/// Notes that rota made a user group.
pub fn note_own_group(tx: &mut WriteTx, group: &GroupId) -> Result<(), Fault> {
    call_for_group(tx, group)?;
    let sql = "UPDATE duty_group SET is_own = 1 WHERE group_id = ?1";
    let mut update = tx.conn.prepare_cached(sql)?;
    Ok(update.execute([group.as_str()]).map(drop)?)
}

/// The key of the first that is due at an instant, and how it fares.
pub fn first_due(
    tx: &ReadTx,
    kept: Kept,
    now: Timestamp,
) -> Result<Option<(String, Upkeep)>, Fault> {
    let (table, key) = kept.names();
    let sql = format!(
        "SELECT {key}, due_at, calls, tries, error FROM {table} WHERE due_at <= ?1 ORDER BY due_at LIMIT 1"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query([millis(now)])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some((row.get(0)?, upkeep(row, 1)?)))
}

/// When the next of them falls due.
pub fn next_upkeep(tx: &ReadTx, kept: Kept) -> Result<Option<Timestamp>, Fault> {
    let (table, _) = kept.names();
    let sql = format!("SELECT min(due_at) FROM {table} WHERE due_at IS NOT NULL");
    super::rows::first_instant(tx.conn, &sql)
}

/// Stores why something could not be brought in line as of a number of calls, and when it is tried again; at once where more
/// have come since.
pub fn try_upkeep_again(
    tx: &mut WriteTx,
    kept: Kept,
    key: &str,
    calls: i64,
    at: Timestamp,
    error: &str,
) -> Result<(), Fault> {
    let (table, column) = kept.names();
    let sql = format!(
        "UPDATE {table} SET due_at = CASE calls WHEN ?2 THEN ?3 ELSE due_at END, tries = tries + 1, error = ?4
         WHERE {column} = ?1"
    );
    let mut update = tx.conn.prepare_cached(&sql)?;
    update.execute(params![key, calls, millis(at), error])?;
    tx.note_chat_sync(kept);
    Ok(())
}

/// Has all of a kind wait that are due before an instant, and what is called for until then: the platform asked for it.
pub fn hold_upkeep(tx: &mut WriteTx, kept: Kept, until: Timestamp) -> Result<(), Fault> {
    save_hold(tx, kept.hold(), until)?;
    let (table, _) = kept.names();
    let sql = format!("UPDATE {table} SET due_at = ?1 WHERE due_at < ?1");
    let mut update = tx.conn.prepare_cached(&sql)?;
    Ok(update.execute([millis(until)]).map(drop)?)
}

/// Stores that something is in line as of a number of calls; it stays due where more have come since.
fn end_upkeep(
    tx: &mut WriteTx,
    kept: Kept,
    key: &str,
    calls: i64,
    error: Option<&str>,
) -> Result<(), Fault> {
    let (table, column) = kept.names();
    let sql = format!(
        "UPDATE {table} SET due_at = CASE calls WHEN ?2 THEN NULL ELSE due_at END, tries = 0, error = ?3
         WHERE {column} = ?1"
    );
    let mut update = tx.conn.prepare_cached(&sql)?;
    Ok(update.execute(params![key, calls, error]).map(drop)?)
}

/// How the topic of a channel stands; `None` where rota does not keep it.
pub fn load_topic(tx: &ReadTx, channel: &ChannelId) -> Result<Option<ChannelTopic>, Fault> {
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
        upkeep: upkeep(row, 3)?,
    }))
}

/// Stores what rota is about to write in a channel, and what stands there before.
pub fn note_topic(tx: &mut WriteTx, topic: &ChannelTopic) -> Result<(), Fault> {
    let sql =
        "UPDATE channel_topic SET written = ?2, writing = ?3, before = ?4 WHERE channel_id = ?1";
    let id = topic.channel.as_str();
    let values = params![id, topic.written, topic.writing, topic.before];
    Ok(tx.conn.prepare_cached(sql)?.execute(values).map(drop)?)
}

/// Stores that the topic of a channel is in line, as far as it can be: what rota wrote, what stood there before, and why it
/// is not as it should be.
pub fn save_topic(
    tx: &mut WriteTx,
    topic: &ChannelTopic,
    error: Option<&str>,
) -> Result<(), Fault> {
    note_topic(tx, topic)?;
    end_upkeep(
        tx,
        Kept::Topic,
        topic.channel.as_str(),
        topic.upkeep.calls,
        error,
    )
}

/// Forgets a channel whose topic is no longer kept, unless it is to be looked at again.
pub fn remove_topic(tx: &mut WriteTx, channel: &ChannelId, calls: i64) -> Result<(), Fault> {
    let sql = "DELETE FROM channel_topic WHERE channel_id = ?1 AND calls = ?2";
    let mut remove = tx.conn.prepare_cached(sql)?;
    let values = params![channel.as_str(), calls];
    if remove.execute(values)? == 0 {
        let sql = "UPDATE channel_topic SET written = NULL, writing = NULL, before = NULL WHERE channel_id = ?1";
        tx.conn.prepare_cached(sql)?.execute([channel.as_str()])?;
    }
    Ok(())
}

/// The rotations that have a channel's topic tell who is on call, in the order of their creation; whether they do so now is
/// theirs to say.
pub fn list_rotations_of_topic(tx: &ReadTx, channel: &ChannelId) -> Result<Vec<RotationId>, Fault> {
    let sql = "SELECT r.id FROM rotation_channel c CROSS JOIN rotation r ON r.id = c.rotation_id
               WHERE c.channel_id = ?1 AND c.syncs_topic ORDER BY r.sequence";
    super::rows::ids(tx.conn, sql, [channel.as_str()])
}

/// How a user group stands; `None` where rota does not keep it.
pub fn load_duty_group(tx: &ReadTx, group: &GroupId) -> Result<Option<DutyGroup>, Fault> {
    let sql = "SELECT is_own, placed, disabled, due_at, calls, tries, error FROM duty_group WHERE group_id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([group.as_str()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let placed: Vec<String> = from_json(&row.get::<_, String>(1)?)?;
    Ok(Some(DutyGroup {
        group: group.clone(),
        is_own: row.get(0)?,
        placed: placed.into_iter().map(UserId::from).collect(),
        disabled: row.get(2)?,
        upkeep: upkeep(row, 3)?,
    }))
}

/// Stores that a user group is in line, as far as it can be: whom rota has put in, whether it is disabled, and why it is not
/// as it should be.
pub fn save_duty_group(
    tx: &mut WriteTx,
    group: &DutyGroup,
    error: Option<&str>,
) -> Result<(), Fault> {
    note_group(tx, group)?;
    end_upkeep(
        tx,
        Kept::Group,
        group.group.as_str(),
        group.upkeep.calls,
        error,
    )
}

/// Stores whom rota is about to put into a user group, and whether it is about to disable it.
pub fn note_group(tx: &mut WriteTx, group: &DutyGroup) -> Result<(), Fault> {
    let sql = "UPDATE duty_group SET placed = ?2, disabled = ?3 WHERE group_id = ?1";
    let placed: Vec<&str> = group.placed.iter().map(UserId::as_str).collect();
    let values = params![group.group.as_str(), json(&placed)?, group.disabled];
    Ok(tx.conn.prepare_cached(sql)?.execute(values).map(drop)?)
}

/// Forgets a user group that serves no rotation any more, unless it is to be looked at again.
pub fn remove_duty_group(tx: &mut WriteTx, group: &DutyGroup) -> Result<(), Fault> {
    let sql = "DELETE FROM duty_group WHERE group_id = ?1 AND calls = ?2";
    let values = params![group.group.as_str(), group.upkeep.calls];
    Ok(tx.conn.prepare_cached(sql)?.execute(values).map(drop)?)
}

/// The rotations that a user group serves, in the order of their creation.
pub fn list_rotations_of_duty_group(
    tx: &ReadTx,
    group: &GroupId,
) -> Result<Vec<RotationId>, Fault> {
    let sql = "SELECT id FROM rotation WHERE duty_group_id = ?1 ORDER BY sequence";
    super::rows::ids(tx.conn, sql, [group.as_str()])
}

/// The user groups that rota keeps, or has made.
pub fn list_duty_groups(tx: &ReadTx) -> Result<Vec<DutyGroup>, Fault> {
    let sql = "SELECT group_id FROM duty_group ORDER BY group_id";
    let ids: Vec<GroupId> = super::rows::ids(tx.conn, sql, [])?;
    let mut groups = Vec::new();
    for id in &ids {
        groups.extend(load_duty_group(tx, id)?);
    }
    Ok(groups)
}
