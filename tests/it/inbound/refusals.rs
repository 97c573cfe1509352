//! The refusals of the inbound webhook, their order, and the rate limit on guessing.

use crate::support::*;
use serde_json::json;

const ACTIONS: [&str; 3] = [
    "rotate",
    "setonduty?email=u2@example.com",
    "mention?userId=U1&channelId=C1",
];

#[test]
fn without_the_key_nothing_is_done() {
    let rota = Rota::with_people(2);
    let (rotation, other) = (rota.daily("U1 U2", 1), rota.daily("U1 U2", 1));
    let (inbound, foreign) = (rotation.inbound(), other.inbound());
    let etag = rotation.etag();
    let (head, last) = inbound.key.split_at(inbound.key.len() - 1);
    let altered = format!("{head}{}", if last == "x" { "y" } else { "x" });
    for action in ACTIONS {
        let path = format!("{}/{action}", inbound.path);
        // Other credentials are not accepted, whatever they permit elsewhere.
        for by in [rota.anyone(), rota.caller(), rota.with(&rota.token("U1"))] {
            let answer = by.request("POST", &path).send().is(401);
            assert_eq!(answer.header("www-authenticate"), Some("webhook-key"));
            let problem = answer.refused(401, "missing_credential");
            assert!(
                text(&problem["detail"]).contains("webhook-key"),
                "{problem}"
            );
        }
        for key in [
            "",
            "x",
            &altered,
            head,
            &format!("{}x", inbound.key),
            &inbound.key.to_uppercase(),
            &format!("Bearer {}", inbound.key),
            &foreign.key,
            &rota.key,
            &"x".repeat(4000),
        ] {
            let answer = inbound.with_key(key).post(action).is(401);
            assert_eq!(
                answer.header("www-authenticate"),
                Some("webhook-key"),
                "{key}"
            );
            let problem = answer.refused(401, "invalid_access_code");
            assert!(!problem.to_string().contains(&inbound.key), "{problem}");
        }
    }
    assert_eq!(rotation.etag(), etag);
    assert!(rota.messages_to("C1").is_empty());
    // Header names are case-insensitive.
    let request = rota
        .anyone()
        .request("POST", &format!("{}/rotate", inbound.path));
    request.header("Webhook-Key", &inbound.key).send().is(200);
    assert_eq!(rotation.on_call(), "U2");
}

#[test]
fn a_key_sent_twice_is_refused() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let inbound = rotation.inbound();
    for other in [inbound.key.as_str(), "x", ""] {
        let request = inbound.request("POST", "rotate");
        request
            .header("WEBHOOK-KEY", other)
            .send()
            .names("webhook-key");
    }
    assert_eq!(rotation.on_call(), "U1");
}

#[test]
fn unknown_paths_and_actions_are_not_there() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let inbound = rotation.inbound();
    let id = inbound.path.strip_prefix("/webhook/").unwrap();
    for action in [
        "",
        "Rotate",
        "rotate/",
        "rotate/x",
        "setOnDuty",
        "onduty",
        "mention/x",
        "%72otate%20",
    ] {
        inbound.post(action).refused(404, "");
        // Also without a key: the path does not exist.
        let request = rota
            .anyone()
            .request("POST", &format!("{}/{action}", inbound.path));
        request.send().refused(404, "");
    }
    for path in [
        "/webhook".to_owned(),
        "/webhook/".to_owned(),
        "/webhook//rotate".to_owned(),
        "/webhook/rotate".to_owned(),
        format!("/webhook/{}/rotate", rotation.id),
        format!("/webhook/{id}x/rotate"),
        format!("/webhook/{}/rotate", &id[1..]),
        format!("/Webhook/{id}/rotate"),
        format!("/v1/webhook/{id}/rotate"),
        format!("/webhook/%ff{id}/rotate"),
        "/webhook/%25/rotate".to_owned(),
        inbound.path.clone(),
    ] {
        let request = rota.anyone().request("POST", &path);
        let request = request.header("webhook-key", &inbound.key);
        request.send().refused(404, "");
    }
    assert_eq!(rotation.on_call(), "U1");
    // The same path in another encoding.
    let first = format!("%{:02x}{}", id.as_bytes()[0], &id[1..]);
    let request = rota
        .anyone()
        .request("POST", &format!("/webhook/{first}/rotate"));
    request.header("webhook-key", &inbound.key).send().is(200);
    assert_eq!(rotation.on_call(), "U2");
}

