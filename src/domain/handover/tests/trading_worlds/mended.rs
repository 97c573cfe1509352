//! Worlds in which dealing once differed from the plain model, each with what was wrong.

use super::super::trading_model::Cell as Place;
use super::*;
use crate::domain::books::Dealt;

/// One window with a list of people and lanes, from the first hour of a Monday, dealt.
fn world(people: usize, lanes: usize, window: Plain, rest: Hour) -> Both {
    let mut random = Random::new(0);
    let mut model = random.world().model;
    let members: Vec<Person> = (0..people).collect();
    let listed = vec![None, None, None];
    let cells = vec![0; lanes];
    model.rosters = compare::rosters(&members, &listed);
    model.lines = random::lines(&cells, lanes, 1);
    let cell = Place {
        window: 0,
        roster: 0,
        held: None,
    };
    model.cells = vec![cell; lanes];
    model.windows = vec![window];
    model.handed_over = vec![None];
    model.past.clear();
    model.absences.clear();
    model.shares.clear();
    (model.now, model.traded, model.rest) = (0, true, rest);
    (model.during_turn, model.hands_over, model.double_cover) = (true, false, false);
    Both::new(model, members, listed)
}

fn weekly_at(first: Hour, covered: &[(Hour, Hour)]) -> Plain {
    Plain {
        first,
        every: 168,
        covered: covered.to_vec(),
    }
}

/// How the first slot was dealt, and when.
fn how(both: &Both) -> (Dealt, Timestamp) {
    let holder = both.rotation.cells[0].holder.as_ref().expect("somebody");
    (holder.dealt.as_ref().expect("dealt").dealt, holder.since)
}

/// A slot that nobody can fill moved the order with each attempt, also where only an absence was marked. rules.md 29.8.
#[test]
fn an_attempt_that_finds_nobody_moves_nothing() {
    let mut both = world(2, 3, weekly_at(100, &[]), 0);
    for from in [200, 300, 400] {
        both.absent(0, (from, from + 10));
        assert_eq!(both.rotation.rosters[0].next_turn(&"win_0".into()), Some(0));
    }
    both.check(0);
}

/// Whoever had the slot while its window was shut had to rest from that. rules.md 29.3.
#[test]
fn a_turn_that_was_never_covered_asks_for_no_rest() {
    let mut both = world(1, 1, weekly_at(10, &[(12, 100)]), 48);
    both.pass();
    both.check(0);
    assert_eq!(how(&both), (Dealt::Own, hour(10)));
}

/// A later turn of somebody that was not covered hid the hours of the one before. rules.md 29.2.
#[test]
fn rest_counts_from_the_last_hours_that_were_covered() {
    let mut both = world(1, 2, weekly_at(27, &[(3, 7), (28, 40)]), 24);
    while both.model.now < 27 {
        both.pass();
        both.check(0);
    }
    assert_eq!(how(&both), (Dealt::ShortRest, hour(27)));
}
