//! Every fault, with what the API, a page and Slack say of it. Each edge is checked against its own column, so that rewording one
//! leaves the others as they are.

use crate::domain::fault::Fault;
use crate::domain::time::Interval;
use jiff::Timestamp;

/// What the edges say of a fault: the API, a page and Slack, whose texts for people are sentences without their end.
pub struct Said {
    pub api: &'static str,
    pub page: &'static str,
    pub slack: &'static str,
}

fn alike(text: &'static str) -> Said {
    Said {
        api: text,
        page: text,
        slack: text,
    }
}

fn three(api: &'static str, page: &'static str, slack: &'static str) -> Said {
    Said { api, page, slack }
}

/// Every fault. `U1` is called Ana; instants are shown on Slack in Berlin.
pub fn all() -> Vec<(Fault, Said)> {
    let at = |text: &str| text.parse::<Timestamp>().expect("an instant");
    let (eight, nine) = (at("2026-03-06T08:00:00Z"), at("2026-03-06T09:00:00Z"));
    let period = Interval {
        from: eight,
        until: nine,
    };
    let all = vec![
        (
            Fault::Unknown("did you mean name?".into()),
            alike("unknown; did you mean name?"),
        ),
        (
            Fault::Missing("it is required".into()),
            alike("missing; it is required"),
        ),
        (Fault::SentTwice, alike("sent twice; send it once")),
        (Fault::Repeated, alike("repeated; send each once")),
        (
            Fault::Mistyped {
                expected: "a list".into(),
                found: "null".into(),
            },
            alike("send a list, not null"),
        ),
        (
            Fault::TooLong { most: 5, sent: 6 },
            alike("send at most 5 characters, not 6"),
        ),
        (
            Fault::Blank { most: 5 },
            alike("send 1 to 5 characters that are not all blank"),
        ),
        (
            Fault::ControlCharacters,
            alike("send no line breaks or other control characters"),
        ),
        (
            Fault::TooMany { most: 5, sent: 6 },
            alike("send at most 5, not 6"),
        ),
        (
            Fault::OutOfRange {
                least: 1,
                most: 5,
                sent: -6,
            },
            alike("send 1 to 5, not -6"),
        ),
        (
            Fault::NotAfterFrom,
            three(
                "send an instant later than `from`",
                "send an instant later than `from`",
                "the end has to be after the beginning",
            ),
        ),
        (
            Fault::NotAfter(eight),
            three(
                "send an instant later than now, 2026-03-06T08:00:00Z",
                "send an instant later than now, Fri 6 Mar 08:00",
                "this time is over; choose one after Fri 6 Mar 2026, 09:00",
            ),
        ),
        (
            Fault::DaysAhead(5),
            alike("send an instant at most 5 days from now"),
        ),
        (
            Fault::DaysAfterFrom(5),
            three(
                "send an instant at most 5 days after `from`",
                "send an instant at most 5 days after the beginning",
                "send an instant at most 5 days after the beginning",
            ),
        ),
        (
            Fault::BeforeCreation(eight),
            three(
                "the rotation was created at 2026-03-06T08:00:00Z; send that instant or a later one",
                "the rotation was created at Fri 6 Mar 08:00; send that instant or a later one",
                "the rotation was created at Fri 6 Mar 2026, 09:00; send that instant or a later one",
            ),
        ),
        (
            Fault::NotInWorkspace("U1".into()),
            three(
                "nobody in the workspace has the id `U1`",
                "nobody in the workspace has the id Ana",
                "nobody in the workspace has the id Ana",
            ),
        ),
        (
            Fault::NotMember("U1".into()),
            three(
                "`U1` is not a member of this rotation",
                "Ana is not a member of this rotation",
                "Ana is not a member of this rotation",
            ),
        ),
        (
            Fault::NotInRoster("U1".into()),
            three(
                "`U1` is not in the roster of this cell",
                "Ana does not take turns in these hours",
                "Ana does not take turns in these hours",
            ),
        ),
        (
            Fault::NotTheirTurn("U1".into()),
            three(
                "`U1` does not hold this turn as planned",
                "Ana does not have this turn as planned",
                "Ana does not have this turn as planned",
            ),
        ),
        (
            Fault::NotHeld {
                user: "U1".into(),
                cell: "cel_1".into(),
                period,
            },
            three(
                "`U1` does not hold the cell `cel_1` from 2026-03-06T08:00:00Z to 2026-03-06T09:00:00Z as planned; read the \
                 schedule again",
                "Ana is not on call from Fri 6 Mar 08:00 to Fri 6 Mar 09:00 as planned; look at the turns again",
                "Ana is not on call from Fri 6 Mar 2026, 09:00 to Fri 6 Mar 2026, 10:00 as planned; look at the turns again",
            ),
        ),
        (
            Fault::OnCallElsewhere("U1".into()),
            three(
                "`U1` is on call in another cell of this rotation at that time; one person in two cells at once needs \
                 doubleCover",
                "Ana is on call twice in this rotation at that time, which it does not permit",
                "Ana is on call twice in this rotation at that time, which it does not permit",
            ),
        ),
        (
            Fault::NamedTwice("U1".into()),
            three(
                "`U1` is named twice, for slots on call at the same time; that needs doubleCover",
                "Ana is named twice for the same hours, which this rotation does not permit",
                "Ana is named twice for the same hours, which this rotation does not permit",
            ),
        ),
        (
            Fault::TooManyPeople {
                people: 2,
                slots: 1,
            },
            three(
                "2 people for 1 slots; send at most as many",
                "2 people are too many: 1 can be on call at once",
                "2 people are too many: 1 can be on call at once",
            ),
        ),
        (
            Fault::Yourself("ask another person"),
            alike("that is you; ask another person"),
        ),
        (
            Fault::NoCell("cel_1".into()),
            three(
                "this rotation has no cell `cel_1`",
                "this rotation has no such hours",
                "this rotation has no such hours",
            ),
        ),
        (
            Fault::NotCovered {
                period,
                opens: Some(nine),
            },
            three(
                "no covered hours of the cell lie between 2026-03-06T08:00:00Z and 2026-03-06T09:00:00Z; the next covered \
                 hours begin at 2026-03-06T09:00:00Z",
                "no covered hours lie between Fri 6 Mar 08:00 and Fri 6 Mar 09:00; the next covered hours begin at Fri 6 \
                 Mar 09:00",
                "no covered hours lie between Fri 6 Mar 2026, 09:00 and Fri 6 Mar 2026, 10:00; the next covered hours begin \
                 at Fri 6 Mar 2026, 10:00",
            ),
        ),
        (
            Fault::Other("send `a` only".into()),
            three("send `a` only", "send `a` only", "send a only"),
        ),
    ];
    assert!(
        all.iter()
            .map(|(fault, _)| place(fault))
            .eq(0..=place(&Fault::Other(String::new())))
    );
    all
}

