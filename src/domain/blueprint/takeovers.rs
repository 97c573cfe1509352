//! The assignments that stand for overrides and forwarded shifts.

use super::{Blueprint, Known, Takeover, hours, proof};
use crate::domain::holidays::Calendar;
use crate::domain::partner::{Definition, Member, MemberKind, SourceKind, Timeline};
use crate::domain::time::Interval;
use jiff::{SignedDuration, Timestamp};

/// An override or a forwarded shift.
struct OverrideSpan<'a> {
    span: Interval,
    member: &'a Member,
    /// The rotations that it concerns; all if empty.
    rotations: Vec<String>,
}

/// Adds the overrides and forwarded shifts of the timeline, and behind its end those of the definition.
pub(super) fn add(
    blueprint: &mut Blueprint,
    definition: &Definition,
    timeline: &Timeline,
    known: &Known,
    calendar: &Calendar,
    now: Timestamp,
) {
    let mut found: Vec<OverrideSpan> = Vec::new();
    for shift in &timeline.shifts {
        match shift.source.kind {
            SourceKind::Rotation => {}
            SourceKind::RotationOverride | SourceKind::Forwarding => found.push(OverrideSpan {
                span: shift.span,
                member: &shift.member,
                rotations: shift.source.rotation_id.iter().cloned().collect(),
            }),
            SourceKind::CustomShift | SourceKind::CustomShiftOverride => {
                let who = proof::name_of(&shift.member);
                let (from, until) = (shift.span.from, shift.span.until);
                blueprint.unsaid.push(format!(
                    "the custom shift of {who} from {from} to {until}, which belongs to no rotation"
                ));
            }
        }
    }
    let behind = definition.overrides.iter();
    let behind = behind.filter(|one| one.span.from >= timeline.known.until);
    found.extend(behind.map(|one| OverrideSpan {
        span: one.span,
        member: &one.member,
        rotations: one.rotation_ids.clone(),
    }));
    for one in found {
        if let Some(rest) = one.span.since(now) {
            take_over(blueprint, definition.layered, &one, rest, known, calendar);
        }
    }
}

/// Adds what is left of one.
fn take_over(
    blueprint: &mut Blueprint,
    is_layered: bool,
    one: &OverrideSpan,
    rest: Interval,
    known: &Known,
    calendar: &Calendar,
) {
    let says = format!("the override from {} to {}", one.span.from, one.span.until);
    let who = proof::name_of(one.member);
    let user = match (one.member.kind, &one.member.id) {
        (MemberKind::User, Some(id)) => known(id),
        (MemberKind::Empty, _) => {
            let line = format!("{says} by nobody: here somebody always has the turn");
            return blueprint.unsaid.push(line);
        }
        _ => None,
    };
    let Some(user) = user else {
        let line = format!("{says} by {who}, who is not known here");
        return blueprint.unsaid.push(line);
    };
    let mut left = rest.from.duration_until(rest.until);
    let mut found = Vec::new();
    for (number, slot) in blueprint.slots.iter().enumerate() {
        if !one.rotations.is_empty() && !one.rotations.contains(&slot.rotation_id) {
            continue;
        }
        // Only one layer is on call at a time, the one whose hours these are.
        let periods = match is_layered {
            true => hours::open(slot, calendar, rest),
            false => vec![rest],
        };
        for period in periods {
            left -= period.from.duration_until(period.until);
            found.push(Takeover {
                slot: number,
                user: user.clone(),
                period,
            });
        }
    }
    if found.is_empty() {
        let line = format!("{says} by {who}: what it overrides is left out");
        blueprint.unsaid.push(line);
    } else if left > SignedDuration::ZERO {
        let line = format!("{says} by {who}, where it is outside the hours of all rotations");
        blueprint.unsaid.push(line);
    }
    blueprint.takeovers.extend(found);
}
