//! Reads a rotation as a whole.

use super::super::rows::{instant, instant_or_none};
use super::super::shapes::{
    cadence_from_json, coverage_from_json, kinds_from_json, narrowed_from_json,
    next_turns_from_json, passed_over_from_json, policy_from_json, skipped_from_json, zone,
};
use super::super::{Error, ReadTx, absence, arrangement, history, linked, request};
use super::mode_name;
use crate::domain::ids::{GroupId, RotationId, UserId};
use crate::domain::key::Key;
use crate::domain::mention::MentionSettings;
use crate::domain::rotation::{
    Cell, ChannelSetting, GroupMembers, Holder, Lane, Members, Mode, Profile, Roster, Rotation,
    Stamps, Window,
};
use crate::domain::warning_kinds::WarningSettings;
use rusqlite::{OptionalExtension, Row};
use std::sync::Arc;

/// A rotation by id with everything in it.
pub fn load_rotation(tx: &ReadTx, id: &RotationId) -> Result<Option<Rotation>, Error> {
    let head = tx
        .conn
        .prepare_cached(
            "SELECT name, description, code, enabled, public, double_cover, skips_are_off_time, enable_topic,
                    topic_template, version, created_at, updated_at, judged_at, remind_at, duty_group_id,
                    mention_expires, mention_reminds, mention_single, mention_rotates, mode, warnings_off,
                    short_rest_hours, absence_policy
             FROM rotation WHERE id = ?1",
        )?
        .query_row([id.as_str()], |row| {
            Ok(Head {
                name: row.get(0)?,
                description: row.get(1)?,
                code: row.get(2)?,
                enabled: row.get(3)?,
                public: row.get(4)?,
                double_cover: row.get(5)?,
                skips_are_off_time: row.get(6)?,
                enable_topic: row.get(7)?,
                topic_template: row.get(8)?,
                version: row.get::<_, i64>(9)? as u64,
                instants: [row.get(10)?, row.get(11)?, row.get(12)?],
                remind_at: row.get(13)?,
                absence_policy: row.get(22)?,
                duty_group: row.get(14)?,
                is_external: row.get::<_, String>(19)? == mode_name(Mode::External),
                warnings_off: row.get(20)?,
                short_rest_hours: row.get(21)?,
                mentions: MentionSettings {
                    expires_after_minutes: row.get(15)?,
                    remind_after_minutes: row.get(16)?,
                    one_at_a_time: row.get(17)?,
                    rotate_after_acknowledgement: row.get(18)?,
                },
            })
        })
        .optional()?;
    let Some(head) = head else { return Ok(None) };
    let entries = history::load_running(tx, id)?;
    let [created_at, updated_at, judged_at] = head.instants;
    let (lanes, windows) = (lanes(tx, id)?, windows(tx, id)?);
    let rosters = rosters(tx, id, &windows)?;
    let cells = cells(tx, id, entries)?;
    for cell in &cells {
        let roster = rosters.iter().any(|roster| roster.id == cell.roster);
        if cell.lane >= lanes.len() || cell.window >= windows.len() || !roster {
            return Err(Error::Corrupt(format!(
                "cell {} names what its rotation does not have",
                cell.id
            )));
        }
    }
    let mut rotation = Rotation {
        id: id.clone(),
        profile: Profile {
            name: head.name,
            description: head.description,
            code: head.code,
            public: head.public,
            owners: owners(tx, id)?,
            channels: channels(tx, id)?,
            enable_topic: head.enable_topic,
            topic_template: head.topic_template,
            duty_group: head.duty_group.map(Into::into),
            mentions: head.mentions,
            warnings: WarningSettings {
                off: kinds_from_json(&head.warnings_off)?,
                short_rest_hours: head.short_rest_hours,
            },
        },
        enabled: head.enabled,
        double_cover: head.double_cover,
        skips_are_off_time: head.skips_are_off_time,
        absence_policy: policy_from_json(head.absence_policy.as_deref())?,
        members: load_members(tx, id)?,
        lanes,
        windows,
        cells,
        rosters,
        external: match head.is_external {
            true => Some(linked::load_external(tx, id)?),
            false => None,
        },
        arranged: arrangement::load_arranged(tx, id)?,
        pending: request::load_pending(tx, id)?,
        stamps: Stamps {
            version: head.version,
            created_at: instant(created_at)?,
            updated_at: instant(updated_at)?,
            judged_at: instant(judged_at)?,
            remind_at: instant_or_none(head.remind_at)?,
        },
        absences: Arc::default(),
    };
    rotation.absences = Arc::new(absence::load_absences(tx, &rotation)?);
    Ok(Some(rotation))
}

