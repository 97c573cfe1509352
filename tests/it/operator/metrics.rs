//! Metrics, and who may read them.

use super::Page;
use crate::support::*;
use serde_json::json;

const ON_CALL: &str = "/v1/rotations/{rotationId}/on-call";

fn requests(page: &Page, method: &str, route: &str, status: u16) -> u64 {
    page.count(&format!(
        "rota_http_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}"
    ))
}

#[test]
fn requests_are_counted_by_route() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let etag = rotation.get("/on-call").is(200).etag();
    let path = rotation.path("/on-call");
    let known = rota.request("GET", &path).header("If-None-Match", &etag);
    known.send().is(304);
    rota.request("HEAD", &path).send().is(200);
    rota.get("/v1/rotations/rot_x/on-call").is(404);
    rota.anyone().get(&path).is(401);
    rota.get("/v1/nothing").is(404);
    rota.get("/dev/clock").is(200);
    let mut odd = Connection::open(rota.address());
    odd.send("BREW / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/9.9\r\n\r\n");
    odd.answer("BREW").expect("an answer");
    odd.answer("GET").expect("an answer");
    let page = rota.metrics();
    for (method, route, status, count) in [
        ("GET", ON_CALL, 200, 1),
        ("GET", ON_CALL, 304, 1),
        ("HEAD", ON_CALL, 200, 1),
        ("GET", ON_CALL, 404, 1),
        ("GET", ON_CALL, 401, 1),
        ("GET", "other", 404, 1),
        ("GET", "/dev", 200, 1),
        ("other", "other", 421, 1),
        ("other", "other", 505, 1),
        ("POST", "/v1/rotations", 201, 1),
        ("GET", "/metrics", 200, 0),
    ] {
        let counted = requests(&page, method, route, status);
        assert_eq!(counted, count, "{method} {route} {status}\n{}", page.0);
    }
    let took = |what: &str| {
        page.count(&format!(
            "rota_http_request_duration_seconds_{what}{{route=\"{ON_CALL}\"}}"
        ))
    };
    assert_eq!(took("count"), 5);
    assert_eq!(requests(&rota.metrics(), "GET", "/metrics", 200), 1);
    let head = rota.anyone().request("HEAD", "/metrics").send().is(200);
    assert!(head.reply.body.is_empty());
    assert_ne!(head.header("content-length"), Some("0"));
}

#[test]
fn hand_overs_tell_how_late_they_were() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(2);
    rota.daily("U1 U2", 1);
    let late = |rota: &Rota, what: &str| {
        let series = format!("rota_timer_lateness_seconds_{what}");
        rota.metrics().value(&series).expect("a value")
    };
    assert_eq!(late(&rota, "count"), 0.0);
    rota.to("2026-01-07T10:00Z");
    // On Tuesday and on Wednesday, each at its instant.
    assert_eq!((late(&rota, "count"), late(&rota, "sum")), (2.0, 0.0));
    assert_eq!(late(&rota, "bucket{le=\"0.01\"}"), 2.0);
    rota.stop();
    // Down from Wednesday to Saturday: processed once, and due on Thursday.
    let rota = Start::default().db(&db).clock("2026-01-10T09:30Z").go();
    let two_days = (2 * DAY + HOUR / 2) as f64;
    assert_eq!((late(&rota, "count"), late(&rota, "sum")), (1.0, two_days));
    assert_eq!(late(&rota, "bucket{le=\"86400\"}"), 0.0);
    assert_eq!(late(&rota, "bucket{le=\"+Inf\"}"), 1.0);
    let page = rota.metrics();
    let now = at("2026-01-10T09:30Z").as_second() as f64;
    for name in ["timer_last_tick_timestamp_seconds", "start_time_seconds"] {
        assert_eq!(page.value(&format!("rota_{name}")), Some(now), "{name}");
    }
    assert!(page.value("rota_database_bytes") > Some(4096.0));
    let build = page.family("rota_build_info");
    let version = format!("version=\"{}\",tzdata=\"2", env!("CARGO_PKG_VERSION"));
    assert!(build[0].starts_with(&version), "{build:?}");
}

