//! Who may be assigned, the previous plan, and the replaced turn.

use super::four;
use crate::support::*;
use serde_json::{Value, json};

/// rules.md 8.3.
#[test]
fn one_person_holds_two_cells_only_with_double_cover() {
    let rota = Rota::with_people(4);
    let single = rota.daily("U1 U2 U3 U4", 2);
    let double = rota.daily("U1 U2 U3 U4", 2);
    double.patch(json!({ "doubleCover": true })).is(200);
    for rotation in [&single, &double] {
        rotation.assign(1, "U4", "2026-01-05T20:00Z", "2026-01-05T22:00Z");
    }
    // U1 and U2 until Tuesday at nine, then U3 and U4.
    for (user, from, to, alone) in [
        ("U2", "2026-01-05T10:00Z", "2026-01-05T11:00Z", false),
        ("U2", "2026-01-06T08:59Z", "2026-01-06T12:00Z", false),
        ("U2", "2026-01-06T09:00Z", "2026-01-06T12:00Z", true),
        // If another person is arranged in their slot, they are free.
        ("U2", "2026-01-05T20:00Z", "2026-01-05T22:00Z", true),
        ("U2", "2026-01-05T20:00Z", "2026-01-05T22:00:01Z", false),
        ("U4", "2026-01-05T18:00Z", "2026-01-05T20:00Z", true),
        ("U4", "2026-01-05T18:00Z", "2026-01-05T20:00:01Z", false),
        ("U4", "2026-01-06T08:00Z", "2026-01-06T10:00Z", false),
        ("U1", "2026-01-05T10:00Z", "2026-01-05T11:00Z", true),
        ("U3", "2026-01-05T10:00Z", "2026-01-05T11:00Z", true),
    ] {
        let response = format!("{user} {from} {to}");
        for (rotation, fine) in [(&single, alone), (&double, true)] {
            let body = rotation.assignment(0, user, from, to);
            let preview = rotation.try_preview(&body);
            let written = rotation.post_arrangement("", &body);
            if !fine {
                preview.names("userId");
                written.names("userId");
                continue;
            }
            assert_eq!(
                preview.is(200).json()["canCommit"],
                json!(true),
                "{response}"
            );
            let record = only_arrangement(&written.is(200).json());
            rotation.end(&record);
        }
    }
}

#[test]
fn a_change_frees_the_place_that_was_held() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let old = rotation.assign(0, "U4", "2026-01-05T10:00Z", "2026-01-05T12:00Z");
    rotation
        .try_assign(1, "U4", "2026-01-05T10:00Z", "2026-01-05T12:00Z")
        .names("userId");
    rotation.change(&old, 1, "U4", "2026-01-05T10:00Z", "2026-01-05T12:00Z");
}

#[test]
fn only_people_of_the_cells_roster_are_assigned() {
    let rota = Rota::with_people(5);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let mut grid = rotation.grid(2, &[always(daily())]);
    grid["cells"][1]["rosterId"] = json!("second");
    rotation.put("/coverage", grid).is(200);
    rotation
        .put("/rosters/second", json!({ "userIds": ["U4", "U3"] }))
        .is(200);
    let free = ("2026-01-05T10:00Z", "2026-01-05T12:00Z");
    let body = |place: usize, user: &str| rotation.assignment(place, user, free.0, free.1);
    rotation.try_preview(&body(1, "U1")).names("userId");
    rotation
        .post_arrangement("", &body(1, "U1"))
        .names("userId");
    rotation
        .post_arrangement("", &body(0, "U5"))
        .names("userId");
    let old = rotation.assign(0, "U4", free.0, free.1);
    rotation.try_change(&old, body(1, "U1")).names("userId");
    rotation.end(&old);
    rotation.assign(1, "U3", free.0, free.1);
    rota.to(free.0);
    // Their position in that roster.
    assert_eq!(rotation.on_call(), "U1 U3");
    assert!(
        rotation.duty()[1].starts_with("U3/1 "),
        "{:?}",
        rotation.duty()
    );
}

#[test]
fn the_plan_before_is_kept_with_the_record() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let office = hours("UTC", &weekdays("08:00", "16:00"), daily());
    rotation.cover_doubly(2, &[office]);
    rotation.away("U3", "2026-01-06T08:00Z", "2026-01-06T10:00Z");
    rotation.assign(0, "U4", "2026-01-05T14:00Z", "2026-01-05T15:00Z");
    rota.to("2026-01-05T10:00Z");
    for (user, from, to) in [
        ("U3", "2026-01-05T09:00Z", "2026-01-05T14:00Z"),
        ("U4", "2026-01-05T15:00Z", "2026-01-06T09:00Z"),
        ("U1", "2026-01-06T09:00Z", "2026-01-07T09:00Z"),
    ] {
        let (from, start) = (rfc(from), rfc("2026-01-05T10:00Z").max(rfc(from)));
        let cell = json!(rotation.cell_id(0));
        let planned = rotation.turns("schedule", &start, to);
        let body = rotation.assignment(0, user, &from, to);
        let answer = rotation.post_arrangement("", &body);
        let record = only_arrangement(&answer.is(200).json());
        let mut people: Vec<Value> = vec![];
        let mut segments = vec![];
        for item in planned.iter().filter(|item| item["cellId"] == cell) {
            let user = item.get("userId").cloned();
            let cut = |name: &str, by: &str, later: bool| {
                let own = text(&item[name]);
                if (at(own) > at(by)) == later {
                    rfc(own)
                } else {
                    rfc(by)
                }
            };
            segments.push(json!({
                "from": cut("start", &start, true), "to": cut("end", to, false),
                "userIds": Vec::from_iter(user.clone()), "resolved": true,
            }));
            people.extend(user.filter(|user| !people.contains(user)));
        }
        assert_eq!(
            record["originalSnapshot"],
            json!({
                "asOfUtc": rfc("2026-01-05T10:00Z"), "from": start, "to": rfc(to), "complete": true,
                "segments": segments,
            }),
            "{from}"
        );
        assert_eq!(
            record["origin"],
            json!({ "userIds": people, "complete": true })
        );
        // It does not change with the plan.
        rotation.rotate();
        assert_eq!(rotation.arrangement(&record["id"]), record);
    }
}

