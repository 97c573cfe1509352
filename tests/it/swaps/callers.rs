//! Callers and ETags.

use crate::support::*;
use serde_json::json;

const SWAP: &str = "swap-requests";
const PREVIEW: &str = "swap-requests/preview";

#[test]
fn participants_are_people_who_see_the_rotation() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let all =
        "read:rotations write:rotations read:oncall write:duty read:directory manage:webhooks";
    let legs = [("a", "U1", 0, "07 08"), ("b", "U2", 0, "08 09")];
    let asked = rotation.made(SWAP, "U1", rotation.swap_body("U2", &legs));
    let before = rotation.etag();
    let steps = ["accept", "decline", "cancel"];
    let steps = steps.map(|step| format!("/swap-requests/{}/{step}", asked.id));
    let paths = ["", "/preview"].map(|rest| format!("/swap-requests{rest}"));
    for path in paths.iter().chain(&steps) {
        let body = match steps.contains(path) {
            true => asked.step_body(),
            false => rotation.swap_body("U2", &legs),
        };
        let path = rotation.path(path);
        for key in [rota.key.clone(), rota.key(all)] {
            let answer = rota.with(&key).post_if(&path, "*", body.clone());
            answer.refused(403, "scope_denied");
        }
        let answer = rota.anyone().post_if(&path, "*", body.clone());
        answer.refused(401, "missing_credential");
        let answer = rota
            .with(&rota.token("U3"))
            .post_if(&path, "*", body.clone());
        answer.refused(404, "");
        let by = rotation.seen_by(if path.contains("swp_") { "U2" } else { "U1" });
        if !path.ends_with("preview") && !path.ends_with("cancel") {
            by.by
                .post(&path, body.clone())
                .refused(428, "precondition_required");
            let answer = by.by.post_if(&path, "\"old\"", body);
            answer.refused(412, "precondition_failed");
        }
    }
    let list = "/swap-requests?from=2026-01-05T00:00:00Z&to=2026-01-12T00:00:00Z";
    let one = format!("/swap-requests/{}", asked.id);
    for path in [list, &one] {
        rotation.with(&rota.key("read:oncall")).get(path).is(200);
        rotation.seen_by("U2").get(path).is(200);
        let but = rota.key("read:rotations write:duty");
        rotation.with(&but).get(path).refused(403, "scope_denied");
        rotation.seen_by("U3").get(path).refused(404, "");
    }
    assert_eq!(rotation.etag(), before);
    rotation.patch(json!({ "enabled": false })).is(200);
    for rest in [PREVIEW, SWAP] {
        let body = rotation.swap_body("U2", &[("a", "U1", 0, "07 08"), ("b", "U2", 0, "08 09")]);
        let answer = rotation.seen_by("U1").request(rest, body);
        answer.refused(409, "rotation_disabled");
    }
    asked.step("U2", "accept").refused(409, "rotation_disabled");
}
