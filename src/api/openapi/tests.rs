use super::*;
use std::collections::{HashMap, HashSet};

#[test]
fn every_route_is_described() {
    let document = document();
    let mut ids = HashSet::new();
    for row in ROUTES {
        let operation = &document["paths"][row.pattern][row.method.to_ascii_lowercase()];
        let name = format!("{} {}", row.method, row.pattern);
        for member in ["operationId", "summary", "description"] {
            assert!(
                operation[member]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{name}: {member}"
            );
        }
        assert!(
            ids.insert(operation["operationId"].to_string()),
            "{name}: an id of its own"
        );
        assert!(
            TAGS.iter().any(|(tag, _)| *tag == row.operation.tag),
            "{name}: a known tag"
        );
        let responses = operation["responses"].as_object().expect("responses");
        assert!(
            responses.keys().any(|status| status.starts_with('2')),
            "{name}: a success"
        );
        for status in ["400", "408", "413", "431", "500"] {
            assert!(responses.contains_key(status), "{name}: {status}");
        }
    }
}

/// The attempts of a delivery are always one page.
#[test]
fn every_envelope_has_pages() {
    let document = document();
    for row in ROUTES {
        let operation = &document["paths"][row.pattern][row.method.to_ascii_lowercase()];
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        let schema = match schema["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
            Some(pointer) => document.pointer(pointer).expect("a schema"),
            None => schema,
        };
        let members = schema["properties"].as_object();
        let is_envelope = members.is_some_and(|members| members.contains_key("totalPages"));
        let taken = row.operation.parameters().map(|parameter| parameter.name);
        let taken = taken.filter(|name| ["page", "pageSize"].contains(name));
        let whole = row.operation.id == "listDeliveryAttempts";
        let expected = if is_envelope && !whole { 2 } else { 0 };
        assert_eq!(taken.count(), expected, "{} {}", row.method, row.pattern);
        assert!(is_envelope || !whole);
    }
}

/// The client that openapi-python-client generates has a variable named as the model beside one for each of its members.
#[test]
fn no_schema_has_a_member_of_its_own_name() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object();
    for (name, schema) in schemas.expect("schemas") {
        let members = schema["properties"].as_object().into_iter().flatten();
        for (member, _) in members {
            assert!(!member.eq_ignore_ascii_case(name), "{name}.{member}");
        }
    }
}

#[test]
fn references_lead_somewhere_and_shapes_agree() {
    let document = document();
    check_references(&document, &document);
    // A type that is sent and received must have the same schema: there is one schema per name.
    let mut maker = Maker::new();
    ROUTES.iter().for_each(|row| drop(maker.operation(row)));
    let sent = maker.sent.take_definitions(true);
    assert!(sent.contains_key("Stretch"));
    for (name, mut schema) in maker.read.take_definitions(true) {
        if let Some(mut other) = sent.get(&name).cloned() {
            tidy(&mut schema);
            tidy(&mut other);
            assert_eq!(schema, other, "{name}");
        }
    }
}

/// Operations refer to refusals by name, so each name has one list of codes.
#[test]
fn refusals_of_one_name_are_the_same() {
    let mut known = HashMap::new();
    for row in ROUTES {
        for (status, codes) in refusals::of(row) {
            let name = refusals::name(status, &codes);
            let first = known.entry(name.clone()).or_insert_with(|| codes.clone());
            assert_eq!(*first, codes, "{name}: {} {}", row.method, row.pattern);
        }
    }
    assert!(known.contains_key("Refused409.webhook_endpoint_disabled.no_rotation"));
}

#[test]
fn events_are_described() {
    let document = document();
    let event = &document["webhooks"]["event"]["post"];
    let parts = &event["requestBody"]["content"]["application/json"]["schema"]["allOf"];
    assert_eq!(parts[0]["required"], json!(["deliveryId"]));
    assert_eq!(
        parts[1],
        json!({ "$ref": "#/components/schemas/EventBody" })
    );
    let body = &document["components"]["schemas"]["EventBody"];
    assert_eq!(
        body["required"],
        json!(["eventType", "teamId", "rotationId", "timestamp"])
    );
    // A member without a value is absent, so none may be null.
    assert!(!body.to_string().contains("\"null\""), "{body}");
    let names: Vec<&str> = event["parameters"]
        .as_array()
        .expect("parameters")
        .iter()
        .filter_map(|parameter| parameter["name"].as_str())
        .collect();
    assert_eq!(names, ["Service-Timestamp", "Service-Signature"]);
}

fn check_references(document: &Value, value: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let pointer = reference
                    .strip_prefix('#')
                    .expect("a reference within the document");
                assert!(document.pointer(pointer).is_some(), "{reference}");
            }
            members
                .values()
                .for_each(|member| check_references(document, member));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| check_references(document, item)),
        _ => {}
    }
}
