//! What holds in every random world where missed turns are traded (rules.md 29.10 to 29.12).

use super::*;
use crate::domain::books::{Books, Dealt, DealtTurn, EndedTurn};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as it is after it was stored and loaded.
fn loaded<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let stored = serde_json::to_string(value).expect("stored");
    serde_json::from_str(&stored).expect("loaded")
}

fn reload(rotation: &mut Rotation) {
    for roster in &mut rotation.rosters {
        for line in &mut roster.next_turns {
            line.books = loaded::<Books>(&line.books);
        }
    }
    rotation.ended = loaded::<Vec<EndedTurn>>(&rotation.ended);
    for holder in rotation
        .cells
        .iter_mut()
        .filter_map(|cell| cell.holder.as_mut())
    {
        holder.dealt = loaded::<Option<DealtTurn>>(&holder.dealt);
    }
}

/// What is planned at once is what comes step by step, with everything stored and loaded in between. rules.md 6.1 and 29.4.
#[test]
fn what_is_planned_comes() {
    for seed in as_many(60, 1_000) {
        let mut random = Random::new(seed);
        let both = random.world();
        let calendar = Calendar::embedded();
        let absences = compare::absences(&both.model);
        let dealing = DealingContext::new(&calendar, &absences);
        let (begun, until) = (hour(0), hour(1_000));
        let mut now = both.rotation;
        let planned = schedule(&now, dealing, Interval { from: begun, until }).unwrap();
        let mut begins: Vec<(usize, Timestamp, Option<UserId>)> = Vec::new();
        while let Some(due) = next_due(&now, dealing).filter(|due| *due < until) {
            for cell in step(&mut now, dealing, due).begun {
                begins.push((cell, due, now.cells[cell].entry.user.clone()));
            }
            reload(&mut now);
        }
        let of_plan = planned.iter().filter(|turn| turn.entry.start > begun);
        let mut of_plan: Vec<_> = of_plan
            .filter_map(|turn| Some((turn.slot?, turn.entry.start, turn.entry.user.clone())))
            .collect();
        of_plan.sort();
        begins.sort();
        assert_eq!(of_plan, begins, "world {seed}");
    }
}

/// What a person was dealt in a line beyond what was their own is what they are owed, less what they owe, and help. rules.md
/// 29.10.
#[test]
fn the_books_balance_for_each_line_and_person() {
    for seed in as_many(100, 1_000) {
        let mut random = Random::new(seed);
        let mut both = random.world();
        let mut beyond: BTreeMap<(usize, UserId), i64> = BTreeMap::new();
        if !both.model.traded {
            continue;
        }
        for event in 0..40 {
            if event > 0 {
                both.pass();
            }
            let now = hour(both.model.now);
            let rotation = &both.rotation;
            let mut counts: BTreeMap<(usize, UserId), i64> = BTreeMap::new();
            for (index, cell) in rotation.cells.iter().enumerate() {
                let holder = cell.holder.as_ref().filter(|holder| holder.since == now);
                let Some((user, dealt)) =
                    holder.and_then(|one| Some((&one.user, one.dealt.as_ref()?)))
                else {
                    continue;
                };
                let line = both.model.line_of(index);
                // Help is owed to nobody.
                if matches!(dealt.dealt, Dealt::Trade | Dealt::Repayment) {
                    *counts.entry((line, user.clone())).or_default() += 1;
                    *counts.entry((line, dealt.owner.clone())).or_default() -= 1;
                } else {
                    assert!(dealt.dealt != Dealt::Own || dealt.owner == *user);
                }
            }
            for (whose, count) in counts {
                *beyond.entry(whose).or_default() += count;
            }
            let mut open: BTreeMap<(usize, UserId), i64> = BTreeMap::new();
            for (index, line) in both.model.lines.iter().enumerate() {
                let of = &rotation.rosters[line.roster];
                let window = &rotation.windows[line.window].id;
                for trade in &of.line(window).expect("a line").books.trades {
                    *open.entry((index, trade.owed.clone())).or_default() += 1;
                    *open.entry((index, trade.owes.clone())).or_default() -= 1;
                }
            }
            open.retain(|_, count| *count != 0);
            beyond.retain(|_, count| *count != 0);
            assert_eq!(open, beyond, "world {seed} at {}", both.model.now);
        }
    }
}
