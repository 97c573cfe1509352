//! The OpenAPI 3.1 document: the routes, with schemas of the very types that are sent and read.

mod events;
mod refusals;
#[cfg(test)]
mod tests;

use super::operation::{Body, Gives, Kind, Operation, Parameter, Shape};
use super::routes::{self, Handler, Needs, ROUTES, Row};
use crate::domain::access::Scope;
use crate::server::REQUEST_ID;
use crate::wire::problem;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

const SCHEMAS: &str = "/components/schemas";

/// The whole document.
pub fn document() -> Value {
    let mut maker = Maker::new();
    let mut paths = Map::new();
    for row in ROUTES {
        let item = paths.entry(row.pattern).or_insert_with(|| json!({}));
        item[row.method.to_ascii_lowercase()] = maker.operation(row);
    }
    let webhooks = events::describe(&mut maker);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "rota",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "On-call rotations for one chat workspace.",
            "description": ABOUT,
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "servers": [{ "url": "/" }],
        "tags": TAGS.map(|(name, about)| json!({ "name": name, "description": about })),
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "responses": std::mem::take(&mut maker.refusals),
            "schemas": maker.schemas(),
            "securitySchemes": {
                "apiKey": {
                    "type": "http", "scheme": "bearer",
                    "description": "A team API key, `svc_key_...`, with scopes and perhaps limited to some rotations.",
                },
                "memberToken": {
                    "type": "http", "scheme": "bearer",
                    "description": "A chat member access token, `svc_mbr_...`, which acts as one person.",
                },
                "accessCode": {
                    "type": "apiKey", "in": "header", "name": "webhook-key",
                    "description": "The key of a rotation's inbound webhook.",
                },
            },
        },
    })
}

const ABOUT: &str = "A rotation is a grid: lanes (kinds of duty) crossed with windows (covered hours with a cadence) \
    into cells, each with one holder.\n\nWrites to a rotation or a webhook endpoint need `If-Match` with the ETag of the \
    last read, or `*` on purpose. Timestamps are RFC 3339 in UTC unless said otherwise; those after \
    9999-12-30T22:00:00Z mean for ever and are shown as 9999-12-31T23:59:59Z. Whole numbers in requests may be strings of digits. \
    Unknown members are ignored. Every answer names its request in `X-Request-Id`. HEAD is GET without a body. Every error is a problem object, also 405, 417, 501 and \
    505, which any path may answer to a request that it cannot take.";

const TAGS: [(&str, &str); 14] = [
    (
        "on-call",
        "Who is on call, and putting people on and off duty.",
    ),
    ("rotations", "Rotations, their grids, lists and channels."),
    ("schedule", "What will be, and what was."),
    ("availability", "Who is away."),
    (
        "arrangements",
        "Who holds a cell for an interval, over whoever is dealt the turn.",
    ),
    ("cover", "Asking others to cover a duty."),
    ("swap", "Swapping two shifts."),
    (
        "directory",
        "People, user groups and channels of the chat workspace.",
    ),
    (
        "webhooks",
        "Where events are posted, and what became of each delivery. Changes need the Pro plan.",
    ),
    (
        "chat",
        "The on-duty group, and how a rotation stands in chat.",
    ),
    (
        "mentions",
        "Asking for whoever is on call, and their answers.",
    ),
    (
        "inbound",
        "The way into a rotation for other programs. Deprecated in favour of the other operations.",
    ),
    ("keys", "API keys."),
    (
        "service",
        "The server itself; needs no credential unless the operator has it so.",
    ),
];

/// Collects schemas while operations are described.
struct Maker {
    read: SchemaGenerator,
    sent: SchemaGenerator,
    /// Refusals by the name that operations refer to them by.
    refusals: Map<String, Value>,
}

impl Maker {
    fn new() -> Maker {
        let settings = || {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = SCHEMAS.into();
            settings.meta_schema = None;
            settings
        };
        Maker {
            read: settings().for_deserialize().into_generator(),
            sent: settings().for_serialize().into_generator(),
            refusals: Map::new(),
        }
    }

    fn schemas(mut self) -> Map<String, Value> {
        let mut all = self.read.take_definitions(true);
        all.extend(
            self.sent
                .take_definitions(true)
                .into_iter()
                .map(absent_is_not_null),
        );
        all.values_mut().for_each(tidy);
        all
    }

