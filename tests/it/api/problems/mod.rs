//! Refusals: their order, their form, and the required form of requests.

mod codes;

use crate::support::*;
use serde_json::{Value, json};

const MIB: usize = 1024 * 1024;

/// A body of exactly so many bytes that renames a rotation.
fn padded(size: usize) -> String {
    let body = r#"{"name":"Padded"}"#;
    format!("{body}{}", " ".repeat(size - body.len()))
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
    // Each row corrects what the previous row was refused for.
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
    // Content before tier, tier before conflicts.
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
    let twice = rota
        .request("PATCH", &rotation.path(""))
        .header("If-Match", "*")
        .header("Content-Type", "text/plain")
        .header("content-type", PLAIN_JSON);
    twice.body(good).send().names("Content-Type");
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
    let response = problem.to_string().to_lowercase();
    for word in ["sqlite", "src/", "panicked", "rusqlite"] {
        assert!(!response.contains(word), "{response}");
    }
}
