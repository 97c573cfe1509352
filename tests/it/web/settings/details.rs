//! Details and deletion.

use super::{Browser, action, save, undo, world};
use crate::support::{MONDAY, Rota, always, cadence, directory, int, text};
use serde_json::json;

#[test]
fn details_are_saved_and_undone() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "details");
    let before = rotation.read();
    let fields = [
        ("name", "<b>Plat & form</b> \u{202e}\u{1f600}"),
        ("code", "plat"),
        ("description", "Two\nlines"),
        ("public", "true"),
    ];
    let answer = ada.fill(&to, &to, &fields).is(303);
    assert_eq!(
        answer.header("location"),
        Some("/rotations/PLAT/settings/details")
    );
    // Nobody's turn changes, so there is nothing to look at first.
    let after = rotation.read();
    assert_eq!(after["name"], "<b>Plat & form</b> \u{202e}\u{1f600}");
    assert_eq!(after["description"], "Two\nlines");
    assert_eq!(
        (&after["code"], &after["public"]),
        (&json!("PLAT"), &json!(true))
    );
    assert_eq!(after["owners"], before["owners"]);
    assert_eq!(after["enabled"], true);
    let page = ada.follow(&answer);
    assert!(
        page.contains("&lt;b&gt;Plat") && !page.contains("<b>Plat"),
        "{page}"
    );
    undo(&ada, &rotation, &page);
    let restored = rotation.read();
    for member in ["name", "code", "description", "public", "owners", "enabled"] {
        assert_eq!(restored[member], before[member], "{member}");
    }
}

#[test]
fn owners_come_and_go() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "details");
    ada.fill(&to, &to, &[("owners", "U1"), ("owners", "person u3")])
        .is(303);
    assert_eq!(rotation.read()["owners"], json!(["U1", "U3"]));
    // Nobody of that name: what was typed is kept.
    let page = ada
        .fill(&to, &to, &[("owners", "U1"), ("owners", "<nobody>")])
        .is(400)
        .text();
    assert!(
        page.contains("href=\"#f-owners\"") && page.contains("value=\"&lt;nobody&gt;\""),
        "{page}"
    );
    // Without an owner nothing is saved.
    let page = ada.fill(&to, &to, &[("owners", "")]).is(400).text();
    assert!(page.contains("href=\"#f-owners\""), "{page}");
    // Whoever is no owner any more is sent where they may be.
    let answer = ada.fill(&to, &to, &[("owners", "U3")]).is(303);
    let path = format!("/rotations/{}", rotation.id);
    assert_eq!(answer.header("location"), Some(path.as_str()));
    assert!(!ada.follow(&answer).contains(">Undo<"));
    ada.get(&to).is(403);
}

#[test]
fn what_is_wrong_is_linked_and_what_was_typed_is_kept() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    rota.create(json!({ "name": "Other", "code": "TAKEN", "owners": ["U1"] }));
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "details");
    for (name, code, status, field) in [
        ("", "ok", 400, "name"),
        ("Fine", "a b", 400, "code"),
        ("Fine", "taken", 409, "TAKEN"),
    ] {
        let fields = [("name", name), ("code", code), ("description", "kept <i>")];
        let page = ada.fill(&to, &to, &fields).is(status).text();
        let summary = page.find("id=\"errors\"").expect("a summary");
        assert!(summary < page.find("<h1").expect("a heading"));
        assert!(
            page.contains(field) && page.contains("kept &lt;i&gt;"),
            "{field}: {page}"
        );
        assert!(page.contains(&format!("value=\"{code}\"")), "{page}");
    }
    assert_eq!(rotation.read()["code"], json!(null));
}

