//! Groups: what SCIM sends of a user group, and what it is shown.

use super::query::version;
use super::refused;
use super::schema::{GROUP, GROUP_SCHEMA, USER};
use crate::domain::ids::UserId;
use crate::domain::limits::{NAME, check_name};
use crate::domain::provisioning::{GroupImage, ProvisionedGroup, ScimFault};
use crate::domain::refusal::Refusal;
use crate::wire::url::{decode, encode};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// What SCIM makes of a user group.
///
/// # Errors
/// [`Refusal::Provisioning`] for a group without a name, and for members that are no people.
pub fn image(mut attributes: Map<String, Value>) -> Result<GroupImage, Refusal> {
    let invalid = |why: &str| Err(refused(ScimFault::InvalidValue, why));
    let name = attributes.remove("displayName");
    let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
    if name.trim().is_empty() || check_name("", Some(name)).is_err() {
        return invalid(&format!(
            "displayName: send 1 to {NAME} characters without line breaks, not all blank"
        ));
    }
    let members = match attributes.remove("members") {
        Some(Value::Array(members)) => members,
        _ => Vec::new(),
    };
    let (mut users, mut types) = (Vec::with_capacity(members.len()), Map::new());
    let mut known = HashSet::new();
    for member in &members {
        let Some(id) = id_of(member) else {
            return invalid("members: send the id of a User as value");
        };
        match member.get("type").and_then(Value::as_str) {
            None => {}
            Some(kind) if kind.eq_ignore_ascii_case(USER.name) => {
                types.insert(id.clone(), kind.into());
            }
            Some(_) => return invalid("members: a Group is no member here; send Users"),
        }
        if known.insert(id.clone()) {
            users.push(UserId::from(id));
        }
    }
    if !types.is_empty() {
        attributes.insert("types".to_owned(), types.into());
    }
    Ok(GroupImage {
        name: name.to_owned(),
        users,
        attributes: Value::Object(attributes).to_string(),
    })
}

/// The id of a member: its value, else the end of its address.
fn id_of(member: &Value) -> Option<String> {
    let text = |name| member.get(name).and_then(Value::as_str);
    let of_address = || {
        let (_, id) = text("$ref")?.rsplit_once('/')?;
        Some(decode(id)?.into_owned())
    };
    let id = text("value").map(str::to_owned).or_else(of_address);
    id.filter(|id| !id.is_empty())
}

/// The attributes of a user group as a request changes them.
pub fn attributes(found: &ProvisionedGroup, base: &str) -> Map<String, Value> {
    let group = &found.group;
    let sent = found.attributes.as_deref();
    let sent = sent.and_then(|sent| serde_json::from_str(sent).ok());
    let mut shown: Map<String, Value> = sent.unwrap_or_default();
    let types = shown.remove("types");
    let name = group.name.as_deref().or(group.handle.as_deref());
    let name = name.unwrap_or(group.id.as_str());
    shown.insert("displayName".to_owned(), name.into());
    let member = |user: &UserId| {
        let id = user.as_str();
        let location = format!("{base}{}/{}", USER.endpoint, encode(id));
        let mut member = json!({ "value": id, "$ref": location });
        if let Some(kind) = types.as_ref().and_then(|types| types.get(id)) {
            member["type"] = kind.clone();
        }
        member
    };
    if !group.users.is_empty() {
        let members: Vec<Value> = group.users.iter().map(member).collect();
        shown.insert("members".to_owned(), members.into());
    }
    shown
}

/// A user group as SCIM reads it. `base` is the address of the edge.
pub fn shown(found: &ProvisionedGroup, base: &str) -> Map<String, Value> {
    let mut shown = attributes(found, base);
    let id = found.group.id.as_str();
    shown.insert("schemas".to_owned(), json!([GROUP_SCHEMA]));
    shown.insert("id".to_owned(), id.into());
    let times = &found.times;
    let version = version(&shown, false, times);
    let meta = json!({
        "resourceType": GROUP.name, "created": times.created_at.to_string(),
        "lastModified": times.changed_at.to_string(),
        "location": format!("{base}{}/{}", GROUP.endpoint, encode(id)), "version": version
    });
    shown.insert("meta".to_owned(), meta);
    shown
}
