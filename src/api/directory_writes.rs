//! Writes of /v1/users, /v1/groups and /v1/channels, one record at a time.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, operation, refusals};
use crate::actions::directory_edit::{
    self as edit, ChannelEdit, Check, GroupEdit, PersonEdit, PersonRecord,
};
use crate::domain::access::Principal;
use crate::domain::directory as domain;
use crate::server::Response;
use crate::wire::directory::{Channel, Contact, Group, User};
use crate::wire::directory_edit::{
    self as wire, ChannelPatchRequest, ChannelRequest, GroupPatchRequest, GroupRequest,
    UserPatchRequest, UserRequest,
};
use crate::wire::etag::{self, Precondition};
use crate::wire::repeated::Repeated;
use crate::wire::url::encode;
use serde::Serialize;

/// A person as a caller reads them.
pub(super) fn user_record(record: &PersonRecord, caller: &Principal) -> User {
    let contact = caller.reads_contact(&record.person.id).then(|| Contact {
        email: record.person.email.clone(),
        phone: record.phone.clone(),
    });
    User {
        contact,
        ..User::from(record.person.clone())
    }
}

/// The ETag of a person, as the caller reads them.
pub(super) fn user_tag(record: &PersonRecord, caller: &Principal) -> String {
    let shown = user_record(record, caller);
    etag::record_tag('u', &shown.id, &shown, false)
}

/// A user group with its people.
pub(super) fn group_record(group: &domain::Group) -> Group {
    let ids = group.users.iter().map(ToString::to_string).collect();
    Group {
        user_ids: Some(ids),
        ..Group::from(group.clone())
    }
}

/// The ETag of a user group.
pub(super) fn group_tag(group: &domain::Group) -> String {
    etag::record_tag('g', group.id.as_str(), &group_record(group), false)
}

/// The ETag of a channel.
pub(super) fn channel_tag(channel: &domain::Channel) -> String {
    let shown = Channel::from(channel.clone());
    etag::record_tag('h', channel.id.as_str(), &shown, channel.app_is_member)
}

/// Checks the validator that a caller has, and what a change repeats.
fn check<T: 'static, R: Serialize + 'static>(
    precondition: &Precondition,
    repeated: Option<Repeated>,
    tag: impl Fn(&T) -> String + Send + 'static,
    shown: impl Fn(&T) -> R + Send + 'static,
) -> Check<T> {
    let precondition = precondition.clone();
    Box::new(move |found| {
        precondition.check(|| tag(found))?;
        repeated.map_or(Ok(()), |repeated| repeated.check(|| shown(found)))
    })
}

fn answered<T: Serialize>(status: u16, value: &T, tag: String) -> Outcome {
    Ok(answer::json(status, value)?.with("ETag", tag))
}

fn made<T: Serialize>(kind: &str, id: &str, value: &T, tag: String) -> Outcome {
    let location = format!("/v1/{kind}/{}", encode(id));
    Ok(answered(201, value, tag)?.with("Location", location))
}

pub const CREATE_USER: Operation = operation("createUser", "directory", "Add a person")
    .about("Adds a person where no chat platform owns the directory. With `invite` a link that signs them in once is mailed to \
        them.")
    .takes::<UserRequest>()
    .gives_with::<User>(201, "The person.", &["ETag", "Location"])
    .refuses(refusals::CREATE_USER);

/// POST users.
pub fn create_user(call: &Call) -> Outcome {
    let new = wire::new_person(&call.body)?;
    let record = edit::create_person(call.app, &call.author(), new)?;
    let tag = user_tag(&record, call.caller);
    let shown = user_record(&record, call.caller);
    made("users", &shown.id, &shown, tag)
}

pub const PATCH_USER: Operation = operation("patchUser", "directory", "Change a person")
    .about("Changes only the members sent. Rotations follow at once where somebody is deactivated or comes back. Where a chat \
        platform owns the directory, only `timeZone`, `handle` and `phone` are changed, and then win over what is read.")
    .takes::<UserPatchRequest>()
    .gives_tagged::<User>("The person.")
    .refuses(refusals::PATCH_USER);

/// PATCH a user.
pub fn patch_user(call: &Call, precondition: &Precondition) -> Outcome {
    let (patch, repeated) = wire::person_patch(&call.body)?;
    let (one, other) = (call.caller.clone(), call.caller.clone());
    let edit = PersonEdit {
        user: call.path.id("userId"),
        patch,
        check: check(
            precondition,
            Some(repeated),
            move |found| user_tag(found, &one),
            move |found| user_record(found, &other),
        ),
    };
    let record = edit::edit_person(call.app, &call.author(), edit)?;
    let shown = user_record(&record, call.caller);
    answered(200, &shown, user_tag(&record, call.caller))
}

