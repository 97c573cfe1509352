//! The model's arrangements and requests.

use super::time::{Minute, Span};
use super::{Key, Who};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Direct,
    Cover,
    Swap,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    pub cell: Key,
    pub who: Who,
    pub span: Span,
    pub kind: Kind,
    /// Ended or cancelled.
    pub gone: bool,
    pub cancelled: bool,
    pub revision: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Pending,
    Accepted,
    Declined,
    Cancelled,
    Expired,
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    pub cell: Key,
    pub holder: Who,
    pub assignee: Option<Who>,
    pub span: Span,
    /// The arrangements created by accepting, as later acceptances left them.
    pub made: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// A cover has one leg, a swap two.
    pub legs: Vec<Leg>,
    pub requester: Who,
    pub recipients: Vec<Who>,
    pub declined: Vec<Who>,
    pub accepted_by: Option<Who>,
    pub state: State,
    pub revision: u64,
}

impl Request {
    pub fn is_cover(&self) -> bool {
        self.legs.len() == 1
    }

    /// The end of its last leg.
    pub fn until(&self) -> Minute {
        let ends = self.legs.iter().map(|leg| leg.span.until);
        ends.max().expect("a leg")
    }

    pub fn expire(&mut self) {
        self.become_state(State::Expired);
    }

    /// Sets its state and raises its revision.
    pub fn become_state(&mut self, state: State) {
        self.state = state;
        self.revision += 1;
    }
}
