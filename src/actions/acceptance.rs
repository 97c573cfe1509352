//! Accepting a request: what is still to come of every leg changes hands (contract section 10 and section 17 "Cover,
//! swap").

use super::Stop;
use super::assignments::lay;
use super::mutation::Draft;
use super::requests::{Notify, Outcome, settle};
use crate::domain::agreement::{AgreementContext, check_conflicts};
use crate::domain::arrangement::{Arranged, Arrangement, ArrangementKind, Snapshot, TurnSelection};
use crate::domain::conflict::{Conflict, Terms};
use crate::domain::edit::Answering;
use crate::domain::ids::{ArrangementId, UserId};
use crate::domain::outlook::Outlook;
use crate::domain::refusal::Refusal;
use crate::domain::request::{Leg, Request, RequestKind, RequestState};
use crate::store::{self, WriteTx};
use crate::wire::conflict as wire_conflict;
use jiff::Timestamp;

/// Accepts: what is still to come of every leg changes hands in one change, or nothing does.
pub(super) fn accept(
    tx: &mut WriteTx,
    draft: &mut Draft,
    request: &mut Request,
    person: &UserId,
    answering: &Answering,
) -> Result<Outcome, Stop> {
    let acknowledged: Vec<String> = request
        .acknowledged
        .iter()
        .chain(&answering.acknowledged)
        .cloned()
        .collect();
    request.legs = taken(request, person);
    let context = draft.context(tx);
    let shifts = shifts(&context, &request.legs, |_| String::new())?;
    let outlooks = context.outlooks(last_end(&shifts))?;
    check_single(&context, &shifts, &outlooks)?;
    check_held(&shifts, &outlooks)?;
    for leg in &request.legs {
        let key = leg.key.clone().unwrap_or_default();
        let named = leg.key.is_none() || answering.started_legs.contains(&key);
        if leg.has_started(context.now) && !named {
            return Err(Refusal::StartedLegNotAcknowledged(key).into());
        }
    }
    let conflicts = shifts.iter().flat_map(|shift| shift.conflicts(&context));
    check_conflicts(&conflicts.collect::<Vec<_>>(), &acknowledged)?;
    let ids = arrangement_ids(tx, request);
    let mut made = Vec::new();
    for (shift, id) in shifts.iter().zip(&ids) {
        let selection = outlooks[shift.cell].selection(shift.terms.period, context.now);
        let snapshot = context.snapshot(shift.cell, shift.terms.period)?;
        made.push(arrangement(request, id, shift, snapshot, selection));
    }
    for (leg, id) in request.legs.iter_mut().zip(&ids) {
        leg.arrangement = Some(id.clone());
    }
    let mut changed = ids;
    let takeovers: Vec<Terms> = shifts.into_iter().map(|shift| shift.terms).collect();
    changed.extend(give_way(tx, draft, made, &takeovers)?);
    request.declined.retain(|declined| declined != person);
    request.accepted_by = Some(person.clone());
    settle(draft, request, RequestState::Accepted);
    Ok(Outcome::arranged(changed, Notify::Accepted))
}

/// The legs in the hands of whoever is to hold them once this person accepts.
fn taken(request: &Request, person: &UserId) -> Vec<Leg> {
    let mut legs = request.legs.clone();
    for leg in &mut legs {
        leg.assignee.get_or_insert_with(|| person.clone());
    }
    legs
}

fn check_single(
    context: &AgreementContext,
    shifts: &[Shift],
    outlooks: &[Outlook],
) -> Result<(), Refusal> {
    let terms = shifts.iter().map(|shift| ("the request", &shift.terms));
    context.check_single(outlooks, &terms.collect::<Vec<_>>())
}

/// Whether somebody may hold what a request would give them beside what they hold at that time.
pub(super) fn may_take(
    context: &AgreementContext,
    request: &Request,
    person: &UserId,
    outlooks: &[Outlook],
) -> bool {
    let shifts = shifts(context, &taken(request, person), |_| String::new());
    shifts.is_ok_and(|shifts| check_single(context, &shifts, outlooks).is_ok())
}

fn arrangement_ids(tx: &mut WriteTx, request: &Request) -> Vec<ArrangementId> {
    let legs = request.legs.iter();
    legs.map(|_| ArrangementId::from(tx.mint("arr_"))).collect()
}

/// What accepting makes of one leg.
fn arrangement(
    request: &Request,
    id: &ArrangementId,
    shift: &Shift,
    snapshot: Snapshot,
    selection: Option<TurnSelection>,
) -> Arrangement {
    let (kind, turn_selection) = match request.kind {
        // Of a cover where its requester recorded one; what has begun meanwhile is what is left of the turn.
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

/// Lays arrangements over the cells, cutting those that are in the way; answers which these are. Of one that is cut in the
/// middle the later piece goes on as an arrangement of its own.
fn give_way(
    tx: &mut WriteTx,
    draft: &mut Draft,
    made: Vec<Arrangement>,
    takeovers: &[Terms],
) -> Result<Vec<ArrangementId>, Stop> {
    let mut arranged = draft.rotation.arranged.clone();
    let mut cut = Vec::new();
    for terms in takeovers {
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
                store::insert_arrangement(tx, &later)?;
                cut.push(later.id.clone());
                piece(later.id, second);
            }
        }
        arranged = left;
    }
    lay(tx, draft, made, |there| *there = arranged)?;
    Ok(cut)
}

/// A duty that is to change hands, as the plan sees it.
pub(super) struct Shift {
    /// Index into [`Rotation::cells`].
    pub cell: usize,
    /// Who gives it away.
    pub holder: UserId,
    pub terms: Terms,
}

impl Shift {
    /// Everything in the way; arrangements of whoever gives the duty away are not, for they are cut.
    pub(super) fn conflicts(&self, context: &AgreementContext) -> Vec<Conflict> {
        context.conflicts(&self.terms, Some(&self.holder), &wire_conflict::name)
    }
}

/// What is still to come of each leg, in somebody's hands; `path` says where in the request a leg was named.
pub(super) fn shifts(
    context: &AgreementContext,
    legs: &[Leg],
    path: impl Fn(usize) -> String,
) -> Result<Vec<Shift>, Refusal> {
    let shift = |(index, leg): (usize, &Leg)| {
        let path = path(index);
        Ok(Shift {
            cell: context.cell(&format!("{path}cellId"), &leg.cell)?,
            holder: leg.holder.clone(),
            terms: Terms {
                cell: leg.cell.clone(),
                user: leg.assignee.clone().unwrap_or_else(|| leg.holder.clone()),
                asked: leg.period,
                period: context.rest(&format!("{path}to"), leg.period)?,
            },
        })
    };
    legs.iter().enumerate().map(shift).collect()
}

pub(super) fn last_end(shifts: &[Shift]) -> Timestamp {
    let ends = shifts.iter().map(|shift| shift.terms.period.until);
    ends.max().unwrap_or(Timestamp::MIN)
}

/// Refuses to give away what somebody does not hold, dealt or arranged, over the whole interval.
pub(super) fn check_held(shifts: &[Shift], outlooks: &[Outlook]) -> Result<(), Refusal> {
    for shift in shifts {
        if !outlooks[shift.cell].is_held_by(&shift.holder, shift.terms.period) {
            return Err(Refusal::NotYourDuty(format!(
                "`{}` does not hold the cell `{}` from {} to {} as planned; read the schedule again",
                shift.holder, shift.terms.cell, shift.terms.period.from, shift.terms.period.until
            )));
        }
    }
    Ok(())
}
