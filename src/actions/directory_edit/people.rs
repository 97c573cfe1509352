//! Adds and changes people.

use super::{Check, check_local, differing, owner, refused};
use crate::actions::directory_sync::follow_changes;
use crate::actions::{ActionError, App, Result, audit};
use crate::domain::audit::{AuditedChange, Author, Phrase, Summary};
use crate::domain::directory::{Person, Source};
use crate::domain::directory_edit::{NewPerson, PersonPatch};
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::UserId;
use crate::domain::refusal::{DirectoryFault, Refusal};
use crate::store::{self, ReadTx, WriteTx};

/// A person with their telephone number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonRecord {
    pub person: Person,
    pub phone: Option<String>,
}

/// A change of a person.
pub struct PersonEdit {
    pub user: UserId,
    pub patch: PersonPatch,
    pub check: Check<PersonRecord>,
}

/// A person by id, deactivated ones included.
pub fn load_person(tx: &ReadTx, user: &UserId) -> Result<Option<PersonRecord>> {
    let Some(person) = store::load_person(tx, user)? else {
        return Ok(None);
    };
    let phone = store::load_phone(tx, user)?;
    Ok(Some(PersonRecord { person, phone }))
}

/// Adds a person.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for callers who may not, [`Refusal::Directory`] where the chat platform owns the directory, for
/// values that another person has, and for an invitation that cannot be mailed.
pub fn create_person(app: &App, author: &Author, new: NewPerson) -> Result<PersonRecord> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        let (record, change) = create_within(&shared, tx, author, &new)?;
        Ok((record, Some(change)))
    })
}

/// Adds people, all of them or none.
///
/// # Errors
/// As [`create_person`], at `people[2]` for the third.
pub fn create_people(
    app: &App,
    author: &Author,
    people: Vec<NewPerson>,
) -> Result<Vec<PersonRecord>> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        let mut made = Vec::with_capacity(people.len());
        for (at, new) in people.iter().enumerate() {
            let record = create_within(&shared, tx, author, new).map_err(|stop| match stop {
                ActionError::Refused(refusal) => refusal.under(&format!("people[{at}]")).into(),
                failed => failed,
            });
            made.push(record?.0);
        }
        let mut said = Summary::default();
        let ids = made.iter().map(|record| Phrase::from(&record.person.id));
        said.some("people added: ", ids.collect());
        let change = AuditedChange {
            rotation: None,
            subject: None,
            summary: said,
        };
        Ok((made, Some(change)))
    })
}

/// Mails somebody a link that signs them in once.
///
/// # Errors
/// As [`edit_person`].
pub fn invite_person(app: &App, author: &Author, user: &UserId) -> Result<()> {
    let (shared, user) = (app.clone(), user.clone());
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        let found = load_person(&tx.as_read(), &user)?;
        let found = found.ok_or(Refusal::NotFound("user"))?;
        check_invitation(&shared, &found.person)?;
        store::save_invitation(tx, &user)?;
        let said = Phrase::from("person invited: ").and(&user);
        Ok(((), Some(AuditedChange::of(user.as_str(), said))))
    })
}

/// Adds a person within a write of somebody who may.
pub(in crate::actions) fn create_within(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    new: &NewPerson,
) -> Result<(PersonRecord, AuditedChange)> {
    check_local(app)?;
    let id = match &new.id {
        Some(id) => UserId::from(id.as_str()),
        None => UserId::from(tx.mint("usr_")),
    };
    if store::load_person(&tx.as_read(), &id)?.is_some() {
        return Err(refused("id", DirectoryFault::DuplicateId).into());
    }
    let team = store::load_team(&tx.as_read())?.id;
    let record = PersonRecord {
        person: new.person(id, team),
        phone: new.with.phone.clone().flatten(),
    };
    let said = Phrase::from("person added: ").and(&record.person.id);
    save(app, tx, author, (None, &record), new.with.invite)?;
    let change = AuditedChange::of(record.person.id.as_str(), said);
    Ok((record, change))
}

/// Makes somebody who is active an administrator, within a write of somebody who may.
pub(in crate::actions) fn promote_within(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    user: &UserId,
) -> Result<()> {
    let before = load_person(&tx.as_read(), user)?;
    let before = before.filter(|record| record.person.is_active());
    let before = before.ok_or(Refusal::NotFound("user"))?;
    let mut after = before.clone();
    after.person.is_admin = true;
    save(app, tx, author, (Some(&before), &after), false)
}

