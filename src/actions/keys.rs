//! API keys and member tokens: create, disable, enable, rotate, revoke (rules.md 12). Every write is refused to those who do not
//! administer the workspace.
//!
//! A key has the form `svc_key_<id>_<secret>`, a token `svc_mbr_<id>_<secret>`, with the id without its prefix. Only the SHA-256
//! of the whole text is stored, so a lost one can only be replaced.

use super::{Result, audit};
use crate::domain::access::{Principal, Scope};
use crate::domain::audit::{AuditedChange, Author, Phrase, listed, quoted};
use crate::domain::ids::{KeyId, RotationId, TokenId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::store::{
    KeyRecord, ReadTx, Store, TokenRecord, WriteTx, count_sessions_of_token, insert_key,
    insert_token, list_keys, list_tokens, load_key, load_person, load_rotation, load_token,
    remove_key, remove_token, save_key,
};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// The prefix of every API key.
pub const KEY_PREFIX: &str = "svc_key_";
/// The prefix of every member token.
pub const TOKEN_PREFIX: &str = "svc_mbr_";

/// A key to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// 1 to 200 characters, not blank.
    pub name: String,
    /// At least one.
    pub scopes: Vec<Scope>,
    /// The rotations it is limited to, which must exist; `None` means all.
    pub rotations: Option<Vec<RotationId>>,
    pub disabled: bool,
    /// When it expires; `None` means never.
    pub expires_at: Option<Timestamp>,
}

/// The stored hash of a key or token: the SHA-256 of the whole text.
pub fn hash(presented: &str) -> [u8; 32] {
    Sha256::digest(presented.as_bytes()).into()
}

/// Creates a key. Also returns the text of the key, which is not stored.
///
/// Refuses an invalid name or scopes, and rotations that do not exist.
pub fn create_key(store: &Store, author: &Author, new: NewKey) -> Result<(KeyRecord, String)> {
    author.principal.check_administer()?;
    if new.scopes.contains(&Scope::Replicate) {
        check_replicating(author, &new)?;
    }
    audit::write(store, author, move |tx, _| {
        let (record, secret) = mint_key(tx, new)?;
        let scopes: Vec<&str> = record.scopes.iter().map(|scope| scope.name()).collect();
        let rotations = match &record.rotations {
            None => "all rotations".into(),
            Some(ids) => listed(ids),
        };
        let (name, scopes) = (quoted(&record.name), scopes.join(", "));
        let ends = ends(record.expires_at);
        let created = Phrase::from(format!("API key {name} created: {scopes}; "));
        let created = created.and(rotations).and(format!("; {ends}"));
        let change = AuditedChange::of(record.id.as_str(), created);
        Ok(((record, secret), Some(change)))
    })
}

/// A key that copies the database reads every secret in it: whoever has the machine makes one, and it does nothing else.
fn check_replicating(author: &Author, new: &NewKey) -> Result<()> {
    if !matches!(author.principal, Principal::Operator { .. }) {
        return Ok(invalid(
            "scopes",
            "`rota key create` on the machine alone makes a key with replicate",
        )?);
    }
    if new.scopes.iter().any(|scope| *scope != Scope::Replicate) {
        return Ok(invalid(
            "scopes",
            "replicate is alone in a key; leave out the others",
        )?);
    }
    match new.rotations {
        Some(_) => Ok(invalid(
            "rotationIds",
            "a key with replicate copies every rotation; leave them out",
        )?),
        None => Ok(()),
    }
}

fn ends(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "does not expire".into(), |at| format!("expires at {at}"))
}

