//! Messages, their buttons and updates.

use super::{status, texts, unreminded};
use crate::support::slack::{Call, Failure, Slack};
use crate::support::*;
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn a_hand_over_is_posted_with_people_and_dates_of_slack() {
    let slack = Slack::with_people(3);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C1");
    rota.to("2026-01-06T09:00Z");
    let until = "<!date^1767776400^{date_num} {time}|2026-01-07 09:00 (UTC)>";
    let expected = format!("Rotation: <@U2> takes over from <@U1> until {until}.");
    assert_eq!(texts(&slack, "C1"), [expected]);
    let to_her = format!("You are on duty for Rotation until {until}. You take over from <@U1>.");
    assert_eq!(texts(&slack, "U2"), [to_her]);
    // A second after the message that she is on duty.
    eventually("both messages to U1", || slack.posted("U1").len() == 2);
    assert_eq!(
        texts(&slack, "U1")[1],
        "You are off duty for Rotation. <@U2> takes over."
    );
    let call = slack.calls("chat.postMessage").remove(0);
    assert_eq!(call.content_type, "application/json");
    assert_eq!(call.arguments["unfurl_links"], false);
    assert_eq!(call.arguments["unfurl_media"], false);
    assert!(!call.arguments.contains_key("blocks"));
}

#[test]
fn names_are_no_markup() {
    let slack = Slack::with_people(2);
    let rota = unreminded(&slack);
    let name = "R&D <!channel> <@U2> *_~ `x`";
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "name": name }));
    rotation.posts_in("C1");
    rota.to("2026-01-06T09:00Z");
    let text = texts(&slack, "C1").remove(0);
    let escaped = "R&amp;D &lt;!channel&gt; &lt;@U2&gt; *_~ `x`: <@U2> takes over";
    assert!(text.starts_with(escaped), "{text}");
}

/// rules.md 14.7.
#[test]
fn a_request_has_buttons_until_it_is_answered() {
    let slack = Slack::with_people(4);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let asked = rotation.ask_cover("U1", "05 06", "U2 U3");
    eventually("both are asked", || {
        slack.posted("U2").len() == 1 && slack.posted("U3").len() == 1
    });
    let blocks = &slack.posted("U2")[0].blocks;
    let elements = blocks[1]["elements"].as_array().expect("buttons");
    let labels: Vec<&str> = elements
        .iter()
        .map(|element| text(&element["text"]["text"]))
        .collect();
    assert_eq!(labels, ["Accept", "Decline"]);
    let value = format!("request {} {}", rotation.id, asked.id);
    assert_eq!(elements[0]["value"], value.as_str());
    // Whoever declines sees it, and the other one can still answer.
    asked.step("U2", "decline").is(200);
    eventually("the first copy is updated", || {
        slack.posted("U2")[0].updates == 1
    });
    assert!(slack.posted("U2")[0].text.ends_with("\nYou have declined."));
    asked.step("U3", "accept").is(200);
    eventually("both copies are updated", || {
        slack.posted("U2")[0].updates == 2 && slack.posted("U3")[0].updates == 1
    });
    for to in ["U2", "U3"] {
        let posted = slack.posted(to).remove(0);
        assert!(
            posted.text.ends_with("\n<@U3> has accepted."),
            "{}",
            posted.text
        );
        let kinds: Vec<&str> = posted
            .blocks
            .as_array()
            .expect("blocks")
            .iter()
            .map(|block| text(&block["type"]))
            .collect();
        assert_eq!(kinds, ["section"], "no buttons are left");
    }
}

/// rules.md 14.8.
#[test]
fn a_channel_gets_one_message_a_second_in_order() {
    let slack = Slack::with_people(3);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C1");
    for _ in 0..3 {
        rotation.rotate();
    }
    eventually("all are posted", || slack.posted("C1").len() == 3);
    let posted = slack.posted("C1");
    for (message, (on, off)) in posted
        .iter()
        .zip([("U2", "U1"), ("U3", "U2"), ("U1", "U3")])
    {
        let begins = format!("Rotation: <@{on}> takes over from <@{off}>");
        assert!(message.text.starts_with(&begins), "{}", message.text);
    }
    for pair in posted.windows(2) {
        let between = pair[1].at.duration_since(pair[0].at);
        assert!(between >= Duration::from_secs(1), "{between:?}");
    }
}

