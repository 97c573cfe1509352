//! Keys and member tokens: refusals, scopes by route, selectors, rights of people, rate limits.

use crate::support::*;
use serde_json::{Value, json};

const SCOPES: [&str; 8] = [
    "read:rotations",
    "write:rotations",
    "read:oncall",
    "write:duty",
    "read:directory",
    "manage:webhooks",
    "read:contacts",
    "manage:directory",
];

#[test]
fn a_credential_that_is_refused_says_why() {
    let rota = Rota::with_people(2);
    let disabled =
        rota.mint(json!({ "name": "off", "scopes": ["read:rotations"], "disabled": true }));
    let (head, last) = rota.key.split_at(rota.key.len() - 1);
    let altered = format!("{head}{}", if last == "x" { "y" } else { "x" });
    for path in [
        "/v1/rotations",
        "/v1/rotations/rot_unknown/on-call",
        "/v1/users",
        "/v1/keys/self",
    ] {
        rota.anyone().get(path).refused(401, "missing_credential");
        for credential in [
            &altered,
            "svc_key_1_2",
            "svc_mbr_1_2",
            "nonsense",
            &"x".repeat(4000),
        ] {
            rota.with(credential).get(path).refused(401, "unknown");
        }
        rota.with(&disabled).get(path).refused(401, "disabled");
    }
    let other_scheme = rota
        .anyone()
        .request("GET", "/v1/rotations")
        .header("Authorization", "Basic eDp5");
    other_scheme.send().is(401);
    for open in ["/v1/openapi.json", "/healthz"] {
        rota.anyone().get(open).is(200);
    }
}

/// rules.md 12.1.
#[test]
fn every_route_has_its_scope() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let absence = rotation.away("U2", "2026-02-01T00:00Z", "2026-02-02T00:00Z");
    let range = "from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z";
    let away =
        json!({ "userId": "U1", "from": "2026-03-01T00:00:00Z", "until": "2026-03-02T00:00:00Z" });
    let rows: Vec<(&str, String, Value, &str)> = vec![
        ("GET", "/v1/rotations".into(), Value::Null, "read:rotations"),
        ("GET", rotation.path(""), Value::Null, "read:rotations"),
        (
            "GET",
            rotation.path(&format!("/schedule?{range}")),
            Value::Null,
            "read:rotations",
        ),
        (
            "GET",
            rotation.path(&format!("/history?{range}")),
            Value::Null,
            "read:rotations",
        ),
        (
            "GET",
            rotation.path("/availability"),
            Value::Null,
            "read:rotations",
        ),
        ("GET", rotation.path("/on-call"), Value::Null, "read:oncall"),
        ("GET", "/v1/users".into(), Value::Null, "read:directory"),
        ("GET", "/v1/users/U1".into(), Value::Null, "read:directory"),
        ("GET", "/v1/groups".into(), Value::Null, "read:directory"),
        ("GET", "/v1/channels".into(), Value::Null, "read:directory"),
        (
            "GET",
            "/v1/channels/C1".into(),
            Value::Null,
            "read:directory",
        ),
        (
            "POST",
            "/v1/rotations".into(),
            new_rotation("U1"),
            "write:rotations",
        ),
        (
            "PATCH",
            rotation.path(""),
            json!({ "name": "N" }),
            "write:rotations",
        ),
        (
            "PUT",
            rotation.path("/channels/C1"),
            json!({}),
            "write:rotations",
        ),
        (
            "PUT",
            rotation.path("/coverage"),
            rotation.grid(1, &[always(daily())]),
            "write:rotations",
        ),
        (
            "PUT",
            rotation.path("/rosters/none"),
            json!({ "userIds": ["U1"] }),
            "write:rotations",
        ),
        (
            "PUT",
            rotation.path("/on-call"),
            json!({ "userIds": ["U2"] }),
            "write:duty",
        ),
        ("POST", rotation.path("/rotate"), Value::Null, "write:duty"),
        (
            "DELETE",
            rotation.path("/on-call"),
            Value::Null,
            "write:duty",
        ),
        ("POST", rotation.path("/availability"), away, "write:duty"),
        (
            "DELETE",
            rotation.path(&format!("/availability/{absence}")),
            Value::Null,
            "write:duty",
        ),
        ("DELETE", rotation.path(""), Value::Null, "write:rotations"),
    ];
    for (method, path, body, scope) in rows {
        let others: Vec<&str> = SCOPES.into_iter().filter(|s| *s != scope).collect();
        let send = |key: &str| {
            let request = rota
                .with(key)
                .request(method, &path)
                .header("If-Match", "*");
            let request = request.header("Idempotency-Key", &unique("scope"));
            if body.is_null() {
                request.send()
            } else {
                request.json(&body).send()
            }
        };
        send(&rota.key(&others.join(" "))).refused(403, "scope_denied");
        let answer = send(&rota.key(scope));
        assert!(
            ![401, 403, 405].contains(&answer.status()),
            "{method} {path}: {}",
            answer.text()
        );
    }
}

