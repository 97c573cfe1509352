//! What moved in a person's own plan, in words.

use super::*;
use crate::domain::message::{More, MovedShift, ShiftsMoved};
use crate::domain::told_plan::{Reason, Sentence, Word};

fn shift(from: &str, until: &str, other: &str) -> MovedShift {
    MovedShift {
        cell: "cel_1".into(),
        slot: Vec::new(),
        from: at(from),
        until: (!until.is_empty()).then(|| at(until)),
        other: (!other.is_empty()).then(|| other.into()),
    }
}

/// Linus is away, and Ann has his week instead of hers.
pub(super) fn moved() -> ShiftsMoved {
    let away = Interval::new(at("2027-01-31T23:00:00Z"), at("2027-02-03T23:00:00Z"));
    let said = vec![
        Word::Person("linus".into()),
        " is away ".into(),
        away.into(),
    ];
    ShiftsMoved {
        gained: vec![shift(
            "2027-02-08T08:00:00Z",
            "2027-02-15T08:00:00Z",
            "linus",
        )],
        lost: vec![shift(
            "2027-02-01T08:00:00Z",
            "2027-02-08T08:00:00Z",
            "grace",
        )],
        more_gained: None,
        more_lost: None,
        because: vec![Reason {
            at: at("2027-01-20T08:00:00Z"),
            said: Sentence(said),
        }],
        zone: ZoneName::parse("Europe/Oslo").unwrap(),
        rotation_deleted: false,
    }
}

fn worded(moved: ShiftsMoved) -> String {
    text(&moved.to(&ops(), &"ann".into()), &named)
}

/// rules.md 28.4.
#[test]
fn what_moved_is_told_in_words() {
    assert_eq!(
        worded(moved()),
        "Your shifts in Ops moved. New: Mon 8 Feb 09:00 to Mon 15 Feb 09:00 (instead of Linus). No longer yours: Mon 1 Feb 09:00 \
         to Mon 8 Feb 09:00 (now Grace). Because: Linus is away from 1 to 3 Feb."
    );
    let mut deleted = moved();
    deleted.gained = Vec::new();
    deleted.lost[0].until = None;
    deleted.lost[0].other = None;
    deleted.lost[0].slot = vec!["Primary".into(), "Nights".into()];
    deleted.because[0].said = "the rotation was deleted".into();
    assert_eq!(
        worded(deleted),
        "Your shifts in Ops moved. No longer yours: Mon 1 Feb 09:00 on in Primary, Nights. Because: the rotation was deleted."
    );
}

/// rules.md 28.4.
#[test]
fn five_shifts_are_told_in_words() {
    let day = |day: i64| {
        let from = at("2027-02-01T08:00:00Z") + jiff::SignedDuration::from_hours(24 * day);
        let until = from + jiff::SignedDuration::from_hours(24);
        shift(&from.to_string(), &until.to_string(), "")
    };
    let with = |days: i64, more| ShiftsMoved {
        gained: (0..days).map(day).collect(),
        lost: Vec::new(),
        more_gained: more,
        because: Vec::new(),
        ..moved()
    };
    let until = |text: &str| Some(at(text));
    for (days, more, end) in [
        (5, None, "Fri 5 Feb 09:00 to Sat 6 Feb 09:00."),
        (
            6,
            None,
            "Sat 6 Feb 09:00; and 1 more until Sun 7 Feb 09:00.",
        ),
        (
            20,
            Some(More {
                count: 3,
                until: until("2027-03-01T08:00:00Z"),
            }),
            "; and 18 more until Mon 1 Mar 09:00.",
        ),
        (
            20,
            Some(More {
                count: 1,
                until: None,
            }),
            "; and 16 more.",
        ),
    ] {
        let said = worded(with(days, more));
        assert!(said.ends_with(end), "{said}");
    }
}

#[test]
fn absences_are_told_in_days_where_they_are_whole() {
    for (from, until, expected) in [
        ("2027-01-31T23:00:00Z", "2027-02-01T23:00:00Z", "on 1 Feb"),
        (
            "2027-01-30T23:00:00Z",
            "2027-02-01T23:00:00Z",
            "from 31 Jan to 1 Feb",
        ),
        (
            "2027-01-31T23:00:00Z",
            "9999-12-30T22:00:00Z",
            "from 1 Feb on",
        ),
        (
            "2027-02-01T08:00:00Z",
            "2027-02-01T16:00:00Z",
            "from Mon 1 Feb 09:00 to Mon 1 Feb 17:00",
        ),
    ] {
        let mut moved = moved();
        let period = Interval::new(at(from), at(until));
        moved.because[0].said = Sentence(vec![period.into()]);
        let message = moved.to(&ops(), &"ann".into());
        let said = because(&message, &named);
        assert_eq!(said, [(at("2027-01-20T08:00:00Z"), expected.to_owned())]);
    }
}
