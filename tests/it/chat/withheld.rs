//! Delayed messages: channels without the app, and the order for one recipient.

use crate::support::*;
use serde_json::json;

#[test]
fn a_channel_without_the_app_hears_nothing_and_nothing_later() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C3 C1");
    let mut reader = rota.message_reader();
    rota.to("2026-01-06T09:00Z");
    let times = |instant: &str, to: &str| -> Vec<String> {
        words(to)
            .iter()
            .map(|who| format!("{instant} {who}"))
            .collect()
    };
    assert_eq!(reader.times(), times("2026-01-06T09:00Z", "C1 U2 U1"));
    let messages = rotation.chat_status()["messages"].clone();
    assert_eq!(int(&messages["pending"]), 0);
    let why = "the app is not in the channel `C3`";
    assert_eq!(text(&messages["lastError"]), why);
    // Once invited, the channel gets messages from then on.
    let mut invited = directory(3);
    invited["channels"][2]["appIsMember"] = json!(true);
    rota.import(&invited);
    rota.to("2026-01-06T20:00Z");
    assert_eq!(reader.times(), [""; 0]);
    rota.to("2026-01-07T09:00Z");
    assert_eq!(reader.times(), times("2026-01-07T09:00Z", "C3 C1 U3 U2"));
}

#[test]
fn somebody_who_has_left_is_told_nothing() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let mut reader = rota.message_reader();
    let mut left = directory(3);
    left["users"][0]["isDeleted"] = json!(true);
    rota.import(&left);
    assert_eq!(rotation.on_call(), "U2");
    assert_eq!(
        reader.lines(),
        [
            "U2: You are on duty for Rotation until 2026-01-06 09:00 (UTC). You take over from Person U1."
        ]
    );
    assert_eq!(int(&rotation.chat_status()["messages"]["pending"]), 0);
}

#[test]
fn one_recipient_hears_everything_in_order() {
    let rota = Rota::unreminded(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.posts_in("C1");
    let mut reader = rota.message_reader();
    rota.chat_is_down();
    // Each is queued at a different point of the previous one's retries.
    for (person, wait) in [("U1", 0), ("U2", 3), ("U3", 60), ("U1", 1), ("U2", 400)] {
        rotation.put_on_call(person).is(200);
        rota.chat_settles();
        rota.advance(wait);
    }
    assert_eq!(reader.lines(), [""; 0]);
    rota.chat_is_up();
    rota.advance(2 * HOUR);
    let lines = reader.lines();
    let to = |who: &str| -> Vec<&str> {
        let to = format!("{who}: ");
        lines
            .iter()
            .filter_map(|line| line.strip_prefix(&to))
            .collect()
    };
    assert_eq!(
        to("C1"),
        [
            "Rotation: @Person U1 is on duty.",
            "Rotation: @Person U2 takes over from Person U1.",
            "Rotation: @Person U3 takes over from Person U2.",
            "Rotation: @Person U1 takes over from Person U3.",
            "Rotation: @Person U2 takes over from Person U1.",
        ]
    );
    assert_eq!(
        to("U1"),
        [
            "You are on duty for Rotation.",
            "You are off duty for Rotation. Person U2 takes over.",
            "You are on duty for Rotation. You take over from Person U3.",
            "You are off duty for Rotation. Person U2 takes over.",
        ]
    );
    assert_eq!(lines.len(), 5 + 4 + 3 + 2);
    assert_eq!(int(&rotation.chat_status()["messages"]["pending"]), 0);
}

#[test]
fn one_recipient_who_cannot_be_reached_holds_up_nobody() {
    let rota = Rota::unreminded(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.posts_in("C1 C2");
    let mut reader = rota.message_reader();
    rota.set_failure_mode(json!({ "forgotten": ["C1"] }));
    rotation.put_on_call("U1").is(200);
    rotation.put_on_call("U2").is(200);
    let said = reader.lines();
    assert!(!said.iter().any(|line| line.starts_with("C1")), "{said:?}");
    assert_eq!(said.iter().filter(|line| line.starts_with("C2")).count(), 2);
    assert_eq!(
        text(&rotation.chat_status()["messages"]["lastError"]),
        "there is no `C1`"
    );
    // Dropped permanently.
    rota.chat_is_up();
    rota.advance(2 * DAY);
    assert_eq!(reader.lines(), [""; 0]);
}

#[test]
fn the_next_try_comes_by_itself() {
    let rota = Start::default().running_clock().go();
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.tells_in("C1");
    rotation.bind_handle("own");
    rota.chat_is_down();
    rotation.put_on_call("U1").is(200);
    let out = rotation.chat_status();
    assert_eq!(int(&out["messages"]["pending"]), 1);
    rota.chat_is_up();
    // Nobody moves the clock or reads chat.
    eventually("all lanes are through", || {
        let standing = rotation.get("/chat").is(200).json();
        let through = |kept: &serde_json::Value| kept["inStep"] == json!(true);
        int(&standing["messages"]["pending"]) == 0
            && through(&standing["topics"][0])
            && through(&standing["onDutyGroup"])
    });
    assert_eq!(rota.messages().len(), 1);
    assert_eq!(rota.topic("C1"), "Rotation: Person U1");
}
