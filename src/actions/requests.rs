//! What cover and swap requests have in common: reading them, and answering them (contract section 10).

use super::acceptance::{accept, may_take};
use super::assignments::records;
use super::mutation::Draft;
use super::operation::{self, Operation, Receipt};
use super::{App, Stop, notifications, reads};
use crate::domain::access::Principal;
use crate::domain::agreement::AgreementContext;
use crate::domain::arrangement::Arranged;
use crate::domain::edit::Answering;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::{ArrangementId, RequestId, RotationId, UserId};
use crate::domain::message;
use crate::domain::outlook::Outlook;
use crate::domain::refusal::Refusal;
use crate::domain::request::{
    MAX_PENDING, MAX_PENDING_EACH, Request, RequestKind, RequestState, Step,
};
use crate::domain::rotation::{Cell, Rotation};
use crate::domain::time::Interval;
use crate::store::{self, ReadTx, RequestPosition, WriteTx};
use crate::wire::arrangement as wire_arrangement;
use crate::wire::cursor;
use crate::wire::etag::Precondition;
use crate::wire::request::{
    self as wire, CellCapability, Item, Record, RequestList, RequestWritten,
};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// How far ahead a list looks for what the caller holds: as far as a plan may be asked for.
const FORESIGHT: SignedDuration = SignedDuration::from_hours(366 * 24);

/// Requests on one page.
const PAGE: usize = 100;

/// The requests of one kind that meet a range, a page of them, with what the caller may do with each and ask for in each
/// cell.
///
/// # Errors
/// [`Refusal::InvalidCoverCursor`] for a cursor that was not given for this list and range.
pub fn list<T: Record>(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    kind: RequestKind,
    range: Interval,
    cursor: Option<&str>,
) -> Result<(Rotation, RequestList<T>), Stop> {
    reads::in_context(app, caller, id, |tx, context| {
        let scope = format!("{} {id}", kind.name());
        let behind = match cursor {
            None => None,
            Some(cursor) => {
                let position = cursor::read(cursor, &scope, range).and_then(RequestPosition::of);
                Some(position.ok_or(Refusal::InvalidCoverCursor)?)
            }
        };
        let mut found = store::list_requests(tx, id, kind, range, behind, PAGE + 1)?;
        let more = found.len() > PAGE;
        found.truncate(PAGE);
        let next = found.last().filter(|_| more).map(|(_, position)| *position);
        let requests: Vec<&Request> = found.iter().map(|(request, _)| request).collect();
        let outlooks = foresee(caller, context, &requests);
        let items = requests
            .into_iter()
            .map(|request| item(caller, context, request, outlooks.as_deref()));
        Ok(RequestList {
            items: items.collect(),
            capabilities: capabilities(caller, context, range),
            from: range.from.into(),
            to: range.until.into(),
            complete: !more,
            next_cursor: next.map(|next| cursor::write(next.numbers(), &scope, range)),
        })
    })
}

/// One request, with its rotation for the validator.
pub fn read<T: Record>(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    kind: RequestKind,
    request: &RequestId,
) -> Result<(Rotation, Item<T>), Stop> {
    reads::in_context(app, caller, id, |tx, context| {
        let found = load(tx, context.rotation, kind, request)?;
        let outlooks = foresee(caller, context, &[&found]);
        Ok(item(caller, context, &found, outlooks.as_deref()))
    })
}

/// What is to become of the cells for as long as the caller may accept any of the requests; `None` where that is not to be
/// known.
fn foresee(
    caller: &Principal,
    context: &AgreementContext,
    requests: &[&Request],
) -> Option<Vec<Outlook>> {
    let open = |request: &&&Request| {
        let capability = request.capability(caller, context.rotation, context.now);
        capability.can_accept
    };
    let ends = requests
        .iter()
        .filter(open)
        .map(|request| request.span().until);
    ends.max().and_then(|until| context.outlooks(until).ok())
}

