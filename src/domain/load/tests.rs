//! Lengths by a table, and against a walk of every minute.

use super::*;
use crate::domain::books::{Dealt, DealtTurn};
use crate::domain::rotation::{Entry, Reason};
use crate::tests::try_out;
use jiff::Timestamp;
use proptest::prelude::*;

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn zone(name: &str) -> ZoneName {
    ZoneName::parse(name).expect("a zone")
}

fn held(from: &str, until: &str, name: &str, countries: &[&str]) -> Held {
    let countries = countries.iter().map(|code| CountryCode::parse(code));
    Held {
        period: Interval {
            from: at(from),
            until: at(until),
        },
        place: Place {
            zone: Some(zone(name)),
            countries: countries.map(Option::unwrap).collect(),
        },
    }
}

/// rules.md 7.4.
#[test]
fn hours_of_nights_weekends_and_holidays() {
    let one = |from, until, name| vec![held(from, until, name, &[])];
    for (held, own, expected) in [
        // A day and a night in the week: Monday is the fifth.
        (
            one("2026-01-05T09:00:00Z", "2026-01-06T09:00:00Z", "UTC"),
            None,
            [24, 24, 8, 0, 0],
        ),
        // The same hours are another night, and a weekend, elsewhere.
        (
            one("2026-01-09T20:00:00Z", "2026-01-09T23:00:00Z", "Asia/Tokyo"),
            None,
            [3, 3, 1, 3, 0],
        ),
        // Nights are those of the person, weekends those of the covered hours.
        (
            one("2026-01-09T20:00:00Z", "2026-01-09T23:00:00Z", "Asia/Tokyo"),
            Some("UTC"),
            [3, 3, 1, 3, 0],
        ),
        (
            one("2026-01-09T12:00:00Z", "2026-01-09T16:00:00Z", "UTC"),
            Some("Asia/Tokyo"),
            [4, 4, 3, 0, 0],
        ),
        // In two places at once.
        (
            vec![
                held("2026-01-10T08:00:00Z", "2026-01-10T12:00:00Z", "UTC", &[]),
                held("2026-01-10T10:00:00Z", "2026-01-10T14:00:00Z", "UTC", &[]),
            ],
            None,
            [6, 8, 0, 6, 0],
        ),
        // The night in which the clocks go back is an hour longer; a weekend of it too.
        (
            one(
                "2026-10-24T20:00:00Z",
                "2026-10-25T05:00:00Z",
                "Europe/Oslo",
            ),
            None,
            [9, 9, 9, 9, 0],
        ),
        // The one in which they go forward is an hour shorter.
        (
            one(
                "2026-03-28T21:00:00Z",
                "2026-03-29T04:00:00Z",
                "Europe/Oslo",
            ),
            None,
            [7, 7, 7, 7, 0],
        ),
        // A whole week has two days of weekend and seven nights.
        (
            one("2026-01-12T00:00:00Z", "2026-01-19T00:00:00Z", "UTC"),
            None,
            [168, 168, 56, 48, 0],
        ),
        // Friday and Saturday are the weekend of Egypt; the other place has Saturday and Sunday of its own.
        (
            vec![
                held(
                    "2026-01-12T00:00:00Z",
                    "2026-01-19T00:00:00Z",
                    "UTC",
                    &["EG"],
                ),
                held("2026-01-17T00:00:00Z", "2026-01-19T00:00:00Z", "UTC", &[]),
            ],
            None,
            [168, 216, 56, 72, 0],
        ),
        // Constitution Day of Norway, a Sunday in 2026, in its own zone.
        (
            vec![held(
                "2026-05-16T00:00:00Z",
                "2026-05-19T00:00:00Z",
                "Europe/Oslo",
                &["NO"],
            )],
            Some("UTC"),
            [72, 72, 24, 46, 24],
        ),
    ] {
        let load = Days::of(&held, &Calendar::embedded()).measure(&held, own.map(zone));
        let Load {
            hours,
            place_hours,
            nights,
            weekends,
            holidays,
        } = load;
        let found = [hours, place_hours, nights, weekends, holidays].map(|one| one.as_hours());
        assert_eq!(found, expected, "{held:?}");
    }
}

