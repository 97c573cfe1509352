//! Hours and cadences in summaries.

use super::super::phrase::{Phrase, listed};
use crate::domain::cadence::{Cadence, Kind};
use crate::domain::coverage::Stretch;
use jiff::civil::Weekday;

/// When a window is open.
pub fn hours(coverage: &[Stretch]) -> Phrase {
    let stretch = |stretch: &Stretch| {
        let (start, end) = (day(stretch.start_day), day(stretch.end_day));
        let (from, until) = (stretch.start_time, stretch.end_time);
        format!("{start} {from} to {end} {until}")
    };
    match coverage {
        [] => "always".into(),
        coverage => listed(&coverage.iter().map(stretch).collect::<Vec<_>>()),
    }
}

fn day(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Mon",
        Weekday::Tuesday => "Tue",
        Weekday::Wednesday => "Wed",
        Weekday::Thursday => "Thu",
        Weekday::Friday => "Fri",
        Weekday::Saturday => "Sat",
        Weekday::Sunday => "Sun",
    }
}

/// When a window hands over.
pub fn cadence(cadence: &Option<Cadence>) -> Phrase {
    let Some(cadence) = cadence else {
        return "manual".into();
    };
    let every = |unit: &str| match cadence.period {
        1 => format!("every {unit}"),
        period => format!("every {period} {unit}s"),
    };
    let days = |days: &[Weekday]| {
        let days: Vec<&str> = days.iter().map(|one| day(*one)).collect();
        days.join(", ")
    };
    let counted: Phrase = match &cadence.kind {
        Kind::DayOfWeek => every("week").into(),
        Kind::DaysOfWeekList(list) => format!("{} on {}", every("week"), days(list)).into(),
        Kind::DayOfMonth => every("month").into(),
        Kind::NthWeekdayOfMonth { weekday, weeks } => {
            let weeks: Vec<String> = weeks.iter().map(u8::to_string).collect();
            let weeks = weeks.join(", ");
            format!("{} on {} number {weeks}", every("month"), day(*weekday)).into()
        }
        Kind::Daily { times } => {
            let times: Vec<String> = times.iter().map(ToString::to_string).collect();
            Phrase::from(every("day")).and(" at ").and(listed(&times))
        }
        Kind::Workday => every("working day").into(),
    };
    let mut skips = Vec::new();
    if cadence.skips.weekends {
        skips.push("weekends");
    }
    if cadence.skips.national_holidays {
        skips.push("national holidays");
    }
    let (start, zone) = (cadence.starts_at, cadence.zone);
    let counted = counted.and(format!(" since {start} in {zone}"));
    if skips.is_empty() {
        return counted;
    }
    let countries = cadence.skips.countries.iter().map(ToString::to_string);
    let countries = listed(&countries.collect::<Vec<_>>());
    let skipped = format!(" without {} of ", skips.join(" and "));
    counted.and(skipped).and(countries)
}