pub fn a_slow_message_holds_up_nobody_else() {
    let (slack, dir) = (Slack::with_people(4), TempDir::new());
    let start = || {
        let start = slack.start().env("ROTA_CHAT_REMINDER_BEFORE", "0s");
        start.db(&dir.join("rota.db")).go()
    };
    let rota = start();
    slack.read_directory(&rota);
    let (slow, other) = (rota.daily("U1 U2", 1), rota.daily("U3 U4", 1));
    slow.posts_in("C1");
    other.posts_in("C2");
    let counts = |people: [&str; 3]| people.map(|to| slack.posted(to).len());
    eventually("what the creation tells is posted", || {
        counts(["U1", "U3", "C1"]) == [1, 1, 0]
    });
    slack.fail("chat.postMessage", Failure::Slow(8_000), 3);
    slow.rotate();
    let slow_ones = ["C1", "U1", "U2"];
    eventually("all are in flight", || counts(slow_ones) == [1, 2, 1]);
    let begun = Instant::now();
    other.rotate();
    eventually("the others are posted", || {
        counts(["C2", "U3", "U4"]) == [1, 2, 1]
    });
    assert!(begun.elapsed() < Duration::from_secs(5));
    // A server that ends waits for them, so that they are not posted twice.
    rota.stop();
    start().advance(60);
    assert_eq!(counts(slow_ones), [1, 2, 1]);
}

#[test]
fn two_hundred_rotations_hand_over_at_one_instant() {
    let slack = Slack::with_people(4);
    for number in 10..210 {
        slack.team().channel(&format!("C{number}"), json!({}));
    }
    let rota = unreminded(&slack);
    for number in 10..210 {
        let rotation = rota.daily("U1 U2", 1);
        rotation.posts_in(&format!("C{number}"));
    }
    let begun = Instant::now();
    rota.to("2026-01-06T09:00Z");
    assert!(begun.elapsed() < Duration::from_secs(40));
    // The people get 200 messages each, a second apart, and no channel waits for them.
    eventually("every channel has its message", || {
        (10..210).all(|number| slack.posted(&format!("C{number}")).len() == 1)
    });
    assert!(slack.posted("U1").len() < 200);
}

pub fn failures_of_slack_are_tried_again_on_the_clock() {
    let slack = Slack::with_people(2);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2", 1);
    rotation.posts_in("C1");
    for failure in [
        Failure::Code("internal_error"),
        Failure::Status(502),
        Failure::Garbage,
        Failure::Closes,
    ] {
        slack.team().down = Some(failure);
        let before = calls_to(&slack, "C1").len();
        rotation.rotate();
        eventually("it is tried", || calls_to(&slack, "C1").len() == before + 1);
        // The clock stands still, so it is not tried again.
        rota.advance(1);
        assert_eq!(calls_to(&slack, "C1").len(), before + 1);
        rota.advance(1);
        eventually("it is tried again", || {
            calls_to(&slack, "C1").len() == before + 2
        });
        slack.heal();
        rota.advance(10);
        let sent = || {
            calls_to(&slack, "C1")
                .iter()
                .any(|call| call.outcome == "ok")
        };
        eventually("it is posted", || {
            calls_to(&slack, "C1").len() == before + 3 && sent()
        });
    }
    assert_eq!(slack.posted("C1").len(), 4);
}

/// The calls that post to a channel.
fn calls_to(slack: &Slack, channel: &str) -> Vec<Call> {
    let mut calls = slack.calls("chat.postMessage");
    calls.retain(|call| call.arguments["channel"] == channel);
    calls
}

/// rules.md 14.7.
#[test]
fn a_lost_answer_is_posted_again() {
    let slack = Slack::with_people(2);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2", 1);
    rotation.posts_in("C1");
    slack.team().down = Some(Failure::Lost);
    rotation.rotate();
    eventually("it is there", || slack.posted("C1").len() == 1);
    slack.heal();
    rota.advance(2);
    eventually("it is there twice", || slack.posted("C1").len() == 2);
}

