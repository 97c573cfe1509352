//! Every kind of cadence over the API: the forecast before the clock moves, and the history afterwards.

use crate::support::*;
use jiff::civil::Weekday;
use serde_json::{Value, json};

type Row = (Value, &'static str);

/// Rotations with these cadences from a start to an end: the hand-overs must be exactly those listed.
#[track_caller]
fn check(start: &str, end: &str, rows: Vec<Row>) {
    let rota = Rota::at(start);
    rota.people(2);
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(cadence, expected)| {
            let rotation = rota.rotation("U1 U2");
            rotation.cover(1, &[always(cadence.clone())]);
            let expected: Vec<String> =
                words(expected).iter().map(|text| short(at(text))).collect();
            (rotation, cadence, expected)
        })
        .collect();
    for (rotation, cadence, expected) in &rows {
        let planned = rotation.next_events();
        assert_eq!(planned.len(), 5, "{cadence}");
        let known = expected.len().min(5);
        assert_eq!(planned[..known], expected[..known], "{cadence}");
    }
    rota.to(end);
    for (rotation, cadence, expected) in &rows {
        let turns = rotation.turns("history", start, end);
        let handed = turns
            .iter()
            .filter(|turn| turn["reason"] == "next-on-scheduled-duty");
        let handed: Vec<String> = handed.map(|turn| instant(&turn["start"])).collect();
        assert_eq!(&handed, expected, "{cadence}");
        let expected = ["U1", "U2"][expected.len() % 2];
        assert_eq!(rotation.on_call(), expected, "{cadence}");
    }
}

fn every(kind: &str, zone: &str, starts: &str, more: Value) -> Value {
    cadence(kind, zone, starts, more)
}

#[test]
fn weeks() {
    let days = |days: &[Weekday]| json!({ "daysOfWeek": days.iter().map(|d| day(*d)).collect::<Vec<_>>() });
    let (monday, thursday) = (Weekday::Monday, Weekday::Thursday);
    let fortnight = json!({ "period": 2 });
    let mut alternate = days(&[monday, thursday]);
    alternate["period"] = json!(2);
    check(
        "2026-02-20T12:00Z",
        "2026-04-14T00:00Z",
        vec![
            // The clocks go forward on 29 March in Oslo and on 8 March in New York; the local time stays.
            (
                weekly("Europe/Oslo", "2026-03-23T09:00"),
                "2026-03-23T08:00Z 2026-03-30T07:00Z 2026-04-06T07:00Z 2026-04-13T07:00Z",
            ),
            (
                every("dayOfWeek", "America/New_York", "2026-02-27T18:00", fortnight.clone()),
                "2026-02-27T23:00Z 2026-03-13T22:00Z 2026-03-27T22:00Z 2026-04-10T22:00Z",
            ),
            // A time that does not exist moves forward by the gap once, without drift.
            (
                weekly("Europe/Oslo", "2026-03-22T02:30"),
                "2026-03-22T01:30Z 2026-03-29T01:30Z 2026-04-05T00:30Z 2026-04-12T00:30Z",
            ),
            // Counted from an anchor years ago.
            (
                every("dayOfWeek", "UTC", "2020-01-06T09:00", json!({ "period": 3 })),
                "2026-03-02T09:00Z 2026-03-23T09:00Z 2026-04-13T09:00Z",
            ),
            (
                every("daysOfWeekList", "Europe/Oslo", "2026-03-25T09:00", days(&[thursday, monday])),
                "2026-03-26T08:00Z 2026-03-30T07:00Z 2026-04-02T07:00Z 2026-04-06T07:00Z 2026-04-09T07:00Z
                 2026-04-13T07:00Z",
            ),
            // Every second week, Monday to Sunday, counted from the week of startsAt.
            (
                every("daysOfWeekList", "UTC", "2026-03-04T09:00", alternate),
                "2026-03-05T09:00Z 2026-03-16T09:00Z 2026-03-19T09:00Z 2026-03-30T09:00Z 2026-04-02T09:00Z
                 2026-04-13T09:00Z",
            ),
        ],
    );
}

/// rules.md 1.3.
#[test]
fn autumn_takes_the_first_of_two() {
    check(
        "2026-09-20T12:00Z",
        "2026-11-02T00:00Z",
        vec![
            (
                weekly("Europe/Oslo", "2026-10-18T02:30"),
                "2026-10-18T00:30Z 2026-10-25T00:30Z 2026-11-01T01:30Z",
            ),
            // Lord Howe changes its clocks by half an hour: 02:15 on 4 October is 02:45.
            (
                weekly("Australia/Lord_Howe", "2026-09-27T02:15"),
                "2026-09-26T15:45Z 2026-10-03T15:45Z 2026-10-10T15:15Z 2026-10-17T15:15Z 2026-10-24T15:15Z
                 2026-10-31T15:15Z",
            ),
        ],
    );
}

