//! Who is on call while the clock moves, and the bounds of their turns.

use super::four;
use crate::support::*;
use serde_json::{Value, json};

/// Moves through the rows: an instant and who is on call then.
#[track_caller]
fn walk(rotation: &Rot, rows: &[(&str, &str)]) {
    for (now, on_call) in rows {
        rotation.by.rota.to(now);
        assert_eq!(rotation.on_call(), *on_call, "{now}");
    }
}

#[track_caller]
fn holder(rotation: &Rot) -> Value {
    places(&rotation.read())[0]["holder"].clone()
}

/// rules.md 1.2.
#[test]
fn an_arrangement_takes_over_from_its_first_instant_up_to_its_last() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    let day = "2026-01-06T09:00Z";
    for (now, duty) in [
        (
            MONDAY,
            format!("U1/0 {MONDAY} 2026-01-05T12:00Z 2026-01-05T12:00Z {day}"),
        ),
        (
            "2026-01-05T11:59:59.999Z",
            format!("U1/0 {MONDAY} 2026-01-05T12:00Z 2026-01-05T12:00Z {day}"),
        ),
        (
            "2026-01-05T12:00Z",
            format!("U3/2 2026-01-05T12:00Z 2026-01-05T14:00Z 2026-01-05T14:00Z {day}"),
        ),
        (
            "2026-01-05T13:59:59.999Z",
            format!("U3/2 2026-01-05T12:00Z 2026-01-05T14:00Z 2026-01-05T14:00Z {day}"),
        ),
        (
            "2026-01-05T14:00Z",
            format!("U1/0 2026-01-05T14:00Z {day} {day} {day}"),
        ),
        (
            day,
            format!("U2/1 {day} 2026-01-07T09:00Z 2026-01-07T09:00Z 2026-01-07T09:00Z"),
        ),
    ] {
        rota.to(now);
        assert_eq!(rotation.duty(), [duty], "{now}");
        let on_call = rotation.get("/on-call").json();
        let here = rotation.read();
        assert_eq!(here["onCall"], on_call);
        assert_eq!(on_call["onCall"][0]["cellId"], here["cells"][0]["id"]);
        assert_eq!([int(&here["heldSeats"]), int(&here["openSeats"])], [1, 0]);
    }
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T12:00Z U1 coverage-changed",
            "2026-01-05T12:00Z 2026-01-05T14:00Z U3 explicit-change",
            "2026-01-05T14:00Z 2026-01-06T09:00Z U1 explicit-change",
            "2026-01-06T09:00Z - U2 next-on-scheduled-duty",
        ]
    );
}

#[test]
fn a_cell_shows_whom_it_was_dealt_to() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let before = holder(&rotation);
    rotation.assign(0, "U3", MONDAY, "2026-01-05T14:00Z");
    assert_eq!(rotation.on_call(), "U3");
    assert_eq!(holder(&rotation), before);
    let expected = json!({
        "userId": "U1", "turn": 0, "waiting": false, "since": rfc(MONDAY),
        "until": rfc("2026-01-06T09:00Z"), "skippedForAbsence": [],
    });
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(before[member], *value, "{member}");
    }
    rota.to("2026-01-05T14:00Z");
    assert_eq!(holder(&rotation), before);
}

#[test]
fn a_turn_is_cut_by_the_arrangement_before_it_and_the_one_after() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U3", "2026-01-06T07:00Z", "2026-01-06T12:00Z");
    rotation.assign(0, "U4", "2026-01-06T20:00Z", "2026-01-06T22:00Z");
    rota.to("2026-01-06T13:00Z");
    assert_eq!(
        rotation.duty(),
        ["U2/1 2026-01-06T12:00Z 2026-01-06T20:00Z 2026-01-06T20:00Z 2026-01-07T09:00Z"]
    );
    let dealt = holder(&rotation);
    assert_eq!(
        [instant(&dealt["since"]), instant(&dealt["until"])],
        ["2026-01-06T09:00Z", "2026-01-07T09:00Z"]
    );
    rota.to("2026-01-06T22:00Z");
    assert_eq!(
        rotation.duty(),
        ["U2/1 2026-01-06T22:00Z 2026-01-07T09:00Z 2026-01-07T09:00Z 2026-01-07T09:00Z"]
    );
    // The next turn is complete.
    rota.to("2026-01-07T09:00Z");
    assert_eq!(
        rotation.duty(),
        ["U3/2 2026-01-07T09:00Z 2026-01-08T09:00Z 2026-01-08T09:00Z 2026-01-08T09:00Z"]
    );
}

/// rules.md 5.1.
#[test]
fn an_arrangement_that_ends_at_a_hand_over_gives_way_to_who_is_dealt_then() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-06T09:00Z");
    rotation.assign(0, "U4", "2026-01-07T09:00Z", "2026-01-07T12:00Z");
    walk(
        &rotation,
        &[
            ("2026-01-06T08:59:59Z", "U3"),
            ("2026-01-06T09:00Z", "U2"),
            ("2026-01-07T08:59:59Z", "U2"),
            ("2026-01-07T09:00Z", "U4"),
            ("2026-01-07T12:00Z", "U3"),
        ],
    );
    let record = rotation.record();
    assert_eq!(
        record[3..],
        [
            "2026-01-07T09:00Z 2026-01-07T12:00Z U4 explicit-change",
            "2026-01-07T12:00Z - U3 explicit-change",
        ]
    );
    assert!(
        record[2].starts_with("2026-01-06T09:00Z 2026-01-07T09:00Z U2 "),
        "one entry at an instant"
    );
}

