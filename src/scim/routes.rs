//! The routes below `/scim/v2`, and what they answer.

use super::query::{self, Query, Selection};
use super::schema::{self, GROUP, RESOURCES, Resource, USER};
use super::{Call, groups, json_response, patch, people, values};
use crate::actions::provisioning as action;
use crate::domain::ids::{GroupId, UserId};
use crate::server::{Outcome, Problem, Response};
use crate::wire::url;
use serde_json::{Map, Value, json};

const LIST: &str = "urn:ietf:params:scim:api:messages:2.0:ListResponse";

/// Answers a request of a path below that of the edge.
pub fn answer(call: &Call, path: &str) -> Outcome {
    let segments = url::segments(path).unwrap_or_default();
    let decoded: Option<Vec<_>> = segments
        .iter()
        .map(|segment| url::decode(segment))
        .collect();
    let decoded = decoded.ok_or_else(Problem::unknown_route)?;
    let segments: Vec<&str> = decoded.iter().map(AsRef::as_ref).collect();
    let method = match call.request.method() {
        "HEAD" => "GET",
        method => method,
    };
    match segments[..] {
        ["ServiceProviderConfig"] => {
            only_get(method)?;
            Ok(json_response(
                call.request,
                200,
                &schema::service(&call.base, query::MOST),
            ))
        }
        ["ResourceTypes"] => described(call, method, schema::resource_types(&call.base), None),
        ["ResourceTypes", id] => {
            described(call, method, schema::resource_types(&call.base), Some(id))
        }
        ["Schemas"] => described(call, method, schema::schemas(&call.base), None),
        ["Schemas", id] => described(call, method, schema::schemas(&call.base), Some(id)),
        ["Me", ..] => Err(not_implemented(
            "this key is nobody's alias; there is no /Me",
        )),
        ["Bulk"] => Err(not_implemented(
            "bulk is not supported; send one request for each operation",
        )),
        [".search"] => search(call, method, &RESOURCES),
        ["Users", ".search"] => search(call, method, &[&USER]),
        ["Groups", ".search"] => search(call, method, &[&GROUP]),
        ["Users"] => match method {
            "GET" => listed(call, &query::of_address(call.query, &[&USER])?, &[&USER]),
            "POST" => create_user(call),
            _ => Err(Problem::wrong_method("GET, HEAD, POST")),
        },
        ["Groups"] => match method {
            "GET" => listed(call, &query::of_address(call.query, &[&GROUP])?, &[&GROUP]),
            "POST" => create_group(call),
            _ => Err(Problem::wrong_method("GET, HEAD, POST")),
        },
        ["Users", id] if !id.is_empty() => user(call, method, &UserId::from(id)),
        ["Groups", id] if !id.is_empty() => group(call, method, &GroupId::from(id)),
        _ => Err(Problem::unknown_route()),
    }
}

fn not_implemented(why: &'static str) -> Problem {
    Problem::new(501, "not_implemented", why)
}

fn only_get(method: &str) -> Result<(), Problem> {
    match method {
        "GET" => Ok(()),
        _ => Err(Problem::wrong_method("GET, HEAD")),
    }
}

/// What describes the edge: all of it, or the one with an id.
fn described(call: &Call, method: &str, all: Vec<Value>, id: Option<&str>) -> Outcome {
    only_get(method)?;
    let value = match id {
        None => page(&all, all.len(), 1),
        Some(id) => {
            let found = all.into_iter().find(|one| one["id"] == id);
            found.ok_or_else(|| Problem::new(404, "not_found", "there is nothing with this id"))?
        }
    };
    Ok(json_response(call.request, 200, &value))
}

fn page(resources: &[Value], total: usize, start: usize) -> Value {
    json!({
        "schemas": [LIST], "totalResults": total, "itemsPerPage": resources.len(), "startIndex": start,
        "Resources": resources
    })
}

