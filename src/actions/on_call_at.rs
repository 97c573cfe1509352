//! Who is on call at an instant that may be long ago or ahead, in one rotation or in all of them.

use super::reads::{self, visible};
use super::{ActionError, App, Result};
use crate::domain::access::Principal;
use crate::domain::arrangement::Arrangement;
use crate::domain::duty::Duty;
use crate::domain::duty_at::{
    Backward, Bounds, DutyAt, HandOvers, Held, OnCall, Onward, Present, was_open,
};
use crate::domain::event::Nobody;
use crate::domain::external::Outsider;
use crate::domain::fault::Fault;
use crate::domain::forecast::{self, Budget};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{CellId, RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::resolve;
use crate::domain::rotation::{Reason, Rotation};
use crate::domain::time::Interval;
use crate::store::{self, Page, ReadTx, RotationFilter};
use jiff::{SignedDuration, Timestamp};

/// How far ahead one may ask, in days.
pub const AHEAD_DAYS: i64 = 366;

/// Entries of one cell that a walk through its record looks at, at the most.
const MOST_WALKED: usize = 10_000;

/// Who is on call in a rotation at an instant, or now, with the rotation as it is stored.
///
/// # Errors
/// [`Refusal::NotFound`] for a rotation that is not there for the caller, [`Refusal::Invalid`] for an instant before it was
/// created or too far ahead, [`Refusal::NotKnownYet`] for one that a partner's schedule does not reach.
pub fn of(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    at: Option<Timestamp>,
) -> Result<(Rotation, DutyAt)> {
    app.store().read(|tx| {
        let rotation = visible(tx, caller, id)?;
        let at = at.unwrap_or_else(|| present(app, &rotation));
        let duty = duty_at(app, tx, &rotation, at, &mut Budget::default())?;
        Ok((rotation, duty))
    })
}

/// The instant that now is for a rotation: the current one, or that of its stored state where the system clock was set back
/// since. What is shown without an instant is that state, so whatever else says who is on call now has to speak of the same
/// instant.
pub(super) fn present(app: &App, rotation: &Rotation) -> Timestamp {
    let stamps = &rotation.stamps;
    app.now().max(stamps.judged_at).max(stamps.updated_at)
}

/// Who is on call in a rotation that has been loaded.
pub(super) fn duty_at(
    app: &App,
    tx: &ReadTx,
    rotation: &Rotation,
    at: Timestamp,
    budget: &mut Budget,
) -> Result<DutyAt> {
    check_instant(app, rotation, at)?;
    if is_past(rotation, at) {
        return Ok(DutyAt::Recorded(recorded(app, tx, rotation, at)?));
    }
    let dealing = DealingContext::new(app.calendar(), &rotation.absences);
    let instants = (present(app, rotation), at);
    let then = forecast::standing_at(rotation, dealing, instants, budget, None)?;
    Ok(DutyAt::Planned(Box::new(then)))
}

/// Refuses an instant of which neither the record nor the plan says anything.
pub(super) fn check_instant(app: &App, rotation: &Rotation, at: Timestamp) -> Result<(), Refusal> {
    let created_at = rotation.stamps.created_at;
    if at < created_at {
        return invalid("at", Fault::BeforeCreation(created_at));
    }
    check_ahead(present(app, rotation), at)
}

/// Refuses an instant that is too far ahead.
fn check_ahead(now: Timestamp, at: Timestamp) -> Result<(), Refusal> {
    let furthest = SignedDuration::from_hours(24 * AHEAD_DAYS);
    match at.duration_since(now) > furthest {
        true => invalid("at", Fault::DaysAhead(AHEAD_DAYS)),
        false => Ok(()),
    }
}

/// Whether the record says what was at an instant: what is stored of the rotation is newer. A disabled one may have changed since
/// it was judged.
pub(super) fn is_past(rotation: &Rotation, at: Timestamp) -> bool {
    at < rotation.stamps.judged_at.max(rotation.stamps.updated_at)
}

/// A span for which a rotation stands still, because it is disabled: nothing falls due, and its hours neither open nor shut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standstill {
    pub since: Timestamp,
    /// `None` where it is still disabled.
    pub until: Option<Timestamp>,
}

