//! Buttons under messages and in answers: done once, and what is over says so.

use super::{Enter, Workspace, button, labels};
use crate::support::*;
use serde_json::{Value, json};

/// Where a message is, and its blocks.
fn place(posted: &crate::support::slack::Posted) -> (&str, &str) {
    (posted.channel.as_str(), posted.ts.as_str())
}

fn shown(posted: &crate::support::slack::Posted) -> Value {
    json!({ "blocks": posted.blocks })
}

/// rules.md 23.2.
#[test]
fn a_cover_is_accepted_by_button_once() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let asked = rotation.ask_cover("U2", "06 07", "U1 U3");
    let (to_u1, to_u3) = (workspace.message("U1", 1), workspace.message("U3", 1));
    assert_eq!(labels(&shown(&to_u3)), ["Accept", "Decline"]);
    let (accept, decline) = (
        button(&shown(&to_u3), "Accept"),
        button(&shown(&to_u3), "Decline"),
    );
    // Somebody else, with the value of the button.
    let reply = workspace.click("U4", place(&to_u3), &accept);
    assert_eq!(reply["text"], "Only its recipients may answer the request.");
    let reply = workspace.click("U3", place(&to_u3), &accept);
    assert_eq!(reply["text"], "You have accepted.");
    let version = rotation.read()["version"].clone();
    let reply = workspace.click("U3", place(&to_u3), &accept);
    assert_eq!(
        reply["text"], "You have accepted.",
        "clicking twice is once"
    );
    assert_eq!(rotation.read()["version"], version);
    // Whoever comes later is told who was first.
    for (user, from, clicked) in [
        ("U1", &to_u1, &accept),
        ("U1", &to_u1, &decline),
        ("U3", &to_u3, &decline),
    ] {
        let reply = workspace.click(user, place(from), clicked);
        let said = text(&reply["text"]);
        assert_eq!(said, "This cover request is over: <@U3> has accepted it.");
        assert_eq!(rotation.read()["version"], version);
    }
    assert_eq!(asked.state(), "accepted");
    workspace.rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.on_call(), "U3");
}

/// rules.md 23.2.
#[test]
fn buttons_of_last_week_change_nothing() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let mut asked = Vec::new();
    for (period, step) in [
        ("08 09", "cancel"),
        ("08 09", "decline"),
        ("08 09", "expire"),
    ] {
        let made = rotation.ask_cover("U1", period, "U2");
        match step {
            "cancel" => made.step("U1", "cancel").ok(),
            "decline" => made.step("U2", "decline").ok(),
            _ => rotation.get("").ok(),
        };
        asked.push(made);
    }
    let messages: Vec<_> = (1..=3)
        .map(|number| workspace.message("U2", number))
        .collect();
    workspace.rota.to("2026-01-12T09:00Z");
    let version = rotation.read()["version"].clone();
    for (posted, expected) in
        messages
            .iter()
            .zip(["it was cancelled", "declined", "nobody accepted in time"])
    {
        // As they were posted: with buttons.
        let id = posted_request(&asked, expected);
        let value = format!("request {} {id}", rotation.id);
        for action in ["answer:accept", "answer:decline"] {
            let clicked = json!({ "action_id": action, "value": value });
            let reply = workspace.click("U2", place(posted), &clicked);
            let said = text(&reply["text"]);
            assert!(said.starts_with("This cover request is over: "), "{said}");
            assert!(said.contains(expected), "{said}");
        }
    }
    assert_eq!(rotation.read()["version"], version);
    // One that is not kept any more, and values that nobody made.
    for value in [
        format!("request {} cov_none", rotation.id),
        "request rot_x cov_none".into(),
    ] {
        let clicked = json!({ "action_id": "answer:accept", "value": value });
        let reply = workspace.click("U2", ("DU2", "1.1"), &clicked);
        assert_eq!(reply["text"], "This request is not kept any more.");
    }
}

/// The id of the request that came to this.
fn posted_request(asked: &[Asked], outcome: &str) -> String {
    let index = match outcome {
        "it was cancelled" => 0,
        "declined" => 1,
        _ => 2,
    };
    asked[index].id.clone()
}

