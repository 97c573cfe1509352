//! Covered hours: when a window is open, and the effect of shutting on its slots.

use crate::support::*;
use serde_json::{Value, json};

/// The result of `line` at an instant.
type Checks = Vec<(&'static str, &'static str)>;

/// Open now, the current stretch and the next one of the first window, on one line.
fn line(rotation: &Rot) -> String {
    let window = rotation.read()["windows"][0].clone();
    let span = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        span => format!(
            "{}/{}",
            instant(&span["startUtc"]),
            instant(&span["endUtc"])
        ),
    };
    let open = if window["openNow"] == json!(true) {
        "open"
    } else {
        "shut"
    };
    format!(
        "{open} {} {}",
        span(&window["currentCoverage"]),
        span(&window["nextCoverage"])
    )
}

/// rules.md 4.1.
#[test]
fn stretches_are_merged_wrapped_and_half_open() {
    let rota = Rota::at("2026-01-05T00:00Z");
    rota.people(1);
    let rows: Vec<(&str, &str, Checks)> = vec![
        (
            "UTC",
            "monday 09:00 - monday 17:00, tuesday 09:00 - tuesday 17:00",
            vec![
                (
                    "01-05T08:59:59",
                    "shut - 2026-01-05T09:00Z/2026-01-05T17:00Z",
                ),
                (
                    "01-05T09:00",
                    "open 2026-01-05T09:00Z/2026-01-05T17:00Z 2026-01-06T09:00Z/2026-01-06T17:00Z",
                ),
                (
                    "01-05T16:59:59",
                    "open 2026-01-05T09:00Z/2026-01-05T17:00Z 2026-01-06T09:00Z/2026-01-06T17:00Z",
                ),
                ("01-05T17:00", "shut - 2026-01-06T09:00Z/2026-01-06T17:00Z"),
                ("01-06T17:00", "shut - 2026-01-12T09:00Z/2026-01-12T17:00Z"),
            ],
        ),
        (
            // Overlapping and adjacent stretches are merged; their order does not matter.
            "UTC",
            "monday 12:00 - monday 15:00, monday 09:00 - monday 12:00, monday 11:00 - monday 13:00",
            vec![(
                "01-05T10:00",
                "open 2026-01-05T09:00Z/2026-01-05T15:00Z 2026-01-12T09:00Z/2026-01-12T15:00Z",
            )],
        ),
        (
            // Past midnight, and past the end of the week.
            "UTC",
            "sunday 22:00 - monday 06:00, tuesday 22:00 - tuesday 06:00",
            vec![
                (
                    "01-05T00:00",
                    "open 2026-01-04T22:00Z/2026-01-05T06:00Z 2026-01-06T22:00Z/2026-01-07T06:00Z",
                ),
                ("01-05T06:00", "shut - 2026-01-06T22:00Z/2026-01-07T06:00Z"),
                (
                    "01-06T23:00",
                    "open 2026-01-06T22:00Z/2026-01-07T06:00Z 2026-01-11T22:00Z/2026-01-12T06:00Z",
                ),
            ],
        ),
        (
            "UTC",
            "friday 18:00 - monday 08:00",
            vec![
                (
                    "01-05T07:00",
                    "open 2026-01-02T18:00Z/2026-01-05T08:00Z 2026-01-09T18:00Z/2026-01-12T08:00Z",
                ),
                ("01-05T08:00", "shut - 2026-01-09T18:00Z/2026-01-12T08:00Z"),
            ],
        ),
        (
            "Asia/Kolkata",
            "monday 09:00 - monday 17:00",
            vec![(
                "01-05T03:30",
                "open 2026-01-05T03:30Z/2026-01-05T11:30Z 2026-01-12T03:30Z/2026-01-12T11:30Z",
            )],
        ),
        (
            // Clocks go forward on Sunday 29 March at 02:00 and back on 25 October at 03:00.
            "Europe/Oslo",
            "sunday 01:00 - sunday 04:00, sunday 10:00 - sunday 11:00",
            vec![
                (
                    "03-29T00:30",
                    "open 2026-03-29T00:00Z/2026-03-29T02:00Z 2026-03-29T08:00Z/2026-03-29T09:00Z",
                ),
                ("03-29T02:00", "shut - 2026-03-29T08:00Z/2026-03-29T09:00Z"),
                (
                    "10-25T02:30",
                    "open 2026-10-24T23:00Z/2026-10-25T03:00Z 2026-10-25T09:00Z/2026-10-25T10:00Z",
                ),
            ],
        ),
    ];
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(zone, stretches, checks)| {
            let rotation = rota.rotation("U1");
            rotation.cover(
                1,
                &[hours(zone, stretches, weekly("UTC", "2026-01-07T09:00"))],
            );
            (rotation, stretches, checks)
        })
        .collect();
    let mut instants: Vec<&str> = rows
        .iter()
        .flat_map(|(_, _, checks)| checks.iter().map(|c| c.0))
        .collect();
    instants.sort_by_key(|instant| at(&format!("2026-{instant}Z")));
    instants.dedup();
    for instant in instants {
        rota.to(&format!("2026-{instant}Z"));
        for (rotation, stretches, checks) in &rows {
            for (_, expected) in checks.iter().filter(|check| check.0 == instant) {
                assert_eq!(line(rotation), *expected, "{stretches} at {instant}");
            }
        }
    }
}

