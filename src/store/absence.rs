//! Absences.

use super::directory::{away_members, is_any_away};
use super::personal_calendar::{has_calendars, list_mirrored_periods, list_unknown};
use super::rows::{instant, json, millis};
use super::which::{Which, of_rotations};
use super::{ReadTx, Result, WriteTx};
use crate::domain::absence::{Absence, Absences, AppliesTo};
use crate::domain::absence_policy::CalendarsCount;
use crate::domain::ids::{AbsenceId, RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use jiff::Timestamp;
use rusqlite::{Row, params};

const COLUMNS: &str = "id, user_id, rotation_id, from_at, until_at, reason";

/// Reads an absence from its columns, beginning with index `first`.
fn read(row: &Row, first: usize) -> Result<Absence> {
    let rotation: Option<String> = row.get(first + 2)?;
    Ok(Absence {
        id: row.get::<_, String>(first)?.into(),
        user: row.get::<_, String>(first + 1)?.into(),
        period: Interval::new(instant(row.get(first + 3)?)?, instant(row.get(first + 4)?)?),
        reason: row.get(first + 5)?,
        applies_to: rotation.map_or(AppliesTo::AllRotations, |id| AppliesTo::Rotation(id.into())),
    })
}

/// The absences that apply to a rotation and end after an instant: those of this rotation, and its members' absences
/// from all rotations.
pub fn list_absences(
    tx: &ReadTx,
    rotation: &Rotation,
    ending_after: Timestamp,
) -> Result<Vec<Absence>> {
    let own = own_absences(tx, std::slice::from_ref(&rotation.id), ending_after)?;
    let mut absences: Vec<Absence> = own.into_iter().flatten().collect();
    if any_everywhere(tx, ending_after)? {
        absences.extend(absences_everywhere(tx, rotation, ending_after)?);
    }
    absences.sort_by(|a, b| (a.period, &a.id).cmp(&(b.period, &b.id)));
    Ok(absences)
}

/// The absences from each of these rotations alone.
fn own_absences(
    tx: &ReadTx,
    ids: &[RotationId],
    ending_after: Timestamp,
) -> Result<Vec<Vec<Absence>>> {
    let sql = of_rotations!(
        "SELECT rotation_id, id, user_id, rotation_id, from_at, until_at, reason FROM absence
         WHERE until_at > ?2 AND rotation_id",
        ""
    );
    let after = millis(ending_after);
    Which::of(ids)?.read(tx, sql, &[&after], |_, row| read(row, 1))
}

/// Whether anybody is absent from all rotations. Most workspaces have no such absence, so this check avoids listing members.
fn any_everywhere(tx: &ReadTx, ending_after: Timestamp) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM absence INDEXED BY absence_everywhere
                              WHERE rotation_id IS NULL AND until_at > ?1)";
    tx.value(sql, [millis(ending_after)])
}

fn absences_everywhere(
    tx: &ReadTx,
    rotation: &Rotation,
    ending_after: Timestamp,
) -> Result<Vec<Absence>> {
    let members = crate::domain::roster::order(&rotation.members, None);
    let people: Vec<&str> = members.iter().map(|member| member.user.as_str()).collect();
    let sql = format!(
        "SELECT {COLUMNS} FROM absence
         WHERE user_id IN (SELECT value FROM json_each(?1)) AND until_at > ?2 AND rotation_id IS NULL"
    );
    tx.list(&sql, params![json(&people)?, millis(ending_after)], |row| {
        read(row, 0)
    })
}

/// The absences of a person that end after an instant, by their beginning.
pub fn list_absences_of(
    tx: &ReadTx,
    user: &UserId,
    ending_after: Timestamp,
) -> Result<Vec<Absence>> {
    let sql = format!("SELECT {COLUMNS} FROM absence WHERE user_id = ?1 AND until_at > ?2");
    let mut absences = tx.list(&sql, params![user.as_str(), millis(ending_after)], |row| {
        read(row, 0)
    })?;
    absences.sort_by(|a, b| (a.period, &a.id).cmp(&(b.period, &b.id)));
    Ok(absences)
}

/// As [`list_absences`], as far back as the turns that run: for dealing, and to show them.
pub fn load_absences(tx: &ReadTx, rotation: &Rotation) -> Result<Absences> {
    let found = load_absences_of(tx, &[rotation])?;
    Ok(found.into_iter().next().unwrap_or_default())
}

