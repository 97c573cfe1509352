//! API keys and member tokens: create, disable, enable, rotate, revoke (rules.md 12).
//!
//! A key reads `svc_key_<id>_<secret>`, a token `svc_mbr_<id>_<secret>`, the id without its prefix. What is stored is the
//! SHA-256 of the whole text, so what is lost can only be replaced.

use super::Stop;
use crate::domain::access::Scope;
use crate::domain::ids::{KeyId, RotationId, TokenId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::store::{
    KeyRecord, ReadTx, Store, TokenRecord, WriteTx, insert_key, insert_token, load_key,
    load_person, load_rotation, remove_key, remove_token, save_key,
};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// What every API key begins with.
pub const KEY_PREFIX: &str = "svc_key_";
/// What every member token begins with.
pub const TOKEN_PREFIX: &str = "svc_mbr_";

/// A key to mint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// 1 to 200 characters, not blank.
    pub name: String,
    /// At least one.
    pub scopes: Vec<Scope>,
    /// The rotations that it is limited to, each of which exists; `None` is all.
    pub rotations: Option<Vec<RotationId>>,
    pub disabled: bool,
    /// From this instant on it opens nothing; `None` is never.
    pub expires_at: Option<Timestamp>,
}

/// What is stored of a key or token: the SHA-256 of the whole text as it is presented.
pub fn hash(presented: &str) -> [u8; 32] {
    Sha256::digest(presented.as_bytes()).into()
}

/// Mints a key; the second answer is the key itself, which is nowhere else.
///
/// Refuses a name or scopes out of range and rotations that do not exist.
pub fn create_key(store: &Store, new: NewKey) -> Result<(KeyRecord, String), Stop> {
    store.write(move |tx| mint_key(tx, new))
}

/// The same within a write.
pub(super) fn mint_key(tx: &mut WriteTx, new: NewKey) -> Result<(KeyRecord, String), Stop> {
    check(&tx.as_read(), &new)?;
    let id = KeyId::from(tx.mint("key_"));
    let secret = key_text(&id, tx);
    let record = KeyRecord {
        id,
        name: new.name,
        secret_hash: hash(&secret),
        outgoing: Vec::new(),
        scopes: in_order(&new.scopes),
        rotations: new.rotations,
        disabled: new.disabled,
        created_at: tx.now(),
        expires_at: new.expires_at,
    };
    insert_key(tx, &record)?;
    Ok((record, secret))
}

/// Disables a key, which then answers 401 `disabled`, or enables it again.
pub fn set_disabled(store: &Store, id: KeyId, disabled: bool) -> Result<(), Stop> {
    change(store, id, move |record, _| {
        record.disabled = disabled;
        Ok(())
    })
}

/// Revokes a key for good: it becomes unknown.
pub fn revoke_key(store: &Store, id: KeyId) -> Result<(), Stop> {
    store.write(move |tx| found(remove_key(tx, &id)?, "key"))
}

/// How long a rotated-out secret is kept after its grace, so that it is refused as expired rather than unknown.
const EXPIRED_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Gives a key a new secret and answers the new key. The old one goes on working for `grace` and is refused as
/// `expired_secret` from then on. Secrets of earlier rotations keep the grace that they were given; those that expired more
/// than 30 days ago are forgotten.
pub fn rotate_key(store: &Store, id: KeyId, grace: Duration) -> Result<String, Stop> {
    change(store, id, move |record, tx| {
        let secret = key_text(&record.id, tx);
        let forgotten = tx
            .now()
            .saturating_sub(EXPIRED_KEPT)
            .unwrap_or(Timestamp::MIN);
        record.outgoing.retain(|(_, until)| *until >= forgotten);
        record
            .outgoing
            .push((record.secret_hash, later(tx.now(), grace)?));
        record.secret_hash = hash(&secret);
        Ok(secret)
    })
}

/// Mints a token that acts as a person of the workspace; it works for `lifetime`, or for good. The second answer is the
/// token itself, which is nowhere else.
pub fn create_token(
    store: &Store,
    user: UserId,
    lifetime: Option<Duration>,
) -> Result<(TokenRecord, String), Stop> {
    store.write(move |tx| mint_token(tx, user, lifetime))
}

