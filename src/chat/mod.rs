//! The chat platform behind one trait: what rota asks of it.
//!
//! No call is made within a transaction. The caller stores what was done, in the directory too, which mirrors the platform;
//! so the local platform, whose directory it is, has nothing else to store.

mod faulty;
mod local;
mod voice;

pub use faulty::{FailureControl, FaultyChat};
pub use local::Local;
pub use voice::{PlatformVoice, text};

use crate::domain::chat::{Capabilities, ChatError};
use crate::domain::ids::{ChannelId, GroupId, MessageReference, UserId};
use crate::domain::message::Message;

/// A chat platform. Each call may take a while; each may be made again when its result was lost.
pub trait Chat: Send + Sync {
    /// What it can do, as far as that is known without asking it.
    fn capabilities(&self) -> Capabilities;

    /// How a text marks a person whom it is to reach.
    fn handle(&self, user: &UserId, name: &str) -> String;

    /// Text written by people, on one line, escaped so that the platform takes nothing in it for markup.
    fn plain(&self, text: &str) -> String;

    /// Renders a message and posts it, in a channel or directly. `key` is the same whenever the same message is posted again.
    /// The reference is what the platform needs to update the message later.
    fn post(&self, message: &Message, key: &str) -> Result<MessageReference, ChatError>;

    /// The topic of a channel, as it was given to [`Chat::set_topic`]; empty where it has none.
    fn topic(&self, channel: &ChannelId) -> Result<String, ChatError>;

    /// Sets the topic of a channel; an empty one removes it.
    fn set_topic(&self, channel: &ChannelId, topic: &str) -> Result<(), ChatError>;

    /// The user group of a handle, which is written without its `@`.
    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, ChatError>;

    /// Creates a user group with nobody in it.
    fn make_group(&self, handle: &str, name: &str) -> Result<GroupId, ChatError>;

    /// The people in a user group.
    fn people(&self, group: &GroupId) -> Result<Vec<UserId>, ChatError>;

    /// Sets the people in a user group.
    fn set_people(&self, group: &GroupId, people: &[UserId]) -> Result<(), ChatError>;

    /// Disables a user group, or enables it again.
    fn set_disabled(&self, group: &GroupId, disabled: bool) -> Result<(), ChatError>;
}
