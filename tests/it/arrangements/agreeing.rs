//! The schedule shows arrangements, and matches what happens.

use super::four;
use crate::support::*;
use serde_json::{Value, json};

/// Items as `start end user turn kind`.
fn lines(items: &[Value]) -> Vec<String> {
    let line = |item: &Value| {
        let span = ["start", "end"].map(|member| instant(&item[member]));
        let turn = item
            .get("turn")
            .map_or("-".to_owned(), |turn| int(turn).to_string());
        let response = ["userId", "kind"].map(|member| text(&item[member]));
        format!("{} {} {turn} {}", span.join(" "), response[0], response[1])
    };
    items.iter().map(line).collect()
}

#[test]
fn items_say_which_arrangement_they_are() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let record = rotation.assign(0, "U4", "2026-01-05T12:00Z", "2026-01-07T12:00Z");
    let cancelled = rotation.assign(0, "U3", "2026-01-07T20:00Z", "2026-01-07T22:00Z");
    rotation.end(&cancelled);
    let items = rotation.turns("schedule", MONDAY, "2026-01-08T12:00Z");
    assert_eq!(
        lines(&items),
        [
            "2026-01-05T08:00Z 2026-01-05T12:00Z U1 0 turn",
            "2026-01-05T12:00Z 2026-01-07T12:00Z U4 3 arrangement",
            "2026-01-07T12:00Z 2026-01-08T09:00Z U3 2 turn",
            "2026-01-08T09:00Z 2026-01-09T09:00Z U4 3 turn",
        ]
    );
    let now = rotation.read();
    for (item, id) in items.iter().zip([None, Some(&record["id"]), None, None]) {
        assert_eq!(item.get("arrangementId"), id);
        assert_eq!(item["cellId"], now["cells"][0]["id"]);
    }
    // Not clipped to the requested range, also while running.
    for clock in [MONDAY, "2026-01-06T10:00Z"] {
        rota.to(clock);
        let items = rotation.turns("schedule", "2026-01-06T10:00Z", "2026-01-06T11:00Z");
        assert_eq!(
            lines(&items),
            ["2026-01-05T12:00Z 2026-01-07T12:00Z U4 3 arrangement"]
        );
        assert_eq!(items[0]["arrangementId"], record["id"]);
    }
}

#[test]
fn shut_hours_split_an_arrangement() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2");
    let office = hours(
        "UTC",
        &weekdays("08:00", "16:00"),
        weekly("UTC", "2026-01-12T08:00"),
    );
    rotation.cover(1, &[office]);
    rotation.assign(0, "U2", "2026-01-05T12:00Z", "2026-01-06T18:00Z");
    let items = rotation.turns("schedule", MONDAY, "2026-01-07T08:00Z");
    assert_eq!(
        lines(&items),
        [
            "2026-01-05T08:00Z 2026-01-05T12:00Z U1 0 turn",
            "2026-01-05T12:00Z 2026-01-05T16:00Z U2 1 arrangement",
            "2026-01-05T16:00Z 2026-01-06T08:00Z - - nobody",
            "2026-01-06T08:00Z 2026-01-06T16:00Z U2 1 arrangement",
            "2026-01-06T16:00Z 2026-01-07T08:00Z - - nobody",
        ]
    );
    for item in &items {
        let arranged = item["kind"] == "arrangement";
        assert_eq!(item.get("arrangementId").is_some(), arranged, "{item}");
    }
}

#[test]
fn what_a_preview_does_not_write_is_not_planned() {
    let rota = Rota::with_people(4);
    let rotation = four(&rota);
    let before = rotation.turns("schedule", MONDAY, "2026-01-20T08:00Z");
    rotation.preview(0, "U3", "2026-01-05T12:00Z", "2026-01-07T12:00Z");
    assert_eq!(
        rotation.turns("schedule", MONDAY, "2026-01-20T08:00Z"),
        before
    );
}

#[test]
fn the_plan_with_arrangements_is_what_then_happens() {
    let rota = Rota::with_people(5);
    let rotation = rota.rotation("U1 U2 U3 U4 U5");
    let zone = "Europe/Oslo";
    let windows = [
        hours(zone, &weekdays("08:00", "20:00"), daily()),
        hours(
            zone,
            &weekdays("20:00", "08:00"),
            weekly(zone, "2026-01-07T12:00"),
        ),
    ];
    rotation.cover_doubly(2, &windows);
    rotation.away("U2", "2026-01-08T00:00Z", "2026-01-12T10:00Z");
    rotation.away("U3", "2026-01-10T00:00Z", "2026-01-20T12:34Z");
    for (place, user, from, to) in [
        (0, "U5", "2026-01-05T12:00Z", "2026-01-05T14:00Z"),
        (0, "U4", "2026-01-05T14:00Z", "2026-01-09T14:00Z"),
        (1, "U1", "2026-01-06T09:00Z", "2026-01-07T09:00Z"),
        (1, "U1", "2026-01-12T07:00Z", "2026-01-12T19:00Z"),
        (2, "U5", "2026-01-07T11:00Z", "2026-01-14T11:00Z"),
        (3, "U2", "2026-01-14T03:33Z", "2026-01-14T03:34Z"),
        (3, "U4", "2026-01-17T03:00Z", "2026-02-18T20:00Z"),
    ] {
        rotation.assign(place, user, from, to);
    }
    let (from, to) = ("2026-01-05T08:00Z", "2026-02-15T00:00Z");
    let plan = rotation.turns("schedule", from, to);
    rota.to("2026-02-20T00:00Z");
    let record = rotation.turns("history", from, to);
    let facts = |all: &[Value]| -> Vec<Value> {
        let members = ["start", "end", "userId", "turn", "laneId", "windowId"];
        let fact = |item: &Value| {
            let member = |name: &&str| item.get(*name).cloned().unwrap_or_default();
            members.iter().map(member).collect()
        };
        let later = |item: &&Value| at(text(&item["start"])) > at(from);
        all.iter().filter(later).map(fact).collect()
    };
    let (planned, happened) = (facts(&plan), facts(&record));
    for (planned, happened) in planned.iter().zip(&happened) {
        assert_eq!(planned, happened);
    }
    assert_eq!(planned.len(), happened.len());
    let arranged = plan
        .iter()
        .filter(|item| item["kind"] == json!("arrangement"));
    assert!(arranged.count() > 20);
}
