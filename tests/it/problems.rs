//! Refusals: their order, their shape, and what a request must look like.

use crate::support::*;
use serde_json::{Value, json};

const MIB: usize = 1024 * 1024;

/// A body of exactly so many bytes that renames a rotation; unknown members are ignored.
fn padded(size: usize) -> String {
    let body = json!({ "name": "Padded", "padding": "" }).to_string();
    body.replace(
        "\"padding\":\"\"",
        &format!("\"padding\":\"{}\"", "x".repeat(size - body.len())),
    )
}

#[test]
fn the_first_thing_wrong_is_the_one_answered() {
    let rota = Rota::with_people(3);
    let (mine, other) = (rota.rotation("U1 U2"), rota.rotation("U2 U3"));
    mine.patch(json!({ "code": "TAKEN" })).is(200);
    rota.plan("free");
    let reader = rota.key("read:rotations");
    let writer = rota.key("write:rotations");
    let selected = rota.mint(json!({
        "name": "selected", "scopes": ["write:rotations"], "rotationIds": [mine.id],
    }));
    let unknown = "/v1/rotations/rot_unknown".to_owned();
    let (json_type, text_type) = (Some(PATCH_JSON), Some("text/plain"));
    let huge = "x".repeat(MIB + 1);
    let (malformed, misshapen) = ("{", r#"{"name":7}"#);
    let meaningless = r#"{"owners":["U9"]}"#;
    let good = r#"{"name":"N"}"#;
    let stale = Some("\"stale\"");
    // Each row mends what the row before was refused for.
    for (row, (key, kind, etag, path, body, status, code)) in [
        (
            None,
            text_type,
            None,
            &unknown,
            huge.as_str(),
            401,
            "missing_credential",
        ),
        (
            Some("svc_key_x_y"),
            text_type,
            None,
            &unknown,
            huge.as_str(),
            401,
            "unknown",
        ),
        (
            Some(reader.as_str()),
            text_type,
            None,
            &unknown,
            huge.as_str(),
            403,
            "scope_denied",
        ),
        (
            Some(writer.as_str()),
            text_type,
            None,
            &unknown,
            malformed,
            415,
            "invalid_request",
        ),
        (
            Some(&writer),
            json_type,
            None,
            &unknown,
            huge.as_str(),
            413,
            "invalid_request",
        ),
        (
            Some(&writer),
            json_type,
            None,
            &unknown,
            malformed,
            428,
            "precondition_required",
        ),
        (
            Some(&writer),
            json_type,
            stale,
            &unknown,
            malformed,
            400,
            "invalid_request",
        ),
        (
            Some(&writer),
            json_type,
            stale,
            &unknown,
            misshapen,
            400,
            "invalid_request",
        ),
        (
            Some(&selected),
            json_type,
            stale,
            &unknown,
            meaningless,
            404,
            "",
        ),
        (
            Some(&selected),
            json_type,
            stale,
            &other.path(""),
            meaningless,
            403,
            "resource_denied",
        ),
        (
            Some(&selected),
            json_type,
            stale,
            &mine.path(""),
            meaningless,
            412,
            "precondition_failed",
        ),
        (
            Some(&selected),
            json_type,
            Some("*"),
            &mine.path(""),
            meaningless,
            400,
            "invalid_request",
        ),
        (
            Some(&writer),
            json_type,
            Some("*"),
            &other.path(""),
            r#"{"code":"taken"}"#,
            409,
            "rotation_code_taken",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let caller = Caller {
            rota: &rota,
            credential: key.map(str::to_owned),
        };
        let answer = caller
            .request("PATCH", path)
            .maybe("Content-Type", kind.map(str::to_owned))
            .maybe("If-Match", etag.map(str::to_owned))
            .body(body)
            .send();
        assert_eq!(answer.status(), status, "row {row}: {}", answer.text());
        answer.refused(status, code);
    }
    let last = rota
        .with(&writer)
        .request("PATCH", &mine.path(""))
        .header("Content-Type", PLAIN_JSON);
    last.header("If-Match", "*").body(good).send().is(200);
    // Meaning before plan, plan before conflict.
    let create = |change: Value| {
        let mut body = new_rotation("U1");
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        rota.try_create(body)
    };
    create(json!({ "lanes": 2, "code": "taken", "owners": ["U9"] })).names("owners");
    create(json!({ "lanes": 2, "code": "taken" })).refused(402, "payment_required");
    create(json!({ "code": "taken" })).refused(409, "rotation_code_taken");
}

#[test]
fn a_body_is_json_of_a_named_type_and_a_bounded_size() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let send = |kind: Option<&str>, body: &str| {
        let request = rota
            .request("PATCH", &rotation.path(""))
            .header("If-Match", "*");
        request
            .maybe("Content-Type", kind.map(str::to_owned))
            .body(body)
            .send()
    };
    let good = r#"{"name":"N"}"#;
    for kind in [
        PATCH_JSON,
        PLAIN_JSON,
        "application/json; charset=utf-8",
        "application/json-patch+json;charset=UTF-8",
        "Application/JSON",
    ] {
        send(Some(kind), good).is(200);
    }
    for kind in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("application/jsonx"),
        Some(""),
    ] {
        send(kind, good).refused(415, "invalid_request");
    }
    send(Some(PLAIN_JSON), &padded(MIB)).is(200);
    send(Some(PLAIN_JSON), &padded(MIB + 1)).refused(413, "invalid_request");
    for body in [
        "",
        " ",
        "{",
        "nul",
        "[]",
        "7",
        "\"text\"",
        "{\"name\":\"N\"} x",
        "{'name':'N'}",
        "{\"name\":\"\u{1}\"}",
    ] {
        send(Some(PLAIN_JSON), body).refused(400, "invalid_request");
    }
    let not_utf8 = rota
        .request("PATCH", &rotation.path(""))
        .header("If-Match", "*");
    let not_utf8 = not_utf8
        .header("Content-Type", PLAIN_JSON)
        .body(b"{\"name\":\"\xff\"}".to_vec());
    not_utf8.send().refused(400, "invalid_request");
    assert_eq!(text(&rotation.read()["name"]), "Padded");
}