/// The same within a write.
pub(super) fn mint_token(
    tx: &mut WriteTx,
    user: UserId,
    lifetime: Option<Duration>,
) -> Result<(TokenRecord, String), Stop> {
    let person = load_person(&tx.as_read(), &user)?;
    if person.is_none_or(|person| person.is_deleted) {
        return Ok(invalid(format!(
            "userId: the workspace has nobody with the id {user}; import the directory first"
        ))?);
    }
    let id = TokenId::from(tx.mint("tok_"));
    let secret = text(TOKEN_PREFIX, id.as_str(), tx);
    let record = TokenRecord {
        id,
        user,
        secret_hash: hash(&secret),
        created_at: tx.now(),
        expires_at: lifetime
            .map(|lifetime| later(tx.now(), lifetime))
            .transpose()?,
    };
    insert_token(tx, &record)?;
    Ok((record, secret))
}

/// Revokes a token for good: it becomes unknown.
pub fn revoke_token(store: &Store, id: TokenId) -> Result<(), Stop> {
    store.write(move |tx| found(remove_token(tx, &id)?, "token"))
}

fn check(tx: &ReadTx, new: &NewKey) -> Result<(), Stop> {
    let length = new.name.chars().count();
    if new.name.trim().is_empty() || length > 200 {
        return Ok(invalid("name: send 1 to 200 characters, not only blanks")?);
    }
    if new.scopes.is_empty() {
        return Ok(invalid("scopes: name at least one scope")?);
    }
    let Some(rotations) = &new.rotations else {
        return Ok(());
    };
    if rotations.is_empty() {
        return Ok(invalid(
            "rotationIds: name at least one rotation, or leave it out for all",
        )?);
    }
    for (place, id) in rotations.iter().enumerate() {
        if load_rotation(tx, id)?.is_none() {
            return Ok(invalid(format!(
                "rotationIds[{place}]: there is no rotation {id}"
            ))?);
        }
    }
    Ok(())
}

/// Each scope once, in the order that the documentation lists them.
fn in_order(scopes: &[Scope]) -> Vec<Scope> {
    Scope::ALL
        .into_iter()
        .filter(|scope| scopes.contains(scope))
        .collect()
}

fn change<T: Send + 'static>(
    store: &Store,
    id: KeyId,
    act: impl FnOnce(&mut KeyRecord, &mut WriteTx) -> Result<T, Stop> + Send + 'static,
) -> Result<T, Stop> {
    store.write(move |tx| {
        let Some(mut record) = load_key(&tx.as_read(), &id)? else {
            return Err(Refusal::NotFound("key").into());
        };
        let answer = act(&mut record, tx)?;
        save_key(tx, &record)?;
        Ok(answer)
    })
}

fn key_text(id: &KeyId, tx: &mut WriteTx) -> String {
    text(KEY_PREFIX, id.as_str(), tx)
}

/// The id stands in it without its own prefix, so that the record can be found without a search by hash.
fn text(prefix: &str, id: &str, tx: &mut WriteTx) -> String {
    let bare = id.split_once('_').map_or(id, |(_, bare)| bare);
    format!("{prefix}{bare}_{}", tx.mint_secret())
}

fn later(now: Timestamp, by: Duration) -> Result<Timestamp, Stop> {
    now.checked_add(by).or_else(|_| {
        Ok(invalid(
            "the duration reaches beyond the calendar; send a shorter one",
        )?)
    })
}

