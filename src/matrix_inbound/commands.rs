//! What a command does.

use super::choices;
use super::drafts;
use super::line::{Example, Line};
use super::visitor::{Answer, Visitor};
use crate::actions::{ActionError, Result};
use crate::domain::ids::RotationId;
use crate::domain::message::OfferedAnswer;
use crate::domain::rotation::Rotation;
use crate::talk::help::{self, Usage};
use crate::talk::requests::{self, Side};
use crate::talk::visit::Visit;
use crate::talk::{Command, duty, link, me, overview, rotation, turns};
use crate::wire::etag::Precondition;

/// The commands, each with what it does.
const COMMANDS: [Usage; 15] = [
    ("", "who is on call now, and your next turn"),
    (
        "CODE",
        "one rotation: who is on call, until when, who follows",
    ),
    ("CODE rotate", "hand over now"),
    ("CODE set @ana @bo", "put people on call"),
    (
        "CODE cover @bo 2026-12-09 08:00 to 2026-12-10 08:00 reason",
        "ask others to cover a turn of yours; without a name, everybody",
    ),
    (
        "CODE swap 2026-12-09 with @bo 2026-12-16",
        "offer somebody a swap of two turns",
    ),
    (
        "away 2026-12-09 to 2026-12-11 reason",
        "hand-overs pass you over on these days",
    ),
    ("back", "end your absences that are running"),
    (
        "accept",
        "accept a cover or a swap: in reply to the request",
    ),
    ("decline", "decline it"),
    ("ack", "acknowledge a mention: in reply to it"),
    ("pass", "pass it on"),
    ("me", "your turns, and what waits for you"),
    ("link", "a link that signs you in to the web pages, once"),
    ("help", "this list"),
];

/// Does what stands behind the command.
pub fn answer(visitor: &Visitor, text: &str, answered: Option<&str>) -> Result<Answer> {
    let visit = visitor.visit();
    let outcome = carried_out(visitor, &visit, text, answered);
    match outcome {
        Err(ActionError::Refused(refusal)) => Ok(Answer::private(visit.why(&refusal)?)),
        outcome => outcome,
    }
}

fn carried_out(
    visitor: &Visitor,
    visit: &Visit,
    text: &str,
    answered: Option<&str>,
) -> Result<Answer> {
    if let Some(choice) = word(text) {
        return choices::said(visitor, choice, answered);
    }
    match Line::parse(text) {
        Some(Ok(line)) => return drafts::propose(visitor, text, &line),
        Some(Err((code, example))) => return Ok(wrong(visit, &code, example)),
        None => {}
    }
    match Command::parse(text) {
        Command::Overview => overview(visitor, visit),
        Command::Rotation(code) => {
            known(visit, &code, |rotation| card(visitor, &rotation.id, None))
        }
        Command::Rotate(code) => known(visit, &code, |rotation| {
            duty::rotate(visit, &rotation.id, &Precondition::Any)?;
            card(visitor, &rotation.id, Some(duty::done))
        }),
        Command::Set(code, people) => known(visit, &code, |rotation| {
            match duty::set(visit, rotation, &people)? {
                Ok(()) => card(visitor, &rotation.id, Some(duty::done)),
                Err(why) => Ok(Answer::private(why)),
            }
        }),
        Command::Back => Ok(Answer::private(me::back(visit)?)),
        Command::Me => own(visitor),
        Command::Link => sign_in(visitor),
        Command::Help => Ok(Answer::privately(list(visit))),
        Command::Unknown(unknown) => {
            if let Some(code) = &unknown.code
                && let Err(why) = help::known(visit, code)?
            {
                return Ok(Answer::private(why));
            }
            let mut lines = vec![help::not_understood(visit, &unknown)];
            lines.extend(list(visit));
            Ok(Answer::privately(lines))
        }
        // What they need stands in one line, which was read before.
        Command::Cover(code) => Ok(wrong(visit, &code.unwrap_or_default(), Example::Cover)),
        Command::Swap(code) => Ok(wrong(visit, &code.unwrap_or_default(), Example::Swap)),
        Command::Away(..) => Ok(wrong(visit, "", Example::Away)),
    }
}

