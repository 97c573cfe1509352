//! Missed turns that are traded: what one absence changes, and what holds in random half-years.

use super::trading_worlds::as_many;
use super::*;
use crate::domain::absence_policy::{AbsencePolicy, PassOver};
use crate::domain::books::{Dealing, Dealt, MissedTurn, Share};
use crate::domain::ids::RosterId;
use crate::domain::rotation::Narrowed;
use std::collections::HashMap;

const DAYS: [Weekday; 7] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
    Weekday::Saturday,
    Weekday::Sunday,
];

fn between(from: usize, until: usize) -> Vec<Stretch> {
    let time = |hour: usize| format!("{:02}:00", hour % 24);
    let (start, end) = (DAYS[from / 24 % 7], DAYS[until / 24 % 7]);
    vec![stretch(start, &time(from), end, &time(until))]
}

fn weekly_from(hour: usize, period: u32) -> Cadence {
    let monday = at("2026-11-23T00:00:00Z");
    let starts_at = monday + SignedDuration::from_hours(hour as i64);
    Cadence {
        period,
        ..weekly(&starts_at.to_string())
    }
}

/// Windows that begin at these hours of the week; each lasts until the next begins, so that their hours never meet.
fn cut(hours: &[usize], periods: &[u32]) -> Vec<(Cadence, Vec<Stretch>)> {
    let windows = hours.iter().zip(periods).enumerate();
    let window = |(n, (&from, &period)): (usize, (&usize, &u32))| {
        let covered = match hours.len() {
            1 => Vec::new(),
            count => between(from, hours[(n + 1) % count]),
        };
        (weekly_from(from, period), covered)
    };
    windows.map(window).collect()
}

/// As new rotations are: missed turns are traded, and somebody away in the middle of a turn misses it.
fn traded(mut rotation: Rotation) -> Rotation {
    rotation.dealing.missed_turn = MissedTurn::Traded;
    rotation.absence_policy = AbsencePolicy {
        pass_over: PassOver::DuringTurn,
        ..AbsencePolicy::default()
    };
    rotation
}

fn spread(mut rotation: Rotation) -> Rotation {
    for roster in &mut rotation.rosters {
        roster.next_turns.clear();
    }
    let before = rotation.clone();
    rotation.follow(&before);
    rotation
}

/// Who holds each turn, by cell and hand-over, up to an instant.
fn plan(
    mut rotation: Rotation,
    dealing: DealingContext,
    until: Timestamp,
) -> Vec<(Timestamp, usize, String)> {
    let mut turns = Vec::new();
    let mut note = |rotation: &Rotation, at: Timestamp| {
        for (index, cell) in rotation.cells.iter().enumerate() {
            let holder = cell.holder.as_ref().filter(|holder| holder.since == at);
            if let Some(holder) = holder {
                turns.push((at, index, holder.user.to_string()));
            }
        }
    };
    note(&rotation, rotation.stamps.judged_at);
    while let Some(due) = next_due(&rotation, dealing).filter(|due| *due < until) {
        step(&mut rotation, dealing, due);
        note(&rotation, due);
    }
    turns
}

/// What is recorded of each cell up to an instant, whoever's turns they were.
fn record(
    mut rotation: Rotation,
    dealing: DealingContext,
    until: Timestamp,
) -> Vec<(usize, Entry)> {
    let mut entries = Vec::new();
    let mut note = |rotation: &Rotation, begun: &[usize]| {
        for cell in begun {
            let entry = rotation.cells[*cell].entry.clone();
            entries.push((
                *cell,
                Entry {
                    dealt: None,
                    ..entry
                },
            ));
        }
    };
    note(&rotation, &(0..rotation.cells.len()).collect::<Vec<_>>());
    while let Some(due) = next_due(&rotation, dealing).filter(|due| *due < until) {
        let begun = step(&mut rotation, dealing, due).begun;
        note(&rotation, &begun);
    }
    entries
}

fn context<'a>(calendar: &'a Calendar, absences: &'a Absences) -> DealingContext<'a> {
    DealingContext { calendar, absences }
}

/// The turns of a list of people on Mondays at nine, with what each is to its holder.
fn shown(rotation: Rotation, dealing: DealingContext, turns: usize) -> String {
    let mut rotation = rotation;
    let mut line = Vec::new();
    let mut note = |rotation: &Rotation| {
        let holder = rotation.cells[0].holder.as_ref();
        let text = holder.map_or("-".to_owned(), |holder| {
            let dealt = holder.dealt.as_ref();
            let how = dealt.map_or("", |dealt| match dealt.dealt {
                Dealt::Own => "",
                Dealt::Trade => "+",
                Dealt::Repayment => "=",
                Dealt::Help => "!",
                Dealt::ShortRest => "?",
            });
            format!("{}{how}", holder.user)
        });
        line.push(text);
    };
    note(&rotation);
    for _ in 1..turns {
        let Some(due) = next_due(&rotation, dealing) else {
            break;
        };
        step(&mut rotation, dealing, due);
        note(&rotation);
    }
    line.join(" ")
}

