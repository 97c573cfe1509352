//! What a full reading finds.

use super::{calls, group_members, listed, people, sync};
use crate::support::slack::Slack;
use crate::support::*;
use serde_json::json;

#[test]
fn people_have_what_slack_says_of_them() {
    let slack = Slack::with_people(2);
    {
        let mut team = slack.team();
        team.person(
            "U2",
            json!({ "profile": { "display_name": "" }, "tz": "America/New_York" }),
        );
        team.person("U3", json!({ "is_restricted": true }));
        team.person(
            "U4",
            json!({ "is_ultra_restricted": true, "is_owner": true }),
        );
        team.person("U5", json!({ "is_stranger": true }));
        team.person("U6", json!({ "team_id": "T2" }));
        team.person("U7", json!({ "deleted": true }));
        team.person("B1", json!({ "is_bot": true }));
        team.person("USLACKBOT", json!({}));
    }
    let rota = slack.go();
    let user = rota.get("/v1/users/U1").is(200).json();
    assert_eq!(
        user,
        json!({
            "id": "U1", "teamId": "T1", "displayName": "u1", "realName": "person U1", "email": "u1@example.com",
            "isGuest": false, "isExternal": false, "isDeleted": false, "isAdmin": true, "handle": null, "source": "slack",
            "contact": { "email": "u1@example.com", "phone": null },
            "avatarUrl": "https://avatars.example.com/U1.png", "timeZone": "Europe/Berlin"
        })
    );
    // Guest, external, deleted.
    for (id, flags) in [
        ("U2", [false, false, false]),
        ("U3", [true, false, false]),
        ("U4", [true, false, false]),
        ("U5", [false, true, false]),
        ("U6", [false, true, false]),
        ("U7", [false, false, true]),
    ] {
        let user = rota.get(&format!("/v1/users/{id}")).is(200).json();
        let found = ["isGuest", "isExternal", "isDeleted"].map(|flag| user[flag] == true);
        assert_eq!(found, flags, "{user}");
    }
    let user = rota.get("/v1/users/U2").is(200).json();
    assert_eq!(user["displayName"], json!(null));
    assert_eq!(rota.get("/v1/users/U6").is(200).json()["teamId"], "T2");
    for bot in ["B1", "USLACKBOT"] {
        rota.get(&format!("/v1/users/{bot}")).is(404);
    }
    assert_eq!(people(&rota), "U1 U2 U3 U4 U5 U6");
    // People are there when the server is ready, with a token each.
    assert!(rota.tokens.contains_key("U6"));
    // Only members of the workspace can be in a rotation; admins see every rotation.
    rota.try_create(new_rotation("U1 U6"))
        .refused(400, "invalid_request");
    let rotation = rota.rotation("U3 U2");
    rotation.patch(json!({ "public": false })).ok();
    rotation.with(&rota.token("U4")).get("").is(200);
    rotation.with(&rota.token("U6")).get("").is(404);
}

#[test]
fn without_the_scope_there_are_no_addresses() {
    let slack = Slack::with_people(1);
    slack.team().scope("users:read.email", false);
    let rota = slack.go();
    assert_eq!(
        rota.get("/v1/users/U1").is(200).json()["email"],
        json!(null)
    );
}

#[test]
fn lists_are_read_page_by_page() {
    let slack = Slack::with_people(23);
    {
        let mut team = slack.team();
        team.page = 5;
        for number in 1..=12 {
            team.channel(&format!("CX{number}"), json!({}));
        }
        team.group("S1", json!({ "users": ["U23", "U1"] }));
    }
    let rota = slack.go();
    assert_eq!(listed(&rota, "/v1/users?pageSize=100").len(), 23);
    assert_eq!(listed(&rota, "/v1/channels?pageSize=100").len(), 15);
    assert_eq!(listed(&rota, "/v1/groups"), ["S1"]);
    assert_eq!(calls(&slack), [5, 1, 3]);
    let pages = slack.calls("users.list");
    let cursors: Vec<bool> = pages
        .iter()
        .map(|call| call.arguments.contains_key("cursor"))
        .collect();
    assert_eq!(cursors, [false, true, true, true, true]);
}

