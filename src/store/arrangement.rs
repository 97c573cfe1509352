//! Arrangements. Those that have not ended are loaded and saved with their rotation.

use super::history::named_cells;
use super::rows::{instant, millis};
use super::shapes::{
    doer_from_json, doer_to_json, snapshot_from_json, snapshot_to_json, turn_selection_from_json,
    turn_selection_to_json,
};
use super::which::{Which, of_rotations};
use super::{Error, Page, ReadTx, WriteTx};
use crate::domain::arrangement::{Arranged, Arrangement, ArrangementKind};
use crate::domain::audit::Doer;
use crate::domain::ids::{ArrangementId, CellId, RotationId};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use rusqlite::{OptionalExtension, Row, params};

const COLUMNS: &str =
    "id, rotation_id, cell_id, user_id, from_at, until_at, revision, cancelled, kind, snapshot,
                       turn_selection, request_id";

fn period(row: &Row, from: usize) -> Result<Interval, Error> {
    Ok(Interval {
        from: instant(row.get(from)?)?,
        until: instant(row.get(from + 1)?)?,
    })
}

pub(super) fn kind_named(name: &str) -> Result<ArrangementKind, Error> {
    let known = ArrangementKind::parse(name);
    known.ok_or_else(|| Error::Corrupt(format!("arrangement: kind {name}")))
}

fn read(row: &Row) -> Result<Arrangement, Error> {
    let selection = row.get::<_, Option<String>>(10)?;
    let period = period(row, 4)?;
    Ok(Arrangement {
        id: row.get::<_, String>(0)?.into(),
        rotation: row.get::<_, String>(1)?.into(),
        cell: row.get::<_, String>(2)?.into(),
        user: row.get::<_, String>(3)?.into(),
        period,
        revision: row.get::<_, i64>(6)? as u64,
        cancelled: row.get(7)?,
        kind: kind_named(&row.get::<_, String>(8)?)?,
        request: row.get::<_, Option<String>>(11)?.map(Into::into),
        snapshot: snapshot_from_json(&row.get::<_, String>(9)?)?,
        turn_selection: selection
            .as_deref()
            .map(turn_selection_from_json)
            .transpose()?,
    })
}

/// The arrangements of a rotation that have not ended.
pub(super) fn load_arranged(tx: &ReadTx, which: &Which) -> Result<Vec<Vec<Arranged>>, Error> {
    let sql = of_rotations!(
        "SELECT rotation_id, id, cell_id, user_id, from_at, until_at, stage, request_id FROM arrangement
         WHERE stage IS NOT NULL AND rotation_id",
        " ORDER BY rotation_id, from_at, id"
    );
    which.read(tx, sql, &[], |_, row| {
        Ok(Arranged {
            id: row.get::<_, String>(1)?.into(),
            cell: row.get::<_, String>(2)?.into(),
            user: row.get::<_, String>(3)?.into(),
            period: period(row, 4)?,
            running: row.get_ref(6)?.as_str().is_ok_and(|stage| stage == RUNNING),
            request: row.get::<_, Option<String>>(7)?.map(Into::into),
        })
    })
}

const RUNNING: &str = "running";

fn stage(arranged: &Arranged) -> &'static str {
    if arranged.running { RUNNING } else { "coming" }
}

/// An arrangement of a rotation by id.
pub fn load_arrangement(
    tx: &ReadTx,
    rotation: &RotationId,
    id: &ArrangementId,
) -> Result<Option<Arrangement>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM arrangement WHERE id = ?2 AND rotation_id = ?1");
    let mut query = tx.conn.prepare_cached(&sql)?;
    let found = query.query_row([rotation.as_str(), id.as_str()], |row| Ok(read(row)));
    found.optional()?.transpose()
}

/// A page of a rotation's arrangements that overlap a range, including cancelled ones, ordered by their end, and the total
/// number.
pub fn list_arrangements(
    tx: &ReadTx,
    rotation: &RotationId,
    range: Interval,
    page: Page,
) -> Result<(Vec<Arrangement>, u64), Error> {
    // The plus makes SQLite use the index on the end, so that arrangements before the range are not read.
    const MEETING: &str =
        "FROM arrangement WHERE rotation_id = ?1 AND until_at > ?2 AND +from_at < ?3";
    let [from, until] = [millis(range.from), millis(range.until)];
    let sql = format!("SELECT count(*) {MEETING}");
    let mut query = tx.conn.prepare_cached(&sql)?;
    let key = params![rotation.as_str(), from, until];
    let total: i64 = query.query_row(key, |row| row.get(0))?;
    let sql = format!("SELECT {COLUMNS} {MEETING} ORDER BY until_at, sequence LIMIT ?4 OFFSET ?5");
    let mut query = tx.conn.prepare_cached(&sql)?;
    let [limit, before] = [i64::from(page.size), page.offset()];
    let mut rows = query.query(params![rotation.as_str(), from, until, limit, before])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok((found, total as u64))
}