#[test]
fn disabling_is_undone_and_enabling_is_not() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "details");
    let page = ada.get(&to).is(200).text();
    // An unticked box is not sent.
    let fields: Vec<(String, String)> = crate::web::inputs(crate::web::form(&page, &to))
        .into_iter()
        .filter(|(name, _)| name != "enabled")
        .collect();
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    let looked = ada.post(&to, &fields).is(200).text();
    assert!(looked.contains("What would change"), "{looked}");
    let sure = [("confirmed", "true")];
    let answer = ada.fill_in(&looked, &to, &sure).is(303);
    assert_eq!(rotation.read()["enabled"], false);
    // Sent again it is done once.
    ada.fill_in(&looked, &to, &sure).is(303);
    assert!(ada.follow(&answer).contains("saved"));
    let answer = save(&ada, &to, &[("enabled", "true")]);
    assert_eq!(rotation.read()["enabled"], true);
    assert!(!ada.follow(&answer).contains(">Undo<"));
}

#[test]
fn changed_since_you_looked_says_what_and_by_whom() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "details");
    let page = ada.get(&to).is(200).text();
    rotation
        .patch(json!({ "name": "Renamed <meanwhile>" }))
        .is(200);
    let changed = ada
        .fill_in(&page, &to, &[("description", "mine")])
        .is(412)
        .text();
    assert!(
        changed.contains("Renamed &lt;meanwhile&gt;") && changed.contains("Changes since"),
        "{changed}"
    );
    assert_eq!(rotation.read()["description"], json!(null));
    ada.fill_in(&changed, &to, &[]).is(303);
    assert_eq!(rotation.read()["description"], "mine");
}

#[test]
fn a_rotation_is_deleted_by_its_name() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let hostile = "Ops <script>alert(1)</script> \u{5d0}\u{5d1}";
    rotation.patch(json!({ "name": hostile })).is(200);
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "delete");
    for wrong in ["", "ops", "Ops"] {
        let page = ada.fill(&to, &to, &[("name", wrong)]).is(400).text();
        assert!(
            page.contains("href=\"#f-name\"") && !page.contains("<script>"),
            "{page}"
        );
    }
    let page = ada.get(&to).is(200).text();
    rotation.rotate();
    let changed = ada.fill_in(&page, &to, &[("name", hostile)]).is(412).text();
    let answer = ada.fill_in(&changed, &to, &[]).is(303);
    assert_eq!(answer.header("location"), Some("/rotations"));
    assert!(ada.follow(&answer).contains("was deleted"));
    rotation.get("").is(404);
    let audit = rota.get("/v1/audit?action=deleteRotation").is(200).json();
    assert_eq!(int(&audit["totalItems"]), 1);
    assert_eq!(text(&audit["data"][0]["actor"]["id"]), "U1");
}

#[test]
fn a_plan_too_large_to_be_forecast_keeps_nobody_from_saving() {
    let rota = Rota::at(MONDAY);
    rota.import(&directory(60));
    let people: Vec<String> = (1..=60).map(|n| format!("U{n}")).collect();
    let rotation = rota.rotation(&people.join(" "));
    let times: Vec<String> = (0..48)
        .map(|half| format!("{:02}:{:02}", half / 2, half % 2 * 30))
        .collect();
    let often = cadence(
        "daily",
        "UTC",
        "2026-01-06T09:00",
        json!({ "times": times }),
    );
    rotation.cover(
        20,
        &[always(often.clone()), always(often.clone()), always(often)],
    );
    let refused = rotation
        .by
        .post(&rotation.path("/preview?days=14"), json!({}));
    assert!(text(&refused.is(400).json()["detail"]).contains("too many hand-overs"));
    let ada = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "details");
    ada.fill(&to, &to, &[("name", "Large")]).is(303);
    assert_eq!(rotation.read()["name"], "Large");
    // Where a form always shows first what it changes, it says that this cannot be told.
    let to = action(&rotation, "skips");
    let page = ada
        .fill(&to, &to, &[("skipsAreOffTime", "true")])
        .is(200)
        .text();
    assert!(page.contains("too large to say beforehand"), "{page}");
    ada.fill_in(&page, &to, &[("confirmed", "true")]).is(303);
    assert_eq!(rotation.read()["skipsAreOffTime"], true);
}