/// So many people on a weekly line, somebody's absences in weeks (`a 1..2`), shares (`c 50`), and the turns that come of it.
fn check(people: usize, away: &[(&str, i64, i64)], shares: &[(&str, u8)], expected: &str) {
    let calendar = Calendar::embedded();
    let begun = at("2026-11-23T09:00:00Z");
    let week = |n: i64| begun + SignedDuration::from_hours(7 * 24 * n);
    let away = away.iter().map(|(user, from, until)| {
        let period = Interval {
            from: week(*from),
            until: week(*until),
        };
        (UserId::from(*user), period)
    });
    let absences = Absences::new(away.collect());
    let dealing = context(&calendar, &absences);
    let windows = vec![(weekly("2026-11-16T09:00:00Z"), vec![])];
    let mut new = traded(rotation(people, 1, windows, begun));
    let shares = shares.iter().map(|(user, percent)| Share {
        user: UserId::from(*user),
        percent: *percent,
    });
    new.dealing.shares = shares.collect();
    let begun = dealt(new, dealing);
    let turns = expected.split_whitespace().count();
    assert_eq!(
        shown(begun, dealing, turns),
        expected,
        "{people} {absences:?}"
    );
}

#[test]
fn a_missed_turn_is_traded_with_the_next_who_can_and_paid_back() {
    check(4, &[], &[], "a b c d a b c d");
    // The next who can: b would have two weeks on end, so c takes it, and a has c's turn in return.
    check(4, &[("a", 0, 1)], &[], "c+ b a= d a b c d");
    check(4, &[("b", 1, 2)], &[], "a d+ c b= a b c d");
    // Away for two weeks: the first who can take one and give one.
    check(4, &[("b", 0, 3)], &[], "a d+ c b= a b c d a b c d");
}

#[test]
fn a_long_leave_is_helped_out_of() {
    check(3, &[("a", 0, 12)], &[], "c! b c b! b c b! b c c! b c a b c");
}

#[test]
fn shares_sit_out_and_stand_ins_only_help() {
    check(3, &[], &[("c", 50)], "a b c a b a b c a b a b c");
    check(3, &[], &[("c", 0)], "a b a b a b");
    check(3, &[], &[("a", 0), ("b", 0), ("c", 0)], "a b c a b c");
}

#[test]
fn one_absence_of_a_week_on_a_line() {
    let calendar = Calendar::embedded();
    let none = Absences::default();
    let begun = at("2026-11-23T00:00:00Z");
    let windows = cut(&[9, 105], &[1, 1]);
    let rotation = traded(spread(rotation(6, 1, windows, begun)));
    let until = at("2027-11-23T00:00:00Z");
    let before = plan(
        dealt(rotation.clone(), context(&calendar, &none)),
        context(&calendar, &none),
        until,
    );
    let absences = away(&[("c", "2027-02-01T00:00:00Z", "2027-02-03T00:00:00Z")]);
    let dealing = context(&calendar, &absences);
    let after = plan(dealt(rotation, dealing), dealing, until);
    let changed = before
        .iter()
        .zip(&after)
        .filter(|(one, other)| one != other);
    assert!(changed.count() <= 2);
    assert_eq!(before.len(), after.len());
}

