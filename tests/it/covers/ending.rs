//! Ending a cover early, and its natural end.

use crate::support::*;
use serde_json::json;

#[test]
fn a_cover_that_has_not_begun_is_cancelled_by_either_side() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    for user in ["U2", "U3"] {
        let asked = rotation.ask_cover("U2", "06 07", "U3");
        asked.accepted_by("U3");
        assert_eq!(rotation.planned("06 07"), ["U3 06 07"]);
        let answer = asked.step(user, "end").is(200);
        assert_eq!(answer.etag(), rotation.etag());
        let response = answer.json();
        let [ended] = &response["arrangements"].as_array().unwrap()[..] else {
            panic!("one arrangement: {response}");
        };
        assert_eq!(arrangement_line(ended), "U3 06 07 acceptedCover cancelled");
        assert_eq!(ended["id"], response["request"]["request"]["arrangementId"]);
        assert!(int(&ended["revision"]) > 1);
        assert_eq!(asked.state_line(), "ended 3 U3");
        assert_eq!(rotation.planned("06 07"), ["U2 06 07"]);
    }
    rota.to(&when("06"));
    assert_eq!(rotation.on_call(), "U2");
}

#[test]
fn a_running_cover_ends_now_by_either_side() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    for (user, begin, end) in [("U1", "05T10", "05T11"), ("U2", "05T13", "05T14")] {
        let asked = rotation.ask_cover("U1", &format!("{begin} 05T20"), "U2");
        asked.accepted_by("U2");
        rota.to(&when(begin));
        assert_eq!(rotation.on_call(), "U2");
        rota.to(&when(end));
        let response = asked.step(user, "end").is(200).json();
        assert_eq!(
            arrangement_line(&response["arrangements"][0]),
            format!("U2 {begin} {end} acceptedCover")
        );
        assert_eq!(rotation.on_call(), "U1");
        assert_eq!(asked.state_line(), "ended 3 U2");
        // The requested interval stays in the record.
        assert_eq!(interval(&asked.record()), format!("{begin} 05T20"));
    }
    rota.to(&when("06"));
    assert_eq!(
        rotation.recorded("05T08 05T23"),
        [
            "U1 05T08 05T10 coverage-changed",
            "U2 05T10 05T11 explicit-change",
            "U1 05T11 05T13 explicit-change",
            "U2 05T13 05T14 explicit-change",
            "U1 05T14 06 explicit-change",
        ]
    );
}

#[test]
fn a_cover_that_is_over_stays_accepted_and_is_not_ended() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U2");
    asked.accepted_by("U2");
    rota.to("2026-01-05T11:59:59Z");
    assert_eq!(asked.may(&rotation.seen_by("U1")), "end");
    rota.to(&when("05T12"));
    let before = (rotation.etag(), asked.item());
    for user in ["U1", "U2"] {
        assert_eq!(asked.may(&rotation.seen_by(user)), "");
        asked.step(user, "end").refused(409, "requestNotPending");
    }
    asked
        .step("U2", "accept")
        .refused(409, "coverAlreadyAccepted");
    assert_eq!((rotation.etag(), asked.item()), before);
    assert_eq!(asked.state_line(), "accepted 2 U2");
    assert_eq!(rotation.agreed(), ["U2 05T10 05T12 acceptedCover"]);
}

#[test]
fn what_dealing_did_beneath_a_cover_shows_when_it_ends() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let asked = rotation.ask_cover("U2", "06 07", "U4");
    asked.accepted_by("U4");
    rota.to(&when("06T10"));
    assert_eq!(
        (rotation.on_call(), rotation.holders()),
        ("U4".into(), "U2".into())
    );
    // Only the dealt layer changes.
    rotation.rotate();
    assert_eq!(
        (rotation.on_call(), rotation.holders()),
        ("U4".into(), "U3".into())
    );
    rota.to(&when("06T12"));
    asked.step("U4", "end").is(200);
    assert_eq!(rotation.on_call(), "U3");
    assert_eq!(
        rotation.recorded("06 06T23"),
        ["U4 06 06T12 explicit-change", "U3 06T12 - explicit-change"]
    );
}

#[test]
fn a_disabled_rotation_keeps_its_covers() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U2");
    asked.accepted_by("U2");
    rota.to(&when("05T11"));
    rotation.patch(json!({ "enabled": false })).is(200);
    asked.step("U1", "end").refused(409, "rotation_disabled");
    rota.to(&when("05T13"));
    assert_eq!(asked.state_line(), "accepted 2 U2");
    rotation.patch(json!({ "enabled": true })).is(200);
    assert_eq!(rotation.on_call(), "U1");
}
