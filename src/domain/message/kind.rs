//! The kinds of messages, by which lists name them and people choose what is mailed to them.

use super::Content;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MessageKind {
    OnDuty,
    OffDuty,
    ComingUp,
    Nobody,
    CoverAsked,
    CoverAnswered,
    SwapAsked,
    SwapAnswered,
    Mention,
    MentionAnswered,
    HandOver,
}

impl MessageKind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [MessageKind; 11] = [
        MessageKind::OnDuty,
        MessageKind::OffDuty,
        MessageKind::ComingUp,
        MessageKind::Nobody,
        MessageKind::CoverAsked,
        MessageKind::CoverAnswered,
        MessageKind::SwapAsked,
        MessageKind::SwapAnswered,
        MessageKind::Mention,
        MessageKind::MentionAnswered,
        MessageKind::HandOver,
    ];

    /// The name in the API and the database.
    pub fn name(self) -> &'static str {
        match self {
            MessageKind::OnDuty => "onDuty",
            MessageKind::OffDuty => "offDuty",
            MessageKind::ComingUp => "comingUp",
            MessageKind::Nobody => "nobody",
            MessageKind::CoverAsked => "coverAsked",
            MessageKind::CoverAnswered => "coverAnswered",
            MessageKind::SwapAsked => "swapAsked",
            MessageKind::SwapAnswered => "swapAnswered",
            MessageKind::Mention => "mention",
            MessageKind::MentionAnswered => "mentionAnswered",
            MessageKind::HandOver => "handOver",
        }
    }

    /// The kind with that name.
    pub fn parse(name: &str) -> Option<MessageKind> {
        MessageKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

impl Content {
    /// The kind of the message; `None` for a text that an earlier version stored already worded.
    pub fn kind(&self) -> Option<MessageKind> {
        Some(match self {
            Content::Text(_) => return None,
            Content::OnDuty { .. } => MessageKind::OnDuty,
            Content::OffDuty { .. } => MessageKind::OffDuty,
            Content::ComingUp { .. } => MessageKind::ComingUp,
            Content::Nobody { .. } => MessageKind::Nobody,
            Content::HandOver { .. } => MessageKind::HandOver,
            Content::CoverAsked(_) => MessageKind::CoverAsked,
            Content::CoverAnswered(_) => MessageKind::CoverAnswered,
            Content::SwapAsked(_) => MessageKind::SwapAsked,
            Content::SwapAnswered(_) => MessageKind::SwapAnswered,
            Content::Mention { .. } => MessageKind::Mention,
            Content::MentionAnswered { .. } => MessageKind::MentionAnswered,
        })
    }
}
