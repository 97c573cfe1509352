//! Messages about requests and mentions.

use super::*;
use crate::domain::mention::{Mention, MentionSettings, NewMention, Notice};
use crate::domain::message::{accepted, asked, declined, ended, mention, mention_directly};
use crate::domain::request::{Leg, Request, RequestState};

fn leg(cell: &str, holder: &str, assignee: &str, from: &str, until: &str) -> Leg {
    Leg {
        key: None,
        cell: cell.into(),
        holder: holder.into(),
        assignee: (!assignee.is_empty()).then(|| assignee.into()),
        period: Interval {
            from: at(from),
            until: at(until),
        },
        arrangement: None,
    }
}

fn request(kind: RequestKind, recipients: &str, legs: Vec<Leg>) -> Request {
    Request {
        id: "req_1".into(),
        rotation: "rot_1".into(),
        kind,
        requester: "ann".into(),
        recipients: ids(recipients),
        declined: Vec::new(),
        legs,
        reason: "  ".into(),
        turn_selection: None,
        acknowledged: Vec::new(),
        revision: 1,
        state: RequestState::Pending,
        accepted_by: None,
    }
}

/// Across the end of daylight saving time in Oslo.
fn cover(assignee: &str) -> Request {
    let (from, until) = ("2026-10-24T22:00:00Z", "2026-10-25T22:00:00Z");
    let legs = vec![leg("cel_1", "ann", assignee, from, until)];
    request(RequestKind::Cover, "bo cy", legs)
}

const COVERED: &str = "from 2026-10-25 00:00 (Europe/Oslo) to 2026-10-25 23:00 (Europe/Oslo)";

fn swap(assigned: bool) -> Request {
    let (bo, ann) = if assigned { ("bo", "ann") } else { ("", "") };
    let (first, second) = ("2026-11-02T08:00:00Z", "2026-11-09T08:00:00Z");
    let legs = vec![
        leg("cel_1", "ann", bo, first, second),
        leg("cel_2", "bo", ann, second, "2026-11-16T08:00:00Z"),
    ];
    request(RequestKind::Swap, "bo", legs)
}

const FIRST: &str = "Ops from 2026-11-02 09:00 (Europe/Oslo) to 2026-11-09 09:00 (Europe/Oslo)";
const SECOND: &str =
    "Ops, second from 2026-11-09 09:00 (Europe/Oslo) to 2026-11-16 09:00 (Europe/Oslo)";

#[test]
fn recipients_are_asked_each_once() {
    let with_reason = |mut request: Request| {
        request.reason = " a wedding\n".into();
        request
    };
    let to = |text: String, people: &str| -> Vec<String> {
        let people = people.split_whitespace();
        people.map(|person| format!("{person} {text}")).collect()
    };
    let covered = format!("Ann asks you to cover Ops {COVERED}.");
    let swapped = format!("Ann offers you a swap: you take {FIRST}, they take {SECOND}.");
    for (request, expected) in [
        (cover(""), to(covered.clone(), "bo cy")),
        (
            with_reason(cover("")),
            to(format!("{covered} Reason: a wedding"), "bo cy"),
        ),
        (swap(false), to(swapped.clone(), "bo")),
        (
            with_reason(swap(false)),
            to(format!("{swapped} Reason: a wedding"), "bo"),
        ),
    ] {
        assert_eq!(shown(&asked(&in_oslo(), &request)), expected);
    }
    // The slot is gone, and its zone with it.
    let mut gone = cover("");
    gone.legs[0].cell = "cel_9".into();
    let text = "Ann asks you to cover Ops from 2026-10-24 22:00 (UTC) to 2026-10-25 22:00 (UTC).";
    let found = shown(&asked(&in_oslo(), &gone));
    assert_eq!(found, to(text.into(), "bo cy"));
}

