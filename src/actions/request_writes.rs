//! What writes of cover and swap requests have in common: settling a request, and what came of it.

use super::arrangements::records;
use super::draft::Draft;
use super::{Stop, notifications, requests};
use crate::domain::access::Principal;
use crate::domain::event::Act;
use crate::domain::ids::{ArrangementId, UserId};
use crate::domain::message;
use crate::domain::refusal::Refusal;
use crate::domain::request::{
    MAX_PENDING, MAX_PENDING_EACH, Request, RequestState, RequestWritten,
};
use crate::store::{self, WriteTx};

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
pub(super) fn written(
    tx: &mut WriteTx,
    draft: &mut Draft,
    caller: &Principal,
    request: &Request,
    outcome: Outcome,
) -> Result<RequestWritten, Stop> {
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
    Ok(RequestWritten {
        rotation_version: draft.rotation.stamps.version,
        effective_from: request.span().from.max(context.now),
        request: requests::view(caller, &context, request),
        arrangements: records(&tx.as_read(), &draft.rotation, &outcome.arrangements)?,
        queued,
    })
}
