//! Who may ask: bearer credentials and their limits, the same on every edge that takes them.

mod bearer;

pub use bearer::{AuthError, Credential, failed, presents};

use crate::actions::{App, audit};
use crate::domain::access::Principal;
use crate::domain::audit::Origin;
use crate::runtime::clock;
use crate::server::rate::{Rates, Refusals};
use crate::server::{Problem, Request};
use bearer::Authenticator;
use std::sync::Arc;

/// Admits requests. Edges share one, so that a caller has one rate on all of them.
pub struct Admission {
    authenticator: Authenticator,
    rates: Arc<Rates>,
    /// Of which refused credentials have an audit entry.
    refusals: Refusals,
}

impl Admission {
    /// Counts requests and failed credentials with what else is counted in these rates.
    pub fn new(rates: Arc<Rates>) -> Admission {
        Admission {
            authenticator: Authenticator::default(),
            rates,
            refusals: Refusals::default(),
        }
    }

    /// The credential of a request, counted against its rate. `id` is that of the request.
    ///
    /// # Errors
    /// 401 for a missing or refused credential, 429 for one that asks too often.
    pub fn admit(
        &self,
        app: &App,
        request: &Request,
        id: &str,
    ) -> Result<Arc<Credential>, Problem> {
        let header = request.single("Authorization")?;
        let opened = self.authenticator.open(app, header);
        let credential = opened.map_err(|refused| self.refuse(app, request, id, refused))?;
        self.ask(&credential.caller)?;
        Ok(credential)
    }

    /// Counts a request of a principal.
    ///
    /// # Errors
    /// 429 for one that asks too often.
    pub fn ask(&self, caller: &Principal) -> Result<(), Problem> {
        let asked = self.rates.ask(caller.credential(), clock::monotonic());
        asked.map_err(Problem::rate_limited)
    }

    /// The credential that the memory of a request counts for, if it is a good one.
    pub fn account(&self, app: &App, request: &Request) -> Option<String> {
        let header = request.single("Authorization").ok()?;
        let credential = self.authenticator.open(app, header).ok()?;
        Some(credential.caller.credential().to_owned())
    }

    /// What whoever is not let in is told; who fails again and again from one address is slowed down. A credential that is
    /// refused is in the audit log.
    pub fn refuse(&self, app: &App, request: &Request, id: &str, refused: AuthError) -> Problem {
        match refused {
            AuthError::Missing => Problem::missing_credential(),
            AuthError::Refused(problem) => problem,
            AuthError::Store(error) => error.into(),
            AuthError::Failed(failed) => {
                let (problem, actor) = *failed;
                let address = request.client_address();
                if let Err(seconds) = self.rates.fail(address, clock::monotonic()) {
                    return Problem::rate_limited(seconds);
                }
                let code = problem.code;
                if problem.status == 401 && self.refusals.is_first(address, app.now()) {
                    let origin = Origin {
                        request_id: Some(id.to_owned()),
                        client_request_id: request.client_request_id().map(str::to_owned),
                        address: Some(address),
                    };
                    // Whoever is refused is told so, whether or not it can be stored.
                    let stored = audit::refused_credential(app, actor, origin, code);
                    if let Err(error) = stored {
                        log::warn!("a refused credential is not in the audit log: {error}");
                    }
                }
                problem
            }
        }
    }
}
