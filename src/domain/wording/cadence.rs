//! Cadences and covered hours in words.

use crate::domain::cadence::{Cadence, Kind};
use crate::domain::coverage::Stretch;
use crate::domain::holidays::CountryCode;
use crate::domain::time::HhMm;
use jiff::civil::Weekday;

/// A text that begins with a capital.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The days of the week in order, as the API names them.
pub const DAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// The name of a day.
pub fn day(day: Weekday) -> String {
    capital(day_name(day))
}

/// The name of a day in [`DAYS`].
pub fn day_name(day: Weekday) -> &'static str {
    DAYS[day.to_monday_zero_offset().unsigned_abs() as usize]
}

/// The day of a name in [`DAYS`].
pub fn weekday(name: &str) -> Option<Weekday> {
    let day = DAYS.iter().position(|day| *day == name)?;
    Weekday::from_monday_zero_offset(i8::try_from(day).ok()?).ok()
}

fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// When hand-overs are, in words that follow others.
pub fn hand_overs(cadence: &Cadence) -> String {
    let anchor = cadence.anchor();
    let time = format!("{:02}:{:02}", anchor.hour(), anchor.minute());
    let period = cadence.period;
    let every = |unit: &str| match period {
        1 => format!("every {unit}"),
        period => format!("every {period} {unit}s"),
    };
    let weekday = day(cadence.day_of_week());
    let when = match &cadence.kind {
        Kind::DayOfWeek if period == 1 => format!("every {weekday} at {time}"),
        Kind::DayOfWeek => format!("{} on {weekday} at {time}", every("week")),
        Kind::DaysOfWeekList(days) => {
            let days: Vec<String> = days.iter().map(|one| day(*one)).collect();
            format!("{} on {} at {time}", every("week"), listed(&days))
        }
        Kind::DayOfMonth => {
            let date = u32::from(cadence.day_of_month().unsigned_abs());
            let last = if date > 28 {
                ", or on its last day"
            } else {
                ""
            };
            format!(
                "{} on the {}{last}, at {time}",
                every("month"),
                ordinal(date)
            )
        }
        Kind::NthWeekdayOfMonth { weeks, .. } => {
            let weeks: Vec<String> = weeks.iter().map(|week| ordinal(u32::from(*week))).collect();
            format!(
                "{} on the {} {weekday} at {time}",
                every("month"),
                listed(&weeks)
            )
        }
        Kind::Daily { times } => {
            let times: Vec<String> = times.iter().map(HhMm::to_string).collect();
            format!("{} at {}", every("day"), listed(&times))
        }
        Kind::Workday => format!("{} at {time}", every("working day")),
    };
    let skipped = skips(cadence).map_or(String::new(), |skipped| {
        format!("; one on {skipped} moves to the next day that is neither")
    });
    format!("{when}, {} time{skipped}", cadence.zone.as_str())
}

/// When hand-overs are, as a sentence without its full stop; `None` is a manual rotation.
pub fn cadence(cadence: Option<&Cadence>) -> String {
    let by_hand = || "By hand: nobody hands over by itself".to_owned();
    cadence.map_or_else(by_hand, |cadence| capital(&hand_overs(cadence)))
}

/// The days that a cadence skips; `None` where it skips none.
pub fn skips(cadence: &Cadence) -> Option<String> {
    let skips = cadence.effective_skips();
    if !skips.skip_any() {
        return None;
    }
    let kinds = [
        (skips.weekends, "a weekend"),
        (skips.national_holidays, "a public holiday"),
    ];
    let kinds = kinds.iter().filter(|(skipped, _)| *skipped);
    let kinds: Vec<&str> = kinds.map(|(_, name)| *name).collect();
    let countries = skips.countries.iter().map(CountryCode::as_str);
    let countries: Vec<String> = countries.map(str::to_owned).collect();
    Some(format!("{} of {}", kinds.join(" or "), listed(&countries)))
}

