//! Accepts a request: the future part of every leg changes hands.

use super::arrangements::insert_over;
use super::draft::Draft;
use super::request_writes::{Notify, Outcome, set_state};
use super::{App, Result, overview, reads, requests};
use crate::domain::access::Principal;
use crate::domain::agreement::{AgreementContext, check_conflicts};
use crate::domain::arrangement::{Arranged, Arrangement, ArrangementKind, Snapshot, TurnSelection};
use crate::domain::conflict::{Conflict, Terms};
use crate::domain::edit::Answering;
use crate::domain::forecast::CellForecast;
use crate::domain::ids::{ArrangementId, RequestId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::request::{Leg, Request, RequestKind, RequestState, Step};
use crate::domain::shift::{self, Shift};
use crate::store::{self, WriteTx};
use crate::wire::etag;

/// Accepts a request: the future part of every leg changes hands in one change, or nothing does.
pub(super) fn accept(
    tx: &mut WriteTx,
    draft: &mut Draft,
    request: &mut Request,
    person: &UserId,
    answering: &Answering,
) -> Result<Outcome> {
    let acknowledged: Vec<String> = request
        .acknowledged
        .iter()
        .chain(&answering.acknowledged)
        .cloned()
        .collect();
    request.legs = shift::taken(request, person);
    let context = draft.context(tx);
    let (shifts, forecasts) = check(&context, &request.legs)?;
    for leg in &request.legs {
        let key = leg.key.clone().unwrap_or_default();
        let named = leg.key.is_none() || answering.started_legs.contains(&key);
        if leg.has_started(context.now) && !named {
            return Err(Refusal::StartedLegNotAcknowledged(key).into());
        }
    }
    let conflicts = shifts
        .iter()
        .flat_map(|shift| shift.conflicts(&context, &etag::conflict_id));
    check_conflicts(&conflicts.collect::<Vec<_>>(), &acknowledged)?;
    let ids = arrangement_ids(tx, request);
    let mut made = Vec::new();
    for (shift, id) in shifts.iter().zip(&ids) {
        let selection = forecasts[shift.cell].selection(shift.terms.period, context.now);
        let snapshot = context.snapshot(shift.cell, shift.terms.period)?;
        made.push(arrangement(request, id, shift, snapshot, selection));
    }
    for (leg, id) in request.legs.iter_mut().zip(&ids) {
        leg.arrangement = Some(id.clone());
    }
    for leg in &request.legs {
        let users: Vec<&UserId> = leg.assignee.iter().chain([&leg.holder]).collect();
        draft.tell_otherwise(&leg.cell, &users, leg.period);
    }
    let mut changed = ids;
    let terms: Vec<Terms> = shifts.into_iter().map(|shift| shift.terms).collect();
    changed.extend(cut_overlaps(tx, draft, made, &terms)?);
    request.declined.retain(|declined| declined != person);
    request.accepted_by = Some(person.clone());
    set_state(draft, request, RequestState::Accepted);
    Ok(Outcome::arranged(changed, Notify::Accepted))
}

/// Checks that the legs can change hands: their holders hold them as planned, and nobody is on call twice at once.
fn check(
    context: &AgreementContext,
    legs: &[Leg],
) -> Result<(Vec<Shift>, Vec<CellForecast>), Refusal> {
    let shifts = shift::shifts(context, legs, |_| String::new())?;
    let forecasts = context.forecasts(shift::last_end(&shifts))?;
    shift::check_single(context, &shifts, &forecasts)?;
    shift::check_held(&shifts, &forecasts)?;
    Ok((shifts, forecasts))
}

/// The conflicts and legs that somebody has to acknowledge to accept a request.
#[derive(Clone, Debug)]
pub struct ToAcknowledge {
    pub conflicts: Vec<Conflict>,
    /// Keys of the legs that have begun; a cover has none.
    pub started_legs: Vec<String>,
    /// The revision of the request that this is about.
    pub revision: u64,
}

/// The acknowledgements that the caller needs to accept a request now. Changes nothing.
///
/// # Errors
/// The refusals of accepting, except for what can be acknowledged.
pub fn preview(
    app: &App,
    caller: &Principal,
    rotation: &RotationId,
    id: &RequestId,
) -> Result<ToAcknowledge> {
    let kind = overview::kind_of(id);
    let (_, found) = reads::in_context(app, caller, rotation, |tx, context| {
        let request = requests::load(tx, context.rotation, kind, id)?;
        request.check_part(Step::Accept, caller, context.rotation)?;
        request.check_state(Step::Accept, context.rotation, context.now)?;
        let legs = shift::taken(&request, caller.person()?);
        let (shifts, _) = check(context, &legs)?;
        let conflicts = shifts
            .iter()
            .flat_map(|shift| shift.conflicts(context, &etag::conflict_id));
        let is_new = |conflict: &Conflict| !request.acknowledged.contains(&conflict.id);
        let begun = legs.iter().filter(|leg| leg.has_started(context.now));
        Ok(ToAcknowledge {
            conflicts: conflicts.filter(is_new).collect(),
            started_legs: begun.filter_map(|leg| leg.key.clone()).collect(),
            revision: request.revision,
        })
    })?;
    Ok(found)
}

fn arrangement_ids(tx: &mut WriteTx, request: &Request) -> Vec<ArrangementId> {
    let legs = request.legs.iter();
    legs.map(|_| ArrangementId::from(tx.mint("arr_"))).collect()
}

/// The arrangement for one leg.
fn arrangement(
    request: &Request,
    id: &ArrangementId,
    shift: &Shift,
    snapshot: Snapshot,
    selection: Option<TurnSelection>,
) -> Arrangement {
    let (kind, turn_selection) = match request.kind {
        // A cover has one only if its requester recorded it. If the duty has begun, it is the rest of the turn.
        RequestKind::Cover => {
            let recorded = request.turn_selection.and(selection);
            (ArrangementKind::AcceptedCover, recorded)
        }
        RequestKind::Swap => (ArrangementKind::SwapLeg, selection),
    };
    Arrangement {
        id: id.clone(),
        rotation: request.rotation.clone(),
        cell: shift.terms.cell.clone(),
        user: shift.terms.user.clone(),
        period: shift.terms.period,
        revision: 1,
        cancelled: false,
        kind,
        request: Some(request.id.clone()),
        snapshot,
        turn_selection,
    }
}

/// Removes the overlapping parts of existing arrangements and returns which were cut. If one is cut in the middle, its later
/// part becomes a new arrangement.
fn cut_overlaps(
    tx: &mut WriteTx,
    draft: &mut Draft,
    made: Vec<Arrangement>,
    terms: &[Terms],
) -> Result<Vec<ArrangementId>> {
    let mut arranged = draft.rotation.arranged.clone();
    let mut cut = Vec::new();
    for terms in terms {
        let (over, mut left): (Vec<_>, Vec<_>) = arranged.into_iter().partition(|other| {
            other.cell == terms.cell && other.period.meets(terms.period).is_some()
        });
        for other in over {
            cut.push(other.id.clone());
            let mut pieces = other.without(terms.period).into_iter();
            let mut piece = |id: ArrangementId, period| {
                left.push(Arranged {
                    id,
                    period,
                    ..other.clone()
                });
            };
            if let Some(first) = pieces.next() {
                piece(other.id.clone(), first);
            }
            if let Some(second) = pieces.next() {
                let whole = store::load_arrangement(&tx.as_read(), &draft.rotation.id, &other.id)?;
                let whole = whole.ok_or(Refusal::NotFound("arrangement"))?;
                let later = Arrangement {
                    id: ArrangementId::from(tx.mint("arr_")),
                    period: second,
                    revision: 1,
                    turn_selection: None,
                    ..whole
                };
                let by = store::load_arrangement_maker(&tx.as_read(), &other.id)?;
                store::insert_arrangement(tx, &later, by.as_ref())?;
                cut.push(later.id.clone());
                piece(later.id, second);
            }
        }
        arranged = left;
    }
    insert_over(tx, draft, made, |there| *there = arranged)?;
    Ok(cut)
}
