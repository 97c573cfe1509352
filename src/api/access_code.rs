//! Authentication by the key of an inbound webhook.

use super::extract::Path;
use crate::actions::{ActionError, App, inbound};
use crate::admission::{AuthError, failed};
use crate::domain::access::Principal;
use crate::domain::audit::{Actor, ActorKind};
use crate::domain::refusal::Refusal;
use crate::server::Request;

/// Authenticates the key of the inbound webhook in the path.
///
/// # Errors
/// [`AuthError`]: what is wrong with it. An unknown path counts as a failed credential.
pub fn enter(app: &App, request: &Request, path: &Path) -> Result<Principal, AuthError> {
    let key = request.single("webhook-key");
    let key = key.map_err(|refusal| AuthError::Refused(refusal.into()))?;
    let Some(key) = key else {
        return Err(AuthError::Refused(Refusal::MissingAccessCode.into()));
    };
    let name: String = path.id("webhookPath");
    match inbound::enter(app, &name, key) {
        Ok((principal, true)) => Ok(principal),
        Ok((principal, false)) => {
            let refusal = Refusal::InvalidAccessCode;
            Err(failed(refusal.into(), Actor::of(&principal)))
        }
        Err(ActionError::Refused(refusal)) => {
            let actor = Actor::unknown(ActorKind::InboundWebhook);
            Err(failed(refusal.into(), actor))
        }
        Err(ActionError::Failed(error)) => Err(AuthError::Store(error)),
    }
}