/// Minutes of a range that every instant of these worlds lies in, around the changes of clocks of a year.
const BEGINS: [&str; 4] = [
    "2026-03-27T00:00:00Z",
    "2026-10-23T00:00:00Z",
    "2026-04-03T00:00:00Z",
    "2026-12-23T00:00:00Z",
];
const MINUTES: i64 = 5 * 24 * 60;

const ZONES: [&str; 6] = [
    "UTC",
    "Europe/Oslo",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/New_York",
    "Africa/Cairo",
];
const COUNTRIES: [&[&str]; 4] = [&[], &["NO"], &["EG", "US"], &["GB-SCT"]];

/// One stretch: its beginning and length in minutes, its zone, its countries.
type Piece = (i64, i64, usize, usize);

/// Looks at one minute after the other.
fn walked(held: &[Held], own: Option<ZoneName>, begin: Timestamp) -> [i64; 5] {
    let calendar = Calendar::embedded();
    let mut found = [0; 5];
    for minute in 0..MINUTES {
        let at = begin + SignedDuration::from_mins(minute);
        let here: Vec<&Held> = held.iter().filter(|one| one.period.contains(at)).collect();
        let night = |one: &&Held| {
            let hour = own.or(one.place.zone).unwrap().tz().to_datetime(at).hour();
            !(6..22).contains(&hour)
        };
        let day = |one: &Held| one.place.zone.unwrap().tz().to_datetime(at).date();
        let weekend = |one: &&Held| match one.place.countries.is_empty() {
            true => day(one).weekday().to_monday_one_offset() > 5,
            false => {
                let mut countries = one.place.countries.iter();
                countries.any(|country| calendar.is_weekend(*country, day(one)))
            }
        };
        let holiday = |one: &&Held| {
            let mut countries = one.place.countries.iter();
            countries.any(|country| calendar.is_national_holiday(*country, day(one)))
        };
        found[0] += i64::from(!here.is_empty());
        found[1] += here.len() as i64;
        found[2] += i64::from(here.iter().any(night));
        found[3] += i64::from(here.iter().any(weekend));
        found[4] += i64::from(here.iter().any(holiday));
    }
    found
}

#[test]
fn lengths_are_those_of_a_walk_of_every_minute() {
    let piece = (0..MINUTES, 1..3_000_i64, 0..ZONES.len(), 0..COUNTRIES.len());
    let world = (
        0..BEGINS.len(),
        prop::option::of(0..ZONES.len()),
        prop::collection::vec(piece, 0..6),
    );
    try_out(
        60,
        30..=100,
        world,
        |(begin, own, pieces): (usize, Option<usize>, Vec<Piece>)| {
            let begin = at(BEGINS[begin]);
            let own = own.map(|index| zone(ZONES[index]));
            let held: Vec<Held> = pieces
                .into_iter()
                .map(|(from, length, name, countries)| {
                    let minute =
                        |minute: i64| begin + SignedDuration::from_mins(minute.min(MINUTES));
                    let (from, until) = (minute(from), minute(from + length));
                    let text = |at: Timestamp| at.to_string();
                    super::tests::held(&text(from), &text(until), ZONES[name], COUNTRIES[countries])
                })
                .collect();
            let load = Days::of(&held, &Calendar::embedded()).measure(&held, own);
            let Load {
                hours,
                place_hours,
                nights,
                weekends,
                holidays,
            } = load;
            let found = [hours, place_hours, nights, weekends, holidays].map(|one| one.as_mins());
            prop_assert_eq!(found, walked(&held, own, begin), "{:?}", held);
            Ok(nights.is_positive())
        },
    );
}

