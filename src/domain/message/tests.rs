//! The kind, recipient, subject and answers of messages. The wording is tested in `wording`.

use super::*;
use crate::domain::mention::{Mention, MentionSettings, NewMention, Notice};
use crate::domain::request::{Leg, Request, RequestKind, RequestState};
use crate::domain::rotation::tests::rotation as plain;
use crate::domain::rotation::{ChannelSetting, Rotation};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn ids(names: &str) -> Vec<UserId> {
    names.split_whitespace().map(Into::into).collect()
}

/// Posts only in `C1`, owned by `own`.
fn ops() -> Rotation {
    let channel = |id: &str, posts_messages| ChannelSetting {
        channel: id.into(),
        posts_messages,
        syncs_topic: true,
    };
    let mut rotation = plain();
    rotation.profile.owners = ids("own");
    rotation.profile.channels = vec![channel("C1", true), channel("C2", false)];
    rotation
}

fn handover(off: &str, on: &str) -> HandoverNotice {
    let user = |name: &str| (!name.is_empty()).then(|| UserId::from(name));
    HandoverNotice {
        cell: None,
        slot: Vec::new(),
        off: user(off),
        on: user(on),
        outside: None,
        until: None,
        zone: None,
        instead: None,
        begins_at: None,
    }
}

fn kind(content: &Content) -> String {
    let slots = |kind: &str, handovers: &[HandoverNotice]| format!("{kind} {}", handovers.len());
    let outcome = |kind: &str, outcome: &RequestOutcome| match outcome {
        RequestOutcome::Accepted { shifts, .. } => format!("{kind} accepted {}", shifts.len()),
        RequestOutcome::Declined { nobody_left, .. } => format!("{kind} declined {nobody_left}"),
        RequestOutcome::Ended { .. } => format!("{kind} ended"),
    };
    match content {
        Content::Text { .. } => "text".into(),
        Content::OnDuty { handovers } => slots("onDuty", handovers),
        Content::OffDuty { handovers, .. } => slots("offDuty", handovers),
        Content::ComingUp { handovers, .. } => slots("comingUp", handovers),
        Content::Nobody { .. } => "nobody".into(),
        Content::HandOver { handovers, nobody } => {
            slots("handOver", handovers) + if *nobody { " nobody" } else { "" }
        }
        Content::CoverAsked(asked) => format!("coverAsked {}", asked.shifts.len()),
        Content::SwapAsked(asked) => format!("swapAsked {}", asked.shifts.len()),
        Content::CoverAnswered(answer) => outcome("coverAnswered", answer),
        Content::SwapAnswered(answer) => outcome("swapAnswered", answer),
        Content::ShiftsMoved(moved) => {
            format!("shiftsMoved {} {}", moved.gained.len(), moved.lost.len())
        }
        Content::Mention { called, again, .. } => format!("mention {} {again}", called.len()),
        Content::MentionAnswered {
            outcome: MentionOutcome::Acknowledged { by },
            ..
        } => format!("mentionAnswered Acknowledged({by})"),
        Content::MentionAnswered { outcome, .. } => format!("mentionAnswered {outcome:?}"),
        Content::Summary(_) => "summary".to_owned(),
        Content::WeekAhead(_) => "weekAhead".to_owned(),
        Content::ChangeFailed { .. } => "changeFailed".to_owned(),
    }
}

/// Each message as its recipient, its kind, its subject, and the answers.
fn shown(messages: &[Message]) -> Vec<String> {
    let one = |message: &Message| {
        assert_eq!(message.rotation, Some("rot_1".into()));
        assert_eq!(message.rotation_name, "Ops \"1\"");
        let about = match &message.subject {
            Subject::Rotation => String::new(),
            Subject::Request(id) => format!(" {id}"),
            Subject::Mention(id) => format!(" {id}"),
        };
        let answers: Vec<&str> = message.answers.iter().map(|answer| answer.name()).collect();
        let answers = match answers.is_empty() {
            true => String::new(),
            false => format!(" [{}]", answers.join(" ")),
        };
        format!("{}: {}{about}{answers}", message.to, kind(&message.content))
    };
    messages.iter().map(one).collect()
}

