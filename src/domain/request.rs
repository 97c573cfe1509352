//! Requests for cover and for swaps (rules.md 9).

use super::access::Principal;
use super::arrangement::{Arrangement, TurnSelection};
use super::ids::{CellId, RequestId, RotationId, UserId};
pub use super::pending::{Leg, Pending};
use super::refusal::Refusal;
use super::rotation::Rotation;
use super::time::Interval;
use crate::domain::words::words;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// A stored request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub id: RequestId,
    pub rotation: RotationId,
    pub kind: RequestKind,
    pub requester: UserId,
    /// The people who may accept; a swap has one.
    pub recipients: Vec<UserId>,
    pub declined: Vec<UserId>,
    /// The duties that change hands: one for a cover, two for a swap.
    pub legs: Vec<Leg>,
    /// For people.
    pub reason: String,
    /// Only of a cover, if the requester sent it.
    pub turn_selection: Option<TurnSelection>,
    /// Ids of conflicts acknowledged at creation.
    pub acknowledged: Vec<String>,
    /// Starts at 1 and rises with every change.
    pub revision: u64,
    pub state: RequestState,
    pub accepted_by: Option<UserId>,
}

impl Request {
    /// A pending request of somebody, as yet about nothing.
    pub fn new(
        id: RequestId,
        rotation: &RotationId,
        kind: RequestKind,
        requester: &UserId,
    ) -> Request {
        Request {
            id,
            rotation: rotation.clone(),
            kind,
            requester: requester.clone(),
            recipients: Vec::new(),
            declined: Vec::new(),
            legs: Vec::new(),
            reason: String::new(),
            turn_selection: None,
            acknowledged: Vec::new(),
            revision: 1,
            state: RequestState::Pending,
            accepted_by: None,
        }
    }
}

impl Leg {
    /// Whether it has begun, so that only the rest can change hands.
    pub fn has_started(&self, now: Timestamp) -> bool {
        self.period.from <= now
    }
}

words! {
    /// What a request asks for.
    pub enum RequestKind as RequestType {
        /// To cover a duty.
        Cover = "cover",
        /// To swap two shifts.
        Swap = "swap",
    }
}

impl RequestKind {
    /// The noun in error details.
    pub fn noun(self) -> &'static str {
        match self {
            RequestKind::Cover => "cover request",
            RequestKind::Swap => "swap request",
        }
    }
}

words! {
    /// The state of a request. `pending` lasts until a recipient accepts, all recipients decline, the requester cancels, or
    /// the request expires because its end passed or the duty is no longer held as planned. An accepted cover can be
    /// `ended` early.
    pub enum RequestState {
        Pending = "pending",
        Accepted = "accepted",
        Declined = "declined",
        Cancelled = "cancelled",
        Expired = "expired",
        Ended = "ended",
    }
}

/// The maximum number of pending requests of a rotation.
pub const MAX_PENDING: usize = 1_000;
/// The maximum number of pending requests of a rotation by one requester.
pub const MAX_PENDING_EACH: usize = 300;

impl Pending {
    /// When the first of its legs begins.
    pub fn begins_at(&self) -> Timestamp {
        let begins = self.legs.iter().map(|leg| leg.period.from);
        begins.min().unwrap_or(Timestamp::MIN)
    }

    /// When the last of its legs ends.
    pub fn until(&self) -> Timestamp {
        let ends = self.legs.iter().map(|leg| leg.period.until);
        ends.max().unwrap_or(Timestamp::MIN)
    }

    /// When it expires without an answer: when the first of its legs ends.
    pub fn expires_at(&self) -> Timestamp {
        let ends = self.legs.iter().map(|leg| leg.period.until);
        ends.min().unwrap_or(Timestamp::MAX)
    }
}

/// An action on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Accept,
    Decline,
    Cancel,
    /// Ends an accepted cover early.
    End,
}

/// What the caller may do with the request now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RequestCapability")]
#[serde(rename_all = "camelCase")]
pub struct Capability {
    pub can_accept: bool,
    pub can_decline: bool,
    pub can_cancel: bool,
    pub can_end: bool,
    /// Why the caller may do nothing; null if some action is allowed.
    pub reason: Option<String>,
}

/// A request as seen by one caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestView {
    pub request: Request,
    pub capability: Capability,
    pub rotation_name: String,
    /// The covered hours of each leg, as they are today; none where its cell is gone.
    pub covered: Vec<Vec<Interval>>,
    /// Determines which legs have begun.
    pub now: Timestamp,
}

/// The result of a write of a request.
#[derive(Clone, Debug)]
pub struct RequestWritten {
    pub rotation_version: u64,
    /// The later of the request's start and now.
    pub effective_from: Timestamp,
    pub request: RequestView,
    /// The arrangements that were created or changed.
    pub arrangements: Vec<Arrangement>,
    /// Whether notifications are queued.
    pub queued: bool,
}

/// The requests that one caller may create for a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellCapability {
    pub cell: CellId,
    /// Why they may create none; `None` if they may.
    pub why_not: Option<&'static str>,
    /// The people they may ask.
    pub eligible: Vec<UserId>,
}

