//! The reader's own: mentions that wait for them, and absences.

use super::requests::{self, Side};
use super::visit::{Visit, title};
use crate::actions::mentions;
use crate::actions::{Result, absences, reads};
use crate::domain::absence::{Absence, AppliesTo};
use crate::domain::ids::AbsenceId;
use crate::domain::mention::{Mention, MentionState};
use crate::store::{MentionFilter, Page};

/// Mentions that are listed.
const MENTIONS: u32 = 5;

/// The open mentions that the reader has neither answered nor passed on, each with a line about it.
pub fn mentions(visit: &Visit) -> Result<Vec<(Mention, String)>> {
    let filter = MentionFilter {
        state: Some(MentionState::Open),
        notified: Some(visit.me().clone()),
        ..MentionFilter::default()
    };
    let page = Page::first(MENTIONS);
    let (mut found, _) = mentions::list(visit.app, visit.caller(), filter, page)?;
    found.retain(|mention| !mention.passed.contains(visit.me()));
    let with_line = |mention: Mention| {
        let line = asked(visit, &mention)?;
        Ok((mention, line))
    };
    found.into_iter().map(with_line).collect()
}

/// Lines about what waits for the reader, where there are no buttons.
pub fn waiting(visit: &Visit) -> Result<Vec<String>> {
    let mut lines = vec![visit.markup.strong("Waiting for you")];
    let (asked, _) = requests::pending(visit)?;
    lines.extend(asked.iter().map(|one| {
        let line = requests::line(visit, one, Side::Waiting);
        format!("• {line}")
    }));
    lines.extend(
        mentions(visit)?
            .into_iter()
            .map(|(_, line)| format!("• {line}")),
    );
    match lines.len() {
        1 => lines.push("Nothing.".to_owned()),
        _ => lines.push(
            "Answer with a reaction to the message that asks, or in words in reply to it."
                .to_owned(),
        ),
    }
    Ok(lines)
}

fn asked(visit: &Visit, mention: &Mention) -> Result<String> {
    let rotation = reads::rotation(visit.app, visit.caller(), &mention.rotation)?;
    let name = title(&rotation.profile.name, rotation.profile.code.as_deref());
    let message = mention.message.as_deref().unwrap_or_default();
    let message = match message.is_empty() {
        true => String::new(),
        false => format!("\n{}", visit.markup.quote(message)),
    };
    Ok(format!(
        "{} asks for whoever is on call in {}{message}",
        visit.person(&mention.asker),
        visit.plain(&name)
    ))
}

/// Ends the absences that are running.
pub fn back(visit: &Visit) -> Result<&'static str> {
    let author = visit.author("deleteAbsence");
    let ended = absences::end_running(visit.app, &author, visit.me())?;
    Ok(match ended {
        0 => "You are not marked as away.",
        1 => "Welcome back. Your absence has ended now.",
        _ => "Welcome back. Your absences have ended now.",
    })
}

/// A line for each absence of the reader that is not over, with its id.
pub fn away(visit: &Visit) -> Result<Vec<(AbsenceId, String)>> {
    let own = absences::of_person(visit.app, visit.caller(), visit.me(), visit.now)?;
    let line = |(absence, rotation): (Absence, Option<(_, String)>)| {
        let (from, until) = (absence.period.from, absence.period.until);
        let place = match (&absence.applies_to, rotation) {
            (AppliesTo::AllRotations, _) => "all rotations".to_owned(),
            (AppliesTo::Rotation(_), Some((_, name))) => visit.plain(&name),
            (AppliesTo::Rotation(id), None) => visit.plain(id.as_str()),
        };
        let reason = absence.reason.as_deref().map(str::trim).unwrap_or_default();
        let reason = match reason.is_empty() {
            true => String::new(),
            false => format!("\n{}", visit.markup.quote(reason)),
        };
        let text = format!(
            "{} to {}, {place}{reason}",
            visit.time(from),
            visit.time(until)
        );
        (absence.id, text)
    };
    Ok(own.into_iter().map(line).collect())
}
