//! What a file has, and what it leaves alone.

use crate::cli::{on, succeeds};
use crate::support::*;
use serde_json::{Value, json};

fn page(name: &str, email: &str) -> Value {
    json!({ "id": name, "displayName": name, "email": email })
}

/// rules.md 17.12.
#[test]
fn an_import_leaves_alone_what_no_file_made() {
    let rota = Rota::with_people(2);
    rota.add(page("UP", "up@example.org"));
    rota.add(page("UQ", "uq@example.org"));
    let group = json!({ "id": "GP", "name": "P", "handle": "gp", "userIds": ["UP", "U1"] });
    rota.caller().post("/v1/groups", group).is(201);
    let channel = json!({ "id": "CP", "name": "p" });
    rota.caller().post("/v1/channels", channel).is(201);
    let rotation = rota.daily("UP UQ", 1);
    rota.people(1);
    assert_eq!(rotation.order(), "UP UQ");
    let of = |id: &str| rota.get(&format!("/v1/users/{id}")).is(200).json();
    assert_eq!(of("UP")["isDeleted"], json!(false));
    assert_eq!(of("U2")["isDeleted"], json!(true));
    let group = rota.get("/v1/groups/GP").is(200).json();
    assert_eq!(group["userIds"], json!(["UP", "U1"]));
    rota.get("/v1/channels/CP").is(200);
    // What the file has is the file's from then on.
    let mut all = directory(1);
    all["users"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "id": "UP", "displayName": "Pat", "handle": "pat", "phone": "+4712345678" }));
    rota.import(&all);
    assert_eq!(text(&of("UP")["source"]), "file");
    assert_eq!(text(&of("UP")["contact"]["phone"]), "+4712345678");
    assert_eq!(text(&of("UP")["handle"]), "pat");
    rota.people(1);
    assert_eq!(of("UP")["isDeleted"], json!(true));
    assert_eq!(rotation.order(), "UQ");
    // An address of somebody whom the file does not have.
    let mut all = directory(1);
    all["users"]
        .as_array_mut()
        .unwrap()
        .push(page("UZ", "UQ@example.org"));
    rota.request("PUT", "/dev/directory")
        .json(&all)
        .send()
        .refused(409, "duplicate_address");
    all["users"][1]["phone"] = json!("12");
    rota.request("PUT", "/dev/directory")
        .json(&all)
        .send()
        .names("users[1].phone");
}

/// rules.md 17.12.
#[test]
fn an_export_has_everybody_with_handle_and_number() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(1);
    let mut new = page("UP", "up@example.org");
    new["handle"] = json!("pat");
    new["phone"] = json!("+4712345678");
    rota.add(new);
    let exported: Value = serde_json::from_str(&succeeds(&db, "directory export")).unwrap();
    let users = exported["users"].as_array().unwrap();
    let found = users.iter().find(|user| user["id"] == json!("UP")).unwrap();
    assert_eq!(text(&found["handle"]), "pat");
    assert_eq!(text(&found["phone"]), "+4712345678");
    assert_eq!(found.get("source"), None);
    let file = dir.path().join("people.json");
    std::fs::write(&file, directory(1).to_string()).unwrap();
    let (code, output, _) = run(on(&db, "directory import").arg(&file));
    assert_eq!(code, 0);
    assert!(
        output.contains("left alone, because no file made them: 1 users"),
        "{output}"
    );
}
