//! Hand-overs are announced to every posting channel and to the people who come on and go off.

use crate::support::*;
use serde_json::json;

const NONE: [&str; 0] = [];

/// U1 on duty until the 6th at 09:00, then U2, U3, a day each; no reminders.
fn three(rota: &Rota) -> Rot<'_> {
    rota.daily("U1 U2 U3", 1)
}

/// rules.md 14.2.
#[test]
fn a_hand_over_is_told_to_channels_and_people() {
    let rota = Rota::unreminded(3);
    let rotation = three(&rota);
    assert_eq!(
        rota.messages().iter().map(message_line).collect::<Vec<_>>(),
        ["U1: You are on duty for Rotation until 2026-01-06 09:00 (UTC)."]
    );
    rotation.posts_in("C1 C2");
    let mut reader = rota.message_reader();
    rota.to("2026-01-06T08:59:59Z");
    assert_eq!(reader.lines(), NONE);
    rota.to("2026-01-06T12:00Z");
    let messages = rota.messages();
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation: @Person U2 takes over from Person U1 until 2026-01-07 09:00 (UTC).",
            "C2: Rotation: @Person U2 takes over from Person U1 until 2026-01-07 09:00 (UTC).",
            "U2: You are on duty for Rotation until 2026-01-07 09:00 (UTC). You take over from Person U1.",
            "U1: You are off duty for Rotation. Person U2 takes over.",
        ]
    );
    for message in &messages[1..] {
        assert_eq!(instant(&message["at"]), "2026-01-06T09:00Z");
    }
}

#[test]
fn a_hand_over_by_hand_is_told_as_well() {
    let rota = Rota::unreminded(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    rotation.put_on_call("U1").is(200);
    let first = [
        "C1: Rotation: @Person U1 is on duty.",
        "U1: You are on duty for Rotation.",
    ];
    assert_eq!(reader.lines(), first);
    let second = [
        "C1: Rotation: @Person U2 takes over from Person U1.",
        "U2: You are on duty for Rotation. You take over from Person U1.",
        "U1: You are off duty for Rotation. Person U2 takes over.",
    ];
    rotation.rotate();
    assert_eq!(reader.lines(), second);
}

/// rules.md 14.2.
#[test]
fn nobody_is_told_that_the_same_person_goes_on() {
    let rota = Rota::unreminded(2);
    let alone = rota.daily("U1", 1);
    let by_hand = rota.rotation("U2");
    by_hand.put_on_call("U2").is(200);
    alone.posts_in("C1");
    by_hand.posts_in("C1");
    let mut reader = rota.message_reader();
    rota.to("2026-01-09T12:00Z");
    alone.rotate();
    by_hand.rotate();
    by_hand.put_on_call("U2").is(200);
    // Nor are edits that do not change duty.
    alone
        .patch(json!({ "name": "Other", "description": "x" }))
        .is(200);
    // A grid with new ids: the holder of the slot stays.
    let mut grid = alone.grid(1, &[always(daily())]);
    grid["lanes"][0]["id"] = json!("another");
    grid["cells"][0]["laneId"] = json!("another");
    alone.put("/coverage", grid).is(200);
    assert_eq!(alone.on_call(), "U1");
    assert_eq!(reader.lines(), NONE);
}

#[test]
fn times_are_told_in_the_zone_of_the_hand_overs() {
    let rota = Rota::unreminded(2);
    let rotation = rota.rotation("U1 U2");
    let cadence = weekly("Asia/Kolkata", "2026-01-06T09:00");
    let mut reader = rota.message_reader();
    rotation.cover(1, &[always(cadence)]);
    assert_eq!(
        reader.lines(),
        ["U1: You are on duty for Rotation until 2026-01-06 09:00 (Asia/Kolkata)."]
    );
}

#[test]
fn several_places_come_in_one_message_a_person() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 2);
    assert_eq!(rotation.holders(), "U1 U2");
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.holders(), "U3 U1");
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation, Lane 1: @Person U3 takes over from Person U1 until 2026-01-07 09:00 (UTC). / \
             Rotation, Lane 2: @Person U1 takes over from Person U2 until 2026-01-07 09:00 (UTC).",
            "U3: You are on duty for Rotation, Lane 1 until 2026-01-07 09:00 (UTC). You take over from Person U1.",
            "U1: You are off duty for Rotation, Lane 1. Person U3 takes over. / \
             You are on duty for Rotation, Lane 2 until 2026-01-07 09:00 (UTC). You take over from Person U2.",
            "U2: You are off duty for Rotation, Lane 2. Person U1 takes over.",
        ]
    );
}

