//! Absences: who is away when (rules.md 10).

use super::ids::{AbsenceId, RotationId, UserId};
use super::rotation::Skipped;
use super::time::Interval;
use jiff::Timestamp;

/// A stored absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    pub id: AbsenceId,
    pub user: UserId,
    pub period: Interval,
    /// For people to read; no rule looks at it.
    pub reason: Option<String>,
    pub applies_to: AppliesTo,
}

/// Which rotations an absence counts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppliesTo {
    Rotation(RotationId),
    AllRotations,
}

/// The absences that count in one rotation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absences {
    away: Vec<(UserId, Interval)>,
}

impl Absences {
    /// Takes them in any order.
    pub fn new(mut away: Vec<(UserId, Interval)>) -> Absences {
        away.sort();
        Absences { away }
    }

    /// The absences of one person.
    pub fn of<'a>(&'a self, user: &'a UserId) -> impl Iterator<Item = Interval> + 'a {
        let first = self.away.partition_point(|(who, _)| who < user);
        let theirs = self.away[first..].iter();
        let theirs = theirs.take_while(move |(who, _)| who == user);
        theirs.map(|(_, period)| *period)
    }

    /// The absence that keeps a person away at an instant; of several the one that ends last.
    pub fn at(&self, user: &UserId, at: Timestamp) -> Option<Skipped> {
        self.of(user)
            .filter(|period| period.contains(at))
            .max_by_key(|period| period.until)
            .map(|period| Skipped {
                user: user.clone(),
                from: Some(period.from),
                until: Some(period.until),
            })
    }

    /// The first end of an absence after an instant: somebody may fill an empty slot then.
    pub fn next_end(&self, after: Timestamp) -> Option<Timestamp> {
        self.away
            .iter()
            .map(|(_, period)| period.until)
            .filter(|until| *until > after)
            .min()
    }

    /// The last end of any absence.
    pub fn last_end(&self) -> Option<Timestamp> {
        self.away.iter().map(|(_, period)| period.until).max()
    }

    /// Whose absences end at exactly this instant.
    pub fn ending_at(&self, at: Timestamp) -> impl Iterator<Item = &UserId> {
        let ending = self
            .away
            .iter()
            .filter(move |(_, period)| period.until == at);
        ending.map(|(user, _)| user)
    }
}
