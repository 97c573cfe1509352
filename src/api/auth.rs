//! Who asks: `Authorization: Bearer` with a team API key or a member token

use super::extract::{self, Path};
use crate::actions::inbound;
use crate::actions::keys::{KEY_PREFIX, TOKEN_PREFIX, hash};
use crate::actions::{App, Fault, Stop};
use crate::domain::access::{Principal, Role, Via};
use crate::domain::ids::{KeyId, TokenId};
use crate::domain::refusal::Refusal;
use crate::server::{Problem, Request};
use crate::store::{ReadTx, load_key, load_person, load_token};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use subtle::ConstantTimeEq;

/// A credential as it is stored, with whom it speaks for.
#[derive(Debug)]
pub struct Credential {
    pub caller: Principal,
    /// SHA-256 of the whole text as presented.
    hash: [u8; 32],
    /// Rotated-out secrets, and from when on each opens nothing.
    outgoing: Vec<([u8; 32], Timestamp)>,
    disabled: bool,
    expires_at: Option<Timestamp>,
}

/// Credentials kept between two commits at most; more are read anew.
const KEPT: usize = 4096;

/// Answers who asks. Records are remembered for as long as nothing is committed.
#[derive(Default)]
pub struct Authenticator {
    remembered: RwLock<Remembered>,
}

#[derive(Default)]
struct Remembered {
    generation: u64,
    by_name: HashMap<String, Arc<Credential>>,
}

/// Why nobody is let in.
pub enum AuthError {
    /// None was presented. Does not count as a failed one.
    Missing,
    /// One was presented, and this is wrong with it.
    Failed(Problem),
    /// What was presented cannot be taken for one.
    Refused(Problem),
    /// The records could not be read.
    Fault(Fault),
}

impl Authenticator {
    /// Whom the header speaks for.
    ///
    /// # Errors
    /// Says whether none was presented, or what is wrong with the one that was.
    pub fn open(&self, app: &App, header: Option<&str>) -> Result<Arc<Credential>, AuthError> {
        let presented = header.and_then(bearer).ok_or(AuthError::Missing)?;
        let unknown = || AuthError::Failed(Problem::unknown_credential());
        let name = name_of(presented).ok_or_else(unknown)?;
        let known = self
            .find(app, name)
            .map_err(AuthError::Fault)?
            .ok_or_else(unknown)?;
        known
            .admit(&hash(presented), app.now())
            .map_err(AuthError::Failed)?;
        Ok(known)
    }

    fn find(&self, app: &App, name: &str) -> Result<Option<Arc<Credential>>, Fault> {
        // Read before the records are: what a later commit changes is then read again.
        let generation = app.store().signals().credentials();
        {
            let remembered = self
                .remembered
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            if remembered.generation == generation
                && let Some(known) = remembered.by_name.get(name)
            {
                return Ok(Some(Arc::clone(known)));
            }
        }
        let Some(known) = app.store().read(|tx| load(tx, name))?.map(Arc::new) else {
            return Ok(None);
        };
        let mut remembered = self
            .remembered
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if remembered.generation != generation || remembered.by_name.len() >= KEPT {
            remembered.by_name.clear();
            remembered.generation = generation;
        }
        remembered
            .by_name
            .insert(name.to_owned(), Arc::clone(&known));
        Ok(Some(known))
    }
}

/// Lets in whoever presents the key of the inbound webhook that the path names.
///
/// # Errors
/// As [`Authenticator::open`]; a path that leads nowhere is a failed credential too.
pub fn enter(app: &App, request: &Request, path: &Path) -> Result<Principal, AuthError> {
    let key = extract::single(request, "webhook-key");
    let key = key.map_err(|refusal| AuthError::Refused(refusal.into()))?;
    let Some(key) = key else {
        return Err(AuthError::Refused(Refusal::MissingAccessCode.into()));
    };
    let name: String = path.id("webhookPath");
    inbound::enter(app, &name, key).map_err(|stop| match stop {
        Stop::Refused(refusal) => AuthError::Failed(refusal.into()),
        Stop::Failed(fault) => AuthError::Fault(fault),
    })
}

impl Credential {
    fn admit(&self, presented: &[u8; 32], now: Timestamp) -> Result<(), Problem> {
        let current = bool::from(self.hash.ct_eq(presented));
        let matches = |(hash, _): &&([u8; 32], Timestamp)| bool::from(hash.ct_eq(presented));
        let outgoing = self.outgoing.iter().find(matches);
        if !current && outgoing.is_none() {
            return Err(Problem::unknown_credential());
        }
        if self.disabled {
            return Err(Problem::disabled_credential());
        }
        let until = [
            self.expires_at,
            outgoing.filter(|_| !current).map(|(_, until)| *until),
        ];
        if until.into_iter().flatten().any(|until| until <= now) {
            return Err(Problem::expired_credential());
        }
        Ok(())
    }
}