#[test]
fn open_all_week_restricts_nothing() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let window = rotation.cover(1, &[always(daily())])["windows"][0].clone();
    assert_eq!(window["alwaysOpen"], json!(true));
    assert_eq!(line(&rotation), "open - -");
    // Start equal to end is the whole week.
    let whole = rotation.cover(
        1,
        &[hours("UTC", "wednesday 07:00 - wednesday 07:00", daily())],
    );
    assert_eq!(whole["windows"][0]["openNow"], json!(true));
    rota.to("2026-01-07T07:00Z");
    assert_eq!(
        (
            rotation.read()["windows"][0]["openNow"].clone(),
            rotation.on_call()
        ),
        (json!(true), "U1".into())
    );
}

/// rules.md 4.3 and 4.4.
#[test]
fn a_window_shutting_keeps_the_place() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.cover(
        1,
        &[hours(
            "UTC",
            &weekdays("09:00", "17:00"),
            weekly("UTC", "2026-01-07T12:00"),
        )],
    );
    for (instant, holders, on_call, held, open) in [
        ("2026-01-05T08:00Z", "(U1)", "", 0, 0),
        ("2026-01-05T09:00Z", "U1", "U1", 1, 0),
        ("2026-01-05T17:00Z", "(U1)", "", 0, 0),
        ("2026-01-06T09:00Z", "U1", "U1", 1, 0),
        ("2026-01-07T12:00Z", "U2", "U2", 1, 0),
        ("2026-01-09T17:00Z", "(U2)", "", 0, 0),
        ("2026-01-12T09:00Z", "U2", "U2", 1, 0),
    ] {
        rota.to(instant);
        let now = rotation.read();
        assert_eq!(
            (rotation.holders().as_str(), rotation.on_call().as_str()),
            (holders, on_call),
            "{instant}"
        );
        assert_eq!(
            [int(&now["heldSeats"]), int(&now["openSeats"])],
            [held, open],
            "{instant}"
        );
    }
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    let bounds = ["since", "until", "coveredUntil", "turnEnds"].map(|name| instant(&entry[name]));
    assert_eq!(
        bounds,
        [
            "2026-01-07T12:00Z",
            "2026-01-14T12:00Z",
            "2026-01-12T17:00Z",
            "2026-01-14T12:00Z"
        ]
    );
}

/// rules.md 4.3.
#[test]
fn a_hand_over_while_shut_changes_who_comes_back() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(
        1,
        &[hours(
            "UTC",
            &weekdays("09:00", "17:00"),
            weekly("UTC", "2026-01-06T20:00"),
        )],
    );
    for (instant, holders, next) in [
        ("2026-01-06T17:00Z", "(U1)", 1),
        ("2026-01-06T20:00Z", "(U2)", 0),
        ("2026-01-07T08:59:59Z", "(U2)", 0),
        ("2026-01-07T09:00Z", "U2", 0),
    ] {
        rota.to(instant);
        assert_eq!(
            (rotation.holders().as_str(), rotation.next_turn()),
            (holders, next),
            "{instant}"
        );
    }
}

#[test]
fn windows_side_by_side_follow_the_sun() {
    let rota = Rota::at("2026-01-05T00:00Z");
    rota.people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let week = weekly("UTC", "2026-01-12T00:00");
    let zones = ["Asia/Kolkata", "Europe/Oslo", "America/New_York"];
    let windows = zones.map(|zone| hours(zone, &weekdays("09:00", "17:00"), week.clone()));
    rotation.cover(1, &windows);
    for (instant, holders, on_call) in [
        ("2026-01-05T00:00Z", "(U1) (U2) (U3)", ""),
        ("2026-01-05T03:30Z", "U1 (U2) (U3)", "U1"),
        ("2026-01-05T08:00Z", "U1 U2 (U3)", "U1 U2"),
        ("2026-01-05T11:30Z", "(U1) U2 (U3)", "U2"),
        ("2026-01-05T14:00Z", "(U1) U2 U3", "U2 U3"),
        ("2026-01-05T16:00Z", "(U1) (U2) U3", "U3"),
        ("2026-01-05T22:00Z", "(U1) (U2) (U3)", ""),
        ("2026-01-12T00:00Z", "(U2) (U3) (U4)", ""),
    ] {
        rota.to(instant);
        assert_eq!(
            (rotation.holders().as_str(), rotation.on_call().as_str()),
            (holders, on_call),
            "{instant}"
        );
    }
}

