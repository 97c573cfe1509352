//! How much somebody is on call: hours, and those of nights, weekends and holidays among them (rules.md 7.4).

#[cfg(test)]
mod tests;
mod walk;

pub use walk::{Counted, Happening, Walk};

use super::holidays::{Calendar, CountryCode};
use super::ids::WindowId;
use super::rotation::{Entry, Rotation};
use super::time::{Interval, joined, shared};
use super::zones::ZoneName;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::{SignedDuration, Timestamp, ToSpan};
use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;
use std::sync::Arc;

/// The zone and countries that decide which days of a cell are weekends and holidays.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Of the covered hours; `None` for a rotation without a cadence.
    pub zone: Option<ZoneName>,
    /// Of the cadence. Without any, weekends are Saturday and Sunday, and there are no holidays.
    pub countries: Arc<[CountryCode]>,
}

/// The places of a rotation, with the countries of each window's cadence as they are now: the record does not keep them.
#[derive(Clone, Debug)]
pub struct Places(HashMap<WindowId, Arc<[CountryCode]>>);

impl Places {
    /// Those of a rotation.
    pub fn of(rotation: &Rotation) -> Places {
        let windows = rotation.windows.iter();
        let countries = windows.filter_map(|window| {
            let cadence = window.cadence.as_ref()?;
            let countries = cadence.skips.countries.as_slice();
            Some((window.id.clone(), countries.into()))
        });
        Places(countries.collect())
    }

    /// The place of an entry of a cell in a window.
    pub fn at(&self, window: &WindowId, entry: &Entry) -> Place {
        Place {
            zone: entry.hours.zone,
            countries: self.0.get(window).cloned().unwrap_or_default(),
        }
    }
}

/// A stretch for which somebody is on call in one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub period: Interval,
    pub place: Place,
}

/// How much one person is on call. Being on call in two cells at once counts once, save in `place_hours`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    pub hours: SignedDuration,
    /// The hours with each cell counted in full.
    pub place_hours: SignedDuration,
    /// Between 22:00 and 06:00 in the person's zone.
    pub nights: SignedDuration,
    pub weekends: SignedDuration,
    pub holidays: SignedDuration,
}

impl AddAssign for Load {
    fn add_assign(&mut self, other: Load) {
        self.hours += other.hours;
        self.place_hours += other.place_hours;
        self.nights += other.nights;
        self.weekends += other.weekends;
        self.holidays += other.holidays;
    }
}

/// The nights, weekends and holidays of every zone that somebody is measured in: worked out once for all who are.
pub struct Days<'c> {
    calendar: &'c Calendar,
    /// From the beginning of what is measured to its end.
    range: Interval,
    nights: BTreeMap<ZoneName, Vec<Interval>>,
    free: BTreeMap<(ZoneName, Arc<[CountryCode]>), Free>,
}

/// Days off in a zone, each kind in order and apart.
struct Free {
    weekends: Vec<Interval>,
    holidays: Vec<Interval>,
}

impl<'c> Days<'c> {
    /// Those that matter for these stretches, which are all that is measured.
    pub fn of<'h>(all: impl IntoIterator<Item = &'h Held>, calendar: &'c Calendar) -> Days<'c> {
        let periods = all.into_iter().map(|held| held.period);
        let range = periods.reduce(|range, period| Interval {
            from: range.from.min(period.from),
            until: range.until.max(period.until),
        });
        Days {
            calendar,
            range: range.unwrap_or(Interval::new(Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH)),
            nights: BTreeMap::new(),
            free: BTreeMap::new(),
        }
    }

