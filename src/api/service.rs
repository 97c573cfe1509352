//! The OpenAPI document.

use super::answer::{self, Outcome};
use super::operation::{Operation, operation};
use super::{Api, openapi};
use crate::server::Request;
use std::sync::{Arc, OnceLock};

pub const OPENAPI: Operation = operation("getOpenApi", "service", "This document")
    .about("The OpenAPI 3.1 description of the API.")
    .gives::<serde_json::Map<String, serde_json::Value>>(200, "The document.");

/// GET openapi.json.
pub fn openapi(_: &Api, _: &Request) -> Outcome {
    static DOCUMENT: OnceLock<Arc<[u8]>> = OnceLock::new();
    if let Some(ready) = DOCUMENT.get() {
        return Ok(answer::shared(ready));
    }
    let rendered = answer::bytes(&openapi::document())?;
    Ok(answer::shared(DOCUMENT.get_or_init(|| rendered.into())))
}
