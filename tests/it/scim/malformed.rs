//! Requests that are wrong: none is answered with 5xx but 501.

use super::*;

fn some(random: &mut Chance, texts: &[&str]) -> Value {
    texts[random.below(texts.len())].into()
}

fn odd_value(random: &mut Chance, depth: usize) -> Value {
    match random.below(if depth > 3 { 7 } else { 9 }) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.below(1 << 30)),
        3 => some(random, &["U1", "U9", "ada", "", "\u{202e}\u{0}", "work"]),
        4 => json!("x".repeat(random.below(1_200))),
        5 => some(
            random,
            &[
                "urn:ietf:params:scim:schemas:core:2.0:User:",
                "[",
                "a.b.c",
                "members[",
                "9",
            ],
        ),
        6 => json!("+4722334455"),
        7 => (0..random.below(4))
            .map(|_| odd_value(random, depth + 1))
            .collect(),
        _ => odd_object(random, depth + 1),
    }
}

fn odd_object(random: &mut Chance, depth: usize) -> Value {
    const NAMES: [&str; 22] = [
        "userName",
        "USERNAME",
        "displayName",
        "name",
        "givenName",
        "formatted",
        "emails",
        "phoneNumbers",
        "value",
        "type",
        "primary",
        "active",
        "timezone",
        "members",
        "Operations",
        "op",
        "path",
        "filter",
        "startIndex",
        "count",
        "id",
        "meta",
    ];
    let mut object = json!({});
    for _ in 0..random.below(5) {
        let name = NAMES[random.below(NAMES.len())];
        object[name] = odd_value(random, depth);
    }
    object
}

fn odd_operation(random: &mut Chance) -> Value {
    const PATHS: [&str; 14] = [
        "userName",
        "emails",
        "emails[type eq \"work\"]",
        "emails[type eq \"work\"].value",
        "members",
        "members[value eq \"U1\"]",
        "name.givenName",
        "name",
        "active",
        "meta",
        "id",
        "urn:x:y",
        "emails[",
        "a[b eq",
    ];
    let verb = some(random, &["add", "remove", "Replace", "x"]);
    let mut operation = json!({ "op": verb });
    if random.below(5) > 0 {
        operation["path"] = some(random, &PATHS);
    }
    if random.below(4) > 0 {
        operation["value"] = odd_value(random, 0);
    }
    operation
}

#[test]
fn nothing_that_is_sent_breaks_it() {
    let rota = Rota::with_people(3);
    rota.add_group("g", &["U1", "U2"]);
    let group = text(&rota.read_scim("/Groups").json()["Resources"][0]["id"]).to_owned();
    let count = if in_full() { 10_000 } else { 600 };
    let mut random = Chance(7);
    for number in 0..count {
        let path = match random.below(9) {
            0 => "/Users".to_owned(),
            1 => "/Groups".to_owned(),
            2 => format!("/Groups/{group}"),
            3 => "/.search".to_owned(),
            4 => "/Users/%FF".to_owned(),
            5 => format!(
                "/Users?filter={}",
                escaped(&odd_value(&mut random, 9).to_string())
            ),
            6 => "/Bulk".to_owned(),
            _ => format!("/Users/U{}", 1 + random.below(4)),
        };
        let method = ["GET", "POST", "PUT", "PATCH", "PATCH", "DELETE"][random.below(6)];
        let body = match random.below(6) {
            0 => odd_value(&mut random, 0).to_string(),
            1 => odd_object(&mut random, 0).to_string().replace(':', ""),
            2 | 3 => json!({ "Operations": (0..random.below(4)).map(|_| odd_operation(&mut random)).collect::<Vec<_>>() }).to_string(),
            _ => odd_object(&mut random, 0).to_string(),
        };
        let answer = rota
            .request(method, &format!("/scim/v2{path}"))
            .header("Content-Type", "application/scim+json")
            .body(body.clone())
            .send();
        let status = answer.status();
        assert!(
            status < 500 || status == 501,
            "{number}: {method} {path} {body}: {status} {}",
            answer.text()
        );
        if status >= 400 {
            let error = answer.json();
            assert_eq!(error["status"], json!(status.to_string()), "{error}");
        }
    }
}

#[test]
fn bounds_are_refused_in_its_form() {
    let rota = Rota::with_people(1);
    let brackets = "emails[".repeat(1_000);
    let patch = rota.patch_scim(
        "/Users/U1",
        json!([{ "op": "replace", "path": brackets, "value": "x" }]),
    );
    refused(patch, 400, "invalidPath");
    let many: Vec<Value> = (0..1_001)
        .map(|_| json!({ "op": "add", "path": "title", "value": "x" }))
        .collect();
    refused(
        rota.patch_scim("/Users/U1", json!(many)),
        400,
        "invalidSyntax",
    );
    let many: Vec<Value> = (0..101)
        .map(|n| json!({ "value": format!("u{n}@x.org") }))
        .collect();
    refused(
        rota.scim(
            "POST",
            "/Users",
            &json!({ "userName": "x", "emails": many }),
        ),
        400,
        "invalidValue",
    );
    let deep = format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000));
    let answer = rota
        .request("POST", "/scim/v2/Users")
        .header("Content-Type", "application/json")
        .body(deep)
        .send();
    refused(answer, 400, "invalidSyntax");
}
