//! Chat messages as data.
//!
//! A message is queued in the transaction of the change that causes it and worded when it is rendered for a platform
//! ([`super::wording`]). It holds everything that a rendering needs: what kind of message it is, the rotation and the request or
//! mention that it is about, people, instants, and the answers that the recipient may give. Names are those at queueing, so that
//! a later renaming does not rewrite what was said. Only what belongs to the reader is looked up when it is rendered: their
//! time zone, their address.

mod occasions;

pub use occasions::{accepted, asked, change, declined, deleted, ended, mention, reminder};

use super::forecast::HandoverNotice;
use super::ids::{CellId, ChannelId, MentionId, RequestId, RotationId, UserId};
use super::time::Interval;
use super::zones::ZoneName;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fmt;

/// A message in a channel or to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub to: Recipient,
    pub rotation: RotationId,
    /// At queueing; empty for [`Content::Text`].
    pub rotation_name: String,
    pub subject: Subject,
    pub content: Content,
    /// The answers that the recipient may give; empty where none is asked for.
    pub answers: Vec<Answer>,
    /// The names, at queueing, of the people whom the content names.
    pub people: PeopleNames,
    /// The message is not sent at or after this instant; `None` leaves only the limit of a day.
    pub expires_at: Option<Timestamp>,
}

/// Names by user id.
pub type PeopleNames = BTreeMap<UserId, String>;

/// Where a message goes.
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

/// What a message is about. Messages with the same request or mention belong to one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Rotation,
    Request(RequestId),
    Mention(MentionId),
}

/// An answer offered with a message, for platforms that have buttons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Accept a cover or swap request.
    Accept,
    /// Decline it.
    Decline,
    /// Acknowledge a mention.
    Acknowledge,
    /// Pass a mention on.
    Pass,
}

impl Answer {
    /// Every answer, for reading them back.
    pub const ALL: [Answer; 4] = [
        Answer::Accept,
        Answer::Decline,
        Answer::Acknowledge,
        Answer::Pass,
    ];

    /// The name that the database uses.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Accept => "accept",
            Answer::Decline => "decline",
            Answer::Acknowledge => "acknowledge",
            Answer::Pass => "pass",
        }
    }
}

/// What a message says. The variants are the kinds of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A text worded by a version that stored no data.
    Text(String),
    /// A person comes on duty. Slots that they leave at the same instant are included.
    OnDuty {
        handovers: Vec<HandoverNotice>,
    },
    /// A person goes off duty.
    OffDuty {
        /// Empty where the rotation was deleted.
        handovers: Vec<HandoverNotice>,
        rotation_deleted: bool,
    },
    /// Slots change hands at an instant to come: those of the recipient, or all of them in a channel.
    ComingUp {
        at: Timestamp,
        handovers: Vec<HandoverNotice>,
    },
    /// Nobody is on call.
    Nobody {
        rotation_deleted: bool,
    },
    /// Slots changed hands, in a channel.
    HandOver {
        handovers: Vec<HandoverNotice>,
        /// Whether nobody is left on call.
        nobody: bool,
    },
    CoverAsked(RequestAsked),
    CoverAnswered(RequestOutcome),
    SwapAsked(RequestAsked),
    SwapAnswered(RequestOutcome),
    /// Somebody asks for whoever is on call.
    Mention {
        asker: UserId,
        /// Who is asked.
        called: Vec<UserId>,
        message: Option<String>,
        /// Whether they were asked before.
        again: bool,
    },
    MentionAnswered {
        asker: UserId,
        outcome: MentionOutcome,
    },
}

/// What the recipients of a request are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestAsked {
    pub requester: UserId,
    pub shifts: Vec<Shift>,
    pub reason: Option<String>,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    Accepted {
        by: UserId,
        /// In a channel only those that have not begun: the others are told as a hand-over.
        shifts: Vec<Shift>,
    },
    Declined {
        by: UserId,
        /// Whether several were asked and all of them have declined.
        nobody_left: bool,
    },
    /// An accepted cover was ended early.
    Ended { by: UserId },
}

/// A duty that changes hands by a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shift {
    pub cell: CellId,
    /// What the slot is called, as in [`HandoverNotice::slot`].
    pub slot: Vec<String>,
    /// Of the hand-overs of its window.
    pub zone: Option<ZoneName>,
    pub period: Interval,
    /// Who gives it away.
    pub holder: UserId,
    /// Who takes it; of a cover, once somebody has accepted.
    pub assignee: Option<UserId>,
}

/// What came of a mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MentionOutcome {
    Acknowledged(UserId),
    /// Everybody asked has passed.
    Passed,
    /// Nobody answered in time.
    Expired,
    /// Nobody was on call.
    Nobody,
}

impl Content {
    /// Everybody whom it names, maybe more than once.
    pub fn people(&self) -> Vec<&UserId> {
        match self {
            Content::Text(_) | Content::Nobody { .. } => Vec::new(),
            Content::OnDuty { handovers }
            | Content::OffDuty { handovers, .. }
            | Content::ComingUp { handovers, .. }
            | Content::HandOver { handovers, .. } => handovers.iter().flat_map(sides).collect(),
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
            Content::Mention { asker, called, .. } => {
                std::iter::once(asker).chain(called).collect()
            }
            Content::MentionAnswered { asker, outcome } => match outcome {
                MentionOutcome::Acknowledged(by) => vec![asker, by],
                MentionOutcome::Passed | MentionOutcome::Expired | MentionOutcome::Nobody => {
                    vec![asker]
                }
            },
        }
    }
}

impl Shift {
    fn people(&self) -> impl Iterator<Item = &UserId> {
        std::iter::once(&self.holder).chain(&self.assignee)
    }
}

/// Whoever comes on and whoever goes off.
fn sides(handover: &HandoverNotice) -> impl Iterator<Item = &UserId> {
    handover.on.iter().chain(&handover.off)
}

#[cfg(test)]
mod tests;