/// Who made an arrangement; `None` where that is not known.
pub fn load_arrangement_maker(tx: &ReadTx, id: &ArrangementId) -> Result<Option<Doer>, Error> {
    let sql = "SELECT made_by FROM arrangement WHERE id = ?1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let found = query.query_row([id.as_str()], |row| row.get::<_, Option<String>>(0));
    doer_from_json(found.optional()?.flatten().as_deref())
}

/// Inserts an arrangement that somebody made. Saving its rotation afterwards sets whether it runs.
pub fn insert_arrangement(
    tx: &mut WriteTx,
    new: &Arrangement,
    by: Option<&Doer>,
) -> Result<(), Error> {
    let sql = "INSERT INTO arrangement (id, rotation_id, cell_id, user_id, from_at, until_at, revision, cancelled, kind,
                                        snapshot, turn_selection, request_id, made_by, stage)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 'coming')";
    tx.conn.prepare_cached(sql)?.execute(params![
        new.id.as_str(),
        new.rotation.as_str(),
        new.cell.as_str(),
        new.user.as_str(),
        millis(new.period.from),
        millis(new.period.until),
        new.revision as i64,
        new.cancelled,
        new.kind.name(),
        snapshot_to_json(&new.snapshot)?,
        new.turn_selection
            .as_ref()
            .map(turn_selection_to_json)
            .transpose()?,
        new.request.as_ref().map(|id| id.as_str()),
        doer_to_json(by)?,
    ])?;
    Ok(())
}

/// Marks an arrangement as cancelled that another one has replaced in its rotation.
pub fn cancel_arrangement(tx: &mut WriteTx, id: &ArrangementId) -> Result<(), Error> {
    let sql = "UPDATE arrangement SET cancelled = 1, stage = NULL WHERE id = ?1";
    tx.conn.prepare_cached(sql)?.execute([id.as_str()])?;
    Ok(())
}

/// Saves the arrangements of a rotation. One that is missing in `after` has ended: if its end has not been reached, it
/// ends now if it was running and is cancelled otherwise.
pub(super) fn save_arranged(
    tx: &mut WriteTx,
    before: &Rotation,
    after: &Rotation,
) -> Result<(), Error> {
    let find = |rotation: &'_ Rotation, id: &ArrangementId| {
        rotation
            .arranged
            .iter()
            .position(|arranged| &arranged.id == id)
    };
    // A disabled rotation is judged as of the instant at which it was disabled; the change itself is later.
    let at = after.stamps.judged_at.max(after.stamps.updated_at);
    for old in &before.arranged {
        if find(after, &old.id).is_some() {
            continue;
        }
        let id = old.id.as_str();
        if old.period.until <= at {
            let sql = "UPDATE arrangement SET stage = NULL WHERE id = ?1";
            tx.conn.prepare_cached(sql)?.execute([id])?;
        } else if old.running && old.period.from < at {
            let sql = "UPDATE arrangement SET stage = NULL, until_at = ?2, revision = revision + 1 WHERE id = ?1";
            tx.conn
                .prepare_cached(sql)?
                .execute(params![id, millis(at)])?;
        } else {
            let sql = "UPDATE arrangement SET stage = NULL, cancelled = 1, revision = revision + 1 WHERE id = ?1";
            tx.conn.prepare_cached(sql)?.execute([id])?;
        }
    }
    for new in &after.arranged {
        let old = find(before, &new.id).map(|index| &before.arranged[index]);
        if old == Some(new) {
            continue;
        }
        let cut = old.is_some_and(|old| old.period != new.period);
        let sql = "UPDATE arrangement SET stage = ?2, from_at = ?3, until_at = ?4, revision = revision + ?5
                   WHERE id = ?1";
        tx.conn.prepare_cached(sql)?.execute(params![
            new.id.as_str(),
            stage(new),
            millis(new.period.from),
            millis(new.period.until),
            cut,
        ])?;
    }
    Ok(())
}

/// Cells with overlapping arrangements that have not ended. Who is on call there would be undefined.
pub fn list_overlaps(tx: &ReadTx) -> Result<Vec<(RotationId, CellId)>, Error> {
    let sql = "SELECT DISTINCT a.rotation_id, a.cell_id
               FROM arrangement a JOIN arrangement b ON b.rotation_id = a.rotation_id AND b.cell_id = a.cell_id
               WHERE a.stage IS NOT NULL AND b.stage IS NOT NULL AND a.sequence < b.sequence
                   AND a.from_at < b.until_at AND b.from_at < a.until_at";
    let mut query = tx.conn.prepare_cached(sql)?;
    named_cells(query.query([])?)
}
