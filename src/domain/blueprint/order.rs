//! The order of turns, beginning with whoever's turn it is.

use super::{Known, proof};
use crate::domain::cadence::Cadence;
use crate::domain::external::{MemberKind, OutsideRotation, Shift, SourceKind, Timeline};
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use jiff::Timestamp;

/// The most hand-overs that are counted from an anchor: an hourly rotation for eleven years.
const MOST: usize = 100_000;

/// The most shifts of the timeline that are looked at.
const LOOKED_AT: usize = 50;

pub(super) struct Order {
    pub(super) users: Vec<UserId>,
    pub(super) unsaid: Vec<String>,
}

/// The people of a rotation in order. A roster has everybody once.
pub(super) fn of(
    rotation: &OutsideRotation,
    cadence: &Cadence,
    timeline: &Timeline,
    known: &Known,
    calendar: &Calendar,
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
    let first =
        (turn_at(cadence, calendar, now) + shifted(rotation, cadence, timeline, calendar)) % count;
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

/// How many hand-overs there were from the anchor up to an instant.
fn turn_at(cadence: &Cadence, calendar: &Calendar, at: Timestamp) -> usize {
    let hand_overs = cadence.hand_overs(calendar, cadence.starts_at).take(MOST);
    hand_overs.take_while(|hand_over| *hand_over <= at).count()
}

/// By how many places the partner's order is ahead of the count: what agrees with most of the timeline.
fn shifted(
    rotation: &OutsideRotation,
    cadence: &Cadence,
    timeline: &Timeline,
    calendar: &Calendar,
) -> usize {
    let own = |shift: &&Shift| {
        let is_of = shift.source.rotation_id.as_deref() == Some(&rotation.id);
        is_of && shift.source.kind == SourceKind::Rotation
    };
    let shifts = timeline.shifts.iter().filter(own).take(LOOKED_AT);
    let held: Vec<(usize, &Shift)> = shifts
        .map(|shift| (turn_at(cadence, calendar, shift.span.from), shift))
        .collect();
    let people = &rotation.participants;
    let agrees = |by: usize| {
        let same = |(turn, shift): &&(usize, &Shift)| {
            people[(turn + by) % people.len()].is_same(&shift.member)
        };
        held.iter().filter(same).count()
    };
    // The first of the best.
    (0..people.len())
        .rev()
        .max_by_key(|by| agrees(*by))
        .unwrap_or(0)
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