/// rules.md 4.2.
#[test]
fn skipped_days_are_off_time_when_so_switched() {
    let rota = Rota::at("2026-04-01T12:00Z");
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    // Easter 2026 in Norway: 2, 3 and 6 April are holidays, 4 and 5 the weekend.
    let norway =
        json!({ "skipWeekends": true, "skipNationalHolidays": true, "countryCodes": ["NO"] });
    let week = cadence("dayOfWeek", "Europe/Oslo", "2026-04-13T09:00", norway);
    rotation.cover(1, &[always(week)]);
    assert_eq!(line(&rotation), "open - -");
    let off = rotation
        .patch(json!({ "skipsAreOffTime": true }))
        .is(200)
        .json();
    assert_eq!(off["windows"][0]["alwaysOpen"], json!(false));
    for (instant, open) in [
        ("2026-04-01T21:59:59Z", true),
        ("2026-04-01T22:00Z", false),
        ("2026-04-04T12:00Z", false),
        ("2026-04-06T21:59:59Z", false),
        ("2026-04-06T22:00Z", true),
        ("2026-04-10T21:59:59Z", true),
        ("2026-04-10T22:00Z", false),
        ("2026-04-12T22:00Z", true),
    ] {
        rota.to(instant);
        assert_eq!(
            rotation.read()["windows"][0]["openNow"],
            json!(open),
            "{instant}"
        );
        assert_eq!(
            rotation.on_call(),
            if open { "U1" } else { "" },
            "{instant}"
        );
    }
    assert!(
        line(&rotation).starts_with("open 2026-04-12T22:00Z/2026-04-17T22:00Z"),
        "{}",
        line(&rotation)
    );
    let on = rotation
        .patch(json!({ "skipsAreOffTime": false }))
        .is(200)
        .json();
    assert_eq!(on["windows"][0]["alwaysOpen"], json!(true));
}

/// The window members of a rotation.
fn windows(rotation: &Rot) -> Value {
    rotation.read()["windows"].clone()
}

#[test]
fn the_windows_of_a_disabled_rotation_stand_still() {
    let rota = Rota::with_people(3);
    let office = || hours("UTC", &weekdays("08:00", "16:00"), daily());
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[office()]);
    rota.to("2026-01-05T10:00Z");
    rotation.patch(json!({ "enabled": false })).is(200);
    let frozen = windows(&rotation);
    assert_eq!(
        (
            &frozen[0]["openNow"],
            instant(&frozen[0]["currentCoverage"]["startUtc"])
        ),
        (&json!(true), "2026-01-05T08:00Z".into())
    );
    // It would have shut if it were not disabled.
    rota.to("2026-01-05T20:00Z");
    for change in [
        json!({ "name": "Other" }),
        json!({ "userIds": ["U1", "U2", "U3"] }),
        json!({ "doubleCover": true }),
    ] {
        rotation.patch(change.clone()).is(200);
        assert_eq!(windows(&rotation), frozen, "{change}");
    }
    rota.people(2);
    assert_eq!(windows(&rotation), frozen);
    // Hours edited meanwhile open and shut nothing; new windows are as they would have been at the same instant.
    let shut = hours("UTC", "monday 18:00 - monday 22:00", daily());
    let edited = rotation.cover(1, &[shut.clone(), office(), shut]);
    for (window, open, covered) in [(0, true, false), (1, true, true), (2, false, false)] {
        let window = &edited["windows"][window];
        assert_eq!(window["openNow"], json!(open), "{window}");
        assert_eq!(window["currentCoverage"].is_null(), !covered, "{window}");
    }
    rotation.patch(json!({ "enabled": true })).is(200);
    let open = [0, 1, 2].map(|window| windows(&rotation)[window]["openNow"].clone());
    assert_eq!(open, [json!(true), json!(false), json!(true)]);
}

#[test]
fn an_arrangement_of_somebody_removed_while_disabled_ends_then() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.assign(0, "U3", "2026-01-05T10:00Z", "2026-01-05T22:00Z");
    rota.to("2026-01-05T11:00Z");
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-05T20:00Z");
    rotation.patch(json!({ "userIds": ["U1", "U2"] })).is(200);
    let list = rotation.arrangements("2026-01-05T00:00Z", "2026-01-06T00:00Z");
    assert_eq!(list, ["U3 2026-01-05T10:00Z 2026-01-05T20:00Z active 2"]);
}
