//! The chat platform behind one trait.
//!
//! No call runs inside a transaction. The caller stores the result, including in the directory, which mirrors the platform.
//! The local platform is that directory, so it stores nothing itself.

mod call_error;
mod faulty;
mod finding;
mod health;
mod local;
pub mod matrix;
mod reading_events;
mod remote;
pub mod slack;
mod text;

pub use call_error::{CallError, OTHER_WORKSPACE, Pause, Refusal};
pub use faulty::{FailureControl, FaultyChat};
pub use finding::Finding;
pub use health::Workspace;
pub use local::Local;
pub use reading_events::{ReadingEvents, UnderWay};
pub use remote::{FoundPerson, Known, Names, Remote, Step};
pub use text::{PlatformRenderer, TopicRenderer, because, text};

use crate::domain::chat::{Capabilities, ChatError};
use crate::domain::ids::{ChannelId, GroupId, MessageReference, UserId};
use crate::domain::message::{Message, QuestionOutcome};
use crate::domain::wording;
use crate::domain::zones::ZoneName;
use jiff::Timestamp;

/// A user group as the platform has it now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedGroup {
    /// Those in it, and those who are invited.
    pub people: Vec<UserId>,
    /// `None` where the platform does not say.
    pub is_disabled: Option<bool>,
    /// Who has left it, or declined, by themselves.
    pub left: Vec<UserId>,
    /// Whom the platform does not let in.
    pub barred: Vec<UserId>,
    /// Those in it whom rota cannot remove.
    pub stuck: Vec<UserId>,
}

/// A chat platform. Calls may be slow, and may be repeated if a result was lost.
pub trait Chat: Send + Sync {
    /// The platform's capabilities, as far as they are known without calling it.
    fn capabilities(&self) -> Capabilities;

    /// Whether it is the local platform, which people do not see: its messages are sent on by mail and to incoming webhooks.
    fn is_embedded(&self) -> bool {
        false
    }

    /// The text that names a person.
    fn name(&self, _: &UserId, name: &str) -> String {
        self.plain(name)
    }

    /// Whether a stored message needs no call: people read the queue itself. A channel must still have the app in it. Posting then
    /// shares the transaction of the change that the message tells of.
    fn posts_by_storing(&self) -> bool {
        false
    }

    /// The text that mentions a person so that the platform notifies them.
    fn handle(&self, user: &UserId, name: &str) -> String;

    /// User text on one line, escaped so that the platform reads no markup in it.
    fn plain(&self, text: &str) -> String;

    /// An instant in the zone of its subject, or in a form that the platform shows in the reader's own zone.
    fn time(&self, at: Timestamp, zone: Option<ZoneName>) -> String {
        wording::time(at, zone)
    }

    /// The length of a topic as [`Capabilities::longest_topic`] counts it.
    fn topic_cost(&self, text: &str) -> usize {
        text.chars().count()
    }

    /// Renders a message and posts it to a channel or a person. Repeated posts of one message have the same `key`. The
    /// returned reference identifies the message in later updates. `reader` is the zone of the person, where it is known.
    fn post(
        &self,
        message: &Message,
        key: &str,
        reader: Option<ZoneName>,
    ) -> Result<MessageReference, ChatError>;

    /// Shows in a posted message what came of its question, in place of its buttons. Where nobody sees messages, it does
    /// nothing.
    fn update(
        &self,
        _reference: &MessageReference,
        _message: &Message,
        _standing: &QuestionOutcome,
        _reader: Option<ZoneName>,
    ) -> Result<(), ChatError> {
        Ok(())
    }

    /// Whether a refused sync of a topic or group is tried again by itself, rather than when something changes.
    fn retries_refusals(&self) -> bool {
        true
    }

    /// A topic in the form in which [`Chat::topic`] returns it.
    fn topic_text(&self, text: String) -> String {
        text
    }

    /// The topic of a channel, as it was passed to [`Chat::set_topic`]; empty if there is none.
    fn topic(&self, channel: &ChannelId) -> Result<String, ChatError>;

    /// Sets the topic of a channel. An empty topic removes it.
    fn set_topic(&self, channel: &ChannelId, topic: &str) -> Result<(), ChatError>;

    /// Finds a user group by its handle, without the `@`.
    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, ChatError>;

    /// Creates an empty user group.
    fn create_group(&self, handle: &str, name: &str) -> Result<GroupId, ChatError>;

    /// The people in a user group, and whether it is disabled.
    fn people(&self, group: &GroupId) -> Result<ListedGroup, ChatError>;

    /// Replaces the people in a user group, who are `present` now.
    fn set_people(
        &self,
        group: &GroupId,
        present: &[UserId],
        people: &[UserId],
    ) -> Result<(), ChatError>;

    /// Disables or enables a user group. One that already is succeeds.
    fn set_disabled(&self, group: &GroupId, disabled: bool) -> Result<(), ChatError>;
}