#[test]
fn small_integers_are_numbers_or_strings_of_digits() {
    let rota = Rota::with_people(1);
    let create = |lanes: Value| {
        let mut body = new_rotation("U1");
        body["lanes"] = lanes;
        rota.try_create(body)
    };
    for lanes in [json!(2), json!("2")] {
        assert_eq!(int(&create(lanes).is(201).json()["runningLanes"]), 2);
    }
    for lanes in [
        json!("two"),
        json!("2 "),
        json!("0x2"),
        json!("2.0"),
        json!("+2"),
        json!(2.5),
        json!(true),
        json!([2]),
    ] {
        create(lanes).names("lanes");
    }
    for lanes in [
        json!("99999999999999999999"),
        json!(99999999999_i64),
        json!("-2"),
    ] {
        create(lanes).names("lanes");
    }
    let rotation = rota.rotation("U1");
    let fortnight = cadence(
        "dayOfWeek",
        "UTC",
        "2026-01-06T09:00",
        json!({ "period": "2" }),
    );
    rotation.cover(1, &[always(fortnight)]);
    assert_eq!(
        rotation.next_events()[..2],
        ["2026-01-06T09:00Z", "2026-01-20T09:00Z"]
    );
}

#[test]
fn writes_need_a_precondition() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["cells"][0]["rosterId"] = json!("day");
    rotation.put("/coverage", grid.clone()).is(200);
    for (method, rest, body) in [
        ("PATCH", "", json!({ "name": "N" })),
        ("DELETE", "", Value::Null),
        ("PUT", "/coverage", grid),
        ("PUT", "/channels/C1", json!({})),
        ("PUT", "/on-call", json!({ "userIds": ["U1"] })),
        ("DELETE", "/on-call", Value::Null),
        ("POST", "/rotate", Value::Null),
        ("PUT", "/rosters/day", json!({ "userIds": ["U1"] })),
    ] {
        let request = || {
            let request = rota.request(method, &rotation.path(rest));
            if body.is_null() {
                request
            } else {
                request.json(&body)
            }
        };
        request().send().refused(428, "precondition_required");
        request()
            .header("If-Match", "\"stale\"")
            .send()
            .refused(412, "precondition_failed");
    }
}

#[test]
fn headers_that_may_be_there_once() {
    let rota = Rota::with_people(1);
    let create = |keys: &[&str]| {
        let mut request = rota
            .request("POST", "/v1/rotations")
            .json(&new_rotation("U1"));
        for key in keys {
            request = request.header("Idempotency-Key", key);
        }
        request.send()
    };
    create(&["a", "b"]).names("Idempotency-Key");
    create(&["a", "a"]).names("Idempotency-Key");
    create(&["a"]).is(201);
    let bearer = format!("Bearer {}", rota.key);
    for other in [bearer.as_str(), "Bearer svc_key_x_y", "Basic eDp5", ""] {
        let request = rota.request("GET", "/v1/rotations");
        let request = request.header("authorization", other);
        request.send().names("Authorization");
    }
}

