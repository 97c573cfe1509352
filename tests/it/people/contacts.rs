//! Telephone numbers: who reads them, and that they are found nowhere else.

use super::with_admin;
use crate::cli::succeeds;
use crate::support::*;
use crate::web::Browser;
use serde_json::{Value, json};

const ALL: &str = "read:rotations write:rotations read:oncall write:duty read:directory manage:webhooks manage:directory";

/// rules.md 17.11.
#[test]
fn contacts_are_for_the_person_admins_and_keys_with_the_scope() {
    let rota = with_admin(3);
    rota.change("/v1/users/U2", json!({ "phone": "+4722334455" }))
        .is(200);
    let contact = json!({ "email": "u2@example.com", "phone": "+4722334455" });
    let read = |credential: &str| {
        rota.with(credential).get("/v1/users/U2").is(200).json()["contact"].clone()
    };
    let (keyed, blind) = (rota.key(&format!("{ALL} read:contacts")), rota.key(ALL));
    for credential in [&rota.token("U1"), &rota.token("U2"), &keyed] {
        assert_eq!(read(credential), contact);
    }
    for credential in [&rota.token("U3"), &blind] {
        assert_eq!(read(credential), Value::Null);
    }
    let rotation = rota.daily("U2 U3", 1);
    let path = rotation.path("/on-call?expand=contacts");
    let with = rota.with(&keyed).get(&path).is(200);
    assert_eq!(with.header("etag"), None);
    let expected = json!([{ "userId": "U2", "email": "u2@example.com", "phone": "+4722334455" }]);
    assert_eq!(with.json()["contacts"], expected);
    assert_eq!(with.json()["users"], Value::Null);
    let both = rota
        .with(&keyed)
        .get(&format!("{path}&expand=users"))
        .is(200)
        .json();
    assert_eq!(both["contacts"], expected);
    assert_eq!(text(&both["users"][0]["id"]), "U2");
    assert_eq!(both["users"][0].get("contact"), None);
    assert_eq!(
        rotation.get("/on-call").is(200).json().get("contacts"),
        None
    );
    rota.with(&blind).get(&path).refused(403, "scope_denied");
    rota.with(&rota.token("U2"))
        .get(&path)
        .refused(403, "scope_denied");
    rota.with(&rota.token("U1")).get(&path).is(200);
    let then = format!("{path}&at=2026-01-07T12:00:00Z");
    let then = rota.with(&keyed).get(&then).is(200).json();
    assert_eq!(
        text(&then["contacts"][0]["userId"]),
        text(&then["onCall"][0]["userId"])
    );
    rotation
        .get("/on-call?expand=phones")
        .refused(400, "invalid_request");
}

/// rules.md 17.11.
#[test]
fn telephone_numbers_are_found_nowhere_else() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    // The last one has no number.
    let mut all = directory(21);
    all["users"][0]["isAdmin"] = json!(true);
    rota.import(&all);
    let (_, receiver) = rota.hook("");
    let phone = |n: usize| format!("+4790000{n:03}");
    for n in 1..=20 {
        let body = json!({ "phone": phone(n), "handle": format!("h{n}") });
        rota.change(&format!("/v1/users/U{n}"), body).is(200);
    }
    let people: Vec<String> = (1..=21).map(|n| format!("U{n}")).collect();
    let rotation = rota.daily(&people.join(" "), 1);
    rotation.put_on_call("U7").is(200);
    rota.change("/v1/users/U20", json!({ "isDeleted": true }))
        .is(200);
    let feed = json!({ "userId": "U7", "rotationId": rotation.id });
    let feed = rota
        .caller()
        .post("/v1/calendar-feeds", feed)
        .is(201)
        .json();
    let feed = text(&feed["url"]).replace(&rota.url, "");
    rota.advance(2 * 86_400);
    let blind = rota.key(ALL);
    let mut found = String::new();
    for path in [
        "/v1/users?pageSize=200".to_owned(),
        "/v1/users/U5".into(),
        "/v1/audit?pageSize=200".into(),
        "/v1/messages?pageSize=200".into(),
        "/v1/on-call".into(),
        rotation.path(""),
        rotation.path("/on-call?expand=users"),
        rotation.path("/history?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z"),
        rotation.path("/schedule?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z"),
    ] {
        found += &rota.with(&blind).get(&path).is(200).text();
    }
    found += &rota.anyone().get(&feed).is(200).text();
    let member = Browser::signed_in(&rota, "U21");
    for path in [
        "/".to_owned(),
        "/people".into(),
        "/people/U5".into(),
        "/people/U7".into(),
        "/rotations".into(),
        "/reports/duty".into(),
        "/me".into(),
        format!("/rotations/{}", rotation.id),
        format!("/rotations/{}/history", rotation.id),
        format!("/rotations/{}/load", rotation.id),
    ] {
        found += &member.get(&path).is(200).text();
    }
    let admin = Browser::signed_in(&rota, "U1");
    let board = crate::web::board::made(&rota, &admin, &rotation.id);
    found += &rota.anyone().get(&board).is(200).text();
    for (name, arguments) in [
        ("who_is_on_call", json!({ "rotation": rotation.id })),
        ("my_shifts", json!({})),
        ("list_rotations", json!({})),
    ] {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments }
        });
        let asked = rota.with(&rota.token("U21")).request("POST", "/mcp");
        let asked = asked.header("Content-Type", "application/json");
        let asked = asked.header("Accept", "application/json, text/event-stream");
        found += &asked.body(message.to_string()).send().is(200).text();
    }
    found += &rota.get("/metrics").is(200).text();
    found += &succeeds(&db, "audit");
    for request in receiver.requests() {
        found += &request.to_string();
    }
    found += &rota.process.log.text();
    for n in 1..=20 {
        assert!(!found.contains(&phone(n)[1..]), "{}", phone(n));
    }
    // Only the export of the directory and an admin have them.
    let exported = succeeds(&db, "directory export");
    for n in 1..=20 {
        assert!(exported.contains(&phone(n)), "{}", phone(n));
    }
}
