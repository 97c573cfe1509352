//! Requests among people: cover and swap (api.md "Cover request"; contract section 10).

use super::arrangement::{
    self, Arrangement, PublicationState, TurnSelection, check_operation_id, operation_id, period,
};
use super::body::{self, check_length, check_list, invalid, nullable_object, objects, present};
use super::conflict::{self, Conflict};
use super::moment::{Moment, UtcMoment};
use super::words::names;
use crate::domain::edit::{NewCover, NewLeg, NewSwap};
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::request as domain;
use crate::domain::shift::LegPreview;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest reason, in characters (api.md "Limits").
const REASON: usize = 2_000;
/// People whom one may ask at the most.
const RECIPIENTS: usize = 100;
/// The longest key of a leg, in characters.
const KEY: usize = 200;

names! {
    /// Where a request stands: `pending` until somebody accepts it, all recipients decline it, it is cancelled, or it
    /// expires, because its time has passed or somebody no longer holds what was to change hands. An accepted cover may be
    /// `ended` early.
    RequestState(domain::RequestState) of domain::RequestState::ALL
}

/// A request to cover a duty.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverRequest {
    pub id: String,
    pub rotation_id: String,
    /// Of a swap, the cell of the requester's shift.
    pub cell_id: String,
    pub requester_user_id: String,
    pub recipient_user_ids: Vec<String>,
    pub declined_user_ids: Vec<String>,
    /// Of a swap, where the first shift begins.
    pub from: Moment,
    /// Exclusive; of a swap, where the last shift ends.
    pub to: Moment,
    /// Empty where none was given.
    pub reason: String,
    /// Rises with every change; send it with a step.
    pub revision: u64,
    pub state: RequestState,
    pub accepted_user_id: Option<String>,
    /// What accepting made; of a swap, the arrangement over the requester's shift.
    pub arrangement_id: Option<String>,
}

/// A request to swap two shifts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwapRequest {
    #[serde(flatten)]
    pub request: CoverRequest,
    pub recipient_user_id: String,
    pub legs: Vec<SwapLeg>,
}

/// One shift of a swap.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwapLeg {
    /// How the requester calls it.
    pub key: String,
    pub cell_id: String,
    /// Who holds the shift as planned.
    pub holder_user_id: String,
    /// Who is to hold it.
    pub assignee_user_id: String,
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    /// Whether part of it has been served: accepting a pending swap then takes over the rest, and needs the key among
    /// `acknowledgedStartedLegKeys`.
    pub has_started: bool,
    /// What accepting made.
    pub arrangement_id: Option<String>,
}

/// What the caller may do with a request now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestCapability {
    pub can_accept: bool,
    pub can_decline: bool,
    pub can_cancel: bool,
    pub can_end: bool,
    /// Why there is nothing that the caller may do; null where there is something.
    pub reason: Option<String>,
}

/// A request with what the caller may do with it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Item")]
#[serde(rename_all = "camelCase")]
pub struct Item<T> {
    pub request: T,
    pub capability: RequestCapability,
    pub rotation_name: String,
}

/// What the caller may ask for in a cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CellCapability {
    pub cell_id: String,
    pub can_request: bool,
    /// Why not; null where they may.
    pub reason: Option<String>,
    /// The people whom they may ask.
    pub eligible_user_ids: Vec<String>,
}

/// The requests that meet a range, a page of them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List")]
#[serde(rename_all = "camelCase")]
pub struct RequestList<T> {
    /// At most 100, by where they end.
    pub items: Vec<Item<T>>,
    pub capabilities: Vec<CellCapability>,
    pub from: Moment,
    pub to: Moment,
    /// False where further pages follow.
    pub complete: bool,
    /// Pass it as `cursor`, with the same range, for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// What a write of a request came to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Written")]
#[serde(rename_all = "camelCase")]
pub struct RequestWritten<T> {
    pub operation_id: String,
    /// The rotation's version counter; the ETag is in the header.
    pub rotation_version: u64,
    /// The later of the request's start and now.
    pub effective_from: Moment,
    pub request: Item<T>,
    /// The arrangements that were made or changed.
    pub arrangements: Vec<Arrangement>,
    pub delivery_state: PublicationState,
}

/// What offering a swap would meet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwapPreview {
    pub legs: Vec<SwapPreviewLeg>,
    /// False while a conflict blocks or is not acknowledged. A swap may be offered all the same where none blocks:
    /// whoever accepts it acknowledges the rest.
    pub can_proceed: bool,
}

/// One shift of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwapPreviewLeg {
    pub key: String,
    pub assignee_user_id: String,
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    pub conflicts: Vec<Conflict>,
    /// False where a conflict blocks.
    pub can_acknowledge: bool,
    /// Whether every conflict of the leg is acknowledged.
    pub acknowledged: bool,
    pub has_started: bool,
}

