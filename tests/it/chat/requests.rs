//! Messages about cover and swap requests, and their `deliveryState`.

use crate::support::*;
use serde_json::{Value, json};

const NONE: [&str; 0] = [];

fn four(rota: &Rota) -> Rot<'_> {
    rota.daily("U1 U2 U3 U4", 1)
}

#[test]
fn recipients_of_a_cover_request_get_one_message_each() {
    let rota = Rota::unreminded(4);
    let rotation = four(&rota);
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    let mut body = rotation.cover_body("06 07", "U3 U1");
    body["reason"] = json!("dentist");
    let by = rotation.seen_by("U2");
    by.request("cover-requests/preview", body.clone()).is(200);
    assert_eq!(reader.lines(), NONE);
    let made = by.request("cover-requests", body.clone()).is(200).json();
    let asks = "Person U2 asks you to cover Rotation from 2026-01-06 09:00 (UTC) to 2026-01-07 09:00 (UTC). Reason: dentist";
    assert_eq!(
        reader.lines(),
        [format!("U3: {asks}"), format!("U1: {asks}")]
    );
    assert_eq!(made["deliveryState"], "pending");
    // A retry returns the response and sends nothing.
    let again = by.request("cover-requests", body).is(200).json();
    assert_eq!(again, made);
    assert_eq!(reader.lines(), NONE);
}

#[test]
fn who_asked_hears_of_each_answer() {
    let rota = Rota::unreminded(4);
    let rotation = four(&rota);
    rotation.posts_in("C1");
    let asked = rotation.ask_cover("U2", "06 07", "U3 U4");
    let mut reader = rota.message_reader();
    let answer = asked.step("U3", "decline").is(200).json();
    assert_eq!(answer["deliveryState"], "pending");
    let declined = "U2: Person U3 has declined your cover request for Rotation.";
    assert_eq!(reader.lines(), [declined]);
    // Again, it changes nothing and sends nothing.
    let answer = asked.step("U3", "decline").is(200).json();
    assert_eq!(answer["deliveryState"], "published");
    assert_eq!(reader.lines(), NONE);
    asked.step("U4", "decline").is(200);
    let last = "U2: Person U4 has declined your cover request for Rotation. Everybody you asked has declined.";
    assert_eq!(reader.lines(), [last]);

    let asked = rotation.ask_cover("U2", "06 07", "U3 U4");
    reader.lines();
    let mut accept = asked.step_body();
    accept["acknowledgedConflictIds"] = json!([]);
    let by = rotation.seen_by("U4").by;
    let path = asked.path("/accept");
    let answer = by.post_if(&path, "*", accept.clone()).is(200).json();
    assert_eq!(answer["deliveryState"], "pending");
    let covers = "Person U4 covers for Person U2: Rotation from 2026-01-06 09:00 (UTC) to 2026-01-07 09:00 (UTC).";
    let posted = [
        format!("C1: {covers}"),
        format!("U2: Person U4 has accepted your cover request. / {covers}"),
    ];
    assert_eq!(reader.lines(), posted);
    assert_eq!(by.post_if(&path, "*", accept).is(200).json(), answer);
    assert_eq!(reader.lines(), NONE);
    // The person who ends it notifies the other side.
    asked.step("U4", "end").is(200);
    assert_eq!(
        reader.lines(),
        ["U2: Person U4 has ended the cover of Rotation."]
    );
}

#[test]
fn a_running_cover_changes_duty_as_well() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.ask_cover("U1", "05T08 05T20", "U3");
    let mut reader = rota.message_reader();
    asked.accepted_by("U3");
    assert_eq!(rotation.on_call(), "U3");
    let mut lines = reader.lines();
    lines.sort();
    assert_eq!(
        lines,
        [
            "U1: Person U3 has accepted your cover request. / \
             Person U3 covers for Person U1: Rotation from 2026-01-05 08:00 (UTC) to 2026-01-05 20:00 (UTC).",
            "U1: You are off duty for Rotation. Person U3 takes over.",
            "U3: You are on duty for Rotation until 2026-01-05 20:00 (UTC). You take over from Person U1.",
        ]
    );
    asked.step("U1", "end").is(200);
    let mut lines = reader.lines();
    lines.sort();
    assert_eq!(
        lines,
        [
            "U1: You are on duty for Rotation until 2026-01-06 09:00 (UTC). You take over from Person U3.",
            "U3: Person U1 has ended the cover of Rotation.",
            "U3: You are off duty for Rotation. Person U1 takes over.",
        ]
    );
}

