//! Telephone numbers: who reads them, and that they are found nowhere else.

use super::with_admin;
use crate::support::*;
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
    let rota = with_admin(20);
    let (_, receiver) = rota.hook("");
    let phone = |n: usize| format!("+4790000{n:03}");
    for n in 1..=20 {
        let body = json!({ "phone": phone(n), "handle": format!("h{n}") });
        rota.change(&format!("/v1/users/U{n}"), body).is(200);
    }
    let people: Vec<String> = (1..=20).map(|n| format!("U{n}")).collect();
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
    for request in receiver.requests() {
        found += &request.to_string();
    }
    found += &rota.process.log.text();
    for n in 1..=20 {
        assert!(!found.contains(&phone(n)[1..]), "{}", phone(n));
    }
}
