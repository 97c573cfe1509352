//! Random sequences of hand-overs, arrangements, covers, swaps, absences and edits, checked against a model of plain
//! intervals: on-call, schedule and history must agree with it at every minute.

mod agree;
mod answers;
mod assign;
mod compare;
mod forecast;
mod grid;
mod instants;
mod once;
mod ops;
mod policy;
mod previews;
mod rules;
pub mod uses;
mod walk;

use super::*;
use crate::tests::duty_model as model;
use answers::Step;
use model::{Window, time};
use ops::{Op, Pass, Slot};
use proptest::prelude::Strategy;
use proptest::prop_assert_eq;
use proptest::test_runner::TestError;
use std::cell::Cell;
use time::{HOUR, Hours, WEEK};

/// Sequences per test: usually, and all of them; see [`runner`].
const SEQUENCES: [u32; 2] = [60, 400];

/// Runs one sequence in a new rotation, beginning on the next Monday.
fn walk_through(office: &Office, name: &str, case: &ops::Case) -> walk::Outcome {
    go_to_monday(office);
    let mut walk = walk::Walk::begin(&office.app, name, case)?;
    let outcome = walk.run(&case.ops);
    leave_nothing(&office.app, &walk.id);
    outcome
}

/// Deletes a rotation, and what its people have beyond it. The next one has the same people, and a failed one is followed by
/// smaller ones that should fail by themselves only.
fn leave_nothing(app: &App, id: &RotationId) {
    write(app, &caller(), id, &Precondition::Any, DeleteRotation).expect("a deletion");
    let forget = |tx: &mut store::WriteTx| -> Result<(), Error> {
        for calendar in store::list_all_calendars(&tx.as_read())? {
            store::remove_calendar(tx, &calendar.id)?;
        }
        for who in 1..=ops::WILD {
            let everywhere =
                store::list_absences_of(&tx.as_read(), &walk::person(who), Timestamp::MIN)?;
            for absence in everywhere {
                store::remove_absence(tx, &absence.id)?;
            }
        }
        Ok(())
    };
    app.store().write(forget).expect("nothing left");
}

/// Moves the clock to the next Monday, where sequences begin.
fn go_to_monday(office: &Office) {
    let now = office.app.now().duration_since(at(BEGUN)).as_secs() / 60;
    let monday = now - now.rem_euclid(WEEK) + WEEK;
    let monday = at(BEGUN) + SignedDuration::from_mins(monday);
    office.app.clock().set(monday);
}

/// Runs random sequences, one rotation after the other in the same workspace.
fn walk_many(name: &str, cases: impl Strategy<Value = ops::Case>, seed: u64) {
    let office = Office::open(name);
    let made = Cell::new(0_u32);
    let [usual, all] = SEQUENCES;
    let outcome = runner(usual, all, seed).run(&cases, |case| {
        made.set(made.get() + 1);
        walk_through(&office, &format!("{name} {}", made.get()), &case)
    });
    match outcome {
        Err(TestError::Fail(why, case)) => panic!("{why}\n{case:?}"),
        outcome => outcome.expect("sequences"),
    }
}

/// Several rotations are read together as each is alone, and what is not there is known.
#[test]
fn rotations_are_read_together_as_alone() {
    let office = Office::open("together");
    let several = proptest::collection::vec(ops::case(), 3);
    let made = Cell::new(0_u32);
    let outcome = runner(8, 40, 5).run(&several, |cases| {
        let mut ids = vec![RotationId::from("rot_unknown")];
        for case in &cases {
            made.set(made.get() + 1);
            go_to_monday(&office);
            let name = format!("together {}", made.get());
            let mut walk = walk::Walk::begin(&office.app, &name, case)?;
            // Absences of the rotations before it may come in between.
            drop(walk.run(&case.ops));
            ids.push(walk.id.clone());
        }
        let read = |tx: &store::ReadTx| -> Result<_, Error> {
            let alone = ids.iter().map(|id| store::load_rotation(tx, id));
            let alone: Vec<_> = alone.collect::<Result<_, _>>()?;
            Ok((store::load_rotations(tx, &ids)?, alone))
        };
        let (together, alone) = office.app.store().read(read).expect("rotations");
        for id in &ids[1..] {
            leave_nothing(&office.app, id);
        }
        prop_assert_eq!(together, alone);
        Ok(())
    });
    outcome.expect("the same");
}

fn window_daily_at_nine(hours: Hours) -> Window {
    let cadence = time::Cadence::Counted {
        times: vec![9 * HOUR],
        period: 1,
        starts: 9 * HOUR,
    };
    Window {
        cadence: Some(cadence),
        hours,
        open: false,
    }
}

/// A rotation with one lane, handed over daily at nine, and a fixed sequence.
fn walk_once(name: &str, people: u8, hours: Hours, ops: Vec<Op>) {
    let case = ops::Case {
        people,
        lanes: 1,
        windows: vec![window_daily_at_nine(hours)],
        double_cover: false,
        ops,
    };
    walk_through(&Office::open(name), name, &case).expect("as foreseen");
}