/// The absences of several rotations, in their order.
pub(super) fn load_absences_of(tx: &ReadTx, rotations: &[&Rotation]) -> Result<Vec<Absences>> {
    let since: Vec<Timestamp> = rotations.iter().copied().map(turns_since).collect();
    let Some(first) = since.iter().copied().min() else {
        return Ok(Vec::new());
    };
    let ids: Vec<RotationId> = rotations.iter().map(|one| one.id.clone()).collect();
    let own = own_absences(tx, &ids, first)?;
    let is_any_everywhere = any_everywhere(tx, first)?;
    let is_any_away = is_any_away(tx)?;
    let is_any_calendar = has_calendars(tx)?;
    let each = rotations.iter().zip(own).zip(since);
    let each = each.map(|((rotation, mut absences), ending_after)| {
        absences.retain(|absence| absence.period.until > ending_after);
        if is_any_everywhere {
            absences.extend(absences_everywhere(tx, rotation, ending_after)?);
        }
        absences.sort_by(|a, b| (a.period, &a.id).cmp(&(b.period, &b.id)));
        let absences = absences.into_iter();
        let absences = absences.map(|absence| (absence.user, absence.period));
        let mut absences = Absences::new(absences.collect());
        if is_any_away {
            absences = absences.with_chat(away_members(tx, rotation)?);
        }
        let calendars = rotation.absence_policy.calendars;
        // Where no calendar counts, it does not matter that one is unknown.
        if calendars == CalendarsCount::Never || !is_any_calendar {
            return Ok(absences);
        }
        let members = crate::domain::roster::order(&rotation.members, None);
        let people: Vec<&str> = members.iter().map(|member| member.user.as_str()).collect();
        // Those that ended before may be the beginning of one that goes on, and make it long enough to count.
        let since = ending_after.saturating_sub(calendars.looks_back());
        let since = since.unwrap_or(Timestamp::MIN);
        let mirrored = list_mirrored_periods(tx, &people, since)?;
        let absences = absences.with_calendars(mirrored, list_unknown(tx, &people)?);
        Ok(calendars.count_in(absences).ending_after(ending_after))
    });
    each.collect()
}

/// When the first of the turns and arrangements that run began, or the instant up to which the rotation is judged.
fn turns_since(rotation: &Rotation) -> Timestamp {
    let turns = rotation
        .cells
        .iter()
        .filter_map(|cell| cell.holder.as_ref());
    let running = rotation.arranged.iter().filter(|arranged| arranged.running);
    let began = turns.map(|holder| holder.since);
    let began = began.chain(running.map(|arranged| arranged.period.from));
    began
        .chain([rotation.stamps.judged_at])
        .min()
        .unwrap_or(rotation.stamps.judged_at)
}

/// An absence by id.
pub fn load_absence(tx: &ReadTx, id: &AbsenceId) -> Result<Option<Absence>> {
    let sql = format!("SELECT {COLUMNS} FROM absence WHERE id = ?1");
    tx.one(&sql, [id.as_str()], |row| read(row, 0))
}

/// An absence of the same person, over the same period, for the same rotations.
pub fn find_same_absence(
    tx: &ReadTx,
    user: &UserId,
    period: Interval,
    applies_to: &AppliesTo,
) -> Result<Option<Absence>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM absence
         WHERE user_id = ?1 AND until_at = ?2 AND from_at = ?3 AND rotation_id IS ?4"
    );
    let rotation = rotation_column(applies_to);
    let key = params![
        user.as_str(),
        millis(period.until),
        millis(period.from),
        rotation
    ];
    tx.one(&sql, key, |row| read(row, 0))
}

/// Stores an absence.
pub fn insert_absence(tx: &mut WriteTx, absence: &Absence) -> Result<()> {
    let sql = "INSERT INTO absence (id, user_id, rotation_id, from_at, until_at, reason)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    tx.run(
        sql,
        params![
            absence.id.as_str(),
            absence.user.as_str(),
            rotation_column(&absence.applies_to),
            millis(absence.period.from),
            millis(absence.period.until),
            absence.reason,
        ],
    )?;
    Ok(())
}

/// Deletes an absence.
pub fn remove_absence(tx: &mut WriteTx, id: &AbsenceId) -> Result<()> {
    tx.run("DELETE FROM absence WHERE id = ?1", [id.as_str()])?;
    Ok(())
}

/// Changes when an absence ends.
pub fn save_absence_end(tx: &mut WriteTx, id: &AbsenceId, until: Timestamp) -> Result<()> {
    let sql = "UPDATE absence SET until_at = ?2 WHERE id = ?1";
    tx.run(sql, params![id.as_str(), millis(until)])?;
    Ok(())
}

fn rotation_column(applies_to: &AppliesTo) -> Option<&str> {
    match applies_to {
        AppliesTo::Rotation(rotation) => Some(rotation.as_str()),
        AppliesTo::AllRotations => None,
    }
}

/// The rotations to which a person's absence from all rotations applies: those with them as a member.
pub fn list_rotations_of(tx: &ReadTx, user: &UserId) -> Result<Vec<RotationId>> {
    let sql = "SELECT rotation_id FROM rotation_person WHERE user_id = ?1
               UNION SELECT g.rotation_id FROM user_group_person m JOIN rotation_group g ON g.group_id = m.group_id
                     WHERE m.user_id = ?1";
    super::rows::ids(tx.conn, sql, [user.as_str()])
}
