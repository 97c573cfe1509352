//! Duty as people read it: bars with numbers, over dates that the reader chooses.

use crate::domain::ids::{RotationId, UserId};
use crate::domain::load::Load;
use crate::domain::report::{Counted, Counts, Row};
use crate::domain::time::Interval;
use crate::web::form::Errors;
use crate::web::parts::time::Times;
use crate::web::visit::Visit;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};
use maud::{Markup, html};

/// Days before and after today that are shown at first.
const USUAL: i64 = 28;

/// From the first instant of a day to the last of another, in the reader's zone.
pub struct DateSpan {
    pub from: Date,
    pub to: Date,
    pub range: Interval,
}

/// The dates that the address asks for, `most` days at the most. Dates that are none, or too far apart, are said, and the usual ones shown.
pub fn shown(visit: &Visit, times: &Times, most: i64, errors: &mut Errors) -> DateSpan {
    let today = times.date(visit.now);
    let usual = |days: i64| today.saturating_add(days.days());
    let mut date = |name: &str, days: i64| match visit.query.filled(name).map(str::parse) {
        None => usual(days),
        Some(Ok(date)) => date,
        Some(Err(_)) => {
            errors.add(name, "Enter a date, such as 2026-11-23.");
            usual(days)
        }
    };
    let (mut from, mut to) = (date("from", -USUAL), date("to", USUAL));
    let days = from.until(to).map_or(-1, |span| i64::from(span.get_days()));
    if !(0..most).contains(&days) {
        let wrong = format!("Choose a date from the first one on, {most} days at the most.");
        errors.add("to", wrong);
        (from, to) = (usual(-USUAL), usual(USUAL));
    }
    let end = to.saturating_add(1.day());
    DateSpan {
        from,
        to,
        range: Interval {
            from: times.midnight(from).unwrap_or(Timestamp::MIN),
            until: times.midnight(end).unwrap_or(Timestamp::MAX),
        },
    }
}

/// One row: the record and the plan of one subject together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadRow {
    pub user: Option<UserId>,
    pub rotation: Option<RotationId>,
    pub bucket: Option<String>,
    pub load: Load,
    /// The hours of it that are planned.
    pub planned: SignedDuration,
    pub counts: Counts,
}

/// The lines of a report. The two rows about the same follow each other.
pub fn lines(rows: Vec<Row>) -> Vec<LoadRow> {
    let mut lines: Vec<LoadRow> = Vec::new();
    for row in rows {
        let planned = match row.planned {
            true => row.load.hours,
            false => SignedDuration::ZERO,
        };
        let same = |line: &&mut LoadRow| {
            (&line.user, &line.rotation, &line.bucket) == (&row.user, &row.rotation, &row.bucket)
        };
        match lines.last_mut().filter(same) {
            Some(line) => {
                line.load += row.load;
                line.counts += row.counts;
                line.planned += planned;
            }
            None => lines.push(LoadRow {
                user: row.user,
                rotation: row.rotation,
                bucket: row.bucket,
                load: row.load,
                planned,
                counts: row.counts,
            }),
        }
    }
    lines
}

impl LoadRow {
    /// A line of somebody who carries nothing.
    pub fn nothing(user: UserId) -> LoadRow {
        LoadRow {
            user: Some(user),
            rotation: None,
            bucket: None,
            load: Load::default(),
            planned: SignedDuration::ZERO,
            counts: Counts::default(),
        }
    }

    /// The lengths in the columns of [`heads`].
    pub fn lengths(&self) -> [SignedDuration; 5] {
        let load = &self.load;
        [
            load.hours,
            self.planned,
            load.nights,
            load.weekends,
            load.holidays,
        ]
    }
}

/// The columns of numbers.
const HEADS: [&str; 8] = [
    "Hours", "Planned", "Nights", "Weekends", "Holidays", "Turns", "Covers", "Swaps",
];

/// The explanation of the columns.
pub const MEANING: &str = "Up to now by the record, then by the plan. Nights are 22:00 to 06:00 in each person’s time zone, weekends \
    and holidays those of the rotation’s countries, or Saturday and Sunday. Being on call in two places at once counts once. \
    Covers are those taken for others.";

/// The headings over [`cells`].
pub fn heads() -> Markup {
    html! {
        th.hide-s scope="col" aria-hidden="true" {}
        @for head in HEADS { th.num-c scope="col" { (head) } }
    }
}

/// A bar of the hours against the `most` of all lines, and the numbers.
pub fn cells(line: &LoadRow, most: SignedDuration) -> Markup {
    let counts = [Counted::Turn, Counted::CoverTaken, Counted::Swap];
    let counts = counts.map(|counted| line.counts.of(counted));
    let numbers = line.lengths().map(short).into_iter();
    let numbers = numbers.chain(counts.map(|count| count.to_string()));
    html! {
        td.hide-s aria-hidden="true" { (bar(line, most)) }
        @for (head, number) in HEADS.iter().zip(numbers) { td.num-c data-label=(head) { (number) } }
    }
}

/// The most hours of a line.
pub fn most<'l>(lines: impl IntoIterator<Item = &'l LoadRow>) -> SignedDuration {
    let hours = lines.into_iter().map(|line| line.load.hours);
    hours.max().unwrap_or_default()
}

/// A length in hours with two decimals.
pub fn hours(length: SignedDuration) -> String {
    format!("{:.2}", length.as_secs_f64() / 3600.0)
}

/// The hours as people read them.
pub fn short(length: SignedDuration) -> String {
    let text = format!("{:.1}", length.as_secs_f64() / 3600.0);
    text.trim_end_matches(".0").to_owned()
}

/// A bar of the hours; the planned part is lighter.
fn bar(line: &LoadRow, most: SignedDuration) -> Markup {
    let share = |length: SignedDuration| {
        let share = length.as_secs_f64() / most.as_secs_f64().max(1.0);
        format!("{:.2}%", share * 100.0)
    };
    let held = line.load.hours - line.planned;
    html! {
        svg aria-hidden="true" focusable="false" width="100%" height="14" fill="currentColor" {
            rect x="0" y="1" width=(share(held)) height="12" fill-opacity="0.75" {}
            rect x=(share(held)) y="1" width=(share(line.planned)) height="12" fill-opacity="0.4" {}
        }
    }
}
