//! A disabled rotation is frozen, also under edits of its hours and of the days that it skips.

use crate::events::{Reader, word};
use crate::support::*;
use serde_json::{Value, json};

const NONE: [&str; 0] = [];

/// Handed over daily, with the weekend of Oslo skipped.
fn skipping() -> Value {
    let skips = json!({ "times": ["09:00"], "skipWeekends": true, "countryCodes": ["NO"] });
    cadence("daily", "UTC", "2026-01-06T09:00", skips)
}

fn office(start: &str, end: &str) -> Value {
    hours("UTC", &weekdays(start, end), skipping())
}

/// One edit of a rotation after the other, while it is disabled.
fn edit(rotation: &Rot) {
    rotation.cover(1, &[office("20:00", "21:00")]);
    rotation.patch(json!({ "skipsAreOffTime": true })).is(200);
    rotation.cover(1, &[always(skipping())]);
    rotation.cover(1, &[office("11:00", "13:00")]);
    rotation.patch(json!({ "skipsAreOffTime": false })).is(200);
    rotation.cover(1, &[office("20:00", "21:00")]);
}

/// rules.md 4.5.
#[test]
fn edits_of_hours_and_skips_take_nobody_on_or_off_duty() {
    // Disabled while its window is open, and while it is shut.
    for (disabled_at, on_call, enabled) in [
        ("2026-01-05T10:00Z", "U1", "U1"),
        ("2026-01-05T18:00Z", "", "U1"),
    ] {
        let rota = Rota::unreminded(3);
        let rotation = rota.rotation("U1 U2 U3");
        rotation.cover(1, &[office("09:00", "17:00")]);
        rotation.posts_in("C1");
        rota.to(disabled_at);
        assert_eq!(rotation.on_call(), on_call);
        rotation.patch(json!({ "enabled": false })).is(200);
        let mut reader = Reader::new(&rota);
        let mut chat = rota.message_reader();
        rota.to("2026-01-05T20:30Z");
        let range = "/history?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z";
        let record = rotation.get(range).is(200).json();
        edit(&rotation);
        // By now the window would be open under the last hours.
        assert_eq!(rotation.on_call(), on_call, "{disabled_at}");
        assert_eq!(rotation.get(range).is(200).json(), record, "{disabled_at}");
        let words: Vec<String> = reader.news().iter().map(word).collect();
        assert_eq!(words, ["updated"; 6], "{disabled_at}");
        assert_eq!(chat.lines(), NONE, "{disabled_at}");
        let seen = rotation.get("/on-call").is(200).json();
        rota.advance(60);
        rotation.patch(json!({ "enabled": true })).is(200);
        assert_eq!(rotation.on_call(), enabled, "{disabled_at}");
        // As it was recorded while it was disabled.
        let then = format!("/on-call?at={}", rfc("2026-01-05T20:30Z"));
        let then = rotation.get(&then).is(200).json();
        let summary = |shown: &Value| {
            let entries = shown["onCall"].as_array().expect("onCall").iter();
            let people: Vec<Value> = entries.map(|entry| entry["userId"].clone()).collect();
            (people, shown["nobodyOnCallReason"].clone())
        };
        assert_eq!(summary(&then), summary(&seen), "{disabled_at}");
    }
}

/// rules.md 4.5.
#[test]
fn whoever_is_removed_comes_off_duty_under_edited_hours_too() {
    let rota = Rota::unreminded(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.cover(1, &[office("07:00", "17:00")]);
    rotation.patch(json!({ "enabled": false })).is(200);
    rotation.cover(1, &[office("20:00", "21:00")]);
    let mut reader = Reader::new(&rota);
    rota.advance(60);
    rotation.patch(json!({ "userIds": ["U2", "U3"] })).is(200);
    assert_eq!(rotation.on_call(), "");
    assert_eq!(reader.words(), "updated, duty manual, nobody unplanned");
    let range = "/history?from=2026-01-05T00:00:00Z&to=2026-01-06T00:00:00Z";
    let record = rotation.get(range).is(200).json();
    let entries = record["data"].as_array().expect("entries");
    let running = entries.iter().find(|entry| entry.get("end").is_none());
    assert_eq!(
        running.expect("one that runs")["reason"],
        "removal-of-active-duty"
    );
}