/// The covered hours, as a sentence without its full stop.
pub fn hours(coverage: &[Stretch]) -> String {
    if coverage.is_empty() {
        return "All week, day and night".to_owned();
    }
    let mut parts: Vec<String> = Vec::new();
    let mut left: Vec<&Stretch> = coverage.iter().collect();
    while let Some(first) = left.first().copied() {
        // Days with the same hours are said together.
        let is_day = |stretch: &Stretch| {
            stretch.start_day == stretch.end_day && stretch.start_time < stretch.end_time
        };
        let same = |other: &Stretch| {
            is_day(first)
                && is_day(other)
                && (other.start_time, other.end_time) == (first.start_time, first.end_time)
        };
        let (alike, rest): (Vec<&Stretch>, Vec<&Stretch>) =
            left.iter().partition(|other| same(other));
        if alike.len() > 1 {
            let days: Vec<String> = alike.iter().map(|one| day(one.start_day)).collect();
            let (from, until) = (first.start_time, first.end_time);
            parts.push(format!("{} {from} to {until}", listed(&days)));
            left = rest;
            continue;
        }
        parts.push(match is_day(first) {
            true => format!(
                "{} {} to {}",
                day(first.start_day),
                first.start_time,
                first.end_time
            ),
            false => format!(
                "{} {} to {} {}",
                day(first.start_day),
                first.start_time,
                day(first.end_day),
                first.end_time
            ),
        });
        left.remove(0);
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::cadence::Skips;
    use crate::domain::zones::ZoneName;

    fn cadence(kind: Kind, period: u32, skips: bool) -> Cadence {
        Cadence {
            kind,
            zone: ZoneName::utc(),
            // A Saturday.
            starts_at: "2026-01-31T09:00:00Z".parse().expect("an instant"),
            period,
            skips: Skips {
                weekends: skips,
                national_holidays: skips,
                countries: CountryCode::parse("DE").into_iter().collect(),
            },
        }
    }

    #[test]
    fn cadences_in_words() {
        let time = |text| HhMm::parse(text).expect("a time");
        let nth = Kind::NthWeekdayOfMonth {
            weekday: Weekday::Monday,
            weeks: vec![1, 3],
        };
        let times = Kind::Daily {
            times: vec![time("09:00"), time("21:00")],
        };
        let days = Kind::DaysOfWeekList(vec![Weekday::Monday, Weekday::Friday]);
        for (kind, period, skips, expected) in [
            (
                Kind::DayOfWeek,
                1,
                false,
                "Every Saturday at 09:00, UTC time",
            ),
            (
                Kind::DayOfWeek,
                2,
                false,
                "Every 2 weeks on Saturday at 09:00, UTC time",
            ),
            (
                days,
                1,
                false,
                "Every week on Monday and Friday at 09:00, UTC time",
            ),
            (
                Kind::DayOfMonth,
                1,
                false,
                "Every month on the 31st, or on its last day, at 09:00, UTC time",
            ),
            (
                nth,
                1,
                false,
                "Every month on the 1st and 3rd Monday at 09:00, UTC time",
            ),
            (times, 3, false, "Every 3 days at 09:00 and 21:00, UTC time"),
            (
                Kind::Workday,
                1,
                true,
                "Every working day at 09:00, UTC time; one on a weekend or a public holiday of DE moves to the next day that is neither",
            ),
        ] {
            assert_eq!(
                super::cadence(Some(&cadence(kind, period, skips))),
                expected
            );
        }
        assert!(super::cadence(None).starts_with("By hand"));
    }

    #[test]
    fn hours_in_words() {
        let stretch = |start_day, start: &str, end_day, end: &str| Stretch {
            start_day,
            start_time: HhMm::parse(start).expect("a time"),
            end_day,
            end_time: HhMm::parse(end).expect("a time"),
        };
        use Weekday::{Friday, Monday, Tuesday};
        for (coverage, expected) in [
            (vec![], "All week, day and night"),
            (
                vec![
                    stretch(Monday, "09:00", Monday, "17:00"),
                    stretch(Friday, "18:00", Monday, "09:00"),
                    stretch(Tuesday, "09:00", Tuesday, "17:00"),
                ],
                "Monday and Tuesday 09:00 to 17:00; Friday 18:00 to Monday 09:00",
            ),
        ] {
            assert_eq!(hours(&coverage), expected);
        }
    }
}
