//! The previous topic is restored, but only if the current one is rota's.

use crate::support::*;
use serde_json::{Value, json};

/// Each way to stop syncing.
const WAYS: [&str; 4] = ["enableTopic", "syncsTopic", "channel", "delete"];

#[track_caller]
fn stop(rotation: &Rot, way: &str) {
    let channel = |body: Value| rotation.put("/channels/C1", body).is(200);
    match way {
        "enableTopic" => drop(rotation.patch(json!({ "enableTopic": false })).is(200)),
        "syncsTopic" => drop(channel(
            json!({ "postsMessages": true, "syncsTopic": false }),
        )),
        "channel" => drop(channel(
            json!({ "postsMessages": false, "syncsTopic": false }),
        )),
        _ => rotation.delete(),
    }
}

/// Sets the topic of the channel by hand.
#[track_caller]
fn somebody_writes(rota: &Rota, topic: &str) {
    // What is due to be written before it is.
    rota.chat_settles();
    rota.import_with(3, &[], &[("C1", topic)]);
    assert_eq!(rota.topic("C1"), topic);
}

/// rules.md 14.5.
#[test]
fn the_topic_of_before_comes_back() {
    let rota = Rota::with_people(3);
    for before in ["Old topic", ""] {
        for way in WAYS {
            rota.import_with(3, &[], &[("C1", before)]);
            let rotation = rota.daily("U1 U2 U3", 1);
            rotation.tells_in("C1");
            assert_ne!(rota.topic("C1"), before);
            rotation.rotate();
            assert!(rota.topic("C1").contains("Person U2"));
            stop(&rotation, way);
            let left = if before.is_empty() { "-" } else { before };
            assert_eq!(rota.topic("C1"), left, "{way}");
            if way != "delete" {
                assert_eq!(rotation.chat_status()["topics"], json!([]));
                // It is no longer rota's, whatever happens.
                rotation.rotate();
                assert_eq!(rota.topic("C1"), left, "{way}");
                rotation.delete();
            }
            assert_eq!(rota.topic("C1"), left, "{way}");
        }
    }
}

/// rules.md 14.5.
#[test]
fn what_somebody_else_wrote_is_left() {
    let rota = Rota::with_people(3);
    for way in WAYS {
        somebody_writes(&rota, "Old topic");
        let rotation = rota.daily("U1 U2 U3", 1);
        rotation.tells_in("C1");
        assert!(rota.topic("C1").contains("Person U1"));
        somebody_writes(&rota, "Theirs");
        stop(&rotation, way);
        assert_eq!(rota.topic("C1"), "Theirs", "{way}");
        if way != "delete" {
            rotation.delete();
        }
    }
}

#[test]
fn what_somebody_else_wrote_stands_until_there_is_something_new() {
    let rota = Rota::with_people(3);
    somebody_writes(&rota, "Old topic");
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.tells_in("C1");
    somebody_writes(&rota, "Theirs");
    // Nothing that it shows has changed.
    rotation.patch(json!({ "description": "x" })).is(200);
    rotation.posts_in("C2");
    rota.to("2026-01-06T08:59Z");
    assert_eq!(rota.topic("C1"), "Theirs");
    let topic = rotation.chat_status()["topics"][0].clone();
    let wanted = "Rotation: Person U1 until 2026-01-06 09:00, next Person U2";
    assert_eq!(
        (text(&topic["topic"]), text(&topic["wanted"])),
        ("Theirs", wanted)
    );
    assert_eq!(
        (&topic["inStep"], &topic["nextAttemptAt"]),
        (&json!(false), &Value::Null)
    );
    assert!(!topic["lastError"].is_null(), "{topic}");
    rota.to("2026-01-06T09:00Z");
    let news = "Rotation: Person U2 until 2026-01-07 09:00, next Person U3";
    assert_eq!(rota.topic("C1"), news);
    let topic = rotation.chat_status()["topics"][0].clone();
    assert_eq!(
        (&topic["inStep"], &topic["lastError"]),
        (&json!(true), &Value::Null)
    );
    // Theirs is the previous topic.
    rotation.patch(json!({ "enableTopic": false })).is(200);
    assert_eq!(rota.topic("C1"), "Theirs");
}

#[test]
fn one_of_two_rotations_stops() {
    let rota = Rota::with_people(3);
    somebody_writes(&rota, "Old topic");
    let (first, second) = (rota.daily("U1 U2", 1), rota.daily("U3", 1));
    first.tells_in("C1");
    second.tells_in("C1");
    first.delete();
    assert_eq!(
        rota.topic("C1"),
        "Rotation: Person U3 until 2026-01-06 09:00, next Person U3"
    );
    second.patch(json!({ "enableTopic": false })).is(200);
    assert_eq!(rota.topic("C1"), "Old topic");
}

#[test]
fn a_stop_while_the_platform_is_down_is_made_up_for() {
    let rota = Rota::with_people(3);
    somebody_writes(&rota, "Old topic");
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.tells_in("C1");
    let ours = rota.topic("C1");
    rota.chat_is_down();
    rotation.delete();
    assert_eq!(rota.topic("C1"), ours);
    rota.chat_is_up();
    rota.advance(HOUR);
    assert_eq!(rota.topic("C1"), "Old topic");
}

#[test]
fn off_and_on_again_while_the_platform_is_down() {
    let rota = Rota::with_people(3);
    somebody_writes(&rota, "Old topic");
    let rotation = rota.daily("U1 U2 U3", 1);
    rota.chat_is_down();
    // Never written: nothing to restore.
    rotation.tells_in("C1");
    assert_eq!(rota.topic("C1"), "Old topic");
    rotation.patch(json!({ "enableTopic": false })).is(200);
    rota.chat_is_up();
    rota.advance(HOUR);
    assert_eq!(rota.topic("C1"), "Old topic");
    rotation.patch(json!({ "enableTopic": true })).is(200);
    assert!(rota.topic("C1").contains("Person U1"));
    rota.chat_is_down();
    rotation.patch(json!({ "enableTopic": false })).is(200);
    rota.chat_settles();
    rotation.patch(json!({ "enableTopic": true })).is(200);
    rota.chat_settles();
    rotation.rotate();
    rota.chat_is_up();
    rota.advance(HOUR);
    assert!(rota.topic("C1").contains("Person U2"));
    rotation.patch(json!({ "enableTopic": false })).is(200);
    assert_eq!(rota.topic("C1"), "Old topic");
}
