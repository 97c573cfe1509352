//! Lists of messages, and what each person chose to be mailed (rules.md 19).

use super::{ActionError, App, audit, reads};
use crate::chat;
use crate::domain::access::{Principal, Reach};
use crate::domain::audit::{AuditedChange, Author, Phrase};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::message::{Content, MessageKind, Recipient, ShiftsMoved, Subject};
use crate::domain::refusal::Refusal;
use crate::domain::relay::{MessageState, NotificationSettings, Way};
use crate::domain::words::words;
use crate::store::{self, MessageFilter, MessageRecord, Page, ReadTx};
use jiff::Timestamp;

/// A message of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedMessage {
    pub sequence: i64,
    pub to: Recipient,
    pub rotation: RotationId,
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
) -> Result<(Vec<ListedMessage>, u64), ActionError> {
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

/// The kinds of messages that a person is mailed.
///
/// # Errors
/// [`Refusal::NotFound`] for somebody who is not there for the caller, [`Refusal::ResourceDenied`] for another person's
/// settings.
pub fn notifications(
    app: &App,
    caller: &Principal,
    user: &UserId,
) -> Result<NotificationSettings, ActionError> {
    app.store().read(|tx| {
        check_person(tx, caller, user)?;
        Ok(store::load_notification_settings(tx, user)?)
    })
}

/// Chooses what a person is mailed. It counts for messages from now on.
pub fn choose_notifications(
    app: &App,
    author: &Author,
    user: &UserId,
    settings: NotificationSettings,
) -> Result<NotificationSettings, ActionError> {
    let user = user.clone();
    audit::write(app.store(), author, move |tx, author| {
        check_person(&tx.as_read(), &author.principal, &user)?;
        let was = store::load_notification_settings(&tx.as_read(), &user)?;
        store::save_notification_settings(tx, &user, &settings)?;
        let (was, is) = (told(&was), told(&settings));
        let summary = Phrase::from("what ").and(&user).and(" is mailed: ");
        let summary = summary.and(format!("{was} to {is}"));
        let change = (was != is).then(|| AuditedChange::of(user.as_str(), summary));
        Ok((settings, change))
    })
}

/// Settings in a summary.
fn told(settings: &NotificationSettings) -> String {
    if !settings.mail {
        return "nothing".to_owned();
    }
    let kinds: Vec<&str> = settings.kinds.iter().map(|kind| kind.name()).collect();
    match kinds.is_empty() {
        true => "nothing of any kind".to_owned(),
        false => kinds.join(", "),
    }
}

/// People choose for themselves; workspace admins and keys that see all rotations choose for everybody.
fn check_person(tx: &ReadTx, caller: &Principal, user: &UserId) -> Result<(), ActionError> {
    let is_own = caller.person() == Ok(user);
    if !is_own && !caller.sees_directory() {
        return Err(Refusal::NotFound("user").into());
    }
    if store::load_person(tx, user)?.is_none() {
        return Err(Refusal::NotFound("user").into());
    }
    match caller.reach() {
        _ if is_own => Ok(()),
        Reach::All => Ok(()),
        Reach::Selected(_) => Err(Refusal::ResourceDenied(
            "this belongs to a person of all rotations; send a key that is not limited to some"
                .into(),
        )
        .into()),
        _ => Err(Refusal::ResourceDenied(
            "only workspace admins may read or change what others are mailed".into(),
        )
        .into()),
    }
}
