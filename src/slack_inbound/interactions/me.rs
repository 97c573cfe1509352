//! `/rota me` and `/rota back`: the reader's turns, requests and absences.

use super::blocks::{Blocks, ephemeral};
use super::mrkdwn::{people, plain, time};
use super::visit::{Outcome, Visit, title};
use super::{requests, turns};
use crate::actions::mentions;
use crate::actions::{Result, absences, reads};
use crate::chat::slack::{About, Button};
use crate::domain::absence::{Absence, AppliesTo};
use crate::domain::ids::AbsenceId;
use crate::domain::mention::{Mention, MentionState};
use crate::domain::message::OfferedAnswer;
use crate::domain::refusal::Refusal;
use crate::slack_inbound::reply::Reply;
use crate::store::{MentionFilter, Page};

/// Mentions that are listed.
const MENTIONS: u32 = 5;

/// `/rota me`.
pub fn show(visit: &Visit) -> Outcome {
    let mut blocks = Blocks::message();
    let text = add(visit, &mut blocks)?;
    Ok(Reply::body(ephemeral(&text.join("\n"), blocks)))
}

/// The reader's turns, and what waits for them. Answers the same as text.
pub fn add(visit: &Visit, blocks: &mut Blocks) -> Result<Vec<String>> {
    let mut lines = vec!["*Your turns in the next 30 days*".to_owned()];
    lines.extend(turns::lines(visit)?);
    if lines.len() == 1 {
        lines.push("None is planned.".to_owned());
    }
    blocks.lines(&lines);
    requests::add(visit, blocks, &mut lines)?;
    for mention in waiting(visit)? {
        let line = asked(visit, &mention)?;
        blocks.section(&line);
        blocks.elements(answers(&mention));
        lines.push(line);
    }
    Ok(lines)
}

/// The open mentions that the reader has neither answered nor passed on.
fn waiting(visit: &Visit) -> Result<Vec<Mention>> {
    let filter = MentionFilter {
        state: Some(MentionState::Open),
        notified: Some(visit.me().clone()),
        ..MentionFilter::default()
    };
    let page = Page::first(MENTIONS);
    let (mut found, _) = mentions::list(visit.app, visit.caller(), filter, page)?;
    found.retain(|mention| !mention.passed.contains(visit.me()));
    Ok(found)
}

fn asked(visit: &Visit, mention: &Mention) -> Result<String> {
    let rotation = reads::rotation(visit.app, visit.caller(), &mention.rotation)?;
    let name = title(&rotation.profile.name, rotation.profile.code.as_deref());
    let message = mention.message.as_deref().unwrap_or_default();
    let message = match message.is_empty() {
        true => String::new(),
        false => format!("\n&gt; {}", plain(message)),
    };
    Ok(format!(
        "{} asks for whoever is on call in {}{message}",
        people([&mention.asker]),
        plain(&name)
    ))
}

fn answers(mention: &Mention) -> Vec<serde_json::Value> {
    let about = About::Mention {
        rotation: mention.rotation.clone(),
        mention: mention.id.clone(),
    };
    let element = |answer| {
        let button = Button {
            answer,
            about: about.clone(),
        };
        button.element()
    };
    [OfferedAnswer::Acknowledge, OfferedAnswer::Pass]
        .map(element)
        .into()
}

/// `/rota back`: the absences that are running end now.
pub fn back(visit: &Visit) -> Outcome {
    let author = visit.author("deleteAbsence");
    let ended = absences::end_running(visit.app, &author, visit.me())?;
    Ok(visit.say(match ended {
        0 => "You are not marked as away.",
        1 => "Welcome back. Your absence has ended now.",
        _ => "Welcome back. Your absences have ended now.",
    }))
}

/// A click that ends an absence: one that is running ends now, one to come is taken back.
pub fn end(visit: &Visit, id: &AbsenceId) -> Outcome {
    let own = absences::of_person(visit.app, visit.caller(), visit.me(), visit.now)?;
    if !own.iter().any(|(absence, _)| absence.id == *id) {
        return Err(Refusal::NotFound("absence").into());
    }
    absences::end(visit.app, &visit.author("deleteAbsence"), id)?;
    Ok(visit.say("The absence has ended."))
}

/// A line for each absence of the reader that is not over, with its id.
pub fn away(visit: &Visit) -> Result<Vec<(AbsenceId, String)>> {
    let own = absences::of_person(visit.app, visit.caller(), visit.me(), visit.now)?;
    let line = |(absence, rotation): (Absence, Option<(_, String)>)| {
        let zone = visit.zone();
        let (from, until) = (absence.period.from, absence.period.until);
        let place = match (&absence.applies_to, rotation) {
            (AppliesTo::AllRotations, _) => "all rotations".to_owned(),
            (AppliesTo::Rotation(_), Some((_, name))) => plain(&name),
            (AppliesTo::Rotation(id), None) => plain(id.as_str()),
        };
        let reason = absence.reason.as_deref().map(str::trim).unwrap_or_default();
        let reason = match reason.is_empty() {
            true => String::new(),
            false => format!("\n&gt; {}", plain(reason)),
        };
        let text = format!(
            "{} to {}, {place}{reason}",
            time(from, zone),
            time(until, zone)
        );
        (absence.id, text)
    };
    Ok(own.into_iter().map(line).collect())
}
