//! The record of who was on call: entries begin and end, and are never rewritten (rules.md 7).

use super::rows::{column, from_json, instant, instant_or_none, json, list_or_null, millis};
use super::which::{Which, of_rotations};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::audit::Doer;
use crate::domain::duty::{self, Duty};
use crate::domain::ids::{CellId, RotationId};
use crate::domain::rotation::{Entry, HoursHeld, Reason, Rotation};
use crate::domain::time::Interval;
use jiff::Timestamp;
use rusqlite::{Row, Rows, params};
use std::collections::HashMap;
use std::sync::Arc;

/// Running entries by cell id.
pub(super) type Running = HashMap<String, Entry>;

const COLUMNS: &str =
    "cell_id, lane_id, window_id, started_at, ended_at, user_id, turn, reason, lane_name,
                       window_name, hours, skipped, arrangement_id, passed_over, outside, beside, held_since, turn_since,
                       made_by, dealt";

/// Hours by their text. Most entries of a window have the same hours and share them.
type HoursCache = HashMap<String, Arc<HoursHeld>>;

/// Reads an entry from its columns, beginning with index `first`. Its slot is not known yet.
fn read(row: &Row, first: usize, cached: &mut HoursCache) -> Result<Duty> {
    let reason = row
        .get_ref(first + 7)?
        .as_str()
        .map_err(rusqlite::Error::from)?;
    let reason = reason_named(reason)?;
    let text = row
        .get_ref(first + 10)?
        .as_str()
        .map_err(rusqlite::Error::from)?;
    let hours = match cached.get(text) {
        Some(hours) => Arc::clone(hours),
        None => {
            let hours = Arc::new(from_json(text)?);
            cached.insert(text.to_owned(), Arc::clone(&hours));
            hours
        }
    };
    Ok(Duty {
        change: None,
        slot: None,
        cell: row.get::<_, String>(first)?.into(),
        lane: row.get::<_, String>(first + 1)?.into(),
        window: row.get::<_, String>(first + 2)?.into(),
        end: instant_or_none(row.get(first + 4)?)?,
        entry: Entry {
            start: instant(row.get(first + 3)?)?,
            user: row.get::<_, Option<String>>(first + 5)?.map(Into::into),
            turn: row
                .get::<_, Option<i64>>(first + 6)?
                .map(|turn| turn as usize),
            reason,
            lane_name: row.get(first + 8)?,
            window_name: row.get(first + 9)?,
            hours,
            skipped: column(row, first + 11)?,
            arrangement: row.get::<_, Option<String>>(first + 12)?.map(Into::into),
            passed_over: column::<Option<_>>(row, first + 13)?.unwrap_or_default(),
            outside: row.get(first + 14)?,
            beside: column::<Option<_>>(row, first + 15)?.unwrap_or_default(),
            dealt: column(row, first + 19)?,
        },
        held_since: instant_or_none(row.get(first + 16)?)?,
        turn_since: instant_or_none(row.get(first + 17)?)?,
        by: column(row, first + 18)?,
        is_open: duty::is_open_by(reason),
    })
}

pub(super) fn reason_named(name: &str) -> Result<Reason> {
    let found = Reason::parse(name);
    found.ok_or_else(|| Error::Corrupt(format!("history: reason {name}")))
}

fn collect(mut rows: Rows, rotation: &Rotation) -> Result<Vec<Duty>> {
    let (mut entries, mut cached) = (Vec::new(), HoursCache::new());
    while let Some(row) = rows.next()? {
        let mut duty = read(row, 0, &mut cached)?;
        duty.slot = rotation.slot_of(&duty.cell);
        entries.push(duty);
    }
    Ok(entries)
}

