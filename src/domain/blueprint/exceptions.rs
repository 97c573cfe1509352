//! The assignments for the times at which a source says who is on call without saying in which rotation. Its timeline has these
//! people; each of them who has no turn then takes over a slot whose holder is not on call.

use super::{Blueprint, Known, Takeover, planned, proof};
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::partner::{Definition, Exception, MemberKind, Timeline};
use crate::domain::time::{Interval, joined};
use jiff::Timestamp;
use std::collections::VecDeque;

/// What is decided for one piece of time.
#[derive(Default)]
struct Piece {
    /// Slots, and who takes them over.
    takeovers: Vec<(usize, UserId)>,
    /// What cannot be said of it.
    unsaid: Vec<String>,
}

/// Adds the takeovers of the exceptions that the timeline reaches.
pub(super) fn add(
    blueprint: &mut Blueprint,
    definition: &Definition,
    timeline: &Timeline,
    known: &Known,
    calendar: &Calendar,
    now: Timestamp,
) {
    let mut spans = Vec::new();
    for exception in &definition.exceptions {
        let Some(rest) = exception.span.since(now) else {
            continue;
        };
        let told = rest.meets(timeline.known);
        if told.is_none_or(|told| told.until < rest.until) {
            blueprint.unsaid.push(format!(
                "{} from {} to {} goes on after the timeline ends; import again then",
                exception.what, exception.span.from, exception.span.until
            ));
        }
        spans.extend(told);
    }
    let spans = joined(spans);
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
        return;
    };
    let whole = Interval::new(first.from, last.until);
    let slots = blueprint.slots.iter();
    let turns: Vec<_> = slots
        .map(|slot| planned::turns(slot, calendar, now, whole))
        .collect();
    let mut takeovers: Vec<Vec<Takeover>> = vec![Vec::new(); turns.len()];
    let mut unsaid: Vec<(String, Interval)> = Vec::new();
    for span in spans {
        let shifts = timeline.shifts.iter().map(|shift| shift.span);
        let turns_of_all = turns.iter().flatten().map(|(turn, _)| *turn);
        let exceptions = definition.exceptions.iter().map(|one| one.span);
        let edges = shifts.chain(turns_of_all).chain(exceptions);
        let edges = edges.flat_map(|one| [one.from, one.until]);
        let mut edges: Vec<Timestamp> = edges.filter(|at| span.contains(*at)).collect();
        edges.extend([span.from, span.until]);
        edges.sort_unstable();
        edges.dedup();
        for pair in edges.windows(2) {
            let time = Interval::new(pair[0], pair[1]);
            let holders = turns.iter().map(|turns| {
                let mut turns = turns.iter();
                let turn = turns.find(|(turn, _)| turn.contains(time.from));
                turn.map(|(_, user)| user)
            });
            let holders: Vec<Option<&UserId>> = holders.collect();
            let piece = decide(timeline, known, &holders, time.from);
            for (slot, user) in piece.takeovers {
                extend(&mut takeovers[slot], slot, user, time);
            }
            let what = named(&definition.exceptions, time.from);
            for why in piece.unsaid {
                note(&mut unsaid, format!("{what}: {why}"), time);
            }
        }
    }
    blueprint.takeovers.extend(takeovers.into_iter().flatten());
    let lines = unsaid.into_iter();
    let lines = lines.map(|(why, span)| format!("from {} to {}, {why}", span.from, span.until));
    blueprint.unsaid.extend(lines);
}

/// Decides who takes over at an instant. `holders` has who has the turn in each slot that is open.
fn decide(timeline: &Timeline, known: &Known, holders: &[Option<&UserId>], at: Timestamp) -> Piece {
    let mut piece = Piece::default();
    let mut wanted: Vec<UserId> = Vec::new();
    for shift in timeline.at(at) {
        let user = match (shift.member.kind, &shift.member.id) {
            (MemberKind::User, Some(id)) => known(id),
            _ => None,
        };
        match user {
            Some(user) if wanted.contains(&user) => {}
            Some(user) => wanted.push(user),
            None => {
                let name = proof::name_of(&shift.member);
                piece.unsaid.push(format!("{name} is not known here"));
            }
        }
    }
    let is_open = holders.iter().any(Option::is_some);
    let Some(somebody) = wanted.first().cloned() else {
        if is_open && piece.unsaid.is_empty() {
            let why = "nobody is on call; here somebody always has the turn";
            piece.unsaid.push(why.to_owned());
        }
        return piece;
    };
    let mut seen: Vec<&UserId> = Vec::new();
    let (mut free, mut spare) = (Vec::new(), Vec::new());
    for (slot, holder) in holders.iter().enumerate() {
        match holder {
            None => {}
            Some(holder) if !wanted.contains(holder) => free.push(slot),
            Some(holder) if seen.contains(holder) => spare.push(slot),
            Some(holder) => seen.push(holder),
        }
    }
    let missing = wanted.iter().filter(|user| !seen.contains(user));
    let mut missing: VecDeque<UserId> = missing.cloned().collect();
    for slot in free {
        let user = missing.pop_front().unwrap_or_else(|| somebody.clone());
        piece.takeovers.push((slot, user));
    }
    for slot in spare {
        if let Some(user) = missing.pop_front() {
            piece.takeovers.push((slot, user));
        }
    }
    for user in missing {
        piece.unsaid.push(match is_open {
            true => format!("{user} is on call beside the others; here no slot is left"),
            false => format!("{user} is on call outside the hours of all rotations"),
        });
    }
    piece
}

/// Appends time to what somebody takes over of a slot.
fn extend(takeovers: &mut Vec<Takeover>, slot: usize, user: UserId, time: Interval) {
    match takeovers.last_mut() {
        Some(last) if last.user == user && last.period.until == time.from => {
            last.period.until = time.until;
        }
        _ => takeovers.push(Takeover {
            slot,
            user,
            period: time,
        }),
    }
}

/// Notes what cannot be said, in one line where it goes on.
fn note(unsaid: &mut Vec<(String, Interval)>, why: String, time: Interval) {
    let before = unsaid.iter_mut().rev();
    let mut before = before.filter(|(known, span)| *known == why && span.until == time.from);
    match before.next() {
        Some((_, span)) => span.until = time.until,
        None => unsaid.push((why, time)),
    }
}

/// What the exceptions at an instant are called.
fn named(exceptions: &[Exception], at: Timestamp) -> String {
    let here = exceptions.iter().filter(|one| one.span.contains(at));
    let mut names: Vec<&str> = here.map(|one| one.what.as_str()).collect();
    names.dedup();
    names.join(" and ")
}
