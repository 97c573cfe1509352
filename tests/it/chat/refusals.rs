//! Refusals of on-duty groups and their order; refused requests write nothing.

use crate::support::*;
use serde_json::{Value, json};

const GROUP: &str = "/on-duty-group";

fn with_groups() -> Rota {
    let rota = Rota::unreminded(4);
    rota.import_with(4, &[("G1", ""), ("G2", "")], &[]);
    rota
}

#[test]
fn bodies_that_make_no_sense_are_refused() {
    let rota = with_groups();
    let rotation = rota.daily("U1 U2", 1);
    let etag = rotation.etag();
    for (body, member) in [
        (json!({}), "userGroupId"),
        (
            json!({ "userGroupId": null, "handle": null }),
            "userGroupId",
        ),
        (json!({ "userGroupId": "G1", "handle": "duty" }), "handle"),
        (json!({ "userGroupId": "" }), "userGroupId"),
        (json!({ "userGroupId": 1 }), "userGroupId"),
        (json!({ "userGroupId": "G9" }), "userGroupId"),
        (json!({ "handle": "" }), "handle"),
        (json!({ "handle": "@" }), "handle"),
        (json!({ "handle": "on duty" }), "handle"),
        (json!({ "handle": "@@duty" }), "handle"),
        (json!({ "handle": "a".repeat(81) }), "handle"),
        (json!({ "handle": ["duty"] }), "handle"),
    ] {
        rotation.try_bind(body).names(member);
    }
    assert_eq!((rotation.etag(), rota.groups()), (etag, words("G1 G2")));
    // Null counts as omitted, and 80 letters are accepted.
    rotation
        .try_bind(json!({ "userGroupId": "G1", "handle": null }))
        .is(200);
    rotation.bind_handle(&"a".repeat(80));
}

#[test]
fn each_check_has_its_place() {
    let rota = with_groups();
    let rotation = rota.daily("U1 U2", 1);
    let (etag, other) = (rotation.etag(), rota.rotation("U3"));
    let scoped = rota.key("read:rotations write:duty");
    let selected = rota.mint(json!({
        "name": "selected", "scopes": ["write:rotations"], "rotationIds": [other.id],
    }));
    let stranger = rota.token("U2");
    // The first has every error; each row corrects one.
    rota.plan("free");
    rota.set_failure_mode(json!({ "noGroups": "user groups are a paid feature of the platform" }));
    let (here, gone) = (
        rotation.path(GROUP),
        "/v1/rotations/rot_gone/on-duty-group".to_owned(),
    );
    let nonsense = json!({ "userGroupId": 1 });
    let (unknown, fine) = (
        json!({ "userGroupId": "G9" }),
        json!({ "userGroupId": "G1" }),
    );
    let lines = [
        (
            rota.anyone(),
            &gone,
            None,
            &nonsense,
            401,
            "missing_credential",
        ),
        (
            rota.with(&scoped),
            &gone,
            None,
            &nonsense,
            403,
            "scope_denied",
        ),
        (
            rota.with(&selected),
            &gone,
            None,
            &nonsense,
            428,
            "precondition_required",
        ),
        (
            rota.with(&selected),
            &gone,
            Some("\"old\""),
            &nonsense,
            400,
            "invalid_request",
        ),
        (
            rota.with(&selected),
            &gone,
            Some("\"old\""),
            &unknown,
            404,
            "",
        ),
        (
            rota.with(&selected),
            &here,
            Some("\"old\""),
            &unknown,
            403,
            "resource_denied",
        ),
        (
            rota.caller(),
            &here,
            Some("\"old\""),
            &unknown,
            412,
            "precondition_failed",
        ),
        (
            rota.caller(),
            &here,
            Some(&etag),
            &unknown,
            400,
            "invalid_request",
        ),
        (
            rota.caller(),
            &here,
            Some(&etag),
            &fine,
            402,
            "payment_required",
        ),
    ];
    let put = |caller: &Caller, path: &str, validator: Option<&str>, body: &Value| {
        let request = caller.request("PUT", path);
        request
            .maybe("If-Match", validator.map(str::to_owned))
            .json(body)
            .send()
    };
    for (caller, path, validator, body, status, code) in &lines {
        put(caller, path, *validator, body).refused(*status, code);
    }
    rota.plan("pro");
    let answer = put(&rota.caller(), &here, Some(&etag), &fine);
    let problem = answer.refused(409, "user_group_not_manageable");
    assert!(
        text(&problem["detail"]).contains("paid feature"),
        "{problem}"
    );
    assert_eq!(rotation.etag(), etag);
    // A person who may see a rotation and not edit it.
    rotation.patch(json!({ "public": true })).is(200);
    let by = rota.with(&stranger);
    put(&by, &here, Some("*"), &fine).refused(403, "resource_denied");
    rota.chat_is_up();
    put(&rota.caller(), &here, Some("*"), &fine).is(200);
    put(&rota.with(&rota.token("U1")), &here, Some("*"), &fine).is(200);
}