pub(super) fn load_running(tx: &ReadTx, which: &Which) -> Result<Vec<Running>> {
    let sql = of_rotations!(
        "SELECT rotation_id, cell_id, lane_id, window_id, started_at, ended_at, user_id, turn, reason, lane_name,
                window_name, hours, skipped, arrangement_id, passed_over, outside, beside, held_since, turn_since, made_by,
                dealt
         FROM history WHERE ended_at IS NULL AND rotation_id",
        ""
    );
    let mut cached = HoursCache::new();
    let found = which.read(tx, sql, &[], |_, row| read(row, 1, &mut cached))?;
    let by_cell = |entries: Vec<Duty>| {
        let entries = entries.into_iter();
        entries.map(|entry| (entry.cell.to_string(), entry.entry))
    };
    let running = found.into_iter().map(|entries| by_cell(entries).collect());
    Ok(running.collect())
}

/// Begins the running entries of these cells (indices into [`Rotation::cells`]) and ends the previous ones. `by` is whoever did
/// it by hand; `None` for what fell due.
pub fn begin_entries(
    tx: &mut WriteTx,
    rotation: &Rotation,
    cells: &[usize],
    by: Option<&Doer>,
) -> Result<()> {
    let made_by = by.filter(|_| !cells.is_empty()).map(json).transpose()?;
    // By window, because its cells share their hours.
    let mut texts: Vec<Option<(&Arc<HoursHeld>, String)>> = vec![None; rotation.windows.len()];
    for &index in cells {
        let cell = &rotation.cells[index];
        let entry = &cell.entry;
        let cached = &mut texts[cell.window];
        if !cached
            .as_ref()
            .is_some_and(|(hours, _)| Arc::ptr_eq(hours, &entry.hours))
        {
            *cached = Some((&entry.hours, json(&*entry.hours)?));
        }
        end_entry(tx, &rotation.id, &cell.id, entry.start)?;
        let duty = Duty::running(rotation, index);
        let sql = "INSERT INTO history (rotation_id, cell_id, started_at, user_id, turn, reason, lane_id, lane_name,
                                      window_id, window_name, hours, skipped, arrangement_id, passed_over, outside, beside,
                                      held_since, turn_since, made_by, dealt)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)";
        tx.run(
            sql,
            params![
                rotation.id.as_str(),
                cell.id.as_str(),
                millis(entry.start),
                entry.user.as_ref().map(|user| user.as_str()),
                entry.turn.map(|turn| turn as i64),
                entry.reason.name(),
                duty.lane.as_str(),
                entry.lane_name,
                duty.window.as_str(),
                entry.window_name,
                cached.as_ref().map(|(_, text)| text),
                json(&entry.skipped)?,
                entry.arrangement.as_ref().map(|id| id.as_str()),
                list_or_null(&entry.passed_over)?,
                entry.outside,
                list_or_null(&entry.beside)?,
                duty.held_since.map(millis),
                duty.turn_since.map(millis),
                made_by,
                entry.dealt.as_ref().map(json).transpose()?,
            ],
        )?;
    }
    Ok(())
}

/// Ends a cell's running entry. One that began at the same instant is deleted, because it lasted no time. So is the first one of a
/// slot that nobody has held yet, if it lasted less than a second: a rotation that gets its hours right after its creation
/// begins with these.
pub fn end_entry(
    tx: &mut WriteTx,
    rotation: &RotationId,
    cell: &CellId,
    at: Timestamp,
) -> Result<()> {
    // The plus keeps the start out of the index choice, so that only the running entry is read, however long the record is.
    let lasted = "UPDATE history SET ended_at = ?3
                  WHERE rotation_id = ?1 AND cell_id = ?2 AND ended_at IS NULL
                      AND (+started_at <= ?3 - 1000 OR +started_at < ?3 AND (user_id IS NOT NULL OR outside IS NOT NULL))";
    let never_held = "DELETE FROM history
                      WHERE rotation_id = ?1 AND cell_id = ?2 AND ended_at IS NULL
                          AND (+started_at >= ?3 OR NOT EXISTS (
                              SELECT 1 FROM history earlier WHERE earlier.rotation_id = ?1 AND earlier.cell_id = ?2
                                  AND earlier.started_at < history.started_at))";
    let cleared = "UPDATE history SET ended_at = ?3
                   WHERE rotation_id = ?1 AND cell_id = ?2 AND ended_at IS NULL";
    for sql in [lasted, never_held, cleared] {
        let key = params![rotation.as_str(), cell.as_str(), millis(at)];
        if tx.run(sql, key)? > 0 {
            break;
        }
    }
    Ok(())
}