#[test]
fn a_swap_is_offered_and_accepted() {
    let rota = Rota::unreminded(4);
    let rotation = four(&rota);
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    let offered = rotation.offer_swap("U2", "06 07", "U3", "07 08");
    let (second, third) = (
        "Rotation from 2026-01-06 09:00 (UTC) to 2026-01-07 09:00 (UTC)",
        "Rotation from 2026-01-07 09:00 (UTC) to 2026-01-08 09:00 (UTC)",
    );
    assert_eq!(
        reader.lines(),
        [format!(
            "U3: Person U2 offers you a swap: you take {second}, they take {third}."
        )]
    );
    offered.step("U3", "decline").is(200);
    let declined = "U2: Person U3 has declined your swap request for Rotation.";
    assert_eq!(reader.lines(), [declined]);
    let offered = rotation.offer_swap("U2", "06 07", "U3", "07 08");
    reader.lines();
    offered.accepted_by("U3");
    let legs = [
        format!("Person U3 covers for Person U2: {second}."),
        format!("Person U2 covers for Person U3: {third}."),
    ];
    let legs = legs.join(" / ");
    assert_eq!(
        reader.lines(),
        [
            format!("C1: {legs}"),
            format!("U2: Person U3 has accepted your swap request. / {legs}")
        ]
    );
}

#[test]
fn what_is_cancelled_tells_nobody() {
    let rota = Rota::unreminded(4);
    let rotation = four(&rota);
    let asked = rotation.ask_cover("U2", "06 07", "U3");
    let mut reader = rota.message_reader();
    let answer = asked.step("U2", "cancel").is(200).json();
    assert_eq!(answer["deliveryState"], "published");
    assert_eq!(reader.lines(), NONE);
}

/// Assigns U3 over an interval and returns `deliveryState`; a retry must return the same and send nothing.
#[track_caller]
fn assigned(rotation: &Rot, from: &str, to: &str) -> String {
    let body = rotation.assignment(0, "U3", from, to);
    let first = rotation.post_arrangement("", &body).is(200).json();
    let mut reader = rotation.by.rota.message_reader();
    let again: Value = rotation.post_arrangement("", &body).is(200).json();
    assert_eq!(again, first);
    assert_eq!(reader.lines(), NONE);
    text(&first["deliveryState"]).to_owned()
}

#[test]
fn delivery_is_pending_where_chat_is_to_do_something() {
    let rota = Rota::unreminded(4);
    rota.import_with(4, &[("G1", "")], &[]);
    let rotation = four(&rota);
    rotation.posts_in("C1");
    // In the future: no messages yet.
    let state = assigned(&rotation, "2026-01-06T10:00Z", "2026-01-06T11:00Z");
    assert_eq!(state, "published");
    // Now: people change.
    let state = assigned(&rotation, "2026-01-05T08:00Z", "2026-01-05T09:00Z");
    assert_eq!(state, "pending");
    // A topic shows the future, and a user group is synced.
    let rotation = four(&rota);
    rotation.tells_in("C1");
    let state = assigned(&rotation, "2026-01-06T10:00Z", "2026-01-06T11:00Z");
    assert_eq!(state, "pending");
    let rotation = four(&rota);
    rotation.bind("G1");
    let state = assigned(&rotation, "2026-01-06T10:00Z", "2026-01-06T11:00Z");
    assert_eq!(state, "pending");
    // An endpoint has deliveries as well.
    let rotation = four(&rota);
    let _hook = rota.hook("rotation.updated");
    let state = assigned(&rotation, "2026-01-06T10:00Z", "2026-01-06T11:00Z");
    assert_eq!(state, "pending");
}
