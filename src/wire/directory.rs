//! People, chat user groups and channels: the records of the API, and the file that replaces the local directory.

use super::body::{object, objects};
use super::strict::strict;
use crate::domain::directory as domain;
use crate::domain::directory::Source;
use crate::domain::directory_edit::{check_handle, check_id, check_phone};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

strict!(
    ImportFile,
    ImportTeam,
    ImportUser,
    ImportGroup,
    ImportChannel
);

/// A person of the chat workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    pub id: String,
    /// The owning workspace. It can differ under Slack's Enterprise Grid.
    pub team_id: String,
    pub display_name: Option<String>,
    pub real_name: Option<String>,
    /// Null if unknown, or if the installation may not read it.
    pub email: Option<String>,
    pub is_guest: bool,
    /// A person from a shared channel, who is never a workspace member.
    pub is_external: bool,
    /// Deactivated or missing from the last import. Still returned, so that ids resolve.
    pub is_deleted: bool,
    /// Whether they administer the workspace.
    pub is_admin: bool,
    /// What they are called in channels, without the sign.
    pub handle: Option<String>,
    pub source: Source,
    /// 192 pixels wide.
    pub avatar_url: Option<String>,
    /// An IANA zone name; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Absent for others than the person, workspace admins and keys with `read:contacts`, and wherever not one person is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
}

/// How a person is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Contact {
    pub email: Option<String>,
    /// E.164.
    pub phone: Option<String>,
}

impl From<domain::Person> for User {
    fn from(person: domain::Person) -> User {
        User {
            id: person.id.to_string(),
            team_id: person.team_id,
            display_name: person.display_name,
            real_name: person.real_name,
            email: person.email,
            is_guest: person.is_guest,
            is_external: person.is_external,
            is_deleted: person.is_deleted,
            is_admin: person.is_admin,
            handle: person.handle,
            source: person.source,
            avatar_url: person.avatar_url,
            time_zone: person.time_zone,
            contact: None,
        }
    }
}

/// A chat user group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    pub id: String,
    /// The owning workspace.
    pub team_id: String,
    pub name: Option<String>,
    /// The @handle, without the sign.
    pub handle: Option<String>,
    pub source: Source,
    /// Its people in order, deactivated ones included. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_ids: Option<Vec<String>>,
}

impl From<domain::Group> for Group {
    fn from(group: domain::Group) -> Group {
        Group {
            id: group.id.to_string(),
            team_id: group.team_id,
            name: group.name,
            handle: group.handle,
            source: group.source,
            user_ids: None,
        }
    }
}

/// A chat channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    pub id: String,
    /// The owning workspace.
    pub team_id: String,
    pub name: Option<String>,
    pub is_private: bool,
    pub source: Source,
}

impl From<domain::Channel> for Channel {
    fn from(channel: domain::Channel) -> Channel {
        Channel {
            id: channel.id.to_string(),
            team_id: channel.team_id,
            name: channel.name,
            is_private: channel.is_private,
            source: channel.source,
        }
    }
}

/// The local directory. An import replaces what files had before; people of files who are missing from it are deactivated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFile {
    #[serde(deserialize_with = "object")]
    pub team: ImportTeam,
    /// Required: people missing from the list are deactivated, so a misspelt member must not read as an empty list.
    #[serde(deserialize_with = "objects")]
    pub users: Vec<ImportUser>,
    #[serde(default, deserialize_with = "objects")]
    pub groups: Vec<ImportGroup>,
    #[serde(default, deserialize_with = "objects")]
    pub channels: Vec<ImportChannel>,
}

/// The workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportTeam {
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

/// A [`User`], with members that only the file has. Only the id is required.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportUser {
    pub id: String,
    /// `None` means the team of the file.
    #[serde(default)]
    pub team_id: Option<String>,
    #[serde(default)]
    pub display_name: Option<String>,
    #[serde(default)]
    pub real_name: Option<String>,
    #[serde(default)]
    pub email: Option<String>,
    #[serde(default)]
    pub is_guest: bool,
    #[serde(default)]
    pub is_external: bool,
    #[serde(default)]
    pub is_deleted: bool,
    /// Workspace administrators may edit every rotation.
    #[serde(default)]
    pub is_admin: bool,
    #[serde(default)]
    pub avatar_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// What the person is called in channels that `handles` does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// E.164.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// What the person is called behind the incoming webhook of a channel, by its id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub handles: BTreeMap<String, String>,
}

/// A [`Group`], with its people in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportGroup {
    pub id: String,
    /// `None` means the team of the file.
    #[serde(default)]
    pub team_id: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub handle: Option<String>,
    #[serde(default)]
    pub user_ids: Vec<String>,
}

/// A [`Channel`], with the state of the app in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportChannel {
    pub id: String,
    /// `None` means the team of the file.
    #[serde(default)]
    pub team_id: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub is_private: bool,
    #[serde(default)]
    pub app_is_member: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
}

/// Converts a file to a directory.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member: an id that is empty, too long, repeated or contains whitespace, or a group with
/// a person who is not among the file's users.
pub fn read(file: ImportFile) -> Result<domain::Directory, Refusal> {
    check_id("team.id", &file.team.id)?;
    check_ids("users", file.users.iter().map(|user| &user.id))?;
    check_ids("groups", file.groups.iter().map(|group| &group.id))?;
    check_ids("channels", file.channels.iter().map(|channel| &channel.id))?;
    for (at, user) in file.users.iter().enumerate() {
        check_handles(&format!("users[{at}].handles"), &user.handles)?;
        if let Some(handle) = &user.handle {
            check_handle(&format!("users[{at}].handle"), handle)?;
        }
        if let Some(phone) = &user.phone {
            check_phone(&format!("users[{at}].phone"), phone)?;
        }
    }
    let users: HashSet<&String> = file.users.iter().map(|user| &user.id).collect();
    for (at, group) in file.groups.iter().enumerate() {
        let path = format!("groups[{at}].userIds");
        check_unique(&path, "", group.user_ids.iter())?;
        for (index, id) in group.user_ids.iter().enumerate() {
            if !users.contains(id) {
                return invalid(
                    format!("{path}[{index}]"),
                    format!("{id:?} is not among the file's users; add the user or omit the id"),
                );
            }
        }
    }
    Ok(directory(file))
}

