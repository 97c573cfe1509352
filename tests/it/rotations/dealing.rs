//! `dealing`: what becomes of missed turns, rest and shares, and the trades that it opens (rules.md 29).

use crate::support::*;
use serde_json::{Value, json};

const FAIR: &str = r#"{"missedTurn":"traded","restHours":0,"shares":[]}"#;

/// Four people who hand over daily at 09:00, owned by the first. It is Monday 09:00.
fn fair(rota: &Rota) -> Rot<'_> {
    let mut body = new_rotation("U1 U2 U3 U4");
    body["public"] = json!(true);
    body["dealing"] = json!({});
    body["absencePolicy"] = json!({});
    let rotation = rota.create(body);
    rotation.cover(1, &[always(daily())]);
    rotation
}

/// Start, person, whose turn it is and why, of the next week.
fn plan(rotation: &Rot) -> Vec<String> {
    let turns = rotation.turns("schedule", "2026-01-06T09:00Z", "2026-01-12T00:00Z");
    let line = |turn: &Value| {
        let day = &text(&turn["start"])[8..10];
        let (user, of) = (text(&turn["userId"]), text(&turn["turnOf"]));
        format!("{day} {user} {of} {}", text(&turn["dealt"]))
    };
    turns.iter().map(line).collect()
}

/// Somebody has missed their turn, and it is the middle of it: U3 has the turn of U2.
fn traded(rota: &Rota) -> (Rot<'_>, String) {
    let rotation = fair(rota);
    rotation.away("U2", "2026-01-06T12:00Z", "2026-01-06T13:00Z");
    rota.to("2026-01-06T10:00Z");
    let trades = rotation.by.all(&rotation.path("/trades"));
    let id = text(&trades[0]["id"]).to_owned();
    (rotation, id)
}

#[test]
fn a_new_rotation_trades_and_each_member_can_be_chosen() {
    let rota = Rota::with_people(4);
    let rotation = fair(&rota);
    let shown = rotation.read();
    assert_eq!(shown["dealing"].to_string(), FAIR);
    assert_eq!(shown["absencePolicy"]["passOver"], "duringTurn");
    let mut body = new_rotation("U1 U2");
    body["dealing"] = json!({ "restHours": 11, "shares": [{ "userId": "U2", "percent": 0 }] });
    body["absencePolicy"] = json!({ "whileOnDuty": "handOver" });
    let other = rota.create(body).read();
    assert_eq!(
        other["dealing"],
        json!({ "missedTurn": "traded", "restHours": 11, "shares": [{ "userId": "U2", "percent": 0 }] })
    );
    assert_eq!(
        other["absencePolicy"],
        json!({ "calendars": "always", "passOver": "duringTurn", "whileOnDuty": "handOver" })
    );

    let dealing = |change: Value| {
        let answer = rotation.patch(json!({ "dealing": change })).is(200);
        answer.json()["dealing"].to_string()
    };
    let shares = json!([{ "userId": "U4", "percent": 50 }]);
    for (change, expected) in [
        (json!({}), FAIR),
        (
            json!({ "restHours": 48 }),
            r#"{"missedTurn":"traded","restHours":48,"shares":[]}"#,
        ),
        (
            json!({ "shares": shares }),
            r#"{"missedTurn":"traded","restHours":48,"shares":[{"percent":50,"userId":"U4"}]}"#,
        ),
        // Going back drops the others.
        (
            json!({ "missedTurn": "lost" }),
            r#"{"missedTurn":"lost","restHours":0,"shares":[]}"#,
        ),
        (
            json!({ "restHours": 0, "shares": [] }),
            r#"{"missedTurn":"lost","restHours":0,"shares":[]}"#,
        ),
        (json!({ "missedTurn": "traded" }), FAIR),
    ] {
        assert_eq!(dealing(change.clone()), expected, "{change}");
    }
    // What is shown can be sent back.
    let before = rotation.etag();
    rotation
        .patch(json!({ "dealing": rotation.read()["dealing"] }))
        .is(200);
    assert_eq!(rotation.etag(), before);
}

/// Of a body that says nothing of either.
#[test]
fn a_new_rotation_trades_unless_it_says_otherwise() {
    let rota = Rota::with_people(2);
    let made = rota.caller().try_create("bare", new_rotation("U1 U2"));
    let made = made.is(201).json();
    assert_eq!(made["dealing"].to_string(), FAIR);
    assert_eq!(
        made["absencePolicy"],
        json!({ "calendars": "always", "passOver": "duringTurn", "whileOnDuty": "keep" })
    );
}

