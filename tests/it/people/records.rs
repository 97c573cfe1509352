//! Creating, changing and deleting records, and how rotations follow.

use super::with_admin;
use crate::support::*;
use serde_json::{Value, json};

/// rules.md 17.9.
#[test]
fn a_person_is_added_changed_and_deactivated() {
    let rota = with_admin(2);
    let made = rota.caller().post(
        "/v1/users",
        json!({ "displayName": "Grace", "realName": "Grace Hopper", "email": "grace@example.org",
                "timeZone": "America/New_York", "handle": "grace.h", "phone": "+12025550100" }),
    );
    let made = made.is(201);
    let (tag, person) = (made.etag(), made.json());
    let id = text(&person["id"]).to_owned();
    assert!(id.starts_with("usr_"), "{id}");
    let path = format!("/v1/users/{id}");
    assert_eq!(made.header("location"), Some(path.as_str()));
    assert_eq!(text(&person["source"]), "page");
    assert_eq!(text(&person["handle"]), "grace.h");
    assert_eq!(person["isAdmin"], json!(false));
    let read = rota.get(&path).is(200);
    assert_eq!((read.etag(), read.json()), (tag.clone(), person.clone()));
    rota.request("GET", &path)
        .header("If-None-Match", &tag)
        .send()
        .is(304);

    // What was read may be sent back, with a change or without.
    let by = rota.caller();
    by.patch_if(&path, &tag, person.clone()).is(200);
    assert_eq!(rota.get(&path).etag(), tag);
    let mut renamed = person.clone();
    renamed["displayName"] = json!("Amazing Grace");
    let renamed = by.patch_if(&path, &tag, renamed).is(200);
    assert_eq!(text(&renamed.json()["displayName"]), "Amazing Grace");
    by.patch_if(&path, &tag, json!({ "handle": null }))
        .refused(412, "precondition_failed");
    rota.request("PATCH", &path)
        .json(&json!({ "handle": null }))
        .send()
        .refused(428, "precondition_required");
    let cleared =
        json!({ "handle": null, "email": null, "phone": null, "timeZone": null, "realName": null });
    let cleared = rota.change(&path, cleared).is(200).json();
    assert_eq!(cleared["handle"], Value::Null);
    assert_eq!(cleared["contact"], json!({ "email": null, "phone": null }));
    rota.change(&path, json!({ "displayName": null }))
        .refused(400, "invalid_request");
    rota.change(&path, json!({ "source": "file" }))
        .refused(400, "invalid_request");

    // On duty, then deactivated: the turn goes on to the next, as with a file without them.
    let rotation = rota.daily(&format!("{id} U1 U2"), 1);
    assert_eq!(rotation.put_on_call(&id).is(200).status(), 200);
    rota.change(&path, json!({ "isDeleted": true })).is(200);
    assert_eq!(rotation.on_call(), "U1");
    assert!(!rotation.order().contains(&id), "{}", rotation.order());
    let audited = rota.get("/v1/audit?action=patchUser").is(200).json();
    let said = text(&audited["data"][0]["summary"]).to_owned();
    assert!(audited.to_string().contains("deactivated"), "{said}");
    let listed = rota.get("/v1/users?q=grace").is(200).json();
    assert_eq!(int(&listed["totalItems"]), 0);
    rota.change(&path, json!({ "isDeleted": false })).is(200);
    let listed = rota.get("/v1/users?q=grace").is(200).json();
    assert_eq!(int(&listed["totalItems"]), 1);
}

/// rules.md 17.9.
#[test]
fn what_another_has_is_refused() {
    let rota = with_admin(2);
    let one = rota
        .add(json!({ "id": "UX", "displayName": "X", "email": "x@example.org", "handle": "Ex" }));
    assert_eq!(text(&one["id"]), "UX");
    let add = |more: Value| {
        let mut body = json!({ "displayName": "Y" });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        rota.caller().post("/v1/users", body)
    };
    add(json!({ "id": "UX" })).refused(409, "duplicate_id");
    add(json!({ "email": "X@EXAMPLE.org" })).refused(409, "duplicate_address");
    add(json!({ "email": "U1@example.com" })).refused(409, "duplicate_address");
    add(json!({ "handle": "eX" })).refused(409, "duplicate_handle");
    rota.change("/v1/users/U2", json!({ "handle": "ex" }))
        .refused(409, "duplicate_handle");
    // Of a deactivated person only the id is taken.
    rota.change("/v1/users/UX", json!({ "isDeleted": true }))
        .is(200);
    add(json!({ "id": "UX" })).refused(409, "duplicate_id");
    add(json!({ "id": "UY", "email": "x@example.org", "handle": "ex" })).is(201);
    rota.change("/v1/users/UX", json!({ "isDeleted": false }))
        .refused(409, "duplicate_address");
    for (body, member) in [
        (json!({ "id": "a b" }), "id"),
        (json!({ "displayName": " " }), "displayName"),
        (json!({ "email": "nobody" }), "email"),
        (json!({ "timeZone": "EST" }), "timeZone"),
        (json!({ "handle": "a b" }), "handle"),
        (json!({ "phone": "22334455" }), "phone"),
        (json!({ "isAdmn": true }), "isAdmn"),
        (json!({ "invite": "yes" }), "invite"),
    ] {
        add(body).names(member);
    }
    add(json!({ "invite": true })).refused(409, "no_mail");
}

