//! Socket Mode through its faults: refreshes, deaths, silence, refusals, garbage.

use super::{Counting, Running, hurried};
use crate::support::slack::{Failure, Slack, command};
use crate::support::*;
use jiff::SignedDuration;
use rota::actions::platform;
use rota::chat::Remote;
use rota::domain::chat::PlatformState;
use serde_json::json;
use std::time::{Duration, Instant};
use tungstenite::Message;

/// rules.md 21.2.
#[test]
fn the_same_twice_does_nothing() {
    let running = Running::new();
    let payload = command("U1", "OPS", &running.slack.response_url());
    let first = running.sockets.send("slash_commands", payload.clone());
    running.sockets.acknowledged(&first);
    running.sockets.send_again(&first);
    // In another envelope, too.
    let other = running.sockets.send("slash_commands", payload);
    assert_eq!(running.sockets.acknowledged(&other).payload, None);
    eventually("both acknowledgements", || {
        running.sockets.acknowledgements(&first) == 2
    });
    assert_eq!(
        running.handler.asked().into_values().collect::<Vec<_>>(),
        [1]
    );
}

/// rules.md 21.2.
#[test]
fn two_commands_with_one_trigger_are_two() {
    let running = Running::new();
    let mut payload = command("U1", "OPS", &running.slack.response_url());
    let first = running.sockets.send("slash_commands", payload.clone());
    payload["text"] = json!("WEB");
    let second = running.sockets.send("slash_commands", payload);
    for (id, said) in [(&first, "u1: OPS"), (&second, "u1: WEB")] {
        let body = running.sockets.acknowledged(id).payload;
        assert_eq!(body.expect("an answer")["text"], said);
    }
}

#[test]
fn five_hundred_commands_while_the_socket_is_refreshed_again_and_again() {
    const COMMANDS: usize = 500;
    let running = Running::new();
    let url = running.slack.response_url();
    let mut ids = Vec::new();
    for number in 0..COMMANDS {
        // Before the old connection is let go the new one is open, and both are read.
        if number % 50 == 25 {
            let greeted = running.sockets.greeted();
            running
                .sockets
                .refresh(["warning", "refresh_requested"][number / 50 % 2]);
            running.sockets.await_greeted(greeted + 1);
            if number % 100 == 25 {
                running.sockets.close_oldest();
            }
        }
        ids.push(
            running
                .sockets
                .send("slash_commands", command("U1", &format!("{number}"), &url)),
        );
    }
    for (number, id) in ids.iter().enumerate() {
        let payload = running.sockets.acknowledged(id).payload;
        let text = payload.map(|payload| payload["text"].as_str().unwrap().to_owned());
        // One that came twice may be acknowledged by the other connection first.
        assert!(
            text.is_none_or(|text| text == format!("u1: {number}")),
            "{number}"
        );
    }
    running.settled();
    let asked = running.handler.asked();
    assert_eq!(asked.len(), COMMANDS);
    assert!(asked.values().all(|times| *times == 1));
    assert!(running.sockets.most_open() >= 2);
}

/// rules.md 21.6.
#[test]
fn a_replaced_connection_is_let_go_after_a_while() {
    let running = Running::new();
    running.sockets.refresh("warning");
    running.sockets.await_greeted(2);
    assert_eq!(running.sockets.open(), 2);
    assert!(running.app.slack().unwrap().is_socket_connected());
    // Slack does not close the old one.
    running.sockets.await_open(1);
    let id = running
        .sockets
        .send("slash_commands", command("U1", "OPS", ""));
    running.sockets.acknowledged(&id);
    assert_eq!(running.sockets.greeted(), 2);
}

/// rules.md 21.6.
#[test]
fn a_connection_that_dies_silently_is_noticed() {
    let running = Running::new();
    running.sockets.freeze();
    let id = running
        .sockets
        .send("slash_commands", command("U1", "OPS", ""));
    running.sockets.await_greeted(2);
    running.sockets.acknowledged(&id);
    running.sockets.cut();
}

#[test]
fn a_quiet_connection_is_asked_and_kept() {
    let running = Running::new();
    eventually("pings", || running.sockets.pings() >= 6);
    assert_eq!(running.sockets.greeted(), 1);
}

#[test]
fn a_connection_that_is_cut_is_opened_again() {
    let running = Running::new();
    for round in 2..6 {
        running.sockets.cut();
        running.sockets.await_greeted(round);
        let id = running
            .sockets
            .send("slash_commands", command("U1", "OPS", ""));
        running.sockets.acknowledged(&id);
    }
}

