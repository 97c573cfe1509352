//! Who is on call until when, and who is next: what topics show.

use super::{Forecast, Limits, without_requests, zone};
use crate::domain::external::{self, Assignment, External};
use crate::domain::handover::{Change, DealingContext, WindowChange};
use crate::domain::ids::UserId;
use crate::domain::resolve;
use crate::domain::rotation::{Cell, Mode, Reason, Rotation};
use crate::domain::zones::ZoneName;
use jiff::Timestamp;

/// The limits of looking for who is next: many summaries are made, and none is worth waiting for.
const LIMITS: Limits = Limits {
    steps: 100,
    work: 100_000,
};

/// Who is on call until when, and who is next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnCallSummary {
    pub on_call: Vec<UserId>,
    /// The names of the others on call: those whom a partner's schedule has and who are unknown here.
    pub outside: Vec<String>,
    /// When the first of them goes off.
    pub until: Option<Timestamp>,
    /// Who holds the slots that are handed over then; where nobody is on call, whoever is next.
    pub next: Vec<UserId>,
    pub next_outside: Vec<String>,
    pub next_until: Option<Timestamp>,
    /// In which the instants are shown.
    pub zone: Option<ZoneName>,
}

impl OnCallSummary {
    /// Whether nobody is on call, neither a person of the workspace nor somebody unknown.
    pub fn is_nobody(&self) -> bool {
        self.on_call.is_empty() && self.outside.is_empty()
    }

    /// The summary of a rotation as it stands. Who is next is left out where that is not known soon.
    pub fn of(rotation: &Rotation, dealing: DealingContext) -> OnCallSummary {
        if let Some(external) = &rotation.external {
            return by_schedule(rotation, external);
        }
        let ends = resolve::turn_ends(rotation, dealing.calendar);
        let held: Vec<(&Cell, Option<Timestamp>)> = rotation
            .running()
            .filter_map(|cell| {
                let hold = resolve::on_call(rotation, cell)?;
                let (_, until) = resolve::bounds(rotation, cell, hold, ends[cell.window]);
                Some((cell, until))
            })
            .collect();
        let until = held.iter().filter_map(|(_, until)| *until).min();
        let mut zones = rotation.running().filter_map(|cell| zone(rotation, cell));
        let summary = OnCallSummary {
            on_call: resolve::everybody_on_call(rotation),
            until,
            zone: zones.next(),
            ..OnCallSummary::default()
        };
        let (slots, then) = match until {
            Some(until) => {
                let first = held.iter().filter(|(_, ends)| *ends == Some(until));
                let slots = first.map(|(cell, _)| cell.id.clone()).collect();
                let over = |then: &Rotation| then.stamps.judged_at >= until;
                (slots, first_when(rotation, dealing, over))
            }
            None if held.is_empty() => {
                let covered = |then: &Rotation| !resolve::everybody_on_call(then).is_empty();
                let then = first_when(rotation, dealing, covered);
                (Vec::new(), then)
            }
            None => (Vec::new(), None),
        };
        // A hand-over that nothing schedules is made by hand.
        let Some(then) = then.or_else(|| by_hand(rotation, dealing)) else {
            return summary;
        };
        let ends = resolve::turn_ends(&then, dealing.calendar);
        let (mut next, mut untils) = (Vec::new(), Vec::new());
        for cell in then.running() {
            let asked = slots.contains(&cell.id) || slots.is_empty();
            let hold = match slots.is_empty() {
                true => resolve::on_call(&then, cell),
                false => resolve::holder(&then, cell),
            };
            if let Some(hold) = hold.filter(|_| asked) {
                untils.extend(resolve::bounds(&then, cell, hold, ends[cell.window]).1);
                if !next.contains(hold.user()) {
                    next.push(hold.user().clone());
                }
            }
        }
        OnCallSummary {
            next,
            next_until: untils.into_iter().min(),
            ..summary
        }
    }
}

/// Who is on call until when, and who is next. Several may be on call by the only cell; whoever begins when the first of them goes
/// off is next.
fn by_schedule(rotation: &Rotation, external: &External) -> OnCallSummary {
    let (on_call, outside) = external::people(&external.current);
    let summary = OnCallSummary {
        on_call,
        outside,
        zone: rotation.running().find_map(|cell| zone(rotation, cell)),
        ..OnCallSummary::default()
    };
    if !rotation.enabled {
        return summary;
    }
    let until = first_end(&external.current);
    let next = match until {
        Some(until) => external.starting(until),
        None => {
            let mut ahead = external.changes(rotation.stamps.judged_at);
            let found = ahead.find(|at| external.at(*at).iter().any(|then| !then.is_empty()));
            found.map_or_else(Vec::new, |at| external.at(at))
        }
    };
    let next_until = first_end(&next);
    let (next, next_outside) = external::people(&next);
    OnCallSummary {
        until,
        next,
        next_outside,
        next_until,
        ..summary
    }
}

/// When the first of those who are on call goes off.
fn first_end(assignments: &[Assignment]) -> Option<Timestamp> {
    let held = assignments.iter().filter(|one| !one.is_empty());
    held.filter_map(|one| one.shift.ends_at()).min()
}

/// The rotation after the first step that leaves it as asked for; `None` where that does not come within the limits.
fn first_when(
    rotation: &Rotation,
    dealing: DealingContext,
    is_found: impl Fn(&Rotation) -> bool,
) -> Option<Rotation> {
    let mut future = without_requests(rotation);
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    while !is_found(forecast.step()?.rotation) {}
    Some(future)
}

/// The rotation after a hand-over by hand now; `None` where nobody goes on or off duty.
fn by_hand(rotation: &Rotation, dealing: DealingContext) -> Option<Rotation> {
    if !rotation.enabled || rotation.mode() != Mode::Manual {
        return None;
    }
    let mut then = rotation.clone();
    let at = rotation.stamps.judged_at;
    let cells: Vec<usize> = (0..then.cells.len())
        .filter(|&index| !then.cells[index].stopped)
        .collect();
    let mut change = Change::begin(&mut then, dealing, at, WindowChange::ByEdit);
    change.hand_over(&cells, Reason::RotateToNextOnDuty);
    change.finish();
    Some(then)
}
