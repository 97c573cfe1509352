//! Calling whoever is on call, and the answers of those who are called.

use super::help;
use super::visit::Visit;
use crate::actions::mentions::{self, OpenMention};
use crate::actions::{ActionError, Error, Result};
use crate::domain::ids::{ChannelId, MentionId};
use crate::domain::mention::{Mention, MentionState, NewMention, Thread};
use crate::domain::message::OfferedAnswer;
use crate::domain::refusal::Refusal;
use crate::wire::etag::Precondition;

/// A mention of rota in a channel.
pub struct Said<'a> {
    /// What stands behind the mention.
    pub text: &'a str,
    pub channel: ChannelId,
    pub thread: Thread,
}

/// The id of the mention, as it is kept for when it is processed again.
fn opened(_: &str, mention: &Mention) -> Result<String, Error> {
    Ok(mention.id.to_string())
}

/// Opens a mention. Answers what is to be said to its author, if anything. `plainly` makes plain text of what the author wrote.
pub fn open(visit: &Visit, said: Said, plainly: impl Fn(&str) -> String) -> Result<Option<String>> {
    let text = said.text.trim();
    let (code, message) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if code.is_empty() || code.eq_ignore_ascii_case("help") {
        return Ok(Some(format!(
            "Say whom you need: a code, and what it is about, such as {}. Type the command {} to see what else I do.",
            visit.markup.code("@rota CODE please look"),
            visit.markup.code("help"),
        )));
    }
    let rotation = match help::known(visit, code)? {
        Ok(rotation) => rotation,
        Err(why) => return Ok(Some(why)),
    };
    let new = NewMention {
        asker: visit.me().clone(),
        channel: said.channel,
        thread: Some(said.thread),
        message: Some(plainly(message.trim())),
    };
    let operation = OpenMention(new.checked()?);
    let (once, any) = (visit.operation_id.clone(), &Precondition::Any);
    let action = ("inboundMention", "");
    visit.write(&rotation.id, action, once, any, operation, opened)?;
    Ok(None)
}

/// Acknowledges a mention or passes it on, and answers that; `Err` says why nothing was done.
pub fn answer(
    visit: &Visit,
    id: &MentionId,
    answer: OfferedAnswer,
) -> Result<Result<&'static str, String>> {
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
        Ok(_) => Ok(Ok(done)),
        Err(ActionError::Refused(refusal @ Refusal::MentionNotOpen(_))) => {
            let told = came_of(visit, id)?;
            Ok(Err(match told {
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
            format!("This is over: {} has acknowledged it.", visit.person(by))
        }
        (MentionState::Acknowledged, None) => "This is over: it was acknowledged.".to_owned(),
        (MentionState::Passed, _) => "This is over: everybody on call has passed.".to_owned(),
        (MentionState::Expired, _) => "This is over: nobody answered in time.".to_owned(),
        (MentionState::Nobody, _) => "This is over: nobody was on call.".to_owned(),
    }))
}
