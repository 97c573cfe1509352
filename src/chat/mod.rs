//! The chat platform behind one trait: what rota asks of it, and how it says that it could not (contract section 12).
//!
//! Nothing here is asked within a transaction. What was done is written down by whoever asked, in the directory too, which
//! mirrors the platform; so the embedded platform, whose directory it is, has nothing else to do.

mod local;
mod moody;

pub use local::Local;
pub use moody::{Moody, Temper};

use crate::domain::chat::{Manners, Recipient, Trouble};
use crate::domain::ids::{ChannelId, GroupId, UserId};

/// A chat platform. Each call may take a while; each may be made again after one whose end nobody saw.
pub trait Chat: Send + Sync {
    /// What it can do, as far as that is known without asking it.
    fn manners(&self) -> Manners;

    /// How a message marks somebody whom it is to reach.
    fn handle(&self, user: &UserId, name: &str) -> String;

    /// Text of people's, in one line, written so that the platform takes nothing in it for markup.
    fn plain(&self, text: &str) -> String;

    /// Posts a message, in a channel or directly. `key` is the same whenever the same message is posted again.
    fn post(&self, to: &Recipient, text: &str, key: &str) -> Result<(), Trouble>;

    /// The topic of a channel, as it was given to [`Chat::set_topic`]; empty where it has none.
    fn topic(&self, channel: &ChannelId) -> Result<String, Trouble>;

    /// Sets the topic of a channel; an empty one takes it away.
    fn set_topic(&self, channel: &ChannelId, topic: &str) -> Result<(), Trouble>;

    /// The user group of a handle, which is written without its `@`.
    fn find_group(&self, handle: &str) -> Result<Option<GroupId>, Trouble>;

    /// Makes a user group with nobody in it.
    fn make_group(&self, handle: &str, name: &str) -> Result<GroupId, Trouble>;

    /// The people in a user group.
    fn people(&self, group: &GroupId) -> Result<Vec<UserId>, Trouble>;

    /// Sets the people in a user group.
    fn set_people(&self, group: &GroupId, people: &[UserId]) -> Result<(), Trouble>;

    /// Disables a user group, or enables it again.
    fn set_disabled(&self, group: &GroupId, disabled: bool) -> Result<(), Trouble>;
}
