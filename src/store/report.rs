//! The data of reports of duty: the record entry by entry, covers and swaps, mentions.

use super::arrangement::kind_named;
use super::history::{self, KNOWN_CELLS};
use super::rows::{column, instant, millis};
use super::{Error, ReadTx, Result, rows};
use crate::domain::arrangement::ArrangementKind;
use crate::domain::duty::Duty;
use crate::domain::ids::{CellId, RequestId, RotationId, UserId};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use jiff::Timestamp;
use rusqlite::params;

/// Passes the entries of a rotation that overlap a range to `act`, cell by cell and in order. However long the record is, one entry
/// is held at a time.
pub fn each_entry<E: From<Error>>(
    tx: &ReadTx,
    rotation: &Rotation,
    range: Interval,
    mut act: impl FnMut(Duty) -> Result<(), E>,
) -> Result<(), E> {
    for cell in known_cells(tx, &rotation.id)? {
        history::each_of_cell(tx, rotation, &cell, range, &mut act)?;
    }
    Ok(())
}

/// Every cell that the record has.
fn known_cells(tx: &ReadTx, id: &RotationId) -> Result<Vec<CellId>> {
    let sql =
        format!("WITH RECURSIVE {KNOWN_CELLS} SELECT cell_id FROM known WHERE cell_id IS NOT NULL");
    rows::ids(tx.conn, &sql, [id.as_str()])
}

/// A cell that somebody took over by a cover or a swap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenOver {
    pub request: RequestId,
    pub kind: ArrangementKind,
    pub requester: UserId,
    /// Who holds it instead.
    pub user: UserId,
    pub from: Timestamp,
}

/// The covers and legs of swaps that overlap a range, by their beginning. A cover that was changed may have several.
pub fn list_taken_over(tx: &ReadTx, id: &RotationId, range: Interval) -> Result<Vec<TakenOver>> {
    let sql = "SELECT r.id, a.kind, r.requester_id, a.user_id, a.from_at
               FROM arrangement a INDEXED BY arrangement_by_end CROSS JOIN request r ON r.id = a.request_id
               WHERE a.rotation_id = ?1 AND a.until_at > ?2 AND a.from_at < ?3 AND NOT a.cancelled
               ORDER BY a.from_at, a.sequence";
    tx.list(
        sql,
        params![id.as_str(), millis(range.from), millis(range.until)],
        |row| {
            Ok(TakenOver {
                request: row.get::<_, String>(0)?.into(),
                kind: kind_named(&row.get::<_, String>(1)?)?,
                requester: row.get::<_, String>(2)?.into(),
                user: row.get::<_, String>(3)?.into(),
                from: instant(row.get(4)?)?,
            })
        },
    )
}

/// Who was notified of a mention, and who acknowledged it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mentioned {
    pub at: Timestamp,
    pub notified: Vec<UserId>,
    pub acknowledged_by: Option<UserId>,
}

/// Passes the mentions of a rotation that were opened in a range to `act`, one at a time.
pub fn each_mention<E: From<Error>>(
    tx: &ReadTx,
    id: &RotationId,
    range: Interval,
    mut act: impl FnMut(Mentioned) -> Result<(), E>,
) -> Result<(), E> {
    let sql = "SELECT opened_at, notified, acknowledged_by FROM mention
               WHERE rotation_id = ?1 AND opened_at >= ?2 AND opened_at < ?3";
    let mut query = tx.conn.prepare_cached(sql).map_err(Error::from)?;
    let bounds = params![id.as_str(), millis(range.from), millis(range.until)];
    let mut rows = query.query(bounds).map_err(Error::from)?;
    while let Some(row) = rows.next().map_err(Error::from)? {
        act(mentioned(row)?)?;
    }
    Ok(())
}

fn mentioned(row: &rusqlite::Row) -> Result<Mentioned> {
    Ok(Mentioned {
        at: instant(row.get(0)?)?,
        notified: column(row, 1)?,
        acknowledged_by: row.get::<_, Option<String>>(2)?.map(UserId::from),
    })
}
