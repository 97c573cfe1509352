//! PATCH (RFC 7644, 3.5.2): operations on the attributes of a resource, in order.

use super::filter::{Filter, Reader};
use super::refused;
use super::schema::{Attribute, Kind, Mutability, Name, Resource, member, resolve};
use super::values::{attribute_value, is_primary, named, single};
use crate::domain::provisioning::ScimFault;
use crate::domain::refusal::Refusal;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The most operations of one request.
const MOST: usize = 1_000;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Add,
    Remove,
    Replace,
}

/// An operation as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    verb: Verb,
    path: Option<String>,
    value: Option<Value>,
}

/// Reads the operations of a body.
///
/// # Errors
/// `invalidSyntax` for a body that is none of PATCH.
pub fn operations(body: &Map<String, Value>) -> Result<Vec<Operation>, Refusal> {
    let wrong = |why: &str| refused(ScimFault::InvalidSyntax, why);
    let Some(Value::Array(list)) = member(body, "Operations") else {
        return Err(wrong("Operations: send a list of operations"));
    };
    if list.is_empty() || list.len() > MOST {
        return Err(wrong(&format!("Operations: send 1 to {MOST} operations")));
    }
    let read = |(at, sent): (usize, &Value)| {
        let wrong = |why: &str| wrong(&format!("Operations[{at}]{why}"));
        let Value::Object(sent) = sent else {
            return Err(wrong(": send an object"));
        };
        let verb = member(sent, "op")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let verb = match verb.to_ascii_lowercase().as_str() {
            "add" => Verb::Add,
            "remove" => Verb::Remove,
            "replace" => Verb::Replace,
            _ => return Err(wrong(".op: send add, remove or replace")),
        };
        let path = match member(sent, "path") {
            None | Some(Value::Null) => None,
            Some(Value::String(path)) => Some(path.clone()),
            Some(_) => return Err(wrong(".path: send a text")),
        };
        let value = member(sent, "value").filter(|value| !value.is_null());
        Ok(Operation {
            verb,
            path: path.filter(|path| !path.is_empty()),
            value: value.cloned(),
        })
    };
    list.iter().enumerate().map(read).collect()
}

/// What a path leads to.
struct Target {
    attribute: &'static Attribute,
    filter: Option<Filter>,
    part: Option<&'static Attribute>,
}

/// Reads a path; `None` for one to what is not kept.
fn target(resource: &'static Resource, path: &str) -> Result<Option<Target>, Refusal> {
    let wrong = |why: String| refused(ScimFault::InvalidPath, format!("path: {why}"));
    let mut reader = Reader::new(path).map_err(wrong)?;
    let word = reader.word();
    // What follows a bracket belongs to no word.
    let Some(mut name) = Name::parse(word) else {
        return Err(wrong(format!(
            "{:?} is no attribute",
            word.chars().take(40).collect::<String>()
        )));
    };
    let mut filter = None;
    if path[word.len()..].starts_with('[') {
        if name.part.is_some() {
            return Err(wrong(
                "brackets do not follow a part of an attribute".to_owned(),
            ));
        }
        filter = Some(reader.in_brackets(0).map_err(wrong)?);
        if reader.takes('.') {
            let part = reader.word();
            let named =
                Name::parse(part).filter(|named| named.uri.is_none() && named.part.is_none());
            let Some(named) = named else {
                return Err(wrong(
                    "a part of the attribute should follow the dot".to_owned(),
                ));
            };
            name.part = Some(named.attribute);
        }
    }
    reader.end().map_err(wrong)?;
    let whole = Name {
        part: None,
        ..name.clone()
    };
    let Some((attribute, _)) = resolve(resource, &whole) else {
        return Ok(None);
    };
    if let Some(filter) = &filter {
        if !attribute.many {
            return Err(wrong(format!(
                "{} has one value, so no brackets follow it",
                attribute.name
            )));
        }
        let check = filter.check_parts(attribute);
        check.map_err(|why| refused(ScimFault::InvalidFilter, format!("path: {why}")))?;
    }
    let part = match &name.part {
        None => None,
        // A part that is not kept.
        Some(part) => match attribute.part(part) {
            None => return Ok(None),
            known => known,
        },
    };
    Ok(Some(Target {
        attribute,
        filter,
        part,
    }))
}

