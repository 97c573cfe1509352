//! One thing that somebody typed or clicked in Slack, with whoever did it.

use super::blocks::{Blocks, ephemeral};
use super::mrkdwn::Mrkdwn;
use crate::actions::sessions::SignedIn;
use crate::actions::{ActionError, App, Error, Result};
use crate::slack_inbound::incoming::{Incoming, Kind};
use crate::slack_inbound::reply::{Later, Reply};
use crate::talk;
use serde_json::Value;
use std::ops::Deref;

/// The context that an answer is made from.
pub struct Visit<'a> {
    talk: talk::Visit<'a>,
    pub incoming: &'a Incoming,
}

/// An outcome: a reply, or why there is none.
pub type Outcome = Result<Reply>;

impl<'a> Deref for Visit<'a> {
    type Target = talk::Visit<'a>;

    fn deref(&self) -> &talk::Visit<'a> {
        &self.talk
    }
}

impl<'a> Visit<'a> {
    /// Of something that came in.
    pub fn new(app: &'a App, who: &'a SignedIn, incoming: &'a Incoming) -> Visit<'a> {
        let command = match &incoming.kind {
            Kind::Command(command) => &command.command,
            _ => "/rota",
        };
        let talk = talk::Visit {
            app,
            who,
            now: app.now(),
            shown_in: Some(who.zone),
            operation_id: incoming.operation_id(),
            command: command.to_owned(),
            markup: &Mrkdwn,
        };
        Visit { talk, incoming }
    }

    /// An answer of one sentence, that only the person sees.
    pub fn say(&self, text: &str) -> Reply {
        let mut blocks = Blocks::message();
        blocks.section(text);
        Reply::body(ephemeral(text, blocks))
    }

    /// Opens a modal, while Slack lets us.
    pub fn open(&self, trigger_id: Option<&str>, view: Value) -> Reply {
        match trigger_id {
            Some(trigger_id) => Reply::later(Later::OpenView {
                trigger_id: trigger_id.to_owned(),
                view,
            }),
            None => self.say("Slack does not let this open a form. Type the command again."),
        }
    }

    /// Why nothing was done, in words.
    ///
    /// # Errors
    /// Answers a refusal in words; any other error stays an error.
    pub fn refused(&self, stop: ActionError) -> Result<Reply, Error> {
        match stop {
            ActionError::Refused(refusal) => Ok(self.say(&self.why(&refusal)?)),
            ActionError::Failed(error) => Err(error),
        }
    }
}