    fn operation(&mut self, row: &Row) -> Value {
        let operation = row.operation;
        let mut described = json!({
            "operationId": operation.id,
            "tags": [operation.tag],
            "summary": operation.summary,
            "description": about(row),
            "parameters": parameters(row),
            "responses": self.responses(row),
        });
        described["security"] = match row.handler {
            // As the operator has set it.
            _ if row.needs == Needs::Watching => json!([{}, { "apiKey": [] }]),
            Handler::Open(_) => json!([]),
            _ if row.needs == Needs::AccessCode => json!([{ "accessCode": [] }]),
            // They belong to no rotation and to no person.
            _ if row.needs == Needs::Scoped(Scope::ManageWebhooks) => json!([{ "apiKey": [] }]),
            _ if row.needs == Needs::Person => json!([{ "memberToken": [] }]),
            _ => json!([{ "apiKey": [] }, { "memberToken": [] }]),
        };
        if row.needs == Needs::AccessCode {
            described["deprecated"] = json!(true);
        }
        let body = match operation.body {
            Body::None => None,
            Body::Optional(shape) => Some((false, shape)),
            Body::Required(shape) => Some((true, shape)),
        };
        if let Some((required, shape)) = body {
            let schema = nullable(shape(&mut self.read).to_value(), required);
            let media = json!({ "schema": schema });
            described["requestBody"] = json!({
                "required": required,
                "content": { "application/json-patch+json": media, "application/json": media },
            });
        }
        described
    }

    fn responses(&mut self, row: &Row) -> Value {
        let mut responses = Map::new();
        for gives in row.operation.gives {
            responses.insert(gives.status.to_string(), self.success(gives));
        }
        for (status, codes) in refusals::of(row) {
            let name = refusals::name(status, &codes);
            responses.insert(
                status.to_string(),
                json!({ "$ref": format!("#/components/responses/{name}") }),
            );
            if !self.refusals.contains_key(&name) {
                let refusal = self.refusal(status, &codes);
                self.refusals.insert(name, refusal);
            }
        }
        Value::Object(responses)
    }

    fn success(&mut self, gives: &Gives) -> Value {
        let mut response = json!({ "description": gives.about });
        if let Some(shape) = gives.shape {
            let media_type = gives.media_type.split(';').next().unwrap_or_default();
            response["content"] = json!({ media_type: { "schema": self.schema(shape) } });
        }
        let names = gives.headers.iter().chain([&REQUEST_ID]);
        let headers = names.map(|name| ((*name).to_owned(), response_header(name)));
        response["headers"] = Value::Object(headers.collect());
        response
    }

    fn schema(&mut self, shape: Shape) -> Value {
        shape(&mut self.sent).to_value()
    }

    fn refusal(&mut self, status: u16, codes: &[&str]) -> Value {
        let problem = self.schema(super::operation::shape::<problem::Problem>);
        let named: Vec<&&str> = codes.iter().filter(|code| !code.is_empty()).collect();
        let schema = match named.is_empty() {
            true => problem,
            false => json!({ "allOf": [problem, { "properties": { "code": { "enum": named } } }] }),
        };
        let mut response = json!({
            "description": refusals::about(status, &named),
            "content": { "application/problem+json": { "schema": schema } },
        });
        let header = match status {
            401 => Some("WWW-Authenticate"),
            429 => Some("Retry-After"),
            503 => Some("Retry-After"),
            _ => None,
        };
        let names = header.into_iter().chain([REQUEST_ID]);
        let headers = names.map(|name| (name.to_owned(), response_header(name)));
        response["headers"] = Value::Object(headers.collect());
        response
    }
}

fn about(row: &Row) -> String {
    let text = row.operation.about;
    match row.needs {
        Needs::Scoped(scope) => format!("{text}\n\nNeeds the scope `{}`.", scope.name()),
        Needs::Person => format!("{text}\n\nNeeds a member token."),
        Needs::AccessCode => format!("{text}\n\nNeeds the key of the inbound webhook."),
        Needs::Nothing | Needs::Watching => text.to_owned(),
    }
}

