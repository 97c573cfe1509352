//! Tables of what happens at one instant after another, and properties that hold whatever happens.

use super::*;
use crate::domain::arrangement::Arranged;
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::coverage::Stretch;
use crate::domain::forecast::schedule;
use crate::domain::ids::{CellId, LaneId, RotationId, UserId, WindowId};
use crate::domain::rotation::{
    Cell, Entry, Lane, Members, NextTurn, Profile, Roster, Stamps, Window,
};
use crate::domain::time::{HhMm, Interval};
use crate::domain::zones::ZoneName;
use jiff::SignedDuration;
use jiff::civil::Weekday;
use proptest::prelude::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn weekly(starts_at: &str) -> Cadence {
    Cadence {
        kind: Kind::DayOfWeek,
        zone: ZoneName::utc(),
        starts_at: at(starts_at),
        period: 1,
        skips: Skips {
            weekends: false,
            national_holidays: false,
            countries: Vec::new(),
        },
    }
}

fn stretch(start_day: Weekday, start: &str, end_day: Weekday, end: &str) -> Stretch {
    let time = |text| HhMm::parse(text).unwrap();
    Stretch {
        start_day,
        start_time: time(start),
        end_day,
        end_time: time(end),
    }
}

/// A rotation of so many people (`a`, `b`, ...), lanes, and windows with their cadences and hours, begun at an
/// instant and dealt.
fn rotation(
    people: usize,
    lanes: usize,
    windows: Vec<(Cadence, Vec<Stretch>)>,
    begun: Timestamp,
) -> Rotation {
    let names = (0..people).map(|n| UserId::from(char::from(b'a' + n as u8).to_string()));
    let windows: Vec<Window> = windows
        .into_iter()
        .enumerate()
        .map(|(n, (cadence, coverage))| Window {
            id: WindowId::from(format!("win_{n}")),
            key: None,
            name: None,
            zone: Some(cadence.zone),
            coverage,
            cadence: Some(cadence),
            open: false,
        })
        .collect();
    let entry = Entry::never_held(begun);
    let cells = (0..windows.len() * lanes)
        .map(|n| Cell {
            id: CellId::from(format!("cel_{n}")),
            lane: n % lanes,
            window: n / lanes,
            roster: None,
            stopped: false,
            holder: None,
            passed_over: Vec::new(),
            arranged_until: None,
            announced: None,
            entry: entry.clone(),
        })
        .collect();
    Rotation {
        id: RotationId::from("rot_1"),
        profile: Profile::default(),
        enabled: true,
        double_cover: false,
        skips_are_off_time: false,
        absence_policy: Default::default(),
        dealing: Default::default(),
        ended: Vec::new(),
        members: Members {
            users: names.collect(),
            groups: Vec::new(),
        },
        lanes: (0..lanes)
            .map(|n| Lane {
                id: LaneId::from(format!("lan_{n}")),
                key: None,
                name: None,
            })
            .collect(),
        cells,
        rosters: vec![Roster {
            id: None,
            narrowed: None,
            next_turns: windows
                .iter()
                .map(|window| NextTurn::new(window.id.clone(), 0))
                .collect(),
        }],
        windows,
        arranged: Vec::new(),
        external: None,
        pending: Vec::new(),
        absences: std::sync::Arc::default(),
        waiting: Vec::new(),
        stamps: Stamps {
            version: 1,
            created_at: begun,
            updated_at: begun,
            judged_at: begun,
            remind_at: None,
            copied_at: None,
        },
        trace: None,
    }
}

fn step(rotation: &mut Rotation, dealing: DealingContext, at: Timestamp) -> Outcome {
    Memo::default().step(rotation, dealing, at)
}

fn dealt(mut rotation: Rotation, dealing: DealingContext) -> Rotation {
    let begun = rotation.stamps.judged_at;
    let mut change = Change::begin(&mut rotation, dealing, begun, WindowChange::ByEdit);
    change.fill(Reason::CoverageChanged);
    change.finish();
    rotation
}

