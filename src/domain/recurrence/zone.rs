//! Time zones of calendars: those of tzdata, and those that a calendar defines itself.

use super::rule::Rule;
use super::{TooMuch, When, Work, windows};
use jiff::civil::{Date, DateTime, date};
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// A zone of an event.
#[derive(Clone, Debug)]
pub enum Zone {
    /// A zone of the compiled-in tzdata.
    Named(TimeZone),
    /// A zone by the rules that the calendar carries.
    Own(Arc<OwnZone>),
}

/// How an observance of a zone begins, such as daylight saving time.
#[derive(Clone, Debug)]
pub struct Observance {
    /// The first time that it begins, in the local time before.
    pub start: DateTime,
    pub before: Offset,
    pub after: Offset,
    pub rules: Vec<Rule>,
    /// Further times that it begins.
    pub dates: Vec<DateTime>,
}

/// The offsets of a zone that a calendar defines.
#[derive(Debug)]
pub struct OwnZone {
    first: Offset,
    /// Each change of the offset, in order.
    changes: Vec<(Timestamp, Offset)>,
}

/// Before this day a zone that a calendar defines has the offset that it had first: no event that is read is older.
const FIRST_DAY: Date = date(1970, 1, 1);

/// The work of one change of the offset: its instant, and its place among the others.
const WORK_OF_CHANGE: u64 = 4;

/// The longest name of a zone that is looked for, in bytes.
const LONGEST_NAME: usize = 255;

/// How many parts a name in tzdata has at the most, as in `America/Argentina/Buenos_Aires`.
const MOST_PARTS: usize = 3;

/// Longer than any two offsets are apart.
const FAR: SignedDuration = SignedDuration::from_hours(26);

impl Zone {
    /// Coordinated universal time.
    pub fn utc() -> Zone {
        Zone::Named(TimeZone::UTC)
    }

    /// A zone by its name in tzdata, also where a program's prefix stands before it (`/mozilla.org/20050126_1/Europe/Berlin`), or
    /// by its name in Windows. Takes the same time for every name.
    pub fn by_name(name: &str) -> Option<Zone> {
        let name = name.trim();
        if name.len() > LONGEST_NAME {
            return None;
        }
        let get = |name: &str| {
            let known = TimeZoneDatabase::bundled().get(name).ok();
            known.filter(|tz| !tz.is_unknown()).map(Zone::Named)
        };
        if let Some(zone) = get(name) {
            return Some(zone);
        }
        if let Some(city) = windows::city(name) {
            return get(city);
        }
        // Only a prefix that says so: `x/UTC` may be anything.
        let prefixed = name.strip_prefix('/')?;
        let parts = prefixed.rmatch_indices('/').take(MOST_PARTS);
        let mut ends: Vec<&str> = parts.map(|(at, _)| &prefixed[at + 1..]).collect();
        // The longest first.
        ends.reverse();
        ends.into_iter().find_map(|end| {
            let is_name = end.contains('/') || end.eq_ignore_ascii_case("UTC");
            is_name.then(|| get(end)).flatten()
        })
    }

    /// The instant of a local time. One that a clock skips is as long after the change as it is after the time before; one
    /// that a clock shows twice is the first of both. `None` outside of jiff's years.
    pub fn instant(&self, local: DateTime) -> Option<Timestamp> {
        match self {
            Zone::Named(tz) => tz.to_timestamp(local).ok(),
            Zone::Own(own) => own.instant(local),
        }
    }

    /// The local time at an instant.
    pub fn local(&self, at: Timestamp) -> DateTime {
        match self {
            Zone::Named(tz) => tz.to_datetime(at),
            Zone::Own(own) => own.offset(at).to_datetime(at),
        }
    }

    /// Whether two are known to be the same.
    pub fn is(&self, other: &Zone) -> bool {
        match (self, other) {
            (Zone::Named(one), Zone::Named(other)) => one == other,
            (Zone::Own(one), Zone::Own(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl OwnZone {
    /// A zone by its observances, up to an instant. `None` without any.
    pub fn new(
        observances: &[Observance],
        until: Timestamp,
        work: &mut Work,
    ) -> Result<Option<OwnZone>, TooMuch> {
        let mut changes = Vec::new();
        for observance in observances {
            let tz = TimeZone::fixed(observance.before);
            let start = When {
                civil: observance.start,
                whole_day: false,
                zone: Zone::Named(tz.clone()),
            };
            let mut begins = observance.dates.clone();
            begins.push(observance.start);
            let last = tz.to_datetime(until);
            for rule in &observance.rules {
                let from = FIRST_DAY.at(0, 0, 0, 0);
                rule.each(&start, (from, last), work, &mut |local, work| {
                    begins.push(local);
                    work.spend(WORK_OF_CHANGE)
                })?;
            }
            work.spend(WORK_OF_CHANGE * begins.len() as u64)?;
            let instants = begins
                .iter()
                .filter_map(|local| tz.to_timestamp(*local).ok());
            changes.extend(instants.map(|at| (at, observance.before, observance.after)));
        }
        changes.sort_by_key(|(at, ..)| *at);
        let Some((_, first, _)) = changes.first() else {
            return Ok(None);
        };
        Ok(Some(OwnZone {
            first: *first,
            changes: changes.iter().map(|(at, _, after)| (*at, *after)).collect(),
        }))
    }

    /// The bytes that it keeps.
    pub fn size(&self) -> usize {
        size_of::<OwnZone>() + self.changes.len() * size_of::<(Timestamp, Offset)>()
    }

    fn offset(&self, at: Timestamp) -> Offset {
        let past = self.changes.partition_point(|(change, _)| *change <= at);
        match past.checked_sub(1) {
            Some(last) => self.changes[last].1,
            None => self.first,
        }
    }

    fn instant(&self, local: DateTime) -> Option<Timestamp> {
        let near = TimeZone::UTC.to_timestamp(local).ok()?;
        let at = |offset: Offset| offset.to_timestamp(local).ok();
        let around = |far: SignedDuration| near.checked_add(far).map_or(near, |near| near);
        let before = self.offset(around(-FAR));
        let after = self.offset(around(FAR));
        let is_so = |offset: Offset| Some(self.offset(at(offset)?) == offset);
        if is_so(before)? || !is_so(after)? {
            return at(before);
        }
        at(after)
    }
}
