//! Reminders: people and channels get a message before a person comes on.

use crate::events::Reader;
use crate::support::*;
use serde_json::json;

const NONE: [&str; 0] = [];

fn reminded_before(before: &str) -> Rota {
    let rota = Start::default()
        .env("ROTA_CHAT_REMINDER_BEFORE", before)
        .go();
    rota.people(3);
    rota
}

/// The messages about U2, who takes over from U1 on the 6th at 09:00.
const OF_U2: [&str; 2] = [
    "C1: Rotation: @Person U2 takes over from Person U1 at 2026-01-06 09:00 (UTC).",
    "U2: You come on duty for Rotation at 2026-01-06 09:00 (UTC) until 2026-01-07 09:00 (UTC).",
];

fn three(rota: &Rota) -> Rot<'_> {
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C1");
    rotation
}

/// The same rotation on another server.
fn again<'a>(rota: &'a Rota, id: &str) -> Rot<'a> {
    Rot {
        by: rota.caller(),
        id: id.to_owned(),
    }
}

/// rules.md 14.3.
#[test]
fn an_hour_before_people_and_channels_are_told() {
    let rota = Rota::with_people(3);
    let rotation = three(&rota);
    let mut reader = Reader::new(&rota);
    let mut chat = rota.message_reader();
    let (etag, before) = (rotation.etag(), rotation.read());
    rota.to("2026-01-06T07:59:59Z");
    assert_eq!(chat.lines(), NONE);
    rota.to("2026-01-06T08:59:59Z");
    let messages = chat.messages();
    assert_eq!(messages.iter().map(message_line).collect::<Vec<_>>(), OF_U2);
    for message in &messages {
        assert_eq!(instant(&message["at"]), "2026-01-06T08:00Z");
    }
    // It is not a change of the rotation, and has no event.
    assert_eq!((rotation.etag(), rotation.read()), (etag, before));
    assert_eq!(reader.words(), "");
    rota.to("2026-01-06T09:00Z");
    let posted = [
        "2026-01-06T09:00Z C1",
        "2026-01-06T09:00Z U2",
        "2026-01-06T09:00Z U1",
    ];
    assert_eq!(chat.times(), posted);
    assert_eq!(reader.words(), "duty scheduled");
    // And the next day again.
    rota.to("2026-01-07T08:30Z");
    assert_eq!(
        chat.times(),
        ["2026-01-07T08:00Z C1", "2026-01-07T08:00Z U3"]
    );
}

#[test]
fn how_long_before_is_a_setting() {
    for (before, posted) in [
        ("30m", "2026-01-06T08:30Z"),
        ("20h", "2026-01-05T13:00Z"),
        ("90s", "2026-01-06T08:58:30Z"),
    ] {
        let rota = reminded_before(before);
        let _rotation = three(&rota);
        let mut reader = rota.message_reader();
        rota.to("2026-01-06T08:59:59Z");
        assert_eq!(
            reader.times(),
            [format!("{posted} C1"), format!("{posted} U2")],
            "{before}"
        );
    }
    let rota = reminded_before("0s");
    let _rotation = three(&rota);
    let mut reader = rota.message_reader();
    rota.to("2026-01-06T08:59:59Z");
    assert_eq!(reader.lines(), NONE);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(reader.times()[0], "2026-01-06T09:00Z C1");
}

#[test]
fn who_goes_on_is_not_reminded() {
    let rota = Rota::with_people(2);
    let alone = rota.daily("U1", 1);
    let empty = rota.daily("U1 U2", 1);
    alone.posts_in("C1");
    empty.posts_in("C1");
    // Nobody comes on.
    for user in ["U1", "U2"] {
        empty.away(user, "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    }
    let mut reader = rota.message_reader();
    rota.to("2026-01-06T08:59Z");
    assert_eq!(reader.lines(), NONE);
}

#[test]
fn one_message_a_person_for_several_places() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 2);
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    rota.to("2026-01-06T08:59Z");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation, Lane 1: @Person U3 takes over from Person U1 at 2026-01-06 09:00 (UTC). / \
             Rotation, Lane 2: @Person U1 takes over from Person U2 at 2026-01-06 09:00 (UTC).",
            "U3: You come on duty for Rotation, Lane 1 at 2026-01-06 09:00 (UTC) until 2026-01-07 09:00 (UTC).",
            "U1: You come on duty for Rotation, Lane 2 at 2026-01-06 09:00 (UTC) until 2026-01-07 09:00 (UTC).",
        ]
    );
}