#[test]
fn dealing_that_is_refused_names_the_member() {
    let rota = Rota::with_people(5);
    let rotation = fair(&rota);
    let before = rotation.read();
    for (dealing, member) in [
        (json!({ "missedTurn": "forgotten" }), "dealing.missedTurn"),
        (json!({ "missedTurn": null }), "dealing.missedTurn"),
        (json!({ "restHours": 49 }), "dealing.restHours"),
        (json!({ "restHours": -1 }), "dealing.restHours"),
        (json!({ "restHours": "long" }), "dealing.restHours"),
        (
            json!({ "missedTurn": "lost", "restHours": 1 }),
            "dealing.restHours",
        ),
        (
            json!({ "missedTurn": "lost", "shares": [{ "userId": "U1", "percent": 50 }] }),
            "dealing.shares",
        ),
        (
            json!({ "shares": [{ "userId": "U1", "percent": 101 }] }),
            "dealing.shares[0].percent",
        ),
        (
            json!({ "shares": [{ "userId": "U1", "percent": -1 }] }),
            "dealing.shares[0].percent",
        ),
        (
            json!({ "shares": [{ "userId": "U1" }] }),
            "dealing.shares[0].percent",
        ),
        (
            json!({ "shares": [{ "percent": 1 }] }),
            "dealing.shares[0].userId",
        ),
        (
            json!({ "shares": [{ "userId": "U1", "percent": 1 }, { "userId": "U5", "percent": 1 }] }),
            "dealing.shares[1].userId",
        ),
        (
            json!({ "shares": [{ "userId": "U1", "percent": 1 }, { "userId": "U1", "percent": 2 }] }),
            "dealing.shares[1].userId",
        ),
        (json!({ "rest": 5 }), "dealing.rest"),
        (json!(5), "dealing"),
    ] {
        rotation.patch(json!({ "dealing": dealing })).names(member);
        let mut body = new_rotation("U1 U2 U3 U4");
        body["dealing"] = dealing;
        rota.try_create(body).names(member);
    }
    assert_eq!(rotation.read(), before);
    // The members are those that the patch leaves.
    let shares = json!([{ "userId": "U5", "percent": 10 }]);
    let people = ["U1", "U5"];
    rotation
        .patch(json!({ "userIds": people, "dealing": { "shares": shares } }))
        .is(200);
    let alone = rotation
        .patch(json!({ "userIds": ["U1", "U2"] }))
        .is(200)
        .json();
    assert_eq!(alone["dealing"]["shares"], json!([]));
}

#[test]
fn a_missed_turn_is_traded_and_everybody_else_keeps_theirs() {
    let rota = Rota::with_people(4);
    let rotation = fair(&rota);
    let own = [
        "06 U2 U2 own",
        "07 U3 U3 own",
        "08 U4 U4 own",
        "09 U1 U1 own",
        "10 U2 U2 own",
        "11 U3 U3 own",
    ];
    assert_eq!(plan(&rotation), own);
    let absence = rotation.away("U2", "2026-01-06T12:00Z", "2026-01-06T13:00Z");
    let moved = [
        "06 U4 U2 trade",
        "07 U3 U3 own",
        "08 U2 U4 repayment",
        "09 U1 U1 own",
        "10 U2 U2 own",
        "11 U3 U3 own",
    ];
    assert_eq!(plan(&rotation), moved);
    let turns = rotation.turns("schedule", "2026-01-06T09:00Z", "2026-01-07T09:00Z");
    assert_eq!(turns[0]["skippedForAbsence"][0]["userId"], "U2");
    rotation.back(&absence);
    assert_eq!(plan(&rotation), own);

    rotation.away("U2", "2026-01-06T12:00Z", "2026-01-06T13:00Z");
    assert!(rotation.by.all(&rotation.path("/trades")).is_empty());
    rota.to("2026-01-06T10:00Z");
    let shown = rotation.read();
    let holder = &shown["cells"][0]["holder"];
    let on_call = &shown["onCall"]["onCall"][0];
    for shown in [holder, on_call] {
        assert_eq!(
            json!([shown["userId"], shown["turnOf"], shown["dealt"]]),
            json!(["U4", "U2", "trade"])
        );
    }
    let trades = rotation.by.all(&rotation.path("/trades"));
    let cell = &shown["cells"][0]["id"];
    let mut trade = trades[0].clone();
    let id = trade.as_object_mut().unwrap().remove("id").unwrap();
    assert!(text(&id).starts_with("trd_"), "{id}");
    assert_eq!(
        trade,
        json!({
            "rosterId": null, "windowId": shown["windows"][0]["id"], "owes": "U2", "owed": "U4",
            "since": rfc("2026-01-06T09:00Z"),
            "taken": { "cellId": cell, "from": rfc("2026-01-06T09:00Z"), "to": rfc("2026-01-07T09:00Z") },
            "expected": { "cellId": cell, "from": rfc("2026-01-08T09:00Z"), "to": rfc("2026-01-09T09:00Z") },
        })
    );
    rota.to("2026-01-08T09:00Z");
    assert!(rotation.by.all(&rotation.path("/trades")).is_empty());
    assert_eq!(rotation.on_call(), "U2");
    let steps = rotation.get("/explain").is(200).json()["cells"][0]["steps"].clone();
    let rules: Vec<&str> = steps
        .as_array()
        .expect("a list")
        .iter()
        .map(|step| text(&step["rule"]))
        .collect();
    assert_eq!(
        rules,
        [
            "windowOpen",
            "dealtAt",
            "order",
            "ownTurn",
            "repayment",
            "chosen"
        ]
    );
    assert_eq!(steps[4]["tradeId"], id);
    // The record says it for good.
    let record = rotation.turns("history", "2026-01-05T09:00Z", "2026-01-09T00:00Z");
    let line = |turn: &Value| json!([turn["userId"], turn["turnOf"], turn["dealt"]]);
    let lines: Vec<Value> = record.iter().map(line).collect();
    assert_eq!(
        lines[lines.len() - 3..],
        [
            json!(["U4", "U2", "trade"]),
            json!(["U3", "U3", "own"]),
            json!(["U2", "U4", "repayment"]),
        ]
    );
    let lost = rota.daily("U1 U2", 1);
    let now = rota.now();
    let record = lost.turns("history", &now, "2026-01-09T00:00Z");
    assert_eq!(line(&record[0]), json!(["U1", null, null]));
    assert!(record[0].get("turnOf").is_some() && record[0].get("dealt").is_some());
}

