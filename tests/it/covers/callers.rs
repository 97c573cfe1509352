//! Callers and ETags.

use crate::support::*;
use serde_json::json;

/// rules.md 12.3.
#[test]
fn participants_are_people_who_see_the_rotation() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let all =
        "read:rotations write:rotations read:oncall write:duty read:directory manage:webhooks";
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U2");
    let body = || rotation.cover_body("05T12 05T15", "U2");
    let before = rotation.etag();
    let paths = ["", "/preview"].map(|rest| format!("/cover-requests{rest}"));
    let steps = ["accept", "decline", "cancel", "end"];
    let steps = steps.map(|step| format!("/cover-requests/{}/{step}", asked.id));
    for path in paths.iter().chain(&steps) {
        let body = match steps.contains(path) {
            true => asked.step_body(),
            false => body(),
        };
        let path = rotation.path(path);
        for key in [rota.key.clone(), rota.key(all), rota.key("read:oncall")] {
            let answer = rota.with(&key).post_if(&path, "*", body.clone());
            answer.refused(403, "scope_denied");
        }
        let answer = rota.anyone().post_if(&path, "*", body.clone());
        answer.refused(401, "missing_credential");
        let answer = rota.with(&rota.token("U3")).post_if(&path, "*", body);
        answer.refused(404, "");
    }
    // Reading requires a key with the scope or a member.
    let list = "/cover-requests?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z";
    let one = format!("/cover-requests/{}", asked.id);
    let others = rota.mint(
        json!({ "name": "n", "scopes": ["read:oncall"], "rotationIds": [rota.daily("U1 U2", 1).id] }),
    );
    let mine =
        rota.mint(json!({ "name": "n", "scopes": ["read:oncall"], "rotationIds": [rotation.id] }));
    for path in [list, &one] {
        rotation.with(&mine).get(path).is(200);
        rotation.seen_by("U1").get(path).is(200);
        rotation.seen_by("U2").get(path).is(200);
        let but = all.replace("read:oncall ", "");
        rotation
            .with(&rota.key(&but))
            .get(path)
            .refused(403, "scope_denied");
        rotation
            .with(&others)
            .get(path)
            .refused(403, "resource_denied");
        rotation.seen_by("U3").get(path).refused(404, "");
    }
    assert_eq!(rotation.etag(), before);
}

#[test]
fn writes_need_the_current_validator() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let stale = rotation.etag();
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U2");
    let current = rotation.etag();
    let cases = [
        ("U1", rotation.path("/cover-requests"), None),
        ("U2", asked.path("/accept"), Some(())),
        ("U2", asked.path("/decline"), Some(())),
        ("U1", asked.path("/cancel"), Some(())),
    ];
    for (user, path, step) in &cases {
        let by = rotation.seen_by(user).by;
        let body = || match step {
            Some(()) => asked.step_body(),
            None => rotation.cover_body("05T12 05T15", "U2"),
        };
        by.post(path, body()).refused(428, "precondition_required");
        for old in [stale.clone(), format!("W/{current}")] {
            let answer = by.post_if(path, &old, body());
            answer.refused(412, "precondition_failed");
        }
    }
    assert_eq!(rotation.etag(), current);
    let by = rotation.seen_by("U2").by;
    let answer = by.post_if(&asked.path("/accept"), &current, asked.step_body());
    assert_eq!(answer.is(200).etag(), rotation.etag());
    let (by, current) = (rotation.seen_by("U1").by, rotation.etag());
    by.post(&asked.path("/end"), asked.step_body())
        .refused(428, "precondition_required");
    let answer = by.post_if(&asked.path("/end"), &stale, asked.step_body());
    answer.refused(412, "precondition_failed");
    let answer = by.post_if(&asked.path("/end"), &current, asked.step_body());
    assert_eq!(answer.is(200).etag(), rotation.etag());
}
