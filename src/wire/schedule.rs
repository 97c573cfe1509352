//! The forecast as the API shows it (rules.md 6).

use super::moment::Moment;
use super::on_call::{self, AbsencePeriod, PassedOver, SkippedMember};
use super::to_i32;
use crate::domain::absence::Away;
use crate::domain::books::Dealt;
use crate::domain::duty::{Duty, DutyKind};
use crate::domain::forecast;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use schemars::JsonSchema;
use serde::Serialize;

/// A planned turn, if nothing changes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedTurn {
    pub start: Moment,
    /// Exclusive; may lie after the requested range. Absent if open-ended or beyond the forecast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Moment>,
    pub cell_id: String,
    pub lane_id: String,
    pub lane_name: Option<String>,
    pub window_id: String,
    pub window_name: Option<String>,
    /// Absent if nobody is on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What somebody on a partner's schedule is called who is unknown to the chat platform; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_name: Option<String>,
    /// The person's position in the roster. Absent if nobody is on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    pub kind: DutyKind,
    /// The arrangement that gives the slot to the person; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrangement_id: Option<String>,
    /// Whose own turn it is. Null where missed turns were lost when it was dealt, and for an arrangement.
    pub turn_of: Option<String>,
    /// Why whoever has it does. Null with `turnOf`.
    pub dealt: Option<Dealt>,
    /// Absent people who are skipped for this turn.
    pub skipped_for_absence: Vec<SkippedMember>,
    /// People who are passed over for this turn because they are on call in another cell at the same time; also where nobody is
    /// left for it.
    pub passed_over: Vec<PassedOver>,
    /// The person's own absences that fall between `start` and `end`, at most 100. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absences: Option<Vec<AbsencePeriod>>,
    /// The change that waits for its time without which the plan would not have this turn. Absent for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_id: Option<String>,
}

/// Renders a planned turn. `rotation` is the rotation that was forecast.
pub fn render(rotation: &Rotation, duty: &Duty) -> PlannedTurn {
    let user = duty.entry.user.as_ref();
    let away = user.map(|user| rotation.absences.meeting(user, duty.period()));
    turn(duty, &away.unwrap_or_default())
}

/// Renders a planned turn; `away` are the absences of whoever has it.
fn turn(duty: &Duty, away: &[Away]) -> PlannedTurn {
    let entry = &duty.entry;
    PlannedTurn {
        start: entry.start.into(),
        end: duty.end.map(Moment),
        cell_id: duty.cell.to_string(),
        lane_id: duty.lane.to_string(),
        lane_name: entry.lane_name.clone(),
        window_id: duty.window.to_string(),
        window_name: entry.window_name.clone(),
        user_id: entry.user.as_ref().map(|user| user.to_string()),
        external_name: entry.outside.clone(),
        turn: entry.turn.filter(|_| entry.user.is_some()).map(to_i32),
        kind: duty.kind(),
        arrangement_id: entry.arrangement.as_ref().map(|id| id.to_string()),
        turn_of: on_call::owner(entry.dealt.as_ref()),
        dealt: entry.dealt.as_ref().map(|turn| turn.dealt),
        skipped_for_absence: on_call::skipped(&entry.skipped),
        passed_over: on_call::passed_over(&entry.passed_over),
        absences: on_call::absences(away),
        change_id: duty.change.as_ref().map(ToString::to_string),
    }
}

/// A planned turn of one person, in one of their rotations.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Shift {
    pub rotation_id: String,
    pub rotation_name: String,
    /// The code of the rotation.
    pub code: Option<String>,
    #[serde(flatten)]
    pub turn: PlannedTurn,
    /// When the person is on call, within covered hours and within the requested range.
    pub covered: Vec<Covered>,
}

/// A stretch for which somebody is on call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Covered {
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
}

/// Renders covered hours.
pub fn covered(spans: &[Interval]) -> Vec<Covered> {
    let one = |span: &Interval| Covered {
        from: span.from.into(),
        to: span.until.into(),
    };
    spans.iter().map(one).collect()
}

/// Renders a shift.
pub fn shift(shift: &forecast::Shift) -> Shift {
    let rotation = &shift.rotation;
    Shift {
        rotation_id: rotation.id.to_string(),
        rotation_name: rotation.name.clone(),
        code: rotation.code.clone(),
        turn: turn(&shift.duty, &shift.absences),
        covered: covered(&[shift.covered]),
    }
}