/// rules.md 14.4.
#[test]
fn owners_hear_that_nobody_is_on_call() {
    const GOES: &str =
        "Rotation: Person U1 goes off duty, and nobody takes over. / Rotation: nobody is on call.";
    let rota = Rota::unreminded(4);
    let by_clock = rota.daily("U1 U2", 1);
    let by_edit = rota.daily("U1", 1);
    let by_hand = rota.daily("U1 U2", 1);
    let as_arranged = rota.rotation("U1 U2");
    as_arranged.cover(1, &[hours("UTC", &weekdays("07:00", "08:30"), daily())]);
    for rotation in [&by_clock, &by_edit, &by_hand, &as_arranged] {
        rotation.posts_in("C1");
        rotation.patch(json!({ "owners": ["U3", "U4"] })).is(200);
        assert_eq!(rotation.on_call(), "U1");
    }
    let mut reader = rota.message_reader();
    let off = "U1: You are off duty for Rotation. Nobody takes over.";
    // No warning to the owners if a person took somebody off by hand, or edits.
    let by_owner = by_hand.with(&rota.token("U3"));
    let silent = [format!("C1: {GOES}"), off.to_owned()];
    by_owner.clear().is(200);
    assert_eq!(reader.lines(), silent);
    by_hand.put_on_call("U1").is(200);
    reader.lines();
    by_owner.patch(json!({ "userIds": [] })).is(200);
    assert_eq!(reader.lines(), silent);
    by_hand.patch(json!({ "userIds": ["U1", "U2"] })).is(200);
    by_hand.put_on_call("U1").is(200);
    reader.lines();
    by_edit.patch(json!({ "userIds": [] })).is(200);
    let owner = |user: &str| format!("{user}: Rotation: nobody is on call. You are an owner.");
    let all = [
        format!("C1: {GOES}"),
        off.to_owned(),
        owner("U3"),
        owner("U4"),
    ];
    assert_eq!(reader.lines(), all);
    // A key is no person, however it leaves nobody on call.
    by_hand.clear().is(200);
    assert_eq!(reader.lines(), all);
    // Nobody is expected on call once a window is shut.
    rota.to("2026-01-05T09:00Z");
    assert_eq!(as_arranged.on_call(), "");
    assert_eq!(reader.lines(), NONE);
    as_arranged.delete();
    by_hand.delete();
    for user in ["U1", "U2"] {
        by_clock.away(user, "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    }
    assert_eq!(reader.lines(), NONE);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(reader.lines(), all);
}

#[test]
fn a_deletion_is_told_where_somebody_was_on_call() {
    let rota = Rota::unreminded(3);
    let busy = rota.daily("U1 U2", 2);
    let empty = rota.rotation("U1 U2");
    busy.posts_in("C1 C2");
    empty.posts_in("C1");
    let mut reader = rota.message_reader();
    empty.delete();
    assert_eq!(reader.lines(), NONE);
    busy.delete();
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation: the rotation was deleted. Nobody is on call.",
            "C2: Rotation: the rotation was deleted. Nobody is on call.",
            "U1: You are off duty for Rotation: the rotation was deleted.",
            "U2: You are off duty for Rotation: the rotation was deleted.",
        ]
    );
    rota.to("2026-01-08T09:00Z");
    assert_eq!(reader.lines(), NONE);
}

#[test]
fn only_channels_that_post_are_told() {
    let rota = Rota::unreminded(3);
    let rotation = three(&rota);
    rotation.posts_in("C1 C2");
    rotation.tells_in("C1");
    let mut reader = rota.message_reader();
    rotation.rotate();
    let posted: Vec<String> = reader
        .messages()
        .iter()
        .map(|m| recipient(m).to_owned())
        .collect();
    assert_eq!(posted, ["C2", "U2", "U1"]);
    // Off in one write, and the channel is removed from the rotation.
    let off = json!({ "postsMessages": false, "syncsTopic": false });
    rotation.put("/channels/C2", off).is(200);
    rotation.rotate();
    let posted: Vec<String> = reader
        .messages()
        .iter()
        .map(|m| recipient(m).to_owned())
        .collect();
    assert_eq!(posted, ["U3", "U2"]);
}

#[test]
fn a_member_who_goes_is_told_off() {
    let rota = Rota::unreminded(3);
    let rotation = three(&rota);
    let mut reader = rota.message_reader();
    rotation.patch(json!({ "userIds": ["U2", "U3"] })).is(200);
    assert_eq!(
        reader.lines(),
        [
            "U2: You are on duty for Rotation until 2026-01-06 09:00 (UTC). You take over from Person U1.",
            "U1: You are off duty for Rotation. Person U2 takes over.",
        ]
    );
}

#[test]
fn a_place_that_is_gone_is_told() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 2);
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    rotation.cover(1, &[always(daily())]);
    assert_eq!(
        reader.lines(),
        [
            "C1: Rotation, Lane 2: Person U2 goes off duty, and nobody takes over.",
            "U2: You are off duty for Rotation, Lane 2. Nobody takes over.",
        ]
    );
}

#[test]
fn a_disabled_rotation_tells_nothing() {
    let rota = Rota::unreminded(3);
    let rotation = three(&rota);
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-07T12:00Z");
    rotation.patch(json!({ "enabled": true })).is(200);
    assert_eq!(reader.lines(), NONE);
    rota.to("2026-01-08T12:00Z");
    assert_eq!(
        reader.times(),
        ["C1", "U2", "U1"].map(|who| format!("2026-01-08T09:00Z {who}"))
    );
}

#[test]
fn after_downtime_only_where_it_ended_up_is_told() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = |clock: &str| {
        let start = Start::default().env("ROTA_CHAT_REMINDER_BEFORE", "0s");
        start.db(&db).clock(clock).go()
    };
    let first = start(MONDAY);
    first.people(3);
    three(&first).posts_in("C1");
    let known = first.messages().len();
    first.stop();
    // Two hand-overs were missed: from U1 over U2 to U3.
    let second = start("2026-01-07T12:00Z");
    second.advance(0);
    let lines: Vec<String> = second.messages()[known..]
        .iter()
        .map(message_line)
        .collect();
    assert_eq!(
        lines,
        [
            "C1: Rotation: @Person U3 takes over from Person U1 until 2026-01-08 09:00 (UTC).",
            "U3: You are on duty for Rotation until 2026-01-08 09:00 (UTC). You take over from Person U1.",
            "U1: You are off duty for Rotation. Person U3 takes over.",
        ]
    );
}
