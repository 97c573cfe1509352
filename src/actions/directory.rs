//! The local directory, replaced by a file and written as one (contract section 12).

use super::{App, Fault, Stop, mutation};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::domain::refusal::Refusal;
use crate::store::{
    Channel, Directory, Group, Person, ReadTx, Store, Team, list_duty_groups, list_group_people,
    load_directory, load_group, load_topic, replace_directory,
};
use crate::wire::directory::{ImportChannel, ImportFile, ImportGroup, ImportTeam, ImportUser};
use std::collections::HashSet;

/// The longest id that a chat platform may use, in bytes.
const LONGEST_ID: usize = 200;

/// Puts the file in the place of the directory and lets every rotation follow, in one transaction. People left out
/// become deleted; within a group newcomers stand last. User groups that rota made and keeps stay, for no file knows them.
///
/// Refuses, with the path of the member: an empty, blank or overlong id, one given twice, a group naming somebody who
/// is not among the file's users.
pub fn import(app: &App, file: ImportFile) -> Result<(), Stop> {
    let mut directory = checked(file)?;
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

/// The directory as a file that [`import`] takes back without a change.
pub fn export(store: &Store) -> Result<ImportFile, Fault> {
    let directory = store.read(|tx: &ReadTx| without_ours(tx, load_directory(tx)?))?;
    Ok(ImportFile {
        team: ImportTeam {
            id: directory.team.id,
            name: directory.team.name,
            domain: directory.team.domain,
        },
        users: directory.people.into_iter().map(user).collect(),
        groups: directory.groups.into_iter().map(group).collect(),
        channels: directory.channels.into_iter().map(channel).collect(),
    })
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

fn checked(file: ImportFile) -> Result<Directory, Refusal> {
    check_id("team.id", &file.team.id)?;
    check_ids("users", file.users.iter().map(|user| &user.id))?;
    check_ids("groups", file.groups.iter().map(|group| &group.id))?;
    check_ids("channels", file.channels.iter().map(|channel| &channel.id))?;
    let users: HashSet<&String> = file.users.iter().map(|user| &user.id).collect();
    for (at, group) in file.groups.iter().enumerate() {
        let path = format!("groups[{at}].userIds");
        check_unique(&path, "", group.user_ids.iter())?;
        for (place, id) in group.user_ids.iter().enumerate() {
            if !users.contains(id) {
                return invalid(format!(
                    "{path}[{place}]: {id:?} is not among the file's users; add the user or leave the id out"
                ));
            }
        }
    }
    Ok(directory(file))
}

fn check_ids<'a>(list: &str, ids: impl Iterator<Item = &'a String> + Clone) -> Result<(), Refusal> {
    for (at, id) in ids.clone().enumerate() {
        check_id(&format!("{list}[{at}].id"), id)?;
    }
    check_unique(list, ".id", ids)
}

fn check_id(path: &str, id: &str) -> Result<(), Refusal> {
    let odd = |c: char| c.is_whitespace() || c.is_control();
    if id.is_empty() || id.len() > LONGEST_ID || id.contains(odd) {
        return invalid(format!(
            "{path}: send an id of 1 to {LONGEST_ID} bytes without blanks"
        ));
    }
    Ok(())
}

fn check_unique<'a>(
    list: &str,
    member: &str,
    ids: impl Iterator<Item = &'a String>,
) -> Result<(), Refusal> {
    let mut seen = HashSet::new();
    for (at, id) in ids.enumerate() {
        if !seen.insert(id) {
            return invalid(format!(
                "{list}[{at}]{member}: {id:?} is given twice; give it once"
            ));
        }
    }
    Ok(())
}

fn invalid<T>(detail: String) -> Result<T, Refusal> {
    Err(Refusal::Invalid(detail))
}