/// The one around an instant; `None` where the rotation goes on, and where it was enabled again before that was kept.
pub(super) fn standstill(
    tx: &ReadTx,
    rotation: &Rotation,
    at: Timestamp,
) -> Result<Option<Standstill>> {
    let since = rotation.stamps.judged_at;
    if !rotation.enabled && since <= at {
        return Ok(Some(Standstill { since, until: None }));
    }
    let found = store::load_standstill(tx, &rotation.id, at)?;
    Ok(found.map(|span| Standstill {
        since: span.from,
        until: Some(span.until),
    }))
}

/// The entries of the record at an instant, in the order of slots; those of cells that are gone come last.
pub(super) fn entries_at(tx: &ReadTx, rotation: &Rotation, at: Timestamp) -> Result<Vec<Duty>> {
    let instant = Interval::new(at, at + SignedDuration::from_millis(1));
    let mut entries = store::list_history(tx, rotation, instant)?;
    entries.sort_by_key(|duty| duty.slot.unwrap_or(usize::MAX));
    Ok(entries)
}

fn recorded(app: &App, tx: &ReadTx, rotation: &Rotation, at: Timestamp) -> Result<OnCall> {
    let turn_ends = resolve::turn_ends(rotation, app.calendar());
    let (mut held, mut outsider) = (Vec::new(), None);
    let mut nobody = Nobody::AsArranged;
    let stood = standstill(tx, rotation, at)?;
    let as_of = stood.map_or(at, |stood| stood.since);
    for record in entries_at(tx, rotation, at)? {
        let entry = &record.entry;
        let is_anybody = entry.user.is_some() || entry.outside.is_some();
        if !is_anybody && entry.beside.is_empty() {
            let window = rotation.window(&record.window);
            if was_open(rotation, window, entry, app.calendar(), as_of) {
                nobody = Nobody::Unplanned;
            }
            continue;
        }
        let present = record
            .slot
            .map(|slot| Present::of(rotation, app.calendar(), slot, &turn_ends));
        let window = rotation.window(&record.window);
        let cadence = window.and_then(|window| window.cadence.as_ref());
        // The shifts of a partner's schedule are no turns of a cadence.
        let cadence = cadence.filter(|_| entry.reason != Reason::ChangeInExternalSchedule);
        let hand_overs = cadence.map(|cadence| HandOvers {
            cadence,
            calendar: app.calendar(),
        });
        let bounds = bounds(tx, (rotation, &record), at, hand_overs, present.as_ref())?;
        if let Some(name) = &entry.outside {
            outsider.get_or_insert(Outsider {
                name: Some(name.clone()),
                email: None,
                until: bounds.until,
            });
        }
        let people = record.each_person().into_iter();
        let known = people.filter(|duty| duty.entry.user.is_some());
        held.extend(known.map(|duty| Held {
            duty,
            bounds,
            absences: Vec::new(),
        }));
    }
    let is_nobody = held.is_empty() && outsider.is_none();
    Ok(OnCall {
        held,
        outsider,
        nobody: is_nobody.then_some(nobody),
    })
}

/// The bounds of the assignment that an entry of the record is of, at an instant in it.
fn bounds(
    tx: &ReadTx,
    (rotation, record): (&Rotation, &Duty),
    at: Timestamp,
    hand_overs: Option<HandOvers>,
    present: Option<&Present>,
) -> Result<Bounds> {
    let first = record.entry.start;
    let of = (rotation, &record.cell);
    let arrangement = match &record.entry.arrangement {
        Some(id) => store::load_arrangement(tx, &rotation.id, id)?,
        None => None,
    };
    let period = arrangement.as_ref().map(|arrangement| arrangement.period);
    let since = match (record.held_since, period) {
        (Some(since), _) => since,
        (None, Some(period)) => period.from,
        (None, None) => {
            let mut back = Backward::new(record.clone());
            walk(tx, of, (first, false), |piece| back.look(piece))?;
            back.since()
        }
    };
    let mut onward = Onward::new(record.clone(), at, hand_overs);
    if record.end.is_some() {
        walk(tx, of, (first, true), |piece| onward.look(&piece))?;
    }
    // One that another took the place of keeps the end that it never reached. One that was running when its rotation was disabled
    // goes on after its end, until the rotation is enabled.
    let holds = |arrangement: &Arrangement| !arrangement.cancelled && at < arrangement.period.until;
    let kept = arrangement.filter(holds);
    Ok(onward.finish(since, present, kept.map(|arrangement| arrangement.period)))
}

