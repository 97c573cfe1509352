//! Random sequences of hand-overs, edits and platform failures in two workspaces: in one the platform never fails, in the other
//! it recovers in the end. Duty is the same in both; groups, topics and messages match a simple model.

mod apps;
mod looks;
mod model;
mod ops;
mod walk;

use super::*;
use ops::{Case, Ill, Op};
use proptest::test_runner::{TestCaseError, TestError};
use std::cell::Cell;

/// Sequences per test: usually, and all of them; see [`runner`].
const SEQUENCES: [u32; 2] = [8, 40];

fn walk_many(name: &str, seed: u64) {
    let made = Cell::new(0_u32);
    let [usual, all] = SEQUENCES;
    let outcome = runner(usual, all, seed).run(&ops::case(), |case| {
        made.set(made.get() + 1);
        let outcome = walk::through(&format!("{name}-{}", made.get()), &case);
        outcome.map_err(TestCaseError::fail)
    });
    match outcome {
        Err(TestError::Fail(why, case)) => panic!("{why}\n{case:?}"),
        outcome => outcome.expect("sequences"),
    }
}

/// On a platform with and on one without empty groups.
fn walk_once(name: &str, ops: Vec<Op>) {
    for holds_empty in [true, false] {
        walk_on(name, holds_empty, ops.clone());
    }
}

fn walk_on(name: &str, holds_empty: bool, ops: Vec<Op>) {
    let case = Case { holds_empty, ops };
    walk::through(&format!("{name}-{holds_empty}"), &case).expect("as foreseen");
}

// Two, for two processors.

#[test]
fn chat_shows_what_the_model_says() {
    walk_many("chatting-1", 1);
}

#[test]
fn chat_shows_what_the_model_says_otherwise() {
    walk_many("chatting-2", 2);
}

#[test]
fn groups_and_topics_outlast_trouble() {
    let troubles = [
        Ill::Down,
        Ill::Busy,
        Ill::Refuses,
        Ill::NoGroups,
        Ill::Forgets(0),
        Ill::Forgets(2),
        Ill::Forgets(3),
    ];
    for (place, ill) in troubles.into_iter().enumerate() {
        let ops = vec![
            Op::Bind(0, false),
            Op::Bind(1, true),
            Op::Topics(0, true),
            Op::Sync(0, 0, true),
            Op::Misbehave(ill),
            Op::Rotate(0),
            Op::Advance(20),
            Op::Clear(1),
            Op::Heal,
            Op::Sync(0, 0, false),
            Op::Unbind(0),
            Op::Unbind(1),
        ];
        let name = format!("chatting-trouble-{place}");
        match in_full() {
            true => walk_once(&name, ops),
            false => walk_on(&name, place % 2 == 0, ops),
        }
    }
}

#[test]
fn a_plan_without_groups_takes_everybody_out() {
    let ops = vec![Op::Bind(1, false), Op::Free(true), Op::Free(false)];
    walk_once("chatting-plan", ops);
}

#[test]
fn a_topic_changed_by_hand_stands_until_duty_changes() {
    let ops = vec![
        Op::Topics(0, true),
        Op::Sync(0, 0, true),
        Op::Word(0),
        Op::Advance(1),
        Op::Word(0),
        Op::Rotate(0),
        Op::Topics(0, false),
    ];
    walk_once("chatting-by-hand", ops);
}