/// Walks so many steps and writes down each entry begun: `instant cell user reason`.
fn walk(mut rotation: Rotation, dealing: DealingContext, steps: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for _ in 0..steps {
        let Some(due) = next_due(&rotation, dealing) else {
            break;
        };
        for cell in step(&mut rotation, dealing, due).begun {
            let entry = &rotation.cells[cell].entry;
            let user = entry.user.as_ref().map_or("-", |user| user.as_str());
            lines.push(format!("{due} {cell} {user} {}", entry.reason.name()));
        }
    }
    lines
}

fn away(list: &[(&str, &str, &str)]) -> Absences {
    let period = |from, until| Interval {
        from: at(from),
        until: at(until),
    };
    Absences::new(
        list.iter()
            .map(|(user, from, until)| (UserId::from(*user), period(from, until)))
            .collect(),
    )
}

#[test]
fn duty_passes_in_order_and_passes_over_the_absent() {
    let calendar = Calendar::embedded();
    let absences = away(&[("b", "2026-11-29T00:00:00Z", "2026-12-01T00:00:00Z")]);
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let begun = dealt(
        rotation(
            3,
            1,
            vec![(weekly("2026-11-16T09:00:00Z"), vec![])],
            at("2026-11-24T00:00:00Z"),
        ),
        dealing,
    );
    assert_eq!(begun.cells[0].holder.as_ref().unwrap().user.as_str(), "a");
    assert_eq!(
        walk(begun, dealing, 3),
        [
            "2026-11-30T09:00:00Z 0 c next-on-scheduled-duty",
            "2026-12-07T09:00:00Z 0 a next-on-scheduled-duty",
            "2026-12-14T09:00:00Z 0 b next-on-scheduled-duty",
        ]
    );
}

#[test]
fn a_shut_window_keeps_its_place_and_opens_with_the_same_person() {
    let calendar = Calendar::embedded();
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let hours = vec![
        stretch(Weekday::Monday, "09:00", Weekday::Monday, "17:00"),
        stretch(Weekday::Tuesday, "09:00", Weekday::Tuesday, "17:00"),
    ];
    let begun = dealt(
        rotation(
            2,
            1,
            vec![(weekly("2026-11-16T09:00:00Z"), hours)],
            at("2026-11-23T09:00:00Z"),
        ),
        dealing,
    );
    assert_eq!(
        walk(begun, dealing, 4),
        [
            "2026-11-23T17:00:00Z 0 - business-hours-offline",
            "2026-11-24T09:00:00Z 0 a business-hours-back-online",
            "2026-11-24T17:00:00Z 0 - business-hours-offline",
            "2026-11-30T09:00:00Z 0 b next-on-scheduled-duty",
        ]
    );
}

#[test]
fn an_empty_place_is_filled_when_an_absence_ends() {
    let calendar = Calendar::embedded();
    let absences = away(&[("a", "2026-11-01T00:00:00Z", "2026-11-26T12:00:00Z")]);
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let begun = dealt(
        rotation(
            1,
            1,
            vec![(weekly("2026-11-16T09:00:00Z"), vec![])],
            at("2026-11-23T09:00:00Z"),
        ),
        dealing,
    );
    assert_eq!(begun.cells[0].holder, None);
    assert_eq!(
        walk(begun, dealing, 2),
        [
            "2026-11-26T12:00:00Z 0 a next-on-scheduled-duty",
            "2026-11-30T09:00:00Z 0 a next-on-scheduled-duty",
        ]
    );
}

/// rules.md 2.6.
#[test]
fn windows_due_at_one_instant_are_emptied_together_and_dealt_in_order() {
    let calendar = Calendar::embedded();
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let cadence = weekly("2026-11-16T09:00:00Z");
    let windows = vec![(cadence.clone(), vec![]), (cadence, vec![])];
    let begun = dealt(rotation(3, 1, windows, at("2026-11-23T09:00:00Z")), dealing);
    assert_eq!(
        walk(begun, dealing, 1),
        [
            "2026-11-30T09:00:00Z 0 b next-on-scheduled-duty",
            "2026-11-30T09:00:00Z 1 c next-on-scheduled-duty",
        ]
    );
}

/// An arrangement of a cell, by its number.
fn arranged(cell: usize, user: &str, from: &str, until: &str) -> Arranged {
    Arranged {
        id: format!("arr_{cell}_{from}").into(),
        cell: CellId::from(format!("cel_{cell}")),
        user: user.into(),
        period: Interval {
            from: at(from),
            until: at(until),
        },
        running: false,
        request: None,
    }
}

