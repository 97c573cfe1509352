//! The routes: what they take and answer, and for whom.

use super::*;

#[test]
fn a_calendar_is_added_read_changed_and_removed() {
    let rota = Rota::with_people(2);
    let feed = Feed::of(&[
        TUESDAY,
        "Planning 20260108T090000Z 20260108T100000Z",
        "Sick 20260201 20260203",
    ]);
    let own = rota.with(&rota.token("U2"));
    let body = json!({ "url": feed.url(), "name": "Mine" });
    let made = own.post(&path_of("U2"), body).is(201).json();
    assert!(text(&made["id"]).starts_with("pcl_"), "{made}");
    let added = Added {
        user: "U2".into(),
        id: text(&made["id"]).into(),
    };
    eventually("it has been read", || added.state(&rota) == "current");
    let shown = added.shown(&rota);
    for (member, expected) in [
        ("userId", json!("U2")),
        ("name", json!("Mine")),
        ("host", json!(feed.host())),
        ("counts", json!("outOfOffice")),
        ("lastError", Value::Null),
        ("eventsAhead", json!(2)),
    ] {
        assert_eq!(shown[member], expected, "{member}");
    }
    assert!(
        shown["words"]
            .as_array()
            .unwrap()
            .contains(&json!("urlaub"))
    );
    assert_eq!(instant(&shown["lastReadAt"]), instant(&shown["createdAt"]));
    assert!(!shown.to_string().contains("very-secret"), "{shown}");
    let expected = [
        "2026-01-06T00:00Z 2026-01-07T00:00Z externalCalendar Vacation",
        // A whole day is one where the person is, in Oslo.
        "2026-01-31T23:00Z 2026-02-02T23:00Z externalCalendar Sick",
    ];
    assert_eq!(absences(&own, "U2"), expected);

    // What else counts is read at once.
    let changed = own
        .request("PATCH", &added.path(""))
        .json(&json!({ "counts": "all", "name": null }));
    let changed = changed.send().is(200).json();
    assert_eq!(
        (&changed["counts"], &changed["name"]),
        (&json!("all"), &Value::Null)
    );
    eventually("it has been read again", || {
        added.shown(&rota)["eventsAhead"] == json!(3)
    });
    let words = json!({ "counts": "outOfOffice", "words": ["Planning"] });
    own.request("PATCH", &added.path(""))
        .json(&words)
        .send()
        .is(200);
    eventually("other words count", || absences(&own, "U2").len() == 1);
    assert_eq!(added.shown(&rota)["words"], json!(["Planning"]));
    own.request("PATCH", &added.path(""))
        .json(&json!({ "words": null }))
        .send()
        .is(200);
    eventually("the usual words count", || absences(&own, "U2") == expected);

    // What it shows may be sent back, as long as it is so.
    let now = added.shown(&rota);
    let patch = |body: Value| own.request("PATCH", &added.path("")).json(&body).send();
    assert_eq!(patch(now.clone()).is(200).json(), now);
    for (member, wrong, advice) in [
        ("id", json!("pcl_x"), "the server sets it"),
        ("userId", json!("U1"), "the server sets it"),
        (
            "host",
            json!("zzz"),
            "use POST /v1/users/{userId}/calendars to add",
        ),
        ("state", json!("unknown"), "{calendarId}/read"),
        ("lastError", json!("none"), "{calendarId}/read"),
        ("eventsAhead", json!(99), "{calendarId}/read"),
        ("createdAt", Value::Null, "the server sets it"),
    ] {
        let refused = patch(json!({ "name": "Other", member: wrong }))
            .is(400)
            .json();
        let detail = text(&refused["detail"]);
        assert!(
            detail.starts_with(&format!("{member}: ")) && detail.contains(advice),
            "{detail}"
        );
    }
    assert_eq!(added.shown(&rota), now);

    // A stored one beside them, in a range.
    let rotation = rota.daily("U1 U2", 1);
    rotation.away("U2", "2026-01-20T00:00Z", "2026-01-21T00:00Z");
    let range = "/v1/users/U2/absences?from=2026-01-07T00:00:00Z&to=2026-02-01T00:00:01Z";
    let found = own.all(range);
    let sources: Vec<&str> = found.iter().map(|one| text(&one["source"])).collect();
    assert_eq!(sources, ["internalAvailability", "externalCalendar"]);

    own.delete(&added.path("")).is(204);
    assert_eq!(absences(&own, "U2").len(), 1);
    assert!(own.all(&path_of("U2")).is_empty());
    own.delete(&added.path("")).refused(404, "not_found");
}

