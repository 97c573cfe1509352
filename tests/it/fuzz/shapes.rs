//! Bodies and queries: generated from the document with suitable values, and then corrupted.

use super::chance::Chance;
use super::world::World;
use crate::support::*;
use serde_json::{Map, Value, json};

/// A value for a schema of the document and a member with this name.
pub fn of_schema(
    chance: &mut Chance,
    world: &World,
    document: &Value,
    schema: &Value,
    name: &str,
) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(&reference[1..]).expect("a target");
        return of_schema(chance, world, document, target, name);
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut whole = Map::new();
        for part in parts {
            let made = of_schema(chance, world, document, part, name);
            whole.extend(made.as_object().cloned().unwrap_or_default());
            for needed in part["required"].as_array().into_iter().flatten() {
                whole
                    .entry(text(needed))
                    .or_insert_with(|| word(chance, world, text(needed)));
            }
        }
        return whole.into();
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let one = chance.pick(choices).clone();
            return of_schema(chance, world, document, &one, name);
        }
    }
    if let Some(words) = schema["enum"].as_array() {
        return chance.pick(words).clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => text(chance.pick(kinds)).to_owned(),
        kind => text(kind).to_owned(),
    };
    match kind.as_str() {
        "object" => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let mut members = Map::new();
            for (name, member) in schema["properties"].as_object().into_iter().flatten() {
                if required.contains(&json!(name)) || chance.once_in(2) {
                    members.insert(
                        name.clone(),
                        of_schema(chance, world, document, member, name),
                    );
                }
            }
            members.into()
        }
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
            let most = schema["maxItems"]
                .as_u64()
                .map_or(least + 3, |most| most as usize);
            let count = least + chance.below(most - least + 1).min(3);
            (0..count)
                .map(|_| of_schema(chance, world, document, &schema["items"], name))
                .collect()
        }
        "boolean" => json!(chance.once_in(2)),
        "integer" | "number" => json!(if chance.once_in(3) {
            chance.below(100)
        } else {
            1 + chance.below(4)
        }),
        "null" => Value::Null,
        _ => word(chance, world, name),
    }
}

/// A text for a member or parameter with this name.
fn word(chance: &mut Chance, world: &World, name: &str) -> Value {
    if let Some(id) = world.id(chance, name) {
        return json!(id);
    }
    let days = [
        "2026-01-04",
        "2026-01-06",
        "2026-01-07",
        "2026-01-09",
        "2026-02-28",
        "2027-01-01",
    ];
    json!(match name {
        "from" | "startsAt" | "start" => format!("{}T09:00:00Z", chance.pick(&days)),
        "to" | "until" => format!("{}T21:00:00Z", chance.pick(&days)),
        "timeZone" => (*chance.pick(&[
            "UTC",
            "Europe/Oslo",
            "Pacific/Apia",
            "America/Sao_Paulo",
            "Asia/Kolkata"
        ]))
        .to_owned(),
        "startTime" | "endTime" | "times" =>
            format!("{:02}:{:02}", chance.below(24), chance.below(60)),
        "countryCodes" => (*chance.pick(&["NO", "GB-SCT", "EG"])).to_owned(),
        "operationId" =>
            if chance.once_in(10) {
                "again".to_owned()
            } else {
                unique("fuzz")
            },
        "code" => format!("CODE-{}", chance.below(20)),
        "handle" => format!("duty{}", chance.below(3)),
        "email" => "u1@example.com".to_owned(),
        // Other hosts would be looked up.
        "url" => (*chance.pick(&[
            "http://127.0.0.1:1/hook",
            "https://127.0.0.1:1/",
            "http://[::1]:9/x?y=z",
            "https://10.0.0.1/",
            "ftp://x",
            "x"
        ]))
        .to_owned(),
        "topicTemplate" => "%NAME%: %USER% until %UNTIL%, %FOO%".to_owned(),
        _ => format!("Word {}", chance.below(50)),
    })
}

