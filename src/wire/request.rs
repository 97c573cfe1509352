//! Cover and swap requests (rules.md 9).

use super::arrangement::{self, Arrangement, PublicationState, TurnSelection, operation_id};
use super::body::{self, nullable_object, objects, present};
use super::conflict::{self, Conflict};
use super::moment::{Moment, UtcMoment};
use super::roster::ids;
use super::schedule::{self, Covered};
use super::strict::strict;
use crate::domain::agreement::{LegPreview, Preview};
use crate::domain::edit::{NewCover, NewLeg, NewSwap};
use crate::domain::ids::UserId;
use crate::domain::limits::check_operation_id;
use crate::domain::refusal::Refusal;
use crate::domain::request as domain;
use crate::domain::time::{Interval, joined};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict! {
    CoverBody => CoverRequest,
    SwapBody => SwapRequest,
    LegBody => SwapLeg,
}

/// A request to cover a duty.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverRequest {
    pub id: String,
    pub rotation_id: String,
    /// For a swap, the cell of the requester's shift.
    pub cell_id: String,
    pub requester_user_id: String,
    pub recipient_user_ids: Vec<String>,
    pub declined_user_ids: Vec<String>,
    /// For a swap, the start of the first shift.
    pub from: Moment,
    /// Exclusive. For a swap, the end of the last shift.
    pub to: Moment,
    /// Empty if no reason was given.
    pub reason: String,
    /// Increases with every change. Send it with each action.
    pub revision: u64,
    pub state: domain::RequestState,
    pub accepted_user_id: Option<String>,
    /// The arrangement that accepting created. For a swap, the one over the requester's shift.
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
    /// The requester's name for the leg.
    pub key: String,
    pub cell_id: String,
    /// The planned holder of the shift.
    pub holder_user_id: String,
    /// The person who takes over the shift.
    pub assignee_user_id: String,
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    /// Whether the shift has begun. Accepting a pending swap then takes over the rest, and requires the key in
    /// `acknowledgedStartedLegKeys`.
    pub has_started: bool,
    /// The covered hours of the shift, by the hours as they are now. At most 200.
    pub covered: Vec<Covered>,
    /// The arrangement that accepting created.
    pub arrangement_id: Option<String>,
}

/// A request, and what the caller may do with it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Item")]
#[serde(rename_all = "camelCase")]
pub struct Item<T> {
    pub request: T,
    pub capability: domain::Capability,
    pub rotation_name: String,
    /// The covered hours that the request is about, by the hours as they are now: those that count. At most 200, of a swap 200 of
    /// each shift. None once the cell is deleted.
    pub covered: Vec<Covered>,
}

/// A request of any type, and what the caller may do with it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestItem {
    #[serde(rename = "type")]
    pub kind: domain::RequestKind,
    #[serde(flatten)]
    pub item: Item<AnyRequest>,
}

/// A cover request or a swap request, as `type` says.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AnyRequest {
    Swap(SwapRequest),
    Cover(CoverRequest),
}

/// What the caller may request in a cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CellCapability {
    pub cell_id: String,
    pub can_request: bool,
    /// Why not; null if allowed.
    pub reason: Option<String>,
    /// The people who may be asked.
    pub eligible_user_ids: Vec<String>,
}

/// A page of the requests that overlap a range.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List")]
#[serde(rename_all = "camelCase")]
pub struct RequestList<T> {
    /// At most 100, ordered by end.
    pub items: Vec<Item<T>>,
    pub capabilities: Vec<CellCapability>,
    pub from: Moment,
    pub to: Moment,
    /// False if further pages follow.
    pub complete: bool,
    /// Send it as `cursor`, with the same range, for the next page. Null on the last page.
    pub next_cursor: Option<String>,
}

/// The result of a write of a request.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Written")]
#[serde(rename_all = "camelCase")]
pub struct RequestWritten<T> {
    pub operation_id: String,
    /// The rotation's version counter. The ETag is in the header.
    pub rotation_version: u64,
    /// The later of the request's start and now.
    pub effective_from: Moment,
    pub request: Item<T>,
    /// The arrangements that were created or changed.
    pub arrangements: Vec<Arrangement>,
    pub delivery_state: PublicationState,
}

