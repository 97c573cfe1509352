//! Bodies that create and change people, user groups and channels.

use super::body::{self, clearable, present};
use super::directory::{Channel, Group, User};
use super::repeated::{Repeated, Resource};
use super::roster::ids;
use super::strict::strict;
use crate::domain::directory_edit::{
    ChannelPatch, GroupPatch, NewPerson, PersonPatch, check_own_id,
};
use crate::domain::refusal::Refusal;
use schemars::JsonSchema;
use serde::Deserialize;

strict! {
    UserRequest => User,
    UserPatchRequest => User,
    GroupRequest => Group,
    GroupPatchRequest => Group,
    ChannelRequest => Channel,
    ChannelPatchRequest => Channel,
}

/// A person to add.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NewUser")]
pub struct UserRequest {
    /// 1 to 200 bytes without blanks, which nobody else has. Made if omitted.
    #[serde(default)]
    id: Option<String>,
    /// 1 to 200 characters, not blank.
    display_name: String,
    /// At most 200 characters.
    #[serde(default)]
    real_name: Option<String>,
    /// Unique among active people, case-insensitive.
    #[serde(default)]
    email: Option<String>,
    /// A city of the tz database, or `UTC`.
    #[serde(default)]
    time_zone: Option<String>,
    /// 1 to 80 of `A-Z a-z 0-9 . - _`. Unique among active people, case-insensitive.
    #[serde(default)]
    handle: Option<String>,
    /// E.164, such as `+4722334455`. Only the person, workspace admins and keys with `read:contacts` read it.
    #[serde(default)]
    phone: Option<String>,
    /// Whether they administer the workspace.
    #[serde(default)]
    is_admin: Option<bool>,
    /// Mails them a link that signs them in once within 7 days.
    #[serde(default)]
    invite: Option<bool>,
}

/// Reads a person to add.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn new_person(bytes: &[u8]) -> Result<NewPerson, Refusal> {
    let request: UserRequest = body::parse(bytes)?;
    let with = PersonPatch {
        display_name: Some(request.display_name),
        real_name: Some(request.real_name),
        email: Some(request.email),
        time_zone: Some(request.time_zone),
        handle: Some(request.handle),
        phone: Some(request.phone),
        is_admin: request.is_admin,
        is_deleted: None,
        invite: request.invite.unwrap_or(false),
    };
    let id = request.id;
    NewPerson::of_page(id, with).checked()
}

/// A change of a person. Omitted members stay unchanged; null clears all but `displayName`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UserPatch")]
pub struct UserPatchRequest {
    /// 1 to 200 characters, not blank.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    display_name: Option<String>,
    /// At most 200 characters.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    real_name: Option<Option<String>>,
    /// Unique among active people, case-insensitive.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    email: Option<Option<String>>,
    /// A city of the tz database, or `UTC`.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    time_zone: Option<Option<String>>,
    /// 1 to 80 of `A-Z a-z 0-9 . - _`. Unique among active people, case-insensitive.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    handle: Option<Option<String>>,
    /// E.164, such as `+4722334455`.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    phone: Option<Option<String>>,
    /// Whether they administer the workspace.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<bool>")]
    is_admin: Option<Option<bool>>,
    /// True deactivates them as a directory file without them does; false takes them up again.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<bool>")]
    is_deleted: Option<Option<bool>>,
    /// Mails them a link that signs them in once within 7 days.
    #[serde(default)]
    invite: Option<bool>,
}

static USER: Resource = Resource {
    name: "person",
    routes: &[
        ("id", None),
        ("teamId", None),
        ("isGuest", None),
        ("isExternal", None),
        ("source", None),
        ("avatarUrl", None),
        (
            "contact",
            Some("PATCH /v1/users/{userId} with email or phone"),
        ),
    ],
};

/// Reads a change of a person, and what it repeats.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn person_patch(bytes: &[u8]) -> Result<(PersonPatch, Repeated), Refusal> {
    let request: UserPatchRequest = body::parse(bytes)?;
    let patch = PersonPatch {
        display_name: request.display_name,
        real_name: request.real_name,
        email: request.email,
        time_zone: request.time_zone,
        handle: request.handle,
        phone: request.phone,
        is_admin: request.is_admin.map(Option::unwrap_or_default),
        is_deleted: request.is_deleted.map(Option::unwrap_or_default),
        invite: request.invite.unwrap_or(false),
    };
    let repeated = Repeated::read_beside::<UserPatchRequest>(bytes, &USER)?;
    Ok((patch.checked()?, repeated))
}

