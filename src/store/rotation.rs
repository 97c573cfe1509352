//! Rotations. Each is read as a whole; only the rows that differ are written.

use super::rows::{instant, instant_or_none, millis};
use super::shapes::{
    cadence_from_json, cadence_to_json, coverage_from_json, coverage_to_json, kinds_from_json,
    kinds_to_json, narrowed_from_json, narrowed_to_json, next_turns_from_json, next_turns_to_json,
    passed_over_from_json, passed_over_to_json, policy_from_json, policy_to_json,
    skipped_from_json, skipped_to_json, zone,
};
use super::{Error, ReadTx, WriteTx, absence, arrangement, history, linked, request};
use crate::domain::ids::{GroupId, RotationId, UserId};
use crate::domain::key::Key;
use crate::domain::mention::MentionSettings;
use crate::domain::rotation::{
    Cell, ChannelSetting, GroupMembers, Holder, Lane, Members, Mode, Profile, Roster, Rotation,
    Stamps, Window,
};
use crate::domain::warning_kinds::WarningSettings;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};
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

/// Inserts a rotation, without its history.
pub fn insert_rotation(
    tx: &mut WriteTx,
    rotation: &Rotation,
    next_due: Option<Timestamp>,
) -> Result<(), Error> {
    tx.note_due(next_due);
    tx.conn
        .prepare_cached(
            "INSERT INTO rotation (name, description, code, enabled, public, mode, double_cover, skips_are_off_time,
                                   enable_topic, topic_template, version, updated_at, judged_at, next_due_at, id,
                                   created_at, sort_name, search_text, sequence)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
                     (SELECT coalesce(max(sequence), 0) + 1 FROM rotation))",
        )?
        .execute(params![
            rotation.profile.name,
            rotation.profile.description,
            rotation.profile.code,
            rotation.enabled,
            rotation.profile.public,
            mode_name(rotation.mode()),
            rotation.double_cover,
            rotation.skips_are_off_time,
            rotation.profile.enable_topic,
            rotation.profile.topic_template,
            rotation.stamps.version as i64,
            millis(rotation.stamps.updated_at),
            millis(rotation.stamps.judged_at),
            next_due.map(millis),
            rotation.id.as_str(),
            millis(rotation.stamps.created_at),
            sort_name(rotation),
            search_text(rotation),
        ])?;
    tx.note_changed(&rotation.id);
    write_lists(tx, None, rotation)
}

/// Writes the differences between `before`, which is stored, and `after`, including arrangements and pending requests,
/// without history. `was_due` is whether something that was due has been done, so that the next due instant is another one.
pub fn save_rotation(
    tx: &mut WriteTx,
    before: &Rotation,
    after: &Rotation,
    (next_due, was_due): (Option<Timestamp>, bool),
) -> Result<(), Error> {
    save_stamps(tx, after, (next_due, was_due))?;
    let head = |r: &Rotation| {
        let flags = (r.double_cover, r.skips_are_off_time);
        (r.enabled, r.mode(), flags, r.absence_policy)
    };
    if before.profile != after.profile || head(before) != head(after) {
        save_head(tx, after)?;
    }
    if before.stamps.version != after.stamps.version {
        tx.note_changed(&after.id);
    }
    write_lists(tx, Some(before), after)?;
    linked::save_external(tx, before, after)?;
    arrangement::save_arranged(tx, before, after)?;
    request::save_pending(tx, before, after)
}

fn save_stamps(
    tx: &mut WriteTx,
    rotation: &Rotation,
    (next_due, was_due): (Option<Timestamp>, bool),
) -> Result<(), Error> {
    tx.note_due(next_due);
    tx.note_due(rotation.stamps.remind_at);
    let values = params![
        rotation.id.as_str(),
        rotation.stamps.version as i64,
        millis(rotation.stamps.updated_at),
        millis(rotation.stamps.judged_at),
        next_due.map(millis),
        rotation.stamps.remind_at.map(millis),
    ];
    // Most other writes do not change these instants; writing them would also write their index pages.
    let sql = "UPDATE rotation SET version = ?2, updated_at = ?3, judged_at = ?4
               WHERE id = ?1 AND next_due_at IS ?5 AND remind_at IS ?6";
    if was_due || tx.conn.prepare_cached(sql)?.execute(values)? == 0 {
        let sql = "UPDATE rotation SET version = ?2, updated_at = ?3, judged_at = ?4, next_due_at = ?5, remind_at = ?6
                   WHERE id = ?1";
        tx.conn.prepare_cached(sql)?.execute(values)?;
    }
    Ok(())
}

