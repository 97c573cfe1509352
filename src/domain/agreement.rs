//! How an agreement to hold a cell is judged: an assignment, a cover or a swap (rules.md 8 and 9).

use super::arrangement::{Segment, Snapshot, TurnSelection};
use super::conflict::{self, Conflict, Name, Terms};
use super::forecast::{self, CellForecast};
use super::handover::{Change, DealingContext, WindowChange};
use super::ids::{ArrangementId, CellId, UserId};
use super::refusal::{Refusal, invalid};
use super::rotation::Rotation;
use super::time::Interval;
use jiff::Timestamp;

/// Segments that a snapshot keeps at the most: a year of business hours.
const MOST_SEGMENTS: usize = 750;

/// A rotation as it stands, with what its future depends on.
#[derive(Clone, Copy)]
pub struct AgreementContext<'a> {
    /// With everything due up to `now` done.
    pub rotation: &'a Rotation,
    pub dealing: DealingContext<'a>,
    pub now: Timestamp,
}

/// What taking a cell over for a period would meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgreementPreview {
    /// What is still to come of what was asked for.
    pub period: Interval,
    pub conflicts: Vec<Conflict>,
    /// No conflict blocks, and every conflict is acknowledged.
    pub is_settled: bool,
    pub selection: Option<TurnSelection>,
}

impl AgreementPreview {
    /// The preview for somebody who acknowledges these conflicts.
    pub fn new(
        period: Interval,
        conflicts: Vec<Conflict>,
        acknowledged: &[String],
        selection: Option<TurnSelection>,
    ) -> AgreementPreview {
        AgreementPreview {
            period,
            is_settled: conflict::are_settled(&conflicts, acknowledged),
            conflicts,
            selection,
        }
    }
}

impl AgreementContext<'_> {
    /// The slot of a cell; `member` says where in the request it was named.
    pub fn cell(&self, member: &str, id: &CellId) -> Result<usize, Refusal> {
        match self.rotation.slot_of(id) {
            None => invalid(format!("{member}: this rotation has no cell `{id}`")),
            Some(index) => Ok(index),
        }
    }

    /// Refuses a cell whose lane the tier does not let run.
    pub fn check_runs(&self, member: &str, cell: usize) -> Result<(), Refusal> {
        match self.rotation.cells[cell].stopped {
            false => Ok(()),
            true => Err(Refusal::PaymentRequired(format!(
                "{member}: the lane of this cell does not run on this plan"
            ))),
        }
    }

    /// What is still to come of an interval; `member` says where in the request its end was named.
    pub fn rest(&self, member: &str, asked: Interval) -> Result<Interval, Refusal> {
        match asked.since(self.now) {
            Some(rest) => Ok(rest),
            None => invalid(format!(
                "{member}: send an instant later than now, {}",
                self.now
            )),
        }
    }

    /// Refuses somebody who is not in the roster that a cell deals from.
    pub fn check_eligible(&self, member: &str, cell: usize, user: &UserId) -> Result<(), Refusal> {
        match self.rotation.turn_of(&self.rotation.cells[cell], user) {
            Some(_) => Ok(()),
            None => invalid(format!(
                "{member}: `{user}` is not in the roster of this cell"
            )),
        }
    }

    /// The forecast of each cell, up to an instant. A disabled rotation has no future to agree on.
    pub fn forecasts(&self, until: Timestamp) -> Result<Vec<CellForecast>, Refusal> {
        self.rotation.check_enabled()?;
        forecast::cells(self.rotation, self.dealing, until)
    }

    /// Everything in the way of the terms; arrangements of `own` are not.
    pub fn conflicts(&self, terms: &Terms, own: Option<&UserId>, name: &Name) -> Vec<Conflict> {
        conflict::find(self.rotation, self.dealing.absences, terms, own, name)
    }

    /// What is planned for a cell over a period; over one without an end, in its first year.
    pub fn snapshot(&self, cell: usize, period: Interval) -> Result<Snapshot, Refusal> {
        let planned_until = forecast::horizon(self.now.max(period.from), period.until);
        let judged = Interval {
            until: planned_until,
            ..period
        };
        let planned = forecast::schedule_within(self.rotation, self.dealing, judged)?;
        let mut turns: Vec<_> = planned
            .into_iter()
            .filter(|turn| turn.cell == cell)
            .collect();
        turns.sort_by_key(|turn| turn.entry.start);
        let mut segments: Vec<Segment> = Vec::new();
        for turn in turns {
            let whole = Interval {
                from: turn.entry.start,
                until: turn.end.unwrap_or(Timestamp::MAX),
            };
            let Some(piece) = whole.meets(judged) else {
                continue;
            };
            segments.push(Segment {
                period: piece,
                user: turn.entry.user,
            });
        }
        let complete = segments.len() <= MOST_SEGMENTS && judged == period;
        segments.truncate(MOST_SEGMENTS);
        Ok(Snapshot {
            as_of: self.now,
            period,
            complete,
            segments,
        })
    }

    /// Refuses terms that, taken together, would have a person hold two cells at once where one may not; beside each stands
    /// where in the request it was named.
    pub fn check_single(
        &self,
        forecasts: &[CellForecast],
        all: &[(&str, &Terms)],
    ) -> Result<(), Refusal> {
        if self.rotation.double_cover {
            return Ok(());
        }
        let slot = |terms: &Terms| self.rotation.slot_of(&terms.cell);
        let mut after = forecasts.to_vec();
        for (_, terms) in all {
            if let Some(cell) = slot(terms) {
                after[cell].take_over(&terms.user, terms.period);
            }
        }
        for (member, terms) in all {
            if slot(terms)
                .is_some_and(|cell| forecast::is_doubled(&after, cell, &terms.user, terms.period))
            {
                return invalid(format!(
                    "{member}: `{}` holds another cell of this rotation at that time; one person in two cells needs \
                     doubleCover",
                    terms.user
                ));
            }
        }
        Ok(())
    }

    /// The rotation as it would stand now without an arrangement.
    pub fn without(&self, id: &ArrangementId) -> Rotation {
        let mut without = self.rotation.clone();
        let change = Change::begin(&mut without, self.dealing, self.now, WindowChange::ByClock);
        change
            .rotation
            .arranged
            .retain(|arranged| &arranged.id != id);
        change.finish();
        without
    }

    /// Refuses a turn selection other than the one that the forecast gives; none may always be sent.
    pub fn check_selection(
        &self,
        sent: Option<TurnSelection>,
        planned: Option<TurnSelection>,
    ) -> Result<(), Refusal> {
        match sent {
            Some(sent) if Some(sent) != planned => invalid(
                "turnSelection: not the one that the plan gives; copy it from a fresh preview or send null",
            ),
            _ => Ok(()),
        }
    }
}

/// Refuses what conflicts stand against: one that blocks, or one that nobody has acknowledged.
pub fn check_conflicts(conflicts: &[Conflict], acknowledged: &[String]) -> Result<(), Refusal> {
    check_unblocked(conflicts)?;
    match conflict::acknowledged(conflicts, acknowledged) {
        true => Ok(()),
        false => Err(Refusal::ConflictsNotAcknowledged(conflicts.to_vec())),
    }
}

/// The same where nobody has to acknowledge anything yet.
pub fn check_unblocked(conflicts: &[Conflict]) -> Result<(), Refusal> {
    match conflict::blocks(conflicts) {
        false => Ok(()),
        true => Err(Refusal::ConflictBlocks(conflicts.to_vec())),
    }
}
