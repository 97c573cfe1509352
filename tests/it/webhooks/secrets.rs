//! Signing secrets: shown once, rotated with a grace period, and their signatures.

use super::endpoints::tagged;
use super::verify::reading;
use crate::support::*;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

#[track_caller]
fn rotated(hook: &Hook, body: Value) -> Value {
    let path = format!("{}/rotate", hook.path());
    hook.by.post_if(&path, "*", body).is(200).json()
}

/// The signature that a receiver expects of a request, computed separately.
fn signed(secret: &str, request: &Value) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    let timestamp = text(&request["headers"]["service-timestamp"]);
    mac.update(format!("{timestamp}.{}", text(&request["body"])).as_bytes());
    let digest = mac.finalize().into_bytes();
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("v1={digits}")
}

/// The secrets that signed the newest request, by index in the list.
#[track_caller]
fn signers(receiver: &Receiver, secrets: &[String]) -> Vec<usize> {
    let requests = receiver.requests();
    let request = requests.last().expect("a request");
    let header = text(&request["headers"]["service-signature"]);
    let who = |element: &str| {
        secrets
            .iter()
            .position(|secret| signed(secret, request) == element)
    };
    let who = |element: &str| who(element).unwrap_or_else(|| panic!("signed by nobody: {element}"));
    header.split(',').map(who).collect()
}

#[test]
fn the_secret_is_shown_once() {
    let rota = Rota::with_people(1);
    let (hook, receiver) = rota.hook(ALL_EVENTS);
    rota.rotation("U1");
    let delivery = hook.test();
    rota.advance(0);
    let path = hook.path();
    let mut response = Vec::new();
    for rest in [
        "",
        "/deliveries",
        &format!("/deliveries/{delivery}/attempts"),
    ] {
        response.push(rota.get(&format!("{path}{rest}")).is(200).text());
    }
    response.push(rota.get("/v1/webhooks").is(200).text());
    let spec = json!({ "name": "n", "url": receiver.url(), "eventTypes": [] });
    response.push(rota.put_if(&path, "*", spec).is(200).text());
    response.push(hook.act("disable").is(200).text());
    response.push(hook.act("enable").is(200).text());
    let rotated = hook.act("rotate").is(200).json();
    response.push(rotated["endpoint"].to_string());
    let new = text(&rotated["signingSecret"]);
    assert_ne!(new, hook.secret);
    response.push(rota.get(&path).is(200).text());
    response.push(json!(receiver.requests()).to_string());
    response.push(rota.process.log.text());
    for secret in [&hook.secret, new] {
        let secret = secret.strip_prefix("svc_whsec_").unwrap();
        for response in &response {
            assert!(!response.contains(secret), "{response}");
        }
    }
}

#[test]
fn a_rotated_secret_has_a_grace() {
    let rota = Rota::at(MONDAY);
    for (body, grace) in [
        (Value::Null, DAY),
        (json!({}), DAY),
        (json!({ "graceSeconds": 1 }), 1),
        (json!({ "graceSeconds": "90" }), 90),
        (json!({ "graceSeconds": WEEK }), WEEK),
        (json!({ "graceSeconds": 0 }), 0),
    ] {
        let hook = rota.hook_at("https://127.0.0.1/", "");
        let (before, etag) = tagged(&hook);
        rota.advance(60);
        let now = rota.now();
        let request = rota.request("POST", &format!("{}/rotate", hook.path()));
        let request = request.header("If-Match", &etag);
        let request = if body.is_null() {
            request
        } else {
            request.json(&body)
        };
        let answer = request.send().is(200);
        let rotated = answer.json();
        let endpoint = &rotated["endpoint"];
        assert_eq!(tagged(&hook), (endpoint.clone(), answer.etag()));
        assert_ne!(answer.etag(), etag);
        assert_ne!(text(&rotated["signingSecret"]), hook.secret);
        assert_ne!(endpoint["currentSecretId"], before["currentSecretId"]);
        assert_eq!(instant(&endpoint["currentSecretCreatedAt"]), now);
        assert_eq!(instant(&endpoint["updatedAt"]), now);
        let previous = ["previousSecretId", "previousSecretExpiresAt"];
        let absent = |endpoint: &Value| previous.map(|member| endpoint.get(member).is_none());
        if grace == 0 {
            assert_eq!(absent(endpoint), [true; 2], "{body}");
            rota.caller().delete_if(&hook.path(), "*").is(204);
            continue;
        }
        assert_eq!(endpoint["previousSecretId"], before["currentSecretId"]);
        assert_eq!(
            instant(&endpoint["previousSecretExpiresAt"]),
            plus(&now, grace),
            "{body}"
        );
        rota.advance(grace - 1);
        assert_eq!(tagged(&hook), (endpoint.clone(), answer.etag()), "{body}");
        rota.advance(1);
        let (after, etag) = tagged(&hook);
        assert_eq!(absent(&after), [true; 2], "{body}");
        assert_ne!(etag, answer.etag(), "{body}");
        let stale = rota.caller().delete_if(&hook.path(), &answer.etag());
        stale.refused(412, "precondition_failed");
        rota.caller().delete_if(&hook.path(), &etag).is(204);
    }
}

#[test]
fn a_grace_is_at_most_a_week() {
    let rota = Rota::at(MONDAY);
    let hook = rota.hook_at("https://127.0.0.1/", "");
    let before = tagged(&hook);
    let path = format!("{}/rotate", hook.path());
    for grace in [
        json!(-1),
        json!(WEEK + 1),
        json!("604801"),
        json!("soon"),
        json!("1 "),
        json!(1.5),
        json!(true),
        json!(99_999_999_999_i64),
    ] {
        let answer = rota
            .caller()
            .post_if(&path, "*", json!({ "graceSeconds": grace }));
        answer.names("graceSeconds");
    }
    assert_eq!(tagged(&hook), before);
}

#[test]
fn both_secrets_sign_during_the_grace() {
    let rota = Rota::with_people(1);
    rota.rotation("U1");
    let (hook, receiver) = rota.hook("");
    let mut secrets = vec![hook.secret.clone()];
    let mut turn = |grace: i64| {
        let body = json!({ "graceSeconds": grace });
        secrets.push(text(&rotated(&hook, body)["signingSecret"]).to_owned());
        secrets.clone()
    };
    let tested = |secrets: &[String]| {
        hook.test();
        rota.advance(0);
        signers(&receiver, secrets)
    };
    assert_eq!(tested(std::slice::from_ref(&hook.secret)), [0]);
    let two = turn(100);
    assert_eq!(tested(&two), [1, 0], "the current one first");
    rota.advance(99);
    assert_eq!(tested(&two), [1, 0]);
    rota.advance(1);
    assert_eq!(tested(&two), [1]);
    turn(100);
    assert_eq!(tested(&turn(100)), [3, 2], "a third drops the first");
    assert_eq!(tested(&turn(0)), [4], "no grace, at once");
    // A receiver with the tool agrees.
    let four = turn(100);
    assert_eq!(tested(&four), [5, 4]);
    let request = receiver.requests().pop().unwrap();
    let dir = TempDir::new();
    for (secret, code) in [(&four[5], 0), (&four[4], 0), (&four[3], 1)] {
        let header = |name: &str| format!("{name}: {}", text(&request["headers"][name]));
        let mut command = crate::support::rota(dir.path());
        command.args(["verify", "--secret", secret]);
        command.args(["service-timestamp", "service-signature"].map(header));
        let body = text(&request["body"]).as_bytes();
        let found = run(&mut reading(command, dir.path(), body));
        assert_eq!(found.0, code, "{found:?}");
    }
}
