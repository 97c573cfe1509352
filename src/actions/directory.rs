//! The local directory, replaced and read as one.

use super::{App, Fault, Stop, mutation};
use crate::domain::directory::{Directory, Group};
use crate::store::{
    ReadTx, Store, list_duty_groups, list_group_people, load_directory, load_group, load_topic,
    replace_directory,
};

/// Replaces the directory and lets every rotation follow, in one transaction. People left out become deleted; within a group
/// newcomers stand last. User groups that rota made and keeps stay, for no file knows them.
pub fn import(app: &App, mut directory: Directory) -> Result<(), Stop> {
    mutation::follow_directory(app, move |tx| {
        let own = own_groups(&tx.as_read(), &directory)?;
        directory.groups.extend(own);
        replace_directory(tx, &directory)
    })
}

/// The on-duty groups that rota made and that a directory to import leaves out.
fn own_groups(tx: &ReadTx, directory: &Directory) -> Result<Vec<Group>, Fault> {
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

/// The directory as [`import`] takes it back without a change.
pub fn export(store: &Store) -> Result<Directory, Fault> {
    store.read(|tx: &ReadTx| without_ours(tx, load_directory(tx)?))
}

/// A directory without what rota keeps there: an import leaves alone what the file does not name, and would take our own topics
/// and people for those of others.
fn without_ours(tx: &ReadTx, mut directory: Directory) -> Result<Directory, Fault> {
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