#[test]
fn a_reminder_missed_while_nobody_served_comes_late_or_never() {
    for (back, posted) in [
        (
            "2026-01-06T08:30Z",
            vec!["2026-01-06T08:30Z C1", "2026-01-06T08:30Z U2"],
        ),
        // A turn that has begun is no longer announced; the hand-over itself is.
        (
            "2026-01-06T09:00Z",
            vec![
                "2026-01-06T09:00Z C1",
                "2026-01-06T09:00Z U2",
                "2026-01-06T09:00Z U1",
            ],
        ),
        (
            "2026-01-06T10:00Z",
            vec![
                "2026-01-06T10:00Z C1",
                "2026-01-06T10:00Z U2",
                "2026-01-06T10:00Z U1",
            ],
        ),
    ] {
        let dir = TempDir::new();
        let db = dir.join("rota.db");
        let first = Start::default().db(&db).go();
        first.people(3);
        let id = three(&first).id;
        let known = first.messages().len();
        first.stop();
        let second = Start::default().db(&db).clock(back).go();
        eventually("what was missed is told", || {
            second.messages().len() > known
        });
        second.advance(0);
        let times = |messages: &[serde_json::Value]| -> Vec<String> {
            let line = |m: &serde_json::Value| format!("{} {}", instant(&m["at"]), recipient(m));
            messages.iter().map(line).collect()
        };
        assert_eq!(times(&second.messages()[known..]), posted, "{back}");
        // The next one is sent in time.
        let known = second.messages().len();
        second.to("2026-01-07T08:59Z");
        let messages = second.messages();
        let late = times(&messages[known..]);
        let next = ["2026-01-07T08:00Z C1", "2026-01-07T08:00Z U3"];
        assert_eq!(late[late.len() - 2..], next, "{back}");
        assert_eq!(again(&second, &id).on_call(), "U2");
    }
}

#[test]
fn an_edit_meanwhile_counts() {
    let rota = Rota::with_people(3);
    let rotation = three(&rota);
    // The hand-over moves to noon.
    let noon = cadence(
        "daily",
        "UTC",
        "2026-01-06T12:00",
        json!({ "times": ["12:00"] }),
    );
    rotation.cover(1, &[always(noon)]);
    let mut reader = rota.message_reader();
    rota.to("2026-01-06T10:59Z");
    assert_eq!(reader.lines(), NONE);
    // Another person is next.
    rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    rota.to("2026-01-06T11:59Z");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation: @Person U3 takes over from Person U1 at 2026-01-06 12:00 (UTC).",
            "U3: You come on duty for Rotation at 2026-01-06 12:00 (UTC) until 2026-01-07 12:00 (UTC).",
        ]
    );
    // Moved nearer, and announced again.
    let evening = cadence(
        "daily",
        "UTC",
        "2026-01-06T20:00",
        json!({ "times": ["20:00"] }),
    );
    rotation.cover(1, &[always(evening)]);
    rota.to("2026-01-06T19:59Z");
    assert_eq!(
        reader.times(),
        ["2026-01-06T19:00Z C1", "2026-01-06T19:00Z U3"]
    );
}

