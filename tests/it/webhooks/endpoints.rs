//! /v1/webhooks: registering, reading, replacing, disabling, deleting; rights, and test events.

use crate::support::*;
use serde_json::{Value, json};

const HOOKS: &str = "/v1/webhooks";
const EVERY_OTHER_SCOPE: &str =
    "read:rotations write:rotations read:oncall write:duty read:directory";

/// The body of an endpoint with these members changed.
fn wanted(change: Value) -> Value {
    let mut body =
        json!({ "name": "Pager", "url": "https://127.0.0.1/hook", "eventTypes": ["duty.changed"] });
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

fn without(member: &str) -> Value {
    let mut body = wanted(json!({}));
    body.as_object_mut().unwrap().remove(member);
    body
}

/// An endpoint with its ETag.
#[track_caller]
pub fn tagged(hook: &Hook) -> (Value, String) {
    let answer = hook.by.get(&hook.path()).is(200);
    (answer.json(), answer.etag())
}

#[track_caller]
fn replace(hook: &Hook, change: Value) -> Answer {
    hook.by.put_if(&hook.path(), "*", wanted(change))
}

#[test]
fn a_registration_answers_the_endpoint_and_its_secret() {
    let rota = Rota::at(MONDAY);
    let answer = rota.post(HOOKS, wanted(json!({}))).is(201);
    let made = answer.json();
    let endpoint = &made["endpoint"];
    let (id, secret_id) = (text(&endpoint["id"]), text(&endpoint["currentSecretId"]));
    assert!(
        id.starts_with("whk_") && secret_id.starts_with("sec_"),
        "{made}"
    );
    // disabledReason and members of a previous secret are absent.
    let expected = json!({
        "id": id, "name": "Pager", "url": "https://127.0.0.1/hook", "eventTypes": ["duty.changed"],
        "state": "enabled", "currentSecretId": secret_id, "currentSecretCreatedAt": rfc(MONDAY),
        "createdAt": rfc(MONDAY), "updatedAt": null,
    });
    assert_eq!(endpoint, &expected);
    let secret = text(&made["signingSecret"]);
    assert!(secret.starts_with("svc_whsec_"), "{secret}");
    assert!(
        secret.len() >= "svc_whsec_".len() + 32,
        "192 bits: {secret}"
    );
    let path = format!("{HOOKS}/{id}");
    assert!(answer.header("location").unwrap().ends_with(&path));
    let read = rota.get(&path).is(200);
    assert_eq!((read.json(), read.etag()), (expected, answer.etag()));
    let other = rota.post(HOOKS, wanted(json!({}))).is(201).json();
    for member in ["id", "currentSecretId"] {
        assert_ne!(other["endpoint"][member], endpoint[member], "{member}");
    }
    assert_ne!(other["signingSecret"], made["signingSecret"]);
}

#[test]
fn what_is_sent_is_kept_in_form() {
    let rota = Rota::at(MONDAY);
    let path = rota.hook_at("https://127.0.0.1/", "").path();
    let name = "\u{e5}".repeat(100);
    for (change, member, kept) in [
        (json!({ "name": "P" }), "name", json!("P")),
        // Characters count, not bytes.
        (json!({ "name": name }), "name", json!(name)),
        (json!({ "eventTypes": [] }), "eventTypes", json!([])),
        (
            json!({ "eventTypes": words(ALL_EVENTS).iter().rev().collect::<Vec<_>>() }),
            "eventTypes",
            json!(words(ALL_EVENTS)),
        ),
        (
            json!({ "eventTypes": ["rotation.deleted", "duty.changed", "rotation.deleted"] }),
            "eventTypes",
            json!(["duty.changed", "rotation.deleted"]),
        ),
        (
            json!({ "url": "https://me:secret@127.0.0.1:8443#part" }),
            "url",
            json!("https://127.0.0.1:8443/"),
        ),
        (json!({ "state": 1 }), "name", json!("Pager")),
    ] {
        let made = rota.post(HOOKS, wanted(change.clone())).is(201).json();
        assert_eq!(made["endpoint"][member], kept, "{change}");
        let made = format!("{HOOKS}/{}", text(&made["endpoint"]["id"]));
        rota.caller().delete_if(&made, "*").is(204);
        let replaced = rota.put_if(&path, "*", wanted(change)).is(200).json();
        assert_eq!(replaced[member], kept);
    }
    let silent = rota.post(HOOKS, without("eventTypes")).is(201).json();
    assert_eq!(silent["endpoint"]["eventTypes"], json!([]));
}

#[test]
fn a_body_that_is_refused_names_the_member() {
    let rota = Rota::at(MONDAY);
    let hook = rota.hook_at("https://127.0.0.1/", "");
    let before = tagged(&hook);
    for (change, member) in [
        (json!({ "name": null }), "name"),
        (json!({ "name": 7 }), "name"),
        (json!({ "name": "" }), "name"),
        (json!({ "name": " \t" }), "name"),
        (json!({ "name": "x".repeat(101) }), "name"),
        (json!({ "url": 7 }), "url"),
        (json!({ "eventTypes": null }), "eventTypes"),
        (json!({ "eventTypes": "duty.changed" }), "eventTypes"),
        (
            json!({ "eventTypes": ["duty.changed", 7] }),
            "eventTypes[1]",
        ),
    ] {
        rota.post(HOOKS, wanted(change.clone())).names(member);
        replace(&hook, change).names(member);
    }
    for missing in ["name", "url"] {
        rota.post(HOOKS, without(missing)).names(missing);
    }
    // Omitting them must not unsubscribe from everything.
    for missing in ["name", "url", "eventTypes"] {
        rota.put_if(&hook.path(), "*", without(missing))
            .names(missing);
    }
    for (kind, code) in [
        ("duty.ended", "webhook_event_type_unknown"),
        ("DUTY.CHANGED", "webhook_event_type_unknown"),
        ("duty.*", "webhook_event_type_unknown"),
        ("", "webhook_event_type_unknown"),
        ("webhook.test", "webhook_event_type_not_subscribable"),
    ] {
        let types = json!({ "eventTypes": ["duty.changed", kind] });
        rota.post(HOOKS, wanted(types.clone())).refused(400, code);
        replace(&hook, types).refused(400, code);
    }
    assert_eq!(tagged(&hook), before);
    assert_eq!(rota.caller().all(HOOKS).len(), 1);
}

#[test]
fn a_workspace_has_ten_endpoints() {
    let rota = Rota::at(MONDAY);
    let hooks: Vec<Hook> = (0..10)
        .map(|_| rota.hook_at("https://127.0.0.1/", ""))
        .collect();
    let one_more = || rota.post(HOOKS, wanted(json!({})));
    hooks[0].act("disable").is(200);
    let problem = one_more().refused(409, "webhook_endpoint_limit");
    assert!(!text(&problem["title"]).is_empty(), "{problem}");
    assert!(text(&problem["detail"]).contains("10"), "{problem}");
    let page = rota.get(HOOKS).is(200).json();
    for (member, expected) in [("page", 1), ("totalItems", 10), ("totalPages", 1)] {
        assert_eq!(int(&page[member]), expected, "{member}");
    }
    let listed: Vec<Value> = hooks.iter().map(Hook::read).collect();
    assert_eq!(page["data"], json!(listed), "oldest first");
    let second = rota
        .get(&format!("{HOOKS}?page=2&pageSize=3"))
        .is(200)
        .json();
    assert_eq!(second["data"], json!(listed[3..6]));
    rota.get(&format!("{HOOKS}?pageSize=0")).names("pageSize");
    rota.get(&format!("{HOOKS}?sort=name")).names("sort");
    rota.caller().delete_if(&hooks[4].path(), "*").is(204);
    one_more().is(201);
    one_more().refused(409, "webhook_endpoint_limit");
}

#[test]
fn an_endpoint_is_read_again_only_when_it_changed() {
    let rota = Rota::at(MONDAY);
    let hook = rota.hook_at("https://127.0.0.1/", "duty.changed");
    let (endpoint, etag) = tagged(&hook);
    let asked = |known: &str| {
        let request = rota.request("GET", &hook.path());
        request.header("If-None-Match", known).send()
    };
    for known in [&etag, "*", &format!("\"x\", W/{etag}")] {
        let answer = asked(known).is(304);
        assert_eq!(
            (answer.etag(), answer.text()),
            (etag.clone(), String::new())
        );
    }
    assert_eq!(asked("\"other\"").is(200).json(), endpoint);
    replace(&hook, json!({})).is(200);
    assert_ne!(asked(&etag).is(200).etag(), etag);
}

#[test]
fn what_is_not_there_is_not_found() {
    let rota = Rota::with_people(1);
    rota.rotation("U1");
    let unknown = format!("{HOOKS}/whk_unknown");
    for (method, rest) in [
        ("GET", ""),
        ("PUT", ""),
        ("DELETE", ""),
        ("POST", "/disable"),
        ("POST", "/enable"),
        ("POST", "/rotate"),
        ("POST", "/test"),
        ("GET", "/deliveries"),
    ] {
        let request = rota.request(method, &format!("{unknown}{rest}"));
        let request = request.header("If-Match", "*");
        let request = match method {
            "PUT" => request.json(&wanted(json!({}))),
            _ => request,
        };
        request.send().refused(404, "");
    }
    let test = "/dev/webhooks/whk_unknown/test";
    rota.anyone().request("POST", test).send().refused(404, "");
}

#[test]
fn writes_need_a_current_validator() {
    let rota = Rota::at(MONDAY);
    let hook = rota.hook_at("https://127.0.0.1/", "");
    let (before, old) = tagged(&hook);
    replace(&hook, json!({ "name": "Second" })).is(200);
    let now = tagged(&hook);
    assert_ne!((&now.0, &now.1), (&before, &old));
    for (method, rest) in [
        ("PUT", ""),
        ("DELETE", ""),
        ("POST", "/disable"),
        ("POST", "/enable"),
        ("POST", "/rotate"),
    ] {
        let request = |path: &str| {
            let request = rota.request(method, path);
            match method {
                "PUT" => request.json(&wanted(json!({ "url": "https://10.0.0.1/" }))),
                _ => request,
            }
        };
        let path = hook.path() + rest;
        request(&path).send().refused(428, "precondition_required");
        for stale in [
            &old,
            "\"\"",
            &format!("W/{}", now.1),
            now.1.trim_matches('"'),
        ] {
            let request = request(&path).header("If-Match", stale);
            request.send().refused(412, "precondition_failed");
        }
        let unknown = format!("{HOOKS}/whk_unknown{rest}");
        let request = request(&unknown).header("If-Match", &old);
        request.send().refused(404, "");
    }
    // The ETag is checked before the URL, the URL before the plan.
    rota.plan("free");
    let bad = json!({ "url": "https://10.0.0.1/" });
    replace(&hook, bad.clone()).refused(400, "webhook_url_private_address");
    rota.post(HOOKS, wanted(bad))
        .refused(400, "webhook_url_private_address");
    rota.plan("pro");
    assert_eq!(text(&hook.read()["name"]), "Second");
}

#[test]
fn a_replacement_takes_the_place_of_all_three() {
    let rota = Rota::at(MONDAY);
    let hook = rota.hook_at("https://127.0.0.1/", "duty.changed");
    let (mut expected, etag) = tagged(&hook);
    rota.advance(60);
    let spec = json!({ "name": "New", "url": "https://u@127.0.0.1:1/x", "eventTypes": ["rotation.created"] });
    let answer = rota.put_if(&hook.path(), &etag, spec.clone()).is(200);
    expected["name"] = json!("New");
    expected["url"] = json!("https://127.0.0.1:1/x");
    expected["eventTypes"] = json!(["rotation.created"]);
    expected["updatedAt"] = json!(rfc(&plus(MONDAY, 60)));
    assert_eq!(answer.json(), expected);
    assert_ne!(answer.etag(), etag);
    let now = tagged(&hook);
    assert_eq!(now, (expected, answer.etag()));
    // An unchanged replacement is no write.
    rota.advance(60);
    let again = rota.put_if(&hook.path(), &now.1, spec).is(200);
    assert_eq!((again.json(), again.etag()), now);
    assert_eq!(tagged(&hook), now);
}

#[test]
fn a_deleted_endpoint_is_gone() {
    let rota = Rota::with_people(1);
    let (hook, receiver) = rota.hook(ALL_EVENTS);
    let kept = rota.hook_at("https://127.0.0.1/", "");
    let (_, etag) = tagged(&hook);
    let answer = rota.caller().delete_if(&hook.path(), &etag).is(204);
    assert_eq!(answer.text(), "");
    rota.caller()
        .delete_if(&hook.path(), &etag)
        .refused(404, "");
    rota.caller().delete_if(&hook.path(), "*").refused(404, "");
    rota.get(&hook.path()).refused(404, "");
    rota.get(&format!("{}/deliveries", hook.path()))
        .refused(404, "");
    assert_eq!(rota.caller().all(HOOKS), [kept.read()]);
    rota.rotation("U1");
    rota.advance(0);
    assert_eq!(receiver.requests(), [Value::Null; 0]);
}

#[test]
fn disabling_and_enabling_are_done_once() {
    let rota = Rota::at(MONDAY);
    let hook = rota.hook_at("https://127.0.0.1/", "");
    let mut last = tagged(&hook);
    for (action, state, reason) in [
        ("enable", "enabled", None),
        ("disable", "disabled", Some("manual")),
        ("disable", "disabled", Some("manual")),
        ("enable", "enabled", None),
        ("enable", "enabled", None),
    ] {
        rota.advance(60);
        let changes = text(&last.0["state"]) != state;
        let path = format!("{}/{action}", hook.path());
        let request = rota.request("POST", &path).header("If-Match", &last.1);
        let answer = request.send().is(200);
        let now = (answer.json(), answer.etag());
        assert_eq!(text(&now.0["state"]), state);
        assert_eq!(now.0.get("disabledReason").and_then(Value::as_str), reason);
        assert_eq!(now.1 != last.1, changes, "{action}");
        if changes {
            assert_eq!(instant(&now.0["updatedAt"]), rota.now(), "{action}");
        } else {
            assert_eq!(now.0, last.0, "{action}");
        }
        assert_eq!(tagged(&hook), now);
        last = now;
    }
}

#[test]
fn on_free_endpoints_are_read_disabled_and_deleted() {
    let rota = Rota::with_people(1);
    rota.rotation("U1");
    let (hook, manual) = (rota.hook("").0, rota.hook("").0);
    let delivery = hook.test();
    rota.advance(0);
    manual.act("disable").is(200);
    let (was, manual_was) = (tagged(&hook), tagged(&manual));
    rota.plan("free");
    let now = tagged(&hook);
    assert_eq!(text(&now.0["disabledReason"]), "plan_downgrade");
    assert_ne!(now.1, was.1);
    assert_eq!(
        tagged(&manual),
        manual_was,
        "disabled already, for its own reason"
    );
    let paid = "payment_required";
    let post = |rest: &str| hook.act(rest).refused(402, paid);
    rota.post(HOOKS, wanted(json!({}))).refused(402, paid);
    replace(&hook, json!({})).refused(402, paid);
    let resend = format!("deliveries/{delivery}/resend");
    for rest in ["enable", "rotate", "test", resend.as_str()] {
        post(rest);
    }
    let dev = format!("/dev{}/test", hook.path().trim_start_matches("/v1"));
    rota.request("POST", &dev).send().refused(402, paid);
    assert_eq!(tagged(&hook), now);
    assert_eq!(rota.caller().all(HOOKS).len(), 2);
    hook.deliveries();
    hook.attempts(&delivery);
    // Disabling keeps the reason; so does switching back.
    let again = hook.act("disable").is(200);
    assert_eq!((again.json(), again.etag()), now);
    rota.plan("pro");
    assert_eq!(tagged(&hook), now);
    assert_eq!(hook.act("disable").is(200).json(), now.0);
    let enabled = hook.act("enable").is(200).json();
    assert_eq!(
        (text(&enabled["state"]), enabled.get("disabledReason")),
        ("enabled", None)
    );
    rota.plan("free");
    rota.caller().delete_if(&hook.path(), "*").is(204);
    let answer = manual.act("disable").is(200);
    assert_eq!(text(&answer.json()["disabledReason"]), "manual");
}

/// rules.md 13.2.
#[test]
fn a_server_started_on_free_has_disabled_them() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = || Start::default().db(&db);
    let rota = start().go();
    let id = rota.hook_at("https://127.0.0.1/", "").id;
    rota.stop();
    for plan in ["free", "pro"] {
        let rota = start().env("ROTA_PLAN_NAME", plan).go();
        let endpoint = rota.get(&format!("{HOOKS}/{id}")).is(200).json();
        assert_eq!(
            text(&endpoint["disabledReason"]),
            "plan_downgrade",
            "{plan}"
        );
        rota.stop();
    }
}