pub const CREATE_GROUP: Operation = operation("createGroup", "directory", "Add a user group")
    .about("Adds a user group where no chat platform owns the directory.")
    .takes::<GroupRequest>()
    .gives_with::<Group>(201, "The group.", &["ETag", "Location"])
    .refuses(refusals::CREATE_GROUP);

/// POST groups.
pub fn create_group(call: &Call) -> Outcome {
    let (id, with) = wire::new_group(&call.body)?;
    let group = edit::create_group(call.app, &call.author(), id, with)?;
    let shown = group_record(&group);
    made("groups", &shown.id, &shown, group_tag(&group))
}

pub const PATCH_GROUP: Operation = operation("patchGroup", "directory", "Change a user group")
    .about("Changes only the members sent. Rotations that follow the group follow at once.")
    .takes::<GroupPatchRequest>()
    .gives_tagged::<Group>("The group.")
    .refuses(refusals::PATCH_GROUP);

/// PATCH a group.
pub fn patch_group(call: &Call, precondition: &Precondition) -> Outcome {
    let (patch, repeated) = wire::group_patch(&call.body)?;
    let edit = GroupEdit {
        group: call.path.id("groupId"),
        patch,
        check: check(precondition, Some(repeated), group_tag, group_record),
    };
    let group = edit::edit_group(call.app, &call.author(), edit)?;
    answered(200, &group_record(&group), group_tag(&group))
}

pub const REMOVE_GROUP: Operation = operation("deleteGroup", "directory", "Delete a user group")
    .about("Rotations that follow the group lose its people, as with a directory file without it.")
    .gives_nothing("Deleted.")
    .refuses(refusals::REMOVE_GROUP);

/// DELETE a group.
pub fn remove_group(call: &Call, precondition: &Precondition) -> Outcome {
    let check = check(precondition, None, group_tag, group_record);
    let id = call.path.id("groupId");
    edit::remove_group(call.app, &call.author(), id, check)?;
    Ok(Response::empty(204))
}

pub const CREATE_CHANNEL: Operation = operation("createChannel", "directory", "Add a channel")
    .about("Adds a channel where no chat platform owns the directory.")
    .takes::<ChannelRequest>()
    .gives_with::<Channel>(201, "The channel.", &["ETag", "Location"])
    .refuses(refusals::CREATE_CHANNEL);

/// POST channels.
pub fn create_channel(call: &Call) -> Outcome {
    let (id, with) = wire::new_channel(&call.body)?;
    let channel = edit::create_channel(call.app, &call.author(), id, with)?;
    let tag = channel_tag(&channel);
    let shown = Channel::from(channel);
    made("channels", &shown.id, &shown, tag)
}

pub const PATCH_CHANNEL: Operation = operation("patchChannel", "directory", "Change a channel")
    .about("Changes only the members sent.")
    .takes::<ChannelPatchRequest>()
    .gives_tagged::<Channel>("The channel.")
    .refuses(refusals::OWNED_DIRECTORY);

/// PATCH a channel.
pub fn patch_channel(call: &Call, precondition: &Precondition) -> Outcome {
    let (patch, repeated) = wire::channel_patch(&call.body)?;
    let shown = |found: &domain::Channel| Channel::from(found.clone());
    let edit = ChannelEdit {
        channel: call.path.id("channelId"),
        patch,
        check: check(precondition, Some(repeated), channel_tag, shown),
    };
    let channel = edit::edit_channel(call.app, &call.author(), edit)?;
    let tag = channel_tag(&channel);
    answered(200, &Channel::from(channel), tag)
}

pub const REMOVE_CHANNEL: Operation = operation("deleteChannel", "directory", "Delete a channel")
    .about("Nothing more is posted there.")
    .gives_nothing("Deleted.")
    .refuses(refusals::OWNED_DIRECTORY);

/// DELETE a channel.
pub fn remove_channel(call: &Call, precondition: &Precondition) -> Outcome {
    let shown = |found: &domain::Channel| Channel::from(found.clone());
    let check = check(precondition, None, channel_tag, shown);
    let id = call.path.id("channelId");
    edit::remove_channel(call.app, &call.author(), id, check)?;
    Ok(Response::empty(204))
}
