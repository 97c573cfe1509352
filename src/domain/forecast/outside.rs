//! The schedule of a rotation that follows a partner's: what is known, then nothing.

use crate::domain::duty::Duty;
use crate::domain::handover;
use crate::domain::linked::External;
use crate::domain::rotation::{Entry, Reason, Rotation};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// The duty that touches a range, as far as the schedule is known, by where it begins; one for each assignment. Stretches without
/// anybody are duty of nobody. No end is known of a shift without one, and in a disabled rotation, which stays as it is. `None`
/// for a rotation that follows no partner.
pub(super) fn duties(rotation: &Rotation, range: Interval) -> Option<Vec<Duty>> {
    let external = rotation.external.as_ref()?;
    let mut all = held(rotation, external);
    all.extend(vacancies(rotation, external, &all));
    all.retain(|duty| duty.period().meets(range).is_some());
    all.sort_by_key(|duty| duty.entry.start);
    Some(all)
}

/// From an instant on, nobody's.
fn duty(rotation: &Rotation, from: Timestamp, end: Option<Timestamp>) -> Duty {
    Duty {
        entry: Entry {
            reason: Reason::ChangeInExternalSchedule,
            ..handover::first_entry(rotation, 0, from)
        },
        end,
        held_since: None,
        ..Duty::running(rotation, 0)
    }
}

/// The running assignments and those to come.
fn held(rotation: &Rotation, external: &External) -> Vec<Duty> {
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
            let end = assignment.shift.ends_at().filter(|_| rotation.enabled);
            let mut duty = duty(rotation, assignment.shift.span.from, end);
            duty.entry.outside = assignment.outsider().map(|outsider| outsider.called());
            duty.entry.user = assignment.user;
            duty
        })
        .collect()
}

/// The stretches from now to the end of what is known in which nobody is assigned.
fn vacancies(rotation: &Rotation, external: &External, held: &[Duty]) -> Vec<Duty> {
    if !rotation.enabled {
        let since = rotation.cells[0].entry.start;
        let nobody = held.is_empty().then(|| duty(rotation, since, None));
        return nobody.into_iter().collect();
    }
    let Some(timeline) = external.timeline() else {
        return Vec::new();
    };
    let known_until = timeline.known.until;
    let mut spans: Vec<Interval> = held.iter().map(Duty::period).collect();
    spans.sort();
    let mut free_from = match external.first() {
        Some(_) => rotation.stamps.judged_at,
        None => rotation.cells[0].entry.start,
    };
    let mut found = Vec::new();
    let end = Interval::new(known_until, known_until);
    for span in spans.into_iter().chain([end]) {
        let until = span.from.min(known_until);
        if free_from < until {
            found.push(duty(rotation, free_from, Some(until)));
        }
        free_from = free_from.max(span.until);
    }
    found
}
