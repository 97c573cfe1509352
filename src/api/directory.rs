//! GET /v1/users, /v1/groups and /v1/channels: the chat workspace's directory.

use super::answer::{self, Outcome};
use super::directory_writes;
use super::extract::{Call, Query};
use super::operation::{Kind, Operation, PAGE, PAGE_SIZE, Parameter, operation, parameter, text};
use crate::actions::{ActionError, directory_edit};
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::domain::refusal::Refusal;
use crate::store::{self, Error, PersonFilter, ReadTx};
use crate::wire::directory::{Channel, Group, User};
use crate::wire::page::Page;
use serde::Serialize;

const SORT: Parameter = parameter(
    "sort",
    Kind::OneOf(&["name", "-name"]),
    "The field to sort by, prefixed with `-` for descending; `name` by default.",
);

/// A page of matches, each rendered by `show`.
fn listed<T, R: Serialize>(
    call: &Call,
    page: store::Page,
    show: fn(T) -> R,
    find: impl FnOnce(&ReadTx) -> Result<(Vec<T>, u64), Error>,
) -> Outcome {
    let (found, total) = match call.caller.sees_directory() {
        true => call.app.store().read(find).map_err(ActionError::Failed)?,
        false => (Vec::new(), 0),
    };
    let shown = found.into_iter().map(show).collect();
    answer::listed(shown, page, total)
}

/// A record of the directory, if it exists for this caller.
fn one<T>(
    call: &Call,
    find: impl FnOnce(&ReadTx) -> Result<Option<T>, ActionError>,
) -> Result<Option<T>, ActionError> {
    match call.caller.sees_directory() {
        true => call.app.store().read(find),
        false => Ok(None),
    }
}

/// Whether a list is ordered by descending name.
fn descending(query: &Query) -> Result<bool, Refusal> {
    Ok(query
        .sort(&[("name", ())])?
        .is_some_and(|(_, descending)| descending))
}

/// The search text; an empty one is ignored.
fn search(query: &Query) -> Result<Option<&str>, Refusal> {
    Ok(query.one("q")?.filter(|text| !text.is_empty()))
}

pub const USERS: Operation = operation("listUsers", "directory", "List people")
    .about("The people of the workspace by name. Deactivated people are omitted, or with `deleted=true` the only ones.")
    .query(&[
        PAGE,
        PAGE_SIZE,
        SORT,
        text("q", "Only people with this text in a name."),
        text("email", "Only the person with this address."),
        parameter("deleted", Kind::Flag, "Only deactivated people, who are omitted otherwise."),
    ])
    .gives::<Page<User>>(200, "A page of people.");

/// GET users.
pub fn users(call: &Call) -> Outcome {
    let (page, descending) = (call.query.page()?, descending(&call.query)?);
    let filter = PersonFilter {
        text: search(&call.query)?.map(str::to_owned),
        email: call.query.one("email")?.map(str::to_owned),
        deleted: call.query.flag("deleted")?.unwrap_or_default(),
    };
    listed(call, page, User::from, |tx| {
        store::list_people(tx, &filter, descending, page)
    })
}

pub const USER: Operation = operation("getUser", "directory", "Read a person")
    .about("Also returns deactivated people, so that ids resolve. `contact` is there for the person, workspace admins and keys \
        with `read:contacts`.")
    .gives_tagged::<User>("The person.")
    .or_not_modified();

/// GET a user.
pub fn user(call: &Call) -> Outcome {
    let id: UserId = call.path.id("userId");
    let found = one(call, |tx| directory_edit::load_person(tx, &id))?;
    let found = found.ok_or(Refusal::NotFound("user"))?;
    tagged(
        call,
        directory_writes::user_tag(&found, call.caller),
        || directory_writes::user_record(&found, call.caller),
    )
}

/// A record with its ETag, or 304 if the caller's copy is current.
fn tagged<T: Serialize>(call: &Call, tag: String, record: impl FnOnce() -> T) -> Outcome {
    match answer::not_modified(call.if_none_match.as_deref(), &tag) {
        Some(unchanged) => Ok(unchanged),
        None => Ok(answer::json(200, &record())?.with("ETag", tag)),
    }
}

pub const GROUPS: Operation = operation("listGroups", "directory", "List chat user groups")
    .about("The chat user groups of the workspace by name.")
    .query(&[
        PAGE,
        PAGE_SIZE,
        SORT,
        text("q", "Only groups with this text in name or handle."),
    ])
    .gives::<Page<Group>>(200, "A page of groups.");

/// GET groups.
pub fn groups(call: &Call) -> Outcome {
    let (page, descending, text) = (
        call.query.page()?,
        descending(&call.query)?,
        search(&call.query)?,
    );
    listed(call, page, Group::from, |tx| {
        store::list_groups(tx, text, descending, page)
    })
}

pub const GROUP: Operation = operation("getGroup", "directory", "Read a chat user group")
    .about("With its people in order.")
    .gives_tagged::<Group>("The group.")
    .or_not_modified();

/// GET a group.
pub fn group(call: &Call) -> Outcome {
    let id: GroupId = call.path.id("groupId");
    let found = one(call, |tx| directory_edit::load_group(tx, &id))?;
    let found = found.ok_or(Refusal::NotFound("group"))?;
    tagged(call, directory_writes::group_tag(&found), || {
        directory_writes::group_record(&found)
    })
}

pub const CHANNELS: Operation = operation("listChannels", "directory", "List channels")
    .about("The channels that the app can see, by name: public ones, and private ones that it is a member of.")
    .query(&[PAGE, PAGE_SIZE, SORT, text("q", "Only channels with this text in the name.")])
    .gives::<Page<Channel>>(200, "A page of channels.");

/// GET channels.
pub fn channels(call: &Call) -> Outcome {
    let (page, descending, text) = (
        call.query.page()?,
        descending(&call.query)?,
        search(&call.query)?,
    );
    listed(call, page, Channel::from, |tx| {
        store::list_channels(tx, text, descending, page)
    })
}

pub const CHANNEL: Operation = operation("getChannel", "directory", "Read a channel")
    .about("A private channel that the app is not a member of returns 404, so a 404 does not prove that the id is wrong.")
    .gives_tagged::<Channel>("The channel.")
    .or_not_modified();

/// GET a channel.
pub fn channel(call: &Call) -> Outcome {
    let id: ChannelId = call.path.id("channelId");
    let found = one(call, |tx| Ok(store::load_channel(tx, &id)?))?;
    let reachable = found.filter(store::Channel::is_reachable);
    let found = reachable.ok_or(Refusal::NotFound("channel"))?;
    tagged(call, directory_writes::channel_tag(&found), || {
        Channel::from(found.clone())
    })
}
