//! The effect of an acceptance on duty, schedule and history.

use crate::support::*;
use serde_json::{Value, json};

#[test]
fn the_recipient_is_on_call_for_the_interval_and_then_the_dealt_person_again() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.to(&when("05T12"));
    let asked = rotation.ask_cover("U1", "05T14 05T18", "U2 U3");
    let answer = asked.step("U3", "accept").is(200);
    assert_eq!(answer.etag(), rotation.etag());
    let response = answer.json();
    // Created, grid, requested, accepted.
    assert_eq!(int(&response["rotationVersion"]), 4);
    assert_eq!(day(&response["effectiveFrom"]), "05T14");
    let [made] = &response["arrangements"].as_array().unwrap()[..] else {
        panic!("one arrangement: {response}");
    };
    assert_eq!(arrangement_line(made), "U3 05T14 05T18 acceptedCover");
    assert_eq!(int(&made["revision"]), 1);
    assert_eq!(made["turnSelection"], Value::Null);
    assert_eq!(
        made["origin"],
        json!({ "userIds": ["U1"], "complete": true })
    );
    let record = &response["request"]["request"];
    assert_eq!(record["acceptedUserId"], json!("U3"));
    assert_eq!(record["arrangementId"], made["id"]);
    assert_eq!(*record, asked.record());
    assert_eq!(asked.state_line(), "accepted 2 U3");

    assert_eq!(
        rotation.planned("05T08 07"),
        [
            "U1 05T08 05T14",
            "U3 05T14 05T18",
            "U1 05T18 06",
            "U2 06 07"
        ]
    );
    for (now, on_call) in [
        ("05T13:59", "U1"),
        ("05T14", "U3"),
        ("05T17:59", "U3"),
        ("05T18", "U1"),
        ("06", "U2"),
    ] {
        rota.to(&when(now));
        assert_eq!(rotation.on_call(), on_call, "{now}");
    }
    assert_eq!(
        rotation.recorded("05T08 07"),
        [
            "U1 05T08 05T14 coverage-changed",
            "U3 05T14 05T18 explicit-change",
            "U1 05T18 06 explicit-change",
            "U2 06 - next-on-scheduled-duty",
        ]
    );
    assert_eq!(asked.state_line(), "accepted 2 U3");
}

/// rules.md 9.3.
#[test]
fn an_acceptance_counts_from_now_where_the_interval_has_begun() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.ask_cover("U1", "05T10 05T18", "U2");
    rota.to(&when("05T12"));
    let response = asked.accepted_by("U2");
    assert_eq!(day(&response["effectiveFrom"]), "05T12");
    assert_eq!(rotation.agreed(), ["U2 05T12 05T18 acceptedCover"]);
    assert_eq!(interval(&asked.record()), "05T10 05T18");
    let entry = rotation.get("/on-call").json()["onCall"][0].clone();
    assert_eq!(
        [&entry["since"], &entry["until"], &entry["turnEnds"]].map(day),
        ["05T12", "05T18", "06"]
    );
    // The position in the roster is their own.
    assert_eq!((text(&entry["userId"]), int(&entry["turn"])), ("U2", 1));
    // The dealt person still holds the slot.
    assert_eq!(rotation.holders(), "U1");
    assert_eq!(
        rotation.recorded("05T08 06"),
        [
            "U1 05T08 05T12 coverage-changed",
            "U2 05T12 - explicit-change",
        ]
    );
    let record = rotation.recorded("05T08 06").len();
    rota.to(&when("05T18"));
    assert_eq!(rotation.recorded("05T08 06").len(), record + 1);
}

#[test]
fn a_turn_that_was_selected_is_recorded() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.advance(HOUR);
    for (user, period, recipient, expected) in [
        ("U1", "05T08 06", "U2", "remainingTurn 05T08 06"),
        ("U2", "06 07", "U1", "fullTurn 06 07"),
    ] {
        let mut body = rotation.cover_body(period, recipient);
        let asker = rotation.seen_by(user);
        let preview = asker.request("cover-requests/preview", body.clone());
        body["turnSelection"] = preview.is(200).json()["turnSelection"].clone();
        assert_eq!(selection(&body["turnSelection"]), expected);
        let response = rotation
            .made("cover-requests", user, body)
            .accepted_by(recipient);
        let made = &response["arrangements"][0];
        assert_eq!(selection(&made["turnSelection"]), expected);
    }
}

