//! Signing in to the pages, and the sessions that this begins (rules.md 12).
//!
//! A session is known by a secret that only the browser has. It ends when nobody uses it for a while, after its lifetime, with
//! what it began with, when its person or an administrator ends it, and with the write that deactivates the person.

mod ending;
mod rules;

pub use ending::{Ended, end, end_all, list, list_all};
pub use rules::{SessionProvider, SessionRules};

use super::keys::{TOKEN_PREFIX, hash};
use super::{App, Error, Result, audit};
use crate::domain::access::{Principal, Role, Via};
use crate::domain::audit::{Actor, ActorKind, AuditedChange, Author, Origin, Phrase};
use crate::domain::directory::Person;
use crate::domain::identity::Identity;
use crate::domain::ids::{SessionId, TokenId, UserId};
use crate::domain::refusal::invalid;
use crate::domain::zones::{self, ZoneName};
use crate::store::{self, ReadTx, SessionOrigin, SessionRecord, Store, TokenRecord, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;
use subtle::ConstantTimeEq;

/// How long the link of an invitation works.
pub const INVITED_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long a link works that an admin is shown.
pub const LINKED_FOR: Duration = Duration::from_secs(24 * 3600);

/// Uses are noted this far apart.
const NOTED_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Sessions that one person has at the most; the oldest ends.
const MOST_SESSIONS: usize = 50;

/// How a person proves who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The secret of a link that signs in once.
    Link(String),
    /// A member token.
    Token(String),
    /// A name is enough: for development.
    Development(UserId),
    /// An identity provider has vouched for the person who is linked to an identity.
    Provider {
        user: UserId,
        identity: Identity,
        /// The verified address, if the provider is believed about its domain.
        email: Option<String>,
        /// Whether the session makes them a workspace administrator.
        is_admin: bool,
    },
}

/// The browser that signs in.
#[derive(Clone, Debug, Default)]
pub struct Browser {
    /// The browser's name of itself.
    pub agent: Option<String>,
    /// The session that it has, and whose, which ends.
    pub replaced: Option<(UserId, SessionId)>,
    pub origin: Origin,
}

/// A session that has begun. The secret is nowhere else.
#[derive(Clone, Debug)]
pub struct Begun {
    pub id: SessionId,
    pub secret: String,
    pub user: UserId,
}

/// Somebody who is signed in.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// `None` where a proxy says who it is.
    pub session: Option<SessionId>,
    pub person: Person,
    pub principal: Principal,
    /// In which times are shown: what they chose, else the directory's.
    pub zone: ZoneName,
}

/// Makes a link that signs a person in once within a time; answers the secret of it.
///
/// Refuses somebody whom the workspace does not have.
pub fn create_link(
    store: &Store,
    author: &Author,
    user: UserId,
    lifetime: Duration,
) -> Result<(String, Timestamp)> {
    audit::write(store, author, move |tx, _| {
        if !store::is_present(&tx.as_read(), &user)? {
            return Ok(invalid(
                "userId",
                format!("the workspace has nobody with the id {user}; import the directory first"),
            )?);
        }
        let Ok(expires_at) = tx.now().checked_add(lifetime) else {
            return Ok(invalid(
                "",
                "the duration reaches beyond the calendar; send a shorter one",
            )?);
        };
        let secret = tx.mint_secret();
        store::insert_login_link(tx, &hash(&secret), &user, expires_at)?;
        let summary = Phrase::from("link made that signs ").and(&user);
        let summary = summary.and(format!(" in once until {expires_at}"));
        let change = AuditedChange::of(user.as_str(), summary);
        Ok(((secret, expires_at), Some(change)))
    })
}

/// Whom a link would sign in; `None` where it is unknown, used up or has expired.
pub fn person_of_link(app: &App, secret: &str) -> Result<Option<Person>, Error> {
    let now = app.now();
    app.store().read(|tx| {
        let user = store::load_login_link(tx, &hash(secret), now)?;
        match user {
            Some(user) => present(tx, &user),
            None => Ok(None),
        }
    })
}

/// Whom a proof is of, if they are of the workspace. Nothing is used up.
pub fn proven(app: &App, proof: &Proof) -> Result<Option<UserId>, Error> {
    let now = app.now();
    let found = app.store().read(|tx| prove(tx, proof, now))?;
    Ok(found.map(|(person, _)| person.id))
}