/// The result of previewing a swap.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwapPreview {
    pub legs: Vec<SwapPreviewLeg>,
    /// False while a conflict blocks or is not acknowledged. A swap may still be requested unless a conflict blocks: the
    /// person who accepts it acknowledges the rest.
    pub can_proceed: bool,
}

/// One shift of a previewed swap.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwapPreviewLeg {
    pub key: String,
    pub assignee_user_id: String,
    pub from: Moment,
    /// Exclusive.
    pub to: Moment,
    /// The covered hours of the shift. At most 200.
    pub covered: Vec<Covered>,
    pub conflicts: Vec<Conflict>,
    /// False if a conflict blocks.
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
        state: request.state,
        accepted_user_id: request.accepted_by.as_ref().map(UserId::to_string),
        arrangement_id: leg.arrangement.as_ref().map(|id| id.to_string()),
    }
}

/// Renders a request of one kind.
pub trait Record: Serialize + JsonSchema + 'static {
    /// Its kind.
    const KIND: domain::RequestKind;

    /// Renders a request.
    fn render(view: &domain::RequestView) -> Self;
}

impl Record for CoverRequest {
    const KIND: domain::RequestKind = domain::RequestKind::Cover;

    fn render(view: &domain::RequestView) -> CoverRequest {
        cover(&view.request, view.request.own_leg())
    }
}

impl Record for SwapRequest {
    const KIND: domain::RequestKind = domain::RequestKind::Swap;

    fn render(view: &domain::RequestView) -> SwapRequest {
        let request = &view.request;
        let leg = |(leg, covered): (&domain::Leg, &Vec<Interval>)| SwapLeg {
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
            has_started: leg.has_started(view.now),
            covered: schedule::covered(covered),
            arrangement_id: leg.arrangement.as_ref().map(|id| id.to_string()),
        };
        SwapRequest {
            request: cover(request, request.own_leg()),
            recipient_user_id: request.recipients.iter().map(UserId::to_string).collect(),
            legs: request.legs.iter().zip(&view.covered).map(leg).collect(),
        }
    }
}

/// Renders a request of any type, and what the caller may do with it.
pub fn any_item(view: &domain::RequestView) -> RequestItem {
    let kind = view.request.kind;
    let request = match kind {
        domain::RequestKind::Cover => AnyRequest::Cover(CoverRequest::render(view)),
        domain::RequestKind::Swap => AnyRequest::Swap(SwapRequest::render(view)),
    };
    RequestItem {
        kind,
        item: beside(view, request),
    }
}

/// Renders a request, and what the caller may do with it.
pub fn item<T: Record>(view: &domain::RequestView) -> Item<T> {
    beside(view, T::render(view))
}

/// What stands beside a request that is rendered.
fn beside<T>(view: &domain::RequestView, request: T) -> Item<T> {
    Item {
        request,
        capability: view.capability.clone(),
        rotation_name: view.rotation_name.clone(),
        covered: schedule::covered(&joined(view.covered.concat())),
    }
}

/// Renders the result of a write of a request. `operation_id` is the id that the caller sent.
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

/// Renders the preview of a swap.
pub fn swap_preview(preview: &Preview) -> SwapPreview {
    let leg = |leg: &LegPreview| SwapPreviewLeg {
        key: leg.key.clone().unwrap_or_default(),
        assignee_user_id: leg.user.iter().map(UserId::to_string).collect(),
        from: leg.period.from.into(),
        to: leg.period.until.into(),
        covered: schedule::covered(&leg.covered),
        conflicts: conflict::render_all(&leg.conflicts),
        can_acknowledge: !leg.is_blocked(),
        acknowledged: leg.is_acknowledged,
        has_started: leg.has_started,
    };
    SwapPreview {
        can_proceed: preview.legs.iter().all(LegPreview::is_free),
        legs: preview.legs.iter().map(leg).collect(),
    }
}

/// Renders what the caller may request in a cell.
pub fn cell_capability(capability: &domain::CellCapability) -> CellCapability {
    CellCapability {
        cell_id: capability.cell.to_string(),
        can_request: capability.why_not.is_none(),
        reason: capability.why_not.map(str::to_owned),
        eligible_user_ids: capability.eligible.iter().map(UserId::to_string).collect(),
    }
}

