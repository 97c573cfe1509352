//! What nobody knows is refused, and what was read can be sent back.

use crate::support::*;
use serde_json::{Value, json};

/// The detail of a 400.
#[track_caller]
fn detail(answer: Answer) -> String {
    text(&answer.refused(400, "invalid_request")["detail"]).to_owned()
}

/// rules.md 11.5.
#[test]
fn unknown_members_and_parameters_name_the_nearest_known_one() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["windows"][0]["timezone"] = json!("UTC");
    for (answer, expected) in [
        (
            rotation.patch(json!({ "descripton": "d" })),
            "descripton: unknown; did you mean description?",
        ),
        (
            rotation.put("/coverage", grid),
            "windows[0].timezone: unknown; did you mean timeZone?",
        ),
        (
            rota.get("/v1/rotations?pagesize=10"),
            "pagesize: unknown; did you mean pageSize?",
        ),
        (
            rota.get("/v1/rotations?limit=10"),
            "limit: unknown; known are page, pageSize, sort, code, enabled, mode, userId, q",
        ),
        (
            rotation.get("?expand=users"),
            "expand: unknown; this route takes no query parameters",
        ),
        (
            rota.anyone().get("/healthz?verbose"),
            "verbose: unknown; this route takes no query parameters",
        ),
        (
            rota.get("/metrics?name[]=rota"),
            "name[]: unknown; this route takes no query parameters",
        ),
        (
            rota.post("/dev/clock?x=1", json!({ "advanceSeconds": 1 })),
            "x: unknown; this route takes no query parameters",
        ),
        (
            rota.post("/dev/clock", json!({ "advanceSecond": 1 })),
            "advanceSecond: unknown; did you mean advanceSeconds?",
        ),
        (
            rota.request("PUT", "/dev/plan")
                .json(&json!({ "nam": "free" }))
                .send(),
            "nam: unknown; did you mean name?",
        ),
    ] {
        assert_eq!(detail(answer), expected);
    }
    // The URL of a receiver is the tester's own.
    rota.post("/dev/receiver/pager?token=x", json!({ "any": 1 }))
        .is(200);
}

/// An unknown member is wrong whatever the resource is, an unknown parameter before the body is looked at.
/// rules.md 11.4.
#[test]
fn the_order_of_checks() {
    let rota = Rota::with_people(1);
    let path = "/v1/rotations/rot_unknown";
    let patch = |path: &str, body: Value| rota.caller().patch_if(path, "\"stale\"", body);
    let unknown = json!({ "nmae": "x" });
    rota.anyone()
        .request("PATCH", path)
        .json(&unknown)
        .send()
        .refused(401, "missing_credential");
    let bare = rota.request("PATCH", path).json(&unknown);
    bare.send().refused(428, "precondition_required");
    patch(path, unknown.clone()).names("nmae: unknown");
    patch(&format!("{path}?q=x"), unknown).names("q: unknown");
    // Whether a shown member is so is seen when the rotation is: after 404 and 412.
    patch(path, json!({ "mode": "external" })).refused(404, "not_found");
    let rotation = rota.rotation("U1");
    let mode = json!({ "mode": "external" });
    patch(&rotation.path(""), mode.clone()).refused(412, "precondition_failed");
    rotation.patch(mode).names("mode: ");
}

/// rules.md 11.5.
#[test]
fn a_rotation_that_was_read_can_be_sent_back() {
    let rota = Start::default().demo().go();
    let all = rota.get("/v1/rotations").is(200).json();
    let all = all["data"].as_array().expect("rotations").clone();
    assert!(all.len() >= 2);
    for shown in all {
        let path = format!("/v1/rotations/{}", text(&shown["id"]));
        let etag = rota.get(&path).etag();
        let whole = rota.caller().patch_if(&path, &etag, shown.clone()).is(200);
        assert_eq!((whole.etag(), whole.json()), (etag.clone(), shown.clone()));
        let coverage = format!("{path}/coverage");
        let whole = rota.put_if(&coverage, &etag, shown.clone()).is(200);
        assert_eq!((whole.etag(), whole.json()), (etag.clone(), shown.clone()));
        // With one change.
        let mut renamed = shown.clone();
        renamed["name"] = json!("Renamed");
        let changed = rota.caller().patch_if(&path, &etag, renamed).is(200).json();
        assert_eq!(changed["name"], json!("Renamed"));
        assert_eq!(changed["lanes"], shown["lanes"]);
        // As another one: lanes are a number there, and a list counts as its length.
        let mut copy = shown.clone();
        copy["code"] = Value::Null;
        let copy = rota.try_create(copy).is(201).json();
        assert_eq!(copy["runningLanes"], shown["runningLanes"]);
        assert_eq!(copy["owners"], shown["owners"]);
    }
}

#[test]
fn other_resources_that_were_read_can_be_sent_back() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let settings = rotation.get("/mention-settings").is(200).json();
    let again = rotation.put("/mention-settings", settings.clone()).is(200);
    assert_eq!(again.json(), settings);
    rotation.away("U2", "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z");
    let absence = rotation.get("/availability").is(200).json()["data"][0].clone();
    let path = rotation.path("/availability");
    let again = rota.post(&path, absence.clone()).is(200).json();
    assert_eq!(again["id"], absence["id"]);
    let (hook, _) = rota.hook("duty.changed");
    let path = format!("/v1/webhooks/{}", hook.id);
    let shown = rota.get(&path).is(200);
    let again = rota.put_if(&path, &shown.etag(), shown.json()).is(200);
    assert_eq!((again.etag(), again.json()), (shown.etag(), shown.json()));
    let on_call = rotation.get("/on-call").is(200).json();
    let mut with_people = on_call.clone();
    with_people["userIds"] = json!(["U1"]);
    rotation.put("/on-call", with_people).is(200);
}