#[test]
fn names_change_and_people_come_and_go() {
    let slack = Slack::with_people(4);
    let rota = slack.go();
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.put_on_call("U2").ok();
    {
        let mut team = slack.team();
        team.person("U1", json!({ "profile": { "display_name": "Ada" } }));
        team.person("U2", json!({ "deleted": true }));
        team.users.retain(|user| user["id"] != "U4");
        team.person("U5", json!({}));
    }
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(people(&rota), "U1 U3 U5");
    assert_eq!(rota.get("/v1/users/U1").json()["displayName"], "Ada");
    // The one on duty was deactivated: the place is dealt to the next one.
    assert_eq!(rotation.on_call(), "U3");
    let gone = rota.get("/v1/users/U4").is(200).json();
    assert_eq!(
        (&gone["isDeleted"], &gone["displayName"]),
        (&json!(true), &json!("u4"))
    );
    // Whoever comes back has their turn again.
    slack.team().person("U2", json!({ "deleted": false }));
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(
        int(&rotation.read()["rosters"][0]["order"]
            .as_array()
            .unwrap()
            .len()
            .into()),
        3
    );
    // A credential of somebody who is gone is refused.
    let token = rota.token("U3");
    slack.team().person("U3", json!({ "deleted": true }));
    sync(&rota);
    rota.with(&token).get("/v1/rotations").is(401);
}

/// rules.md 17.4.
#[test]
fn a_reading_that_changes_nothing_writes_nothing() {
    let slack = Slack::with_people(3);
    slack.team().group("S1", json!({ "users": ["U1", "U2"] }));
    let rota = slack.go();
    let rotation = rota.rotation("U1 U2");
    let (tag, entries) = (
        rotation.etag(),
        rota.get("/v1/audit").json()["totalItems"].clone(),
    );
    for _ in 0..3 {
        assert_eq!(sync(&rota), (1, 0));
    }
    assert_eq!(rotation.etag(), tag);
    assert_eq!(rota.get("/v1/audit").json()["totalItems"], entries);
}

#[test]
fn what_a_reading_changes_is_in_the_audit_log() {
    let slack = Slack::with_people(2);
    let rota = slack.go();
    slack.team().person("U3", json!({}));
    slack
        .team()
        .person("U1", json!({ "profile": { "display_name": "Ada" } }));
    sync(&rota);
    let entries = rota.get("/v1/audit?action=directorySync").is(200).json();
    let entry = &entries["data"][0];
    assert_eq!(entry["actor"]["kind"], "chat");
    let summary = text(&entry["summary"]);
    assert!(
        summary.contains("people added: u3") && summary.contains("people changed: Ada"),
        "{summary}"
    );
}

/// rules.md 17.7.
#[test]
fn user_groups_are_followed() {
    let slack = Slack::with_people(5);
    slack.team().group("S1", json!({ "users": ["U3", "U1"] }));
    slack.team().group(
        "S2",
        json!({ "users": ["U4", "UBOT"], "date_delete": 1_700_000_000 }),
    );
    let rota = slack.go();
    let mut body = new_rotation("U5");
    body["userGroupIds"] = json!(["S1", "S2"]);
    let rotation = rota.create(body);
    // Bots are nobody. A disabled group keeps its people.
    assert_eq!(group_members(&rotation), "S1:U3,U1 S2:U4");
    slack.team().group(
        "S1",
        json!({ "users": ["U1", "U2", "U3"], "name": "Engineers", "handle": "eng" }),
    );
    assert_eq!(sync(&rota), (1, 0));
    // Who is new comes last.
    assert_eq!(group_members(&rotation), "S1:U1,U3,U2 S2:U4");
    let group = rota.get("/v1/groups/S1").is(200).json();
    assert_eq!(
        (text(&group["name"]), text(&group["handle"])),
        ("Engineers", "eng")
    );
    slack.team().groups.retain(|group| group["id"] != "S1");
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(group_members(&rotation).replace("S1: ", ""), "S2:U4");
}