#[test]
fn a_key_shows_itself() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let key = rota.mint(json!({
        "name": "Pager", "scopes": ["read:oncall", "write:duty"], "rotationIds": [rotation.id],
    }));
    assert!(key.starts_with("svc_key_"), "{key}");
    let shown = rota.with(&key).get("/v1/keys/self").is(200).json();
    assert_eq!(
        (text(&shown["name"]), text(&shown["teamId"])),
        ("Pager", TEAM)
    );
    assert!(text(&shown["id"]).starts_with("key_"));
    let mut scopes: Vec<_> = shown["scopes"]
        .as_array()
        .unwrap()
        .iter()
        .map(text)
        .collect();
    scopes.sort_unstable();
    assert_eq!(scopes, ["read:oncall", "write:duty"]);
    assert_eq!(shown["selector"], json!({ "rotationIds": [rotation.id] }));
    assert_eq!(instant(&shown["createdAt"]), MONDAY);
    assert!(!shown.to_string().contains(&key));
    assert_eq!(
        rota.get("/v1/keys/self").is(200).json()["selector"],
        Value::Null
    );
    rota.with(&rota.token("U1"))
        .get("/v1/keys/self")
        .refused(403, "scope_denied");
}

/// rules.md 12.1.
#[test]
fn a_selected_key_reaches_its_rotations_alone() {
    let rota = Rota::with_people(2);
    let (mine, other) = (rota.rotation("U1 U2"), rota.rotation("U1 U2"));
    let key = rota.mint(json!({ "name": "k", "scopes": SCOPES, "rotationIds": [mine.id] }));
    let list = rota.with(&key).get("/v1/rotations").is(200).json();
    assert_eq!(
        (int(&list["totalItems"]), text(&list["data"][0]["id"])),
        (1, mine.id.as_str())
    );
    mine.with(&key).get("").is(200);
    mine.with(&key).patch(json!({ "name": "Mine" })).is(200);
    for rest in ["", "/on-call", "/availability"] {
        other.with(&key).get(rest).refused(403, "resource_denied");
    }
    other
        .with(&key)
        .patch(json!({ "name": "Other" }))
        .refused(403, "resource_denied");
    other
        .with(&key)
        .put_on_call("U1")
        .refused(403, "resource_denied");
    rota.with(&key)
        .get("/v1/rotations/rot_unknown")
        .refused(404, "");
    rota.with(&key)
        .try_create("k", new_rotation("U1"))
        .refused(403, "resource_denied");
    let mut away =
        json!({ "userId": "U1", "from": "2026-03-01T00:00:00Z", "until": "2026-03-02T00:00:00Z" });
    rota.with(&key)
        .post(&mine.path("/availability"), away.clone())
        .is(201);
    away["appliesTo"] = json!("allRotations");
    rota.with(&key)
        .post(&mine.path("/availability"), away)
        .refused(403, "resource_denied");
    rota.with(&key).get("/v1/users").is(200);
}