fn parameters(row: &Row) -> Vec<Value> {
    let names = routes::pieces(row.pattern).filter_map(routes::name);
    let mut all: Vec<Value> = names.map(path_parameter).collect();
    all.extend(row.operation.query.iter().map(query_parameter));
    match row.handler {
        Handler::IfMatch(_) => all.push(json!({
            "name": "If-Match", "in": "header", "required": true, "schema": { "type": "string" },
            "description": "The ETag of the last read with its quotes, a list of them, or `*` to write against \
                whatever is current. A weak validator never matches.",
        })),
        Handler::Keyed(_) => all.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": true,
            "schema": { "type": "string", "minLength": 1, "maxLength": super::LONGEST_KEY },
            "description": "A value made for this creation and sent again on every retry; a UUID is usual. Valid 24 hours.",
        })),
        Handler::Plain(_) | Handler::Open(_) | Handler::Watched(_) => {}
    }
    if has_validator(row.operation) {
        all.push(json!({
            "name": "If-None-Match", "in": "header", "schema": { "type": "string" },
            "description": "ETags of earlier reads; while one is current the answer is 304.",
        }));
    }
    all
}

fn has_validator(operation: &Operation) -> bool {
    operation.gives.iter().any(|gives| gives.status == 304)
}

fn path_parameter(name: &str) -> Value {
    let about = match name {
        "rotationId" => "A rotation, `rot_...`.",
        "absenceId" => "An absence, `abs_...`.",
        "rosterId" => "A roster, as the grid names it.",
        "channelId" => "A channel, as the chat platform names it.",
        "groupId" => "A user group, as the chat platform names it.",
        "mentionId" => "A mention, `men_...`.",
        "webhookPath" => "What the address of the inbound webhook ends with.",
        "webhookId" => "A webhook endpoint, `whk_...`.",
        "arrangementId" => "An arrangement, `arr_...`.",
        "coverRequestId" => "A cover request, `cov_...`.",
        "swapRequestId" => "A swap request, `swp_...`.",
        "deliveryId" => "A delivery, 32 hexadecimal characters.",
        _ => "A person, as the chat platform names them.",
    };
    json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" }, "description": about })
}

fn query_parameter(parameter: &Parameter) -> Value {
    let (schema, required) = match parameter.kind {
        Kind::Text => (json!({ "type": "string" }), false),
        Kind::NeededText => (json!({ "type": "string" }), true),
        Kind::Flag => (json!({ "type": "boolean" }), false),
        Kind::Instant => (json!({ "type": "string", "format": "date-time" }), false),
        Kind::NeededInstant => (json!({ "type": "string", "format": "date-time" }), true),
        Kind::OneOf(words) => (json!({ "type": "string", "enum": words }), false),
        Kind::Whole(most, default) => (
            json!({ "type": "integer", "format": "int32", "minimum": 1, "maximum": most, "default": default }),
            false,
        ),
    };
    json!({
        "name": parameter.name, "in": "query", "required": required, "schema": schema,
        "description": parameter.about,
    })
}

fn response_header(name: &str) -> Value {
    let (about, schema) = match name {
        "ETag" => (
            "The strong validator of the resource, in quotes.",
            json!({ "type": "string" }),
        ),
        REQUEST_ID => (
            "Names the request, as the server's log and the `instance` of a problem do.",
            json!({ "type": "string" }),
        ),
        "Location" => ("The path of what was created.", json!({ "type": "string" })),
        "Retry-After" => (
            "Whole seconds to wait.",
            json!({ "type": "integer", "minimum": 1 }),
        ),
        _ => ("How to present a credential.", json!({ "type": "string" })),
    };
    json!({ "description": about, "schema": schema })
}

/// An optional body may be null as well.
fn nullable(schema: Value, required: bool) -> Value {
    match required {
        true => schema,
        false => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

/// In an answer a member that may be absent is never null instead: its schema need not allow that.
fn absent_is_not_null((name, mut schema): (String, Value)) -> (String, Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (member, schema) in members.into_iter().flatten() {
        if required.iter().any(|name| name == member) {
            continue;
        }
        if let Some(kinds) = schema.get("type").and_then(Value::as_array) {
            let other = kinds.iter().find(|kind| *kind != "null").cloned();
            schema["type"] = other.unwrap_or_default();
        }
        if let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
            choices.retain(|choice| choice["type"] != "null");
        }
    }
    (name, schema)
}

/// Takes out `"default": null`: a member left out is not one sent as null.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("default").is_some_and(Value::is_null) {
                members.remove("default");
            }
            members.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}
