//! Absences (rules.md 10).

use super::ids::{AbsenceId, CellId, RotationId, UserId};
use super::time::Interval;
use jiff::Timestamp;

/// A stored absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    pub id: AbsenceId,
    pub user: UserId,
    pub period: Interval,
    /// For people. No rule uses it.
    pub reason: Option<String>,
    pub applies_to: AppliesTo,
}

/// The rotations an absence applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppliesTo {
    Rotation(RotationId),
    AllRotations,
}

/// Somebody passed over, and the absence that was the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub user: UserId,
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

/// A stretch for which somebody is on call though they are absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingDuty {
    pub cell: CellId,
    pub period: Interval,
}

/// Absences that are shown beside one duty at the most.
pub const MOST_SHOWN: usize = 100;

/// The absences that apply to one rotation, and the members who are away by their chat status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absences {
    away: Vec<(UserId, Interval)>,
    in_chat: Vec<(UserId, Interval)>,
}

impl Absences {
    /// Accepts them in any order.
    pub fn new(mut away: Vec<(UserId, Interval)>) -> Absences {
        away.sort();
        let in_chat = Vec::new();
        Absences { away, in_chat }
    }

    /// The same with people who are away by their chat status. Nobody is passed over for that: it is a conflict alone.
    pub fn with_chat(self, in_chat: Vec<(UserId, Interval)>) -> Absences {
        Absences { in_chat, ..self }
    }

    /// For how long a person is away by their chat status.
    pub fn in_chat<'a>(&'a self, user: &'a UserId) -> impl Iterator<Item = Interval> + 'a {
        let theirs = self.in_chat.iter().filter(move |(who, _)| who == user);
        theirs.map(|(_, period)| *period)
    }

    /// The same with another one.
    pub fn with(&self, user: &UserId, period: Interval) -> Absences {
        let mut away = self.away.clone();
        away.push((user.clone(), period));
        Absences::new(away)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.away.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.away.is_empty()
    }

    /// All of them, by person and by where they begin.
    pub fn iter(&self) -> impl Iterator<Item = &(UserId, Interval)> {
        self.away.iter()
    }

    /// The absences of one person, by where they begin.
    pub fn of<'a>(&'a self, user: &'a UserId) -> impl Iterator<Item = Interval> + 'a {
        let first = self.away.partition_point(|(who, _)| who < user);
        let theirs = self.away[first..].iter();
        let theirs = theirs.take_while(move |(who, _)| who == user);
        theirs.map(|(_, period)| *period)
    }

    /// The absences of one person that fall in a period, by where they begin; the first [`MOST_SHOWN`] of them.
    pub fn meeting(&self, user: &UserId, period: Interval) -> Vec<Interval> {
        let falling = self.of(user).filter(|away| away.meets(period).is_some());
        falling.take(MOST_SHOWN).collect()
    }

    /// The absence of a person at an instant; of several, the one that ends last.
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

    /// The first end of an absence after an instant, when an empty slot may be filled.
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

    /// The people whose absences end at exactly this instant.
    pub fn ending_at(&self, at: Timestamp) -> impl Iterator<Item = &UserId> {
        let ending = self
            .away
            .iter()
            .filter(move |(_, period)| period.until == at);
        ending.map(|(user, _)| user)
    }
}