/// rules.md 17.10.
#[test]
fn the_last_admin_stays() {
    let rota = with_admin(2);
    for body in [
        json!({ "isAdmin": false }),
        json!({ "isDeleted": true }),
        json!({ "isAdmin": null }),
    ] {
        rota.change("/v1/users/U1", body).refused(409, "last_admin");
    }
    rota.change("/v1/users/U2", json!({ "isAdmin": true }))
        .is(200);
    rota.change("/v1/users/U1", json!({ "isAdmin": false }))
        .is(200);
    rota.change("/v1/users/U2", json!({ "isDeleted": true }))
        .refused(409, "last_admin");
    // A file may.
    rota.import(&directory(2));
    let admin = rota.get("/v1/users/U2").is(200).json()["isAdmin"].clone();
    assert_eq!(admin, json!(false));
}

#[test]
fn keys_need_the_scope_and_no_selector_and_people_are_admins() {
    let rota = with_admin(2);
    let body = json!({ "displayName": "Z" });
    let others = "read:rotations write:rotations read:oncall write:duty read:directory manage:webhooks read:contacts";
    let with = |credential: &str| rota.with(credential).post("/v1/users", body.clone());
    with(&rota.key(others)).refused(403, "scope_denied");
    with(&rota.token("U2")).refused(403, "scope_denied");
    with(&rota.token("U1")).is(201);
    with(&rota.key("manage:directory")).is(201);
    let rotation = rota.rotation("U1");
    let limited =
        json!({ "name": "k", "scopes": ["manage:directory"], "rotationIds": [rotation.id] });
    with(&rota.mint(limited)).refused(403, "resource_denied");
}

/// rules.md 17.9.
#[test]
fn rotations_follow_groups_that_change_and_go() {
    let rota = with_admin(3);
    let new = json!({ "name": "Database", "handle": "dba", "userIds": ["U1", "U2"] });
    let made = rota.caller().post("/v1/groups", new.clone()).is(201);
    let id = text(&made.json()["id"]).to_owned();
    let path = format!("/v1/groups/{id}");
    assert_eq!(made.json()["userIds"], json!(["U1", "U2"]));
    assert_eq!(text(&made.json()["source"]), "page");
    rota.caller()
        .post("/v1/groups", new)
        .refused(409, "duplicate_handle");
    let unknown = json!({ "name": "N", "handle": "n", "userIds": ["U1", "U9"] });
    rota.caller()
        .post("/v1/groups", unknown)
        .names("userIds[1]");
    let listed = rota.get("/v1/groups?q=dba").is(200).json();
    assert_eq!(listed["data"][0].get("userIds"), None);
    let body = json!({ "name": "R", "owners": ["U1"], "userGroupIds": [id] });
    let rotation = rota.create(body);
    rotation.cover(1, &[always(daily())]);
    assert_eq!(rotation.order(), "U1 U2");
    rota.change(&path, json!({ "userIds": ["U3", "U2"] }))
        .is(200);
    assert_eq!(rotation.order(), "U2 U3");
    assert_eq!(rotation.on_call(), "U2");
    let read = rota.get(&path).is(200);
    let by = rota.caller();
    by.patch_if(&path, &read.etag(), read.json()).is(200);
    rota.change("/v1/users/U2", json!({ "isDeleted": true }))
        .is(200);
    assert_eq!(rotation.on_call(), "U3");
    by.delete_if(&path, "\"stale\"")
        .refused(412, "precondition_failed");
    by.delete_if(&path, &rota.get(&path).etag()).is(204);
    rota.get(&path).refused(404, "");
    assert_eq!(rotation.on_call(), "");
}

#[test]
fn channels_are_added_changed_and_deleted() {
    let rota = with_admin(1);
    let made = rota
        .caller()
        .post("/v1/channels", json!({ "id": "C/9", "name": "alerts" }))
        .is(201);
    assert_eq!(made.header("location"), Some("/v1/channels/C%2F9"));
    let path = "/v1/channels/C%2F9";
    let rotation = rota.rotation("U1");
    rotation.put("/channels/C%2F9", json!({})).is(200);
    let tag = rota.get(path).is(200).etag();
    let by = rota.caller();
    let left = by
        .patch_if(path, &tag, json!({ "appIsMember": false }))
        .is(200);
    assert_ne!(
        left.etag(),
        tag,
        "what a change is not shown in changes the validator too"
    );
    // A private channel without the app is not there for readers; whoever writes the directory may still change it.
    by.patch_if(path, "*", json!({ "isPrivate": true })).is(200);
    rota.get(path).refused(404, "");
    by.patch_if(path, "*", json!({ "appIsMember": true }))
        .is(200);
    rota.change(path, json!({ "name": "incidents" })).is(200);
    let tag = rota.get(path).is(200).etag();
    by.delete_if(path, &tag).is(204);
    by.delete_if(path, "*").refused(404, "");
    let audited = rota.get("/v1/audit?action=deleteChannel").is(200).json();
    assert_eq!(
        text(&audited["data"][0]["summary"]),
        "channel deleted: \"incidents\""
    );
}