#[test]
fn a_disabled_rotation_reminds_nobody() {
    let rota = Rota::with_people(3);
    let rotation = three(&rota);
    rotation.patch(json!({ "enabled": false })).is(200);
    let mut reader = rota.message_reader();
    rota.to("2026-01-06T12:00Z");
    assert_eq!(reader.lines(), NONE);
    rotation.patch(json!({ "enabled": true })).is(200);
    rota.to("2026-01-07T08:59Z");
    assert_eq!(
        reader.times(),
        ["2026-01-07T08:00Z C1", "2026-01-07T08:00Z U2"]
    );
    let deleted = three(&rota);
    deleted.delete();
    rotation.delete();
    let mut reader = rota.message_reader();
    rota.to("2026-01-08T12:00Z");
    assert_eq!(reader.lines(), NONE);
}

#[test]
fn what_an_arrangement_brings_is_announced() {
    let rota = Rota::with_people(3);
    let rotation = three(&rota);
    let asked = rotation.ask_cover("U1", "05T12 05T14", "U3");
    asked.accepted_by("U3");
    let mut reader = rota.message_reader();
    rota.to("2026-01-05T11:59Z");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation: @Person U3 takes over from Person U1 at 2026-01-05 12:00 (UTC).",
            "U3: You come on duty for Rotation at 2026-01-05 12:00 (UTC) until 2026-01-05 14:00 (UTC).",
        ]
    );
    rota.to("2026-01-05T12:59Z");
    assert_eq!(
        reader.times(),
        [
            "2026-01-05T12:00Z C1",
            "2026-01-05T12:00Z U3",
            "2026-01-05T12:00Z U1"
        ]
    );
    rota.to("2026-01-05T13:59Z");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation: @Person U1 takes over from Person U3 at 2026-01-05 14:00 (UTC).",
            "U1: You come on duty for Rotation at 2026-01-05 14:00 (UTC) until 2026-01-06 09:00 (UTC).",
        ]
    );
}

/// A rotation that hands over at 09:00 and a quarter of an hour later.
fn twice_a_morning(rota: &Rota) -> Rot<'_> {
    let rotation = rota.rotation("U1 U2 U3");
    let twice = cadence(
        "daily",
        "UTC",
        "2026-01-06T09:00",
        json!({ "times": ["09:00", "09:15"] }),
    );
    rotation.cover(1, &[always(twice)]);
    rotation.posts_in("C1");
    rotation
}

#[test]
fn hand_overs_close_to_each_other_are_all_announced() {
    let rota = Rota::with_people(3);
    let rotation = twice_a_morning(&rota);
    let mut reader = rota.message_reader();
    rota.to("2026-01-06T08:10Z");
    assert_eq!(
        reader.times(),
        ["2026-01-06T08:00Z C1", "2026-01-06T08:00Z U2"]
    );
    // An edit that does not affect it does not announce it again.
    rotation.patch(json!({ "description": "x" })).is(200);
    rotation.posts_in("C2");
    rota.to("2026-01-06T08:59Z");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation: @Person U3 takes over from Person U2 at 2026-01-06 09:15 (UTC).",
            "C2: Rotation: @Person U3 takes over from Person U2 at 2026-01-06 09:15 (UTC).",
            "U3: You come on duty for Rotation at 2026-01-06 09:15 (UTC) until 2026-01-07 09:00 (UTC).",
        ]
    );
}

#[test]
fn all_that_was_missed_and_is_still_to_come_is_announced() {
    for (back, posted) in [
        ("2026-01-06T08:30Z", "C1 U2 C1 U3"),
        // The first hand-over is done, the second is in the future.
        ("2026-01-06T09:05Z", "C1 U2 U1 C1 U3"),
    ] {
        let dir = TempDir::new();
        let db = dir.join("rota.db");
        let first = Start::default().db(&db).go();
        first.people(3);
        twice_a_morning(&first);
        let known = first.messages().len();
        first.stop();
        let second = Start::default().db(&db).clock(back).go();
        second.advance(0);
        let messages = second.messages();
        let to: Vec<&str> = messages[known..].iter().map(recipient).collect();
        assert_eq!(to.join(" "), posted, "{back}");
    }
}
