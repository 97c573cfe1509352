//! Previews of edits: each member as its route takes it, refusals, and that what is shown is what happens.

use crate::support::*;
use serde_json::{Value, json};

impl Rot<'_> {
    #[track_caller]
    fn try_edits(&self, days: i64, body: Value) -> Answer {
        self.by
            .post(&self.path(&format!("/preview?days={days}")), body)
    }
}

/// The differences as `from to: before > after`, by hour of the tests' January.
fn differences(preview: &Value) -> Vec<String> {
    let all = preview["differences"].as_array().expect("a list");
    let day = |at: &Value| text(at)[8..13].to_owned();
    let user = |user: &Value| user.as_str().unwrap_or("-").to_owned();
    all.iter()
        .map(|one| {
            let (from, to) = (day(&one["from"]), day(&one["to"]));
            format!(
                "{from} {to}: {} > {}",
                user(&one["before"]),
                user(&one["after"])
            )
        })
        .collect()
}

fn refusals(preview: &Value) -> Vec<(String, i64, String)> {
    let all = preview["refusals"].as_array().expect("a list");
    all.iter()
        .map(|one| {
            (
                text(&one["member"]).to_owned(),
                int(&one["status"]),
                text(&one["code"]).to_owned(),
            )
        })
        .collect()
}

/// rules.md 6.5.
#[test]
fn nothing_asked_is_the_plan_as_it_is() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let shown = rotation.try_edits(4, json!({})).is(200);
    assert_eq!(shown.etag(), rotation.etag());
    let shown = shown.json();
    let plan = rotation
        .get("/schedule?from=2026-01-05T00:00:00Z&to=2026-01-09T00:00:00Z&pageSize=200")
        .is(200)
        .json();
    assert_eq!(shown["now"], plan["data"]);
    assert_eq!(shown["then"], plan["data"]);
    assert_eq!(shown["differences"], json!([]));
    assert_eq!(
        [&shown["handOversBefore"], &shown["handOversAfter"]].map(int),
        [3, 3]
    );
    let people = shown["perPerson"].as_array().expect("a list");
    let hours: Vec<f64> = people
        .iter()
        .map(|one| one["hoursBefore"].as_f64().expect("hours"))
        .collect();
    assert_eq!(hours.iter().sum::<f64>(), 96.0, "{people:?}");
    // Ninety days unless said otherwise.
    let usual = rotation.by.post(&rotation.path("/preview"), json!({}));
    let usual = usual.is(200).json();
    assert_eq!(int(&usual["handOversBefore"]), 89);
}

#[test]
fn what_others_may_not_learn_or_ask() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(json!({ "public": true })).is(200);
    let mut hidden = new_rotation("U3");
    hidden["public"] = json!(false);
    hidden["owners"] = json!(["U3"]);
    hidden["code"] = json!("SECRET");
    rota.create(hidden);
    // Whether a code is taken is for those who may give the rotation one.
    let code = json!({ "rotation": { "code": "SECRET" } });
    let asked_by = |caller: &Caller| {
        let path = rotation.path("/preview?days=2");
        refusals(&caller.post(&path, code.clone()).is(200).json())
    };
    let taken = ("rotation".to_owned(), 409, "rotation_code_taken".to_owned());
    assert_eq!(asked_by(&rotation.by), [taken]);
    assert_eq!(asked_by(&rota.with(&rota.token("U4"))), []);
    // A key limited to some rotations cannot write absences for all of them, nor look at them.
    let limited = rota.mint(json!({
        "name": "k", "scopes": ["read:rotations", "read:oncall", "write:rotations", "write:duty"],
        "rotationIds": [rotation.id],
    }));
    let limited = rota.with(&limited);
    let absence = |applies_to: &str| {
        json!({
            "userId": "U1", "from": "2026-01-06T00:00:00Z", "until": "2026-01-07T00:00:00Z", "appliesTo": applies_to,
        })
    };
    let path = rotation.path("/preview?days=2");
    let body = json!({ "absences": [absence("rotation"), absence("allRotations")] });
    let found = refusals(&limited.post(&path, body).is(200).json());
    let [(member, status, code)] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((member.as_str(), *status), ("absences[1]", 403));
    let route = rotation.path("/availability");
    limited
        .post(&route, absence("allRotations"))
        .refused(403, code);
}