/// As [`create_key`], within a write.
pub(super) fn mint_key(tx: &mut WriteTx, new: NewKey) -> Result<(KeyRecord, String)> {
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

/// Every key, the oldest first.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for those who do not administer the workspace.
pub fn list(store: &Store, caller: &Principal) -> Result<Vec<KeyRecord>> {
    caller.check_administer()?;
    Ok(store.read(list_keys)?)
}

/// Every member token, the oldest first.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for those who do not administer the workspace.
pub fn list_all_tokens(store: &Store, caller: &Principal) -> Result<Vec<TokenRecord>> {
    caller.check_administer()?;
    Ok(store.read(list_tokens)?)
}

/// Disables a key, which is then refused with 401 `disabled`, or enables it.
pub fn set_disabled(store: &Store, author: &Author, id: KeyId, disabled: bool) -> Result<()> {
    change(store, author, id, move |record, _| {
        let was = std::mem::replace(&mut record.disabled, disabled);
        let state = |disabled| if disabled { "disabled" } else { "enabled" };
        let changed = format!("{} to {}", state(was), state(disabled));
        Ok(((), Some(changed).filter(|_| was != disabled)))
    })
}

/// Revokes a key permanently: it becomes unknown.
pub fn revoke_key(store: &Store, author: &Author, id: KeyId) -> Result<()> {
    author.principal.check_administer()?;
    audit::write(store, author, move |tx, _| {
        let key = load_key(&tx.as_read(), &id)?.ok_or(Refusal::NotFound("key"))?;
        remove_key(tx, &id)?;
        let revoked = format!("API key {} revoked", quoted(&key.name));
        Ok(((), Some(AuditedChange::of(id.as_str(), revoked))))
    })
}

/// How long a rotated-out secret is kept after its grace, so that it is refused as expired instead of unknown.
const EXPIRED_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Gives a key a new secret and returns the new key. The old one works for `grace` and is then refused with
/// `expired_secret`. Secrets of earlier rotations keep their grace. Secrets that expired more than 30 days ago are
/// deleted.
pub fn rotate_key(store: &Store, author: &Author, id: KeyId, grace: Duration) -> Result<String> {
    change(store, author, id, move |record, tx| {
        let secret = key_text(&record.id, tx);
        let forgotten = tx
            .now()
            .saturating_sub(EXPIRED_KEPT)
            .unwrap_or(Timestamp::MIN);
        record.outgoing.retain(|(_, until)| *until >= forgotten);
        let until = later(tx.now(), grace)?;
        record.outgoing.push((record.secret_hash, until));
        record.secret_hash = hash(&secret);
        let rotated = format!("secret rotated, the old one ends at {until}");
        Ok((secret, Some(rotated)))
    })
}

/// Creates a token that acts as a person of the workspace, valid for `lifetime` or permanently. Also returns the text of the
/// token, which is not stored.
pub fn create_token(
    store: &Store,
    author: &Author,
    user: UserId,
    lifetime: Option<Duration>,
) -> Result<(TokenRecord, String)> {
    author.principal.check_administer()?;
    audit::write(store, author, move |tx, _| {
        let (record, secret) = mint_token(tx, user, lifetime)?;
        let ends = ends(record.expires_at);
        let created = Phrase::from("member token of ").and(&record.user);
        let created = created.and(format!(" created; {ends}"));
        let change = AuditedChange::of(record.id.as_str(), created);
        Ok(((record, secret), Some(change)))
    })
}

/// As [`create_token`], within a write.
pub(super) fn mint_token(
    tx: &mut WriteTx,
    user: UserId,
    lifetime: Option<Duration>,
) -> Result<(TokenRecord, String)> {
    let person = load_person(&tx.as_read(), &user)?;
    if person.is_none_or(|person| person.is_deleted) {
        return Ok(invalid(
            "userId",
            format!("the workspace has nobody with the id {user}; import the directory first"),
        )?);
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
        disabled: false,
    };
    insert_token(tx, &record)?;
    Ok((record, secret))
}

/// Revokes a token permanently: it becomes unknown, and the sessions that began with it end.
pub fn revoke_token(store: &Store, author: &Author, id: TokenId) -> Result<()> {
    author.principal.check_administer()?;
    audit::write(store, author, move |tx, _| {
        let token = load_token(&tx.as_read(), &id)?.ok_or(Refusal::NotFound("token"))?;
        let sessions = match count_sessions_of_token(&tx.as_read(), &id)? {
            0 => String::new(),
            1 => "; 1 session ended".to_owned(),
            more => format!("; {more} sessions ended"),
        };
        remove_token(tx, &id)?;
        let revoked = Phrase::from("member token of ").and(&token.user);
        let revoked = revoked.and(format!(" revoked{sessions}"));
        Ok(((), Some(AuditedChange::of(id.as_str(), revoked))))
    })
}

fn check(tx: &ReadTx, new: &NewKey) -> Result<()> {
    let length = new.name.chars().count();
    if new.name.trim().is_empty() || length > 200 {
        return Ok(invalid(
            "name",
            "send 1 to 200 characters, not only spaces",
        )?);
    }
    if new.scopes.is_empty() {
        return Ok(invalid("scopes", "name at least one scope")?);
    }
    let Some(rotations) = &new.rotations else {
        return Ok(());
    };
    if rotations.is_empty() {
        return Ok(invalid(
            "rotationIds",
            "name at least one rotation, or leave it out for all",
        )?);
    }
    for (index, id) in rotations.iter().enumerate() {
        if load_rotation(tx, id)?.is_none() {
            return Ok(invalid(
                format!("rotationIds[{index}]"),
                format!("there is no rotation {id}"),
            )?);
        }
    }
    Ok(())
}

/// Each scope once, in the order of the documentation.
fn in_order(scopes: &[Scope]) -> Vec<Scope> {
    Scope::ALL
        .into_iter()
        .filter(|scope| scopes.contains(scope))
        .collect()
}

/// Changes a key; `act` answers its result and what it changed.
fn change<T: Send + 'static>(
    store: &Store,
    author: &Author,
    id: KeyId,
    act: impl FnOnce(&mut KeyRecord, &mut WriteTx) -> Result<(T, Option<String>)> + Send + 'static,
) -> Result<T> {
    author.principal.check_administer()?;
    audit::write(store, author, move |tx, _| {
        let Some(mut record) = load_key(&tx.as_read(), &id)? else {
            return Err(Refusal::NotFound("key").into());
        };
        let (answer, changed) = act(&mut record, tx)?;
        let Some(changed) = changed else {
            return Ok((answer, None));
        };
        save_key(tx, &record)?;
        let changed = format!("API key {}: {changed}", quoted(&record.name));
        Ok((answer, Some(AuditedChange::of(id.as_str(), changed))))
    })
}

