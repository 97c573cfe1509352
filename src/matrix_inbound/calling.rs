//! Calls for whoever is on call: a mention of rota with a code, and the handle of an on-duty group.

use super::html::Html;
use super::text;
use super::visitor::{Answer, Visitor};
use crate::actions::matrix_talk::{self, Called};
use crate::actions::{ActionError, Error, Result};
use crate::domain::chat::ChatError;
use crate::domain::ids::ChannelId;
use crate::domain::mention::Thread;
use crate::talk::Markup;
use crate::talk::mention::{self, Said};

/// A mention of rota: opens one of whoever is on call. What comes of it is told in the thread; what cannot be done to its author alone.
pub fn mention(visitor: &Visitor, said: &str) -> Result<Answer> {
    let (visit, place) = (visitor.visit(), visitor.place());
    let said = Said {
        text: said,
        channel: ChannelId::from(place.room),
        thread: Thread(place.thread.unwrap_or(place.event).to_owned()),
    };
    match mention::open(&visit, said, text::plainly) {
        Ok(None) => Ok(Answer::nothing()),
        Ok(Some(why)) => Ok(Answer::private(why)),
        Err(ActionError::Refused(refusal)) => Ok(Answer::private(visit.why(&refusal)?)),
        Err(stop) => Err(stop),
    }
}

/// The on-duty groups that a text calls.
pub fn called(visitor: &Visitor, said: &str) -> Result<Vec<Called>, Error> {
    let is_called = |handle: &str| text::calls(said, handle);
    matrix_talk::called(visitor.app, &visitor.who.principal, is_called)
}

/// Mentions those who are on call now, in the thread, and tells those directly who are not in the room.
pub fn ring(visitor: &Visitor, called: &Called, said: &str) -> Result<(), ChatError> {
    let (visit, place, matrix) = (visitor.visit(), visitor.place(), visitor.matrix);
    let about = format!(
        "@{} ({})",
        visit.plain(&called.handle),
        visit.plain(&called.title)
    );
    let key = format!("ring.{}.{}", visitor.event.id, called.rotation);
    if called.on_call.is_empty() {
        let html = format!("{about}: nobody is on call now.");
        return matrix.ring(place, &html, &[], &key);
    }
    let caller = visit.person(&visitor.event.sender);
    let html = format!("{}: {caller} calls {about}", visit.people(&called.on_call));
    matrix.ring(place, &html, &called.on_call, &key)?;
    for user in matrix.not_in(place.room, &called.on_call)? {
        let html = format!(
            "{caller} calls {about} in {}{}",
            visit.plain(&matrix.called(place.room)),
            Html.quote(&text::plainly(said))
        );
        matrix.ring_directly(&user, &html, &format!("{key}.{user}"))?;
    }
    Ok(())
}