#[test]
fn what_cannot_be_opened_is_tried_again_with_longer_and_longer_waits() {
    type Fault = fn(&Running);
    let faults: [(&str, Fault); 6] = [
        ("too many", |running| {
            let greet = json!({ "type": "disconnect", "reason": "too_many_websockets" });
            running
                .sockets
                .manners(|manners| manners.greet = Some(greet));
        }),
        ("a handshake that is refused", |running| {
            running
                .sockets
                .manners(|manners| manners.refuse = Some(408));
        }),
        ("an address elsewhere", |running| {
            let address = Some("wss://slack.com.example.org/link".to_owned());
            running.sockets.manners(|manners| manners.address = address);
        }),
        ("an address that is no socket", |running| {
            let address = Some(running.slack.api_url.replace("http", "ws"));
            running.sockets.manners(|manners| manners.address = address);
        }),
        ("a Slack that is away", |running| {
            running
                .slack
                .fail("apps.connections.open", Failure::Status(503), 1_000);
        }),
        ("too many requests", |running| {
            running
                .slack
                .fail("apps.connections.open", Failure::TooMany(0), 1_000);
        }),
    ];
    for (what, fault) in faults {
        let running = Running::new();
        fault(&running);
        running.sockets.cut();
        let id = running
            .sockets
            .send("slash_commands", command("U1", "OPS", ""));
        eventually(what, || {
            running.slack.calls("apps.connections.open").len() > 5
        });
        assert!(
            !running.app.slack().unwrap().is_socket_connected(),
            "{what}"
        );
        assert_eq!(running.sockets.acknowledgements(&id), 0, "{what}");
        running.slack.heal();
        running
            .sockets
            .manners(|manners| *manners = Default::default());
        running.sockets.acknowledged(&id);
        assert!(running.app.slack().unwrap().is_socket_connected(), "{what}");
        // The Web API is no socket, and says so.
        running.slack.team().violations.clear();
        // What goes out does not depend on the app token.
        let (state, _) = running.app.slack().unwrap().state();
        assert_ne!(state, PlatformState::Paused, "{what}");
    }
}

/// rules.md 21.6.
#[test]
fn a_refused_app_token_is_shown_and_tried_every_five_minutes() {
    for code in ["invalid_auth", "token_revoked", "account_inactive"] {
        let running = Running::new();
        let slack = running.app.slack().expect("Slack");
        slack.ask_workspace().expect("the workspace");
        let asked = || running.slack.calls("apps.connections.open").len();
        let status = || platform::status(&running.app).expect("the state");
        let before = asked();
        running.slack.team().refuse_app(Some(code));
        running.sockets.cut();
        eventually("it is shown", || {
            let error = status().last_error;
            error.is_some_and(|error| error.contains(code))
        });
        assert!(!status().socket_connected);
        // What goes out does not depend on the app token.
        assert_eq!(status().state, PlatformState::Up);
        assert_eq!(asked(), before + 1);
        let advance = |seconds| {
            let clock = running.app.clock();
            clock.set(clock.now() + SignedDuration::from_secs(seconds));
        };
        advance(300);
        eventually("it is refused again", || slack.is_app_token_refused());
        running.slack.team().refuse_app(None);
        advance(299);
        // Once in five minutes, however often the socket is tried otherwise.
        assert_eq!(asked(), before + 2);
        advance(1);
        running.sockets.await_greeted(2);
        eventually("it is connected", || status().socket_connected);
        assert_eq!((asked(), status().last_error), (before + 3, None));
    }
}

#[test]
fn a_connection_that_says_no_hello_is_left() {
    let mut timings = hurried();
    timings.opening = Duration::from_millis(300);
    let slack = Slack::with_people(3);
    slack.socket_mode().manners(|manners| manners.mute = true);
    let running = Running::with(slack, timings, Counting::default());
    eventually("a second attempt", || running.sockets.given() >= 2);
    running.sockets.manners(|manners| manners.mute = false);
    running.sockets.await_greeted(1);
}

#[test]
fn garbage_is_ignored_and_huge_frames_end_the_connection() {
    let running = Running::new();
    for garbage in [
        "",
        "{",
        "[]",
        "null",
        "\"hello\"",
        r#"{"type":7}"#,
        r#"{"type":"future"}"#,
    ] {
        running.sockets.say(Message::text(garbage));
    }
    running.sockets.say(Message::binary(vec![0xff; 1_000]));
    // Envelopes that are not understood are acknowledged: Slack would send them for ever.
    for (kind, payload) in [
        ("future", json!({ "a": 1 })),
        ("slash_commands", json!({})),
        ("slash_commands", json!(null)),
        ("interactive", json!({ "type": "block_actions" })),
        ("events_api", json!({ "type": "event_callback" })),
    ] {
        let id = running.sockets.send(kind, payload);
        running.sockets.acknowledged(&id);
    }
    assert_eq!(running.sockets.greeted(), 1);
    running
        .sockets
        .say(Message::text("x".repeat(3 * 1024 * 1024)));
    running.sockets.await_greeted(2);
    let id = running
        .sockets
        .send("slash_commands", command("U1", "OPS", ""));
    running.sockets.acknowledged(&id);
}

#[test]
fn stopping_is_quick_and_loses_nothing() {
    let running = Running::new();
    let (slack, handler) = (Slack::with_people(3), running.handler.clone());
    drop(slack);
    let began = Instant::now();
    drop(running);
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(handler.asked().len(), 0);
}