/// Begins a session of whoever the proof is of; `None` where it proves nothing. The session that the browser had before ends.
pub fn sign_in(
    app: &App,
    proof: Proof,
    browser: Browser,
    rules: &SessionRules,
) -> Result<Option<Begun>> {
    let idle = rules.idle;
    // A token says who they are wherever it is known. A link is used up, which only the server can do that writes.
    let is_own = matches!(proof, Proof::Token(_));
    let begin = move |tx: &mut WriteTx| -> Result<Option<Begun>> {
        let now = tx.now();
        let proven = prove(&tx.as_read(), &proof, now)?;
        let Some((person, origin)) = proven else {
            return Ok(None);
        };
        if let Proof::Link(secret) = &proof {
            store::remove_login_link(tx, &hash(secret))?;
        }
        begin_within(tx, person, origin, browser, idle).map(Some)
    };
    let begun = match is_own {
        true => app.store().write_own(begin)?,
        false => app.store().write(begin)?,
    };
    if let (Some(standby), Some(begun)) = (app.standby(), &begun) {
        standby.keep_session(hash(&begun.secret));
    }
    Ok(begun)
}

/// Begins a session of somebody within a write that has found out who they are.
pub(in crate::actions) fn begin_within(
    tx: &mut WriteTx,
    person: Person,
    origin: SessionOrigin,
    browser: Browser,
    idle: SignedDuration,
) -> Result<Begun> {
    let (now, user) = (tx.now(), person.id.clone());
    if let Some((before, id)) = &browser.replaced {
        store::remove_session(tx, before, id)?;
    }
    let idle_since = now.saturating_sub(idle).unwrap_or(Timestamp::MIN);
    store::clear_idle_sessions(tx, idle_since)?;
    let others = store::list_sessions(&tx.as_read(), &user)?;
    for oldest in others.iter().skip(MOST_SESSIONS - 1) {
        store::remove_session(tx, &user, &oldest.id)?;
    }
    let secret = tx.mint_secret();
    let record = SessionRecord {
        id: SessionId::from(tx.mint("ses_")),
        secret_hash: hash(&secret),
        user: user.clone(),
        origin,
        created_at: now,
        used_at: now,
        agent: browser.agent,
    };
    store::insert_session(tx, &record)?;
    let signed_in = of_session(&tx.as_read(), person, &record)?;
    let author = Author {
        principal: signed_in.principal,
        action: "signIn",
        origin: browser.origin,
    };
    let way = record.origin.way();
    let change = AuditedChange::of(record.id.as_str(), format!("signed in by {way}"));
    audit::record(tx, &author, change)?;
    Ok(Begun {
        id: record.id,
        secret,
        user,
    })
}

/// Whom a proof is of, if they are of the workspace, and what their session begins with.
fn prove(
    tx: &ReadTx,
    proof: &Proof,
    now: Timestamp,
) -> Result<Option<(Person, SessionOrigin)>, Error> {
    let proven = match proof {
        Proof::Link(secret) => {
            store::load_login_link(tx, &hash(secret), now)?.map(|user| (user, SessionOrigin::Link))
        }
        Proof::Token(token) => of_token(tx, token.trim(), now)?.map(|token| {
            let origin = SessionOrigin::Token {
                id: token.id,
                expires_at: token.expires_at,
            };
            (token.user, origin)
        }),
        Proof::Development(user) => Some((user.clone(), SessionOrigin::Development)),
        Proof::Provider {
            user,
            identity,
            email,
            is_admin,
        } => {
            // The operator may have linked it to somebody else since it was recognised.
            let linked = store::load_identity(tx, identity)?.filter(|linked| linked == user);
            let origin = SessionOrigin::Provider {
                issuer: identity.issuer.clone(),
                email: email.clone(),
                is_admin: *is_admin,
            };
            linked.map(|user| (user, origin))
        }
    };
    let Some((user, origin)) = proven else {
        return Ok(None);
    };
    Ok(present(tx, &user)?.map(|person| (person, origin)))
}

/// A member token that is accepted.
fn of_token(tx: &ReadTx, token: &str, now: Timestamp) -> Result<Option<TokenRecord>, Error> {
    let bare = token.strip_prefix(TOKEN_PREFIX).unwrap_or_default();
    let Some((id, _)) = bare.split_once('_') else {
        return Ok(None);
    };
    let found = store::load_token(tx, &TokenId::from(format!("tok_{id}")))?;
    Ok(found.filter(|found| {
        bool::from(found.secret_hash.ct_eq(&hash(token)))
            && !found.disabled
            && found.expires_at.is_none_or(|until| now < until)
    }))
}

fn present(tx: &ReadTx, user: &UserId) -> Result<Option<Person>, Error> {
    let person = store::load_person(tx, user)?;
    Ok(person.filter(|person| !person.is_deleted))
}

