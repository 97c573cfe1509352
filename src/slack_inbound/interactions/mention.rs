//! `@rota CODE text` in a channel, and the answers to it.

use super::help;
use super::mrkdwn::{behind_mention, person, unescaped};
use super::visit::{Outcome, Visit};
use crate::actions::mentions::{self, OpenMention};
use crate::actions::{ActionError, Error, Result};
use crate::domain::ids::MentionId;
use crate::domain::mention::{Mention, MentionState, NewMention, Thread};
use crate::domain::message::OfferedAnswer;
use crate::domain::refusal::Refusal;
use crate::slack_inbound::incoming::AppMention;
use crate::slack_inbound::reply::{Later, Reply};
use crate::wire::etag::Precondition;

/// The id of the mention, as it is kept for when the event is processed again.
fn opened(_: &str, mention: &Mention) -> Result<String, Error> {
    Ok(mention.id.to_string())
}

/// A mention of the app. What comes of it is told in the thread; what cannot be done is told to its author alone.
pub fn open(visit: &Visit, said: &AppMention) -> Outcome {
    if said.is_bot {
        return Ok(Reply::nothing());
    }
    match mention(visit, said) {
        Ok(None) => Ok(Reply::nothing()),
        Ok(Some(text)) => Ok(privately(visit, said, &text)),
        Err(ActionError::Refused(refusal)) => Ok(privately(visit, said, &visit.why(&refusal)?)),
        Err(stop) => Err(stop),
    }
}

/// Opens the mention. Answers what is to be said to its author, if anything.
fn mention(visit: &Visit, said: &AppMention) -> Result<Option<String>> {
    let text = behind_mention(&said.text);
    let (code, message) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if code.is_empty() || code.eq_ignore_ascii_case("help") {
        return Ok(Some(
            "Say whom you need: a code, and what it is about, such as `@rota CODE please look`. \
             Type the command `help` to see what else I do."
                .to_owned(),
        ));
    }
    let rotation = match visit.rotation(code) {
        Ok(rotation) => rotation,
        Err(ActionError::Refused(Refusal::NotFound(_))) => {
            return help::not_found(visit, code).map(Some);
        }
        Err(stop) => return Err(stop),
    };
    let named = |user: &_| visit.names([user]).ok()?.remove(user);
    let message = unescaped(message.trim(), named);
    let thread = said.thread_ts.as_ref().unwrap_or(&said.ts);
    let new = NewMention {
        asker: visit.me().clone(),
        channel: said.channel.clone(),
        thread: Some(Thread(thread.clone())),
        message: Some(message),
    };
    let operation = OpenMention(new.checked()?);
    let once = visit.incoming.operation_id();
    let any = &Precondition::Any;
    let action = ("inboundMention", "");
    visit.write(&rotation.id, action, once, any, operation, opened)?;
    Ok(None)
}

/// Tells the author alone, where they wrote.
fn privately(visit: &Visit, said: &AppMention, text: &str) -> Reply {
    let mut message = visit.say(text).body.unwrap_or_default();
    if let Some(message) = message.as_object_mut() {
        message.remove("response_type");
    }
    Reply::later(Later::PostEphemeral {
        channel: said.channel.clone(),
        user: visit.me().clone(),
        thread_ts: said.thread_ts.clone(),
        message,
    })
}

/// A click on Acknowledge or Pass.
pub fn clicked(visit: &Visit, id: &MentionId, answer: OfferedAnswer) -> Outcome {
    let (given, action, done) = match answer {
        OfferedAnswer::Acknowledge => (
            mentions::MentionAnswer::Acknowledge,
            "acknowledgeMention",
            "You have acknowledged.",
        ),
        _ => (
            mentions::MentionAnswer::Pass,
            "passMention",
            "You have passed it on.",
        ),
    };
    match mentions::answer(visit.app, &visit.author(action), id, given) {
        Ok(_) => Ok(visit.say(done)),
        Err(ActionError::Refused(refusal @ Refusal::MentionNotOpen(_))) => {
            let told = came_of(visit, id)?;
            Ok(visit.say(&match told {
                Some(told) => told,
                None => visit.why(&refusal)?,
            }))
        }
        Err(stop) => Err(stop),
    }
}

/// The outcome of a mention; `None` while it is open, or where the reader does not see its rotation any more.
fn came_of(visit: &Visit, id: &MentionId) -> Result<Option<String>> {
    let mention = match mentions::read(visit.app, visit.caller(), id) {
        Ok(mention) => mention,
        Err(ActionError::Refused(_)) => return Ok(None),
        Err(stop) => return Err(stop),
    };
    let by = mention.acknowledged_by.as_ref();
    Ok(Some(match (mention.state, by) {
        (MentionState::Open, _) => return Ok(None),
        (MentionState::Acknowledged, Some(by)) if by == visit.me() => {
            "You have acknowledged this already.".to_owned()
        }
        (MentionState::Acknowledged, Some(by)) => {
            format!("This is over: {} has acknowledged it.", person(by))
        }
        (MentionState::Acknowledged, None) => "This is over: it was acknowledged.".to_owned(),
        (MentionState::Passed, _) => "This is over: everybody on call has passed.".to_owned(),
        (MentionState::Expired, _) => "This is over: nobody answered in time.".to_owned(),
        (MentionState::Nobody, _) => "This is over: nobody was on call.".to_owned(),
    }))
}
