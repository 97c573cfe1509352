//! Answers from the command line about duty, people and deliveries, and what names people and rotations there.

use crate::cli::{fails_with, on, succeeds};
use crate::support::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A server on a database of its own with three people and a rotation that U1 holds.
fn running() -> (TempDir, PathBuf, Rota) {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    (dir, db, rota)
}

fn parsed(db: &Path, line: &str) -> Vec<Value> {
    let output = succeeds(db, line);
    let all: Value = serde_json::from_str(&output).unwrap_or_else(|_| panic!("JSON: {output}"));
    all.as_array().expect("a list").clone()
}

#[test]
fn why_says_who_and_the_steps_also_while_the_server_is_down() {
    let (_dir, db, rota) = running();
    let mut body = new_rotation("U1 U2 U3");
    body["code"] = json!("PLAT");
    body["name"] = json!("Platform");
    let rotation = rota.create(body);
    rotation.cover(1, &[always(daily())]);
    let at = "2026-01-08T12:00:00Z";
    let explained = rotation.get(&format!("/explain?at={at}")).is(200).json();
    let id = rotation.id.clone();
    drop(rotation);
    drop(rota);
    for name in ["PLAT", "plat", "Platform", "platform", &id] {
        let told = succeeds(&db, &format!("why {name} --at {at}"));
        assert!(told.starts_with(&format!("Platform, {at}\n")), "{told}");
        let user = text(&explained["cells"][0]["userId"]);
        assert!(told.contains(&format!("Person {user}")), "{told}");
        for step in explained["cells"][0]["steps"].as_array().expect("steps") {
            assert!(
                told.contains(&format!("  - {}", text(&step["text"]))),
                "{step} in {told}"
            );
        }
    }
    let answer = succeeds(&db, &format!("why PLAT --at {at} --json"));
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer, explained, "as the API answers");
    let user = text(&explained["cells"][0]["userId"]);
    let other = if user == "U1" {
        "u2@example.com"
    } else {
        "u1@example.com"
    };
    let told = succeeds(&db, &format!("why PLAT --at {at} --not {other}"));
    assert!(
        told.lines().count() > explained["cells"][0]["steps"].as_array().unwrap().len() + 3,
        "{told}"
    );
    fails_with(
        run(&mut on(&db, "why PLATT")),
        &["there is no rotation \"PLATT\"", "did you mean \"PLAT\"?"],
    );
    fails_with(
        run(&mut on(&db, "why PLAT --not nobody")),
        &["there is no person \"nobody\""],
    );
    fails_with(
        run(&mut on(&db, "why PLAT --at yesterday")),
        &["--at", "yesterday"],
    );
    fails_with(
        run(&mut on(&db, "why PLAT --at 2020-01-01T00:00:00Z")),
        &["the rotation was created at"],
    );
}

#[test]
fn people_are_listed_with_what_they_are_on_call_for() {
    let (_dir, db, rota) = running();
    let mut all = directory(3);
    all["users"][1]["isDeleted"] = json!(true);
    all["users"][2]["isAdmin"] = json!(true);
    rota.import(&all);
    let mut body = new_rotation("U1");
    body["code"] = json!("PLAT");
    let rotation = rota.create(body);
    rotation.put_on_call("U1").is(200);
    let people = parsed(&db, "people --json");
    let ids: Vec<&str> = people.iter().map(|one| text(&one["id"])).collect();
    assert_eq!(ids, ["U1", "U3"]);
    assert_eq!(people[0]["onCall"], json!(["PLAT"]));
    assert_eq!(people[0]["email"], "u1@example.com");
    assert_eq!(people[1]["isAdmin"], true);
    let gone = parsed(&db, "people --deactivated --json");
    assert_eq!([gone.len(), 1], [1, 1]);
    assert_eq!(gone[0]["id"], "U2");
    let table = succeeds(&db, "people");
    assert!(table.lines().next().unwrap().starts_with("ID"), "{table}");
    assert!(
        table.contains("U1  Person U1  u1@example.com  Europe/Oslo  member"),
        "{table}"
    );
    assert_eq!(succeeds(&db, "people u3").lines().count(), 2);
}

#[test]
fn webhooks_and_deliveries_say_what_failed_and_why() {
    let (_dir, db, rota) = running();
    let (good, _receiver) = rota.hook("duty.changed");
    let (bad, refusing) = rota.hook("duty.changed");
    refusing.answers(json!({ "status": 410 }));
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U2").is(200);
    eventually("a delivery that was refused and one that was taken", || {
        let state = |hook: &Hook, state: &str| {
            let path = format!("/deliveries?state={state}");
            let found = hook
                .by
                .get(&format!("{}{path}", hook.path()))
                .is(200)
                .json();
            found["totalItems"].as_u64()
        };
        let tried = parsed(&db, "deliveries --failed --json");
        state(&good, "delivered") == Some(1) && !tried.is_empty()
    });
    let failed = parsed(&db, "deliveries --failed --json");
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["webhookId"], bad.id.as_str());
    assert_eq!(failed[0]["error"], "status 410");
    assert_eq!(failed[0]["rotationId"], rotation.id.as_str());
    let all = parsed(&db, "deliveries --json");
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(
        parsed(&db, &format!("deliveries --webhook {} --json", good.id)).len(),
        1
    );
    assert_eq!(parsed(&db, "deliveries --limit 1 --json").len(), 1);
    assert_eq!(
        parsed(&db, "deliveries --rotation rot_gone --json").len(),
        0
    );
    let table = succeeds(&db, "deliveries --failed");
    assert!(
        table.contains("status 410") && table.contains("duty.changed"),
        "{table}"
    );
    let endpoints = parsed(&db, "webhooks --json");
    let of = |hook: &Hook| {
        let found = endpoints.iter().find(|one| one["id"] == hook.id.as_str());
        found.expect("an endpoint").clone()
    };
    assert_eq!(of(&bad)["lastError"], "status 410", "{endpoints:?}");
    assert_eq!(of(&good)["lastError"], Value::Null);
    assert!(of(&bad)["failingSince"].is_string());
    assert!(
        !endpoints
            .iter()
            .any(|one| one.to_string().contains("svc_whsec_")),
        "no secret"
    );
    let table = succeeds(&db, "webhooks");
    assert!(
        table.contains(&bad.id) && table.contains("status 410"),
        "{table}"
    );
    fails_with(
        run(&mut on(&db, "deliveries --webhook pager")),
        &["there is no endpoint \"pager\"", "rota webhooks"],
    );
}

