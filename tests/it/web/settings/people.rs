//! People and their order.

use super::{Browser, action, confirmed, save, undo, world};
use crate::support::{MONDAY, Rota, directory};
use crate::support::{Rot, group};
use serde_json::json;

fn step(browser: &Browser, rotation: &Rot, step: &str, more: &[(&str, &str)]) -> String {
    let to = action(rotation, "people");
    let mut fields = vec![("step", step)];
    fields.extend_from_slice(more);
    let answer = save(browser, &to, &fields);
    browser.follow(&answer)
}

#[test]
fn the_order_is_changed_step_by_step() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    for (asked, order) in [
        ("down U1", "U2 U1 U3"),
        ("up U3", "U2 U3 U1"),
        ("first U1", "U1 U2 U3"),
        ("remove U3", "U1 U2"),
    ] {
        let page = step(&ada, &rotation, asked, &[]);
        assert_eq!(rotation.order(), order, "{asked}");
        assert!(page.contains("role=\"status\""), "{asked}");
    }
    let page = step(&ada, &rotation, "add", &[("userIds", "u4@example.com")]);
    assert_eq!(rotation.order(), "U1 U2 U4");
    undo(&ada, &rotation, &page);
    assert_eq!(rotation.order(), "U1 U2");
    // Nobody's turn was touched.
    assert_eq!(rotation.on_call(), "U1");
}

#[test]
fn somebody_is_made_the_next() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let page = step(&ada, &rotation, "next U3", &[]);
    assert_eq!(rotation.next_turn(), 2);
    undo(&ada, &rotation, &page);
    assert_eq!(rotation.next_turn(), 1);
    step(&ada, &rotation, "next U3", &[]);
    rota.to("2026-01-06T09:00:00Z");
    assert_eq!(rotation.on_call(), "U3");
}

#[test]
fn removing_somebody_on_duty_shows_who_comes_instead() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U5");
    let to = action(&rotation, "people");
    let page = ada.fill(&to, &to, &[("step", "remove U1")]).is(200).text();
    assert_eq!(rotation.on_call(), "U1");
    assert!(
        page.contains("What would change") && page.contains("Person U2"),
        "{page}"
    );
    let answer = ada.fill_in(&page, &to, &[("confirmed", "true")]).is(303);
    assert_eq!(
        (rotation.order(), rotation.on_call()),
        ("U2 U3".into(), "U2".into())
    );
    assert!(!ada.follow(&answer).contains(">Undo<"));
    // Sent again it is done once.
    ada.fill_in(&page, &to, &[("confirmed", "true")]).is(303);
    assert_eq!(rotation.order(), "U2 U3");
}

#[test]
fn every_step_shows_who_carries_more_before_it_is_saved() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "people");
    for asked in ["down U2", "remove U3", "next U3", "add"] {
        let fields = [("step", asked), ("userIds", "U4")];
        let before = rotation.read();
        let page = ada.fill(&to, &to, &fields).is(200).text();
        assert_eq!(rotation.read(), before, "{asked}");
        for said in ["What would change", "Now planned", "Who is on call changes"] {
            assert!(page.contains(said), "{asked}: {page}");
        }
        if matches!(asked, "remove U3" | "add") {
            assert!(
                page.contains("Hours on call in these days"),
                "{asked}: {page}"
            );
        }
        // The way back keeps the rotation as it is.
        let back = ada.fill_in(&page, &to, &[("edit", "true")]).is(200).text();
        assert!(back.contains("id=\"order\""), "{back}");
        assert_eq!(rotation.read(), before, "{asked}");
    }
}

#[test]
fn nobody_of_that_name_is_said() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "people");
    for typed in ["\"nobody\" <x>", ""] {
        let fields = [("step", "add"), ("userIds", typed)];
        let page = ada.fill(&to, &to, &fields).is(400).text();
        assert!(page.contains("href=\"#f-userIds\""), "{page}");
        assert!(
            typed.is_empty() || page.contains("value=\"&quot;nobody&quot; &lt;x&gt;\""),
            "{page}"
        );
    }
    // An empty rotation says what to do.
    let empty = rota.create(json!({ "name": "Empty", "owners": ["U1"] }));
    let page = ada.get(&action(&empty, "people")).is(200).text();
    assert!(page.contains("Add the first person"), "{page}");
}

#[test]
fn a_step_fits_the_order_that_others_changed() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "people");
    let page = ada.get(&to).is(200).text();
    rotation
        .patch(json!({ "userIds": ["U3", "U2", "U1", "U4"] }))
        .is(200);
    let changed = ada
        .fill_in(&page, &to, &[("step", "first U1")])
        .is(412)
        .text();
    assert!(changed.contains("Changes since"), "{changed}");
    confirmed(&ada, &to, ada.fill_in(&changed, &to, &[]));
    assert_eq!(rotation.order(), "U1 U3 U2 U4");
}

#[test]
fn user_groups_are_followed() {
    let rota = Rota::at(MONDAY);
    let mut file = directory(5);
    file["groups"] = json!([group("G1", "U4 U5"), group("G2", "U3")]);
    file["groups"][1]["name"] = json!("<G two>");
    rota.import(&file);
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let page = step(&ada, &rotation, "follow", &[("userGroupIds", "G1")]);
    assert_eq!(rotation.order(), "U1 U2 U4 U5");
    assert!(
        page.contains("&lt;G two&gt;") && page.contains("by way of a user group"),
        "{page}"
    );
    undo(&ada, &rotation, &page);
    assert_eq!(rotation.order(), "U1 U2");
    step(&ada, &rotation, "follow", &[("userGroupIds", "G2")]);
    step(&ada, &rotation, "leave G2", &[]);
    assert_eq!(rotation.order(), "U1 U2");
}
