//! Conflicts of a recipient.

use crate::support::*;
use serde_json::{Value, json};

fn preview(rotation: &Rot, user: &str, period: &str, people: &str) -> Value {
    let body = rotation.cover_body(period, people);
    let answer = rotation
        .seen_by(user)
        .request("cover-requests/preview", body);
    answer.is(200).json()
}

#[test]
fn recipients_who_are_away_may_be_asked_and_must_know_to_accept() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    rotation.away("U1", "2026-01-06T18:00Z", "2026-01-06T21:00Z");
    rotation.away("U1", "2026-01-06T00:00Z", "2026-01-06T12:00Z");
    rotation.away("U3", "2026-01-01T00:00Z", "2026-01-06T10:00Z");
    rotation.away("U4", "2026-01-07T09:00Z", "2026-01-08T09:00Z");
    let response = preview(&rotation, "U2", "06 07", "U1 U3 U4");
    let (mut lines, ids) = conflicts(&response["conflicts"]);
    lines.sort();
    assert_eq!(
        lines,
        [
            "U1 absence manualAvailability 06 06T12",
            "U1 absence manualAvailability 06T18 06T21",
            "U3 absence manualAvailability 06 06T10",
        ]
    );
    assert_eq!(response["canCommit"], json!(false));
    let mut body = rotation.cover_body("06 07", "U1 U3 U4");
    for (known, settled) in [(&ids[1..], false), (&ids[..], true)] {
        body["acknowledgedConflictIds"] = json!(known);
        let asker = rotation.seen_by("U2");
        let response = asker.request("cover-requests/preview", body.clone());
        assert_eq!(response.is(200).json()["canCommit"], json!(settled));
    }
    // The same terms have the same ids; other terms have other ids.
    let again = preview(&rotation, "U2", "06 07", "U4 U3 U1");
    let mut names = conflicts(&again["conflicts"]).1;
    let mut sorted = ids.clone();
    names.sort();
    sorted.sort();
    assert_eq!(names, sorted);
    let narrower = preview(&rotation, "U2", "06 06T20", "U1 U3 U4");
    let narrower = conflicts(&narrower["conflicts"]).1;
    assert_eq!(narrower.len(), 3);
    assert!(narrower.iter().all(|id| !ids.contains(id)));

    let asked = rotation.ask_cover("U2", "06 07", "U1 U3 U4");
    let before = rotation.etag();
    let refused = asked.step("U1", "accept");
    let refused = refused.refused(409, "conflictsNotAcknowledged");
    let (lines, mine) = conflicts(&refused["conflicts"]);
    assert_eq!(
        lines,
        [
            "U1 absence manualAvailability 06 06T12",
            "U1 absence manualAvailability 06T18 06T21",
        ]
    );
    assert!(
        mine.iter().all(|id| ids.contains(id)),
        "{mine:?} of {ids:?}"
    );
    for known in [
        json!([mine[0]]),
        json!(["cfl_other"]),
        json!(narrower),
        json!([]),
    ] {
        let answer = asked.step_with("U1", "accept", json!({ "acknowledgedConflictIds": known }));
        answer.refused(409, "conflictsNotAcknowledged");
    }
    assert_eq!(
        (asked.state_line(), rotation.etag()),
        ("pending 1 -".to_owned(), before)
    );
    let known = json!({ "acknowledgedConflictIds": [mine[1], "cfl_other", mine[0]] });
    asked.step_with("U1", "accept", known).is(200);
    assert_eq!(asked.state_line(), "accepted 2 U1");
    assert_eq!(rotation.agreed(), ["U1 06 07 acceptedCover"]);
}

#[test]
fn what_comes_up_after_asking_counts_when_accepting() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.ask_cover("U2", "06 07", "U1 U3");
    let absence = rotation.away("U3", "2026-01-06T12:00Z", "2026-01-06T13:00Z");
    let refused = asked.step("U3", "accept");
    let (lines, ids) = conflicts(&refused.refused(409, "conflictsNotAcknowledged")["conflicts"]);
    assert_eq!(lines, ["U3 absence manualAvailability 06T12 06T13"]);
    // Different terms of the same absence: half of the interval has passed.
    rota.to(&when("06T12:30"));
    let refused = asked.step("U3", "accept");
    let (lines, later) = conflicts(&refused.refused(409, "conflictsNotAcknowledged")["conflicts"]);
    assert_eq!(lines, ["U3 absence manualAvailability 06T12:30 06T13"]);
    assert_eq!(later.len(), ids.len());
    rotation.back(&absence);
    asked.accepted_by("U3");
    assert_eq!(rotation.agreed(), ["U3 06T12:30 07 acceptedCover"]);
}

#[test]
fn the_requesters_own_arrangement_is_no_conflict() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.assign_at(0, "U3", "06 07");
    rotation.assign_at(0, "U3", "07T12 08");
    let response = preview(&rotation, "U3", "06 08", "U1 U2");
    assert_eq!(response["conflicts"], json!([]));
    let asked = rotation.ask_cover("U3", "06 08", "U1 U2");
    asked.accepted_by("U1");
    assert_eq!(rotation.planned("06 08"), ["U1 06 08"]);
}

#[test]
fn who_came_to_hold_another_place_meanwhile_may_not_accept() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    assert_eq!(rotation.holders(), "U1 U2");
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U3 U4");
    rotation.assign_at(1, "U3", "05T11 05T20");
    let answer = asked.step("U3", "accept");
    answer.is(400);
    assert_eq!(asked.state_line(), "pending 1 -");
    asked.accepted_by("U4");
    rota.to(&when("05T11"));
    assert_eq!(rotation.on_call(), "U4 U3");
}
