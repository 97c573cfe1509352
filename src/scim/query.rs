//! What a request asks for: which resources, which page of them, which of their attributes. And its preconditions.

use super::filter::{self, Filter};
use super::refused;
use super::schema::{Name, Resource, member, resolve};
use crate::domain::provisioning::{ScimFault, Times};
use crate::domain::refusal::Refusal;
use crate::server::Request;
use crate::wire::etag::record_tag;
use crate::wire::url;
use serde_json::{Map, Value};

/// The most results of one page.
pub const MOST: usize = 200;

/// A query: by GET, or in the body of a search.
#[derive(Debug, Default)]
pub struct Query {
    pub filter: Option<Filter>,
    /// From 1.
    pub start: usize,
    pub count: usize,
    pub selection: Selection,
}

/// Which attributes are shown.
#[derive(Debug, Default, PartialEq)]
pub enum Selection {
    #[default]
    Default,
    Only(Vec<Name>),
    Without(Vec<Name>),
}

fn invalid(why: impl Into<String>) -> Refusal {
    refused(ScimFault::InvalidValue, why)
}

/// Reads the query of an address.
///
/// # Errors
/// [`Refusal::Provisioning`] naming the parameter.
pub fn of_address(query: &str, resources: &[&'static Resource]) -> Result<Query, Refusal> {
    let parameters =
        url::parameters(query).ok_or_else(|| invalid("the query is not percent-encoded UTF-8"))?;
    let one = |name: &str| -> Result<Option<&str>, Refusal> {
        let mut named = parameters
            .iter()
            .filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let found = named.next().map(|(_, value)| value.as_str());
        match named.next() {
            Some(_) => Err(invalid(format!("{name}: sent twice; send it once"))),
            None => Ok(found),
        }
    };
    let number = |name: &str| -> Result<Option<i128>, Refusal> {
        let Some(text) = one(name)? else {
            return Ok(None);
        };
        let read = text.trim().parse::<i128>();
        read.map(Some)
            .map_err(|_| invalid(format!("{name}: send a whole number")))
    };
    let names = |name: &str| -> Result<Vec<Name>, Refusal> {
        let list = one(name)?.unwrap_or_default();
        Ok(list
            .split(',')
            .filter_map(|name| Name::parse(name.trim()))
            .collect())
    };
    build(
        (one("filter")?, resources),
        (number("startIndex")?, number("count")?),
        (names("attributes")?, names("excludedAttributes")?),
    )
}

/// Reads the body of a search.
///
/// # Errors
/// [`Refusal::Provisioning`] naming the member.
pub fn of_search(
    body: &Map<String, Value>,
    resources: &[&'static Resource],
) -> Result<Query, Refusal> {
    let given = |name: &str| member(body, name).filter(|value| !value.is_null());
    let filter = match given("filter") {
        None => None,
        Some(Value::String(filter)) => Some(filter.as_str()),
        Some(_) => return Err(refused(ScimFault::InvalidFilter, "filter: send a text")),
    };
    let number = |name: &str| match given(name) {
        None => Ok(None),
        Some(value) => {
            let whole = value
                .as_i64()
                .map(i128::from)
                .or(value.as_u64().map(i128::from));
            whole
                .map(Some)
                .ok_or_else(|| invalid(format!("{name}: send a whole number")))
        }
    };
    let names = |name: &str| match given(name) {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) => {
            let texts = list.iter().filter_map(Value::as_str);
            Ok(texts.filter_map(Name::parse).collect())
        }
        Some(Value::String(list)) => Ok(list
            .split(',')
            .filter_map(|name| Name::parse(name.trim()))
            .collect()),
        Some(_) => Err(invalid(format!("{name}: send a list of names"))),
    };
    build(
        (filter, resources),
        (number("startIndex")?, number("count")?),
        (names("attributes")?, names("excludedAttributes")?),
    )
}

fn build(
    (filter, resources): (Option<&str>, &[&'static Resource]),
    (start, count): (Option<i128>, Option<i128>),
    (only, without): (Vec<Name>, Vec<Name>),
) -> Result<Query, Refusal> {
    let wrong = |why: String| refused(ScimFault::InvalidFilter, format!("filter: {why}"));
    let filter = filter.map(|text| -> Result<Filter, Refusal> {
        let filter = filter::parse(text).map_err(wrong)?;
        filter.check(resources).map_err(wrong)?;
        Ok(filter)
    });
    let selection = match (only.is_empty(), without.is_empty()) {
        (true, true) => Selection::Default,
        (false, true) => Selection::Only(only),
        (true, false) => Selection::Without(without),
        (false, false) => {
            return Err(invalid(
                "send either attributes or excludedAttributes, not both",
            ));
        }
    };
    let bounded = |number: Option<i128>, least: i128, usual: i128| {
        number.unwrap_or(usual).clamp(least, 1_000_000_000) as usize
    };
    Ok(Query {
        filter: filter.transpose()?,
        start: bounded(start, 1, 1),
        count: bounded(count, 0, MOST as i128).min(MOST),
        selection,
    })
}

impl Selection {
    /// The attributes of a resource that are shown. `schemas` and `id` always are.
    pub fn of(
        &self,
        resource: &'static Resource,
        mut shown: Map<String, Value>,
    ) -> Map<String, Value> {
        let always = |name: &str| name == "schemas" || name == "id";
        match self {
            Selection::Default => shown,
            Selection::Only(names) => {
                let mut kept = Map::new();
                for (name, value) in &shown {
                    if always(name) {
                        kept.insert(name.clone(), value.clone());
                    }
                }
                for (attribute, part) in names.iter().filter_map(|name| resolve(resource, name)) {
                    let Some(value) = shown.get(attribute.name) else {
                        continue;
                    };
                    match part {
                        None => drop(kept.insert(attribute.name.to_owned(), value.clone())),
                        Some(part) => add_part(&mut kept, attribute.name, part.name, value),
                    }
                }
                kept
            }
            Selection::Without(names) => {
                for (attribute, part) in names.iter().filter_map(|name| resolve(resource, name)) {
                    match part {
                        None if always(attribute.name) => {}
                        None => drop(shown.remove(attribute.name)),
                        Some(part) => without_part(shown.get_mut(attribute.name), part.name),
                    }
                }
                shown
            }
        }
    }
}

/// Adds one part of a complex attribute, of each of its values, to those that are shown.
fn add_part(kept: &mut Map<String, Value>, name: &str, part: &str, value: &Value) {
    let known = kept.entry(name).or_insert_with(|| match value {
        Value::Array(list) => list.iter().map(|_| Value::Object(Map::new())).collect(),
        _ => Value::Object(Map::new()),
    });
    let add = |known: &mut Value, value: &Value| {
        if let (Some(known), Some(value)) = (known.as_object_mut(), value.get(part)) {
            known.insert(part.to_owned(), value.clone());
        }
    };
    match (known, value) {
        (Value::Array(known), Value::Array(list)) => {
            known
                .iter_mut()
                .zip(list)
                .for_each(|(known, value)| add(known, value));
        }
        (known, value) => add(known, value),
    }
}

fn without_part(value: Option<&mut Value>, part: &str) {
    let values = match value {
        Some(Value::Array(list)) => list.as_mut_slice(),
        Some(one) => std::slice::from_mut(one),
        None => return,
    };
    for whole in values.iter_mut().filter_map(Value::as_object_mut) {
        whole.remove(part);
    }
}

/// The weak ETag of a resource: it changes with everything that is shown of it.
pub fn version(shown: &Map<String, Value>, beside: bool, times: &Times) -> String {
    let id = shown.get("id").and_then(Value::as_str).unwrap_or_default();
    let changed_at = times.changed_at.as_millisecond();
    format!("W/{}", record_tag('s', id, &(shown, changed_at), beside))
}

/// Whether a validator header names this version, or any. Validators are compared weakly.
pub fn names(header: &str, version: &str) -> bool {
    let bare = |tag: &str| {
        tag.trim()
            .trim_start_matches("W/")
            .trim_matches('"')
            .to_owned()
    };
    let wanted = bare(version);
    let mut tags = header.split(',');
    tags.any(|tag| tag.trim() == "*" || bare(tag) == wanted)
}

/// Refuses a write whose `If-Match` names other versions. Without one, anything is written.
///
/// # Errors
/// [`Refusal::StaleValidator`].
pub fn check_match(if_match: Option<&str>, version: &str) -> Result<(), Refusal> {
    match if_match {
        Some(header) if !names(header, version) => Err(Refusal::StaleValidator),
        _ => Ok(()),
    }
}

/// The value of a header of which there may be several lines.
pub fn joined(request: &Request, name: &str) -> Option<String> {
    let lines = request
        .headers()
        .filter(|(known, _)| known.eq_ignore_ascii_case(name));
    let values: Vec<&str> = lines.map(|(_, value)| value).collect();
    (!values.is_empty()).then(|| values.join(","))
}
