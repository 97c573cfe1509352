//! Linking, unlinking, and who the partner's people are.

use super::*;

/// rules.md 22.1 and 22.2.
#[test]
fn linking_resets_the_grid_and_shows_the_schedule() {
    let (_pager, rota) = started();
    let rotation = rota.rotation("U2");
    rotation.put_on_call("U2").is(200);
    let before = rotation.read();
    let after = link(&rotation, to("S1")).is(200);
    assert!(!after.etag().is_empty());
    let after = after.json();
    assert_eq!(after["mode"], "external");
    for part in ["lanes", "windows", "cells"] {
        assert_eq!(after[part].as_array().unwrap().len(), 1);
        assert_ne!(after[part][0]["id"], before[part][0]["id"], "{part}");
    }
    let window = &after["windows"][0];
    assert_eq!(window["timeZone"], "Europe/Oslo");
    assert_eq!(window["alwaysOpen"], true);
    let cadence = json!({
        "type": "external", "partner": "pagerPartner", "timeZone": "Europe/Oslo",
        "nextEvents": [
            "2026-01-05T12:00:00Z", "2026-01-06T00:00:00Z", "2026-01-06T06:00:00Z", "2026-01-06T12:00:00Z",
        ],
    });
    assert_eq!(window["cadence"], cadence);
    // P3 is unknown here.
    let members: Vec<&str> = after["members"]["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| text(&member["userId"]))
        .collect();
    assert_eq!(members, ["U1", "U2"]);
    assert_eq!((int(&after["heldSeats"]), int(&after["openSeats"])), (1, 0));
    let holder = &after["cells"][0]["holder"];
    assert_eq!(holder["userId"], "U1");
    assert_eq!(holder["since"], "2026-01-05T00:00:00Z");
    assert_eq!(holder["until"], "2026-01-05T12:00:00Z");
    assert!(holder.get("turn").is_none());
    let entry = &after["onCall"]["onCall"][0];
    assert_eq!(entry["userId"], "U1");
    assert!(entry.get("turn").is_none());
    assert_eq!(entry["cellId"], after["cells"][0]["id"]);
    let shown = &after["onCall"]["externalAssignments"];
    for (member, expected) in [
        ("state", json!("current")),
        ("coverage", json!("complete")),
        ("asOfUtc", json!("2026-01-05T08:00:00Z")),
        ("lastSuccessfulReadUtc", json!("2026-01-05T08:00:00Z")),
        ("lastReadFailureUtc", Value::Null),
        ("lastReadFailure", Value::Null),
        ("knownFromUtc", json!("2026-01-05T07:00:00Z")),
        ("knownUntilUtc", json!("2026-01-19T08:00:00Z")),
        ("requiredAssignmentCount", json!(1)),
        ("assignedAssignmentCount", json!(1)),
        ("emptyAssignmentCount", json!(0)),
        ("unmappedAssignmentCount", json!(0)),
        ("distinctResponderCount", json!(1)),
        ("distinctParticipantCount", json!(3)),
    ] {
        assert_eq!(shown[member], expected, "{member}");
    }
    let next = &shown["nextChange"];
    assert_eq!(next["atUtc"], "2026-01-05T12:00:00Z");
    assert_eq!(next["starting"][0]["user"]["id"], "U2");
    assert_eq!(next["ending"][0]["user"]["id"], "U1");
    assert_eq!(next["continuing"], json!([]));
    let now = &shown["current"][0];
    assert_eq!(now["externalName"], "Pager 1");
    assert_eq!(now["externalEmail"], "U1@Example.com");
    let origin = &now["externalAssignment"];
    assert_eq!(origin["memberKind"], "user");
    assert_eq!(origin["participantId"], "P1");
    assert_eq!(origin["sourceType"], "rotation");
    assert_eq!(origin["rotationId"], "L1");
    assert_eq!(origin["overrideId"], Value::Null);
    // A reading gives the same ids.
    let id = now["localAssignmentId"].clone();
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(external(&rotation)["current"][0]["localAssignmentId"], id);
}

/// rules.md 22.9.
#[test]
fn readings_carry_no_validator_and_writes_do() {
    let (_pager, rota) = started();
    let rotation = linked(&rota, "S1");
    for path in ["", "/on-call", "/on-call?expand=users"] {
        let read = rotation.by.request("GET", &rotation.path(path));
        let read = read.header("If-None-Match", "*").send().is(200);
        assert_eq!(read.header("ETag"), None, "{path}");
    }
    let patched = rotation
        .by
        .patch_if(&rotation.path(""), "*", json!({ "name": "Pager" }));
    let etag = patched.is(200).etag();
    let body = json!({ "name": "Again" });
    let again = rotation
        .by
        .patch_if(&rotation.path(""), &etag, body.clone());
    again.is(200);
    let stale = rotation.by.patch_if(&rotation.path(""), &etag, body);
    stale.refused(412, "precondition_failed");
}

#[test]
fn what_cannot_be_linked_is_refused() {
    let (pager, rota) = started();
    let rotation = rota.rotation("U1");
    link(&rotation, to("S9")).names("scheduleId");
    link(
        &rotation,
        json!({ "partner": "opsPartner", "scheduleId": "S1" }),
    )
    .names("partner");
    link(&rotation, json!({ "partner": "pager" })).names("partner");
    link(&rotation, json!({ "partner": "pagerPartner" })).names("scheduleId");
    link(&rotation, json!({ "partner": "none", "scheduleId": "S1" })).names("scheduleId");
    pager.troubles(Trouble::Status(500));
    let refused = link(&rotation, to("S1")).refused(503, "partner_unavailable");
    assert!(text(&refused["detail"]).contains("server_error"));
    assert_eq!(rotation.read()["mode"], "manual");
    let unlinked = rotation.by.delete_if(&rotation.path("/external"), "*");
    unlinked.refused(409, "not_external");
    pager.troubles(None);
    rota.plan("free");
    link(&rotation, to("S1")).refused(402, "payment_required");
    link(&rotation, json!({ "partner": "none" })).refused(402, "payment_required");
}

#[test]
fn a_rotation_may_be_external_before_a_schedule_is_linked() {
    let (_pager, rota) = started();
    let rotation = rota.rotation("U1 U2");
    let after = link(&rotation, json!({ "partner": "none" })).is(200).json();
    assert_eq!(after["mode"], "external");
    assert_eq!(after["windows"][0]["cadence"]["partner"], "none");
    assert_eq!(int(&after["openSeats"]), 1);
    assert_eq!(rotation.order(), "U1 U2");
    let shown = external(&rotation);
    assert_eq!(shown["state"], "notConnected");
    assert_eq!(shown["coverage"], "unknown");
    link(&rotation, to("S1")).is(200);
    assert_eq!(on_call(&rotation), "U1|-");
}

/// rules.md 22.2.
#[test]
fn the_same_schedule_again_keeps_the_grid() {
    let (_pager, rota) = started();
    let rotation = linked(&rota, "S1");
    let before = rotation.read();
    let after = link(&rotation, to("S1")).is(200).json();
    assert_eq!(after["cells"][0]["id"], before["cells"][0]["id"]);
}

/// rules.md 22.2.
#[test]
fn unlinking_makes_it_manual_and_keeps_whoever_is_known() {
    let (_pager, rota) = started();
    let rotation = linked(&rota, "S1");
    rota.to("2026-01-05T13:00Z");
    let after = rotation
        .by
        .delete_if(&rotation.path("/external"), "*")
        .is(200);
    let after = after.json();
    assert_eq!(after["mode"], "manual");
    assert_eq!(after["windows"][0]["cadence"], json!({ "type": "manual" }));
    assert_eq!(rotation.on_call(), "U2");
    assert_eq!(rotation.order(), "U1 U2");
    assert_eq!(
        rotation.read()["onCall"]["externalAssignments"],
        Value::Null
    );
    assert!(!rotation.etag().is_empty());
    rotation.put_on_call("U1").is(200);
}

#[test]
fn partners_list_their_schedules_for_a_minute() {
    let (pager, rota) = started();
    let rotation = linked(&rota, "S1");
    pager.has("S2", "P1", &[]);
    let partners = rota.caller().all("/v1/partners");
    assert_eq!(partners.len(), 1);
    assert_eq!(partners[0]["partner"], "pagerPartner");
    assert_eq!(partners[0]["connected"], true);
    assert_eq!(partners[0]["lastSuccessfulReadUtc"], "2026-01-05T08:00:00Z");
    let schedules = rota.caller().all("/v1/partners/pagerPartner/schedules");
    assert_eq!(schedules[0]["linkedRotationIds"], json!([rotation.id]));
    assert_eq!(schedules[0]["timeZone"], "Europe/Oslo");
    assert_eq!(schedules[1]["name"], "Schedule S2");
    assert_eq!(schedules[1]["linkedRotationIds"], json!([]));
    let one = rota
        .caller()
        .all("/v1/partners/pagerPartner/schedules?q=s2");
    assert_eq!(one.len(), 1);
    assert_eq!(pager.count("/schedules"), 1);
    for path in [
        "opsPartner/schedules",
        "opsPartner/people",
        "nobody/schedules",
    ] {
        let refused = rota.get(&format!("/v1/partners/{path}"));
        refused.refused(404, "not_found");
    }
}

/// rules.md 22.3.
#[test]
fn people_are_known_by_mail_address_and_by_what_is_said() {
    let (_pager, rota) = started();
    rota.people(3);
    let rotation = linked(&rota, "S1");
    let people = || -> Vec<String> {
        let people = rota.caller().all("/v1/partners/pagerPartner/people");
        let line = |person: &Value| {
            let [id, user, by] =
                ["participantId", "userId", "linked"].map(|name| text(&person[name]));
            format!("{id} {user} {by}")
        };
        people.iter().map(line).collect()
    };
    assert_eq!(people(), ["P1 U1 email", "P2 U2 email", "P3 U3 email"]);
    let path = |id: &str| format!("/v1/partners/pagerPartner/people/{id}");
    let say = |id: &str, user: Value| {
        let put = rota.caller().request("PUT", &path(id));
        put.json(&json!({ "userId": user })).send()
    };
    let (_hook, receiver) = rota.hook("duty.changed rotation.updated");
    let said = say("P1", json!("U3")).is(200).json();
    assert_eq!(said["linked"], "explicit");
    assert_eq!(on_call(&rotation), "U3|-");
    receiver.wait_for(2);
    let bodies = receiver.bodies();
    let kinds: Vec<&str> = bodies.iter().map(|body| text(&body["eventType"])).collect();
    assert!(kinds.contains(&"duty.changed"), "{kinds:?}");
    assert_eq!(rotation.order(), "U3 U2");
    // A person is not set free by leaving them out.
    let put = rota.caller().request("PUT", &path("P1"));
    put.json(&json!({})).send().names("userId");
    assert_eq!(on_call(&rotation), "U3|-");
    say("P1", Value::Null).is(200);
    assert_eq!(on_call(&rotation), "U1|-");
    say("P1", json!("U9")).names("userId");
    say("P9", json!("U1")).refused(404, "not_found");
    // Somebody who leaves the workspace is unknown from then on.
    rota.people(0);
    assert_eq!(on_call(&rotation), "|Pager 1");
    rota.people(2);
    assert_eq!(on_call(&rotation), "U1|-");
}
