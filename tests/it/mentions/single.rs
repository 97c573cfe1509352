//! One at a time: people on call are notified in turn, by passing and as scheduled.

use crate::support::*;
use serde_json::json;

/// Two lanes of U1 to U4, with reminders after `reminds` minutes.
#[track_caller]
fn one_by_one<'a>(rota: &'a Rota, reminds: Option<i32>) -> Rot<'a> {
    let rotation = rota.daily("U1 U2 U3 U4", 2);
    let settings = json!({ "oneAtATime": true, "remindAfterMinutes": reminds });
    rotation.set_mention_settings(settings);
    rotation
}

#[test]
fn the_first_on_call_is_asked_and_then_the_next() {
    let rota = Rota::with_people(5);
    let rotation = one_by_one(&rota, Some(10));
    let opened = rotation.try_mention("U5").is(200).json();
    assert_eq!(opened["notifiedUserIds"], json!(["U1"]));
    let mention = Mention {
        rota: &rota,
        id: text(&opened["mentionId"]).to_owned(),
    };
    rota.to("2026-01-05T08:09:59Z");
    assert_eq!(mention.state_line(), "open U1");
    rota.to("2026-01-05T08:10Z");
    assert_eq!(mention.state_line(), "open U1+U2");
    // Nobody is left, so both are notified once more.
    rota.to("2026-01-05T08:20Z");
    assert_eq!(mention.state_line(), "open U1+U2");
    assert_eq!(
        rota.messages_to("C1"),
        [
            "@Person U1 Person U5 asks for whoever is on call in Rotation: Help",
            "@Person U2 Person U5 asks for whoever is on call in Rotation: Help",
            "@Person U1 @Person U2 Person U5 still waits for whoever is on call in Rotation.",
        ]
    );
    // The person who was notified first may still answer.
    assert_eq!(
        mention.after("U1", "acknowledge"),
        "acknowledged U1+U2 by U1"
    );
}

#[test]
fn passing_asks_the_next_at_once() {
    let rota = Rota::with_people(5);
    let rotation = one_by_one(&rota, Some(10));
    let mention = rotation.mention("U5");
    // Not notified yet.
    mention
        .step("U2", "acknowledge")
        .refused(403, "resource_denied");
    rota.to("2026-01-05T08:05Z");
    assert_eq!(mention.after("U1", "pass"), "open U1+U2 without U1");
    let asked = "@Person U2 Person U5 asks for whoever is on call in Rotation: Help";
    assert_eq!(rota.messages_to("C1")[1..], [asked]);
    // The wait restarts with the second.
    rota.to("2026-01-05T08:14:59Z");
    assert_eq!(rota.messages_to("C1").len(), 2);
    rota.to("2026-01-05T08:15Z");
    let waits = "@Person U2 Person U5 still waits for whoever is on call in Rotation.";
    assert_eq!(rota.messages_to("C1")[2..], [waits]);
    // Passing again changes nothing and notifies nobody.
    assert_eq!(mention.after("U1", "pass"), "open U1+U2 without U1");
    assert_eq!(mention.after("U2", "pass"), "passed U1+U2 without U1+U2");
    let passed = "Rotation: everybody on call has passed on Person U5's question.";
    assert_eq!(rota.messages_to("C1")[3..], [passed]);
    rota.to("2026-01-05T12:00Z");
    assert_eq!(rota.messages_to("C1").len(), 4);
}

#[test]
fn passing_after_the_next_was_asked_leaves_it_to_them() {
    let rota = Rota::with_people(5);
    let rotation = one_by_one(&rota, Some(10));
    let mention = rotation.mention("U5");
    rota.to("2026-01-05T08:12Z");
    assert_eq!(mention.after("U1", "pass"), "open U1+U2 without U1");
    assert_eq!(rota.messages_to("C1").len(), 2);
    assert_eq!(
        mention.after("U2", "acknowledge"),
        "acknowledged U1+U2 without U1 by U2"
    );
}

#[test]
fn without_reminders_only_passing_goes_on() {
    let rota = Rota::with_people(5);
    let rotation = one_by_one(&rota, None);
    let (left, passed) = (rotation.mention("U5"), rotation.mention("U5"));
    assert_eq!(passed.after("U1", "pass"), "open U1+U2 without U1");
    rota.to("2026-01-05T08:59:59Z");
    assert_eq!(left.state_line(), "open U1");
    rota.to("2026-01-05T09:00Z");
    assert_eq!(left.state_line(), "expired U1");
    assert_eq!(passed.state_line(), "expired U1+U2 without U1");
}

#[test]
fn the_next_is_whoever_is_on_call_by_then() {
    let rota = Rota::with_people(5);
    let rotation = one_by_one(&rota, Some(10));
    let mention = rotation.mention("U5");
    rotation.put_on_call("U3 U1").is(200);
    rota.to("2026-01-05T08:10Z");
    assert_eq!(mention.state_line(), "open U1+U3");
    // U1 is on call and was notified, U2 is no longer on call.
    assert_eq!(mention.after("U3", "pass"), "open U1+U3 without U3");
    rotation.put_on_call("U3 U4").is(200);
    assert_eq!(mention.after("U1", "pass"), "open U1+U3+U4 without U3+U1");
    rotation.clear().is(200);
    assert_eq!(
        mention.after("U4", "pass"),
        "passed U1+U3+U4 without U3+U1+U4"
    );
}

#[test]
fn somebody_alone_on_call_is_all_there_is() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    rotation.set_mention_settings(json!({ "oneAtATime": true }));
    let mention = rotation.mention("U3");
    assert_eq!(mention.after("U1", "pass"), "passed U1 without U1");
    rotation.clear().is(200);
    assert_eq!(rotation.mention("U3").state_line(), "nobody");
}

#[test]
fn a_mention_goes_on_as_it_began() {
    let rota = Rota::with_people(5);
    let rotation = one_by_one(&rota, Some(10));
    let single = rotation.mention("U5");
    let all = json!({ "oneAtATime": false, "remindAfterMinutes": null });
    rotation.set_mention_settings(all);
    assert_eq!(rotation.mention("U5").state_line(), "open U1+U2");
    rota.to("2026-01-05T08:10Z");
    assert_eq!(single.state_line(), "open U1+U2");
}
