//! Reads rotations, their schedule and their history, as far as the caller may see them.

use super::{ActionError, App};
use crate::domain::access::{Principal, Reach};
use crate::domain::agreement::AgreementContext;
use crate::domain::forecast::{self, Forecast, Limits, PlannedKind, PlannedTurn};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{
    self, Error, HistoryEntry, Page, READ_AT_ONCE, ReadTx, RotationFilter, Store, Visible,
};
use std::collections::HashMap;

/// One rotation.
pub fn rotation(app: &App, caller: &Principal, id: &RotationId) -> Result<Rotation, ActionError> {
    app.store().read(|tx| visible(tx, caller, id))
}

/// The id of a rotation that somebody names by its id or by its code, whatever the case.
pub fn rotation_named(
    app: &App,
    caller: &Principal,
    name: &str,
) -> Result<RotationId, ActionError> {
    app.store().read(|tx| {
        let id = RotationId::from(name);
        let by_code = || store::rotation_by_code(tx, &name.to_ascii_uppercase());
        let known = match store::load_stamps(tx, &id)? {
            Some(_) => Some(id),
            None => by_code()?,
        };
        let id = known.ok_or(Refusal::NotFound("rotation"))?;
        Ok(visible(tx, caller, &id)?.id)
    })
}

/// What rotations are called, for a caller who sees all of them; without those that are not there.
///
/// # Errors
/// Where the caller does not, and when the storage cannot be read.
pub fn rotation_names<'a>(
    app: &App,
    caller: &Principal,
    ids: impl IntoIterator<Item = &'a RotationId>,
) -> Result<HashMap<RotationId, String>, ActionError> {
    caller.check_administer()?;
    app.store().read(|tx| {
        let mut names = HashMap::new();
        for id in ids {
            if let Some(name) = store::load_rotation_name(tx, id)? {
                names.insert(id.clone(), name);
            }
        }
        Ok(names)
    })
}

pub(super) fn visible(
    tx: &ReadTx,
    caller: &Principal,
    id: &RotationId,
) -> Result<Rotation, ActionError> {
    let rotation = store::load_rotation(tx, id)?.ok_or(Refusal::NotFound("rotation"))?;
    caller.check_see(&rotation)?;
    Ok(rotation)
}

/// Checks something against the rotation with everything due by now processed, without storing it. Returns the stored
/// rotation, for its ETag.
pub(super) fn in_context<T>(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    check: impl FnOnce(&ReadTx, &AgreementContext) -> Result<T, ActionError>,
) -> Result<(Rotation, T), ActionError> {
    app.store().read(|tx| {
        let stored = visible(tx, caller, id)?;
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &stored.absences,
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
        let checked = check(tx, &context)?;
        Ok((stored, checked))
    })
}

/// Rotations one after the other, without those that are not there. A few at a time are read from one snapshot, so that none is held
/// for long.
pub(super) fn one_by_one(
    store: &Store,
    ids: &[RotationId],
) -> impl Iterator<Item = Result<Rotation, Error>> {
    ids.chunks(READ_AT_ONCE).flat_map(
        |ids| match store.read(|tx| store::load_rotations(tx, ids)) {
            Ok(found) => found.into_iter().flatten().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        },
    )
}

/// The rotations that lists show to a caller.
pub(super) fn visible_to(caller: &Principal) -> Visible {
    let (among, seen_by) = match caller.reach() {
        Reach::All => (None, None),
        Reach::Nothing => (Some(Vec::new()), None),
        Reach::Selected(ids) => (Some(ids.to_vec()), None),
        Reach::SeenBy(user) => (None, Some(user.clone())),
        // Nobody has the empty id: what they see is public.
        Reach::Public => (None, Some("".into())),
    };
    Visible { among, seen_by }
}

/// Rotations of a page that have not been shown yet.
pub type Unshown = std::vec::IntoIter<RotationId>;

/// Passes the rotations of a page that the caller may see to `show`, one by one from one snapshot, until it returns false.
/// Returns the remaining ones and the total number.
pub fn rotations(
    app: &App,
    caller: &Principal,
    filter: RotationFilter,
    page: Page,
    show: impl FnMut(&Rotation) -> Result<bool, ActionError>,
) -> Result<(Unshown, u64), ActionError> {
    let filter = narrowed(caller, filter);
    app.store().read(|tx| {
        let (ids, total) = store::list_rotations(tx, &filter, page)?;
        let mut ids = ids.into_iter();
        show_each(tx, caller, &mut ids, show)?;
        Ok((ids, total))
    })
}