/// A word that stands for a reaction.
fn word(text: &str) -> Option<OfferedAnswer> {
    Some(match text.trim().to_lowercase().as_str() {
        "accept" => OfferedAnswer::Accept,
        "decline" => OfferedAnswer::Decline,
        "ack" => OfferedAnswer::Acknowledge,
        "pass" => OfferedAnswer::Pass,
        _ => return None,
    })
}

/// The right line in place of a wrong one.
fn wrong(visit: &Visit, code: &str, example: Example) -> Answer {
    let line = format!("{} {}", visit.command, example.text(code));
    Answer::private(format!("Write it like this: {}", visit.markup.code(&line)))
}

/// Does something with the rotation of a code.
fn known(
    visit: &Visit,
    code: &str,
    act: impl FnOnce(&Rotation) -> Result<Answer>,
) -> Result<Answer> {
    match help::known(visit, code)? {
        Ok(rotation) => act(&rotation),
        Err(why) => Ok(Answer::private(why)),
    }
}

fn overview(visitor: &Visitor, visit: &Visit) -> Result<Answer> {
    let mut lines = Vec::new();
    if visitor.is_alone {
        lines.push(turns::next(visit)?);
    }
    let rotations = overview::rotations(visit, |rotation| visitor.may_show(rotation))?;
    match (rotations.is_empty(), visitor.is_alone) {
        (false, _) => lines.extend(rotations),
        (true, true) => lines.push(overview::NONE.to_owned()),
        (true, false) => lines.push(
            "No rotation is shown here: only those that are public or post in this room are."
                .to_owned(),
        ),
    }
    Ok(Answer::open(lines))
}

/// Words what was done.
type Done = fn(&Visit, &RotationId) -> Result<String>;

/// One rotation; where it may not be shown, to the person alone.
fn card(visitor: &Visitor, id: &RotationId, done: Option<Done>) -> Result<Answer> {
    let lines = |visit: &Visit| -> Result<(Rotation, Vec<String>)> {
        let card = rotation::card(visit, id)?;
        let mut lines = vec![visit.markup.strong(&visit.plain(&card.heading))];
        if let Some(done) = done {
            lines.push(done(visit, id)?);
        }
        lines.extend(card.lines);
        Ok((card.rotation, lines))
    };
    let (shown, open) = lines(&visitor.visit())?;
    Ok(match visitor.may_show(&shown) {
        true => Answer::open(open),
        false => Answer::privately(lines(&visitor.private_visit(&visitor.event.id))?.1),
    })
}

/// The person's turns, and what waits for them.
fn own(visitor: &Visitor) -> Result<Answer> {
    let visit = visitor.private_visit(&visitor.event.id);
    let strong = |text: &str| visit.markup.strong(text);
    let mut lines = vec![strong("Your turns in the next 30 days")];
    lines.extend(turns::lines(&visit)?);
    if lines.len() == 1 {
        lines.push("None is planned.".to_owned());
    }
    lines.extend(me::waiting(&visit)?);
    let (_, own) = requests::pending(&visit)?;
    if !own.is_empty() {
        lines.push(strong("Your requests"));
        lines.extend(own.iter().map(|one| {
            let line = requests::line(&visit, one, Side::Own);
            format!("• {line}")
        }));
    }
    let away = me::away(&visit)?;
    if !away.is_empty() {
        lines.push(strong("Your absences"));
        lines.extend(away.into_iter().map(|(_, line)| format!("• {line}")));
    }
    Ok(Answer::privately(lines))
}

/// A link that signs in. It never stands in a room of more than two.
fn sign_in(visitor: &Visitor) -> Result<Answer> {
    let visit = visitor.private_visit(&visitor.event.id);
    Ok(Answer {
        is_secret: true,
        ..Answer::private(link::make(&visit)?)
    })
}

fn list(visit: &Visit) -> Vec<String> {
    let mut lines = help::lines(visit, &COMMANDS);
    lines.push(format!(
        "Begin a message in a room with my name and a code to call whoever is on call: {}",
        visit.markup.code("@rota CODE please look")
    ));
    lines
}
