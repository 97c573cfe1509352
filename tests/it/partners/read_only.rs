//! What stays writable on a rotation that follows a schedule, and what is refused.

use super::*;

/// rules.md 22.1.
#[test]
fn everything_that_would_change_duty_is_refused() {
    let (_pager, rota) = started();
    let rotation = linked(&rota, "S1");
    let cell = rotation.read()["cells"][0]["id"].clone();
    let (from, until) = (rfc("2026-01-05T09:00Z"), rfc("2026-01-05T10:00Z"));
    let assignment = json!({
        "operationId": unique("op"), "cellId": cell, "userId": "U2", "from": from, "to": until,
    });
    let cover = json!({
        "operationId": unique("op"), "cellId": cell, "from": from, "to": until, "recipientUserIds": ["U2"],
    });
    let legs = json!([
        { "key": "a", "cellId": cell, "holderUserId": "U1", "from": rfc("2026-01-05T12:00Z"), "to": rfc("2026-01-06T00:00Z") },
        { "key": "b", "cellId": cell, "holderUserId": "U2", "from": rfc("2026-01-06T12:00Z"), "to": rfc("2026-01-25T00:00Z") },
    ]);
    let swap = json!({ "operationId": unique("op"), "recipientUserId": "U2", "legs": legs });
    let absence = json!({ "userId": "U1", "from": from, "until": until });
    let grid = json!({
        "lanes": [{ "id": "new" }],
        "cells": [],
    });
    let token = rota.token("U1");
    for (who, method, path, body) in [
        ("key", "PUT", "/on-call", json!({ "userIds": ["U2"] })),
        ("key", "PUT", "/on-call", json!({ "userIds": ["U9"] })),
        ("key", "DELETE", "/on-call", Value::Null),
        ("key", "POST", "/rotate", json!({})),
        ("key", "PUT", "/coverage", grid),
        ("key", "PUT", "/rosters", json!({ "nextTurn": 1 })),
        ("key", "PATCH", "", json!({ "userIds": ["U2"] })),
        ("key", "PATCH", "", json!({ "doubleCover": true })),
        (
            "key",
            "PATCH",
            "",
            json!({ "dealing": { "missedTurn": "traded" } }),
        ),
        ("key", "PATCH", "", json!({ "skipsAreOffTime": true })),
        ("key", "POST", "/duty-arrangements", assignment.clone()),
        ("key", "POST", "/duty-arrangements/preview", assignment),
        ("key", "POST", "/availability", absence),
        ("person", "POST", "/cover-requests", cover.clone()),
        ("person", "POST", "/cover-requests/preview", cover),
        ("person", "POST", "/swap-requests", swap.clone()),
        ("person", "POST", "/swap-requests/preview", swap),
    ] {
        let by = match who {
            "key" => rota.caller(),
            _ => rota.with(&token),
        };
        let mut request = by
            .request(method, &rotation.path(path))
            .header("If-Match", "*");
        if !body.is_null() {
            request = request.json(&body);
        }
        let answer = request.send();
        assert_eq!(answer.status(), 409, "{method} {path}: {}", answer.text());
        answer.refused(409, "external_rotation_is_read_only");
    }
    let inbound = rotation.get("/inbound-webhook").is(200).json();
    let key = text(&inbound["key"]);
    for action in [
        "rotate",
        "setonduty?email=u2@example.com",
        "setonduty?email=nobody@example.com",
    ] {
        let url = text(&inbound["url"]).strip_prefix(&rota.url).unwrap();
        let sent = rota.anyone().request("POST", &format!("{url}/{action}"));
        let answer = sent.header("webhook-key", key).send();
        answer.refused(409, "external_rotation_is_read_only");
    }
    assert_eq!(on_call(&rotation), "U1|-");
}

#[test]
fn assistants_preview_what_would_be_refused() {
    let (_pager, rota) = started();
    let rotation = linked(&rota, "S1");
    let one = rota.with(&rota.token("U1"));
    let (from, to) = (rfc("2026-01-05T09:00Z"), rfc("2026-01-05T10:00Z"));
    let called = |arguments: Value| {
        let params = json!({ "name": "add_absence", "arguments": arguments });
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let sent = one
            .request("POST", "/mcp")
            .header("Content-Type", PLAIN_JSON)
            .body(message.to_string());
        sent.send().is(200).json()["result"].clone()
    };
    for confirm in [false, true] {
        let asked = json!({ "code": rotation.id, "from": from, "to": to, "confirm": confirm });
        let said = called(asked)["content"][0]["text"].clone();
        let problem: Value = serde_json::from_str(text(&said)).unwrap();
        assert_eq!(
            problem["code"],
            json!("external_rotation_is_read_only"),
            "{confirm}: {problem}"
        );
    }
    let everywhere = called(json!({ "from": from, "to": to }));
    assert_eq!(everywhere["isError"], json!(false), "{everywhere}");
}

#[test]
fn what_people_read_of_it_stays_writable() {
    let (_pager, rota) = started();
    rota.people_and_groups(2, &[("G1", "")]);
    let rotation = linked(&rota, "S1");
    for body in [
        json!({ "name": "Pager", "description": "Who is paged", "code": "PAGE" }),
        json!({ "public": true, "owners": ["U2"] }),
        json!({ "enableTopic": true, "topicTemplate": "%USER%" }),
        // What is so already may be repeated.
        json!({ "userIds": ["U1", "U2"], "doubleCover": false }),
        json!({ "enabled": false }),
        json!({ "enabled": true }),
    ] {
        rotation.patch(body).is(200);
    }
    let body = rotation.read();
    rota.advance(1);
    rotation.patch(body).is(200);
    rotation
        .by
        .put_if(
            &rotation.path("/channels/C1"),
            "*",
            json!({ "syncsTopic": true }),
        )
        .is(200);
    rotation
        .by
        .put_if(
            &rotation.path("/on-duty-group"),
            "*",
            json!({ "userGroupId": "G1" }),
        )
        .is(200);
    let settings = rotation.get("/mention-settings").is(200).json();
    rotation
        .by
        .put_if(&rotation.path("/mention-settings"), "*", settings)
        .is(200);
    assert_eq!(rota.topic("C1"), "Person U1");
    assert_eq!(rota.group("G1"), "U1");
    // An absence from all rotations is the person's, not this rotation's.
    let absence = json!({
        "userId": "U1", "from": rfc("2026-01-05T09:00Z"), "until": rfc("2026-01-05T10:00Z"), "appliesTo": "allRotations",
    });
    rota.post(&rotation.path("/availability"), absence).is(201);
    rotation.by.delete_if(&rotation.path(""), "*").is(204);
}

#[test]
fn agreements_end_when_a_schedule_is_linked() {
    let (_pager, rota) = started();
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U1").is(200);
    let cell = rotation.read()["cells"][0]["id"].clone();
    let assignment = json!({
        "operationId": unique("op"), "cellId": cell, "userId": "U2",
        "from": rfc("2026-01-05T09:00Z"), "to": rfc("2026-01-05T10:00Z"),
    });
    let made = rotation
        .by
        .post_if(&rotation.path("/duty-arrangements"), "*", assignment)
        .is(200);
    let id = text(&made.json()["arrangements"][0]["id"]).to_owned();
    link(&rotation, to("S1")).is(200);
    let read = rotation
        .get(&format!("/duty-arrangements/{id}"))
        .is(200)
        .json();
    assert_eq!(read["state"], "cancelled");
}
