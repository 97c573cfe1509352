//! /v1/rotations/{rotationId}/schedule and /history: what will be, and what was.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Body, Kind, Operation, PAGE, PAGE_SIZE, gives, parameter, shape};
use crate::actions::reads;
use crate::store;
use crate::wire::history::{HistoryEntry, HistoryReason, HoursAsHeld};
use crate::wire::page::Page;
use crate::wire::schedule::{self, PlannedTurn};

/// The longest range of a schedule, in days.
const PLAN_DAYS: i64 = 366;
/// The longest range of the record, in days.
const HISTORY_DAYS: i64 = 90;

pub const SCHEDULE: Operation = Operation {
    id: "getSchedule",
    tag: "schedule",
    summary: "Plan ahead",
    about: "The turns that touch a range if nothing changes, by start, then lane, then window: dealing, absences and \
            coverage applied by the code that hands over. Turns keep their own bounds.",
    query: &[
        parameter("from", Kind::NeededInstant, "The range begins here."),
        parameter(
            "to",
            Kind::NeededInstant,
            "The range has ended here; at most 366 days later.",
        ),
        PAGE,
        PAGE_SIZE,
    ],
    body: Body::None,
    gives: &[gives(
        200,
        "A page of planned turns.",
        shape::<Page<PlannedTurn>>,
    )],
    refuses: &[],
};

/// GET schedule.
pub fn schedule(_: &Api, call: &Call) -> Outcome {
    let (range, page) = (call.query.range(PLAN_DAYS)?, call.query.page()?);
    let id = call.path.id("rotationId");
    let (rotation, turns) = reads::schedule(call.app, call.caller, &id, range)?;
    let turns = answer::page_of(turns, page);
    answer::json(200, &turns.map(|turn| schedule::render(&rotation, &turn)))
}

pub const HISTORY: Operation = Operation {
    id: "getHistory",
    tag: "schedule",
    summary: "Look back",
    about: "The turns held in a range, one entry each, also those that began before it or ended after it. A stretch that \
            nobody covered is its own entry.",
    query: &[
        parameter("from", Kind::NeededInstant, "The range begins here."),
        parameter(
            "to",
            Kind::NeededInstant,
            "The range has ended here; at most 90 days later.",
        ),
        PAGE,
        PAGE_SIZE,
    ],
    body: Body::None,
    gives: &[gives(
        200,
        "A page of the record.",
        shape::<Page<HistoryEntry>>,
    )],
    refuses: &[],
};

/// GET history.
pub fn history(_: &Api, call: &Call) -> Outcome {
    let (range, page) = (call.query.range(HISTORY_DAYS)?, call.query.page()?);
    let id = call.path.id("rotationId");
    let entries = reads::history(call.app, call.caller, &id, range)?;
    answer::json(200, &answer::page_of(entries, page).map(entry))
}

fn entry(held: store::HistoryEntry) -> HistoryEntry {
    let entry = held.entry;
    let covered = entry.user.is_some();
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
        reason: HistoryReason(entry.reason),
        hours_as_held: Some(HoursAsHeld::from(&*entry.hours)),
    }
}
