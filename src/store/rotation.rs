//! Rotations. Each is read as a whole; only the rows that differ are written.

mod lists;
mod load;

use super::notification::summary_json;
use super::rows::{json, list_or_null, millis};
use super::{Result, WriteTx, arrangement, external, history, request};
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::books::Dealing;
use crate::domain::ids::{GroupId, RotationId};
use crate::domain::rotation::{Mode, Rotation};
use jiff::Timestamp;
pub use lists::{MemberLists, save_members};
use lists::{clear, write_lists};
pub use load::{
    READ_AT_ONCE, each_rotation, load_members, load_rotation, load_rotations, load_stamps,
};
use rusqlite::params;

/// Inserts a rotation, without its history.
pub fn insert_rotation(
    tx: &mut WriteTx,
    rotation: &Rotation,
    next_due: Option<Timestamp>,
) -> Result<()> {
    tx.note_due(next_due);
    let sql = "INSERT INTO rotation (id, created_at, version, updated_at, judged_at, next_due_at, sequence, name, enabled, public,
                   mode, double_cover, skips_are_off_time, enable_topic, sort_name, search_text)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT coalesce(max(sequence), 0) + 1 FROM rotation), '', 0, 0,
                   'manual', 0, 0, 0, '', '')";
    tx.run(
        sql,
        params![
            rotation.id.as_str(),
            millis(rotation.stamps.created_at),
            rotation.stamps.version as i64,
            millis(rotation.stamps.updated_at),
            millis(rotation.stamps.judged_at),
            next_due.map(millis),
        ],
    )?;
    save_head(tx, rotation)?;
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
) -> Result<()> {
    save_stamps(tx, after, (next_due, was_due))?;
    let head = |r: &Rotation| {
        let flags = (r.double_cover, r.skips_are_off_time);
        (r.enabled, r.mode(), flags, r.absence_policy)
    };
    let differs = head(before) != head(after) || before.dealing != after.dealing;
    if before.profile != after.profile || differs {
        save_head(tx, after)?;
    }
    if before.ended != after.ended {
        let sql = "UPDATE rotation SET ended = ?2 WHERE id = ?1";
        tx.run(sql, params![after.id.as_str(), list_or_null(&after.ended)?])?;
    }
    if after.enabled && !before.enabled {
        history::insert_standstill(
            tx,
            &after.id,
            before.stamps.judged_at,
            after.stamps.judged_at,
        )?;
    }
    if before.stamps.version != after.stamps.version {
        tx.note_changed(&after.id);
    }
    write_lists(tx, Some(before), after)?;
    external::save_external(tx, before, after)?;
    arrangement::save_arranged(tx, before, after)?;
    request::save_pending(tx, before, after)
}

fn save_stamps(
    tx: &mut WriteTx,
    rotation: &Rotation,
    (next_due, was_due): (Option<Timestamp>, bool),
) -> Result<()> {
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
    if was_due || tx.run(sql, values)? == 0 {
        let sql = "UPDATE rotation SET version = ?2, updated_at = ?3, judged_at = ?4, next_due_at = ?5, remind_at = ?6
                   WHERE id = ?1";
        tx.run(sql, values)?;
    }
    Ok(())
}

fn save_head(tx: &mut WriteTx, rotation: &Rotation) -> Result<()> {
    let sql = "UPDATE rotation SET name = ?2, description = ?3, code = ?4, enabled = ?5, public = ?6, mode = ?7,
                   double_cover = ?8, skips_are_off_time = ?9, enable_topic = ?10, topic_template = ?11,
                   sort_name = ?12, search_text = ?13, duty_group_id = ?14, mention_expires = ?15, mention_reminds = ?16,
                   mention_single = ?17, mention_rotates = ?18, warnings_off = ?19, short_rest_hours = ?20,
                   absence_policy = ?21, dealing = ?22, summary = ?23, managed_by = ?24
               WHERE id = ?1";
    // The defaults are null.
    let policy =
        Some(&rotation.absence_policy).filter(|policy| **policy != AbsencePolicy::default());
    let policy = policy.map(json).transpose()?;
    let dealing = Some(&rotation.dealing).filter(|dealing| **dealing != Dealing::default());
    let dealing = dealing.map(json).transpose()?;
    let (mentions, warnings) = (&rotation.profile.mentions, &rotation.profile.warnings);
    tx.run(
        sql,
        params![
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
            json(&warnings.off)?,
            warnings.short_rest_hours,
            policy,
            dealing,
            rotation
                .profile
                .summary
                .as_ref()
                .map(summary_json)
                .transpose()?,
            rotation.profile.managed_by,
        ],
    )?;
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
pub fn save_due(tx: &mut WriteTx, id: &RotationId, next_due: Option<Timestamp>) -> Result<()> {
    tx.note_due(next_due);
    let sql = "UPDATE rotation SET next_due_at = ?2 WHERE id = ?1";
    tx.run(sql, params![id.as_str(), next_due.map(millis)])?;
    Ok(())
}

/// Saves only the next reminder.
pub fn save_reminder(
    tx: &mut WriteTx,
    id: &RotationId,
    remind_at: Option<Timestamp>,
) -> Result<()> {
    tx.note_due(remind_at);
    let sql = "UPDATE rotation SET remind_at = ?2 WHERE id = ?1";
    tx.run(sql, params![id.as_str(), remind_at.map(millis)])?;
    Ok(())
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Manual => "manual",
        Mode::Auto => "auto",
        Mode::External => "external",
    }
}

/// Deletes a rotation with everything in it, including history and absences.
pub fn remove_rotation(tx: &mut WriteTx, id: &RotationId) -> Result<()> {
    clear(tx, "DELETE FROM rotation WHERE id = ?1", id.as_str())
}
