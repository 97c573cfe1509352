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

/// The kinds of warnings in a list.
fn kinds(warnings: &Value) -> Vec<&str> {
    let all = warnings.as_array().expect("warnings").iter();
    let mut kinds: Vec<&str> = all.map(|one| text(&one["kind"])).collect();
    kinds.dedup();
    kinds
}

#[test]
fn a_plan_tells_warnings_that_appear_and_go() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "code": "DB" })).is(200);
    let edit = |people: &[&str]| json!({ "rotations": [{ "code": "DB", "rotation": { "userIds": people } }], "days": 7 });
    let planned = plan(&rota, edit(&["U1"]));
    let [new, gone] = ["warningsNew", "warningsGone"].map(|name| kinds(&planned[0][name]));
    assert!(
        new.contains(&"noFallback") && new.contains(&"backToBack"),
        "{new:?}"
    );
    assert_eq!(gone, [""; 0]);
    rotation.patch(json!({ "userIds": ["U1"] })).is(200);
    let planned = plan(&rota, edit(&["U1", "U2", "U3"]));
    let [new, gone] = ["warningsNew", "warningsGone"].map(|name| kinds(&planned[0][name]));
    assert!(
        gone.contains(&"noFallback") && gone.contains(&"backToBack"),
        "{gone:?}"
    );
    // Only one turn more is U1's.
    assert_eq!(new, ["backToBack"]);
    // What stays is neither.
    let planned = plan(&rota, edit(&["U1"]));
    assert_eq!(planned[0]["action"], "none");
    for name in ["warningsNew", "warningsGone"] {
        assert_eq!(planned[0][name], json!([]), "{name}");
    }
    assert!(kinds(&planned[0]["preview"]["warnings"]).contains(&"noFallback"));
}

/// A rotation that follows a partner has a plan of its settings, and refuses what the partner decides.
#[test]
fn rotations_that_partners_decide() {
    let pager = Pager::new();
    pager.has("S1", "P1 P2", &["P1 2026-01-05T00:00Z 2026-01-25T00:00Z"]);
    let rota = pager.start().go();
    rota.people(2);
    let rotation = rota.rotation("U1");
    rotation.patch(json!({ "code": "PAGER" })).is(200);
    let link = json!({ "partner": "pagerPartner", "scheduleId": "S1" });
    rotation
        .by
        .put_if(&rotation.path("/external"), "*", link)
        .is(200);
    let item = |edit: Value| {
        let mut item = json!({ "code": "PAGER" });
        for (name, value) in edit.as_object().expect("members") {
            item[name] = value.clone();
        }
        json!({ "rotations": [item], "days": 7 })
    };
    let planned = plan(
        &rota,
        item(
            json!({ "rotation": { "description": "Theirs" }, "warningSettings": { "off": ["unfair"] } }),
        ),
    );
    assert_eq!(
        (&planned[0]["action"], paths(&planned[0])),
        (
            &json!("change"),
            vec!["description".to_owned(), "warningSettings.off".to_owned()]
        )
    );
    assert_eq!(planned[0]["refusals"], json!([]));
    let grid = rotation.grid(1, &[always(daily())]);
    for edit in [
        json!({ "rotation": { "userIds": ["U2"] } }),
        json!({ "coverage": grid }),
        json!({ "rosters": { "": { "nextTurn": 0 } } }),
        json!({ "remove": ["U1"] }),
    ] {
        let planned = plan(&rota, item(edit.clone()));
        let codes: Vec<&str> = planned[0]["refusals"]
            .as_array()
            .expect("refusals")
            .iter()
            .map(|one| text(&one["code"]))
            .collect();
        assert_eq!(codes, ["external_rotation_is_read_only"], "{edit}");
        for when in ["now", "2026-01-08T12:00:00Z"] {
            let mut body = edit.clone();
            body["at"] = json!(when);
            rotation
                .try_stage(body)
                .refused(409, "external_rotation_is_read_only");
        }
    }
    let made = rotation
        .stage(json!({ "at": "2026-01-08T12:00:00Z", "rotation": { "description": "Later" } }));
    rota.to("2026-01-08T12:00:00Z");
    assert_eq!(rotation.staged(&made)["state"], "applied");
    assert_eq!(rotation.read()["description"], "Later");
}

/// What a plan says of a change for later is what the change does, also where a hand-over is at its instant.
#[test]
fn a_plan_for_later_is_what_is_recorded() {
    for (number, people) in ["U4 U1 U2 U3", "U3 U1", "U2 U4", "U4 U3 U2 U1"]
        .into_iter()
        .enumerate()
    {
        for when in ["nextHandOver", "2026-01-07T15:00:00Z"] {
            let rota = Rota::with_people(4);
            let rotation = rota.daily("U1 U2 U3", 1);
            let edit = json!({ "rotation": { "userIds": words(people) } });
            let mut item = edit.clone();
            item["rotationId"] = json!(rotation.id);
            let body = json!({ "rotations": [item], "at": when, "days": 5 });
            let planned = plan(&rota, body);
            let hours = |person: &Value| person["hoursAfter"].as_f64().expect("hours") as i64;
            let mut told: Vec<(String, i64)> = planned[0]["preview"]["perPerson"]
                .as_array()
                .expect("people")
                .iter()
                .map(|person| (text(&person["userId"]).to_owned(), hours(person)))
                .filter(|(_, hours)| *hours > 0)
                .collect();
            told.sort();
            let mut staged = edit;
            staged["at"] = json!(when);
            let made = rotation.stage(staged);
            let from = short(at(text(&made["at"])));
            let until = plus(&from, 5 * DAY);
            rota.to(&until);
            let mut held: std::collections::BTreeMap<String, i64> = Default::default();
            for turn in rotation.turns("history", &from, &until) {
                let start = at(text(&turn["start"])).max(at(&from));
                let end = turn["end"].as_str().map_or(at(&until), at).min(at(&until));
                let user = text(&turn["userId"]).to_owned();
                *held.entry(user).or_default() += end.duration_since(start).as_hours();
            }
            held.retain(|_, hours| *hours > 0);
            let held: Vec<(String, i64)> = held.into_iter().collect();
            assert_eq!(told, held, "{number}: {people} at {when}");
        }
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
