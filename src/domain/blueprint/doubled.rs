//! People whose turns in two slots coincide.

use super::{Blueprint, Known, Slot, planned, proof};
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::partner::{Shift, SourceKind, Timeline};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// A turn of somebody who is known here.
struct Turn {
    span: Interval,
    user: UserId,
    name: String,
}

/// Says which slots have the same person at once. Here they take one of the slots, unless nobody else takes turns in either.
pub(super) fn add(
    blueprint: &mut Blueprint,
    timeline: &Timeline,
    known: &Known,
    calendar: &Calendar,
    now: Timestamp,
) {
    let turns = (blueprint.slots.iter()).map(|slot| match timeline.rotations.is_empty() {
        // The timeline does not say which rotation a shift is of.
        true => planned_turns(slot, timeline, calendar, now),
        false => turns_of(slot, timeline, known),
    });
    let turns: Vec<Vec<Turn>> = turns.collect();
    let mut lines = Vec::new();
    for (number, slot) in blueprint.slots.iter().enumerate() {
        for (later, other) in blueprint.slots.iter().enumerate().skip(number + 1) {
            if slot.order.len() == 1 && slot.order == other.order {
                continue;
            }
            if let Some((who, at)) = together(&turns[number], &turns[later]) {
                lines.push(format!(
                    "{:?} and {:?} have the same person on call at once, first {who} from {at}; here somebody else takes one of them",
                    slot.name, other.name
                ));
            }
        }
    }
    blueprint.unsaid.extend(lines);
}

/// The turns of a slot, by their start.
fn turns_of(slot: &Slot, timeline: &Timeline, known: &Known) -> Vec<Turn> {
    let own = |shift: &&Shift| {
        let is_of = shift.source.rotation_id.as_ref() == Some(&slot.rotation_id);
        is_of && shift.source.kind == SourceKind::Rotation
    };
    let turns = timeline.shifts.iter().filter(own).filter_map(|shift| {
        Some(Turn {
            span: shift.span,
            user: known(shift.member.id.as_deref()?)?,
            name: proof::name_of(&shift.member),
        })
    });
    turns.collect()
}

/// The turns of a slot by its order.
fn planned_turns(
    slot: &Slot,
    timeline: &Timeline,
    calendar: &Calendar,
    now: Timestamp,
) -> Vec<Turn> {
    let Some(span) = timeline.known.since(now) else {
        return Vec::new();
    };
    let turns = planned::turns(slot, calendar, now, span).into_iter();
    let turn = |(span, user): (Interval, UserId)| Turn {
        span,
        name: user.to_string(),
        user,
    };
    turns.map(turn).collect()
}

/// The first instant at which the same person has both turns.
fn together<'a>(one: &'a [Turn], other: &[Turn]) -> Option<(&'a str, Timestamp)> {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(first), Some(second)) = (one.peek(), other.peek()) {
        if let Some(shared) = first.span.meets(second.span)
            && first.user == second.user
        {
            return Some((&first.name, shared.from));
        }
        match first.span.until <= second.span.until {
            true => one.next(),
            false => other.next(),
        };
    }
    None
}