/// One lane of three people who pass duty on every Monday at nine, begun on one.
fn weekly_duty(dealing: DealingContext, arrangements: Vec<Arranged>) -> Rotation {
    let windows = vec![(weekly("2026-11-16T09:00:00Z"), vec![])];
    let mut rotation = dealt(rotation(3, 1, windows, at("2026-11-23T09:00:00Z")), dealing);
    rotation.arranged = arrangements;
    rotation
}

#[test]
fn an_arrangement_lies_over_the_dealt_turn() {
    let calendar = Calendar::embedded();
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let (tuesday, friday) = ("2026-11-24T00:00:00Z", "2026-11-27T00:00:00Z");
    let (handover, next) = ("2026-11-30T09:00:00Z", "2026-12-07T09:00:00Z");
    let over = |user, from, until| arranged(0, user, from, until);
    for (arrangements, expected) in [
        // Within a turn: the dealt person is back.
        (
            vec![over("c", tuesday, friday)],
            &[
                "2026-11-24T00:00:00Z 0 c explicit-change",
                "2026-11-27T00:00:00Z 0 a explicit-change",
                "2026-11-30T09:00:00Z 0 b next-on-scheduled-duty",
            ][..],
        ),
        // Over a hand-over: it is no news, and whoever was dealt the turn meanwhile comes on.
        (
            vec![over("c", friday, "2026-12-01T00:00:00Z")],
            &[
                "2026-11-27T00:00:00Z 0 c explicit-change",
                "2026-12-01T00:00:00Z 0 b explicit-change",
                "2026-12-07T09:00:00Z 0 c next-on-scheduled-duty",
            ],
        ),
        // A whole turn: it begins as an arrangement does, and the hand-over at its end is one.
        (
            vec![over("a", handover, next)],
            &[
                "2026-11-30T09:00:00Z 0 a explicit-change",
                "2026-12-07T09:00:00Z 0 c next-on-scheduled-duty",
            ],
        ),
        // One after the other, of the same person too.
        (
            vec![over("c", tuesday, friday), over("c", friday, handover)],
            &[
                "2026-11-24T00:00:00Z 0 c explicit-change",
                "2026-11-27T00:00:00Z 0 c explicit-change",
                "2026-11-30T09:00:00Z 0 b next-on-scheduled-duty",
            ],
        ),
        // Over the person's own turn.
        (
            vec![over("a", tuesday, friday)],
            &[
                "2026-11-24T00:00:00Z 0 a explicit-change",
                "2026-11-27T00:00:00Z 0 a explicit-change",
                "2026-11-30T09:00:00Z 0 b next-on-scheduled-duty",
            ],
        ),
    ] {
        let begun = weekly_duty(dealing, arrangements);
        let mut lines = walk(begun, dealing, 5);
        lines.truncate(expected.len());
        assert_eq!(lines, expected);
    }
}

#[test]
fn whoever_leaves_takes_their_arrangements_along() {
    let calendar = Calendar::embedded();
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let [mut first, mut second] = [
        arranged(0, "c", "2026-11-23T09:00:00Z", "2026-11-24T00:00:00Z"),
        arranged(0, "a", "2026-12-07T09:00:00Z", "2026-12-14T09:00:00Z"),
    ];
    (first.request, second.request) = (Some("swp_1".into()), Some("swp_1".into()));
    let leave = |rotation: &Rotation, user: &str| {
        let mut after = rotation.clone();
        after.members.users.retain(|member| member.as_str() != user);
        let mut change = Change::begin(
            &mut after,
            dealing,
            at("2026-11-23T10:00:00Z"),
            WindowChange::ByEdit,
        );
        change.clear_leavers();
        change.finish();
        let left: Vec<String> = after
            .arranged
            .iter()
            .map(|left| left.user.to_string())
            .collect();
        (left.join(" "), after.cells[0].entry.reason.name())
    };
    let (removal, change) = ("removal-of-active-duty", "explicit-change");
    let mut rotation = weekly_duty(dealing, vec![first, second]);
    rotation.stamps.judged_at = at("2026-11-23T08:00:00Z");
    // Before it begins neither leg is owed without the other.
    let coming = rotation.clone();
    let early = |user| {
        let mut after = coming.clone();
        after.members.users.retain(|member| member.as_str() != user);
        let mut change = Change::begin(
            &mut after,
            dealing,
            at("2026-11-23T08:30:00Z"),
            WindowChange::ByEdit,
        );
        change.clear_leavers();
        change.finish();
        after.arranged.len()
    };
    assert_eq!([early("c"), early("a"), early("b")], [0, 0, 2]);
    step(&mut rotation, dealing, at("2026-11-23T09:00:00Z"));
    assert_eq!(rotation.cells[0].entry.reason.name(), change);
    // What has begun is served: the other leg stays owed.
    assert_eq!(leave(&rotation, "c"), ("a".to_owned(), removal));
    assert_eq!(leave(&rotation, "b"), ("c a".to_owned(), change));
    assert_eq!(leave(&rotation, "a"), ("c".to_owned(), change));
}

