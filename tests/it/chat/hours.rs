//! People are told that they are on duty when their covered hours begin, with the end of these.

use crate::support::*;
use serde_json::json;

const NONE: [&str; 0] = [];

/// rules.md 14.2.
#[test]
fn windows_that_open_and_shut_tell_nothing() {
    let rota = Rota::unreminded(2);
    let rotation = rota.rotation("U1 U2");
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), daily())]);
    // The slot is dealt while the window is shut.
    assert_eq!(rotation.holders(), "(U1)");
    assert_eq!(reader.lines(), NONE);
    rota.to("2026-01-05T10:00Z");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation: @Person U1 is on duty until 2026-01-05 17:00 (UTC).",
            "U1: You are on duty for Rotation until 2026-01-05 17:00 (UTC).",
        ]
    );
    for (instant, on_call) in [("2026-01-05T20:00Z", ""), ("2026-01-06T08:00Z", "")] {
        rota.to(instant);
        assert_eq!(rotation.on_call(), on_call, "{instant}");
        assert_eq!(reader.lines(), NONE, "{instant}");
    }
    // The window opens and hands over at one instant: one message.
    rota.to("2026-01-06T20:00Z");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation: @Person U2 takes over from Person U1 until 2026-01-06 17:00 (UTC).",
            "U2: You are on duty for Rotation until 2026-01-06 17:00 (UTC). You take over from Person U1.",
            "U1: You are off duty for Rotation. Person U2 takes over.",
        ]
    );
}

/// Weekdays, handed over on Mondays, and weekends, handed over on Fridays; made on a Wednesday.
fn split(rota: &Rota) -> Rot<'_> {
    rota.to("2026-01-07T12:00Z");
    let rotation = rota.rotation("U1 U2 U3 U4");
    let weekday = hours(
        "UTC",
        "monday 09:00 - friday 18:00",
        weekly("UTC", "2026-01-05T09:00"),
    );
    let weekend = hours(
        "UTC",
        "friday 18:00 - monday 09:00",
        weekly("UTC", "2026-01-02T18:00"),
    );
    rotation.cover(1, &[weekday, weekend]);
    assert_eq!(rotation.holders(), "U1 (U3)");
    rotation
}

#[test]
fn whoever_only_waits_is_told_nothing() {
    let rota = Rota::unreminded(4);
    let mut reader = rota.message_reader();
    let rotation = split(&rota);
    rotation.posts_in("C1");
    assert_eq!(
        reader.lines(),
        ["U1: You are on duty for Rotation, Window 1 until 2026-01-09 18:00 (UTC)."]
    );
    rota.to("2026-01-09T17:59Z");
    assert_eq!(reader.lines(), NONE);
    // U3, who waited for the weekend, hands over to U4 when it begins.
    rota.to("2026-01-09T18:00Z");
    assert_eq!(rotation.on_call(), "U4");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation, Window 2: @Person U4 is on duty until 2026-01-12 09:00 (UTC).",
            "U4: You are on duty for Rotation, Window 2 until 2026-01-12 09:00 (UTC).",
        ]
    );
    rota.to("2026-01-12T09:00Z");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation, Window 1: @Person U2 takes over from Person U1 until 2026-01-16 18:00 (UTC).",
            "U2: You are on duty for Rotation, Window 1 until 2026-01-16 18:00 (UTC). You take over from Person U1.",
            "U1: You are off duty for Rotation, Window 1. Person U2 takes over.",
        ]
    );
}

