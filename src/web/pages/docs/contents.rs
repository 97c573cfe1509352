//! The first page: what applies to all operations, and the list of them.

use super::operation::Operation;
use super::{heading, prose, tags};
use maud::{Markup, html};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The first page.
pub fn page(document: &Value, operations: &[Operation]) -> Markup {
    let about = document["info"]["description"].as_str().unwrap_or_default();
    html! {
        div.head {
            div { h1 { "API" } p.sub { "Version " (document["info"]["version"].as_str().unwrap_or_default()) } }
            p.actions { a.btn href="/v1/openapi.json" { "OpenAPI document" } }
        }
        (prose::paragraphs(about))
        nav.card.pad aria-label="Contents" {
            ul.items {
                li { a href="#authentication" { "Authentication" } }
                @for tag in tags(document) {
                    li { a href={ "#" (tag.name) } { (heading(tag.name)) } " " span.muted { (prose::inline(tag.about)) } }
                }
                li { a href="#errors" { "Errors" } }
            }
        }
        (authentication(document))
        @for tag in tags(document) {
            section.card.pad aria-labelledby=(tag.name) {
                h2 id=(tag.name) { (heading(tag.name)) }
                p { (prose::inline(tag.about)) " " a href=(format!("/docs/{}", tag.name)) { "Parameters, bodies and answers" } }
                ul.items {
                    @for operation in operations.iter().filter(|operation| operation.tag == tag.name) {
                        li id=(operation.id) { (entry(operation)) }
                    }
                }
            }
        }
        (errors(document))
    }
}

fn entry(operation: &Operation) -> Markup {
    html! {
        (operation.line(&format!("/docs/{}", operation.tag)))
        @if let Some(command) = operation.command() {
            details { summary { "Example" } (prose::block(&command)) }
        }
    }
}

fn authentication(document: &Value) -> Markup {
    let schemes = document["components"]["securitySchemes"].as_object();
    html! {
        section.card.pad aria-labelledby="authentication" {
            h2 #authentication { "Authentication" }
            p { "A request carries one credential. The examples read it, and the address of the server, from variables:" }
            (prose::block("export ROTA_URL=https://rota.example.org\nexport ROTA_API_KEY=svc_key_...\nexport ROTA_TOKEN=svc_mbr_...\n\ncurl \"$ROTA_URL/v1/keys/self\" -H \"Authorization: Bearer $ROTA_API_KEY\""))
            dl.kv {
                @for (name, scheme) in schemes.into_iter().flatten() {
                    dt { code { (name) } }
                    dd { (prose::inline(scheme["description"].as_str().unwrap_or_default())) }
                }
            }
            p { "Workspace admins make keys and tokens on " a href="/admin/keys" { "the page for keys" } "; an operator makes them by " code { "rota key create" } " and " code { "rota token create" } "." }
        }
    }
}

/// Every status and code that an operation may be refused with.
fn errors(document: &Value) -> Markup {
    let mut all: BTreeMap<&str, (&str, BTreeSet<&str>)> = BTreeMap::new();
    let refusals = document["components"]["responses"].as_object();
    for (name, refusal) in refusals.into_iter().flatten() {
        let status = name.trim_start_matches("Refused");
        let status = status.split('.').next().unwrap_or_default();
        let about = refusal["description"].as_str().unwrap_or_default();
        let about = about.split(" Code").next().unwrap_or_default();
        let (_, codes) = all
            .entry(status)
            .or_insert_with(|| (about, BTreeSet::new()));
        let sent = refusal["x-codes"].as_array().into_iter().flatten();
        codes.extend(sent.filter_map(Value::as_str));
    }
    html! {
        section.card.flush aria-labelledby="errors" {
            h2 #errors { "Errors" }
            div.pad {
                p {
                    "Every error is a problem object, " code { "application/problem+json" } ", with " code { "status" } ", "
                    code { "code" } ", " code { "title" } ", " code { "detail" } " and " code { "instance" }
                    ". Programs look at " code { "code" } "; " code { "detail" } " says what to send instead."
                }
            }
            table.rows.api {
                caption.sr { "Errors by status" }
                thead { tr { th scope="col" { "Status" } th scope="col" { "Meaning" } th scope="col" { "Codes" } } }
                tbody {
                    @for (status, (about, codes)) in &all {
                        tr {
                            th scope="row" { (status) }
                            td { (prose::inline(about)) }
                            td { @for (index, code) in codes.iter().enumerate() { @if index > 0 { ", " } code { (code) } } }
                        }
                    }
                }
            }
        }
    }
}
