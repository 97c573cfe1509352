//! Schemas as tables: what a value may be, and the members of objects.

use super::prose;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

const SCHEMAS: &str = "#/components/schemas/";

/// The schemas that descriptions refer to, directly or by way of others, by name.
pub fn used<'a>(
    document: &'a Value,
    described: impl Iterator<Item = &'a Value>,
) -> BTreeMap<&'a str, &'a Value> {
    let mut found = BTreeMap::new();
    let mut open: Vec<&Value> = described.collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                // An example may hold anything.
                let described = members.iter().filter(|(name, _)| *name != "example");
                open.extend(described.map(|(_, value)| value));
                if let Some(name) = named(value)
                    && !found.contains_key(name)
                {
                    let schema = &document["components"]["schemas"][name];
                    found.insert(name, schema);
                    open.push(schema);
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

/// The schema that a reference names.
fn named(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(SCHEMAS)
}

fn anchor(name: &str) -> String {
    format!("object-{name}")
}

/// The permitted values of a schema.
pub fn kind(schema: &Value) -> Markup {
    if let Some(name) = named(schema) {
        return html! { a href={ "#" (anchor(name)) } { (name) } };
    }
    for word in ["anyOf", "oneOf", "allOf"] {
        if let Some(choices) = schema[word].as_array() {
            let joint = if word == "allOf" { " and " } else { " or " };
            // What only narrows another choice is no type of its own.
            let choices = choices.iter().filter(|choice| {
                choice.get("required").is_none() || choice.get("properties").is_some()
            });
            return html! { @for (index, choice) in choices.enumerate() { @if index > 0 { (joint) } (kind(choice)) } };
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return html! { "one of " (values_of(values)) };
    }
    if let Some(value) = schema.get("const") {
        return html! { code { (plain(value)) } };
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        Value::String(kind) => vec![kind],
        _ => vec!["any value"],
    };
    html! {
        @for (index, one) in kinds.iter().enumerate() {
            @if index > 0 { " or " }
            @match *one {
                "array" => { "list of " (kind(&schema["items"])) },
                "object" if schema["additionalProperties"].is_object() => { "map to " (kind(&schema["additionalProperties"])) },
                "string" if schema["format"] == "date-time" => "instant",
                "integer" => "whole number",
                one => (one),
            }
        }
        (limits(schema))
    }
}

/// The bounds of a value.
fn limits(schema: &Value) -> Markup {
    let words = [
        ("minimum", "from"),
        ("maximum", "to"),
        ("minLength", "at least"),
        ("maxLength", "at most"),
        ("minItems", "at least"),
        ("maxItems", "at most"),
    ];
    let bounds = words.iter().filter_map(|(member, word)| {
        let bound = schema.get(*member)?;
        Some(format!("{word} {bound}"))
    });
    let bounds: Vec<String> = bounds.collect();
    html! { @if !bounds.is_empty() { " " span.muted { "(" (bounds.join(", ")) ")" } } }
}

fn values_of(values: &[Value]) -> Markup {
    html! { @for (index, value) in values.iter().enumerate() { @if index > 0 { ", " } code { (plain(value)) } } }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or(value.to_string(), str::to_owned)
}

/// An object with its members, or another schema with what it may be. Its id is that of links to it.
pub fn section(name: &str, schema: &Value) -> Markup {
    let id = anchor(name);
    html! {
        section.card.flush aria-labelledby=(id) {
            h3.pad id=(id) { (name) }
            div.pad { @if let Some(about) = schema["description"].as_str() { (prose::paragraphs(about)) } }
            @match schema["properties"].as_object() {
                Some(_) => (members(name, schema)),
                None => div.pad { p { (kind(schema)) } },
            }
        }
    }
}

/// The table of an object's members.
fn members(name: &str, schema: &Value) -> Markup {
    let required: Vec<&Value> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    let all = schema["properties"].as_object().into_iter().flatten();
    html! {
        table.rows.api {
            caption.sr { "Members of " (name) }
            thead { tr { th scope="col" { "Member" } th scope="col" { "Type" } th scope="col" { "Meaning" } } }
            tbody {
                @for (member, described) in all {
                    tr {
                        th scope="row" {
                            code { (member) }
                            @if required.iter().any(|name| *name == member) { " " span.tag { "always" } }
                        }
                        td { (kind(described)) }
                        td { @if let Some(about) = described["description"].as_str() { (prose::inline(about)) } }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn kinds() {
        for (schema, expected) in [
            (json!({ "type": "string" }), "string"),
            (
                json!({ "type": "string", "format": "date-time" }),
                "instant",
            ),
            (json!({ "type": ["string", "null"] }), "string or null"),
            (
                json!({ "type": "array", "items": { "$ref": "#/components/schemas/Cell" } }),
                "list of <a href=\"#object-Cell\">Cell</a>",
            ),
            (
                json!({ "type": "integer", "minimum": 1, "maximum": 9 }),
                "whole number <span class=\"muted\">(from 1, to 9)</span>",
            ),
            (
                json!({ "type": "string", "enum": ["a", "<b>"] }),
                "one of <code>a</code>, <code>&lt;b&gt;</code>",
            ),
            (
                json!({ "anyOf": [{ "type": "boolean" }, { "type": "null" }] }),
                "boolean or null",
            ),
            (
                json!({ "allOf": [{ "type": "boolean" }, { "required": ["x"] }] }),
                "boolean",
            ),
            (
                json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
                "map to whole number",
            ),
        ] {
            assert_eq!(kind(&schema).into_string(), expected, "{schema}");
        }
    }

    #[test]
    fn what_is_used_is_found_by_way_of_others() {
        let document = json!({ "components": { "schemas": {
            "A": { "properties": { "b": { "$ref": "#/components/schemas/B" } } },
            "B": { "properties": { "a": { "$ref": "#/components/schemas/A" } } },
            "C": {},
        } } });
        let described = json!({ "schema": { "$ref": "#/components/schemas/A" }, "example": { "$ref": "#/components/schemas/C" } });
        let found = used(&document, [&described].into_iter());
        assert_eq!(found.into_keys().collect::<Vec<_>>(), ["A", "B"]);
    }
}
