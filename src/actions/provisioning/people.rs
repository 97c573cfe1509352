//! People of SCIM.

use super::following::write_changes;
use super::refused;
use crate::actions::directory_edit::{PersonRecord, changed};
use crate::actions::{ActionError, App, Result, audit};
use crate::domain::audit::{AuditedChange, Author, Phrase};
use crate::domain::directory::{Group, Person, Source};
use crate::domain::directory_edit::{NewPerson, PersonPatch};
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::UserId;
use crate::domain::provisioning::{PersonImage, ProvisionedPerson, ScimFault};
use crate::domain::refusal::Refusal;
use crate::store::{self, ReadTx, WriteTx};

/// What a request makes of a person as they stand, or why not.
pub type PersonChange = Box<dyn FnOnce(&ProvisionedPerson) -> Result<PersonImage, Refusal> + Send>;

/// Adds a person, or takes up again the one whom SCIM has deleted last with that user name, else with that address.
///
/// # Errors
/// [`Refusal::Provisioning`] for a user name or an address that somebody listed has.
pub fn create_person(app: &App, author: &Author, image: PersonImage) -> Result<ProvisionedPerson> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        super::check(&shared, &author.principal)?;
        check_unique(&tx.as_read(), &image, None)?;
        let before = removed(&tx.as_read(), &image)?;
        let person = match &before {
            Some(before) => before.person.clone(),
            None => {
                let new = NewPerson {
                    id: None,
                    with: PersonPatch::default(),
                    source: Source::Scim,
                };
                let team = store::load_team(&tx.as_read())?.id;
                new.person(UserId::from(tx.mint("usr_")), team)
            }
        };
        let id = person.id.clone();
        let words = match &before {
            Some(_) => "person taken up again: ",
            None => "person added: ",
        };
        save(&shared, tx, author, (before.as_ref(), person), &image)?;
        let said = Phrase::from(words).and(&id);
        let change = AuditedChange::of(id.as_str(), said);
        Ok((load(tx, &id)?, Some(change)))
    })
}

/// Changes a person.
///
/// # Errors
/// [`Refusal::NotFound`] for somebody who is not listed, those of the change, and [`Refusal::Provisioning`] for a user name or an
/// address that somebody else has, and where no administrator would be left.
pub fn edit_person(
    app: &App,
    author: &Author,
    user: UserId,
    change: PersonChange,
) -> Result<ProvisionedPerson> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        super::check(&shared, &author.principal)?;
        let known = listed(&tx.as_read(), &user)?;
        let image = change(&known)?;
        check_unique(&tx.as_read(), &image, Some(&known))?;
        let before = record_of(&known);
        let kept = (known.user_name.as_deref(), known.attributes.as_deref());
        save(
            &shared,
            tx,
            author,
            (Some(&before), known.person.clone()),
            &image,
        )?;
        let after = load(tx, &user)?;
        let mut said = changed(&before, &record_of(&after), false);
        let is_same = kept == (after.user_name.as_deref(), after.attributes.as_deref());
        if said.is_empty() && !is_same {
            "attributes of the provider".clone_into(&mut said);
        }
        let words = Phrase::from("person changed: ").and(&user);
        let words = words.and(format!(": {said}"));
        let change = (!said.is_empty()).then(|| AuditedChange::of(user.as_str(), words));
        Ok((after, change))
    })
}

/// Deactivates a person, takes them out of every user group and lists them no more, until they are added again.
///
/// # Errors
/// As [`edit_person`].
pub fn remove_person(
    app: &App,
    author: &Author,
    user: UserId,
    check: impl FnOnce(&ProvisionedPerson) -> Result<(), Refusal> + Send + 'static,
) -> Result<()> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        super::check(&shared, &author.principal)?;
        let known = listed(&tx.as_read(), &user)?;
        check(&known)?;
        let person = Person {
            is_deleted: true,
            source: Source::Scim,
            ..known.person.clone()
        };
        check_admin(&tx.as_read(), Some(&known.person), &person)?;
        let mut changes = DirectoryChanges::default();
        changes.change_person(Some(&known.person), person);
        for group in groups_of(&tx.as_read(), &user)? {
            let mut without = group.clone();
            without.users.retain(|other| *other != user);
            changes.add_group(Some(&group), without);
        }
        write_changes(&shared, tx, author, &changes)?;
        let (name, attributes) = (known.user_name(), known.attributes.as_deref());
        store::save_provisioned_person(tx, &user, name, attributes.unwrap_or("{}"))?;
        store::mark_removed(tx, &user)?;
        let said = Phrase::from("person deleted: ").and(&user);
        Ok(((), Some(AuditedChange::of(user.as_str(), said))))
    })
}