impl Request {
    /// From the start of its first leg to the end of its last one.
    pub fn span(&self) -> Interval {
        let starts = self.legs.iter().map(|leg| leg.period.from);
        let ends = self.legs.iter().map(|leg| leg.period.until);
        Interval {
            from: starts.min().unwrap_or(Timestamp::MIN),
            until: ends.max().unwrap_or(Timestamp::MAX),
        }
    }

    /// The duty that the requester gives away.
    pub fn own_leg(&self) -> &Leg {
        let own = self.legs.iter().find(|leg| leg.holder == self.requester);
        own.unwrap_or(&self.legs[0])
    }

    /// The fields that decide whether it expires.
    pub fn pending(&self) -> Pending {
        Pending {
            id: self.id.clone(),
            requester: self.requester.clone(),
            legs: self.legs.clone(),
        }
    }

    /// Whether the caller has the required role for a step: recipients answer, the requester or an editor of the rotation
    /// cancels, either side ends a cover.
    ///
    /// # Errors
    /// [`Refusal::ResourceDenied`] for other people, [`Refusal::ScopeDenied`] for API keys.
    pub fn check_part(
        &self,
        step: Step,
        caller: &Principal,
        rotation: &Rotation,
    ) -> Result<(), Refusal> {
        let person = caller.person()?;
        let denied = |detail: &str| Err(Refusal::ResourceDenied(detail.into()));
        match step {
            Step::Accept | Step::Decline if !self.recipients.contains(person) => {
                denied("only its recipients may answer the request")
            }
            Step::Accept if !self.is_open_to(person, rotation) => {
                denied("the person who takes a duty over must be in the roster of its cell")
            }
            Step::Cancel if *person != self.requester && caller.check_edit(rotation).is_err() => {
                denied("only its requester and the rotation's editors may cancel the request")
            }
            Step::End if *person != self.requester && Some(person) != self.accepted_by.as_ref() => {
                denied("only its requester and the person who accepted it may end the cover")
            }
            _ => Ok(()),
        }
    }

    /// Whether the new holder of each leg, or this person if there is none yet, is in the roster of its cell. A leg whose cell
    /// is gone is not checked here.
    fn is_open_to(&self, person: &UserId, rotation: &Rotation) -> bool {
        self.legs.iter().all(|leg| {
            let assignee = leg.assignee.as_ref().unwrap_or(person);
            let cell = rotation.cells.iter().find(|cell| cell.id == leg.cell);
            cell.is_none_or(|cell| rotation.turn_of(cell, assignee).is_some())
        })
    }

    /// Whether the state of the request and its rotation permits a step.
    ///
    /// # Errors
    /// The refusal named after the state.
    pub fn check_state(
        &self,
        step: Step,
        rotation: &Rotation,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let open = match step {
            Step::Accept if self.kind == RequestKind::Cover => {
                if self.state == RequestState::Accepted {
                    return Err(Refusal::CoverAlreadyAccepted);
                }
                self.state == RequestState::Pending
            }
            Step::Accept | Step::Decline | Step::Cancel => self.state == RequestState::Pending,
            Step::End => {
                if self.state == RequestState::Accepted && self.span().until <= now {
                    return Err(Refusal::RequestNotPending("over already"));
                }
                self.state == RequestState::Accepted
            }
        };
        if !open {
            return Err(Refusal::RequestNotPending(self.state.name()));
        }
        rotation.check_enabled()
    }

    /// The actions that the caller may take now.
    pub fn capability(
        &self,
        caller: &Principal,
        rotation: &Rotation,
        now: Timestamp,
    ) -> Capability {
        let can = |step| {
            self.check_part(step, caller, rotation).is_ok()
                && self.check_state(step, rotation, now).is_ok()
        };
        let declined = caller
            .person()
            .is_ok_and(|person| self.declined.contains(person));
        let capability = Capability {
            can_accept: can(Step::Accept),
            can_decline: can(Step::Decline) && !declined,
            can_cancel: can(Step::Cancel),
            can_end: self.kind == RequestKind::Cover && can(Step::End),
            reason: None,
        };
        let any = capability.can_accept
            || capability.can_decline
            || capability.can_cancel
            || capability.can_end;
        let reason = (!any).then(|| self.why_nothing(caller, rotation));
        Capability {
            reason,
            ..capability
        }
    }

    fn why_nothing(&self, caller: &Principal, rotation: &Rotation) -> String {
        let steps = [Step::Accept, Step::Cancel, Step::End];
        if caller.person().is_err() {
            return "an API key cannot act on requests; use a member token".into();
        }
        let has_part = steps
            .into_iter()
            .any(|step| self.check_part(step, caller, rotation).is_ok());
        match (has_part, self.state) {
            (false, _) => {
                "only its requester, its recipients and the rotation's editors may act on it".into()
            }
            (true, RequestState::Accepted | RequestState::Pending) if !rotation.enabled => {
                "the rotation is disabled".into()
            }
            (true, RequestState::Accepted) if self.kind == RequestKind::Cover => {
                "it is accepted, and has ended or is not yours to end".into()
            }
            (true, state) => format!("it is {}", state.name()),
        }
    }
}

#[cfg(test)]
mod tests;
