//! The OpenAPI 3.1 document, built from the routes and from the schemas of the request and response types.

mod events;
mod examples;
mod refusals;
#[cfg(test)]
mod tests;

use super::operation::{self, Body, Gives, Kind, Operation, Parameter, Shape};
use super::routes::{Handler, Needs, ROUTES, Row};
use crate::domain::access::Scope;
use crate::server::REQUEST_ID;
use crate::wire::{problem, url};
use examples::Examples;
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
            "contact": { "name": "The operator of this server" },
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
                    "description": "A team API key, `svc_key_...`, with scopes, optionally limited to some rotations.",
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
    Bodies are `application/json`; `application/json-patch+json` is accepted as the same. An unknown member of a body and an \
    unknown query parameter are 400; members that the resource shows may be repeated, so that a body that was read can be sent \
    back. PATCH takes those that it does not change only as they are. Every answer names its request in `X-Request-Id`. HEAD is GET without a body. Every error is a problem object, also 405, 417, 501 and \
    505, which any path may answer to a request that it cannot take.";

const TAGS: [(&str, &str); 22] = [
    (
        "on-call",
        "Who is on call, and putting people on and off duty.",
    ),
    ("rotations", "Rotations, their grids, lists and channels."),
    (
        "changes",
        "Edits made as one, now or later, and what they would change.",
    ),
    ("schedule", "The forecast and the history."),
    ("reports", "Who carries how much duty."),
    ("availability", "Absences."),
    (
        "arrangements",
        "Assignments of a cell to a person for an interval, over the dealt turn.",
    ),
    ("requests", "Cover and swap requests of all rotations."),
    ("cover", "Asking others to cover a duty."),
    ("swap", "Swapping two shifts."),
    (
        "directory",
        "People, user groups and channels of the chat workspace.",
    ),
    (
        "webhooks",
        "Webhook endpoints and their deliveries. Changes require the Pro plan.",
    ),
    (
        "chat",
        "The on-duty group and the chat state of a rotation.",
    ),
    (
        "mentions",
        "Mentions of the people on call, and their answers.",
    ),
    ("warnings", "What is wrong with the plans of rotations."),
    (
        "messages",
        "Messages to channels and people, and what people are mailed.",
    ),
    (
        "calendars",
        "Addresses at which calendar programs read who is on duty, and calendars of people that say when they are absent.",
    ),
    (
        "partners",
        "Rotations that follow schedules of PagerDuty, Opsgenie or Jira Service Management.",
    ),
    (
        "inbound",
        "The inbound webhook of a rotation. Deprecated in favour of the other operations.",
    ),
    ("audit", "Who changed what."),
    ("keys", "API keys."),
    (
        "service",
        "The server itself. Requires no credential unless the operator configures it.",
    ),
];

