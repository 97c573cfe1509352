//! Cover and swap requests: those that wait for the reader, and what a click on one does.

use super::blocks::Blocks;
use super::buttons::{Click, answers};
use super::visit::{Outcome, Visit};
use crate::actions::overview::{self, Asked};
use crate::actions::{ActionError, Result};
use crate::domain::edit::Answering;
use crate::domain::ids::RequestId;
use crate::domain::message::OfferedAnswer;
use crate::domain::refusal::Refusal;
use crate::domain::request::Step;
use crate::talk::requests::{self, Side};

/// Requests in one list.
const MOST: usize = 8;

/// Adds the requests that wait for the reader, with the buttons that answer them, and their own that are pending.
pub fn add(visit: &Visit, blocks: &mut Blocks, text: &mut Vec<String>) -> Result<()> {
    let (waiting, own) = requests::pending(visit)?;
    for (heading, side, shown) in [
        ("*Waiting for you*", Side::Waiting, waiting),
        ("*Your requests*", Side::Own, own),
    ] {
        if shown.is_empty() && side == Side::Own {
            continue;
        }
        blocks.section(heading);
        text.push(heading.to_owned());
        if shown.is_empty() {
            blocks.section("No request.");
            text.push("No request.".to_owned());
        }
        for asked in shown.iter().take(MOST) {
            let line = requests::line(visit, asked, side);
            blocks.section(&line);
            text.push(line);
            blocks.elements(elements(asked, side));
        }
        if shown.len() > MOST {
            blocks.context(&format!("And {} more.", shown.len() - MOST));
        }
    }
    Ok(())
}

fn elements(asked: &Asked, side: Side) -> Vec<serde_json::Value> {
    let (request, capability) = (&asked.view.request, &asked.view.capability);
    if side == Side::Own {
        let cancel = Click::Cancel(request.id.clone()).button();
        return match capability.can_cancel {
            true => vec![cancel.render()],
            false => Vec::new(),
        };
    }
    let offered = [
        capability.can_accept.then_some(OfferedAnswer::Accept),
        capability.can_decline.then_some(OfferedAnswer::Decline),
    ];
    let offered: Vec<OfferedAnswer> = offered.into_iter().flatten().collect();
    answers(&request.rotation, &request.id, &offered)
}

/// A click on the button that cancels a request of the reader's.
pub fn cancel(visit: &Visit, request: &RequestId) -> Outcome {
    let (rotation, _) = overview::request(visit.app, visit.caller(), request)?;
    let once = visit.operation_id.clone();
    let (step, answering) = (Step::Cancel, Answering::default());
    match requests::take(visit, &rotation.id, request, step, once, answering) {
        Ok(()) => Ok(visit.say(requests::done(Step::Cancel))),
        Err(ActionError::Refused(refusal)) => over(visit, request, &refusal),
        Err(stop) => Err(stop),
    }
}

/// Why a click did nothing.
pub fn over(visit: &Visit, request: &RequestId, refusal: &Refusal) -> Outcome {
    Ok(visit.say(&requests::over(visit, request, refusal)?))
}
