//! People whose turns in two slots coincide.

use super::{Blueprint, Known, Slot, proof};
use crate::domain::ids::UserId;
use crate::domain::partner::{Member, Shift, SourceKind, Timeline};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// A turn of somebody who is known here.
struct Turn<'a> {
    span: Interval,
    user: UserId,
    member: &'a Member,
}

/// Says which slots have the same person at once. Here they take one of the slots, unless nobody else takes turns in either.
pub(super) fn add(blueprint: &mut Blueprint, timeline: &Timeline, known: &Known) {
    let turns: Vec<Vec<Turn>> = (blueprint.slots.iter())
        .map(|slot| turns_of(slot, timeline, known))
        .collect();
    let mut lines = Vec::new();
    for (number, slot) in blueprint.slots.iter().enumerate() {
        for (later, other) in blueprint.slots.iter().enumerate().skip(number + 1) {
            if slot.order.len() == 1 && slot.order == other.order {
                continue;
            }
            if let Some((who, at)) = together(&turns[number], &turns[later]) {
                let (who, names) = (proof::name_of(who), (&slot.name, &other.name));
                lines.push(format!(
                    "{:?} and {:?} have the same person on call at once, first {who} from {at}; here somebody else takes one of them",
                    names.0, names.1
                ));
            }
        }
    }
    blueprint.unsaid.extend(lines);
}

/// The turns of a slot, by their start.
fn turns_of<'a>(slot: &Slot, timeline: &'a Timeline, known: &Known) -> Vec<Turn<'a>> {
    let own = |shift: &&Shift| {
        let is_of = shift.source.rotation_id.as_ref() == Some(&slot.rotation_id);
        is_of && shift.source.kind == SourceKind::Rotation
    };
    let turns = timeline.shifts.iter().filter(own).filter_map(|shift| {
        Some(Turn {
            span: shift.span,
            user: known(shift.member.id.as_deref()?)?,
            member: &shift.member,
        })
    });
    turns.collect()
}

/// The first instant at which the same person has both turns.
fn together<'a>(one: &[Turn<'a>], other: &[Turn]) -> Option<(&'a Member, Timestamp)> {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(first), Some(second)) = (one.peek(), other.peek()) {
        if let Some(shared) = first.span.meets(second.span)
            && first.user == second.user
        {
            return Some((first.member, shared.from));
        }
        match first.span.until <= second.span.until {
            true => one.next(),
            false => other.next(),
        };
    }
    None
}
