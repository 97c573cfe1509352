//! The kinds of messages, by which lists name them and people choose what is mailed to them.

use super::Content;
use crate::domain::words::words;

words! {
    /// What a message says.
    pub enum MessageKind {
        OnDuty = "onDuty",
        OffDuty = "offDuty",
        ComingUp = "comingUp",
        Nobody = "nobody",
        CoverAsked = "coverAsked",
        CoverAnswered = "coverAnswered",
        SwapAsked = "swapAsked",
        SwapAnswered = "swapAnswered",
        Mention = "mention",
        MentionAnswered = "mentionAnswered",
        HandOver = "handOver",
        ShiftsMoved = "shiftsMoved",
        Summary = "summary",
        WeekAhead = "weekAhead",
        ChangeFailed = "changeFailed",
    }
}

impl Content {
    /// The kind of the message; `None` for a text that an earlier version stored already worded.
    pub fn kind(&self) -> Option<MessageKind> {
        Some(match self {
            Content::Text { .. } => return None,
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
            Content::ShiftsMoved(_) => MessageKind::ShiftsMoved,
            Content::Summary(_) => MessageKind::Summary,
            Content::WeekAhead(_) => MessageKind::WeekAhead,
            Content::ChangeFailed { .. } => MessageKind::ChangeFailed,
        })
    }
}