#[test]
fn a_disabled_rotation_is_frozen() {
    let calendar = Calendar::embedded();
    let absences = Absences::default();
    let dealing = DealingContext {
        calendar: &calendar,
        absences: &absences,
    };
    let windows = vec![(weekly("2026-11-16T09:00:00Z"), vec![])];
    let mut frozen = dealt(rotation(3, 1, windows, at("2026-11-23T09:00:00Z")), dealing);
    frozen.arranged = vec![arranged(
        0,
        "c",
        "2026-11-24T00:00:00Z",
        "2026-11-25T00:00:00Z",
    )];
    step(&mut frozen, dealing, at("2026-11-24T00:00:00Z"));
    frozen.enabled = false;
    assert_eq!(next_due(&frozen, dealing), None);
    let on_call = |rotation: &Rotation| {
        let hold = resolve::on_call(rotation, &rotation.cells[0]);
        hold.map(|hold| hold.user().to_string())
    };
    Change::begin(
        &mut frozen,
        dealing,
        at("2026-11-26T00:00:00Z"),
        WindowChange::ByEdit,
    )
    .finish();
    assert_eq!(on_call(&frozen).as_deref(), Some("c"));
    // Enabled again, it is judged as of then.
    frozen.enabled = true;
    Change::begin(
        &mut frozen,
        dealing,
        at("2026-11-26T00:00:00Z"),
        WindowChange::ByClock,
    )
    .finish();
    assert_eq!(on_call(&frozen).as_deref(), Some("a"));
    assert_eq!(frozen.arranged, []);
}

prop_compose! {
    fn cadences()(kind in 0..4_u8, day in 1..28_i8, hour in 0..24_i8, period in 1..4_u32) -> Cadence {
        let kind = match kind {
            0 => Kind::DayOfWeek,
            1 => Kind::DaysOfWeekList(vec![Weekday::Monday, Weekday::Thursday]),
            2 => Kind::Daily { times: vec![HhMm::parse("08:00").unwrap(), HhMm::parse("20:00").unwrap()] },
            _ => Kind::DayOfMonth,
        };
        let starts_at = jiff::civil::date(2026, 1, day).at(hour, 0, 0, 0).to_zoned(ZoneName::utc().tz().clone());
        let starts_at = starts_at.unwrap().timestamp();
        let zone = ZoneName::parse("Europe/Oslo").unwrap();
        let skips = Skips { weekends: false, national_holidays: false, countries: Vec::new() };
        Cadence { kind, zone, starts_at, period, skips }
    }
}