#[test]
fn deliveries_are_counted_once() {
    let rota = Start::default().env("ROTA_WEBHOOKS_LADDER", "1m").go();
    rota.people(3);
    let outcomes = |rota: &Rota| {
        let page = rota.metrics();
        let attempts = ["delivered", "failed", "no_response"];
        let ends = ["delivered", "exhausted", "cancelled"];
        let attempt = |name| {
            let series = format!("rota_delivery_attempts_total{{outcome=\"{name}\"}}");
            page.value(&series).expect("there from the start")
        };
        let end = |name| {
            let series = format!("rota_deliveries_finished_total{{state=\"{name}\"}}");
            page.value(&series).expect("there from the start")
        };
        let gauge = |name| page.value(&format!("rota_{name}")).expect("a gauge");
        (
            attempts.map(attempt),
            ends.map(end),
            gauge("deliveries_pending"),
            gauge("oldest_undelivered_event_age_seconds"),
        )
    };
    let none = ([0.0; 3], [0.0; 3], 0.0, 0.0);
    assert_eq!(outcomes(&rota), none);
    let (hook, receiver) = rota.hook("duty.changed");
    let changed = rota.rotation("U1 U2 U3");
    changed.put_on_call("U1").is(200);
    rota.advance(0);
    let delivered = ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.0, 0.0);
    assert_eq!(outcomes(&rota), delivered);

    receiver.answers(json!({ "status": 418 }));
    changed.put_on_call("U2").is(200);
    rota.advance(20);
    let waits = ([1.0, 1.0, 0.0], [1.0, 0.0, 0.0], 1.0, 20.0);
    assert_eq!(outcomes(&rota), waits);
    // The second round is the last one.
    rota.advance(100);
    let exhausted = ([1.0, 2.0, 0.0], [1.0, 1.0, 0.0], 0.0, 0.0);
    assert_eq!(outcomes(&rota), exhausted);
    let endpoints = |rota: &Rota| {
        let page = rota.metrics();
        ["enabled", "disabled"]
            .map(|state| page.count(&format!("rota_webhook_endpoints{{state=\"{state}\"}}")))
    };
    assert_eq!(endpoints(&rota), [0, 1], "failed for good");

    hook.act("enable").is(200);
    assert_eq!(endpoints(&rota), [1, 0]);
    changed.put_on_call("U3").is(200);
    rota.advance(0);
    let id = text(&hook.newest()["deliveryId"]).to_owned();
    // Deliveries held for a disabled endpoint wait without an alert.
    hook.act("disable").is(200);
    rota.advance(30);
    let held = ([1.0, 3.0, 0.0], [1.0, 1.0, 0.0], 1.0, 0.0);
    assert_eq!(outcomes(&rota), held);
    let cancel = format!("{}/deliveries/{id}/cancel", hook.path());
    rota.request("POST", &cancel).send().ok();
    rota.request("POST", &cancel).send().ok();
    let cancelled = ([1.0, 3.0, 0.0], [1.0, 1.0, 1.0], 0.0, 0.0);
    assert_eq!(outcomes(&rota), cancelled);
}

#[test]
fn messages_that_wait_are_counted() {
    let rota = Rota::with_people(2);
    let waiting = || rota.metrics().value("rota_chat_messages_pending");
    assert_eq!(waiting(), Some(0.0));
    let mood = json!({ "failure": "error" });
    rota.request("PUT", "/dev/chat").json(&mood).send().ok();
    rota.rotation("U1 U2").put_on_call("U1").is(200);
    assert_eq!(waiting(), Some(1.0));
}

/// Without a key, metrics do not show private rotations, their names or the people on call in them.
#[test]
fn metrics_name_nobody_without_a_key() {
    let rota = Rota::with_people(3);
    let secret = rota.create(json!({
        "name": "Secret", "code": "HUSH", "owners": ["U1"], "userIds": ["U1", "U2"], "public": false,
    }));
    secret.put_on_call("U2").is(200);
    let vacant = rota.rotation("U1 U2");
    rota.advance(HOUR);
    let names = [&secret.id, &vacant.id, "Secret", "HUSH", "\"U1\"", "\"U2\""];
    let families = [
        "rota_rotation_info",
        "rota_on_call",
        "rota_nobody_on_call_seconds",
    ];
    let longest = "rota_nobody_on_call_longest_seconds";
    let page = |by: &Caller| Page(by.get("/metrics").is(200).text());
    let basic = rota.anyone().request("GET", "/metrics");
    let basic = basic.header("Authorization", "Basic eDp5").send().is(200);
    for page in [page(&rota.anyone()), Page(basic.text())] {
        for name in names.iter().chain(&families) {
            assert!(!page.0.contains(name), "{name} in\n{}", page.0);
        }
        assert_eq!(page.value(longest), Some(HOUR as f64));
        assert_eq!(page.count("rota_rotations{state=\"enabled\"}"), 2);
        assert!(page.value("rota_timer_overdue_seconds").is_some());
    }
    let whole = page(&rota.with(&rota.key("read:oncall")));
    for family in families {
        assert!(!whole.family(family).is_empty(), "{family} in\n{}", whole.0);
    }
    assert_eq!(whole.value(longest), Some(HOUR as f64));
    // A credential that is sent must be permitted to see all metrics.
    let get = |by: Caller| by.get("/metrics");
    get(rota.with("svc_key_x_y")).refused(401, "unknown");
    get(rota.with("nonsense")).refused(401, "unknown");
    get(rota.with(&rota.key("read:rotations"))).refused(403, "scope_denied");
    get(rota.with(&rota.token("U1"))).refused(403, "scope_denied");
    let selected = json!({ "name": "one", "scopes": ["read:oncall"], "rotationIds": [vacant.id] });
    get(rota.with(&rota.mint(selected))).refused(403, "resource_denied");

    let open = Start::default().env("ROTA_METRICS_ACCESS", "open").go();
    open.people(1);
    open.rotation("U1").put_on_call("U1").is(200);
    assert_eq!(page(&open.anyone()).family("rota_on_call").len(), 1);
}