    /// Measures what one person held. Nights are those of their `own` zone, else of the covered hours; weekends and holidays those
    /// of the covered hours, else of their own zone; UTC where neither is known.
    pub fn measure(&mut self, held: &[Held], own: Option<ZoneName>) -> Load {
        let mut places: BTreeMap<&Place, Vec<Interval>> = BTreeMap::new();
        for one in held {
            places.entry(&one.place).or_default().push(one.period);
        }
        let (mut nights, mut weekends, mut holidays) = (Vec::new(), Vec::new(), Vec::new());
        for (place, periods) in places {
            let asleep = own.or(place.zone).unwrap_or(ZoneName::utc());
            let zone = place.zone.or(own).unwrap_or(ZoneName::utc());
            let periods = joined(periods);
            nights.extend(shared(&periods, self.nights(asleep)));
            let free = self.free(zone, &place.countries);
            weekends.extend(shared(&periods, &free.weekends));
            holidays.extend(shared(&periods, &free.holidays));
        }
        let all = held.iter().map(|one| one.period).collect();
        Load {
            hours: length(joined(all)),
            place_hours: length(held.iter().map(|one| one.period)),
            nights: length(joined(nights)),
            weekends: length(joined(weekends)),
            holidays: length(joined(holidays)),
        }
    }

    fn nights(&mut self, zone: ZoneName) -> &[Interval] {
        let range = self.range;
        self.nights
            .entry(zone)
            .or_insert_with(|| nights(zone, range))
    }

    fn free(&mut self, zone: ZoneName, countries: &Arc<[CountryCode]>) -> &Free {
        let (calendar, range) = (self.calendar, self.range);
        let place = (zone, Arc::clone(countries));
        self.free.entry(place).or_insert_with(|| {
            let days = |is_one: &dyn Fn(Date) -> bool| {
                joined(stretches(range, zone, |date| {
                    is_one(date).then(|| whole(date))?
                }))
            };
            Free {
                weekends: days(&|date| is_weekend(countries, calendar, date)),
                holidays: match countries.is_empty() {
                    true => Vec::new(),
                    false => days(&|date| is_holiday(countries, calendar, date)),
                },
            }
        })
    }
}

fn is_weekend(countries: &[CountryCode], calendar: &Calendar, date: Date) -> bool {
    let mut each = countries.iter();
    match countries.is_empty() {
        true => matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday),
        false => each.any(|country| calendar.is_weekend(*country, date)),
    }
}

fn is_holiday(countries: &[CountryCode], calendar: &Calendar, date: Date) -> bool {
    let mut each = countries.iter();
    each.any(|country| calendar.is_national_holiday(*country, date))
}

/// The nights of a zone in a range, by where they begin.
pub(super) fn nights(zone: ZoneName, range: Interval) -> Vec<Interval> {
    joined(stretches(range, zone, night))
}

/// From 22:00 to 06:00 of the next day.
fn night(date: Date) -> Option<(DateTime, DateTime)> {
    let next = date.checked_add(1.day()).ok()?;
    Some((date.at(22, 0, 0, 0), next.at(6, 0, 0, 0)))
}

fn whole(date: Date) -> Option<(DateTime, DateTime)> {
    let next = date.checked_add(1.day()).ok()?;
    Some((date.at(0, 0, 0, 0), next.at(0, 0, 0, 0)))
}

/// The parts of a period that lie in stretches of local time, one at most that begins on each day.
fn stretches(
    period: Interval,
    zone: ZoneName,
    stretch: impl Fn(Date) -> Option<(DateTime, DateTime)>,
) -> Vec<Interval> {
    let at = |local: DateTime| zone.tz().to_ambiguous_timestamp(local).compatible().ok();
    // The night before the first day reaches into it.
    let first = zone.tz().to_datetime(period.from).date();
    let first = first.checked_sub(1.day()).unwrap_or(Date::MIN);
    let last = zone.tz().to_datetime(period.until).date();
    let days = first.series(1.day()).take_while(|day| *day <= last);
    let found = days.filter_map(|day| {
        let (from, until) = stretch(day)?;
        let stretch = Interval::new(at(from)?, at(until)?);
        period.meets(stretch)
    });
    found.collect()
}

fn length(periods: impl IntoIterator<Item = Interval>) -> SignedDuration {
    periods.into_iter().map(|period| period.length()).sum()
}
