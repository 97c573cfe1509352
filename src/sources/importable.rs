//! What an import reads: partners, and systems that rotations cannot follow.

use super::{Failure, Source};
use crate::domain::partner::{
    Definition, MemberKind, Origin, PartnerPerson, ScheduleSummary, Timeline,
};
use crate::domain::time::Interval;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most pages of a listing.
const MOST_PAGES: usize = 1_000;

/// A schedule as it was read.
#[derive(Clone, Debug)]
pub struct ReadSchedule {
    pub definition: Definition,
    pub timeline: Timeline,
    pub people: Vec<PartnerPerson>,
}

/// A system whose schedules can be imported. Calls block their thread as those of a [`Source`] do.
pub trait Importable {
    fn origin(&self) -> Origin;

    /// All schedules, in the order of the system.
    ///
    /// # Errors
    /// [`Failure`]
    fn list(&self) -> Result<Vec<ScheduleSummary>, Failure>;

    /// A schedule, with its timeline over a span.
    ///
    /// # Errors
    /// [`Failure`], `not_found` for a schedule that there is not.
    fn read(&self, schedule: &str, span: Interval) -> Result<ReadSchedule, Failure>;
}

impl Importable for Arc<dyn Source> {
    fn origin(&self) -> Origin {
        Origin::Partner(self.partner())
    }

    fn list(&self) -> Result<Vec<ScheduleSummary>, Failure> {
        self.schedules()
    }

    fn read(&self, schedule: &str, span: Interval) -> Result<ReadSchedule, Failure> {
        let definition = self.definition(schedule, span)?;
        let timeline = self.timeline(schedule, span)?;
        let mut ids = definition.participant_ids();
        let shifts = timeline.shifts.iter().map(|shift| &shift.member);
        let overrides = definition.overrides.iter().map(|one| &one.member);
        for member in shifts.chain(overrides) {
            if let (MemberKind::User, Some(id)) = (member.kind, &member.id)
                && !ids.contains(id)
            {
                ids.push(id.clone());
            }
        }
        let people = self.people(&ids)?;
        Ok(ReadSchedule {
            definition,
            timeline,
            people,
        })
    }
}

/// All items of a listing. `page` answers the items at a place with the next place, if there is one.
///
/// # Errors
/// A failure of `page`, or a listing that leads back to a place, or does not end.
pub(super) fn all_pages<T>(
    first: String,
    mut page: impl FnMut(&str) -> Result<(Vec<T>, Option<String>), Failure>,
) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    let mut seen = BTreeSet::from([first.clone()]);
    let mut at = first;
    loop {
        let (items, next) = page(&at)?;
        all.extend(items);
        let Some(next) = next else { return Ok(all) };
        if !seen.insert(next.clone()) {
            return Err(Failure::invalid(format!(
                "page {} of a listing leads back to the page {next:?}, which was read before",
                seen.len()
            )));
        }
        if seen.len() > MOST_PAGES {
            let why = format!("a listing does not end within {MOST_PAGES} pages, last {next:?}");
            return Err(Failure::invalid(why));
        }
        at = next;
    }
}
