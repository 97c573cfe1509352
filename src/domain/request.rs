//! Requests among people: to cover a duty, or to swap two (rules.md 9).

use super::access::Principal;
use super::arrangement::{Arrangement, TurnSelection};
use super::ids::{ArrangementId, CellId, RequestId, RotationId, UserId};
use super::refusal::Refusal;
use super::rotation::Rotation;
use super::time::Interval;
use jiff::Timestamp;

/// The record of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub id: RequestId,
    pub rotation: RotationId,
    pub kind: RequestKind,
    pub requester: UserId,
    /// Whoever may accept; a swap has one.
    pub recipients: Vec<UserId>,
    pub declined: Vec<UserId>,
    /// What changes hands: one duty for a cover, two for a swap.
    pub legs: Vec<Leg>,
    /// For people to read.
    pub reason: String,
    /// Of a cover, where the requester recorded it.
    pub turn_selection: Option<TurnSelection>,
    /// Ids of conflicts acknowledged when it was made.
    pub acknowledged: Vec<String>,
    /// Starts at 1, rises with every change of the record.
    pub revision: u64,
    pub state: RequestState,
    pub accepted_by: Option<UserId>,
}

/// A duty that changes hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leg {
    /// How the requester calls it; a cover's has no name.
    pub key: Option<String>,
    pub cell: CellId,
    /// Who holds it as planned.
    pub holder: UserId,
    /// Who is to hold it; of a cover, once somebody has accepted.
    pub assignee: Option<UserId>,
    pub period: Interval,
    /// What accepting made.
    pub arrangement: Option<ArrangementId>,
}

impl Leg {
    /// What its holder gives away.
    pub fn duty(&self) -> Duty {
        Duty {
            cell: self.cell.clone(),
            holder: self.holder.clone(),
            period: self.period,
        }
    }

    /// Whether it has begun: only the rest can change hands.
    pub fn has_started(&self, now: Timestamp) -> bool {
        self.period.from <= now
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    Cover,
    Swap,
}

impl RequestKind {
    /// The name that the database uses.
    pub fn name(self) -> &'static str {
        match self {
            RequestKind::Cover => "cover",
            RequestKind::Swap => "swap",
        }
    }

    /// What problems call it.
    pub fn noun(self) -> &'static str {
        match self {
            RequestKind::Cover => "cover request",
            RequestKind::Swap => "swap request",
        }
    }
}

/// Where a request stands. Only a pending one changes by the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestState {
    Pending,
    /// Stays so after its end.
    Accepted,
    /// By all recipients.
    Declined,
    Cancelled,
    /// It came to its end, or somebody no longer holds what was to change hands.
    Expired,
    /// An accepted cover that was ended early.
    Ended,
}

impl RequestState {
    /// Every state, for reading them back.
    pub const ALL: [RequestState; 6] = [
        RequestState::Pending,
        RequestState::Accepted,
        RequestState::Declined,
        RequestState::Cancelled,
        RequestState::Expired,
        RequestState::Ended,
    ];

    /// The name that the wire and the database use.
    pub fn name(self) -> &'static str {
        match self {
            RequestState::Pending => "pending",
            RequestState::Accepted => "accepted",
            RequestState::Declined => "declined",
            RequestState::Cancelled => "cancelled",
            RequestState::Expired => "expired",
            RequestState::Ended => "ended",
        }
    }
}

/// Pending requests that a rotation holds at the most, and of one requester.
pub const MAX_PENDING: usize = 1_000;
/// See [`MAX_PENDING`].
pub const MAX_PENDING_EACH: usize = 300;

/// A pending request as the rules of duty need it: whose hold on what keeps it alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub id: RequestId,
    pub requester: UserId,
    pub duties: Vec<Duty>,
}

/// A cell that somebody is to hold over an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duty {
    pub cell: CellId,
    pub holder: UserId,
    pub period: Interval,
}

