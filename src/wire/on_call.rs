//! Who is on call, and the bounds of each assignment (rules.md 4, 8).

use super::directory::User;
use super::external::{self, ExternalAssignments};
use super::moment::Moment;
use super::to_i32;
use crate::domain::absence::{AbsenceSource, Away};
use crate::domain::books::{Dealt, DealtTurn};
use crate::domain::duty_at::{self, DutyAt, Held};
use crate::domain::event::Nobody;
use crate::domain::external::{AsOf, Outsider};
use crate::domain::holidays::Calendar;
use crate::domain::rotation as domain;
use schemars::JsonSchema;
use serde::Serialize;

/// Who is on call in a rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
// Generated clients have a variable of the schema's name beside one of each member's.
#[schemars(rename = "OnCallResource")]
#[serde(rename_all = "camelCase")]
pub struct OnCall {
    pub rotation_id: String,
    /// Current assignments in slot order; empty if nobody is on call.
    pub on_call: Vec<Entry>,
    /// The person on duty in an external system, if they have no chat identity.
    pub unmapped_external_duty: Option<Unmapped>,
    /// Set on external rotations only.
    pub external_assignments: Option<ExternalAssignments>,
    /// The people on call. Null unless the request has `?expand=users`.
    pub users: Option<Vec<User>>,
    /// How the people on call are reached, each once. Absent unless the request has `expand=contacts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<Vec<UserContact>>,
    /// Present only if nobody is on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nobody_on_call_reason: Option<Nobody>,
}

/// How a person is reached.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserContact {
    pub user_id: String,
    pub email: Option<String>,
    /// E.164.
    pub phone: Option<String>,
}

/// A person on duty in an external system who is unknown to the chat platform.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unmapped {
    pub email: Option<String>,
    pub name: Option<String>,
    pub until: Option<Moment>,
}

/// One person on call in one slot.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub user_id: String,
    /// The person's position in the roster; absent if they are not in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<i32>,
    pub cell_id: Option<String>,
    pub lane_id: Option<String>,
    pub lane_name: Option<String>,
    pub window_id: Option<String>,
    pub window_name: Option<String>,
    /// When the assignment, a dealt turn or an arrangement, began, regardless of covered hours.
    pub since: Option<Moment>,
    /// When the assignment ends, regardless of covered hours. Exclusive; null if open-ended.
    pub until: Option<Moment>,
    /// When this person next goes off call: at `until` or when the covered hours end, whichever is first.
    pub covered_until: Option<Moment>,
    /// When the dealt turn ends.
    pub turn_ends: Option<Moment>,
    /// Whose own turn it is. Null where missed turns were lost when it was dealt, and for an arrangement.
    pub turn_of: Option<String>,
    /// Why whoever has it does. Null with `turnOf`.
    pub dealt: Option<Dealt>,
    /// Absent people who were skipped when the turn was dealt.
    pub skipped_for_absence: Vec<SkippedMember>,
    /// People who were passed over because they are on call in another cell at the same time.
    pub passed_over: Vec<PassedOver>,
    /// The person's own absences that fall between `since` and `until`, at most 100. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absences: Option<Vec<AbsencePeriod>>,
    /// True on a standby, if this began after the copy that it answers from: it is what the plan says. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<bool>,
}

/// A person who was passed over because they are on call in another cell at the same time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PassedOver {
    pub user_id: String,
    /// The first such cell.
    pub cell_id: String,
}

/// A period in which a person is absent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AbsencePeriod {
    pub from: Moment,
    /// Exclusive.
    pub until: Moment,
    pub source: AbsenceSource,
}

/// Renders the absences of one person; `None` where there are none.
pub fn absences(away: &[Away]) -> Option<Vec<AbsencePeriod>> {
    let period = |away: &Away| AbsencePeriod {
        from: away.period.from.into(),
        until: away.period.until.into(),
        source: away.source,
    };
    (!away.is_empty()).then(|| away.iter().map(period).collect())
}

/// A person who was skipped, and the absence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkippedMember {
    pub user_id: String,
    pub from: Option<Moment>,
    pub until: Option<Moment>,
    /// Null on older records.
    pub source: Option<AbsenceSource>,
}

/// Renders who is on call, as of the instant up to which the rotation has been evaluated. `users` is the expansion.
pub fn render(
    rotation: &domain::Rotation,
    calendar: &Calendar,
    as_of: &AsOf,
    users: Option<Vec<User>>,
) -> OnCall {
    let external = external::assignments(rotation, as_of);
    whole(rotation, &duty_at::now(rotation, calendar), external, users)
}

