//! The stored form of every kind. It must stay readable, because databases contain it.

use super::*;
use crate::domain::books::Dealt;
use crate::domain::forecast::{HandoverNotice, Instead};
use crate::domain::message::{
    MentionOutcome, More, MovedShift, Recipient, RequestAsked, RequestOutcome, Shift, ShiftsMoved,
};
use crate::domain::time::Interval;
use crate::domain::told_plan::Reason;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;
use serde_json::{Value, json};

fn at(hour: i64) -> Timestamp {
    Timestamp::from_millisecond(hour * 3_600_000).unwrap()
}

fn handover(off: Option<&str>, on: Option<&str>) -> HandoverNotice {
    HandoverNotice {
        cell: None,
        slot: Vec::new(),
        off: off.map(Into::into),
        on: on.map(Into::into),
        outside: None,
        until: None,
        zone: None,
        instead: None,
        begins_at: None,
    }
}

fn message(content: Content) -> Message {
    Message {
        to: Recipient::Person("U1".into()),
        rotation: Some("rot_1".into()),
        rotation_name: "Ops".into(),
        subject: Subject::Rotation,
        content,
        answers: Vec::new(),
        people: PeopleNames::new(),
        expires_at: None,
        thread: None,
    }
}

fn asked() -> RequestAsked {
    let shift = |slot: &[&str], assignee: Option<&str>| Shift {
        cell: "cel_1".into(),
        slot: slot.iter().map(|part| part.to_string()).collect(),
        zone: assignee.map(|_| ZoneName::parse("Europe/Oslo").unwrap()),
        period: Interval {
            from: at(1),
            until: at(2),
        },
        holder: "U1".into(),
        assignee: assignee.map(Into::into),
    };
    RequestAsked {
        requester: "U1".into(),
        shifts: vec![shift(&[], None), shift(&["second"], Some("U2"))],
        reason: Some("a wedding".into()),
    }
}

fn shifts() -> Value {
    json!([
        { "cell": "cel_1", "zone": null, "from": 3_600_000, "until": 7_200_000, "holder": "U1", "assignee": null },
        { "cell": "cel_1", "name": ["second"], "zone": "Europe/Oslo", "from": 3_600_000, "until": 7_200_000,
          "holder": "U1", "assignee": "U2" },
    ])
}

fn slot() -> Value {
    json!({ "off": "U1", "on": null, "until": null, "zone": null, "beginsAt": null })
}

