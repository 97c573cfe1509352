//! /v1/rotations/{rotationId}/on-duty-group and /chat, /v1/user-groups/capabilities.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Body, Operation, gives, gives_tagged, shape};
use super::rotations::tagged;
use crate::actions::chat_status::{self, GroupStatus, TopicStatus};
use crate::actions::duty_group::{self, BindDutyGroup, UnbindDutyGroup};
use crate::actions::platform;
use crate::wire::chat::{self as wire, Capabilities, ChatPlatform, ChatStatus, OnDutyGroupRequest};
use crate::wire::etag::Precondition;
use crate::wire::moment::Moment;
use crate::wire::rotation::Rotation;
use crate::wire::to_i32;

pub const BIND: Operation = Operation {
    id: "setOnDutyGroup",
    tag: "chat",
    summary: "Bind an on-duty group",
    about: "Syncs a chat user group with the people on call: an existing group, or the group with a handle, created if there \
            is none and named after the rotation. It is filled at once; a window that shuts takes its person out until it \
            opens. People in it who belong to no rotation that it serves stay.",
    query: &[],
    body: Body::Required(shape::<OnDutyGroupRequest>),
    gives: &[gives_tagged(200, "The whole rotation.", shape::<Rotation>)],
    refuses: &[
        (402, "payment_required"),
        (409, "user_group_not_manageable"),
        (503, "chat_unavailable"),
    ],
};

/// PUT the on-duty group.
pub fn bind(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let bind = BindDutyGroup::new(wire::on_duty_group(&call.body)?);
    tagged(call, 200, &call.write(precondition, bind)?.rotation)
}

pub const UNBIND: Operation = Operation {
    id: "removeOnDutyGroup",
    tag: "chat",
    summary: "Unbind the on-duty group",
    about: "Removes the rotation's people from the user group and does not change it otherwise.",
    query: &[],
    body: Body::None,
    gives: &[gives_tagged(200, "The whole rotation.", shape::<Rotation>)],
    refuses: &[],
};

/// DELETE the on-duty group.
pub fn unbind(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let written = call.write(precondition, UnbindDutyGroup)?;
    tagged(call, 200, &written.rotation)
}

pub const CAPABILITIES: Operation = Operation {
    id: "getUserGroupCapabilities",
    tag: "chat",
    summary: "Read the user group capabilities",
    about: "Whether the chat platform and the plan permit on-duty groups.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "The capabilities.", shape::<Capabilities>)],
    refuses: &[],
};

/// GET the capabilities.
pub fn capabilities(_: &Api, call: &Call) -> Outcome {
    let can = duty_group::capabilities(call.app);
    let shown = Capabilities {
        can_bind: can.can_bind,
        can_create: can.can_create,
        reason: can.reason,
    };
    answer::json(200, &shown)
}

pub const PLATFORM: Operation = Operation {
    id: "getChatPlatform",
    tag: "chat",
    summary: "The state of the chat platform",
    about: "Which platform it is, and whether it works. While it does not, duty goes on, and what is to be sent waits for a \
            day.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "The state.", shape::<ChatPlatform>)],
    refuses: &[],
};

/// GET the state of the chat platform.
pub fn platform(_: &Api, call: &Call) -> Outcome {
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

pub const STATUS: Operation = Operation {
    id: "getChatStanding",
    tag: "chat",
    summary: "The state of a rotation in chat",
    about: "The desired and the last known content of the on-duty group and the channels' topics, and the last \
            errors. Chat never delays a hand-over.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "The chat state.", shape::<ChatStatus>)],
    refuses: &[],
};

/// GET the state of a rotation in chat.
pub fn status(_: &Api, call: &Call) -> Outcome {
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
    };
    answer::json(200, &shown)
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