/// Renders who is on call at an instant, as planned or as recorded. `as_of` is that instant.
pub fn render_at(
    rotation: &domain::Rotation,
    duty: &DutyAt,
    calendar: &Calendar,
    as_of: &AsOf,
    users: Option<Vec<User>>,
) -> OnCall {
    match duty {
        DutyAt::Planned(then) => render(then, calendar, as_of, users),
        DutyAt::Recorded(recorded) => whole(rotation, recorded, None, users),
    }
}

fn whole(
    rotation: &domain::Rotation,
    on_call: &duty_at::OnCall,
    external_assignments: Option<ExternalAssignments>,
    users: Option<Vec<User>>,
) -> OnCall {
    OnCall {
        rotation_id: rotation.id.to_string(),
        on_call: (on_call.held.iter())
            .filter_map(|held| entry(rotation, held))
            .collect(),
        unmapped_external_duty: on_call.outsider.as_ref().map(unmapped),
        external_assignments,
        users,
        contacts: None,
        nobody_on_call_reason: on_call.nobody,
    }
}

fn entry(rotation: &domain::Rotation, held: &Held) -> Option<Entry> {
    let (duty, bounds) = (&held.duty, &held.bounds);
    let entry = &duty.entry;
    Some(Entry {
        user_id: entry.user.as_ref()?.to_string(),
        turn: entry.turn.map(to_i32),
        cell_id: Some(duty.cell.to_string()),
        lane_id: Some(duty.lane.to_string()),
        lane_name: entry.lane_name.clone(),
        window_id: Some(duty.window.to_string()),
        window_name: entry.window_name.clone(),
        since: Some(bounds.since.into()),
        until: bounds.until.map(Moment),
        covered_until: bounds.covered_until.map(Moment),
        turn_ends: bounds.turn_ends.map(Moment),
        turn_of: owner(entry.dealt.as_ref()),
        dealt: entry.dealt.as_ref().map(|turn| turn.dealt),
        skipped_for_absence: skipped(&entry.skipped),
        passed_over: passed_over(&entry.passed_over),
        absences: absences(&held.absences),
        forecast: rotation.forecast(entry.start),
    })
}

fn unmapped(outsider: &Outsider) -> Unmapped {
    Unmapped {
        email: outsider.email.clone(),
        name: outsider.name.clone(),
        until: outsider.until.map(Moment),
    }
}

/// Who is on call in one rotation, in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnCallLine {
    pub rotation_id: String,
    pub code: Option<String>,
    pub name: String,
    /// The assignments in slot order; empty if nobody is on call, and where a partner's schedule is not known as far ahead.
    pub on_call: Vec<Entry>,
    /// Null if somebody is on call, and where it is not known.
    pub nobody_on_call_reason: Option<Nobody>,
}

/// Renders who is on call at an instant in a rotation; `duty` is `None` where it is not known.
pub fn line(
    rotation: &domain::Rotation,
    duty: Option<&DutyAt>,
    calendar: &Calendar,
    as_of: &AsOf,
) -> OnCallLine {
    let whole = duty.map(|duty| render_at(rotation, duty, calendar, as_of, None));
    let (on_call, reason) = whole
        .map(|whole| (whole.on_call, whole.nobody_on_call_reason))
        .unwrap_or_default();
    OnCallLine {
        rotation_id: rotation.id.to_string(),
        code: rotation.profile.code.clone(),
        name: rotation.profile.name.clone(),
        on_call,
        nobody_on_call_reason: reason,
    }
}

/// Whose own turn somebody has.
pub fn owner(dealt: Option<&DealtTurn>) -> Option<String> {
    dealt.map(|turn| turn.owner.to_string())
}

/// Renders the people who were skipped.
pub fn skipped(skipped: &[domain::Skipped]) -> Vec<SkippedMember> {
    let member = |skipped: &domain::Skipped| SkippedMember {
        user_id: skipped.user.to_string(),
        from: skipped.from.map(Moment),
        until: skipped.until.map(Moment),
        source: Some(skipped.source),
    };
    skipped.iter().map(member).collect()
}

/// Renders the people who were passed over.
pub fn passed_over(passed_over: &[domain::PassedOver]) -> Vec<PassedOver> {
    let member = |passed: &domain::PassedOver| PassedOver {
        user_id: passed.user.to_string(),
        cell_id: passed.cell.to_string(),
    };
    passed_over.iter().map(member).collect()
}
