//! Duty by hand: hand over now, put people on call.

use super::command::PersonWord;
use super::people::resolved;
use super::visit::Visit;
use crate::actions::duty::{Rotate, SetOnDuty};
use crate::actions::{Error, Result, reads};
use crate::domain::ids::RotationId;
use crate::domain::resolve;
use crate::domain::rotation::Rotation;
use crate::wire::etag::Precondition;

/// A write of duty leaves nothing to be told but that it was done.
fn nothing(_: &str, _: &()) -> Result<String, Error> {
    Ok(String::new())
}

/// Hands over now.
pub fn rotate(visit: &Visit, id: &RotationId, precondition: &Precondition) -> Result<()> {
    let once = visit.operation_id.clone();
    let operation = Rotate { cells: None };
    visit.write(id, ("rotate", ""), once, precondition, operation, nothing)?;
    Ok(())
}

/// Puts people on call. `Err` says why not.
pub fn set(visit: &Visit, rotation: &Rotation, named: &[PersonWord]) -> Result<Result<(), String>> {
    if named.is_empty() {
        let example = format!("{} CODE set @ana @bo", visit.command);
        return Ok(Err(format!(
            "Say who is to be on call, such as {}.",
            visit.markup.code(&example)
        )));
    }
    // Refused before names are looked for: whoever may not do it need not know who is there.
    visit.caller().check_edit(rotation)?;
    let users = match resolved(visit, rotation, named)? {
        Ok(users) => users,
        Err(why) => return Ok(Err(why)),
    };
    let (once, any) = (visit.operation_id.clone(), &Precondition::Any);
    let (written, operation) = (("replaceOnCall", ""), SetOnDuty { users });
    visit.write(&rotation.id, written, once, any, operation, nothing)?;
    Ok(Ok(()))
}

/// Who is on call once something was done.
pub fn done(visit: &Visit, id: &RotationId) -> Result<String> {
    let rotation = reads::rotation(visit.app, visit.caller(), id)?;
    let on_call = resolve::everybody_on_call(&rotation);
    Ok(match on_call.is_empty() {
        true => "Done. Nobody is on call now.".to_owned(),
        false => format!("Done. On call now: {}.", visit.on_call(&rotation, &on_call)),
    })
}