#[test]
fn a_trade_is_forgiven_by_whoever_is_owed() {
    let rota = Rota::with_people(5);
    let (rotation, trade) = traded(&rota);
    let path = rotation.path(&format!("/trades/{trade}"));
    let other = fair(&rota);
    for (who, status, code) in [
        ("U2", 403, "resource_denied"),
        ("U3", 403, "resource_denied"),
    ] {
        let by = rota.token(who);
        rota.with(&by).delete_if(&path, "*").refused(status, code);
    }
    let reader = rota.key("read:rotations");
    rota.with(&reader)
        .delete_if(&path, "*")
        .refused(403, "scope_denied");
    rota.caller()
        .request("DELETE", &path)
        .send()
        .refused(428, "precondition_required");
    let stale = r#""0000000000000000000000000000000000000000000000000000000000000000""#;
    rota.caller()
        .delete_if(&path, stale)
        .refused(412, "precondition_failed");
    rota.caller()
        .delete_if(&other.path(&format!("/trades/{trade}")), "*")
        .refused(404, "not_found");

    let before = rotation.etag();
    let owed = rota.token("U4");
    let (_hook, receiver) = rota.hook("rotation.updated");
    rota.with(&owed).delete_if(&path, &before).is(204);
    assert_ne!(rotation.etag(), before);
    assert_eq!(receiver.events(1), "rotation.updated");
    assert!(rotation.by.all(&rotation.path("/trades")).is_empty());
    rota.with(&owed)
        .delete_if(&path, "*")
        .refused(404, "not_found");
    // The plan is that of somebody who owes nothing.
    assert_eq!(
        plan(&rotation)[..3],
        ["06 U4 U2 trade", "07 U3 U3 own", "08 U4 U4 own"]
    );
    let audit = rota.caller().all(&format!(
        "/v1/audit?rotationId={}&action=forgiveTrade",
        rotation.id
    ));
    assert_eq!(audit.len(), 1);
    let summary = text(&audit[0]["summary"]);
    assert!(summary.contains("owes"), "{summary}");
}

#[test]
fn trades_end_with_people_and_with_the_rule() {
    let rota = Rota::with_people(4);
    for change in [
        json!({ "userIds": ["U1", "U3", "U4"] }),
        json!({ "userIds": ["U1", "U2", "U3"] }),
        json!({ "dealing": { "missedTurn": "lost" } }),
    ] {
        let rota = Rota::with_people(4);
        let (rotation, _) = traded(&rota);
        rotation.patch(change.clone()).is(200);
        assert!(
            rotation.by.all(&rotation.path("/trades")).is_empty(),
            "{change}"
        );
    }
    let (rotation, _) = traded(&rota);
    // An order that lists the same people keeps them.
    rotation
        .patch(json!({ "userIds": ["U4", "U3", "U2", "U1"] }))
        .is(200);
    assert_eq!(rotation.by.all(&rotation.path("/trades")).len(), 1);
}

#[test]
fn a_preview_shows_the_plan_by_another_rule() {
    let rota = Rota::with_people(4);
    let rotation = fair(&rota);
    rotation.away("U2", "2026-01-06T12:00Z", "2026-01-06T13:00Z");
    let body = json!({ "rotation": { "dealing": { "missedTurn": "lost" } } });
    let shown = rotation
        .by
        .post(&rotation.path("/preview?days=4"), body)
        .is(200)
        .json();
    let changed = &shown["differences"].as_array().expect("a list")[0];
    assert_eq!(
        (&changed["before"], &changed["after"]),
        (&json!("U4"), &json!("U3"))
    );
    assert_eq!(rotation.read()["dealing"]["missedTurn"], "traded");
}
