//! People, groups and channels of the local chat platform.

use crate::support::*;
use serde_json::{Value, json};

fn ids(items: &[Value]) -> String {
    items
        .iter()
        .map(|item| text(&item["id"]))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn people_are_found_and_listed() {
    let rota = Rota::at(MONDAY);
    let mut people = directory(4);
    for (n, name, email) in [
        (0, "Zoe", "zoe@example.com"),
        (1, "Adam", "adam@example.com"),
        (2, "Mia", "mia@example.org"),
    ] {
        people["users"][n]["displayName"] = json!(name);
        people["users"][n]["email"] = json!(email);
    }
    people["users"][3]["isDeleted"] = json!(true);
    people["users"][1]["isGuest"] = json!(true);
    people["users"][1]["avatarUrl"] = json!("https://example.com/192.png");
    people["users"][2]["email"] = Value::Null;
    rota.import(&people);
    for (query, expected) in [
        ("?sort=name", "U2 U3 U1"),
        ("?sort=-name", "U1 U3 U2"),
        ("?q=Zoe", "U1"),
        ("?email=adam@example.com", "U2"),
        ("?email=nobody@example.com", ""),
    ] {
        assert_eq!(
            ids(&rota.caller().all(&format!("/v1/users{query}"))),
            expected,
            "{query}"
        );
    }
    assert_eq!(
        rota.caller().all("/v1/users").len(),
        3,
        "the deleted are left out"
    );
    let adam = rota.get("/v1/users/U2").is(200).json();
    for (member, expected) in [
        ("id", json!("U2")),
        ("teamId", json!(TEAM)),
        ("displayName", json!("Adam")),
        ("realName", json!("Real U2")),
        ("email", json!("adam@example.com")),
        ("isGuest", json!(true)),
        ("isExternal", json!(false)),
        ("isDeleted", json!(false)),
        ("avatarUrl", json!("https://example.com/192.png")),
        ("timeZone", json!("Europe/Oslo")),
    ] {
        assert_eq!(adam[member], expected, "{member}");
    }
    assert_eq!(rota.get("/v1/users/U3").json()["email"], Value::Null);
    assert_eq!(
        rota.get("/v1/users/U4").is(200).json()["isDeleted"],
        json!(true)
    );
    rota.get("/v1/users/U9").refused(404, "");
    rota.get("/v1/users?sort=email").names("sort");
}

/// rules.md 17.1.
#[test]
fn an_import_replaces_the_directory() {
    let rota = Rota::with_people(3);
    rota.people(1);
    assert_eq!(ids(&rota.caller().all("/v1/users")), "U1");
    assert_eq!(
        rota.get("/v1/users/U3").is(200).json()["isDeleted"],
        json!(true)
    );
    rota.people(3);
    assert_eq!(
        rota.get("/v1/users/U3").is(200).json()["isDeleted"],
        json!(false)
    );
}

#[test]
fn groups_are_found_and_listed() {
    let rota = Rota::with_people(2);
    rota.people_and_groups(2, &[("G2", "U1"), ("G1", "U1 U2")]);
    assert_eq!(ids(&rota.caller().all("/v1/groups?sort=name")), "G1 G2");
    assert_eq!(
        ids(&rota.caller().all("/v1/groups?q=Group+G2&sort=name")),
        "G2"
    );
    let group = rota.get("/v1/groups/G1").is(200).json();
    let members = ["id", "teamId", "name", "handle"].map(|m| text(&group[m]));
    assert_eq!(members, ["G1", TEAM, "Group G1", "g1"]);
    rota.get("/v1/groups/G9").refused(404, "");
}

#[test]
fn channels_out_of_reach_are_missing() {
    let rota = Rota::with_people(1);
    for (channel, private) in [("C1", false), ("C2", true), ("C3", false)] {
        let found = rota.get(&format!("/v1/channels/{channel}")).is(200).json();
        assert_eq!(
            (text(&found["id"]), text(&found["teamId"])),
            (channel, TEAM)
        );
        assert_eq!(found["isPrivate"], json!(private), "{channel}");
    }
    rota.get("/v1/channels/C4").refused(404, "");
    rota.get("/v1/channels/C9").refused(404, "");
    assert_eq!(
        ids(&rota.caller().all("/v1/channels?q=channel-c1&sort=name")),
        "C1"
    );
    let listed = ids(&rota.caller().all("/v1/channels?sort=name"));
    assert!(listed.starts_with("C1 C2"), "{listed}");
}
