//! The outcome of a question that a message asked.

use super::Recipient;
use crate::domain::ids::UserId;
use crate::domain::mention::{Mention, MentionState};
use crate::domain::request::{Request, RequestState};

/// The outcome of a question, for a recipient who can no longer answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionOutcome {
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

impl QuestionOutcome {
    /// Of a request; `None` while the recipient may still answer.
    pub fn of_request(request: &Request, to: &Recipient) -> Option<QuestionOutcome> {
        let declined = |user: &UserId| request.declined.contains(user);
        Some(match request.state {
            RequestState::Pending => match to {
                Recipient::Person(user) if declined(user) => QuestionOutcome::DeclinedByYou,
                Recipient::Person(_) | Recipient::Channel(_) => return None,
            },
            RequestState::Accepted => match &request.accepted_by {
                Some(by) => QuestionOutcome::Accepted(by.clone()),
                None => QuestionOutcome::Gone,
            },
            RequestState::Declined => QuestionOutcome::Declined,
            RequestState::Cancelled => QuestionOutcome::Cancelled,
            RequestState::Expired => QuestionOutcome::Expired,
            RequestState::Ended => QuestionOutcome::Ended,
        })
    }

    /// Of a mention; `None` while the recipient may still answer.
    pub fn of_mention(mention: &Mention, to: &Recipient) -> Option<QuestionOutcome> {
        Some(match mention.state {
            MentionState::Open => match to {
                Recipient::Person(user) if mention.passed.contains(user) => {
                    QuestionOutcome::PassedByYou
                }
                Recipient::Person(_) | Recipient::Channel(_) => return None,
            },
            MentionState::Acknowledged => match &mention.acknowledged_by {
                Some(by) => QuestionOutcome::Acknowledged(by.clone()),
                None => QuestionOutcome::Gone,
            },
            MentionState::Passed => QuestionOutcome::Passed,
            MentionState::Expired | MentionState::Nobody => QuestionOutcome::Expired,
        })
    }

    /// The person whom it names.
    pub fn person(&self) -> Option<&UserId> {
        match self {
            QuestionOutcome::Accepted(by) | QuestionOutcome::Acknowledged(by) => Some(by),
            QuestionOutcome::DeclinedByYou
            | QuestionOutcome::Declined
            | QuestionOutcome::Cancelled
            | QuestionOutcome::Expired
            | QuestionOutcome::Ended
            | QuestionOutcome::PassedByYou
            | QuestionOutcome::Passed
            | QuestionOutcome::Gone => None,
        }
    }
}
