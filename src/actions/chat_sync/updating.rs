//! Shows in posted messages what came of their questions, in place of their buttons.

use super::Turn;
use super::reader::reader_zone;
use crate::actions::{App, Error};
use crate::domain::chat::{ChatError, is_stale, next_try};
use crate::domain::message::{Content, Message, QuestionOutcome, Subject};
use crate::domain::request::RequestKind;
use crate::store::{self, MessageUpdate, ReadTx, WriteTx};

/// What came of the question of a message; `None` while its recipient may still answer, or if it asked none.
pub(super) fn outcome_of(tx: &ReadTx, message: &Message) -> Result<Option<QuestionOutcome>, Error> {
    Ok(match &message.subject {
        Subject::Rotation => None,
        Subject::Request(id) => {
            let rotation = message.rotation.as_ref();
            let kind = kind_of(message);
            let found = rotation.map(|rotation| store::load_request(tx, rotation, kind, id));
            match found.transpose()?.flatten() {
                Some(found) => QuestionOutcome::of_request(&found, &message.to),
                None => Some(QuestionOutcome::Gone),
            }
        }
        Subject::Mention(id) => match store::load_mention(tx, id)? {
            Some(found) => QuestionOutcome::of_mention(&found, &message.to),
            None => Some(QuestionOutcome::Gone),
        },
    })
}

/// The kind of the request that a message is about.
fn kind_of(message: &Message) -> RequestKind {
    match message.content {
        Content::SwapAsked(_) | Content::SwapAnswered(_) => RequestKind::Swap,
        _ => RequestKind::Cover,
    }
}

/// Makes the first update that is due.
pub(super) fn update_first(app: &App) -> Result<Turn, Error> {
    let now = app.now();
    let found = app.store().read(|tx| -> Result<_, Error> {
        let Some(mut update) = store::first_due_message_update(tx, now)? else {
            return Ok(None);
        };
        let standing = outcome_of(tx, &update.message)?;
        if let Some(user) = standing.as_ref().and_then(QuestionOutcome::person)
            && let Some(person) = store::load_person(tx, user)?
        {
            let name = person.name().to_owned();
            update.message.people.insert(user.clone(), name);
        }
        Ok(Some((update, standing)))
    })?;
    let Some((update, standing)) = found else {
        return Ok(Turn::Idle);
    };
    let outcome = match standing {
        Some(standing) => reader_zone(app, &update.message.to).and_then(|reader| {
            app.chat()
                .update(&update.reference, &update.message, &standing, reader)
        }),
        None => Ok(()),
    };
    if let Some(turn) = outcome.as_ref().err().and_then(Turn::waiting) {
        return Ok(turn);
    }
    app.store()
        .write_log(move |tx| record(tx, &update, outcome))?;
    Ok(Turn::Done)
}

fn record(
    tx: &mut WriteTx,
    update: &MessageUpdate,
    outcome: Result<(), ChatError>,
) -> Result<(), Error> {
    let Err(error) = outcome else {
        return store::end_message_update(tx, update, None);
    };
    let (why, sequence) = (error.detail(), update.sequence);
    let is_refused = matches!(
        error,
        ChatError::NotFound(_) | ChatError::Refused(_) | ChatError::PeopleRefused(_)
    );
    if is_refused || is_stale(update.created_at, tx.now()) {
        log::warn!("chat: message {sequence} is not updated: {why}");
        return store::end_message_update(tx, update, Some(&why));
    }
    let next = next_try(update.tries + 1, &error, tx.now());
    if update.tries == 0 {
        log::warn!("chat: update of message {sequence}: {why}, next try at {next}");
    }
    store::retry_message_update(tx, update, next, &why)
}
