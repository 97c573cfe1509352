//! What is kept for conversations in Matrix: where the next sync goes on, what was asked, and what waits for a confirmation.

use super::{App, Error, chat_envelopes};
use crate::domain::access::Principal;
use crate::domain::ids::{ChannelId, GroupId, RotationId, UserId};
use crate::domain::message::Message;
use crate::domain::resolve;
use crate::store::{self, ReadTx};
use jiff::SignedDuration;

pub use crate::store::MatrixDraft;

/// The kind of envelopes.
const KIND: &str = "matrix";

/// The fact with the account and where its next sync goes on.
const SINCE: &str = "matrix_since";

/// How long a draft can be confirmed.
const CONFIRMED_WITHIN: SignedDuration = SignedDuration::from_mins(15);

/// Where the next sync of an account goes on; `None` before its first one.
pub fn since(app: &App, account: &str) -> Result<Option<String>, Error> {
    let found = app.store().read(|tx| store::load_fact(tx, SINCE))?;
    Ok(found.and_then(|found| {
        let (of, since) = found.split_once(' ')?;
        (of == account).then(|| since.to_owned())
    }))
}

/// Stores what a sync of an account brought, by event id and event, and where the next one goes on. Returns whether anything is new;
/// `None` if too much waits.
pub fn accept(
    app: &App,
    account: &str,
    since: &str,
    events: Vec<(String, String)>,
) -> Result<Option<bool>, Error> {
    let next = format!("{account} {since}");
    chat_envelopes::accept_all(app, KIND, events, (SINCE, next))
}

/// The message that asked something; `None` if the event is none such.
pub fn question(app: &App, room: &str, event: &str) -> Result<Option<Message>, Error> {
    let reference = format!("{room} {event}");
    app.store().read(|tx| store::load_question(tx, &reference))
}

/// Whether a room is a channel or a user group of the directory.
pub fn is_of_directory(app: &App, room: &str) -> Result<bool, Error> {
    app.store().read(|tx| {
        let (channel, group) = (ChannelId::from(room), GroupId::from(room));
        Ok(store::is_known_channel(tx, &channel)? || store::load_group(tx, &group)?.is_some())
    })
}

/// A rotation whose on-duty group is called, and who is on call in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    pub handle: String,
    pub rotation: RotationId,
    /// `Platform (PLAT)`.
    pub title: String,
    pub on_call: Vec<UserId>,
}

/// The rotations whose on-duty groups `is_called` says are called by their handles, as far as the caller sees them.
pub fn called(
    app: &App,
    caller: &Principal,
    is_called: impl Fn(&str) -> bool,
) -> Result<Vec<Called>, Error> {
    let groups = app.store().read(|tx: &ReadTx| -> Result<_, Error> {
        let mut found = Vec::new();
        for filled in store::list_duty_groups(tx)? {
            let Some(group) = store::load_group(tx, &filled.group)? else {
                continue;
            };
            let Some(handle) = group.handle.filter(|handle| is_called(handle)) else {
                continue;
            };
            for id in store::list_rotations_of_duty_group(tx, &filled.group)? {
                found.push((handle.clone(), id));
            }
        }
        Ok(found)
    })?;
    let mut called = Vec::new();
    for (handle, id) in groups {
        match super::reads::rotation(app, caller, &id) {
            Ok(rotation) => called.push(Called {
                handle,
                title: match &rotation.profile.code {
                    Some(code) => format!("{} ({code})", rotation.profile.name),
                    None => rotation.profile.name.clone(),
                },
                on_call: resolve::everybody_on_call(&rotation),
                rotation: id,
            }),
            Err(super::ActionError::Refused(_)) => {}
            Err(super::ActionError::Failed(error)) => return Err(error),
        }
    }
    Ok(called)
}

/// Keeps what somebody has to confirm within 15 minutes.
pub fn keep_draft(app: &App, draft: MatrixDraft) -> Result<(), Error> {
    app.store().write(move |tx| {
        let until = tx.now().saturating_add(CONFIRMED_WITHIN);
        let draft = MatrixDraft {
            expires_at: until.unwrap_or(jiff::Timestamp::MAX),
            ..draft
        };
        store::insert_matrix_draft(tx, &draft)
    })
}

/// The draft of a message that asks, if it can still be confirmed.
pub fn draft(app: &App, event: &str) -> Result<Option<MatrixDraft>, Error> {
    let now = app.now();
    let found = app.store().read(|tx| store::load_matrix_draft(tx, event))?;
    Ok(found.filter(|draft| draft.expires_at > now))
}

/// Some drafts that nobody has confirmed in time.
pub fn expired_drafts(app: &App) -> Result<Vec<MatrixDraft>, Error> {
    let now = app.now();
    app.store()
        .read(|tx| store::list_expired_matrix_drafts(tx, now))
}

/// Forgets a draft.
pub fn forget_draft(app: &App, event: &str) -> Result<(), Error> {
    let event = event.to_owned();
    app.store()
        .write(move |tx| store::remove_matrix_draft(tx, &event))
}