#[test]
fn each_member_is_applied_as_by_its_route() {
    for (member, body) in [
        ("rotation", json!({ "userIds": ["U3", "U1", "U2"] })),
        ("rotation", json!({ "enabled": false })),
        ("rotation", json!({ "userIds": ["U2"] })),
        ("coverage", json!({ "lanes": 2 })),
        ("rosters", json!({ "": { "nextTurn": 0 } })),
        (
            "absences",
            json!([{ "userId": "U2", "from": "2026-01-05T00:00:00Z", "until": "2026-01-08T00:00:00Z" }]),
        ),
        ("removeAbsenceIds", json!([])),
        ("remove", json!(["U1"])),
    ] {
        let rota = Rota::with_people(3);
        let rotation = rota.daily("U1 U2 U3", 1);
        let away = json!({ "userId": "U3", "from": "2026-01-06T00:00:00Z", "until": "2026-01-09T00:00:00Z" });
        let away = rotation
            .by
            .post(&rotation.path("/availability"), away)
            .is(201);
        let away = text(&away.json()["id"]).to_owned();
        let body = match member {
            "coverage" => rotation.grid(2, &[always(daily())]),
            "removeAbsenceIds" => json!([away]),
            _ => body,
        };
        let before = (rotation.read(), rotation.etag());
        let shown = rotation
            .try_edits(5, json!({ member: body }))
            .is(200)
            .json();
        assert_eq!((rotation.read(), rotation.etag()), before, "{member}");
        assert_eq!(shown["refusals"], json!([]), "{member}");
        assert_ne!(shown["now"], shown["then"], "{member} {body}");
        match member {
            "rotation" => drop(rotation.patch(body.clone()).is(200)),
            "coverage" => drop(rotation.put("/coverage", body.clone()).is(200)),
            "rosters" => drop(rotation.put("/rosters", body[""].clone()).is(200)),
            "absences" => {
                let path = rotation.path("/availability");
                rotation.by.post(&path, body[0].clone()).is(201);
            }
            "removeAbsenceIds" => {
                let path = rotation.path(&format!("/availability/{away}"));
                rotation.by.request("DELETE", &path).send().is(204);
            }
            _ => drop(rotation.patch(json!({ "userIds": ["U2", "U3"] })).is(200)),
        }
        let plan = rotation
            .get("/schedule?from=2026-01-05T00:00:00Z&to=2026-01-10T00:00:00Z&pageSize=200")
            .is(200)
            .json();
        let of = |list: &Value| -> Vec<String> {
            let turns = list.as_array().expect("turns").iter();
            turns
                .map(|one| format!("{} {} {}", one["start"], one["end"], one["userId"]))
                .collect()
        };
        assert_eq!(of(&shown["then"]), of(&plan["data"]), "{member} {body}");
    }
}

/// rules.md 6.4 and 6.6.
#[test]
fn edits_are_applied_together_in_their_order_and_later() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let body = json!({
        "at": "2026-01-07T12:00:00Z",
        "rotation": { "userIds": ["U1", "U2", "U3", "U4"] },
        "absences": [{ "userId": "U4", "from": "2026-01-08T00:00:00Z", "until": "2026-01-09T00:00:00Z" }],
        "remove": ["U3"],
    });
    let shown = rotation.try_edits(3, body).is(200).json();
    // U1 until Tuesday at nine, U2 until Wednesday, U3 is on call when all of it is done.
    assert_eq!(shown["refusals"], json!([]));
    assert_eq!(
        differences(&shown),
        [
            "07T12 08T09: U3 > U1",
            "08T09 09T09: U1 > U2",
            "09T09 10T09: U2 > U4",
            "10T09 10T12: U3 > U1"
        ]
    );
    rota.to("2026-01-07T12:00:00Z");
    assert_eq!(rotation.on_call(), "U3");
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3", "U4"] }))
        .is(200);
    let away =
        json!({ "userId": "U4", "from": "2026-01-08T00:00:00Z", "until": "2026-01-09T00:00:00Z" });
    rotation
        .by
        .post(&rotation.path("/availability"), away)
        .is(201);
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U4"] }))
        .is(200);
    for (at, user) in [
        ("2026-01-07T13:00:00Z", "U1"),
        ("2026-01-08T13:00:00Z", "U2"),
        ("2026-01-09T13:00:00Z", "U4"),
        ("2026-01-10T11:00:00Z", "U1"),
    ] {
        rota.to(at);
        assert_eq!(rotation.on_call(), user, "{at}");
    }
}

#[test]
fn what_is_wrong_with_the_plan_then_is_told() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let kinds = |body: Value| -> Vec<String> {
        let shown = rotation.try_edits(5, body).is(200).json();
        let all = shown["warnings"].as_array().expect("a list").iter();
        all.map(|one| text(&one["kind"]).to_owned()).collect()
    };
    let nobody = "nobody".to_owned();
    assert!(!kinds(json!({})).contains(&nobody));
    assert!(kinds(json!({ "remove": ["U1", "U2"] })).contains(&nobody));
}

