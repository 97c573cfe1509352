use super::*;
use crate::domain::rotation::tests::rotation as one_slot;
use crate::domain::rotation::{Holder, Narrowed, Roster};

/// What a rotation with one slot is told to have changed, after an act on it.
fn told(act: impl FnOnce(&mut Rotation)) -> String {
    let before = one_slot();
    let mut after = before.clone();
    act(&mut after);
    rotation_changes(&before, &after).line()
}

fn holder(user: &str) -> Option<Holder> {
    Some(Holder {
        user: user.into(),
        since: "2026-11-23T09:00:00Z".parse().unwrap(),
        skipped: Vec::new(),
    })
}

#[test]
fn changes_of_a_rotation_are_told_from_and_to() {
    assert_eq!(told(|_| ()), "");
    assert_eq!(
        told(|r| r.profile.name = "Support".into()),
        "name: \"Ops \"1\"\" to \"Support\""
    );
    assert_eq!(
        told(|r| r.profile.code = Some("SUP".into())),
        "code: none to \"SUP\""
    );
    assert_eq!(told(|r| r.enabled = false), "enabled: true to false");
    assert_eq!(
        told(|r| r.cells[0].holder = holder("U1")),
        "on duty: nobody to U1"
    );
    assert_eq!(
        told(|r| r.rosters[0].next_turns[0].turn = 2),
        "next turn of win_1 in the common roster: 0 to 2"
    );
    assert_eq!(
        told(|r| {
            r.cells[0].holder = holder("U1");
            r.rosters[0].next_turns[0].turn = 2;
        }),
        "on duty: nobody to U1"
    );
    assert_eq!(
        told(|r| {
            r.profile.owners = vec!["U1".into(), "U2".into()];
            r.members.users = (0..7).map(|n| UserId::from(format!("U{n}"))).collect();
        }),
        "owners added: U1, U2; members added: U0, U1, U2, U3, U4 and 2 more"
    );
    assert_eq!(
        told(|r| r.rosters.push(Roster {
            id: Some("europe".into()),
            narrowed: Some(Narrowed::default()),
            next_turns: Vec::new(),
        })),
        "roster \"europe\" added"
    );
}

#[test]
fn a_summary_is_one_short_line() {
    assert_eq!(
        told(|r| r.profile.description = Some("a\nb\u{2028}c\u{1b}[0m".into())),
        "description: none to \"a b c [0m\""
    );
    let long = told(|r| r.profile.description = Some("ä".repeat(1000)));
    assert_eq!(
        long,
        format!("description: none to \"{}...\"", "ä".repeat(57))
    );
    let mut many = Summary::default();
    (0..10).for_each(|n| many.add(n.to_string()));
    assert_eq!(many.line(), "0; 1; 2; 3; 4; 5; 6; 7; and 2 more");
    let mut longest = Summary::default();
    (0..8).for_each(|_| longest.add("x".repeat(100)));
    assert_eq!(longest.line().chars().count(), LONGEST);
}

#[test]
fn no_credentials_of_urls_are_told() {
    for (text, expected) in [
        ("see https://u:p@host/x", "\"see https://host/x\""),
        ("https://host/a@b", "\"https://host/a@b\""),
        ("ftp://a@b@c?d x://e:f@", "\"ftp://c?d x://\""),
        ("a@b", "\"a@b\""),
    ] {
        assert_eq!(quoted(text), expected, "{text}");
    }
    for (url, expected) in [
        ("https://hooks.example/T1/SECRET", "https://hooks.example"),
        ("http://u:p@127.0.0.1:80?token=x", "http://127.0.0.1:80"),
        ("", "a URL"),
    ] {
        assert_eq!(host(url), expected, "{url}");
    }
}