#[test]
fn operations_without_a_body_look_at_none() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let huge = "x".repeat(MIB + 1);
    for (method, path) in [
        ("GET", rotation.path("")),
        ("DELETE", rotation.path("")),
        ("GET", "/v1/keys/self".to_owned()),
    ] {
        let request = || rota.request(method, &path).header("If-Match", "*");
        request()
            .body(huge.as_str())
            .send()
            .refused(413, "invalid_request");
        request().body("{").send().ok();
    }
}

#[test]
fn unknown_routes_and_wrong_methods() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    for path in [
        "/v1",
        "/v1/nothing",
        "/v2/rotations",
        "/v1/rotations/",
        "/v1/rotations//on-call",
        "/V1/rotations",
    ] {
        rota.get(path).refused(404, "");
    }
    rota.get(&rotation.path("/nothing")).refused(404, "");
    for (method, path, allowed) in [
        ("DELETE", "/v1/rotations".to_owned(), "GET POST"),
        ("POST", rotation.path(""), "GET PATCH DELETE"),
        ("PUT", rotation.path("/rotate"), "POST"),
        ("PATCH", rotation.path("/on-call"), "GET PUT DELETE"),
        ("POST", rotation.path("/history"), "GET"),
        ("GET", rotation.path("/coverage"), "PUT"),
        ("PUT", "/v1/users".to_owned(), "GET"),
        ("DELETE", "/v1/keys/self".to_owned(), "GET"),
        ("POST", "/v1/openapi.json".to_owned(), "GET"),
    ] {
        let answer = rota.request(method, &path).send();
        let allow = answer.header("allow").unwrap_or_default().replace(',', " ");
        for each in words(allowed) {
            assert!(
                words(&allow).contains(&each),
                "{method} {path}: Allow is {allow:?}"
            );
        }
        assert!(
            !words(&allow).contains(&method.to_owned()),
            "{method} {path}: Allow is {allow:?}"
        );
        answer.refused(405, "");
    }
}

#[test]
fn times_in_queries_are_checked_and_take_any_offset() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let day = |day: u32| format!("2026-01-{day:02}T00:00:00Z");
    for (query, member) in [
        (String::new(), "from"),
        (format!("from={}", day(1)), "to"),
        (format!("to={}", day(1)), "from"),
        (format!("from=yesterday&to={}", day(2)), "from"),
        (format!("from={}&to=2026-01-02", day(1)), "to"),
    ] {
        for route in ["history", "schedule"] {
            rotation.get(&format!("/{route}?{query}")).names(member);
        }
    }
    for route in ["history", "schedule"] {
        let utc = format!("/{route}?from=2026-01-05T08:00:00Z&to=2026-01-06T08:00:00Z");
        let offset =
            format!("/{route}?from=2026-01-05T09:00:00%2B01:00&to=2026-01-06T03:00:00-05:00");
        assert_eq!(
            rotation.get(&utc).is(200).json(),
            rotation.get(&offset).is(200).json()
        );
    }
}

#[test]
fn nothing_of_the_inside_is_told() {
    let rota = Rota::with_people(1);
    let problem = rota.get("/v1/rotations/rot_unknown").refused(404, "");
    let told = problem.to_string().to_lowercase();
    for word in ["sqlite", "src/", "panicked", "rusqlite"] {
        assert!(!told.contains(word), "{told}");
    }
}