/// A proxy that restricts a path compares bytes, so another spelling must not match.
#[test]
fn a_path_has_one_spelling() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let own = format!("/v1/rotations/{}", rotation.id);
    for path in [
        "/%6Detrics",
        "/%6detrics",
        "/metric%73",
        "//metrics",
        "/metrics/",
        "/metrics;x",
        "/./metrics",
        "/x/../metrics",
        "/metrics%2F",
        "/metrics%3F",
        "/METRICS",
        "/metrics%00",
        "/%2Fmetrics",
        "/v1/%72otations",
        "/%761/rotations",
        "/v1//rotations",
        "/v1/rotations/",
        "/healt%68z",
        "/r%65adyz",
        "/v1/openapi%2Ejson",
        "/v1/%6Beys/self",
        "/d%65v/clock",
        "/dev/cloc%6B",
        "/%64ev/clock",
        "/dev//clock",
        "/dev/./clock",
    ] {
        rota.request("GET", path).send().refused(404, "");
    }
    let hook = rotation.get("/inbound-webhook").is(200).json();
    let address = text(&hook["url"])
        .strip_prefix(&rota.url)
        .expect("ours")
        .to_owned();
    let odd = address.replacen("/webhook/", "/w%65bhook/", 1) + "/rotate";
    assert!(odd.starts_with("/w%65bhook/"), "{odd}");
    rota.request("POST", &odd).send().refused(404, "");
    // Ids are decoded, once.
    let encoded = rotation.id.replacen('_', "%5F", 1);
    rota.get(&format!("/v1/rotations/{encoded}")).is(200);
    rota.get(&format!("{own}%2Fon-call")).is(404);
    rota.get(&own.replacen('_', "%255F", 1)).is(404);
    // An absolute target is the same path.
    let mut line = Connection::open(rota.address());
    for (path, status) in [("/metrics", 200), ("/%6Detrics", 404), ("", 421)] {
        line.send(format!("GET http://h{path} HTTP/1.1\r\nHost: h\r\n\r\n"));
        let answer = line.answer("GET").expect("an answer");
        assert_eq!(answer.status, status, "{path}");
        assert!(
            !String::from_utf8_lossy(&answer.body).contains("rota_on_call"),
            "{path}"
        );
    }
}

#[test]
fn metrics_may_be_for_keys_alone() {
    let rota = Start::default().env("ROTA_METRICS_ACCESS", "key").go();
    rota.people(1);
    let rotation = rota.rotation("U1");
    let get = |by: Caller| by.get("/metrics");
    get(rota.anyone()).refused(401, "missing_credential");
    get(rota.with("svc_key_x_y")).refused(401, "unknown");
    let others =
        rota.key("read:rotations write:rotations write:duty read:directory manage:webhooks");
    get(rota.with(&others)).refused(403, "scope_denied");
    get(rota.with(&rota.token("U1"))).refused(403, "scope_denied");
    let selected =
        json!({ "name": "one", "scopes": ["read:oncall"], "rotationIds": [rotation.id] });
    get(rota.with(&rota.mint(selected))).refused(403, "resource_denied");
    get(rota.with(&rota.key("read:oncall"))).is(200);
    // The other pages contain no names.
    rota.anyone().get("/healthz").is(200);
    rota.anyone().get("/readyz").is(200);
}