/// A cover request to create or preview.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverBody {
    /// Required for the write, 1 to 128 characters. Send the same id again only to retry the same write.
    #[serde(default)]
    #[schemars(length(min = 1, max = 128))]
    operation_id: Option<String>,
    cell_id: String,
    /// With offset zero. A past instant means now.
    from: UtcMoment,
    /// With offset zero. Exclusive. Must be later than `from` and than now.
    to: UtcMoment,
    /// 1 to 100 people of the cell's roster, without duplicates and without the requester.
    #[schemars(length(min = 1, max = 100))]
    recipient_user_ids: Vec<String>,
    /// Free text of at most 2,000 characters.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(max = 2000))]
    reason: Option<String>,
    /// Copied from the preview, to store it with the request.
    #[serde(default, deserialize_with = "nullable_object")]
    #[schemars(with = "Option<TurnSelection>")]
    turn_selection: Option<TurnSelection>,
    /// For a preview: ids of the conflicts to acknowledge.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    acknowledged_conflict_ids: Option<Vec<String>>,
}

/// Reads a cover request to preview, and its operation id if present.
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

/// Reads a cover request to create, and its operation id.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_cover(bytes: &[u8]) -> Result<(String, NewCover), Refusal> {
    let mut body: CoverBody = body::parse(bytes)?;
    let id = operation_id(body.operation_id.take())?;
    Ok((id, new_cover(body)?))
}

fn new_cover(body: CoverBody) -> Result<NewCover, Refusal> {
    let new = NewCover {
        cell: body.cell_id.into(),
        asked: Interval::new(body.from.0, body.to.0),
        recipients: ids(body.recipient_user_ids),
        reason: body.reason.unwrap_or_default(),
        turn_selection: body.turn_selection.map(TurnSelection::read),
        acknowledged: body.acknowledged_conflict_ids.unwrap_or_default(),
    };
    new.checked()
}

/// A swap request to create or preview.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SwapBody {
    /// Required for the write, 1 to 128 characters. Send the same id again only to retry the same write.
    #[serde(default)]
    #[schemars(length(min = 1, max = 128))]
    operation_id: Option<String>,
    /// A person other than the requester.
    recipient_user_id: String,
    /// Two full shifts, one held by each person.
    #[serde(deserialize_with = "objects")]
    #[schemars(with = "Vec<LegBody>", length(min = 2, max = 2))]
    legs: Vec<LegBody>,
    /// Free text of at most 2,000 characters.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String", length(max = 2000))]
    reason: Option<String>,
    /// Ids of the conflicts that the requester acknowledges.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    acknowledged_conflict_ids: Option<Vec<String>>,
}

/// One shift of a swap to create or preview.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LegBody {
    /// 1 to 200 characters, different for each leg.
    #[schemars(length(min = 1, max = 200))]
    key: String,
    cell_id: String,
    /// The planned holder of the shift.
    holder_user_id: String,
    /// With offset zero. Must be later than now.
    from: UtcMoment,
    /// With offset zero. Exclusive. At most six months from now.
    to: UtcMoment,
}

/// Reads a swap request to preview.
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

/// Reads a swap request to create, and its operation id.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_swap(bytes: &[u8]) -> Result<(String, NewSwap), Refusal> {
    let mut body: SwapBody = body::parse(bytes)?;
    let id = operation_id(body.operation_id.take())?;
    Ok((id, new_swap(body)?))
}

fn new_swap(body: SwapBody) -> Result<NewSwap, Refusal> {
    let leg = |leg: LegBody| NewLeg {
        period: Interval::new(leg.from.0, leg.to.0),
        key: leg.key,
        cell: leg.cell_id.into(),
        holder: leg.holder_user_id.into(),
    };
    let new = NewSwap {
        recipient: body.recipient_user_id.into(),
        legs: body.legs.into_iter().map(leg).collect(),
        reason: body.reason.unwrap_or_default(),
        acknowledged: body.acknowledged_conflict_ids.unwrap_or_default(),
    };
    new.checked()
}
