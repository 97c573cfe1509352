//! /v1/rotations/{rotationId}/on-duty-group and /chat, /v1/user-groups/capabilities.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, operation};
use super::rotations::whole;
use crate::actions::chat_status::{self, GroupStatus, TopicStatus};
use crate::actions::duty_group::{self, BindDutyGroup, UnbindDutyGroup};
use crate::actions::platform;
use crate::domain::ids::ChannelId;
use crate::wire::chat::{self as wire, Capabilities, ChatPlatform, ChatStatus, OnDutyGroupRequest};
use crate::wire::etag::Precondition;
use crate::wire::moment::Moment;
use crate::wire::rotation::Rotation;
use crate::wire::to_i32;

pub const BIND: Operation = operation("setOnDutyGroup", "chat", "Bind an on-duty group")
    .about("Syncs a chat user group with the people on call: an existing group, or the group with a handle, created if there \
        is none and named after the rotation. It is filled at once; a window that shuts takes its person out until it \
        opens. People in it who belong to no rotation that it serves stay.")
    .takes::<OnDutyGroupRequest>()
    .gives_tagged::<Rotation>("The whole rotation.")
    .refuses(&["payment_required", "user_group_not_manageable", "chat_unavailable"]);

/// PUT the on-duty group.
pub fn bind(call: &Call, precondition: &Precondition) -> Outcome {
    let bind = BindDutyGroup::new(wire::on_duty_group(&call.body)?);
    whole(call, precondition, bind)
}

pub const UNBIND: Operation = operation("removeOnDutyGroup", "chat", "Unbind the on-duty group")
    .about("Removes the rotation's people from the user group and does not change it otherwise.")
    .gives_tagged::<Rotation>("The whole rotation.");

/// DELETE the on-duty group.
pub fn unbind(call: &Call, precondition: &Precondition) -> Outcome {
    whole(call, precondition, UnbindDutyGroup)
}

pub const CAPABILITIES: Operation = operation(
    "getUserGroupCapabilities",
    "chat",
    "Read the user group capabilities",
)
.about("Whether the chat platform and the plan permit on-duty groups.")
.gives::<Capabilities>(200, "The capabilities.");

/// GET the capabilities.
pub fn capabilities(call: &Call) -> Outcome {
    let can = duty_group::capabilities(call.app);
    let shown = Capabilities {
        can_bind: can.can_bind,
        can_create: can.can_create,
        reason: can.reason,
    };
    answer::json(200, &shown)
}

pub const PLATFORM: Operation = operation("getChatPlatform", "chat", "The state of the chat platform")
    .about("Which platform it is, and whether it works. While it does not, duty goes on, and what is to be sent waits for a \
        day.")
    .gives::<ChatPlatform>(200, "The state.");

/// GET the state of the chat platform.
pub fn platform(call: &Call) -> Outcome {
    let found = platform::status(call.app)?;
    let shown = ChatPlatform {
        platform: found.platform,
        state: found.state.name(),
        last_error: found.last_error,
        last_sync_at: found.last_sync_at.map(Moment),
        socket_connected: found.socket_connected,
    };
    answer::json(200, &shown)
}

pub const STATUS: Operation = operation("getChatStanding", "chat", "The state of a rotation in chat")
    .about("The desired and the last known content of the on-duty group and the channels' topics, and the last \
        errors. Chat never delays a hand-over.")
    .gives::<ChatStatus>(200, "The chat state.");

/// GET the state of a rotation in chat.
pub fn status(call: &Call) -> Outcome {
    let id = call.path.id("rotationId");
    let found = chat_status::read(call.app, call.caller, &id)?;
    let shown = ChatStatus {
        on_duty_group: found.group.map(group),
        topics: found.topics.into_iter().map(topic).collect(),
        messages: wire::MessageStatus {
            pending: to_i32(found.messages.pending as usize),
            last_error: found.messages.last_error,
        },
        inbox_only: wire::InboxOnly {
            user_ids: wire::ids(&found.inbox_only.users),
            channel_ids: (found.inbox_only.channels.iter())
                .map(ToString::to_string)
                .collect(),
        },
        channel_errors: found.troubles.map(channel_errors),
        not_joined: found.not_joined.as_deref().map(wire::ids),
    };
    answer::json(200, &shown)
}

fn channel_errors(found: Vec<(ChannelId, String)>) -> Vec<wire::ChannelError> {
    let error = |(channel, error): (ChannelId, String)| wire::ChannelError {
        channel_id: channel.to_string(),
        error,
    };
    found.into_iter().map(error).collect()
}

fn group(found: GroupStatus) -> wire::GroupStatus {
    let sync = found.kept.sync;
    wire::GroupStatus {
        user_group_id: found.kept.group.to_string(),
        handle: found.handle,
        owned: found.kept.is_own,
        in_step: match found.wanted.is_empty() {
            true => found.present.is_empty() || found.kept.disabled,
            false => found.wanted == found.present && !found.kept.disabled,
        },
        wanted_user_ids: wire::ids(&found.wanted),
        user_ids: wire::ids(&found.present),
        invited_user_ids: found.not_accepted.as_deref().map(wire::ids),
        disabled: found.kept.disabled,
        last_error: sync.error,
        next_attempt_at: sync.due_at.map(Moment),
    }
}

fn topic(found: TopicStatus) -> wire::TopicStatus {
    let sync = found.kept.sync;
    wire::TopicStatus {
        channel_id: found.kept.channel.to_string(),
        // A channel without a topic has an empty one.
        in_step: found.wanted.as_deref().unwrap_or_default()
            == found.present.as_deref().unwrap_or_default(),
        wanted: found.wanted,
        topic: found.present,
        last_error: sync.error,
        next_attempt_at: sync.due_at.map(Moment),
    }
}
