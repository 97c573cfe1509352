//! The examples of the OpenAPI document: a request and an answer of every operation, as a run gave them.
//!
//! `walk` makes the run. Its exchanges are in `src/api/openapi/examples.json`, which the document is made of; a run must give
//! the same again. After a change, `ROTA_RECORD_EXAMPLES=1 cargo test --test it api::examples` writes the file anew.

mod stable;
mod walk;

use crate::support::*;
use serde_json::{Map, Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/api/openapi/examples.json");

/// Every operation of a document with its method and path.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let items = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation))
    });
    items.collect()
}

#[test]
fn the_examples_are_those_of_a_run() {
    let run = walk::run();
    if std::env::var_os("ROTA_RECORD_EXAMPLES").is_some() {
        std::fs::write(FILE, &run).expect("the file of examples");
        return;
    }
    let kept = std::fs::read_to_string(FILE).expect("the file of examples");
    for (kept, run) in kept.lines().zip(run.lines()) {
        assert_eq!(
            kept, run,
            "a run gives another example; ROTA_RECORD_EXAMPLES=1 writes the file anew"
        );
    }
    assert_eq!(kept.lines().count(), run.lines().count());
}

/// A new operation needs a step in `walk`.
#[test]
fn every_operation_has_examples_that_fit_its_schemas() {
    let rota = Rota::at(MONDAY);
    let document = Document(rota.anyone().get("/v1/openapi.json").is(200).json());
    for (method, path, operation) in operations(&document.0) {
        let what = format!("{method} {path}");
        let fits = |schema: &Value, example: &Value| {
            let fits = document.fits(schema, example);
            fits.unwrap_or_else(|why| panic!("{what}: {why}"));
        };
        for parameter in operation["parameters"].as_array().unwrap() {
            let example = &parameter["example"];
            if !example.is_null() {
                fits(&parameter["schema"], example);
            }
            let needed = parameter["required"] == json!(true);
            assert!(!needed || !example.is_null(), "{what}: {parameter}");
        }
        if let Some(content) = operation["requestBody"]["content"].as_object() {
            let media = &content["application/json"];
            assert!(
                media.get("example").is_some(),
                "{what}: no example of a body"
            );
            fits(&media["schema"], &media["example"]);
        }
        let answers = operation["responses"].as_object().unwrap().iter();
        let answers = answers.filter(|(status, _)| status.starts_with('2'));
        let mut shown = 0;
        for (_, answer) in answers {
            let Some(content) = answer["content"].as_object() else {
                shown += 1;
                continue;
            };
            for media in content
                .values()
                .filter(|media| media.get("example").is_some())
            {
                fits(&media["schema"], &media["example"]);
                shown += 1;
            }
        }
        assert!(shown > 0, "{what}: no example of an answer");
    }
}

/// A stranger in any object of an example is refused by its path, and an unknown query parameter as well: both before the
/// resource is looked for, so the ids need not be there.
#[test]
fn no_operation_passes_over_what_it_does_not_know() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(1);
    let rotation = rota.rotation("U1");
    let inbound = rotation.inbound();
    let (key, person) = (rota.caller(), rota.with(&rota.token("U1")));
    let copier = crate::cli::key(&db, "--scope replicate");
    let copier = rota.with(&copier);
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    for (method, template, operation) in operations(&document) {
        let person_only = operation["security"] == json!([{ "memberToken": [] }]);
        let by = match person_only {
            true => &person,
            false if template.starts_with("/v1/replica") => &copier,
            false => &key,
        };
        let path = template.replace("/webhook/{webhookPath}", &inbound.path);
        let path = path.replace(['{', '}'], "");
        let request = |path: &str| {
            let request = by.request(&method, path).header("If-Match", "*");
            let request = request.header("Idempotency-Key", &unique("strict"));
            request.header("webhook-key", &inbound.key)
        };
        let asked = request(&format!("{path}?pagesiz=1"))
            .json(&json!({}))
            .send();
        let problem = asked.refused(400, "invalid_request");
        let detail = text(&problem["detail"]);
        assert!(
            detail.starts_with("pagesiz: unknown; "),
            "{template}: {detail}"
        );
        let paged = operation["parameters"].to_string().contains("\"pageSize\"");
        let near = detail.ends_with("did you mean pageSize?");
        assert_eq!(near, paged, "{template}: {detail}");
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        for (pointer, place) in objects(example, String::new(), String::new()) {
            let mut body = example.clone();
            let members = body.pointer_mut(&pointer).and_then(Value::as_object_mut);
            members
                .expect("an object")
                .insert("xUnknown".to_owned(), json!([{}]));
            let problem = request(&path)
                .json(&body)
                .send()
                .refused(400, "invalid_request");
            let detail = text(&problem["detail"]);
            let expected = format!("{place}xUnknown: unknown; ");
            assert!(
                detail.starts_with(&expected),
                "{method} {template}: {detail}"
            );
        }
    }
}

/// The objects in a value: a JSON pointer to each, and the path that a refusal of its members begins with.
fn objects(value: &Value, pointer: String, place: String) -> Vec<(String, String)> {
    let below = |members: &Map<String, Value>| -> Vec<(String, String)> {
        let inner = members.iter().flat_map(|(name, inner)| match inner {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                let each = items.flat_map(|(at, item)| {
                    let pointer = format!("{pointer}/{name}/{at}");
                    objects(item, pointer, format!("{place}{name}[{at}]."))
                });
                each.collect()
            }
            inner => objects(
                inner,
                format!("{pointer}/{name}"),
                format!("{place}{name}."),
            ),
        });
        inner.collect()
    };
    match value.as_object() {
        None => Vec::new(),
        Some(members) => {
            let mut found = vec![(pointer.clone(), place.clone())];
            found.extend(below(members));
            found
        }
    }
}