/// The body of an operation, valid as far as possible.
pub fn good_body(
    chance: &mut Chance,
    world: &World,
    rota: &Rota,
    document: &Value,
    template: &str,
    schema: &Value,
) -> (Value, Option<String>) {
    let mut body = of_schema(chance, world, document, schema, "");
    let mut actor = None;
    let part = |name: &str| template.split('/').any(|part| part == name);
    // Optional members may be null.
    let Some(members) = body.as_object_mut() else {
        return (body, actor);
    };
    if template.ends_with("/coverage") && !chance.once_in(4) {
        let rotation = world.focus(rota);
        if rotation.get("").status() == 200 {
            return (grid(chance, world, document, &rotation), actor);
        }
    } else if part("duty-arrangements") || part("cover-requests") {
        let turn = world.turn(chance);
        for name in ["cellId", "from", "to"] {
            if members.contains_key(name) {
                members.insert(name.to_owned(), turn[name].clone());
            }
        }
        if members.contains_key("from") && !chance.once_in(4) {
            members.remove("turnSelection");
            members.remove("arrangementId");
        }
        if members.contains_key("recipientUserIds") {
            let holder = turn["holderUserId"].clone();
            let others = ["U1", "U2", "U3"]
                .into_iter()
                .filter(|user| holder != *user);
            members.insert("recipientUserIds".to_owned(), others.collect());
            actor = Some(text(&holder).to_owned());
        }
    } else if part("swap-requests") && members.contains_key("legs") {
        let legs: Vec<Value> = ["a", "b"]
            .iter()
            .map(|key| {
                let mut leg = world.turn(chance);
                leg["key"] = json!(key);
                leg
            })
            .collect();
        members.insert(
            "recipientUserId".to_owned(),
            legs[1]["holderUserId"].clone(),
        );
        actor = Some(text(&legs[0]["holderUserId"]).to_owned());
        members.insert("legs".to_owned(), json!(legs));
    }
    if !chance.once_in(4) {
        members.remove("acknowledgedConflictIds");
    }
    if members.contains_key("expectedRevision") || template.ends_with("/changes") {
        members.insert(
            "expectedRevision".to_owned(),
            json!(if chance.once_in(4) { 2 } else { 1 }),
        );
    }
    if part("on-duty-group") {
        *members = json!({ "handle": "duty" })
            .as_object()
            .cloned()
            .expect("an object");
    }
    for name in ["owners", "userIds", "userGroupIds", "channels"] {
        if members.contains_key(name) && !chance.once_in(6) {
            let some: &[Value] = match name {
                "owners" => &[json!(["U1"]), json!(["U2", "U1"])],
                "userIds" => &[json!(["U1", "U2", "U3"]), json!(["U3", "U1"]), json!([])],
                "userGroupIds" => &[json!(["G1"]), json!([])],
                _ => &[json!(["C1"]), json!(["C2", "C1"])],
            };
            members.insert(name.to_owned(), chance.pick(some).clone());
        }
    }
    if members.get("lanes").is_some_and(|lanes| !lanes.is_array()) {
        members.insert("lanes".to_owned(), json!(1 + chance.below(3)));
    }
    (body, actor)
}

