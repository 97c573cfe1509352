//! Checks of an assignment, a cover or a swap (rules.md 8 and 9).

use super::arrangement::{Segment, Snapshot, TurnSelection};
use super::conflict::{self, Conflict, Terms};
use super::conflict_search::{self, Name};
use super::coverage::CommonHours;
use super::fault::Fault;
use super::forecast::{self, CellForecast};
use super::handover::{Change, DealingContext, WindowChange};
use super::ids::{ArrangementId, CellId, UserId};
use super::refusal::{Refusal, invalid};
use super::rotation::Rotation;
use super::time::{Interval, joined};
use jiff::Timestamp;

/// The maximum number of segments in a snapshot: a year of business hours.
const MOST_SEGMENTS: usize = 750;

/// A rotation and everything its future depends on.
#[derive(Clone, Copy)]
pub struct AgreementContext<'a> {
    /// Everything due up to `now` is processed.
    pub rotation: &'a Rotation,
    pub dealing: DealingContext<'a>,
    pub now: Timestamp,
}

/// The result that an assignment, a cover or a swap would have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The duties that would change hands: two of a swap, else one.
    pub legs: Vec<LegPreview>,
}

/// The result for one duty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegPreview {
    /// The requester's name for a leg of a swap.
    pub key: Option<String>,
    /// Who takes it over; `None` while nobody has accepted.
    pub user: Option<UserId>,
    /// The future part of the requested interval.
    pub period: Interval,
    /// The covered hours in it.
    pub covered: Vec<Interval>,
    pub conflicts: Vec<Conflict>,
    /// Whether every conflict is acknowledged.
    pub is_acknowledged: bool,
    pub selection: Option<TurnSelection>,
    /// Whether the requested interval has begun.
    pub has_started: bool,
}

impl LegPreview {
    /// Whether a conflict blocks it regardless of acknowledgement.
    pub fn is_blocked(&self) -> bool {
        conflict::blocks(&self.conflicts)
    }

    /// Whether no conflict blocks and all are acknowledged.
    pub fn is_free(&self) -> bool {
        !self.is_blocked() && self.is_acknowledged
    }
}

impl Preview {
    /// The first or only duty.
    pub fn first(&self) -> &LegPreview {
        &self.legs[0]
    }

    /// All conflicts, by leg.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let legs = self.legs.iter();
        legs.flat_map(|leg| leg.conflicts.iter().cloned()).collect()
    }

    /// The ids of all conflicts.
    pub fn conflict_ids(&self) -> Vec<String> {
        let conflicts = self.legs.iter().flat_map(|leg| &leg.conflicts);
        conflicts.map(|conflict| conflict.id.clone()).collect()
    }
}

