//! Chat messages as data.
//!
//! A message is queued in the transaction of the change that causes it and worded when it is rendered for a platform
//! ([`super::wording`]). It contains everything that a rendering needs: the kind of message, the rotation and the request or
//! mention that it is about, people, instants, and the answers that the recipient may give. Names are those at queueing, so that
//! a later renaming does not change past messages. Only the reader's own data is looked up at rendering: their time zone and
//! address.

mod digest;
mod kind;
mod occasions;
mod question_outcome;
mod shifts_moved;

pub use digest::{Absent, Listed, PersonSummary, Waiting, WeekAhead};
pub use kind::MessageKind;
pub use occasions::{
    TEST, accepted, asked, change, change_failed, declined, deleted, ended, mention,
    mention_directly, reminder, reminder_of, summary, test, week_ahead,
};
pub use question_outcome::QuestionOutcome;
pub use shifts_moved::{More, MovedShift, ShiftsMoved};

use super::forecast::HandoverNotice;
use super::ids::{CellId, ChannelId, MentionId, RequestId, RotationId, UserId};
use super::mention::Thread;
use super::stored;
use super::time::Interval;
use super::zones::ZoneName;
use crate::domain::words::words;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A message to a channel or a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub to: Recipient,
    /// `None` for one about all of them.
    pub rotation: Option<RotationId>,
    /// At queueing; empty for [`Content::Text`] and without a rotation.
    pub rotation_name: String,
    pub subject: Subject,
    pub content: Content,
    /// The answers that the recipient may give; empty if none is expected.
    pub answers: Vec<OfferedAnswer>,
    /// The names, at queueing, of the people in the content.
    pub people: PeopleNames,
    /// The message is not sent at or after this instant. `None` leaves only the limit of a day.
    pub expires_at: Option<Timestamp>,
    /// The thread of the channel that it belongs to; `None` posts it in the channel itself.
    pub thread: Option<Thread>,
}

/// Names by user id.
pub type PeopleNames = BTreeMap<UserId, String>;

/// The recipient of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipient {
    Channel(ChannelId),
    /// A direct message.
    Person(UserId),
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Recipient::Channel(id) => write!(f, "channel {id}"),
            Recipient::Person(id) => write!(f, "person {id}"),
        }
    }
}

/// The subject of a message. Messages about the same request or mention are one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Rotation,
    Request(RequestId),
    Mention(MentionId),
}

words! {
    /// An answer offered with a message, on platforms with buttons.
    pub enum OfferedAnswer as Answer {
        /// Accept a cover or swap request.
        Accept = "accept",
        /// Decline it.
        Decline = "decline",
        /// Acknowledge a mention.
        Acknowledge = "acknowledge",
        /// Pass a mention on.
        Pass = "pass",
    }
}

/// The content of a message, and how it is stored. The variants are the kinds of messages. Stored contents outlive the version that
/// wrote them: a new member needs a default, and no member changes its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum Content {
    /// A text that an earlier version stored already worded.
    Text {
        text: String,
    },
    /// A person comes on duty. Includes slots that they leave at the same instant.
    OnDuty {
        #[serde(rename = "slots")]
        handovers: Vec<HandoverNotice>,
    },
    /// A person goes off duty.
    OffDuty {
        /// Empty if the rotation was deleted.
        #[serde(rename = "slots")]
        handovers: Vec<HandoverNotice>,
        #[serde(default)]
        rotation_deleted: bool,
    },
    /// Slots change hands at a future instant: those of the recipient, or all of them in a channel.
    ComingUp {
        #[serde(with = "stored")]
        at: Timestamp,
        #[serde(rename = "slots")]
        handovers: Vec<HandoverNotice>,
    },
    /// Nobody is on call.
    Nobody {
        #[serde(default)]
        rotation_deleted: bool,
    },
    /// Slots changed hands, in a channel.
    HandOver {
        #[serde(rename = "slots")]
        handovers: Vec<HandoverNotice>,
        /// Whether nobody is on call afterwards.
        #[serde(default)]
        nobody: bool,
    },
    CoverAsked(RequestAsked),
    CoverAnswered(RequestOutcome),
    SwapAsked(RequestAsked),
    SwapAnswered(RequestOutcome),
    /// Someone mentions the people on call.
    Mention {
        asker: UserId,
        /// The people who are mentioned.
        called: Vec<UserId>,
        #[serde(rename = "text")]
        message: Option<String>,
        /// Whether they were mentioned before.
        #[serde(default)]
        again: bool,
    },
    MentionAnswered {
        asker: UserId,
        #[serde(flatten)]
        outcome: MentionOutcome,
    },
    /// Shifts of a person moved.
    ShiftsMoved(ShiftsMoved),
    /// What a person has before them.
    Summary(PersonSummary),
    /// The coming week of a rotation, in a channel.
    WeekAhead(WeekAhead),
    /// A change of the rotation that waited for its time was refused then.
    ChangeFailed {
        #[serde(with = "stored")]
        at: Timestamp,
        why: String,
    },
}

