//! Changes of files that wait: the newest file holds, and one that says the same is left as it is.

use super::{Shell, weekly_file};
use crate::support::*;
use serde_json::Value;

fn managed(people: &str, more: &str) -> String {
    format!("managed_by = \"team\"\n{}", weekly_file("DB", people, more))
}

/// What waits, as id and instant.
fn waiting(rotation: &Rot) -> Vec<(String, String)> {
    let items = rotation.by.all(&rotation.path("/changes?state=waiting"));
    let one = |item: &Value| (text(&item["id"]).to_owned(), text(&item["at"]).to_owned());
    items.iter().map(one).collect()
}

#[test]
fn the_newest_file_holds() {
    let rota = Rota::with_people(4);
    let shell = Shell::at(&rota);
    shell.file(&managed("U1 U2 U3", ""));
    shell.apply("");
    let rotation = shell.rotation("DB");
    let by_hand = serde_json::json!({
        "operationId": unique("code"), "at": "2026-03-02T09:00:00Z", "rotation": { "description": "by hand" },
    });
    rotation
        .by
        .post_if(&rotation.path("/changes"), "*", by_hand)
        .is(201);
    shell.file(&managed("U1 U2", ""));
    shell.apply("--at 2026-02-02T09:00:00Z");
    let first = waiting(&rotation);
    assert_eq!(first.len(), 2);
    let etag = rotation.etag();
    shell.run("plan team.toml --at 2026-02-02T09:00:00Z").is(0);
    shell.apply("--at 2026-02-02T09:00:00Z");
    assert_eq!(
        (waiting(&rotation), rotation.etag()),
        (first.clone(), etag),
        "one that is the same stays"
    );
    shell.file(&managed("U1 U2 U4", ""));
    shell.apply("--at 2026-02-09T09:00:00Z");
    let second = waiting(&rotation);
    assert_eq!(second.len(), 2, "what was made by hand stays: {second:?}");
    assert!(second[0].1.starts_with("2026-02-09") && second[1] == first[1]);
    shell.file(&managed("U1 U2 U3", ""));
    shell
        .run("plan team.toml")
        .is(2)
        .says(&["changes of this file that wait: cancelled"]);
    shell.apply("");
    assert_eq!(waiting(&rotation), [first[1].clone()]);
    shell.run("plan team.toml").is(0);
}

/// The plan counts out what the file replaces, and tells what waits of others in.
#[test]
fn a_new_file_is_planned_without_its_old_changes() {
    let rota = Rota::with_people(3);
    let shell = Shell::at(&rota);
    shell.file(&managed("U1 U2", ""));
    shell.apply("");
    shell.file(&managed("U1 U2 U3", "description = \"soon\""));
    shell.apply("--at next-hand-over");
    shell.file(&managed("U1 U2", "description = \"later\""));
    let planned = shell.run("plan team.toml --at next-hand-over").is(2);
    planned.says(&["description: none -> \"later\""]);
    shell.apply("--at next-hand-over");
    let rotation = shell.rotation("DB");
    assert_eq!(waiting(&rotation).len(), 1);
    rota.to("2026-01-12T09:00Z");
    assert_eq!(
        (
            rotation.order(),
            text(&rotation.read()["description"]).to_owned()
        ),
        ("U1 U2".into(), "later".into())
    );
}
