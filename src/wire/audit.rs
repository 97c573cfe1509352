//! Entries of the audit log (rules.md 18).

use super::moment::Moment;
use crate::domain::audit as domain;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// A change, or a refused credential.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(example = example())]
pub struct AuditEntry {
    /// `aud_...`.
    pub id: String,
    pub at: Moment,
    pub actor: domain::Actor,
    /// The `operationId` of the API, the command such as `key create`, or `authenticate` for a refused credential.
    pub action: String,
    /// The rotation that changed. Null if it was something else.
    pub rotation_id: Option<String>,
    /// The id of what changed: a rotation, an absence, a request, an arrangement, a mention, an endpoint, a delivery, a key or a
    /// token. Null if it was no one thing.
    pub subject: Option<String>,
    /// As the response named it in `X-Request-Id`. Null if there was no request.
    pub request_id: Option<String>,
    /// The client's address. Null if there was no request.
    pub address: Option<String>,
    /// One line: what changed from what to what, with the names that people, lanes and windows had then. No secrets.
    pub summary: String,
}

fn example() -> AuditEntry {
    let text = |text: &str| Some(text.to_owned());
    AuditEntry {
        id: "aud_1hX0vW2kqJ7bTzYc5RfA".into(),
        at: Moment(Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_795_420_800)),
        actor: domain::Actor {
            kind: domain::ActorKind::Person,
            id: text("UADA"),
            name: text("Ada"),
        },
        action: "replaceOnCall".into(),
        rotation_id: text("rot_QzWk3pXy7LbN5vTcRfJ1"),
        subject: text("rot_QzWk3pXy7LbN5vTcRfJ1"),
        request_id: text("req_836a2273_10"),
        address: text("192.0.2.7"),
        summary: "on duty: Alan to Ada".into(),
    }
}

/// Renders an entry.
pub fn render(entry: domain::AuditEntry) -> AuditEntry {
    AuditEntry {
        id: entry.id,
        at: entry.at.into(),
        actor: entry.actor,
        action: entry.action,
        rotation_id: entry.rotation.map(|id| id.to_string()),
        subject: entry.subject,
        request_id: entry.request_id,
        address: entry.address,
        summary: entry.summary,
    }
}
