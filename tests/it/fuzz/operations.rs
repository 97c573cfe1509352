//! Every operation of the document with random requests: none causes an internal error, every response matches the document,
//! and the workspace is consistent afterwards.

use super::chance::{Chance, cases};
use super::shapes::{bend, encoded, good_body, query};
use super::world::World;
use crate::cli::succeeds;
use crate::support::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

struct Operation {
    method: String,
    template: String,
    definition: Value,
}

fn operations(document: &Value) -> Vec<Operation> {
    let mut found = Vec::new();
    for (template, item) in document["paths"].as_object().expect("paths") {
        for (method, definition) in item.as_object().expect("a path item") {
            if definition["responses"].is_object() {
                found.push(Operation {
                    method: method.to_uppercase(),
                    template: template.clone(),
                    definition: definition.clone(),
                });
            }
        }
    }
    found
}

/// The path with an id for each parameter, occasionally an unusual one.
fn path(chance: &mut Chance, world: &World, template: &str) -> String {
    let segment = |segment: &str| match segment
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'))
    {
        None => segment.to_owned(),
        Some(name) if chance.once_in(12) => match encoded(&chance.odd_text()) {
            empty if empty.is_empty() => format!("{name}%00"),
            odd => odd,
        },
        Some(name) => encoded(&world.id(chance, name).unwrap_or_default()),
    };
    template
        .split('/')
        .map(segment)
        .collect::<Vec<_>>()
        .join("/")
}

/// The credential, usually a permitted one.
fn credential(
    chance: &mut Chance,
    world: &World,
    rota: &Rota,
    security: &Value,
    actor: Option<&str>,
) -> Option<String> {
    let by_key = || {
        let mut kinds = security.as_array().into_iter().flatten();
        kinds.any(|kind| kind.get("apiKey").is_some())
    };
    match chance.below(30) {
        0 => None,
        1 => Some(format!("svc_key_x_{}", chance.below(5))),
        2..8 => Some(world.token(chance, actor)),
        _ if by_key() => Some(rota.key.clone()),
        _ => Some(world.token(chance, actor)),
    }
}

/// Sends one request to an operation and returns its response.
fn ask(
    chance: &mut Chance,
    world: &mut World,
    rota: &Rota,
    document: &Value,
    operation: &Operation,
) -> Answer {
    let definition = &operation.definition;
    let security = if definition["security"].is_null() {
        &document["security"]
    } else {
        &definition["security"]
    };
    let parameters: Vec<Value> = definition["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|parameter| {
            let target = parameter["$ref"]
                .as_str()
                .and_then(|reference| document.pointer(&reference[1..]));
            target.unwrap_or(parameter).clone()
        })
        .collect();
    let path =
        path(chance, world, &operation.template) + &query(chance, world, document, &parameters);
    let method = match chance.below(60) {
        0 => "PUT",
        1 if operation.method == "GET" => "HEAD",
        _ => &operation.method,
    };
    let content = &definition["requestBody"]["content"]["application/json"]["schema"];
    let described = content.is_object();
    let (mut body, actor) = match described {
        true => good_body(chance, world, rota, document, &operation.template, content),
        false => (Value::Null, None),
    };
    let actor = actor.or_else(|| world.party(&path));
    let caller = match credential(chance, world, rota, security, actor.as_deref()) {
        Some(credential) => rota.with(&credential),
        None => rota.anyone(),
    };
    let mut request = caller.request(method, &path);
    if operation.template.starts_with("/webhook/") && !chance.once_in(15) {
        let key = world
            .inbound
            .iter()
            .rev()
            .find(|(inbound, _)| path.contains(inbound));
        request = rota
            .anyone()
            .request(method, &path)
            .maybe("webhook-key", key.map(|(_, key)| key.clone()));
    }
    let odd_tags = ["\"x\"", "W/\"x\"", "x", "", "\"", "*, *", "\"a\", \"b\""];
    for name in ["If-Match", "If-None-Match", "Idempotency-Key"] {
        let has = parameters
            .iter()
            .any(|parameter| parameter["in"] == "header" && parameter["name"] == name);
        let value = match name {
            _ if !has || chance.once_in(25) => continue,
            "Idempotency-Key" => match chance.below(8) {
                0 => "again".to_owned(),
                1 => "x".repeat(chance.below(300)),
                _ => unique("fuzz"),
            },
            _ if chance.once_in(12) => (*chance.pick(&odd_tags)).to_owned(),
            "If-None-Match" if world.etags.is_empty() || chance.once_in(2) => continue,
            "If-None-Match" => chance.pick(&world.etags).clone(),
            _ if chance.once_in(10) && !world.etags.is_empty() => {
                world.etags.last().unwrap().clone()
            }
            _ => "*".to_owned(),
        };
        request = request.header(name, &value);
    }
    let mut sent = None;
    if described {
        // Text that is damaged, or no body of this kind at all, is refused by the readers, which have their own properties.
        let bytes = match chance.below(10) {
            0..4 => {
                bend(chance, &mut body);
                body.to_string().into_bytes()
            }
            4 if chance.once_in(6) => Vec::new(),
            _ => body.to_string().into_bytes(),
        };
        let kind = match chance.below(30) {
            0 => "text/plain",
            1 => "application/json; charset=utf-8",
            2..10 => PLAIN_JSON,
            _ => PATCH_JSON,
        };
        request = request.header("Content-Type", kind).body(bytes.clone());
        sent = Some(bytes);
    }
    let answer = request.send();
    // A request that succeeds must be valid by the document.
    if let (Some(sent), 200..300) = (sent, answer.status())
        && let Ok(body) = serde_json::from_slice(&sent)
    {
        let fits = Document(document.clone()).fits(content, &body);
        fits.unwrap_or_else(|why| {
            answer.fail(&format!("took what is not described: {why}: {body}"))
        });
    }
    answer
}

