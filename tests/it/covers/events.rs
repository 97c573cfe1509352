//! Events of requests.

use crate::events::word;
use crate::support::*;
use serde_json::json;

/// The new events, in words.
#[track_caller]
fn news(receiver: &Receiver) -> String {
    receiver.rota.advance(0);
    let bodies = receiver.bodies();
    receiver.forget();
    bodies.iter().map(word).collect::<Vec<_>>().join(", ")
}

#[test]
fn nothing_is_told_until_duty_is_to_change() {
    let rota = Rota::with_people(4);
    let (_hook, receiver) = rota.hook(ALL_EVENTS);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    news(&receiver);
    // Requesting, declining, cancelling, expiring.
    let declined = rotation.ask_cover("U2", "06 07", "U3");
    declined.step("U3", "decline").is(200);
    let cancelled = rotation.ask_cover("U2", "06 07", "U3");
    cancelled.step("U1", "cancel").is(200);
    let expired = rotation.ask_cover("U1", "05T08:10 05T08:20", "U3");
    rota.to(&when("05T08:30"));
    assert_eq!(expired.state(), "expired");
    assert_eq!(news(&receiver), "");

    // In the future: only the forecast changes.
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U3");
    let response = asked.accepted_by("U3");
    assert_eq!(response["deliveryState"], json!("pending"));
    rota.advance(0);
    let body = receiver.bodies().pop().expect("an event");
    assert_eq!(body["version"], response["rotationVersion"]);
    assert_eq!(news(&receiver), "updated");
    // As scheduled, without a cause.
    rota.to(&when("05T10"));
    assert_eq!(news(&receiver), "duty");
    rota.to(&when("05T12"));
    assert_eq!(news(&receiver), "duty");

    // At once.
    let asked = rotation.ask_cover("U1", "05T12 05T18", "U4");
    let response = asked.accepted_by("U4");
    assert_eq!(response["deliveryState"], json!("pending"));
    assert_eq!(news(&receiver), "duty manual");
    asked.step("U1", "end").is(200);
    assert_eq!(news(&receiver), "duty manual");
    let asked = rotation.ask_cover("U1", "05T14 05T18", "U4");
    asked.accepted_by("U4");
    asked.step("U4", "end").is(200);
    assert_eq!(news(&receiver), "updated, updated");
}

#[test]
fn the_version_rises_by_one_with_every_step() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let body = rotation.cover_body("05T10 05T12", "U2 U3");
    let created = rotation.seen_by("U1").request("cover-requests", body);
    let created = created.is(200).json();
    let mut version = int(&created["rotationVersion"]);
    let asked = Asked {
        on: rotation.clone(),
        sort: "cover-requests",
        id: text(&created["request"]["request"]["id"]).to_owned(),
    };
    for (user, step) in [("U2", "decline"), ("U3", "accept"), ("U1", "end")] {
        let before = rotation.etag();
        let answer = asked.step(user, step).is(200);
        version += 1;
        assert_eq!(int(&answer.json()["rotationVersion"]), version, "{step}");
        assert_eq!(answer.etag(), rotation.etag());
        assert_ne!(answer.etag(), before);
    }
    // Recipients get a direct message, and the requester gets one with the answer. An action without a message is
    // `published`.
    assert_eq!(created["deliveryState"], json!("pending"));
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U2");
    let response = asked.step("U2", "decline").is(200).json();
    assert_eq!(response["deliveryState"], json!("pending"));
    let asked = rotation.ask_cover("U1", "05T10 05T12", "U2");
    let response = asked.step("U1", "cancel").is(200).json();
    assert_eq!(response["deliveryState"], json!("published"));
}