/// A user group to add.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NewGroup")]
pub struct GroupRequest {
    /// 1 to 200 bytes without blanks, which no other group has. Made if omitted.
    #[serde(default)]
    id: Option<String>,
    /// 1 to 200 characters, not blank.
    name: String,
    /// 1 to 80 of `A-Z a-z 0-9 . - _`. Unique, case-insensitive.
    handle: String,
    /// User ids in order, at most 10,000, without duplicates.
    user_ids: Vec<String>,
}

/// Reads a user group to add: its id, where one is chosen, and what it has.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn new_group(bytes: &[u8]) -> Result<(Option<String>, GroupPatch), Refusal> {
    let request: GroupRequest = body::parse(bytes)?;
    check_own_id(request.id.as_deref())?;
    let with = GroupPatch {
        name: Some(Some(request.name)),
        handle: Some(Some(request.handle)),
        users: Some(ids(request.user_ids)),
    };
    Ok((request.id, with.checked()?))
}

/// A change of a user group. Omitted members stay unchanged.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GroupPatch")]
pub struct GroupPatchRequest {
    /// 1 to 200 characters, not blank.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    name: Option<Option<String>>,
    /// 1 to 80 of `A-Z a-z 0-9 . - _`. Unique, case-insensitive.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    handle: Option<Option<String>>,
    /// User ids in order, at most 10,000, without duplicates. Rotations deal to newcomers last.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    user_ids: Option<Vec<String>>,
}

static GROUP: Resource = Resource {
    name: "user group",
    routes: &[("id", None), ("teamId", None), ("source", None)],
};

/// Reads a change of a user group, and what it repeats.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn group_patch(bytes: &[u8]) -> Result<(GroupPatch, Repeated), Refusal> {
    let request: GroupPatchRequest = body::parse(bytes)?;
    let patch = GroupPatch {
        name: request.name,
        handle: request.handle,
        users: request.user_ids.map(ids),
    };
    let repeated = Repeated::read_beside::<GroupPatchRequest>(bytes, &GROUP)?;
    Ok((patch.checked()?, repeated))
}

/// A channel to add.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "NewChannel")]
pub struct ChannelRequest {
    /// 1 to 200 bytes without blanks, which no other channel has. Made if omitted.
    #[serde(default)]
    id: Option<String>,
    /// 1 to 200 characters, not blank.
    name: String,
    #[serde(default)]
    is_private: Option<bool>,
    /// Whether rota may post there; defaults to true.
    #[serde(default)]
    app_is_member: Option<bool>,
}

/// Reads a channel to add: its id, where one is chosen, and what it has.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn new_channel(bytes: &[u8]) -> Result<(Option<String>, ChannelPatch), Refusal> {
    let request: ChannelRequest = body::parse(bytes)?;
    check_own_id(request.id.as_deref())?;
    let with = ChannelPatch {
        name: Some(Some(request.name)),
        is_private: Some(request.is_private.unwrap_or(false)),
        app_is_member: Some(request.app_is_member.unwrap_or(true)),
    };
    Ok((request.id, with.checked()?))
}

/// A change of a channel. Omitted members stay unchanged.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ChannelPatch")]
pub struct ChannelPatchRequest {
    /// 1 to 200 characters, not blank.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    name: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    is_private: Option<bool>,
    /// Whether rota may post there.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    app_is_member: Option<bool>,
}

static CHANNEL: Resource = Resource {
    name: "channel",
    routes: &[("id", None), ("teamId", None), ("source", None)],
};

/// Reads a change of a channel, and what it repeats.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn channel_patch(bytes: &[u8]) -> Result<(ChannelPatch, Repeated), Refusal> {
    let request: ChannelPatchRequest = body::parse(bytes)?;
    let patch = ChannelPatch {
        name: request.name,
        is_private: request.is_private,
        app_is_member: request.app_is_member,
    };
    let repeated = Repeated::read_beside::<ChannelPatchRequest>(bytes, &CHANNEL)?;
    Ok((patch.checked()?, repeated))
}
