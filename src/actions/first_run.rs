//! The first admin of a workspace: the set-up address, which works while nobody administers the workspace (rules.md 12).
//!
//! Its secret is printed and stored nowhere else: the database has its hash, and at most one works.

use super::directory_edit::{check_local, create_within, promote_within};
use super::keys::hash;
use super::sessions::{Begun, Browser, SessionRules, begin_within};
use super::{ActionError, App, Error, audit};
use crate::domain::access::{Principal, Role, Via};
use crate::domain::audit::{AuditedChange, Author, Phrase};
use crate::domain::directory_edit::NewPerson;
use crate::domain::ids::{SessionId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::store::{self, ReadTx, SessionOrigin, Store, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;
use subtle::ConstantTimeEq;

/// How long an address works that the server prints.
pub const WORKS_FOR: Duration = Duration::from_secs(3600);

/// Who becomes the admin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admin {
    New(NewPerson),
    /// Somebody of a directory file.
    Known(UserId),
}

/// Whether nobody administers the workspace, so that a set-up address is needed. Not where a chat platform says who does.
pub fn is_needed(app: &App) -> Result<bool, Error> {
    match check_local(app) {
        Ok(()) => app
            .store()
            .read(|tx| Ok(store::find_administrator(tx)?.is_none())),
        Err(_) => Ok(false),
    }
}

/// Whether a set-up address is needed and there is none: nobody administers the workspace any more. One that has expired was
/// printed.
pub fn is_missing(app: &App) -> Result<bool, Error> {
    let fact = |tx: &ReadTx| store::load_fact(tx, store::SETUP_LINK);
    Ok(is_needed(app)? && app.store().read(fact)?.is_none())
}

/// Makes a set-up address for the server to print, in the place of the one before; `None` where it is not needed.
pub fn open(app: &App) -> Result<Option<String>, Error> {
    if !is_needed(app)? {
        return Ok(None);
    }
    app.store().write_log(|tx| {
        let minted = mint(tx, WORKS_FOR)?;
        Ok(minted.map(|(secret, _)| secret))
    })
}

/// Makes a set-up address for the operator, in the place of the one before; `None` where somebody administers the workspace.
pub fn create(
    store: &Store,
    author: &Author,
    lifetime: Duration,
) -> Result<Option<(String, Timestamp)>, ActionError> {
    audit::write(store, author, move |tx, _| {
        let Some((secret, until)) = mint(tx, lifetime)? else {
            return Ok((None, None));
        };
        let change = AuditedChange {
            rotation: None,
            subject: None,
            summary: format!("set-up address made that works until {until}").into(),
        };
        Ok((Some((secret, until)), Some(change)))
    })
}

fn mint(tx: &mut WriteTx, lifetime: Duration) -> Result<Option<(String, Timestamp)>, Error> {
    if store::find_administrator(&tx.as_read())?.is_some() {
        return Ok(None);
    }
    let lifetime = SignedDuration::try_from(lifetime).unwrap_or(SignedDuration::MAX);
    let until = tx.now().saturating_add(lifetime);
    let until = until.unwrap_or(Timestamp::MAX);
    let secret = tx.mint_short_secret();
    let hashed: String = hash(&secret)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    store::save_fact(tx, store::SETUP_LINK, &format!("{hashed} {until}"))?;
    Ok(Some((secret, until)))
}

/// Whether a secret is that of the address that works now.
pub fn is_open(app: &App, secret: &str) -> Result<bool, Error> {
    let now = app.now();
    match is_needed(app)? {
        true => app.store().read(|tx| admits(tx, secret, now)),
        false => Ok(false),
    }
}

fn admits(tx: &ReadTx, secret: &str, now: Timestamp) -> Result<bool, Error> {
    let Some(kept) = store::load_fact(tx, store::SETUP_LINK)? else {
        return Ok(false);
    };
    let Some((hashed, until)) = kept.split_once(' ') else {
        return Ok(false);
    };
    let sent: String = hash(secret)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let is_it = bool::from(sent.as_bytes().ct_eq(hashed.as_bytes()));
    let until: Option<Timestamp> = until.parse().ok();
    Ok(is_it && until.is_some_and(|until| now < until))
}

/// Makes the first admin, signs them in, and voids the address, all in one write; `None` where the address does not work.
///
/// # Errors
/// [`Refusal::Invalid`] for somebody who is not in the workspace, and the refusals of a person who is added. Nothing is used up
/// then.
pub fn set_up(
    app: &App,
    secret: &str,
    admin: Admin,
    browser: Browser,
    rules: &SessionRules,
) -> Result<Option<Begun>, ActionError> {
    if check_local(app).is_err() {
        return Ok(None);
    }
    let (shared, secret, idle) = (app.clone(), secret.to_owned(), rules.idle);
    app.store().write(move |tx| {
        let is_admin_there = store::find_administrator(&tx.as_read())?.is_some();
        if is_admin_there || !admits(&tx.as_read(), &secret, tx.now())? {
            return Ok(None);
        }
        let mut author = Author {
            principal: principal(UserId::from("")),
            action: "setUp",
            origin: browser.origin.clone(),
        };
        let user = match admin {
            Admin::New(mut new) => {
                new.with.is_admin = Some(true);
                let (record, _) = create_within(&shared, tx, &author, &new)?;
                record.person.id
            }
            Admin::Known(user) => {
                author.principal = principal(user.clone());
                match promote_within(&shared, tx, &author, &user) {
                    Err(ActionError::Refused(Refusal::NotFound(_))) => {
                        return Ok(invalid("userId", "choose one of the people of the list")?);
                    }
                    promoted => promoted?,
                }
                user
            }
        };
        author.principal = principal(user.clone());
        let said = Phrase::from("became the first admin: ").and(&user);
        audit::record(tx, &author, AuditedChange::of(user.as_str(), said))?;
        let person = store::load_person(&tx.as_read(), &user)?;
        let person = person.ok_or(Refusal::NotFound("user"))?;
        begin_within(tx, person, SessionOrigin::Link, browser, idle).map(Some)
    })
}

/// The person who becomes the admin, as the author of it.
fn principal(user: UserId) -> Principal {
    Principal::Person {
        name: user.to_string(),
        user,
        role: Role::Admin,
        via: Via::Session(SessionId::from("")),
    }
}
