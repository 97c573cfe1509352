//! Listing sessions and ending them.

use super::{SessionRules, present};
use crate::actions::{Error, Result, audit};
use crate::domain::audit::{AuditedChange, Author, Phrase};
use crate::domain::ids::{SessionId, UserId};
use crate::domain::refusal::Refusal;
use crate::store::{self, SessionRecord, Store};
use jiff::Timestamp;

/// The sessions of a person that are not over, the newest first.
pub fn list(
    store: &Store,
    user: &UserId,
    rules: &SessionRules,
    now: Timestamp,
) -> Result<Vec<SessionRecord>, Error> {
    store.read(|tx| {
        let Some(person) = present(tx, user)? else {
            return Ok(Vec::new());
        };
        let mut sessions = store::list_sessions(tx, user)?;
        sessions.retain(|session| rules.admit(session, &person, now));
        Ok(sessions)
    })
}

/// The sessions of everybody that time has not ended, by person, the newest first.
pub fn list_all(
    store: &Store,
    rules: &SessionRules,
    now: Timestamp,
) -> Result<Vec<SessionRecord>, Error> {
    let mut sessions = store.read(store::list_all_sessions)?;
    sessions.retain(|session| rules.lasts(session, now));
    Ok(sessions)
}

/// Ends a session, of `user` where that is given, and answers whose it was. People end their own, administrators everybody's.
///
/// # Errors
/// [`Refusal::NotFound`] for one that the author may not end, or that is over.
pub fn end(
    store: &Store,
    author: &Author,
    user: Option<&UserId>,
    id: &SessionId,
) -> Result<UserId> {
    let (user, id) = (user.cloned(), id.clone());
    audit::write(store, author, move |tx, author| {
        let found = store::load_session_by_id(&tx.as_read(), &id)?;
        let may_end = |session: &SessionRecord| {
            user.as_ref().is_none_or(|user| *user == session.user)
                && check(author, &session.user).is_ok()
        };
        let session = found.filter(may_end).ok_or(Refusal::NotFound("session"))?;
        store::remove_session(tx, &session.user, &id)?;
        let summary = Phrase::from("session of ").and(&session.user);
        let summary = summary.and(" ended");
        Ok((session.user, Some(AuditedChange::of(id.as_str(), summary))))
    })
}

/// How much of somebody's was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub sessions: usize,
    /// Links that had not been used.
    pub links: usize,
}

/// Ends every session of a person, and takes back the links that would sign them in.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for authors who are neither the person nor an administrator, [`Refusal::NotFound`] for somebody
/// whom the workspace has never had.
pub fn end_all(store: &Store, author: &Author, user: &UserId) -> Result<Ended> {
    check(author, user)?;
    let user = user.clone();
    audit::write(store, author, move |tx, _| {
        if store::load_person(&tx.as_read(), &user)?.is_none() {
            return Err(Refusal::NotFound("person").into());
        }
        let ended = Ended {
            sessions: store::remove_sessions(tx, &user)?,
            links: store::remove_login_links(tx, &user)?,
        };
        let Ended { sessions, links } = ended;
        let summary = Phrase::from("of ").and(&user).and(format!(
            ": sessions ended: {sessions}; unused links taken back: {links}"
        ));
        let change = AuditedChange::of(user.as_str(), summary);
        Ok((ended, Some(change).filter(|_| sessions + links > 0)))
    })
}

fn check(author: &Author, user: &UserId) -> Result<(), Refusal> {
    match author.principal.person() {
        Ok(own) if own == user => Ok(()),
        _ => author.principal.check_administer(),
    }
}
