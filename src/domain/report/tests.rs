//! What is split, and what is added up.

use super::*;
use jiff::SignedDuration;

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn span(from: &str, until: &str) -> Interval {
    Interval {
        from: at(from),
        until: at(until),
    }
}

fn place() -> Place {
    Place {
        zone: None,
        countries: Default::default(),
    }
}

/// `A rot_1 2026-W02 plan 12/24 1`: who, where, when, hours, hours of places and turns.
fn line(row: &Row) -> String {
    let named = [
        row.user.as_ref().map(ToString::to_string),
        row.rotation.as_ref().map(ToString::to_string),
        row.bucket.clone(),
        row.planned.then(|| "plan".to_owned()),
    ];
    let named: Vec<String> = named.into_iter().flatten().collect();
    let hours = |length: SignedDuration| length.as_hours();
    format!(
        "{} {}/{} {}",
        named.join(" "),
        hours(row.load.hours),
        hours(row.load.place_hours),
        row.counts.of(Counted::Turn)
    )
}

fn lines(by: GroupBy, only: Option<&str>) -> Vec<String> {
    let range = span("2026-01-30T00:00:00Z", "2026-02-03T00:00:00Z");
    let now = at("2026-02-01T12:00:00Z");
    let mut report = Report::begin(by, range, now, only.map(UserId::from));
    for (rotation, user, from, until) in [
        ("rot_1", "A", "2026-01-30T00:00:00Z", "2026-02-02T00:00:00Z"),
        ("rot_2", "A", "2026-01-31T12:00:00Z", "2026-02-01T00:00:00Z"),
        ("rot_2", "B", "2026-02-01T00:00:00Z", "2026-02-03T00:00:00Z"),
    ] {
        let (rotation, user) = (RotationId::from(rotation), UserId::from(user));
        let period = span(from, until);
        report.add(
            &rotation,
            &place(),
            &user,
            Happening::Counted(Counted::Turn, period.from),
        );
        report.add(&rotation, &place(), &user, Happening::Held(period));
        report.check_size().unwrap();
    }
    let rows = report.rows(&Calendar::embedded(), |_| None);
    rows.iter().map(line).collect()
}

/// rules.md 7.5.
#[test]
fn rows_are_apart_as_they_are_grouped() {
    use GroupBy::*;
    for (by, expected) in [
        (
            Person,
            vec!["A 60/72 2", "A plan 12/12 0", "B 12/12 1", "B plan 36/36 0"],
        ),
        // Each person of a rotation counts once, all of them together.
        (
            Rotation,
            vec![
                "rot_1 60/60 1",
                "rot_1 plan 12/12 0",
                "rot_2 24/24 2",
                "rot_2 plan 36/36 0",
            ],
        ),
        (
            PersonRotation,
            vec![
                "A rot_1 60/60 1",
                "A rot_1 plan 12/12 0",
                "A rot_2 12/12 1",
                "B rot_2 12/12 1",
                "B rot_2 plan 36/36 0",
            ],
        ),
        (
            Week,
            vec![
                "A 2026-W05 60/72 2",
                "A 2026-W05 plan 12/12 0",
                "B 2026-W05 12/12 1",
                "B 2026-W05 plan 12/12 0",
                "B 2026-W06 plan 24/24 0",
            ],
        ),
        (
            Month,
            vec![
                "A 2026-01 48/60 2",
                "A 2026-02 12/12 0",
                "A 2026-02 plan 12/12 0",
                "B 2026-02 12/12 1",
                "B 2026-02 plan 36/36 0",
            ],
        ),
    ] {
        assert_eq!(lines(by, None), expected, "{by:?}");
    }
    assert_eq!(lines(Person, Some("B")), ["B 12/12 1", "B plan 36/36 0"]);
    assert!(lines(Person, Some("C")).is_empty());
}

/// rules.md 7.5.
#[test]
fn what_began_before_counts_at_the_beginning() {
    let range = span("2026-01-30T00:00:00Z", "2026-02-03T00:00:00Z");
    let now = at("2026-02-01T12:00:00Z");
    let mut report = Report::begin(GroupBy::Month, range, now, None);
    let (rotation, user) = (RotationId::from("rot_1"), UserId::from("A"));
    for (from, counted) in [
        ("2025-12-01T00:00:00Z", Counted::CoverTaken),
        ("2026-02-01T00:00:00Z", Counted::CoverGiven),
        ("2026-02-02T00:00:00Z", Counted::Swap),
        ("2026-02-01T00:00:00Z", Counted::Mention),
        ("2026-02-01T00:00:00Z", Counted::Acknowledged),
    ] {
        report.count(&rotation, &user, at(from), counted);
    }
    let rows = report.rows(&Calendar::embedded(), |_| None);
    let counts = |row: &Row| {
        use Counted::*;
        let counts = row.counts;
        [CoverTaken, CoverGiven, Swap, Mention, Acknowledged].map(|counted| counts.of(counted))
    };
    let found: Vec<_> = rows
        .iter()
        .map(|row| (row.bucket.clone().unwrap(), row.planned, counts(row)))
        .collect();
    let month = |name: &str| name.to_owned();
    assert_eq!(
        found,
        [
            (month("2026-01"), false, [1, 0, 0, 0, 0]),
            (month("2026-02"), false, [0, 1, 0, 1, 1]),
            (month("2026-02"), true, [0, 0, 1, 0, 0]),
        ]
    );
}
