//! Asking something of others, once what is in the way was seen.

use super::requests::made;
use super::visit::Visit;
use crate::actions::acceptance::ToAcknowledge;
use crate::actions::proposals::{self, Decision, Proposal};
use crate::actions::{Result, absences, shifts};
use crate::domain::agreement::{Preview, check_unblocked};
use crate::domain::conflict::{Conflict, ConflictKind};
use crate::domain::duty::Duty;
use crate::domain::edit::NewAbsence;
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::domain::request::RequestWritten;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::wire::etag::Precondition;
use sha2::{Digest, Sha256};

/// What came of something that is asked for.
pub enum FormOutcome<T = Vec<Conflict>> {
    /// It is written.
    Now,
    /// It was written before: it was sent again because its answer was lost. Its author knows.
    Again,
    /// Nothing is written: its author has not acknowledged this.
    InTheWay(T),
}

impl<T> FormOutcome<T> {
    /// Of what was written. Two that arrive at once write it once, and one of them tells its author.
    fn of(is_new: bool) -> FormOutcome<T> {
        match is_new {
            true => FormOutcome::Now,
            false => FormOutcome::Again,
        }
    }
}

/// Previews a proposal, and writes it unless something is in the way whose name [`token`] is not acknowledged.
pub fn propose<P: Proposal<Output = RequestWritten>>(
    visit: &Visit,
    rotation: &RotationId,
    action: &'static str,
    new: Result<P, Refusal>,
    is_acknowledged: impl Fn(&str) -> bool,
) -> Result<FormOutcome> {
    if visit.is_written()? {
        return Ok(FormOutcome::Again);
    }
    let weigh = |_: &Rotation, preview: &Preview| {
        let found = preview.conflicts();
        check_unblocked(&found)?;
        let is_seen = found.is_empty() || is_acknowledged(&token(&found));
        Ok(match is_seen {
            true => Decision::Acknowledge,
            false => Decision::Weigh,
        })
    };
    let write = |operation| {
        let (once, any) = (visit.operation_id.clone(), &Precondition::Any);
        visit.write(rotation, (action, ""), once, any, operation, made)
    };
    let by = (visit.app, visit.caller());
    let proposed = proposals::propose(by, rotation, new?, weigh, write)?;
    Ok(match proposed.written {
        Some(receipt) => FormOutcome::of(receipt.is_new),
        None => FormOutcome::InTheWay(proposed.preview.conflicts()),
    })
}

/// Saves an absence of the reader, unless turns stay theirs meanwhile whose name [`standing_token`] is not acknowledged.
pub fn be_away(
    visit: &Visit,
    rotation: &RotationId,
    new: NewAbsence,
    is_acknowledged: impl Fn(&str) -> bool,
) -> Result<FormOutcome<Vec<Duty>>> {
    let new = new.checked()?;
    let standing = shifts::would_stand(visit.app, visit.caller(), rotation, &new)?;
    if !standing.is_empty() && !is_acknowledged(&standing_token(&standing)) {
        return Ok(FormOutcome::InTheWay(standing));
    }
    let author = visit.author("createAbsence");
    let (_, is_new) = absences::create(visit.app, &author, rotation, new)?;
    Ok(FormOutcome::of(is_new))
}

/// A line for each conflict.
pub fn conflict_lines(visit: &Visit, found: &[Conflict]) -> Vec<String> {
    let line = |conflict: &Conflict| {
        let what = match conflict.kind {
            ConflictKind::Absence => "is away",
            ConflictKind::SameCellArrangement => "holds this turn by another arrangement",
            ConflictKind::UnknownAvailability => "may be away, as their calendar cannot be read",
        };
        let who = visit.person(&conflict.user);
        format!("• {who} {what}: {}", period(visit, conflict.period))
    };
    found.iter().map(line).collect()
}

/// A line for each duty that stays with the reader while they are away.
pub fn standing_lines(visit: &Visit, standing: &[Duty]) -> Vec<String> {
    let line = |duty: &Duty| format!("• {}", period(visit, duty.period()));
    standing.iter().map(line).collect()
}

fn period(visit: &Visit, Interval { from, until }: Interval) -> String {
    format!("{} to {}", visit.time(from), visit.time(until))
}

/// Names what is in the way: another set of conflicts, or other terms, is another name.
pub fn token(found: &[Conflict]) -> String {
    let mut ids: Vec<&str> = found.iter().map(|conflict| conflict.id.as_str()).collect();
    ids.sort_unstable();
    name_of(&ids.join(" "))
}

/// Names exactly these duties.
pub fn standing_token(standing: &[Duty]) -> String {
    // A turn that has begun is shown from now on, and now moves.
    let one = |duty: &Duty| format!("{} {}", duty.cell, duty.period().until);
    let all: Vec<String> = standing.iter().map(one).collect();
    name_of(&all.join(" "))
}

/// Names what somebody has to acknowledge to accept.
pub fn acceptance_token(found: &ToAcknowledge) -> String {
    match found.conflicts.is_empty() {
        false => token(&found.conflicts),
        true => name_of(&found.started_legs.join(" ")),
    }
}

/// A short name of a text.
fn name_of(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
