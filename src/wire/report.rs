//! The report of duty (rules.md 7.5).

use super::{csv, to_i32};
use crate::domain::report::{Counted, GroupBy, Row};
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Serialize;

/// How much duty a person or rotation had, or is planned to have.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(example = example())]
pub struct DutyRow {
    /// Whose duty. Absent when grouped by rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Only when grouped by rotation or by person and rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation_id: Option<String>,
    /// The ISO week in UTC, such as `2026-W47`. Only when grouped by week.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub week: Option<String>,
    /// The month in UTC, such as `2026-11`. Only when grouped by month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<String>,
    /// True for the plan from now on, false for the record up to now.
    pub planned: bool,
    /// Hours on call. A person who is on call in two places at once is counted once.
    pub hours: f64,
    /// Hours on call, each place in full.
    pub place_hours: f64,
    /// Hours from 22:00 to 06:00 in the person's time zone, or in that of the covered hours if theirs is not known.
    pub nights: f64,
    /// Hours on weekend days of the cadence's countries, or on Saturday and Sunday if it has none, in the zone of the covered
    /// hours.
    pub weekends: f64,
    /// Hours on public holidays of the cadence's countries, in the zone of the covered hours.
    pub holidays: f64,
    /// Turns begun, and those that were running when the range began.
    pub turns: i32,
    /// How often duty came from somebody else.
    pub hand_overs: i32,
    /// Accepted covers by which others took duty of this person.
    pub covers_given: i32,
    /// Accepted covers by which this person took duty of others.
    pub covers_taken: i32,
    /// Accepted swaps.
    pub swaps: i32,
    /// How often a turn was dealt past this person, who was absent or on call elsewhere.
    pub passed_over: i32,
    /// Mentions that this person was notified of.
    pub mentions: i32,
    /// Mentions that this person acknowledged.
    pub acknowledged: i32,
    /// Of the turns, those that were this person's own. This and the next three are 0 in rotations where missed turns are lost.
    pub own_turns: i32,
    /// Of the turns, those taken for somebody who owed one for it.
    pub traded: i32,
    /// Of the turns, those by which this person paid back a turn that was taken for them.
    pub repaid: i32,
    /// Of the turns, those taken for somebody without anything owed for it.
    pub helped: i32,
}

fn example() -> DutyRow {
    DutyRow {
        user_id: Some("UADA".into()),
        rotation_id: None,
        week: None,
        month: None,
        planned: false,
        hours: 168.0,
        place_hours: 168.0,
        nights: 56.0,
        weekends: 48.0,
        holidays: 0.0,
        turns: 1,
        hand_overs: 1,
        covers_given: 0,
        covers_taken: 0,
        swaps: 0,
        passed_over: 0,
        mentions: 3,
        acknowledged: 2,
        own_turns: 1,
        traded: 0,
        repaid: 0,
        helped: 0,
    }
}

/// A length in hours, to the millionth.
pub(super) fn hours(length: SignedDuration) -> f64 {
    (length.as_secs_f64() / 3600.0 * 1e6).round() / 1e6
}

/// Renders a row.
pub fn render(by: GroupBy, row: &Row) -> DutyRow {
    let bucket = |wanted| row.bucket.clone().filter(|_| by == wanted);
    let count = |counted| to_i32(usize::try_from(row.counts.of(counted)).unwrap_or(usize::MAX));
    DutyRow {
        user_id: row.user.as_ref().map(ToString::to_string),
        rotation_id: row.rotation.as_ref().map(ToString::to_string),
        week: bucket(GroupBy::Week),
        month: bucket(GroupBy::Month),
        planned: row.planned,
        hours: hours(row.load.hours),
        place_hours: hours(row.load.place_hours),
        nights: hours(row.load.nights),
        weekends: hours(row.load.weekends),
        holidays: hours(row.load.holidays),
        turns: count(Counted::Turn),
        hand_overs: count(Counted::HandOver),
        covers_given: count(Counted::CoverGiven),
        covers_taken: count(Counted::CoverTaken),
        swaps: count(Counted::Swap),
        passed_over: count(Counted::PassedOver),
        mentions: count(Counted::Mention),
        acknowledged: count(Counted::Acknowledged),
        own_turns: count(Counted::OwnTurn),
        traded: count(Counted::Traded),
        repaid: count(Counted::Repaid),
        helped: count(Counted::Helped),
    }
}

/// The columns that every table has, after those that say what a row is about.
pub const NUMBERS: [&str; 18] = [
    "planned",
    "hours",
    "placeHours",
    "nights",
    "weekends",
    "holidays",
    "turns",
    "handOvers",
    "coversGiven",
    "coversTaken",
    "swaps",
    "passedOver",
    "mentions",
    "acknowledged",
    "ownTurns",
    "traded",
    "repaid",
    "helped",
];

/// The columns that say what a row is about.
pub fn subjects(by: GroupBy) -> Vec<&'static str> {
    let columns = [
        ("week", by == GroupBy::Week),
        ("month", by == GroupBy::Month),
        ("userId", by.has_user()),
        ("rotationId", by.has_rotation()),
    ];
    let columns = columns.into_iter().filter(|(_, has)| *has);
    columns.map(|(name, _)| name).collect()
}

/// The fields of a row, under [`subjects`] and [`NUMBERS`].
pub fn fields(row: DutyRow) -> Vec<String> {
    let named = [row.week, row.month, row.user_id, row.rotation_id];
    let numbers = [
        row.planned.to_string(),
        row.hours.to_string(),
        row.place_hours.to_string(),
        row.nights.to_string(),
        row.weekends.to_string(),
        row.holidays.to_string(),
        row.turns.to_string(),
        row.hand_overs.to_string(),
        row.covers_given.to_string(),
        row.covers_taken.to_string(),
        row.swaps.to_string(),
        row.passed_over.to_string(),
        row.mentions.to_string(),
        row.acknowledged.to_string(),
        row.own_turns.to_string(),
        row.traded.to_string(),
        row.repaid.to_string(),
        row.helped.to_string(),
    ];
    named.into_iter().flatten().chain(numbers).collect()
}

/// The rows as CSV.
pub fn table(by: GroupBy, rows: impl IntoIterator<Item = DutyRow>) -> String {
    let head = subjects(by).into_iter().chain(NUMBERS);
    csv::text(head, rows.into_iter().map(fields))
}