impl Pending {
    /// When the last of its duties is over.
    pub fn until(&self) -> Timestamp {
        let ends = self.duties.iter().map(|duty| duty.period.until);
        ends.max().unwrap_or(Timestamp::MIN)
    }

    /// When it expires if nobody answers: when the first of its duties is over.
    pub fn expires_at(&self) -> Timestamp {
        let ends = self.duties.iter().map(|duty| duty.period.until);
        ends.min().unwrap_or(Timestamp::MAX)
    }
}

/// What somebody may do with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Accept,
    Decline,
    Cancel,
    /// Of an accepted cover, early.
    End,
}

/// What one caller may do with a request now, and where that is nothing, why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    pub can_accept: bool,
    pub can_decline: bool,
    pub can_cancel: bool,
    pub can_end: bool,
    pub reason: Option<String>,
}

/// A request as one caller sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestView {
    pub request: Request,
    pub capability: Capability,
    pub rotation_name: String,
    /// Tells which legs have begun.
    pub now: Timestamp,
}

/// What a write of a request came to.
#[derive(Clone, Debug)]
pub struct RequestWritten {
    pub rotation_version: u64,
    /// The later of the request's start and now.
    pub effective_from: Timestamp,
    pub request: RequestView,
    /// The arrangements that were made or changed.
    pub arrangements: Vec<Arrangement>,
    /// Whether anything is queued to be sent.
    pub queued: bool,
}

/// What one caller may ask for in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellCapability {
    pub cell: CellId,
    /// Why they may ask for nothing; `None` where they may.
    pub why_not: Option<&'static str>,
    /// The people whom they may ask.
    pub eligible: Vec<UserId>,
}

impl Request {
    /// From the beginning of its first leg to the end of its last one.
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

    /// What keeps it alive while it is pending.
    pub fn pending(&self) -> Pending {
        Pending {
            id: self.id.clone(),
            requester: self.requester.clone(),
            duties: self.legs.iter().map(Leg::duty).collect(),
        }
    }

    /// Whether the caller has the part in it that a step takes: recipients answer, the requester or an editor of the
    /// rotation cancels, either side ends a cover.
    ///
    /// # Errors
    /// [`Refusal::ResourceDenied`] for somebody without that part, [`Refusal::ScopeDenied`] for API keys.
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
                denied("whoever takes a duty over must be in the roster of its cell")
            }
            Step::Cancel if *person != self.requester && caller.check_edit(rotation).is_err() => {
                denied("only its requester and the rotation's editors may cancel the request")
            }
            Step::End if *person != self.requester && Some(person) != self.accepted_by.as_ref() => {
                denied("only its requester and whoever accepted it may end the cover")
            }
            _ => Ok(()),
        }
    }

    /// Whether whoever is to hold each leg, where nobody is named this person, is in the roster of its cell. A leg whose cell
    /// is gone is nobody's to judge here.
    fn is_open_to(&self, person: &UserId, rotation: &Rotation) -> bool {
        self.legs.iter().all(|leg| {
            let assignee = leg.assignee.as_ref().unwrap_or(person);
            let cell = rotation.cells.iter().find(|cell| cell.id == leg.cell);
            cell.is_none_or(|cell| rotation.turn_of(cell, assignee).is_some())
        })
    }

    /// Whether a step is open where the request and its rotation stand.
    ///
    /// # Errors
    /// The named refusal of a state that does not allow it.
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
                    return Err(Refusal::RequestNotPending("over already".into()));
                }
                self.state == RequestState::Accepted
            }
        };
        if !open {
            return Err(Refusal::RequestNotPending(self.state.name().into()));
        }
        rotation.check_enabled()
    }

    /// What the caller may do with it now.
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
            return "an API key has no part in requests; use a member token".into();
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
                "it is accepted, and over or not yours to end".into()
            }
            (true, state) => format!("it is {}", state.name()),
        }
    }
}

#[cfg(test)]
mod tests;
