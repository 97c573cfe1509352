//! Commands: what each does, for whom.

use super::{Workspace, button, buttons, labels};
use crate::support::*;
use serde_json::json;

#[test]
fn who_is_on_call_and_the_next_turn() {
    let workspace = Workspace::with_people(4);
    workspace.daily("PLAT", "U1 U2 U3");
    let said = workspace.said("U1", "");
    assert!(
        said.starts_with("You are on call for PLAT team until <!date^"),
        "{said}"
    );
    assert!(
        said.contains("`PLAT` PLAT team: <@U1> until <!date^"),
        "{said}"
    );
    assert!(said.contains(", then <@U2>"), "{said}");
    let said = workspace.said("U2", "");
    assert!(
        said.starts_with("Your next turn: PLAT team, <!date^"),
        "{said}"
    );
    // Shown in the zone of whoever reads it.
    assert!(said.contains("|Tue 6 Jan 2026, 10:00>"), "{said}");
    assert!(workspace.said("U4", "").starts_with("You have no turn"));
}

/// rules.md 23.1.
#[test]
fn one_rotation_with_what_the_reader_may_do() {
    let workspace = Workspace::with_people(5);
    let rotation = workspace.daily("PLAT", "U2 U3 U4");
    for (user, expected) in [
        ("U1", &["Rotate", "Details"][..]),
        (
            "U2",
            &["Rotate", "Ask for cover", "Offer a swap", "Details"],
        ),
        ("U3", &["Ask for cover", "Offer a swap", "Details"]),
        ("U5", &["Details"]),
    ] {
        let card = workspace.say(user, "plat");
        assert_eq!(labels(&card), expected, "{user}");
        assert_eq!(card["response_type"], "ephemeral");
        let said = text(&card["text"]);
        assert!(said.starts_with("PLAT team (PLAT)\n<@U2> until"), "{said}");
        assert!(said.contains(", then <@U3>"), "{said}");
    }
    // Whoever is not in it does not know that it is there.
    rotation.patch(json!({ "public": false })).ok();
    let said = workspace.said("U5", "PLAT");
    assert!(said.starts_with("There is no rotation `PLAT`.\n"), "{said}");
    assert!(!workspace.said("U5", "").contains("PLAT"));
    rotation.patch(json!({ "enabled": false })).ok();
    let card = workspace.say("U2", "PLAT");
    assert_eq!(labels(&card), ["Details"]);
    assert!(text(&card["text"]).contains("disabled"), "{card}");
}

/// The card and its details link to where planned changes are shown and cancelled.
#[test]
fn changes_that_wait_are_linked() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.daily("PLAT", "U2 U3 U4");
    assert!(!workspace.said("U2", "PLAT").contains("planned change"));
    let link = format!("<{}/rotations/PLAT#waiting|", workspace.rota.url);
    for (at, expected) in [
        ("2026-01-08T09:00:00Z", "A planned change waits for <!date^"),
        (
            "2026-01-07T09:00:00Z",
            "2 planned changes wait, the first for <!date^",
        ),
    ] {
        rotation.stage(json!({ "at": at, "rotation": { "description": at } }));
        let card = workspace.say("U2", "PLAT");
        let details = workspace.click_form("U2", ("C1", "1.1"), &button(&card, "Details"));
        for shown in [text(&card["text"]).to_owned(), details.to_string()] {
            assert!(shown.contains(expected) && shown.contains(&link), "{shown}");
        }
    }
    rotation.patch(json!({ "enabled": false })).is(200);
    assert!(workspace.said("U2", "PLAT").contains(&link));
}

