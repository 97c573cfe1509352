//! What is counted, and who may read it.

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
        ("other", "other", 404, 1),
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
    // Down from Wednesday to Saturday: it moved on once, and that was due on Thursday.
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
    // What is held for a disabled endpoint waits, and is not what an alert is for.
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
    // The others tell nothing of anybody.
    rota.anyone().get("/healthz").is(200);
    rota.anyone().get("/readyz").is(200);
}
