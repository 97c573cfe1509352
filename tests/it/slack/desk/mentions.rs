//! `@rota CODE text`: whoever is on call is called in the thread, and what comes of it is told there.

use super::{Desk, button, labels};
use crate::support::slack::{event, mention, posted};
use crate::support::*;
use serde_json::{Value, json};

fn shown(posted: &crate::support::slack::Posted) -> Value {
    json!({ "blocks": posted.blocks })
}

#[test]
fn a_mention_is_acknowledged_in_its_thread() {
    let desk = Desk::with_people(4);
    let rotation = desk.daily("PLAT", "U1 U2 U3");
    let ts = desk.mention(
        "U4",
        "C2",
        "plat the <https://a.example|site> is down &amp; <@U2|bo> knows",
    );
    let called = desk.message("C2", 1);
    assert_eq!(called.thread_ts.as_deref(), Some(ts.as_str()));
    assert!(called.text.contains("<@U1>"), "{}", called.text);
    assert!(
        called
            .text
            .contains("the https://a.example is down &amp; @u2 knows"),
        "{}",
        called.text
    );
    assert_eq!(labels(&shown(&called)), ["Acknowledge", "Pass"]);
    let on = (called.channel.as_str(), called.ts.as_str());
    let (acknowledge, pass) = (
        button(&shown(&called), "Acknowledge"),
        button(&shown(&called), "Pass"),
    );
    // Somebody whom it does not ask.
    let reply = desk.click("U2", on, &acknowledge);
    assert_eq!(
        reply["text"],
        "Only somebody whom the mention has notified may answer it."
    );
    let reply = desk.click("U1", on, &acknowledge);
    assert_eq!(reply["text"], "You have acknowledged.");
    let told = desk.message("C2", 2);
    assert_eq!(told.thread_ts.as_deref(), Some(ts.as_str()));
    assert!(told.text.contains("<@U1> answers <@U4>"), "{}", told.text);
    // Twice is once.
    for clicked in [&acknowledge, &pass] {
        let reply = desk.click("U1", on, clicked);
        assert_eq!(reply["text"], "You have acknowledged this already.");
    }
    desk.rota.advance(HOUR * 2);
    assert_eq!(desk.slack.posted("C2").len(), 2);
    let all = desk.rota.caller().all("/v1/mentions");
    assert_eq!((all.len(), text(&all[0]["state"])), (1, "acknowledged"));
    let _ = rotation;
}

#[test]
fn passing_and_expiring_are_told_in_the_thread() {
    let desk = Desk::with_people(4);
    desk.daily("PLAT", "U1 U2 U3");
    let first = desk.mention("U4", "C2", "PLAT");
    let called = desk.message("C2", 1);
    let on = (called.channel.as_str(), called.ts.as_str());
    let reply = desk.click("U1", on, &button(&shown(&called), "Pass"));
    assert_eq!(reply["text"], "You have passed it on.");
    let told = desk.message("C2", 2);
    assert!(
        told.text.contains("everybody on call has passed"),
        "{}",
        told.text
    );
    assert_eq!(told.thread_ts, Some(first));
    let second = desk.mention("U4", "C2", "PLAT again");
    let called = desk.message("C2", 3);
    desk.rota.advance(HOUR);
    let told = desk.message("C2", 4);
    assert!(
        told.text.contains("nobody on call has answered"),
        "{}",
        told.text
    );
    assert_eq!(told.thread_ts, Some(second));
    // Late clicks say what came of it.
    let on = (called.channel.as_str(), called.ts.as_str());
    let reply = desk.click("U1", on, &button(&shown(&called), "Acknowledge"));
    assert_eq!(reply["text"], "This is over: nobody answered in time.");
}

#[test]
fn in_a_thread_it_stays_in_that_thread() {
    let desk = Desk::with_people(3);
    desk.daily("PLAT", "U1 U2");
    let mut payload = mention("U3", "C1", "<@U0> PLAT please look");
    payload["event"]["thread_ts"] = json!("1699999999.000100");
    posted(&desk.rota, "/slack/events", &payload).ok();
    assert_eq!(
        desk.message("C1", 1).thread_ts.as_deref(),
        Some("1699999999.000100")
    );
    // The same event again, under another id of its own, is another one; under its own it is not.
    posted(&desk.rota, "/slack/events", &payload).ok();
    desk.mention("U3", "C1", "PLAT once more");
    desk.message("C1", 2);
    assert_eq!(desk.slack.posted("C1").len(), 2);
}

#[test]
fn what_cannot_be_done_is_told_to_the_author_alone() {
    let desk = Desk::with_people(4);
    let rotation = desk.daily("PLAT", "U1 U2");
    let hidden = desk.daily("SECRET", "U1");
    hidden.patch(json!({ "public": false })).ok();
    let long = format!("PLAT {}", "x".repeat(4000));
    let mut number = 0;
    for (words, expected) in [
        ("", "Say whom you need: a code"),
        ("help", "Say whom you need: a code"),
        (
            "PLT help us",
            "There is no rotation `PLT`. Did you mean `PLAT`?",
        ),
        ("SECRET help us", "There is no rotation `SECRET`."),
        (&long, "2000"),
        (
            "<!channel> look",
            "There is no rotation `&lt;!channel&gt;`.",
        ),
    ] {
        desk.mention("U4", "C2", words);
        number += 1;
        let told = desk.told("U4", number);
        assert!(told.contains(expected), "{words}: {told}");
    }
    rotation.patch(json!({ "enabled": false })).ok();
    desk.mention("U4", "C2", "PLAT look");
    let told = desk.told("U4", number + 1);
    assert!(told.contains("disabled"), "{told}");
    assert!(desk.slack.posted("C2").is_empty());
    assert!(desk.rota.caller().all("/v1/mentions").is_empty());
    // A program that mentions the app is nobody.
    let bot = event(
        json!({ "type": "app_mention", "user": "U4", "bot_id": "B9", "text": "<@U0> PLAT", "ts": "1.1", "channel": "C2" }),
    );
    posted(&desk.rota, "/slack/events", &bot).ok();
}