/// Every kind with its stored form.
fn kinds() -> Vec<(Content, Value)> {
    let whole = HandoverNotice {
        slot: vec!["second".into(), "night".into()],
        until: Some(at(3)),
        zone: Some(ZoneName::parse("Europe/Oslo").unwrap()),
        begins_at: Some(at(2)),
        ..handover(None, Some("U2"))
    };
    let traded = HandoverNotice {
        instead: Some(Instead {
            owner: "U3".into(),
            dealt: Dealt::Trade,
            turn: Some(at(2)),
        }),
        ..handover(Some("U1"), Some("U2"))
    };
    let leaves = || vec![handover(Some("U1"), None)];
    let mentioned = |outcome| Content::MentionAnswered {
        asker: "U9".into(),
        outcome,
    };
    vec![
        (
            Content::Text {
                text: "Ops: <it> is \"done\"\n…".into(),
            },
            json!({ "kind": "text", "text": "Ops: <it> is \"done\"\n…" }),
        ),
        (
            Content::OnDuty {
                handovers: vec![whole],
            },
            json!({ "kind": "onDuty", "slots": [{
                "name": ["second", "night"], "off": null, "on": "U2", "until": 10_800_000, "zone": "Europe/Oslo",
                "beginsAt": 7_200_000,
            }] }),
        ),
        (
            Content::OnDuty {
                handovers: vec![traded],
            },
            json!({ "kind": "onDuty", "slots": [{
                "off": "U1", "on": "U2", "until": null, "zone": null, "beginsAt": null,
                "instead": { "owner": "U3", "dealt": "trade", "turn": 7_200_000 },
            }] }),
        ),
        (
            Content::OffDuty {
                handovers: leaves(),
                rotation_deleted: false,
            },
            json!({ "kind": "offDuty", "slots": [slot()], "rotationDeleted": false }),
        ),
        (
            Content::OffDuty {
                handovers: Vec::new(),
                rotation_deleted: true,
            },
            json!({ "kind": "offDuty", "slots": [], "rotationDeleted": true }),
        ),
        (
            Content::ComingUp {
                at: at(1),
                handovers: leaves(),
            },
            json!({ "kind": "comingUp", "at": 3_600_000, "slots": [slot()] }),
        ),
        (
            Content::Nobody {
                rotation_deleted: true,
            },
            json!({ "kind": "nobody", "rotationDeleted": true }),
        ),
        (
            Content::HandOver {
                handovers: leaves(),
                nobody: true,
            },
            json!({ "kind": "handOver", "slots": [slot()], "nobody": true }),
        ),
        (
            Content::ShiftsMoved(ShiftsMoved {
                gained: vec![MovedShift {
                    cell: "cel_1".into(),
                    slot: vec!["night".into()],
                    from: at(1),
                    until: None,
                    other: Some("U2".into()),
                }],
                lost: Vec::new(),
                more_gained: None,
                more_lost: Some(More {
                    count: 3,
                    until: Some(at(2)),
                }),
                because: vec![Reason {
                    at: at(0),
                    said: "x".into(),
                }],
                zone: ZoneName::parse("Europe/Oslo").unwrap(),
                rotation_deleted: false,
            }),
            json!({
                "kind": "shiftsMoved",
                "gained": [{ "cell": "cel_1", "name": ["night"], "from": 3_600_000, "until": null, "other": "U2" }],
                "lost": [],
                "moreLost": { "count": 3, "until": 7_200_000 },
                "because": [{ "at": 0, "said": [{ "text": "x" }] }],
                "zone": "Europe/Oslo",
                "rotationDeleted": false,
            }),
        ),
        (
            Content::CoverAsked(asked()),
            json!({ "kind": "coverAsked", "requester": "U1", "shifts": shifts(), "reason": "a wedding" }),
        ),
        (
            Content::SwapAsked(asked()),
            json!({ "kind": "swapAsked", "requester": "U1", "shifts": shifts(), "reason": "a wedding" }),
        ),
        (
            Content::CoverAnswered(RequestOutcome::Accepted {
                by: "U2".into(),
                shifts: asked().shifts,
            }),
            json!({ "kind": "coverAnswered", "outcome": "accepted", "by": "U2", "shifts": shifts() }),
        ),
        (
            Content::CoverAnswered(RequestOutcome::Ended { by: "U2".into() }),
            json!({ "kind": "coverAnswered", "outcome": "ended", "by": "U2" }),
        ),
        (
            Content::SwapAnswered(RequestOutcome::Declined {
                by: "U2".into(),
                nobody_left: true,
            }),
            json!({ "kind": "swapAnswered", "outcome": "declined", "by": "U2", "nobodyLeft": true }),
        ),
        (
            Content::Mention {
                asker: "U9".into(),
                called: vec!["U1".into(), "U2".into()],
                message: Some("the door".into()),
                again: true,
            },
            json!({ "kind": "mention", "asker": "U9", "called": ["U1", "U2"], "text": "the door", "again": true }),
        ),
        (
            mentioned(MentionOutcome::Acknowledged { by: "U1".into() }),
            json!({ "kind": "mentionAnswered", "asker": "U9", "outcome": "acknowledged", "by": "U1" }),
        ),
        (
            mentioned(MentionOutcome::Passed),
            json!({ "kind": "mentionAnswered", "asker": "U9", "outcome": "passed" }),
        ),
        (
            mentioned(MentionOutcome::Expired),
            json!({ "kind": "mentionAnswered", "asker": "U9", "outcome": "expired" }),
        ),
        (
            mentioned(MentionOutcome::Nobody),
            json!({ "kind": "mentionAnswered", "asker": "U9", "outcome": "nobody" }),
        ),
        (
            mentioned(MentionOutcome::Outside { name: "Zoe".into() }),
            json!({ "kind": "mentionAnswered", "asker": "U9", "outcome": "outside", "name": "Zoe" }),
        ),
    ]
}

fn stored(message: &Message) -> Value {
    serde_json::from_str(&to_json(message).unwrap()).unwrap()
}

#[test]
fn every_kind_is_stored_and_read_back() {
    for (content, mut expected) in kinds() {
        let message = message(content);
        let text = to_json(&message).unwrap();
        expected["rotationName"] = json!("Ops");
        assert_eq!(stored(&message), expected);
        let read = from_text(&text).unwrap();
        assert_eq!(read.content, message.content, "{text}");
    }
}

