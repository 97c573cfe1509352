//! The built-in webhook receiver of `rota dev`.

use crate::support::*;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PATH: &str = "/dev/receiver/pager";

fn requests(rota: &Rota, path: &str) -> Vec<Value> {
    let answer = rota.get(path).is(200).json();
    answer["requests"].as_array().unwrap().clone()
}

#[track_caller]
fn tell(rota: &Rota, body: Value) -> Answer {
    rota.request("PUT", PATH).json(&body).send()
}

#[test]
fn it_keeps_what_is_posted() {
    let rota = Rota::at(MONDAY);
    assert!(requests(&rota, PATH).is_empty());
    let first = rota.anyone().request("POST", PATH);
    let first = first
        .header("Content-Type", "text/plain")
        .header("X-Twice", "a")
        .header("x-twice", "b")
        .body("{ \"a\" : 1 }\n");
    let answer = first.send().is(200);
    assert_eq!(answer.text(), "");
    assert_eq!(answer.header("content-type"), None);
    rota.advance(90);
    let odd = rota.request("POST", PATH).body(&b"\xffz"[..]);
    odd.send().is(200);
    rota.request("POST", "/dev/receiver/other").send().is(200);

    let kept = requests(&rota, PATH);
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[0]["body"], "{ \"a\" : 1 }\n");
    assert_eq!(instant(&kept[0]["at"]), MONDAY);
    assert_eq!(kept[0]["headers"]["x-twice"], "a, b");
    assert_eq!(kept[0]["headers"]["content-type"], "text/plain");
    assert_eq!(kept[1]["body"], "\u{fffd}z");
    assert_eq!(instant(&kept[1]["at"]), plus(MONDAY, 90));
    assert_eq!(requests(&rota, "/dev/receiver/%70ager"), kept);

    tell(&rota, json!({ "status": 202 })).is(200);
    rota.caller().delete(PATH).is(204);
    assert!(requests(&rota, PATH).is_empty());
    assert_eq!(requests(&rota, "/dev/receiver/other").len(), 1);
    rota.request("POST", PATH).send().is(202);
}

#[test]
fn it_answers_what_it_was_told() {
    let rota = Rota::at(MONDAY);
    let response = json!({
        "status": 503, "headers": { "Retry-After": "7", "X-A": "b" }, "delayMs": 0, "body": "not now",
    });
    assert_eq!(tell(&rota, response.clone()).is(200).json(), response);
    let answer = rota.request("POST", PATH).send().is(503);
    assert_eq!(answer.text(), "not now");
    assert_eq!(answer.header("retry-after"), Some("7"));
    assert_eq!(answer.header("x-a"), Some("b"));
    assert_eq!(answer.header("content-type"), None);
    rota.request("POST", "/dev/receiver/other").send().is(200);

    let location = "https://example.com/";
    tell(
        &rota,
        json!({ "status": 302, "headers": { "Location": location } }),
    )
    .is(200);
    let answer = rota.request("POST", PATH).send().is(302);
    assert_eq!(
        (answer.text().as_str(), answer.header("location")),
        ("", Some(location))
    );
    tell(&rota, json!({})).is(200);
    rota.request("POST", PATH).send().is(200);
}

#[test]
fn a_slow_answer_holds_up_nobody() {
    let rota = Rota::at(MONDAY);
    tell(&rota, json!({ "delayMs": 1500 })).is(200);
    let mut slow = Connection::open(rota.address());
    let began = Instant::now();
    slow.send(format!(
        "POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na"
    ));
    eventually("the request", || requests(&rota, PATH).len() == 1);
    tell(&rota, json!({ "status": 204 })).is(200);
    rota.request("POST", PATH).send().is(204);
    assert!(began.elapsed() < Duration::from_millis(1500));
    assert_eq!(slow.answer("POST").expect("an answer").status, 200);
    assert!(began.elapsed() >= Duration::from_millis(1500));
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let rota = Rota::at(MONDAY);
    for (body, member) in [
        (json!({ "status": 199 }), "status"),
        (json!({ "status": "600" }), "status"),
        (json!({ "delayMs": 60_001 }), "delayMs"),
        (json!({ "body": 7 }), "body"),
        (json!({ "headers": ["A"] }), "headers"),
        (json!({ "headers": { "A": 1 } }), "headers.A"),
        (json!({ "headers": { "A": "b\r\nC: d" } }), "headers.A"),
        (
            json!({ "headers": { "Content-Length": "3" } }),
            "headers.Content-Length",
        ),
    ] {
        tell(&rota, body).names(member);
    }
    rota.request("POST", PATH).send().is(200);
}

#[test]
fn paths_and_methods() {
    let rota = Rota::at(MONDAY);
    for (method, path, allowed) in [
        ("PATCH", PATH, "GET, HEAD, POST, PUT, DELETE"),
        ("GET", "/dev/webhooks/whk_x/test", "POST"),
    ] {
        let answer = rota.request(method, path).send();
        assert_eq!(answer.header("allow"), Some(allowed), "{method} {path}");
        answer.refused(405, "");
    }
    for path in ["/dev/receiver", "/dev/receiver/", "/dev/receiver/a/b"] {
        rota.request("POST", path).send().refused(404, "");
    }
    let page = rota.request("POST", PATH).header("Origin", "null");
    page.send().refused(403, "resource_denied");
    assert!(requests(&rota, PATH).is_empty());
    rota.request("POST", "/dev/receiver/a%2Fb").send().is(200);
    assert_eq!(requests(&rota, "/dev/receiver/a%2Fb").len(), 1);
}
