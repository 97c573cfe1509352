//! GET explain: what was dealt is explained as it was explained ahead of it, with the order that it was dealt from.

use crate::support::*;
use rusqlite::Connection;
use serde_json::{Value, json};

/// The cells at an instant, with the steps that say how their turns were dealt.
fn dealt(rotation: &Rot, instant: &str) -> Vec<Value> {
    let path = format!("/explain?at={}", rfc(instant));
    let mut explained = rotation.get(&path).is(200).json();
    let cells = explained["cells"].as_array_mut().expect("a list");
    for cell in cells.iter_mut() {
        let steps = cell["steps"].as_array_mut().expect("a list");
        steps.retain(|step| step["rule"] != "windowOpen");
    }
    std::mem::take(cells)
}

fn rules(cell: &Value) -> String {
    let steps = cell["steps"].as_array().expect("a list").iter();
    let rules: Vec<&str> = steps.map(|step| text(&step["rule"])).collect();
    rules.join(" ")
}

fn order_of(cell: &Value) -> (i64, String) {
    let steps = cell["steps"].as_array().expect("a list");
    let order = steps.iter().find(|step| step["rule"] == "order");
    let order = order.unwrap_or_else(|| panic!("an order in {cell}"));
    let people = order["order"].as_array().expect("a list").iter();
    let people: Vec<&str> = people.map(text).collect();
    (int(&order["nextTurn"]), people.join(" "))
}

/// rules.md 26.4.
#[test]
fn what_is_dealt_keeps_the_explanation_that_it_had_ahead() {
    let rota = Rota::with_people(4);
    // Somebody absent, and somebody on call elsewhere.
    let turns = rota.daily("U1 U2 U3 U4", 2);
    turns.away("U3", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    // Hand-overs while the hours are shut.
    let office = rota.rotation("U1 U2 U3");
    office.cover(1, &[hours("UTC", &weekdays("10:00", "17:00"), daily())]);
    // More slots than people.
    let doubled = rota.daily("U1 U2", 2);
    doubled.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    doubled.cover_doubly(2, &[always(daily())]);
    // Nobody who is here for all of the turn.
    let partly = rota.daily("U1 U2", 1);
    partly
        .patch(json!({ "absencePolicy": { "passOver": "duringTurn" } }))
        .is(200);
    for (user, until) in [("U1", "2026-01-06T23:00Z"), ("U2", "2026-01-06T22:00Z")] {
        partly.away(user, "2026-01-06T18:00Z", until);
    }
    // Nobody at all.
    let nobody = rota.daily("U1 U2", 1);
    for user in ["U1", "U2"] {
        nobody.away(user, "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    }
    let noon = "2026-01-06T12:00Z";
    let all = [&turns, &office, &doubled, &partly, &nobody];
    let ahead = all.map(|rotation| dealt(rotation, noon));
    let shown = ahead.each_ref().map(|cells| {
        let cells: Vec<String> = cells.iter().map(rules).collect();
        cells.join(" | ")
    });
    assert_eq!(
        shown,
        [
            "dealtAt order passedOver chosen | dealtAt order chosen",
            "dealtAt order chosen",
            "dealtAt order chosen | dealtAt order passedOver alreadyOnDuty doubleCover chosen",
            "dealtAt order passedOver passedOver leastAbsent chosen",
            "dealtAt order passedOver passedOver nobodyLeft",
        ]
    );
    rota.to(noon);
    let check = |when: &str| {
        for (rotation, ahead) in all.iter().zip(&ahead) {
            let now = dealt(rotation, noon);
            for (now, ahead) in now.iter().zip(ahead) {
                assert_eq!(now, ahead, "{when}");
            }
        }
    };
    check("while it runs");
    rota.advance(HOUR);
    // What people are now says nothing of what they were then.
    for rotation in &all {
        let order = rotation.order();
        let turned: Vec<&str> = order.split(' ').rev().collect();
        rotation.patch(json!({ "userIds": turned })).is(200);
    }
    rota.to("2026-01-20T12:00Z");
    check("when it is over");
    assert_eq!(order_of(&dealt(&turns, &rota.now())[0]).1, "U4 U3 U2 U1");
}

#[test]
fn turns_that_begin_where_nobody_sees_it_keep_their_order() {
    let rota = Rota::with_people(3);
    // Beneath an assignment that ends before the turn does.
    let covered = rota.daily("U1 U2 U3", 1);
    covered.assign(0, "U3", "2026-01-06T06:00Z", "2026-01-06T11:00Z");
    // By hand, while the hours are shut.
    let office = rota.rotation("U1 U2 U3");
    let week = weekly("UTC", "2026-01-05T09:00");
    office.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), week)]);
    rota.to("2026-01-05T20:00Z");
    office.rotate();
    let rotated = order_of(&dealt(&office, "2026-01-06T12:00Z")[0]);
    rota.to("2026-01-06T12:00Z");
    let beneath = &dealt(&covered, &rota.now())[0];
    assert_eq!(rules(beneath), "dealtAt order chosen");
    let by_hand = &dealt(&office, &rota.now())[0];
    assert_eq!(rules(by_hand), "rotatedByHand order chosen");
    assert_eq!(order_of(by_hand), rotated);
    assert_eq!(order_of(by_hand).1, "U1 U2 U3");
    // Somebody who was set on duty was dealt from no order, also at the instant of the deal.
    let set = rota.rotation("U1 U2");
    set.rotate();
    for user in ["U2", "U1"] {
        set.put_on_call(user).is(200);
    }
    assert_eq!(rules(&dealt(&set, &rota.now())[0]), "setByHand chosen");
}

