//! Reading rotations, their schedule and their record, as far as the caller may see.

use super::{App, Stop};
use crate::domain::access::{Principal, Reach};
use crate::domain::agreement::AgreementContext;
use crate::domain::forecast::{self, Forecast, Limits, PlannedTurn};
use crate::domain::handover::DealingContext;
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, HistoryEntry, Page, ReadTx, RotationFilter};

/// One rotation.
pub fn rotation(app: &App, caller: &Principal, id: &RotationId) -> Result<Rotation, Stop> {
    app.store().read(|tx| visible(tx, caller, id))
}

pub(super) fn visible(tx: &ReadTx, caller: &Principal, id: &RotationId) -> Result<Rotation, Stop> {
    let rotation = store::load_rotation(tx, id)?.ok_or(Refusal::NotFound("rotation"))?;
    caller.check_see(&rotation)?;
    Ok(rotation)
}

/// Judges something by what a rotation is to become, with everything due by now done; nothing is stored. The rotation is
/// answered as it is stored, for its validator.
pub(super) fn in_context<T>(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    judge: impl FnOnce(&ReadTx, &AgreementContext) -> Result<T, Stop>,
) -> Result<(Rotation, T), Stop> {
    app.store().read(|tx| {
        let stored = visible(tx, caller, id)?;
        let absences = store::load_absences(tx, &stored)?;
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &absences,
        };
        let mut current = stored.clone();
        let now = app.now();
        let mut forecast = Forecast::new(&mut current, dealing, Limits::NONE);
        while forecast.step_until(now).is_some() {}
        let context = AgreementContext {
            rotation: &current,
            dealing,
            now: now.max(current.stamps.judged_at),
        };
        let judged = judge(tx, &context)?;
        Ok((stored, judged))
    })
}

/// Rotations of a page that have not been shown yet.
pub type Unshown = std::vec::IntoIter<RotationId>;

/// Shows a page of the rotations that are there for this caller, one by one and all of one snapshot, for as long as `show`
/// asks for more. Answers those that it did not ask for, and how many rotations there are in all.
pub fn rotations(
    app: &App,
    caller: &Principal,
    filter: RotationFilter,
    page: Page,
    show: impl FnMut(&Rotation) -> Result<bool, Stop>,
) -> Result<(Unshown, u64), Stop> {
    let (among, seen_by) = match caller.reach() {
        Reach::All => (None, None),
        Reach::Nothing => (Some(Vec::new()), None),
        Reach::Selected(ids) => (Some(ids.to_vec()), None),
        Reach::SeenBy(user) => (None, Some(user.clone())),
    };
    let filter = RotationFilter {
        among,
        seen_by,
        ..filter
    };
    app.store().read(|tx| {
        let (ids, total) = store::list_rotations(tx, &filter, page)?;
        let mut ids = ids.into_iter();
        show_each(tx, caller, &mut ids, show)?;
        Ok((ids, total))
    })
}

/// Shows more rotations of a page, of a snapshot of their own. What is not there any more, or not for this caller, is left out.
pub fn more_rotations(
    app: &App,
    caller: &Principal,
    unshown: &mut Unshown,
    show: impl FnMut(&Rotation) -> Result<bool, Stop>,
) -> Result<(), Stop> {
    app.store().read(|tx| show_each(tx, caller, unshown, show))
}

fn show_each(
    tx: &ReadTx,
    caller: &Principal,
    unshown: &mut Unshown,
    mut show: impl FnMut(&Rotation) -> Result<bool, Stop>,
) -> Result<(), Stop> {
    for id in unshown {
        let found = store::load_rotation(tx, &id)?;
        let visible = found.filter(|rotation| caller.check_see(rotation).is_ok());
        if let Some(rotation) = visible
            && !show(&rotation)?
        {
            break;
        }
    }
    Ok(())
}

/// The turns that touch a range if nothing changes, by start, then lane, then window. What lies before now comes from
/// the record, as far as the running turns reach (rules.md 6).
pub fn schedule(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
) -> Result<(Rotation, Vec<PlannedTurn>), Stop> {
    app.store().read(|tx| {
        let rotation = visible(tx, caller, id)?;
        let absences = store::load_absences(tx, &rotation)?;
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &absences,
        };
        let mut turns = forecast::schedule(&rotation, dealing, range)?;
        for (index, cell) in rotation.cells.iter().enumerate() {
            let Some(holder) = cell
                .holder
                .as_ref()
                .filter(|holder| holder.since < cell.entry.start)
            else {
                continue;
            };
            let since = holder.since.max(range.from);
            let pieces = store::list_pieces(tx, id, &cell.id, since)?;
            let touching = pieces.into_iter().filter(|piece| {
                piece.entry.start < range.until && piece.end.is_some_and(|end| end > range.from)
            });
            turns.extend(touching.map(|piece| PlannedTurn {
                cell: index,
                entry: piece.entry,
                end: piece.end,
            }));
        }
        let slot = |turn: &PlannedTurn| {
            (
                rotation.cells[turn.cell].lane,
                rotation.cells[turn.cell].window,
            )
        };
        turns.sort_by_key(|turn| (turn.entry.start, slot(turn)));
        Ok((rotation, turns))
    })
}

/// The record of a range, by start (rules.md 7).
pub fn history(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
) -> Result<Vec<HistoryEntry>, Stop> {
    app.store().read(|tx| {
        let rotation = visible(tx, caller, id)?;
        let mut entries = store::list_history(tx, id, range)?;
        let slot = |entry: &HistoryEntry| {
            let cell = rotation.cells.iter().find(|cell| cell.id == entry.cell);
            // Slots that are no longer there come last.
            cell.map_or((usize::MAX, usize::MAX), |cell| (cell.lane, cell.window))
        };
        entries.sort_by_key(|entry| (entry.entry.start, slot(entry)));
        Ok(entries)
    })
}