fn key_text(id: &KeyId, tx: &mut WriteTx) -> String {
    text(KEY_PREFIX, id.as_str(), tx)
}

/// Contains the id without its prefix, so that the record is found without a search by hash.
fn text(prefix: &str, id: &str, tx: &mut WriteTx) -> String {
    let bare = id.split_once('_').map_or(id, |(_, bare)| bare);
    format!("{prefix}{bare}_{}", tx.mint_secret())
}

fn later(now: Timestamp, by: Duration) -> Result<Timestamp> {
    now.checked_add(by)
        .or_else(|_| Ok(invalid("", "the duration is too long; send a shorter one")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::ActionError;
    use crate::runtime::clock::Clock;
    use std::path::PathBuf;
    use std::sync::Arc;

    static AUTHOR: Author = Author::local(Principal::Operator { user: None }, "test");

    /// A temporary database with a frozen clock, removed at the end of the test.
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

    fn detail<T: std::fmt::Debug>(outcome: Result<T>) -> String {
        match outcome {
            Err(ActionError::Refused(refusal)) => crate::tests::detail(&refusal),
            other => format!("{other:?}"),
        }
    }

    /// rules.md 12.4.
    #[test]
    fn a_key_names_its_record_and_holds_the_secret() {
        let scratch = Scratch::new("key");
        let scopes = [Scope::WriteDuty, Scope::ReadOnCall, Scope::WriteDuty];
        let (record, key) = create_key(&scratch.store, &AUTHOR, new("ci", &scopes)).expect("a key");
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
        let (record, first) =
            create_key(&scratch.store, &AUTHOR, new("ci", &Scope::COMBINED)).expect("a key");
        let rotate = |seconds| {
            rotate_key(
                &scratch.store,
                &AUTHOR,
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
        revoke_key(&scratch.store, &AUTHOR, record.id.clone()).expect("revoked");
        assert_eq!(scratch.key(&record.id), None);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        let scratch = Scratch::new("refused");
        let create = |new| detail(create_key(&scratch.store, &AUTHOR, new));
        assert!(create(new(" ", &Scope::COMBINED)).starts_with("name: "));
        assert!(create(new(&"ä".repeat(201), &Scope::COMBINED)).starts_with("name: "));
        assert!(create(new("ci", &[])).starts_with("scopes: "));
        let limited = |ids: &[&str]| NewKey {
            rotations: Some(ids.iter().map(|id| RotationId::from(*id)).collect()),
            ..new("ci", &Scope::COMBINED)
        };
        assert!(create(limited(&[])).starts_with("rotationIds: "));
        assert!(create(limited(&["rot_x"])).starts_with("rotationIds[0]: "));
        let token = create_token(&scratch.store, &AUTHOR, UserId::from("U1"), None);
        assert!(detail(token).contains("U1"));
        let endless = Duration::from_secs(u64::MAX);
        let (record, _) =
            create_key(&scratch.store, &AUTHOR, new("ci", &Scope::COMBINED)).expect("a key");
        assert!(
            detail(rotate_key(&scratch.store, &AUTHOR, record.id, endless)).contains("shorter")
        );
        for unknown in [
            set_disabled(&scratch.store, &AUTHOR, KeyId::from("key_x"), true),
            revoke_key(&scratch.store, &AUTHOR, KeyId::from("key_x")),
            revoke_token(&scratch.store, &AUTHOR, TokenId::from("tok_x")),
        ] {
            assert!(matches!(
                unknown,
                Err(ActionError::Refused(Refusal::NotFound(_)))
            ));
        }
        let none = scratch
            .store
            .read(|tx| load_token(tx, &TokenId::from("tok_x")));
        assert_eq!(none.expect("a read"), None);
    }
}