fn save_head(tx: &mut WriteTx, rotation: &Rotation) -> Result<(), Error> {
    let sql = "UPDATE rotation SET name = ?2, description = ?3, code = ?4, enabled = ?5, public = ?6, mode = ?7,
                   double_cover = ?8, skips_are_off_time = ?9, enable_topic = ?10, topic_template = ?11,
                   sort_name = ?12, search_text = ?13, duty_group_id = ?14, mention_expires = ?15, mention_reminds = ?16,
                    mention_single = ?17, mention_rotates = ?18, warnings_off = ?19, short_rest_hours = ?20,
                    absence_policy = ?21
               WHERE id = ?1";
    let (mentions, warnings) = (&rotation.profile.mentions, &rotation.profile.warnings);
    tx.conn.prepare_cached(sql)?.execute(params![
        rotation.id.as_str(),
        rotation.profile.name,
        rotation.profile.description,
        rotation.profile.code,
        rotation.enabled,
        rotation.profile.public,
        mode_name(rotation.mode()),
        rotation.double_cover,
        rotation.skips_are_off_time,
        rotation.profile.enable_topic,
        rotation.profile.topic_template,
        sort_name(rotation),
        search_text(rotation),
        rotation.profile.duty_group.as_ref().map(GroupId::as_str),
        mentions.expires_after_minutes,
        mentions.remind_after_minutes,
        mentions.one_at_a_time,
        mentions.rotate_after_acknowledgement,
        kinds_to_json(&warnings.off)?,
        warnings.short_rest_hours,
        policy_to_json(rotation.absence_policy)?,
    ])?;
    Ok(())
}

fn sort_name(rotation: &Rotation) -> String {
    rotation.profile.name.to_lowercase()
}

fn search_text(rotation: &Rotation) -> String {
    let profile = &rotation.profile;
    let parts = [
        Some(&profile.name),
        profile.code.as_ref(),
        profile.description.as_ref(),
    ];
    let lines: Vec<String> = parts
        .into_iter()
        .flatten()
        .map(|part| part.to_lowercase())
        .collect();
    lines.join("\n")
}

/// Saves only the next due instant: absences, holidays or time zones changed, the rotation did not.
pub fn save_due(
    tx: &mut WriteTx,
    id: &RotationId,
    next_due: Option<Timestamp>,
) -> Result<(), Error> {
    tx.note_due(next_due);
    let sql = "UPDATE rotation SET next_due_at = ?2 WHERE id = ?1";
    tx.conn
        .prepare_cached(sql)?
        .execute(params![id.as_str(), next_due.map(millis)])?;
    Ok(())
}

/// Saves only the next reminder.
pub fn save_reminder(
    tx: &mut WriteTx,
    id: &RotationId,
    remind_at: Option<Timestamp>,
) -> Result<(), Error> {
    tx.note_due(remind_at);
    let sql = "UPDATE rotation SET remind_at = ?2 WHERE id = ?1";
    tx.conn
        .prepare_cached(sql)?
        .execute(params![id.as_str(), remind_at.map(millis)])?;
    Ok(())
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Manual => "manual",
        Mode::Auto => "auto",
        Mode::External => "external",
    }
}

fn write_lists(tx: &mut WriteTx, before: Option<&Rotation>, after: &Rotation) -> Result<(), Error> {
    let id = after.id.as_str();
    let differs =
        |part: fn(&Rotation, &Rotation) -> bool| before.is_none_or(|before| part(before, after));
    if differs(|a, b| a.profile.owners != b.profile.owners) {
        let owners = after.profile.owners.iter().map(UserId::as_str);
        write_names(tx, ["rotation_owner", "user_id"], id, owners)?;
    }
    if differs(|a, b| a.profile.channels != b.profile.channels) {
        clear(
            tx,
            "DELETE FROM rotation_channel WHERE rotation_id = ?1",
            id,
        )?;
        let sql = "INSERT INTO rotation_channel (rotation_id, position, channel_id, posts_messages, syncs_topic)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        for (position, channel) in after.profile.channels.iter().enumerate() {
            tx.conn.prepare_cached(sql)?.execute(params![
                id,
                position as i64,
                channel.channel.as_str(),
                channel.posts_messages,
                channel.syncs_topic
            ])?;
        }
    }
    if differs(|a, b| a.lanes != b.lanes) {
        clear(tx, "DELETE FROM lane WHERE rotation_id = ?1", id)?;
        let sql =
            "INSERT INTO lane (rotation_id, position, id, name, key) VALUES (?1, ?2, ?3, ?4, ?5)";
        for (position, lane) in after.lanes.iter().enumerate() {
            tx.conn.prepare_cached(sql)?.execute(params![
                id,
                position as i64,
                lane.id.as_str(),
                lane.name,
                lane.key.as_ref().map(Key::as_str)
            ])?;
        }
    }
    write_windows(tx, before, after)?;
    write_rosters(tx, before, after)?;
    write_cells(tx, before, after)
}

