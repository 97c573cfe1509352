//! Changes of a rotation that are made as one, now or later.

use super::body::{self, present};
use super::moment::{self, Moment};
use super::preview::{self, edit_request};
use super::problem::Problem;
use super::repeated::Repeated;
use super::strict::strict;
use crate::domain::actor::Actor;
use crate::domain::edit::{Edits, check_managed_by};
use crate::domain::fault::Fault;
use crate::domain::ids::{ChangeId, GroupId};
use crate::domain::limits::{check_length, check_list, check_operation_id};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::staged::{ChangeState, ChangeTime, MOST_WAITING, NewChange, StagedChange};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

strict! { ChangeRequest, EditRequest }

/// The longest note, in characters.
const NOTE: usize = 500;

edit_request! {
    /// Edits of a rotation that are made as one change. Each member is what the route that it belongs to takes; they are applied in
    /// the order rotation, coverage, rosters, remove, channels, onDutyGroup, mentionSettings, warningSettings.
    pub struct ChangeRequest {
        /// 1 to 128 characters. Send the same id again only to retry the same write.
        #[schemars(length(min = 1, max = 128))]
        operation_id: String,
        /// `now`, `nextHandOver`, or an instant at most 366 days ahead.
        at: String,
        /// With `nextHandOver`: that of this window, by id or key. Omitted, the next of any window.
        #[serde(default, deserialize_with = "present")]
        #[schemars(with = "String")]
        window_id: Option<String>,
        /// For people, at most 500 characters.
        #[serde(default)]
        note: Option<String>,
        /// The name of the file that it comes from, as `managedBy` of a rotation.
        #[serde(default)]
        managed_by: Option<String>,
        /// Ids of changes that wait. They are cancelled in the same write.
        #[serde(default)]
        replaces: Vec<String>,
    }
}

edit_request! {
    /// Edits of a rotation that are made as one.
    pub struct EditRequest {}
}

/// A change to make.
pub struct Asked {
    pub operation_id: String,
    pub change: NewChange,
    /// What `rotation` repeats of it without changing it.
    pub repeated: Option<Repeated>,
}

/// The members of a body that are no edit.
const OWN: [&str; 6] = [
    "operationId",
    "at",
    "windowId",
    "note",
    "managedBy",
    "replaces",
];

/// Reads a change to make.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse(bytes: &[u8]) -> Result<Asked, Refusal> {
    let mut request: ChangeRequest = body::parse(bytes)?;
    check_operation_id(&request.operation_id)?;
    let at = time(&request.at, request.window_id.take())?;
    check_length("note", request.note.as_deref(), NOTE)?;
    if let Some(name) = &request.managed_by {
        check_managed_by("managedBy", name)?;
    }
    check_list("replaces", &request.replaces, MOST_WAITING)?;
    let edits = request.edits()?;
    let mut members: Map<String, Value> = body::read(bytes)?;
    members.retain(|name, _| !OWN.contains(&name.as_str()));
    if edits == Edits::default() {
        return invalid(
            "",
            Fault::Missing("send at least one member of an edit, such as `rotation`".into()),
        );
    }
    let repeated = preview::repeated(members.clone());
    Ok(Asked {
        operation_id: request.operation_id,
        repeated,
        change: NewChange {
            at,
            note: request.note,
            managed_by: request.managed_by,
            replaces: request.replaces.into_iter().map(ChangeId::from).collect(),
            edits,
            body: Value::Object(members).to_string(),
        },
    })
}

/// Reads when a change is made.
///
/// # Errors
/// [`Refusal::Invalid`] naming `at` or `windowId`.
pub fn time(at: &str, window: Option<String>) -> Result<ChangeTime, Refusal> {
    let found = match at {
        "nextHandOver" => return Ok(ChangeTime::NextHandOver(window)),
        "now" => Some(ChangeTime::Now),
        instant => moment::parse_instant(instant).map(ChangeTime::At),
    };
    match (found, window) {
        (None, _) => invalid(
            "at",
            format!("send `now`, `nextHandOver` or {}", moment::INSTANT),
        ),
        (Some(_), Some(_)) => invalid("windowId", "only with `nextHandOver` in `at`; omit it"),
        (Some(at), None) => Ok(at),
    }
}

/// Reads edits that were stored.
///
/// # Errors
/// [`Refusal::Invalid`] where they are none.
pub fn stored_edits(bytes: &[u8]) -> Result<Edits, Refusal> {
    body::parse::<EditRequest>(bytes)?.edits()
}

/// A body with the user group of `onDutyGroup` by its id.
pub fn with_group(body: &str, group: &GroupId) -> String {
    let mut members: Map<String, Value> = serde_json::from_str(body).unwrap_or_default();
    let chosen = json!({ "userGroupId": group });
    members.insert("onDutyGroup".to_owned(), chosen);
    Value::Object(members).to_string()
}

/// A change of a rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// `chg_...`.
    pub id: String,
    pub rotation_id: String,
    /// When it is applied, or was.
    pub at: Moment,
    pub note: Option<String>,
    /// The edits as they were sent; the user group of `onDutyGroup` by its id.
    pub body: Map<String, Value>,
    pub state: ChangeState,
    pub managed_by: Option<String>,
    pub created_by: Actor,
    pub created_at: Moment,
    /// Null unless it was applied.
    pub applied_at: Option<Moment>,
    /// Why it failed; null unless it did.
    pub problem: Option<Problem>,
    /// Increases with every change of this record.
    pub revision: u64,
}

/// Renders a change; `problem` is that of its refusal.
pub fn render(change: &StagedChange, problem: Option<Problem>) -> Change {
    Change {
        id: change.id.to_string(),
        rotation_id: change.rotation.to_string(),
        at: change.at.into(),
        note: change.note.clone(),
        body: serde_json::from_str(&change.body).unwrap_or_default(),
        state: change.state,
        managed_by: change.managed_by.clone(),
        created_by: change.created_by.clone(),
        created_at: change.created_at.into(),
        applied_at: change.applied_at.map(Moment),
        problem,
        revision: change.revision,
    }
}