/// Every cell that the record of a rotation has, as the expression `known`: found by skipping through the index. Its last row is null.
pub(super) const KNOWN_CELLS: &str = "known (cell_id) AS (
             SELECT min(cell_id) FROM history WHERE rotation_id = ?1
             UNION ALL
             SELECT (SELECT min(h.cell_id) FROM history h WHERE h.rotation_id = ?1 AND h.cell_id > known.cell_id)
             FROM known WHERE known.cell_id IS NOT NULL
         )";

/// The entries of a rotation that overlap a range, by start. All cells that ever existed are found by skipping through the
/// index, and of each only the entries in the range are read.
pub fn list_history(tx: &ReadTx, rotation: &Rotation, range: Interval) -> Result<Vec<Duty>> {
    let sql = format!(
        "WITH RECURSIVE {KNOWN_CELLS},
         first (cell_id, started_at) AS (
             SELECT cell_id, coalesce((SELECT max(h.started_at) FROM history h
                 WHERE h.rotation_id = ?1 AND h.cell_id = known.cell_id AND h.started_at <= ?2), ?2)
             FROM known WHERE cell_id IS NOT NULL
         )
         SELECT h.cell_id, lane_id, window_id, h.started_at, ended_at, user_id, turn, reason, lane_name,
                window_name, hours, skipped, arrangement_id, passed_over, outside, beside, held_since, turn_since, made_by,
                dealt
         FROM first CROSS JOIN history h
         WHERE h.rotation_id = ?1 AND h.cell_id = first.cell_id AND h.started_at >= first.started_at
             AND h.started_at < ?3 AND (h.ended_at IS NULL OR h.ended_at > ?2)
         ORDER BY h.started_at, h.id"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let bounds = params![
        rotation.id.as_str(),
        millis(range.from),
        millis(range.until)
    ];
    collect(query.query(bounds)?, rotation)
}

/// Passes the entries of one cell that overlap a range to `act`, in order, one at a time.
pub(super) fn each_of_cell<E: From<Error>>(
    tx: &ReadTx,
    rotation: &Rotation,
    cell: &CellId,
    range: Interval,
    act: &mut impl FnMut(Duty) -> Result<(), E>,
) -> Result<(), E> {
    let sql = format!(
        "SELECT {COLUMNS} FROM history
         WHERE rotation_id = ?1 AND cell_id = ?2 AND (ended_at IS NULL OR ended_at > ?3) AND started_at < ?4
             AND started_at >= coalesce((SELECT max(h.started_at) FROM history h
                 WHERE h.rotation_id = ?1 AND h.cell_id = ?2 AND h.started_at <= ?3), ?3)
         ORDER BY started_at"
    );
    let mut query = tx.conn.prepare_cached(&sql).map_err(Error::from)?;
    let slot = rotation.slot_of(cell);
    let bounds = params![
        rotation.id.as_str(),
        cell.as_str(),
        millis(range.from),
        millis(range.until)
    ];
    let mut rows = query.query(bounds).map_err(Error::from)?;
    let mut cached = HoursCache::new();
    while let Some(row) = rows.next().map_err(Error::from)? {
        let duty = read(row, 0, &mut cached)?;
        act(Duty { slot, ..duty })?;
    }
    Ok(())
}

/// The ended entries of one cell that end after an instant: the parts of a running turn. An arrangement may have begun the
/// first of them before the instant.
pub fn list_pieces(
    tx: &ReadTx,
    rotation: &Rotation,
    cell: &CellId,
    since: Timestamp,
) -> Result<Vec<Duty>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM history
         WHERE rotation_id = ?1 AND cell_id = ?2 AND ended_at > ?3
             AND started_at >= coalesce((SELECT max(h.started_at) FROM history h
                 WHERE h.rotation_id = ?1 AND h.cell_id = ?2 AND h.started_at <= ?3), ?3)
         ORDER BY started_at"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let bounds = params![rotation.id.as_str(), cell.as_str(), millis(since)];
    collect(query.query(bounds)?, rotation)
}

