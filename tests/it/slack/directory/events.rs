//! What Slack says of its directory between two readings.

use super::group_members;
use crate::support::slack::{Failure, SIGNING_SECRET, Slack, event, posted};
use crate::support::*;
use serde_json::{Value, json};

/// A server that takes events at its request URL.
fn start(slack: &Slack) -> Rota {
    slack
        .start()
        .env("ROTA_SLACK_SIGNING_SECRET", SIGNING_SECRET)
        .go()
}

fn say(rota: &Rota, said: Value) {
    posted(rota, "/slack/events", &event(said)).ok();
}

#[test]
fn the_app_comes_to_a_channel_and_leaves_it() {
    let slack = Slack::with_people(1);
    let rota = start(&slack);
    slack
        .team()
        .channel("G7", json!({ "is_private": true, "name": "secret" }));
    let came =
        json!({ "type": "member_joined_channel", "user": "UBOT", "channel": "G7", "team": "T1" });
    say(&rota, came);
    let read = || rota.get("/v1/channels/G7");
    eventually("the channel is known", || read().status() == 200);
    assert_eq!(read().json()["name"], "secret");
    assert_eq!(read().json()["isPrivate"], true);
    let mut body = new_rotation("U1");
    body["channels"] = json!(["G7"]);
    rota.create(body);
    let gone =
        json!({ "type": "member_left_channel", "user": "UBOT", "channel": "G7", "team": "T1" });
    say(&rota, gone);
    let listed = || super::listed(&rota, "/v1/channels").contains(&"G7".to_owned());
    eventually("the channel is gone", || !listed());
}

#[test]
fn people_in_a_group_who_are_not_known_are_asked_for() {
    let slack = Slack::with_people(2);
    slack.team().group("S1", json!({ "users": ["U1"] }));
    let rota = start(&slack);
    let mut body = new_rotation("U2");
    body["userGroupIds"] = json!(["S1"]);
    let rotation = rota.create(body);
    slack.team().person("U9", json!({}));
    slack.team().group("S1", json!({ "users": ["U1", "U9"] }));
    say(
        &rota,
        json!({
            "type": "subteam_members_changed", "subteam_id": "S1", "team_id": "T1",
            "added_users": ["U9"], "removed_users": [],
        }),
    );
    eventually("the new member", || group_members(&rotation) == "S1:U1,U9");
    assert_eq!(slack.calls("users.info").len(), 1);
    // The next reading finds nothing new.
    let tag = rotation.etag();
    assert_eq!(super::sync(&rota), (1, 0));
    assert_eq!(rotation.etag(), tag);
}

#[test]
fn what_is_said_of_the_directory_is_said_of_the_state() {
    let slack = Slack::with_people(30);
    let rota = start(&slack);
    let state = || rota.get("/v1/chat").is(200).json();
    assert_eq!(instant(&state()["lastSyncAt"]), "2026-01-05T08:00Z");
    assert_eq!(state()["lastError"], json!(null));
    rota.advance(600);
    slack.team().users.truncate(1);
    assert_eq!(super::sync(&rota), (0, 1));
    let now = state();
    assert_eq!(
        (text(&now["state"]), instant(&now["lastSyncAt"]).as_str()),
        ("up", "2026-01-05T08:00Z")
    );
    let error = text(&now["lastError"]);
    assert!(error.contains("29 of 30 people are missing"), "{error}");
}

/// rules.md 17.6.
#[test]
fn what_is_said_during_a_reading_is_newer_than_the_reading() {
    let slack = Slack::with_people(4);
    slack.team().group("S1", json!({ "users": ["U1"] }));
    let rota = start(&slack);
    let mut body = new_rotation("U1");
    body["userGroupIds"] = json!(["S1"]);
    let rotation = rota.create(body);
    // The lists are answered at once, and the last one arrives late.
    slack.fail("conversations.list", Failure::Slow(4_000), 1);
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| super::sync(&rota));
        eventually("the reading is under way", || {
            slack.calls("conversations.list").len() == 2
        });
        say(
            &rota,
            json!({ "type": "user_change", "user": { "id": "U2", "team_id": "T1", "deleted": true } }),
        );
        let profile = json!({ "display_name": "Ninth" });
        let joined = json!({ "id": "U9", "team_id": "T1", "profile": profile });
        say(&rota, json!({ "type": "team_join", "user": joined }));
        say(
            &rota,
            json!({
                "type": "subteam_members_changed", "subteam_id": "S1", "team_id": "T1",
                "added_users": ["U3"], "removed_users": [],
            }),
        );
        say(&rota, json!({ "type": "channel_archive", "channel": "C2" }));
        eventually("all is stored", || {
            group_members(&rotation) == "S1:U1,U3"
                && !super::listed(&rota, "/v1/channels").contains(&"C2".to_owned())
        });
        assert!(!reading.is_finished(), "the reading was too fast");
        assert_eq!(reading.join().expect("a reading"), (1, 0));
    });
    assert_eq!(rota.get("/v1/users/U2").ok().json()["isDeleted"], true);
    let joined = rota.get("/v1/users/U9").ok().json();
    assert_eq!(joined["isDeleted"], false);
    assert_eq!(joined["displayName"], "Ninth");
    assert_eq!(group_members(&rotation), "S1:U1,U3");
    assert!(!super::listed(&rota, "/v1/channels").contains(&"C2".to_owned()));
    // The next reading has what Slack says then.
    assert_eq!(super::sync(&rota), (1, 0));
    assert_eq!(rota.get("/v1/users/U2").ok().json()["isDeleted"], false);
    assert_eq!(rota.get("/v1/users/U9").ok().json()["isDeleted"], true);
}