#[test]
fn reminders_come_before_the_hours_of_whoever_comes_on() {
    let rota = Rota::with_people(4);
    let rotation = split(&rota);
    // Handed over at midnight, hours before the window opens.
    let night = hours(
        "UTC",
        &weekdays("09:00", "17:00"),
        weekly("UTC", "2026-01-08T00:00"),
    );
    let office = rota.rotation("U1 U2");
    office.cover(1, &[night]);
    let mut reader = rota.message_reader();
    rota.to("2026-01-08T08:59Z");
    assert_eq!(
        reader.lines(),
        [
            "U2: You come on duty for Rotation at 2026-01-08 09:00 (UTC) until 2026-01-14 17:00 (UTC)."
        ]
    );
    office.delete();
    rota.to("2026-01-09T17:59Z");
    assert_eq!(rotation.holders(), "U1 (U3)");
    assert_eq!(
        reader.lines(),
        [
            "U4: You come on duty for Rotation, Window 2 at 2026-01-09 18:00 (UTC) until 2026-01-12 09:00 (UTC).",
        ]
    );
}

/// U1, then U2, a day each from midnight, on call from nine to five.
fn office(rota: &Rota) -> Rot<'_> {
    let rotation = rota.rotation("U1 U2 U3");
    let midnight = cadence(
        "daily",
        "UTC",
        "2026-01-06T00:00",
        json!({ "times": ["00:00"] }),
    );
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), midnight)]);
    rotation
}

const U2_IS_ON: [&str; 2] = [
    "U2: You are on duty for Rotation until 2026-01-06 17:00 (UTC). You take over from Person U1.",
    "U1: You are off duty for Rotation. Person U2 takes over.",
];

/// rules.md 14.2.
#[test]
fn what_changes_hands_while_shut_is_told_when_the_window_opens() {
    let rota = Rota::unreminded(3);
    let rotation = office(&rota);
    rota.to("2026-01-06T07:00Z");
    let mut reader = rota.message_reader();
    assert_eq!(rotation.holders(), "(U2)");
    // Somebody else waits for a while; the hours begin later.
    rotation.put_on_call("U3").is(200);
    rotation.cover(
        1,
        &[hours(
            "UTC",
            &weekdays("10:00", "17:00"),
            rotation.read()["windows"][0]["cadence"].clone(),
        )],
    );
    rotation.put_on_call("U2").is(200);
    rota.to("2026-01-06T09:59Z");
    assert_eq!(reader.lines(), NONE);
    rota.to("2026-01-06T10:00Z");
    assert_eq!(reader.lines(), U2_IS_ON);
    // Whoever had it last and has it again is told nothing; a slot that stands empty then is told.
    rota.to("2026-01-06T18:00Z");
    rotation.rotate();
    rotation.put_on_call("U2").is(200);
    rota.to("2026-01-06T23:59Z");
    assert_eq!(reader.lines(), NONE);
    rotation.patch(json!({ "userIds": [] })).is(200);
    assert_eq!(reader.lines(), NONE);
    rota.to("2026-01-07T10:00Z");
    let nobody = [
        "U2: You are off duty for Rotation. Nobody takes over.",
        "U1: Rotation: nobody is on call. You are an owner.",
    ];
    assert_eq!(reader.lines(), nobody);
}

#[test]
fn after_downtime_whoever_waits_is_told_when_the_window_opens() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = |clock: &str| {
        let start = Start::default().env("ROTA_CHAT_REMINDER_BEFORE", "0s");
        start.db(&db).clock(clock).go()
    };
    let first = start(MONDAY);
    first.people(3);
    office(&first);
    first.to("2026-01-05T18:00Z");
    let known = first.messages().len();
    first.stop();
    // The whole shift of U2 was missed, and U3 waits for the next one.
    let second = start("2026-01-07T07:00Z");
    second.advance(0);
    assert_eq!(second.messages().len(), known);
    second.to("2026-01-07T09:00Z");
    let lines: Vec<String> = second.messages()[known..]
        .iter()
        .map(message_line)
        .collect();
    assert_eq!(
        lines,
        [
            "U3: You are on duty for Rotation until 2026-01-07 17:00 (UTC). You take over from Person U1.",
            "U1: You are off duty for Rotation. Person U3 takes over.",
        ]
    );
}