/// Reads the record that a credential names, whose id stands in it without its prefix.
fn load(tx: &ReadTx, name: &str) -> Result<Option<Credential>, Fault> {
    if let Some(bare) = name.strip_prefix(KEY_PREFIX) {
        let key = load_key(tx, &KeyId::from(format!("key_{bare}")))?;
        return Ok(key.map(|key| Credential {
            caller: Principal::Key {
                id: key.id,
                scopes: key.scopes,
                rotations: key.rotations,
            },
            hash: key.secret_hash,
            outgoing: key.outgoing,
            disabled: key.disabled,
            expires_at: key.expires_at,
        }));
    }
    let bare = name.strip_prefix(TOKEN_PREFIX).unwrap_or_default();
    let Some(token) = load_token(tx, &TokenId::from(format!("tok_{bare}")))? else {
        return Ok(None);
    };
    let person = load_person(tx, &token.user)?;
    let role = match person.as_ref() {
        Some(person) if person.is_external => Role::Outsider,
        Some(person) if person.is_admin => Role::Admin,
        _ => Role::Member,
    };
    Ok(Some(Credential {
        disabled: person.as_ref().is_none_or(|person| person.is_deleted),
        caller: Principal::Person {
            user: token.user,
            role,
            via: Via::Token(token.id),
        },
        hash: token.secret_hash,
        outgoing: Vec::new(),
        expires_at: token.expires_at,
    }))
}

/// Whether an `Authorization` header presents a credential of ours, good or bad.
pub fn presents(header: Option<&str>) -> bool {
    header.and_then(bearer).is_some()
}

/// The credential of an `Authorization` header; another scheme presents none.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, credential) = header.trim().split_once(' ')?;
    let credential = credential.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !credential.is_empty()).then_some(credential)
}

/// The part of a credential that names its record: everything before the secret.
fn name_of(presented: &str) -> Option<&str> {
    const LONGEST: usize = 200;
    let prefix = [KEY_PREFIX, TOKEN_PREFIX]
        .into_iter()
        .find(|prefix| presented.starts_with(prefix))?;
    let end = prefix.len() + presented[prefix.len()..].find('_')?;
    let named = end > prefix.len() && end + 1 < presented.len() && presented.len() <= LONGEST;
    named.then(|| &presented[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_name_their_record() {
        for (header, name) in [
            ("Bearer svc_key_abc_secret", Some("svc_key_abc")),
            ("bearer svc_mbr_x1_s_t", Some("svc_mbr_x1")),
            ("BEARER   svc_key_abc_secret ", Some("svc_key_abc")),
            ("Bearer svc_key_abc", None),
            ("Bearer svc_key_abc_", None),
            ("Bearer svc_key__secret", None),
            ("Bearer svc_whsec_abc_secret", None),
            ("Bearer abc", None),
        ] {
            assert_eq!(bearer(header).and_then(name_of), name, "{header}");
        }
        for header in [
            "",
            "Bearer",
            "Bearer ",
            "Basic svc_key_abc_secret",
            "svc_key_abc_secret",
        ] {
            assert_eq!(bearer(header), None, "{header}");
        }
    }

    #[test]
    fn secrets_and_their_ends() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let known = |disabled, expires_at| Credential {
            caller: Principal::Key {
                id: KeyId::from("key_a"),
                scopes: Vec::new(),
                rotations: None,
            },
            hash: [1; 32],
            outgoing: vec![([2; 32], at(100)), ([4; 32], at(300))],
            disabled,
            expires_at,
        };
        for (known, secret, now, expected) in [
            (known(false, None), 1, 500, None),
            (known(false, None), 2, 99, None),
            (known(false, None), 2, 100, Some("expired_secret")),
            (known(false, None), 4, 299, None),
            (known(false, None), 4, 300, Some("expired_secret")),
            (known(false, None), 3, 0, Some("unknown")),
            (known(false, Some(at(200))), 1, 199, None),
            (known(false, Some(at(200))), 1, 200, Some("expired_secret")),
            (known(true, None), 1, 0, Some("disabled")),
            (known(true, None), 3, 0, Some("unknown")),
        ] {
            let answer = known.admit(&[secret; 32], at(now)).err();
            assert_eq!(answer.and_then(|problem| problem.code), expected);
        }
    }
}
