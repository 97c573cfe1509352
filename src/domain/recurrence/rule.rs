//! Recurrence rules: RRULE of RFC 5545, of days and longer.
//!
//! Each step of a rule is one of its periods: a year, month, week or day. The days of a period that pass every part of the rule,
//! at each of its times of day, are its set, of which BYSETPOS takes some.

use super::{TooMuch, When, Work};
use crate::domain::days;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};

/// The most instances of one period among which BYSETPOS chooses.
const MOST_OF_A_SET: usize = 50_000;

/// How many values of a rule's lists are looked through in one unit of work.
const VALUES_OF_A_UNIT: usize = 16;

/// How long a period is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    Year,
    Month,
    Week,
    Day,
}

/// The last instance that a rule may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The end of a day.
    Day(Date),
    /// A local time of the event.
    Local(DateTime),
    At(Timestamp),
}

/// A recurrence rule. Empty lists do not restrict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub every: Every,
    /// At least 1.
    pub interval: i64,
    pub count: Option<u64>,
    pub until: Option<Until>,
    /// 1 to 12.
    pub months: Vec<i8>,
    /// 1 to 53, or -1 to -53 from the end of the year.
    pub weeks: Vec<i8>,
    /// 1 to 366, or -1 to -366 from the end of the year.
    pub year_days: Vec<i16>,
    /// 1 to 31, or -1 to -31 from the end of the month.
    pub month_days: Vec<i8>,
    /// Weekdays; with a number only that one of the month or year, negative from its end.
    pub weekdays: Vec<(Option<i8>, Weekday)>,
    pub hours: Vec<i8>,
    pub minutes: Vec<i8>,
    pub seconds: Vec<i8>,
    /// 1 to 366, or -1 to -366 from the end of the set.
    pub positions: Vec<i16>,
    pub week_start: Weekday,
}

impl Rule {
    /// A rule without parts.
    pub fn new(every: Every) -> Rule {
        Rule {
            every,
            interval: 1,
            count: None,
            until: None,
            months: Vec::new(),
            weeks: Vec::new(),
            year_days: Vec::new(),
            month_days: Vec::new(),
            weekdays: Vec::new(),
            hours: Vec::new(),
            minutes: Vec::new(),
            seconds: Vec::new(),
            positions: Vec::new(),
            week_start: Weekday::Monday,
        }
    }