/// The place of a fault in the list: a new variant does not compile until it has one.
fn place(fault: &Fault) -> usize {
    match fault {
        Fault::Unknown(_) => 0,
        Fault::Missing(_) => 1,
        Fault::SentTwice => 2,
        Fault::Repeated => 3,
        Fault::Mistyped { .. } => 4,
        Fault::TooLong { .. } => 5,
        Fault::Blank { .. } => 6,
        Fault::ControlCharacters => 7,
        Fault::TooMany { .. } => 8,
        Fault::OutOfRange { .. } => 9,
        Fault::NotAfterFrom => 10,
        Fault::NotAfter(_) => 11,
        Fault::DaysAhead(_) => 12,
        Fault::DaysAfterFrom(_) => 13,
        Fault::BeforeCreation(_) => 14,
        Fault::NotInWorkspace(_) => 15,
        Fault::NotMember(_) => 16,
        Fault::NotInRoster(_) => 17,
        Fault::NotTheirTurn(_) => 18,
        Fault::NotHeld { .. } => 19,
        Fault::OnCallElsewhere(_) => 20,
        Fault::NamedTwice(_) => 21,
        Fault::TooManyPeople { .. } => 22,
        Fault::Yourself(_) => 23,
        Fault::NoCell(_) => 24,
        Fault::NotCovered { .. } => 25,
        Fault::Other(_) => 26,
    }
}