#[test]
fn what_is_in_the_way_of_accepting_is_named_first() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let asked = rotation.ask_cover("U2", "06 07", "U3");
    let posted = workspace.message("U3", 1);
    let accept = button(&shown(&posted), "Accept");
    rotation.away("U3", "2026-01-06T10:00Z", "2026-01-06T12:00Z");
    let form = workspace.click_form("U3", place(&posted), &accept);
    assert_eq!(form["callback_id"], "accept");
    assert!(form.to_string().contains("<@U3> is away"), "{form}");
    // The box has to be ticked.
    let reply = workspace.submit("U3", &form, &[]);
    assert_eq!(reply["response_action"], "update");
    assert_eq!(asked.state(), "pending");
    assert_eq!(
        workspace.submit("U3", &form, &[("acknowledged", Enter::Tick)]),
        Value::Null
    );
    assert_eq!(asked.state(), "accepted");
    // Sent once more, and what came of it meanwhile.
    let reply = workspace.submit("U3", &form, &[("acknowledged", Enter::Tick)]);
    assert!(
        reply.to_string().contains("<@U3> has accepted it"),
        "{reply}"
    );
}

#[test]
fn a_form_to_accept_tells_what_happened_meanwhile() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let asked = rotation.ask_cover("U2", "06 07", "U3 U1");
    let posted = workspace.message("U3", 1);
    let accept = button(&shown(&posted), "Accept");
    rotation.away("U3", "2026-01-06T10:00Z", "2026-01-06T12:00Z");
    let form = workspace.click_form("U3", place(&posted), &accept);
    asked.step("U1", "accept").ok();
    let reply = workspace.submit("U3", &form, &[("acknowledged", Enter::Tick)]);
    assert_eq!(reply["response_action"], "update");
    assert!(
        reply.to_string().contains("<@U1> has accepted it"),
        "{reply}"
    );
}

/// rules.md 23.2.
#[test]
fn rotate_counts_for_what_was_shown() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let card = workspace.say("U1", "PLAT");
    let rotate = button(&card, "Rotate");
    let asks = text(&rotate["confirm"]["text"]["text"]);
    assert_eq!(asks, "u1 goes off, u2 comes on.");
    let reply = workspace.click("U1", ("C1", "9.1"), &rotate);
    assert_eq!(reply["replace_original"], true, "{reply}");
    assert!(
        text(&reply["text"]).contains("On call now: <@U2>."),
        "{reply}"
    );
    assert_eq!(rotation.on_call(), "U2");
    workspace.click("U1", ("C1", "9.1"), &rotate);
    assert_eq!(rotation.on_call(), "U2", "clicking twice is once");
    // The same button on another message is of what has changed since.
    let said = workspace.click("U1", ("C1", "9.2"), &rotate);
    assert!(
        text(&said["text"]).contains("has changed meanwhile"),
        "{said}"
    );
    assert_eq!(rotation.on_call(), "U2");
    // The new button goes on.
    workspace.click("U1", ("C1", "9.1"), &button(&reply, "Rotate"));
    assert_eq!(rotation.on_call(), "U3");
}

#[test]
fn buttons_of_a_rotation_open_forms() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let card = workspace.say("U2", "PLAT");
    for (label, form) in [
        ("Ask for cover", "cover"),
        ("Offer a swap", "swap"),
        ("Details", "details"),
    ] {
        let view = workspace.click_form("U2", ("C1", "9.1"), &button(&card, label));
        assert_eq!(view["callback_id"], form);
        let metadata = text(&view["private_metadata"]);
        assert!(!metadata.contains("team"), "ids alone: {metadata}");
    }
    // Once it is hidden, it does not exist.
    rotation
        .patch(json!({ "public": false, "userIds": ["U1", "U3"] }))
        .ok();
    for label in ["Ask for cover", "Offer a swap", "Details"] {
        let reply = workspace.click("U2", ("C1", "9.1"), &button(&card, label));
        assert_eq!(reply["text"], "There is no such rotation.", "{label}");
    }
}