/// The question to the recipients of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestAsked {
    pub requester: UserId,
    pub shifts: Vec<Shift>,
    pub reason: Option<String>,
}

/// The outcome of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "outcome",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum RequestOutcome {
    Accepted {
        by: UserId,
        /// In a channel only those that have not begun: the others are announced as hand-overs.
        shifts: Vec<Shift>,
    },
    Declined {
        by: UserId,
        /// Whether there were several recipients and all have declined.
        #[serde(default)]
        nobody_left: bool,
    },
    /// An accepted cover was ended early.
    Ended { by: UserId },
}

/// A duty that changes hands by a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    pub cell: CellId,
    /// The name of the slot, as in [`HandoverNotice::slot`].
    #[serde(rename = "name", default, skip_serializing_if = "Vec::is_empty")]
    pub slot: Vec<String>,
    /// The zone of its window's hand-overs.
    pub zone: Option<ZoneName>,
    #[serde(flatten)]
    pub period: Interval,
    /// The person who gives it away.
    pub holder: UserId,
    /// The person who takes it; for a cover, once it is accepted.
    pub assignee: Option<UserId>,
}

/// The outcome of a mention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum MentionOutcome {
    Acknowledged {
        by: UserId,
    },
    /// Everyone who was notified has passed.
    Passed,
    /// Nobody answered in time.
    Expired,
    /// Nobody was on call.
    Nobody,
    /// Whoever was on call is unknown here: what they are called.
    Outside {
        name: String,
    },
}

impl Content {
    /// All people named in it, possibly with duplicates.
    pub fn people(&self) -> Vec<&UserId> {
        match self {
            Content::Text { .. } | Content::Nobody { .. } | Content::ChangeFailed { .. } => {
                Vec::new()
            }
            Content::OnDuty { handovers }
            | Content::OffDuty { handovers, .. }
            | Content::ComingUp { handovers, .. }
            | Content::HandOver { handovers, .. } => handovers.iter().flat_map(named).collect(),
            Content::CoverAsked(asked) | Content::SwapAsked(asked) => {
                let shifts = asked.shifts.iter().flat_map(Shift::people);
                std::iter::once(&asked.requester).chain(shifts).collect()
            }
            Content::CoverAnswered(outcome) | Content::SwapAnswered(outcome) => match outcome {
                RequestOutcome::Accepted { by, shifts } => {
                    let shifts = shifts.iter().flat_map(Shift::people);
                    std::iter::once(by).chain(shifts).collect()
                }
                RequestOutcome::Declined { by, .. } | RequestOutcome::Ended { by } => vec![by],
            },
            Content::ShiftsMoved(moved) => moved.people(),
            Content::Mention { asker, called, .. } => {
                std::iter::once(asker).chain(called).collect()
            }
            Content::MentionAnswered { asker, outcome } => match outcome {
                MentionOutcome::Acknowledged { by } => vec![asker, by],
                MentionOutcome::Passed
                | MentionOutcome::Expired
                | MentionOutcome::Nobody
                | MentionOutcome::Outside { .. } => vec![asker],
            },
            Content::Summary(summary) => summary.people().collect(),
            Content::WeekAhead(week) => week.people().collect(),
        }
    }
}

impl Shift {
    fn people(&self) -> impl Iterator<Item = &UserId> {
        std::iter::once(&self.holder).chain(&self.assignee)
    }
}

/// The people who come on and go off.
fn sides(handover: &HandoverNotice) -> impl Iterator<Item = &UserId> {
    handover.on.iter().chain(&handover.off)
}

/// Everybody whom its sentence names.
fn named(handover: &HandoverNotice) -> impl Iterator<Item = &UserId> {
    let owner = handover.instead.as_ref().map(|instead| &instead.owner);
    sides(handover).chain(owner)
}

#[cfg(test)]
mod tests;