fn cover(request: &domain::Request, leg: &domain::Leg) -> CoverRequest {
    let texts = |users: &[UserId]| users.iter().map(UserId::to_string).collect();
    let span = request.span();
    CoverRequest {
        id: request.id.to_string(),
        rotation_id: request.rotation.to_string(),
        cell_id: leg.cell.to_string(),
        requester_user_id: request.requester.to_string(),
        recipient_user_ids: texts(&request.recipients),
        declined_user_ids: texts(&request.declined),
        from: span.from.into(),
        to: span.until.into(),
        reason: request.reason.clone(),
        revision: request.revision,
        state: RequestState(request.state),
        accepted_user_id: request.accepted_by.as_ref().map(UserId::to_string),
        arrangement_id: leg.arrangement.as_ref().map(|id| id.to_string()),
    }
}

/// Renders a record; the instant decides which legs of a swap have begun.
pub trait Record: Sized {
    /// The record of a request of its kind.
    fn render(request: &domain::Request, now: Timestamp) -> Self;
}

impl Record for CoverRequest {
    fn render(request: &domain::Request, _: Timestamp) -> CoverRequest {
        cover(request, request.own_leg())
    }
}

impl Record for SwapRequest {
    fn render(request: &domain::Request, now: Timestamp) -> SwapRequest {
        let leg = |leg: &domain::Leg| SwapLeg {
            key: leg.key.clone().unwrap_or_default(),
            cell_id: leg.cell.to_string(),
            holder_user_id: leg.holder.to_string(),
            assignee_user_id: leg
                .assignee
                .as_ref()
                .map(UserId::to_string)
                .unwrap_or_default(),
            from: leg.period.from.into(),
            to: leg.period.until.into(),
            has_started: leg.has_started(now),
            arrangement_id: leg.arrangement.as_ref().map(|id| id.to_string()),
        };
        SwapRequest {
            request: cover(request, request.own_leg()),
            recipient_user_id: request.recipients.iter().map(UserId::to_string).collect(),
            legs: request.legs.iter().map(leg).collect(),
        }
    }
}

/// Renders a request with what the caller may do with it.
pub fn item<T: Record>(view: &domain::RequestView) -> Item<T> {
    let capability = &view.capability;
    Item {
        request: T::render(&view.request, view.now),
        capability: RequestCapability {
            can_accept: capability.can_accept,
            can_decline: capability.can_decline,
            can_cancel: capability.can_cancel,
            can_end: capability.can_end,
            reason: capability.reason.clone(),
        },
        rotation_name: view.rotation_name.clone(),
    }
}

/// Renders what a write of a request came to; `operation_id` is the caller's name for it.
pub fn written<T: Record>(
    operation_id: &str,
    written: &domain::RequestWritten,
) -> RequestWritten<T> {
    RequestWritten {
        operation_id: operation_id.to_owned(),
        rotation_version: written.rotation_version,
        effective_from: written.effective_from.into(),
        request: item(&written.request),
        arrangements: written
            .arrangements
            .iter()
            .map(arrangement::render)
            .collect(),
        delivery_state: arrangement::delivery_state(written.queued),
    }
}

/// Renders what offering a swap would meet.
pub fn swap_preview(legs: &[LegPreview]) -> SwapPreview {
    let leg = |leg: &LegPreview| SwapPreviewLeg {
        key: leg.key.clone(),
        assignee_user_id: leg.terms.user.to_string(),
        from: leg.terms.period.from.into(),
        to: leg.terms.period.until.into(),
        conflicts: conflict::render_all(&leg.conflicts),
        can_acknowledge: !leg.is_blocked(),
        acknowledged: leg.is_acknowledged,
        has_started: leg.has_started,
    };
    SwapPreview {
        can_proceed: legs
            .iter()
            .all(|leg| !leg.is_blocked() && leg.is_acknowledged),
        legs: legs.iter().map(leg).collect(),
    }
}

/// Renders what the caller may ask for in a cell.
pub fn cell_capability(capability: &domain::CellCapability) -> CellCapability {
    CellCapability {
        cell_id: capability.cell.to_string(),
        can_request: capability.why_not.is_none(),
        reason: capability.why_not.map(str::to_owned),
        eligible_user_ids: capability.eligible.iter().map(UserId::to_string).collect(),
    }
}

/// A duty that others are asked to cover.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverBody {
    /// Needed for the write: 1 to 128 characters, the same again only to retry the same write.
    #[serde(default)]
    #[schemars(length(min = 1, max = 128))]
    operation_id: Option<String>,
    cell_id: String,
    /// With offset zero. One that has passed reads as now.
    from: UtcMoment,
    /// With offset zero; exclusive, later than `from` and than now.
    to: UtcMoment,
    /// 1 to 100 people of the cell's roster, each once, not the requester.
    #[schemars(length(min = 1, max = 100))]
    recipient_user_ids: Vec<String>,
    /// At most 2,000 characters, for people to read.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(max = 2000))]
    reason: Option<String>,
    /// As the preview gave it, to record it.
    #[serde(default, deserialize_with = "nullable_object")]
    #[schemars(with = "Option<TurnSelection>")]
    turn_selection: Option<TurnSelection>,
    /// For a preview: ids of conflicts that somebody has seen.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    acknowledged_conflict_ids: Option<Vec<String>>,
}

