//! What is answered, when, and by which way.

use super::{Counting, Running, hurried, modal};
use crate::support::slack::{Failure, Slack, click, command, event, mention, submission};
use crate::support::*;
use serde_json::{Value, json};
use std::time::Duration;

/// rules.md 21.4.
#[test]
fn a_command_is_answered_in_its_acknowledgement() {
    let running = Running::new();
    let id = running.sockets.send(
        "slash_commands",
        command("U1", "OPS", &running.slack.response_url()),
    );
    let acknowledged = running.sockets.acknowledged(&id);
    assert_eq!(acknowledged.payload, Some(json!({ "text": "u1: OPS" })));
    assert!(
        acknowledged.after < Duration::from_secs(1),
        "{acknowledged:?}"
    );
    running.settled();
    assert_eq!(running.slack.responses(), []);
}

/// rules.md 21.4.
#[test]
fn a_slow_command_is_acknowledged_and_answered_by_its_response_url() {
    let running = Running::new();
    let url = running.slack.response_url();
    let id = running
        .sockets
        .send("slash_commands", command("U1", "slow", &url));
    let acknowledged = running.sockets.acknowledged(&id);
    assert_eq!(acknowledged.payload, None);
    assert!(
        acknowledged.after < Duration::from_secs(3),
        "{acknowledged:?}"
    );
    // Others are answered meanwhile.
    let other = running
        .sockets
        .send("slash_commands", command("U2", "OPS", &url));
    assert_eq!(
        running.sockets.acknowledged(&other).payload,
        Some(json!({ "text": "u2: OPS" }))
    );
    running.handler.open_gate();
    running.settled();
    assert_eq!(
        running.slack.responses(),
        [(url, json!({ "text": "slowly" }))]
    );
}

#[test]
fn a_slow_modal_shows_that_it_is_worked_on_and_then_what_came_of_it() {
    let running = Running::new();
    let view = running.slack.open_modal(modal("slow"));
    let id = running
        .sockets
        .send("interactive", submission("U1", view.clone(), json!({})));
    let acknowledged = running.sockets.acknowledged(&id);
    let payload = acknowledged.payload.expect("a payload");
    assert_eq!(payload["response_action"], "update");
    assert!(acknowledged.after < Duration::from_secs(3));
    running.handler.open_gate();
    running.settled();
    let shown = running.slack.team().views[view["id"].as_str().unwrap()].to_string();
    assert!(shown.contains("Nothing was changed. Too short."), "{shown}");
}

#[test]
fn a_modal_is_answered_in_its_acknowledgement() {
    let running = Running::new();
    let view = running.slack.open_modal(modal("cover"));
    let id = running
        .sockets
        .send("interactive", submission("U1", view, json!({})));
    let payload = running
        .sockets
        .acknowledged(&id)
        .payload
        .expect("a payload");
    assert_eq!(payload["response_action"], "errors");
}

/// rules.md 21.4.
#[test]
fn a_click_is_acknowledged_at_once_and_answered_by_its_response_url() {
    let running = Running::new();
    let url = running.slack.response_url();
    let id = running.sockets.send(
        "interactive",
        click("U1", ("C1", "1.1"), ("accept", "cov_1"), &url),
    );
    assert_eq!(running.sockets.acknowledged(&id).payload, None);
    running.settled();
    assert_eq!(
        running.slack.responses(),
        [(url, json!({ "text": "u1 clicked" }))]
    );
}

#[test]
fn modals_are_opened_and_messages_are_posted_after_the_acknowledgement() {
    let running = Running::new();
    let url = running.slack.response_url();
    let modal = running
        .sockets
        .send("slash_commands", command("U1", "modal", &url));
    assert_eq!(running.sockets.acknowledged(&modal).payload, None);
    // A call that fails for now is made again.
    running
        .slack
        .fail("chat.postMessage", Failure::Status(503), 1);
    let post = running
        .sockets
        .send("slash_commands", command("U1", "post", &url));
    assert_eq!(
        running.sockets.acknowledged(&post).payload,
        Some(json!({ "text": "posted" }))
    );
    running.settled();
    assert_eq!(running.slack.team().views.len(), 1);
    assert_eq!(running.slack.posted("C1").len(), 1);
}

