//! A platform that owns its directory and is reached over the network with a token.

use super::Chat;
use super::call_error::CallError;
use super::health::{Health, Leave, Workspace};
use super::reading_events::ReadingEvents;
use crate::domain::chat::PlatformState;
use crate::domain::directory::{Channel, Directory, Person, Source, Team};
use crate::domain::directory_reading::Reading;
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::runtime::clock::Clock;
use crate::runtime::wakeup::Wakeup;
use jiff::{SignedDuration, Timestamp};
use std::time::Instant;

/// What a platform is called.
#[derive(Debug, PartialEq, Eq)]
pub struct Names {
    /// In settings, the log and the API.
    pub name: &'static str,
    /// In sentences.
    pub title: &'static str,
    /// The source of its records.
    pub source: Source,
    /// The setting that names the workspace.
    pub setting: &'static str,
    /// What to write there if it names another workspace than the database's.
    pub write: &'static str,
    /// What people come from.
    pub workspace: &'static str,
}

/// A step of which a platform may have a pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Post,
    SetTopic,
    FillGroup,
    EnableGroup,
    DisableGroup,
}

/// What is stored of the directory before a reading.
#[derive(Clone, Debug)]
pub struct Known {
    pub directory: Directory,
    /// The user groups that are synced with on-call.
    pub filled: Vec<GroupId>,
}

/// A person as the platform has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPerson {
    pub person: Person,
    /// Until when they are away by their chat status, without an end if that is `None`; `None` if they are not.
    pub away: Option<Option<Timestamp>>,
}

/// A platform with a directory of its own.
pub trait Remote: Chat {
    /// What it is called.
    fn names(&self) -> &'static Names;

    /// Whether it answers, and takes the token.
    fn health(&self) -> &Health;

    /// The clock by which a paused platform is asked again.
    fn clock(&self) -> &Clock;

    /// Events about single people, user groups and channels while the directory is read in full.
    fn meanwhile(&self) -> &ReadingEvents;

    /// Asks whose workspace it is, and ends a pause if the token is taken.
    fn ask_workspace(&self) -> Result<Workspace, CallError>;

    /// Reads the whole directory. Where the platform asks to wait, it waits and goes on, but not past `deadline`. `known` is
    /// what was read before.
    ///
    /// # Errors
    /// Of the first part that cannot be read. Then there is no reading.
    fn read(&self, team: Team, known: &Known, deadline: Instant) -> Result<Reading, CallError>;

    /// One person; `None` for a bot.
    ///
    /// # Errors
    /// [`CallError::Refused`] where there is no such person, and those of every call.
    fn read_person(&self, team: &str, user: &UserId) -> Result<Option<FoundPerson>, CallError>;

    /// One channel; `None` for what is none.
    ///
    /// # Errors
    /// [`CallError::Refused`] where the app sees no such channel, and those of every call.
    fn read_channel(&self, team: &str, id: &ChannelId) -> Result<Option<Channel>, CallError>;

    /// Whether it could be the id of a person or a channel.
    fn could_be(&self, id: &str) -> bool;

    /// How often the directory is read in full.
    fn sync_every(&self) -> SignedDuration;

    /// The settings on which a reading depends: if they are others, an old reading is out of date.
    fn readings_depend_on(&self) -> String {
        String::new()
    }

    /// Until when a step waits for its pace or because the platform asked for it; `None` if it can be made now.
    fn opens(&self, step: Step, channel: &str) -> Option<Instant>;

    /// When the next message that waits for that can be posted.
    fn opens_next(&self) -> Option<Instant>;

    /// Whether what people do comes in over a connection that this server opens.
    fn has_socket(&self) -> bool;

    /// Whether the user groups whose syncs are due should be named before one of them is listed.
    fn wants_groups(&self, _: &GroupId) -> bool {
        false
    }

    /// Names the user groups whose syncs are due. The next call that lists people of groups serves all of them.
    fn expect_groups(&self, _: Vec<GroupId>) {}

    /// Whether it says before a user group is filled that it may not be.
    fn says_who_may_fill(&self) -> bool {
        false
    }

    /// Wakes whoever reads the directory.
    fn news(&self) -> Wakeup {
        Wakeup::default()
    }

    /// Whether something has changed since the directory was last read, so that it should be read now.
    fn has_news(&self) -> bool {
        false
    }

    /// The directory is read now.
    fn take_news(&self) {}

    /// Ends calls that wait for something to happen.
    fn shut_down(&self) {}

    /// The workspace of the token; `None` before the platform has answered.
    fn workspace(&self) -> Option<Workspace> {
        self.health().workspace()
    }

    /// The workspace that the database belongs to: a token of another one pauses the platform.
    fn expect_workspace(&self, workspace: Workspace) {
        self.health().found(workspace);
    }

    /// The state of the platform, and why it is not `up`.
    fn state(&self) -> (PlatformState, Option<String>) {
        self.health().state()
    }

    /// When a paused platform is asked again, on the server's clock; `None` if it is not paused.
    fn asks_again_at(&self) -> Option<Timestamp> {
        self.health().asks_at()
    }

    /// Whether the platform is paused and not to be asked yet.
    fn is_paused(&self) -> bool {
        let now = self.clock().now();
        self.asks_again_at().is_some_and(|at| at > now)
    }

    /// Asks a paused platform whether it takes the token, if that is due and nobody else is asking; `None` if not.
    fn ask_again(&self) -> Option<Result<Workspace, CallError>> {
        match self.health().leave(self.clock().now()) {
            Leave::Ask => Some(self.ask_workspace()),
            Leave::Given | Leave::Refused(_) => None,
        }
    }

    /// Whether what people do comes in now.
    fn is_socket_connected(&self) -> bool {
        self.health().is_socket_connected()
    }

    /// Why nothing comes in; `None` if something does, or it was not tried.
    fn no_socket(&self) -> Option<String> {
        self.health().no_socket()
    }
}
