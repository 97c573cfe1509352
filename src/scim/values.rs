//! Values as they are sent: their types, their bounds, and the names of attributes in their usual case.

use super::filter::truth;
use super::refused;
use super::schema::{Attribute, Kind, Mutability, Name, Resource, resolve};
use crate::domain::provisioning::ScimFault;
use crate::domain::refusal::Refusal;
use serde_json::{Map, Value};

/// The longest text, in characters.
const LONGEST: usize = 1_000;

/// The most values of one attribute. Members are bounded by the size of a group.
const MOST: usize = 100;

/// The most members of a group.
const MOST_MEMBERS: usize = 10_000;

fn invalid<T>(path: &str, why: &str) -> Result<T, Refusal> {
    Err(refused(ScimFault::InvalidValue, format!("{path}: {why}")))
}

/// The attributes of a whole resource that are kept. Others, and those that nobody may write, are dropped.
///
/// # Errors
/// `invalidValue` for a value of another type.
pub fn resource(
    resource: &'static Resource,
    sent: Map<String, Value>,
) -> Result<Map<String, Value>, Refusal> {
    let mut kept = Map::new();
    for (name, value) in sent {
        let Some((attribute, part)) = named(resource, &name) else {
            continue;
        };
        if attribute.mutability == Mutability::ReadOnly {
            continue;
        }
        match part {
            None => {
                if let Some(value) = attribute_value(attribute, value)? {
                    kept.insert(attribute.name.to_owned(), value);
                }
            }
            // `name.givenName` as the name of a member.
            Some(part) if !attribute.many => {
                if let Some(value) = single(part, &name, value)? {
                    let whole = kept
                        .entry(attribute.name)
                        .or_insert_with(|| Map::new().into());
                    if let Value::Object(whole) = whole {
                        whole.insert(part.name.to_owned(), value);
                    }
                }
            }
            Some(_) => {}
        }
    }
    Ok(kept)
}

/// The attribute, and a part of it, that the member of an object is.
pub fn named(
    resource: &'static Resource,
    name: &str,
) -> Option<(&'static Attribute, Option<&'static Attribute>)> {
    resolve(resource, &Name::parse(name)?)
}

/// The value of an attribute; `None` for one that is unassigned: null, and nothing at all.
///
/// # Errors
/// `invalidValue` for a value of another type, and for too many.
pub fn attribute_value(
    attribute: &'static Attribute,
    value: Value,
) -> Result<Option<Value>, Refusal> {
    if !attribute.many {
        return single(attribute, attribute.name, value);
    }
    let list = match value {
        Value::Array(list) => list,
        Value::Null => return Ok(None),
        one => vec![one],
    };
    let most = match attribute.name {
        "members" => MOST_MEMBERS,
        _ => MOST,
    };
    if list.len() > most {
        return invalid(attribute.name, &format!("send at most {most} values"));
    }
    let mut found = Vec::with_capacity(list.len());
    for value in list {
        // A bare text is the value of a complex one.
        let value = match value {
            Value::String(text) => {
                let mut whole = Map::new();
                whole.insert("value".to_owned(), text.into());
                whole.into()
            }
            other => other,
        };
        found.extend(single(attribute, attribute.name, value)?);
    }
    check_primaries(attribute, &found)?;
    Ok((!found.is_empty()).then(|| found.into()))
}

/// Refuses two values that are both the primary one.
fn check_primaries(attribute: &Attribute, values: &[Value]) -> Result<(), Refusal> {
    let primaries = values.iter().filter(|value| is_primary(value));
    match primaries.count() {
        0 | 1 => Ok(()),
        _ => invalid(attribute.name, "send at most one primary value"),
    }
}

/// Whether a value is the primary one.
pub fn is_primary(value: &Value) -> bool {
    value.get("primary") == Some(&Value::Bool(true))
}

/// One value of an attribute.
///
/// # Errors
/// `invalidValue` for a value of another type.
pub fn single(
    attribute: &'static Attribute,
    path: &str,
    value: Value,
) -> Result<Option<Value>, Refusal> {
    let value = match (attribute.kind, value) {
        (_, Value::Null) => return Ok(None),
        (Kind::Flag, Value::Bool(flag)) => flag.into(),
        // Some providers write truth as text.
        (Kind::Flag, Value::String(text)) => match truth(&text) {
            Some(flag) => flag.into(),
            None => return invalid(path, "send true or false"),
        },
        (Kind::Flag, _) => return invalid(path, "send true or false"),
        (Kind::Complex(_), Value::Object(sent)) => {
            let mut whole = Map::new();
            for (name, value) in sent {
                let Some(part) = attribute.part(&name) else {
                    continue;
                };
                if let Some(value) = single(part, &format!("{path}.{}", part.name), value)? {
                    whole.insert(part.name.to_owned(), value);
                }
            }
            if whole.is_empty() {
                return Ok(None);
            }
            whole.into()
        }
        (Kind::Complex(_), _) => return invalid(path, "send an object"),
        (_, Value::String(text)) => {
            if text.chars().count() > LONGEST {
                return invalid(path, &format!("send at most {LONGEST} characters"));
            }
            text.into()
        }
        _ => return invalid(path, "send a text"),
    };
    Ok(Some(value))
}