/// What webhook endpoints are refused with; leaves as many endpoints behind as there may be.
fn webhook_refusals(rota: &Rota) -> Vec<Value> {
    let by = rota.with(&rota.key("manage:webhooks"));
    let loopback = "https://127.0.0.1/";
    let unknown = format!("https://{}.invalid/", "x".repeat(64));
    let post = |url: &str, events: &[&str]| {
        let body = json!({ "name": "test", "url": url, "eventTypes": events });
        by.post("/v1/webhooks", body)
    };
    let made = post(loopback, &[]).is(201).json();
    let path = format!("/v1/webhooks/{}", text(&made["endpoint"]["id"]));
    let act = |action: &str| {
        let request = by.request("POST", &format!("{path}/{action}"));
        request.header("If-Match", "*").send()
    };
    let mut refusals = vec![act("test").refused(409, "no_rotation")];
    act("disable").is(200);
    refusals.push(act("test").refused(409, "webhook_endpoint_disabled"));
    for (url, events, code) in [
        ("https://", &[][..], "webhook_url_malformed"),
        ("ftp://127.0.0.1/", &[], "webhook_url_scheme_not_allowed"),
        (unknown.as_str(), &[], "webhook_url_host_not_resolvable"),
        ("https://10.0.0.1/", &[], "webhook_url_private_address"),
        (loopback, &["duty.ended"], "webhook_event_type_unknown"),
        (
            loopback,
            &["webhook.test"],
            "webhook_event_type_not_subscribable",
        ),
    ] {
        refusals.push(post(url, events).refused(400, code));
    }
    for _ in 1..10 {
        post(loopback, &[]).is(201);
    }
    refusals.push(post(loopback, &[]).refused(409, "webhook_endpoint_limit"));
    refusals
}

