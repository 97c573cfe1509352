//! The published OpenAPI document.

use crate::support::*;
use serde_json::{Value, json};

#[test]
fn the_document_is_served_and_printed() {
    let rota = Rota::at(MONDAY);
    let answer = rota.anyone().get("/v1/openapi.json").is(200);
    let document = answer.json();
    assert!(
        text(&document["openapi"]).starts_with("3.1"),
        "{}",
        document["openapi"]
    );
    let dir = TempDir::new();
    let (code, printed, errors) = run(rota_command(&dir).arg("openapi"));
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), document);
}

#[test]
fn every_operation_has_answers_and_every_reference_a_target() {
    let rota = Rota::at(MONDAY);
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    let mut operations = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if ["get", "put", "post", "patch", "delete"].contains(&method.as_str()) {
                operations += 1;
                let responses = operation["responses"].as_object();
                assert!(responses.is_some_and(|r| !r.is_empty()), "{method} {path}");
            }
        }
    }
    assert!(operations >= 76, "{operations}");
    let whole = document.to_string();
    for reference in whole.split("\"$ref\":\"").skip(1) {
        let reference = reference.split('"').next().unwrap();
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| document.pointer(pointer));
        assert!(target.is_some(), "dangling {reference}");
    }
}

/// Calls every operation in the ways that it documents to refuse.
#[test]
fn every_operation_refuses_as_it_says() {
    let rota = Rota::at(MONDAY);
    rota.people_and_groups(2, &[("G1", "U1 U2")]);
    let rotation = rota.daily("U1 U2", 1);
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["cells"][0]["rosterId"] = json!("day");
    rotation.put("/coverage", grid).is(200);
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    let range = "?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z";
    let away =
        json!({ "userId": "U1", "from": "2026-03-01T00:00:00Z", "until": "2026-03-02T00:00:00Z" });
    let agreed = agreements(&rota, &rotation);
    let (asking, asked_for) = (rota.token("U1"), rota.token("U2"));
    let (hook, receiver) = rota.hook("");
    let (inbound, mention) = (rotation.inbound(), rotation.mention("U2"));
    let endpoint = json!({ "name": "test", "url": receiver.url(), "eventTypes": [] });
    let mut asked = 0;
    for (template, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let Some(responses) = operation["responses"].as_object() else {
                continue;
            };
            let method = method.to_uppercase();
            // No credential, or none unless the operator requires one.
            if [json!([]), json!([{}, { "apiKey": [] }])].contains(&operation["security"]) {
                continue;
            }
            asked += 1;
            let what = format!("{method} {template}");
            let documented = |status: &str| responses.contains_key(status);
            if operation["security"] == json!([{ "accessCode": [] }]) {
                assert!(operation["deprecated"] == json!(true), "{what}");
                let action = template.strip_prefix("/webhook/{webhookPath}/");
                refuses_without_its_key(&inbound, action.expect("an action"), responses);
                continue;
            }
            let fill = |rotation: &str, of: [&str; 10]| {
                let names = [
                    "channelId",
                    "userId",
                    "groupId",
                    "rosterId",
                    "absenceId",
                    "webhookId",
                    "arrangementId",
                    "coverRequestId",
                    "swapRequestId",
                    "mentionId",
                ];
                let mut path = template.replace("{rotationId}", rotation);
                for (name, id) in names.into_iter().zip(of) {
                    path = path.replace(&format!("{{{name}}}"), id);
                }
                let lists = [
                    "/schedule",
                    "/history",
                    "/duty-arrangements",
                    "/cover-requests",
                    "/swap-requests",
                ];
                let ranged = method == "GET" && lists.iter().any(|end| template.ends_with(end));
                path + if ranged { range } else { "" }
            };
            let body = match template.rsplit('/').next().unwrap() {
                _ if operation.get("requestBody").is_none() => None,
                "on-call" | "{rosterId}" => Some(json!({ "userIds": ["U1"] })),
                "rosters" => Some(json!({ "nextTurn": 0 })),
                "changes" if !template.contains("arrangement") => {
                    Some(json!({ "operationId": "o", "at": "now", "remove": ["U1"] }))
                }
                "plan" => Some(json!({ "rotations": [{ "code": "NONE" }] })),
                "calendars" => Some(json!({ "url": "http://127.0.0.1:1/a.ics" })),
                "external" => Some(json!({ "partner": "none" })),
                "{participantId}" => Some(json!({ "userId": null })),
                "calendar-feeds" => Some(json!({ "rotationId": "rot_unknown" })),
                "coverage" => Some(rotation.grid(1, &[always(daily())])),
                "availability" => Some(away.clone()),
                "rotations" => Some(new_rotation("U1")),
                "webhooks" | "{webhookId}" => Some(endpoint.clone()),
                "on-duty-group" => Some(json!({ "handle": "duty" })),
                "accept" | "decline" | "cancel" | "end" => Some(agreed.step.clone()),
                _ if template.contains("/duty-arrangements") => Some(agreed.assignment.clone()),
                _ if template.contains("/cover-requests") => Some(agreed.cover.clone()),
                _ if template.contains("/swap-requests") => Some(agreed.swap.clone()),
                _ if template.ends_with("/notifications") => {
                    Some(json!({ "mail": true, "kinds": [] }))
                }
                _ => Some(json!({})),
            };
            let [arrangement, cover, swap] = &agreed.ids;
            let here = fill(
                &rotation.id,
                [
                    "C1",
                    "U1",
                    "G1",
                    "day",
                    "abs_x",
                    &hook.id,
                    arrangement,
                    cover,
                    swap,
                    &mention.id,
                ],
            );
            let about = text(&operation["description"]);
            let personal = about.contains("Needs a member token.");
            let answers = template.ends_with("/accept") || template.ends_with("/decline");
            let caller = match (personal, answers) {
                (true, true) => rota.with(&asked_for),
                (true, false) => rota.with(&asking),
                (false, _) => rota.caller(),
            };
            let request = |by: Caller<'_>, path: &str| {
                let request = by.request(&method, path).header("If-Match", "*");
                let request = request.header("Idempotency-Key", &unique("asked"));
                match &body {
                    Some(body) => request.json(body).send(),
                    None => request.send(),
                }
            };
            for always in ["400", "401", "403", "429", "500", "503"] {
                assert!(documented(always), "{what}: {always} is not described");
            }
            request(rota.anyone(), &here).refused(401, "missing_credential");
            request(rota.with("svc_key_x_y"), &here).refused(401, "unknown");
            if personal {
                request(rota.caller(), &here).refused(403, "scope_denied");
            }
            if operation["security"] == json!([{ "apiKey": [] }]) {
                request(rota.with(&asking), &here).refused(403, "scope_denied");
            }
            if let Some((_, rest)) = about.split_once("Needs the scope `") {
                let scope = rest.split('`').next().unwrap();
                let all = "read:rotations write:rotations read:oncall write:duty read:directory manage:webhooks manage:directory read:contacts";
                // No key that may do anything else has this one.
                if scope == "replicate" {
                    request(rota.caller(), &here).refused(403, "scope_denied");
                    continue;
                }
                assert!(all.contains(scope), "{what}: {scope}");
                let others = rota.key(&all.replace(scope, ""));
                request(rota.with(&others), &here).refused(403, "scope_denied");
            }
            // Of the audit log a rotation that is not there is told to its owners alone.
            if documented("404") && template != "/v1/audit" {
                let unknown = [
                    "C9", "U9", "G9", "night", "abs_x", "whk_x", "arr_x", "cov_x", "swp_x", "men_x",
                ];
                let mut unknown = fill("rot_unknown", unknown);
                if template == "/v1/users/{userId}/shifts" {
                    unknown += "?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z";
                }
                if template == "/v1/reports/duty" {
                    unknown += &format!("{range}&rotationId=rot_unknown");
                }
                request(caller.clone(), &unknown).refused(404, "");
            }
            if documented("412") {
                let stale = caller
                    .request(&method, &here)
                    .header("If-Match", "\"stale\"");
                let stale = match &body {
                    Some(body) => stale.json(body),
                    None => stale,
                };
                stale.send().refused(412, "precondition_failed");
            }
            if documented("428") {
                let bare = caller.request(&method, &here);
                let bare = match &body {
                    Some(body) => bare.json(body),
                    None => bare,
                };
                bare.send().refused(428, "precondition_required");
            }
            assert_eq!(documented("415"), body.is_some(), "{what}");
            if body.is_some() {
                let typed = |kind: &str, bytes: Vec<u8>| {
                    let request = caller.request(&method, &here).header("If-Match", "*");
                    let request = request.header("Idempotency-Key", &unique("asked"));
                    request.header("Content-Type", kind).body(bytes).send()
                };
                typed("text/plain", b"{}".to_vec()).refused(415, "invalid_request");
                typed(PLAIN_JSON, vec![b' '; 1024 * 1024 + 1]).refused(413, "invalid_request");
                typed(PLAIN_JSON, b"[]".to_vec()).refused(400, "invalid_request");
            }
        }
    }
    assert!(asked >= 72, "{asked}");
    assert_eq!(rotation.etag(), rotation.get("/on-call").is(200).etag());
}

