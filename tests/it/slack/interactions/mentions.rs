//! `@rota CODE text`: whoever is on call is called in the thread, and what comes of it is told there.

use super::{Workspace, button, labels};
use crate::support::slack::{Posted, event, mention, posted};
use crate::support::*;
use serde_json::{Value, json};

fn shown(posted: &Posted) -> Value {
    json!({ "blocks": posted.blocks })
}

/// The messages with buttons to somebody, once there are `number` of them.
#[track_caller]
fn asked(workspace: &Workspace, user: &str, number: usize) -> Vec<Posted> {
    let mut found = Vec::new();
    eventually("a question", || {
        found = workspace.slack.posted(user);
        found.retain(|posted| posted.text.contains("whoever is on call"));
        found.len() >= number
    });
    assert_eq!(found.len(), number, "{user}");
    found
}

/// rules.md 15.3.
#[test]
fn each_notified_person_has_buttons_of_their_own() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.rota.daily("U1 U2 U3", 2);
    let profile = json!({ "code": "PLAT", "name": "PLAT team", "public": true });
    rotation.patch(profile).ok();
    let ts = workspace.mention("U4", "C2", "PLAT the site is down");
    let (first, second) = (asked(&workspace, "U1", 1), asked(&workspace, "U2", 1));
    for (user, asked) in [("U1", &first[0]), ("U2", &second[0])] {
        assert_eq!(
            asked.text,
            "<@U4> asks for whoever is on call in PLAT team: the site is down"
        );
        assert_eq!(labels(&shown(asked)), ["Acknowledge", "Pass"], "{user}");
        assert_eq!(asked.thread_ts, None);
    }
    asked(&workspace, "U3", 0);
    // Whoever has passed has no buttons any more; the other one still has.
    let on = (first[0].channel.as_str(), first[0].ts.as_str());
    let reply = workspace.click("U1", on, &button(&shown(&first[0]), "Pass"));
    assert_eq!(reply["text"], "You have passed it on.");
    let is_open = |user: &str| !labels(&shown(&asked(&workspace, user, 1)[0])).is_empty();
    eventually("a question that was passed on", || !is_open("U1"));
    assert!(is_open("U2"));
    let on = (second[0].channel.as_str(), second[0].ts.as_str());
    let reply = workspace.click("U2", on, &button(&shown(&second[0]), "Acknowledge"));
    assert_eq!(reply["text"], "You have acknowledged.");
    // Every copy shows it, and the thread is told.
    eventually("a question that is answered", || !is_open("U2"));
    let told = workspace.message("C2", 2);
    assert_eq!(told.thread_ts, Some(ts));
    assert!(told.text.contains("<@U2> answers <@U4>"), "{}", told.text);
    eventually("the message in the thread without buttons", || {
        labels(&shown(&workspace.message("C2", 1))).is_empty()
    });
}

#[test]
fn whoever_may_not_see_a_mention_learns_nothing_of_it() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.daily("PLAT", "U1 U2");
    workspace.mention("U2", "C2", "PLAT look");
    let called = workspace.message("C2", 1);
    rotation.patch(json!({ "public": false })).ok();
    let on = (called.channel.as_str(), called.ts.as_str());
    let reply = workspace.click("U4", on, &button(&shown(&called), "Acknowledge"));
    assert_eq!(reply["text"], "There is no such mention.");
}

