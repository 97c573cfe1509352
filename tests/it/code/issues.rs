//! What teams complain of in peers: edits that reshuffle the order, take people off call, lose overrides, or begin at once.

use super::{Shell, weekly_file};
use crate::support::*;
use serde_json::json;

/// DB of U1 to U3 by weeks; U2 is on call. With an arrangement of U3 over a day of the next turn.
fn world<'a>(shell: &Shell<'a>) -> (Rot<'a>, serde_json::Value) {
    shell.file(&weekly_file("DB", "U1 U2 U3", ""));
    shell.apply("");
    let rotation = shell.rotation("DB");
    shell.rota.to("2026-01-13T12:00Z");
    assert_eq!(rotation.holders(), "U2");
    let cell = text(&rotation.read()["cells"][0]["id"]).to_owned();
    let body = json!({
        "operationId": unique("code"), "cellId": cell, "userId": "U1",
        "from": "2026-01-14T00:00:00Z", "to": "2026-01-15T00:00:00Z",
    });
    let path = rotation.path("/duty-arrangements");
    let made = rotation.by.post_if(&path, "*", body).is(200).json();
    (rotation, made["arrangements"][0].clone())
}

/// Somebody added in front, removed behind, all reordered: who is on call stays, and so does what is arranged.
#[test]
fn who_is_on_call_stays_and_so_does_what_is_arranged() {
    for people in ["U4 U1 U2 U3", "U2 U1", "U3 U1 U2", "U3 U2 U1"] {
        let rota = Rota::with_people(4);
        let shell = Shell::at(&rota);
        let (rotation, arranged) = world(&shell);
        shell.file(&weekly_file("DB", people, ""));
        let planned = shell.run("plan team.toml").is(2).output;
        assert!(
            !planned.contains("Tue 13 Jan 2026 12:00"),
            "nobody changes now: {planned}"
        );
        shell.apply("");
        assert_eq!(rotation.holders(), "U2", "{people}");
        assert_eq!(rotation.order(), people);
        let path = rotation.path(&format!("/duty-arrangements/{}", text(&arranged["id"])));
        assert_eq!(rota.get(&path).is(200).json(), arranged, "{people}");
        shell.run("plan team.toml").is(0);
    }
}

/// Who goes comes off at once, and whose turn it is next takes over.
#[test]
fn only_who_goes_comes_off() {
    let rota = Rota::with_people(3);
    let shell = Shell::at(&rota);
    let (rotation, _) = world(&shell);
    shell.file(&weekly_file("DB", "U1 U3", ""));
    shell
        .run("plan team.toml")
        .is(2)
        .says(&["Person U3 instead of Person U2", "- Person U2"]);
    shell.apply("");
    assert_eq!(rotation.holders(), "U3");
}

/// A removal at the next hand-over takes effect then, and skips nobody.
#[test]
fn a_removal_waits_for_the_hand_over_and_skips_nobody() {
    let rota = Rota::with_people(3);
    let shell = Shell::at(&rota);
    let (rotation, _) = world(&shell);
    shell.file(&format!(
        "managed_by = \"team\"\n{}",
        weekly_file("DB", "U1 U3", "")
    ));
    let planned = shell.run("plan team.toml --at next-hand-over").is(2);
    planned.says(&["changed from Mon 19 Jan 2026 09:00 UTC", "- Person U2"]);
    let applied = shell
        .run("apply team.toml --yes --at next-hand-over --json")
        .is(0)
        .json();
    assert_eq!(applied["written"][0]["action"], "stage");
    assert_eq!(
        (rotation.holders(), rotation.order()),
        ("U2".into(), "U1 U2 U3".into()),
        "nothing has begun"
    );
    let plan = rotation.schedule("2026-01-19T09:00Z", "2026-02-09T09:00Z");
    let people: Vec<&str> = plan
        .iter()
        .map(|line| line.rsplit(' ').next().unwrap())
        .collect();
    assert_eq!(people, ["U3", "U1", "U3"], "U3 is next, as they were");
    rota.to("2026-01-19T08:59Z");
    assert_eq!(rotation.holders(), "U2");
    rota.to("2026-01-19T09:00Z");
    assert_eq!(
        (rotation.holders(), rotation.order()),
        ("U3".into(), "U1 U3".into())
    );
    shell.run("plan team.toml").is(0);
}

/// Where no hand-over is to come nothing waits for one.
#[test]
fn without_a_hand_over_to_come_nothing_can_wait_for_it() {
    let rota = Rota::with_people(2);
    rota.create(json!({ "name": "x", "code": "MAN", "owners": ["U1"], "userIds": ["U1"] }));
    let shell = Shell::at(&rota);
    shell.file(&format!(
        "{}[[rotation]]\ncode = \"MAN\"\nname = \"y\"\n",
        weekly_file("DB", "U1 U2", "")
    ));
    shell
        .run("plan team.toml --at next-hand-over")
        .is(1)
        .says(&["MAN: "]);
    shell
        .run("apply team.toml --yes --at next-hand-over")
        .is(1)
        .says(&["nothing was written", "MAN: "]);
    assert_eq!(
        rota.get("/v1/rotations").is(200).json()["totalItems"],
        1,
        "DB was not made"
    );
}
