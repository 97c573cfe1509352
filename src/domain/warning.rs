//! What is wrong with the plan of a rotation (rules.md 27). [`warnings`] looks at one forecast of it and at what is around it: the
//! people, their duty in other rotations, and the sources that are read from outside. Each family of kinds has a file of its own.

mod calendars;
mod clock;
mod fallback;
mod load;
mod nights;
mod people;
mod scene;
mod spans;
mod turns;
mod vacant;
mod workspace;

#[cfg(test)]
mod tests;

pub use scene::{Around, Elsewhere, Known};

use super::forecast::{self, Budget, Held};
use super::handover::DealingContext;
use super::ids::{CellId, UserId};
use super::refusal::Refusal;
use super::rotation::Rotation;
use super::time::Interval;
use super::warning_kinds::{Severity, WarningKind};
use scene::Scene;

/// Warnings of one kind in one rotation at the most.
pub const MOST_OF_A_KIND: usize = 1_000;

/// Something that is wrong in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub kind: WarningKind,
    /// Within the range that was looked at.
    pub period: Interval,
    /// `None` where it concerns the rotation, or several cells of it.
    pub cell: Option<CellId>,
    /// The people concerned.
    pub users: Vec<UserId>,
    /// One sentence for people.
    pub text: String,
}

impl Warning {
    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}

/// The warnings of a rotation in a range, by where they begin, those that matter most first. Kinds that the rotation has switched off
/// are left out, and so is what is beyond [`MOST_OF_A_KIND`].
///
/// # Errors
/// As [`forecast::held`], where the range takes too much to forecast.
pub fn warnings(
    rotation: &Rotation,
    dealing: DealingContext,
    around: &Around,
    range: Interval,
) -> Result<Vec<Warning>, Refusal> {
    let held = forecast::held(rotation, dealing, range, &mut Budget::default())?;
    Ok(found(rotation, dealing, around, range, &held))
}

/// The same of what is forecast already.
pub fn found(
    rotation: &Rotation,
    dealing: DealingContext,
    around: &Around,
    range: Interval,
    held: &[Held],
) -> Vec<Warning> {
    if !rotation.enabled || range.is_empty() {
        return Vec::new();
    }
    let scene = Scene::new(rotation, dealing, around, range, held);
    let mut all = Vec::new();
    for find in [
        vacant::nobody,
        vacant::empty_rosters,
        vacant::uncovered,
        fallback::no_fallback,
        turns::back_to_back,
        workspace::short_rest,
        workspace::double_duty,
        people::unreachable,
        people::absent_on_duty,
        people::stale_sources,
        nights::night_work,
        load::unfair,
        clock::clock_changes,
        calendars::holiday_duty,
        calendars::ends_soon,
    ] {
        let off = &rotation.profile.warnings.off;
        let mut of_a_kind = find(&scene);
        of_a_kind.retain(|warning| !off.contains(&warning.kind));
        of_a_kind.sort_by(|one, other| order(&scene, one).cmp(&order(&scene, other)));
        of_a_kind.truncate(MOST_OF_A_KIND);
        all.extend(of_a_kind);
    }
    all.sort_by(|one, other| order(&scene, one).cmp(&order(&scene, other)));
    all
}

/// What warnings are sorted by.
fn order<'w>(
    scene: &Scene,
    warning: &'w Warning,
) -> (
    jiff::Timestamp,
    Severity,
    WarningKind,
    Option<usize>,
    &'w [UserId],
) {
    let slot = warning.cell.as_ref();
    (
        warning.period.from,
        warning.severity(),
        warning.kind,
        slot.and_then(|cell| scene.rotation.slot_of(cell)),
        &warning.users,
    )
}