/// Reads the entries of one cell that began before (or, onward, after) an instant, the nearest first, for as long as `look`
/// answers true.
pub fn walk_record(
    tx: &ReadTx,
    rotation: &Rotation,
    cell: &CellId,
    (from, onward): (Timestamp, bool),
    mut look: impl FnMut(Duty) -> bool,
) -> Result<()> {
    let (than, order) = match onward {
        true => (">", "ASC"),
        false => ("<", "DESC"),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM history
         WHERE rotation_id = ?1 AND cell_id = ?2 AND started_at {than} ?3 ORDER BY started_at {order}"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let mut rows = query.query(params![rotation.id.as_str(), cell.as_str(), millis(from)])?;
    let mut cached = HoursCache::new();
    while let Some(row) = rows.next()? {
        if !look(read(row, 0, &mut cached)?) {
            break;
        }
    }
    Ok(())
}

/// The entry of a cell that began at an instant.
pub fn load_entry(
    tx: &ReadTx,
    rotation: &Rotation,
    cell: &CellId,
    start: Timestamp,
) -> Result<Option<Duty>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM history WHERE rotation_id = ?1 AND cell_id = ?2 AND started_at = ?3"
    );
    let mut query = tx.conn.prepare_cached(&sql)?;
    let key = params![rotation.id.as_str(), cell.as_str(), millis(start)];
    Ok(collect(query.query(key)?, rotation)?.pop())
}

/// Keeps that a rotation stood still, because it was disabled, from an instant to another one.
pub(super) fn insert_standstill(
    tx: &mut WriteTx,
    id: &RotationId,
    since: Timestamp,
    until: Timestamp,
) -> Result<()> {
    // Enabled at the instant at which it was disabled, it did not stand still.
    if millis(since) < millis(until) {
        let sql = "INSERT INTO standstill (rotation_id, since, until) VALUES (?1, ?2, ?3)";
        let row = params![id.as_str(), millis(since), millis(until)];
        tx.run(sql, row)?;
    }
    Ok(())
}

/// The span around an instant for which a rotation stood still; `None` if it did not, and if it still does.
pub fn load_standstill(tx: &ReadTx, id: &RotationId, at: Timestamp) -> Result<Option<Interval>> {
    let sql = "SELECT since, until FROM standstill WHERE rotation_id = ?1 AND since <= ?2
               ORDER BY since DESC LIMIT 1";
    let mut query = tx.conn.prepare_cached(sql)?;
    let mut rows = query.query(params![id.as_str(), millis(at)])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let last = Interval::new(instant(row.get(0)?)?, instant(row.get(1)?)?);
    Ok(last.contains(at).then_some(last))
}

/// Cells whose chain of entries is broken: an entry does not begin where the previous one ended.
pub fn list_broken_chains(tx: &ReadTx) -> Result<Vec<(RotationId, CellId)>> {
    let mut query = tx.conn.prepare_cached(
        "SELECT DISTINCT rotation_id, cell_id FROM (
             SELECT rotation_id, cell_id, started_at, row_number() OVER chain AS place,
                    lag(ended_at) OVER chain AS before
             FROM history WINDOW chain AS (PARTITION BY rotation_id, cell_id ORDER BY started_at)
         ) WHERE place > 1 AND before IS NOT started_at",
    )?;
    named_cells(query.query([])?)
}

/// Reads rows of a rotation id and a cell id.
pub(super) fn named_cells(rows: Rows) -> Result<Vec<(RotationId, CellId)>> {
    let named = |row: &Row| {
        let (rotation, cell) = (row.get::<_, String>(0)?, row.get::<_, String>(1)?);
        Ok((rotation.into(), cell.into()))
    };
    Ok(rows.mapped(named).collect::<Result<_, _>>()?)
}
