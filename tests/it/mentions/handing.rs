//! Handing over on acknowledgement, if the rotation is configured so.

use crate::events::Reader;
use crate::support::*;
use serde_json::json;

const FROM: &str = "2026-01-05T00:00Z";
const TO: &str = "2026-01-07T00:00Z";

/// Rotates after acknowledgement: U1 to U4 on `lanes` lanes, daily at 09:00.
#[track_caller]
fn handing<'a>(rota: &'a Rota, lanes: usize) -> Rot<'a> {
    let rotation = rota.daily("U1 U2 U3 U4", lanes);
    rotation.set_mention_settings(json!({ "rotateAfterAcknowledgement": true }));
    rotation
}

#[test]
fn whoever_acknowledges_hands_over_to_the_next() {
    let rota = Rota::with_people(5);
    let rotation = handing(&rota, 1);
    let mut reader = Reader::new(&rota);
    rota.to("2026-01-05T08:30Z");
    let mention = rotation.mention("U5");
    let etag = rotation.etag();
    assert_eq!(mention.after("U1", "acknowledge"), "acknowledged U1 by U1");
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U2", 2)
    );
    assert_ne!(rotation.etag(), etag);
    let news = reader.news();
    let posted: Vec<String> = news.iter().map(crate::events::word).collect();
    assert_eq!(posted, ["duty manual"]);
    assert_eq!(people_on_call(&news[0]["rotation"]["onCall"]), "U2");
    // Creation, grid and settings came before.
    assert_eq!(news[0]["version"], 4);
    assert_eq!(
        rotation.history(FROM, TO),
        [
            "2026-01-05T08:00Z 2026-01-05T08:30Z U1 coverage-changed",
            "2026-01-05T08:30Z - U2 after-mention",
        ]
    );
    // Both get the messages of a hand-over; the next one keeps its time.
    assert!(
        rota.messages_to("U1")
            .last()
            .unwrap()
            .contains("You are off duty for Rotation")
    );
    assert!(
        rota.messages_to("U2")
            .last()
            .unwrap()
            .contains("You are on duty for Rotation")
    );
    assert_eq!(rotation.next_events()[0], "2026-01-06T09:00Z");
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.on_call(), "U3");
}

#[test]
fn only_the_places_of_whoever_acknowledges_change_hands() {
    let rota = Rota::with_people(5);
    let rotation = handing(&rota, 2);
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U1 U2", 2)
    );
    rotation.mention("U5").step("U2", "acknowledge").is(200);
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U1 U3", 3)
    );
    rotation.mention("U5").step("U1", "acknowledge").is(200);
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U4 U3", 0)
    );
    // Nobody's turn was lost: U1 is next, and people on call already are skipped.
    rotation.mention("U5").step("U4", "acknowledge").is(200);
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U1 U3", 1)
    );
}

#[test]
fn somebody_on_two_places_hands_over_both() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.cover_doubly(2, &[always(daily())]);
    rotation.set_mention_settings(json!({ "rotateAfterAcknowledgement": true }));
    rotation.put_on_call("U1 U1").is(200);
    assert_eq!(rotation.on_call(), "U1 U1");
    let mention = rotation.mention("U4");
    assert_eq!(mention.after("U1", "acknowledge"), "acknowledged U1 by U1");
    assert_eq!(rotation.on_call(), "U2 U3");
}

#[test]
fn it_deals_as_any_hand_over_does() {
    let rota = Rota::with_people(5);
    let rotation = handing(&rota, 1);
    rotation.away("U2", MONDAY, "2026-01-05T20:00Z");
    rotation.mention("U5").step("U1", "acknowledge").is(200);
    assert_eq!(
        (rotation.on_call().as_str(), rotation.next_turn()),
        ("U3", 3)
    );
    let skipped = &rotation.read()["cells"][0]["holder"]["skippedForAbsence"];
    assert_eq!(skipped[0]["userId"], "U2");
    // Also on a manual rotation, because it is requested.
    let manual = rota.rotation("U1 U2");
    manual.set_mention_settings(json!({ "rotateAfterAcknowledgement": true }));
    manual.put_on_call("U1").is(200);
    manual.mention("U5").step("U1", "acknowledge").is(200);
    assert_eq!(manual.on_call(), "U2");
}

#[test]
fn nobody_hands_over_unless_it_is_set_and_taken_on() {
    let rota = Rota::with_people(5);
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    let handing = |on: bool| {
        rotation.set_mention_settings(json!({ "rotateAfterAcknowledgement": on }));
    };
    let usual = rotation.mention("U5");
    handing(true);
    let (first, second, passed) = (
        rotation.mention("U5"),
        rotation.mention("U5"),
        rotation.mention("U5"),
    );
    handing(false);
    let etag = rotation.etag();
    // Opened before the setting.
    usual.step("U1", "acknowledge").is(200);
    passed.step("U1", "pass").is(200);
    assert_eq!((rotation.on_call().as_str(), rotation.etag()), ("U1", etag));
    // Opened with the setting.
    first.step("U1", "acknowledge").is(200);
    assert_eq!(rotation.on_call(), "U2");
    // A person who is no longer on call has already handed over.
    let etag = rotation.etag();
    assert_eq!(second.after("U1", "acknowledge"), "acknowledged U1 by U1");
    assert_eq!((rotation.on_call().as_str(), rotation.etag()), ("U2", etag));
    // A refused answer hands nothing over either.
    second
        .step("U1", "acknowledge")
        .refused(409, "mentionNotOpen");
    assert_eq!(rotation.on_call(), "U2");
}

#[test]
fn a_disabled_rotation_stays_as_it_is() {
    let rota = Rota::with_people(5);
    let rotation = handing(&rota, 1);
    let mention = rotation.mention("U5");
    rotation.patch(json!({ "enabled": false })).is(200);
    let etag = rotation.etag();
    assert_eq!(mention.after("U1", "acknowledge"), "acknowledged U1 by U1");
    assert_eq!(rotation.etag(), etag);
    assert_eq!(rotation.holders(), "U1");
}

#[test]
fn somebody_who_stands_in_uses_up_nobodys_turn() {
    let rota = Rota::with_people(5);
    let rotation = handing(&rota, 1);
    rotation.assign(0, "U3", MONDAY, "2026-01-05T12:00Z");
    let mention = rotation.mention("U5");
    let etag = rotation.etag();
    assert_eq!(mention.after("U3", "acknowledge"), "acknowledged U3 by U3");
    // The arrangement stays, and the turn beneath it is U1's.
    assert_eq!(
        (rotation.on_call(), rotation.holders()),
        ("U3".into(), "U1".into())
    );
    assert_eq!((rotation.next_turn(), rotation.etag()), (1, etag));
    rota.to("2026-01-05T12:00Z");
    assert_eq!(rotation.on_call(), "U1");
}

#[test]
fn with_nobody_to_follow_duty_stays_where_it_is() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1", 1);
    rotation.set_mention_settings(json!({ "rotateAfterAcknowledgement": true }));
    let mut reader = Reader::new(&rota);
    let mention = rotation.mention("U3");
    assert_eq!(mention.after("U1", "acknowledge"), "acknowledged U1 by U1");
    assert_eq!(rotation.on_call(), "U1");
    // Nobody else came on, so no change of duty is published.
    let news = reader.words();
    assert!(!news.contains("nobody"), "{news}");
}