#[test]
fn only_post_will_do() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let inbound = rotation.inbound();
    for action in ACTIONS {
        for method in ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            let answer = inbound.request(method, action).send();
            assert_eq!(answer.header("allow"), Some("POST"), "{method} {action}");
            answer.refused(405, "");
            // Without a key the same: the methods of the path are no secret.
            let wrong = inbound.with_key("x").request(method, action).send();
            wrong.refused(405, "");
        }
        let head = inbound.request("HEAD", action).send().is(405);
        assert_eq!(
            (head.header("allow"), head.text().as_str()),
            (Some("POST"), "")
        );
    }
    assert_eq!(rotation.on_call(), "U1");
    assert!(rota.messages_to("C1").is_empty());
}

#[test]
fn a_disabled_rotation_takes_none_of_them() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let inbound = rotation.inbound();
    rotation.patch(json!({ "enabled": false })).is(200);
    let etag = rotation.etag();
    for action in ACTIONS {
        inbound.post(action).refused(409, "rotation_disabled");
        // Authentication comes first, then errors in the request.
        inbound
            .with_key("x")
            .post(action)
            .refused(401, "invalid_access_code");
    }
    inbound.post("setonduty").names("email");
    inbound
        .post("setonduty?email=nobody@example.com")
        .names("email");
    inbound.post("mention?userId=U1").names("channelId");
    assert_eq!(rotation.etag(), etag);
    assert_eq!(rotation.holders(), "U1");
    // Its key can still be read and rotated.
    assert_eq!(rotation.inbound().key, inbound.key);
    rotation.patch(json!({ "enabled": true })).is(200);
    for action in ACTIONS {
        inbound.post(action).is(200);
    }
}

#[test]
fn a_body_that_is_too_large_is_refused_after_the_key() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let inbound = rotation.inbound();
    let huge = "x".repeat(1024 * 1024 + 1);
    let post = |by: &Inbound| by.request("POST", "rotate").body(huge.as_str()).send();
    post(&inbound).refused(413, "invalid_request");
    post(&inbound.with_key("x")).refused(401, "invalid_access_code");
    assert_eq!(rotation.on_call(), "U1");
}

#[test]
fn guessing_keys_slows_an_address_down() {
    let start = Start::default().env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 600);
    let rota = start.go();
    rota.people(2);
    let rotation = rota.daily("U1 U2", 1);
    let inbound = rotation.inbound();
    let path = format!("{}/rotate", inbound.path);
    // A missing key does not count as a failure.
    for _ in 0..15 {
        let answer = rota.anyone().request("POST", &path).send();
        answer.refused(401, "missing_credential");
    }
    let unknown = Inbound {
        path: "/webhook/unknown".to_owned(),
        ..inbound.clone()
    };
    // Guessed keys and paths count alike.
    let tried: Vec<u16> = (0..12)
        .map(|n| match n % 2 {
            0 => inbound.with_key(&format!("x{n}")).post("rotate").status(),
            _ => unknown.post("rotate").status(),
        })
        .collect();
    assert_eq!(tried[..9], [401, 404, 401, 404, 401, 404, 401, 404, 401]);
    assert_eq!(tried.last(), Some(&429), "{tried:?}");
    let slowed = inbound.with_key("x").post("rotate").is(429);
    let wait: u64 = slowed
        .header("retry-after")
        .expect("Retry-After")
        .parse()
        .unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    slowed.refused(429, "rate_limited");
    // It also counts for guessed API keys; a valid key passes.
    rota.with("svc_key_x_y")
        .get("/v1/users")
        .refused(429, "rate_limited");
    assert_eq!(rotation.on_call(), "U1");
    inbound.post("rotate").is(200);
}

#[test]
fn a_key_asks_for_so_much_at_a_time() {
    let start = Start::default()
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 1)
        .env("ROTA_RATE_LIMIT_BURST", 6);
    let rota = start.go();
    rota.people(2);
    let (rotation, other) = (rota.rotation("U1 U2"), rota.rotation("U1 U2"));
    let (first, second) = (rotation.inbound(), other.inbound());
    for _ in 0..6 {
        first.post("rotate").is(200);
    }
    let limited = first.post("rotate").is(429);
    assert!(limited.header("retry-after").is_some());
    limited.refused(429, "rate_limited");
    // Each inbound webhook is independent.
    second.post("rotate").is(200);
}
