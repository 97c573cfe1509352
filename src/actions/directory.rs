//! Imports and exports the local directory.

use super::{ActionError, App, Error, Result, audit, mutation};
use crate::domain::audit::{AuditedChange, Author, directory_changes};
use crate::domain::directory::{Directory, Group, Person, Source};
use crate::domain::ids::UserId;
use crate::domain::import::{ImportChanges, LeftAlone};
use crate::domain::refusal::{DirectoryFault, Refusal};
use crate::domain::rotation::Rotation;
use crate::store::{
    self, Page, PersonFilter, ReadTx, Store, StoreError, WriteTx, list_duty_groups,
    list_group_people, list_people, load_directory, load_group, load_topic, replace_directory,
};
use std::collections::HashSet;
use std::hash::Hash;

/// Whether the workspace has people, deactivated ones included.
pub fn has_people(app: &App) -> Result<bool, Error> {
    app.store().read(|tx: &ReadTx| store::has_people(tx))
}

/// The people who are active, by name, as far as a choice shows them.
pub fn active_people(app: &App) -> Result<Vec<Person>, Error> {
    let filter = PersonFilter::default();
    let page = Page::first(CHOICE);
    let read = |tx: &ReadTx| list_people(tx, &filter, false, page);
    let (mut people, _) = app.store().read(read)?;
    people.retain(Person::is_active);
    Ok(people)
}

/// People that a choice shows at the most.
const CHOICE: u32 = 1_000;

/// The consent to an import's changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Only reports the changes.
    DryRun,
    /// Not asked: the import is refused if its changes need consent.
    Unasked,
    /// Given: the import is stored whatever it changes.
    Given,
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    pub changes: ImportChanges,
    /// Whether it is stored.
    pub applied: bool,
}

/// Why an import is rolled back.
enum Stop {
    Undone(Box<ImportChanges>),
    Error(ActionError),
}

impl<E: Into<ActionError>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Error(error.into())
    }
}

impl StoreError for Stop {
    fn of_storage(&self) -> Option<&Error> {
        match self {
            Stop::Undone(_) => None,
            Stop::Error(error) => error.of_storage(),
        }
    }
}

/// Replaces the directory and updates every rotation, in one transaction. Missing people become deleted; within a group new
/// people are last. On-duty groups that rota created stay, because no file contains them.
///
/// The changes are computed by the import itself before it is committed. A dry run is the same import, rolled back, so its
/// report matches what the import would do.
///
/// # Errors
/// Those of the store, and [`Refusal::ResourceDenied`] on a platform with a directory of its own. An import without consent is
/// not an error; see [`Imported::applied`].
pub fn import(
    app: &App,
    author: &Author,
    mut directory: Directory,
    consent: Consent,
) -> Result<Imported> {
    if let Some(remote) = app.remote() {
        let detail = format!(
            "people, user groups and channels are those of {} and are read from there; nothing is imported",
            remote.names().workspace
        );
        return Err(Refusal::ResourceDenied(detail).into());
    }
    let shared = app.clone();
    let written = audit::write(app.store(), author, move |tx, author| -> Result<_, Stop> {
        let before = load_directory(&tx.as_read())?;
        check_addresses(&before, &directory)?;
        let mut changes = ImportChanges::of_people(&before.people, &directory.people);
        changes.left_alone = left_alone(&before, &directory);
        let names = before
            .people
            .iter()
            .map(|person| (person.id.clone(), person.name().to_owned()));
        let names = names.collect();
        let replace = |tx: &mut WriteTx| {
            let own = own_groups(&tx.as_read(), &directory)?;
            directory.groups.extend(own);
            replace_directory(tx, &directory)
        };
        let compare = |before: &Rotation, after: &Rotation| {
            changes.add_rotation(before, after, &names);
        };
        mutation::follow_directory(&shared, tx, author, replace, compare)?;
        match consent {
            Consent::DryRun => return Err(Stop::Undone(Box::new(changes))),
            Consent::Unasked if changes.concern().is_some() => {
                return Err(Stop::Undone(Box::new(changes)));
            }
            Consent::Unasked | Consent::Given => {}
        }
        let summary = directory_changes(&before, &load_directory(&tx.as_read())?);
        let change = AuditedChange {
            rotation: None,
            subject: None,
            summary,
        };
        let change = Some(change).filter(|change| !change.summary.is_empty());
        Ok((changes, change))
    });
    let (changes, applied) = match written {
        Ok(changes) => (changes, true),
        Err(Stop::Undone(changes)) => (*changes, false),
        Err(Stop::Error(error)) => return Err(error),
    };
    Ok(Imported { changes, applied })
}

