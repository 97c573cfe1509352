//! The credentials that `rota dev` prints at each start.

use super::Stop;
use super::keys::{NewKey, mint_key, mint_token};
use crate::domain::access::Scope;
use crate::domain::ids::{KeyId, TokenId, UserId};
use crate::store::{
    Fault, Store, WriteTx, load_directory, load_fact, remove_key, remove_token, save_fact,
};

/// The fact that keeps the ids of what the last start minted, with blanks between.
const FACT: &str = "development_credentials";

/// One key with every scope, and a token a person.
#[derive(Clone, Debug)]
pub struct Credentials {
    pub key: String,
    /// By user id; deleted people are left out.
    pub tokens: Vec<(UserId, String)>,
}

/// Mints the credentials of a start. Those of the start before open nothing any more: nobody can look them up, and
/// they would pile up.
pub fn renew(store: &Store) -> Result<Credentials, Stop> {
    store.write(|tx| {
        let earlier = load_fact(&tx.as_read(), FACT)?.unwrap_or_default();
        for id in earlier.split_whitespace() {
            forget(tx, id)?;
        }
        let (key, secret) = mint_key(tx, every_scope())?;
        let mut minted = vec![key.id.to_string()];
        let mut tokens = Vec::new();
        for person in load_directory(&tx.as_read())?.people {
            if !person.is_deleted {
                let (token, secret) = mint_token(tx, person.id, None)?;
                minted.push(token.id.to_string());
                tokens.push((token.user, secret));
            }
        }
        save_fact(tx, FACT, &minted.join(" "))?;
        Ok(Credentials {
            key: secret,
            tokens,
        })
    })
}

fn every_scope() -> NewKey {
    NewKey {
        name: "rota dev".into(),
        scopes: Scope::ALL.to_vec(),
        rotations: None,
        disabled: false,
        expires_at: None,
    }
}

/// One that was revoked by hand meanwhile is gone already.
fn forget(tx: &mut WriteTx, id: &str) -> Result<bool, Fault> {
    if id.starts_with("key_") {
        return remove_key(tx, &KeyId::from(id));
    }
    remove_token(tx, &TokenId::from(id))
}