#[test]
fn acceptance_is_told_to_channels_and_to_whoever_asked() {
    for (mut request, lines, noun) in [
        (
            cover("bo"),
            format!("Bo covers for Ann: Ops {COVERED}."),
            "cover request",
        ),
        (
            swap(true),
            format!("Bo covers for Ann: {FIRST}.\nAnn covers for Bo: {SECOND}."),
            "swap request",
        ),
    ] {
        request.accepted_by = Some("bo".into());
        let worded = format!("ann Bo has accepted your {noun}.\n{lines}");
        let mut rotation = in_oslo();
        rotation.stamps.judged_at = request.span().from;
        // A leg that has begun is announced as a hand-over.
        let begun = shown(&accepted(&rotation, &request));
        assert!(
            !begun.iter().any(
                |message| message.contains(lines.lines().next().unwrap()) && message != &worded
            )
        );
        rotation.stamps.judged_at -= jiff::SignedDuration::from_secs(1);
        let mut expected = twice(&lines);
        expected.push(worded);
        assert_eq!(shown(&accepted(&rotation, &request)), expected);
    }
}

#[test]
fn whoever_asked_hears_who_declines() {
    for (mut request, by, so_far, expected) in [
        (
            cover(""),
            "bo",
            "bo",
            "ann Bo has declined your cover request for Ops.",
        ),
        (
            cover(""),
            "cy",
            "bo cy",
            "ann Cy has declined your cover request for Ops. Everybody you asked has declined.",
        ),
        (
            swap(false),
            "bo",
            "bo",
            "ann Bo has declined your swap request for Ops.",
        ),
    ] {
        request.declined = ids(so_far);
        let found = declined(&ops(), &request, &by.into());
        assert_eq!(shown(&found), [expected]);
    }
}

#[test]
fn the_other_side_hears_who_ends_a_cover() {
    let mut request = cover("bo");
    request.accepted_by = Some("bo".into());
    for (by, expected) in [
        ("ann", vec!["bo Ann has ended the cover of Ops."]),
        ("bo", vec!["ann Bo has ended the cover of Ops."]),
        // An editor is neither side.
        (
            "own",
            vec![
                "ann Own has ended the cover of Ops.",
                "bo Own has ended the cover of Ops.",
            ],
        ),
    ] {
        let found = ended(&ops(), &request, &by.into());
        assert_eq!(shown(&found), expected, "{by}");
    }
}

#[test]
fn what_the_channel_of_a_mention_is_told() {
    let opened = |message: Option<&str>| {
        let new = NewMention {
            thread: None,
            asker: "quin".into(),
            channel: "C9".into(),
            message: message.map(Into::into),
        };
        let (settings, now) = (MentionSettings::default(), at("2026-11-24T00:00:00Z"));
        Mention::open(
            "men_1".into(),
            "rot_1".into(),
            new,
            &ids("ann"),
            settings,
            now,
        )
        .0
    };
    for (notice, message, expected) in [
        (
            Notice::Asked(ids("ann bo")),
            Some("the %USER% door"),
            "#C9 <ann> <bo> Quin asks for whoever is on call in Ops: the %USER% door",
        ),
        (
            Notice::Asked(ids("ann")),
            None,
            "#C9 <ann> Quin asks for whoever is on call in Ops.",
        ),
        (
            Notice::AskedAgain(ids("ann bo")),
            Some("the door"),
            "#C9 <ann> <bo> Quin still waits for whoever is on call in Ops.",
        ),
        (
            Notice::Acknowledged("ann".into()),
            Some("the door"),
            "#C9 Ops: Ann answers Quin.",
        ),
        (
            Notice::Passed,
            None,
            "#C9 Ops: everybody on call has passed on Quin's question.",
        ),
        (
            Notice::Expired,
            None,
            "#C9 Ops: nobody on call has answered Quin.",
        ),
        (
            Notice::Nobody,
            None,
            "#C9 Ops: nobody is on call to answer Quin.",
        ),
    ] {
        let found = mention(&ops(), &opened(message), &notice);
        assert_eq!(shown(&[found]), [expected]);
    }
    for (notice, expected) in [
        (
            Notice::Asked(ids("ann bo")),
            &[
                "ann Quin asks for whoever is on call in Ops: the door",
                "bo Quin asks for whoever is on call in Ops: the door",
            ][..],
        ),
        (
            Notice::AskedAgain(ids("bo")),
            &["bo Quin still waits for whoever is on call in Ops."],
        ),
        (Notice::Acknowledged("ann".into()), &[]),
        (Notice::Passed, &[]),
        (Notice::Expired, &[]),
        (Notice::Nobody, &[]),
    ] {
        let found = mention_directly(&ops(), &opened(Some("the door")), &notice);
        assert_eq!(shown(&found), expected);
    }
}