fn found(was_there: bool, what: &'static str) -> Result<(), Stop> {
    if was_there {
        Ok(())
    } else {
        Err(Refusal::NotFound(what).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::clock::Clock;
    use crate::store::load_token;
    use std::path::PathBuf;
    use std::sync::Arc;

    /// A database of its own whose clock stands still; gone with the test.
    struct Scratch {
        folder: PathBuf,
        clock: Arc<Clock>,
        store: Store,
    }

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let folder =
                std::env::temp_dir().join(format!("rota-unit-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).expect("a temporary folder");
            let clock = Arc::new(Clock::frozen(
                "2026-11-23T09:00:00Z".parse().expect("an instant"),
            ));
            let store = Store::open(&folder.join("rota.db"), Arc::clone(&clock), true)
                .expect("a new database");
            Scratch {
                folder,
                clock,
                store,
            }
        }

        fn key(&self, id: &KeyId) -> Option<KeyRecord> {
            self.store.read(|tx| load_key(tx, id)).expect("a read")
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            drop(std::fs::remove_dir_all(&self.folder));
        }
    }

    fn new(name: &str, scopes: &[Scope]) -> NewKey {
        NewKey {
            name: name.into(),
            scopes: scopes.to_vec(),
            rotations: None,
            disabled: false,
            expires_at: None,
        }
    }

    fn detail<T: std::fmt::Debug>(outcome: Result<T, Stop>) -> String {
        match outcome {
            Err(Stop::Refused(Refusal::Invalid(detail))) => detail,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_key_names_its_record_and_holds_the_secret() {
        let scratch = Scratch::new("key");
        let scopes = [Scope::WriteDuty, Scope::ReadOnCall, Scope::WriteDuty];
        let (record, key) = create_key(&scratch.store, new("ci", &scopes)).expect("a key");
        let parts: Vec<&str> = key.splitn(4, '_').collect();
        assert_eq!(parts[..2], ["svc", "key"]);
        assert_eq!(format!("key_{}", parts[2]), record.id.as_str());
        assert!(parts[3].len() == 43 && parts[3].bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_eq!(record.secret_hash, hash(&key));
        assert_eq!(record.scopes, [Scope::ReadOnCall, Scope::WriteDuty]);
        assert_eq!(scratch.key(&record.id), Some(record));
    }

    #[test]
    fn each_rotated_out_secret_keeps_its_own_grace() {
        let scratch = Scratch::new("rotate");
        let (record, first) = create_key(&scratch.store, new("ci", &Scope::ALL)).expect("a key");
        let rotate = |seconds| {
            rotate_key(
                &scratch.store,
                record.id.clone(),
                Duration::from_secs(seconds),
            )
            .expect("a new secret")
        };
        let second = rotate(90);
        let until = "2026-11-23T09:01:30Z".parse().expect("an instant");
        let kept = scratch.key(&record.id).expect("the key");
        assert_eq!(
            (kept.secret_hash, kept.outgoing),
            (hash(&second), vec![(hash(&first), until)])
        );
        let third = rotate(0);
        let kept = scratch.key(&record.id).expect("the key");
        let outgoing = vec![(hash(&first), until), (hash(&second), kept.created_at)];
        assert_eq!(
            (kept.secret_hash, kept.outgoing),
            (hash(&third), outgoing.clone())
        );
        for (days, forgotten) in [(30, false), (31, true)] {
            let later = kept.created_at + SignedDuration::from_hours(24 * days);
            scratch.clock.set(later);
            rotate(0);
            let kept = scratch.key(&record.id).expect("the key");
            let knows = |known| kept.outgoing.contains(known);
            assert_eq!(outgoing.iter().any(knows), !forgotten, "{days} days");
        }
        revoke_key(&scratch.store, record.id.clone()).expect("revoked");
        assert_eq!(scratch.key(&record.id), None);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        let scratch = Scratch::new("refused");
        let create = |new| detail(create_key(&scratch.store, new));
        assert!(create(new(" ", &Scope::ALL)).starts_with("name: "));
        assert!(create(new(&"ä".repeat(201), &Scope::ALL)).starts_with("name: "));
        assert!(create(new("ci", &[])).starts_with("scopes: "));
        let limited = |ids: &[&str]| NewKey {
            rotations: Some(ids.iter().map(|id| RotationId::from(*id)).collect()),
            ..new("ci", &Scope::ALL)
        };
        assert!(create(limited(&[])).starts_with("rotationIds: "));
        assert!(create(limited(&["rot_x"])).starts_with("rotationIds[0]: "));
        let token = create_token(&scratch.store, UserId::from("U1"), None);
        assert!(detail(token).contains("U1"));
        let endless = Duration::from_secs(u64::MAX);
        let (record, _) = create_key(&scratch.store, new("ci", &Scope::ALL)).expect("a key");
        assert!(detail(rotate_key(&scratch.store, record.id, endless)).contains("shorter"));
        for unknown in [
            set_disabled(&scratch.store, KeyId::from("key_x"), true),
            revoke_key(&scratch.store, KeyId::from("key_x")),
            revoke_token(&scratch.store, TokenId::from("tok_x")),
        ] {
            assert!(matches!(unknown, Err(Stop::Refused(Refusal::NotFound(_)))));
        }
        let none = scratch
            .store
            .read(|tx| load_token(tx, &TokenId::from("tok_x")));
        assert_eq!(none.expect("a read"), None);
    }
}
