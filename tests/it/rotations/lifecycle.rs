//! /v1/rotations: create, read, change and delete; members and channels.

use crate::support::*;
use serde_json::{Value, json};

#[test]
fn a_new_rotation_is_manual_with_nobody_on_duty() {
    let rota = Rota::with_people(3);
    let answer = rota.try_create(json!({
        "name": "Primary", "owners": ["U1"], "userIds": ["U2", "U3"], "channels": ["C1"],
    }));
    let answer = answer.is(201);
    let rotation = answer.json();
    let id = text(&rotation["id"]);
    assert!(id.starts_with("rot_"), "{id}");
    assert!(
        answer
            .header("location")
            .unwrap()
            .ends_with(&format!("/v1/rotations/{id}"))
    );
    let expected = json!({
        "name": "Primary", "description": null, "code": null, "enabled": true, "public": false, "mode": "manual",
        "isGrid": false, "doubleCover": false, "owners": ["U1"], "channels": ["C1"], "enableTopic": false,
        "channelSettings": [{ "channelId": "C1", "postsMessages": true, "syncsTopic": false }],
        "topicTemplate": null, "onDutyUserGroupId": null, "managedBy": null,
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&rotation[name], value, "{name}");
    }
    for (name, value) in [("runningLanes", 1), ("heldSeats", 0), ("openSeats", 1)] {
        assert_eq!(int(&rotation[name]), value, "{name}");
    }
    for name in ["createdAt", "updatedAt"] {
        assert_eq!(instant(&rotation[name]), MONDAY, "{name}");
    }
    let numbered = rotation["members"]["users"].as_array().unwrap().iter();
    let numbered: Vec<_> = numbered
        .map(|m| (text(&m["userId"]), int(&m["sequenceNumber"])))
        .collect();
    assert_eq!(numbered, [("U2", 0), ("U3", 1)]);
    assert_eq!(rotation["members"]["userGroups"], json!([]));
    for (list, prefix) in [("lanes", "lan_"), ("windows", "win_"), ("cells", "cel_")] {
        assert_eq!(rotation[list].as_array().unwrap().len(), 1, "{list}");
        assert!(text(&rotation[list][0]["id"]).starts_with(prefix), "{list}");
    }
    let window = &rotation["windows"][0];
    assert_eq!(
        (text(&window["timeZone"]), text(&window["cadence"]["type"])),
        ("", "manual")
    );
    assert_eq!(window["coverage"], json!([]));
    assert_eq!(
        (&window["alwaysOpen"], &window["openNow"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        (&window["currentCoverage"], &window["nextCoverage"]),
        (&Value::Null, &Value::Null)
    );
    let cell = &rotation["cells"][0];
    assert_eq!(
        (&cell["rosterId"], &cell["stopped"], &cell["holder"]),
        (&Value::Null, &json!(false), &Value::Null)
    );
    let order = &rotation["rosters"][0]["order"];
    assert_eq!(int(&order[0]["turn"]), 0);
    assert_eq!(order[0]["userGroupId"], Value::Null);
    assert_eq!(rotation["onCall"]["onCall"], json!([]));
    assert_eq!(
        text(&rotation["onCall"]["nobodyOnCallReason"]),
        "nobody-on-call-unplanned"
    );
    let read = rota.get(&format!("/v1/rotations/{id}")).is(200);
    assert_eq!(read.json(), rotation);
    assert_eq!(read.etag(), answer.etag());
}

#[test]
fn a_creation_that_is_refused_names_the_member() {
    let rota = Rota::with_people(51);
    let everyone: Vec<String> = (1..=51).map(|n| format!("U{n}")).collect();
    for (change, member) in [
        (json!({ "name": null }), "name"),
        (json!({ "name": 7 }), "name"),
        (json!({ "name": "" }), "name"),
        (json!({ "name": " \t " }), "name"),
        (json!({ "name": "x".repeat(201) }), "name"),
        (json!({ "owners": null }), "owners"),
        (json!({ "owners": [] }), "owners"),
        (json!({ "owners": "U1" }), "owners"),
        (json!({ "owners": ["U1", 2] }), "owners[1]"),
        (json!({ "owners": ["U99"] }), "owners"),
        (json!({ "owners": everyone }), "owners"),
        (json!({ "userIds": ["U99"] }), "userIds"),
        (json!({ "userIds": [null] }), "userIds[0]"),
        (json!({ "userGroupIds": ["G9"] }), "userGroupIds"),
        (json!({ "channels": ["C3"] }), "C3"),
        (json!({ "channels": ["C4"] }), "C4"),
        (json!({ "channels": ["C9"] }), "C9"),
        (json!({ "lanes": 0 }), "lanes"),
        (json!({ "lanes": -1 }), "lanes"),
        (json!({ "lanes": 21 }), "lanes"),
        (json!({ "lanes": 1.5 }), "lanes"),
        (json!({ "lanes": "two" }), "lanes"),
        (json!({ "public": "yes" }), "public"),
        (json!({ "description": 5 }), "description"),
        (json!({ "code": "" }), "code"),
        (json!({ "code": "a b" }), "code"),
        (json!({ "code": "vakt-å" }), "code"),
        (json!({ "code": "x".repeat(41) }), "code"),
    ] {
        let mut body = new_rotation("U1 U2");
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        rota.try_create(body).names(member);
    }
    for missing in ["name", "owners"] {
        let mut body = new_rotation("U1");
        body.as_object_mut().unwrap().remove(missing);
        rota.try_create(body).names(missing);
    }
    let twice =
        rota.try_create(json!({ "name": "Twice", "owners": ["U1"], "userIds": ["U2", "U2"] }));
    let problem = twice.refused(400, "invalid_request");
    assert!(
        !text(&problem["detail"]).contains("U2"),
        "the id is not named: {problem}"
    );
    assert_eq!(int(&rota.get("/v1/rotations").json()["totalItems"]), 0);
}

#[test]
fn limits_are_inclusive() {
    let rota = Rota::with_people(50);
    let fifty: Vec<String> = (1..=50).map(|n| format!("U{n}")).collect();
    let body = json!({
        "name": "x".repeat(200), "owners": fifty, "userIds": fifty, "lanes": "20", "code": "x".repeat(40),
        "members": { "of": ["a", "rotation"] }, "openSeats": [],
    });
    let rotation = rota.create(body).read();
    assert_eq!(int(&rotation["runningLanes"]), 20);
    assert_eq!(int(&rotation["openSeats"]), 20);
    assert_eq!(rotation["isGrid"], json!(true));
}

#[test]
fn a_retried_creation_answers_what_the_first_attempt_made() {
    let rota = Rota::with_people(3);
    let by = rota.caller();
    let first = by.try_create("k1", new_rotation("U1 U2")).is(201);
    let id = first.json()["id"].clone();
    let again = by.try_create("k1", new_rotation("U1 U2")).is(200);
    assert_eq!(again.json()["id"], id);
    assert_eq!(again.etag(), first.etag());
    assert_eq!(again.header("location"), first.header("location"));
    by.try_create("k1", new_rotation("U2 U1"))
        .refused(409, "idempotency_key_reused");
    // The key belongs to the credential that used it.
    let other = rota.with(&rota.key("write:rotations read:rotations"));
    let theirs = other.try_create("k1", new_rotation("U1 U2")).is(201);
    assert_ne!(theirs.json()["id"], id);
    // A refused body leaves it unused.
    by.try_create("k2", json!({ "name": "No owner" }))
        .names("owners");
    by.try_create("k2", new_rotation("U1")).is(201);
    rota.request("POST", "/v1/rotations")
        .json(&new_rotation("U1"))
        .send()
        .refused(428, "precondition_required");

    rota.advance(DAY - 1);
    assert_eq!(
        by.try_create("k1", new_rotation("U1 U2")).is(200).json()["id"],
        id
    );
    rota.advance(2);
    by.try_create("k1", new_rotation("U1 U2")).is(409);
    assert_eq!(int(&rota.get("/v1/rotations").json()["totalItems"]), 3);
}

#[test]
fn a_retry_is_known_by_what_it_says() {
    let rota = Rota::with_people(1);
    let by = rota.caller();
    let send = |key: &str, body: &[u8]| {
        by.request("POST", "/v1/rotations")
            .header("Idempotency-Key", key)
            .header("Content-Type", PLAIN_JSON)
            .body(body)
            .send()
    };
    let bare = br#"{"name":"x","owners":["U1"]}"#;
    let id = send("k", bare).is(201).json()["id"].clone();
    for same in [
        r#"{ "owners": ["U1"], "name": "x" }"#,
        r#"{"name":"\u0078","owners":["U1"],"mode":1e999}"#,
        r#"{"name":"x","owners":["U1"],"mode":"\ud800"}"#,
        r#"{"name":"x","owners":["U1"],"lanes":1}"#,
        r#"{"name":"x","owners":["U1"],"lanes":"1","public":false}"#,
        r#"{"name":"x","owners":["U1"],"description":null,"code":null,"userIds":[]}"#,
    ] {
        assert_eq!(
            send("k", same.as_bytes()).is(200).json()["id"],
            id,
            "{same}"
        );
    }
    send("k", br#"{"name":"x","owners":["U1"],"lanes":2}"#).refused(409, "idempotency_key_reused");
    send(
        "k2",
        b"{\"name\":\"x\",\"owners\":[\"U1\"],\"mode\":\"\xff\"}",
    )
    .refused(400, "invalid_request");
    send("k2", bare).is(201);
}

#[test]
fn a_retry_after_deletion_creates_nothing() {
    let rota = Rota::with_people(1);
    let by = rota.caller();
    let id = by.try_create("k", new_rotation("U1")).is(201).json()["id"].clone();
    by.delete_if(&format!("/v1/rotations/{}", text(&id)), "*")
        .is(204);
    by.try_create("k", new_rotation("U1")).is(409);
    assert_eq!(int(&rota.get("/v1/rotations").json()["totalItems"]), 0);
}

#[test]
fn creations_at_once_with_one_key_make_one_rotation() {
    let rota = Rota::with_people(1);
    for round in 1..=4 {
        let key = unique("same");
        let answers: Vec<(u16, String)> = std::thread::scope(|scope| {
            let create = || {
                let answer = rota.caller().try_create(&key, new_rotation("U1")).ok();
                (answer.status(), answer.json()["id"].to_string())
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let made = answers.iter().filter(|(status, _)| *status == 201).count();
        let retried = answers.iter().filter(|(status, _)| *status == 200).count();
        assert_eq!((made, retried), (1, 7), "{answers:?}");
        assert!(
            answers.iter().all(|(_, id)| *id == answers[0].1),
            "{answers:?}"
        );
        let all = rota.get("/v1/rotations").json();
        assert_eq!(int(&all["totalItems"]), round);
    }
}

#[test]
fn codes_are_unique_without_case_and_kept_upper() {
    let rota = Rota::with_people(1);
    let with_code = |code: &str| json!({ "name": "R", "owners": ["U1"], "code": code });
    let first = rota.create(with_code("ops-Night_1"));
    assert_eq!(text(&first.read()["code"]), "OPS-NIGHT_1");
    rota.try_create(with_code("OPS-night_1"))
        .refused(409, "rotation_code_taken");
    let second = rota.create(with_code("other"));
    second
        .patch(json!({ "code": "ops-night_1" }))
        .refused(409, "rotation_code_taken");
    second.patch(json!({ "code": "OTHER" })).is(200);
    second.patch(json!({ "code": null })).is(200);
    rota.create(with_code("other"));
}

#[test]
fn lists_filter_sort_and_page() {
    let rota = Rota::with_people(4);
    let rows = [
        ("Beta", "U1", "U2 U3", "B1", "night duty"),
        ("Alpha", "U2", "U3", "A1", "day duty"),
        ("Gamma", "U4", "U1", "C1", "nothing"),
    ];
    for (name, owner, people, code, description) in rows {
        rota.create(json!({
            "name": name, "owners": [owner], "userIds": words(people), "code": code, "description": description,
        }));
        rota.advance(60);
    }
    let named = |query: &str| {
        let answer = rota.get(&format!("/v1/rotations{query}")).is(200).json();
        let data = answer["data"].as_array().unwrap().clone();
        data.iter()
            .map(|r| text(&r["name"]).to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let id = |name: &str| {
        let all = rota.caller().all("/v1/rotations");
        text(&all.iter().find(|r| r["name"] == name).unwrap()["id"]).to_owned()
    };
    let beta = Rot {
        by: rota.caller(),
        id: id("Beta"),
    };
    beta.patch(json!({ "enabled": false })).is(200);
    let gamma = Rot {
        by: rota.caller(),
        id: id("Gamma"),
    };
    gamma.cover(1, &[always(daily())]);
    for (query, expected) in [
        ("", "Beta Alpha Gamma"),
        ("?sort=createdAt", "Beta Alpha Gamma"),
        ("?sort=-createdAt", "Gamma Alpha Beta"),
        ("?sort=name", "Alpha Beta Gamma"),
        ("?sort=-name", "Gamma Beta Alpha"),
        ("?code=A1", "Alpha"),
        ("?code=NONE", ""),
        ("?enabled=true", "Alpha Gamma"),
        ("?enabled=false", "Beta"),
        ("?mode=auto", "Gamma"),
        ("?mode=manual", "Beta Alpha"),
        ("?mode=external", ""),
        ("?userId=U1", "Beta Gamma"),
        ("?userId=U3", "Beta Alpha"),
        ("?userId=U4", "Gamma"),
        ("?q=duty", "Beta Alpha"),
        ("?q=Gam", "Gamma"),
        ("?q=A1", "Alpha"),
        ("?q=duty&userId=U2&sort=name", "Alpha Beta"),
        ("?pageSize=2", "Beta Alpha"),
        ("?pageSize=2&page=2", "Gamma"),
        ("?page=9", ""),
        ("?sort=name&page=2&pageSize=1", "Beta"),
    ] {
        assert_eq!(named(query), expected, "{query}");
    }
    let page = rota.get("/v1/rotations?pageSize=2&page=3").is(200).json();
    let numbers = ["page", "pageSize", "totalItems", "totalPages"].map(|n| int(&page[n]));
    assert_eq!((numbers, &page["data"]), ([3, 2, 3, 2], &json!([])));
    assert_eq!(int(&rota.get("/v1/rotations").json()["pageSize"]), 50);
    let whole = rota.get("/v1/rotations?code=C1").json()["data"][0].clone();
    assert_eq!(whole, gamma.read());
    for query in [
        "page=0",
        "page=x",
        "page=-1",
        "pageSize=0",
        "pageSize=201",
        "sort=code",
        "sort=-members",
    ] {
        let name = query.split('=').next().unwrap();
        rota.get(&format!("/v1/rotations?{query}")).names(name);
    }
}

#[test]
fn updated_at_follows_the_last_change() {
    let rota = Rota::with_people(1);
    let (first, second) = (rota.rotation("U1"), rota.rotation("U1"));
    rota.advance(60);
    second.patch(json!({ "name": "Second" })).is(200);
    rota.advance(60);
    first.patch(json!({ "name": "First" })).is(200);
    let now = first.read();
    assert_eq!(instant(&now["createdAt"]), MONDAY);
    assert_eq!(instant(&now["updatedAt"]), plus(MONDAY, 120));
    let data = rota.get("/v1/rotations?sort=-updatedAt").json()["data"].clone();
    assert_eq!(
        (text(&data[0]["name"]), text(&data[1]["name"])),
        ("First", "Second")
    );
}

#[test]
fn patch_changes_what_it_names_and_nothing_else() {
    let rota = Rota::with_people(4);
    rota.people_and_groups(4, &[("G1", "U3 U4")]);
    let rotation = rota.rotation("U1 U2");
    let mut before = rotation.read();
    for (change, member) in [
        (json!({ "name": "Renamed" }), "name"),
        (json!({ "description": "Who to call" }), "description"),
        (json!({ "description": null }), "description"),
        (json!({ "code": "X1" }), "code"),
        (json!({ "code": null }), "code"),
        (json!({ "public": true }), "public"),
        (json!({ "owners": ["U2", "U3"] }), "owners"),
        (json!({ "skipsAreOffTime": true }), "skipsAreOffTime"),
        (json!({ "enableTopic": true }), "enableTopic"),
        (
            json!({ "topicTemplate": "On duty: %USER%" }),
            "topicTemplate",
        ),
        (json!({ "topicTemplate": null }), "topicTemplate"),
        (json!({ "managedBy": "platform-team/db.toml" }), "managedBy"),
        (json!({ "managedBy": null }), "managedBy"),
        (json!({ "doubleCover": true }), "doubleCover"),
        (json!({ "enabled": false }), "enabled"),
        (json!({ "enabled": true, "mode": "manual" }), "enabled"),
    ] {
        let etag = rotation.etag();
        let answer = rotation
            .by
            .patch_if(&rotation.path(""), &etag, change.clone())
            .is(200);
        assert_ne!(answer.etag(), etag, "{change}");
        let after = answer.json();
        before[member] = change[member].clone();
        assert_eq!(after, before, "{change}");
        assert_eq!(rotation.read(), after, "{change}");
    }
    rotation
        .patch(json!({ "userIds": ["U2"], "userGroupIds": ["G1"] }))
        .is(200);
    assert_eq!(rotation.order(), "U2 U3 U4");
}

#[test]
fn a_patch_that_is_refused_changes_nothing() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let before = rotation.etag();
    for (change, member) in [
        (json!({ "name": null }), "name"),
        (json!({ "name": "  " }), "name"),
        (json!({ "name": "x".repeat(201) }), "name"),
        (json!({ "enabled": "no" }), "enabled"),
        (json!({ "enabled": null }), "enabled"),
        (json!({ "owners": [] }), "owners"),
        (json!({ "owners": ["U1", "U1"] }), "owners"),
        (json!({ "owners": ["U9"] }), "owners"),
        (json!({ "managedBy": "" }), "managedBy"),
        (json!({ "managedBy": "our team" }), "managedBy"),
        (json!({ "managedBy": "x".repeat(65) }), "managedBy"),
        (json!({ "userIds": ["U1", "U1"] }), "userIds"),
        (json!({ "userIds": ["U9"] }), "userIds"),
        (json!({ "userIds": "U1" }), "userIds"),
        (json!({ "userGroupIds": ["G9"] }), "userGroupIds"),
        (json!({ "code": "" }), "code"),
        (json!({ "code": "a/b" }), "code"),
        (json!({ "doubleCover": 1 }), "doubleCover"),
        (json!({ "skipsAreOffTime": [] }), "skipsAreOffTime"),
        (
            json!({ "description": "kept out", "topicTemplate": 3 }),
            "topicTemplate",
        ),
    ] {
        rotation.patch(change).names(member);
    }
    rotation
        .by
        .patch_if(&rotation.path(""), "\"stale\"", json!({ "name": "N" }))
        .refused(412, "precondition_failed");
    assert_eq!(rotation.etag(), before);
}

#[test]
fn a_deleted_rotation_is_gone() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let stale = rotation.etag();
    rotation.patch(json!({ "name": "Newer" })).is(200);
    let path = rotation.path("");
    rota.caller()
        .delete(&path)
        .refused(428, "precondition_required");
    rota.caller()
        .delete_if(&path, &stale)
        .refused(412, "precondition_failed");
    let gone = rota.caller().delete_if(&path, &rotation.etag()).is(204);
    assert!(gone.reply.body.is_empty());
    rota.caller().delete_if(&path, "*").refused(404, "");
    for rest in [
        "",
        "/on-call",
        "/availability",
        "/history?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z",
    ] {
        rotation.get(rest).refused(404, "");
    }
    rotation.patch(json!({ "name": "Back" })).refused(404, "");
    assert_eq!(int(&rota.get("/v1/rotations").json()["totalItems"]), 0);
    rota.get("/v1/rotations/rot_unknown").refused(404, "");
}

/// rules.md 2.1.
#[test]
fn members_follow_their_groups_and_count_once() {
    let rota = Rota::with_people(6);
    rota.people_and_groups(6, &[("G1", "U3 U1 U4"), ("G2", "U4 U5")]);
    let rotation = rota.create(json!({
        "name": "R", "owners": ["U1"], "userIds": ["U2", "U1"], "userGroupIds": ["G1", "G2"],
    }));
    assert_eq!(rotation.order(), "U2 U1 U3 U4 U5");
    let order = roster(&rotation.read(), &Value::Null)["order"].clone();
    let by_group: Vec<_> = order
        .as_array()
        .unwrap()
        .iter()
        .map(|e| text(&e["userGroupId"]))
        .collect();
    assert_eq!(by_group, ["-", "-", "G1", "G1", "G2"]);
    let turns: Vec<_> = order
        .as_array()
        .unwrap()
        .iter()
        .map(|e| int(&e["turn"]))
        .collect();
    assert_eq!(turns, [0, 1, 2, 3, 4]);
    let groups = rotation.read()["members"]["userGroups"].clone();
    let listed = |group: &Value| {
        let users = group["users"].as_array().unwrap();
        users
            .iter()
            .map(|u| text(&u["userId"]))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        (text(&groups[0]["userGroupId"]), listed(&groups[0]).as_str()),
        ("G1", "U3 U1 U4")
    );
    assert_eq!(
        (text(&groups[1]["userGroupId"]), listed(&groups[1]).as_str()),
        ("G2", "U4 U5")
    );
    // Someone joins G1 and someone leaves it.
    rota.people_and_groups(6, &[("G1", "U3 U1 U6"), ("G2", "U4 U5")]);
    assert_eq!(rotation.order(), "U2 U1 U3 U6 U4 U5");
}

#[test]
fn channels_are_added_changed_and_dropped() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let put = |channel: &str, body: Value| rotation.put(&format!("/channels/{channel}"), body);
    let settings = |rotation: &Value| {
        let all = rotation["channelSettings"].as_array().unwrap().clone();
        let line = |c: &Value| {
            let on = |name: &str| if c[name] == json!(true) { "+" } else { "-" };
            format!(
                "{}{}{}",
                text(&c["channelId"]),
                on("postsMessages"),
                on("syncsTopic")
            )
        };
        all.iter().map(line).collect::<Vec<_>>().join(" ")
    };
    for (channel, body, expected, posting) in [
        ("C1", Value::Null, "C1+-", json!(["C1"])),
        ("C2", json!({}), "C1+- C2+-", json!(["C1", "C2"])),
        // Not being a member of a public channel is permitted.
        (
            "C3",
            json!({ "postsMessages": true }),
            "C1+- C2+- C3+-",
            json!(["C1", "C2", "C3"]),
        ),
        (
            "C2",
            json!({ "postsMessages": false }),
            "C1+- C3+-",
            json!(["C1", "C3"]),
        ),
        (
            "C3",
            json!({ "postsMessages": false, "syncsTopic": false }),
            "C1+-",
            json!(["C1"]),
        ),
    ] {
        let after = put(channel, body.clone()).is(200).json();
        assert_eq!(settings(&after), expected, "{channel} {body}");
        assert_eq!(after["channels"], posting, "{channel} {body}");
    }
    rotation.patch(json!({ "enableTopic": true })).is(200);
    for (channel, body, expected, posting) in [
        ("C2", Value::Null, "C1+- C2++", json!(["C1", "C2"])),
        (
            "C2",
            json!({ "postsMessages": false }),
            "C1+- C2-+",
            json!(["C1"]),
        ),
        (
            "C1",
            json!({ "syncsTopic": true }),
            "C1++ C2-+",
            json!(["C1"]),
        ),
        ("C2", json!({ "syncsTopic": false }), "C1++", json!(["C1"])),
    ] {
        let after = put(channel, body.clone()).is(200).json();
        assert_eq!(settings(&after), expected, "{channel} {body}");
        assert_eq!(after["channels"], posting, "{channel} {body}");
    }
    let off = rotation
        .patch(json!({ "enableTopic": false }))
        .is(200)
        .json();
    assert_eq!(
        settings(&off),
        "C1+-",
        "syncsTopic reads false while the whole switch is off"
    );

    put("C9", Value::Null).refused(404, "");
    put("C1", json!({ "postsMessages": "yes" })).names("postsMessages");
    let path = rotation.path("/channels/C1");
    rota.request("PUT", &path)
        .json(&json!({}))
        .send()
        .refused(428, "precondition_required");
    rota.put_if(&path, "\"stale\"", json!({}))
        .refused(412, "precondition_failed");
}