/// What arrangements, cover and swap requests are refused with.
fn agreement_refusals(rota: &Rota) -> Vec<Value> {
    let rotation = rota.daily("U1 U2 U3", 1);
    let cell = rotation.read()["cells"][0]["id"].clone();
    let people = ["U1", "U2", "U3"].map(|user| rotation.with(&rota.token(user)));
    let [one, two, three] = &people;
    let post = |by: &Rot, route: &str, body: Value| by.by.post_if(&by.path(route), "*", body);
    let on = |day: u8, more: Value| {
        let mut body = json!({
            "operationId": unique("op"), "cellId": cell, "expectedRevision": 1,
            "from": format!("2026-01-{day:02}T09:00:00Z"), "to": format!("2026-01-{:02}T09:00:00Z", day + 1),
        });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let step = || json!({ "operationId": unique("op"), "expectedRevision": 1 });
    let id = |answer: Answer| text(&answer.is(200).json()["request"]["request"]["id"]).to_owned();
    let assign = |day: u8, user: &str| on(day, json!({ "userId": user }));
    let (first, same) = (assign(20, "U1"), "/duty-arrangements");
    post(&rotation, same, first.clone()).is(200);
    let mut reused = first.clone();
    reused["userId"] = json!("U2");
    rotation.away("U3", "2026-01-22T10:00:00Z", "2026-01-22T11:00:00Z");
    let ask = |day: u8| on(day, json!({ "recipientUserIds": ["U1", "U3"] }));
    let cover = id(post(two, "/cover-requests", ask(6)));
    let accept = format!("/cover-requests/{cover}/accept");
    post(three, &accept, step()).is(200);
    let made = two.get(&format!("/cover-requests/{cover}")).is(200).json();
    let arrangement = text(&made["request"]["arrangementId"]).to_owned();
    let other = id(post(
        three,
        "/cover-requests",
        on(7, json!({ "recipientUserIds": ["U1"] })),
    ));
    let mut old = step();
    old["expectedRevision"] = json!(7);
    let leg =
        |key: &str, day: u8, holder: &str| on(day, json!({ "key": key, "holderUserId": holder }));
    let swap = json!({
        "operationId": unique("op"), "recipientUserId": "U2",
        "legs": [leg("a", 8, "U1"), leg("b", 9, "U2")],
    });
    let swap = id(post(one, "/swap-requests", swap));
    let range = "from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&cursor=x";
    let mut refusals = vec![
        post(&rotation, same, reused).refused(409, "operationIdReused"),
        post(&rotation, same, assign(20, "U2")).refused(409, "conflictBlocks"),
        post(&rotation, same, assign(22, "U3")).refused(409, "conflictsNotAcknowledged"),
        post(two, "/cover-requests", ask(7)).refused(409, "notYourDuty"),
        post(one, &accept, step()).refused(409, "coverAlreadyAccepted"),
        post(two, &format!("/cover-requests/{cover}/cancel"), step())
            .refused(409, "requestNotPending"),
        post(one, &format!("/cover-requests/{other}/accept"), old.clone())
            .refused(409, "requestChanged"),
        post(&rotation, &format!("{same}/{arrangement}/end"), step())
            .refused(409, "repairNotSupported"),
        rotation
            .get(&format!("/cover-requests?{range}"))
            .refused(422, "invalidCoverCursor"),
    ];
    let listed =
        rotation.get("/duty-arrangements?from=2026-01-20T00:00:00Z&to=2026-01-21T00:00:00Z");
    let direct = text(&listed.is(200).json()["data"][0]["id"]).to_owned();
    refusals.push(
        post(&rotation, &format!("{same}/{direct}/end"), old).refused(409, "arrangementChanged"),
    );
    rota.to("2026-01-08T12:00:00Z");
    let accept = format!("/swap-requests/{swap}/accept");
    refusals.push(post(two, &accept, step()).refused(409, "startedLegNotAcknowledged"));
    refusals
}

/// Every code that rotations, duty, agreements, the directory and webhook endpoints refuse with; `storage_unavailable` needs a full
/// disk and is met in `durability`.
#[test]
fn every_code_is_met() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = Start::default().db(&db);
    let start = start.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 60);
    let rota = start.env("ROTA_RATE_LIMIT_BURST", 40).go();
    rota.people(3);
    let of_webhooks = webhook_refusals(&rota);
    let (mine, other) = (rota.rotation("U1 U2"), rota.rotation("U1 U2"));
    mine.patch(json!({ "code": "TAKEN" })).is(200);
    let all = "read:rotations write:rotations read:oncall write:duty";
    let off = rota.mint(json!({ "name": "off", "scopes": ["read:rotations"], "disabled": true }));
    let old = rota.key("read:rotations");
    let id = text(&rota.with(&old).get("/v1/keys/self").is(200).json()["id"]).to_owned();
    crate::cli::succeeds(&db, &format!("key rotate {id} --grace 1s"));
    rota.advance(2);
    let selected =
        rota.mint(json!({ "name": "one", "scopes": ["read:rotations"], "rotationIds": [mine.id] }));
    let by = rota.with(&rota.key(all));
    let (hasty, reader) = (rota.key("read:rotations"), rota.key("read:rotations"));
    let ours = mine.with(by.credential.as_deref().unwrap());
    let list = |key: &str| rota.with(key).get("/v1/rotations");
    by.try_create("spent", new_rotation("U1")).is(201);
    let mut asked = 0;
    let limited = loop {
        let answer = list(&hasty);
        asked += 1;
        if answer.status() != 200 {
            assert!(asked > 40, "{asked}");
            break answer;
        }
    };
    let refusals = [
        rota.anyone()
            .get("/v1/rotations")
            .refused(401, "missing_credential"),
        list("svc_key_x_y").refused(401, "unknown"),
        list(&off).refused(401, "disabled"),
        list(&old).refused(401, "expired_secret"),
        mine.with(&reader)
            .patch(json!({}))
            .refused(403, "scope_denied"),
        other
            .with(&selected)
            .get("")
            .refused(403, "resource_denied"),
        by.get("/v1/rotations?sort=colour")
            .refused(400, "invalid_request"),
        by.post("/v1/rotations", new_rotation("U1"))
            .refused(428, "precondition_required"),
        by.patch_if(&mine.path(""), "\"old\"", json!({}))
            .refused(412, "precondition_failed"),
        limited.refused(429, "rate_limited"),
        {
            rota.plan("free");
            let answer = ours.put("/coverage", ours.grid(2, &[always(daily())]));
            rota.plan("pro");
            answer.refused(402, "payment_required")
        },
        other
            .patch(json!({ "code": "taken" }))
            .refused(409, "rotation_code_taken"),
        by.try_create("spent", new_rotation("U2"))
            .refused(409, "idempotency_key_reused"),
        {
            ours.patch(json!({ "enabled": false })).is(200);
            ours.put_on_call("U1").refused(409, "rotation_disabled")
        },
    ];
    let of_agreements = agreement_refusals(&rota);
    let met = refusals.iter().chain(&of_webhooks).chain(&of_agreements);
    let met: std::collections::BTreeSet<&str> = met.map(|r| text(&r["code"])).collect();
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    let mut documented = std::collections::BTreeSet::new();
    for response in document["components"]["responses"]
        .as_object()
        .unwrap()
        .values()
    {
        let choices = response["content"]["application/problem+json"]["schema"]["allOf"].as_array();
        for choice in choices.into_iter().flatten() {
            let codes = choice["properties"]["code"]["enum"].as_array();
            documented.extend(codes.into_iter().flatten().map(text));
        }
    }
    assert!(documented.remove("storage_unavailable"));
    assert_eq!(met, documented);
}
