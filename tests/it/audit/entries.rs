//! What entries say, and what leaves none.

use crate::support::*;
use serde_json::{Value, json};

/// Action and summary of an entry.
fn line(entry: &Value) -> String {
    format!("{}: {}", text(&entry["action"]), text(&entry["summary"]))
}

/// The entries that were added since there were so many, oldest first.
fn since(rota: &Rota, before: i64) -> Vec<Value> {
    let mut entries = rota.audit("");
    entries.truncate(entries.len() - before as usize);
    entries.reverse();
    entries
}

#[test]
fn an_entry_has_every_member() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let answer = rotation.put_on_call("U2").is(200);
    let own = rota.caller().get("/v1/keys/self").is(200).json();
    let entry = rota.newest_entry();
    assert!(text(&entry["id"]).starts_with("aud_"), "{entry}");
    assert_eq!(instant(&entry["at"]), rota.now());
    let expected = json!({
        "id": entry["id"], "at": entry["at"],
        "actor": { "kind": "key", "id": own["id"], "name": "rota dev" },
        "action": "replaceOnCall", "rotationId": rotation.id, "subject": rotation.id,
        "requestId": answer.header("x-request-id").unwrap(), "address": "127.0.0.1",
        "summary": "on duty: Person U1 to Person U2",
    });
    assert_eq!(entry, expected);
    rotation
        .seen_by("U2")
        .put("/on-call", json!({ "userIds": ["U2"] }))
        .refused(403, "resource_denied");
    rotation.seen_by("U1").put_on_call("U1").is(200);
    let entry = rota.newest_entry();
    let owner = json!({ "kind": "person", "id": "U1", "name": "Person U1" });
    assert_eq!(entry["actor"], owner);
    assert_eq!(entry["summary"], "on duty: Person U2 to Person U1");
}

/// rules.md 18.1.
#[test]
fn what_changes_nothing_leaves_no_entry() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.put_on_call("U1").is(200);
    let (hook, _) = rota.hook("");
    hook.act("disable").is(200);
    let asked = rotation.ask_cover("U1", "08 09", "U2 U3");
    let step = asked.step_body();
    let by = rotation.seen_by("U2").by;
    let path = asked.path("/decline");
    let declined = by.post_if(&path, "*", step.clone()).is(200).json();
    rotation.away("U2", "2026-02-01T00:00Z", "2026-02-02T00:00Z");
    let key = unique("once");
    rota.caller().try_create(&key, new_rotation("U1")).is(201);
    let before = rota.audited("");
    rotation.put_on_call("U1").is(200);
    rotation.patch(json!({ "name": "Rotation" })).is(200);
    hook.act("disable").is(200);
    // Retries, and the same absence again.
    assert_eq!(by.post_if(&path, "*", step).is(200).json(), declined);
    rota.caller().try_create(&key, new_rotation("U1")).is(200);
    let absence =
        json!({ "userId": "U2", "from": "2026-02-01T00:00:00Z", "until": "2026-02-02T00:00:00Z" });
    rotation
        .by
        .post(&rotation.path("/availability"), absence)
        .is(200);
    // What is refused.
    rotation.put_on_call("U9").refused(400, "invalid_request");
    let stale = rotation
        .by
        .patch_if(&rotation.path(""), "\"stale\"", json!({ "name": "x" }));
    stale.refused(412, "precondition_failed");
    // The directory as it is, the plan as it is, hand-overs.
    rota.people(3);
    rota.plan("pro");
    rota.to("2026-01-08T10:00Z");
    assert_eq!(rota.audited(""), before, "{:?}", since(&rota, before));
}

/// rules.md 18.3 and 18.4.
#[test]
fn the_clock_and_what_others_cause() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.put_on_call("U1").is(200);
    let asked = rotation.ask_cover("U1", "05T10 05T11", "U2");
    let before = rota.audited("");
    rota.to("2026-01-05T12:00Z");
    let [expired]: [Value; 1] = since(&rota, before).try_into().expect("one entry");
    assert_eq!(
        expired["actor"],
        json!({ "kind": "clock", "id": null, "name": null })
    );
    assert_eq!(expired["subject"], asked.id);
    assert_eq!(expired["action"], "expireRequest");
    assert_eq!(
        (&expired["requestId"], &expired["address"]),
        (&json!(null), &json!(null))
    );
    // Whoever takes the duty away has the request expire.
    rotation.ask_cover("U1", "05T13 05T14", "U2");
    let before = rota.audited("");
    rotation.put_on_call("U3").is(200);
    let [taken]: [Value; 1] = since(&rota, before).try_into().expect("one entry");
    let summary = "on duty: Person U1 to Person U3; request of Person U1: pending to expired";
    assert_eq!(text(&taken["summary"]), summary);
    // Whoever replaces the directory changes the rotations that follow it.
    let before = rota.audited("");
    rota.people(2);
    let lines: Vec<String> = since(&rota, before).iter().map(line).collect();
    let rotations = "dev: members removed: Person U3; on duty: Person U3 to Person U1".to_owned();
    assert_eq!(
        lines,
        [rotations, "dev: people removed: Person U3".to_owned()]
    );
}