/// rules.md 26.4.
#[test]
fn an_older_record_says_that_it_does_not_hold_the_order() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(2);
    let (turn, empty) = (rota.daily("U1 U2", 1), rota.daily("U1", 1));
    let turn_before = dealt(&turn, "2026-01-06T12:00Z");
    empty.away("U1", "2026-01-06T00:00Z", "2026-01-08T00:00Z");
    rota.to("2026-01-06T12:00Z");
    let paths = [&turn, &empty].map(|rotation| rotation.path("/explain"));
    assert_eq!(dealt(&turn, &rota.now()), turn_before);
    rota.stop();
    let conn = Connection::open(&db).expect("the database");
    conn.execute_batch("DELETE FROM decision; DELETE FROM roster_order;")
        .expect("the record as an older version left it");
    drop(conn);
    let rota = Start::default().db(&db).clock("2026-01-06T12:00Z").go();
    let shown = paths.map(|path| {
        let cells = rota.caller().get(&path).is(200).json();
        rules(&cells["cells"][0])
    });
    assert_eq!(
        shown,
        [
            "windowOpen dealtAt chosen notRecorded",
            "windowOpen dealtAt nobodyLeft notRecorded",
        ]
    );
}

/// rules.md 26.4.
#[test]
fn an_order_is_stored_once_and_a_search_that_finds_the_same_is_not_stored_again() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 2);
    let empty = rota.daily("U1", 1);
    empty.away("U1", "2026-01-05T00:00Z", "2026-03-01T00:00Z");
    empty.clear().is(200);
    rota.to("2026-01-15T12:00Z");
    rotation
        .patch(json!({ "userIds": ["U3", "U2", "U1"] }))
        .is(200);
    rota.to("2026-01-25T12:00Z");
    assert_eq!(rotation.on_call().split(' ').count(), 2);
    rota.stop();
    let conn = Connection::open(&db).expect("the database");
    let count = |sql: &str| -> i64 { conn.query_row(sql, [], |row| row.get(0)).expect(sql) };
    assert_eq!(count("SELECT count(*) FROM roster_order"), 3);
    let found = "SELECT count(*) FROM decision WHERE user_id IS NULL";
    assert_eq!(count(found), 1);
    // Two a hand-over on twenty days.
    assert!(count("SELECT count(*) FROM decision") >= 40);
}
