//! Random sequences. Slots, people and intervals are drawn as numbers and resolved in the model when the operation runs, so
//! that most operations are valid. Times are on half hours, so that boundaries coincide.

use super::answers::Step;
use super::model::{Policy, Who, Window};
use super::time::{Cadence, DAY, HOUR, Hours, Minute};
use proptest::prelude::*;

/// A rotation and its operations.
#[derive(Clone, Debug)]
pub struct Case {
    pub people: u8,
    pub lanes: usize,
    pub windows: Vec<Window>,
    pub double_cover: bool,
    pub ops: Vec<Op>,
}

/// An interval of a cell.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// A dealt turn, counted from the running one.
    Turn(usize),
    /// A part of it, in half hours from its start.
    Part(usize, Minute, Minute),
    /// An arrangement in its own cell, counted from the latest, shortened by minutes at either end.
    Arranged(usize, Minute, Minute),
    /// In half hours relative to now.
    Span(Minute, Minute),
}

/// How time advances.
#[derive(Clone, Copy, Debug)]
pub enum Pass {
    /// The timer runs at every due instant.
    Timer,
    /// Nothing runs until the end.
    Asleep,
}

#[derive(Clone, Debug)]
pub enum Grid {
    AddLane,
    DropLane(usize),
    SwapLanes,
    Double(bool),
    Hours(usize, Hours),
    Cadence(usize, i64),
}

/// An operation. People are members modulo their number, except that [`WILD`] is U6, member or not; cells and records are modulo, too.
#[derive(Clone, Debug)]
pub enum Op {
    Advance(Minute, Pass),
    /// To the exact next due instant.
    ToNextDue,
    Rotate(Option<usize>),
    Seat(Vec<Who>),
    Clear(Option<usize>),
    Away(Who, Minute, Minute),
    Back(usize),
    /// What the calendar of a person has, in minutes from now and in length.
    Mirror(Who, Vec<(Minute, Minute)>),
    Policy(Policy),
    Join(Who, usize),
    Leave(usize),
    Enable(bool),
    Grid(Grid),
    Assign(usize, Who, Slot, bool),
    /// The index, then as `Assign`; whether the revision is wrong.
    Reassign(usize, (usize, Who, Slot, bool), bool),
    EndAssignment(usize, bool),
    /// The holder of the slot asks, unless another person is named.
    Ask(usize, Slot, Option<Who>, Vec<Who>),
    /// Two cells with the number of a turn each; minutes by which the first leg is wrong.
    Offer([(usize, usize); 2], Minute),
    /// The index, the person (default: one who may), the action, and whether conflicts are acknowledged, legs named, the revision wrong.
    Answer(usize, Option<Who>, Step, [bool; 3]),
}

/// Always U6.
pub const WILD: Who = 6;

fn hours() -> impl Strategy<Value = Hours> {
    prop_oneof![
        Just(Hours::Always),
        Just(Hours::Office),
        Just(Hours::Nights)
    ]
}

fn cadence() -> impl Strategy<Value = Cadence> {
    let times = prop_oneof![
        3 => Just(vec![9 * HOUR]),
        2 => Just(vec![8 * HOUR, 20 * HOUR]),
        1 => Just(vec![]),
    ];
    (times, 1..3_i64, 0..2_i64).prop_map(|(times, period, day)| {
        let period = if times.is_empty() { 1 } else { period };
        let starts = day * DAY + 9 * HOUR;
        Cadence::Counted {
            times,
            period,
            starts,
        }
    })
}

fn windows() -> impl Strategy<Value = Vec<Window>> {
    let window = || {
        (cadence(), hours()).prop_map(|(cadence, hours)| Window {
            cadence: Some(cadence),
            hours,
            open: false,
        })
    };
    let manual = Window {
        cadence: None,
        hours: Hours::Always,
        open: false,
    };
    prop_oneof![
        5 => window().prop_map(|window| vec![window]),
        4 => prop::collection::vec(window(), 2),
        1 => prop::collection::vec(Just(manual), 1..3),
    ]
}

fn who() -> impl Strategy<Value = Who> {
    1..=6_u8
}

/// A person, or `None` most of the time.
fn odd_one() -> impl Strategy<Value = Option<Who>> {
    prop::option::weighted(0.15, who())
}

fn rarely() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.08)
}

fn mostly() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.7)
}

fn slot() -> impl Strategy<Value = Slot> {
    let half = |range: std::ops::Range<i64>| range.prop_map(|n| n * HOUR / 2);
    prop_oneof![
        3 => (0..4_usize).prop_map(Slot::Turn),
        3 => (0..4_usize, half(0..20), half(1..30)).prop_map(|(n, from, long)| Slot::Part(n, from, long)),
        4 => (0..3_usize, half(0..8), half(0..8)).prop_map(|(n, head, tail)| Slot::Arranged(n, head, tail)),
        2 => (half(-6..100), half(-2..80)).prop_map(|(from, long)| Slot::Span(from, long)),
        1 => (-100..3000_i64, 1..2000_i64).prop_map(|(from, long)| Slot::Span(from, long)),
    ]
}