#[test]
fn accepting_cuts_the_requesters_own_arrangement() {
    // U3 has U2's whole turn.
    for (period, active, plan) in [
        (
            "06 06T12",
            "U1 06 06T12 acceptedCover, U3 06T12 07 directAssignment",
            "U1 06 06T12, U3 06T12 07",
        ),
        (
            "06T12 06T15",
            "U3 06 06T12 directAssignment, U1 06T12 06T15 acceptedCover, U3 06T15 07 directAssignment",
            "U3 06 06T12, U1 06T12 06T15, U3 06T15 07",
        ),
        (
            "06T15 07",
            "U3 06 06T15 directAssignment, U1 06T15 07 acceptedCover",
            "U3 06 06T15, U1 06T15 07",
        ),
        ("06 07", "U1 06 07 acceptedCover", "U1 06 07"),
    ] {
        let rota = Rota::with_people(3);
        let rotation = rota.daily("U1 U2 U3", 1);
        let own = rotation.assign_at(0, "U3", "06 07");
        let response = rotation.ask_cover("U3", period, "U1").accepted_by("U1");
        let changed = response["arrangements"].as_array().unwrap();
        assert!(changed.iter().any(|found| found["id"] == own.as_str()));
        let standing: Vec<String> = rotation.agreed();
        let standing: Vec<&String> = standing
            .iter()
            .filter(|line| !line.ends_with("cancelled"))
            .collect();
        assert_eq!(standing, active.split(", ").collect::<Vec<_>>(), "{period}");
        // The current arrangements are among those returned.
        for line in standing {
            let lines = changed.iter().map(arrangement_line);
            assert!(lines.into_iter().any(|found| found == *line), "{line}");
        }
        let before = rotation
            .agreements()
            .into_iter()
            .find(|found| found["id"] == own.as_str());
        assert!(
            int(&before.expect("the record")["revision"]) > 1,
            "{period}"
        );
        let expected: Vec<&str> = plan.split(", ").collect();
        assert_eq!(rotation.planned("06 07"), expected, "{period}");
        rota.to(&when("07"));
        let record = rotation.recorded("06 06T23");
        let lines = record.iter().map(|line| line.split(" explicit").next());
        let lines: Vec<&str> = lines.map(Option::unwrap).collect();
        assert_eq!(lines, expected, "{period}");
    }
}

#[test]
fn a_running_arrangement_of_the_requester_is_cut_too() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.assign_at(0, "U3", "05T10 05T20");
    rota.to(&when("05T12"));
    rotation
        .ask_cover("U3", "05T10 05T14", "U2")
        .accepted_by("U2");
    assert_eq!(
        rotation.planned("05T08 06"),
        [
            "U1 05T08 05T10",
            "U3 05T10 05T12",
            "U2 05T12 05T14",
            "U3 05T14 05T20",
            "U1 05T20 06",
        ]
    );
    rota.to(&when("06"));
    assert_eq!(
        rotation.recorded("05T08 05T23"),
        [
            "U1 05T08 05T10 coverage-changed",
            "U3 05T10 05T12 explicit-change",
            "U2 05T12 05T14 explicit-change",
            "U3 05T14 05T20 explicit-change",
            "U1 05T20 06 explicit-change",
        ]
    );
}

#[test]
fn a_cover_can_be_covered_in_turn() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    rotation.ask_cover("U2", "06 07", "U3").accepted_by("U3");
    let further = rotation.ask_cover("U3", "06T12 06T15", "U4");
    further.accepted_by("U4");
    assert_eq!(
        rotation.planned("06 07"),
        ["U3 06 06T12", "U4 06T12 06T15", "U3 06T15 07"]
    );
    rota.to(&when("06T13"));
    assert_eq!(rotation.on_call(), "U4");
}

#[test]
fn arrangements_made_by_requests_are_not_changed_or_ended_as_such() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.ask_cover("U2", "06 07", "U3");
    let made = asked.accepted_by("U3")["arrangements"][0].clone();
    let before = rotation.etag();
    let change = json!({
        "operationId": unique("change"), "cellId": made["cellId"], "userId": "U1", "from": made["from"],
        "to": made["to"], "expectedRevision": 1,
    });
    let end = json!({ "operationId": unique("end"), "expectedRevision": 1 });
    let path = format!("duty-arrangements/{}", text(&made["id"]));
    for (rest, body) in [("changes", change), ("end", end)] {
        let answer = rotation.request(&format!("{path}/{rest}"), body);
        answer.refused(409, "repairNotSupported");
    }
    assert_eq!(rotation.etag(), before);
    assert_eq!(asked.state_line(), "accepted 2 U3");
}

#[test]
fn who_is_removed_covers_no_more() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    rotation
        .ask_cover("U1", "05T10 05T20", "U4")
        .accepted_by("U4");
    let later = rotation.ask_cover("U2", "06 07", "U4");
    later.accepted_by("U4");
    rota.to(&when("05T12"));
    assert_eq!(rotation.on_call(), "U4");
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3"] }))
        .is(200);
    assert_eq!(rotation.on_call(), "U1");
    assert_eq!(
        rotation.agreed(),
        [
            "U4 05T10 05T12 acceptedCover",
            "U4 06 07 acceptedCover cancelled"
        ]
    );
    assert_eq!(rotation.planned("05T12 07")[1..], ["U2 06 07"]);
}

#[test]
fn duty_of_a_manual_rotation_is_covered_too() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    let body = rotation.cover_body("05T10 05T12", "U2");
    let answer = rotation.seen_by("U1").request("cover-requests", body);
    answer.refused(409, "notYourDuty");
    rotation.put_on_call("U1").is(200);
    let asked = rotation.ask_cover("U1", "05T10 9999-01-01T00:00Z", "U2 U3");
    let shorter = rotation.ask_cover("U1", "05T10 05T12", "U2 U3");
    shorter.accepted_by("U3");
    assert_eq!(asked.state(), "expired");
    rota.to(&when("05T12"));
    rotation
        .ask_cover("U1", "05T10 9999-01-01T00:00Z", "U2")
        .accepted_by("U2");
    rota.to(&when("2026-03-01T00:00Z"));
    assert_eq!(rotation.on_call(), "U2");
    assert_eq!(
        rotation.recorded("05T08 06"),
        [
            "U1 05T08 05T10 explicit-change",
            "U3 05T10 05T12 explicit-change",
            "U2 05T12 - explicit-change",
        ]
    );
}
