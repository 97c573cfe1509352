//! The request as received, and in the log.

use super::*;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;
use std::collections::BTreeMap;

/// The signature header for these secrets, the current one first.
fn signature(secrets: &[&str], timestamp: &str, body: &str) -> String {
    let element = |secret: &&str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(format!("{timestamp}.{body}").as_bytes());
        let digest = mac.finalize().into_bytes();
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("v1={digits}")
    };
    secrets.iter().map(element).collect::<Vec<_>>().join(",")
}

fn logged_headers(attempt: &Value) -> Vec<(String, String)> {
    let headers = attempt["requestHeaders"].as_array().unwrap().iter();
    let pair = |h: &Value| (text(&h["name"]).to_owned(), text(&h["value"]).to_owned());
    headers.map(pair).collect()
}

#[test]
fn what_is_posted_is_signed_and_logged_to_the_byte() {
    let rota = Rota::with_people(3);
    let own = OwnReceiver::open();
    let url = format!("http://{}/a/b%20c?d=%C3%A9&e", own.authority());
    let hook = rota.hook_at(&url, "rotation.created");
    let mut body = new_rotation("U1 U2");
    body["name"] = json!("Vakt \u{e5}\u{1f4df} \"'</\\");
    rota.create(body);

    let arrival = own.arrival();
    assert_eq!(arrival.line, "POST /a/b%20c?d=%C3%A9&e HTTP/1.1");
    assert_eq!(arrival.header("Host"), own.authority());
    assert_eq!(arrival.header("Content-Type"), "application/json");
    let length = arrival.body.len().to_string();
    assert_eq!(arrival.header("Content-Length"), length);
    let timestamp = at(MONDAY).as_second().to_string();
    assert_eq!(arrival.header("Service-Timestamp"), timestamp);
    assert_eq!(
        arrival.header("Service-Signature"),
        signature(&[&hook.secret], &timestamp, &arrival.body)
    );
    assert!(hook.secret.starts_with("svc_whsec_"));
    let id = arrival.delivery();
    assert!(id.len() == 32 && id.bytes().all(|b| b"0123456789abcdef".contains(&b)));
    let (headers, posted) = (arrival.headers.clone(), arrival.body.clone());
    arrival.status(204);
    rota.advance(0);
    own.is_left_alone();

    let attempt = hook.newest_attempt(&id);
    assert_eq!(logged_headers(&attempt), headers);
    assert_eq!(attempt["requestBody"], posted);
    assert_eq!(attempt_line(&attempt), "1.1 delivered 204 -");
    let sent: Value = serde_json::from_str(&posted).unwrap();
    for member in ["deliveryId", "eventType", "rotationId"] {
        assert_eq!(attempt[member], sent[member], "{member}");
        assert_eq!(hook.newest()[member], sent[member], "{member}");
    }
    assert_eq!(instant(&attempt["at"]), MONDAY);
    assert!(int(&attempt["durationMs"]) >= 0);
}

/// rules.md 16.2.
#[test]
fn every_attempt_posts_the_same_bytes_under_a_fresh_timestamp() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    receiver.answers(json!({ "status": 500 }));
    let id = hook.test();
    rota.advance(HOUR);
    // Later changes of the rotation do not matter.
    let rotations = rota.caller().all("/v1/rotations");
    let rotation = text(&rotations[0]["id"]);
    let path = format!("/v1/rotations/{rotation}");
    let renamed = rota
        .caller()
        .patch_if(&path, "*", json!({ "name": "Other" }));
    renamed.is(200);
    rota.advance(3 * DAY);

    let (requests, attempts) = (receiver.requests(), hook.attempts(&id));
    assert_eq!((requests.len(), attempts.len()), (11, 11));
    for (request, attempt) in requests.iter().zip(&attempts) {
        assert_eq!(request["body"], requests[0]["body"]);
        assert_eq!(attempt["requestBody"], request["body"]);
        assert_eq!(attempt["at"], request["at"]);
        let lower = |(name, value): (String, String)| (name.to_lowercase(), value);
        let logged: BTreeMap<_, _> = logged_headers(attempt).into_iter().map(lower).collect();
        assert_eq!(json!(logged), request["headers"]);
        let timestamp = text(&request["headers"]["service-timestamp"]);
        assert_eq!(
            timestamp,
            at(text(&attempt["at"])).as_second().to_string(),
            "the clock's, at every attempt"
        );
        assert_eq!(
            text(&request["headers"]["service-signature"]),
            signature(&[&hook.secret], timestamp, text(&request["body"]))
        );
    }
    assert_eq!(ids(&receiver)[0], id);
}

#[test]
fn retries_go_where_the_endpoint_is_now_and_are_signed_with_its_secrets_now() {
    let rota = server();
    let (hook, first) = rota.hook("");
    let second = rota.receiver();
    first.answers(json!({ "status": 404 }));
    second.answers(json!({ "status": 404 }));
    hook.test();
    rota.advance(0);
    let moved = json!({ "name": "moved", "url": second.url(), "eventTypes": [] });
    rota.put_if(&hook.path(), "*", moved).is(200);
    let rotated = hook.act("rotate").is(200).json();
    let current = text(&rotated["signingSecret"]);
    rota.advance(10 * MINUTE);
    rota.advance(2 * DAY);

    assert_eq!(first.requests().len(), 1);
    let requests = second.requests();
    assert_eq!(requests.len(), 7);
    let mut alone = 0;
    for request in &requests {
        let timestamp = text(&request["headers"]["service-timestamp"]);
        let grace_is_over =
            at(text(&request["at"])) >= at(MONDAY) + jiff::SignedDuration::from_hours(24);
        let secrets: &[&str] = match grace_is_over {
            true => &[current],
            false => &[current, &hook.secret],
        };
        alone += usize::from(grace_is_over);
        assert_eq!(request["body"], first.requests()[0]["body"]);
        assert_eq!(
            text(&request["headers"]["service-signature"]),
            signature(secrets, timestamp, text(&request["body"])),
            "{timestamp}"
        );
    }
    assert_eq!(alone, 1);
}