#[test]
fn hand_over_and_put_on_call() {
    let workspace = Workspace::with_people(5);
    let rotation = workspace.daily("PLAT", "U2 U3 U4");
    let said = workspace.said("U2", "PLAT rotate");
    assert!(said.contains("Done. On call now: <@U3>."), "{said}");
    assert_eq!(rotation.on_call(), "U3");
    for (user, words, expected, on_call) in [
        ("U3", "PLAT rotate", "Only the rotation's owners", "U3"),
        ("U3", "PLAT set <@U4>", "Only the rotation's owners", "U3"),
        ("U5", "PLAT rotate", "Only the rotation's owners", "U3"),
        ("U2", "PLAT set <@U4|u4>", "On call now: <@U4>.", "U4"),
        ("U1", "plat SET @U2", "On call now: <@U2>.", "U2"),
        (
            "U2",
            "PLAT set <@U5>",
            "<@U5> is not a member of this rotation.",
            "U2",
        ),
        ("U2", "PLAT set <@U2> <@U3>", "2 people are too many", "U2"),
        (
            "U2",
            "PLAT set @nobody",
            "Nobody in this rotation is called “nobody”",
            "U2",
        ),
        (
            "U2",
            "PLAT set <!subteam^S1|@ops>",
            "@ops is a user group",
            "U2",
        ),
        ("U2", "PLAT set", "Say who is to be on call", "U2"),
        ("U2", "NONE rotate", "There is no rotation `NONE`.", "U2"),
    ] {
        let said = workspace.said(user, words);
        assert!(said.contains(expected), "{user} {words}: {said}");
        assert_eq!(rotation.on_call(), on_call, "{user} {words}");
    }
    rotation.patch(json!({ "enabled": false })).ok();
    let said = workspace.said("U2", "PLAT rotate");
    assert_eq!(
        said,
        "Nobody goes on or off duty while the rotation is disabled."
    );
    // Whoever nobody knows yet is asked for once, for those who may do it.
    workspace.slack.team().person("U6", json!({}));
    let asked = || workspace.slack.calls("users.info").len();
    workspace.said("U3", "PLAT set <@U6|u6>");
    assert_eq!(asked(), 0);
    for _ in 0..2 {
        let said = workspace.said("U2", "PLAT set <@U6|u6>");
        assert_eq!(said, "<@U6> is not a member of this rotation.");
        assert_eq!(asked(), 1);
    }
    // What was done is in the audit log under the API's names, as the person.
    let entries = workspace.rota.caller().all("/v1/audit?actor=U2");
    let actions: Vec<&str> = entries.iter().map(|entry| text(&entry["action"])).collect();
    assert_eq!(actions, ["replaceOnCall", "rotate"]);
}

#[test]
fn codes_that_are_close_are_suggested() {
    let workspace = Workspace::with_people(3);
    workspace.daily("PLAT", "U1 U2");
    let secret = workspace.daily("PLANET", "U1");
    secret.patch(json!({ "public": false })).ok();
    for (user, words, expected) in [
        (
            "U2",
            "PLT",
            "There is no rotation `PLT`. Did you mean `PLAT`?\n",
        ),
        (
            "U2",
            "pla",
            "There is no rotation `pla`. Did you mean `PLAT`?\n",
        ),
        (
            "U2",
            "PLT rotate",
            "There is no rotation `PLT`. Did you mean `PLAT`?\n",
        ),
        ("U2", "PLANE", "There is no rotation `PLANE`.\n"),
        (
            "U1",
            "PLANE",
            "There is no rotation `PLANE`. Did you mean `PLANET`?\n",
        ),
        ("U2", "x", "There is no rotation `x`.\n"),
        (
            "U2",
            "PLAT dance",
            "I do not understand “dance” behind a code.\n",
        ),
        (
            "U2",
            "me too",
            "I do not understand what stands behind “me”.\n",
        ),
        ("U2", "help", "`/rota` who is on call now"),
    ] {
        let said = workspace.said(user, words);
        assert!(said.starts_with(expected), "{user} {words}: {said}");
        assert!(said.contains("`/rota CODE rotate` hand over now"), "{said}");
    }
}

#[test]
fn the_own_turns_and_requests() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let asked = rotation.ask_cover("U1", "08 09", "U2 U3");
    let mine = workspace.say("U2", "me");
    let said = text(&mine["text"]);
    assert!(
        said.starts_with("*Your turns in the next 30 days*\n• PLAT team: <!date^"),
        "{said}"
    );
    assert!(
        said.contains("<@U1> asks you to cover PLAT team (PLAT): <!date^"),
        "{said}"
    );
    assert_eq!(labels(&mine), ["Accept", "Decline"]);
    let own = workspace.say("U1", "me");
    assert_eq!(labels(&own), ["Cancel the request"]);
    let cancel = buttons(&own).remove(0);
    let reply = workspace.click("U1", ("C1", "1.1"), &cancel);
    assert_eq!(reply["text"], "The request was cancelled.");
    assert_eq!(asked.state(), "cancelled");
    let reply = workspace.click("U1", ("C1", "1.2"), &cancel);
    assert_eq!(
        reply["text"],
        "This cover request is over: it was cancelled."
    );
}

