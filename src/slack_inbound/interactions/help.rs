//! The list of commands, and codes that are close to what was typed.

use super::blocks::{Blocks, ephemeral};
use super::command::Unknown;
use super::mrkdwn::plain;
use super::visit::Visit;
use crate::actions::{ActionError, Result, overview};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::slack_inbound::reply::Reply;
use crate::store::{Page, RotationFilter, RotationOrder};
use crate::wire::strict::nearest;
use jiff::SignedDuration;

/// The commands, each with what it does.
const COMMANDS: [(&str, &str); 13] = [
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

/// Rotations whose codes are looked at for suggestions.
const MOST: u32 = 200;

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
    let text = match unknown.code {
        Some(_) => format!(
            "I do not understand “{}” behind a code.",
            plain(&unknown.word)
        ),
        None => format!(
            "I do not understand what stands behind “{}”.",
            plain(&unknown.word)
        ),
    };
    Ok(list(visit, Some(&text)))
}

/// The rotation of a code; where there is none for the person, what to say about it.
pub fn known(visit: &Visit, code: &str) -> Result<Result<Rotation, Reply>> {
    match visit.rotation(code) {
        Ok(rotation) => Ok(Ok(rotation)),
        Err(ActionError::Refused(Refusal::NotFound(_))) => {
            let text = not_found(visit, code)?;
            Ok(Err(list(visit, Some(&text))))
        }
        Err(stop) => Err(stop),
    }
}

/// Says that there is no rotation of a code, with the one that may have been meant.
pub fn not_found(visit: &Visit, code: &str) -> Result<String> {
    let shown = plain(&code.chars().take(40).collect::<String>());
    let text = format!("There is no rotation `{}`.", shown.replace('`', "'"));
    Ok(match suggestion(visit, code)? {
        Some(near) => format!("{text} Did you mean `{near}`?"),
        None => text,
    })
}

/// The code that is closest to what was typed, among the rotations that the person sees.
fn suggestion(visit: &Visit, typed: &str) -> Result<Option<String>> {
    let page = Page::first(MOST);
    let filter = RotationFilter {
        order: RotationOrder::Name,
        ..RotationFilter::default()
    };
    let (all, _) = overview::rotations(
        visit.app,
        visit.caller(),
        filter,
        page,
        SignedDuration::ZERO,
    )?;
    let codes: Vec<String> = all
        .into_iter()
        .filter_map(|one| one.rotation.profile.code)
        .collect();
    let known: Vec<&str> = codes.iter().map(String::as_str).collect();
    let begins = |code: &&&str| {
        let typed = typed.to_ascii_uppercase();
        typed.len() >= 2 && code.starts_with(&typed)
    };
    let near = nearest(typed, &known).or_else(|| known.iter().find(begins).copied());
    Ok(near.map(str::to_owned))
}

fn list(visit: &Visit, first: Option<&str>) -> Reply {
    let command = plain(visit.command());
    let lines = COMMANDS.iter().map(|(words, does)| {
        let words = format!("{command} {words}");
        format!("`{}` {does}", words.trim_end())
    });
    let mut lines: Vec<String> = lines.collect();
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