#[test]
fn a_cover_ends_with_every_piece_that_is_left_of_it() {
    let accept = || Op::Answer(0, None, Step::Accept, [true, true, false]);
    let ops = vec![
        Op::Ask(0, Slot::Turn(0), None, vec![4]),
        accept(),
        Op::Ask(0, Slot::Arranged(0, 30, 30), None, vec![2]),
        accept(),
        Op::Answer(1, None, Step::End, [false; 3]),
    ];
    walk_once("agreements-pieces", 3, Hours::Always, ops);
}

#[test]
fn a_place_filled_while_its_window_is_shut_is_another_version() {
    // Everyone is away at the hand-over and back in the evening.
    let ops = vec![
        Op::Away(1, 0, 18 * HOUR),
        Op::Away(2, 0, 18 * HOUR),
        Op::Advance(20 * HOUR, Pass::Timer),
    ];
    walk_once("agreements-shut", 2, Hours::Office, ops);
}

#[test]
fn turns_of_windows_that_hand_over_at_other_times_are_swapped() {
    let window = |times: Vec<i64>, starts, hours| Window {
        cadence: Some(time::Cadence::Counted {
            times,
            period: 2,
            starts,
        }),
        hours,
        open: false,
    };
    let case = ops::Case {
        people: 5,
        lanes: 2,
        windows: vec![
            window(vec![540], 1980, Hours::Always),
            window(vec![480, 1200], 540, Hours::Office),
        ],
        double_cover: false,
        ops: vec![Op::Offer([(3, 2), (1, 3)], 0)],
    };
    let name = "agreements-other-times";
    walk_through(&Office::open(name), name, &case).expect("as foreseen");
}

#[test]
fn a_rotation_that_stands_still_keeps_the_hours_of_that_instant() {
    let ops = vec![
        Op::Enable(false),
        Op::Advance(10 * HOUR, Pass::Timer),
        // An edit, after which the record answers for what was before.
        Op::Grid(ops::Grid::Double(true)),
        Op::Advance(10 * HOUR, Pass::Timer),
        Op::Enable(true),
        Op::Advance(10 * HOUR, Pass::Timer),
    ];
    walk_once("agreements-frozen", 2, Hours::Office, ops);
}

#[test]
fn hours_edited_while_a_rotation_is_disabled_count_once_it_is_enabled() {
    for (hours, edited) in [
        (Hours::Always, Hours::Nights),
        (Hours::Office, Hours::Always),
    ] {
        let ops = vec![
            Op::Advance(12 * HOUR, Pass::Timer),
            Op::Enable(false),
            Op::Advance(10 * HOUR, Pass::Timer),
            Op::Grid(ops::Grid::Hours(0, edited)),
            Op::Advance(10 * HOUR, Pass::Timer),
            // Somebody who is removed comes off duty all the same.
            Op::Leave(0),
            Op::Advance(HOUR, Pass::Timer),
            Op::Enable(true),
            Op::Advance(10 * HOUR, Pass::Timer),
        ];
        walk_once("agreements-frozen-hours", 3, hours, ops);
    }
}

#[test]
fn a_lane_added_to_a_disabled_rotation_is_frozen_under_the_hours_of_the_others() {
    let ops = vec![
        Op::Advance(8 * HOUR, Pass::Timer),
        Op::Enable(false),
        Op::Grid(ops::Grid::Hours(0, Hours::Always)),
        Op::Grid(ops::Grid::AddLane),
        Op::Advance(HOUR, Pass::Timer),
        Op::Enable(true),
    ];
    walk_once("agreements-frozen-lane", 2, Hours::Nights, ops);
}

/// rules.md 9.2.
#[test]
fn a_request_that_is_lost_fills_no_slot_for_another_one() {
    // Both slots are cleared, and with that the second request loses its duty. It would have expired a day later, with the slots
    // filled: the first one's duty, of the turn that the edit puts off, hangs on that.
    let ops = vec![
        Op::Ask(1, Slot::Turn(2), None, vec![2]),
        Op::Grid(ops::Grid::Cadence(0, 1)),
        Op::Ask(0, Slot::Span(0, 24 * HOUR), None, vec![3]),
        Op::Clear(None),
    ];
    let case = ops::Case {
        people: 2,
        lanes: 2,
        windows: vec![window_daily_at_nine(Hours::Always)],
        double_cover: false,
        ops,
    };
    let name = "agreements-lost";
    walk_through(&Office::open(name), name, &case).expect("as foreseen");
}

// Two, for two processors.

/// rules.md 2.3, 8.1 and 8.3.
#[test]
fn random_sequences_agree_with_the_model() {
    walk_many("agreements-1", ops::case(), 1);
}

#[test]
fn other_random_sequences_agree_with_the_model() {
    walk_many("agreements-2", ops::case(), 2);
}

#[test]
fn edits_of_disabled_rotations_agree_with_the_model() {
    walk_many("agreements-disabled", ops::frozen_case(), 3);
}