#[test]
fn a_change_is_told_to_channels_people_and_owners() {
    for (handovers, nobody, by_hand, expected) in [
        (vec![], false, false, vec![]),
        (
            vec![
                handover("ann", "bo"),
                handover("bo", "ann"),
                handover("cy", ""),
            ],
            false,
            false,
            vec![
                "channel C1: handOver 3",
                "person bo: onDuty 2",
                "person ann: onDuty 2",
                "person cy: offDuty 1",
            ],
        ),
        (
            vec![handover("ann", "")],
            true,
            false,
            vec![
                "channel C1: handOver 1 nobody",
                "person ann: offDuty 1",
                "person own: nobody",
            ],
        ),
        (
            vec![handover("ann", "")],
            true,
            true,
            vec!["channel C1: handOver 1 nobody", "person ann: offDuty 1"],
        ),
        (
            vec![],
            true,
            false,
            vec!["channel C1: nobody", "person own: nobody"],
        ),
    ] {
        assert_eq!(
            shown(&change(&ops(), &handovers, nobody, by_hand)),
            expected
        );
    }
    let gone = deleted(&ops(), &ids("ann"));
    assert_eq!(
        shown(&gone),
        ["channel C1: nobody", "person ann: offDuty 0"]
    );
}

#[test]
fn reminders_expire_when_their_instant_comes() {
    let then = at("2026-11-23T08:00:00Z");
    let handovers = [handover("ann", "bo"), handover("ann", "")];
    let messages = reminder(&ops(), then, &handovers, |_| true);
    assert_eq!(
        shown(&messages),
        ["channel C1: comingUp 1", "person bo: comingUp 1"]
    );
    for message in messages {
        assert_eq!(message.expires_at, Some(then));
    }
}

fn request(kind: RequestKind) -> Request {
    let leg = |from: &str, until: &str| Leg {
        key: None,
        cell: "cel_1".into(),
        holder: "ann".into(),
        assignee: Some("bo".into()),
        period: Interval {
            from: at(from),
            until: at(until),
        },
        arrangement: None,
    };
    Request {
        id: "cov_1".into(),
        rotation: "rot_1".into(),
        kind,
        requester: "ann".into(),
        recipients: ids("bo cy"),
        declined: ids("bo cy"),
        legs: vec![
            leg("2026-11-20T08:00:00Z", "2026-11-21T08:00:00Z"),
            leg("2026-11-22T08:00:00Z", "2026-11-23T08:00:00Z"),
        ],
        reason: " ".into(),
        turn_selection: None,
        acknowledged: Vec::new(),
        revision: 1,
        state: RequestState::Pending,
        accepted_by: Some("bo".into()),
    }
}

#[test]
fn requests_offer_answers_and_are_one_conversation() {
    for (request_kind, noun) in [(RequestKind::Cover, "cover"), (RequestKind::Swap, "swap")] {
        let (rotation, request) = (ops(), request(request_kind));
        // The rotation is at the start of the first leg.
        for (messages, expected) in [
            (
                asked(&rotation, &request),
                vec![
                    format!("person bo: {noun}Asked 2 cov_1 [accept decline]"),
                    format!("person cy: {noun}Asked 2 cov_1 [accept decline]"),
                ],
            ),
            (
                accepted(&rotation, &request),
                vec![
                    format!("channel C1: {noun}Answered accepted 1 cov_1"),
                    format!("person ann: {noun}Answered accepted 2 cov_1"),
                ],
            ),
            (
                declined(&rotation, &request, &"cy".into()),
                vec![format!("person ann: {noun}Answered declined true cov_1")],
            ),
            (
                ended(&rotation, &request, &"ann".into()),
                vec![format!("person bo: {noun}Answered ended cov_1")],
            ),
        ] {
            assert_eq!(shown(&messages), expected);
        }
    }
}

#[test]
fn calls_of_a_mention_offer_answers_until_it_expires() {
    let new = NewMention {
        thread: None,
        asker: "quin".into(),
        channel: "C9".into(),
        message: Some("the door".into()),
    };
    let (settings, now) = (MentionSettings::default(), at("2026-11-24T00:00:00Z"));
    let people = ids("ann bo");
    let id = || "men_1".into();
    let (opened, _) = Mention::open(id(), "rot_1".into(), new, &people, settings, now);
    for (notice, expected) in [
        (
            Notice::Asked(people.clone()),
            "mention 2 false men_1 [acknowledge pass]",
        ),
        (
            Notice::AskedAgain(people.clone()),
            "mention 2 true men_1 [acknowledge pass]",
        ),
        (
            Notice::Acknowledged("ann".into()),
            "mentionAnswered Acknowledged(ann) men_1",
        ),
        (Notice::Passed, "mentionAnswered Passed men_1"),
        (Notice::Expired, "mentionAnswered Expired men_1"),
        (Notice::Nobody, "mentionAnswered Nobody men_1"),
    ] {
        let message = mention(&ops(), &opened, &notice);
        let calls = expected.starts_with("mention ");
        assert_eq!(message.expires_at, calls.then_some(opened.expires_at));
        assert_eq!(shown(&[message]), [format!("channel C9: {expected}")]);
    }
}