#[test]
fn an_endpoint_disabled_by_its_failures_is_the_clocks() {
    let dir = TempDir::new();
    let rota = Start::default()
        .db(&dir.join("rota.db"))
        .env("ROTA_WEBHOOKS_LADDER", "1s")
        .go();
    rota.people(2);
    rota.rotation("U1");
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 500 }));
    hook.test();
    rota.advance(DAY);
    let entries = rota.audit("actor=clock");
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(entries[0]["subject"], hook.id);
    assert_eq!(
        line(&entries[0]),
        "disableWebhook: webhook endpoint \"test\"; state: enabled to disabled (delivery_failures)"
    );
    rota.plan("free");
    assert_eq!(
        rota.audited("action=dev&actor=operator"),
        rota.audited("action=dev")
    );
}

#[test]
fn an_absence_from_all_rotations_is_told_where_it_counts() {
    let rota = Rota::with_people(3);
    let (one, two) = (rota.daily("U1 U2", 1), rota.daily("U1 U2", 1));
    let before = rota.audited("");
    let path = one.path("/availability");
    let body = json!({
        "userId": "U1", "from": "2026-01-05T10:00:00Z", "until": "2026-01-07T00:00:00Z", "appliesTo": "allRotations",
    });
    let made = one.by.post(&path, body).is(201).json();
    let entries = since(&rota, before);
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(entries[0]["subject"], made["id"]);
    assert_eq!(entries[0]["rotationId"], one.id);
    let summary = "absence of Person U1 in all rotations recorded, from 2026-01-05T10:00:00Z to 2026-01-07T00:00:00Z";
    assert_eq!(entries[0]["summary"], summary);
    assert_eq!(two.etag(), two.etag());
}

/// People, lanes, windows and rotations are named as people call them. The log names people by their ids.
/// rules.md 18.6.
#[test]
fn summaries_name_people_and_the_log_has_their_ids() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3");
    let mut grid = rotation.grid(2, &[always(daily()), always(daily())]);
    grid["lanes"][0]["name"] = json!("Primary");
    grid["windows"][1]["name"] = json!("Nights");
    grid["doubleCover"] = json!(true);
    rotation.put("/coverage", grid).is(200);
    let before = rota.audited("");
    rotation.patch(json!({ "owners": ["U1", "U4"] })).is(200);
    rotation.rotate();
    rotation.assign_at(0, "U3", "07T10 07T11");
    let asked = rotation.ask_cover("U3", "07T10 07T11", "U1 U2");
    asked.step("U1", "decline").is(200);
    rotation
        .put("/channels/C1", json!({ "postsMessages": true }))
        .is(200);
    let entries = since(&rota, before);
    let lines: Vec<String> = entries.iter().map(line).collect();
    let told = lines.join("\n");
    for part in [
        "patchRotation: owners added: Person U4",
        "on duty in lane \"Primary\", window \"Nights\": Person U",
        "in lane \"Primary\", window \"Window 1\" from 2026-01-07T10:00:00Z to 2026-01-07T11:00:00Z",
        "createCoverRequest: cover request of Person U3 to Person U1, Person U2 made",
        "declineCoverRequest: cover request: declined by Person U1, still pending",
        "setChannel: channels added: #",
    ] {
        assert!(told.contains(part), "{part}:\n{told}");
    }
    for id in [
        "cel_", "win_", "lan_", "arr_", " U1", " U2", " U3", " U4", "C1",
    ] {
        let bare = told.replace("Person U", "Person-U");
        assert!(!bare.contains(id), "{id}:\n{told}");
    }
    let logged = "owners added: U4";
    eventually(logged, || rota.process.log.text().contains(logged));
    assert!(!rota.process.log.text().contains("Person U4"));
}

/// Whatever is written, no secret of it is in the log, neither the table nor the lines.
/// rules.md 18.6.
#[test]
fn secrets_are_in_no_entry() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let token = rota.token("U1");
    let key = rota.key("read:oncall");
    let url = format!(
        "http://user:hunter2@{}/dev/receiver/x?token=hunter2",
        rota.address()
    );
    let body = json!({ "name": "hook", "url": url, "eventTypes": [] });
    rota.caller().post("/v1/webhooks", body);
    let (hook, _) = rota.hook("");
    let rotated = hook.act("rotate").is(200).text();
    let inbound = rotation.inbound();
    rota.caller()
        .request("POST", &rotation.path("/inbound-webhook/rotate"))
        .send()
        .is(200);
    rotation
        .patch(json!({ "description": "see https://user:hunter2@wiki.example/" }))
        .is(200);
    let told = format!("{:?} {}", rota.audit(""), rota.process.log.text());
    assert!(told.contains("https://wiki.example/"), "{told}");
    let secret = |text: &str| text.rsplit('_').next().unwrap().to_owned();
    let signing = rotated.split("svc_whsec_").nth(1).unwrap()[..20].to_owned();
    for secret in [
        secret(&token),
        secret(&key),
        secret(&rota.key),
        inbound.key,
        "hunter2".into(),
        signing,
    ] {
        assert!(!told.contains(&secret), "{secret} is told");
    }
}