impl AgreementContext<'_> {
    /// The index of a cell; `member` is the path of the request member that named it.
    pub fn cell(&self, member: &str, id: &CellId) -> Result<usize, Refusal> {
        match self.rotation.slot_of(id) {
            None => invalid(member, Fault::NoCell(id.clone())),
            Some(index) => Ok(index),
        }
    }

    /// Refuses a cell whose lane does not run on the tier.
    pub fn check_runs(&self, member: &str, cell: usize) -> Result<(), Refusal> {
        match self.rotation.cells[cell].stopped {
            false => Ok(()),
            true => Err(Refusal::PaymentRequired(
                member.into(),
                "the lane of this cell does not run on this plan".into(),
            )),
        }
    }

    /// The future part of an interval; `member` is the path of the request member with its end.
    pub fn rest(&self, member: &str, asked: Interval) -> Result<Interval, Refusal> {
        match asked.since(self.now) {
            Some(rest) => Ok(rest),
            None => invalid(member, Fault::NotAfter(self.now)),
        }
    }

    /// The covered hours of a cell in a period, as they are today and as changes that wait make them: 200 stretches at most of each.
    pub fn covered(&self, cell: usize, period: Interval) -> Vec<Interval> {
        let (id, calendar) = (&self.rotation.cells[cell].id, self.dealing.calendar);
        let mut covered = Vec::new();
        let phases = forecast::phases(self.rotation, calendar);
        for phase in &phases {
            let rotation = &phase.rotation;
            let slot = rotation.slot_near(id, cell);
            if let Some((slot, period)) = slot.zip(phase.period.meets(period)) {
                let window = &rotation.windows[rotation.cells[slot].window];
                covered.extend(forecast::open_stretches(rotation, calendar, window, period));
            }
        }
        match phases.len() {
            1 => covered,
            _ => joined(covered),
        }
    }

    /// The covered hours of a cell in a period, of which there must be some; `path` is the prefix of the paths of the request
    /// members with its bounds.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] where the cell is not covered at any time of the period: nobody is on call then.
    pub fn check_covered(
        &self,
        path: &str,
        cell: usize,
        period: Interval,
    ) -> Result<Vec<Interval>, Refusal> {
        let covered = self.covered(cell, period);
        if !covered.is_empty() {
            return Ok(covered);
        }
        let (id, calendar) = (&self.rotation.cells[cell].id, self.dealing.calendar);
        let phases = forecast::phases(self.rotation, calendar).into_iter();
        let mut then = phases.filter(|phase| phase.period.contains(period.until));
        let opens = then.next().and_then(|phase| {
            let slot = phase.rotation.slot_near(id, cell)?;
            let window = &phase.rotation.windows[phase.rotation.cells[slot].window];
            let view = phase.rotation.hours(window).at(calendar, period.until);
            Some(view.current.or(view.next)?.from)
        });
        invalid(format!("{path}from"), Fault::NotCovered { period, opens })
    }

    /// Refuses a person who is not in the roster of a cell.
    pub fn check_eligible(&self, member: &str, cell: usize, user: &UserId) -> Result<(), Refusal> {
        match self.rotation.turn_of(&self.rotation.cells[cell], user) {
            Some(_) => Ok(()),
            None => invalid(member, Fault::NotInRoster(user.clone())),
        }
    }

    /// The forecast of each cell, those that changes which wait add behind the others, up to an instant. A disabled rotation has no forecast.
    pub fn forecasts(&self, until: Timestamp) -> Result<Vec<CellForecast>, Refusal> {
        self.rotation.check_enabled()?;
        forecast::cells(self.rotation, self.dealing, until)
    }

    /// All conflicts with the terms, except with arrangements in `own`.
    pub fn conflicts(&self, terms: &Terms, own: Option<&UserId>, name: &Name) -> Vec<Conflict> {
        conflict_search::find(self.rotation, self.dealing.absences, terms, own, name)
    }

    /// The forecast of a cell over a period; if it has no end, over its first year.
    pub fn snapshot(&self, cell: usize, period: Interval) -> Result<Snapshot, Refusal> {
        let planned_until = forecast::horizon(self.now.max(period.from), period.until);
        let judged = Interval {
            until: planned_until,
            ..period
        };
        let planned = forecast::schedule_within(self.rotation, self.dealing, judged)?;
        let of_cell = planned.into_iter().filter(|duty| duty.slot == Some(cell));
        let segments = of_cell.filter_map(|duty| {
            Some(Segment {
                period: duty.period().meets(judged)?,
                user: duty.entry.user,
            })
        });
        let mut segments: Vec<Segment> = segments.collect();
        segments.sort_by_key(|segment| segment.period);
        let complete = segments.len() <= MOST_SEGMENTS && judged == period;
        segments.truncate(MOST_SEGMENTS);
        Ok(Snapshot {
            as_of: self.now,
            period,
            complete,
            segments,
        })
    }

    /// Refuses terms by which a person would be on call in two cells at once without `doubleCover`. Each comes with the path of the
    /// request member that named it. Of a period without an end the first year counts.
    pub fn check_single(
        &self,
        forecasts: &[CellForecast],
        all: &[(&str, &Terms)],
    ) -> Result<(), Refusal> {
        let calendar = self.dealing.calendar;
        let mut phases = forecast::phases(self.rotation, calendar);
        phases.retain(|phase| !phase.rotation.double_cover);
        if phases.is_empty() {
            return Ok(());
        }
        let slot = |terms: &Terms| self.rotation.slot_of(&terms.cell);
        let mut after = forecasts.to_vec();
        for (_, terms) in all {
            if let Some(cell) = slot(terms) {
                after[cell].take_over(&terms.user, terms.period);
            }
        }
        let whole = forecast::with_coming(self.rotation, calendar);
        let mut common: Vec<CommonHours> = phases.iter().map(|_| CommonHours::default()).collect();
        let mut open_together = |cells: [usize; 2], span: Interval| {
            let until = forecast::horizon(span.from, span.until);
            let span = Interval { until, ..span };
            phases.iter().zip(&mut common).any(|(phase, common)| {
                let rotation = &phase.rotation;
                let slots = cells.map(|cell| rotation.slot_near(&whole.cells[cell].id, cell));
                let ([Some(one), Some(other)], Some(span)) = (slots, phase.period.meets(span))
                else {
                    return false;
                };
                let windows = [one, other].map(|slot| rotation.cells[slot].window);
                let hours = |window: usize| rotation.hours(&rotation.windows[window]);
                common.meet(rotation.windows.len(), windows, &hours, calendar, span)
            })
        };
        for (member, terms) in all {
            let Some(cell) = slot(terms) else {
                continue;
            };
            if forecast::is_doubled(&after, cell, &terms.user, terms.period, &mut open_together) {
                return invalid(*member, Fault::OnCallElsewhere(terms.user.clone()));
            }
        }
        Ok(())
    }

    /// The rotation as it would be now without an arrangement.
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

    /// Refuses a turn selection that differs from the forecast's. None is always accepted.
    pub fn check_selection(
        &self,
        sent: Option<TurnSelection>,
        planned: Option<TurnSelection>,
    ) -> Result<(), Refusal> {
        match sent {
            Some(sent) if Some(sent) != planned => invalid(
                "turnSelection",
                "not the one of the forecast; copy it from a fresh preview or send null",
            ),
            _ => Ok(()),
        }
    }
}

/// Refuses conflicts that block or are not acknowledged.
pub fn check_conflicts(conflicts: &[Conflict], acknowledged: &[String]) -> Result<(), Refusal> {
    check_unblocked(conflicts)?;
    match conflict::acknowledged(conflicts, acknowledged) {
        true => Ok(()),
        false => Err(Refusal::ConflictsNotAcknowledged(conflicts.to_vec())),
    }
}

/// Refuses conflicts that block.
pub fn check_unblocked(conflicts: &[Conflict]) -> Result<(), Refusal> {
    match conflict::blocks(conflicts) {
        false => Ok(()),
        true => Err(Refusal::ConflictBlocks(conflicts.to_vec())),
    }
}
