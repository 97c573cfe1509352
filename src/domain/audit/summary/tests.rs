use super::*;
use crate::domain::arrangement::Arranged;
use crate::domain::ids::UserId;
use crate::domain::rotation::Rotation;
use crate::domain::rotation::tests::rotation as one_slot;
use crate::domain::rotation::{Cell, Holder, Narrowed, Roster};

/// What a rotation with one slot is told to have changed, after an act on it.
fn told(act: impl FnOnce(&mut Rotation)) -> String {
    let before = one_slot();
    let mut after = before.clone();
    act(&mut after);
    line(&rotation_changes(&before, &after))
}

/// The line of a summary, where U1 is called Ada and U2 Bo.
fn line(summary: &Summary) -> String {
    let mut names = Names::default();
    for (user, name) in [("U1", "Ada"), ("U2", "Bo")] {
        names.add((&UserId::from(user)).into(), name);
    }
    summary.line(&names)
}

fn holder(user: &str) -> Option<Holder> {
    Some(Holder {
        user: user.into(),
        since: "2026-11-23T09:00:00Z".parse().unwrap(),
        skipped: Vec::new(),
        dealt: None,
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
        "on duty: nobody to Ada"
    );
    assert_eq!(
        told(|r| r.rosters[0].next_turns[0].turn = 2),
        "next turn in the common roster: 0 to 2"
    );
    assert_eq!(
        told(|r| {
            r.cells[0].holder = holder("U1");
            r.rosters[0].next_turns[0].turn = 2;
        }),
        "on duty: nobody to Ada"
    );
    assert_eq!(
        told(|r| {
            r.profile.owners = vec!["U1".into(), "U2".into()];
            r.members.users = (0..7).map(|n| UserId::from(format!("U{n}"))).collect();
        }),
        "owners added: Ada, Bo; members added: U0, Ada, Bo, U3, U4 and 2 more"
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

/// Windows, lanes and arrangements have ids of their own, which nobody knows.
#[test]
fn lanes_and_windows_are_told_by_name_else_by_number() {
    let [mut before, mut after] = [(); 2].map(|()| one_slot());
    for rotation in [&mut before, &mut after] {
        let mut window = rotation.windows[0].clone();
        (window.id, window.name) = ("win_2".into(), Some("Nights".into()));
        rotation.windows.push(window);
        let mut lane = rotation.lanes[0].clone();
        (lane.id, lane.name) = ("lan_2".into(), None);
        rotation.lanes.push(lane);
        rotation.lanes[0].name = Some("Primary".into());
        let cell = rotation.cells[0].clone();
        rotation.cells = [(0, 0), (0, 1), (1, 0), (1, 1)]
            .map(|(lane, window)| Cell {
                id: format!("cel_{lane}{window}").into(),
                lane,
                window,
                ..cell.clone()
            })
            .to_vec();
    }
    let arranged = |id: &str, cell: &str, user: &str, day: u8| Arranged {
        id: id.into(),
        cell: cell.into(),
        user: user.into(),
        period: Interval {
            from: format!("2026-11-{day}T09:00:00Z").parse().unwrap(),
            until: format!("2026-11-{}T09:00:00Z", day + 1).parse().unwrap(),
        },
        running: false,
        request: None,
    };
    before.arranged = vec![
        arranged("arr_1", "cel_00", "U1", 24),
        arranged("arr_2", "cel_11", "U2", 25),
    ];
    after.arranged = vec![
        arranged("arr_2", "cel_11", "U2", 26),
        arranged("arr_3", "cel_01", "U3", 27),
    ];
    after.cells[1].holder = holder("U1");
    after.cells[2].stopped = true;
    after.rosters[0].next_turns[0].turn = 2;
    let told = line(&rotation_changes(&before, &after));
    let expected = "lane 2, window 1 runs: true to false; \
        on duty in lane \"Primary\", window \"Nights\": nobody to Ada; \
        period arranged for Bo: from 2026-11-25T09:00:00Z to 2026-11-26T09:00:00Z \
        to from 2026-11-26T09:00:00Z to 2026-11-27T09:00:00Z; \
        arranged: U3 in lane \"Primary\", window \"Nights\" from 2026-11-27T09:00:00Z to 2026-11-28T09:00:00Z; \
        no longer arranged: Ada in lane \"Primary\", window 1 from 2026-11-24T09:00:00Z to 2026-11-25T09:00:00Z";
    assert_eq!(told, expected);
    let mut fewer = after.clone();
    fewer.windows.pop();
    fewer.cells.retain(|cell| cell.window == 0);
    fewer.windows[0].name = Some("Days".into());
    let told = line(&rotation_changes(&after, &fewer));
    let gone = "windows removed: window \"Nights\"; name of window 1: none to \"Days\"";
    assert!(told.starts_with(gone), "{told}");
    let told = line(&rotation_changes(&fewer, &after));
    let added = "windows added: window \"Nights\"; name of window 1: \"Days\" to none; \
        window \"Nights\": hours always, cadence manual; ";
    assert!(told.starts_with(added), "{told}");
}

/// rules.md 18.6.
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
    assert_eq!(line(&many), "0; 1; 2; 3; 4; 5; 6; 7; and 2 more");
    let mut longest = Summary::default();
    (0..8).for_each(|_| longest.add("x".repeat(100)));
    assert_eq!(line(&longest).chars().count(), LONGEST);
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