#[test]
fn channels_are_joined_left_renamed_and_archived() {
    let slack = Slack::with_people(1);
    slack.team().channel("C2", json!({ "is_member": false }));
    slack.team().channel("G1", json!({ "is_private": true }));
    slack
        .team()
        .channel("G2", json!({ "is_private": true, "is_member": false }));
    let rota = slack.go();
    let channels = |rota: &Rota| {
        let mut ids = listed(rota, "/v1/channels");
        ids.sort();
        ids.join(" ")
    };
    assert_eq!(channels(&rota), "C1 C2 C3 G1");
    assert_eq!(rota.get("/v1/channels/G1").json()["isPrivate"], true);
    let with = |channel: &str| {
        let mut body = new_rotation("U1");
        body["channels"] = json!([channel]);
        rota.try_create(body)
    };
    with("C1").is(201);
    with("C2").refused(400, "invalid_request");
    slack
        .team()
        .channel("C2", json!({ "is_member": true, "name": "renamed" }));
    slack.team().channel("C1", json!({ "is_member": false }));
    slack.team().channel("C3", json!({ "is_archived": true }));
    slack.team().channel("G1", json!({ "is_member": false }));
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(channels(&rota), "C1 C2");
    assert_eq!(rota.get("/v1/channels/C2").json()["name"], "renamed");
    with("C2").is(201);
    with("C1").refused(400, "invalid_request");
}

#[test]
fn hostile_names_are_names() {
    let slack = Slack::with_people(1);
    let name = "<!channel> & <script>alert(1)</script> \u{202e}gnp.exe '; DROP TABLE person; --";
    slack.team().person(
        "U1",
        json!({ "profile": { "display_name": name, "real_name": "a\u{0}b\nc" } }),
    );
    slack.team().group(
        "S1",
        json!({ "name": "x\u{7}", "handle": "@here", "users": ["U1", "U1", 5, null] }),
    );
    slack
        .team()
        .channel("C1", json!({ "name": "n".repeat(5_000) }));
    slack.team().users.push(json!("nonsense"));
    slack.team().users.push(json!({ "id": "U 9\n" }));
    slack.team().channels.push(json!({ "id": {} }));
    let rota = slack.go();
    let user = rota.get("/v1/users/U1").is(200).json();
    assert_eq!(
        (text(&user["displayName"]), text(&user["realName"])),
        (name, "abc")
    );
    assert_eq!(people(&rota), "U1");
    assert_eq!(rota.get("/v1/groups/S1").is(200).json()["name"], "x");
    let rotation = rota.rotation("U1");
    rotation.put_on_call("U1").ok();
    rota.get("/v1/channels/C1").is(200);
}

/// rules.md 17.4.
#[test]
fn it_is_read_at_the_start_and_when_the_clock_passes_its_time() {
    let slack = Slack::with_people(1);
    let rota = slack.start().env("ROTA_SLACK_SYNC_EVERY", "20m").go();
    assert_eq!(calls(&slack), [1, 1, 1]);
    // Seconds of each move, and the readings after it.
    for (seconds, expected) in [(1_199, 1), (1, 2), (60, 2), (86_400, 3), (1_200, 4)] {
        rota.advance(seconds);
        assert_eq!(calls(&slack), [expected; 3], "{seconds}");
    }
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(calls(&slack), [5; 3]);
    let metrics = rota.get("/metrics").ok().text();
    let line = metrics
        .lines()
        .find(|line| line.starts_with("rota_chat_last_sync_timestamp_seconds "));
    let clock = rota.get("/dev/clock").json();
    let now = at(text(&clock["now"])).as_second();
    let shown = line
        .and_then(|line| line.split(' ').nth(1))
        .expect("a value");
    assert_eq!(shown.parse::<f64>().expect("a number") as i64, now);
}

/// rules.md 17.9.
#[test]
fn only_zone_handle_and_number_are_changed_here_and_win() {
    let slack = Slack::with_people(2);
    let rota = slack.go();
    let by = rota.caller();
    by.post("/v1/users", json!({ "displayName": "X" }))
        .refused(409, "directory_is_slack");
    by.post("/v1/channels", json!({ "name": "X" }))
        .refused(409, "directory_is_slack");
    let change = |body| by.patch_if("/v1/users/U2", "*", body);
    change(json!({ "displayName": "X", "handle": "x" })).refused(409, "directory_is_slack");
    change(json!({ "timeZone": "Asia/Tokyo", "handle": "x", "phone": "+12025550100" })).is(200);
    rota.request("POST", "/dev/sync").send().ok();
    let user = rota.get("/v1/users/U2").is(200).json();
    assert_eq!(user["timeZone"], json!("Asia/Tokyo"));
    assert_eq!(user["handle"], json!("x"));
    change(json!({ "timeZone": null })).is(200);
    rota.request("POST", "/dev/sync").send().ok();
    let user = rota.get("/v1/users/U2").is(200).json();
    assert_eq!(user["timeZone"], json!("Europe/Berlin"));
}
