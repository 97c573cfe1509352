//! Plans of edits of many rotations.

use crate::support::*;
use serde_json::{Value, json};

#[track_caller]
fn plan(rota: &Rota, body: Value) -> Vec<Value> {
    let answer = rota.post("/v1/plan", body).is(200).json();
    answer["rotations"].as_array().expect("rotations").clone()
}

fn paths(planned: &Value) -> Vec<String> {
    let changes = planned["changes"].as_array().expect("changes");
    changes
        .iter()
        .map(|change| text(&change["path"]).to_owned())
        .collect()
}

#[test]
fn changes_are_told_by_member() {
    let rota = Rota::with_people(5);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "code": "DB" })).is(200);
    let etag = rotation.etag();
    let mut grid = rotation.grid(2, &[always(weekly("UTC", "2026-01-05T09:00"))]);
    grid["lanes"][1] = json!({ "id": "second", "name": "Second" });
    grid["cells"][0]["rosterId"] = json!("day");
    grid["cells"][1]["laneId"] = json!("second");
    grid["rosters"] = json!([{ "rosterId": "day", "userIds": ["U2", "U1"] }]);
    let planned = plan(
        &rota,
        json!({ "rotations": [{
        "code": "db",
        "rotation": { "description": "All", "userIds": ["U1", "U2", "U4"], "absencePolicy": { "calendars": "never" } },
        "coverage": grid,
        "channels": [{ "channelId": "C1", "postsMessages": true }],
        "mentionSettings": { "oneAtATime": true },
        "warningSettings": { "off": ["holidayDuty"] },
    }] }),
    );
    let db = &planned[0];
    assert_eq!(
        (&db["action"], &db["rotationId"], &db["code"]),
        (&json!("change"), &json!(rotation.id), &json!("DB"))
    );
    assert_eq!(db["refusals"], json!([]));
    let found = paths(db);
    for path in [
        "description",
        "userIds",
        "absencePolicy.calendars",
        "lanes",
        "lanes.second.name",
        "rosters.day.userIds",
        "channels.C1.postsMessages",
        "mentionSettings.oneAtATime",
        "warningSettings.off",
    ] {
        assert!(
            found.iter().any(|known| known == path),
            "{path} in {found:?}"
        );
    }
    assert!(
        found.iter().any(|path| path.ends_with(".cadence.type")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|path| path.starts_with("cells.") && path.ends_with(".rosterId")),
        "{found:?}"
    );
    let users = db["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .find(|change| change["path"] == "userIds");
    assert_eq!(
        users,
        Some(
            &json!({ "path": "userIds", "before": ["U1", "U2", "U3"], "after": ["U1", "U2", "U4"] })
        )
    );
    assert_eq!(
        (db["preview"].get("now"), db["preview"].get("then")),
        (None, None)
    );
    assert!(
        !db["preview"]["differences"]
            .as_array()
            .expect("differences")
            .is_empty()
    );
    assert_eq!(rotation.etag(), etag);
    // The same as it stands is nothing.
    let same = plan(
        &rota,
        json!({ "rotations": [{ "rotationId": rotation.id, "rotation": { "userIds": ["U1", "U2", "U3"] } }] }),
    );
    assert_eq!(
        (&same[0]["action"], paths(&same[0])),
        (&json!("none"), Vec::new())
    );
}

