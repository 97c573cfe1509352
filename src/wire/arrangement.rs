//! Arrangements and direct assignments (rules.md 8).

use super::body::{self, invalid, nullable_object, present};
use super::conflict::{self, Conflict};
use super::moment::{Moment, UtcMoment};
use super::schedule::{self, Covered};
use super::strict::{Strict, strict};
use crate::domain::agreement::Preview;
use crate::domain::arrangement::{self as domain, TurnKind};
use crate::domain::edit::{Answering, NewAssignment, Replaced};
use crate::domain::fault::Fault;
use crate::domain::ids::ArrangementId;
use crate::domain::limits::check_operation_id;
use crate::domain::refusal::Refusal;
use crate::domain::time::Interval;
use crate::domain::words::words;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::marker::PhantomData;

strict! {
    AssignmentRequest => Arrangement,
    TurnSelection,
}

words! {
    /// The state of an arrangement.
    pub enum ArrangementState {
        /// In effect. Its interval may be over.
        Active = "active",
        Cancelled = "cancelled",
    }
}

words! {
    /// Whether the write queued change events.
    pub enum PublicationState {
        /// The write queued an event.
        Pending = "pending",
        /// The write queued no event.
        Published = "published",
    }
}

/// Gives a cell to a person for an interval, over the dealt turn.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arrangement {
    pub id: String,
    pub rotation_id: String,
    pub cell_id: String,
    pub user_id: String,
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    /// Increases with every change. Send it to change or end the arrangement.
    pub revision: u64,
    pub state: ArrangementState,
    pub kind: domain::ArrangementKind,
    pub origin: Option<Origin>,
    pub original_snapshot: Option<Snapshot>,
    pub turn_selection: Option<TurnSelection>,
}

/// The people whom the arrangement replaces.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// In the order in which they would have come on call.
    pub user_ids: Vec<String>,
    /// False if there may be more people.
    pub complete: bool,
}

/// The planned holders of the cell before the arrangement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    pub as_of_utc: Moment,
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    /// False if there were more segments.
    pub complete: bool,
    pub segments: Vec<Segment>,
}

/// One interval of a snapshot, with its holder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Segment {
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    /// Empty if nobody would have been on call.
    pub user_ids: Vec<String>,
    /// Whether the holder is known.
    pub resolved: bool,
}

/// The turn that an interval takes over.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnSelection {
    pub kind: TurnKind,
    /// The start of the original turn, even if part of the turn has passed.
    pub from: UtcMoment,
    /// Exclusive.
    pub to: UtcMoment,
}

impl TurnSelection {
    /// Converts to the domain value. Whether the interval is a planned turn is checked against the forecast.
    pub(super) fn read(self) -> domain::TurnSelection {
        domain::TurnSelection {
            kind: self.kind,
            turn: Interval::new(self.from.0, self.to.0),
        }
    }

    /// Renders a turn selection.
    pub fn of(selection: &domain::TurnSelection) -> TurnSelection {
        TurnSelection {
            kind: selection.kind,
            from: UtcMoment(selection.turn.from),
            to: UtcMoment(selection.turn.until),
        }
    }
}

/// Renders an arrangement.
pub fn render(arrangement: &domain::Arrangement) -> Arrangement {
    let snapshot = &arrangement.snapshot;
    let segment = |segment: &domain::Segment| Segment {
        from: segment.period.from.into(),
        to: segment.period.until.into(),
        user_ids: segment.user.iter().map(|user| user.to_string()).collect(),
        resolved: true,
    };
    Arrangement {
        id: arrangement.id.to_string(),
        rotation_id: arrangement.rotation.to_string(),
        cell_id: arrangement.cell.to_string(),
        user_id: arrangement.user.to_string(),
        from: arrangement.period.from.into(),
        to: arrangement.period.until.into(),
        revision: arrangement.revision,
        state: match arrangement.cancelled {
            false => ArrangementState::Active,
            true => ArrangementState::Cancelled,
        },
        kind: arrangement.kind,
        origin: Some(Origin {
            user_ids: snapshot
                .people()
                .into_iter()
                .map(|user| user.to_string())
                .collect(),
            complete: snapshot.complete,
        }),
        original_snapshot: Some(Snapshot {
            as_of_utc: snapshot.as_of.into(),
            from: snapshot.period.from.into(),
            to: snapshot.period.until.into(),
            complete: snapshot.complete,
            segments: snapshot.segments.iter().map(segment).collect(),
        }),
        turn_selection: arrangement.turn_selection.as_ref().map(TurnSelection::of),
    }
}

