//! External and deactivated people.

use crate::support::*;
use serde_json::{Value, json};

/// The standard directory; `outside` are external, `gone` are deactivated.
fn people(outside: &str, gone: &str, groups: &[(&str, &str)]) -> Value {
    let mut all = directory(5);
    for (flag, ids) in [("isExternal", outside), ("isDeleted", gone)] {
        for user in all["users"].as_array_mut().expect("users") {
            let named = words(ids).iter().any(|id| *id == text(&user["id"]));
            if named {
                user[flag] = json!(true);
            }
        }
    }
    all["groups"] = groups.iter().map(|(id, users)| group(id, users)).collect();
    all
}

fn server(outside: &str, gone: &str, groups: &[(&str, &str)]) -> Rota {
    let rota = Rota::at(MONDAY);
    rota.import(&people(outside, gone, groups));
    rota
}

/// rules.md 12.3.
#[test]
fn people_from_outside_are_no_members_owners_or_recipients() {
    let rota = server("U5", "", &[("G1", "U4 U5"), ("G2", "U5")]);
    for (body, member) in [
        (
            json!({ "name": "N", "owners": ["U1", "U5"], "userIds": ["U1"] }),
            "owners[1]",
        ),
        (
            json!({ "name": "N", "owners": ["U1"], "userIds": ["U5"] }),
            "userIds[0]",
        ),
    ] {
        let refused = rota.try_create(body).refused(400, "invalid_request");
        assert!(text(&refused["detail"]).contains(member), "{member}");
    }
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U1").is(200);
    for (body, member) in [
        (json!({ "owners": ["U5"] }), "owners[0]"),
        (json!({ "userIds": ["U1", "U2", "U5"] }), "userIds[2]"),
    ] {
        let refused = rotation.patch(body).refused(400, "invalid_request");
        assert!(text(&refused["detail"]).contains(member), "{member}");
    }
    // They are skipped in groups.
    rotation
        .patch(json!({ "userGroupIds": ["G1", "G2"] }))
        .is(200);
    assert_eq!(rotation.order(), "U1 U2 U4");
    let cover = |recipient: &str| {
        json!({
            "operationId": unique("cover"), "cellId": rotation.cell_id(0), "recipientUserIds": [recipient],
            "from": "2026-01-06T00:00:00Z", "to": "2026-01-07T00:00:00Z",
        })
    };
    rotation.put_on_call("U5").refused(400, "invalid_request");
    rotation
        .try_assign(0, "U5", "2026-01-06T00:00Z", "2026-01-07T00:00Z")
        .refused(400, "invalid_request");
    let asker = rota.with(&rota.token("U1"));
    let path = rotation.path("/cover-requests");
    asker
        .post_if(&path, "*", cover("U5"))
        .refused(400, "invalid_request");
    asker.post_if(&path, "*", cover("U2")).is(200);
    let away =
        json!({ "userId": "U5", "from": "2026-01-06T00:00:00Z", "until": "2026-01-07T00:00:00Z" });
    rota.post(&rotation.path("/availability"), away)
        .refused(400, "invalid_request");
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["cells"][0]["rosterId"] = json!("shift");
    rotation.put("/coverage", grid).is(200);
    rotation
        .put("/rosters/shift", json!({ "userIds": ["U5"] }))
        .refused(400, "invalid_request");
    rotation
        .put("/rosters/shift", json!({ "userIds": ["U2"] }))
        .is(200);
}

