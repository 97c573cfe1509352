//! What is wrong with the plan of a rotation (rules.md 27). [`found`] looks at one forecast of it and at what is around it: the
//! people, their duty in other rotations, and the sources that are read from outside. Each family of kinds has a file of its own.

mod calendars;
mod changes;
mod clock;
mod duty;
mod fallback;
mod free;
mod load;
mod matters;
mod nights;
mod people;
mod phases;
mod scene;
mod turns;
mod vacant;
mod workspace;

#[cfg(test)]
pub(super) mod tests;

pub use duty::Duty;
pub use matters::{Concern, MATTERS_WITHIN, by_day};
pub use scene::{Around, Known, Plan, Rank, WarningFilter};

use super::forecast;
use super::ids::{CellId, UserId};
use super::time::Interval;
use super::warning_kinds::{Severity, WarningKind, WarningSettings};
use jiff::Timestamp;
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
    /// When the source of a `staleSource` was last read, or added where it has never been.
    pub since: Option<Timestamp>,
}

impl Warning {
    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// Where it comes among others.
    pub fn rank(&self) -> Rank {
        (self.period.from, self.severity(), self.kind)
    }
}

/// Finds all warnings of one kind.
type Finder = fn(&Scene) -> Vec<Warning>;

/// The finder of each kind of warning.
const FINDERS: [(WarningKind, Finder); WarningKind::ALL.len()] = [
    (WarningKind::Nobody, vacant::nobody),
    (WarningKind::EmptyRoster, vacant::empty_rosters),
    (WarningKind::Uncovered, vacant::uncovered),
    (WarningKind::NoFallback, fallback::no_fallback),
    (WarningKind::BackToBack, turns::back_to_back),
    (WarningKind::ShortRest, workspace::short_rest),
    (WarningKind::DoubleDuty, workspace::double_duty),
    (WarningKind::Unreachable, people::unreachable),
    (WarningKind::AbsentOnDuty, people::absent_on_duty),
    (WarningKind::StaleSource, people::stale_sources),
    (WarningKind::ChangeWillFail, changes::will_fail),
    (WarningKind::NightWork, nights::night_work),
    (WarningKind::Unfair, load::unfair),
    (WarningKind::ClockChange, clock::clock_changes),
    (WarningKind::HolidayDuty, calendars::holiday_duty),
    (WarningKind::EndsSoon, calendars::ends_soon),
];

/// Whether any wanted warning depends on the duty of people in other rotations.
pub fn needs_others(wanted: WarningFilter, settings: &WarningSettings) -> bool {
    let kinds = [WarningKind::ShortRest, WarningKind::DoubleDuty];
    kinds.into_iter().any(|kind| wanted.wants(kind, settings))
}

/// The warnings of a rotation in a range, by where they begin, those that matter most first. Kinds that the rotation has switched off
/// are left out, and so are those that are not wanted and what is beyond [`MOST_OF_A_KIND`]. `duty` is that of its people here, as
/// planned, and in other rotations.
pub fn found(plan: Plan, around: &Around, duty: &Duty, wanted: WarningFilter) -> Vec<Warning> {
    if plan.range.is_empty() {
        return Vec::new();
    }
    let rotation = plan.rotation;
    let whole = forecast::with_coming(rotation, plan.dealing.calendar);
    let scene = Scene::new(plan, &whole, around, duty, wanted);
    let parts = phases::parts(plan, &whole);
    // Nothing is planned in a disabled rotation, and changes wait all the same.
    let is_planned = !parts.is_empty();
    let settings = &rotation.profile.warnings;
    let is_wanted =
        |kind| wanted.wants(kind, settings) && (is_planned || kind == WarningKind::ChangeWillFail);
    let mut all = Vec::new();
    for (kind, find) in (FINDERS.iter()).filter(|(kind, _)| is_wanted(*kind)) {
        let mut of_a_kind = match !rotation.waiting.is_empty() && phases::is_by_phase(*kind) {
            true => phases::found(&parts, (around, duty, wanted), *find),
            false => find(&scene),
        };
        debug_assert!(of_a_kind.iter().all(|warning| warning.kind == *kind));
        let end = scene.begins_before(*kind);
        of_a_kind.retain(|warning| warning.period.from < end);
        let mut of_a_kind = placed(&scene, of_a_kind);
        if of_a_kind.len() > MOST_OF_A_KIND {
            of_a_kind.sort_by(|one, other| order(one).cmp(&order(other)));
            of_a_kind.truncate(MOST_OF_A_KIND);
        }
        all.append(&mut of_a_kind);
    }
    all.sort_by(|one, other| order(one).cmp(&order(other)));
    all.into_iter().map(|(_, warning)| warning).collect()
}

/// Each warning with the slot that it is about.
fn placed(scene: &Scene, warnings: Vec<Warning>) -> Vec<(Option<usize>, Warning)> {
    let slot = |warning: &Warning| scene.slots.get(warning.cell.as_ref()?).copied();
    let warnings = warnings.into_iter();
    warnings.map(|warning| (slot(&warning), warning)).collect()
}

/// The order of warnings.
fn order((slot, warning): &(Option<usize>, Warning)) -> (Rank, Option<usize>, &[UserId]) {
    (warning.rank(), *slot, &warning.users)
}
