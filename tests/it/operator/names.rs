//! Every request has an id: in its response, in its problem and in the log.

use crate::support::*;
use std::collections::BTreeSet;

#[track_caller]
fn name(answer: &Answer) -> String {
    let name = answer.header("x-request-id").unwrap_or_default().to_owned();
    assert!(name.starts_with("req_"), "{}: {name:?}", answer.what);
    name
}

#[test]
fn every_answer_names_its_request() {
    let rota = Start::default().env("ROTA_LOG", "rota=debug").go();
    rota.people(1);
    let rotation = rota.rotation("U1");
    let answer = rotation.get("/on-call").is(200);
    let known = rota
        .request("GET", &rotation.path("/on-call"))
        .header("If-None-Match", &answer.etag());
    let (hook, receiver) = rota.hook("");
    let own = serde_json::json!({ "status": 200, "headers": { "X-Request-Id": "theirs" } });
    receiver.answers(own);
    let huge = vec![b' '; 1024 * 1024 + 1];
    let large = rota.request("POST", "/v1/webhooks");
    let large = large.header("Content-Type", PLAIN_JSON).body(huge);
    let path = receiver.url().replace(&rota.url, "");
    let mut all = BTreeSet::new();
    for answer in [
        answer,
        known.send().is(304),
        rota.request("HEAD", "/healthz").send().is(200),
        rota.get("/dev/clock").is(200),
        rota.request("POST", &path).send().is(200),
        rota.get("/metrics").is(200),
        rota.get("/v1/openapi.json").is(200),
        rota.get(&hook.path()).is(200),
        rota.get("/nothing").is(404),
        rota.anyone().get("/v1/rotations").is(401),
        large.send().is(413),
        rota.request("GET", "/dev/nothing").send().is(404),
    ] {
        let name = name(&answer);
        if answer.status() >= 400 {
            assert_eq!(text(&answer.json()["instance"]), name, "{}", answer.what);
        }
        let (method, target) = answer.what.split_once(' ').expect("a method");
        let line = format!("{method} {} {}", target, answer.status());
        let log = &rota.process.log;
        eventually("a line in the log", || {
            let text = log.text();
            let mut lines = text.lines().filter(|line| line.ends_with(&name));
            lines.next().is_some_and(|found| found.contains(&line))
        });
        assert!(all.insert(name), "{}: a name of its own", answer.what);
    }
    // A request that cannot be parsed.
    let mut odd = Connection::open(rota.address());
    odd.send("GET / HTTP/9.9\r\n\r\n");
    let reply = odd.answer("GET").expect("an answer");
    let name = reply.header("x-request-id").expect("a name").to_owned();
    let problem: serde_json::Value = serde_json::from_slice(&reply.body).expect("a problem");
    assert_eq!(text(&problem["instance"]), name);
    assert!(all.insert(name), "a name of its own");
}

#[test]
fn a_fault_of_ours_is_found_by_its_name() {
    let rota = Start::default()
        .env("ROTA_FAILPOINTS", "request=panic@2")
        .go();
    rota.anyone().get("/healthz").is(200);
    let answer = rota.anyone().get("/healthz").is(500);
    let name = name(&answer);
    assert_eq!(text(&answer.json()["instance"]), name);
    let log = &rota.process.log;
    eventually("a line in the log", || {
        let line =
            format!("GET /healthz 500 internal_error {name}: panicked: failpoint reached: request");
        log.text().contains(&line)
    });
    let counted = "rota_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"500\"}";
    assert_eq!(rota.metrics().count(counted), 1);
}