#[test]
fn the_etag_is_that_of_what_was_seen() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let body = json!({ "userIds": ["U3", "U2", "U1"] });
    let seen = rotation
        .try_edits(5, json!({ "rotation": body }))
        .is(200)
        .etag();
    rotation.rotate();
    let path = rotation.path("");
    rotation.by.patch_if(&path, &seen, body.clone()).is(412);
    let seen = rotation
        .try_edits(5, json!({ "rotation": body }))
        .is(200)
        .etag();
    rotation.by.patch_if(&path, &seen, body).is(200);
}

/// rules.md 6.4.
#[test]
fn what_the_state_refuses_is_listed_and_the_rest_applied() {
    let rota = Rota::with_people(4);
    rota.create(json!({ "name": "Other", "code": "TAKEN", "owners": ["U1"] }));
    let rotation = rota.daily("U1 U2 U3", 1);
    let away = |user: &str| json!({ "userId": user, "from": "2026-01-06T00:00:00Z", "until": "2026-01-09T00:00:00Z" });
    let body = json!({
        "rotation": { "code": "TAKEN" },
        "coverage": { "lanes": [{ "id": "lan_none" }] },
        "rosters": { "none": { "nextTurn": 0 }, "": { "nextTurn": 9 } },
        "absences": [away("U9"), away("U4"), away("U2")],
        "removeAbsenceIds": ["abs_none"],
        "remove": ["U4"],
    });
    let shown = rotation.try_edits(5, body).is(200).json();
    let expected = [
        ("rotation", 409, "rotation_code_taken"),
        ("coverage", 400, "invalid_request"),
        ("rosters.", 400, "invalid_request"),
        ("rosters.none", 404, "not_found"),
        ("absences[0]", 404, "not_found"),
        ("absences[1]", 400, "invalid_request"),
        ("removeAbsenceIds[0]", 404, "not_found"),
        ("remove[0]", 400, "invalid_request"),
    ];
    let expected = expected.map(|(member, status, code)| (member.into(), status, code.into()));
    assert_eq!(refusals(&shown), expected);
    // The route says the same of it.
    let grid = json!({ "lanes": [{ "id": "lan_none" }] });
    let refused = rotation.put("/coverage", grid).is(400).json();
    assert_eq!(shown["refusals"][1]["detail"], refused["detail"]);
    assert_ne!(differences(&shown), Vec::<String>::new());
    // What a PATCH repeats has to be as it is.
    let repeats = json!({ "rotation": { "name": "New", "mode": "manual" } });
    let shown = rotation.try_edits(5, repeats).is(200).json();
    assert!(text(&shown["refusals"][0]["detail"]).starts_with("mode: "));
}

#[test]
fn wrong_shapes_are_refused_by_their_member() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    for (body, member) in [
        (
            json!({ "coverage": { "lanes": [] , "cell": 1 } }),
            "coverage.cell: ",
        ),
        (json!({ "rotation": { "name": 7 } }), "rotation.name: "),
        (
            json!({ "rosters": { "r": { "userIds": 7 } } }),
            "rosters.r.userIds: ",
        ),
        (
            json!({ "absences": [{ "userId": "U1" }] }),
            "absences[0].from: ",
        ),
        (json!({ "removeAbsenceIds": "abs" }), "removeAbsenceIds: "),
        (json!({ "remove": [7] }), "remove[0]: "),
        (json!({ "at": "2026-01-04T00:00:00Z" }), "at: "),
        (json!({ "at": "2027-01-07T00:00:00Z" }), "at: "),
        (json!({ "at": "soon" }), "at: "),
        (json!({ "when": "now" }), "when: "),
    ] {
        let problem = rotation.try_edits(5, body.clone()).is(400).json();
        let detail = text(&problem["detail"]);
        assert!(detail.starts_with(member), "{body}: {detail}");
    }
    for days in [0, 367] {
        rotation.try_edits(days, json!({})).is(400);
    }
    rotation
        .try_edits(366, json!({ "at": "2027-01-06T00:00:00Z" }))
        .is(200);
}

/// rules.md 6.4.
#[test]
fn whoever_sees_the_rotation_may_look() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    let reader = rota.key("read:rotations");
    rotation.with(&reader).try_edits(5, json!({})).is(200);
    let other = rota.key("read:oncall");
    rotation.with(&other).try_edits(5, json!({})).is(403);
    rotation
        .with(&rota.token("U2"))
        .try_edits(5, json!({ "remove": ["U1"] }))
        .is(200);
    rotation
        .with(&rota.token("U3"))
        .try_edits(5, json!({}))
        .is(404);
}
