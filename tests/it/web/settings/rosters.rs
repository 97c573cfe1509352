//! Rosters: which list a place deals from, their order, and who is next.

use super::{Browser, action, save, undo, world};
use crate::support::{Rot, order_of, roster};
use serde_json::json;

fn order(rotation: &Rot, id: &str) -> String {
    order_of(&roster(&rotation.read(), &json!(id)))
}

#[test]
fn a_place_deals_from_a_roster_of_its_own() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 2);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "rosters");
    let page = ada.get(&to).is(200).text();
    // Not a name of a roster: kept and linked.
    let fields = [("step", "cells"), ("cells[1].rosterId", "a b")];
    let wrong = ada.fill_in(&page, &to, &fields).is(400).text();
    assert!(
        wrong.contains("href=\"#f-cells[1].rosterId\"") && wrong.contains("value=\"a b\""),
        "{wrong}"
    );
    let fields = [("step", "cells"), ("cells[1].rosterId", "back")];
    let looked = ada.fill_in(&page, &to, &fields).is(200).text();
    ada.fill_in(&looked, &to, &[("confirmed", "true")]).is(303);
    assert_eq!(rotation.read()["cells"][1]["rosterId"], "back");
    assert_eq!(order(&rotation, "back"), "U1 U2 U3");
    // Its own order, some of the people, and who is next.
    for (step, expected) in [
        ("down U1", "U2 U1 U3"),
        ("remove U3", "U2 U1"),
        ("add", "U2 U1 U3"),
    ] {
        let fields = [("step", step), ("rosterId", "back"), ("userIds", "U3")];
        let answer = save(&ada, &to, &fields);
        assert_eq!(order(&rotation, "back"), expected, "{step}");
        if step != "down U1" {
            undo(&ada, &rotation, &ada.follow(&answer));
            assert_ne!(order(&rotation, "back"), expected, "{step}");
            save(&ada, &to, &fields);
        }
    }
    let window = rotation.read()["windows"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let field = format!("nextTurns.{window}");
    for (id, shown) in [("back", json!("back")), ("", json!(null))] {
        let was = roster(&rotation.read(), &shown)["nextTurn"].clone();
        let fields = [("step", "turns"), ("rosterId", id), (field.as_str(), "0")];
        let answer = save(&ada, &to, &fields);
        assert_eq!(roster(&rotation.read(), &shown)["nextTurn"], 0);
        if was != 0 {
            undo(&ada, &rotation, &ada.follow(&answer));
            assert_eq!(roster(&rotation.read(), &shown)["nextTurn"], was);
        }
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "rosters");
    let page = ada.get(&to).is(200).text();
    let window = rotation.read()["windows"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let field = format!("nextTurns.{window}");
    let wrong = ada
        .fill_in(&page, &to, &[("step", "turns"), (field.as_str(), "7")])
        .is(400)
        .text();
    assert!(wrong.contains("id=\"errors\""), "{wrong}");
    ada.fill_in(&page, &to, &[("step", "up U1"), ("rosterId", "gone")])
        .is(404);
}
