//! The inbound webhook of a rotation (rules.md 15).

use super::draft::Draft;
use super::mutation::{Mutation, Operation};
use super::{App, Result, reads};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::store::{self, InboundWebhook, ReadTx, WriteTx};
use crate::wire::etag::Precondition;
use subtle::ConstantTimeEq;

/// The inbound webhook of a rotation. Created on first use.
pub fn read(app: &App, author: &Author, id: &RotationId) -> Result<InboundWebhook> {
    match find(app, &author.principal, id)? {
        Some(inbound) => Ok(inbound),
        None => make(app, author, id, false),
    }
}

/// The inbound webhook of a rotation, where it has one.
pub fn find(app: &App, caller: &Principal, id: &RotationId) -> Result<Option<InboundWebhook>> {
    app.store().read(|tx| {
        editable(tx, caller, id)?;
        Ok(store::load_inbound(tx, id)?)
    })
}

/// Replaces the key of an inbound webhook. The old key no longer works.
pub fn rotate_key(app: &App, author: &Author, id: &RotationId) -> Result<InboundWebhook> {
    make(app, author, id, true)
}

fn make(app: &App, author: &Author, rotation: &RotationId, anew: bool) -> Result<InboundWebhook> {
    let mutation = Mutation {
        author,
        rotation,
        precondition: &Precondition::Any,
        operation: MakeInboundWebhook { anew },
    };
    Ok(mutation.run(app)?.output)
}

/// Makes the inbound webhook of a rotation.
pub struct MakeInboundWebhook {
    /// Whether one that is there gets another key.
    pub anew: bool,
}

impl Operation for MakeInboundWebhook {
    const NAME: &'static str = "make inbound webhook";
    type Output = InboundWebhook;

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<InboundWebhook> {
        let id = draft.rotation.id.clone();
        let existing = store::load_inbound(&tx.as_read(), &id)?;
        if let Some(existing) = existing.as_ref().filter(|_| !self.anew) {
            return Ok(existing.clone());
        }
        draft.describe(
            id.as_str(),
            match existing {
                Some(_) => "inbound webhook: key replaced",
                None => "inbound webhook made",
            },
        );
        let inbound = InboundWebhook {
            path: existing.map_or_else(|| tx.mint(""), |existing| existing.path),
            rotation: id,
            key: tx.mint_secret(),
            created_at: tx.now(),
        };
        store::save_inbound(tx, &inbound)?;
        Ok(inbound)
    }
}

fn editable(tx: &ReadTx, caller: &Principal, id: &RotationId) -> Result<()> {
    let rotation = reads::visible(tx, caller, id)?;
    Ok(caller.check_edit(&rotation)?)
}

/// Whoever a path of an inbound webhook lets in, and whether the key is the right one.
///
/// # Errors
/// [`Refusal::NotFound`] for an unknown path.
pub fn enter(app: &App, path: &str, key: &str) -> Result<(Principal, bool)> {
    let found = app
        .store()
        .read(|tx| store::load_inbound_by_path(tx, path))?;
    let inbound = found.ok_or(Refusal::NotFound("inbound webhook"))?;
    let is_right = bool::from(key.as_bytes().ct_eq(inbound.key.as_bytes()));
    let principal = Principal::InboundWebhook {
        path: inbound.path,
        rotation: inbound.rotation,
    };
    Ok((principal, is_right))
}

/// The member of a rotation with an email address, case-insensitive.
///
/// # Errors
/// [`Refusal::Invalid`] if nobody has it, or nobody who is a member.
pub fn member_by_email(app: &App, rotation: &Rotation, email: &str) -> Result<UserId> {
    let people = app
        .store()
        .read(|tx| store::list_people_by_email(tx, email))?;
    if people.is_empty() {
        return Ok(invalid(
            "email",
            "nobody in the workspace has this address",
        )?);
    }
    let member = people
        .into_iter()
        .find(|person| rotation.has_member(person));
    match member {
        Some(member) => Ok(member),
        None => Ok(invalid(
            "email",
            "whoever has this address is not a member of this rotation",
        )?),
    }
}