fn grid() -> impl Strategy<Value = Grid> {
    prop_oneof![
        3 => Just(Grid::AddLane),
        3 => (0..3_usize).prop_map(Grid::DropLane),
        1 => Just(Grid::SwapLanes),
        1 => any::<bool>().prop_map(Grid::Double),
        2 => (0..2_usize, hours()).prop_map(|(window, hours)| Grid::Hours(window, hours)),
        1 => (0..2_usize, 0..3_i64).prop_map(|(window, day)| Grid::Cadence(window, day)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => Just(Step::Accept),
        2 => Just(Step::Decline),
        2 => Just(Step::Cancel),
        3 => Just(Step::End),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let place = || 0..6_usize;
    let pass = prop_oneof![3 => Just(Pass::Timer), 1 => Just(Pass::Asleep)];
    let time = prop_oneof![
        6 => (0..20_i64).prop_map(|n| n * HOUR / 2),
        1 => 0..2000_i64,
        1 => (1..3_i64).prop_map(|n| n * DAY),
    ];
    let some = || prop::option::of(place());
    let assignment = || (place(), who(), slot(), mostly());
    prop_oneof![
        8 => (time, pass).prop_map(|(minutes, pass)| Op::Advance(minutes, pass)),
        4 => Just(Op::ToNextDue),
        1 => some().prop_map(Op::Rotate),
        2 => prop::collection::vec(who(), 0..4).prop_map(Op::Seat),
        1 => some().prop_map(Op::Clear),
        5 => (who(), -20..60_i64, 1..150_i64).prop_map(|(who, from, long)| Op::Away(who, from * HOUR, long * HOUR / 2)),
        1 => place().prop_map(Op::Back),
        4 => (who(), prop::collection::vec((-20..60_i64, 1..100_i64), 0..4)).prop_map(|(who, spans)| {
            let spans = spans.into_iter().map(|(from, long)| (from * HOUR, long * HOUR / 2));
            Op::Mirror(who, spans.collect())
        }),
        3 => policy().prop_map(Op::Policy),
        2 => (who(), place()).prop_map(|(who, at)| Op::Join(who, at)),
        1 => place().prop_map(Op::Leave),
        1 => any::<bool>().prop_map(Op::Enable),
        1 => grid().prop_map(Op::Grid),
        6 => assignment().prop_map(|(cell, who, slot, sure)| Op::Assign(cell, who, slot, sure)),
        3 => (place(), assignment(), rarely()).prop_map(|(which, new, stale)| Op::Reassign(which, new, stale)),
        3 => (place(), rarely()).prop_map(|(which, stale)| Op::EndAssignment(which, stale)),
        4 => ask(),
        3 => offer(),
        12 => (place(), odd_one(), step(), (mostly(), mostly(), rarely()))
            .prop_map(|(which, who, step, (sure, keys, stale))| Op::Answer(which, who, step, [sure, keys, stale])),
    ]
}

fn policy() -> impl Strategy<Value = Policy> {
    let calendars = prop_oneof![Just(None), Just(Some(0)), (1..40_u16).prop_map(Some)];
    (calendars, any::<bool>(), mostly()).prop_map(|(calendars, during, leaves)| Policy {
        calendars,
        during,
        leaves,
    })
}

fn ask() -> impl Strategy<Value = Op> {
    let people = prop::collection::vec(who(), 1..3);
    (0..6_usize, slot(), odd_one(), people)
        .prop_map(|(cell, slot, who, people)| Op::Ask(cell, slot, who, people))
}

fn offer() -> impl Strategy<Value = Op> {
    let turn = || (0..6_usize, 0..4_usize);
    ([turn(), turn()], rarely())
        .prop_map(|(turns, wrong)| Op::Offer(turns, i64::from(wrong) * HOUR))
}

/// One operation, or a request that is accepted at once.
fn ops() -> impl Strategy<Value = Vec<Op>> {
    let agreed = prop_oneof![3 => ask(), 1 => offer()].prop_map(|asked| {
        let accept = Op::Answer(0, None, Step::Accept, [true, true, false]);
        vec![asked, accept]
    });
    prop_oneof![6 => op().prop_map(|op| vec![op]), 1 => agreed]
}

/// Some hours, and what happens while a rotation is disabled: edits of its hours and its people.
fn frozen() -> impl Strategy<Value = Vec<Op>> {
    let time = || (0..30_i64).prop_map(|n| Op::Advance(n * HOUR, Pass::Timer));
    let edit = prop_oneof![
        6 => (0..2_usize, hours()).prop_map(|(window, hours)| Op::Grid(Grid::Hours(window, hours))),
        1 => (0..2_usize, 0..3_i64).prop_map(|(window, day)| Op::Grid(Grid::Cadence(window, day))),
        1 => Just(Op::Grid(Grid::AddLane)),
        1 => (0..6_usize).prop_map(Op::Leave),
        1 => (who(), 0..6_usize).prop_map(|(who, at)| Op::Join(who, at)),
        2 => time(),
    ];
    let edits = prop::collection::vec(edit, 1..5);
    (time(), edits, mostly()).prop_map(|(time, edits, enabled)| {
        let around = |enabled| vec![Op::Enable(enabled)];
        let end = if enabled { around(true) } else { Vec::new() };
        [vec![time], around(false), edits, end].concat()
    })
}

/// A case with its operations.
pub fn case() -> impl Strategy<Value = Case> {
    case_of(prop::collection::vec(ops(), 4..20).prop_map(|ops| ops.concat()))
}

/// A case in which the rotation is disabled again and again.
pub fn frozen_case() -> impl Strategy<Value = Case> {
    case_of(prop::collection::vec(frozen(), 1..5).prop_map(|ops| ops.concat()))
}

fn case_of(ops: impl Strategy<Value = Vec<Op>>) -> impl Strategy<Value = Case> {
    (
        2..=5_u8,
        1..3_usize,
        windows(),
        prop::bool::weighted(0.3),
        ops,
    )
        .prop_map(|(people, lanes, windows, double_cover, ops)| Case {
            people,
            lanes,
            windows,
            double_cover,
            ops,
        })
}