#[test]
fn arrangements_back_to_back_pass_it_from_one_to_the_other() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U4", "2026-01-05T14:00Z", "2026-01-05T16:00Z");
    rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    rotation.assign(0, "U4", "2026-01-05T16:00Z", "2026-01-05T18:00Z");
    rota.to("2026-01-05T13:00Z");
    let mut until = vec![];
    for now in [
        "2026-01-05T13:00Z",
        "2026-01-05T14:00Z",
        "2026-01-05T16:00Z",
    ] {
        rota.to(now);
        until.extend(rotation.duty());
    }
    let ends = "2026-01-06T09:00Z";
    assert_eq!(
        until,
        [
            format!("U3/2 2026-01-05T12:00Z 2026-01-05T14:00Z 2026-01-05T14:00Z {ends}"),
            format!("U4/3 2026-01-05T14:00Z 2026-01-05T16:00Z 2026-01-05T16:00Z {ends}"),
            format!("U4/3 2026-01-05T16:00Z 2026-01-05T18:00Z 2026-01-05T18:00Z {ends}"),
        ]
    );
    rota.to("2026-01-05T19:00Z");
    assert_eq!(
        rotation.record()[1..],
        [
            "2026-01-05T12:00Z 2026-01-05T14:00Z U3 explicit-change",
            "2026-01-05T14:00Z 2026-01-05T16:00Z U4 explicit-change",
            "2026-01-05T16:00Z 2026-01-05T18:00Z U4 explicit-change",
            "2026-01-05T18:00Z - U1 explicit-change",
        ]
    );
}

#[test]
fn the_person_dealt_the_turn_may_be_arranged_too() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U1", "2026-01-05T12:00Z", "2026-01-06T12:00Z");
    walk(
        &rotation,
        &[
            ("2026-01-05T12:00Z", "U1"),
            ("2026-01-06T09:00Z", "U1"),
            ("2026-01-06T12:00Z", "U2"),
        ],
    );
    assert_eq!(
        rotation.record(),
        [
            "2026-01-05T08:00Z 2026-01-05T12:00Z U1 coverage-changed",
            "2026-01-05T12:00Z 2026-01-06T12:00Z U1 explicit-change",
            "2026-01-06T12:00Z - U2 explicit-change",
        ]
    );
}

#[test]
fn of_two_places_only_the_one_arranged_changes_hands() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    rotation.assign(1, "U4", "2026-01-05T10:00Z", "2026-01-05T12:00Z");
    walk(
        &rotation,
        &[
            ("2026-01-05T10:00Z", "U1 U4"),
            ("2026-01-05T12:00Z", "U1 U2"),
            ("2026-01-06T09:00Z", "U3 U4"),
        ],
    );
}

#[test]
fn a_manual_rotation_is_arranged_like_any_other() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.put_on_call("U1").is(200);
    rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    assert_eq!(
        rotation.duty(),
        [format!(
            "U1/0 {MONDAY} 2026-01-05T12:00Z 2026-01-05T12:00Z -"
        )]
    );
    rota.to("2026-01-05T12:00Z");
    assert_eq!(
        rotation.duty(),
        ["U3/2 2026-01-05T12:00Z 2026-01-05T14:00Z 2026-01-05T14:00Z -"]
    );
    rotation.rotate();
    assert_eq!(
        (rotation.on_call(), rotation.holders()),
        ("U3".into(), "U2".into())
    );
    rota.to("2026-01-05T14:00Z");
    assert_eq!(rotation.duty(), ["U2/1 2026-01-05T14:00Z - - -"]);
}

#[test]
fn an_empty_place_is_held_for_as_long_as_it_is_arranged() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3");
    let seats = || {
        let now = rotation.read();
        (
            rotation.on_call(),
            int(&now["heldSeats"]),
            int(&now["openSeats"]),
        )
    };
    assert_eq!(seats(), (String::new(), 0, 1));
    let record = rotation.assign(0, "U3", "2026-01-05T12:00Z", "2026-01-05T14:00Z");
    assert_eq!(record["origin"]["userIds"], json!([]));
    assert_eq!(
        record["originalSnapshot"]["segments"][0]["userIds"],
        json!([])
    );
    rota.to("2026-01-05T12:00Z");
    assert_eq!(seats(), ("U3".to_owned(), 1, 0));
    assert_eq!(holder(&rotation), Value::Null);
    assert_eq!(
        rotation.duty(),
        ["U3/2 2026-01-05T12:00Z 2026-01-05T14:00Z 2026-01-05T14:00Z -"]
    );
    rota.to("2026-01-05T14:00Z");
    assert_eq!(seats(), (String::new(), 0, 1));
    assert_eq!(
        text(&rotation.get("/on-call").json()["nobodyOnCallReason"]),
        "nobody-on-call-unplanned"
    );
    assert_eq!(
        rotation.record()[1..],
        [
            "2026-01-05T12:00Z 2026-01-05T14:00Z U3 explicit-change",
            "2026-01-05T14:00Z - - explicit-change",
        ]
    );
}

#[test]
fn expanding_shows_the_person_arranged() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    rotation.assign(0, "U3", MONDAY, "2026-01-05T14:00Z");
    let expanded = rotation.get("/on-call?expand=users").is(200).json();
    let expanded = expanded["users"].as_array().expect("a list");
    let ids: Vec<&str> = expanded.iter().map(|user| text(&user["id"])).collect();
    assert_eq!(ids, ["U3"]);
}
