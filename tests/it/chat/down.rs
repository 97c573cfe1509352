//! Duty, history, versions and webhooks do not depend on the chat platform.

use crate::support::*;
use serde_json::{Value, json};

/// Everything visible of a rotation, without values that differ between servers.
fn everything(rota: &Rota, rotation: &Rot, receiver: &Receiver) -> Value {
    let bodies = receiver.bodies();
    let event = |body: &Value| {
        json!({
            "event": crate::events::word(body),
            "version": body["version"],
            "at": body["timestamp"],
            "rotation": body["rotationId"] == rotation.id,
            "onCall": body["rotation"]["onCall"]["onCall"]
                .as_array()
                .map(|entries| entries.iter().map(|entry| entry["userId"].clone()).collect::<Vec<_>>()),
        })
    };
    let events: Vec<Value> = bodies.iter().map(event).collect();
    json!({
        "now": rota.now(),
        "duty": rotation.duty(),
        "holders": rotation.holders(),
        "record": rotation.record(),
        "plan": rotation.schedule(&rota.now(), "2026-01-20T00:00Z"),
        "next": rotation.next_turn(),
        "updatedAt": rotation.read()["updatedAt"],
        "events": events,
    })
}

/// A week of a rotation with all chat features, on a platform with a failure mode.
fn week(mood: &Value) -> Vec<Value> {
    let rota = Start::default().go();
    rota.import_with(4, &[("G1", "U4")], &[("C1", "Old topic")]);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C2");
    rotation.tells_in("C1");
    rotation.bind("G1");
    rota.chat_settles();
    let (_hook, receiver) = rota.hook(ALL_EVENTS);
    rota.set_failure_mode(mood.clone());
    let mut seen = Vec::new();
    let mut look = || {
        rota.advance(0);
        seen.push(everything(&rota, &rotation, &receiver));
    };
    rotation.rotate();
    look();
    rota.to("2026-01-06T12:00Z");
    look();
    rotation.put_on_call("U2").is(200);
    let asked = rotation.ask_cover("U2", "06T13 06T20", "U3");
    asked.accepted_by("U3");
    look();
    rota.to("2026-01-06T18:00Z");
    look();
    rotation.away("U3", "2026-01-07T00:00Z", "2026-01-09T00:00Z");
    rotation
        .patch(json!({ "userIds": ["U3", "U1", "U2"] }))
        .is(200);
    rota.to("2026-01-08T12:00Z");
    look();
    rotation.clear().is(200);
    rotation.patch(json!({ "enabled": false })).is(200);
    rotation.patch(json!({ "enabled": true })).is(200);
    look();
    rotation.unbind();
    rota.to("2026-01-12T12:00Z");
    look();
    seen
}

/// rules.md 14.1.
#[test]
fn duty_does_not_mind_what_chat_does() {
    let expected = week(&json!({}));
    assert!(expected.last().unwrap()["events"].as_array().unwrap().len() > 10);
    let moods = [
        json!({ "failure": "error" }),
        json!({ "forgotten": ["C1", "C2", "G1", "U1", "U2", "U3"] }),
        json!({ "delayMs": 3 }),
        json!({ "failure": "rateLimited", "retryAfterSeconds": 3600 }),
        json!({ "failure": "refused" }),
        json!({ "noGroups": "a paid feature" }),
        json!({ "noEmptyGroups": true }),
    ];
    let tried = if in_full() { moods.len() } else { 3 };
    for mood in moods.iter().take(tried) {
        for (place, (found, expected)) in week(mood).iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{mood} at {place}");
        }
    }
}

/// rules.md 14.1.
#[test]
fn a_write_does_not_wait_for_chat() {
    let rota = Start::default().go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C1");
    let outlet = Outlet::new(Behavior::says(200));
    rota.hook_at(&outlet.url(), "duty.changed");
    rota.set_failure_mode(json!({ "delayMs": 60_000 }));
    let begun = std::time::Instant::now();
    rotation.rotate();
    rotation.put_on_call("U1").is(200);
    // Webhooks are not affected either.
    eventually("both deliveries", || outlet.posts().len() == 2);
    assert_eq!(rotation.on_call(), "U1");
    assert!(begun.elapsed().as_secs() < 50, "chat held them up");
}
