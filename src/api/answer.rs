//! Answers: JSON bodies, validators, 304.

use crate::server::{Body, Problem, Response};
use crate::store::Page;
use crate::wire::etag;
use crate::wire::page::Page as PageShape;
use serde::Serialize;
use std::io::Cursor;
use std::sync::Arc;

pub use crate::server::Outcome;

/// A JSON body.
///
/// # Errors
/// A fault of ours when the value cannot be written as JSON.
pub fn json<T: Serialize>(status: u16, value: &T) -> Outcome {
    let body = bytes(value)?;
    Ok(with_body(status, Body::from_data(body)))
}

/// A value as JSON.
///
/// # Errors
/// A fault of ours when it cannot be written as JSON.
pub fn bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, Problem> {
    serde_json::to_vec(value).map_err(|error| Problem::internal(format!("cannot render: {error}")))
}

/// A body that is JSON already.
pub fn text(json: String) -> Response {
    with_body(200, Body::from_data(json))
}

/// A JSON body with its validator, or 304 where the caller has what is current.
///
/// # Errors
/// A fault of ours when the value cannot be written as JSON.
pub fn tagged<T: Serialize>(if_none_match: Option<&str>, tag: &str, value: &T) -> Outcome {
    match not_modified(if_none_match, tag) {
        Some(unchanged) => Ok(unchanged),
        None => Ok(with(json(200, value)?, "ETag", tag)),
    }
}

/// A body that is JSON already and may be shared by many answers.
pub fn shared(body: &Arc<[u8]>) -> Response {
    let size = body.len();
    let reader = Cursor::new(Arc::clone(body));
    with_body(200, Body::from_reader_and_size(reader, size))
}

/// A JSON body of any kind.
pub fn with_body(status: u16, body: Body) -> Response {
    Response::new(status, "application/json", body)
}

/// Adds a header.
pub fn with(response: Response, name: &'static str, value: impl Into<String>) -> Response {
    response.with(name, value.into())
}

/// 304 with the validator, where the caller has what is current.
pub fn not_modified(if_none_match: Option<&str>, tag: &str) -> Option<Response> {
    let known = if_none_match.is_some_and(|header| etag::is_known(header, tag));
    known.then(|| with(Response::empty(304), "ETag", tag))
}

/// One page of what is all at hand.
pub fn page_of<T>(items: Vec<T>, page: Page) -> PageShape<T> {
    let total = items.len() as u64;
    let size = page.size as usize;
    let before = (page.number as usize - 1).saturating_mul(size);
    let data = items.into_iter().skip(before).take(size).collect();
    PageShape::new(data, page.number, page.size, total)
}
