//! /v1/rotations/{rotationId}/schedule and /history, /v1/users/{userId}/shifts: what will be, and what was.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{FROM, Kind, Operation, operation, parameter, text};
use crate::actions::duties::{self, PlanFilter};
use crate::domain::duty::{Duty, DutyKind};
use crate::domain::ids::{CellId, UserId};
use crate::wire::history::{HistoryEntry, HoursAsHeld};
use crate::wire::on_call;
use crate::wire::schedule::{self, PlannedTurn, Shift};
use jiff::Timestamp;

/// The longest range of a schedule, in days.
const PLAN_DAYS: i64 = 366;
/// The kinds of planned turns.
const KINDS: &[&str] = &["turn", "arrangement", "nobody"];
/// The longest range of the record, in days.
const HISTORY_DAYS: i64 = 90;

pub const SCHEDULE: Operation = operation("getSchedule", "schedule", "Plan ahead")
    .about("The turns that overlap a range if nothing changes, ordered by start, lane and window: dealing, absences and \
        coverage are applied by the code that makes hand-overs. Turns are not clipped to the range.")
    .query(&[
        FROM,
        parameter("to", Kind::NeededInstant, "The range has ended here; at most 366 days later. Equal to `from`, it asks for that instant."),
        text("userId", "Only the turns of this person."),
        text("cellId", "Only the turns of this cell."),
        parameter("kind", Kind::SomeOf(KINDS), "Only turns of these kinds; may be sent several times."),
    ])
    .gives_page::<PlannedTurn>("A page of planned turns.");

/// GET schedule.
pub fn schedule(call: &Call) -> Outcome {
    let query = &call.query;
    let (range, page) = (query.range_or_instant(PLAN_DAYS)?, query.page()?);
    let filter = PlanFilter {
        user: query.one("userId")?.map(UserId::from),
        cell: query.one("cellId")?.map(CellId::from),
        kinds: query.choices("kind", KINDS, DutyKind::parse)?,
    };
    let id = call.path.id("rotationId");
    let (rotation, turns) = duties::schedule(call.app, call.caller, &id, range, &filter)?;
    let turns = answer::page_of(turns, page);
    answer::json(200, &turns.map(|turn| schedule::render(&rotation, &turn)))
}

pub const SHIFTS: Operation = operation("listShifts", "schedule", "One person's shifts")
    .about("The turns of one person that touch a range, in all rotations that the credential may see, by start: what \
        the schedule of each rotation says of them. A turn is split where its window shuts, and `covered` is the part \
        of it within the range.")
    .query(&[
        parameter("from", Kind::NeededInstant, "The range begins here."),
        parameter("to", Kind::NeededInstant, "The range has ended here; at most 366 days later."),
    ])
    .gives_page::<Shift>("A page of shifts.");

/// GET the shifts of a person.
pub fn shifts(call: &Call) -> Outcome {
    let (range, page) = (call.query.range(PLAN_DAYS)?, call.query.page()?);
    let user = call.path.id("userId");
    let found = duties::of_person(call.app, call.caller, &user, range)?;
    let found = answer::page_of(found, page);
    answer::json(200, &found.map(|shift| schedule::shift(&shift)))
}

pub const HISTORY: Operation = operation("getHistory", "schedule", "Look back")
    .about("The turns held in a range, one entry each, including those that began before it or ended after it. A period that \
        nobody covered is its own entry.")
    .query(&[
        FROM,
        parameter("to", Kind::NeededInstant, "End of the range, exclusive; at most 90 days later."),
    ])
    .gives_page::<HistoryEntry>("A page of the history.");

/// GET history.
pub fn history(call: &Call) -> Outcome {
    let (range, page) = (call.query.range(HISTORY_DAYS)?, call.query.page()?);
    let id = call.path.id("rotationId");
    let entries = duties::history(call.app, call.caller, &id, range)?;
    let copied_at = call.app.store().copied_at();
    let entries = answer::page_of(entries, page).map(|held| entry(held, copied_at));
    answer::json(200, &entries)
}

fn entry(held: Duty, copied_at: Option<Timestamp>) -> HistoryEntry {
    let entry = held.entry;
    let covered = entry.user.is_some() || entry.outside.is_some();
    HistoryEntry {
        start: entry.start.into(),
        end: held.end.map(Into::into),
        user_id: entry.user.map(|user| user.to_string()),
        nobody_was_on_call: !covered,
        turn: entry
            .turn
            .filter(|_| covered)
            .map(|turn| i32::try_from(turn).unwrap_or(i32::MAX)),
        lane_id: held.lane.to_string(),
        lane_name: entry.lane_name,
        window_id: held.window.to_string(),
        window_name: entry.window_name,
        turn_of: on_call::owner(entry.dealt.as_ref()),
        dealt: entry.dealt.as_ref().map(|turn| turn.dealt),
        reason: entry.reason,
        hours_as_held: Some(HoursAsHeld::from(&*entry.hours)),
        forecast: copied_at.and_then(|at| (entry.start > at).then_some(true)),
    }
}