#[test]
fn months() {
    let nth = |day: &str, weeks: Value| json!({ "dayOfWeek": day, "weeksInMonth": weeks });
    let mut alternate = nth("friday", json!([5]));
    alternate["period"] = json!(2);
    check(
        MONDAY,
        "2026-08-15T00:00Z",
        vec![
            (
                every("dayOfMonth", "UTC", "2026-01-31T12:00", json!({})),
                "2026-01-31T12:00Z 2026-02-28T12:00Z 2026-03-31T12:00Z 2026-04-30T12:00Z 2026-05-31T12:00Z
                 2026-06-30T12:00Z 2026-07-31T12:00Z",
            ),
            (
                every("dayOfMonth", "Europe/Oslo", "2026-01-15T09:00", json!({ "period": 3 })),
                "2026-01-15T08:00Z 2026-04-15T07:00Z 2026-07-15T07:00Z",
            ),
            // The first Monday of January is before startsAt.
            (
                every("nthWeekdayOfMonth", "UTC", "2026-01-06T09:00", nth("monday", json!([3, 1]))),
                "2026-01-19T09:00Z 2026-02-02T09:00Z 2026-02-16T09:00Z 2026-03-02T09:00Z 2026-03-16T09:00Z
                 2026-04-06T09:00Z 2026-04-20T09:00Z 2026-05-04T09:00Z 2026-05-18T09:00Z 2026-06-01T09:00Z
                 2026-06-15T09:00Z 2026-07-06T09:00Z 2026-07-20T09:00Z 2026-08-03T09:00Z",
            ),
            // A month without a fifth occurrence has no hand-over.
            (
                every("nthWeekdayOfMonth", "UTC", "2026-01-06T09:00", nth("friday", json!([5]))),
                "2026-01-30T09:00Z 2026-05-29T09:00Z 2026-07-31T09:00Z",
            ),
            (
                every("nthWeekdayOfMonth", "UTC", "2026-02-06T09:00", alternate),
                // Only even months: none of them has a fifth Friday before October.
                "",
            ),
        ],
    );
}

#[test]
fn days() {
    let times = |times: &[&str], period: i64| json!({ "times": times, "period": period });
    check(
        "2026-03-27T10:00Z",
        "2026-03-31T00:00Z",
        vec![
            // Times before startsAt on its own date do not count; the order of times does not matter.
            (
                every(
                    "daily",
                    "UTC",
                    "2026-03-28T09:00",
                    times(&["20:00", "08:00"], 1),
                ),
                "2026-03-28T20:00Z 2026-03-29T08:00Z 2026-03-29T20:00Z 2026-03-30T08:00Z 2026-03-30T20:00Z",
            ),
            (
                every("daily", "UTC", "2026-03-20T00:00", times(&["09:00"], 4)),
                "2026-03-28T09:00Z",
            ),
            // 02:30 moves to 03:30, where there is another: one hand-over.
            (
                every(
                    "daily",
                    "Europe/Oslo",
                    "2026-03-28T00:00",
                    times(&["02:30", "03:30"], 1),
                ),
                "2026-03-28T01:30Z 2026-03-28T02:30Z 2026-03-29T01:30Z 2026-03-30T00:30Z 2026-03-30T01:30Z",
            ),
        ],
    );
}

/// rules.md 1.3.
#[test]
fn midnights_that_do_not_exist() {
    let midnight = json!({ "times": ["00:00"] });
    check(
        "2017-10-13T12:00Z",
        "2017-10-17T00:00Z",
        vec![(
            every("daily", "America/Sao_Paulo", "2017-10-14T00:00", midnight),
            "2017-10-14T03:00Z 2017-10-15T03:00Z 2017-10-16T02:00Z",
        )],
    );
    // Samoa skipped from 29 to 31 December 2011: the missing day moves to the next.
    check(
        "2011-12-20T12:00Z",
        "2012-01-08T00:00Z",
        vec![
            (
                every("daily", "Pacific/Apia", "2011-12-28T09:00", json!({ "times": ["09:00"] })),
                "2011-12-28T19:00Z 2011-12-29T19:00Z 2011-12-30T19:00Z 2011-12-31T19:00Z 2012-01-01T19:00Z
                 2012-01-02T19:00Z 2012-01-03T19:00Z 2012-01-04T19:00Z 2012-01-05T19:00Z 2012-01-06T19:00Z
                 2012-01-07T19:00Z",
            ),
            (weekly("Pacific/Apia", "2011-12-23T09:00"), "2011-12-23T19:00Z 2011-12-30T19:00Z 2012-01-05T19:00Z"),
        ],
    );
}

