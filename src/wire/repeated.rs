//! The members of a PATCH that it does not change. Members that the resource shows may be repeated unchanged, so that a body
//! that was read can be sent back with a change; another route changes them.

use super::edit::PatchRequest;
use super::strict;
use crate::domain::refusal::{Refusal, invalid};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// A resource with members that its PATCH does not change.
#[derive(Debug)]
pub(super) struct Resource {
    /// What refusals call it.
    pub name: &'static str,
    /// These members, each with the route that changes it; without one only the server sets it.
    pub routes: &'static [(&'static str, Option<&'static str>)],
}

static ROTATION: Resource = Resource {
    name: "rotation",
    routes: ROUTES,
};

const ROUTES: &[(&str, Option<&str>)] = &[
    ("id", None),
    ("mode", COVERAGE),
    ("runningLanes", COVERAGE),
    ("heldSeats", ON_CALL),
    ("openSeats", ON_CALL),
    ("isGrid", COVERAGE),
    ("channels", CHANNELS),
    ("channelSettings", CHANNELS),
    (
        "members",
        Some("PATCH /v1/rotations/{rotationId} with userIds or userGroupIds"),
    ),
    ("lanes", COVERAGE),
    ("windows", COVERAGE),
    ("cells", COVERAGE),
    (
        "rosters",
        Some("PUT /v1/rotations/{rotationId}/rosters/{rosterId}"),
    ),
    (
        "onDutyUserGroupId",
        Some("PUT /v1/rotations/{rotationId}/on-duty-group"),
    ),
    ("onCall", ON_CALL),
    ("createdAt", None),
    ("updatedAt", None),
];
const COVERAGE: Option<&str> = Some("PUT /v1/rotations/{rotationId}/coverage");
const ON_CALL: Option<&str> = Some("PUT /v1/rotations/{rotationId}/on-call");
const CHANNELS: Option<&str> = Some("PUT /v1/rotations/{rotationId}/channels/{channelId}");

/// The members of a PATCH that it does not change.
#[derive(Clone, Debug)]
pub struct Repeated {
    members: Map<String, Value>,
    of: &'static Resource,
}

impl Repeated {
    /// Reads the members of a body that [`edit::patch`](super::edit::patch) accepts.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] if a member is not valid JSON.
    pub fn read(bytes: &[u8]) -> Result<Repeated, Refusal> {
        Ok(Repeated::of(super::body::read(bytes)?))
    }

    /// The same of a body that is read already.
    pub(super) fn of(members: Map<String, Value>) -> Repeated {
        Repeated::beside::<PatchRequest>(members, &ROTATION)
    }

    /// The members of a PATCH of another resource, whose body is read as a `P`.
    ///
    /// # Errors
    /// As [`read`](Repeated::read).
    pub(super) fn read_beside<P: JsonSchema + 'static>(
        bytes: &[u8],
        of: &'static Resource,
    ) -> Result<Repeated, Refusal> {
        Ok(Repeated::beside::<P>(super::body::read(bytes)?, of))
    }

    fn beside<P: JsonSchema + 'static>(
        mut members: Map<String, Value>,
        of: &'static Resource,
    ) -> Repeated {
        let changed = strict::members_of::<P>();
        members.retain(|name, _| !changed.contains(name));
        Repeated { members, of }
    }

    /// The same without what time changes of a rotation that follows a partner's schedule.
    pub fn without_readings(mut self) -> Repeated {
        if let Some(Value::Object(on_call)) = self.members.get_mut("onCall") {
            on_call.remove("externalAssignments");
        }
        self
    }

    /// Compares the members with the resource. Omitted members of an object are not compared.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the first member that differs, and the route that changes it.
    pub fn check<R: Serialize>(&self, shown: impl FnOnce() -> R) -> Result<(), Refusal> {
        if self.members.is_empty() {
            return Ok(());
        }
        let shown = serde_json::to_value(shown()).unwrap_or_default();
        let resource = self.of.name;
        for (name, sent) in &self.members {
            let Some(path) = difference(name, sent, &shown[name]) else {
                continue;
            };
            let route = self.of.routes.iter().find(|(known, _)| known == name);
            return match route.and_then(|(_, route)| *route) {
                Some(route) => invalid(
                    path,
                    format!(
                        "PATCH does not change it; send what the {resource} shows, or use {route}"
                    ),
                ),
                None => invalid(
                    path,
                    format!("the server sets it; send what the {resource} shows, or leave it out"),
                ),
            };
        }
        Ok(())
    }
}

/// The path of the first value that differs. A member that is absent counts as null, a string of digits as its number.
fn difference(path: &str, sent: &Value, shown: &Value) -> Option<String> {
    match (sent, shown) {
        (Value::Object(sent), Value::Object(known)) => sent.iter().find_map(|(name, sent)| {
            let shown = known.get(name).unwrap_or(&Value::Null);
            difference(&format!("{path}.{name}"), sent, shown)
        }),
        (Value::Array(sent), Value::Array(shown)) if sent.len() == shown.len() => {
            let mut pairs = sent.iter().zip(shown).enumerate();
            pairs.find_map(|(at, (sent, shown))| difference(&format!("{path}[{at}]"), sent, shown))
        }
        (Value::String(digits), Value::Number(number)) if *digits == number.to_string() => None,
        _ => (sent != shown).then(|| path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::rotation::Rotation;
    use serde_json::json;

    #[test]
    fn every_member_of_a_rotation_is_changed_by_patch_or_has_a_route() {
        let changed = strict::members_of::<PatchRequest>();
        for member in strict::members_of::<Rotation>().iter() {
            let patched = changed.contains(member);
            let routed = ROUTES.iter().any(|(name, _)| name == member);
            assert!(patched != routed, "{member}");
        }
        for (member, _) in ROUTES {
            let shown = strict::members_of::<Rotation>();
            assert!(shown.iter().any(|name| name == member), "{member}");
        }
    }

    #[test]
    fn differences_are_found_by_path() {
        let shown = json!({ "a": [{ "b": 1, "c": "x" }, { "b": 2 }], "d": null });
        for (sent, path) in [
            (json!({}), None),
            (json!({ "a": [{ "b": "1" }, {}] }), None),
            (
                json!({ "a": [{ "b": 1, "e": null }, { "b": 2 }], "d": null }),
                None,
            ),
            (json!({ "a": [{ "b": 1 }, { "b": 3 }] }), Some("m.a[1].b")),
            (json!({ "a": [{}] }), Some("m.a")),
            (json!({ "a": [{ "e": 1 }, {}] }), Some("m.a[0].e")),
            (json!({ "a": [{ "c": null }, {}] }), Some("m.a[0].c")),
            (json!({ "a": null }), Some("m.a")),
            (json!({ "d": [] }), Some("m.d")),
        ] {
            assert_eq!(difference("m", &sent, &shown).as_deref(), path, "{sent}");
        }
    }
}