/// Refuses a file with the address of somebody of another source whom it has not, or has under another id.
fn check_addresses(before: &Directory, file: &Directory) -> Result<(), Refusal> {
    let listed: HashSet<&UserId> = file.people.iter().map(|person| &person.id).collect();
    let lower = |person: &Person| person.email.as_deref().map(str::to_lowercase);
    let stays = |person: &&Person| person.source != Source::File && !listed.contains(&person.id);
    let active = before.people.iter().filter(|person| !person.is_deleted);
    let taken: HashSet<String> = active.filter(stays).filter_map(lower).collect();
    for (at, person) in file.people.iter().enumerate() {
        let address = lower(person).filter(|_| !person.is_deleted);
        if address.is_some_and(|address| taken.contains(&address)) {
            let path = format!("users[{at}].email").into();
            return Err(Refusal::Directory(path, DirectoryFault::DuplicateAddress));
        }
    }
    Ok(())
}

/// What has another source than a file and is missing from this one.
fn left_alone(before: &Directory, file: &Directory) -> LeftAlone {
    fn missing<'a, T: Eq + Hash + 'a>(
        before: impl Iterator<Item = (&'a T, Source)>,
        listed: impl Iterator<Item = &'a T>,
    ) -> usize {
        let listed: HashSet<&T> = listed.collect();
        before
            .filter(|(id, source)| *source != Source::File && !listed.contains(id))
            .count()
    }
    let people = before.people.iter().filter(|person| !person.is_deleted);
    LeftAlone {
        people: missing(
            people.map(|person| (&person.id, person.source)),
            file.people.iter().map(|person| &person.id),
        ),
        groups: missing(
            before.groups.iter().map(|group| (&group.id, group.source)),
            file.groups.iter().map(|group| &group.id),
        ),
        channels: missing(
            before.channels.iter().map(|one| (&one.id, one.source)),
            file.channels.iter().map(|one| &one.id),
        ),
    }
}

/// The on-duty groups that rota created and that an imported directory omits.
fn own_groups(tx: &ReadTx, directory: &Directory) -> Result<Vec<Group>, Error> {
    let mut own = Vec::new();
    for kept in list_duty_groups(tx)?.into_iter().filter(|kept| kept.is_own) {
        let named = directory.groups.iter().any(|group| group.id == kept.group);
        if let Some(group) = load_group(tx, &kept.group)?.filter(|_| !named) {
            own.push(Group {
                users: list_group_people(tx, &kept.group)?,
                ..group
            });
        }
    }
    Ok(own)
}

/// The directory in the form that [`import`] restores unchanged.
pub fn export(store: &Store) -> Result<Directory, Error> {
    store.read(|tx: &ReadTx| without_ours(tx, load_directory(tx)?))
}

/// Removes rota's own topics and people from a directory: an import keeps what the file omits, and would mistake them for
/// other people's.
fn without_ours(tx: &ReadTx, mut directory: Directory) -> Result<Directory, Error> {
    for channel in &mut directory.channels {
        let kept = load_topic(tx, &channel.id)?;
        let ours = |topic: &String| kept.as_ref().is_some_and(|kept| kept.is_ours(topic));
        channel.topic = channel.topic.take().filter(|topic| !ours(topic));
    }
    for kept in list_duty_groups(tx)? {
        directory
            .groups
            .retain(|group| group.id != kept.group || !kept.is_own);
        let adopted = directory
            .groups
            .iter_mut()
            .filter(|group| group.id == kept.group);
        adopted.for_each(|group| group.users.retain(|user| !kept.placed.contains(user)));
    }
    Ok(directory)
}
