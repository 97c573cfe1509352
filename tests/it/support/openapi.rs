//! Checks responses against the OpenAPI document that the server publishes: the operation and the status are documented, and
//! the body matches the schema. Supports the part of JSON Schema 2020-12 that generated documents use.

use super::http::Answer;
use super::server::Rota;
use serde_json::{Map, Value};
use std::sync::OnceLock;

pub const PATH: &str = "/v1/openapi.json";

/// All servers are the same binary, so one copy of the document serves all. Nothing is checked while the binary has no
/// document; another test requires that it has one.
pub fn check(rota: &Rota, method: &str, path: &str, answer: &Answer) {
    static DOCUMENT: OnceLock<Option<Document>> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| {
        let answer = rota.anyone().get(PATH);
        (answer.status() == 200).then(|| Document(answer.json()))
    });
    if let Some(document) = document.as_ref().filter(|_| method != "HEAD") {
        document
            .check(method, path, answer)
            .unwrap_or_else(|why| answer.fail(&format!("OpenAPI: {why}")));
    }
}

pub struct Document(pub Value);

type Checked = Result<(), String>;

impl Document {
    fn check(&self, method: &str, path: &str, answer: &Answer) -> Checked {
        let path = path.split('?').next().unwrap_or_default();
        let status = answer.status();
        let Some(item) = self.path_item(path) else {
            return refuse(status != 404, || {
                "a path that the document does not have".to_owned()
            });
        };
        let Some(operation) = item.get(&method.to_ascii_lowercase()) else {
            return refuse(status != 405, || format!("{method} is not described"));
        };
        let responses = operation["responses"]
            .as_object()
            .ok_or("an operation without responses")?;
        let class = format!("{}XX", status / 100);
        let response = [status.to_string().as_str(), &class, "default"]
            .iter()
            .find_map(|key| responses.get(*key))
            .ok_or_else(|| format!("status {status} is not described"))?;
        let response = self.follow(response)?;
        let kind = answer.header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default();
        match response.get("content").and_then(Value::as_object) {
            Some(content) if !content.is_empty() => {
                let media = content
                    .get(kind)
                    .ok_or_else(|| format!("content type {kind:?} is not described"))?;
                match media.get("schema") {
                    Some(schema) if kind.ends_with("json") => self.fits(schema, &answer.json()),
                    _ => Ok(()),
                }
            }
            _ => refuse(!answer.reply.body.is_empty(), || {
                "a body where none is described".to_owned()
            }),
        }
    }

    /// The path item whose template matches, the one with the fewest parameters first.
    fn path_item(&self, path: &str) -> Option<&Map<String, Value>> {
        let segments: Vec<&str> = path.split('/').collect();
        let paths = self.0["paths"].as_object()?;
        let fitting = paths.iter().filter_map(|(template, item)| {
            let template: Vec<&str> = template.split('/').collect();
            let is_parameter = |s: &str| s.starts_with('{') && s.ends_with('}');
            let fits = template.len() == segments.len()
                && template
                    .iter()
                    .zip(&segments)
                    .all(|(t, s)| t == s || (is_parameter(t) && !s.is_empty()));
            fits.then(|| (template.iter().filter(|t| is_parameter(t)).count(), item))
        });
        fitting
            .min_by_key(|(parameters, _)| *parameters)?
            .1
            .as_object()
    }

    fn follow<'a>(&'a self, value: &'a Value) -> Result<&'a Value, String> {
        match value.get("$ref").and_then(Value::as_str) {
            Some(reference) => {
                let pointer = reference
                    .strip_prefix('#')
                    .ok_or_else(|| format!("foreign $ref {reference}"))?;
                let found = self
                    .0
                    .pointer(pointer)
                    .ok_or_else(|| format!("dangling $ref {reference}"))?;
                self.follow(found)
            }
            None => Ok(value),
        }
    }

    /// Whether the value matches the schema. Reasons begin with the path to the value, which is put together on the way out: most
    /// values fit.
    pub fn fits(&self, whole: &Value, value: &Value) -> Checked {
        let schema = match whole {
            Value::Bool(true) => return Ok(()),
            Value::Object(schema) => schema,
            _ => return Err(format!(": nothing fits {whole}")),
        };
        if schema.contains_key("$ref") {
            // In 2020-12 siblings of $ref count too, so this continues with them.
            self.fits(self.follow(whole)?, value)?;
        }
        if let Some(expected) = schema.get("type") {
            let fits = match expected {
                Value::Array(kinds) => kinds.iter().any(|kind| is_kind(kind, value)),
                kind => is_kind(kind, value),
            };
            refuse(!fits, || format!(": {value} is no {expected}"))?;
        }
        if let Some(expected) = schema.get("const") {
            refuse(expected != value, || format!(": {value} is not {expected}"))?;
        }
        if let Some(Value::Array(allowed)) = schema.get("enum") {
            refuse(!allowed.contains(value), || {
                format!(": {value} is none of {allowed:?}")
            })?;
        }
        self.fits_number(schema, value)?;
        self.fits_combination(schema, value)?;
        match value {
            Value::Object(members) => self.fits_object(schema, members),
            Value::Array(items) => match schema.get("items") {
                Some(each) => (items.iter().enumerate()).try_for_each(|(i, item)| {
                    self.fits(each, item).map_err(|why| format!("[{i}]{why}"))
                }),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn fits_number(&self, schema: &Map<String, Value>, value: &Value) -> Checked {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let Some(number) = value.as_f64() else {
            return Ok(());
        };
        refuse(bound("minimum").is_some_and(|least| number < least), || {
            format!(": {number} is too small")
        })?;
        refuse(bound("maximum").is_some_and(|most| number > most), || {
            format!(": {number} is too large")
        })
    }

    fn fits_combination(&self, schema: &Map<String, Value>, value: &Value) -> Checked {
        let list = |name: &str| schema.get(name).and_then(Value::as_array);
        for each in list("allOf").into_iter().flatten() {
            self.fits(each, value)?;
        }
        for (name, only_one) in [("anyOf", false), ("oneOf", true)] {
            let Some(choices) = list(name) else { continue };
            let (mut fitting, mut reasons) = (0, Vec::new());
            for choice in choices {
                match self.fits(choice, value) {
                    Ok(()) => fitting += 1,
                    Err(why) => reasons.push(why),
                }
                if fitting > 0 && !only_one {
                    break;
                }
            }
            refuse(fitting == 0, || {
                format!(": fits no {name}: {}", reasons.join("; "))
            })?;
            refuse(only_one && fitting > 1, || {
                format!(": fits {fitting} of {name}")
            })?;
        }
        Ok(())
    }

    fn fits_object(&self, schema: &Map<String, Value>, members: &Map<String, Value>) -> Checked {
        for name in schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let name = name.as_str().unwrap_or_default();
            refuse(!members.contains_key(name), || {
                format!(": {name} is missing")
            })?;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, member) in members {
            let known = properties.and_then(|known| known.get(name));
            if let Some(known) = known.or_else(|| schema.get("additionalProperties")) {
                self.fits(known, member)
                    .map_err(|why| format!(".{name}{why}"))?;
            }
        }
        Ok(())
    }
}

fn is_kind(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap_or_default() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn refuse(wrong: bool, why: impl FnOnce() -> String) -> Checked {
    if wrong { Err(why()) } else { Ok(()) }
}
