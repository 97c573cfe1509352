//! The kinds of things that rota syncs on the chat platform.

/// A target of syncs. Each kind has its own table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncTarget {
    Topic,
    Group,
}

impl SyncTarget {
    /// The noun for log lines.
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

    /// The fact that stores until when the platform asked for no calls.
    pub(super) fn hold(self) -> &'static str {
        match self {
            SyncTarget::Topic => "chat_topics_held_until",
            SyncTarget::Group => "chat_groups_held_until",
        }
    }
}