/// Saves the members as a caller wrote them. Saving a rotation does not include them, because they are read through the
/// directory: that would delete people who are deactivated temporarily.
pub fn save_members(tx: &mut WriteTx, id: &RotationId, members: &MemberLists) -> Result<(), Error> {
    if let Some(users) = &members.users {
        let users = users.iter().map(UserId::as_str);
        write_names(tx, ["rotation_person", "user_id"], id.as_str(), users)?;
    }
    if let Some(groups) = &members.groups {
        let groups = groups.iter().map(GroupId::as_str);
        write_names(tx, ["rotation_group", "group_id"], id.as_str(), groups)?;
    }
    Ok(())
}

/// Replaces a list of ids that has its own table.
fn write_names<'a>(
    tx: &mut WriteTx,
    [table, column]: [&str; 2],
    id: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), Error> {
    clear(
        tx,
        &format!("DELETE FROM {table} WHERE rotation_id = ?1"),
        id,
    )?;
    let sql = format!("INSERT INTO {table} (rotation_id, position, {column}) VALUES (?1, ?2, ?3)");
    for (position, name) in names.enumerate() {
        tx.conn
            .prepare_cached(&sql)?
            .execute(params![id, position as i64, name])?;
    }
    Ok(())
}

/// Lists of members to write. `None` keeps a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberLists {
    pub users: Option<Vec<UserId>>,
    pub groups: Option<Vec<GroupId>>,
}

fn write_windows(
    tx: &mut WriteTx,
    before: Option<&Rotation>,
    after: &Rotation,
) -> Result<(), Error> {
    let id = after.id.as_str();
    let kept = before.filter(|before| before.windows.len() == after.windows.len());
    if kept.is_none() {
        clear(tx, "DELETE FROM coverage_window WHERE rotation_id = ?1", id)?;
    }
    let sql = "INSERT INTO coverage_window (rotation_id, position, id, name, time_zone, coverage, cadence, is_open, key)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
               ON CONFLICT (rotation_id, position) DO UPDATE SET id = excluded.id, name = excluded.name,
                   time_zone = excluded.time_zone, coverage = excluded.coverage, cadence = excluded.cadence,
                   is_open = excluded.is_open, key = excluded.key";
    for (position, window) in after.windows.iter().enumerate() {
        let known = kept.map(|before| &before.windows[position]);
        if known == Some(window) {
            continue;
        }
        if known.is_some_and(|known| differ_in_open(known, window)) {
            let sql =
                "UPDATE coverage_window SET is_open = ?3 WHERE rotation_id = ?1 AND position = ?2";
            let values = params![id, position as i64, window.open];
            tx.conn.prepare_cached(sql)?.execute(values)?;
            continue;
        }
        tx.conn.prepare_cached(sql)?.execute(params![
            id,
            position as i64,
            window.id.as_str(),
            window.name,
            window.zone.map(|zone| zone.to_string()),
            coverage_to_json(&window.coverage)?,
            window.cadence.as_ref().map(cadence_to_json).transpose()?,
            window.open,
            window.key.as_ref().map(Key::as_str),
        ])?;
    }
    Ok(())
}

/// Whether two windows are the same but for being open.
fn differ_in_open(a: &Window, b: &Window) -> bool {
    let names = (&a.id, &a.key, &a.name) == (&b.id, &b.key, &b.name);
    names && (a.zone, &a.coverage, &a.cadence) == (b.zone, &b.coverage, &b.cadence)
}

