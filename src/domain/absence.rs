//! Absences (rules.md 10).

use super::ids::{AbsenceId, RotationId, UserId};
use super::stored::{self, listed};
use super::time::{self, Interval};
use super::words::words;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

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

words! {
    /// The source of an absence.
    pub enum AbsenceSource {
        /// An absence stored by rota.
        Stored = "internalAvailability",
        /// An event of a calendar of the person.
        Calendar = "externalCalendar",
    }
}

/// A period in which somebody is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Away {
    pub period: Interval,
    pub source: AbsenceSource,
}

/// Somebody passed over, and the absence that was the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub user: UserId,
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
    pub source: AbsenceSource,
}

/// Stored as `[user, from, until]`, then `true` where the absence is from a calendar.
#[derive(Serialize, Deserialize)]
struct SkippedList(
    UserId,
    #[serde(with = "stored")] Option<Timestamp>,
    #[serde(with = "stored")] Option<Timestamp>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")] bool,
);

listed! {
    Skipped: |one| SkippedList(one.user.clone(), one.from, one.until, one.source == AbsenceSource::Calendar),
        SkippedList(user, from, until, is_calendar) in SkippedList => Skipped {
            user,
            from,
            until,
            source: match is_calendar {
                true => AbsenceSource::Calendar,
                false => AbsenceSource::Stored,
            },
        };
}

/// Absences that are shown beside one duty at the most.
pub const MOST_SHOWN: usize = 100;

/// The absences that apply to one rotation, and the members who are away by their chat status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absences {
    away: Vec<(UserId, Away)>,
    /// Members with a calendar that could not be read for so long that nothing is known of it.
    unknown: Vec<UserId>,
    in_chat: Vec<(UserId, Interval)>,
}

impl Absences {
    /// Those that are stored, in any order.
    pub fn new(away: Vec<(UserId, Interval)>) -> Absences {
        let source = AbsenceSource::Stored;
        let away = away
            .into_iter()
            .map(|(user, period)| (user, Away { period, source }));
        let mut away: Vec<_> = away.collect();
        away.sort();
        Absences {
            away,
            ..Absences::default()
        }
    }

    /// Adds those of calendars, in any order. Those of a person that touch or overlap count as one. `unknown` are the
    /// members of whose calendars nothing is known.
    pub fn with_calendars(
        mut self,
        mirrored: Vec<(UserId, Interval)>,
        unknown: Vec<UserId>,
    ) -> Absences {
        let source = AbsenceSource::Calendar;
        let mirrored = joined(mirrored).into_iter();
        self.away
            .extend(mirrored.map(|(user, period)| (user, Away { period, source })));
        self.away.sort();
        Absences { unknown, ..self }
    }

    /// Drops those that do not count. Absences of calendars are joined, so that each is as long as it is on end.
    pub fn counting(mut self, counts: impl Fn(&Away) -> bool) -> Absences {
        self.away.retain(|(_, away)| counts(away));
        self
    }

    /// Drops those that ended by an instant.
    pub fn ending_after(mut self, after: Timestamp) -> Absences {
        self.away.retain(|(_, away)| away.period.until > after);
        self
    }

    /// Whether nothing is known of a calendar of a person that would count.
    pub fn is_unknown(&self, user: &UserId) -> bool {
        self.unknown.contains(user)
    }

    /// Adds people who are away by their chat status. Nobody is passed over for that: it is a conflict alone.
    pub fn with_chat(self, in_chat: Vec<(UserId, Interval)>) -> Absences {
        Absences { in_chat, ..self }
    }

    /// For how long a person is away by their chat status.
    pub fn in_chat<'a>(&'a self, user: &'a UserId) -> impl Iterator<Item = Interval> + 'a {
        let theirs = self.in_chat.iter().filter(move |(who, _)| who == user);
        theirs.map(|(_, period)| *period)
    }

    /// A copy with another one.
    pub fn with(&self, user: &UserId, period: Interval) -> Absences {
        let source = AbsenceSource::Stored;
        let mut with = self.clone();
        with.away.push((user.clone(), Away { period, source }));
        with.away.sort();
        with
    }