/// A handle is posted as it is, so it has no character with another meaning.
fn check_handles(path: &str, handles: &BTreeMap<String, String>) -> Result<(), Refusal> {
    for (channel, handle) in handles {
        let bare = handle.strip_prefix('@').unwrap_or(handle);
        check_handle(&format!("{path}.{channel}"), bare)?;
    }
    Ok(())
}

fn check_ids<'a>(list: &str, ids: impl Iterator<Item = &'a String> + Clone) -> Result<(), Refusal> {
    for (at, id) in ids.clone().enumerate() {
        check_id(&format!("{list}[{at}].id"), id)?;
    }
    check_unique(list, ".id", ids)
}

fn check_unique<'a>(
    list: &str,
    member: &str,
    ids: impl Iterator<Item = &'a String>,
) -> Result<(), Refusal> {
    let mut seen = HashSet::new();
    for (at, id) in ids.enumerate() {
        if !seen.insert(id) {
            return invalid(
                format!("{list}[{at}]{member}"),
                format!("{id:?} is repeated; send it once"),
            );
        }
    }
    Ok(())
}

fn directory(mut file: ImportFile) -> domain::Directory {
    let mut handles = Vec::new();
    let mut phones = BTreeMap::new();
    for user in &mut file.users {
        if let Some(phone) = user.phone.take() {
            phones.insert(UserId::from(user.id.as_str()), phone);
        }
        for (channel, handle) in std::mem::take(&mut user.handles) {
            handles.push(domain::Handle {
                user: UserId::from(user.id.as_str()),
                channel: ChannelId::from(channel),
                handle: handle.trim_start_matches('@').to_owned(),
            });
        }
    }
    let team = file.team.id;
    let own = |named: Option<String>| named.unwrap_or_else(|| team.clone());
    let person = |user: ImportUser| domain::Person {
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
        handle: user.handle,
        source: Source::File,
        zone_is_own: false,
    };
    let group = |group: ImportGroup| domain::Group {
        id: GroupId::from(group.id),
        team_id: own(group.team_id),
        name: group.name,
        handle: group.handle,
        users: group.user_ids.into_iter().map(UserId::from).collect(),
        source: Source::File,
    };
    let channel = |channel: ImportChannel| domain::Channel {
        id: ChannelId::from(channel.id),
        team_id: own(channel.team_id),
        name: channel.name,
        is_private: channel.is_private,
        app_is_member: channel.app_is_member,
        topic: channel.topic,
        source: Source::File,
    };
    domain::Directory {
        people: file.users.into_iter().map(person).collect(),
        groups: file.groups.into_iter().map(group).collect(),
        channels: file.channels.into_iter().map(channel).collect(),
        handles,
        phones,
        team: domain::Team {
            id: team.clone(),
            name: file.team.name,
            domain: file.team.domain,
        },
    }
}

/// Renders a directory as a file. [`read`] restores the same directory.
pub fn file(directory: domain::Directory) -> ImportFile {
    let mut handles: BTreeMap<UserId, BTreeMap<String, String>> = BTreeMap::new();
    for one in directory.handles {
        let of_user = handles.entry(one.user).or_default();
        of_user.insert(one.channel.to_string(), one.handle);
    }
    let mut phones = directory.phones;
    let user = |person: domain::Person| {
        let handles = handles.remove(&person.id).unwrap_or_default();
        ImportUser {
            handles,
            phone: phones.remove(&person.id),
            ..user(person)
        }
    };
    ImportFile {
        team: ImportTeam {
            id: directory.team.id,
            name: directory.team.name,
            domain: directory.team.domain,
        },
        users: directory.people.into_iter().map(user).collect(),
        groups: directory.groups.into_iter().map(group).collect(),
        channels: directory.channels.into_iter().map(channel).collect(),
    }
}

fn user(person: domain::Person) -> ImportUser {
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
        handle: person.handle,
        phone: None,
        handles: BTreeMap::new(),
    }
}

fn group(group: domain::Group) -> ImportGroup {
    ImportGroup {
        id: group.id.to_string(),
        team_id: Some(group.team_id),
        name: group.name,
        handle: group.handle,
        user_ids: group.users.iter().map(UserId::to_string).collect(),
    }
}

fn channel(channel: domain::Channel) -> ImportChannel {
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
    use super::{ImportFile, read};
    use crate::wire::body;

    fn refused(text: &str) -> Option<String> {
        let file: ImportFile = body::parse(text.as_bytes()).expect("a file in shape");
        read(file)
            .err()
            .map(|refusal| crate::tests::detail(&refusal))
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
                "users[1].id: \"a\" is repeated",
            ),
            (
                r#""users":[],"channels":[{"id":"c"},{"id":"c"}]"#,
                "channels[1].id: \"c\" is repeated",
            ),
            (
                r#""users":[],"groups":[{"id":"g","userIds":["a"]}]"#,
                "groups[0].userIds[0]: \"a\" is not among",
            ),
            (
                r#""users":[{"id":"a"}],"groups":[{"id":"g","userIds":["a","a"]}]"#,
                "groups[0].userIds[1]: \"a\" is repeated",
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