/// rules.md 23.4.
#[test]
fn coming_back_ends_what_is_running() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    assert_eq!(workspace.said("U2", "back"), "You are not marked as away.");
    rotation.away("U2", "2026-01-05T07:00Z", "2026-01-20T07:00Z");
    rotation.away("U2", "2026-02-05T07:00Z", "2026-02-20T07:00Z");
    let said = workspace.said("U2", "back");
    assert_eq!(said, "Welcome back. Your absence has ended now.");
    let left = workspace.rota.caller().all(&rotation.path("/availability"));
    let periods: Vec<String> = left
        .iter()
        .map(|one| format!("{} {}", instant(&one["from"]), instant(&one["until"])))
        .collect();
    assert_eq!(
        periods,
        [
            "2026-01-05T07:00Z 2026-01-05T08:00Z",
            "2026-02-05T07:00Z 2026-02-20T07:00Z"
        ]
    );
    workspace.rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.on_call(), "U2");
    assert_eq!(workspace.said("U2", "back"), "You are not marked as away.");
}

/// rules.md 23.5.
#[test]
fn a_link_signs_in_once_within_five_minutes() {
    let workspace = Workspace::with_people(2);
    let path = |user: &str| {
        let said = workspace.said(user, "link");
        let url = said
            .split_once('<')
            .and_then(|(_, rest)| rest.split_once('|'));
        let url = url.expect("a link").0.to_owned();
        let (_, path) = url.split_once("/login").expect("the page to sign in");
        format!("/login{path}")
    };
    let (first, second) = (path("U2"), path("U2"));
    let shown = workspace.rota.anyone().get(&first).ok().text();
    assert!(shown.contains("signs you in as"), "{shown}");
    workspace.rota.advance(301);
    let shown = workspace.rota.anyone().get(&second).text();
    assert!(!shown.contains("signs you in as"), "{shown}");
}

/// rules.md 23.1.
#[test]
fn people_from_outside_see_nothing() {
    let workspace = Workspace::with_people(3);
    workspace.daily("PLAT", "U1 U2");
    workspace
        .slack
        .team()
        .person("U3", json!({ "is_stranger": true }));
    workspace.slack.read_directory(&workspace.rota);
    let said = workspace.said("U3", "");
    assert!(
        said.contains("There is no rotation that you may see."),
        "{said}"
    );
    assert!(
        workspace
            .said("U3", "PLAT")
            .starts_with("There is no rotation `PLAT`.")
    );
}

/// Somebody who takes a turn that is not their own is shown with whoever's it is.
#[test]
fn whoever_stands_in_is_shown_with_whoevers_turn_it_is() {
    let workspace = Workspace::with_people(5);
    let rotation = workspace.daily("PLAT", "U2 U3 U5 U4");
    rotation
        .patch(json!({ "dealing": { "missedTurn": "traded" } }))
        .ok();
    rotation.away("U3", "2026-01-06T09:00Z", "2026-01-07T09:00Z");
    let said = workspace.said("U1", "PLAT");
    assert!(said.contains(", then <@U4> (for <@U3>)"), "{said}");
    workspace.rota.to("2026-01-06T10:00Z");
    for words in ["", "PLAT"] {
        let said = workspace.said("U1", words);
        assert!(said.contains("<@U4> (for <@U3>) until <!date^"), "{said}");
    }
    // Hand-over notices of channels and confirmations have it, too.
    workspace.rota.to("2026-01-06T10:01Z");
    let back = "2026-01-06T10:00Z";
    rotation.away("U5", back, "2026-01-07T08:00Z");
    let said = workspace.said("U2", "PLAT rotate");
    assert!(said.contains(" (for <@U5>)."), "{said}");
}