/// The result of previewing an arrangement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgreementPreview {
    /// The later of the requested start and now.
    pub effective_from: Moment,
    /// Exclusive.
    pub to: Moment,
    /// The covered hours in between, which are those that count. At most 200.
    pub covered: Vec<Covered>,
    pub conflicts: Vec<Conflict>,
    /// False while a conflict blocks or is not acknowledged. A cover may still be requested unless a conflict blocks: the
    /// person who accepts it acknowledges the rest.
    pub can_commit: bool,
    /// Copy it into the write to store it with the arrangement.
    pub turn_selection: Option<TurnSelection>,
}

/// Renders a preview.
pub fn preview(preview: &Preview) -> AgreementPreview {
    let leg = preview.first();
    AgreementPreview {
        effective_from: leg.period.from.into(),
        to: leg.period.until.into(),
        covered: schedule::covered(&leg.covered),
        conflicts: conflict::render_all(&leg.conflicts),
        can_commit: leg.is_free(),
        turn_selection: leg.selection.as_ref().map(TurnSelection::of),
    }
}

/// The result of writing an arrangement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArrangementWritten {
    pub operation_id: String,
    /// The rotation's version counter. The ETag is in the header.
    pub rotation_version: u64,
    /// When the write takes effect.
    pub effective_from: Moment,
    /// The records that changed: those cancelled, and those that replaced them.
    pub arrangements: Vec<Arrangement>,
    pub delivery_state: PublicationState,
}

/// Renders the result of a write of arrangements. `operation_id` is the id that the caller sent.
pub fn written(operation_id: &str, written: &domain::ArrangementWritten) -> ArrangementWritten {
    ArrangementWritten {
        operation_id: operation_id.to_owned(),
        rotation_version: written.rotation_version,
        effective_from: written.effective_from.into(),
        arrangements: written.arrangements.iter().map(render).collect(),
        delivery_state: delivery_state(written.queued),
    }
}

/// Renders whether a write queued events.
pub(super) fn delivery_state(queued: bool) -> PublicationState {
    match queued {
        true => PublicationState::Pending,
        false => PublicationState::Published,
    }
}

/// An assignment of a cell to a person for an interval.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssignmentRequest {
    /// Required for writes, 1 to 128 characters. Send the same id again only to retry the same write.
    #[serde(default)]
    #[schemars(length(min = 1, max = 128))]
    operation_id: Option<String>,
    cell_id: String,
    /// A person in the cell's roster.
    user_id: String,
    /// With offset zero. A past instant means now.
    from: UtcMoment,
    /// With offset zero. Exclusive. Must be later than `from` and than now.
    to: UtcMoment,
    /// Required to change an arrangement: the revision that you read.
    #[serde(default)]
    expected_revision: Option<u64>,
    /// Copied from the preview, to store it with the arrangement.
    #[serde(default, deserialize_with = "nullable_object")]
    #[schemars(with = "Option<TurnSelection>")]
    turn_selection: Option<TurnSelection>,
    /// Ids of the conflicts to acknowledge.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    acknowledged_conflict_ids: Option<Vec<String>>,
    /// For a preview: the arrangement that this one would replace.
    #[serde(default)]
    arrangement_id: Option<String>,
}

/// A write body whose operation id is required. A preview of the same body does not require it.
pub struct WithOperationId<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for WithOperationId<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}WithOperationId", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let body = generator.subschema_for::<T>();
        json_schema!({ "allOf": [body, { "required": ["operationId"] }] })
    }
}

