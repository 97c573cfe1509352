//! The report of who is on call how much, by person, rotation, week or month (rules.md 7.5).

mod bucket;
#[cfg(test)]
mod tests;

use super::holidays::Calendar;
use super::ids::{RotationId, UserId};
pub use super::load::Counted;
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

/// How often each thing happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; 12]);

impl Counts {
    /// How often one thing happened.
    pub fn of(&self, counted: Counted) -> u64 {
        self.0[counted as usize]
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
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
        match happening {
            Happening::Held(period) if self.shows(user) => {
                self.hold(rotation, place, user, period);
            }
            Happening::Held(_) => {}
            Happening::Counted(counted, at) => self.count(rotation, user, at, counted),
        }
    }

    /// Counts something. What began before the range counts at its beginning.
    pub fn count(&mut self, rotation: &RotationId, user: &UserId, at: Timestamp, counted: Counted) {
        if self.shows(user) {
            let counts = &mut self.tally(rotation, user, at.max(self.range.from)).counts;
            counts.0[counted as usize] += 1;
        }
    }

    fn shows(&self, user: &UserId) -> bool {
        self.only.as_ref().is_none_or(|only| only == user)
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
