//! The told plan (rules.md 28): what people were last told of their own shifts, or could read where nothing was said. What has moved
//! since is its difference from the plan as it is.

mod difference;
mod mark;
mod sentence;

pub use difference::{Moved, Moves, differences};
pub use mark::{Mark, PendingNotices, Reason, ToldOtherwise};
pub use sentence::{Sentence, Word};

use super::forecast::{self, Budget};
use super::handover::DealingContext;
use super::ids::{CellId, UserId};
use super::resolve::{self, Hold};
use super::rotation::Rotation;
use super::time::Interval;
use jiff::{SignedDuration, Timestamp};

/// Who has which cell when, while its hours are open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldPlan {
    /// What it says holds for this time alone.
    pub span: Interval,
    /// By cell and by where they begin. Those of one person in one cell neither touch nor overlap.
    pub stretches: Vec<Stretch>,
}

/// A covered stretch of a person.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stretch {
    pub cell: CellId,
    pub user: UserId,
    pub period: Interval,
}

/// A shorter part of a plan that takes too much to forecast is not looked at.
const SHORTEST: SignedDuration = SignedDuration::from_hours(24);

impl ToldPlan {
    /// A plan in which nobody is on call.
    pub fn of_nobody(span: Interval) -> ToldPlan {
        ToldPlan {
            span,
            stretches: Vec::new(),
        }
    }

    /// The plan of a rotation for a span that begins now. Where hand-overs are too frequent for all of it, it is shorter. That of a
    /// disabled rotation is what runs of the plan that was `told`: whoever is on call stays, and nobody follows.
    pub fn of(
        rotation: &Rotation,
        dealing: DealingContext,
        span: Interval,
        told: Option<&ToldPlan>,
    ) -> ToldPlan {
        if !rotation.enabled {
            return ToldPlan::of_disabled(rotation, span, told);
        }
        let mut span = known(rotation, span);
        let whole = forecast::with_coming(rotation, dealing.calendar);
        loop {
            let mut budget = Budget::default();
            if let Ok(held) = forecast::held(rotation, dealing, span, &mut budget) {
                let stretch = |held: &forecast::Held| {
                    Some(Stretch {
                        cell: whole.cells[held.cell].id.clone(),
                        user: held.on_call()?.clone(),
                        period: held.period,
                    })
                };
                let stretches = held.iter().filter_map(stretch).collect();
                return ToldPlan {
                    span,
                    stretches: joined(stretches),
                };
            }
            if span.length() < SHORTEST {
                // Of nothing nobody is told anything.
                return ToldPlan::of_nobody(Interval::new(span.from, span.from));
            }
            span.until = Interval::ahead(span.from, span.length() / 2).until;
        }
    }

    fn of_disabled(rotation: &Rotation, span: Interval, told: Option<&ToldPlan>) -> ToldPlan {
        let standing = standing(rotation);
        let runs = |stretch: &&Stretch| {
            let is_of = |(cell, user): &(&CellId, &UserId)| {
                **cell == stretch.cell && **user == stretch.user
            };
            stretch.period.contains(span.from) && standing.iter().any(is_of)
        };
        let told = told.map_or(&[][..], |told| &told.stretches);
        ToldPlan {
            span,
            stretches: told.iter().filter(runs).cloned().collect(),
        }
    }

    /// The plan without what is over at an instant.
    pub fn since(mut self, at: Timestamp) -> ToldPlan {
        self.span.from = self.span.from.max(at);
        self.stretches.retain(|stretch| stretch.period.until > at);
        self
    }

    /// Whether nobody is in it.
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }
}

/// The part of a span for which a plan can be made: a partner's schedule is known for less. What becomes known later is new.
fn known(rotation: &Rotation, span: Interval) -> Interval {
    let Some(external) = &rotation.external else {
        return span;
    };
    let known = external.timeline().map(|timeline| timeline.known.until);
    let known = match &external.link {
        Some(_) => known.unwrap_or(span.from),
        None => span.until,
    };
    Interval::new(span.from, known.clamp(span.from, span.until))
}

/// Who is on call in a rotation as it stands.
fn standing(rotation: &Rotation) -> Vec<(&CellId, &UserId)> {
    match &rotation.external {
        Some(external) => {
            let users = external.current.iter().filter_map(|one| one.user.as_ref());
            users.map(|user| (&rotation.cells[0].id, user)).collect()
        }
        None => {
            let on_call = |cell| resolve::on_call(rotation, cell).map(Hold::user);
            let cells = rotation.cells.iter();
            cells
                .filter_map(|cell| Some((&cell.id, on_call(cell)?)))
                .collect()
        }
    }
}

/// The stretches in order, those of one person that touch as one.
fn joined(mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    stretches.retain(|stretch| !stretch.period.is_empty());
    stretches.sort();
    stretches.dedup_by(|next, kept| {
        let joins = next.cell == kept.cell
            && next.user == kept.user
            && next.period.from <= kept.period.until;
        if joins {
            kept.period.until = kept.period.until.max(next.period.until);
        }
        joins
    });
    stretches.sort_by(|one, two| (&one.cell, one.period).cmp(&(&two.cell, two.period)));
    stretches
}

#[cfg(test)]
mod tests;
