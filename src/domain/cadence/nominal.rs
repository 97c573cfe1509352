//! The nominal days of a cadence, before skipped days are considered. Days are numbers (`days.rs`) and computed by
//! division, so an anchor decades ago costs no more than a recent one.

use super::{Cadence, Kind};
use crate::domain::days::{self, SHUT_LIMIT};
use crate::domain::holidays::Calendar;
use jiff::civil::{Date, DateTime, Weekday};

/// The days of one cadence.
pub(super) struct Nominal<'a> {
    kind: &'a Kind,
    period: i64,
    anchor: Date,
    /// The anchor's day number.
    first: i64,
    /// Only for `Kind::Workday`.
    working: Option<Working<'a>>,
}

impl<'a> Nominal<'a> {
    pub(super) fn new(cadence: &'a Cadence, calendar: &'a Calendar, anchor: DateTime) -> Self {
        let first = days::number(anchor.date());
        // A period of 0 is refused when parsing; here it must not divide.
        let period = i64::from(cadence.period.max(1));
        let working =
            (cadence.kind == Kind::Workday).then(|| Working::new(cadence, calendar, first, period));
        Nominal {
            kind: &cadence.kind,
            period,
            anchor: anchor.date(),
            first,
            working,
        }
    }

    /// The first nominal day on or after `day`. In the anchor's own week or month it may be before the anchor; the walk drops
    /// such days.
    pub(super) fn on_or_after(&self, day: i64) -> Option<i64> {
        match self.kind {
            Kind::DayOfWeek => Some(multiple(self.first, 7 * self.period, day)),
            Kind::Daily { .. } => Some(multiple(self.first, self.period, day)),
            Kind::DaysOfWeekList(weekdays) => self.in_weeks(weekdays, day),
            Kind::DayOfMonth => self.in_months(day, |month| {
                let wanted = self.anchor.day().min(month.days_in_month());
                let found = days::number(month) + i64::from(wanted) - 1;
                (found >= day).then_some(found)
            }),
            Kind::NthWeekdayOfMonth { weekday, weeks } => self.in_months(day, |month| {
                let start = days::number(month);
                let offset = usize::from(weekday.to_monday_zero_offset() as u8) + 7;
                let lead = (offset - days::weekday(start)) % 7;
                weeks
                    .iter()
                    .map(|&week| lead as i64 + 7 * (i64::from(week) - 1))
                    .filter(|into| (0..i64::from(month.days_in_month())).contains(into))
                    .map(|into| start + into)
                    .filter(|&found| found >= day)
                    .min()
            }),
            Kind::Workday => self.working.as_ref()?.on_or_after(day),
        }
    }

    fn in_weeks(&self, weekdays: &[Weekday], day: i64) -> Option<i64> {
        let monday = self.first - days::weekday(self.first) as i64;
        let week = multiple(0, self.period, (day - monday).div_euclid(7));
        // The week of `day` may have none left; then the next counted week has one.
        [week, week + self.period].into_iter().find_map(|week| {
            weekdays
                .iter()
                .map(|weekday| monday + 7 * week + i64::from(weekday.to_monday_zero_offset()))
                .filter(|&found| found >= day)
                .min()
        })
    }

    /// Tries every `period`-th month from the anchor's on by its first day, beginning with that of `day`.
    fn in_months(&self, day: i64, find: impl Fn(Date) -> Option<i64>) -> Option<i64> {
        let index = |date: Date| i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
        let asked = match days::date(day) {
            Some(date) => index(date),
            None if day < self.first => index(self.anchor),
            None => return None,
        };
        let mut month = multiple(index(self.anchor), self.period, asked);
        // Ends at the last year of the calendar: the fifth Monday of every second February may never occur.
        loop {
            let year = i16::try_from(month.div_euclid(12)).ok()?;
            let date = Date::new(year, month.rem_euclid(12) as i8 + 1, 1).ok()?;
            if let Some(found) = find(date) {
                return Some(found);
            }
            month += self.period;
        }
    }
}

/// The first of `first`, `first + step`, `first + 2 * step` ... that is not before `at`.
fn multiple(first: i64, step: i64, at: i64) -> i64 {
    let ahead = at.saturating_sub(first).max(0);
    first + ahead.div_euclid(step) * step + if ahead % step == 0 { 0 } else { step }
}

/// The days that are neither weekend nor national holiday, counted from the anchor's day.
struct Working<'a> {
    cadence: &'a Cadence,
    calendar: &'a Calendar,
    first: i64,
    period: i64,
    /// Bit 0 for Monday.
    weekend: u8,
    /// Holidays from the anchor on that are not on a weekend, in order. Filled only to count every `period`-th day.
    holidays: Vec<i64>,
}

impl<'a> Working<'a> {
    fn new(cadence: &'a Cadence, calendar: &'a Calendar, first: i64, period: i64) -> Self {
        let countries = &cadence.skips.countries;
        let weekend = countries
            .iter()
            .fold(0, |mask, &country| mask | calendar.weekend(country));
        let mut holidays = Vec::new();
        if period > 1 {
            for &country in countries {
                holidays.extend(calendar.holidays_from(country, first));
            }
            holidays.retain(|&day| weekend & (1 << days::weekday(day)) == 0);
            holidays.sort_unstable();
            holidays.dedup();
        }
        Working {
            cadence,
            calendar,
            first,
            period,
            weekend,
            holidays,
        }
    }

    fn on_or_after(&self, day: i64) -> Option<i64> {
        let day = day.max(self.first);
        if self.period == 1 {
            return (day..day + SHUT_LIMIT).find(|&day| self.is_working(day));
        }
        let index = multiple(0, self.period, self.before(day));
        // The first working day with `index` working days before it.
        let (mut low, mut high) = (day, days::number(Date::MAX) + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.before(middle + 1) > index {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(low)
    }

    fn is_working(&self, day: i64) -> bool {
        self.weekend & (1 << days::weekday(day)) == 0
            && days::date(day).is_some_and(|date| {
                let holiday = |&country| self.calendar.is_national_holiday(country, date);
                !self.cadence.skips.countries.iter().any(holiday)
            })
    }

    /// The number of working days from the anchor's day to the day before `day`.
    fn before(&self, day: i64) -> i64 {
        let (weeks, rest) = ((day - self.first) / 7, (day - self.first) % 7);
        let weekdays = weeks * i64::from(7 - self.weekend.count_ones());
        let part = (day - rest..day).filter(|&d| self.weekend & (1 << days::weekday(d)) == 0);
        let holidays = self.holidays.partition_point(|&holiday| holiday < day);
        weekdays + part.count() as i64 - holidays as i64
    }
}