#[test]
fn unbinding_is_checked_in_the_same_order() {
    let rota = with_groups();
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    let path = rotation.path(GROUP);
    let scoped = rota.with(&rota.key("read:rotations write:duty"));
    rota.anyone()
        .delete(&path)
        .refused(401, "missing_credential");
    scoped.delete(&path).refused(403, "scope_denied");
    rota.caller()
        .delete(&path)
        .refused(428, "precondition_required");
    let gone = "/v1/rotations/rot_gone/on-duty-group";
    rota.caller().delete_if(gone, "\"old\"").refused(404, "");
    rota.caller()
        .delete_if(&path, "\"old\"")
        .refused(412, "precondition_failed");
    assert_eq!(rotation.read()["onDutyUserGroupId"], "G1");
    let etag = rotation.etag();
    rota.caller().delete_if(&path, &etag).is(200);
}

#[test]
fn what_the_platform_does_not_allow_is_not_written() {
    let rota = with_groups();
    let rotation = rota.daily("U1 U2", 1);
    let etag = rotation.etag();
    let bodies = [
        json!({ "userGroupId": "G1" }),
        json!({ "handle": "g1" }),
        json!({ "handle": "new" }),
    ];
    for (mood, status, code) in [
        (
            json!({ "noGroups": "a paid feature" }),
            409,
            "user_group_not_manageable",
        ),
        (
            json!({ "failure": "refused" }),
            409,
            "user_group_not_manageable",
        ),
        (json!({ "failure": "error" }), 503, "chat_unavailable"),
        (
            json!({ "failure": "rateLimited", "retryAfterSeconds": 90 }),
            503,
            "chat_unavailable",
        ),
    ] {
        rota.set_failure_mode(mood.clone());
        for body in &bodies {
            rotation.try_bind(body.clone()).refused(status, code);
        }
        assert_eq!(rotation.etag(), etag, "{mood}");
    }
    rota.set_failure_mode(json!({ "forgotten": ["G1"] }));
    for body in &bodies[..2] {
        rotation
            .try_bind(body.clone())
            .refused(409, "user_group_not_manageable");
    }
    rota.chat_is_up();
    assert_eq!(
        (rotation.etag(), rota.groups()),
        (etag.clone(), words("G1 G2"))
    );
    assert_eq!(rotation.chat_status()["onDutyGroup"], Value::Null);
    // A stale ETag is refused before the platform is called.
    rota.chat_is_down();
    let answer = rotation
        .by
        .put_if(&rotation.path(GROUP), "\"old\"", bodies[0].clone());
    answer.refused(412, "precondition_failed");
    // Unbinding does not call the platform.
    rota.chat_is_up();
    rotation.bind("G1");
    rota.chat_settles();
    rota.chat_is_down();
    rotation.unbind();
    rota.chat_settles();
    assert_eq!(rota.group("G1"), "U1");
    rota.chat_is_up();
    rota.advance(HOUR);
    assert_eq!(rota.group("G1"), "");
}

#[test]
fn capabilities_tell_beforehand() {
    let rota = with_groups();
    let can = |caller: &Caller| caller.get("/v1/user-groups/capabilities").is(200).json();
    let both = json!({ "canBind": true, "canCreate": true, "reason": null });
    assert_eq!(can(&rota.caller()), both);
    rota.set_failure_mode(json!({ "noGroups": "a paid feature" }));
    let none = json!({ "canBind": false, "canCreate": false, "reason": "a paid feature" });
    assert_eq!(can(&rota.caller()), none);
    rota.chat_is_up();
    rota.plan("free");
    let shown = can(&rota.caller());
    assert_eq!(
        [&shown["canBind"], &shown["canCreate"]],
        [&json!(false), &json!(false)]
    );
    assert!(text(&shown["reason"]).contains("Pro"), "{shown}");
    rota.plan("pro");
    assert_eq!(can(&rota.caller()), both);
    rota.anyone()
        .get("/v1/user-groups/capabilities")
        .refused(401, "missing_credential");
    let other = rota.with(&rota.key("read:rotations"));
    other
        .get("/v1/user-groups/capabilities")
        .refused(403, "scope_denied");
    can(&rota.with(&rota.key("read:directory")));
}

#[test]
fn how_it_stands_is_read_like_the_rotation() {
    let rota = with_groups();
    let rotation = rota.daily("U1 U2", 1);
    let path = rotation.path("/chat");
    rota.anyone().get(&path).refused(401, "missing_credential");
    rota.with(&rota.key("write:rotations"))
        .get(&path)
        .refused(403, "scope_denied");
    rota.with(&rota.token("U3")).get(&path).refused(404, "");
    rota.get("/v1/rotations/rot_gone/chat").refused(404, "");
    rota.with(&rota.token("U2")).get(&path).is(200);
    let shown = rota.with(&rota.key("read:rotations")).get(&path).is(200);
    let nothing = json!({
        "onDutyGroup": null, "topics": [], "messages": { "pending": 0, "lastError": null },
        "inboxOnly": { "userIds": ["U1", "U2"], "channelIds": [] },
    });
    assert_eq!(shown.json(), nothing);
}