/// Does the operations, one after the other, on the attributes of a resource.
///
/// # Errors
/// [`Refusal::Provisioning`] of the first that cannot be done.
pub fn apply(
    resource: &'static Resource,
    id: &str,
    kept: &mut Map<String, Value>,
    operations: Vec<Operation>,
) -> Result<(), Refusal> {
    for Operation { verb, path, value } in operations {
        match path {
            Some(path) => {
                if let Some(target) = target(resource, &path)? {
                    change(kept, verb, &target, value)?;
                }
            }
            None => match (verb, value) {
                (Verb::Remove, _) => {
                    let why = "path: say what is removed";
                    return Err(refused(ScimFault::NoTarget, why));
                }
                (_, Some(Value::Object(members))) => {
                    change_members(resource, id, kept, verb, members)?;
                }
                _ => {
                    let why = "value: send an object of attributes, or a path";
                    return Err(refused(ScimFault::InvalidValue, why));
                }
            },
        }
    }
    Ok(())
}

/// Does an operation without a path: each member of its value is one.
fn change_members(
    resource: &'static Resource,
    id: &str,
    kept: &mut Map<String, Value>,
    verb: Verb,
    members: Map<String, Value>,
) -> Result<(), Refusal> {
    for (name, value) in members {
        if name.eq_ignore_ascii_case(resource.schema) {
            if let Value::Object(members) = value {
                change_members_of_schema(resource, kept, verb, members)?;
            }
            continue;
        }
        // The record itself, sent back as it was.
        if name.eq_ignore_ascii_case("id") && value == id {
            continue;
        }
        change_member(resource, kept, verb, &name, value)?;
    }
    Ok(())
}

fn change_members_of_schema(
    resource: &'static Resource,
    kept: &mut Map<String, Value>,
    verb: Verb,
    members: Map<String, Value>,
) -> Result<(), Refusal> {
    for (name, value) in members {
        change_member(resource, kept, verb, &name, value)?;
    }
    Ok(())
}

fn change_member(
    resource: &'static Resource,
    kept: &mut Map<String, Value>,
    verb: Verb,
    name: &str,
    value: Value,
) -> Result<(), Refusal> {
    // Some providers write paths as names of members.
    let found = match name.contains('[') {
        true => target(resource, name)?,
        false => named(resource, name).map(|(attribute, part)| Target {
            attribute,
            filter: None,
            part,
        }),
    };
    match found {
        Some(target) => change(kept, verb, &target, Some(value)),
        None => Ok(()),
    }
}

/// Does an operation.
fn change(
    kept: &mut Map<String, Value>,
    verb: Verb,
    target: &Target,
    value: Option<Value>,
) -> Result<(), Refusal> {
    check_writable(target)?;
    let value = value.filter(|value| !value.is_null());
    let name = target.attribute.name;
    let verb = match (verb, &value) {
        // Null is what unassigned attributes have.
        (Verb::Add | Verb::Replace, None) => Verb::Remove,
        (verb, _) => verb,
    };
    if target.attribute.many {
        let mut values = match kept.remove(name) {
            Some(Value::Array(values)) => values,
            _ => Vec::new(),
        };
        change_values(&mut values, verb, target, value)?;
        if !values.is_empty() {
            kept.insert(name.to_owned(), values.into());
        }
        return Ok(());
    }
    match (target.part, verb, value) {
        (None, Verb::Remove, _) => {
            check_removable(target.attribute)?;
            kept.remove(name);
        }
        (None, _, Some(value)) => {
            let Some(value) = single(target.attribute, name, value)? else {
                return Ok(());
            };
            match (kept.get_mut(name), value) {
                (Some(Value::Object(known)), Value::Object(parts)) => known.extend(parts),
                (_, value) => drop(kept.insert(name.to_owned(), value)),
            }
        }
        (Some(part), Verb::Remove, _) => {
            if let Some(Value::Object(whole)) = kept.get_mut(name) {
                whole.remove(part.name);
                if whole.is_empty() {
                    kept.remove(name);
                }
            }
        }
        (Some(part), _, Some(value)) => {
            let path = format!("{name}.{}", part.name);
            if let Some(value) = single(part, &path, value)? {
                let whole = kept.entry(name).or_insert_with(|| Map::new().into());
                if let Value::Object(whole) = whole {
                    whole.insert(part.name.to_owned(), value);
                }
            }
        }
        (_, _, None) => {}
    }
    Ok(())
}