/// rules.md 12.3.
#[test]
fn a_token_from_outside_sees_nothing() {
    let mut directory = people("U5", "", &[("G1", "U4 U5")]);
    directory["users"][4]["isAdmin"] = json!(true);
    let rota = Rota::at(MONDAY);
    rota.import(&directory);
    let rotation = rota.rotation("U1 U2");
    rotation.patch(json!({ "public": true })).is(200);
    rotation.put_on_call("U1").is(200);
    let outside = rota.with(&rota.token("U5"));
    for path in [
        "/v1/rotations",
        "/v1/users",
        "/v1/groups",
        "/v1/channels",
        "/v1/rotations?userId=U1",
    ] {
        let list = outside.get(path).is(200).json();
        assert_eq!(list["data"], json!([]), "{path}");
        assert_eq!(list["total"].as_u64().unwrap_or(0), 0, "{path} {list}");
    }
    let range = "from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z";
    for path in [
        rotation.path(""),
        rotation.path("/on-call"),
        rotation.path("/on-call?expand=users"),
        rotation.path(&format!("/schedule?{range}")),
        rotation.path(&format!("/history?{range}")),
        rotation.path("/availability"),
        rotation.path("/mention-settings"),
        rotation.path("/chat"),
        rotation.path(&format!("/duty-arrangements?{range}")),
        rotation.path(&format!("/cover-requests?{range}")),
        "/v1/users/U1".to_owned(),
        "/v1/users/U5".to_owned(),
        "/v1/groups/G1".to_owned(),
        "/v1/channels/C1".to_owned(),
    ] {
        outside.get(&path).refused(404, "");
    }
    outside
        .patch_if(&rotation.path(""), "*", json!({ "name": "N" }))
        .refused(404, "");
    outside
        .put_if(
            &rotation.path("/on-call"),
            "*",
            json!({ "userIds": ["U2"] }),
        )
        .refused(404, "");
    let body = json!({ "name": "N", "owners": ["U1"], "userIds": ["U1"] });
    outside
        .try_create("k", body)
        .refused(403, "resource_denied");
    outside.get("/metrics").refused(403, "scope_denied");
    // Once they are in the workspace, the same token sees what all members see.
    rota.import(&people("", "", &[]));
    outside.get(&rotation.path("")).is(200);
    assert_eq!(outside.all("/v1/rotations").len(), 1);
}

#[test]
fn whoever_becomes_external_comes_off_duty() {
    let rota = server("", "", &[("G1", "U3")]);
    let daily = rota.daily("U1 U2", 1);
    assert_eq!(daily.on_call(), "U1");
    let manual = rota.rotation("U1 U2");
    manual.put_on_call("U1").is(200);
    let arranged = rota.rotation("U1 U2");
    arranged.put_on_call("U2").is(200);
    arranged.assign(0, "U1", "2026-01-05T08:00Z", "2026-01-09T00:00Z");
    assert_eq!(arranged.on_call(), "U1");
    let versions = [&daily, &manual, &arranged].map(|rotation| rotation.etag());
    rota.import(&people("U1", "", &[("G1", "U3")]));
    assert_eq!(
        [&daily, &manual, &arranged].map(|rotation| rotation.on_call()),
        ["U2", "", "U2"]
    );
    for (rotation, before) in [&daily, &manual, &arranged].iter().zip(versions) {
        assert_ne!(rotation.etag(), before);
        assert_eq!(rotation.order(), "U2");
    }
    // And is a member again on return.
    rota.import(&people("", "", &[("G1", "U3")]));
    assert_eq!(daily.order(), "U1 U2");
}

#[test]
fn rotations_are_not_found_by_somebody_who_is_gone() {
    let rota = server("", "", &[("G1", "U3 U4")]);
    let rotation = rota.create(json!({
        "name": "N", "owners": ["U1", "U5"], "userIds": ["U1", "U2"], "userGroupIds": ["G1"],
    }));
    let found = |user: &str| {
        rota.caller()
            .all(&format!("/v1/rotations?userId={user}"))
            .len()
    };
    let users = ["U1", "U2", "U3", "U4", "U5"];
    assert_eq!(users.map(found), [1; 5]);
    rota.import(&people("U3 U5", "U1", &[("G1", "U3 U4")]));
    assert_eq!(users.map(found), [0, 1, 0, 1, 0]);
    rota.import(&people("", "U2 U4", &[("G1", "U3 U4")]));
    assert_eq!(users.map(found), [1, 0, 1, 0, 1]);
    assert_eq!(found("U9"), 0);
    rotation.get("").is(200);
}
