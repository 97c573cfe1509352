//! Credentials that are refused.

use crate::support::*;
use serde_json::{Value, json};

fn refused(rota: &Rota) -> Vec<Value> {
    rota.audit("action=authenticate")
}

/// rules.md 18.5.
#[test]
fn one_entry_a_minute_of_an_address() {
    let rota = Rota::with_people(1);
    let answer = rota.with("svc_key_x_y").get("/v1/rotations");
    let request = answer.header("x-request-id").unwrap().to_owned();
    answer.refused(401, "unknown");
    rota.with("svc_mbr_x_y")
        .get("/v1/rotations")
        .refused(401, "unknown");
    let entries = refused(&rota);
    assert_eq!(entries.len(), 1, "{entries:?}");
    let entry = &entries[0];
    assert_eq!(
        entry["actor"],
        json!({ "kind": "key", "id": null, "name": null })
    );
    assert_eq!(entry["summary"], "credential refused: unknown");
    assert_eq!(
        (&entry["rotationId"], &entry["subject"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(entry["requestId"], request);
    assert_eq!(entry["address"], "127.0.0.1");
    rota.advance(59);
    rota.with("abc")
        .get("/v1/rotations")
        .refused(401, "unknown");
    assert_eq!(refused(&rota).len(), 1);
    rota.advance(1);
    rota.with("svc_mbr_x_y")
        .get("/v1/rotations")
        .refused(401, "unknown");
    let entries = refused(&rota);
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0]["actor"]["kind"], "person");
}

/// Whom a credential claims to speak for is named where it is known; what was presented is not shown.
/// rules.md 18.5.
#[test]
fn a_known_credential_is_named() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let inbound = rotation.inbound();
    let body = json!({ "name": "off", "scopes": ["read:oncall"], "disabled": true });
    let disabled = rota.mint(body);
    let token = rota.token("U2");
    rota.people(1);
    let wrong = format!("{}x", rota.key);
    let get = |credential: &str| rota.with(credential).get("/v1/rotations").is(401);
    let acts: [(&dyn Fn() -> Answer, &str, Value, &str); 4] = [
        (&|| get(&disabled), "key", json!("off"), "disabled"),
        (&|| get(&token), "person", json!("Person U2"), "disabled"),
        (&|| get(&wrong), "key", json!("rota dev"), "unknown"),
        (
            &|| inbound.with_key("x").post("rotate").is(401),
            "inboundWebhook",
            json!(null),
            "invalid_access_code",
        ),
    ];
    for (act, kind, name, code) in acts {
        rota.advance(60);
        act();
        let entry = rota.newest_entry();
        assert_eq!(entry["action"], "authenticate");
        let actor = (&entry["actor"]["kind"], &entry["actor"]["name"]);
        assert_eq!(actor, (&json!(kind), &name), "{entry}");
        assert_eq!(entry["summary"], format!("credential refused: {code}"));
        assert_ne!(text(&entry["actor"]["id"]), "-", "{entry}");
    }
    assert_eq!(rota.newest_entry()["actor"]["id"], rotation.id);
    // The owner finds a wrong key of the inbound webhook with the other entries of the rotation.
    let owner = rota.with(&rota.token("U1"));
    let path = format!("/v1/audit?action=authenticate&rotationId={}", rotation.id);
    assert_eq!(int(&owner.get(&path).is(200).json()["totalItems"]), 1);
    let told = format!("{:?}{}", rota.audit(""), rota.process.log.text());
    assert!(!told.contains(&wrong), "what was presented is told");
}

#[test]
fn what_is_no_refused_credential_leaves_none() {
    let rota = Rota::with_people(1);
    rota.anyone()
        .get("/v1/rotations")
        .refused(401, "missing_credential");
    let key = rota.key("read:oncall");
    rota.with(&key)
        .get("/v1/rotations")
        .refused(403, "scope_denied");
    let request = rota.anyone().request("POST", "/webhook/unknown/rotate");
    request
        .header("webhook-key", "x")
        .send()
        .refused(404, "not_found");
    assert_eq!(refused(&rota), Vec::<Value>::new());
}
