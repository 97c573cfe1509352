//! The outcome of a question that a message asked.

use super::Recipient;
use crate::domain::ids::UserId;
use crate::domain::mention::{Mention, MentionState};
use crate::domain::request::{Request, RequestState};

/// The outcome of a question, for a recipient who can no longer answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    Accepted(UserId),
    /// The recipient has declined, and others may still accept.
    DeclinedByYou,
    /// All recipients have declined.
    Declined,
    /// The requester has withdrawn it.
    Cancelled,
    Expired,
    /// An accepted cover that was ended early.
    Ended,
    Acknowledged(UserId),
    /// The recipient has passed, and others may still answer.
    PassedByYou,
    /// Everybody has passed.
    Passed,
    /// The rotation was deleted.
    Gone,
}

impl Standing {
    /// Of a request; `None` while the recipient may still answer.
    pub fn of_request(request: &Request, to: &Recipient) -> Option<Standing> {
        let declined = |user: &UserId| request.declined.contains(user);
        Some(match request.state {
            RequestState::Pending => match to {
                Recipient::Person(user) if declined(user) => Standing::DeclinedByYou,
                Recipient::Person(_) | Recipient::Channel(_) => return None,
            },
            RequestState::Accepted => match &request.accepted_by {
                Some(by) => Standing::Accepted(by.clone()),
                None => Standing::Gone,
            },
            RequestState::Declined => Standing::Declined,
            RequestState::Cancelled => Standing::Cancelled,
            RequestState::Expired => Standing::Expired,
            RequestState::Ended => Standing::Ended,
        })
    }

    /// Of a mention; `None` while the recipient may still answer.
    pub fn of_mention(mention: &Mention, to: &Recipient) -> Option<Standing> {
        Some(match mention.state {
            MentionState::Open => match to {
                Recipient::Person(user) if mention.passed.contains(user) => Standing::PassedByYou,
                Recipient::Person(_) | Recipient::Channel(_) => return None,
            },
            MentionState::Acknowledged => match &mention.acknowledged_by {
                Some(by) => Standing::Acknowledged(by.clone()),
                None => Standing::Gone,
            },
            MentionState::Passed => Standing::Passed,
            MentionState::Expired | MentionState::Nobody => Standing::Expired,
        })
    }

    /// The person whom it names.
    pub fn person(&self) -> Option<&UserId> {
        match self {
            Standing::Accepted(by) | Standing::Acknowledged(by) => Some(by),
            Standing::DeclinedByYou
            | Standing::Declined
            | Standing::Cancelled
            | Standing::Expired
            | Standing::Ended
            | Standing::PassedByYou
            | Standing::Passed
            | Standing::Gone => None,
        }
    }
}