#[test]
fn stored_texts_are_kept() {
    for text in [
        r#"{"kind":"onDuty","slots":[{"name":["second"],"off":null,"on":"U2","outside":"Zoe","until":10800000,"zone":"Europe/Oslo","beginsAt":null}],"rotationName":"Ops","request":"cov_1","answers":["accept","decline"],"people":{"U1":"Ann","U2":"Bo"},"thread":"17.1"}"#,
        r#"{"kind":"comingUp","at":3600000,"slots":[],"rotationName":"Ops"}"#,
        r#"{"kind":"swapAsked","requester":"U1","shifts":[{"cell":"cel_1","name":["night"],"zone":null,"from":1,"until":2,"holder":"U1","assignee":null}],"reason":null,"rotationName":"Ops","mention":"men_1"}"#,
        r#"{"kind":"coverAnswered","outcome":"accepted","by":"U2","shifts":[],"rotationName":"Ops"}"#,
        r#"{"kind":"mention","asker":"U9","called":["U1"],"text":null,"again":false}"#,
        r#"{"kind":"mentionAnswered","asker":"U9","outcome":"acknowledged","by":"U1","rotationName":"Ops"}"#,
        r#"{"kind":"mentionAnswered","asker":"U9","outcome":"nobody","rotationName":"Ops"}"#,
    ] {
        let body = from_text(text).unwrap();
        let message = Message {
            subject: body.subject(),
            rotation_name: body.rotation_name,
            answers: body.answers,
            people: body.people,
            thread: body.thread,
            ..message(body.content)
        };
        assert_eq!(to_json(&message).unwrap(), text);
    }
}

#[test]
fn what_goes_with_the_content_is_stored() {
    let about = |subject, answers: &[OfferedAnswer]| Message {
        thread: Some(Thread("17.1".into())),
        subject,
        answers: answers.to_vec(),
        people: [("U1".into(), "Ann".into()), ("U2".into(), "Bo".into())].into(),
        ..message(Content::Nobody {
            rotation_deleted: false,
        })
    };
    for (message, member, id, answers) in [
        (
            about(
                Subject::Request("cov_1".into()),
                &[OfferedAnswer::Accept, OfferedAnswer::Decline],
            ),
            "request",
            "cov_1",
            json!(["accept", "decline"]),
        ),
        (
            about(
                Subject::Mention("men_1".into()),
                &[OfferedAnswer::Acknowledge, OfferedAnswer::Pass],
            ),
            "mention",
            "men_1",
            json!(["acknowledge", "pass"]),
        ),
    ] {
        let shown = stored(&message);
        assert_eq!(shown[member], id);
        assert_eq!(shown["answers"], answers);
        assert_eq!(shown["people"], json!({ "U1": "Ann", "U2": "Bo" }));
        let read = from_text(&to_json(&message).unwrap()).unwrap();
        let expected = Body::of(&message);
        assert_eq!(read.subject(), message.subject);
        assert_eq!(read, expected);
    }
}

/// Bodies from a migration, and bodies with members that an earlier version did not write.
#[test]
fn what_is_missing_has_a_default() {
    for (text, content) in [
        (
            r#"{"kind":"text","text":"hello"}"#,
            Content::Text {
                text: "hello".into(),
            },
        ),
        (
            r#"{"kind":"offDuty","slots":[{"on":"U1"}],"later":1}"#,
            Content::OffDuty {
                handovers: vec![handover(None, Some("U1"))],
                rotation_deleted: false,
            },
        ),
    ] {
        let expected = Body::of(&Message {
            rotation_name: String::new(),
            ..message(content)
        });
        assert_eq!(from_text(text).unwrap(), expected);
    }
}

#[test]
fn what_cannot_be_read_is_not_repeated_in_the_error() {
    for text in [
        r#"{"kind":"secret","text":"hello there"}"#,
        r#"{"kind":"text"}"#,
        r#"{"kind":"comingUp","at":9999999999999999,"slots":[]}"#,
        r#"{"kind":"onDuty","slots":[{"on":"U1","zone":"Nowhere/Land"}]}"#,
        r#"{"kind":"text","text":"hello there","answers":["maybe"]}"#,
    ] {
        let Err(Error::Corrupt(why)) = from_text(text) else {
            panic!("{text}")
        };
        assert!(!why.contains("hello"), "{why}");
    }
}