#[test]
fn too_many_calls_hold_up_one_channel() {
    let slack = Slack::with_people(3);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C1");
    slack.team().down = Some(Failure::TooMany(2));
    rotation.rotate();
    eventually("it is refused", || calls_to(&slack, "C1").len() == 1);
    slack.heal();
    // The clock does not hurry Slack.
    rota.advance(60);
    assert_eq!(calls_to(&slack, "C1").len(), 1);
    eventually("it is posted", || slack.posted("C1").len() == 1);
    let waited = slack.posted("C1")[0]
        .at
        .duration_since(calls_to(&slack, "C1")[0].at);
    assert!(waited >= Duration::from_secs(2), "{waited:?}");
    let metrics = rota.get("/metrics").ok().text();
    let line = "rota_chat_rate_limited_total{method=\"chat.postMessage\"} ";
    let count = metrics.lines().find_map(|shown| shown.strip_prefix(line));
    assert_ne!(count, Some("0"), "{metrics}");
}

#[test]
fn an_update_that_is_refused_or_fails_is_shown() {
    let slack = Slack::with_people(3);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2 U3", 1);
    let messages = || status(&rotation)["messages"].clone();
    let shows = |pending: u32, part: &str| {
        eventually(part, || {
            let messages = messages();
            let error = messages["lastError"].as_str().unwrap_or_default();
            messages["pending"] == pending && error.contains(part)
        });
    };
    let ask = |to: &str| {
        let asked = rotation.ask_cover("U1", "05 06", to);
        eventually("it is asked", || {
            slack.posted(to).last().is_some_and(|one| one.updates == 0)
        });
        asked
    };
    // One that fails waits, and is no longer shown once it is made.
    let asked = ask("U2");
    slack.fail("chat.update", Failure::Code("internal_error"), 1);
    asked.step("U2", "decline").is(200);
    shows(1, "internal_error");
    rota.advance(2);
    shows(0, "");
    assert!(messages()["lastError"].is_null(), "{}", messages());
    let asked = ask("U3");
    slack.fail("chat.update", Failure::Code("channel_not_found"), 1);
    asked.step("U3", "decline").is(200);
    shows(0, "channel_not_found");
    rota.advance(3600);
    assert_eq!(slack.calls("chat.update").len(), 3);
}

#[test]
fn a_refusal_ends_the_message_and_is_shown() {
    for code in [
        "channel_not_found",
        "is_archived",
        "restricted_action_read_only_channel",
    ] {
        let slack = Slack::with_people(2);
        let rota = unreminded(&slack);
        let rotation = rota.daily("U1 U2", 1);
        rotation.posts_in("C1");
        slack.team().down = Some(Failure::Code(code));
        rotation.rotate();
        eventually("it is refused", || calls_to(&slack, "C1").len() == 1);
        slack.heal();
        rota.advance(3600);
        assert_eq!(calls_to(&slack, "C1").len(), 1, "{code}");
        let status = status(&rotation);
        let error = text(&status["messages"]["lastError"]);
        assert!(error.contains(code), "{status}");
    }
}

/// rules.md 28.4.
#[test]
fn a_notice_has_a_button_to_the_shift() {
    let slack = Slack::with_people(3);
    let start = slack.start().env("ROTA_CHAT_REMINDER_BEFORE", "0s");
    let rota = start.env("ROTA_BASE_URL", "https://rota.example").go();
    slack.read_directory(&rota);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.advance(0);
    rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    rota.advance(0);
    eventually("the notice", || !slack.posted("U2").is_empty());
    let notice = slack.posted("U2").remove(0);
    assert!(
        notice.text.starts_with("Your shifts in Rotation moved."),
        "{}",
        notice.text
    );
    let button = &notice.blocks[1]["elements"][0];
    assert_eq!(button["text"]["text"], "See the shift");
    let page = format!("https://rota.example/rotations/{}/shifts/", rotation.id);
    assert!(text(&button["url"]).starts_with(&page), "{button}");
}