/// What a walk tells, in words.
fn told(range: Interval, entries: &[(&str, &str, &str, Reason)]) -> Vec<String> {
    let mut walk = Walk::of(range);
    let mut found = Vec::new();
    for (from, until, user, reason) in entries {
        let entry = Entry {
            user: (*user != "-").then(|| (*user).into()),
            reason: *reason,
            ..Entry::never_held(at(from))
        };
        walk.entry(&entry, at(until), &mut |user, happening| {
            let word = match happening {
                Happening::Counted(Counted::Turn, _) => "turn",
                Happening::Counted(Counted::HandOver, _) => "hand-over",
                Happening::Counted(Counted::PassedOver, _) => "passed over",
                _ => return,
            };
            found.push(format!("{user} {word}"));
        });
    }
    found
}

#[test]
fn turns_and_hand_overs() {
    use Reason::*;
    let days = ["05", "06", "07", "08", "09"].map(|day| format!("2026-01-{day}T09:00:00Z"));
    let day = |index: usize| days[index].as_str();
    let range = Interval {
        from: at("2026-01-05T12:00:00Z"),
        until: at("2026-01-09T09:00:00Z"),
    };
    for (people, expected) in [
        // The first ran before the range: nobody handed over to them in it.
        (
            [("A", NextOnScheduledDuty), ("B", NextOnScheduledDuty)],
            "A turn, B turn, B hand-over",
        ),
        (
            [("A", NextOnScheduledDuty), ("A", NextOnScheduledDuty)],
            "A turn, A turn",
        ),
        (
            [("A", NextOnScheduledDuty), ("A", CoverageChanged)],
            "A turn",
        ),
        (
            [("-", BusinessHoursOffline), ("A", BusinessHoursBackOnline)],
            "A turn",
        ),
        (
            [("-", DutyCleared), ("A", ExplicitChange)],
            "A turn, A hand-over",
        ),
    ] {
        let entries = people.iter().enumerate();
        let entries = entries.map(|(n, (user, reason))| (day(n), day(n + 1), *user, *reason));
        let found = told(range, &entries.collect::<Vec<_>>());
        assert_eq!(found.join(", "), expected, "{people:?}");
    }
    // Hours that shut and open again, then another edit.
    let entries = [
        (day(0), day(1), "A", NextOnScheduledDuty),
        (day(1), day(2), "-", BusinessHoursOffline),
        (day(2), day(3), "A", BusinessHoursBackOnline),
        (day(3), day(4), "B", ExplicitChange),
    ];
    assert_eq!(told(range, &entries), ["A turn", "B turn", "B hand-over"]);
}

/// rules.md 7.5.
#[test]
fn turns_count_as_what_they_are_to_whoever_has_them() {
    let range = Interval {
        from: at("2026-01-05T00:00:00Z"),
        until: at("2026-01-30T00:00:00Z"),
    };
    let mut walk = Walk::of(range);
    let mut found = Vec::new();
    let turns = [
        ("A", "A", Dealt::Own),
        ("B", "A", Dealt::Trade),
        ("A", "B", Dealt::Repayment),
        ("B", "A", Dealt::Help),
        ("A", "B", Dealt::ShortRest),
        ("B", "B", Dealt::ShortRest),
    ];
    for (day, (user, owner, dealt)) in turns.into_iter().enumerate() {
        let from = at(&format!("2026-01-{:02}T09:00:00Z", day + 6));
        let entry = Entry {
            user: Some(user.into()),
            reason: Reason::NextOnScheduledDuty,
            dealt: Some(DealtTurn {
                owner: owner.into(),
                dealt,
                since: None,
            }),
            ..Entry::never_held(from)
        };
        let until = from + SignedDuration::from_hours(24);
        walk.entry(&entry, until, &mut |user, happening| {
            if let Happening::Counted(counted, _) = happening
                && !matches!(counted, Counted::Turn | Counted::HandOver)
            {
                found.push(format!("{user} {counted:?}"));
            }
        });
    }
    let expected = [
        "A OwnTurn",
        "B Traded",
        "A Repaid",
        "B Helped",
        "A Helped",
        "B OwnTurn",
    ];
    assert_eq!(found, expected);
}
