//! Answers to what people type and click.
//!
//! [`talk`](crate::talk) reads what was typed, does it as the person who asks, and words the answer. The files of this folder put
//! the answer into Slack's form: `blocks` within its limits, `mrkdwn` in its markup, with buttons. `modals` ask for what a line of
//! text cannot say. No rule stands here.

mod blocks;
mod buttons;
mod clicks;
mod duty;
mod help;
mod home;
mod me;
mod mention;
mod modals;
mod mrkdwn;
mod overview;
mod publishing;
mod requests;
mod rotation;
mod visit;

pub use publishing::start as start_home_tabs;

use super::incoming::{self, Event, Incoming, Kind};
use super::reply::{Handler, Reply};
use crate::actions::sessions::SignedIn;
use crate::actions::{App, Error, Result, slack_home};
use crate::domain::ids::ChannelId;
use crate::domain::rotation::Rotation;
use crate::runtime::wakeup::Wakeup;
use crate::talk::{self, Command};
use serde_json::Value;
use visit::{Outcome, Visit};

/// Answers what arrives in one workspace.
pub struct Interactions {
    app: App,
    /// Wakes what publishes home tabs.
    opened: Wakeup,
}

impl Interactions {
    /// The handler of a workspace. `opened` is woken when somebody opens their home tab.
    pub fn new(app: App, opened: Wakeup) -> Interactions {
        Interactions { app, opened }
    }
}

impl Handler for Interactions {
    fn answer(&self, who: &SignedIn, incoming: &Incoming) -> Result<Reply, Error> {
        let visit = Visit::new(&self.app, who, incoming);
        let outcome = match &incoming.kind {
            Kind::Command(typed) => command(&visit, typed),
            Kind::Actions(actions) => clicks::answer(&visit, actions),
            Kind::ViewSubmission(view) => modals::sent(&visit, view),
            Kind::Event(Event::AppMention(said)) => mention::open(&visit, said),
            Kind::Event(Event::AppHomeOpened) => {
                slack_home::opened(&self.app, &who.person.id)?;
                self.opened.wake();
                Ok(Reply::nothing())
            }
            Kind::ViewClosed(_) | Kind::Event(_) | Kind::Other(_) => Ok(Reply::nothing()),
        };
        outcome.or_else(|stop| visit.refused(stop))
    }
}

fn command(visit: &Visit, typed: &incoming::Command) -> Outcome {
    match Command::parse(&typed.text) {
        Command::Overview => overview::show(visit),
        Command::Rotation(code) => match help::known(visit, &code)? {
            Ok(rotation) => rotation::show(visit, &rotation.id),
            Err(reply) => Ok(reply),
        },
        Command::Rotate(code) => match help::known(visit, &code)? {
            Ok(rotation) => duty::rotate(visit, &rotation),
            Err(reply) => Ok(reply),
        },
        Command::Set(code, people) => match help::known(visit, &code)? {
            Ok(rotation) => duty::set(visit, &rotation, &people),
            Err(reply) => Ok(reply),
        },
        Command::Cover(code) => opened(visit, typed, code, modals::cover),
        Command::Swap(code) => opened(visit, typed, code, modals::swap),
        Command::Away(from, to) => {
            let view = modals::away(visit, Some(&typed.channel), from, to)?;
            Ok(visit.open(typed.trigger_id.as_deref(), view))
        }
        Command::Back => Ok(visit.say(talk::me::back(visit)?)),
        Command::Me => me::show(visit),
        Command::Link => Ok(visit.say(&talk::link::make(visit)?)),
        Command::Help => Ok(help::show(visit)),
        Command::Unknown(unknown) => help::unknown(visit, &unknown),
    }
}

/// Makes a modal about one rotation, or about all of the person's.
type Modal = fn(&Visit, Option<&Rotation>, Option<&ChannelId>) -> Result<Result<Value, String>>;

/// Opens a modal from a command.
fn opened(visit: &Visit, typed: &incoming::Command, code: Option<String>, modal: Modal) -> Outcome {
    let rotation = match code {
        None => None,
        Some(code) => match help::known(visit, &code)? {
            Ok(rotation) => Some(rotation),
            Err(reply) => return Ok(reply),
        },
    };
    let made = modal(visit, rotation.as_ref(), Some(&typed.channel))?;
    Ok(match made {
        Ok(view) => visit.open(typed.trigger_id.as_deref(), view),
        Err(why_not) => visit.say(&why_not),
    })
}
