//! Rosters: lists of their own for some cells (follow the sun).

use crate::support::*;
use serde_json::{Value, json};

/// Two lanes, the first on roster `day`, the second on `night`.
fn split<'a>(rota: &'a Rota, people: &str) -> Rot<'a> {
    let rotation = rota.rotation(people);
    put(&rotation, &["day", "night"]);
    rotation
}

#[track_caller]
fn put(rotation: &Rot, rosters: &[&str]) -> Value {
    let mut grid = rotation.grid(rosters.len(), &[always(daily())]);
    for (i, roster) in rosters.iter().enumerate() {
        grid["cells"][i]["rosterId"] = json!(roster);
    }
    rotation.put("/coverage", grid).is(200).json()
}

#[track_caller]
fn next(rotation: &Rot, id: &str) -> i64 {
    int(&roster(&rotation.read(), &json!(id))["nextTurn"])
}

#[track_caller]
fn order(rotation: &Rot, id: &str) -> String {
    order_of(&roster(&rotation.read(), &json!(id)))
}

#[test]
fn a_new_roster_has_all_members_and_a_turn_of_its_own() {
    let rota = Rota::with_people(4);
    let rotation = split(&rota, "U1 U2 U3 U4");
    assert_eq!(
        [order(&rotation, "day"), order(&rotation, "night")],
        ["U1 U2 U3 U4", "U1 U2 U3 U4"]
    );
    // Each deals from its own start; U1 already holds a place when the night is dealt.
    assert_eq!(rotation.holders(), "U1 U2");
    assert_eq!([next(&rotation, "day"), next(&rotation, "night")], [1, 2]);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rotation.holders(), "U2 U3");
    assert_eq!([next(&rotation, "day"), next(&rotation, "night")], [2, 3]);
    let rotation = rota.rotation("U1 U2 U3");
    put(&rotation, &["shared", "shared"]);
    assert_eq!(
        (rotation.holders().as_str(), next(&rotation, "shared")),
        ("U1 U2", 2)
    );
}

#[test]
fn a_roster_is_narrowed_and_reordered() {
    let rota = Rota::with_people(5);
    let rotation = split(&rota, "U1 U2 U3 U4");
    let narrow = |id: &str, body: Value| rotation.put(&format!("/rosters/{id}"), body);
    let etag = rotation.etag();
    let answer = narrow("day", json!({ "userIds": ["U4", "U3"] })).is(200);
    assert_ne!(answer.etag(), etag);
    assert_eq!(order_of(&roster(&answer.json(), &json!("day"))), "U4 U3");
    narrow("night", json!({ "userIds": ["U2", "U1"] })).is(200);
    assert_eq!(
        [order(&rotation, "day"), order(&rotation, "night")],
        ["U4 U3", "U2 U1"]
    );
    // The holder stays until the next hand-over.
    assert_eq!(rotation.holders(), "U1 U2");
    rota.to("2026-01-06T09:00Z");
    let first = rotation.holders();
    assert!(
        ["U4 U2", "U3 U2", "U4 U1", "U3 U1"].contains(&first.as_str()),
        "{first}"
    );
    rota.to("2026-01-08T09:00Z");
    assert_eq!(rotation.holders(), first, "two in each list");
    // Members come and go: a narrowed roster stays as written, the common one follows.
    rotation
        .patch(json!({ "userIds": ["U1", "U2", "U3", "U4", "U5"] }))
        .is(200);
    assert_eq!(
        [order(&rotation, "day"), order(&rotation, "night")],
        ["U4 U3", "U2 U1"]
    );
    assert_eq!(rotation.order(), "U1 U2 U3 U4 U5");
}

#[test]
fn a_roster_of_groups_follows_them() {
    let rota = Rota::with_people(4);
    rota.people_and_groups(4, &[("G1", "U3 U4")]);
    let rotation = rota.create(json!({
        "name": "R", "owners": ["U1"], "userIds": ["U1", "U2"], "userGroupIds": ["G1"],
    }));
    put(&rotation, &["day", "night"]);
    rotation
        .put("/rosters/night", json!({ "userGroupIds": ["G1"] }))
        .is(200);
    assert_eq!(order(&rotation, "night"), "U3 U4");
    rota.people_and_groups(4, &[("G1", "U4")]);
    assert_eq!(order(&rotation, "night"), "U4");
}

#[test]
fn what_a_roster_may_not_be() {
    let rota = Rota::with_people(5);
    let rotation = split(&rota, "U1 U2 U3");
    for body in [
        json!({}),
        json!({ "userIds": [] }),
        json!({ "userIds": [], "userGroupIds": [] }),
        json!({ "userIds": ["U1", "U1"] }),
        json!({ "userIds": ["U5"] }),
        json!({ "userIds": ["U9"] }),
        json!({ "userIds": "U1" }),
        json!({ "userGroupIds": ["G9"] }),
    ] {
        rotation
            .put("/rosters/day", body)
            .refused(400, "invalid_request");
    }
    rotation
        .put("/rosters/other", json!({ "userIds": ["U1"] }))
        .refused(404, "");
    let path = rotation.path("/rosters/day");
    let body = json!({ "userIds": ["U1"] });
    rota.request("PUT", &path)
        .json(&body)
        .send()
        .refused(428, "precondition_required");
    rota.put_if(&path, "\"old\"", body)
        .refused(412, "precondition_failed");
}

#[test]
fn roster_ids_are_kept_as_given_and_gone_when_unused() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    let long = "x".repeat(64);
    for id in ["day", "DAY", "a_B-9", &long] {
        put(&rotation, &[id]);
        let now = rotation.read();
        assert_eq!(text(&now["cells"][0]["rosterId"]), id);
        let named: Vec<_> = now["rosters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["rosterId"].clone())
            .collect();
        assert_eq!(
            named.iter().filter(|id| !id.is_null()).collect::<Vec<_>>(),
            [&json!(id)]
        );
    }
    for id in [
        json!(""),
        json!("a b"),
        json!("å"),
        json!("x".repeat(65)),
        json!(7),
    ] {
        let mut grid = rotation.grid(1, &[always(daily())]);
        grid["cells"][0]["rosterId"] = id;
        rotation.put("/coverage", grid).names("cells[0].rosterId");
    }
    let mut grid = rotation.grid(1, &[always(daily())]);
    grid["cells"][0].as_object_mut().unwrap().remove("rosterId");
    rotation.put("/coverage", grid).names("cells[0].rosterId");
}

#[test]
fn setting_duty_moves_the_turn_of_the_rosters_they_are_in() {
    let rota = Rota::with_people(5);
    let rotation = split(&rota, "U1 U2 U3 U4");
    rotation
        .put("/rosters/day", json!({ "userIds": ["U1", "U2", "U3"] }))
        .is(200);
    let before = next(&rotation, "day");
    // U4 is a member of the rotation but not of the day's roster.
    rotation.put_on_call("U4 U1").is(200);
    assert_eq!(rotation.holders(), "U4 U1");
    assert_eq!(
        [next(&rotation, "day"), next(&rotation, "night")],
        [before, 1]
    );
    rotation.put_on_call("U2 U3").is(200);
    assert_eq!([next(&rotation, "day"), next(&rotation, "night")], [2, 3]);
}
