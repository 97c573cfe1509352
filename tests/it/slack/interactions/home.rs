//! The home tab: published when it is opened and when it changes, for a day.

use super::{Workspace, button, labels};
use crate::support::slack::{event, posted};
use crate::support::*;
use serde_json::{Value, json};

fn open(workspace: &Workspace, user: &str) {
    let opened = event(json!({ "type": "app_home_opened", "user": user, "tab": "home" }));
    posted(&workspace.rota, "/slack/events", &opened).ok();
}

/// The home tabs published to somebody so far.
fn published(workspace: &Workspace, user: &str) -> Vec<Value> {
    let calls = workspace.slack.calls("views.publish").into_iter();
    let theirs = calls.filter(|call| call.arguments["user_id"] == user);
    theirs.map(|call| call.arguments["view"].clone()).collect()
}

/// The newest one that has a text.
#[track_caller]
fn shows(workspace: &Workspace, user: &str, part: &str) -> Value {
    eventually(part, || {
        let newest = published(workspace, user).pop();
        newest.is_some_and(|view| view.to_string().contains(part))
    });
    published(workspace, user).pop().expect("a view")
}

#[test]
fn it_shows_turns_requests_and_absences() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    rotation.away("U3", "2026-01-20T09:00Z", "2026-01-21T09:00Z");
    let asked = rotation.ask_cover("U2", "06 07", "U3");
    open(&workspace, "U3");
    let home = shows(&workspace, "U3", "<@U2> asks you to cover");
    assert_eq!(home["type"], "home");
    assert_eq!(labels(&home), ["Accept", "Decline", "I am away", "End"]);
    let all = home.to_string();
    for part in [
        "*Your turns in the next 30 days*",
        "*Your absences*",
        "*On call now*",
        "`PLAT` PLAT team: <@U1>",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    // Clicks on it are answered by a modal, and the tab follows.
    let clicked = |button: &Value| {
        let view = json!({ "id": "V1", "type": "home", "callback_id": "", "private_metadata": "", "hash": "h", "state": { "values": {} } });
        let payload = json!({
            "type": "block_actions", "trigger_id": unique("trigger"), "team": { "id": "T1" }, "user": { "id": "U3" },
            "container": { "type": "view", "view_id": "V1" }, "view": view,
            "actions": [{ "type": "button", "action_id": button["action_id"], "block_id": "b", "value": button["value"] }],
        });
        posted(&workspace.rota, "/slack/interactivity", &payload).ok();
        workspace.opened(&payload)
    };
    let told = clicked(&button(&home, "Accept"));
    assert!(told.to_string().contains("You have accepted."), "{told}");
    assert_eq!(asked.state(), "accepted");
    clicked(&button(&home, "End"));
    eventually("an empty tab", || {
        let newest = published(&workspace, "U3").pop().expect("a view");
        labels(&newest) == ["I am away"]
    });
    let home = published(&workspace, "U3").pop().expect("a view");
    let form = clicked(&button(&home, "I am away"));
    assert_eq!(form["callback_id"], "away");
}

/// rules.md 23.6.
#[test]
fn changes_are_shown_for_a_day_and_only_changes() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    open(&workspace, "U2");
    open(&workspace, "U4");
    shows(&workspace, "U2", "<@U1> until");
    shows(&workspace, "U4", "<@U1> until");
    // What is hidden from U4 changes nothing for them.
    let hidden = workspace.daily("SECRET", "U2");
    hidden.patch(json!({ "public": false })).ok();
    shows(&workspace, "U2", "`SECRET`");
    rotation.rotate();
    let home = shows(&workspace, "U4", "`PLAT` PLAT team: <@U2>");
    assert!(!home.to_string().contains("SECRET"), "{home}");
    shows(&workspace, "U2", "`PLAT` PLAT team: <@U2>");
    let views = published(&workspace, "U2");
    for pair in views.windows(2) {
        assert_ne!(pair[0], pair[1], "published again without a change");
    }
    // A day later nobody looks; who opens it again does.
    workspace.rota.to("2026-01-07T10:00Z");
    open(&workspace, "U4");
    let held = format!("`PLAT` PLAT team: <@{}>", rotation.on_call());
    shows(&workspace, "U4", &held);
    let before = published(&workspace, "U2").len();
    rotation
        .put_on_call(if held.contains("U1") { "U3" } else { "U1" })
        .ok();
    let on_call = rotation.on_call();
    shows(&workspace, "U4", &format!("`PLAT` PLAT team: <@{on_call}>"));
    assert_eq!(published(&workspace, "U2").len(), before);
}

#[test]
fn a_slack_that_is_away_is_shown_the_newest() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    workspace.slack.fail(
        "views.publish",
        crate::support::slack::Failure::TooMany(1),
        1,
    );
    open(&workspace, "U3");
    eventually("a try", || !published(&workspace, "U3").is_empty());
    rotation.rotate();
    rotation.rotate();
    shows(&workspace, "U3", "`PLAT` PLAT team: <@U3>");
    // One that Slack does not take is not tried for ever.
    workspace.slack.fail(
        "views.publish",
        crate::support::slack::Failure::Code("not_enabled"),
        1,
    );
    let before = published(&workspace, "U1").len();
    open(&workspace, "U1");
    eventually("a refusal", || published(&workspace, "U1").len() > before);
    rotation.rotate();
    shows(&workspace, "U3", "`PLAT` PLAT team: <@U1>");
    assert_eq!(published(&workspace, "U1").len(), before + 1);
}

#[test]
fn a_tab_that_fails_is_tried_again_on_the_clock_and_holds_up_no_other() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let failure = || crate::support::slack::Failure::Code("internal_error");
    workspace.slack.fail("views.publish", failure(), 2);
    open(&workspace, "U3");
    eventually("a try", || published(&workspace, "U3").len() == 1);
    // The next call is that of the other one, and fails too; the one after it is the first that is taken.
    open(&workspace, "U2");
    eventually("the other try", || published(&workspace, "U2").len() == 1);
    open(&workspace, "U1");
    shows(&workspace, "U1", "<@U1> until");
    assert_eq!(published(&workspace, "U3").len(), 1);
    // A failure is noted after Slack has seen the call, so the clock moves until it is.
    let tried_again = |expected: [usize; 3]| {
        eventually("all are tried again", || {
            workspace.rota.advance(2);
            ["U1", "U2", "U3"].map(|user| published(&workspace, user).len()) == expected
        });
    };
    tried_again([1, 2, 2]);
    workspace.slack.fail("views.publish", failure(), 3);
    rotation.rotate();
    eventually("three tries", || {
        ["U1", "U2", "U3"].map(|user| published(&workspace, user).len()) == [2, 3, 3]
    });
    tried_again([3, 4, 4]);
    shows(&workspace, "U1", "<@U2> until");
}