/// What is sent as it stands is no change, whoever has left since.
#[test]
fn a_rotation_whose_owner_has_left_can_be_sent_back() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.patch(json!({ "owners": ["U2", "U3"] })).is(200);
    rota.people(2);
    let shown = rotation.read();
    assert_eq!(shown["owners"], json!(["U2", "U3"]));
    rotation.patch(shown.clone()).is(200);
    rotation
        .patch(json!({ "owners": ["U3"] }))
        .names("owners[0]");
    assert_eq!(rotation.read(), shown);
}

#[test]
fn patch_names_the_route_that_changes_a_member() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let etag = rotation.etag();
    let coverage = "use PUT /v1/rotations/{rotationId}/coverage";
    let on_call = "use PUT /v1/rotations/{rotationId}/on-call";
    let itself = "the server sets it; send what the rotation shows, or leave it out";
    for (body, member, advice) in [
        (json!({ "mode": "manual" }), "mode: ", coverage),
        (json!({ "windows": [] }), "windows: ", coverage),
        (
            json!({ "windows": [{ "cadence": { "period": 2 } }] }),
            "windows[0].cadence.period: ",
            coverage,
        ),
        (
            json!({ "cells": [{ "rosterId": "x" }] }),
            "cells[0].rosterId: ",
            coverage,
        ),
        (
            json!({ "onCall": { "onCall": [] } }),
            "onCall.onCall: ",
            on_call,
        ),
        (json!({ "openSeats": 7 }), "openSeats: ", on_call),
        (
            json!({ "channels": ["C1"] }),
            "channels: ",
            "use PUT /v1/rotations/{rotationId}/channels/{channelId}",
        ),
        (
            json!({ "members": { "users": [] } }),
            "members.users: ",
            "use PATCH /v1/rotations/{rotationId} with userIds or userGroupIds",
        ),
        (
            json!({ "rosters": [{ "nextTurn": 7 }] }),
            "rosters[0].nextTurn: ",
            "use PUT /v1/rotations/{rotationId}/rosters/{rosterId}",
        ),
        (
            json!({ "onDutyUserGroupId": "G1" }),
            "onDutyUserGroupId: ",
            "use PUT /v1/rotations/{rotationId}/on-duty-group",
        ),
        (json!({ "id": "rot_x" }), "id: ", itself),
        (
            json!({ "createdAt": 7, "name": "Kept" }),
            "createdAt: ",
            itself,
        ),
    ] {
        let told = detail(rotation.patch(body));
        assert!(told.starts_with(member) && told.ends_with(advice), "{told}");
    }
    assert_eq!(rotation.etag(), etag);
    let lanes = json!({ "runningLanes": "1", "lanes": [{ "name": null }] });
    assert_eq!(rotation.patch(lanes).is(200).etag(), etag);
}

/// rules.md 11.6.
#[test]
fn a_weak_validator_is_told_from_a_stale_one() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    let (hook, _) = rota.hook("");
    let endpoint = format!("/v1/webhooks/{}", hook.id);
    for (path, body) in [
        (rotation.path(""), json!({ "name": "N" })),
        (endpoint.clone(), rota.get(&endpoint).json()),
    ] {
        let method = if path == endpoint { "PUT" } else { "PATCH" };
        let tag = rota.get(&path).etag();
        let told = |tags: &str| {
            let request = rota.request(method, &path).header("If-Match", tags);
            let problem = request.json(&body).send();
            text(&problem.refused(412, "precondition_failed")["detail"]).to_owned()
        };
        for tags in [
            format!("W/{tag}"),
            "W/\"old\"".to_owned(),
            format!("\"old\", W/{tag}"),
        ] {
            let why = told(&tags);
            assert!(
                why.contains("a proxy that compresses answers has weakened it"),
                "{why}"
            );
        }
        assert!(!told("\"old\"").contains("proxy"));
        let both = format!("W/{tag}, {tag}");
        let request = rota.request(method, &path).header("If-Match", &both);
        request.json(&body).send().is(200);
    }
}

#[test]
fn the_directory_is_as_strict() {
    let rota = Rota::with_people(1);
    let put = |body: Value| rota.request("PUT", "/dev/directory").json(&body).send();
    let with = |users: Value| json!({ "team": { "id": "T1" }, "users": users });
    for (body, expected) in [
        (
            json!({ "team": { "id": "T1" }, "usrs": [] }),
            "usrs: unknown; did you mean users?",
        ),
        (
            with(json!([{ "id": "U1", "displayname": "a" }])),
            "users[0].displayname: unknown; did you mean displayName?",
        ),
        (
            json!({ "team": { "id": "T1", "url": "x" }, "users": [] }),
            "team.url: unknown; known are id, name, domain",
        ),
    ] {
        assert_eq!(detail(put(body)), expected);
    }
    let dir = TempDir::new();
    let file = dir.join("people.json");
    std::fs::write(
        &file,
        with(json!([{ "id": "U1", "isadmin": true }])).to_string(),
    )
    .unwrap();
    let mut import = crate::support::rota(dir.path());
    let (code, _, errors) = run(import.args(["directory", "import", "people.json"]));
    assert_eq!(code, 1, "{errors}");
    let expected = "users[0].isadmin: unknown; did you mean isAdmin?";
    assert!(errors.contains(expected), "{errors}");
}
