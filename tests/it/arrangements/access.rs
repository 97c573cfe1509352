//! Who may read arrangements, and who may write them.

use crate::support::*;
use serde_json::{Value, json};

/// U1 is the owner, U2 and U3 are members, U4 is not a member, U5 is a workspace admin.
fn workspace() -> Rota {
    let rota = Rota::at(MONDAY);
    let mut all = directory(5);
    all["users"][4]["isAdmin"] = json!(true);
    rota.import(&all);
    rota
}

/// Every operation on arrangements with its result, in the order preview, create, list, read, change, end. Successful writes
/// are undone.
#[track_caller]
fn everything(rotation: &Rot, credential: &str) -> [(u16, String); 6] {
    let old = rotation.assign(0, "U2", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let body = rotation.assignment(0, "U3", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    let moved = rotation.assignment(0, "U3", "2026-01-05T18:00Z", "2026-01-05T19:00Z");
    let as_them = rotation.with(credential);
    let path = format!("/duty-arrangements/{}", text(&old["id"]));
    let range = "?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z";
    let answers = [
        as_them.try_preview(&body),
        as_them.post_arrangement("", &body),
        as_them.get(&format!("/duty-arrangements{range}")),
        as_them.get(&path),
        as_them.try_change(&old, moved.clone()),
        as_them.try_end(&old),
    ];
    let response = answers.map(|answer| {
        let code = if answer.status() < 300 {
            Value::Null
        } else {
            answer.json()["code"].clone()
        };
        (answer.status(), text(&code).to_owned())
    });
    let live = rotation
        .by
        .all(&rotation.path(&format!("/duty-arrangements{range}")));
    for record in live.iter().filter(|record| record["state"] == "active") {
        rotation.end(record);
    }
    response
}

fn row(reads: (u16, &str), writes: (u16, &str), last: (u16, &str)) -> [(u16, String); 6] {
    let own = |(status, code): (u16, &str)| (status, code.to_owned());
    [writes, writes, reads, reads, writes, last].map(own)
}

#[test]
fn people_see_what_they_see_and_editors_write() {
    let rota = workspace();
    let hidden = rota.daily("U1 U2 U3", 1);
    let public = rota.daily("U1 U2 U3", 1);
    public.patch(json!({ "public": true })).is(200);
    let (ok, denied, missing) = ((200, "-"), (403, "resource_denied"), (404, "not_found"));
    // What was changed is not at the revision any more.
    let (changed, editor) = ((409, "arrangementChanged"), (ok, ok));
    for (rotation, user, (reads, writes)) in [
        (&hidden, "U1", editor),
        (&hidden, "U5", editor),
        (&hidden, "U2", (ok, denied)),
        (&hidden, "U4", (missing, missing)),
        (&public, "U1", editor),
        (&public, "U5", editor),
        (&public, "U2", (ok, denied)),
        (&public, "U4", (ok, denied)),
    ] {
        let last = if writes == ok { changed } else { writes };
        assert_eq!(
            everything(rotation, &rota.token(user)),
            row(reads, writes, last),
            "{user}"
        );
    }
}

#[test]
fn keys_need_the_scope_and_the_rotation() {
    let rota = workspace();
    let (rotation, other) = (rota.daily("U1 U2 U3", 1), rota.daily("U1 U2 U3", 1));
    let selected = |rotation: &Rot| {
        rota.mint(json!({
            "name": "selected", "scopes": ["read:oncall", "write:duty"], "rotationIds": [rotation.id],
        }))
    };
    let (ok, scope, denied) = ((200, "-"), (403, "scope_denied"), (403, "resource_denied"));
    let changed = (409, "arrangementChanged");
    for (name, key, expected) in [
        (
            "both",
            rota.key("read:oncall write:duty"),
            row(ok, ok, changed),
        ),
        ("reads", rota.key("read:oncall"), row(ok, scope, scope)),
        ("writes", rota.key("write:duty"), row(scope, ok, changed)),
        (
            "others",
            rota.key("read:rotations write:rotations read:directory manage:webhooks"),
            row(scope, scope, scope),
        ),
        ("its own", selected(&rotation), row(ok, ok, changed)),
        ("another's", selected(&other), row(denied, denied, denied)),
    ] {
        assert_eq!(everything(&rotation, &key), expected, "{name}");
    }
}

#[test]
fn a_person_who_left_the_workspace_can_do_nothing() {
    let rota = workspace();
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "owners": ["U1", "U4"] })).is(200);
    let token = rota.token("U4");
    let body = rotation.assignment(0, "U3", "2026-01-05T16:00Z", "2026-01-05T17:00Z");
    rotation.with(&token).try_preview(&body).is(200);
    let mut all = directory(5);
    all["users"].as_array_mut().unwrap().remove(3);
    rota.import(&all);
    rotation
        .with(&token)
        .post_arrangement("", &body)
        .refused(401, "disabled");
}
