//! The credentials that `rota dev` prints at each start.

use super::keys::{NewKey, mint_key, mint_token};
use super::{Result, audit};
use crate::domain::access::Scope;
use crate::domain::audit::{AuditedChange, Author};
use crate::domain::ids::{KeyId, TokenId, UserId};
use crate::store::{
    Error, Store, WriteTx, load_directory, load_fact, remove_key, remove_token, save_fact,
};

/// The fact that stores the ids of the last start's credentials, separated by spaces.
const FACT: &str = "development_credentials";

/// One key with every scope, and a token per person.
#[derive(Clone, Debug)]
pub struct Credentials {
    pub key: String,
    /// By user id, without deleted people.
    pub tokens: Vec<(UserId, String)>,
    /// The first administrator, else the first person.
    pub first: Option<UserId>,
}

/// Creates the credentials of a start. Revokes those of the previous start, which cannot be read again and would
/// accumulate.
pub fn renew(store: &Store, author: &Author) -> Result<Credentials> {
    audit::write(store, author, |tx, _| {
        let earlier = load_fact(&tx.as_read(), FACT)?.unwrap_or_default();
        for id in earlier.split_whitespace() {
            forget(tx, id)?;
        }
        let (key, secret) = mint_key(tx, every_scope())?;
        let mut minted = vec![key.id.to_string()];
        let mut tokens = Vec::new();
        let people = load_directory(&tx.as_read())?.people;
        let mut present = people.iter().filter(|person| !person.is_deleted);
        let first = present.clone().find(|person| person.is_admin);
        let first = first.or(present.next()).map(|person| person.id.clone());
        for person in people {
            if !person.is_deleted {
                let (token, secret) = mint_token(tx, person.id, None)?;
                minted.push(token.id.to_string());
                tokens.push((token.user, secret));
            }
        }
        save_fact(tx, FACT, &minted.join(" "))?;
        let renewed = format!(
            "credentials of this start minted: one API key, {} member tokens; those of the start before revoked",
            tokens.len()
        );
        let credentials = Credentials {
            key: secret,
            tokens,
            first,
        };
        let change = AuditedChange::of(key.id.as_str(), renewed);
        Ok((credentials, Some(change)))
    })
}

fn every_scope() -> NewKey {
    NewKey {
        name: "rota dev".into(),
        scopes: Scope::COMBINED.to_vec(),
        rotations: None,
        disabled: false,
        expires_at: None,
    }
}

/// Credentials revoked by hand are already gone.
fn forget(tx: &mut WriteTx, id: &str) -> Result<bool, Error> {
    if id.starts_with("key_") {
        return remove_key(tx, &KeyId::from(id));
    }
    remove_token(tx, &TokenId::from(id))
}
