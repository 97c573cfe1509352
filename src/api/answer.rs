//! Responses: JSON bodies, ETags, 304.

use super::extract::Call;
use crate::domain::rotation::Rotation;
use crate::server::{Body, Problem, Response};
use crate::store::Page;
use crate::wire::etag;
use crate::wire::page::Page as PageShape;
use serde::Serialize;
use std::io::Cursor;
use std::sync::Arc;

pub use crate::server::Outcome;

/// A JSON response.
pub fn json<T: Serialize>(status: u16, value: &T) -> Outcome {
    let body = bytes(value)?;
    Ok(with_body(status, Body::from_data(body)))
}

/// Serializes a value as JSON.
pub fn bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(value).map_err(|error| Problem::internal(format!("cannot render: {error}")))
}

/// A response with a body that is already JSON.
pub fn text(json: String) -> Response {
    with_body(200, Body::from_data(json))
}

/// A JSON response with the ETag of its rotation, for writes.
pub fn tagged<T: Serialize>(call: &Call, rotation: &Rotation, status: u16, value: &T) -> Outcome {
    let tag = etag::tag(rotation, call.app.calendar());
    Ok(json(status, value)?.with("ETag", tag))
}

/// The same of what only changes with the rotation: 304 if the caller's copy is current.
pub fn cached<T: Serialize>(
    call: &Call,
    rotation: &Rotation,
    value: impl FnOnce() -> T,
) -> Outcome {
    let tag = etag::tag(rotation, call.app.calendar());
    match not_modified(call.if_none_match.as_deref(), &tag) {
        Some(unchanged) => Ok(unchanged),
        None => Ok(json(200, &value())?.with("ETag", tag)),
    }
}

/// A response with a JSON body that is shared by many responses.
pub fn shared(body: &Arc<[u8]>) -> Response {
    let size = body.len();
    let reader = Cursor::new(Arc::clone(body));
    with_body(200, Body::from_reader_and_size(reader, size))
}

/// A JSON response with any kind of body.
pub fn with_body(status: u16, body: Body) -> Response {
    Response::new(status, "application/json", body)
}

/// 304 with the ETag if the caller's copy is current.
pub fn not_modified(if_none_match: Option<&str>, tag: &str) -> Option<Response> {
    let known = if_none_match.is_some_and(|header| etag::is_known(header, tag));
    known.then(|| Response::empty(304).with("ETag", tag.to_owned()))
}

/// A page of a list of so many items.
pub fn listed<T: Serialize>(items: Vec<T>, page: Page, total: u64) -> Outcome {
    json(200, &PageShape::new(items, page.number, page.size, total))
}

/// A page of a complete list.
pub fn page_of<T>(items: Vec<T>, page: Page) -> PageShape<T> {
    PageShape::of(items, page.number, page.size)
}