proptest! {
    #![proptest_config(crate::tests::cases(60))]

    /// After every instant: no fillable slot is empty, nobody is dealt two slots at once unless allowed, the record is a
    /// chain, and what the plan said beforehand is what came.
    #[test]
    fn whatever_happens_the_rules_hold(
        people in 0..5_usize,
        lanes in 1..4_usize,
        cadences in prop::collection::vec((cadences(), any::<bool>()), 1..3),
        double_cover in any::<bool>(),
        absent in prop::collection::vec((0..5_u8, 0..60_i64, 1..20_i64), 0..6),
        agreed in prop::collection::vec((0..6_usize, 0..5_u8, 0..1500_i64, 1..400_i64), 0..6),
    ) {
        let begun = at("2026-03-01T00:00:00Z");
        let day = |n: i64| begun + SignedDuration::from_hours(24 * n);
        let periods = absent.iter().map(|(user, from, days)| {
            let user = UserId::from(char::from(b'a' + user).to_string());
            (user, Interval { from: day(*from), until: day(from + days) })
        });
        let absences = Absences::new(periods.collect());
        let calendar = Calendar::embedded();
        let dealing = DealingContext { calendar: &calendar, absences: &absences };
        let hours = vec![stretch(Weekday::Monday, "09:00", Weekday::Friday, "17:00")];
        let windows = cadences
            .into_iter()
            .map(|(cadence, covered)| (cadence, if covered { hours.clone() } else { Vec::new() }))
            .collect();
        let mut now = rotation(people, lanes, windows, begun);
        now.double_cover = double_cover;
        let mut now = dealt(now, dealing);
        for (cell, user, from, hours) in agreed {
            let hour = |n: i64| (begun + SignedDuration::from_hours(n)).to_string();
            let user = char::from(b'a' + user).to_string();
            let new = arranged(cell % now.cells.len(), &user, &hour(from + 1), &hour(from + 1 + hours));
            let meets = |other: &Arranged| other.cell == new.cell && other.period.meets(new.period).is_some();
            if !now.arranged.iter().any(meets) {
                now.arranged.push(new);
            }
        }
        let range = Interval { from: begun, until: day(60) };
        let planned = schedule(&now, dealing, range).unwrap();
        let mut record: Vec<(usize, Entry, Option<Timestamp>)> = Vec::new();
        // A vacancy that runs is planned with who was passed over last.
        let mut running: Vec<Entry> = now.cells.iter().map(|cell| match &cell.entry {
            vacant if vacant.user.is_none() => {
                Entry { passed_over: resolve::passed_over(&now, cell).to_vec(), ..vacant.clone() }
            }
            held => held.clone(),
        }).collect();
        while let Some(due) = next_due(&now, dealing).filter(|due| *due < day(90)) {
            prop_assert!(due > now.stamps.judged_at);
            for cell in step(&mut now, dealing, due).begun {
                let ended = std::mem::replace(&mut running[cell], now.cells[cell].entry.clone());
                prop_assert!(ended.start < due);
                record.push((cell, ended, Some(due)));
            }
            let holds = |slot: usize, user: &UserId| {
                now.cells[slot].holder.as_ref().is_some_and(|holder| &holder.user == user)
            };
            let here: Vec<&UserId> =
                now.members.users.iter().filter(|user| absences.at(user, due).is_none()).collect();
            for empty in (0..now.cells.len()).filter(|&slot| now.cells[slot].holder.is_none()) {
                let mut in_the_way = here.iter().map(|user| (0..now.cells.len()).any(|slot| {
                    holds(slot, user) && would_double(&now, dealing, [empty, slot], due)
                }));
                prop_assert!(here.is_empty() || !double_cover && in_the_way.all(|is| is));
            }
            for user in &now.members.users {
                let is_open = |slot: &usize| now.windows[now.cells[*slot].window].open;
                let on_call = (0..now.cells.len()).filter(is_open).filter(|&slot| holds(slot, user));
                prop_assert!(double_cover || on_call.count() <= 1);
            }
        }
        record.extend(running.into_iter().enumerate().map(|(cell, entry)| (cell, entry, None)));
        for turn in planned.iter().filter(|turn| turn.end.is_some_and(|end| end < day(90))) {
            let came = record.iter().find(|(cell, entry, _)| Some(*cell) == turn.slot && entry.start == turn.entry.start);
            prop_assert_eq!(came.map(|(_, entry, end)| (entry, *end)), Some((&turn.entry, turn.end)));
        }
        let touching = record.iter().filter(|(_, entry, end)| {
            entry.start < range.until && end.is_none_or(|end| end > range.from)
        });
        prop_assert_eq!(touching.count(), planned.len());
    }
}

mod deal;
mod fair;
mod trading;
mod trading_model;
mod trading_worlds;
