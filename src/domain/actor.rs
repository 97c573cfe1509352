//! Who did something, as audit entries and the record name them.

use super::access::{Principal, Via};
use super::stored::listed;
use super::words::words;
use schemars::JsonSchema;
use serde::Serialize;

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

/// Who made a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AuditActor")]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    pub kind: ActorKind,
    /// The id of the key or the person, the rotation of an inbound webhook, the system user of the operator. Null if there is
    /// none.
    pub id: Option<String>,
    /// The name of the key or the person at the time.
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

listed! {
    Doer: |one| (one.actor.kind, &one.actor.id, &one.actor.name, one.in_chat),
        (kind, id, name, in_chat) in (ActorKind, Option<String>, Option<String>, bool) => Doer {
            actor: Actor { kind, id, name },
            in_chat,
        };
}

impl Doer {
    /// Whoever a principal is; `None` for the clock, which does nothing by hand.
    pub fn of(principal: &Principal) -> Option<Doer> {
        let in_chat = matches!(principal, Principal::Person { via: Via::Chat, .. });
        let actor = Actor::of(principal);
        (*principal != Principal::Clock).then_some(Doer { actor, in_chat })
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
