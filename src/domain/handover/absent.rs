//! Absences beside the instant of dealing: who is here for all of a turn, and who goes away while they hold a slot
//! (rules.md 10.6 and 10.7).

use super::Change;
use crate::domain::absence::{Absences, Away, Skipped};
use crate::domain::absence_policy::WhileOnDuty;
use crate::domain::dealing::Missing;
use crate::domain::ids::UserId;
use crate::domain::rotation::{Reason, Rotation};
use crate::domain::time::Interval;
use jiff::{SignedDuration, Timestamp};

/// How much of a turn is looked at for absences, where it is longer: as far as calendars are read.
pub(super) const LONGEST_LOOK: SignedDuration = SignedDuration::from_hours(400 * 24);

/// The covered stretches of a turn that is to be dealt, in order and within it.
pub(super) struct CoveredTurn {
    turn: Interval,
    covered: Vec<Interval>,
    whole: SignedDuration,
}

impl CoveredTurn {
    /// `open` are the stretches in which the window is open, in order; they may reach beyond the turn.
    pub fn new(turn: Interval, open: &[Interval]) -> CoveredTurn {
        let covered = open.iter().filter_map(|stretch| stretch.meets(turn));
        let covered: Vec<Interval> = covered.collect();
        let whole = covered.iter().map(Interval::length).sum();
        CoveredTurn {
            turn,
            covered,
            whole,
        }
    }

    /// Why a person is not here for all that is covered; the absence is the first that they miss something by, and of several the
    /// one that ends last. Adds what was looked at to `work`.
    pub fn missing(&self, absences: &Absences, user: &UserId, work: &mut usize) -> Option<Missing> {
        let mut missed = SignedDuration::ZERO;
        let mut first: Option<(Timestamp, Away)> = None;
        // Absences overlap; what lies before this has been counted.
        let mut counted = self.turn.from;
        for away in absences.of(user) {
            *work += 1;
            if away.period.from >= self.turn.until {
                break;
            }
            let Some(period) = away.period.meets(self.turn) else {
                continue;
            };
            let next = self
                .covered
                .partition_point(|stretch| stretch.until <= period.from);
            let stretches = self.covered[next..].iter();
            for stretch in stretches.take_while(|stretch| stretch.from < period.until) {
                *work += 1;
                let begins = stretch.from.max(period.from);
                let other = first.as_ref();
                if other.is_none_or(|(at, of)| (begins, of.period.until) < (*at, away.period.until))
                {
                    first = Some((begins, away));
                }
                let rest = Interval::new(begins.max(counted), stretch.until.min(period.until));
                if rest.from < rest.until {
                    missed += rest.length();
                }
            }
            counted = counted.max(period.until);
        }
        let (_, away) = first?;
        Some(Missing {
            absence: Skipped {
                user: user.clone(),
                from: Some(away.period.from),
                until: Some(away.period.until),
                source: away.source,
            },
            partly: (missed < self.whole).then_some(missed),
        })
    }
}

/// Whether people who go away while they hold a slot hand it over by themselves.
pub(super) fn relieves(rotation: &Rotation) -> bool {
    rotation.absence_policy.while_on_duty == WhileOnDuty::HandOver && rotation.deals_itself()
}

/// When the first absence of somebody who holds a slot begins, where they hand over then.
pub(super) fn next_leaving(rotation: &Rotation, absences: &Absences) -> Option<Timestamp> {
    if !relieves(rotation) {
        return None;
    }
    let after = rotation.stamps.judged_at;
    let holders = rotation.running().filter_map(|cell| cell.holder.as_ref());
    holders
        .filter_map(|holder| absences.next_begin(&holder.user, after))
        .min()
}

impl Change<'_> {
    /// Has the slots dealt anew whose holders are away now, as far as `leaves` says that they go, and that the rotation has them
    /// go. They are passed over in all that this change deals of their slots.
    pub fn relieve(&mut self, leaves: impl Fn(&UserId) -> bool, reason: Reason) {
        let cells = self.note_relieved(|_, user| leaves(user));
        self.hand_over(&cells, reason);
    }

    /// Has those hand over who are away now and would have gone by the policy that has just been chosen, but stayed by the one
    /// before.
    pub(super) fn follow_policy(&mut self, before: &Rotation) {
        let (at, went) = (self.at, relieves(before));
        let gone = |user: &UserId| went && before.absences.at(user, at).is_some();
        self.relieve(|user| !gone(user), Reason::NextOnScheduledDuty);
    }

    /// As [`Change::relieve`], of the absences that begin now; the slots are left to be dealt. A slot whose window hands over now is
    /// dealt in any case, without another look at who held it.
    pub(super) fn relieve_now(&mut self, due: &[bool]) -> Vec<usize> {
        let (absences, at) = (self.dealing.absences, self.at);
        let begins = |user: &UserId| absences.of(user).any(|away| away.period.from == at);
        self.note_relieved(|window, user| !due[window] && begins(user))
    }

    /// Notes the slots whose holders are away now and go, as `leaves` says of the window and of the person.
    fn note_relieved(&mut self, leaves: impl Fn(usize, &UserId) -> bool) -> Vec<usize> {
        let mut cells = Vec::new();
        if !relieves(self.rotation) {
            return cells;
        }
        for (index, cell) in self.rotation.cells.iter().enumerate() {
            let holder = cell.holder.as_ref().filter(|_| !cell.stopped);
            let goes = holder.filter(|holder| leaves(cell.window, &holder.user));
            if let Some(absence) =
                goes.and_then(|goes| self.dealing.absences.at(&goes.user, self.at))
            {
                self.relieved.push((index, absence));
                cells.push(index);
            }
        }
        cells
    }
}
