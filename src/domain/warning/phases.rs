//! What depends on the grid, the people and the settings of a time is looked at phase by phase, where changes wait.

use super::scene::{Plan, Scene};
use super::{Around, Duty, Finder, Warning, WarningFilter};
use crate::domain::forecast::{self, Held, Phase};
use crate::domain::handover::DealingContext;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;
use std::borrow::Cow;

/// The plan within one phase.
pub(super) struct Part<'a> {
    rotation: Cow<'a, Rotation>,
    dealing: DealingContext<'a>,
    range: Interval,
    /// Cells are those of the rotation of this phase.
    held: Vec<Held>,
}

/// Whether warnings of a kind depend on nothing but what is the case at the time.
pub(super) fn is_by_phase(kind: WarningKind) -> bool {
    use WarningKind as Kind;
    matches!(
        kind,
        Kind::EmptyRoster
            | Kind::Uncovered
            | Kind::NoFallback
            | Kind::AbsentOnDuty
            | Kind::ClockChange
            | Kind::HolidayDuty
            | Kind::EndsSoon
    )
}

/// The parts of a plan in which its rotation is enabled, in order. `whole` is its rotation with the cells that changes add.
pub(super) fn parts<'a>(plan: Plan<'a>, whole: &Rotation) -> Vec<Part<'a>> {
    let phases = forecast::phases(plan.rotation, plan.dealing.calendar).into_iter();
    let parts = phases.filter_map(|Phase { period, rotation }| {
        let range = period.meets(plan.range).filter(|_| rotation.enabled)?;
        let held = match plan.rotation.waiting.is_empty() {
            // Nobody looks at it.
            true => Vec::new(),
            false => within(plan.held, whole, &rotation, range),
        };
        Some(Part {
            rotation,
            dealing: plan.dealing,
            range,
            held,
        })
    });
    parts.collect()
}

fn within(held: &[Held], whole: &Rotation, then: &Rotation, range: Interval) -> Vec<Held> {
    let cut = held.iter().filter_map(|held| {
        Some(Held {
            cell: then.slot_near(&whole.cells[held.cell].id, held.cell)?,
            period: held.period.meets(range)?,
            ..held.clone()
        })
    });
    let mut cut: Vec<Held> = cut.collect();
    cut.sort_by_key(|held| (held.cell, held.period));
    cut
}

/// The warnings of one kind in all parts. One that goes on in the next part is one.
pub(super) fn found(
    parts: &[Part],
    (around, duty, wanted): (&Around, &Duty, WarningFilter),
    find: Finder,
) -> Vec<Warning> {
    let mut all: Vec<Warning> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let rotation = &*part.rotation;
        let dealing = match index {
            0 => part.dealing,
            // Those that count with the people and the policy of this time.
            _ => DealingContext::new(part.dealing.calendar, &rotation.absences),
        };
        let plan = Plan {
            rotation,
            dealing,
            range: part.range,
            held: &part.held,
        };
        for warning in find(&Scene::new(plan, rotation, around, duty, wanted)) {
            let goes_on = all.iter_mut().find(|known| {
                known.period.until == part.range.from
                    && known.period.until == warning.period.from
                    && (&known.cell, &known.users, &known.text)
                        == (&warning.cell, &warning.users, &warning.text)
            });
            match goes_on {
                Some(known) => known.period.until = warning.period.until,
                None => all.push(warning),
            }
        }
    }
    all
}
