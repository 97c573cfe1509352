//! Reading recurrence rules.

use super::error::EventError;
use super::value::{Moment, moment};
use crate::domain::recurrence::rule::{Every, Rule, Until};
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use std::str::FromStr;

/// The most values of one part: all days of a year, from both ends.
const MOST_VALUES: usize = 732;

/// The most parts of a rule. The standard has 17, each once.
const MOST_PARTS: usize = 50;

/// Parses the value of RRULE. Its lists have each value once.
pub fn read(value: &str) -> Result<Rule, EventError> {
    let wrong = |part: &str| EventError::Rule(part.into());
    let mut parts = Vec::new();
    for part in value.trim().trim_end_matches(';').split(';') {
        let (name, value) = part.split_once('=').ok_or_else(|| wrong(part))?;
        let name = name.trim().to_ascii_uppercase();
        if parts.len() == MOST_PARTS || parts.iter().any(|(known, _)| *known == name) {
            return Err(wrong(part));
        }
        parts.push((name, value.trim()));
    }
    let every = parts.iter().find(|(name, _)| name == "FREQ");
    let (_, every) = every.ok_or_else(|| wrong("no FREQ"))?;
    let mut rule = Rule::new(match &every.to_ascii_uppercase()[..] {
        "YEARLY" => Every::Year,
        "MONTHLY" => Every::Month,
        "WEEKLY" => Every::Week,
        "DAILY" => Every::Day,
        "HOURLY" | "MINUTELY" | "SECONDLY" => return Err(EventError::TooOften),
        _ => return Err(wrong(every)),
    });
    for (name, value) in &parts {
        part(&mut rule, name, value).ok_or_else(|| wrong(&format!("{name}={value}")))?;
    }
    Ok(rule)
}

/// Sets one part. `None` for a value that it cannot have, and for parts that are not known.
fn part(rule: &mut Rule, name: &str, value: &str) -> Option<()> {
    match name {
        "FREQ" => {}
        "INTERVAL" => {
            let interval: u32 = value.parse().ok()?;
            rule.interval = i64::from(interval);
            (interval > 0).then_some(())?;
        }
        "COUNT" => {
            let count: u64 = value.parse().ok()?;
            rule.count = Some(count);
            (count > 0).then_some(())?;
        }
        "UNTIL" => {
            rule.until = Some(match moment(value)? {
                Moment::Day(day) => Until::Day(day),
                Moment::Local(local) => Until::Local(local),
                Moment::Utc(utc) => Until::At(TimeZone::UTC.to_timestamp(utc).ok()?),
            });
        }
        "WKST" => rule.week_start = weekday(value)?,
        "BYDAY" => {
            let days = value.split(',').map(numbered_weekday);
            rule.weekdays = days.collect::<Option<_>>()?;
            (rule.weekdays.len() <= MOST_VALUES).then_some(())?;
            rule.weekdays
                .sort_by_key(|(number, day)| (*number, day.to_monday_zero_offset()));
            rule.weekdays.dedup();
        }
        "BYMONTH" => rule.months = numbers(value, 1, 12)?,
        "BYWEEKNO" => rule.weeks = from_both_ends(value, 53)?,
        "BYYEARDAY" => rule.year_days = from_both_ends(value, 366)?,
        "BYMONTHDAY" => rule.month_days = from_both_ends(value, 31)?,
        "BYHOUR" => rule.hours = numbers(value, 0, 23)?,
        "BYMINUTE" => rule.minutes = numbers(value, 0, 59)?,
        "BYSECOND" => rule.seconds = numbers(value, 0, 60)?,
        "BYSETPOS" => rule.positions = from_both_ends(value, 366)?,
        // The calendar and the way of skipping that all rules have unless they say otherwise.
        "RSCALE" => value.eq_ignore_ascii_case("GREGORIAN").then_some(())?,
        "SKIP" => value.eq_ignore_ascii_case("OMIT").then_some(())?,
        name => name.starts_with("X-").then_some(())?,
    }
    Some(())
}