/// rules.md 24.9.
#[test]
fn who_may() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let feed = Feed::of(&[TUESDAY]);
    let added = add(&rota, "U2", &feed);
    let body = || json!({ "url": feed.url() });
    let limited = rota
        .mint(json!({ "name": "k", "scopes": ["read:rotations", "write:duty"], "rotationIds": [rotation.id] }));
    for (caller, reads, writes) in [
        (rota.with(&rota.token("U2")), 200, 201),
        (rota.with(&rota.token("U3")), 403, 403),
        (rota.with(&rota.key("read:rotations")), 200, 403),
        (rota.with(&rota.key("write:duty")), 403, 201),
        (rota.with(&limited), 200, 403),
    ] {
        caller.get(&path_of("U2")).is(reads);
        caller.get("/v1/users/U2/absences").is(reads);
        caller.post(&path_of("U2"), body()).is(writes);
        let status = if writes == 201 { 200 } else { 403 };
        caller
            .request("POST", &added.path("/read"))
            .send()
            .is(status);
        caller
            .request("PATCH", &added.path(""))
            .json(&json!({ "name": "x" }))
            .send()
            .is(status);
    }
    // The summary of an event is the person's own.
    let key = rota.key("read:rotations");
    let shown = absences(&rota.with(&key), "U2");
    assert!(
        shown
            .iter()
            .all(|line| line.ends_with("externalCalendar -")),
        "{shown:?}"
    );
    for path in [path_of("U9"), "/v1/users/U9/absences".into()] {
        rota.caller().get(&path).refused(404, "not_found");
    }
    let other = Added {
        user: "U1".into(),
        id: added.id.clone(),
    };
    rota.request("POST", &other.path("/read"))
        .send()
        .refused(404, "not_found");
}

#[test]
fn what_is_refused() {
    let rota = Rota::with_people(1);
    for (body, member) in [
        (json!({}), "url"),
        (json!({ "url": "calendar.example.com/a.ics" }), "url"),
        (json!({ "url": "ftp://calendar.example.com/a.ics" }), "url"),
        (
            json!({ "url": "https://calendar.example.com/a b.ics" }),
            "url",
        ),
        (
            json!({ "url": "https://c.example/a", "counts": "some" }),
            "counts",
        ),
        (
            json!({ "url": "https://c.example/a", "words": ["-"] }),
            "words[0]",
        ),
    ] {
        rota.post(&path_of("U1"), body).names(member);
    }
    // One that cannot be read is kept and says why.
    for number in 0..5 {
        let body = json!({ "url": format!("http://127.0.0.1:1/very-secret-{number}.ics") });
        rota.post(&path_of("U1"), body).is(201);
    }
    rota.post(&path_of("U1"), json!({ "url": "https://c.example/a" }))
        .refused(409, "too_many_calendars");
    eventually("all were tried", || {
        let all = rota.caller().all(&path_of("U1"));
        all.iter().all(|one| {
            one["lastError"] == json!("no connection to the server") && one["state"] == json!("new")
        })
    });
}

/// rules.md 24.8.
#[test]
fn the_address_is_nowhere_to_be_seen() {
    let rota = Start::default().env("ROTA_LOG", "debug").go();
    rota.people(2);
    let feed = Feed::of(&[TUESDAY]);
    let added = add(&rota, "U2", &feed);
    feed.now(status(302, "Location: /other/very-secret.ics\r\n"));
    added.read(&rota);
    feed.now(Then::Raw(b"nonsense".to_vec()));
    added.read(&rota);
    let entries = rota.caller().get("/v1/audit?pageSize=200").is(200).text();
    assert!(
        entries.contains("createPersonalCalendar") && entries.contains(feed.host()),
        "{entries}"
    );
    let metrics = rota.caller().get("/metrics").is(200).text();
    let list = rota.caller().get(&path_of("U2")).is(200).text();
    let (_, log) = rota.stop();
    for (place, text) in [
        ("audit", entries),
        ("metrics", metrics),
        ("list", list),
        ("log", log),
    ] {
        assert!(!text.contains("very-secret"), "{place}: {text}");
    }
}