    /// Visits the instances of an event that begin within a range of local times, both ends included, in order.
    ///
    /// # Errors
    /// [`TooMuch`], also that of `visit`.
    pub fn each(
        &self,
        start: &When,
        (from, until): (DateTime, DateTime),
        work: &mut Work,
        visit: &mut dyn FnMut(DateTime, &mut Work) -> Result<(), TooMuch>,
    ) -> Result<(), TooMuch> {
        let filled = self.filled(start.civil.date());
        let work_of_day = filled.work_of_day();
        work.spend(work_of_day)?;
        let last = self.last(start).min(until);
        let times = self.times(start, work)?;
        let mut left = self.count;
        // Whether another instance may follow.
        let mut give = |local: DateTime, work: &mut Work| -> Result<bool, TooMuch> {
            if local < start.civil {
                return Ok(true);
            }
            if local > last || left == Some(0) {
                return Ok(false);
            }
            left = left.map(|left| left - 1);
            if local >= from {
                visit(local, work)?;
            }
            Ok(left != Some(0))
        };
        let mut set = Vec::new();
        for step in self.first_step(start.civil.date(), from.date()).. {
            work.spend(1)?;
            let Some((first, length)) = self.period(start.civil.date(), step) else {
                return Ok(());
            };
            if days::date(first).is_none_or(|first| first > last.date()) {
                return Ok(());
            }
            set.clear();
            for day in (first..first + length).filter_map(days::date) {
                work.spend(work_of_day)?;
                if !filled.takes(day) {
                    continue;
                }
                work.spend(times.len() as u64)?;
                let locals = times.iter().map(|time| day.to_datetime(*time));
                if !self.positions.is_empty() {
                    set.extend(locals);
                    if set.len() > MOST_OF_A_SET {
                        return Err(TooMuch::Part);
                    }
                    continue;
                }
                for local in locals {
                    if !give(local, work)? {
                        return Ok(());
                    }
                }
            }
            if !self.positions.is_empty() {
                work.spend(self.positions.len() as u64)?;
                for local in self.positioned(&set) {
                    if !give(local, work)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// The bytes that it keeps.
    pub fn size(&self) -> usize {
        let bytes = [&self.months, &self.weeks, &self.month_days, &self.hours];
        let bytes = bytes.into_iter().chain([&self.minutes, &self.seconds]);
        let numbers = self.year_days.len() + self.positions.len();
        size_of::<Rule>()
            + bytes.map(Vec::len).sum::<usize>()
            + size_of::<i16>() * numbers
            + size_of_val(&self.weekdays[..])
    }

    /// The work of testing one day.
    fn work_of_day(&self) -> u64 {
        let numbers = self.months.len() + self.weeks.len() + self.month_days.len();
        let values = numbers + self.year_days.len() + self.weekdays.len();
        (1 + values.div_ceil(VALUES_OF_A_UNIT)) as u64
    }

    /// The last local time that an instance may have.
    fn last(&self, start: &When) -> DateTime {
        match self.until {
            None => DateTime::MAX,
            Some(Until::Day(day)) => day.at(23, 59, 59, 0),
            Some(Until::Local(local)) if start.whole_day => local.date().at(0, 0, 0, 0),
            Some(Until::Local(local)) => local,
            // Programs write the end of a whole-day event as midnight or the last second of its last day, as if it were UTC.
            Some(Until::At(at)) if start.whole_day => jiff::tz::TimeZone::UTC
                .to_datetime(at)
                .date()
                .at(0, 0, 0, 0),
            Some(Until::At(at)) => start.zone.local(at),
        }
    }

    /// The period with which a walk begins. Instances are only counted from the first.
    fn first_step(&self, start: Date, from: Date) -> i64 {
        if self.count.is_some() {
            return 0;
        }
        let years = i64::from(from.year()) - i64::from(start.year());
        let months = years * 12 + i64::from(from.month()) - i64::from(start.month());
        let passed = days::number(from) - days::number(start);
        let periods = match self.every {
            Every::Year => years,
            Every::Month => months,
            Every::Week => passed / 7,
            Every::Day => passed,
        };
        (periods / self.interval - 1).max(0)
    }

    /// The number of a period's first day, and how many days it has; `None` outside of jiff's years.
    fn period(&self, start: Date, step: i64) -> Option<(i64, i64)> {
        let steps = step.checked_mul(self.interval)?;
        match self.every {
            Every::Year => {
                let year = i64::from(start.year()).checked_add(steps)?;
                let year = i16::try_from(year).ok()?;
                let first = Date::new(year, 1, 1).ok()?;
                Some((days::number(first), i64::from(first.days_in_year())))
            }
            Every::Month => {
                let month = i64::from(start.month()) - 1;
                let month = month.checked_add(steps)?;
                let year = i64::from(start.year()).checked_add(month.div_euclid(12))?;
                let (year, month) = (i16::try_from(year).ok()?, month.rem_euclid(12) + 1);
                let first = Date::new(year, i8::try_from(month).ok()?, 1).ok()?;
                Some((days::number(first), i64::from(first.days_in_month())))
            }
            Every::Week => {
                let start = days::number(start);
                let first = start - since(self.week_start, start);
                Some((first.checked_add(steps.checked_mul(7)?)?, 7))
            }
            Every::Day => Some((days::number(start).checked_add(steps)?, 1)),
        }
    }

    /// The times of day of instances, in order.
    fn times(&self, start: &When, work: &mut Work) -> Result<Vec<Time>, TooMuch> {
        let time = start.civil.time();
        if start.whole_day {
            return Ok(vec![time]);
        }
        let or = |given: &[i8], own: i8| match given.is_empty() {
            true => vec![own],
            false => given.to_vec(),
        };
        let hours = or(&self.hours, time.hour());
        let minutes = or(&self.minutes, time.minute());
        let seconds = or(&self.seconds, time.second());
        work.spend(hours.len() as u64 * minutes.len() as u64 * seconds.len() as u64)?;
        let mut times = Vec::new();
        for hour in &hours {
            for minute in &minutes {
                for second in &seconds {
                    // A leap second is the last second of its minute: no clock here has it.
                    times.extend(Time::new(*hour, *minute, (*second).min(59), 0));
                }
            }
        }
        times.sort();
        times.dedup();
        Ok(times)
    }

    /// The rule with what it leaves open taken from where the event starts.
    fn filled(&self, start: Date) -> Rule {
        let mut rule = self.clone();
        let has_days =
            !rule.year_days.is_empty() || !rule.month_days.is_empty() || !rule.weekdays.is_empty();
        if !matches!(rule.every, Every::Year | Every::Month) {
            // Only months and years have a second Tuesday.
            rule.weekdays
                .iter_mut()
                .for_each(|(number, _)| *number = None);
            rule.weekdays
                .sort_by_key(|(_, day)| day.to_monday_zero_offset());
            rule.weekdays.dedup();
        }
        match rule.every {
            _ if has_days => {}
            Every::Year if !rule.weeks.is_empty() => {
                rule.weekdays = vec![(None, start.weekday())];
            }
            Every::Year => {
                if rule.months.is_empty() {
                    rule.months = vec![start.month()];
                }
                rule.month_days = vec![start.day()];
            }
            Every::Month => rule.month_days = vec![start.day()],
            Every::Week => rule.weekdays = vec![(None, start.weekday())],
            Every::Day => {}
        }
        rule
    }

    /// Whether a day passes every part.
    fn takes(&self, day: Date) -> bool {
        let counted = |days: &[i16], at: i16, length: i16| {
            days.is_empty() || days.contains(&at) || days.contains(&(at - length - 1))
        };
        let month_days = || {
            let (at, length) = (day.day(), day.days_in_month());
            self.month_days.is_empty()
                || self.month_days.contains(&at)
                || self.month_days.contains(&(at - length - 1))
        };
        (self.months.is_empty() || self.months.contains(&day.month()))
            && month_days()
            && (self.weekdays.is_empty() || self.takes_weekday(day))
            && counted(&self.year_days, day.day_of_year(), day.days_in_year())
            && (self.weeks.is_empty() || self.takes_week(day))
    }

    fn takes_weekday(&self, day: Date) -> bool {
        // In a year, numbers count weekdays of the month where months are given.
        let by_year = self.every == Every::Year && self.months.is_empty();
        let (at, length) = match by_year {
            true => (day.day_of_year(), day.days_in_year()),
            false => (i16::from(day.day()), i16::from(day.days_in_month())),
        };
        self.weekdays.iter().any(|(number, weekday)| {
            let number = number.map(i16::from);
            *weekday == day.weekday()
                && number.is_none_or(|number| {
                    number == (at - 1) / 7 + 1 || number == -((length - at) / 7 + 1)
                })
        })
    }

    fn takes_week(&self, day: Date) -> bool {
        let Some((week, weeks)) = week_of(day, self.week_start) else {
            return false;
        };
        self.weeks.contains(&week) || self.weeks.contains(&(week - weeks - 1))
    }

    fn positioned(&self, set: &[DateTime]) -> Vec<DateTime> {
        let at = |position: i16| match position {
            1.. => usize::try_from(position - 1).ok(),
            _ => set.len().checked_sub(usize::from(position.unsigned_abs())),
        };
        let places = self.positions.iter().filter_map(|position| at(*position));
        let mut taken: Vec<DateTime> = places.filter_map(|at| set.get(at).copied()).collect();
        taken.sort();
        taken.dedup();
        taken
    }
}

/// How many days a day is after the last one of a weekday.
fn since(weekday: Weekday, day: i64) -> i64 {
    let weekday = i64::from(weekday.to_monday_zero_offset());
    (days::weekday(day) as i64 - weekday).rem_euclid(7)
}

/// The number of the week of a day, and how many weeks its year has. A week belongs to the year that has four days of it.
fn week_of(day: Date, week_start: Weekday) -> Option<(i8, i8)> {
    let first = |year: i16| {
        let new_year = days::number(Date::new(year, 1, 1).ok()?);
        let into = since(week_start, new_year);
        Some(new_year - into + if into > 3 { 7 } else { 0 })
    };
    let at = days::number(day);
    let year = day.year();
    let year = match () {
        () if at < first(year)? => year - 1,
        () if first(year + 1).is_some_and(|next| at >= next) => year + 1,
        () => year,
    };
    let (first, next) = (first(year)?, first(year + 1)?);
    let number = |days: i64| i8::try_from(days / 7).ok();
    Some((number(at - first)? + 1, number(next - first)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn weeks_belong_to_the_year_with_four_of_their_days() {
        for (day, week_start, expected) in [
            (date(2026, 1, 1), Weekday::Monday, (1, 53)),
            (date(2026, 12, 31), Weekday::Monday, (53, 53)),
            (date(2027, 1, 3), Weekday::Monday, (53, 53)),
            (date(2027, 1, 4), Weekday::Monday, (1, 52)),
            (date(2025, 12, 29), Weekday::Monday, (1, 53)),
            (date(2025, 12, 28), Weekday::Monday, (52, 52)),
            (date(2025, 12, 28), Weekday::Sunday, (53, 53)),
            (date(2026, 1, 3), Weekday::Sunday, (53, 53)),
        ] {
            assert_eq!(
                week_of(day, week_start),
                Some(expected),
                "{day} {week_start:?}"
            );
        }
    }
}