/// Collects schemas while operations are described.
struct Maker {
    read: SchemaGenerator,
    sent: SchemaGenerator,
    /// Refusals by the name under which operations refer to them.
    refusals: Map<String, Value>,
    examples: Examples,
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
            examples: Examples::load(),
        }
    }

    fn schemas(mut self) -> Map<String, Value> {
        let mut all = self.read.take_definitions(true);
        let sent = self.sent.take_definitions(true);
        for (name, schema) in &mut all {
            // What is read and sent has one schema; receivers accept members that they do not know.
            if !sent.contains_key(name) && schema.get("properties").is_some() {
                schema["additionalProperties"] = json!(false);
            }
        }
        all.extend(sent.into_iter().map(absent_is_not_null));
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
            "parameters": parameters(row, self.examples.of(operation.id)),
            "responses": self.responses(row),
        });
        described["security"] = match row.handler {
            // As configured by the operator.
            _ if row.needs == Needs::Watching => json!([{}, { "apiKey": [] }]),
            Handler::Open(_) => json!([]),
            _ if row.needs == Needs::AccessCode => json!([{ "accessCode": [] }]),
            // Webhooks belong to no rotation and no person.
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
            let mut media = json!({ "schema": schema });
            examples::add(&mut media, &self.examples.of(operation.id)["body"]);
            described["requestBody"] = json!({
                "required": required,
                "content": { operation::JSON: media },
            });
        }
        described
    }

    fn responses(&mut self, row: &Row) -> Value {
        let mut responses = Map::new();
        for gives in row.operation.responses() {
            let answer = self.success(gives, row.operation.id);
            let status = gives.status.to_string();
            match responses
                .get_mut(&status)
                .map(|known| &mut known["content"])
            {
                // The same answer in another media type.
                Some(Value::Object(content)) => {
                    content.insert(
                        media_type(gives).to_owned(),
                        answer["content"][media_type(gives)].clone(),
                    );
                }
                _ => drop(responses.insert(status, answer)),
            }
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

    fn success(&mut self, gives: &Gives, operation: &str) -> Value {
        let mut response = json!({ "description": gives.about });
        if let Some(shape) = gives.shape {
            let mut media = json!({ "schema": self.schema(shape) });
            let exchange = self.examples.of(operation);
            // Of several media types the example is of the one that was answered.
            let is_same = exchange["answer"].is_string() != (gives.media_type == operation::JSON);
            if exchange["status"] == json!(gives.status) && is_same {
                examples::add(&mut media, &exchange["answer"]);
            }
            response["content"] = json!({ media_type(gives): media });
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
        let problem = self.schema(operation::shape::<problem::Problem>);
        // One schema for all: generated clients have one type of error. The codes are for tests and for people.
        let mut response = json!({
            "description": refusals::about(status, codes),
            "content": { "application/problem+json": { "schema": problem } },
            "x-codes": codes,
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

/// The media type of an answer without its parameters.
fn media_type(gives: &Gives) -> &'static str {
    gives.media_type.split(';').next().unwrap_or_default()
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

/// The parameters of a route, each with its value in the exchange that is the example.
fn parameters(row: &Row, exchange: &Value) -> Vec<Value> {
    let mut all = bare_parameters(row);
    for parameter in &mut all {
        let name = parameter["name"].as_str().unwrap_or_default();
        let values = if parameter["in"] == "path" {
            "path"
        } else {
            "parameters"
        };
        let example = typed(&exchange[values][name], &parameter["schema"]);
        examples::add(parameter, &example);
    }
    all
}

/// The value of a parameter as its schema has it.
fn typed(sent: &Value, schema: &Value) -> Value {
    match (sent.as_str(), schema["type"].as_str()) {
        (Some(text), Some("boolean" | "integer")) => serde_json::from_str(text).unwrap_or_default(),
        _ => sent.clone(),
    }
}

fn bare_parameters(row: &Row) -> Vec<Value> {
    let names = url::pieces(row.pattern).filter_map(|(_, name)| name);
    let mut all: Vec<Value> = names.map(path_parameter).collect();
    all.extend(row.operation.parameters().map(query_parameter));
    match row.handler {
        Handler::IfMatch(_) => all.push(json!({
            "name": "If-Match", "in": "header", "required": true, "schema": { "type": "string" },
            "description": "The ETag of the last read with its quotes, a list of them, or `*` to write against \
                whatever is current. A weak validator never matches.",
        })),
        Handler::Keyed(_) => all.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": true,
            "schema": { "type": "string", "minLength": 1, "maxLength": super::LONGEST_KEY },
            "description": "A value that is unique to this creation and the same on every retry, such as a UUID. Valid 24 hours.",
        })),
        Handler::Plain(_) | Handler::Open(_) | Handler::Watched(_) => {}
    }
    if has_validator(row.operation) {
        all.push(json!({
            "name": "If-None-Match", "in": "header", "schema": { "type": "string" },
            "description": "ETags of earlier reads; if one is current, the response is 304.",
        }));
    }
    all
}

fn has_validator(operation: &Operation) -> bool {
    operation.responses().any(|gives| gives.status == 304)
}

fn path_parameter(name: &str) -> Value {
    let about = match name {
        "rotationId" => "A rotation, `rot_...`.",
        "absenceId" => "An absence, `abs_...`.",
        "calendarId" => "A calendar of a person, `pcl_...`.",
        "calendarFeedId" => "A calendar feed, `cal_...`.",
        "rosterId" => "A roster of the grid.",
        "channelId" => "A channel id of the chat platform.",
        "groupId" => "A user group id of the chat platform.",
        "mentionId" => "A mention, `men_...`.",
        "webhookPath" => "The last segment of the inbound webhook's URL.",
        "webhookId" => "A webhook endpoint, `whk_...`.",
        "arrangementId" => "An arrangement, `arr_...`.",
        "coverRequestId" => "A cover request, `cov_...`.",
        "swapRequestId" => "A swap request, `swp_...`.",
        "deliveryId" => "A delivery, 32 hexadecimal characters.",
        _ => "A user id of the chat platform.",
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
        Kind::SomeOf(words) => (
            json!({ "type": "array", "items": { "type": "string", "enum": words } }),
            false,
        ),
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
            "The strong ETag of the resource, with its quotes.",
            json!({ "type": "string" }),
        ),
        REQUEST_ID => (
            "The request id, which is also in the server's log and in the `instance` of a problem.",
            json!({ "type": "string" }),
        ),
        "Location" => ("The path of what was created.", json!({ "type": "string" })),
        "Retry-After" => (
            "Whole seconds to wait.",
            json!({ "type": "integer", "minimum": 1 }),
        ),
        _ => ("How to authenticate.", json!({ "type": "string" })),
    };
    json!({ "description": about, "schema": schema })
}

/// An optional body may also be null.
fn nullable(schema: Value, required: bool) -> Value {
    match required {
        true => schema,
        false => json!({ "anyOf": [schema, { "type": "null" }] }),
    }
}

/// In a response an absent member is never null, so its schema does not permit null.
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
            if let [only] = &mut choices[..] {
                let only = only.take();
                let about = schema.get("description").cloned();
                *schema = described(only, about);
            }
        }
    }
    (name, schema)
}

/// A schema with a description of its place.
fn described(mut schema: Value, about: Option<Value>) -> Value {
    if let Some(about) = about {
        schema["description"] = about;
    }
    schema
}

/// Takes out defaults. Null is not what a member says that is left out, and generated types require a member that has a
/// default; descriptions tell of them.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members
                .get("default")
                .is_some_and(|default| !default.is_object())
            {
                members.remove("default");
            }
            members.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}
