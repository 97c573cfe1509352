//! Tables. The person `ann` is named Ann, and `<ann>` where a message notifies them.

mod asking;
mod fitting;
mod fuzz;
mod moved;
mod subjects;
mod topics;

use super::*;
use crate::domain::books::Dealt;
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::forecast::Instead;
use crate::domain::message::{change, deleted, reminder};
use crate::domain::rotation::tests::rotation as plain;
use crate::domain::rotation::{ChannelSetting, Lane, Rotation};

/// A platform that needs no escaping.
impl<F: Fn(&UserId) -> NameForms> Renderer for F {
    fn named(&self, user: &UserId) -> NameForms {
        self(user)
    }

    fn plain(&self, text: &str) -> String {
        one_line(text)
    }
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn ids(names: &str) -> Vec<UserId> {
    names.split_whitespace().map(Into::into).collect()
}

fn named(user: &UserId) -> NameForms {
    let mut letters = user.as_str().chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    NameForms {
        name: first.into_iter().chain(letters).collect(),
        handle: format!("<{user}>"),
    }
}

fn zone(name: &str) -> Option<ZoneName> {
    (!name.is_empty()).then(|| ZoneName::parse(name).unwrap())
}

/// Posts in `C1` and `C3`, sets the topic of `C2`; its owners are `own` and `boss`.
fn ops() -> Rotation {
    let channel = |id: &str, posts_messages| ChannelSetting {
        channel: id.into(),
        posts_messages,
        syncs_topic: true,
    };
    let mut rotation = plain();
    rotation.profile.name = "Ops".into();
    rotation.profile.owners = ids("own boss");
    rotation.profile.channels = vec![
        channel("C1", true),
        channel("C2", false),
        channel("C3", true),
    ];
    rotation
}

/// Two lanes, the second called `second`, handed over in Oslo.
fn in_oslo() -> Rotation {
    let mut rotation = ops();
    rotation.lanes.push(Lane {
        id: "lan_2".into(),
        key: None,
        name: Some("second".into()),
    });
    let mut cell = rotation.cells[0].clone();
    cell.id = "cel_2".into();
    cell.lane = 1;
    rotation.cells.push(cell);
    rotation.windows[0].cadence = Some(Cadence {
        kind: Kind::DayOfWeek,
        zone: ZoneName::parse("Europe/Oslo").unwrap(),
        starts_at: at("2026-03-02T08:00:00Z"),
        period: 1,
        skips: Skips::default(),
    });
    rotation
}

/// Each message as `#channel text` or `person text`.
fn shown(messages: &[Message]) -> Vec<String> {
    let one = |message: &Message| {
        // Names are stored with a message, so the people it names are filled in.
        let people = message.content.people();
        let named = |user: &UserId| {
            assert!(people.contains(&user), "{user} in {message:?}");
            named(user)
        };
        match (&message.to, text(message, &named)) {
            (Recipient::Channel(id), text) => format!("#{id} {text}"),
            (Recipient::Person(id), text) => format!("{id} {text}"),
        }
    };
    messages.iter().map(one).collect()
}

/// `ann>bo` and its other fields.
fn handover(
    change: &str,
    slot: &str,
    until: &str,
    zone_name: &str,
    begins: &str,
) -> HandoverNotice {
    let (off, on) = change.split_once('>').unwrap();
    let user = |name: &str| (name != "-").then(|| UserId::from(name));
    let instant = |text: &str| (!text.is_empty()).then(|| at(text));
    HandoverNotice {
        cell: None,
        slot: slot.split_whitespace().map(Into::into).collect(),
        off: user(off),
        on: user(on),
        outside: None,
        until: instant(until),
        zone: zone(zone_name),
        instead: None,
        begins_at: instant(begins),
    }
}

/// Two channels get the same text.
fn twice(text: &str) -> Vec<String> {
    ["C1", "C3"]
        .map(|channel| format!("#{channel} {text}"))
        .to_vec()
}

#[test]
fn what_a_change_is_told_as() {
    let monday = "2026-11-30T08:00:00Z";
    for (change, channels, people) in [
        (
            handover("ann>bo", "", "", "", ""),
            "Ops: <bo> takes over from Ann.",
            vec![
                "bo You are on duty for Ops. You take over from Ann.",
                "ann You are off duty for Ops. Bo takes over.",
            ],
        ),
        (
            handover("->bo", "second night", monday, "", ""),
            "Ops, second, night: <bo> is on duty until 2026-11-30 08:00 (UTC).",
            vec!["bo You are on duty for Ops, second, night until 2026-11-30 08:00 (UTC)."],
        ),
        (
            handover("ann>-", "", "", "", ""),
            "Ops: Ann goes off duty, and nobody takes over.",
            vec!["ann You are off duty for Ops. Nobody takes over."],
        ),
        (
            handover("ann>bo", "", monday, "Europe/Oslo", ""),
            "Ops: <bo> takes over from Ann until 2026-11-30 09:00 (Europe/Oslo).",
            vec![
                "bo You are on duty for Ops until 2026-11-30 09:00 (Europe/Oslo). You take over from Ann.",
                "ann You are off duty for Ops. Bo takes over.",
            ],
        ),
        (
            handover("->bo", "", monday, "Asia/Kolkata", "2026-11-24T04:30:00Z"),
            "Ops: <bo> is on duty, from 2026-11-24 10:00 (Asia/Kolkata) to 2026-11-30 13:30 (Asia/Kolkata).",
            vec![
                "bo You are on duty for Ops, from 2026-11-24 10:00 (Asia/Kolkata) to 2026-11-30 13:30 (Asia/Kolkata).",
            ],
        ),
        (
            handover("->bo", "", "", "", "2026-11-24T10:00:00Z"),
            "Ops: <bo> is on duty, beginning 2026-11-24 10:00 (UTC).",
            vec!["bo You are on duty for Ops, beginning 2026-11-24 10:00 (UTC)."],
        ),
    ] {
        let found = change_of(&[change], false, false);
        let mut expected = twice(channels);
        expected.extend(people.into_iter().map(String::from));
        assert_eq!(found, expected);
    }
}

/// Of somebody who takes a turn that is not their own: what the message has of it, and what they and the channels are told.
#[test]
fn for_whom_a_turn_is_taken() {
    use Dealt::*;
    let turn = "2026-12-15T08:00:00Z";
    for (dealt, turn, told) in [
        (
            Trade,
            turn,
            "instead of Lin, who takes yours from 2026-12-15 09:00 (Europe/Oslo)",
        ),
        (Trade, "", "instead of Lin, who owes you a turn"),
        (
            Repayment,
            turn,
            "for Lin, who took yours of 2026-12-15 09:00 (Europe/Oslo)",
        ),
        (Repayment, "", "for Lin, who took a turn of yours"),
        (Help, "", "instead of Lin"),
        (ShortRest, "", "instead of Lin"),
    ] {
        let monday = "2026-11-30T08:00:00Z";
        let mut one = handover("ann>bo", "", monday, "Europe/Oslo", "");
        one.instead = Some(Instead {
            owner: "lin".into(),
            dealt,
            turn: (!turn.is_empty()).then(|| at(turn)),
        });
        let until = "2026-11-30 09:00 (Europe/Oslo)";
        let mut expected = twice(&format!(
            "Ops: <bo> (for Lin) takes over from Ann until {until}."
        ));
        expected.push(format!(
            "bo You are on duty for Ops until {until}, {told}. You take over from Ann."
        ));
        expected.push("ann You are off duty for Ops. Bo takes over.".into());
        assert_eq!(
            change_of(std::slice::from_ref(&one), false, false),
            expected
        );
        let begins = at("2026-11-23T08:00:00Z");
        let mut expected =
            twice("Ops: <bo> (for Lin) takes over from Ann at 2026-11-23 09:00 (Europe/Oslo).");
        expected.push(format!(
            "bo You come on duty for Ops at 2026-11-23 09:00 (Europe/Oslo) until {until}, {told}."
        ));
        assert_eq!(shown(&reminder(&ops(), begins, &[one], |_| true)), expected);
    }
}

fn change_of(handovers: &[HandoverNotice], nobody: bool, by_hand: bool) -> Vec<String> {
    shown(&change(&ops(), handovers, nobody, by_hand))
}

#[test]
fn one_message_tells_of_many_places() {
    let handovers = [
        handover("ann>bo", "first", "", "", ""),
        handover("bo>ann", "second", "", "", ""),
    ];
    let mut expected =
        twice("Ops, first: <bo> takes over from Ann.\nOps, second: <ann> takes over from Bo.");
    expected.push(
        "bo You are on duty for Ops, first. You take over from Ann.\nYou are off duty for Ops, second. Ann takes over."
            .into(),
    );
    expected.push(
        "ann You are off duty for Ops, first. Bo takes over.\nYou are on duty for Ops, second. You take over from Bo."
            .into(),
    );
    assert_eq!(change_of(&handovers, false, false), expected);
}

/// rules.md 14.4.
#[test]
fn owners_hear_that_nobody_is_left_unless_somebody_saw_to_it() {
    let off = [handover("ann>-", "", "", "", "")];
    let line = "Ops: Ann goes off duty, and nobody takes over.";
    let owners =
        ["own", "boss"].map(|owner| format!("{owner} Ops: nobody is on call. You are an owner."));
    for (handovers, by_hand, text, person) in [
        (&off[..], false, line, true),
        (&off[..], true, line, true),
        // A window opens on an empty slot.
        (&[], false, "", false),
    ] {
        let whole = [text, "Ops: nobody is on call."].join("\n");
        let mut expected = twice(whole.trim_start());
        if person {
            expected.push("ann You are off duty for Ops. Nobody takes over.".into());
        }
        if !by_hand {
            expected.extend(owners.clone());
        }
        assert_eq!(change_of(handovers, true, by_hand), expected, "{by_hand}");
    }
    assert_eq!(change_of(&[], false, false), Vec::<String>::new());
}

#[test]
fn what_a_deletion_is_told_as() {
    let mut expected = twice("Ops: the rotation was deleted. Nobody is on call.");
    for name in ["ann", "bo"] {
        expected.push(format!(
            "{name} You are off duty for Ops: the rotation was deleted."
        ));
    }
    assert_eq!(shown(&deleted(&ops(), &ids("ann bo"))), expected);
    assert_eq!(shown(&deleted(&ops(), &[])), Vec::<String>::new());
}

#[test]
fn what_is_told_before_places_change_hands() {
    let worded = |handovers: &[HandoverNotice]| {
        let then = at("2026-03-29T07:00:00Z");
        shown(&reminder(&ops(), then, handovers, |_| true))
    };
    let none = Vec::<String>::new();
    assert_eq!(worded(&[]), none);
    // Nobody comes on, so nobody is reminded.
    assert_eq!(worded(&[handover("ann>-", "", "", "", "")]), none);
    let until = "2026-04-05T07:00:00Z";
    let handovers = [
        handover("ann>bo", "first", until, "Europe/Oslo", ""),
        handover("ann>-", "second", "", "", ""),
        handover("->bo", "third", "", "", ""),
        handover("->cy", "third", "", "", "2026-03-30T10:00:00Z"),
    ];
    // The night before the start of daylight saving time in Oslo.
    let mut expected = twice(
        "Ops, first: <bo> takes over from Ann at 2026-03-29 09:00 (Europe/Oslo).\n\
         Ops, third: <bo> takes over at 2026-03-29 07:00 (UTC).\n\
         Ops, third: <cy> takes over at 2026-03-29 07:00 (UTC).",
    );
    expected.push(
        "bo You come on duty for Ops, first at 2026-03-29 09:00 (Europe/Oslo) until 2026-04-05 09:00 (Europe/Oslo).\n\
         You come on duty for Ops, third at 2026-03-29 07:00 (UTC)."
            .into(),
    );
    expected.push(
        "cy You come on duty for Ops, third at 2026-03-29 07:00 (UTC), beginning 2026-03-30 10:00 (UTC)."
            .into(),
    );
    assert_eq!(worded(&handovers), expected);
}

#[test]
fn times_are_told_as_the_clock_on_the_wall() {
    for (instant, name, expected) in [
        (
            "2026-03-29T00:59:00Z",
            "Europe/Oslo",
            "2026-03-29 01:59 (Europe/Oslo)",
        ),
        (
            "2026-03-29T01:00:00Z",
            "Europe/Oslo",
            "2026-03-29 03:00 (Europe/Oslo)",
        ),
        (
            "2026-10-25T00:30:00Z",
            "Europe/Oslo",
            "2026-10-25 02:30 (Europe/Oslo)",
        ),
        (
            "2026-10-25T01:30:00Z",
            "Europe/Oslo",
            "2026-10-25 02:30 (Europe/Oslo)",
        ),
        (
            "2026-12-31T23:30:00Z",
            "Europe/Oslo",
            "2027-01-01 00:30 (Europe/Oslo)",
        ),
        (
            "2026-03-08T07:00:00Z",
            "America/New_York",
            "2026-03-08 03:00 (America/New_York)",
        ),
        ("2026-03-29T01:00:59Z", "", "2026-03-29 01:00 (UTC)"),
        ("2026-03-29T01:00:00Z", "UTC", "2026-03-29 01:00 (UTC)"),
    ] {
        assert_eq!(time(at(instant), zone(name)), expected);
        let (clock_only, _) = expected.split_once(" (").unwrap();
        assert_eq!(clock(at(instant), zone(name)), clock_only);
    }
}
