//! The list of commands, and what is said where one was not understood.

use super::blocks::{Blocks, ephemeral};
use super::visit::Visit;
use crate::actions::Result;
use crate::domain::rotation::Rotation;
use crate::slack_inbound::reply::Reply;
use crate::talk::command::Unknown;
use crate::talk::help::{self, Usage};

/// The commands, each with what it does.
const COMMANDS: [Usage; 13] = [
    ("", "who is on call now, and your next turn"),
    (
        "CODE",
        "one rotation: who is on call, until when, who follows",
    ),
    ("CODE rotate", "hand over now"),
    ("CODE set @ana @bo", "put people on call"),
    ("cover", "ask others to cover a turn of yours"),
    ("CODE cover", "the same in one rotation"),
    ("swap", "offer somebody a swap of two turns"),
    ("CODE swap", "the same in one rotation"),
    ("away", "hand-overs pass you over while you are away"),
    ("back", "end your absences that are running"),
    ("me", "your turns, and the requests that wait for you"),
    ("link", "a link that signs you in to the web pages, once"),
    ("help", "this list"),
];

/// `/rota help`.
pub fn show(visit: &Visit) -> Reply {
    list(visit, None)
}

/// Anything else: what was not understood, the list, and a code that is close.
pub fn unknown(visit: &Visit, unknown: &Unknown) -> Result<Reply> {
    if let Some(code) = &unknown.code
        && let Err(reply) = known(visit, code)?
    {
        return Ok(reply);
    }
    Ok(list(visit, Some(&help::not_understood(visit, unknown))))
}

/// The rotation of a code; where there is none for the person, what to say about it.
pub fn known(visit: &Visit, code: &str) -> Result<Result<Rotation, Reply>> {
    let found = help::known(visit, code)?;
    Ok(found.map_err(|why| list(visit, Some(&why))))
}

fn list(visit: &Visit, first: Option<&str>) -> Reply {
    let mut lines = help::lines(visit, &COMMANDS);
    lines.push(
        "Mention me with a code in a channel to call whoever is on call: `@rota CODE please look`"
            .into(),
    );
    let mut blocks = Blocks::message();
    if let Some(first) = first {
        blocks.section(first);
    }
    blocks.lines(&lines);
    let first = first.map_or(String::new(), |first| format!("{first}\n"));
    let text = format!("{first}{}", lines.join("\n"));
    Reply::body(ephemeral(&text, blocks))
}
