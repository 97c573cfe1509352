//! Offers that are accepted after a leg has begun.

use crate::support::*;
use serde_json::{Value, json};

fn started(asked: &Asked) -> Vec<bool> {
    let legs = asked.record()["legs"].as_array().unwrap().clone();
    let started = legs.iter().map(|leg| leg["hasStarted"] == json!(true));
    started.collect()
}

fn keys(keys: &[&str]) -> Value {
    json!({ "acknowledgedStartedLegKeys": keys })
}

#[test]
fn a_leg_that_has_begun_needs_its_key_and_changes_hands_from_now() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.offer_swap("U2", "06 07", "U3", "07 08");
    assert_eq!(started(&asked), [false, false]);
    rota.to("2026-01-06T08:59:59Z");
    assert_eq!(started(&asked), [false, false]);
    rota.to(&when("06T12"));
    assert_eq!(started(&asked), [true, false]);
    let before = (rotation.etag(), asked.item());
    for wrong in [&[][..], &["other"], &["Own"]] {
        let answer = asked.step_with("U3", "accept", keys(wrong));
        answer.refused(409, "startedLegNotAcknowledged");
    }
    assert_eq!((rotation.etag(), asked.item()), before);
    assert_eq!(rotation.on_call(), "U2");
    // The key of a leg that has not begun may be sent, too.
    let both = keys(&["own", "other", "third"]);
    let response = asked.step_with("U3", "accept", both).is(200).json();
    let made = response["arrangements"].as_array().unwrap();
    let lines: Vec<String> = made.iter().map(arrangement_line).collect();
    assert_eq!(lines, ["U3 06T12 07 swapLeg", "U2 07 08 swapLeg"]);
    assert_eq!(selection(&made[0]["turnSelection"]), "remainingTurn 06 07");
    assert_eq!(selection(&made[1]["turnSelection"]), "fullTurn 07 08");
    assert_eq!(rotation.on_call(), "U3");
    rota.to(&when("08T10"));
    let record = rotation.recorded("06 08T12");
    assert_eq!(
        record[..3],
        [
            "U2 06 06T12 next-on-scheduled-duty",
            "U3 06T12 07 explicit-change",
            "U2 07 08 explicit-change",
        ]
    );
    assert!(record[3].starts_with("U1 08 - "), "{record:?}");
    assert_eq!(asked.state_line(), "accepted 2 U3");
}

#[test]
fn a_leg_that_begins_this_very_instant_changes_hands_whole() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked = rotation.offer_swap("U2", "06 07", "U3", "07 08");
    rota.to(&when("06"));
    let own = keys(&["own"]);
    asked.step_with("U3", "accept", own).is(200);
    assert_eq!(rotation.agreed(), ["U3 06 07 swapLeg", "U2 07 08 swapLeg"]);
    assert_eq!(rotation.on_call(), "U3");
}

#[test]
fn two_legs_that_have_begun_need_both_keys() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let legs = [("a", "U3", 0, "06 07"), ("b", "U4", 1, "06 07")];
    let asked = rotation.made("swap-requests", "U3", rotation.swap_body("U4", &legs));
    rota.to(&when("06T18"));
    assert_eq!(started(&asked), [true, true]);
    for wrong in [&["a"][..], &["b"], &[]] {
        let answer = asked.step_with("U4", "accept", keys(wrong));
        answer.refused(409, "startedLegNotAcknowledged");
    }
    assert_eq!(rotation.on_call(), "U3 U4");
    asked.step_with("U4", "accept", keys(&["b", "a"])).is(200);
    assert_eq!(rotation.on_call(), "U4 U3");
    assert_eq!(
        rotation.agreed(),
        ["U4 06T18 07 swapLeg", "U3 06T18 07 swapLeg"]
    );
    rotation.is_a_chain("05T08 08");
}
