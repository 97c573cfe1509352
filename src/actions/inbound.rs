//! The inbound webhook of a rotation (rules.md 15).

use super::{App, Stop, reads};
use crate::domain::access::Principal;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{self, InboundWebhook, ReadTx};
use subtle::ConstantTimeEq;

/// The way into a rotation; made where nobody has asked for it yet.
pub fn read(app: &App, caller: &Principal, id: &RotationId) -> Result<InboundWebhook, Stop> {
    let found = app.store().read(|tx| -> Result<_, Stop> {
        editable(tx, caller, id)?;
        Ok(store::load_inbound(tx, id)?)
    })?;
    match found {
        Some(inbound) => Ok(inbound),
        None => make(app, caller, id, false),
    }
}

/// Gives the way into a rotation a new key; the old one opens nothing any more.
pub fn rotate_key(app: &App, caller: &Principal, id: &RotationId) -> Result<InboundWebhook, Stop> {
    make(app, caller, id, true)
}

fn make(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    anew: bool,
) -> Result<InboundWebhook, Stop> {
    let (caller, id) = (caller.clone(), id.clone());
    app.store().write(move |tx| {
        editable(&tx.as_read(), &caller, &id)?;
        let known = store::load_inbound(&tx.as_read(), &id)?;
        if let Some(known) = known.as_ref().filter(|_| !anew) {
            return Ok(known.clone());
        }
        let inbound = InboundWebhook {
            path: known.map_or_else(|| tx.mint(""), |known| known.path),
            rotation: id,
            key: tx.mint_secret(),
            created_at: tx.now(),
        };
        store::save_inbound(tx, &inbound)?;
        Ok(inbound)
    })
}

fn editable(tx: &ReadTx, caller: &Principal, id: &RotationId) -> Result<(), Stop> {
    let rotation = reads::visible(tx, caller, id)?;
    Ok(caller.check_edit(&rotation)?)
}

/// Whoever presents the key of a rotation's inbound webhook.
///
/// # Errors
/// [`Refusal::NotFound`] for an unknown path, [`Refusal::InvalidAccessCode`] for another key.
pub fn enter(app: &App, path: &str, key: &str) -> Result<Principal, Stop> {
    let found = app
        .store()
        .read(|tx| store::load_inbound_by_path(tx, path))?;
    let inbound = found.ok_or(Refusal::NotFound("inbound webhook"))?;
    if !bool::from(key.as_bytes().ct_eq(inbound.key.as_bytes())) {
        return Err(Refusal::InvalidAccessCode.into());
    }
    Ok(Principal::InboundWebhook {
        path: inbound.path,
        rotation: inbound.rotation,
    })
}

/// The member of a rotation whose address this is, whatever its case.
///
/// # Errors
/// [`Refusal::Invalid`] when nobody has it, or nobody who is a member.
pub fn member_by_email(app: &App, rotation: &Rotation, email: &str) -> Result<UserId, Stop> {
    let people = app
        .store()
        .read(|tx| store::list_people_by_email(tx, email))?;
    let invalid = |why: &str| Stop::from(Refusal::Invalid(format!("email: {why}")));
    if people.is_empty() {
        return Err(invalid("nobody in the workspace has this address"));
    }
    let member = people
        .into_iter()
        .find(|person| rotation.has_member(person));
    member.ok_or_else(|| invalid("whoever has this address is not a member of this rotation"))
}
