//! What absences mean for a rotation, and what is shown before it is saved.

use super::{Browser, action, undo, world};
use serde_json::json;

#[test]
fn a_policy_is_looked_at_saved_and_undone() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.away("U1", "2026-01-05T08:00Z", "2026-01-05T20:00Z");
    let ada = Browser::signed_in(&rota, "U1");
    let path = action(&rotation, "absences");
    let page = ada.get(&path).is(200).text();
    assert!(page.contains("value=\"always\" checked"), "{page}");
    let fields = [
        ("calendars", "long"),
        ("minimumHours", "12"),
        ("passOver", "duringTurn"),
        ("whileOnDuty", "handOver"),
    ];
    // What would change: whoever is away now hands over, and nothing is saved.
    let before = rotation.read();
    let preview = ada.fill(&path, &path, &fields).is(200).text();
    assert!(preview.contains("data-label=\"Now planned\""), "{preview}");
    assert_eq!(rotation.read(), before);
    let saved = ada.fill_in(&preview, &path, &[("confirmed", "true")]);
    let saved = ada.follow(&saved.is(303));
    let policy = json!({
        "calendars": "long", "minimumHours": 12, "passOver": "duringTurn", "whileOnDuty": "handOver",
    });
    let after = rotation.read();
    assert_eq!(after["absencePolicy"], policy);
    assert_eq!(rotation.on_call(), "U2", "{preview}");
    let page = ada.get(&path).is(200).text();
    assert!(
        page.contains("value=\"long\" checked") && page.contains("value=\"12\""),
        "{page}"
    );
    undo(&ada, &rotation, &saved);
    assert_eq!(rotation.read()["absencePolicy"], before["absencePolicy"]);
    // What is wrong stands at its field.
    let wrong = [("calendars", "long"), ("minimumHours", "721")];
    let again = ada.fill(&path, &path, &wrong).is(400).text();
    assert!(again.contains("href=\"#f-minimumHours\""), "{again}");
}
