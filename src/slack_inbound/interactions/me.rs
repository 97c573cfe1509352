//! `/rota me` and `/rota back`: the reader's turns, requests and absences.

use super::blocks::{Blocks, ephemeral};
use super::requests;
use super::visit::{Outcome, Visit};
use crate::actions::{Result, absences};
use crate::chat::slack::{About, Button};
use crate::domain::ids::AbsenceId;
use crate::domain::mention::Mention;
use crate::domain::message::OfferedAnswer;
use crate::domain::refusal::Refusal;
use crate::slack_inbound::reply::Reply;
use crate::talk::{me, turns};

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
    for (mention, line) in me::mentions(visit)? {
        blocks.section(&line);
        blocks.elements(answers(&mention));
        lines.push(line);
    }
    Ok(lines)
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

/// A click that ends an absence: one that is running ends now, one to come is taken back.
pub fn end(visit: &Visit, id: &AbsenceId) -> Outcome {
    let own = absences::of_person(visit.app, visit.caller(), visit.me(), visit.now)?;
    if !own.iter().any(|(absence, _)| absence.id == *id) {
        return Err(Refusal::NotFound("absence").into());
    }
    absences::end(visit.app, &visit.author("deleteAbsence"), id)?;
    Ok(visit.say("The absence has ended."))
}
