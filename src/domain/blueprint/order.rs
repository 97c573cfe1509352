//! The order of turns, beginning with whoever's turn it is.

use super::{Known, proof};
use crate::domain::cadence::Cadence;
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::partner::{MemberKind, PartnerRotation, Shift, SourceKind, Timeline};
use jiff::Timestamp;

/// The most hand-overs that are counted from an anchor: an hourly rotation for eleven years.
const MOST: usize = 100_000;

/// The most shifts of the timeline that are looked at.
const LOOKED_AT: usize = 50;

pub(super) struct Order {
    pub(super) users: Vec<UserId>,
    pub(super) unsaid: Vec<String>,
}

/// The turns of a rotation by one of the cadences that it may have, laid beside the partner's timeline.
pub(super) struct Counted {
    /// From the anchor to the end of the timeline.
    hand_overs: Vec<Timestamp>,
    /// By how many places the partner's order is ahead of the count.
    ahead: usize,
    /// At how many beginnings and ends of the partner's shifts it is their person's turn.
    pub(super) agreeing: usize,
}

impl Counted {
    /// Counts the hand-overs, and the places that agree with most of the timeline.
    pub(super) fn of(
        rotation: &PartnerRotation,
        cadence: &Cadence,
        timeline: &Timeline,
        calendar: &Calendar,
        now: Timestamp,
    ) -> Counted {
        let people = &rotation.participants;
        let own = |shift: &&Shift| {
            let is_of = match timeline.rotations.is_empty() {
                // The timeline does not say which rotation a shift is of. The most of these are its own.
                true => people.iter().any(|person| person.is_same(&shift.member)),
                false => shift.source.rotation_id.as_deref() == Some(&rotation.id),
            };
            is_of && shift.source.kind == SourceKind::Rotation
        };
        let shifts: Vec<&Shift> = timeline.shifts.iter().filter(own).collect();
        let last = shifts.iter().map(|shift| shift.span.until).max();
        let last = last.map_or(now, |last| last.min(timeline.known.until).max(now));
        let hand_overs = cadence.hand_overs(calendar, cadence.starts_at).take(MOST);
        let mut counted = Counted {
            hand_overs: hand_overs.take_while(|at| *at <= last).collect(),
            ahead: 0,
            agreeing: 0,
        };
        let is_turn = |turn: usize, by: usize, shift: &Shift| {
            let person = people.get((turn + by) % people.len().max(1));
            person.is_some_and(|person| person.is_same(&shift.member))
        };
        let first = shifts.iter().take(LOOKED_AT);
        let first: Vec<(usize, &Shift)> = first
            .map(|shift| (counted.turn_at(shift.span.from), *shift))
            .collect();
        let agrees = |by: usize| {
            let same = first
                .iter()
                .filter(|(turn, shift)| is_turn(*turn, by, shift));
            same.count()
        };
        // The first of the best.
        let best = (0..people.len()).rev().max_by_key(|by| agrees(*by));
        counted.ahead = match rotation.current {
            Some(turn) if !people.is_empty() => {
                let passed = counted.turn_before(turn.until) % people.len();
                (turn.participant + people.len() - passed) % people.len()
            }
            _ => best.unwrap_or(0),
        };
        let ends = shifts.iter().flat_map(|shift| {
            let until = shift.span.until.min(last);
            [
                (counted.turn_at(shift.span.from), shift),
                (counted.turn_before(until), shift),
            ]
        });
        let agreeing = ends.filter(|(turn, shift)| is_turn(*turn, counted.ahead, shift));
        counted.agreeing = agreeing.count();
        counted
    }

    /// How many hand-overs there were up to an instant.
    fn turn_at(&self, at: Timestamp) -> usize {
        self.hand_overs
            .partition_point(|hand_over| *hand_over <= at)
    }

    /// How many hand-overs there were before an instant.
    fn turn_before(&self, at: Timestamp) -> usize {
        self.hand_overs.partition_point(|hand_over| *hand_over < at)
    }
}

/// The people of a rotation in order. A roster has everybody once.
pub(super) fn of(
    rotation: &PartnerRotation,
    counted: &Counted,
    known: &Known,
    now: Timestamp,
) -> Order {
    let people = &rotation.participants;
    let mut order = Order {
        users: Vec::new(),
        unsaid: Vec::new(),
    };
    let count = people.len();
    if count == 0 {
        return order;
    }
    let first = counted.turn_at(now) + counted.ahead;
    for step in 0..count {
        let member = &people[(first + step) % count];
        let user = match (member.kind, &member.id) {
            (MemberKind::User, Some(id)) => known(id),
            _ => None,
        };
        let name = proof::name_of(member);
        match (member.kind, user) {
            (MemberKind::User, Some(user)) if order.users.contains(&user) => order.unsaid.push(
                format!("{name} has several places in the order; here everybody has one"),
            ),
            (MemberKind::User, Some(user)) => order.users.push(user),
            (MemberKind::User, None) => order
                .unsaid
                .push(format!("{name} is not known here and takes no turns")),
            (MemberKind::Empty, _) => order.unsaid.push(
                "nobody has a place in the order; here somebody always has the turn".to_owned(),
            ),
            (MemberKind::Team | MemberKind::Escalation, _) => order.unsaid.push(format!(
                "{name} is a {} and takes no turns here",
                member.kind.name()
            )),
        }
    }
    order
}

/// Whether two orders are the same but for where they begin.
pub(super) fn is_turned(one: &[UserId], other: &[UserId]) -> bool {
    let mut starts = 0..one.len().max(1);
    one.len() == other.len()
        && starts.any(|by| {
            let turned = one[by..].iter().chain(&one[..by]);
            turned.eq(other.iter())
        })
}