/// Refuses to write what nobody may.
fn check_writable(target: &Target) -> Result<(), Refusal> {
    let named = target.part.unwrap_or(target.attribute);
    let is_written = target.attribute.mutability != Mutability::ReadOnly
        && named.mutability == Mutability::ReadWrite;
    match is_written {
        true => Ok(()),
        false => {
            let why = format!("{}: nobody may write it", named.name);
            Err(refused(ScimFault::Mutability, why))
        }
    }
}

fn check_removable(attribute: &Attribute) -> Result<(), Refusal> {
    match attribute.required {
        false => Ok(()),
        true => {
            let why = format!("{}: it must be there", attribute.name);
            Err(refused(ScimFault::Mutability, why))
        }
    }
}

/// Does an operation on the values of an attribute that may have several.
fn change_values(
    values: &mut Vec<Value>,
    verb: Verb,
    target: &Target,
    value: Option<Value>,
) -> Result<(), Refusal> {
    let attribute = target.attribute;
    let matches = |value: &Value| match &target.filter {
        None => true,
        Some(filter) => filter.matches_value(attribute, value),
    };
    let matching: Vec<usize> = (0..values.len())
        .filter(|at| matches(&values[*at]))
        .collect();
    if target.filter.is_some() && matching.is_empty() {
        if verb != Verb::Add {
            let why = format!("path: no value of {} matches", attribute.name);
            return Err(refused(ScimFault::NoTarget, why));
        }
        return add_described(values, target, value);
    }
    match (target.part, verb, value) {
        (Some(part), Verb::Remove, _) => {
            for value in values.iter_mut().filter_map(Value::as_object_mut) {
                if matches(&Value::Object(value.clone())) {
                    value.remove(part.name);
                }
            }
            values.retain(|value| value.as_object().is_none_or(|whole| !whole.is_empty()));
        }
        (Some(part), _, Some(sent)) => {
            let path = format!("{}.{}", attribute.name, part.name);
            let Some(sent) = single(part, &path, sent)? else {
                return Ok(());
            };
            if values.is_empty() {
                return add_described(values, target, Some(sent));
            }
            for at in &matching {
                if let Value::Object(whole) = &mut values[*at] {
                    whole.insert(part.name.to_owned(), sent.clone());
                }
            }
            keep_one_primary(values, &matching);
        }
        (None, Verb::Remove, None) => {
            let mut at = 0;
            let mut matching = matching.into_iter().peekable();
            values.retain(|_| {
                let goes = matching.next_if_eq(&at).is_some();
                at += 1;
                !goes
            });
        }
        // Some providers name what goes in the value.
        (None, Verb::Remove, Some(sent)) => remove_sent(values, attribute, sent)?,
        (None, _, Some(sent)) if target.filter.is_some() => {
            for at in &matching {
                let Some(sent) = single(attribute, attribute.name, sent.clone())? else {
                    continue;
                };
                match (verb, &mut values[*at], sent) {
                    (Verb::Add, Value::Object(known), Value::Object(parts)) => known.extend(parts),
                    (_, known, sent) => *known = sent,
                }
            }
            keep_one_primary(values, &matching);
        }
        (None, Verb::Replace, Some(sent)) => {
            values.clear();
            if let Some(Value::Array(sent)) = attribute_value(attribute, sent)? {
                add_new(values, attribute, sent);
            }
        }
        (None, _, Some(sent)) => {
            if let Some(Value::Array(sent)) = attribute_value(attribute, sent)? {
                let before = values.len();
                add_new(values, attribute, sent);
                let added: Vec<usize> = (before..values.len()).collect();
                keep_one_primary(values, &added);
                // With those that were there they may be too many.
                attribute_value(attribute, Value::Array(values.clone()))?;
            }
        }
        (_, _, None) => {}
    }
    Ok(())
}