#[test]
fn new_hidden_and_missing_rotations() {
    let rota = Rota::with_people(3);
    let hidden = rota.rotation("U1");
    hidden
        .patch(json!({ "code": "HIDDEN", "owners": ["U1"] }))
        .is(200);
    let body = json!({ "rotations": [
        { "code": "NEW", "rotation": { "name": "New", "owners": ["U1"], "userIds": ["U1", "U2"] } },
        { "code": "BARE" },
        { "code": "HIDDEN", "rotation": { "name": "Mine" } },
        { "rotationId": "rot_none" },
    ] });
    let planned = plan(&rota, body.clone());
    assert_eq!(
        (
            &planned[0]["action"],
            &planned[0]["rotationId"],
            &planned[0]["code"]
        ),
        (&json!("create"), &Value::Null, &json!("NEW"))
    );
    assert_eq!(planned[0]["refusals"], json!([]));
    assert!(paths(&planned[0]).contains(&"userIds".to_owned()));
    let missing: Vec<&str> = planned[1]["refusals"]
        .as_array()
        .expect("refusals")
        .iter()
        .map(|one| text(&one["detail"]))
        .collect();
    assert!(
        missing.iter().any(|detail| detail.starts_with("name")),
        "{missing:?}"
    );
    assert!(
        missing.iter().any(|detail| detail.starts_with("owners")),
        "{missing:?}"
    );
    assert_eq!(planned[2]["action"], "change");
    assert_eq!(
        (&planned[3]["action"], &planned[3]["refusals"][0]["code"]),
        (&json!("none"), &json!("not_found"))
    );
    let own = rota.with(&rota.token("U3"));
    let answer = own.post("/v1/plan", body).is(200).json();
    assert_eq!(
        answer["rotations"][0]["refusals"][0]["code"],
        "resource_denied"
    );
    assert_eq!(
        answer["rotations"][2]["refusals"][0]["code"],
        "rotation_code_taken"
    );
    assert_eq!(answer["rotations"][2]["preview"], Value::Null);
    for (body, member) in [
        (json!({ "rotations": [] }), "rotations"),
        (json!({ "rotations": [{}] }), "rotations[0].code"),
        (
            json!({ "rotations": [{ "code": "A", "rotationId": "B" }] }),
            "rotations[0].code",
        ),
        (
            json!({ "rotations": [{ "code": "A" }, { "code": "a" }] }),
            "rotations[1]",
        ),
        (
            json!({ "rotations": [{ "code": "A" }], "days": 367 }),
            "days",
        ),
        (
            json!({ "rotations": [{ "code": "A" }], "at": "soon" }),
            "at",
        ),
        (
            json!({ "rotations": [{ "code": "A", "remove": 7 }] }),
            "rotations[0].remove",
        ),
    ] {
        rota.post("/v1/plan", body).names(member);
    }
}

#[test]
fn a_plan_for_later_counts_what_waits() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "code": "DB" })).is(200);
    let body = json!({ "operationId": unique("change"), "at": "nextHandOver", "rotation": { "description": "Later" } });
    let waits = rota
        .caller()
        .post_if(&rotation.path("/changes"), &rotation.etag(), body)
        .is(201)
        .json();
    let edit = |more: Value| {
        let mut item = json!({ "code": "DB" });
        for (name, value) in more.as_object().expect("members") {
            item[name] = value.clone();
        }
        json!({ "rotations": [item], "at": "nextHandOver", "days": 7 })
    };
    let planned = plan(
        &rota,
        edit(json!({ "rotation": { "description": "Later" } })),
    );
    assert_eq!(
        (&planned[0]["action"], instant(&planned[0]["at"]).as_str()),
        (&json!("none"), "2026-01-06T09:00Z")
    );
    let planned = plan(
        &rota,
        edit(json!({ "rotation": { "description": "Later" }, "replaces": [waits["id"]] })),
    );
    assert_eq!(
        (&planned[0]["action"], paths(&planned[0])),
        (&json!("change"), vec!["description".to_owned()])
    );
    let planned = plan(&rota, edit(json!({ "replaces": [waits["id"]] })));
    assert_eq!(
        (&planned[0]["action"], paths(&planned[0])),
        (&json!("change"), vec!["waiting".to_owned()])
    );
    rotation.patch(json!({ "enabled": false })).is(200);
    let planned = plan(
        &rota,
        edit(json!({ "rotation": { "description": "Never" } })),
    );
    assert_eq!(planned[0]["refusals"][0]["code"], "invalid_request");
    assert!(
        text(&planned[0]["refusals"][0]["detail"]).starts_with("at"),
        "{}",
        planned[0]
    );
}
