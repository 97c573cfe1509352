//! /v1/messages and /v1/users/{userId}/notifications (rules.md 19).

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Kind, OF_ROTATION, Operation, instant, operation, parameter, text};
use crate::actions::messages::{self, ListedMessage};
use crate::actions::{notification_settings, notification_test};
use crate::domain::message::Recipient;
use crate::domain::relay::{MessageState, message_id};
use crate::store::MessageFilter;
use crate::wire::message::{Message, Reached};
use crate::wire::notice;
use crate::wire::notification::{self as wire, NotificationSettings, NotificationTest};

const STATES: &[&str] = &["waiting", "sent", "dropped"];

pub const LIST: Operation = operation("listMessages", "messages", "List messages")
    .about("Messages to channels and people, newest first, and how each reached its recipient. A direct message is in the inbox \
        of its person from the moment of the change that it tells of. A member token lists direct messages to its \
        person, and those to channels of rotations that the person may see. A list reaches back to the newest 10,000 \
        messages that match: send `to` for older ones. Messages are kept for 90 days.")
    .query(&[
        text("userId", "Only direct messages to this person."),
        text("channelId", "Only messages to this channel."),
        OF_ROTATION,
        parameter("state", Kind::OneOf(STATES), "Only those in this state."),
        instant("from", "Messages queued at or after this instant."),
        instant("to", "Messages queued before this instant."),
    ])
    .gives_page::<Message>("A page of messages.");

/// GET messages.
pub fn list(call: &Call) -> Outcome {
    let (query, page) = (&call.query, call.query.page()?);
    let (from, until) = query.open_range()?;
    let filter = MessageFilter {
        user: query.one("userId")?.map(Into::into),
        channel: query.one("channelId")?.map(Into::into),
        rotation: query.one("rotationId")?.map(Into::into),
        state: query.choice("state", STATES, MessageState::parse)?,
        from,
        until,
        ..MessageFilter::default()
    };
    let (found, total) = messages::list(call.app, call.caller, filter, page)?;
    let data = found.into_iter().map(render).collect();
    answer::listed(data, page, total)
}

fn render(message: ListedMessage) -> Message {
    let (channel_id, user_id) = match &message.to {
        Recipient::Channel(id) => (Some(id.to_string()), None),
        Recipient::Person(id) => (None, Some(id.to_string())),
    };
    let reached = message.reached.iter().map(|(by, at)| Reached {
        by: by.name(),
        at: (*at).into(),
    });
    Message {
        id: message_id(message.sequence),
        at: message.created_at.into(),
        channel_id,
        user_id,
        rotation_id: message.rotation.map(|id| id.to_string()),
        kind: message.kind,
        state: message.state,
        reached: reached.collect(),
        moved: message
            .moved
            .map(|(moved, because)| notice::moved(&moved, because)),
        text: message.text,
        error: message.error,
    }
}

pub const NOTIFICATIONS: Operation = operation("getNotificationSettings", "messages", "Read how a person is told")
    .about("People read their own settings with a member token; workspace admins and keys that are not limited to some \
        rotations read everybody's. Everything but `offDuty` is mailed to people who have not chosen.")
    .gives::<NotificationSettings>(200, "The settings.");

/// GET the settings of a person.
pub fn notifications(call: &Call) -> Outcome {
    let user = call.path.id("userId");
    let settings = notification_settings::read(call.app, call.caller, &user)?;
    answer::json(
        200,
        &wire::render(&settings, call.caller.person() == Ok(&user)),
    )
}

pub const CHOOSE: Operation = operation("setNotificationSettings", "messages", "Choose how a person is told")
    .about("Messages from now on follow the settings. `mail` and `kinds` are required, other members that are omitted stay \
        unchanged. The inbox has every direct message whatever is chosen. Reminders follow turns that change; one whose time is \
        over when it is chosen, or when the turn comes to be, is not sent. `invitations` mails the turns that begin within the horizon \
        of notices as invitations, a letter each, and every change of them.")
    .takes::<wire::NotificationSettingsRequest>()
    .refuses(&["no_mail", "no_address"])
    .gives::<NotificationSettings>(200, "The settings.");

/// PUT the settings of a person.
pub fn choose(call: &Call) -> Outcome {
    let user = call.path.id("userId");
    let settings = wire::read(&call.body)?;
    let chosen = notification_settings::choose(call.app, &call.author(), &user, settings)?;
    answer::json(
        200,
        &wire::render(&chosen, call.caller.person() == Ok(&user)),
    )
}

pub const TEST: Operation = operation("testNotifications", "messages", "Send a person a test")
    .about("Sends one line by every way that the person has, waits for 15 seconds at most, and says what became of it on each: \
        `inbox`, `mail` unless they are not mailed, `push` where they have an address, `platform` for a chat platform such as \
        Slack. At most 10 within an hour of real time.")
    .gives::<NotificationTest>(200, "What became of it on each way.");

/// POST a test.
pub fn test(call: &Call) -> Outcome {
    let user = call.path.id("userId");
    let ways = notification_test::send(call.app, &call.author(), &user)?;
    answer::json(200, &wire::tested(ways))
}