/// rules.md 21.1.
#[test]
fn people_whom_the_directory_does_not_have_are_told_so() {
    let running = Running::new();
    let unknown = |payload: &Value| payload.to_string().contains("does not know you");
    let url = running.slack.response_url();
    // U9 is deactivated.
    for user in ["U8", "U9"] {
        let id = running
            .sockets
            .send("slash_commands", command(user, "OPS", &url));
        let payload = running
            .sockets
            .acknowledged(&id)
            .payload
            .expect("a payload");
        assert!(unknown(&payload), "{payload}");
        assert_eq!(payload["response_type"], "ephemeral");
        let view = running.slack.open_modal(modal("cover"));
        let id = running
            .sockets
            .send("interactive", submission(user, view, json!({})));
        let payload = running
            .sockets
            .acknowledged(&id)
            .payload
            .expect("a payload");
        assert!(unknown(&payload), "{payload}");
        running.sockets.send(
            "interactive",
            click(user, ("C1", "1.1"), ("accept", "1"), &url),
        );
        let home =
            json!({ "type": "app_home_opened", "user": user, "channel": "D1", "tab": "home" });
        running.sockets.send("events_api", event(home));
        running
            .sockets
            .send("events_api", mention(user, "C1", "<@UBOT> OPS help"));
    }
    running.settled();
    let responses = running.slack.responses();
    assert_eq!(responses.len(), 2);
    for (_, response) in responses {
        assert!(
            unknown(&response) && response["replace_original"] == false,
            "{response}"
        );
    }
    for user in ["U8", "U9"] {
        assert!(unknown(&running.slack.team().homes[user]), "{user}");
    }
    assert_eq!(running.slack.calls("chat.postEphemeral").len(), 2);
    assert_eq!(running.handler.asked().len(), 0);
}

#[test]
fn failures_are_told_and_end_nothing() {
    let running = Running::new();
    let url = running.slack.response_url();
    for text in [
        "panic", "fail", "panic", "fail", "panic", "fail", "panic", "OPS",
    ] {
        let id = running
            .sockets
            .send("slash_commands", command("U1", text, &url));
        let payload = running
            .sockets
            .acknowledged(&id)
            .payload
            .expect("a payload");
        let expected = match text {
            "OPS" => "u1: OPS",
            _ => "Something went wrong, and nothing was changed. Try again in a moment.",
        };
        assert_eq!(payload["text"], expected, "{text}");
    }
}

#[test]
fn events_of_the_directory_go_to_the_directory() {
    let running = Running::new();
    for kind in [
        "team_join",
        "user_change",
        "subteam_updated",
        "channel_rename",
    ] {
        running
            .sockets
            .send("events_api", event(json!({ "type": kind })));
    }
    // Nothing for us.
    running.sockets.send(
        "events_api",
        event(json!({ "type": "reaction_added", "user": "U1" })),
    );
    let bot = json!({ "type": "app_mention", "user": "U1", "bot_id": "B2", "ts": "1.1", "channel": "C1", "text": "" });
    running.sockets.send("events_api", event(bot));
    let shortcut = json!({ "type": "shortcut", "trigger_id": "1", "user": { "id": "U1" } });
    let id = running.sockets.send("interactive", shortcut);
    running.sockets.acknowledged(&id);
    running.settled();
    let mut noted = running.handler.directory();
    noted.sort_unstable();
    assert_eq!(
        noted,
        [
            "channel_rename",
            "subteam_updated",
            "team_join",
            "user_change"
        ]
    );
    assert_eq!(running.handler.asked().len(), 0);
}

#[test]
fn response_urls_elsewhere_are_not_called() {
    let running = Running::new();
    let elsewhere = running
        .slack
        .response_url()
        .replace("127.0.0.1", "192.0.2.1");
    running.sockets.send(
        "interactive",
        click("U1", ("C1", "1.1"), ("accept", "cov_1"), &elsewhere),
    );
    running.sockets.send(
        "interactive",
        click(
            "U1",
            ("C1", "1.1"),
            ("accept", "cov_1"),
            "file:///etc/passwd",
        ),
    );
    let id = running
        .sockets
        .send("slash_commands", command("U1", "OPS", ""));
    running.sockets.acknowledged(&id);
    running.settled();
    assert_eq!(running.handler.asked().len(), 3);
    assert_eq!(running.slack.responses(), []);
}

#[test]
fn without_a_socket_nothing_is_lost_for_those_who_wait() {
    let handler = Counting::default();
    let slack = Slack::with_people(3);
    let running = Running::with(slack, hurried(), handler);
    running.sockets.await_greeted(1);
    let url = running.slack.response_url();
    let slow = running
        .sockets
        .send("slash_commands", command("U1", "slow", &url));
    eventually("the handler is asked", || {
        running.handler.asked().len() == 1
    });
    // The socket is gone before the answer is there: it comes by the response URL, once.
    running.sockets.cut();
    running.sockets.acknowledged(&slow);
    running.handler.open_gate();
    running.settled();
    assert_eq!(
        running.slack.responses(),
        [(url, json!({ "text": "slowly" }))]
    );
    assert_eq!(
        running.handler.asked().into_values().collect::<Vec<_>>(),
        [1]
    );
}
