//! Who did what: the author of a write, and the audit entry that it leaves (rules.md 18).

mod phrase;
mod summary;

pub use phrase::{Named, Names, Phrase, listed};
pub use summary::{
    Summary, directory_changes, host, period, quoted, rotation_changes, synced_changes,
    webhook_changes,
};

use super::access::{Principal, Via};
use super::ids::RotationId;
use crate::domain::words::words;
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

words! {
    /// The kind of author: `key`, an API key; `person`, by a member token; `inboundWebhook`; `chat`, the chat platform;
    /// `partner`, another service; `clock`, something that fell due; `operator`, a command.
    pub enum ActorKind {
        Key = "key",
        Person = "person",
        InboundWebhook = "inboundWebhook",
        Chat = "chat",
        Partner = "partner",
        Clock = "clock",
        Operator = "operator",
    }
}

/// Who an entry names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    pub kind: ActorKind,
    /// Of the key, the person, the rotation of an inbound webhook; the operator's system user where it is known.
    pub id: Option<String>,
    /// Of the key or the person at the time.
    pub name: Option<String>,
}

impl Actor {
    /// One of whom no more is known.
    pub fn unknown(kind: ActorKind) -> Actor {
        Actor {
            kind,
            id: None,
            name: None,
        }
    }

    /// Whoever a principal is.
    pub fn of(principal: &Principal) -> Actor {
        let named = |kind, id: &str, name: &str| Actor {
            kind,
            id: Some(id.to_owned()),
            name: Some(one_line(name)).filter(|name| !name.is_empty()),
        };
        match principal {
            Principal::Key { id, name, .. } => named(ActorKind::Key, id.as_str(), name),
            Principal::Person { user, name, .. } => named(ActorKind::Person, user.as_str(), name),
            Principal::InboundWebhook { rotation, .. } => {
                named(ActorKind::InboundWebhook, rotation.as_str(), "")
            }
            // Nobody who is not signed in writes anything.
            Principal::Visitor => Actor::unknown(ActorKind::Person),
            Principal::Chat => Actor::unknown(ActorKind::Chat),
            Principal::Partner(partner) => {
                named(ActorKind::Partner, partner.name(), partner.title())
            }
            Principal::Operator { user } => Actor {
                id: user.clone(),
                ..Actor::unknown(ActorKind::Operator)
            },
            Principal::Clock => Actor::unknown(ActorKind::Clock),
        }
    }
}

/// Who did something by hand, as the record keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doer {
    pub actor: Actor,
    /// Whether a person did it in chat: by a command, a button or a form there.
    pub in_chat: bool,
}

impl Doer {
    /// Whoever a principal is; `None` for the clock, which does nothing by hand.
    pub fn of(principal: &Principal) -> Option<Doer> {
        let in_chat = matches!(principal, Principal::Person { via: Via::Chat, .. });
        let actor = Actor::of(principal);
        (*principal != Principal::Clock).then_some(Doer { actor, in_chat })
    }
}

/// What a write changed.
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
    /// The same with ids in the place of names. Only where the entry is logged: it is not stored.
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

/// Text that people wrote, on one line: a control character becomes a blank.
pub fn one_line(text: &str) -> String {
    let blank = |c: char| match c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c) {
        true => ' ',
        false => c,
    };
    text.chars().map(blank).collect()
}