/// Changes a person.
///
/// # Errors
/// As [`create_person`]; [`Refusal::NotFound`] if there is no such person, those of the check, and [`Refusal::Directory`] for
/// the last administrator, and for what is provisioned.
pub fn edit_person(app: &App, author: &Author, edit: PersonEdit) -> Result<PersonRecord> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        let before = load_person(&tx.as_read(), &edit.user)?;
        let before = before.ok_or(Refusal::NotFound("user"))?;
        (edit.check)(&before)?;
        if !edit.patch.is_only_of_ours() {
            check_local(&shared)?;
        }
        let mut record = before.clone();
        edit.patch
            .apply(&mut record.person, owner(&shared).is_some());
        if let Some(phone) = &edit.patch.phone {
            record.phone.clone_from(phone);
        }
        check_provisioned(&before.person, &record.person)?;
        if record == before && !edit.patch.invite {
            return Ok((record, None));
        }
        let said = Phrase::from("person changed: ").and(&edit.user);
        let invites = edit.patch.invite;
        let said = said.and(format!(": {}", changed(&before, &record, invites)));
        save(&shared, tx, author, (Some(&before), &record), invites)?;
        let change = AuditedChange::of(edit.user.as_str(), said);
        Ok((record, Some(change)))
    })
}

/// What an audit entry says of a change: members by name, and no values, because some are nobody else's business.
pub(in crate::actions) fn changed(
    before: &PersonRecord,
    after: &PersonRecord,
    invited: bool,
) -> String {
    let (old, new) = (&before.person, &after.person);
    differing(&[
        ("display name", old.display_name != new.display_name),
        ("real name", old.real_name != new.real_name),
        ("address", old.email != new.email),
        ("time zone", old.time_zone != new.time_zone),
        ("handle", old.handle != new.handle),
        ("telephone number", before.phone != after.phone),
        ("admin", old.is_admin != new.is_admin),
        ("deactivated", !old.is_deleted && new.is_deleted),
        ("active again", old.is_deleted && !new.is_deleted),
        ("invited", invited),
    ])
}

/// Checks what depends on others, and stores a person.
fn save(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    (before, after): (Option<&PersonRecord>, &PersonRecord),
    invites: bool,
) -> Result<()> {
    let (old, new) = (before.map(|record| &record.person), &after.person);
    check_unique(&tx.as_read(), old, new)?;
    let counts = |person: &Person| person.is_admin && person.is_active();
    if old.is_some_and(counts)
        && !counts(new)
        && !store::has_other_administrator(&tx.as_read(), &new.id)?
    {
        return Err(refused("", DirectoryFault::LastAdmin).into());
    }
    if invites {
        check_invitation(app, new)?;
    }
    let mut changes = DirectoryChanges::default();
    changes.change_person(old, new.clone());
    follow_changes(app, tx, author, &changes)?;
    store::save_phone(tx, &new.id, after.phone.as_deref())?;
    if invites {
        store::save_invitation(tx, &new.id)?;
    }
    Ok(())
}

/// Refuses an address or a handle that another active person has. What a person has already is theirs, so that a file with
/// duplicates keeps nobody from changing something else.
fn check_unique(tx: &ReadTx, old: Option<&Person>, new: &Person) -> Result<()> {
    if new.is_deleted {
        return Ok(());
    }
    let old = old.filter(|old| !old.is_deleted);
    if let Some(email) = &new.email
        && old.is_none_or(|old| old.email != new.email)
        && store::is_address_taken(tx, email, &new.id)?
    {
        return Err(refused("email", DirectoryFault::DuplicateAddress).into());
    }
    if let Some(handle) = &new.handle
        && old.is_none_or(|old| old.handle != new.handle)
        && store::is_handle_taken(tx, handle, &new.id)?
    {
        return Err(refused("handle", DirectoryFault::DuplicateHandle).into());
    }
    Ok(())
}

/// Refuses to change what is provisioned of a person.
fn check_provisioned(before: &Person, after: &Person) -> Result<(), Refusal> {
    let provisioned = |person: &Person| {
        (
            person.display_name.clone(),
            person.real_name.clone(),
            person.email.clone(),
            person.is_deleted,
        )
    };
    match before.source == Source::Scim && provisioned(before) != provisioned(after) {
        true => Err(refused("", DirectoryFault::PersonIsProvisioned)),
        false => Ok(()),
    }
}

fn check_invitation(app: &App, person: &Person) -> Result<(), Refusal> {
    if app.relays().mail.is_none() {
        return Err(refused("invite", DirectoryFault::NoMail));
    }
    match person.email.is_some() && !person.is_deleted {
        true => Ok(()),
        false => Err(refused("invite", DirectoryFault::NoAddress)),
    }
}