/// Calls an operation with the key of an inbound webhook in the ways that it documents to refuse.
#[track_caller]
fn refuses_without_its_key(
    inbound: &Inbound,
    action: &str,
    documented: &serde_json::Map<String, Value>,
) {
    for always in ["400", "401", "404", "409", "429", "500", "503"] {
        assert!(
            documented.contains_key(always),
            "{action}: {always} is not described"
        );
    }
    // It accepts no other credential, so scopes do not apply; it reads no body.
    for never in ["403", "412", "415", "428"] {
        assert!(
            !documented.contains_key(never),
            "{action}: {never} is described"
        );
    }
    let bare = inbound
        .rota
        .request("POST", &format!("{}/{action}", inbound.path));
    bare.send().refused(401, "missing_credential");
    let wrong = inbound.with_key("x");
    wrong.post(action).refused(401, "invalid_access_code");
    let elsewhere = Inbound {
        path: "/webhook/unknown".to_owned(),
        ..inbound.clone()
    };
    elsewhere.post(action).refused(404, "");
    let twice = inbound
        .request("POST", action)
        .header("webhook-key", &inbound.key);
    twice.send().names("webhook-key");
}

/// The ids and paths for operations on agreements.
struct Agreements {
    /// An arrangement, a cover request and a swap request.
    ids: [String; 3],
    assignment: Value,
    cover: Value,
    swap: Value,
    step: Value,
}