/// rules.md 12.2.
#[test]
fn a_member_sees_what_is_public_or_theirs() {
    let rota = Rota::at(MONDAY);
    let mut people = directory(5);
    people["users"][4]["isAdmin"] = json!(true);
    rota.import(&people);
    let make = |owner: &str, members: &str, public: bool| {
        rota.create(
            json!({ "name": "R", "owners": [owner], "userIds": words(members), "public": public }),
        )
    };
    let rows = [
        (make("U1", "U2", false), "U1 U2 U5", "U1 U5"),
        (make("U1", "U2", true), "U1 U2 U3 U4 U5", "U1 U5"),
        (make("U3", "U3 U4", false), "U3 U4 U5", "U3 U5"),
    ];
    for user in ["U1", "U2", "U3", "U4", "U5"] {
        let token = rota.token(user);
        assert!(token.starts_with("svc_mbr_"), "{token}");
        let mut visible = 0;
        for (row, (rotation, readers, editors)) in rows.iter().enumerate() {
            let theirs = rotation.with(&token);
            let (reads, edits) = (readers.contains(user), editors.contains(user));
            visible += i64::from(reads);
            let patched = theirs.patch(json!({ "description": unique(user) }));
            let rotated = theirs.by.post_if(&theirs.path("/rotate"), "*", json!({}));
            for rest in ["", "/on-call", "/availability"] {
                let status = theirs.get(rest).status();
                assert_eq!(
                    status,
                    if reads { 200 } else { 404 },
                    "{user} reads row {row}{rest}"
                );
            }
            for answer in [patched, rotated] {
                match (reads, edits) {
                    (_, true) => drop(answer.is(200)),
                    (true, false) => drop(answer.refused(403, "resource_denied")),
                    (false, false) => drop(answer.refused(404, "")),
                }
            }
        }
        let list = rota.with(&token).get("/v1/rotations").is(200).json();
        assert_eq!(int(&list["totalItems"]), visible, "{user}");
        rota.with(&token).get("/v1/users").is(200);
    }
}

#[test]
fn a_member_marks_themselves_away() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3");
    let away = |as_user: &str, user: &str| {
        let body = json!({ "userId": user, "from": "2026-03-01T00:00:00Z", "until": "2026-03-02T00:00:00Z" });
        rota.with(&rota.token(as_user))
            .post(&rotation.path("/availability"), body)
    };
    let absence = text(&away("U2", "U2").is(201).json()["id"]).to_owned();
    away("U2", "U3").refused(403, "resource_denied");
    away("U1", "U3").is(201);
    away("U4", "U2").refused(404, "");
    let path = rotation.path(&format!("/availability/{absence}"));
    rota.with(&rota.token("U3"))
        .delete(&path)
        .refused(403, "resource_denied");
    rota.with(&rota.token("U2")).delete(&path).is(204);
}

#[test]
fn a_deactivated_person_has_a_disabled_token() {
    let rota = Rota::with_people(3);
    let token = rota.token("U3");
    rota.with(&token).get("/v1/rotations").is(200);
    let mut people = directory(3);
    people["users"][2]["isDeleted"] = json!(true);
    rota.import(&people);
    rota.with(&token)
        .get("/v1/rotations")
        .refused(401, "disabled");
    rota.people(2);
    rota.with(&token)
        .get("/v1/rotations")
        .refused(401, "disabled");
}

#[test]
fn rates_are_limited_by_credential() {
    let start = Start::default()
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 1)
        .env("ROTA_RATE_LIMIT_BURST", 3);
    let rota = start.go();
    let (first, second) = (rota.key("read:rotations"), rota.key("read:rotations"));
    let list = |key: &str| rota.with(key).get("/v1/rotations");
    for _ in 0..3 {
        list(&first).is(200);
    }
    let limited = list(&first);
    let wait: u64 = limited
        .header("retry-after")
        .expect("Retry-After")
        .parse()
        .expect("whole seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    limited.refused(429, "rate_limited");
    list(&second).is(200);
    rota.anyone().get("/healthz").is(200);
}

#[test]
fn failed_credentials_slow_their_address_down() {
    let start = Start::default().env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 600);
    let rota = start.go();
    for _ in 0..15 {
        rota.anyone()
            .get("/v1/rotations")
            .refused(401, "missing_credential");
    }
    let tried: Vec<u16> = (0..12)
        .map(|n| {
            rota.with(&format!("svc_key_x_{n}"))
                .get("/v1/users")
                .status()
        })
        .collect();
    assert!(tried[..9].iter().all(|status| *status == 401), "{tried:?}");
    assert_eq!(tried.last(), Some(&429), "{tried:?}");
    let slowed = rota.with("svc_key_x_y").get("/v1/users");
    assert!(slowed.header("retry-after").is_some());
    slowed.refused(429, "rate_limited");
}
