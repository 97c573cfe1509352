//! The schedule of a rotation that follows a partner's: what is known, then nothing.

use super::{Assignment, External};
use crate::domain::forecast::PlannedTurn;
use crate::domain::handover;
use crate::domain::ids::UserId;
use crate::domain::rotation::{Entry, Reason, Rotation};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// The turns that touch a range, as far as the schedule is known, by their start; one for each assignment. Stretches without
/// anybody are turns of nobody. `None` for a rotation that follows no partner.
pub fn schedule(rotation: &Rotation, range: Interval) -> Option<Vec<PlannedTurn>> {
    let external = rotation.external.as_ref()?;
    let touches = |turn: &PlannedTurn| turn.period().meets(range).is_some();
    let mut turns: Vec<PlannedTurn> = held(rotation, external);
    turns.extend(vacancies(rotation, external, &turns));
    turns.retain(touches);
    turns.sort_by_key(|turn| turn.entry.start);
    Some(turns)
}

/// The same of one person.
pub fn turns_of(rotation: &Rotation, user: &UserId, range: Interval) -> Option<Vec<PlannedTurn>> {
    let mut turns = schedule(rotation, range)?;
    turns.retain(|turn| turn.entry.user.as_ref() == Some(user));
    Some(turns)
}

/// The running assignments and those to come.
fn held(rotation: &Rotation, external: &External) -> Vec<PlannedTurn> {
    let judged_at = rotation.stamps.judged_at;
    let timeline = external.timeline().filter(|_| rotation.enabled);
    let to_come = timeline.into_iter().flat_map(|timeline| {
        let later = timeline.shifts.iter();
        let later = later.filter(move |shift| shift.span.from > judged_at);
        later.filter(move |shift| shift.span.from < timeline.known.until)
    });
    let to_come = to_come.map(|shift| external.resolve(shift));
    let all = external.current.iter().cloned().chain(to_come);
    all.filter(|assignment| !assignment.is_empty())
        .map(|assignment| turn(rotation, &assignment))
        .collect()
}

fn turn(rotation: &Rotation, assignment: &Assignment) -> PlannedTurn {
    let span = assignment.shift.span;
    PlannedTurn {
        cell: 0,
        entry: Entry {
            user: assignment.user.clone(),
            outside: assignment.outsider().map(|outsider| outsider.called()),
            reason: Reason::ChangeInExternalSchedule,
            ..handover::first_entry(rotation, 0, span.from)
        },
        end: Some(span.until),
    }
}

/// The stretches from now to the end of what is known in which nobody is assigned.
fn vacancies(rotation: &Rotation, external: &External, held: &[PlannedTurn]) -> Vec<PlannedTurn> {
    let Some(timeline) = external.timeline().filter(|_| rotation.enabled) else {
        return Vec::new();
    };
    let mut spans: Vec<Interval> = held.iter().map(PlannedTurn::period).collect();
    spans.sort();
    let from = match external.first() {
        Some(_) => rotation.stamps.judged_at,
        None => rotation.cells[0].entry.start,
    };
    let mut free_from: Timestamp = from;
    let mut found = Vec::new();
    let end = Interval {
        from: timeline.known.until,
        until: timeline.known.until,
    };
    for span in spans.into_iter().chain([end]) {
        if free_from < span.from && free_from < timeline.known.until {
            found.push(PlannedTurn {
                cell: 0,
                entry: Entry {
                    reason: Reason::ChangeInExternalSchedule,
                    ..handover::first_entry(rotation, 0, free_from)
                },
                end: Some(span.from.min(timeline.known.until)),
            });
        }
        free_from = free_from.max(span.until);
    }
    found
}
