//! Cover and swap requests as their readers see them.

use super::{App, Stop, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::AgreementContext;
use crate::domain::forecast::CellForecast;
use crate::domain::ids::{RequestId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::request::{CellCapability, Request, RequestKind, RequestView};
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::shift;
use crate::domain::time::Interval;
use crate::store::{self, ReadTx, RequestPosition};
use jiff::{SignedDuration, Timestamp};

/// How far ahead a list looks for what the caller holds: as far as a schedule may be asked for.
const FORESIGHT: SignedDuration = SignedDuration::from_hours(366 * 24);

/// Requests on one page.
const PAGE: usize = 100;

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    First,
    Behind(RequestPosition),
    /// A cursor was sent that was not given for this list and range.
    Unknown,
}

/// A page of requests, with what the caller may do with each and ask for in each cell.
#[derive(Clone, Debug)]
pub struct RequestPage {
    pub requests: Vec<RequestView>,
    pub capabilities: Vec<CellCapability>,
    /// Where it ends, if another one follows.
    pub next: Option<RequestPosition>,
}

/// The requests of one kind that meet a range. The rotation is answered for its validator.
///
/// # Errors
/// [`Refusal::InvalidCoverCursor`] for an unknown start, once the rotation is known to be there for the caller.
pub fn list(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    kind: RequestKind,
    range: Interval,
    start: Start,
) -> Result<(Rotation, RequestPage), Stop> {
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

/// One request, with its rotation for the validator.
pub fn read(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    kind: RequestKind,
    request: &RequestId,
) -> Result<(Rotation, RequestView), Stop> {
    reads::in_context(app, caller, id, |tx, context| {
        let found = load(tx, context.rotation, kind, request)?;
        Ok(view(caller, context, &found))
    })
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

/// The forecast of the cells for as long as the caller may accept any of the requests; `None` where that is not to be
/// known.
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
    RequestView {
        request: request.clone(),
        capability,
        rotation_name: context.rotation.profile.name.clone(),
        now: context.now,
    }
}

/// What the caller may ask for in each running cell: those who hold it at some time of the range that is still to come.
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
) -> Result<Request, Stop> {
    let found = store::load_request(tx, &rotation.id, kind, id)?;
    Ok(found.ok_or(Refusal::NotFound(kind.noun()))?)
}
