//! Random weeks cut into windows, and random rosters: everybody who is always here has as many turns as anybody else, and nobody
//! is on call twice at once.

use super::*;
use crate::domain::rotation::Narrowed;

const DAYS: [Weekday; 7] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
    Weekday::Saturday,
    Weekday::Sunday,
];

/// From one hour of the week, Monday midnight being 0, to another.
fn between(from: usize, until: usize) -> Vec<Stretch> {
    let time = |hour: usize| format!("{:02}:00", hour % 24);
    let (start, end) = (DAYS[from / 24 % 7], DAYS[until / 24 % 7]);
    vec![stretch(start, &time(from), end, &time(until))]
}

/// Handed over every `period` weeks, the first time at an hour of the week of 23 November 2026.
fn weekly_from(hour: usize, period: u32) -> Cadence {
    let monday = at("2026-11-23T00:00:00Z");
    let starts_at = monday + SignedDuration::from_hours(hour as i64);
    Cadence {
        period,
        ..weekly(&starts_at.to_string())
    }
}

/// The hours of the week that the windows begin at cut it: each lasts until the next begins.
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

prop_compose! {
    /// Absences of the people `a` to `c` within a year, in hours.
    fn absent()(list in prop::collection::vec((0..3_u8, 0..8_000_i64, 1..1_000_i64), 0..6)) -> Absences {
        let begun = at("2026-11-23T00:00:00Z");
        let hour = |n: i64| begun + SignedDuration::from_hours(n);
        let period = |(user, from, hours): (u8, i64, i64)| {
            let user = UserId::from(char::from(b'a' + user).to_string());
            (user, Interval { from: hour(from), until: hour(from + hours) })
        };
        Absences::new(list.into_iter().map(period).collect())
    }
}

/// Lets windows begin to deal from their rosters.
fn spread(mut rotation: Rotation) -> Rotation {
    for roster in &mut rotation.rosters {
        roster.next_turns.clear();
    }
    rotation.follow(&rotation.clone());
    rotation
}

proptest! {
    #![proptest_config(crate::tests::cases(60))]

    #[test]
    fn whoever_is_always_here_has_as_many_turns_as_anybody_else(
        people in 1..9_usize,
        lanes in 1..3_usize,
        hours in prop::collection::btree_set(0..168_usize, 1..4),
        periods in prop::collection::vec(1..3_u32, 3),
        absences in absent(),
    ) {
        let calendar = Calendar::embedded();
        let dealing = DealingContext { calendar: &calendar, absences: &absences };
        let begun = at("2026-11-23T00:00:00Z");
        let hours: Vec<usize> = hours.into_iter().collect();
        let windows = cut(&hours, &periods);
        let mut now = dealt(spread(rotation(people, lanes, windows, begun)), dealing);
        let mut turns = vec![vec![0_u32; people]; hours.len()];
        let mut count = |now: &Rotation, due: Timestamp| {
            for cell in &now.cells {
                if let Some(holder) = cell.holder.as_ref().filter(|holder| holder.since == due) {
                    let person = usize::from(holder.user.as_str().as_bytes()[0] - b'a');
                    turns[cell.window][person] += 1;
                }
            }
        };
        count(&now, begun);
        let year = begun + SignedDuration::from_hours(366 * 24);
        while let Some(due) = next_due(&now, dealing).filter(|due| *due < year) {
            step(&mut now, dealing, due);
            count(&now, due);
        }
        let everybody = Interval { from: begun, until: year };
        let always_here = |person: &usize| {
            absences.meeting(&now.members.users[*person], everybody).is_empty()
        };
        let here: Vec<usize> = (0..people).filter(always_here).collect();
        for turns in turns {
            let of_those: Vec<u32> = here.iter().map(|&person| turns[person]).collect();
            let most = of_those.iter().max().unwrap_or(&0);
            let least = of_those.iter().min().unwrap_or(&0);
            prop_assert!(most - least <= 1, "{turns:?} here {here:?}");
        }
    }

    #[test]
    fn nobody_is_on_call_twice_whatever_the_rosters(
        people in 1..7_usize,
        lanes in 1..3_usize,
        windows in prop::collection::vec((0..168_usize, 0..168_usize, 0..168_usize, 1..3_u32), 1..4),
        rosters in prop::collection::vec(prop::collection::btree_set(0..6_usize, 1..4), 2),
        named in prop::collection::vec(0..3_usize, 6),
        absences in absent(),
    ) {
        let calendar = Calendar::embedded();
        let dealing = DealingContext { calendar: &calendar, absences: &absences };
        let begun = at("2026-11-23T00:00:00Z");
        let windows = windows.into_iter().map(|(hand_over, from, until, period)| {
            (weekly_from(hand_over, period), between(from, until))
        });
        let mut now = rotation(people, lanes, windows.collect(), begun);
        for (n, members) in rosters.iter().enumerate() {
            let users = members.iter().filter_map(|&member| now.members.users.get(member).cloned());
            let narrowed = Narrowed { users: users.collect(), groups: Vec::new() };
            now.rosters.push(Roster {
                id: Some(format!("r{n}").as_str().into()),
                narrowed: Some(narrowed),
                next_turns: Vec::new(),
            });
        }
        for (cell, named) in now.cells.iter_mut().zip(named) {
            cell.roster = named.checked_sub(1).map(|n| format!("r{n}").as_str().into());
        }
        let mut now = dealt(spread(now), dealing);
        let year = begun + SignedDuration::from_hours(366 * 24);
        let planned = schedule(&now, dealing, Interval { from: begun, until: year }).unwrap();
        let mut begins: Vec<(usize, Timestamp, Option<UserId>)> = Vec::new();
        while let Some(due) = next_due(&now, dealing).filter(|due| *due < year) {
            for cell in step(&mut now, dealing, due).begun {
                begins.push((cell, due, now.cells[cell].entry.user.clone()));
            }
            let on_call = (0..now.cells.len())
                .filter_map(|slot| resolve::on_call(&now, &now.cells[slot]))
                .map(|hold| hold.user().clone());
            let mut on_call: Vec<UserId> = on_call.collect();
            let count = on_call.len();
            on_call.sort();
            on_call.dedup();
            prop_assert_eq!(on_call.len(), count, "twice at {}", due);
        }
        // What was planned is what began.
        let of_plan = planned.iter().filter(|turn| turn.entry.start > begun);
        let mut of_plan: Vec<_> = of_plan
            .filter_map(|turn| Some((turn.slot?, turn.entry.start, turn.entry.user.clone())))
            .collect();
        of_plan.sort();
        begins.sort();
        prop_assert_eq!(of_plan, begins);
    }
}