/// Passes more rotations of a page to `show`, from a new snapshot. Rotations that are gone or hidden by now are omitted.
pub fn more_rotations(
    app: &App,
    caller: &Principal,
    unshown: &mut Unshown,
    show: impl FnMut(&Rotation) -> Result<bool, ActionError>,
) -> Result<(), ActionError> {
    app.store().read(|tx| show_each(tx, caller, unshown, show))
}

/// A filter narrowed to the rotations that are there for a caller.
pub(super) fn narrowed(caller: &Principal, filter: RotationFilter) -> RotationFilter {
    RotationFilter {
        visible: visible_to(caller),
        ..filter
    }
}

fn show_each(
    tx: &ReadTx,
    caller: &Principal,
    unshown: &mut Unshown,
    mut show: impl FnMut(&Rotation) -> Result<bool, ActionError>,
) -> Result<(), ActionError> {
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

/// What a schedule is narrowed to; what is empty narrows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanFilter {
    pub user: Option<UserId>,
    pub cell: Option<CellId>,
    pub kinds: Vec<PlannedKind>,
}

/// The turns that touch a range if nothing changes, by start, then lane, then window. What lies before now comes from
/// the record, as far as the running turns reach (rules.md 6).
pub fn schedule(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
    filter: &PlanFilter,
) -> Result<(Rotation, Vec<PlannedTurn>), ActionError> {
    app.store().read(|tx| {
        let rotation = visible(tx, caller, id)?;
        let dealing = DealingContext {
            calendar: app.calendar(),
            absences: &rotation.absences,
        };
        let mut turns = forecast::schedule(&rotation, dealing, range)?;
        turns.extend(recorded(tx, &rotation, range)?);
        turns.retain(|turn| {
            let user = filter.user.as_ref();
            let cell = filter.cell.as_ref();
            user.is_none_or(|user| turn.entry.user.as_ref() == Some(user))
                && cell.is_none_or(|cell| rotation.cells[turn.cell].id == *cell)
                && (filter.kinds.is_empty() || filter.kinds.contains(&turn.kind()))
        });
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

/// The entries of the record that belong to the running turns, from before the running entries, and touch a range.
pub(super) fn recorded(
    tx: &ReadTx,
    rotation: &Rotation,
    range: Interval,
) -> Result<Vec<PlannedTurn>, ActionError> {
    let mut turns = Vec::new();
    if rotation.external.is_some() {
        // The assignments of a partner's schedule have their own beginnings.
        return Ok(turns);
    }
    for (index, cell) in rotation.cells.iter().enumerate() {
        let Some(holder) = cell
            .holder
            .as_ref()
            .filter(|holder| holder.since < cell.entry.start)
        else {
            continue;
        };
        let since = holder.since.max(range.from);
        let pieces = store::list_pieces(tx, &rotation.id, &cell.id, since)?;
        let touching = pieces.into_iter().filter(|piece| {
            piece.entry.start < range.until && piece.end.is_some_and(|end| end > range.from)
        });
        turns.extend(touching.map(|piece| PlannedTurn {
            cell: index,
            entry: piece.entry,
            end: piece.end,
        }));
    }
    Ok(turns)
}

/// An entry for each person who covered at the same time, on a partner's schedule with several slots.
fn each_person(held: HistoryEntry) -> Vec<HistoryEntry> {
    let mut first = held;
    let beside = std::mem::take(&mut first.entry.beside);
    let is_nobody = first.entry.user.is_none() && first.entry.outside.is_none();
    let others = beside.into_iter().map(|user| {
        let mut other = first.clone();
        other.entry.user = Some(user);
        other.entry.outside = None;
        other
    });
    let others: Vec<HistoryEntry> = others.collect();
    match is_nobody && !others.is_empty() {
        true => others,
        false => [vec![first], others].concat(),
    }
}

/// The record of a range, by start (rules.md 7).
pub fn history(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    range: Interval,
) -> Result<Vec<HistoryEntry>, ActionError> {
    app.store().read(|tx| {
        let rotation = visible(tx, caller, id)?;
        let entries = store::list_history(tx, id, range)?;
        let mut entries: Vec<HistoryEntry> = entries.into_iter().flat_map(each_person).collect();
        let slot = |entry: &HistoryEntry| {
            let cell = rotation.cells.iter().find(|cell| cell.id == entry.cell);
            // Deleted cells are last.
            cell.map_or((usize::MAX, usize::MAX), |cell| (cell.lane, cell.window))
        };
        entries.sort_by_key(|entry| (entry.entry.start, slot(entry)));
        Ok(entries)
    })
}