fn directory(file: ImportFile) -> Directory {
    let team = file.team.id;
    let own = |named: Option<String>| named.unwrap_or_else(|| team.clone());
    let person = |user: ImportUser| Person {
        id: UserId::from(user.id),
        team_id: own(user.team_id),
        display_name: user.display_name,
        real_name: user.real_name,
        email: user.email,
        is_guest: user.is_guest,
        is_external: user.is_external,
        is_deleted: user.is_deleted,
        is_admin: user.is_admin,
        avatar_url: user.avatar_url,
        time_zone: user.time_zone,
    };
    let group = |group: ImportGroup| Group {
        id: GroupId::from(group.id),
        team_id: own(group.team_id),
        name: group.name,
        handle: group.handle,
        users: group.user_ids.into_iter().map(UserId::from).collect(),
    };
    let channel = |channel: ImportChannel| Channel {
        id: ChannelId::from(channel.id),
        team_id: own(channel.team_id),
        name: channel.name,
        is_private: channel.is_private,
        app_is_member: channel.app_is_member,
        topic: channel.topic,
    };
    Directory {
        people: file.users.into_iter().map(person).collect(),
        groups: file.groups.into_iter().map(group).collect(),
        channels: file.channels.into_iter().map(channel).collect(),
        team: Team {
            id: team.clone(),
            name: file.team.name,
            domain: file.team.domain,
        },
    }
}

fn user(person: Person) -> ImportUser {
    ImportUser {
        id: person.id.to_string(),
        team_id: Some(person.team_id),
        display_name: person.display_name,
        real_name: person.real_name,
        email: person.email,
        is_guest: person.is_guest,
        is_external: person.is_external,
        is_deleted: person.is_deleted,
        is_admin: person.is_admin,
        avatar_url: person.avatar_url,
        time_zone: person.time_zone,
    }
}

fn group(group: Group) -> ImportGroup {
    ImportGroup {
        id: group.id.to_string(),
        team_id: Some(group.team_id),
        name: group.name,
        handle: group.handle,
        user_ids: group.users.iter().map(UserId::to_string).collect(),
    }
}

fn channel(channel: Channel) -> ImportChannel {
    ImportChannel {
        id: channel.id.to_string(),
        team_id: Some(channel.team_id),
        name: channel.name,
        is_private: channel.is_private,
        app_is_member: channel.app_is_member,
        topic: channel.topic,
    }
}

#[cfg(test)]
mod tests {
    use super::checked;
    use crate::domain::refusal::Refusal;
    use crate::wire::{body, directory::ImportFile};

    fn refused(text: &str) -> Option<String> {
        let file: ImportFile = body::parse(text.as_bytes()).expect("a file in shape");
        match checked(file) {
            Err(Refusal::Invalid(detail)) => Some(detail),
            _ => None,
        }
    }

    #[test]
    fn refusals_name_the_member() {
        let rows = [
            (
                r#""users":[{"id":"a"}],"groups":[{"id":"g","userIds":["a"]}]"#,
                "",
            ),
            (
                r#""users":[{"id":"a"},{"id":""}]"#,
                "users[1].id: send an id",
            ),
            (r#""users":[{"id":"a b"}]"#, "users[0].id: send an id"),
            (
                r#""users":[{"id":"a"},{"id":"a"}]"#,
                "users[1].id: \"a\" is given twice",
            ),
            (
                r#""users":[],"channels":[{"id":"c"},{"id":"c"}]"#,
                "channels[1].id: \"c\" is given twice",
            ),
            (
                r#""users":[],"groups":[{"id":"g","userIds":["a"]}]"#,
                "groups[0].userIds[0]: \"a\" is not among",
            ),
            (
                r#""users":[{"id":"a"}],"groups":[{"id":"g","userIds":["a","a"]}]"#,
                "groups[0].userIds[1]: \"a\" is given twice",
            ),
        ];
        for (members, expected) in rows {
            let found =
                refused(&format!(r#"{{"team":{{"id":"T"}},{members}}}"#)).unwrap_or_default();
            assert!(
                found.starts_with(expected) && found.is_empty() == expected.is_empty(),
                "{found}"
            );
        }
        assert!(
            refused(r#"{"team":{"id":" "},"users":[]}"#)
                .is_some_and(|why| why.starts_with("team.id: "))
        );
    }
}
