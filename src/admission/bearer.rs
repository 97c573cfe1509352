//! Authentication: `Authorization: Bearer` with a team API key or a member token.

use crate::actions::keys::{KEY_PREFIX, TOKEN_PREFIX, hash};
use crate::actions::{App, Error};
use crate::domain::access::{Principal, Role, Via};
use crate::domain::audit::{Actor, ActorKind};
use crate::domain::ids::{KeyId, TokenId};
use crate::server::Problem;
use crate::store::{ReadTx, load_key, load_person, load_token};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use subtle::ConstantTimeEq;

/// A stored credential and its principal.
#[derive(Debug)]
pub struct Credential {
    pub caller: Principal,
    /// SHA-256 of the whole credential.
    hash: [u8; 32],
    /// Rotated-out secrets, and when each expires.
    outgoing: Vec<([u8; 32], Timestamp)>,
    disabled: bool,
    expires_at: Option<Timestamp>,
}

/// The maximum number of cached credentials.
const KEPT: usize = 4096;

/// Authenticates requests. Caches credentials until a commit changes keys, tokens or people.
#[derive(Default)]
pub struct Authenticator {
    cache: RwLock<Cache>,
}

#[derive(Default)]
struct Cache {
    generation: u64,
    by_name: HashMap<String, Arc<Credential>>,
}

/// Why authentication failed.
pub enum AuthError {
    /// No credential was sent. Not counted as a failure.
    Missing,
    /// One was presented, and this is wrong with it. The actor is whom it claims to speak for.
    Failed(Box<(Problem, Actor)>),
    /// The header could not be parsed as a credential.
    Refused(Problem),
    /// The credentials could not be read.
    Store(Error),
}

/// A credential was presented, and this is wrong with it.
pub fn failed(problem: Problem, actor: Actor) -> AuthError {
    AuthError::Failed(Box::new((problem, actor)))
}

impl Authenticator {
    /// The credential of an `Authorization` header.
    ///
    /// # Errors
    /// Whether no credential was sent, or what is wrong with it.
    pub fn open(&self, app: &App, header: Option<&str>) -> Result<Arc<Credential>, AuthError> {
        let presented = header.and_then(bearer).ok_or(AuthError::Missing)?;
        let unknown = || {
            let kind = match presented.starts_with(TOKEN_PREFIX) {
                true => ActorKind::Person,
                false => ActorKind::Key,
            };
            // What was presented may be a secret in the wrong place, so no id is taken from it.
            failed(Problem::unknown_credential(), Actor::unknown(kind))
        };
        let name = name_of(presented).ok_or_else(unknown)?;
        let credential = self
            .find(app, name)
            .map_err(AuthError::Store)?
            .ok_or_else(unknown)?;
        match credential.admit(&hash(presented), app.now()) {
            Ok(()) => Ok(credential),
            Err(problem) => Err(failed(problem, Actor::of(&credential.caller))),
        }
    }

    fn find(&self, app: &App, name: &str) -> Result<Option<Arc<Credential>>, Error> {
        // Read before the records, so that a later commit invalidates them.
        let generation = app.store().signals().credentials();
        {
            let cache = self.cache.read().unwrap_or_else(PoisonError::into_inner);
            if cache.generation == generation
                && let Some(credential) = cache.by_name.get(name)
            {
                return Ok(Some(Arc::clone(credential)));
            }
        }
        let Some(credential) = app.store().read(|tx| load(tx, name))?.map(Arc::new) else {
            return Ok(None);
        };
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        if cache.generation != generation || cache.by_name.len() >= KEPT {
            cache.by_name.clear();
            cache.generation = generation;
        }
        cache
            .by_name
            .insert(name.to_owned(), Arc::clone(&credential));
        Ok(Some(credential))
    }
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

/// Loads the record of a credential by the id that it contains, without the prefix.
fn load(tx: &ReadTx, name: &str) -> Result<Option<Credential>, Error> {
    if let Some(bare) = name.strip_prefix(KEY_PREFIX) {
        let key = load_key(tx, &KeyId::from(format!("key_{bare}")))?;
        return Ok(key.map(|key| Credential {
            caller: Principal::Key {
                id: key.id,
                name: key.name,
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
    let is_gone = person.as_ref().is_none_or(|person| person.is_deleted);
    Ok(Some(Credential {
        disabled: token.disabled || is_gone,
        caller: Principal::Person {
            user: token.user,
            name: person.map_or_else(String::new, |person| person.name().to_owned()),
            role,
            via: Via::Token(token.id),
        },
        hash: token.secret_hash,
        outgoing: Vec::new(),
        expires_at: token.expires_at,
    }))
}

/// Whether an `Authorization` header has a credential of rota's form, valid or not.
pub fn presents(header: Option<&str>) -> bool {
    header.and_then(bearer).is_some()
}

/// The credential of an `Authorization` header; `None` for other schemes.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, credential) = header.trim().split_once(' ')?;
    let credential = credential.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !credential.is_empty()).then_some(credential)
}

/// The part of a credential that identifies its record: everything before the secret.
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
        let credential = |disabled, expires_at| Credential {
            caller: Principal::Key {
                id: KeyId::from("key_a"),
                name: "test".into(),
                scopes: Vec::new(),
                rotations: None,
            },
            hash: [1; 32],
            outgoing: vec![([2; 32], at(100)), ([4; 32], at(300))],
            disabled,
            expires_at,
        };
        for (credential, secret, now, expected) in [
            (credential(false, None), 1, 500, None),
            (credential(false, None), 2, 99, None),
            (credential(false, None), 2, 100, Some("expired_secret")),
            (credential(false, None), 4, 299, None),
            (credential(false, None), 4, 300, Some("expired_secret")),
            (credential(false, None), 3, 0, Some("unknown")),
            (credential(false, Some(at(200))), 1, 199, None),
            (
                credential(false, Some(at(200))),
                1,
                200,
                Some("expired_secret"),
            ),
            (credential(true, None), 1, 0, Some("disabled")),
            (credential(true, None), 3, 0, Some("unknown")),
        ] {
            let answer = credential.admit(&[secret; 32], at(now)).err();
            assert_eq!(answer.map(|problem| problem.code), expected);
        }
    }
}
