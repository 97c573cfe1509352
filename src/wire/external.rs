//! Rotations that follow a partner's schedule, and the partners (rules.md 22).

use super::body;
use super::directory::User;
use super::hex;
use super::moment::Moment;
use super::strict::strict;
use super::to_i32;
use crate::domain::external::{self, AsOf, External, Link};
use crate::domain::ids::UserId;
use crate::domain::partner;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

strict!(LinkRequest, ParticipantRequest => PartnerPerson);

/// Who is assigned on the partner's schedule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalAssignments {
    /// The instant that the response is for.
    pub as_of_utc: Moment,
    pub state: external::State,
    pub coverage: external::Coverage,
    pub last_successful_read_utc: Option<Moment>,
    pub last_read_failure_utc: Option<Moment>,
    /// The span that the last successful reading covers.
    pub known_from_utc: Option<Moment>,
    pub known_until_utc: Option<Moment>,
    /// Assigned and empty slots, in the partner's order.
    pub current: Vec<Assignment>,
    /// Slots now, assigned and empty.
    pub required_assignment_count: i32,
    /// Slots with somebody.
    pub assigned_assignment_count: i32,
    /// Why the newest reading failed. Null if it succeeded.
    pub last_read_failure: Option<partner::ReadFailure>,
    /// Different people now.
    pub distinct_responder_count: i32,
    /// Different people in the whole known span.
    pub distinct_participant_count: i32,
    /// Slots with somebody who is unknown here.
    pub unmapped_assignment_count: i32,
    /// Slots with nobody.
    pub empty_assignment_count: i32,
    /// The next instant at which the assignments differ, as far as is known.
    pub next_change: Option<NextChange>,
}

/// The next change of the assignments.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextChange {
    pub at_utc: Moment,
    pub starting: Vec<Assignment>,
    pub continuing: Vec<Assignment>,
    pub ending: Vec<Assignment>,
}

/// One slot of the partner's schedule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
// Not `ExternalAssignment`: a generated client has a variable of the schema's name beside one of each member's.
#[schemars(rename = "ExternalAssignmentEntry")]
#[serde(rename_all = "camelCase")]
pub struct Assignment {
    /// The same in every reading.
    pub local_assignment_id: String,
    pub cell_id: String,
    /// Null for nobody, and for somebody who is unknown here.
    pub user: Option<User>,
    /// The partner's name for whoever is assigned.
    pub external_name: Option<String>,
    pub external_email: Option<String>,
    /// What is left of the shift after overrides.
    pub since_utc: Moment,
    /// Exclusive. Null for a shift without an end.
    pub until_utc: Option<Moment>,
    pub external_assignment: Origin,
}

/// Where an assignment comes from. An id that the partner does not give is null.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExternalOrigin")]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    pub member_kind: partner::MemberKind,
    pub participant_id: Option<String>,
    pub source_type: partner::SourceKind,
    pub rotation_id: Option<String>,
    pub shift_id: Option<String>,
    pub override_id: Option<String>,
    /// The start of the whole shift, as far as the partner gives it.
    pub original_start_utc: Moment,
    /// Its end. Exclusive. Null for a shift without one.
    pub original_end_utc: Option<Moment>,
}

/// A person on duty in an external system who is unknown to the chat platform, as the holder of a cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalUser {
    pub email: Option<String>,
    pub name: Option<String>,
}

/// Renders the assignments of a rotation; `None` where no partner drives it.
pub fn assignments(rotation: &Rotation, as_of: &AsOf) -> Option<ExternalAssignments> {
    let external = rotation.external.as_ref()?;
    let schedule = &external.schedule;
    let state = external.state(as_of);
    let counts = external::counts(external);
    let known = schedule.timeline.as_ref().map(|timeline| timeline.known);
    let all = |list: &[external::Assignment]| {
        let shown = list.iter().map(|one| assignment(rotation, external, one));
        shown.collect::<Vec<_>>()
    };
    let next = external.upcoming(rotation.stamps.judged_at);
    let next = next.filter(|_| rotation.enabled).map(|change| NextChange {
        at_utc: change.at.into(),
        starting: all(&change.starting),
        continuing: all(&change.continuing),
        ending: all(&change.ending),
    });
    Some(ExternalAssignments {
        as_of_utc: as_of.now.into(),
        state,
        coverage: external.coverage(state),
        last_successful_read_utc: schedule.read_at.map(Moment),
        last_read_failure_utc: schedule.failed_at.map(Moment),
        known_from_utc: known.map(|known| known.from.into()),
        known_until_utc: known.map(|known| known.until.into()),
        current: all(&external.current),
        required_assignment_count: to_i32(counts.required),
        assigned_assignment_count: to_i32(counts.assigned),
        last_read_failure: schedule.failure,
        distinct_responder_count: to_i32(counts.responders),
        distinct_participant_count: to_i32(counts.participants),
        unmapped_assignment_count: to_i32(counts.unmapped),
        empty_assignment_count: to_i32(counts.empty),
        next_change: next,
    })
}

