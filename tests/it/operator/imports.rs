//! Directory imports print their changes first, and need consent to take people off duty.

use crate::cli::{on, succeeds};
use crate::support::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A server with its own database and six people.
fn running() -> (TempDir, PathBuf, Rota) {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(6);
    (dir, db, rota)
}

/// The directory without these people, also in its groups.
fn without(mut directory: Value, gone: &str) -> Value {
    let gone = words(gone);
    let stays = |id: &Value| !gone.contains(&text(id).to_owned());
    let users = directory["users"].as_array_mut().expect("users");
    users.retain(|user| stays(&user["id"]));
    for group in directory["groups"].as_array_mut().expect("groups") {
        let users = group["userIds"].as_array_mut().expect("people");
        users.retain(stays);
    }
    directory
}

/// The number of people in the workspace.
fn present(rota: &Rota) -> usize {
    rota.caller().all("/v1/users").len()
}

/// rules.md 17.2.
#[test]
fn an_import_prints_what_it_changes() {
    let (dir, db, rota) = running();
    let mut file = without(directory(7), "U2 U3");
    file["users"][0]["email"] = json!("new@example.com");
    file["users"][0]["isAdmin"] = json!(true);
    file["users"][1]["displayName"] = json!("A\u{7}B");
    dir.file("people.json", file.to_string());
    let expected = "\
        added     Person U7 (U7)\n\
        changed   Person U1 (U1): email, admin\n\
        changed   A\\u{7}B (U4): display name\n\
        leaving   Person U2 (U2)\n\
        leaving   Person U3 (U3)\n";
    let (code, output, errors) = run(&mut on(&db, "directory import people.json --dry-run"));
    assert_eq!((code, output.as_str()), (0, expected), "{errors}");
    assert!(errors.contains("nothing was imported"), "{errors}");
    assert_eq!(present(&rota), 6);
    let printed = succeeds(&db, "directory import people.json");
    assert_eq!(printed, expected);
    eventually("the import is seen", || present(&rota) == 5);
    let again = succeeds(&db, "directory import people.json");
    assert_eq!(again, "no person changes\n");
}

/// rules.md 17.3.
#[test]
fn nobody_comes_off_duty_unasked() {
    let (dir, db, rota) = running();
    let on_duty = rota.daily("U1 U2", 1);
    let other = rota.rotation("U1");
    let name = text(&on_duty.get("").is(200).json()["name"]).to_owned();
    let other_name = text(&other.get("").is(200).json()["name"]).to_owned();
    assert_eq!(on_duty.on_call(), "U1");
    let etag = on_duty.etag();
    dir.file("people.json", without(directory(6), "U1").to_string());
    let expected = [
        "leaving   Person U1 (U1)".to_owned(),
        format!(
            "rotation  {name} ({}) loses on duty: Person U1 (U1)",
            on_duty.id
        ),
        format!("rotation  {other_name} ({}) loses everybody", other.id),
    ];
    let same = |output: &str| {
        let mut lines: Vec<&str> = output.lines().collect();
        // Rotations are ordered by id.
        lines.sort_by_key(|line| expected.iter().position(|expected| expected == line));
        assert_eq!(lines, expected);
    };
    let (code, output, errors) = run(&mut on(&db, "directory import people.json"));
    assert_eq!(code, 1, "{errors}");
    same(&output);
    for told in ["people.json", "Person U1 (U1)", "--yes"] {
        assert!(errors.contains(told), "{errors}");
    }
    let (code, output, errors) = run(&mut on(&db, "directory import people.json --dry-run"));
    assert_eq!(code, 0, "{errors}");
    same(&output);
    assert!(errors.contains("needs --yes"), "{errors}");
    let (code, _, errors) = run(&mut on(&db, "directory import people.json --yes --dry-run"));
    assert_eq!(code, 2, "{errors}");
    assert_eq!((present(&rota), on_duty.etag()), (6, etag));
    same(&succeeds(&db, "directory import people.json --yes"));
    eventually("the import is seen", || present(&rota) == 5);
    eventually("the next person is on call", || on_duty.on_call() == "U2");
}

#[test]
fn whoever_leaves_by_a_group_or_as_an_outsider_leaves_duty_too() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    let mut all = directory(4);
    all["groups"] = json!([group("S1", "U1 U2")]);
    rota.import(&all);
    let mut body = new_rotation("U3");
    body["userIds"] = json!([]);
    body["userGroupIds"] = json!(["S1"]);
    let rotation = rota.create(body);
    rotation.cover(1, &[always(daily())]);
    assert_eq!(rotation.on_call(), "U1");
    let mut outside = all.clone();
    outside["users"][0]["isExternal"] = json!(true);
    let mut deleted = all.clone();
    deleted["users"][0]["isDeleted"] = json!(true);
    let mut taken_out = all.clone();
    taken_out["groups"] = json!([group("S1", "U2")]);
    let mut emptied = all.clone();
    emptied["groups"] = json!([]);
    for (file, empty) in [
        (&outside, false),
        (&deleted, false),
        (&taken_out, false),
        (&emptied, true),
    ] {
        dir.file("people.json", file.to_string());
        let (code, output, errors) = run(&mut on(&db, "directory import people.json"));
        assert_eq!(code, 1, "{output}{errors}");
        assert!(output.contains("loses on duty: Person U1 (U1)"), "{output}");
        assert_eq!(output.contains("loses everybody"), empty, "{output}");
    }
    // A person who is not on duty may leave without consent.
    dir.file("people.json", without(all, "U2").to_string());
    succeeds(&db, "directory import people.json");
    eventually("the import is seen", || present(&rota) == 3);
    assert_eq!(rotation.on_call(), "U1");
    // The development route needs no consent.
    rota.import(&emptied);
    assert_eq!(rotation.on_call(), "");
}

/// rules.md 17.3.
#[test]
fn many_do_not_leave_unasked() {
    let (dir, db, rota) = running();
    dir.file("people.json", without(directory(6), "U4 U5 U6").to_string());
    let (code, output, errors) = run(&mut on(&db, "directory import people.json"));
    assert_eq!((code, output.lines().count()), (1, 3), "{output}{errors}");
    assert!(errors.contains("3 of 6 people would leave"), "{errors}");
    assert!(errors.contains("--yes"), "{errors}");
    assert_eq!(present(&rota), 6);
    succeeds(&db, "directory import people.json --yes");
    eventually("the import is seen", || present(&rota) == 3);
    // Two are not many.
    dir.file("people.json", directory(1).to_string());
    succeeds(&db, "directory import people.json");
    eventually("the import is seen", || present(&rota) == 1);
}

#[test]
fn a_dry_run_makes_no_database() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    dir.file("people.json", directory(1).to_string());
    let output = succeeds(&db, "directory import people.json --dry-run");
    assert_eq!(output, "added     Person U1 (U1)\n");
    assert!(!db.exists());
}