/// Reads an assignment to preview.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_preview(bytes: &[u8]) -> Result<NewAssignment, Refusal> {
    let mut request: AssignmentRequest = body::parse(bytes)?;
    if let Some(id) = &request.operation_id {
        check_operation_id(id)?;
    }
    let replaced = request.arrangement_id.take();
    let replaces = replaced.map(|id| Replaced {
        arrangement: id.into(),
        expected_revision: request.expected_revision.unwrap_or_default(),
    });
    assignment(request, replaces)
}

/// Reads an assignment to create, and its operation id.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_new(bytes: &[u8]) -> Result<(String, NewAssignment), Refusal> {
    let mut request: AssignmentRequest = body::parse(bytes)?;
    let id = operation_id(request.operation_id.take())?;
    Ok((id, assignment(request, None)?))
}

/// Reads an assignment that replaces another, and its operation id.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_change(
    bytes: &[u8],
    arrangement: ArrangementId,
) -> Result<(String, NewAssignment), Refusal> {
    let mut request: AssignmentRequest = body::parse(bytes)?;
    let id = operation_id(request.operation_id.take())?;
    let Some(expected_revision) = request.expected_revision else {
        return invalid(
            "expectedRevision",
            Fault::Missing("send the revision that you read".into()),
        );
    };
    let replaces = Some(Replaced {
        arrangement,
        expected_revision,
    });
    Ok((id, assignment(request, replaces)?))
}

fn assignment(
    request: AssignmentRequest,
    replaces: Option<Replaced>,
) -> Result<NewAssignment, Refusal> {
    let new = NewAssignment {
        cell: request.cell_id.into(),
        user: request.user_id.into(),
        asked: Interval::new(request.from.0, request.to.0),
        turn_selection: request.turn_selection.map(TurnSelection::read),
        acknowledged: request.acknowledged_conflict_ids.unwrap_or_default(),
        replaces,
        imported: false,
    };
    new.checked()
}

/// An action on a record at a known revision.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepRequest {
    /// 1 to 128 characters. Send the same id again only to retry the same write.
    #[serde(default)]
    #[schemars(required, with = "String", length(min = 1, max = 128))]
    operation_id: Option<String>,
    /// The revision that you read.
    expected_revision: u64,
    /// To accept: ids of the conflicts to acknowledge.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    acknowledged_conflict_ids: Option<Vec<String>>,
    /// To accept a swap: keys of the legs that have begun.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    acknowledged_started_leg_keys: Option<Vec<String>>,
}

/// An action on a record of type `R`, whose members it may repeat.
struct Step<R>(StepRequest, PhantomData<R>);

impl<'de, R> Deserialize<'de> for Step<R> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Step<R>, D::Error> {
        StepRequest::deserialize(from).map(|request| Step(request, PhantomData))
    }
}

impl<R: JsonSchema + 'static> Strict for Step<R> {
    type Shown = R;
}

/// Reads an action on a record of type `R`, and its operation id.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_step<R: JsonSchema + 'static>(bytes: &[u8]) -> Result<(String, Answering), Refusal> {
    let Step(request, _) = body::parse::<Step<R>>(bytes)?;
    let answering = Answering {
        expected_revision: request.expected_revision,
        acknowledged: request.acknowledged_conflict_ids.unwrap_or_default(),
        started_legs: request.acknowledged_started_leg_keys.unwrap_or_default(),
    };
    let answering = answering.checked()?;
    Ok((operation_id(request.operation_id)?, answering))
}

pub(super) fn operation_id(sent: Option<String>) -> Result<String, Refusal> {
    match sent {
        Some(id) => check_operation_id(&id).map(|()| id),
        None => invalid(
            "operationId",
            Fault::Missing("send an id of your own, the same on every retry".into()),
        ),
    }
}

/// A digest that identifies a write: the operation, the values of its path, and its body in canonical form. Whitespace and
/// the order of members do not change it.
pub fn body_hash(operation: &str, path: &[&str], body: &[u8]) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(serde_json::json!([operation, path]).to_string());
    // Unread members may contain invalid JSON. In that case the raw bytes are hashed.
    match serde_json::from_slice::<serde_json::Value>(body) {
        Ok(body) => digest.update(body.to_string()),
        Err(_) => digest.update(body),
    }
    digest.finalize().into()
}