fn assignment(
    rotation: &Rotation,
    external: &External,
    assignment: &external::Assignment,
) -> Assignment {
    let shift = &assignment.shift;
    let (member, source) = (&shift.member, &shift.source);
    let user = assignment.user.as_ref();
    let user = user.and_then(|user| external.records.get(user));
    Assignment {
        local_assignment_id: local_id(external.link.as_ref(), &shift.key()),
        cell_id: rotation.cells[0].id.to_string(),
        user: user.cloned().map(User::from),
        external_name: member.name.clone(),
        external_email: member.email.clone(),
        since_utc: shift.span.from.into(),
        until_utc: shift.ends_at().map(Moment),
        external_assignment: Origin {
            member_kind: member.kind,
            participant_id: member.id.clone(),
            source_type: source.kind,
            rotation_id: source.rotation_id.clone(),
            shift_id: source.shift_id.clone(),
            override_id: source.override_id.clone(),
            original_start_utc: shift.original.from.into(),
            original_end_utc: shift.original_ends_at().map(Moment),
        },
    }
}

/// The id of an assignment, derived from what it is, so that every reading gives the same.
fn local_id(link: Option<&Link>, key: &str) -> String {
    let mut hash = Sha256::new();
    if let Some(link) = link {
        hash.update(link.partner.name());
        hash.update([0]);
        hash.update(&link.schedule);
    }
    hash.update([0]);
    hash.update(key);
    format!("ext_{}", hex(&hash.finalize()[..16]))
}

/// A partner with settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
// Generated clients have a variable of the schema's name beside one of each member's.
#[schemars(rename = "PartnerState")]
#[serde(rename_all = "camelCase")]
pub struct Partner {
    pub partner: String,
    /// Whether its newest reading succeeded. True where nothing has been read yet.
    pub connected: bool,
    pub last_successful_read_utc: Option<Moment>,
    pub last_read_failure_utc: Option<Moment>,
    /// Of the newest reading. Null if it succeeded.
    pub last_read_failure: Option<partner::ReadFailure>,
}

/// A schedule of a partner.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartnerSchedule {
    pub id: String,
    pub name: String,
    /// A city; `UTC` where the partner's zone is no known city. Null where the partner's list does not give it.
    pub time_zone: Option<String>,
    /// Where the schedule is seen in the partner's own pages.
    pub web_url: Option<String>,
    pub linked_rotation_ids: Vec<String>,
}

/// A person on a partner's schedules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "OutsidePerson")]
pub struct PartnerPerson {
    pub participant_id: String,
    pub name: Option<String>,
    pub email: Option<String>,
    /// Who they are in the workspace. Null if unknown.
    pub user_id: Option<String>,
    /// `email`: by their mail address; `explicit`: because somebody said so. Null if unknown.
    pub linked: Option<String>,
}

/// Which schedule a rotation follows.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkRequest {
    /// `pagerPartner`, `opsPartner` or `deskPartner`; `none` makes the rotation external without a schedule yet.
    #[serde(deserialize_with = "body::present")]
    #[schemars(with = "String")]
    partner: Option<String>,
    /// The partner's id of the schedule. Required unless `partner` is `none`; omit it then.
    #[serde(default)]
    schedule_id: Option<String>,
}

/// Who an outside person is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParticipantRequest {
    /// Null: whoever has their mail address. Required.
    #[serde(deserialize_with = "body::nullable")]
    #[schemars(required, schema_with = "user_id_schema")]
    user_id: Option<String>,
}

fn user_id_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"] })
}

/// Parses which schedule to follow; `None` for none yet.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn link(bytes: &[u8]) -> Result<Option<Link>, Refusal> {
    let request: LinkRequest = body::parse(bytes)?;
    Link::chosen(&request.partner.unwrap_or_default(), request.schedule_id)
}

/// Parses who an outside person is.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn participant(bytes: &[u8]) -> Result<Option<UserId>, Refusal> {
    let request: ParticipantRequest = body::parse(bytes)?;
    Ok(request.user_id.map(UserId::from))
}
