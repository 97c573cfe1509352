//! One operation: what it does, what it takes, what it answers, and its example.

use super::{command, prose, schema};
use maud::{Markup, html};
use serde_json::Value;

/// An operation of the document.
pub struct Operation<'a> {
    pub id: &'a str,
    pub tag: &'a str,
    /// In capitals; `POST` for what the server sends.
    pub method: String,
    /// `None` for what the server sends to endpoints.
    pub path: Option<&'a str>,
    pub described: &'a Value,
}

/// The methods, in the order in which they are listed.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Every operation, in the order of their paths, and what is sent to endpoints.
pub fn all(document: &Value) -> Vec<Operation<'_>> {
    let mut found = Vec::new();
    for (member, is_ours) in [("paths", true), ("webhooks", false)] {
        for (path, item) in document[member].as_object().into_iter().flatten() {
            for method in METHODS {
                let described = &item[method];
                let Some(id) = described["operationId"].as_str() else {
                    continue;
                };
                found.push(Operation {
                    id,
                    tag: described["tags"][0].as_str().unwrap_or_default(),
                    method: method.to_uppercase(),
                    path: is_ours.then_some(path.as_str()),
                    described,
                });
            }
        }
    }
    found
}

impl Operation<'_> {
    /// Its purpose.
    pub fn summary(&self) -> &str {
        self.described["summary"].as_str().unwrap_or_default()
    }

    /// A link to its section on a page, with its method and path.
    pub fn line(&self, page: &str) -> Markup {
        html! {
            a href=(format!("{page}#{}", self.id)) { (self.summary()) }
            " "
            @match self.path {
                Some(path) => code { (self.method) " " (path) },
                None => span.muted { "sent to your endpoint" },
            }
        }
    }

    /// Its example as a command; `None` for what the server sends.
    pub fn command(&self) -> Option<String> {
        let path = self.path?;
        Some(command::curl(&self.method, path, self.described))
    }
}

/// An operation in full. Its id is the operation's.
pub fn section(document: &Value, operation: &Operation) -> Markup {
    let described = operation.described;
    html! {
        section.card.pad aria-labelledby=(operation.id) {
            h2 id=(operation.id) { (operation.summary()) }
            @match operation.path {
                Some(path) => p { code { (operation.method) " " (path) } " " span.muted { (operation.id) } },
                None => p.muted { "Sent by the server to your endpoint." },
            }
            @if described["deprecated"] == true { p { span.tag.warn { "Deprecated" } } }
            (prose::paragraphs(described["description"].as_str().unwrap_or_default()))
            p.muted { (credentials(described)) }
            (parameters(described))
            @let body = &described["requestBody"];
            @if !body.is_null() {
                h3 { "Body" }
                p {
                    (schema::kind(&body["content"]["application/json"]["schema"]))
                    @if body["required"] != true { span.muted { ", may be left out" } }
                }
            }
            @if let Some(command) = operation.command() { h3 { "Example" } (prose::block(&command)) }
            @if operation.path.is_none() { (receiving()) }
            (answers(document, described))
        }
    }
}

/// Which credentials an operation takes.
fn credentials(described: &Value) -> &'static str {
    let all = described["security"].as_array();
    let takes = |name: &str| {
        let mut all = all.into_iter().flatten();
        all.any(|scheme| scheme.get(name).is_some())
    };
    match (takes("apiKey"), takes("memberToken"), takes("accessCode")) {
        (true, true, _) => "Takes an API key or a member token.",
        (true, false, _) => "Takes an API key, or the member token of a workspace admin.",
        (false, true, _) => "Takes a member token.",
        (_, _, true) => "Takes the key of the inbound webhook.",
        _ => "Takes no credential.",
    }
}

fn parameters(described: &Value) -> Markup {
    let all: Vec<&Value> = described["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    html! {
        @if !all.is_empty() {
            h3 { "Parameters" }
            table.rows.api {
                caption.sr { "Parameters" }
                thead { tr { th scope="col" { "Name" } th scope="col" { "In" } th scope="col" { "Type" } th scope="col" { "Meaning" } } }
                tbody {
                    @for parameter in all {
                        tr {
                            th scope="row" {
                                code { (parameter["name"].as_str().unwrap_or_default()) }
                                @if parameter["required"] == true { " " span.tag { "required" } }
                            }
                            td data-label="In" { (parameter["in"].as_str().unwrap_or_default()) }
                            td { (schema::kind(&parameter["schema"])) }
                            td { (prose::inline(parameter["description"].as_str().unwrap_or_default())) }
                        }
                    }
                }
            }
        }
    }
}

/// The responses: each success with its example, and the refusals with their codes.
fn answers(document: &Value, described: &Value) -> Markup {
    let all = described["responses"].as_object().into_iter().flatten();
    let (refusals, successes): (Vec<_>, Vec<_>) =
        all.partition(|(_, answer)| answer.get("$ref").is_some());
    html! {
        h3 { "Answers" }
        @for (status, answer) in successes {
            p {
                code { (status) } " " (prose::inline(answer["description"].as_str().unwrap_or_default()))
                @for (media_type, media) in answer["content"].as_object().into_iter().flatten() {
                    " " (schema::kind(&media["schema"])) ", " code { (media_type) }
                }
            }
            @for (_, media) in answer["content"].as_object().into_iter().flatten() {
                @match &media["example"] {
                    Value::Null => {},
                    Value::String(text) => (prose::block(text)),
                    example => details { summary { "Example of the answer" } (prose::block(&format!("{example:#}"))) },
                }
            }
        }
        @if !refusals.is_empty() {
            details {
                summary { "Refusals" }
                ul {
                    @for (status, refusal) in refusals {
                        @let pointer = refusal["$ref"].as_str().and_then(|path| path.strip_prefix('#')).unwrap_or_default();
                        @let about = document.pointer(pointer).and_then(|refusal| refusal["description"].as_str());
                        li { code { (status) } " " (prose::inline(about.unwrap_or_default())) }
                    }
                }
            }
        }
    }
}

/// How a receiver checks what it is sent.
fn receiving() -> Markup {
    html! {
        h3 { "Check the signature" }
        p {
            "The digest is over the timestamp, a full stop, and the body as it was received. The key is the whole signing secret, "
            code { "svc_whsec_…" } ". Refuse what is older than five minutes."
        }
        (prose::block("printf '%s.%s' \"$TIMESTAMP\" \"$BODY\" |\n  openssl dgst -sha256 -hmac \"$SIGNING_SECRET\""))
        p { code { "rota verify" } " checks a recorded delivery. The delivery log of an endpoint shows what was sent." }
    }
}
