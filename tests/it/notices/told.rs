//! What people are told, and in which words.

use super::{notices_to, send, shifts};
use crate::support::*;
use serde_json::json;

/// rules.md 28.1, 28.4 and 28.7.
#[test]
fn people_hear_once_of_what_moved_and_why() {
    let rota = Rota::unreminded(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.advance(0);
    for user in ["U1", "U2", "U3"] {
        assert_eq!(notices_to(&rota, user), Vec::<serde_json::Value>::new());
    }
    // Hand-overs and new days were told already.
    rota.advance(3 * DAY);
    let cell = text(&rotation.read()["cells"][0]["id"]).to_owned();
    let before = rotation.schedule("2026-01-08T08:00:00Z", "2026-01-13T08:00:00Z");
    rotation.away("U2", "2026-01-11T23:00:00Z", "2026-01-12T23:00:00Z");
    assert!(rotation.get("/pending-notices").is(200).json()["sendsAt"].is_string());
    rota.advance(0);
    rotation.get("/pending-notices").is(204);
    let after = rotation.schedule("2026-01-08T08:00:00Z", "2026-01-13T08:00:00Z");
    assert_ne!(before, after);
    let told = notices_to(&rota, "U2");
    assert_eq!(told.len(), 1, "{told:?}");
    let moved = &told[0]["moved"];
    assert!(moved["gained"][0]["cellId"] == cell.as_str(), "{moved}");
    let because = moved["because"].as_array().unwrap();
    assert_eq!(because.len(), 1, "{moved}");
    let said = text(&because[0]["text"]);
    assert!(
        said.starts_with("Person U2 is away on 12 Jan (by the key"),
        "{said}"
    );
    let said = text(&told[0]["text"]);
    assert!(
        said.starts_with("Your shifts in Rotation moved. New: "),
        "{said}"
    );
    assert!(
        said.contains(" No longer yours: ")
            && said.contains(" Because: Person U2 is away on 12 Jan"),
        "{said}"
    );
    // Nothing more is told by itself.
    rota.advance(5 * DAY);
    assert_eq!(notices_to(&rota, "U2").len(), 1);
    assert_eq!(send(&rotation), Vec::<String>::new());
}

/// rules.md 28.3.
#[test]
fn what_is_undone_before_is_told_to_nobody() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    send(&rotation);
    let away = rotation.away("U2", "2026-01-06T00:00:00Z", "2026-01-09T00:00:00Z");
    rotation.back(&away);
    rotation.get("/pending-notices").is(200);
    assert_eq!(send(&rotation), Vec::<String>::new());
    rotation.get("/pending-notices").is(204);
}

/// rules.md 28.5.
#[test]
fn disabling_enabling_and_deleting_are_told_once_each() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2", 1);
    rota.advance(DAY);
    send(&rotation);
    let running = rotation.on_call();
    rotation.patch(json!({ "enabled": false })).is(200);
    assert_eq!(send(&rotation), ["U1", "U2"]);
    let told = notices_to(&rota, &running);
    let [told] = &told[..] else {
        panic!("one notice: {told:?}")
    };
    // What runs stays.
    assert_eq!(
        shifts(&told["moved"])
            .iter()
            .filter(|line| line.starts_with('+'))
            .count(),
        0
    );
    assert_eq!(told["moved"]["lost"].as_array().unwrap().len(), 20);
    assert_eq!(
        told["moved"]["more"]["count"], 10,
        "{}",
        told["moved"]["more"]
    );
    let said = text(&told["text"]);
    assert!(said.contains("; and 25 more"), "{said}");
    assert!(
        said.contains("Because: the rotation was disabled (by the key"),
        "{said}"
    );
    rotation.patch(json!({ "enabled": true })).is(200);
    assert_eq!(send(&rotation), ["U1", "U2"]);
    assert_eq!(notices_to(&rota, &running).len(), 2);
    rotation.delete();
    let told = notices_to(&rota, &running);
    assert_eq!(told.len(), 3);
    let lost = shifts(&told[2]["moved"]);
    // What runs is lost, too.
    assert!(
        lost[0].starts_with(&format!("- {}", &rota.now()[5..16])),
        "{lost:?}"
    );
    assert!(text(&told[2]["text"]).contains("Because: the rotation was deleted"));
}

/// rules.md 28.4.
#[test]
fn the_text_is_in_the_zone_of_the_person_with_the_soonest_shifts() {
    let rota = Rota::unreminded(2);
    let mut directory = directory(2);
    directory["users"][0]["timeZone"] = json!("Asia/Tokyo");
    rota.import(&directory);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[always(weekly("UTC", "2026-01-12T09:00"))]);
    send(&rotation);
    rotation.away("U2", "2026-01-12T00:00:00Z", "2026-01-13T00:00:00Z");
    assert_eq!(send(&rotation), ["U1", "U2"]);
    let notices = notices_to(&rota, "U1");
    let said = text(&notices[0]["text"]);
    let new =
        "New: Mon 12 Jan 18:00 to Mon 19 Jan 18:00 (instead of Person U2); Mon 26 Jan 18:00 to";
    assert!(said.contains(new), "{said}");
}