/// [`store::walk_record`] within [`MOST_WALKED`].
pub(super) fn walk(
    tx: &ReadTx,
    (rotation, cell): (&Rotation, &CellId),
    from: (Timestamp, bool),
    mut look: impl FnMut(Duty) -> bool,
) -> Result<()> {
    let mut walked = 0;
    store::walk_record(tx, rotation, cell, from, |piece| {
        walked += 1;
        look(piece) && walked < MOST_WALKED
    })?;
    Ok(())
}

/// Passes the rotations of a page that the caller sees, and that were there at an instant, or are there now, to `show`, each
/// with who is on call in it; `None` where a partner's schedule does not reach. With `user` only those in which that person is
/// a member, or on call then. Returns how many there are on all pages.
///
/// # Errors
/// [`Refusal::Invalid`] for an instant too far ahead, and where forecasting takes too much.
pub fn everywhere(
    app: &App,
    caller: &Principal,
    at: Option<Timestamp>,
    user: Option<&UserId>,
    page: Page,
    mut show: impl FnMut(&Rotation, Option<&DutyAt>) -> Result<()>,
) -> Result<u64> {
    if let Some(at) = at {
        check_ahead(app.now(), at)?;
    }
    let filter = RotationFilter {
        created_by: at,
        ..RotationFilter::default()
    };
    let filter = reads::narrowed(caller, filter);
    let listed = match user {
        None => page,
        // Who is on call is found by looking.
        Some(_) => Page::first(u32::MAX),
    };
    let (ids, total) = app.store().read(|tx| -> Result<_> {
        let (mut ids, total) = store::list_rotations(tx, &filter, listed)?;
        if let Some(user) = user {
            let since = at.unwrap_or_else(|| app.now());
            let may_be_in = store::list_rotations_about(tx, user, since)?;
            ids.retain(|id| may_be_in.contains(id));
        }
        Ok((ids, total))
    })?;
    let mut budget = Budget::default();
    let mut found = 0;
    let first = u64::from(page.number - 1) * u64::from(page.size);
    for id in ids {
        app.store().read(|tx| -> Result<()> {
            // Deleted since, or hidden from the caller.
            let rotation = store::load_rotation(tx, &id)?;
            let Some(rotation) = rotation.filter(|found| caller.check_see(found).is_ok()) else {
                return Ok(());
            };
            let at = at.unwrap_or_else(|| present(app, &rotation));
            if let Some(user) = user
                && is_past(&rotation, at)
                && !rotation.has_member(user)
                && !was_on_call(&entries_at(tx, &rotation, at)?, user)
            {
                return Ok(());
            }
            let duty = match duty_at(app, tx, &rotation, at, &mut budget) {
                Ok(duty) => Some(duty),
                Err(ActionError::Refused(Refusal::NotKnownYet(_))) => None,
                Err(error) => return Err(error),
            };
            let Some(user) = user else {
                return show(&rotation, duty.as_ref());
            };
            let on_call = || duty.iter().any(|duty| duty.people().contains(user));
            if rotation.has_member(user) || on_call() {
                if (first..first + u64::from(page.size)).contains(&found) {
                    show(&rotation, duty.as_ref())?;
                }
                found += 1;
            }
            Ok(())
        })?;
    }
    Ok(if user.is_some() { found } else { total })
}

/// Whether any entry of the record names somebody.
fn was_on_call(entries: &[Duty], user: &UserId) -> bool {
    let mut people = entries
        .iter()
        .flat_map(|record| record.entry.user.iter().chain(&record.entry.beside));
    people.any(|one| one == user)
}