/// A grid of the rotation, with cadences of every kind.
fn grid(chance: &mut Chance, world: &World, document: &Value, rotation: &Rot) -> Value {
    let schema = |name: &str| document["components"]["schemas"][name].clone();
    let windows: Vec<Value> = (0..1 + chance.below(2))
        .map(|_| {
            let mut cadence = of_schema(chance, world, document, &schema("CadenceRequest"), "");
            let members = cadence.as_object_mut().expect("an object");
            for (name, value) in [
                ("timeZone", json!("Europe/Oslo")),
                ("startsAt", json!("2026-01-06T09:00")),
                ("countryCodes", json!(["NO"])),
                ("daysOfWeek", json!(["monday", "friday"])),
                ("dayOfWeek", json!("friday")),
                ("weeksInMonth", json!([1, 5])),
                ("times", json!(["09:00", "21:00"])),
            ] {
                members.entry(name).or_insert(value);
            }
            let kinds = [
                "dayOfWeek",
                "daysOfWeekList",
                "dayOfMonth",
                "nthWeekdayOfMonth",
                "daily",
                "workday",
            ];
            members.insert("type".to_owned(), json!(chance.pick(&kinds)));
            let mut window = always(cadence);
            if chance.once_in(2) {
                window["coverage"] =
                    coverage("monday 08:00 - friday 16:00, saturday 10:00 - saturday 12:00");
            }
            window
        })
        .collect();
    let mut grid = rotation.grid(1 + chance.below(3), &windows);
    if !chance.once_in(4) {
        grid["cells"][0]["rosterId"] = json!("day");
    }
    grid
}

/// The JSON pointers of all values within a value, the value itself first.
fn places(value: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| (at.to_string(), item))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), member))
            .collect(),
        _ => Vec::new(),
    };
    for (name, inner) in inner {
        found.extend(
            places(inner)
                .into_iter()
                .map(|below| format!("/{name}{below}")),
        );
    }
    found
}

/// Replaces a few values of a body with unusual ones.
pub fn bend(chance: &mut Chance, body: &mut Value) {
    for _ in 0..1 + chance.below(2) {
        let all = places(body);
        let pointer = chance.pick(&all).clone();
        // A host would be looked up.
        if pointer.ends_with("/url") {
            continue;
        }
        let odd = chance.odd_value(3);
        match (chance.below(4), pointer.rsplit_once('/')) {
            (0, Some((parent, name))) => {
                if let Some(Value::Object(members)) = body.pointer_mut(parent) {
                    members.remove(name);
                }
            }
            (1, Some((parent, _))) => {
                let one = body.pointer(&pointer).cloned();
                if let (Some(Value::Array(items)), Some(one)) = (body.pointer_mut(parent), one) {
                    let many = *chance.pick(&[1, 25, 60]);
                    items.resize(items.len() + many, one);
                }
            }
            _ => {
                if let Some(place) = body.pointer_mut(&pointer) {
                    *place = odd;
                }
            }
        }
    }
}

/// A query with parameters of an operation, as text.
pub fn query(chance: &mut Chance, world: &World, document: &Value, parameters: &[Value]) -> String {
    let mut pairs = Vec::new();
    for parameter in parameters
        .iter()
        .filter(|parameter| parameter["in"] == "query")
    {
        let name = text(&parameter["name"]);
        if parameter["required"] == json!(true) && !chance.once_in(12) || chance.once_in(3) {
            let value = match name {
                _ if chance.once_in(6) => chance.odd_text(),
                "cursor" if !world.cursors.is_empty() => chance.pick(&world.cursors).clone(),
                "sort" => (*chance.pick(&["name", "-name", "createdAt", "-updatedAt"])).to_owned(),
                "page" | "pageSize" => (1 + chance.below(3)).to_string(),
                "q" => (*chance.pick(&["a", "word", "%", "_", "'"])).to_owned(),
                _ => match of_schema(chance, world, document, &parameter["schema"], name) {
                    Value::String(text) => text,
                    other => other.to_string(),
                },
            };
            pairs.push(format!("{name}={}", encoded(&value)));
        }
    }
    if chance.once_in(20) {
        pairs.push(
            (*chance.pick(&[
                "unknown=1",
                "%zz=1",
                "sort=name&sort=name",
                "&&=",
                "expand=users",
                "page=0",
                "a=%ff",
            ]))
            .to_owned(),
        );
    }
    if pairs.is_empty() {
        String::new()
    } else {
        format!("?{}", pairs.join("&"))
    }
}

/// Percent-encoded as one segment or one value; short enough for a head.
pub fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().take(600).map(byte).collect()
}
