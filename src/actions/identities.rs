//! Who somebody from an identity provider is (rules.md 12.8 and 12.9).

use super::{App, Error, Result, audit};
use crate::domain::access::{Principal, Role, Via};
use crate::domain::audit::{AuditedChange, Author, Origin, Phrase, quoted};
use crate::domain::directory::Person;
use crate::domain::identity::{Identity, ProvidedName, Unrecognised};
use crate::domain::ids::UserId;
use crate::domain::refusal::invalid;
use crate::store::{self, ReadTx, Store};

/// The longest issuer and the longest `sub` that are linked by hand, in characters.
const LONGEST: usize = 255;

/// The person whom an identity is linked to. One that is not linked is linked to the person whom its name matches.
///
/// # Errors
/// When the storage fails. That nobody is found is not an error.
pub fn recognise(
    app: &App,
    identity: &Identity,
    name: Option<&ProvidedName>,
    origin: Origin,
) -> Result<Result<Person, Unrecognised>> {
    let linked = app.store().read(|tx| linked(tx, identity))?;
    match (linked, name) {
        (Some(found), _) => Ok(found),
        (None, None) => Ok(Err(Unrecognised::Nobody)),
        (None, Some(name)) => link_named(app, identity.clone(), name.clone(), origin),
    }
}

/// Whom an identity is linked to; `None` where it is not linked.
pub(super) fn linked(
    tx: &ReadTx,
    identity: &Identity,
) -> Result<Option<Result<Person, Unrecognised>>, Error> {
    match store::load_identity(tx, identity)? {
        Some(user) => {
            let person = store::load_person(tx, &user)?.filter(is_in_workspace);
            Ok(Some(person.ok_or(Unrecognised::NotInWorkspace)))
        }
        None => Ok(None),
    }
}

pub(super) fn is_in_workspace(person: &Person) -> bool {
    !person.is_deleted && !person.is_external
}

fn link_named(
    app: &App,
    identity: Identity,
    name: ProvidedName,
    origin: Origin,
) -> Result<Result<Person, Unrecognised>> {
    // Who matches is read again in the write: two sign-ins may arrive at once.
    let found = app.store().read(|tx| named(tx, &name))?;
    let person = match found {
        Ok(person) => person,
        Err(unrecognised) => return Ok(Err(unrecognised)),
    };
    let author = Author {
        principal: Principal::Person {
            user: person.id.clone(),
            name: person.name().to_owned(),
            role: Role::Member,
            via: Via::Provider,
        },
        action: "linkIdentity",
        origin,
    };
    audit::write(app.store(), &author, move |tx, _| {
        let read = tx.as_read();
        if let Some(found) = linked(&read, &identity)? {
            return Ok((found, None));
        }
        let person = match named(&read, &name)? {
            Ok(person) => person,
            Err(unrecognised) => return Ok((Err(unrecognised), None)),
        };
        if store::load_identity_of(&read, &identity.issuer, &person.id)?.is_some() {
            return Ok((Err(Unrecognised::LinkedOtherwise), None));
        }
        store::link_identity(tx, &identity, &person.id)?;
        let change = AuditedChange::of(person.id.as_str(), summary(&identity, &person.id, None));
        Ok((Ok(person), Some(change)))
    })
}

/// The person whom a name matches.
fn named(tx: &ReadTx, name: &ProvidedName) -> Result<Result<Person, Unrecognised>, Error> {
    let person = match name {
        ProvidedName::Address(email) => {
            let people = store::list_people_by_email(tx, email)?;
            match &people[..] {
                [] => None,
                [user] => store::load_person(tx, user)?,
                _ => return Ok(Err(Unrecognised::Several)),
            }
        }
        ProvidedName::Chat { team, user } => {
            let person = store::load_person(tx, user)?;
            person.filter(|person| person.team_id == *team)
        }
    };
    Ok(match person {
        None => Err(Unrecognised::Nobody),
        Some(person) if is_in_workspace(&person) => Ok(person),
        Some(_) => Err(Unrecognised::NotInWorkspace),
    })
}

/// Links an identity to a person by hand, in the place of earlier links of both.
///
/// # Errors
/// [`crate::domain::refusal::Refusal::Invalid`] for somebody whom the workspace does not have, and for an identity that no
/// provider can have.
pub fn link(store: &Store, author: &Author, user: UserId, identity: Identity) -> Result<()> {
    audit::write(store, author, move |tx, _| {
        let read = tx.as_read();
        let person = store::load_person(&read, &user)?.filter(is_in_workspace);
        if person.is_none() {
            return Ok(invalid(
                "user",
                format!("the workspace has nobody with the id {user}; import the directory first"),
            )?);
        }
        for (name, text) in [("issuer", &identity.issuer), ("sub", &identity.subject)] {
            let plain = !text.is_empty() && !text.chars().any(char::is_control);
            if !plain || text.chars().count() > LONGEST {
                return Ok(invalid(
                    name,
                    format!("send 1 to {LONGEST} characters, as the provider writes it"),
                )?);
            }
        }
        let before = store::load_identity(&read, &identity)?;
        if before.as_ref() == Some(&user) {
            return Ok(((), None));
        }
        store::link_identity(tx, &identity, &user)?;
        let summary = summary(&identity, &user, before.as_ref());
        Ok(((), Some(AuditedChange::of(user.as_str(), summary))))
    })
}

/// What an audit entry says of a link.
pub(super) fn summary(identity: &Identity, user: &UserId, before: Option<&UserId>) -> Phrase {
    let (subject, issuer) = (quoted(&identity.subject), &identity.issuer);
    let linked = Phrase::from(format!("identity {subject} of {issuer} linked to ")).and(user);
    match before {
        Some(before) => linked.and(", no longer to ").and(before),
        None => linked,
    }
}
