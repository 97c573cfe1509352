//! The operations of a sequence. Rotations are named by one of three slots: two are dealt daily, the third by hand.

use proptest::prelude::*;

/// The failure of the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ill {
    Down,
    /// It asks to wait.
    Busy,
    Refuses,
    NoGroups,
    /// It forgets one of two channels and two user groups.
    Forgets(usize),
}

impl Ill {
    /// Whether it affects the channel with this index.
    pub fn topic(self, channel: usize) -> bool {
        match self {
            Ill::Down | Ill::Busy | Ill::Refuses => true,
            Ill::NoGroups => false,
            Ill::Forgets(place) => place == channel,
        }
    }

    /// Whether it affects a user group.
    pub fn group(self, made: bool) -> bool {
        match self {
            Ill::Down | Ill::Busy | Ill::Refuses | Ill::NoGroups => true,
            Ill::Forgets(place) => place == 2 + usize::from(made),
        }
    }
}

#[derive(Clone, Debug)]
pub enum Op {
    /// In hours.
    Advance(i64),
    Create(usize),
    Delete(usize),
    /// People by number.
    Seat(usize, Vec<u8>),
    Clear(usize),
    Rotate(usize),
    /// Adds the fourth person.
    Join(usize),
    Leave(usize),
    /// The person, in how many hours, for how many.
    Away(usize, u8, i64, i64),
    Enable(usize, bool),
    /// To the existing user group, or to a new one.
    Bind(usize, bool),
    Unbind(usize),
    Sync(usize, usize, bool),
    Topics(usize, bool),
    Template(usize, usize),
    /// The people of a user group changed by hand, one bit each.
    People(bool, u8),
    /// A topic changed by hand.
    Word(usize),
    Free(bool),
    Misbehave(Ill),
    Heal,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub holds_empty: bool,
    pub ops: Vec<Op>,
}

fn op() -> impl Strategy<Value = Op> {
    let slot = || 0..3_usize;
    let ill = prop_oneof![
        3 => Just(Ill::Down),
        1 => Just(Ill::Busy),
        1 => Just(Ill::Refuses),
        1 => Just(Ill::NoGroups),
        3 => (0..4_usize).prop_map(Ill::Forgets),
    ];
    prop_oneof![
        5 => (1..30_i64).prop_map(Op::Advance),
        2 => slot().prop_map(Op::Create),
        1 => slot().prop_map(Op::Delete),
        3 => (slot(), prop::collection::vec(1..5_u8, 0..3)).prop_map(|(slot, who)| Op::Seat(slot, who)),
        3 => slot().prop_map(Op::Clear),
        2 => slot().prop_map(Op::Rotate),
        1 => slot().prop_map(Op::Join),
        1 => slot().prop_map(Op::Leave),
        2 => (slot(), 1..4_u8, 0..20_i64, 1..40_i64).prop_map(|(slot, who, from, hours)| Op::Away(slot, who, from, hours)),
        2 => (slot(), any::<bool>()).prop_map(|(slot, on)| Op::Enable(slot, on)),
        6 => (slot(), any::<bool>()).prop_map(|(slot, made)| Op::Bind(slot, made)),
        2 => slot().prop_map(Op::Unbind),
        5 => (slot(), 0..2_usize, prop::bool::weighted(0.7)).prop_map(|(slot, channel, on)| Op::Sync(slot, channel, on)),
        4 => (slot(), prop::bool::weighted(0.7)).prop_map(|(slot, on)| Op::Topics(slot, on)),
        1 => (slot(), 0..3_usize).prop_map(|(slot, template)| Op::Template(slot, template)),
        2 => (any::<bool>(), 0..32_u8).prop_map(|(made, people)| Op::People(made, people)),
        2 => (0..2_usize).prop_map(Op::Word),
        1 => any::<bool>().prop_map(Op::Free),
        4 => ill.prop_map(Op::Misbehave),
        3 => Just(Op::Heal),
    ]
}

pub fn case() -> impl Strategy<Value = Case> {
    let ops = prop::collection::vec(op(), 1..30);
    (any::<bool>(), ops).prop_map(|(holds_empty, ops)| Case { holds_empty, ops })
}
