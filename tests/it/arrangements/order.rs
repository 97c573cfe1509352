//! The order of checks if several fail; and ETags.

use super::four;
use crate::support::*;
use serde_json::{Value, json};

/// The request of every row: credential, content type, ETag, path and body.
struct Sent<'a> {
    key: Option<&'a str>,
    kind: &'a str,
    etag: Option<&'a str>,
    path: String,
    body: String,
}

#[track_caller]
fn answered(rota: &Rota, sent: Sent, status: u16, code: &str) {
    let caller = Caller {
        rota,
        credential: sent.key.map(str::to_owned),
    };
    caller
        .request("POST", &sent.path)
        .header("Content-Type", sent.kind)
        .maybe("If-Match", sent.etag.map(str::to_owned))
        .body(sent.body)
        .send()
        .refused(status, code);
}

/// A rotation with an arrangement of revision 1, then disabled.
fn disabled(rota: &Rota) -> (Rot<'_>, Value) {
    let rotation = four(rota);
    let old = rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    rotation.patch(json!({ "enabled": false })).is(200);
    (rotation, old)
}

#[test]
fn the_first_thing_wrong_is_the_one_answered() {
    let rota = Rota::with_people(4);
    let ((mine, old), other) = (disabled(&rota), four(&rota));
    let reader = rota.key("read:oncall read:rotations write:rotations");
    let selected = rota.mint(json!({
        "name": "selected", "scopes": ["write:duty"], "rotationIds": [mine.id],
    }));
    let good = mine.assignment(0, "U2", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    let huge = "x".repeat(1024 * 1024 + 1);
    let id = text(&old["id"]);
    for rest in [
        "",
        &format!("/{id}/changes"),
        &format!("/{id}/end"),
        "/preview",
    ] {
        let is_write = rest != "/preview";
        let mut good = good.clone();
        good["expectedRevision"] = json!(1);
        let body = |member: &str, value: Value| {
            let mut body = good.clone();
            body[member] = value;
            body.to_string()
        };
        let path = |rotation: &str| format!("/v1/rotations/{rotation}/duty-arrangements{rest}");
        let unknown = path("rot_unknown");
        let (plain, patch) = ("text/plain", PATCH_JSON);
        let stale = Some("\"stale\"");
        let misshapen = body("operationId", json!(7));
        let meaningless = body("cellId", json!("cel_unknown"));
        // Each row corrects what the previous row was refused for.
        let mut rows = vec![
            (
                None,
                plain,
                None,
                &unknown,
                &huge,
                401,
                "missing_credential",
            ),
            (
                Some("svc_key_x_y"),
                plain,
                None,
                &unknown,
                &huge,
                401,
                "unknown",
            ),
            (
                Some(reader.as_str()),
                plain,
                None,
                &unknown,
                &huge,
                403,
                "scope_denied",
            ),
            (
                Some(selected.as_str()),
                plain,
                None,
                &unknown,
                &misshapen,
                415,
                "invalid_request",
            ),
            (
                Some(&selected),
                patch,
                None,
                &unknown,
                &huge,
                413,
                "invalid_request",
            ),
            (
                Some(&selected),
                patch,
                None,
                &unknown,
                &misshapen,
                428,
                "precondition_required",
            ),
            (
                Some(&selected),
                patch,
                stale,
                &unknown,
                &misshapen,
                400,
                "invalid_request",
            ),
            (
                Some(&selected),
                patch,
                stale,
                &unknown,
                &meaningless,
                404,
                "",
            ),
        ];
        let (foreign, own) = (path(&other.id), path(&mine.id));
        let sound = good.to_string();
        rows.push((
            Some(&selected),
            patch,
            stale,
            &foreign,
            &meaningless,
            403,
            "resource_denied",
        ));
        rows.push((
            Some(&selected),
            patch,
            stale,
            &own,
            &meaningless,
            412,
            "precondition_failed",
        ));
        // An end has no cell.
        if !rest.ends_with("/end") {
            rows.push((
                Some(&selected),
                patch,
                Some("*"),
                &own,
                &meaningless,
                400,
                "invalid_request",
            ));
        }
        rows.push((
            Some(&selected),
            patch,
            Some("*"),
            &own,
            &sound,
            409,
            "rotation_disabled",
        ));
        for (key, kind, etag, path, body, status, code) in rows {
            // A preview requires no ETag.
            if !is_write && [428, 412].contains(&status) {
                continue;
            }
            let (path, body) = (path.clone(), body.clone());
            answered(
                &rota,
                Sent {
                    key,
                    kind,
                    etag,
                    path,
                    body,
                },
                status,
                code,
            );
        }
    }
}

#[test]
fn an_unknown_arrangement_is_missed_before_the_validator_is_judged() {
    let rota = Rota::with_people(4);
    let (rotation, other) = (four(&rota), four(&rota));
    let foreign = other.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let mut body = rotation.assignment(0, "U2", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    body["expectedRevision"] = json!(1);
    for id in ["arr_unknown", text(&foreign["id"])] {
        rotation
            .get(&format!("/duty-arrangements/{id}"))
            .refused(404, "");
        for action in ["changes", "end"] {
            let path = rotation.path(&format!("/duty-arrangements/{id}/{action}"));
            rota.caller()
                .post_if(&path, "\"stale\"", body.clone())
                .refused(404, "");
        }
    }
}

#[test]
fn the_plan_comes_after_meaning_and_before_conflict() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let old = rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    rota.plan("free");
    rota.to("2026-01-05T10:00Z");
    rotation.patch(json!({ "enabled": false })).is(200);
    for rest in ["/preview", "", &format!("/{}/changes", text(&old["id"]))] {
        let post = |user: &str, to: &str| {
            let mut body = rotation.assignment(1, user, "2026-01-05T08:00Z", to);
            body["expectedRevision"] = json!(7);
            rotation.post_arrangement(rest, &body)
        };
        post("U3", "2026-01-05T09:00Z").names("to");
        post("U99", "2026-01-05T12:00Z").names("userId");
        post("U3", "2026-01-05T12:00Z").refused(402, "payment_required");
    }
}

#[test]
fn writes_take_the_validator_of_the_rotation() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let stale = rotation.etag();
    let old = rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let id = text(&old["id"]);
    for rest in [
        String::new(),
        format!("/{id}/changes"),
        format!("/{id}/end"),
    ] {
        let path = rotation.path(&format!("/duty-arrangements{rest}"));
        let mut body = rotation.assignment(0, "U2", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
        body["expectedRevision"] = json!(1);
        let weak = format!("W/{}", rotation.etag());
        rota.post(&path, body.clone())
            .refused(428, "precondition_required");
        for etag in [stale.as_str(), "\"other\"", &weak, "\"1\"", "\"3\""] {
            rota.caller()
                .post_if(&path, etag, body.clone())
                .refused(412, "precondition_failed");
        }
    }
    // A preview returns the ETag for the write, and a list of ETags is accepted.
    let body = rotation.assignment(0, "U2", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    let etag = rotation.try_preview(&body).is(200).etag();
    let path = rotation.path("/duty-arrangements");
    let sent = format!("\"other\", {etag}");
    rota.caller().post_if(&path, &sent, body).is(200);
    // What became due meanwhile makes it stale.
    let etag = rotation.etag();
    rota.to("2026-01-05T12:00Z");
    let body = rotation.assignment(0, "U2", "2026-01-05T18:00Z", "2026-01-05T19:00Z");
    rota.caller()
        .post_if(&path, &etag, body)
        .refused(412, "precondition_failed");
}
