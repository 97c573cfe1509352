//! ETags: If-Match, If-None-Match, and writes that change nothing.

use crate::support::*;
use serde_json::{Value, json};

#[test]
fn an_etag_is_strong_and_no_bare_version() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let mut seen = vec![];
    for _ in 0..4 {
        let etag = rotation.etag();
        assert!(
            etag.starts_with('"') && etag.ends_with('"') && etag.len() > 2,
            "{etag}"
        );
        let inside = etag.trim_matches('"');
        assert!(
            inside.parse::<u64>().is_err(),
            "looks like a version: {etag}"
        );
        assert_eq!(
            rotation.get("/on-call").is(200).etag(),
            etag,
            "the on-call resource has the same"
        );
        assert!(!seen.contains(&etag));
        seen.push(etag);
        rotation.rotate();
    }
    for version in 1..9 {
        for plain in [format!("\"{version}\""), version.to_string()] {
            rotation
                .by
                .patch_if(&rotation.path(""), &plain, json!({ "name": "N" }))
                .is(412);
        }
    }
}

/// rules.md 11.3.
#[test]
fn the_clock_and_the_directory_change_it_too() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let first = rotation.etag();
    rota.to("2026-01-06T08:59Z");
    assert_eq!(rotation.etag(), first);
    rota.to("2026-01-06T09:00Z");
    let second = rotation.etag();
    assert_ne!(second, first);
    rota.people(2);
    assert_ne!(rotation.etag(), second);
}

#[test]
fn if_match_takes_one_a_list_or_a_star() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let stale = rotation.etag();
    rotation.patch(json!({ "name": "Newer" })).is(200);
    for (header, status) in [
        ("{}", 200),
        ("*", 200),
        ("\"other\", {}", 200),
        ("{},\"other\"", 200),
        ("\"a\" ,  {} , \"b\"", 200),
        ("W/{}", 412),
        ("\"other\"", 412),
        ("{stale}", 412),
        ("{stale}, W/{}", 412),
    ] {
        let header = header
            .replace("{stale}", &stale)
            .replace("{}", &rotation.etag());
        let answer =
            rotation
                .by
                .patch_if(&rotation.path(""), &header, json!({ "name": unique("n") }));
        assert_eq!(answer.status(), status, "{header}");
        match status {
            200 => assert_eq!(answer.etag(), rotation.etag(), "{header}"),
            _ => drop(answer.refused(412, "precondition_failed")),
        }
    }
}

#[test]
fn if_none_match_answers_304_without_a_body() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    for rest in ["", "/on-call"] {
        let etag = rotation.etag();
        for (header, status) in [
            (etag.clone(), 304),
            ("*".to_owned(), 304),
            (format!("W/{etag}"), 304),
            (format!("\"other\", {etag}"), 304),
            ("\"other\"".to_owned(), 200),
        ] {
            let answer = rota
                .request("GET", &rotation.path(rest))
                .header("If-None-Match", &header)
                .send();
            assert_eq!(answer.status(), status, "{header}");
            assert_eq!(answer.etag(), etag, "{header}");
            assert_eq!(answer.reply.body.is_empty(), status == 304, "{header}");
        }
        rotation.rotate();
        rota.request("GET", &rotation.path(rest))
            .header("If-None-Match", &etag)
            .send()
            .is(200);
    }
    let path = rotation.path("/on-call?expand=users");
    let expanded = rota
        .request("GET", &path)
        .header("If-None-Match", "*")
        .send()
        .is(200);
    assert_eq!(expanded.header("etag"), None);
}

/// rules.md 11.2.
#[test]
fn a_write_that_changes_nothing_keeps_it() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation
        .patch(json!({ "code": "ops", "description": "d" }))
        .is(200);
    rotation.put("/channels/C1", json!({})).is(200);
    let before = (rotation.etag(), rotation.read());
    rota.advance(MINUTE);
    for (method, rest, body) in [
        ("PATCH", "", json!({})),
        ("PATCH", "", json!({ "mode": "auto" })),
        (
            "PATCH",
            "",
            json!({ "name": "Rotation", "code": "OPS", "description": "d" }),
        ),
        (
            "PATCH",
            "",
            json!({ "code": "Ops", "userIds": ["U1", "U2"], "owners": ["U1"], "enabled": true }),
        ),
        ("PUT", "/channels/C1", json!({ "postsMessages": true })),
        ("PUT", "/channels/C1", Value::Null),
        ("PUT", "/coverage", rotation.grid(1, &[always(daily())])),
    ] {
        let request = rota
            .request(method, &rotation.path(rest))
            .header("If-Match", "*")
            .json(&body);
        assert_eq!(
            request.send().is(200).etag(),
            before.0,
            "{method} {rest} {body}"
        );
    }
    assert_eq!((rotation.etag(), rotation.read()), before);
}
