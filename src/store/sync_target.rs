//! The kinds of things that are kept in step on the chat platform.

/// What is kept in line: each kind has a table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncTarget {
    Topic,
    Group,
}

impl SyncTarget {
    /// How the log names one.
    pub fn noun(self) -> &'static str {
        match self {
            SyncTarget::Topic => "topic of channel",
            SyncTarget::Group => "user group",
        }
    }

    pub(super) fn names(self) -> (&'static str, &'static str) {
        match self {
            SyncTarget::Topic => ("channel_topic", "channel_id"),
            SyncTarget::Group => ("duty_group", "group_id"),
        }
    }

    /// The fact that keeps until when the platform asked for no calls about them.
    pub(super) fn hold(self) -> &'static str {
        match self {
            SyncTarget::Topic => "chat_topics_held_until",
            SyncTarget::Group => "chat_groups_held_until",
        }
    }
}
