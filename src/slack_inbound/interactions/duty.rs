//! Duty by hand: hand over now, put people on call.

use super::blocks::ephemeral;
use super::rotation;
use super::visit::{Outcome, Visit};
use crate::domain::ids::RotationId;
use crate::domain::rotation::Rotation;
use crate::slack_inbound::reply::Reply;
use crate::talk::command::PersonWord;
use crate::talk::duty;
use crate::wire::etag::Precondition;
use serde_json::json;

/// `/rota CODE rotate`.
pub fn rotate(visit: &Visit, rotation: &Rotation) -> Outcome {
    duty::rotate(visit, &rotation.id, &Precondition::Any)?;
    shown(visit, &rotation.id)
}

/// A click on Rotate, if the rotation is still as it was shown. The answer replaces the message.
pub fn rotate_shown(visit: &Visit, id: &RotationId, tag: &str) -> Outcome {
    duty::rotate(visit, id, &Precondition::parse(tag))?;
    let mut reply = shown(visit, id)?;
    if let Some(body) = &mut reply.body {
        body["replace_original"] = json!(true);
    }
    Ok(reply)
}

/// `/rota CODE set @ana @bo`.
pub fn set(visit: &Visit, rotation: &Rotation, named: &[PersonWord]) -> Outcome {
    match duty::set(visit, rotation, named)? {
        Ok(()) => shown(visit, &rotation.id),
        Err(why) => Ok(visit.say(&why)),
    }
}

/// Who is on call now.
fn shown(visit: &Visit, id: &RotationId) -> Outcome {
    let done = duty::done(visit, id)?;
    let (text, blocks) = rotation::card(visit, id, Some(&done))?;
    Ok(Reply::body(ephemeral(&text, blocks)))
}
