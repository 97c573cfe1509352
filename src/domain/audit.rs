//! Who did what: the author of a write, and the audit entry that it leaves (rules.md 18).

mod phrase;
mod summary;

pub use phrase::{Names, Phrase, Referent, listed, quoted};
pub use summary::{
    Summary, directory_changes, host, period, rotation_changes, synced_changes, webhook_changes,
};

pub use super::actor::{Actor, ActorKind, Doer, one_line};

use super::access::Principal;
use super::ids::RotationId;
use jiff::Timestamp;
use std::fmt;
use std::net::IpAddr;

/// Where a request came from; commands and the clock have neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// As the response names it in `X-Request-Id`.
    pub request_id: Option<String>,
    /// The client's own id of the request. It is only logged.
    pub client_request_id: Option<String>,
    /// The client's address.
    pub address: Option<IpAddr>,
}

/// Who writes, by which operation, and where the request came from. Every write takes one, and its audit entry says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    pub principal: Principal,
    /// The `operationId` of the API, the command without the program's name, or what the clock does.
    pub action: &'static str,
    pub origin: Origin,
}

impl Author {
    /// Somebody who sends no request: the operator at the command line, the clock, the chat platform.
    pub const fn local(principal: Principal, action: &'static str) -> Author {
        let origin = Origin {
            request_id: None,
            client_request_id: None,
            address: None,
        };
        Author {
            principal,
            action,
            origin,
        }
    }
}

/// Time, as what falls due is written by it. Of that only requests that expire have entries; the record tells of the rest.
pub static CLOCK: Author = Author::local(Principal::Clock, "expireRequest");

/// The change that a write made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedChange {
    pub rotation: Option<RotationId>,
    /// The id of what changed: a rotation, an absence, a request, an arrangement, a mention, an endpoint, a delivery, a key, a
    /// token; `None` where it is no one thing.
    pub subject: Option<String>,
    pub summary: Summary,
}

impl AuditedChange {
    /// A change of something that belongs to no rotation.
    pub fn of(subject: &str, summary: impl Into<Summary>) -> AuditedChange {
        AuditedChange {
            rotation: None,
            subject: Some(subject.to_owned()),
            summary: summary.into(),
        }
    }
}

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// `aud_...`.
    pub id: String,
    pub at: Timestamp,
    pub actor: Actor,
    pub action: String,
    pub rotation: Option<RotationId>,
    pub subject: Option<String>,
    pub request_id: Option<String>,
    /// Only where the entry is logged: it is not stored.
    pub client_request_id: Option<String>,
    pub address: Option<String>,
    /// One line of English, without secrets. People are in it by the names that they had then.
    pub summary: String,
    /// The summary with ids in the place of names. Only where the entry is logged: it is not stored.
    pub logged: Option<String>,
}

impl AuditEntry {
    /// The entry of a change; `names` are those of whom its summary names.
    pub fn new(
        id: String,
        at: Timestamp,
        actor: Actor,
        (action, origin): (&str, &Origin),
        (change, names): (AuditedChange, &Names),
    ) -> AuditEntry {
        AuditEntry {
            id,
            at,
            actor,
            action: action.to_owned(),
            rotation: change.rotation,
            subject: change.subject,
            request_id: origin.request_id.clone(),
            client_request_id: origin.client_request_id.clone(),
            address: origin.address.map(|ip| ip.to_canonical().to_string()),
            summary: change.summary.line(names),
            logged: Some(change.summary.line(&Names::default())),
        }
    }
}

/// As the log has it: with ids and without the names of people.
impl fmt::Display for AuditEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id, self.actor.kind.name())?;
        let theirs = self.client_request_id.as_deref();
        let theirs = theirs.map(|id| format!("({id})"));
        let parts = [
            self.actor.id.as_deref(),
            Some(&*self.action),
            self.rotation.as_ref().map(RotationId::as_str),
            self.subject.as_deref(),
            theirs.as_deref(),
            self.request_id.as_deref(),
            self.address.as_deref(),
        ];
        for part in parts.into_iter().flatten() {
            write!(f, " {part}")?;
        }
        write!(f, ": {}", self.logged.as_deref().unwrap_or(&self.summary))
    }
}

/// Which entries are asked for; `None` narrows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub from: Option<Timestamp>,
    /// Exclusive.
    pub until: Option<Timestamp>,
    pub actor: Option<ActorFilter>,
    pub rotation: Option<RotationId>,
    pub action: Option<String>,
}

/// One author, or all of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActorFilter {
    Kind(ActorKind),
    Id(String),
}

impl ActorFilter {
    /// The kind of that name, else the author of that id.
    pub fn parse(text: &str) -> ActorFilter {
        let kind = ActorKind::parse(text).map(ActorFilter::Kind);
        kind.unwrap_or_else(|| ActorFilter::Id(text.to_owned()))
    }
}
