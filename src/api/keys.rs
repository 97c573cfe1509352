//! /v1/keys/self.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, operation};
use crate::actions::ActionError;
use crate::domain::access::Principal;
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::store::{load_key, load_team};
use crate::wire::key::{KeySelf, Selector};

pub const OWN: Operation = operation("getOwnKey", "keys", "Read this key")
    .about("Requires no scope. Member tokens are refused.")
    .gives::<KeySelf>(200, "The key that made the request.");

/// GET keys/self.
pub fn own(call: &Call) -> Outcome {
    let Principal::Key { id, .. } = call.caller else {
        return Err(Refusal::ScopeDenied(
            "this operation requires a team API key; send one".into(),
        )
        .into());
    };
    let (key, team) = call.app.store().read(|tx| -> Result<_, ActionError> {
        let key = load_key(tx, id)?.ok_or(Refusal::NotFound("key"))?;
        Ok((key, load_team(tx)?))
    })?;
    let selector = |ids: Vec<RotationId>| Selector {
        rotation_ids: ids.iter().map(RotationId::to_string).collect(),
    };
    let shown = KeySelf {
        id: key.id.to_string(),
        name: key.name,
        team_id: team.id,
        scopes: key
            .scopes
            .iter()
            .map(|scope| scope.name().to_owned())
            .collect(),
        selector: key.rotations.map(selector),
        created_at: key.created_at.into(),
        expires_at: key.expires_at.map(Into::into),
    };
    answer::json(200, &shown)
}
