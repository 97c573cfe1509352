//! The list of commands, and codes that are close to what was typed.

use super::command::Unknown;
use super::visit::Visit;
use crate::actions::{ActionError, Result, overview};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{Page, RotationFilter, RotationOrder};
use crate::wire::strict::nearest;
use jiff::SignedDuration;

/// A command without its first word, and what it does.
pub type Usage = (&'static str, &'static str);

/// Rotations whose codes are looked at for suggestions.
const MOST: u32 = 200;

/// A line for each command.
pub fn lines(visit: &Visit, commands: &[Usage]) -> Vec<String> {
    let lines = commands.iter().map(|(words, does)| {
        let words = format!("{} {words}", visit.command);
        format!("{} {does}", visit.markup.code(words.trim_end()))
    });
    lines.collect()
}

/// What was not understood.
pub fn not_understood(visit: &Visit, unknown: &Unknown) -> String {
    let word = visit.plain(&unknown.word);
    match unknown.code {
        Some(_) => format!("I do not understand “{word}” behind a code."),
        None => format!("I do not understand what stands behind “{word}”."),
    }
}

/// The rotation of a code; where there is none for the person, what to say about it.
pub fn known(visit: &Visit, code: &str) -> Result<Result<Rotation, String>> {
    match visit.rotation(code) {
        Ok(rotation) => Ok(Ok(rotation)),
        Err(ActionError::Refused(Refusal::NotFound(_))) => Ok(Err(not_found(visit, code)?)),
        Err(stop) => Err(stop),
    }
}

/// Says that there is no rotation of a code, with the one that may have been meant.
pub fn not_found(visit: &Visit, code: &str) -> Result<String> {
    let shown: String = code.chars().take(40).collect();
    let text = format!("There is no rotation {}.", visit.markup.code(&shown));
    Ok(match suggestion(visit, code)? {
        Some(near) => format!("{text} Did you mean {}?", visit.markup.code(&near)),
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
