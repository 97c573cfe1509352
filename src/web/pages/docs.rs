//! The API for people: the OpenAPI document as pages. They are the same for everybody, made once and kept.

mod command;
mod contents;
mod operation;
mod prose;
mod schema;

use crate::server::{Outcome, Request};
use crate::web::{Web, answer, layout};
use maud::{Markup, PreEscaped, html};
use operation::Operation;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The pages, by the tag of their operations. The first page has the empty tag.
pub struct Docs(BTreeMap<String, Page>);

struct Page {
    title: String,
    /// HTML.
    content: String,
}

impl Docs {
    /// Makes the pages of an OpenAPI document.
    pub fn of(document: &Value) -> Docs {
        let operations = operation::all(document);
        let mut pages = BTreeMap::new();
        let first = Page {
            title: "API".to_owned(),
            content: contents::page(document, &operations).into_string(),
        };
        pages.insert(String::new(), first);
        for tag in tags(document) {
            let own: Vec<&Operation> = operations
                .iter()
                .filter(|one| one.tag == tag.name)
                .collect();
            let page = Page {
                title: format!("API: {}", tag.name),
                content: tag_page(document, &tag, &own).into_string(),
            };
            pages.insert(tag.name.to_owned(), page);
        }
        Docs(pages)
    }
}

/// A group of operations.
struct Tag<'a> {
    name: &'a str,
    about: &'a str,
}

/// The groups of operations, in the order of the document.
fn tags(document: &Value) -> Vec<Tag<'_>> {
    let tags = document["tags"].as_array().into_iter().flatten();
    fn named(tag: &Value) -> Option<Tag<'_>> {
        Some(Tag {
            name: tag["name"].as_str()?,
            about: tag["description"].as_str().unwrap_or_default(),
        })
    }
    tags.filter_map(named).collect()
}

/// A group as a heading.
fn heading(tag: &str) -> String {
    crate::web::form::capital(&tag.replace('-', " "))
}

fn tag_page(document: &Value, tag: &Tag, operations: &[&Operation]) -> Markup {
    let objects = schema::used(document, operations.iter().map(|one| one.described));
    html! {
        p.crumb { a href="/docs" { "API" } }
        h1 { (heading(tag.name)) }
        p { (prose::inline(tag.about)) }
        nav.card.pad aria-label="Operations" {
            ul.items { @for one in operations { li { (one.line("")) } } }
        }
        @for one in operations { (operation::section(document, one)) }
        @if !objects.is_empty() {
            h2 #objects { "Objects" }
            @for (name, described) in objects { (schema::section(name, described)) }
        }
    }
}

/// GET /docs.
pub fn show(web: &Web, _: &Request, _: &[Cow<str>]) -> Outcome {
    page(web, "")
}

/// GET /docs/{tag}.
pub fn show_tag(web: &Web, _: &Request, parts: &[Cow<str>]) -> Outcome {
    page(web, parts.first().map_or("", AsRef::as_ref))
}

fn page(web: &Web, tag: &str) -> Outcome {
    let found = web.docs().0.get(tag);
    let page = found.ok_or_else(answer::nothing_here)?;
    Ok(layout::bare(
        200,
        &page.title,
        html! { (PreEscaped(&page.content)) },
    ))
}