/// Reads a duty to ask cover for, with the id of the operation where there is one.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_cover_preview(bytes: &[u8]) -> Result<NewCover, Refusal> {
    let body: CoverBody = body::parse(bytes)?;
    if let Some(id) = &body.operation_id {
        check_operation_id(id)?;
    }
    new_cover(body)
}

/// Reads a duty to ask cover for, with the id of the operation.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_cover(bytes: &[u8]) -> Result<(String, NewCover), Refusal> {
    let mut body: CoverBody = body::parse(bytes)?;
    let id = operation_id(body.operation_id.take())?;
    Ok((id, new_cover(body)?))
}

fn new_cover(body: CoverBody) -> Result<NewCover, Refusal> {
    check_length("reason", body.reason.as_deref(), REASON)?;
    if body.recipient_user_ids.is_empty() {
        return invalid("recipientUserIds: send at least one person to ask");
    }
    check_list("recipientUserIds", &body.recipient_user_ids, RECIPIENTS)?;
    Ok(NewCover {
        cell: body.cell_id.into(),
        asked: period("", body.from, body.to)?,
        recipients: body
            .recipient_user_ids
            .into_iter()
            .map(UserId::from)
            .collect(),
        reason: body.reason.unwrap_or_default(),
        turn_selection: body.turn_selection.map(TurnSelection::read),
        acknowledged: arrangement::acknowledged(
            "acknowledgedConflictIds",
            body.acknowledged_conflict_ids,
        )?,
    })
}

/// Two shifts to swap.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwapBody {
    /// Needed for the write: 1 to 128 characters, the same again only to retry the same write.
    #[serde(default)]
    #[schemars(length(min = 1, max = 128))]
    operation_id: Option<String>,
    /// Somebody else than the requester.
    recipient_user_id: String,
    /// Two full shifts, one held by each.
    #[serde(deserialize_with = "objects")]
    #[schemars(with = "Vec<LegBody>", length(min = 2, max = 2))]
    legs: Vec<LegBody>,
    /// At most 2,000 characters, for people to read.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(max = 2000))]
    reason: Option<String>,
    /// Ids of conflicts that the requester has seen.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    acknowledged_conflict_ids: Option<Vec<String>>,
}

/// One of the shifts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LegBody {
    /// 1 to 200 characters, another for each leg.
    #[schemars(length(min = 1, max = 200))]
    key: String,
    cell_id: String,
    /// Who holds the shift as planned.
    holder_user_id: String,
    /// With offset zero; later than now.
    from: UtcMoment,
    /// With offset zero; exclusive, at most six months from now.
    to: UtcMoment,
}

/// Reads two shifts to swap.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_swap_preview(bytes: &[u8]) -> Result<NewSwap, Refusal> {
    let body: SwapBody = body::parse(bytes)?;
    if let Some(id) = &body.operation_id {
        check_operation_id(id)?;
    }
    new_swap(body)
}

/// Reads two shifts to swap, with the id of the operation.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_swap(bytes: &[u8]) -> Result<(String, NewSwap), Refusal> {
    let mut body: SwapBody = body::parse(bytes)?;
    let id = operation_id(body.operation_id.take())?;
    Ok((id, new_swap(body)?))
}

fn new_swap(body: SwapBody) -> Result<NewSwap, Refusal> {
    check_length("reason", body.reason.as_deref(), REASON)?;
    if body.legs.len() != 2 {
        return invalid(format!("legs: send exactly two, not {}", body.legs.len()));
    }
    if body.legs[0].key == body.legs[1].key {
        return invalid("legs[1].key: the key of the other leg; send another");
    }
    let mut legs = Vec::new();
    for (index, leg) in body.legs.into_iter().enumerate() {
        let path = format!("legs[{index}].");
        if leg.key.is_empty() {
            return invalid(format!("{path}key: empty; send a name for the leg"));
        }
        check_length(&format!("{path}key"), Some(&leg.key), KEY)?;
        legs.push(NewLeg {
            period: period(&path, leg.from, leg.to)?,
            key: leg.key,
            cell: leg.cell_id.into(),
            holder: leg.holder_user_id.into(),
        });
    }
    let acknowledged =
        arrangement::acknowledged("acknowledgedConflictIds", body.acknowledged_conflict_ids)?;
    Ok(NewSwap {
        recipient: body.recipient_user_id.into(),
        legs,
        reason: body.reason.unwrap_or_default(),
        acknowledged,
    })
}
