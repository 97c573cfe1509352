//! Who is on call (api.md "On-call resource"; contract section 6 for the bounds of an entry).

use super::directory::User;
use super::moment::Moment;
use super::small;
use super::words::{names, words};
use crate::domain::event::Nobody;
use crate::domain::holidays::Calendar;
use crate::domain::resolve;
use crate::domain::rotation as domain;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

names! {
    /// Why nobody is on call: `nobody-on-call-unplanned`, a window is open and nobody holds it;
    /// `nobody-on-call-as-arranged`, every window is shut.
    NobodyReason(Nobody) of [Nobody::Unplanned, Nobody::AsArranged]
}

words! {
    /// Where an absence comes from.
    AbsenceSource {
        /// An absence stored here.
        InternalAvailability = "internalAvailability",
    }
}

/// Who is on call in a rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnCall {
    pub rotation_id: String,
    /// Current assignments in the order of places; empty when nobody holds the shift.
    pub on_call: Vec<Entry>,
    /// External on-duty person with no chat identity.
    pub unmapped_external_duty: Option<Unmapped>,
    /// Set on external rotations only.
    pub external_assignments: Option<serde_json::Map<String, serde_json::Value>>,
    /// The people on call; filled only when the request asks for `?expand=users`.
    pub users: Option<Vec<User>>,
    /// Present when nobody is on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nobody_on_call_reason: Option<NobodyReason>,
}

/// Somebody on duty in a partner system whom the chat platform does not know.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unmapped {
    pub email: Option<String>,
    pub name: Option<String>,
    pub until: Option<Moment>,
}

/// One person on call in one place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub user_id: String,
    /// The person's place in the roster's order; absent for somebody who is not in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    pub cell_id: Option<String>,
    pub lane_id: Option<String>,
    pub lane_name: Option<String>,
    pub window_id: Option<String>,
    pub window_name: Option<String>,
    /// When the assignment, a dealt turn or an arrangement, began, whatever the coverage.
    pub since: Option<Moment>,
    /// When the assignment ends, whatever the coverage; exclusive, null when open.
    pub until: Option<Moment>,
    /// When this person stops covering for now: at `until` or when the running coverage ends, whichever is first.
    pub covered_until: Option<Moment>,
    /// When the dealt turn passes on.
    pub turn_ends: Option<Moment>,
    /// Absent people passed over when the turn was dealt.
    pub skipped_for_absence: Vec<SkippedMember>,
}

/// Somebody passed over, and the absence that was the reason.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkippedMember {
    pub user_id: String,
    pub from: Option<Moment>,
    pub until: Option<Moment>,
    /// Null on older records.
    pub source: Option<AbsenceSource>,
}

/// Renders who is on call as of the instant up to which the rotation has been judged. `users` is the expansion.
pub fn render(
    rotation: &domain::Rotation,
    calendar: &Calendar,
    users: Option<Vec<User>>,
) -> OnCall {
    let ends = resolve::turn_ends(rotation, calendar);
    let shuts = shuts(rotation, calendar);
    let entry = |cell: &domain::Cell| {
        let hold = resolve::on_call(rotation, cell)?;
        let lane = &rotation.lanes[cell.lane];
        let window = &rotation.windows[cell.window];
        let turn_ends = ends[cell.window];
        let (since, until) = resolve::bounds(rotation, cell, hold, turn_ends);
        Some(Entry {
            user_id: hold.user().to_string(),
            turn: rotation.turn_of(cell, hold.user()).map(small),
            cell_id: Some(cell.id.to_string()),
            lane_id: Some(lane.id.to_string()),
            lane_name: lane.name.clone(),
            window_id: Some(window.id.to_string()),
            window_name: window.name.clone(),
            since: Some(since.into()),
            until: until.map(Moment),
            covered_until: until
                .into_iter()
                .chain(shuts[cell.window])
                .min()
                .map(Moment),
            turn_ends: turn_ends.map(Moment),
            skipped_for_absence: skipped(hold.skipped()),
        })
    };
    let on_call: Vec<Entry> = rotation.running().filter_map(entry).collect();
    OnCall {
        rotation_id: rotation.id.to_string(),
        nobody_on_call_reason: on_call
            .is_empty()
            .then(|| NobodyReason(Nobody::of(rotation))),
        on_call,
        unmapped_external_duty: None,
        external_assignments: None,
        users,
    }
}

/// When each open window shuts; `None` where it will not: a disabled rotation is frozen as it is.
fn shuts(rotation: &domain::Rotation, calendar: &Calendar) -> Vec<Option<Timestamp>> {
    let shuts = |window: &domain::Window| {
        if !rotation.enabled {
            return None;
        }
        let view = rotation
            .hours(window)
            .at(calendar, rotation.stamps.judged_at);
        view.current.map(|stretch| stretch.until)
    };
    rotation.windows.iter().map(shuts).collect()
}

/// Renders people passed over.
pub fn skipped(skipped: &[domain::Skipped]) -> Vec<SkippedMember> {
    let member = |skipped: &domain::Skipped| SkippedMember {
        user_id: skipped.user.to_string(),
        from: skipped.from.map(Moment),
        until: skipped.until.map(Moment),
        source: Some(AbsenceSource::InternalAvailability),
    };
    skipped.iter().map(member).collect()
}