fn groups_of(tx: &ReadTx, user: &UserId) -> Result<Vec<Group>> {
    let groups = store::list_provisioned_groups(tx)?.into_iter();
    let groups = groups.map(|found| found.group);
    Ok(groups.filter(|group| group.users.contains(user)).collect())
}

fn listed(tx: &ReadTx, user: &UserId) -> Result<ProvisionedPerson> {
    let found = store::load_provisioned_person(tx, user)?;
    Ok(found.ok_or(Refusal::NotFound("user"))?)
}

fn load(tx: &WriteTx, user: &UserId) -> Result<ProvisionedPerson> {
    listed(&tx.as_read(), user)
}

fn record_of(found: &ProvisionedPerson) -> PersonRecord {
    PersonRecord {
        person: found.person.clone(),
        phone: found.phone.clone(),
    }
}

/// The record of whom SCIM has deleted last with the user name, else with the address.
fn removed(tx: &ReadTx, image: &PersonImage) -> Result<Option<PersonRecord>> {
    let mut user = store::find_removed_by_name(tx, &image.user_name)?;
    if let (None, Some(email)) = (&user, &image.email) {
        user = store::find_removed_by_address(tx, email)?;
    }
    match user {
        Some(user) => crate::actions::directory_edit::load_person(tx, &user),
        None => Ok(None),
    }
}

/// Refuses a user name or an address that somebody else who is listed has. What a person has already is theirs.
fn check_unique(
    tx: &ReadTx,
    image: &PersonImage,
    before: Option<&ProvisionedPerson>,
) -> Result<()> {
    let own = before.map(|before| &before.person.id);
    let is_other = before.is_none_or(|before| before.user_name() != image.user_name);
    if is_other && let Some(other) = store::find_listed_by_name(tx, &image.user_name, own)? {
        let detail =
            format!("userName: {other} has this name; send another one, or change that person");
        return Err(refused(ScimFault::Uniqueness, detail).into());
    }
    let is_other = before.is_none_or(|before| before.person.email != image.email);
    if let Some(email) = image.email.as_ref().filter(|_| is_other)
        && let Some(other) = store::find_listed_by_address(tx, email, own)?
    {
        let detail =
            format!("emails: {other} has this address; send another one, or change that person");
        return Err(refused(ScimFault::Uniqueness, detail).into());
    }
    Ok(())
}

/// Refuses to leave the workspace without an active administrator. Where there was none, nothing is refused for it.
fn check_admin(tx: &ReadTx, before: Option<&Person>, after: &Person) -> Result<(), ActionError> {
    let counts = |person: &Person| person.is_admin && person.is_active();
    let leaves = before.is_some_and(counts) && !counts(after);
    if leaves && !store::has_other_administrator(tx, &after.id)? {
        let detail =
            "active: nobody else administers the workspace; make another person an admin first";
        return Err(refused(ScimFault::Mutability, detail).into());
    }
    Ok(())
}

/// Stores what SCIM makes of a person, who was `before`.
fn save(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    (before, mut person): (Option<&PersonRecord>, Person),
    image: &PersonImage,
) -> Result<()> {
    let old = before.map(|before| &before.person);
    person.display_name = Some(image.display_name.clone());
    person.real_name.clone_from(&image.real_name);
    person.email.clone_from(&image.email);
    person.time_zone.clone_from(&image.time_zone);
    person.is_deleted = !image.is_active;
    person.source = Source::Scim;
    let comes = image.is_active && old.is_none_or(|old| old.is_deleted);
    if let Some(handle) = person.handle.as_ref().filter(|_| comes)
        && store::is_handle_taken(&tx.as_read(), handle, &person.id)?
    {
        // Somebody has it since they left.
        person.handle = None;
    }
    check_admin(&tx.as_read(), old, &person)?;
    let user = person.id.clone();
    let mut changes = DirectoryChanges::default();
    changes.change_person(old, person);
    write_changes(app, tx, author, &changes)?;
    store::save_phone(tx, &user, image.phone.as_deref())?;
    let known = store::load_provisioned_person(&tx.as_read(), &user)?;
    let is_same = known.is_some_and(|known| {
        known.user_name.as_deref() == Some(&image.user_name)
            && known.attributes.as_deref() == Some(&image.attributes)
    });
    match is_same {
        true => Ok(()),
        false => Ok(store::save_provisioned_person(
            tx,
            &user,
            &image.user_name,
            &image.attributes,
        )?),
    }
}
