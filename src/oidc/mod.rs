//! Signing in at an identity provider by OpenID Connect: the authorization code flow, with PKCE.
//!
//! A sign-in starts with a redirect to the provider and ends with its callback. Between both, the pending sign-in is kept in
//! memory and bound to the browser by a cookie. The callback's code is exchanged for an ID token, whose signature and claims
//! are checked. Who of the workspace that is, is decided by `actions::identities`.
//!
//! | File | Part |
//! |---|---|
//! | `settings` | what the operator sets |
//! | `flow` | a sign-in from start to callback |
//! | `pending` | sign-ins that have started |
//! | `provider` | requests to the provider: its metadata, its keys, the code exchange, userinfo |
//! | `metadata` | the discovery document (pure) |
//! | `token` | ID tokens: their checks, and their claims (pure) |
//! | `keys` | key sets and signatures (pure) |
//! | `matching` | what the claims may be matched by (pure) |
//! | `error` | why a sign-in fails |

mod error;
mod flow;
mod keys;
mod matching;
mod metadata;
mod pending;
mod provider;
mod settings;
#[cfg(test)]
mod tests;
mod token;

pub use crate::client::Secret;
pub use error::Error;
pub use flow::{Arrived, Callback, Failed, SignIns, browser_secret};
pub use provider::Provider;
pub use settings::{Matching, SLACK, Settings};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};

/// Decodes base64url without padding; `None` for anything else.
fn base64url(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// 32 random bytes in base64url; `None` where the system has none to give.
fn random() -> Option<String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}