#[test]
fn a_mention_is_acknowledged_in_its_thread() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let ts = workspace.mention(
        "U4",
        "C2",
        "plat the <https://a.example|site> is down &amp; <@U2|bo> knows",
    );
    let called = workspace.message("C2", 1);
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
    let reply = workspace.click("U2", on, &acknowledge);
    assert_eq!(
        reply["text"],
        "Only somebody whom the mention has notified may answer it."
    );
    let reply = workspace.click("U1", on, &acknowledge);
    assert_eq!(reply["text"], "You have acknowledged.");
    let told = workspace.message("C2", 2);
    assert_eq!(told.thread_ts.as_deref(), Some(ts.as_str()));
    assert!(told.text.contains("<@U1> answers <@U4>"), "{}", told.text);
    // Twice is once.
    for clicked in [&acknowledge, &pass] {
        let reply = workspace.click("U1", on, clicked);
        assert_eq!(reply["text"], "You have acknowledged this already.");
    }
    workspace.rota.advance(HOUR * 2);
    assert_eq!(workspace.slack.posted("C2").len(), 2);
    let all = workspace.rota.caller().all("/v1/mentions");
    assert_eq!((all.len(), text(&all[0]["state"])), (1, "acknowledged"));
    let _ = rotation;
}

/// rules.md 15.3.
#[test]
fn passing_and_expiring_are_told_in_the_thread() {
    let workspace = Workspace::with_people(4);
    workspace.daily("PLAT", "U1 U2 U3");
    let first = workspace.mention("U4", "C2", "PLAT");
    let called = workspace.message("C2", 1);
    let on = (called.channel.as_str(), called.ts.as_str());
    let reply = workspace.click("U1", on, &button(&shown(&called), "Pass"));
    assert_eq!(reply["text"], "You have passed it on.");
    let told = workspace.message("C2", 2);
    assert!(
        told.text.contains("everybody on call has passed"),
        "{}",
        told.text
    );
    assert_eq!(told.thread_ts, Some(first));
    let second = workspace.mention("U4", "C2", "PLAT again");
    let called = workspace.message("C2", 3);
    workspace.rota.advance(HOUR);
    let told = workspace.message("C2", 4);
    assert!(
        told.text.contains("nobody on call has answered"),
        "{}",
        told.text
    );
    assert_eq!(told.thread_ts, Some(second));
    // Late clicks say what came of it.
    let on = (called.channel.as_str(), called.ts.as_str());
    let reply = workspace.click("U1", on, &button(&shown(&called), "Acknowledge"));
    assert_eq!(reply["text"], "This is over: nobody answered in time.");
}

#[test]
fn in_a_thread_it_stays_in_that_thread() {
    let workspace = Workspace::with_people(3);
    workspace.daily("PLAT", "U1 U2");
    let mut payload = mention("U3", "C1", "<@U0> PLAT please look");
    payload["event"]["thread_ts"] = json!("1699999999.000100");
    posted(&workspace.rota, "/slack/events", &payload).ok();
    assert_eq!(
        workspace.message("C1", 1).thread_ts.as_deref(),
        Some("1699999999.000100")
    );
    // The same event again, under another id of its own, is another one; under its own it is not.
    posted(&workspace.rota, "/slack/events", &payload).ok();
    workspace.mention("U3", "C1", "PLAT once more");
    workspace.message("C1", 2);
    assert_eq!(workspace.slack.posted("C1").len(), 2);
}

#[test]
fn what_cannot_be_done_is_told_to_the_author_alone() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.daily("PLAT", "U1 U2");
    let hidden = workspace.daily("SECRET", "U1");
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
        workspace.mention("U4", "C2", words);
        number += 1;
        let told = workspace.told("U4", number);
        assert!(told.contains(expected), "{words}: {told}");
    }
    rotation.patch(json!({ "enabled": false })).ok();
    workspace.mention("U4", "C2", "PLAT look");
    let told = workspace.told("U4", number + 1);
    assert!(told.contains("disabled"), "{told}");
    assert!(workspace.slack.posted("C2").is_empty());
    assert!(workspace.rota.caller().all("/v1/mentions").is_empty());
    // A program that mentions the app is nobody.
    let bot = event(
        json!({ "type": "app_mention", "user": "U4", "bot_id": "B9", "text": "<@U0> PLAT", "ts": "1.1", "channel": "C2" }),
    );
    posted(&workspace.rota, "/slack/events", &bot).ok();
}
