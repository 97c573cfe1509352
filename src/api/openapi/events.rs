//! The events that rota posts to endpoints, as OpenAPI 3.1 `webhooks`.

use super::Maker;
use crate::api::operation::shape;
use crate::wire::event::EventBody;
use serde_json::{Value, json};

/// The request that endpoints receive.
pub fn describe(maker: &mut Maker) -> Value {
    let event = maker.schema(shape::<EventBody>);
    let header = |name: &str, about: &str| {
        json!({
            "name": name, "in": "header", "required": true, "schema": { "type": "string" },
            "description": about,
        })
    };
    let body = json!({
        "allOf": [
            {
                "type": "object",
                "required": ["deliveryId"],
                "properties": { "deliveryId": {
                    "type": "string", "pattern": "^[0-9a-f]{32}$",
                    "description": "The same at every attempt: deduplicate on it.",
                } },
            },
            event,
        ],
    });
    json!({ "event": { "post": {
        "operationId": "receiveEvent",
        "tags": ["webhooks"],
        "summary": "Receive an event",
        "description": "Posted to every endpoint that subscribes to its type. Answer with any 2xx within ten seconds; \
            everything else is tried again. Accept event types that you do not know.",
        "security": [],
        "parameters": [
            header("Service-Timestamp", "When this attempt was sent, in decimal Unix seconds."),
            header(
                "Service-Signature",
                "One or more `v1=<digest>`, joined by a comma; accept if one matches. The digest is HMAC-SHA256, in \
                 lower-case hexadecimal, of `<timestamp>.<body>` keyed with the whole signing secret.",
            ),
        ],
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": body } },
        },
        "responses": { "2XX": { "description": "Received." } },
    } } })
}
