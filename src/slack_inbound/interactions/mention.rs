//! `@rota CODE text` in a channel.

use super::mrkdwn::{behind_mention, unescaped};
use super::visit::{Outcome, Visit};
use crate::actions::ActionError;
use crate::domain::mention::Thread;
use crate::slack_inbound::incoming::AppMention;
use crate::slack_inbound::reply::{Later, Reply};
use crate::talk::mention::{self, Said};

/// A mention of the app. What comes of it is told in the thread; what cannot be done is told to its author alone.
pub fn open(visit: &Visit, said: &AppMention) -> Outcome {
    if said.is_bot {
        return Ok(Reply::nothing());
    }
    let thread = said.thread_ts.as_ref().unwrap_or(&said.ts);
    let mentioned = Said {
        text: behind_mention(&said.text),
        channel: said.channel.clone(),
        thread: Thread(thread.clone()),
    };
    let named = |user: &_| visit.names([user]).ok()?.remove(user);
    match mention::open(visit, mentioned, |text| unescaped(text, named)) {
        Ok(None) => Ok(Reply::nothing()),
        Ok(Some(text)) => Ok(privately(visit, said, &text)),
        Err(ActionError::Refused(refusal)) => Ok(privately(visit, said, &visit.why(&refusal)?)),
        Err(stop) => Err(stop),
    }
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
