//! The report of who is on call how much, by person, rotation, week or month (rules.md 7.5).

mod bucket;
#[cfg(test)]
mod tests;

use super::holidays::Calendar;
use super::ids::{RotationId, UserId};
use super::load::{Days, Happening, Held, Load, Place};
use super::refusal::{Refusal, invalid};
use super::time::Interval;
use super::zones::ZoneName;
use crate::domain::words::words;
use bucket::Buckets;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// The longest range of a report: five years, two of which may be leap years.
pub const LONGEST: SignedDuration = SignedDuration::from_hours((5 * 365 + 2) * 24);

/// Stretches that one report holds at the most, some 17 MB.
const MOST_HELD: usize = 300_000;

/// Rows of one report at the most.
const MOST_ROWS: usize = 50_000;

words! {
    /// What the rows of a report stand for. Weeks and months are those of each person.
    pub enum GroupBy {
        Person = "person",
        Rotation = "rotation",
        PersonRotation = "personRotation",
        /// ISO weeks, in UTC.
        Week = "week",
        /// Months, in UTC.
        Month = "month",
    }
}

impl GroupBy {
    /// Whether its rows name a person.
    pub fn has_user(self) -> bool {
        self != GroupBy::Rotation
    }

    /// Whether its rows name a rotation.
    pub fn has_rotation(self) -> bool {
        matches!(self, GroupBy::Rotation | GroupBy::PersonRotation)
    }
}

/// How often something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub turns: u64,
    pub hand_overs: u64,
    /// Covers by which others took duty of theirs.
    pub covers_given: u64,
    /// Covers by which they took duty of others.
    pub covers_taken: u64,
    pub swaps: u64,
    pub passed_over: u64,
    /// Mentions that they were notified of.
    pub mentions: u64,
    /// Mentions that they acknowledged.
    pub acknowledged: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.turns += other.turns;
        self.hand_overs += other.hand_overs;
        self.covers_given += other.covers_given;
        self.covers_taken += other.covers_taken;
        self.swaps += other.swaps;
        self.passed_over += other.passed_over;
        self.mentions += other.mentions;
        self.acknowledged += other.acknowledged;
    }
}

/// A row of a report. What it is not grouped by is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub user: Option<UserId>,
    pub rotation: Option<RotationId>,
    /// The week or month, such as `2026-W47` or `2026-11`.
    pub bucket: Option<String>,
    /// Whether it is of the plan from now on, or of the record up to now.
    pub planned: bool,
    pub load: Load,
    pub counts: Counts,
}

/// What happened to somebody at an instant, other than what a walk of the entries tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    CoverGiven,
    CoverTaken,
    Swap,
    Mention,
    Acknowledged,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// The beginning of the week or month.
    bucket: Option<Timestamp>,
    user: UserId,
    rotation: Option<RotationId>,
    planned: bool,
}

#[derive(Debug, Default)]
struct Tally {
    held: Vec<Held>,
    counts: Counts,
}

/// A report as it is gathered, rotation by rotation.
#[derive(Debug)]
pub struct Report {
    by: GroupBy,
    range: Interval,
    now: Timestamp,
    /// Nobody else counts.
    only: Option<UserId>,
    buckets: Buckets,
    tallies: BTreeMap<Key, Tally>,
    held: usize,
}

impl Report {
    /// Nothing yet. What lies before `now` is of the record, what lies after it of the plan.
    pub fn begin(by: GroupBy, range: Interval, now: Timestamp, only: Option<UserId>) -> Report {
        Report {
            by,
            range,
            now,
            only,
            buckets: Buckets::of(by),
            tallies: BTreeMap::new(),
            held: 0,
        }
    }

    /// Adds what a walk of a cell's entries tells.
    pub fn add(
        &mut self,
        rotation: &RotationId,
        place: &Place,
        user: &UserId,
        happening: Happening,
    ) {
        if self.only.as_ref().is_some_and(|only| only != user) {
            return;
        }
        match happening {
            Happening::Held(period) => self.hold(rotation, place, user, period),
            Happening::Turn(at) => self.tally(rotation, user, at).counts.turns += 1,
            Happening::HandOver(at) => self.tally(rotation, user, at).counts.hand_overs += 1,
            Happening::PassedOver(at) => self.tally(rotation, user, at).counts.passed_over += 1,
        }
    }

    /// Counts something. What began before the range counts at its beginning.
    pub fn count(&mut self, rotation: &RotationId, user: &UserId, at: Timestamp, counted: Counted) {
        if self.only.as_ref().is_some_and(|only| only != user) {
            return;
        }
        let counts = &mut self.tally(rotation, user, at.max(self.range.from)).counts;
        match counted {
            Counted::CoverGiven => counts.covers_given += 1,
            Counted::CoverTaken => counts.covers_taken += 1,
            Counted::Swap => counts.swaps += 1,
            Counted::Mention => counts.mentions += 1,
            Counted::Acknowledged => counts.acknowledged += 1,
        }
    }

    /// Whether it still fits into memory.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] where it does not.
    pub fn check_size(&self) -> Result<(), Refusal> {
        match self.held > MOST_HELD || self.tallies.len() > MOST_ROWS {
            true => invalid(
                "to",
                "too much duty lies before it; ask for a shorter range, for one rotation, or for larger groups",
            ),
            false => Ok(()),
        }
    }

    /// Splits a stretch at now, and where a week or month ends.
    fn hold(&mut self, rotation: &RotationId, place: &Place, user: &UserId, period: Interval) {
        let mut from = period.from;
        while from < period.until {
            let mut until = self.buckets.end(from).min(period.until);
            if from < self.now {
                until = until.min(self.now);
            }
            let piece = Interval { from, until };
            let held = &mut self.tally(rotation, user, from).held;
            match held.last_mut() {
                Some(last) if last.period.until == from && last.place == *place => {
                    last.period.until = until;
                }
                _ => {
                    held.push(Held {
                        period: piece,
                        place: place.clone(),
                    });
                    self.held += 1;
                }
            }
            from = until;
        }
    }

    fn tally(&mut self, rotation: &RotationId, user: &UserId, at: Timestamp) -> &mut Tally {
        let key = Key {
            bucket: self.buckets.begin(at),
            user: user.clone(),
            rotation: self.by.has_rotation().then(|| rotation.clone()),
            planned: at >= self.now,
        };
        self.tallies.entry(key).or_default()
    }

    /// Everybody in it.
    pub fn people(&self) -> std::collections::BTreeSet<&UserId> {
        self.tallies.keys().map(|key| &key.user).collect()
    }

    /// The rows, by week or month, person and rotation; of two about the same, the record first. `zones` are those of people.
    pub fn rows(
        self,
        calendar: &Calendar,
        zones: impl Fn(&UserId) -> Option<ZoneName>,
    ) -> Vec<Row> {
        let by = self.by;
        let all = self.tallies.values().flat_map(|tally| &tally.held);
        let mut days = Days::of(all, calendar);
        let mut rows: BTreeMap<_, Row> = BTreeMap::new();
        for (key, tally) in self.tallies {
            let load = days.measure(&tally.held, zones(&key.user));
            let bucket = key.bucket.and_then(|begin| self.buckets.name(begin));
            let user = by.has_user().then(|| key.user.clone());
            let same = (key.bucket, user.clone(), key.rotation.clone(), key.planned);
            let row = rows.entry(same).or_insert(Row {
                user,
                rotation: key.rotation,
                bucket,
                planned: key.planned,
                load: Load::default(),
                counts: Counts::default(),
            });
            row.load += load;
            row.counts += tally.counts;
        }
        rows.into_values().collect()
    }
}
