//! A mention may be read by everyone who may see its rotation.

use crate::support::*;
use serde_json::json;

/// rules.md 15.3.
#[test]
fn a_mention_is_seen_like_its_rotation() {
    let rota = Rota::with_people(0);
    let mut people = directory(6);
    people["users"][5]["isAdmin"] = json!(true);
    rota.import(&people);
    for (public, readers) in [(true, "U1 U2 U3 U4 U5 U6"), (false, "U1 U2 U3 U6")] {
        let body = json!({
            "name": "R", "owners": ["U1"], "userIds": ["U2", "U3"], "public": public,
        });
        let rotation = rota.create(body);
        rotation.put_on_call("U2").is(200);
        // Asking for help shows nothing of the rotation.
        let mention = rotation.mention("U5");
        for user in ["U1", "U2", "U3", "U4", "U5", "U6"] {
            let by = rota.with(&rota.token(user));
            let answer = by.get(&mention.path(""));
            if readers.contains(user) {
                assert_eq!(mention_line(&answer.is(200).json()), "open U2", "{user}");
            } else {
                let problem = answer.refused(404, "");
                let unknown = by.get("/v1/mentions/men_unknown").refused(404, "");
                assert_eq!(problem["detail"], unknown["detail"], "hidden is not there");
            }
            // None of these was notified; people who do not see the rotation get 404.
            if user != "U2" {
                let answer = mention.step(user, "pass");
                match readers.contains(user) {
                    true => answer.refused(403, "resource_denied"),
                    false => answer.refused(404, ""),
                };
            }
        }
    }
}

#[test]
fn keys_read_what_they_select() {
    let rota = Rota::with_people(3);
    let (mine, other) = (rota.daily("U1 U2", 1), rota.daily("U2 U1", 1));
    let scopes = ["read:oncall"];
    let key = rota.mint(json!({ "name": "k", "scopes": scopes, "rotationIds": [mine.id] }));
    let by = rota.with(&key);
    by.get(&mine.mention("U3").path("")).is(200);
    let elsewhere = other.mention("U3");
    by.get(&elsewhere.path("")).refused(403, "resource_denied");
    by.get("/v1/mentions/men_unknown").refused(404, "");
    let others = "read:rotations write:rotations write:duty read:directory manage:webhooks";
    let path = elsewhere.path("");
    rota.with(&rota.key(others))
        .get(&path)
        .refused(403, "scope_denied");
    rota.anyone().get(&path).refused(401, "missing_credential");
    // The webhook's key permits nothing else.
    let request = rota.anyone().request("GET", &path);
    let request = request.header("webhook-key", &other.inbound().key);
    request.send().refused(401, "missing_credential");
}

#[test]
fn somebody_who_was_asked_and_left_a_private_rotation_may_still_answer() {
    let rota = Rota::with_people(4);
    let body = json!({
        "name": "R", "owners": ["U1"], "userIds": ["U2", "U3"], "public": false,
    });
    let rotation = rota.create(body);
    rotation.put_on_call("U2").is(200);
    let mention = rotation.mention("U4");
    rotation.patch(json!({ "userIds": ["U3"] })).is(200);
    let token = rota.token("U2");
    rota.with(&token).get(&mention.path("")).refused(404, "");
    mention.step("U3", "pass").refused(403, "resource_denied");
    mention.step("U2", "pass").is(200);
    assert_eq!(mention.state_line(), "passed U2 without U2");
}

#[test]
fn somebody_deactivated_answers_nothing() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let mention = rotation.mention("U3");
    let token = rota.token("U1");
    let mut people = directory(3);
    people["users"][0]["isDeleted"] = json!(true);
    rota.import(&people);
    let post = rota.with(&token).request("POST", &mention.path("/pass"));
    post.send().refused(401, "disabled");
    assert_eq!(mention.state_line(), "open U1");
    rota.to("2026-01-05T09:00Z");
    assert_eq!(mention.state_line(), "expired U1");
}
