//! Shared parts of writes of cover and swap requests.

use super::arrangements::records;
use super::draft::Draft;
use super::{Result, notifications, requests};
use crate::domain::access::Principal;
use crate::domain::audit::{Phrase, listed, period};
use crate::domain::event::Act;
use crate::domain::ids::{ArrangementId, UserId};
use crate::domain::message;
use crate::domain::refusal::Refusal;
use crate::domain::request::{
    MAX_PENDING, MAX_PENDING_EACH, Request, RequestState, RequestWritten,
};
use crate::store::{self, WriteTx};

/// The result of an action on a request.
pub(super) struct Outcome {
    act: Act,
    /// The arrangements that it created or changed.
    arrangements: Vec<ArrangementId>,
    notify: Notify,
}

/// The notification of an action.
pub(super) enum Notify {
    Nobody,
    Asked,
    Accepted,
    Declined(UserId),
    Ended(UserId),
}

impl Outcome {
    /// Only the record of the request changed.
    pub(super) fn beside(notify: Notify) -> Outcome {
        Outcome {
            act: Act::WithoutEvent,
            arrangements: Vec::new(),
            notify,
        }
    }

    /// Arrangements were created or changed.
    pub(super) fn arranged(arrangements: Vec<ArrangementId>, notify: Notify) -> Outcome {
        Outcome {
            act: Act::Arrangement,
            arrangements,
            notify,
        }
    }
}

/// Sets the state of a request and raises its revision.
pub(super) fn set_state(draft: &mut Draft, request: &mut Request, state: RequestState) {
    let was = std::mem::replace(&mut request.state, state);
    request.revision += 1;
    let (noun, before, after) = (request.kind.noun(), was.name(), state.name());
    draft.describe_record(request.id.as_str(), format!("{noun}: {before} to {after}"));
    if state != RequestState::Pending {
        draft
            .rotation
            .pending
            .retain(|pending| pending.id != request.id);
    }
}

/// Adds a pending request to a rotation.
pub(super) fn ask(tx: &mut WriteTx, draft: &mut Draft, request: &Request) -> Result<()> {
    let pending = &draft.rotation.pending;
    let theirs = pending
        .iter()
        .filter(|pending| pending.requester == request.requester);
    if pending.len() >= MAX_PENDING || theirs.count() >= MAX_PENDING_EACH {
        return Err(Refusal::TooManyPending.into());
    }
    store::insert_request(tx, request)?;
    let made = Phrase::from(format!("{} of ", request.kind.noun())).and(&request.requester);
    let made = made.and(" to ").and(listed(&request.recipients));
    let made = made.and(format!(" made, {}", period(request.span())));
    draft.describe(request.id.as_str(), made);
    draft.rotation.pending.push(request.pending());
    Ok(())
}

/// Stores the draft and returns the request and the arrangements that changed with it.
pub(super) fn written(
    tx: &mut WriteTx,
    draft: &mut Draft,
    caller: &Principal,
    request: &Request,
    outcome: Outcome,
) -> Result<RequestWritten> {
    let mut queued = draft.store(tx, outcome.act)?;
    let rotation = &draft.rotation;
    let messages = match &outcome.notify {
        Notify::Nobody => Vec::new(),
        Notify::Asked => message::asked(rotation, request),
        Notify::Accepted => message::accepted(rotation, request),
        Notify::Declined(by) => message::declined(rotation, request, by),
        Notify::Ended(by) => message::ended(rotation, request, by),
    };
    queued |= notifications::queue(tx, draft.app(), messages)?;
    let context = draft.context(tx);
    Ok(RequestWritten {
        rotation_version: draft.rotation.stamps.version,
        effective_from: request.span().from.max(context.now),
        request: requests::view(caller, &context, request),
        arrangements: records(&tx.as_read(), &draft.rotation, &outcome.arrangements)?,
        queued,
    })
}