    /// A copy without a stored one.
    pub fn without(&self, user: &UserId, period: Interval) -> Absences {
        let source = AbsenceSource::Stored;
        let gone = (user.clone(), Away { period, source });
        let mut without = self.clone();
        if let Ok(index) = without.away.binary_search(&gone) {
            without.away.remove(index);
        }
        without
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
    pub fn iter(&self) -> impl Iterator<Item = &(UserId, Away)> {
        self.away.iter()
    }

    /// The absences of one person, by where they begin.
    pub fn of<'a>(&'a self, user: &'a UserId) -> impl Iterator<Item = Away> + 'a {
        let first = self.away.partition_point(|(who, _)| who < user);
        let theirs = self.away[first..].iter();
        let theirs = theirs.take_while(move |(who, _)| who == user);
        theirs.map(|(_, away)| *away)
    }

    /// When a person is absent: intervals that neither overlap nor touch, in order.
    pub fn periods_of(&self, user: &UserId) -> Vec<Interval> {
        time::joined(self.of(user).map(|away| away.period).collect())
    }

    /// The absences of one person that fall in a period, by where they begin; the first [`MOST_SHOWN`] of them.
    pub fn meeting(&self, user: &UserId, period: Interval) -> Vec<Away> {
        let falling = self
            .of(user)
            .filter(|away| away.period.meets(period).is_some());
        falling.take(MOST_SHOWN).collect()
    }

    /// The absence of a person at an instant; of several, the one that ends last.
    pub fn at(&self, user: &UserId, at: Timestamp) -> Option<Skipped> {
        self.of(user)
            .filter(|away| away.period.contains(at))
            .max_by_key(|away| away.period.until)
            .map(|away| Skipped {
                user: user.clone(),
                from: Some(away.period.from),
                until: Some(away.period.until),
                source: away.source,
            })
    }

    /// When the first absence of a person begins after an instant.
    pub fn next_begin(&self, user: &UserId, after: Timestamp) -> Option<Timestamp> {
        let later = |(who, away): &(UserId, Away)| (who, away.period.from) <= (user, after);
        let (who, away) = self.away.get(self.away.partition_point(later))?;
        (who == user).then_some(away.period.from)
    }

    /// Whether an absence of a person runs at an instant that was not there before. One of a calendar is only another one if the
    /// person was here until then, for its bounds move whenever an event beside it does.
    pub fn has_new_one(&self, before: &Absences, user: &UserId, at: Timestamp) -> bool {
        let mut running = self.of(user).filter(|away| away.period.contains(at));
        running.any(|away| match away.source {
            AbsenceSource::Stored => before.of(user).all(|known| known != away),
            AbsenceSource::Calendar => before.at(user, at).is_none(),
        })
    }

    /// The first end of an absence after an instant, when an empty slot may be filled.
    pub fn next_end(&self, after: Timestamp) -> Option<Timestamp> {
        self.away
            .iter()
            .map(|(_, away)| away.period.until)
            .filter(|until| *until > after)
            .min()
    }

    /// The last end of any absence.
    pub fn last_end(&self) -> Option<Timestamp> {
        self.away.iter().map(|(_, away)| away.period.until).max()
    }

    /// The people whose absences end at exactly this instant.
    pub fn ending_at(&self, at: Timestamp) -> impl Iterator<Item = &UserId> {
        let ending = self
            .away
            .iter()
            .filter(move |(_, away)| away.period.until == at);
        ending.map(|(user, _)| user)
    }
}

/// Periods of people with those of each that touch or overlap joined, by person and beginning.
pub fn joined(mut periods: Vec<(UserId, Interval)>) -> Vec<(UserId, Interval)> {
    periods.sort();
    periods.dedup_by(|(user, period), (before, joined)| {
        let joins = user == before && period.from <= joined.until;
        if joins {
            joined.until = joined.until.max(period.until);
        }
        joins
    });
    periods
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: i64, until: i64) -> Interval {
        Interval {
            from: Timestamp::from_second(from).unwrap(),
            until: Timestamp::from_second(until).unwrap(),
        }
    }

    #[test]
    fn those_of_calendars_that_touch_count_as_one() {
        let one = |user: &str, from, until| (UserId::from(user), span(from, until));
        let mirrored = vec![
            one("U1", 10, 20),
            one("U1", 0, 5),
            one("U1", 20, 30),
            one("U1", 12, 14),
            one("U2", 5, 10),
        ];
        let stored = vec![one("U1", 30, 40)];
        let absences = Absences::new(stored).with_calendars(mirrored, vec!["U2".into()]);
        let shown: Vec<_> = absences
            .iter()
            .map(|(user, away)| (user.as_str(), away.period, away.source))
            .collect();
        let (stored, calendar) = (AbsenceSource::Stored, AbsenceSource::Calendar);
        assert_eq!(
            shown,
            [
                ("U1", span(0, 5), calendar),
                ("U1", span(10, 30), calendar),
                ("U1", span(30, 40), stored),
                ("U2", span(5, 10), calendar),
            ]
        );
        let skipped = absences.at(&"U1".into(), span(25, 26).from).unwrap();
        assert_eq!(skipped.from, Some(span(10, 30).from));
        assert_eq!(skipped.source, calendar);
        assert!(absences.is_unknown(&"U2".into()) && !absences.is_unknown(&"U1".into()));
    }
}
