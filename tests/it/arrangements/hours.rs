//! Arrangements and windows: the holder of a slot is on call while the window is open.

use crate::support::*;

/// Working days from 08:00 to 16:00, handed over on Mondays at 08:00; U1 this week.
fn office(rota: &Rota) -> Rot<'_> {
    let rotation = rota.rotation("U1 U2 U3");
    let weekly = weekly("UTC", "2026-01-12T08:00");
    rotation.cover(1, &[hours("UTC", &weekdays("08:00", "16:00"), weekly)]);
    rotation
}

#[test]
fn cover_lasts_until_the_arrangement_or_the_window_ends() {
    let rota = Rota::with_people(3);
    let rotation = office(&rota);
    rotation.assign(0, "U2", "2026-01-05T12:00Z", "2026-01-06T10:00Z");
    let ends = "2026-01-12T08:00Z";
    let bounds = "2026-01-05T12:00Z 2026-01-06T10:00Z";
    for (now, duty, holders) in [
        (
            MONDAY,
            Some(format!(
                "U1/0 {MONDAY} 2026-01-05T12:00Z 2026-01-05T12:00Z {ends}"
            )),
            "U1",
        ),
        (
            "2026-01-05T12:00Z",
            Some(format!("U2/1 {bounds} 2026-01-05T16:00Z {ends}")),
            "U1",
        ),
        ("2026-01-05T16:00Z", None, "(U1)"),
        (
            "2026-01-06T08:00Z",
            Some(format!("U2/1 {bounds} 2026-01-06T10:00Z {ends}")),
            "U1",
        ),
        (
            "2026-01-06T10:00Z",
            Some(format!(
                "U1/0 2026-01-06T10:00Z {ends} 2026-01-06T16:00Z {ends}"
            )),
            "U1",
        ),
    ] {
        rota.to(now);
        assert_eq!(rotation.duty(), Vec::from_iter(duty), "{now}");
        assert_eq!(rotation.holders(), holders, "{now}");
        let here = rotation.read();
        let held = i64::from(holders == "U1");
        assert_eq!(
            [int(&here["heldSeats"]), int(&here["openSeats"])],
            [held, 0]
        );
    }
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T12:00Z U1 coverage-changed",
            "2026-01-05T12:00Z 2026-01-05T16:00Z U2 explicit-change",
            "2026-01-05T16:00Z 2026-01-06T08:00Z - business-hours-offline",
            "2026-01-06T08:00Z 2026-01-06T10:00Z U2 business-hours-back-online",
            "2026-01-06T10:00Z - U1 explicit-change",
        ]
    );
}

#[test]
fn what_begins_and_ends_while_the_window_is_shut_shows_when_it_opens() {
    let rota = Rota::with_people(3);
    let rotation = office(&rota);
    // Within one night there is nothing to take over; from one night into the next day, and across a hand-over there is.
    rotation
        .try_assign(0, "U2", "2026-01-05T18:00Z", "2026-01-05T20:00Z")
        .names("from: no covered hours");
    rotation.assign(0, "U3", "2026-01-06T18:00Z", "2026-01-07T12:00Z");
    rotation.assign(0, "U3", "2026-01-10T12:00Z", "2026-01-12T12:00Z");
    rota.to("2026-01-13T08:00Z");
    let record = rotation.record();
    assert_eq!(
        record[1..7],
        [
            "2026-01-05T16:00Z 2026-01-06T08:00Z - business-hours-offline",
            "2026-01-06T08:00Z 2026-01-06T16:00Z U1 business-hours-back-online",
            "2026-01-06T16:00Z 2026-01-07T08:00Z - business-hours-offline",
            "2026-01-07T08:00Z 2026-01-07T12:00Z U3 business-hours-back-online",
            "2026-01-07T12:00Z 2026-01-07T16:00Z U1 explicit-change",
            "2026-01-07T16:00Z 2026-01-08T08:00Z - business-hours-offline",
        ]
    );
    assert_eq!(
        record[record.len() - 5..],
        [
            "2026-01-09T16:00Z 2026-01-12T08:00Z - business-hours-offline",
            "2026-01-12T08:00Z 2026-01-12T12:00Z U3 business-hours-back-online",
            "2026-01-12T12:00Z 2026-01-12T16:00Z U2 explicit-change",
            "2026-01-12T16:00Z 2026-01-13T08:00Z - business-hours-offline",
            "2026-01-13T08:00Z - U2 business-hours-back-online",
        ]
    );
}

#[test]
fn somebody_assigned_while_the_window_is_shut_waits_for_it() {
    let rota = Rota::with_people(3);
    let rotation = office(&rota);
    rota.to("2026-01-05T17:00Z");
    let record = rotation.assign(0, "U3", "2026-01-05T17:00Z", "2026-01-06T12:00Z");
    // Nobody would have been on call at night.
    let segments = record["originalSnapshot"]["segments"].as_array().unwrap();
    let response: Vec<String> = (segments.iter())
        .map(|segment| format!("{} {}", instant(&segment["from"]), segment["userIds"]))
        .collect();
    assert_eq!(
        response,
        ["2026-01-05T17:00Z []", "2026-01-06T08:00Z [\"U1\"]"]
    );
    assert_eq!(
        (rotation.on_call(), rotation.holders()),
        (String::new(), "(U1)".into())
    );
    assert_eq!(
        text(&rotation.get("/on-call").json()["nobodyOnCallReason"]),
        "nobody-on-call-as-arranged"
    );
    rota.to("2026-01-06T08:00Z");
    assert_eq!(rotation.on_call(), "U3");
}

/// rules.md 5.1.
#[test]
fn one_entry_begins_where_a_window_and_an_arrangement_meet() {
    let rota = Rota::with_people(3);
    let rotation = office(&rota);
    rotation.assign(0, "U2", "2026-01-06T08:00Z", "2026-01-06T16:00Z");
    rota.to("2026-01-07T08:00Z");
    let record = rotation.record();
    let spans: Vec<&str> = record
        .iter()
        .map(|line| line.rsplit_once(' ').unwrap().0)
        .collect();
    assert_eq!(
        spans,
        [
            "2026-01-05T08:00Z 2026-01-05T16:00Z U1",
            "2026-01-05T16:00Z 2026-01-06T08:00Z -",
            "2026-01-06T08:00Z 2026-01-06T16:00Z U2",
            "2026-01-06T16:00Z 2026-01-07T08:00Z -",
            "2026-01-07T08:00Z - U1",
        ]
    );
    assert!(record[3].ends_with("business-hours-offline"));
    assert!(record[4].ends_with("business-hours-back-online"));
}

#[test]
fn days_off_shut_the_window_over_an_arrangement_too() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    let mut cadence = weekly("UTC", "2026-01-12T08:00");
    cadence["skipWeekends"] = serde_json::json!(true);
    cadence["countryCodes"] = serde_json::json!(["NO"]);
    rotation
        .patch(serde_json::json!({ "skipsAreOffTime": true }))
        .is(200);
    rotation.cover(1, &[always(cadence)]);
    rotation.assign(0, "U3", "2026-01-09T12:00Z", "2026-01-12T04:00Z");
    for (now, on_call) in [
        ("2026-01-09T23:59Z", "U3"),
        ("2026-01-10T00:00Z", ""),
        ("2026-01-12T00:00Z", "U3"),
        ("2026-01-12T04:00Z", "U1"),
        ("2026-01-12T08:00Z", "U2"),
    ] {
        rota.to(now);
        assert_eq!(rotation.on_call(), on_call, "{now}");
    }
}