/// Checks that a response is not an internal error. The document was checked when it was received.
fn judge(answer: Answer, world: &mut World) -> u16 {
    let status = answer.status();
    if status >= 500 {
        answer.fail("a failure inside");
    }
    if status >= 400 && !answer.what.starts_with("HEAD") {
        let problem = answer.json();
        let code = problem["code"].as_str().unwrap_or_default();
        answer.refused(status, code);
        return status;
    }
    if let Some(etag) = answer.header("etag") {
        world.etags.push(etag.to_owned());
    }
    if status < 300
        && answer
            .header("content-type")
            .is_some_and(|kind| kind.ends_with("json"))
        && !answer.reply.body.is_empty()
    {
        let body = answer.json();
        if body.get("openapi").is_none() {
            world.learn(&body);
        }
    }
    status
}

#[test]
fn every_operation_stands_whatever_it_is_sent() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    let mut world = World::populated(&rota);
    let mut chance = Chance::new();
    let document = rota.anyone().get("/v1/openapi.json").is(200).json();
    let operations = operations(&document);
    let mut done: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for round in 0..cases(40) {
        for operation in &operations {
            // Deletions of rotations or endpoints, which affect all following requests, are less frequent.
            let ends = operation.method == "DELETE"
                && (operation.template.ends_with("{rotationId}")
                    || operation.template.ends_with("{webhookId}"));
            if ends && round % 4 != 3 {
                continue;
            }
            let answer = ask(&mut chance, &mut world, &rota, &document, operation);
            let what = format!("{} {}", operation.method, operation.template);
            let status = judge(answer, &mut world);
            let count = done.entry(what).or_default();
            count.0 += 1;
            count.1 += u32::from(status < 400);
        }
        if round % 4 == 3 {
            world.renew(&rota);
            let endpoints = rota.get("/v1/webhooks").is(200).json();
            if int(&endpoints["totalItems"]) < 3 {
                world.learn(&json!(rota.hook("duty.changed").0.id));
            }
        } else {
            rota.advance(chance.below(40_000) as i64);
            world.plan(&rota);
        }
    }
    let never = done.iter().filter(|(_, (_, good))| *good == 0);
    let never: Vec<&String> = never.map(|(what, _)| what).collect();
    // Later steps of covers depend on earlier ones, and ids differ between runs.
    assert!(
        never.len() * 4 <= operations.len(),
        "too many were never carried out: {never:#?}"
    );

    // Hand-overs continue as scheduled.
    let rotation = rota.rotation("U1 U2");
    let now = rota.now();
    rotation.cover(
        1,
        &[always(cadence(
            "dayOfWeek",
            "UTC",
            plus(&now, DAY).trim_end_matches('Z'),
            json!({}),
        ))],
    );
    let mut held = Vec::new();
    let planned = rotation.schedule(&now, &plus(&now, 16 * DAY));
    for _ in 0..3 {
        held.push(rotation.on_call());
        rota.advance(WEEK);
    }
    assert_eq!(held, ["U1", "U2", "U1"], "{planned:?}");
    let (status, log) = rota.stop();
    assert!(
        status.success() && !log.contains("panicked"),
        "{status}\n{log}"
    );
    assert!(succeeds(&db, "check").is_empty());
}