/// Whoever a secret of a session signs in; `None` where it is unknown or the session is over. One that is over is forgotten.
pub fn find(app: &App, secret: &str, rules: &SessionRules) -> Result<Option<SignedIn>, Error> {
    let (now, hash) = (app.now(), hash(secret));
    let found = app.store().read(|tx| -> Result<_, Error> {
        let Some(session) = store::load_session(tx, &hash)? else {
            return Ok(None);
        };
        let person = present(tx, &session.user)?;
        let person = person.filter(|person| rules.admit(&session, person, now));
        let signed_in = person.map(|person| of_session(tx, person, &session));
        Ok(Some((session, signed_in.transpose()?)))
    })?;
    let Some((session, signed_in)) = found else {
        return Ok(None);
    };
    let Some(signed_in) = signed_in else {
        // It does not come back when the settings that ended it change again.
        let forgotten = app.store().write_log(move |tx| -> Result<_, Error> {
            store::remove_session(tx, &session.user, &session.id)
        });
        if let Err(error) = forgotten {
            log::warn!("a session that is over is not forgotten: {error}");
        }
        return Ok(None);
    };
    let is_noted = app.store().check_written_here().is_ok();
    if is_noted && now.duration_since(session.used_at) >= NOTED_EVERY {
        // What the log of uses loses with the power is noted again.
        app.store()
            .write_log(move |tx| store::save_session_use(tx, &session.id, now))?;
    }
    Ok(Some(signed_in))
}

fn of_session(tx: &ReadTx, person: Person, session: &SessionRecord) -> Result<SignedIn, Error> {
    let is_admin = matches!(
        session.origin,
        SessionOrigin::Provider { is_admin: true, .. }
    );
    let via = Via::Session(session.id.clone());
    Ok(SignedIn {
        session: Some(session.id.clone()),
        ..signed_in(tx, person, is_admin, via)?
    })
}

/// The person whom a trusted proxy names by their id or their address; `None` where the workspace has nobody like that, or
/// several.
pub fn by_proxy(app: &App, named: &ProxyName) -> Result<Option<SignedIn>, Error> {
    app.store().read(|tx| {
        let user = match named {
            ProxyName::Id(user) => Some(user.clone()),
            ProxyName::Email(email) => {
                let mut people = store::list_people_by_email(tx, email)?;
                people.pop().filter(|_| people.is_empty())
            }
        };
        let Some(user) = user else { return Ok(None) };
        let Some(person) = present(tx, &user)? else {
            return Ok(None);
        };
        signed_in(tx, person, false, Via::Proxy).map(Some)
    })
}

/// The person whom the chat platform names, with the rights that their member token has; `None` where the workspace does not
/// have them, or no longer.
pub fn by_chat(app: &App, user: &UserId) -> Result<Option<SignedIn>, Error> {
    app.store().read(|tx| match present(tx, user)? {
        Some(person) => signed_in(tx, person, false, Via::Chat).map(Some),
        None => Ok(None),
    })
}

/// How a proxy names a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProxyName {
    Id(UserId),
    Email(String),
}

fn signed_in(tx: &ReadTx, person: Person, made_admin: bool, via: Via) -> Result<SignedIn, Error> {
    let role = match person.is_external {
        true => Role::Outsider,
        false if person.is_admin || made_admin => Role::Admin,
        false => Role::Member,
    };
    let chosen = store::load_chosen_zone(tx, &person.id)?;
    let zone = chosen.or_else(|| person.time_zone.clone());
    Ok(SignedIn {
        session: None,
        principal: Principal::Person {
            user: person.id.clone(),
            name: person.name().to_owned(),
            role,
            via,
        },
        zone: zone_of(zone.as_deref()),
        person,
    })
}

/// The zone of a name in the directory: an old name is its current one, an unknown one is UTC.
pub fn zone_of(name: Option<&str>) -> ZoneName {
    let parsed = ZoneName::parse(name.unwrap_or("UTC"));
    let parsed = parsed.or_else(|refusal| match refusal.reason {
        zones::Reason::Legacy { instead } | zones::Reason::WrongCase { right: instead } => {
            ZoneName::parse(instead)
        }
        _ => Err(refusal),
    });
    parsed.unwrap_or(ZoneName::utc())
}

/// Adds the audit entry of a proof that was refused. It may be lost with the power.
pub fn refused(app: &App, origin: Origin) -> Result<(), Error> {
    audit::refused_credential(app, Actor::unknown(ActorKind::Person), origin, "unknown")
}

/// The zone that a person chose for the pages; `None` follows the directory.
pub fn chosen_zone(app: &App, user: &UserId) -> Result<Option<String>, Error> {
    app.store().read(|tx| store::load_chosen_zone(tx, user))
}

/// Chooses the zone in which a person reads the pages; `None` follows the directory.
pub fn choose_zone(app: &App, user: &UserId, zone: Option<ZoneName>) -> Result<()> {
    let user = user.clone();
    app.store().write(move |tx| {
        let name = zone.as_ref().map(ZoneName::as_str);
        Ok(store::save_chosen_zone(tx, &user, name)?)
    })
}