proptest! {
    #![proptest_config(crate::tests::cases(as_many(60, 1_000).end as u32))]

    /// Nobody absent, hours that never meet, enough people, no rest, no shares: missed turns make no difference. rules.md 29.12.
    #[test]
    fn where_nobody_is_away_nothing_is_traded(
        people in 1..9_usize,
        lanes in 1..4_usize,
        hours in prop::collection::btree_set(0..168_usize, 1..4),
        periods in prop::collection::vec(1..3_u32, 3),
        narrowed in prop::collection::vec(prop::option::of(prop::collection::btree_set(0..9_usize, 1..9)), 3),
    ) {
        prop_assume!(people >= lanes);
        let calendar = Calendar::embedded();
        let none = Absences::default();
        let dealing = context(&calendar, &none);
        let begun = at("2026-11-23T00:00:00Z");
        let hours: Vec<usize> = hours.into_iter().collect();
        let mut lost = rotation(people, lanes, cut(&hours, &periods), begun);
        // Some windows have a list of their own.
        for (window, list) in narrowed.iter().take(hours.len()).enumerate() {
            let list = list.iter().flatten().filter_map(|member| lost.members.users.get(*member));
            let users: Vec<UserId> = list.cloned().collect();
            if users.len() >= lanes {
                let id = RosterId::from(format!("r{window}"));
                for cell in lost.cells.iter_mut().filter(|cell| cell.window == window) {
                    cell.roster = Some(id.clone());
                }
                lost.rosters.push(Roster {
                    id: Some(id),
                    narrowed: Some(Narrowed { users, groups: Vec::new() }),
                    next_turns: Vec::new(),
                });
            }
        }
        let lost = spread(lost);
        let until = at("2027-05-23T00:00:00Z");
        let both = [lost.clone(), traded(lost)].map(|rotation| dealt(rotation, dealing));
        let [lost, traded] = both.clone().map(|rotation| plan(rotation, dealing, until));
        prop_assert_eq!(lost, traded);
        let [lost, traded] = both.map(|rotation| record(rotation, dealing, until));
        prop_assert_eq!(lost, traded);
    }

    /// Where there are enough people, one absence over one turn changes two turns of a year at the most. rules.md 29.12.
    #[test]
    fn one_absence_over_one_turn_changes_two_turns_at_the_most(
        people in 4..9_usize,
        lanes in 1..3_usize,
        hours in prop::collection::btree_set(0..168_usize, 1..4),
        periods in prop::collection::vec(1..3_u32, 3),
        user in 0..4_u8,
        from in 0..5_000_i64,
        length in 1..40_i64,
    ) {
        prop_assume!(people > lanes);
        let calendar = Calendar::embedded();
        let none = Absences::default();
        let begun = at("2026-11-23T00:00:00Z");
        let hours: Vec<usize> = hours.into_iter().collect();
        let rotation = traded(spread(rotation(people, lanes, cut(&hours, &periods), begun)));
        let until = at("2027-11-23T00:00:00Z");
        let user = UserId::from(char::from(b'a' + user).to_string());
        let from = begun + SignedDuration::from_hours(from);
        let period = Interval { from, until: from + SignedDuration::from_hours(length) };
        let absences = Absences::new(vec![(user.clone(), period)]);
        let dealing = context(&calendar, &none);
        let before = plan(dealt(rotation.clone(), dealing), dealing, until);
        let ends = |turn: &(Timestamp, usize, String)| {
            let same = before.iter().filter(|other| other.1 == turn.1 && other.0 > turn.0);
            same.map(|other| other.0).min().unwrap_or(until)
        };
        let hit = before.iter().filter(|turn| {
            turn.2 == user.as_str() && Interval { from: turn.0, until: ends(turn) }.meets(period).is_some()
        });
        prop_assume!(hit.count() <= 1);
        let dealing = context(&calendar, &absences);
        let after = plan(dealt(rotation, dealing), dealing, until);
        let changed: Vec<_> = before.iter().zip(&after).filter(|(one, other)| one != other).collect();
        prop_assert!(changed.len() <= 2, "{changed:?}");
    }

    /// The books balance: turns dealt to somebody are their own, and those taken, less those given, and help.
    #[test]
    fn the_books_balance_at_every_instant(
        people in 2..7_usize,
        lanes in 1..3_usize,
        hours in prop::collection::btree_set(0..168_usize, 1..3),
        periods in prop::collection::vec(1..3_u32, 2),
        absent in prop::collection::vec((0..7_u8, 0..180_i64, 1..40_i64), 0..12),
        shares in prop::collection::vec((0..7_u8, 0..=100_u8), 0..3),
        rest_hours in 0..=48_u8,
    ) {
        let calendar = Calendar::embedded();
        let begun = at("2026-11-23T00:00:00Z");
        let day = |n: i64| begun + SignedDuration::from_hours(24 * n);
        let name = |n: u8| UserId::from(char::from(b'a' + n).to_string());
        let periods_away = absent.iter().map(|(user, from, days)| {
            (name(*user), Interval { from: day(*from), until: day(from + days) })
        });
        let absences = Absences::new(periods_away.collect());
        let dealing = context(&calendar, &absences);
        let hours: Vec<usize> = hours.into_iter().collect();
        let mut now = traded(spread(rotation(people, lanes, cut(&hours, &periods), begun)));
        now.dealing = Dealing {
            missed_turn: MissedTurn::Traded,
            rest_hours,
            shares: shares.iter().map(|(user, percent)| Share { user: name(*user), percent: *percent }).collect(),
        };
        let mut now = dealt(now, dealing);
        let mut taken: i64 = 0;
        let mut repaid: i64 = 0;
        let mut own: HashMap<String, i64> = HashMap::new();
        let mut count = |rotation: &Rotation, at: Timestamp| {
            for cell in &rotation.cells {
                let Some(holder) = cell.holder.as_ref().filter(|holder| holder.since == at) else { continue };
                let dealt = holder.dealt.as_ref().expect("a turn that was dealt");
                *own.entry(dealt.owner.to_string()).or_default() += 1;
                match dealt.dealt {
                    Dealt::Trade => taken += 1,
                    Dealt::Repayment => repaid += 1,
                    Dealt::Own => assert_eq!(dealt.owner, holder.user),
                    Dealt::Help => assert_ne!(dealt.owner, holder.user),
                    Dealt::ShortRest => {}
                }
            }
            (taken, repaid)
        };
        let (mut opened, mut closed) = count(&now, begun);
        while let Some(due) = next_due(&now, dealing).filter(|due| *due < day(180)) {
            step(&mut now, dealing, due);
            (opened, closed) = count(&now, due);
            let open: usize = now.rosters.iter().flat_map(|roster| &roster.next_turns).map(|line| line.books.trades.len()).sum();
            prop_assert_eq!(open as i64, opened - closed);
        }
        let _ = (opened, closed);
    }
}