fn write_rosters(
    tx: &mut WriteTx,
    before: Option<&Rotation>,
    after: &Rotation,
) -> Result<(), Error> {
    let id = after.id.as_str();
    let kept = before.filter(|before| before.rosters.len() == after.rosters.len());
    if kept.is_none() {
        clear(tx, "DELETE FROM roster WHERE rotation_id = ?1", id)?;
    }
    let sql = "INSERT INTO roster (rotation_id, position, id, narrowed, next_turns) VALUES (?1, ?2, ?3, ?4, ?5)
               ON CONFLICT (rotation_id, position) DO UPDATE SET id = excluded.id, narrowed = excluded.narrowed,
                   next_turns = excluded.next_turns";
    for (position, roster) in after.rosters.iter().enumerate() {
        let known = kept.map(|before| &before.rosters[position]);
        if known == Some(roster) {
            continue;
        }
        if known.is_some_and(|known| (&known.id, &known.narrowed) == (&roster.id, &roster.narrowed))
        {
            let sql = "UPDATE roster SET next_turns = ?3 WHERE rotation_id = ?1 AND position = ?2";
            let turns = next_turns_to_json(&roster.next_turns)?;
            let values = params![id, position as i64, turns];
            tx.conn.prepare_cached(sql)?.execute(values)?;
            continue;
        }
        tx.conn.prepare_cached(sql)?.execute(params![
            id,
            position as i64,
            roster.id.as_ref().map_or("", |id| id.as_str()),
            roster.narrowed.as_ref().map(narrowed_to_json).transpose()?,
            next_turns_to_json(&roster.next_turns)?,
        ])?;
    }
    Ok(())
}

fn write_cells(tx: &mut WriteTx, before: Option<&Rotation>, after: &Rotation) -> Result<(), Error> {
    let id = after.id.as_str();
    let kept = before.filter(|before| before.cells.len() == after.cells.len());
    if kept.is_none() {
        clear(tx, "DELETE FROM cell WHERE rotation_id = ?1", id)?;
    }
    let turn =
        "UPDATE cell SET stopped = ?3, holder_user_id = ?4, holder_since = ?5, holder_skipped = ?6,
                                arranged_until = ?7, passed_over = ?8
                WHERE rotation_id = ?1 AND position = ?2";
    let all = "INSERT INTO cell (rotation_id, position, stopped, holder_user_id, holder_since, holder_skipped,
                                 arranged_until, passed_over, id, lane, window, roster_id)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
               ON CONFLICT (rotation_id, position) DO UPDATE SET id = excluded.id, lane = excluded.lane,
                   window = excluded.window, roster_id = excluded.roster_id, stopped = excluded.stopped,
                   holder_user_id = excluded.holder_user_id, holder_since = excluded.holder_since,
                   holder_skipped = excluded.holder_skipped, arranged_until = excluded.arranged_until,
                   passed_over = excluded.passed_over";
    for (position, cell) in after.cells.iter().enumerate() {
        let known = kept.map(|before| &before.cells[position]);
        if known.is_some_and(|known| same_row(known, cell)) {
            continue;
        }
        let holder = cell.holder.as_ref();
        let skipped = skipped_to_json(holder.map_or(&[], |holder| &holder.skipped))?;
        let passed_over = passed_over_to_json(&cell.passed_over)?;
        let values = params![
            id,
            position as i64,
            cell.stopped,
            holder.map(|holder| holder.user.as_str()),
            holder.map(|holder| millis(holder.since)),
            skipped,
            cell.arranged_until.map(millis),
            passed_over,
        ];
        if known.is_some_and(|known| same_place(known, cell)) {
            tx.conn.prepare_cached(turn)?.execute(values)?;
            continue;
        }
        let place = params![
            cell.id.as_str(),
            cell.lane as i64,
            cell.window as i64,
            cell.roster.as_ref().map(|roster| roster.as_str()),
        ];
        let values = [values, place].concat();
        tx.conn.prepare_cached(all)?.execute(values.as_slice())?;
    }
    Ok(())
}

/// Whether two cells differ in their turns at most.
fn same_place(a: &Cell, b: &Cell) -> bool {
    (&a.id, a.lane, a.window, &a.roster) == (&b.id, b.lane, b.window, &b.roster)
}

/// The history entry has its own table.
fn same_row(a: &Cell, b: &Cell) -> bool {
    let turn = a.holder == b.holder && a.passed_over == b.passed_over;
    turn && (a.stopped, a.arranged_until) == (b.stopped, b.arranged_until) && same_place(a, b)
}

fn clear(tx: &mut WriteTx, sql: &str, id: &str) -> Result<(), Error> {
    Ok(tx.conn.prepare_cached(sql)?.execute([id]).map(drop)?)
}

/// Deletes a rotation with everything in it, including history and absences.
pub fn remove_rotation(tx: &mut WriteTx, id: &RotationId) -> Result<(), Error> {
    clear(tx, "DELETE FROM rotation WHERE id = ?1", id.as_str())
}