#[test]
fn working_days() {
    let of = |zone: &str, starts: &str, countries: &str, period: i64| {
        every(
            "workday",
            zone,
            starts,
            json!({ "countryCodes": words(countries), "period": period }),
        )
    };
    check(
        MONDAY,
        "2026-01-18T00:00Z",
        vec![
            // Starting on a Saturday: the Monday counts as the first.
            (
                of("UTC", "2026-01-10T09:00", "NO", 2),
                "2026-01-12T09:00Z 2026-01-14T09:00Z 2026-01-16T09:00Z",
            ),
            (
                of("UTC", "2026-01-14T09:00", "EG", 1),
                "2026-01-14T09:00Z 2026-01-15T09:00Z",
            ),
        ],
    );
    check(
        "2026-03-30T12:00Z",
        "2026-04-10T00:00Z",
        vec![
            // Easter: holidays on 2, 3 and 6 April.
            (
                of("Europe/Oslo", "2026-03-31T09:00", "NO", 1),
                "2026-03-31T07:00Z 2026-04-01T07:00Z 2026-04-07T07:00Z 2026-04-08T07:00Z 2026-04-09T07:00Z",
            ),
            // Great Britain has Good Friday but no Easter Monday.
            (
                of("Europe/London", "2026-04-01T09:00", "GB", 1),
                "2026-04-01T08:00Z 2026-04-02T08:00Z 2026-04-06T08:00Z 2026-04-07T08:00Z 2026-04-08T08:00Z
                 2026-04-09T08:00Z",
            ),
            (of("Europe/Oslo", "2026-03-31T09:00", "NO GB", 3), "2026-03-31T07:00Z 2026-04-08T07:00Z"),
        ],
    );
    check(
        "2026-06-30T00:00Z",
        "2026-07-08T00:00Z",
        // The Fourth is a Saturday and observed on Friday.
        vec![(
            of("America/New_York", "2026-07-01T09:00", "US", 1),
            "2026-07-01T13:00Z 2026-07-02T13:00Z 2026-07-06T13:00Z 2026-07-07T13:00Z",
        )],
    );
    check(
        "2026-11-26T12:00Z",
        "2026-12-31T00:00Z",
        vec![
            // St Andrew's Day is only in Scotland; Boxing Day is a Saturday and observed on Monday.
            (
                of("Europe/London", "2026-11-27T09:00", "GB-SCT", 5),
                "2026-11-27T09:00Z 2026-12-07T09:00Z 2026-12-14T09:00Z 2026-12-21T09:00Z 2026-12-30T09:00Z",
            ),
            (
                of("Europe/London", "2026-11-27T09:00", "GB", 5),
                "2026-11-27T09:00Z 2026-12-04T09:00Z 2026-12-11T09:00Z 2026-12-18T09:00Z 2026-12-29T09:00Z",
            ),
        ],
    );
}

#[test]
fn a_hand_over_on_a_day_off_moves_to_the_next_day() {
    let skip = |weekends: bool, holidays: bool, countries: &str| {
        json!({
            "skipWeekends": weekends, "skipNationalHolidays": holidays, "countryCodes": words(countries),
        })
    };
    let each_day = |starts: &str, mut skip: Value| {
        skip["times"] = json!(["09:00"]);
        every("daily", "UTC", starts, skip)
    };
    let friday = |more: Value| every("dayOfWeek", "Europe/Oslo", "2026-03-27T09:00", more);
    check(
        "2026-03-26T12:00Z",
        "2026-04-18T00:00Z",
        vec![
            (friday(skip(true, true, "NO")), "2026-03-27T08:00Z 2026-04-07T07:00Z 2026-04-10T07:00Z 2026-04-17T07:00Z"),
            // Easter Saturday is no holiday.
            (friday(skip(false, true, "NO")), "2026-03-27T08:00Z 2026-04-04T07:00Z 2026-04-10T07:00Z 2026-04-17T07:00Z"),
            (friday(skip(true, false, "NO")), "2026-03-27T08:00Z 2026-04-03T07:00Z 2026-04-10T07:00Z 2026-04-17T07:00Z"),
            // Any of the countries counts: Friday and Saturday in Egypt, Saturday and Sunday in Norway.
            (friday(skip(true, false, "NO EG")), "2026-03-30T07:00Z 2026-04-06T07:00Z 2026-04-13T07:00Z"),
            (
                every("dayOfWeek", "UTC", "2026-03-28T09:00", skip(true, false, "US")),
                "2026-03-30T09:00Z 2026-04-06T09:00Z 2026-04-13T09:00Z",
            ),
            // Daily: a hand-over that moves to a day with its own is merged with it.
            (
                each_day("2026-04-01T09:00", skip(true, true, "NO")),
                "2026-04-01T09:00Z 2026-04-07T09:00Z 2026-04-08T09:00Z 2026-04-09T09:00Z 2026-04-10T09:00Z
                 2026-04-13T09:00Z 2026-04-14T09:00Z 2026-04-15T09:00Z 2026-04-16T09:00Z 2026-04-17T09:00Z",
            ),
            (
                each_day("2026-03-28T09:00", skip(true, false, "EG")),
                "2026-03-29T09:00Z 2026-03-30T09:00Z 2026-03-31T09:00Z 2026-04-01T09:00Z 2026-04-02T09:00Z
                 2026-04-05T09:00Z 2026-04-06T09:00Z 2026-04-07T09:00Z 2026-04-08T09:00Z 2026-04-09T09:00Z
                 2026-04-12T09:00Z 2026-04-13T09:00Z 2026-04-14T09:00Z 2026-04-15T09:00Z 2026-04-16T09:00Z",
            ),
        ],
    );
}

fn day(day: Weekday) -> &'static str {
    crate::record::model::day_name(day)
}
