//! The schedule of a rotation that follows a partner's: what is known, then nothing.

use crate::domain::handover;
use crate::domain::linked::{Assignment, External};
use crate::domain::rotation::{Entry, Reason, Rotation};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// An entry of the record to come, with its end; `None` for a shift without one, and in a disabled rotation, which stays as it is.
type Known = (Entry, Option<Timestamp>);

/// The entries that touch a range, as far as the schedule is known, by their start; one for each assignment. Stretches without
/// anybody are entries of nobody. `None` for a rotation that follows no partner.
pub(super) fn entries(rotation: &Rotation, range: Interval) -> Option<Vec<Known>> {
    let external = rotation.external.as_ref()?;
    let mut all: Vec<Known> = held(rotation, external);
    all.extend(vacancies(rotation, external, &all));
    all.retain(|known| period(known).meets(range).is_some());
    all.sort_by_key(|(entry, _)| entry.start);
    Some(all)
}

fn period((entry, until): &Known) -> Interval {
    Interval {
        from: entry.start,
        until: until.unwrap_or(Timestamp::MAX),
    }
}

/// The running assignments and those to come.
fn held(rotation: &Rotation, external: &External) -> Vec<Known> {
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
        .map(|assignment| {
            let until = assignment.shift.ends_at();
            (
                entry(rotation, &assignment),
                until.filter(|_| rotation.enabled),
            )
        })
        .collect()
}

fn entry(rotation: &Rotation, assignment: &Assignment) -> Entry {
    Entry {
        user: assignment.user.clone(),
        outside: assignment.outsider().map(|outsider| outsider.called()),
        reason: Reason::ChangeInExternalSchedule,
        ..handover::first_entry(rotation, 0, assignment.shift.span.from)
    }
}

/// The stretches from now to the end of what is known in which nobody is assigned.
fn vacancies(rotation: &Rotation, external: &External, held: &[Known]) -> Vec<Known> {
    let vacancy = |from: Timestamp| Entry {
        reason: Reason::ChangeInExternalSchedule,
        ..handover::first_entry(rotation, 0, from)
    };
    if !rotation.enabled {
        let since = rotation.cells[0].entry.start;
        let nobody = held.is_empty().then(|| (vacancy(since), None));
        return nobody.into_iter().collect();
    }
    let Some(timeline) = external.timeline() else {
        return Vec::new();
    };
    let known_until = timeline.known.until;
    let mut spans: Vec<Interval> = held.iter().map(period).collect();
    spans.sort();
    let mut free_from = match external.first() {
        Some(_) => rotation.stamps.judged_at,
        None => rotation.cells[0].entry.start,
    };
    let mut found = Vec::new();
    let end = Interval {
        from: known_until,
        until: known_until,
    };
    for span in spans.into_iter().chain([end]) {
        let until = span.from.min(known_until);
        if free_from < until {
            found.push((vacancy(free_from), Some(until)));
        }
        free_from = free_from.max(span.until);
    }
    found
}
