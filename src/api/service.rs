//! The OpenAPI document.

use super::Api;
use super::answer::{self, Outcome};
use super::operation::{Operation, operation};
use crate::server::Request;

pub const OPENAPI: Operation = operation("getOpenApi", "service", "This document")
    .about("The OpenAPI 3.1 description of the API.")
    .gives::<serde_json::Map<String, serde_json::Value>>(200, "The document.");

/// GET openapi.json.
pub fn openapi(api: &Api, _: &Request) -> Outcome {
    if let Some(ready) = api.rendered.get() {
        return Ok(answer::shared(ready));
    }
    let rendered = answer::bytes(&(api.document)())?;
    Ok(answer::shared(api.rendered.get_or_init(|| rendered.into())))
}