#[test]
fn endpoints_are_managed_with_one_scope() {
    let rota = Rota::with_people(2);
    let mine = rota.rotation("U1");
    let (hook, receiver) = rota.hook(ALL_EVENTS);
    let mut admin = directory(2);
    admin["users"][1]["isAdmin"] = json!(true);
    rota.import(&admin);
    let others = rota.key(EVERY_OTHER_SCOPE);
    let (member, admin) = (rota.token("U1"), rota.token("U2"));
    let selected = rota.mint(json!({
        "name": "selected", "scopes": ["manage:webhooks"], "rotationIds": [mine.id],
    }));
    let spec = json!({ "name": "n", "url": receiver.url(), "eventTypes": words(ALL_EVENTS) });
    for (method, path, status) in [
        ("POST", HOOKS.to_owned(), 201),
        ("GET", HOOKS.to_owned(), 200),
        ("GET", hook.path(), 200),
        ("PUT", hook.path(), 200),
        ("POST", hook.path() + "/test", 202),
        ("GET", hook.path() + "/deliveries", 200),
        ("POST", hook.path() + "/disable", 200),
        ("POST", hook.path() + "/enable", 200),
        ("POST", hook.path() + "/rotate", 200),
        ("DELETE", hook.path(), 204),
    ] {
        let send = |by: Caller| {
            let request = by.request(method, &path).header("If-Match", "*");
            let has_body = method == "PUT" || path == HOOKS && method == "POST";
            let request = if has_body {
                request.json(&spec)
            } else {
                request
            };
            request.send()
        };
        for credential in [&others, &member] {
            send(rota.with(credential)).refused(403, "scope_denied");
        }
        send(rota.anyone()).refused(401, "missing_credential");
        if method != "DELETE" {
            // An endpoint belongs to no rotation, so a key's selected rotations do not apply.
            send(rota.with(&selected)).is(status);
        }
    }
    // Workspace administrators manage endpoints with their own tokens.
    rota.with(&admin).get(HOOKS).is(200);
    rota.advance(0);
    receiver.forget();
    let other = rota.rotation("U2");
    rota.advance(0);
    let response: Vec<Value> = receiver.bodies();
    assert_eq!(response.len(), 2, "both endpoints");
    for body in response {
        assert_eq!(body["rotationId"], json!(other.id));
    }
    rota.with(&selected).delete_if(&hook.path(), "*").is(204);
}

