//! What needs no credential: the document, and whether the server is well.

use super::answer::{self, Outcome};
use super::operation::{Body, Operation, gives, shape};
use super::{Api, openapi};
use crate::actions::Stop;
use crate::store::load_team;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::{Arc, OnceLock};

pub const OPENAPI: Operation = Operation {
    id: "getOpenApi",
    tag: "service",
    summary: "This document",
    about: "The OpenAPI 3.1 description of the API.",
    query: &[],
    body: Body::None,
    gives: &[gives(
        200,
        "The document.",
        shape::<serde_json::Map<String, serde_json::Value>>,
    )],
    refuses: &[],
};

/// GET openapi.json.
pub fn openapi(_: &Api) -> Outcome {
    static DOCUMENT: OnceLock<Arc<[u8]>> = OnceLock::new();
    if let Some(ready) = DOCUMENT.get() {
        return Ok(answer::shared(ready));
    }
    let rendered = answer::bytes(&openapi::document())?;
    Ok(answer::shared(DOCUMENT.get_or_init(|| rendered.into())))
}

/// How the server is.
#[derive(Serialize, JsonSchema)]
pub struct Health {
    /// Always `ok`; a server that is not well answers 503 or not at all.
    status: &'static str,
}

pub const HEALTH: Operation = Operation {
    id: "getHealth",
    tag: "service",
    summary: "Whether the server is well",
    about: "Reads from the database.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "It is well.", shape::<Health>)],
    refuses: &[],
};

/// GET healthz.
pub fn health(api: &Api) -> Outcome {
    api.desk.store().read(load_team).map_err(Stop::Failed)?;
    answer::json(200, &Health { status: "ok" })
}