/// Only the counters and instants of a rotation.
pub fn load_stamps(tx: &ReadTx, id: &RotationId) -> Result<Option<Stamps>, Error> {
    let sql =
        "SELECT version, created_at, updated_at, judged_at, remind_at FROM rotation WHERE id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([id.as_str()])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    Ok(Some(Stamps {
        version: row.get::<_, i64>(0)? as u64,
        created_at: instant(row.get(1)?)?,
        updated_at: instant(row.get(2)?)?,
        judged_at: instant(row.get(3)?)?,
        remind_at: instant_or_none(row.get(4)?)?,
    }))
}

struct Head {
    name: String,
    description: Option<String>,
    code: Option<String>,
    enabled: bool,
    public: bool,
    double_cover: bool,
    skips_are_off_time: bool,
    enable_topic: bool,
    topic_template: Option<String>,
    version: u64,
    instants: [i64; 3],
    remind_at: Option<i64>,
    absence_policy: Option<String>,
    duty_group: Option<String>,
    is_external: bool,
    mentions: MentionSettings,
    warnings_off: String,
    short_rest_hours: u32,
}

/// Reads the rows of one rotation, ordered by position.
fn rows<T>(
    tx: &ReadTx,
    sql: &str,
    id: &RotationId,
    mut read: impl FnMut(&Row) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query([id.as_str()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

fn text(row: &Row, column: usize) -> Result<String, Error> {
    Ok(row.get(column)?)
}

fn key(row: &Row, column: usize) -> Result<Option<Key>, Error> {
    let stored: Option<String> = row.get(column)?;
    let read =
        |text: String| Key::parse(&text).ok_or_else(|| Error::Corrupt(format!("key {text}")));
    stored.map(read).transpose()
}

fn owners(tx: &ReadTx, id: &RotationId) -> Result<Vec<UserId>, Error> {
    let sql = "SELECT user_id FROM rotation_owner WHERE rotation_id = ?1 ORDER BY position";
    rows(tx, sql, id, |row| Ok(text(row, 0)?.into()))
}

fn channels(tx: &ReadTx, id: &RotationId) -> Result<Vec<ChannelSetting>, Error> {
    let sql = "SELECT channel_id, posts_messages, syncs_topic FROM rotation_channel
               WHERE rotation_id = ?1 ORDER BY position";
    rows(tx, sql, id, |row| {
        Ok(ChannelSetting {
            channel: text(row, 0)?.into(),
            posts_messages: row.get(1)?,
            syncs_topic: row.get(2)?,
        })
    })
}

/// The members of a rotation in the current directory. Deactivated and external people keep their rows for their return, but
/// are not members.
pub fn load_members(tx: &ReadTx, id: &RotationId) -> Result<Members, Error> {
    let sql = "SELECT p.id FROM rotation_person m CROSS JOIN person p ON p.id = m.user_id
               WHERE m.rotation_id = ?1 AND NOT p.is_deleted AND NOT p.is_external ORDER BY m.position";
    let users = rows(tx, sql, id, |row| Ok(text(row, 0)?.into()))?;
    let sql = "SELECT g.group_id, p.id FROM rotation_group g
               LEFT JOIN user_group_person m ON m.group_id = g.group_id
               LEFT JOIN person p ON p.id = m.user_id AND NOT p.is_deleted AND NOT p.is_external
               WHERE g.rotation_id = ?1 ORDER BY g.position, m.position";
    let mut groups: Vec<GroupMembers> = Vec::new();
    rows(tx, sql, id, |row| {
        let group = GroupId::from(text(row, 0)?);
        if groups.last().is_none_or(|last| last.group != group) {
            groups.push(GroupMembers {
                group,
                users: Vec::new(),
            });
        }
        let user = row.get::<_, Option<String>>(1)?.map(UserId::from);
        groups
            .last_mut()
            .into_iter()
            .for_each(|last| last.users.extend(user.clone()));
        Ok(())
    })?;
    Ok(Members { users, groups })
}

fn lanes(tx: &ReadTx, id: &RotationId) -> Result<Vec<Lane>, Error> {
    let sql = "SELECT id, name, key FROM lane WHERE rotation_id = ?1 ORDER BY position";
    rows(tx, sql, id, |row| {
        Ok(Lane {
            id: text(row, 0)?.into(),
            key: key(row, 2)?,
            name: row.get(1)?,
        })
    })
}

fn windows(tx: &ReadTx, id: &RotationId) -> Result<Vec<Window>, Error> {
    let sql = "SELECT id, name, time_zone, coverage, cadence, is_open, key FROM coverage_window
               WHERE rotation_id = ?1 ORDER BY position";
    rows(tx, sql, id, |row| {
        let name = row.get::<_, Option<String>>(2)?;
        let cadence = row.get::<_, Option<String>>(4)?;
        Ok(Window {
            id: text(row, 0)?.into(),
            key: key(row, 6)?,
            name: row.get(1)?,
            zone: name.as_deref().map(zone).transpose()?,
            coverage: coverage_from_json(&text(row, 3)?)?,
            cadence: cadence.as_deref().map(cadence_from_json).transpose()?,
            open: row.get(5)?,
        })
    })
}

fn cells(tx: &ReadTx, id: &RotationId, mut entries: history::Running) -> Result<Vec<Cell>, Error> {
    let sql =
        "SELECT id, lane, window, roster_id, stopped, holder_user_id, holder_since, holder_skipped,
                      arranged_until, passed_over
               FROM cell
               WHERE rotation_id = ?1 ORDER BY position";
    rows(tx, sql, id, |row| {
        let cell = text(row, 0)?;
        let Some(entry) = entries.remove(&cell) else {
            return Err(Error::Corrupt(format!(
                "cell {cell} has no running entry of history"
            )));
        };
        let holder = row
            .get::<_, Option<String>>(5)?
            .zip(row.get::<_, Option<i64>>(6)?);
        let skipped = text(row, 7)?;
        let holder = holder
            .map(|(user, since)| -> Result<Holder, Error> {
                Ok(Holder {
                    user: user.into(),
                    since: instant(since)?,
                    skipped: skipped_from_json(&skipped)?,
                })
            })
            .transpose()?;
        Ok(Cell {
            id: cell.into(),
            lane: row.get::<_, i64>(1)? as usize,
            window: row.get::<_, i64>(2)? as usize,
            roster: row.get::<_, Option<String>>(3)?.map(Into::into),
            stopped: row.get(4)?,
            holder,
            passed_over: passed_over_from_json(row.get::<_, Option<String>>(9)?.as_deref())?,
            arranged_until: instant_or_none(row.get(8)?)?,
            entry,
        })
    })
}

fn rosters(tx: &ReadTx, id: &RotationId, windows: &[Window]) -> Result<Vec<Roster>, Error> {
    let sql =
        "SELECT id, narrowed, next_turns FROM roster WHERE rotation_id = ?1 ORDER BY position";
    rows(tx, sql, id, |row| {
        let narrowed = row.get::<_, Option<String>>(1)?;
        Ok(Roster {
            id: Some(text(row, 0)?)
                .filter(|id| !id.is_empty())
                .map(Into::into),
            narrowed: narrowed.as_deref().map(narrowed_from_json).transpose()?,
            next_turns: next_turns_from_json(&text(row, 2)?, windows)?,
        })
    })
}