#[test]
fn lists_are_also_json() {
    let (_dir, db, rota) = running();
    succeeds(&db, "key create --name ci --scope read:oncall --expires 7d");
    succeeds(&db, "token create --user u2@example.com");
    let keys = parsed(&db, "key list --json");
    let ci = keys
        .iter()
        .find(|key| key["name"] == "ci")
        .expect("the key");
    assert_eq!(ci["state"], "enabled");
    assert_eq!(ci["scopes"], json!(["read:oncall"]));
    assert_eq!(ci["rotationIds"], Value::Null);
    let tokens = parsed(&db, "token list --json");
    assert!(
        tokens
            .iter()
            .any(|token| token["userId"] == "U2" && token["userName"] == "Person U2")
    );
    assert_eq!(parsed(&db, "login sessions --json"), Vec::<Value>::new());
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U1").is(200);
    rota.advance(HOUR);
    let report = "report --from 2026-01-01 --to 2026-02-01 --by personRotation --json";
    let rows = parsed(&db, report);
    assert!(
        rows.iter()
            .any(|row| row["userId"] == "U1" && row["rotationId"] == rotation.id.as_str()),
        "{rows:?}"
    );
}

#[test]
fn people_and_rotations_have_their_names_in_commands() {
    let (_dir, db, rota) = running();
    let mut all = directory(4);
    all["users"][3]["displayName"] = json!("Person U3");
    rota.import(&all);
    let mut body = new_rotation("U1");
    (body["code"], body["name"]) = (json!("PLAT"), json!("Platform"));
    let rotation = rota.create(body);
    let own = |line: &str| parsed(&db, &format!("audit --json {line}")).len();
    assert!(own("--rotation plat") > 0);
    assert_eq!(
        own("--rotation platform"),
        own(&format!("--rotation {}", rotation.id))
    );
    assert_eq!(own("--rotation rot_gone"), 0, "it may have been deleted");
    let link = succeeds(&db, "login-link --user U1@EXAMPLE.com");
    assert!(link.contains("/login?link="), "{link}");
    succeeds(
        &db,
        "key create --name one --scope read:oncall --rotation PLAT",
    );
    let keys = parsed(&db, "key list --json");
    let one = keys
        .iter()
        .find(|key| key["name"] == "one")
        .expect("the key");
    assert_eq!(one["rotationIds"], json!([rotation.id]));
    for (line, words) in [
        (
            "token create --user Person",
            &["there is no person \"Person\""][..],
        ),
        (
            "token create --user u33@example.com",
            &["there is no person", "u33@example.com"],
        ),
        (
            "key create --name x --scope read:oncall --rotation PLATX",
            &["there is no rotation \"PLATX\"", "PLAT"],
        ),
        (
            "audit --rotation OTHER",
            &["there is no rotation \"OTHER\""],
        ),
    ] {
        fails_with(run(&mut on(&db, line)), words);
    }
    // Two have one name.
    let mut login = on(&db, "login-link");
    login.args(["--user", "Person U3"]);
    fails_with(run(&mut login), &["2 are called \"Person U3\"", "U3, U4"]);
    rotation.by.delete_if(&rotation.path(""), "*").is(204);
    fails_with(run(&mut on(&db, "why PLAT")), &["there is no rotation"]);
}

/// Whoever typed a command is in the record of it, also behind sudo; the table has times of this machine.
#[test]
fn commands_are_audited_with_the_human_and_local_times() {
    let (_dir, db, _rota) = running();
    let mut create = on(&db, "key create --name by-sudo --scope read:oncall");
    create.env("SUDO_USER", "grace");
    assert_eq!(run(&mut create).0, 0);
    let found = parsed(&db, "audit --actor grace --json");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["action"], "key create");
    let at = |zone: &str| {
        let (_, table, _) = run(on(&db, "audit --actor grace").env("TZ", zone));
        let line = table.lines().nth(1).expect("an entry").to_owned();
        line.split(' ').next().expect("a time").to_owned()
    };
    assert_eq!(at("UTC"), text(&found[0]["at"]));
    assert!(
        at("Asia/Kolkata").ends_with("+05:30"),
        "{}",
        at("Asia/Kolkata")
    );
}