fn item<T: Record>(
    caller: &Principal,
    context: &AgreementContext,
    request: &Request,
    outlooks: Option<&[Outlook]>,
) -> Item<T> {
    let mut capability = request.capability(caller, context.rotation, context.now);
    if let (Ok(person), Some(outlooks)) = (caller.person(), outlooks)
        && capability.can_accept
    {
        capability.can_accept = may_take(context, request, person, outlooks);
    }
    Item {
        request: T::render(request, context.now),
        capability: wire::capability(capability),
        rotation_name: context.rotation.profile.name.clone(),
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
    let outlooks = person.and(rest).map(|rest| context.outlooks(rest.until));
    let why_not = |index: usize| -> Option<&'static str> {
        let Some(person) = person else {
            return Some("an API key has no duty to give away; use a member token");
        };
        match &outlooks {
            Some(Err(Refusal::RotationDisabled)) => Some("the rotation is disabled"),
            Some(Err(_)) => Some("too many hand-overs lie in the range; ask for a shorter one"),
            Some(Ok(outlooks))
                if rest.is_some_and(|rest| outlooks[index].is_held_some_time_by(person, rest)) =>
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
            .filter(|place| person.is_some_and(|person| &place.user != person));
        let reason = why_not(index);
        CellCapability {
            cell_id: cell.id.to_string(),
            can_request: reason.is_none(),
            reason: reason.map(str::to_owned),
            eligible_user_ids: others.map(|place| place.user.to_string()).collect(),
        }
    };
    let cells = rotation.cells.iter().enumerate();
    let running = cells.filter(|(_, cell)| !cell.stopped);
    running.map(capability).collect()
}

fn load(
    tx: &ReadTx,
    rotation: &Rotation,
    kind: RequestKind,
    id: &RequestId,
) -> Result<Request, Stop> {
    let found = store::load_request(tx, &rotation.id, kind, id)?;
    Ok(found.ok_or(Refusal::NotFound(kind.noun()))?)
}

/// A step that somebody takes with a request.
pub struct Taking {
    pub kind: RequestKind,
    pub request: RequestId,
    pub step: Step,
    pub operation: Operation,
    pub answering: Answering,
}

/// Takes a step: whoever comes first settles the request, later ones are told how it stands.
pub fn take<T: Record + Serialize>(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    taking: Taking,
) -> Result<Receipt, Stop> {
    let Taking {
        kind,
        request,
        step,
        operation,
        answering,
    } = taking;
    let (acting, named, wanted) = (caller.clone(), operation.id.clone(), request.clone());
    let part = move |tx: &ReadTx, rotation: &Rotation| {
        let found = load(tx, rotation, kind, &wanted)?;
        Ok(found.check_part(step, &acting, rotation)?)
    };
    let stepping = caller.clone();
    operation::run(
        app,
        caller,
        id,
        precondition,
        operation,
        part,
        move |tx, draft| {
            let person = stepping.person()?.clone();
            let mut found = load(&tx.as_read(), &draft.rotation, kind, &request)?;
            found.check_state(step, &draft.rotation, draft.instant(tx))?;
            if found.revision != answering.expected_revision {
                return Err(Refusal::RequestChanged.into());
            }
            let outcome = match step {
                Step::Accept => accept(tx, draft, &mut found, &person, &answering)?,
                Step::Decline => decline(draft, &mut found, &person),
                Step::Cancel => {
                    settle(draft, &mut found, RequestState::Cancelled);
                    Outcome::beside(Notify::Nobody)
                }
                Step::End => end(tx, draft, &mut found, person),
            };
            store::save_request(tx, &found)?;
            written::<T>(tx, draft, &stepping, named, &found, outcome)
        },
    )
}

/// What a step came to.
pub(super) struct Outcome {
    act: Act,
    /// Arrangements that it made or changed.
    arrangements: Vec<ArrangementId>,
    notify: Notify,
}

/// Of which step people are notified.
pub(super) enum Notify {
    Nobody,
    Asked,
    Accepted,
    Declined(UserId),
    Ended(UserId),
}

impl Outcome {
    /// Nothing but the record of the request changed.
    pub(super) fn beside(notify: Notify) -> Outcome {
        Outcome {
            act: Act::Aside,
            arrangements: Vec::new(),
            notify,
        }
    }

    /// Arrangements were made or changed.
    pub(super) fn arranged(arrangements: Vec<ArrangementId>, notify: Notify) -> Outcome {
        Outcome {
            act: Act::Arrangement,
            arrangements,
            notify,
        }
    }
}

/// Settles a request, or moves it on: it has another revision.
pub(super) fn settle(draft: &mut Draft, request: &mut Request, state: RequestState) {
    request.state = state;
    request.revision += 1;
    draft.touched = true;
    if state != RequestState::Pending {
        draft
            .rotation
            .pending
            .retain(|pending| pending.id != request.id);
    }
}

/// Declining twice changes nothing; the last of the recipients to decline settles the request.
fn decline(draft: &mut Draft, request: &mut Request, person: &UserId) -> Outcome {
    let mut notify = Notify::Nobody;
    if !request.declined.contains(person) {
        notify = Notify::Declined(person.clone());
        request.declined.push(person.clone());
        let all = request
            .recipients
            .iter()
            .all(|asked| request.declined.contains(asked));
        let state = if all {
            RequestState::Declined
        } else {
            RequestState::Pending
        };
        settle(draft, request, state);
    }
    Outcome::beside(notify)
}

/// Ends an accepted cover: what has not begun is cancelled, what runs ends now, the pieces too that another cover cut it
/// into.
fn end(tx: &mut WriteTx, draft: &mut Draft, request: &mut Request, by: UserId) -> Outcome {
    let agreed = |arranged: &Arranged| arranged.request.as_ref() == Some(&request.id);
    let arranged = draft
        .rotation
        .arranged
        .iter()
        .filter(|arranged| agreed(arranged));
    let ended = arranged.map(|arranged| arranged.id.clone()).collect();
    draft.change(tx, WindowChange::ByEdit, |change| {
        change
            .rotation
            .arranged
            .retain(|arranged| !agreed(arranged));
    });
    settle(draft, request, RequestState::Ended);
    Outcome::arranged(ended, Notify::Ended(by))
}

/// Makes a request of a rotation pending.
pub(super) fn ask(tx: &mut WriteTx, draft: &mut Draft, request: &Request) -> Result<(), Stop> {
    let pending = &draft.rotation.pending;
    let theirs = pending
        .iter()
        .filter(|pending| pending.requester == request.requester);
    if pending.len() >= MAX_PENDING || theirs.count() >= MAX_PENDING_EACH {
        return Err(Refusal::TooManyPending.into());
    }
    store::insert_request(tx, request)?;
    draft.rotation.pending.push(request.pending());
    Ok(())
}

/// Settles the draft and answers with the request and the arrangements that changed with it.
pub(super) fn written<T: Record>(
    tx: &mut WriteTx,
    draft: &mut Draft,
    caller: &Principal,
    operation_id: String,
    request: &Request,
    outcome: Outcome,
) -> Result<RequestWritten<T>, Stop> {
    let mut queued = draft.settle(tx, outcome.act)?;
    let rotation = &draft.rotation;
    let messages = match &outcome.notify {
        Notify::Nobody => Vec::new(),
        Notify::Asked => message::asked(rotation, request),
        Notify::Accepted => message::accepted(rotation, request),
        Notify::Declined(by) => message::declined(rotation, request, by),
        Notify::Ended(by) => message::ended(rotation, request, by),
    };
    queued |= notifications::queue(tx, messages)?;
    let context = draft.context(tx);
    let now = context.now;
    Ok(RequestWritten {
        operation_id,
        rotation_version: draft.rotation.stamps.version,
        effective_from: request.span().from.max(now).into(),
        request: item(
            caller,
            &context,
            request,
            foresee(caller, &context, &[request]).as_deref(),
        ),
        arrangements: records(&tx.as_read(), &draft.rotation, &outcome.arrangements)?,
        delivery_state: wire_arrangement::delivery_state(queued),
    })
}
