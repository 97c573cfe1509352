//! Lists of messages (rules.md 19).

use super::{App, Result, reads};
use crate::chat;
use crate::domain::access::Principal;
use crate::domain::ids::RotationId;
use crate::domain::message::{Content, MessageKind, Recipient, ShiftsMoved, Subject};
use crate::domain::relay::{MessageState, Way};
use crate::domain::words::words;
use crate::store::{self, MessageFilter, MessageRecord, Page};
use jiff::Timestamp;

/// A message of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedMessage {
    pub sequence: i64,
    pub to: Recipient,
    /// `None` for a message about all of them.
    pub rotation: Option<RotationId>,
    pub created_at: Timestamp,
    /// `None` for one that an earlier version stored already worded.
    pub kind: Option<MessageKind>,
    pub text: String,
    /// The request or mention that it is about.
    pub subject: Subject,
    pub state: MessageState,
    /// How it has reached its recipient, and since when.
    pub reached: Vec<(ReachedBy, Timestamp)>,
    /// Why it waits for a retry, or was dropped.
    pub error: Option<String>,
    /// What moved in the person's own plan, and why in words; of that kind of message alone.
    pub moved: Option<(ShiftsMoved, Vec<(Timestamp, String)>)>,
}

words! {
    /// How a message reached its recipient.
    pub enum ReachedBy {
        /// It is in the inbox of its person.
        Inbox = "inbox",
        Mail = "mail",
        IncomingWebhook = "incomingWebhook",
        /// The push server of its person has it.
        Push = "push",
        /// The chat platform has it.
        Platform = "platform",
    }
}

/// A page of the messages that a caller may see, newest first, and how many there are on all pages. A person sees direct
/// messages to themselves alone, and those of channels of rotations that they see.
pub fn list(
    app: &App,
    caller: &Principal,
    filter: MessageFilter,
    page: Page,
) -> Result<(Vec<ListedMessage>, u64)> {
    let filter = MessageFilter {
        visible: reads::visible_to(caller),
        reader: caller.person().ok().cloned(),
        ..filter
    };
    let (found, total) = app
        .store()
        .read(|tx| store::list_messages(tx, &filter, page))?;
    let listed = found.into_iter().map(|record| listed(app, record));
    Ok((listed.collect(), total))
}

fn listed(app: &App, record: MessageRecord) -> ListedMessage {
    let mut reached = Vec::new();
    if matches!(record.to, Recipient::Person(_)) {
        reached.push((ReachedBy::Inbox, record.created_at));
    }
    for (way, relay) in &record.relays {
        let by = match way {
            Way::Mail => ReachedBy::Mail,
            Way::IncomingWebhook => ReachedBy::IncomingWebhook,
            Way::Push => ReachedBy::Push,
        };
        if let (MessageState::Sent, Some(at)) = (relay.state, relay.ended_at) {
            reached.push((by, at));
        }
    }
    if let (MessageState::Sent, Some(at)) = (record.post.state, record.post.ended_at)
        && !app.chat().is_embedded()
    {
        reached.push((ReachedBy::Platform, at));
    }
    let (state, error) = (record.state(), record.error().map(str::to_owned));
    let (kind, text, subject, moved) = match &record.message {
        Ok(message) => (
            message.content.kind(),
            chat::text(app.chat(), message),
            message.subject.clone(),
            match &message.content {
                Content::ShiftsMoved(moved) => {
                    Some((moved.clone(), chat::because(app.chat(), message)))
                }
                _ => None,
            },
        ),
        Err(why) => {
            log::error!("messages: message {}: {why}", record.sequence);
            (None, String::new(), Subject::Rotation, None)
        }
    };
    ListedMessage {
        sequence: record.sequence,
        to: record.to,
        rotation: record.rotation,
        created_at: record.created_at,
        kind,
        text,
        subject,
        state,
        reached,
        error,
        moved,
    }
}