fn search(call: &Call, method: &str, resources: &[&'static Resource]) -> Outcome {
    if method != "POST" {
        return Err(Problem::wrong_method("POST"));
    }
    listed(
        call,
        &query::of_search(&call.body()?, resources)?,
        resources,
    )
}

/// A page of the resources that match.
fn listed(call: &Call, query: &Query, resources: &[&'static Resource]) -> Outcome {
    let (mut total, mut found) = (0, Vec::new());
    let mut add = |resource: &'static Resource, shown: Map<String, Value>, hides_active: bool| {
        let matches = (query.filter.as_ref()).is_none_or(|filter| filter.matches(resource, &shown));
        if matches {
            total += 1;
            if total >= query.start && found.len() < query.count {
                found.push(selected(resource, &query.selection, shown, hides_active));
            }
        }
    };
    if resources.contains(&&USER) {
        for person in action::list_people(call.app)? {
            let (shown, hides_active) = people::shown(&person, &call.base);
            add(&USER, shown, hides_active);
        }
    }
    if resources.contains(&&GROUP) {
        for group in action::list_groups(call.app)? {
            add(&GROUP, groups::shown(&group, &call.base), false);
        }
    }
    let value = page(&found, total, query.start);
    Ok(json_response(call.request, 200, &value))
}

/// The attributes of a resource that are shown.
fn selected(
    resource: &'static Resource,
    selection: &Selection,
    mut shown: Map<String, Value>,
    hides_active: bool,
) -> Value {
    if hides_active {
        shown.remove("active");
    }
    selection.of(resource, shown).into()
}

/// A resource with its ETag.
fn one(
    call: &Call,
    status: u16,
    resource: &'static Resource,
    (shown, hides_active): (Map<String, Value>, bool),
) -> Outcome {
    let selection = query::of_address(call.query, &[])?.selection;
    let meta = shown.get("meta").cloned().unwrap_or_default();
    let of = |name: &str| meta[name].as_str().unwrap_or_default().to_owned();
    let (version, location) = (of("version"), of("location"));
    let unchanged = query::joined(call.request, "If-None-Match");
    if status == 200
        && call.request.method() != "PUT"
        && call.request.method() != "PATCH"
        && unchanged.is_some_and(|header| query::names(&header, &version))
    {
        return Ok(Response::empty(304).with("ETag", version));
    }
    let value = selected(resource, &selection, shown, hides_active);
    let response = json_response(call.request, status, &value).with("ETag", version);
    Ok(match status {
        201 => response.with("Location", location),
        _ => response,
    })
}

fn create_user(call: &Call) -> Outcome {
    let sent = values::resource(&USER, call.written()?)?;
    let image = people::image(sent, false)?;
    let made = action::create_person(call.app, &call.author("createScimUser"), image)?;
    one(call, 201, &USER, people::shown(&made, &call.base))
}

fn user(call: &Call, method: &str, id: &UserId) -> Outcome {
    let (if_match, base) = (call.if_match(), call.base.clone());
    match method {
        "GET" => {
            let found = action::find_person(call.app, id)?;
            one(call, 200, &USER, people::shown(&found, &call.base))
        }
        "PUT" => {
            let sent = values::resource(&USER, call.written()?)?;
            let change = Box::new(move |found: &_| {
                let (shown, _) = people::shown(found, &base);
                query::check_match(if_match.as_deref(), version_of(&shown))?;
                people::image(sent, false)
            });
            let author = call.author("replaceScimUser");
            let found = action::edit_person(call.app, &author, id.clone(), change)?;
            one(call, 200, &USER, people::shown(&found, &call.base))
        }
        "PATCH" => {
            let operations = patch::operations(&call.written()?)?;
            let own = id.to_string();
            let change = Box::new(move |found: &_| {
                let (shown, _) = people::shown(found, &base);
                query::check_match(if_match.as_deref(), version_of(&shown))?;
                let (mut attributes, was_hidden) = people::attributes(found);
                if was_hidden {
                    attributes.remove("active");
                }
                patch::apply(&USER, &own, &mut attributes, operations)?;
                let hides_active = !attributes.contains_key("active");
                people::image(attributes, hides_active)
            });
            let author = call.author("patchScimUser");
            let found = action::edit_person(call.app, &author, id.clone(), change)?;
            one(call, 200, &USER, people::shown(&found, &call.base))
        }
        "DELETE" => {
            let author = call.author("deleteScimUser");
            action::remove_person(call.app, &author, id.clone(), move |found| {
                let (shown, _) = people::shown(found, &base);
                query::check_match(if_match.as_deref(), version_of(&shown))
            })?;
            Ok(Response::empty(204))
        }
        _ => Err(Problem::wrong_method("GET, HEAD, PUT, PATCH, DELETE")),
    }
}

fn version_of(shown: &Map<String, Value>) -> &str {
    let version = shown.get("meta").and_then(|meta| meta["version"].as_str());
    version.unwrap_or_default()
}

fn create_group(call: &Call) -> Outcome {
    let sent = values::resource(&GROUP, call.written()?)?;
    let image = groups::image(sent)?;
    let made = action::create_group(call.app, &call.author("createScimGroup"), image)?;
    one(call, 201, &GROUP, (groups::shown(&made, &call.base), false))
}

fn group(call: &Call, method: &str, id: &GroupId) -> Outcome {
    let (if_match, base) = (call.if_match(), call.base.clone());
    match method {
        "GET" => {
            let found = action::find_group(call.app, id)?;
            one(
                call,
                200,
                &GROUP,
                (groups::shown(&found, &call.base), false),
            )
        }
        "PUT" => {
            let sent = values::resource(&GROUP, call.written()?)?;
            let change = Box::new(move |found: &_| {
                let shown = groups::shown(found, &base);
                query::check_match(if_match.as_deref(), version_of(&shown))?;
                groups::image(sent)
            });
            let author = call.author("replaceScimGroup");
            let found = action::edit_group(call.app, &author, id.clone(), change)?;
            one(
                call,
                200,
                &GROUP,
                (groups::shown(&found, &call.base), false),
            )
        }
        "PATCH" => {
            let operations = patch::operations(&call.written()?)?;
            let own = id.to_string();
            let change = Box::new(move |found: &_| {
                let shown = groups::shown(found, &base);
                query::check_match(if_match.as_deref(), version_of(&shown))?;
                let mut attributes = groups::attributes(found, &base);
                patch::apply(&GROUP, &own, &mut attributes, operations)?;
                groups::image(attributes)
            });
            let author = call.author("patchScimGroup");
            let found = action::edit_group(call.app, &author, id.clone(), change)?;
            one(
                call,
                200,
                &GROUP,
                (groups::shown(&found, &call.base), false),
            )
        }
        "DELETE" => {
            let author = call.author("deleteScimGroup");
            action::remove_group(call.app, &author, id.clone(), move |found| {
                query::check_match(
                    if_match.as_deref(),
                    version_of(&groups::shown(found, &base)),
                )
            })?;
            Ok(Response::empty(204))
        }
        _ => Err(Problem::wrong_method("GET, HEAD, PUT, PATCH, DELETE")),
    }
}