#[test]
fn the_people_replaced_may_have_been_arranged_themselves() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let old = rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    // A change is checked against the plan without the replaced assignment.
    let written = rotation.change(&old, 0, "U4", "2026-01-05T12:00Z", "2026-01-06T12:00Z");
    let new = &written["arrangements"][1];
    assert_eq!(new["origin"]["userIds"], json!(["U1", "U2"]));
    let segments = &new["originalSnapshot"]["segments"];
    assert_eq!(instant(&segments[1]["from"]), "2026-01-06T09:00Z");
}

/// rules.md 8.6.
#[test]
fn a_selection_names_the_turn_taken_over() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rota.to("2026-01-05T10:00Z");
    let (began, nine) = (MONDAY, "2026-01-06T09:00Z");
    for (from, to, expected) in [
        // The running turn: from now, from before, from a later instant.
        (
            "2026-01-05T10:00Z",
            nine,
            Some(("remainingTurn", began, nine)),
        ),
        (MONDAY, nine, Some(("remainingTurn", began, nine))),
        (
            "2026-01-05T07:00Z",
            nine,
            Some(("remainingTurn", began, nine)),
        ),
        (
            "2026-01-05T20:00Z",
            nine,
            Some(("remainingTurn", began, nine)),
        ),
        ("2026-01-05T20:00Z", "2026-01-06T08:59Z", None),
        ("2026-01-05T20:00Z", "2026-01-06T09:01Z", None),
        // Future turns.
        (
            nine,
            "2026-01-07T09:00Z",
            Some(("fullTurn", nine, "2026-01-07T09:00Z")),
        ),
        (
            "2026-01-09T09:00Z",
            "2026-01-10T09:00Z",
            Some(("fullTurn", "2026-01-09T09:00Z", "2026-01-10T09:00Z")),
        ),
        ("2026-01-06T09:01Z", "2026-01-07T09:00Z", None),
        (nine, "2026-01-07T08:59Z", None),
        (nine, "2026-01-08T09:00Z", None),
        ("2026-01-05T10:00Z", "2026-01-07T09:00Z", None),
    ] {
        let selection = match expected {
            Some((kind, from, to)) => json!({ "kind": kind, "from": rfc(from), "to": rfc(to) }),
            None => Value::Null,
        };
        let body = rotation.assignment(0, "U4", from, to);
        let found = rotation.try_preview(&body).is(200).json()["turnSelection"].clone();
        assert_eq!(found, selection, "{from} {to}");
        // If it is not sent, it is not recorded; if it is, it must be this one.
        let record = rotation.assign(0, "U4", from, to);
        assert_eq!(record["turnSelection"], Value::Null);
        rotation.end(&record);
        let sending = |selection: &Value| {
            let mut body = rotation.assignment(0, "U4", from, to);
            body["turnSelection"] = selection.clone();
            body
        };
        let record = only_arrangement(
            &rotation
                .post_arrangement("", &sending(&selection))
                .is(200)
                .json(),
        );
        assert_eq!(record["turnSelection"], selection);
        assert_eq!(
            rotation.arrangement(&record["id"])["turnSelection"],
            selection
        );
        rotation.end(&record);
        for wrong in [
            json!({ "kind": "fullTurn", "from": rfc(from), "to": rfc(to) }),
            json!({ "kind": "remainingTurn", "from": rfc(from), "to": rfc(to) }),
            json!({ "kind": "fullTurn", "from": rfc("2026-01-08T09:00Z"), "to": rfc("2026-01-09T09:00Z") }),
            json!({ "kind": "remainingTurn", "from": rfc(began), "to": rfc(nine) }),
        ] {
            if wrong != selection {
                rotation
                    .try_preview(&sending(&wrong))
                    .names("turnSelection");
                rotation
                    .post_arrangement("", &sending(&wrong))
                    .names("turnSelection");
            }
        }
    }
}

#[test]
fn a_turn_without_an_end_is_no_selection() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U1").is(200);
    let preview = rotation.preview(0, "U2", MONDAY, "2026-01-06T08:00Z");
    assert_eq!(preview["turnSelection"], Value::Null);
}