fn numbers<T: FromStr + Ord + Copy>(value: &str, least: T, most: T) -> Option<Vec<T>> {
    let numbers = value.split(',').map(|number| {
        let number: T = number.trim().parse().ok()?;
        (least <= number && number <= most).then_some(number)
    });
    let mut numbers: Vec<T> = numbers.collect::<Option<_>>()?;
    (numbers.len() <= MOST_VALUES).then_some(())?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

fn from_both_ends<T>(value: &str, most: T) -> Option<Vec<T>>
where
    T: FromStr + Ord + Copy + From<i8> + std::ops::Neg<Output = T>,
{
    let numbers = numbers(value, -most, most)?;
    numbers
        .iter()
        .all(|number| *number != T::from(0))
        .then_some(numbers)
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match &text.to_ascii_uppercase()[..] {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}

/// `MO`, `2TU` or `-1FR`.
fn numbered_weekday(text: &str) -> Option<(Option<i8>, Weekday)> {
    let text = text.trim();
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let weekday = weekday(&text[at..])?;
    if at == 0 {
        return Some((None, weekday));
    }
    let number: i8 = text[..at].parse().ok()?;
    (number != 0 && (-53..=53).contains(&number)).then_some((Some(number), weekday))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_or_refused() {
        for (text, is_read) in [
            ("FREQ=DAILY", true),
            ("freq=daily;interval=2;", true),
            (
                "FREQ=YEARLY;BYDAY=+1MO,-1FR,SU;BYMONTH=1,12;BYSETPOS=-1",
                true,
            ),
            ("FREQ=WEEKLY;UNTIL=20261231T235959Z;WKST=SU", true),
            ("FREQ=YEARLY;BYYEARDAY=-366,366;BYWEEKNO=-53", true),
            ("FREQ=DAILY;BYHOUR=0,23;BYMINUTE=59;BYSECOND=60", true),
            ("RSCALE=GREGORIAN;FREQ=DAILY;SKIP=OMIT;X-OWN=1", true),
            ("FREQ=MINUTELY", false),
            ("FREQ=FORTNIGHTLY", false),
            ("INTERVAL=2", false),
            ("FREQ=DAILY;FREQ=DAILY", false),
            ("FREQ=DAILY;INTERVAL=0", false),
            ("FREQ=DAILY;INTERVAL=-1", false),
            ("FREQ=DAILY;INTERVAL=4294967296", false),
            ("FREQ=DAILY;COUNT=0", false),
            ("FREQ=DAILY;BYMONTH=0", false),
            ("FREQ=DAILY;BYMONTH=13", false),
            ("FREQ=DAILY;BYMONTHDAY=0", false),
            ("FREQ=DAILY;BYMONTHDAY=", false),
            ("FREQ=DAILY;BYHOUR=24", false),
            ("FREQ=YEARLY;BYDAY=0MO", false),
            ("FREQ=YEARLY;BYDAY=54MO", false),
            ("FREQ=YEARLY;BYDAY=MÖ", false),
            ("FREQ=YEARLY;BYDAY=1", false),
            ("RSCALE=CHINESE;FREQ=YEARLY", false),
            ("FREQ=YEARLY;BYEASTER=1", false),
            ("FREQ", false),
            ("", false),
        ] {
            assert_eq!(read(text).is_ok(), is_read, "{text}");
        }
        assert_eq!(read("FREQ=HOURLY").unwrap_err(), EventError::TooOften);
        let parts = |count| {
            (0..count).fold("FREQ=DAILY".to_owned(), |text, n| {
                text + &format!(";X-{n}=1")
            })
        };
        assert!(read(&parts(MOST_PARTS - 1)).is_ok());
        assert!(read(&parts(MOST_PARTS)).is_err());
    }

    #[test]
    fn lists_have_each_value_once() {
        let rule =
            read("FREQ=YEARLY;BYDAY=MO,1MO,MO,1MO,-1TU;BYMONTH=2,1,2;BYSETPOS=-1,1,-1,1").unwrap();
        assert_eq!((rule.weekdays.len(), rule.months), (3, vec![1, 2]));
        assert_eq!(rule.positions, [-1, 1]);
    }
}
