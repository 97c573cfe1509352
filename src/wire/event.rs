//! The event body that is sent to webhook endpoints (rules.md 16).

use super::hex;
use super::moment::Moment;
use super::rotation::{self, Rotation};
use crate::domain::event::{self, Event};
use crate::domain::external::AsOf;
use crate::domain::holidays::Calendar;
use crate::domain::rotation as domain;
use crate::domain::webhook::EventType;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The members of an event that all its deliveries share; `deliveryId` is inserted before them. A member without a value is
/// absent, never null.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventBody {
    pub event_type: EventType,
    /// The chat workspace.
    pub team_id: String,
    /// On `rotation.deleted`, the only member that identifies the rotation.
    pub rotation_id: String,
    /// Increases with every write of the rotation: discard events with a lower version than you have seen. Not the ETag.
    /// Absent on `rotation.deleted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// When the delivery was created. The same on every retry.
    pub timestamp: Moment,
    /// The rotation as GET returned it at `timestamp`. Absent on `rotation.deleted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// The URL of the rotation. Absent on `rotation.deleted`.
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// On `duty.changed`. Absent if an arrangement began or ended on schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<event::Cause>,
    /// On `nobody.on_call`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<event::Nobody>,
    /// On `nobody.on_call`, if a window will open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover_resumes_at: Option<Moment>,
    /// The change that waited for its time and was applied. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_id: Option<String>,
}

/// Renders an event of a rotation. `base_url` is the public URL of the server, without a trailing slash.
pub fn render(
    event: Event,
    rotation: &domain::Rotation,
    calendar: &Calendar,
    team_id: &str,
    base_url: &str,
    as_of: &AsOf,
) -> EventBody {
    let (cause, reason, resumes_at) = match event {
        Event::DutyChanged { cause } => (cause, None, None),
        Event::NobodyOnCall { reason, resumes_at } => (None, Some(reason), resumes_at),
        Event::Created | Event::Updated | Event::Deleted | Event::Test => (None, None, None),
    };
    let is_there = event != Event::Deleted;
    EventBody {
        event_type: event.kind(),
        team_id: team_id.to_owned(),
        rotation_id: rotation.id.to_string(),
        version: is_there.then_some(rotation.stamps.version),
        timestamp: as_of.now.into(),
        rotation: is_there.then(|| rotation::render(rotation, calendar, as_of)),
        url: is_there.then(|| format!("{base_url}/v1/rotations/{}", rotation.id)),
        cause,
        reason,
        cover_resumes_at: resumes_at.map(Moment),
        change_id: None,
    }
}

/// Renders an event as JSON. It is stored until its last delivery has finished.
///
/// # Errors
/// If serialization fails.
pub fn frozen(body: &EventBody) -> Result<String, serde_json::Error> {
    serde_json::to_string(body)
}

/// The id of the delivery of an event to an endpoint, by what it is about: a server that takes over and announces it again gives it
/// the same one, so that the receiver recognises it.
pub fn repeatable_id(database_id: &str, webhook_id: &str, frozen: &str) -> String {
    let mut digest = Sha256::new();
    for part in [database_id, webhook_id, frozen] {
        digest.update(part);
        digest.update([0]);
    }
    hex(&digest.finalize()[..16])
}

/// Builds the body of one delivery from the output of [`frozen`]. It is the same at every attempt. Ids are hexadecimal and
/// need no escaping.
pub fn body(id: &str, frozen: &str) -> String {
    let members = frozen.strip_prefix('{').unwrap_or(frozen);
    format!("{{\"deliveryId\":\"{id}\",{members}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::{Cause, Nobody};
    use crate::domain::rotation::tests::rotation;
    use serde_json::{Value, json};

    fn at(text: &str) -> jiff::Timestamp {
        text.parse().unwrap()
    }

    fn as_of(text: &str) -> AsOf {
        AsOf {
            now: at(text),
            poll_every: jiff::SignedDuration::from_secs(60),
            connected: Vec::new(),
        }
    }

    fn rendered(event: Event) -> EventBody {
        let calendar = Calendar::embedded();
        render(
            event,
            &rotation(),
            &calendar,
            "T1",
            "https://rota.example",
            &as_of("2026-11-20T10:00:00+01:00"),
        )
    }

    #[test]
    fn each_event_has_its_members_and_no_null() {
        let resumes_at = Some(at("2026-11-23T08:00:00Z"));
        for (event, kind, more) in [
            (Event::Created, "rotation.created", json!({})),
            (Event::Updated, "rotation.updated", json!({})),
            (Event::Test, "webhook.test", json!({})),
            (
                Event::DutyChanged {
                    cause: Some(Cause::Manual),
                },
                "duty.changed",
                json!({ "cause": "manual" }),
            ),
            (
                Event::DutyChanged { cause: None },
                "duty.changed",
                json!({}),
            ),
            (
                Event::NobodyOnCall {
                    reason: Nobody::Unplanned,
                    resumes_at: None,
                },
                "nobody.on_call",
                json!({ "reason": "nobody-on-call-unplanned" }),
            ),
            (
                Event::NobodyOnCall {
                    reason: Nobody::AsArranged,
                    resumes_at,
                },
                "nobody.on_call",
                json!({ "reason": "nobody-on-call-as-arranged", "coverResumesAt": "2026-11-23T08:00:00Z" }),
            ),
        ] {
            let mut expected = json!({
                "eventType": kind,
                "teamId": "T1",
                "rotationId": "rot_1",
                "version": 7,
                "timestamp": "2026-11-20T09:00:00Z",
                "rotation": rotation::render(&rotation(), &Calendar::embedded(), &as_of("2026-11-20T08:00:00Z")),
                "self": "https://rota.example/v1/rotations/rot_1",
            });
            let members = expected.as_object_mut().unwrap();
            members.extend(more.as_object().unwrap().clone());
            assert_eq!(json!(rendered(event)), expected);
        }
    }

    #[test]
    fn a_deleted_rotation_has_only_its_id() {
        let expected = json!({
            "eventType": "rotation.deleted",
            "teamId": "T1",
            "rotationId": "rot_1",
            "timestamp": "2026-11-20T09:00:00Z",
        });
        assert_eq!(json!(rendered(Event::Deleted)), expected);
    }

    #[test]
    fn deliveries_of_one_event_differ_only_in_their_id() {
        let event = rendered(Event::Updated);
        let frozen = frozen(&event).unwrap();
        let body = body("0123456789abcdef0123456789abcdef", &frozen);
        let start =
            r#"{"deliveryId":"0123456789abcdef0123456789abcdef","eventType":"rotation.updated","#;
        assert!(body.starts_with(start), "{body}");
        assert!(body.ends_with(&frozen[1..]));
        let read: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(read["rotation"]["name"], "Ops \"1\"");
        assert_eq!(read["rotation"]["description"], Value::Null);
    }
}
