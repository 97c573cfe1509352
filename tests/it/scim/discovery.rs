//! What describes the edge, who may, and how it refuses.

use super::*;

/// rules.md 17.14.
#[test]
fn it_says_what_it_supports() {
    let rota = Rota::with_people(1);
    let service = rota.read_scim("/ServiceProviderConfig").is(200).json();
    for (name, expected) in [
        ("patch", true),
        ("etag", true),
        ("filter", true),
        ("bulk", false),
        ("sort", false),
    ] {
        assert_eq!(service[name]["supported"], json!(expected), "{name}");
    }
    assert_eq!(service["filter"]["maxResults"], json!(200));
    let types = rota.read_scim("/ResourceTypes").is(200).json();
    assert_eq!(types["totalResults"], json!(2));
    assert_eq!(
        text(&rota.read_scim("/ResourceTypes/Group").is(200).json()["endpoint"]),
        "/Groups"
    );
    let schemas = rota.read_scim("/Schemas").is(200).json();
    for schema in schemas["Resources"].as_array().unwrap() {
        let one = rota
            .read_scim(&format!("/Schemas/{}", text(&schema["id"])))
            .is(200)
            .json();
        assert_eq!(one, *schema);
    }
    refused(rota.read_scim("/Schemas/urn:x"), 404, "");
    refused(rota.read_scim("/Nothing"), 404, "");
    refused(rota.read_scim("/Users/nobody"), 404, "");
    for path in ["/ServiceProviderConfig", "/ResourceTypes", "/Schemas"] {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            refused(rota.scim(method, path, &json!({})), 405, "");
        }
    }
    for (method, path) in [("POST", "/Bulk"), ("GET", "/Me"), ("PATCH", "/Me")] {
        refused(rota.scim(method, path, &json!({})), 501, "");
    }
    refused(rota.scim("DELETE", "/Users", &json!({})), 405, "");
}

#[test]
fn only_keys_for_the_directory_of_everything_may() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    let mut people = directory(2);
    people["users"][0]["isAdmin"] = json!(true);
    rota.import(&people);
    let rotation = rota.rotation("U1");
    let make = |more: &str| {
        let line = format!("key create --name scim {more}");
        let printed = crate::cli::succeeds(&db, &line);
        printed.lines().last().unwrap().to_owned()
    };
    let ask = |credential: &str| rota.with(credential).get("/scim/v2/Users");
    ask(&make("--scope manage:directory")).is(200);
    refused(ask(&make("--scope read:directory")), 403, "");
    refused(
        ask(&make(&format!(
            "--scope manage:directory --rotation {}",
            rotation.id
        ))),
        403,
        "",
    );
    refused(ask(&rota.token("U1")), 403, "");
    let answer = rota.anyone().get("/scim/v2/Users");
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    refused(answer, 401, "");
    refused(ask("svc_key_x_y"), 401, "");
}

#[test]
fn bodies_and_answers_have_two_media_types() {
    let rota = Rota::with_people(1);
    let send = |kind: &str, accept: &str| {
        let name = unique("user");
        rota.request("POST", "/scim/v2/Users")
            .header("Content-Type", kind)
            .header("Accept", accept)
            .body(json!({ "userName": name }).to_string())
            .send()
    };
    for (kind, accept, expected) in [
        (
            "application/scim+json",
            "application/scim+json",
            "application/scim+json",
        ),
        (
            "application/json; charset=utf-8",
            "application/json",
            "application/json",
        ),
        ("application/json", "*/*", "application/scim+json"),
    ] {
        let answer = send(kind, accept).is(201);
        assert_eq!(answer.header("content-type"), Some(expected));
    }
    refused(send("text/plain", "*/*"), 415, "");
    let long = json!({ "userName": "x".repeat(10_000_000) });
    refused(rota.scim("POST", "/Users", &long), 413, "");
}

#[test]
fn too_many_requests_are_refused_in_its_form() {
    let rota = Start::default()
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "1")
        .env("ROTA_RATE_LIMIT_BURST", "1")
        .go();
    rota.read_scim("/Users").is(200);
    let answer = rota.read_scim("/Users");
    assert!(answer.header("retry-after").is_some());
    refused(answer, 429, "");
}
