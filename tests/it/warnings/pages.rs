//! What pages show of warnings.

use super::*;
use crate::web::Browser;

#[test]
fn they_are_listed_counted_and_switched_off() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1", 1);
    rotation.patch(json!({ "public": true })).is(200);
    rotation.away("U1", "2026-01-07T00:00Z", "2026-01-09T00:00Z");
    let owner = Browser::signed_in(&rota, "U1");
    let path = format!("/rotations/{}/warnings", rotation.id);
    let page = owner.get(&path).is(200).text();
    for kind in ["nobody", "noFallback", "absentOnDuty"] {
        assert!(
            page.contains(&format!("data-kind=\"{kind}\"")),
            "{kind} in {page}"
        );
    }
    assert!(page.contains("Nobody is on call for "), "{page}");
    let short = owner.get(&format!("{path}?days=1")).is(200).text();
    assert!(!short.contains("data-kind=\"nobody\""), "{short}");
    owner.get(&format!("{path}?days=0")).is(400);
    // A count on the first page and on that of the rotation.
    eventually("the notes are counted", || {
        let page = owner.get("/").is(200).text();
        page.contains(" smaller note")
    });
    let own = owner
        .get(&format!("/rotations/{}", rotation.id))
        .is(200)
        .text();
    let link = format!("href=\"/rotations/{}/warnings\"", rotation.id);
    assert!(own.contains(&link), "{own}");
    // Whoever may not edit has no form.
    let other = Browser::signed_in(&rota, "U2");
    let theirs = other.get(&path).is(200).text();
    assert!(!theirs.contains("shortRestHours"), "{theirs}");
    let action = format!("/rotations/{}/settings/warnings", rotation.id);
    let fields = [("on", "nobody"), ("shortRestHours", "9")];
    let done = owner.fill(&path, &action, &fields).is(303);
    let page = owner.follow(&done);
    assert!(page.contains("The settings were saved."), "{page}");
    let settings = rotation.get("/warning-settings").is(200).json();
    assert_eq!(settings["shortRestHours"], 9);
    assert_eq!(settings["off"].as_array().map(Vec::len), Some(15));
    let page = owner.get(&path).is(200).text();
    assert!(!page.contains("data-kind=\"noFallback\"") && page.contains("data-kind=\"nobody\""));
    let wrong = owner.fill(&path, &action, &[("shortRestHours", "0")]);
    assert!(wrong.is(400).text().contains("168"));
}

#[test]
fn undo_restores_the_settings() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    let owner = Browser::signed_in(&rota, "U1");
    let action = |part: &str| format!("/rotations/{}/settings/{part}", rotation.id);
    let done = owner.fill(
        &action("warnings"),
        &action("warnings"),
        &[("shortRestHours", "20")],
    );
    let page = owner.follow(&done.is(303));
    let undone = owner.fill_in(&page, &action("restore"), &[]).is(303);
    assert!(owner.follow(&undone).contains("undone"));
    let settings = rotation.get("/warning-settings").is(200).json();
    assert_eq!(settings, json!({ "off": [], "shortRestHours": 11 }));
}