/// Creates one of each in a rotation of U1 and U2, handed over daily at 09:00.
fn agreements(rota: &Rota, rotation: &Rot) -> Agreements {
    let cell = rotation.read()["cells"][0]["id"].clone();
    let turn = |day: &str, next: &str| {
        let (from, to) = (format!("{day}T09:00:00Z"), format!("{next}T09:00:00Z"));
        json!({ "operationId": unique("op"), "cellId": cell, "from": from, "to": to })
    };
    let with = |mut body: Value, more: Value| {
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let leg = |key: &str, holder: &str, day: &str, next: &str| {
        let mut leg = turn(day, next);
        leg.as_object_mut().unwrap().remove("operationId");
        with(leg, json!({ "key": key, "holderUserId": holder }))
    };
    let assignment = with(
        turn("2026-01-20", "2026-01-21"),
        json!({ "userId": "U1", "expectedRevision": 1 }),
    );
    let cover = with(
        turn("2026-01-06", "2026-01-07"),
        json!({ "recipientUserIds": ["U2"] }),
    );
    let swap = json!({
        "operationId": unique("op"), "recipientUserId": "U2",
        "legs": [leg("a", "U1", "2026-01-08", "2026-01-09"), leg("b", "U2", "2026-01-07", "2026-01-08")],
    });
    let ours = rotation.with(&rota.token("U1"));
    let made = |by: &Rot, route: &str, body: &Value| {
        let answer = by.by.post_if(&by.path(route), "*", body.clone());
        answer.is(200).json()
    };
    let arrangement = made(rotation, "/duty-arrangements", &assignment);
    let id = |written: Value| text(&written["request"]["request"]["id"]).to_owned();
    Agreements {
        ids: [
            text(&arrangement["arrangements"][0]["id"]).to_owned(),
            id(made(&ours, "/cover-requests", &cover)),
            id(made(&ours, "/swap-requests", &swap)),
        ],
        assignment: with(assignment, json!({ "operationId": unique("op") })),
        cover: with(cover, json!({ "operationId": unique("op") })),
        swap: with(swap, json!({ "operationId": unique("op") })),
        step: json!({ "operationId": unique("op"), "expectedRevision": 1 }),
    }
}

fn rota_command(dir: &TempDir) -> std::process::Command {
    crate::support::rota(dir.path())
}