/// Adds the value that the `eq`s of the path's filter describe.
fn add_described(
    values: &mut Vec<Value>,
    target: &Target,
    sent: Option<Value>,
) -> Result<(), Refusal> {
    let attribute = target.attribute;
    let mut whole = Map::new();
    if let Some(filter) = &target.filter {
        filter.described(attribute, &mut whole);
    }
    match (target.part, sent) {
        (Some(part), Some(sent)) => drop(whole.insert(part.name.to_owned(), sent)),
        (None, Some(Value::Object(parts))) => {
            if let Some(Value::Object(parts)) = single(attribute, attribute.name, parts.into())? {
                whole.extend(parts);
            }
        }
        (None, Some(sent)) => drop(whole.insert("value".to_owned(), sent)),
        (_, None) => {}
    }
    if let Some(value) = single(attribute, attribute.name, whole.into())? {
        values.push(value);
        let at = values.len() - 1;
        keep_one_primary(values, &[at]);
    }
    Ok(())
}

/// Adds values that are not there yet. Of members there is one for each id.
fn add_new(values: &mut Vec<Value>, attribute: &Attribute, sent: Vec<Value>) {
    let key = |value: &Value| match value.get("value").and_then(Value::as_str) {
        Some(id) if attribute.name == "members" => id.to_owned(),
        _ => value.to_string(),
    };
    let mut known: HashSet<String> = values.iter().map(key).collect();
    for value in sent {
        if known.insert(key(&value)) {
            values.push(value);
        }
    }
}

/// Where one of the values that changed is the primary one, the others are not.
fn keep_one_primary(values: &mut [Value], changed: &[usize]) {
    let primary = changed.iter().rev().find(|at| is_primary(&values[**at]));
    let Some(primary) = primary.copied() else {
        return;
    };
    for (at, value) in values.iter_mut().enumerate() {
        if at != primary && is_primary(value) {
            value["primary"] = Value::Bool(false);
        }
    }
}

/// Removes the values that are sent: those with the same `value`, or, without one, with the same parts.
fn remove_sent(
    values: &mut Vec<Value>,
    attribute: &'static Attribute,
    sent: Value,
) -> Result<(), Refusal> {
    debug_assert!(matches!(attribute.kind, Kind::Complex(_)));
    let Some(Value::Array(sent)) = attribute_value(attribute, sent)? else {
        return Ok(());
    };
    let texts = sent.iter().filter_map(|value| value.get("value")?.as_str());
    let texts: HashSet<&str> = texts.collect();
    let bare: Vec<&Map<String, Value>> = sent
        .iter()
        .filter(|value| value.get("value").is_none())
        .filter_map(Value::as_object)
        .collect();
    values.retain(|value| {
        let text = value.get("value").and_then(Value::as_str);
        let is_sent = text.is_some_and(|text| texts.contains(text));
        let has_parts = |parts: &&Map<String, Value>| {
            parts
                .iter()
                .all(|(name, part)| value.get(name) == Some(part))
        };
        !is_sent && !bare.iter().any(has_parts)
    });
    Ok(())
}

#[cfg(test)]
mod tests;
