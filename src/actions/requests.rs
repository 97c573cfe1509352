//! Reads cover and swap requests.

use super::{App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::AgreementContext;
use crate::domain::forecast::CellForecast;
use crate::domain::ids::{RequestId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::request::{CellCapability, Leg, Request, RequestKind, RequestView};
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::shift;
use crate::domain::time::Interval;
use crate::store::{self, Page, ReadTx, RequestFilter, RequestKey, RequestPosition};
use jiff::{SignedDuration, Timestamp};

/// How far ahead a list checks what the caller holds: the maximum range of a schedule.
const FORESIGHT: SignedDuration = SignedDuration::from_hours(366 * 24);

/// Requests per page.
const PAGE: usize = 100;

/// The start of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    First,
    Behind(RequestPosition),
    /// The cursor is invalid or belongs to another list or range.
    Unknown,
}

/// A page of requests, with the caller's permitted actions and possible requests in each cell.
#[derive(Clone, Debug)]
pub struct RequestPage {
    pub requests: Vec<RequestView>,
    pub capabilities: Vec<CellCapability>,
    /// Where it ends, if another page follows.
    pub next: Option<RequestPosition>,
}

/// The requests of one kind that overlap a range. Returns the rotation for its ETag.
///
/// # Errors
/// [`Refusal::InvalidCoverCursor`] for an unknown start, after the caller's access to the rotation is checked.
pub fn list(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    kind: RequestKind,
    range: Interval,
    start: Start,
) -> Result<(Rotation, RequestPage)> {
    reads::in_context(app, caller, id, |tx, context| {
        let behind = match start {
            Start::First => None,
            Start::Behind(position) => Some(position),
            Start::Unknown => return Err(Refusal::InvalidCoverCursor.into()),
        };
        let mut found = store::list_requests(tx, id, kind, range, behind, PAGE + 1)?;
        let more = found.len() > PAGE;
        found.truncate(PAGE);
        let next = found.last().filter(|_| more).map(|(_, position)| *position);
        let requests: Vec<&Request> = found.iter().map(|(request, _)| request).collect();
        let forecasts = forecasts(caller, context, &requests);
        let views = requests
            .into_iter()
            .map(|request| with_forecasts(caller, context, request, forecasts.as_deref()));
        Ok(RequestPage {
            requests: views.collect(),
            capabilities: capabilities(caller, context, range),
            next,
        })
    })
}

/// The pending requests of a rotation that was loaded, at most `limit`, those that begin first first.
///
/// # Errors
/// Where the caller may not see the rotation.
pub fn pending(
    app: &App,
    caller: &Principal,
    rotation: &Rotation,
    limit: usize,
) -> Result<Vec<Request>> {
    caller.check_see(rotation)?;
    let read = |tx: &ReadTx| store::list_pending_requests(tx, &rotation.id, limit);
    Ok(app.store().read(read)?)
}

/// A request and its rotation, for the ETag.
pub fn read(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    kind: RequestKind,
    request: &RequestId,
) -> Result<(Rotation, RequestView)> {
    reads::in_context(app, caller, id, |tx, context| {
        let found = load(tx, context.rotation, kind, request)?;
        Ok(view(caller, context, &found))
    })
}

/// A page of the requests of all rotations that the caller may see, newest first, and how many there are in all. Each is
/// then read by [`read`].
pub fn list_across(
    app: &App,
    caller: &Principal,
    filter: RequestFilter,
    page: Page,
) -> Result<(Vec<RequestKey>, u64)> {
    let filter = RequestFilter {
        visible: reads::visible_to(caller),
        ..filter
    };
    Ok(app
        .store()
        .read(|tx| store::list_requests_across(tx, &filter, page))?)
}

/// A request as the caller sees it.
pub(super) fn view(
    caller: &Principal,
    context: &AgreementContext,
    request: &Request,
) -> RequestView {
    let forecasts = forecasts(caller, context, &[request]);
    with_forecasts(caller, context, request, forecasts.as_deref())
}

/// The forecast of the cells for as long as the caller may accept any of the requests; `None` if it cannot be
/// computed.
fn forecasts(
    caller: &Principal,
    context: &AgreementContext,
    requests: &[&Request],
) -> Option<Vec<CellForecast>> {
    let open = |request: &&&Request| {
        let capability = request.capability(caller, context.rotation, context.now);
        capability.can_accept
    };
    let ends = requests
        .iter()
        .filter(open)
        .map(|request| request.span().until);
    ends.max().and_then(|until| context.forecasts(until).ok())
}

fn with_forecasts(
    caller: &Principal,
    context: &AgreementContext,
    request: &Request,
    forecasts: Option<&[CellForecast]>,
) -> RequestView {
    let mut capability = request.capability(caller, context.rotation, context.now);
    if let (Ok(person), Some(forecasts)) = (caller.person(), forecasts)
        && capability.can_accept
    {
        capability.can_accept = shift::may_take(context, request, person, forecasts);
    }
    let covered = |leg: &Leg| {
        let cell = context.rotation.slot_of(&leg.cell);
        cell.map_or_else(Vec::new, |cell| context.covered(cell, leg.period))
    };
    RequestView {
        covered: request.legs.iter().map(covered).collect(),
        request: request.clone(),
        capability,
        rotation_name: context.rotation.profile.name.clone(),
        now: context.now,
    }
}

/// The recipients whom the caller may ask in each running cell: people who hold it at some time in the future part of the range.
fn capabilities(
    caller: &Principal,
    context: &AgreementContext,
    range: Interval,
) -> Vec<CellCapability> {
    let rotation = context.rotation;
    let person = caller.person().ok();
    let foresight = Interval {
        from: context.now,
        until: context.now.checked_add(FORESIGHT).unwrap_or(Timestamp::MAX),
    };
    let rest = range.meets(foresight);
    let forecasts = person.and(rest).map(|rest| context.forecasts(rest.until));
    let why_not = |index: usize| -> Option<&'static str> {
        let Some(person) = person else {
            return Some("an API key has no duty to give away; use a member token");
        };
        match &forecasts {
            Some(Err(Refusal::RotationDisabled)) => Some("the rotation is disabled"),
            Some(Err(_)) => Some("too many hand-overs lie in the range; ask for a shorter one"),
            Some(Ok(forecasts))
                if rest.is_some_and(|rest| forecasts[index].is_held_some_time_by(person, rest)) =>
            {
                None
            }
            _ => Some("you do not hold this cell at that time"),
        }
    };
    let capability = |(index, cell): (usize, &Cell)| {
        let order = rotation.order(rotation.roster(cell.roster.as_ref()));
        let others = order
            .into_iter()
            .filter(|position| person.is_some_and(|person| &position.user != person));
        CellCapability {
            cell: cell.id.clone(),
            why_not: why_not(index),
            eligible: others.map(|position| position.user.clone()).collect(),
        }
    };
    let cells = rotation.cells.iter().enumerate();
    let running = cells.filter(|(_, cell)| !cell.stopped);
    running.map(capability).collect()
}

pub(super) fn load(
    tx: &ReadTx,
    rotation: &Rotation,
    kind: RequestKind,
    id: &RequestId,
) -> Result<Request> {
    let found = store::load_request(tx, &rotation.id, kind, id)?;
    Ok(found.ok_or(Refusal::NotFound(kind.noun()))?)
}