/// Both routes of the test action: the API's, and the development route, which needs no credential.
fn test_by(rota: &Rota, hook: &Hook, dev: bool) -> Answer {
    let path = format!("{}/test", hook.path());
    match dev {
        false => rota.request("POST", &path).send(),
        true => {
            let path = path.replacen("/v1", "/dev", 1);
            rota.anyone().request("POST", &path).send()
        }
    }
}

#[test]
fn a_test_event_carries_what_changed_last() {
    let rota = Rota::with_people(2);
    let (hook, receiver) = rota.hook("");
    let (_, other) = rota.hook("rotation.deleted");
    let (first, second) = (rota.rotation("U1"), rota.daily("U2", 1));
    for (dev, act, expected) in [
        (false, json!(null), &second),
        (true, json!({ "name": "Renamed" }), &first),
        (false, json!({ "enabled": false }), &second),
        (true, json!({ "enabled": false }), &first),
    ] {
        if !act.is_null() {
            expected.patch(act.clone()).is(200);
        }
        receiver.forget();
        let queued = test_by(&rota, &hook, dev).is(202).json();
        rota.advance(0);
        let bodies = receiver.bodies();
        assert_eq!(bodies.len(), 1, "{act}");
        let version = bodies[0]["version"].as_u64().expect("a version");
        let sent = json!({
            "deliveryId": queued["deliveryId"], "eventType": "webhook.test", "teamId": TEAM,
            "rotationId": expected.id, "version": version, "timestamp": rfc(&rota.now()),
            "rotation": expected.read(), "self": format!("{}{}", rota.url, expected.path("")),
        });
        assert_eq!(bodies[0], sent, "{act}");
        for (member, value) in [("eventType", "webhook.test"), ("state", "pending")] {
            assert_eq!(queued[member], value, "{member}");
        }
        assert_eq!(queued["rotationId"], json!(expected.id));
        assert_eq!(instant(&queued["createdAt"]), rota.now());
        assert_eq!(int(&queued["attempts"]), 0);
        let newest = hook.newest();
        assert_eq!(
            (&newest["deliveryId"], text(&newest["state"])),
            (&queued["deliveryId"], "delivered")
        );
    }
    assert_eq!(other.requests(), [Value::Null; 0]);
}

#[test]
fn a_test_event_that_is_refused_sends_nothing() {
    let rota = Rota::with_people(1);
    let (hook, receiver) = rota.hook(ALL_EVENTS);
    let refused = |status: u16, code: &str| {
        for dev in [false, true] {
            test_by(&rota, &hook, dev).refused(status, code);
        }
    };
    refused(409, "no_rotation");
    hook.act("disable").is(200);
    refused(409, "webhook_endpoint_disabled");
    rota.plan("free");
    refused(402, "payment_required");
    rota.plan("pro");
    let rotation = rota.rotation("U1");
    refused(409, "webhook_endpoint_disabled");
    rota.caller().delete_if(&rotation.path(""), "*").is(204);
    hook.act("enable").is(200);
    refused(409, "no_rotation");
    rota.advance(0);
    assert_eq!(hook.deliveries(), [Value::Null; 0]);
    assert_eq!(receiver.requests(), [Value::Null; 0]);
}
