//! Platform failures: retries, giving up, and waits that the platform requests.

use crate::support::*;
use serde_json::{Value, json};

/// One item on each chat queue: a topic and a user group of a rotation.
fn kept(rota: &Rota) -> Rot<'_> {
    rota.import_with(4, &[("G1", "")], &[]);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.tells_in("C2");
    rotation.bind("G1");
    rota.chat_settles();
    rotation
}

/// When the topic and the user group are retried.
fn next_attempts(rotation: &Rot) -> [String; 2] {
    let standing = rotation.chat_status();
    let of = |kept: &Value| instant(&kept["nextAttemptAt"]);
    [of(&standing["topics"][0]), of(&standing["onDutyGroup"])]
}

#[test]
fn what_failed_is_tried_again_with_growing_waits() {
    let rota = Rota::unreminded(4);
    let rotation = kept(&rota);
    assert_eq!(next_attempts(&rotation), ["-", "-"]);
    rota.chat_is_down();
    rotation.rotate();
    let mut now = rota.now();
    for wait in [2, 10, MINUTE, 5 * MINUTE, 5 * MINUTE, 5 * MINUTE] {
        let next = plus(&now, wait);
        assert_eq!(
            next_attempts(&rotation),
            [next.clone(), next.clone()],
            "{wait}"
        );
        // Not a moment earlier.
        rota.advance(wait - 1);
        assert_eq!(
            next_attempts(&rotation),
            [next.clone(), next.clone()],
            "{wait}"
        );
        rota.advance(1);
        now = next;
    }
    assert!(rota.topic("C2").contains("Person U1"));
    assert_eq!(rota.group("G1"), "U1");
    rota.chat_is_up();
    assert_eq!(rota.group("G1"), "U1");
    rota.advance(HOUR);
    assert!(rota.topic("C2").contains("Person U2"));
    assert_eq!(rota.group("G1"), "U2");
    assert_eq!(next_attempts(&rotation), ["-", "-"]);
    // A success resets the count.
    rota.chat_is_down();
    rotation.rotate();
    let next = plus(&rota.now(), 2);
    assert_eq!(next_attempts(&rotation), [next.clone(), next]);
}

#[test]
fn a_message_is_tried_again_with_growing_waits() {
    // After this many failures, the instant of the next try, counted from the change.
    for (failures, tried) in [
        (1, 2),
        (2, 12),
        (3, 72),
        (4, 372),
        (5, 1572),
        (6, 5172),
        (7, 8772),
    ] {
        let rota = Rota::unreminded(2);
        let rotation = rota.rotation("U1 U2");
        let mut reader = rota.message_reader();
        rota.chat_is_down();
        rotation.put_on_call("U1").is(200);
        rota.chat_settles();
        rota.advance(tried - 1);
        rota.chat_is_up();
        assert_eq!(reader.times(), [""; 0], "{failures}");
        rota.advance(DAY);
        let sent = plus("2026-01-05T08:00Z", tried);
        assert_eq!(reader.times(), [format!("{sent} U1")], "{failures}");
    }
}

#[test]
fn messages_are_given_up_after_a_day() {
    for (up_after, sent) in [(DAY - 2 * HOUR, 1), (DAY + HOUR, 0)] {
        let rota = Rota::unreminded(2);
        let rotation = rota.rotation("U1 U2");
        rotation.tells_in("C2");
        let mut reader = rota.message_reader();
        rota.chat_is_down();
        rotation.put_on_call("U1").is(200);
        rota.chat_settles();
        let messages = rotation.chat_status()["messages"].clone();
        let error = "the chat platform failed: it answered with an error";
        assert_eq!(
            (int(&messages["pending"]), text(&messages["lastError"])),
            (1, error)
        );
        rota.advance(up_after);
        assert_eq!(int(&rotation.chat_status()["messages"]["pending"]), sent);
        rota.chat_is_up();
        rota.advance(3 * DAY);
        assert_eq!(reader.lines().len(), sent as usize);
        // A topic is never too old.
        assert_eq!(rota.topic("C2"), "Rotation: Person U1");
    }
}

#[test]
fn what_the_platform_refuses_is_not_said_again() {
    let rota = Rota::unreminded(2);
    let rotation = rota.rotation("U1 U2");
    let mut reader = rota.message_reader();
    rota.set_failure_mode(json!({ "failure": "refused" }));
    rotation.put_on_call("U1").is(200);
    let messages = rotation.chat_status()["messages"].clone();
    assert_eq!(
        messages,
        json!({ "pending": 0, "lastError": "the app may not do this" })
    );
    rota.chat_is_up();
    rota.advance(2 * DAY);
    assert_eq!(reader.lines(), [""; 0]);
}

#[test]
fn the_wait_that_the_platform_asks_for_is_kept() {
    let rota = Rota::unreminded(4);
    let rotation = kept(&rota);
    let mut reader = rota.message_reader();
    let limited = |seconds: i64| json!({ "failure": "rateLimited", "retryAfterSeconds": seconds });
    rota.set_failure_mode(limited(90));
    rotation.rotate();
    let next = plus(&rota.now(), 90);
    assert_eq!(next_attempts(&rotation), [next.clone(), next.clone()]);
    let why = "the chat platform has too many requests and asks to wait for 90 s";
    assert_eq!(text(&rotation.chat_status()["messages"]["lastError"]), why);
    rota.advance(89);
    rota.chat_is_up();
    assert_eq!(reader.lines(), [""; 0]);
    rota.advance(1);
    assert_eq!(reader.times(), [format!("{next} U2"), format!("{next} U1")]);
    assert_eq!(rota.group("G1"), "U2");
    // A requested wait shorter than rota's own has no effect.
    rota.set_failure_mode(limited(1));
    rotation.rotate();
    let next = plus(&rota.now(), 2);
    assert_eq!(next_attempts(&rotation), [next.clone(), next]);
    // A wait is at most a day.
    rota.advance(2);
    rota.set_failure_mode(limited(1_000_000));
    rota.advance(10);
    let next = plus(&rota.now(), DAY);
    assert_eq!(next_attempts(&rotation), [next.clone(), next]);
}

#[test]
fn a_wait_holds_all_of_a_lane() {
    let rota = Rota::unreminded(4);
    let rotation = kept(&rota);
    let other = rota.rotation("U3 U4");
    other.tells_in("C1");
    rota.chat_settles();
    let mut reader = rota.message_reader();
    rota.set_failure_mode(json!({ "failure": "rateLimited", "retryAfterSeconds": 90 }));
    rotation.rotate();
    // Everything that was queued before the wait, and what follows it.
    rota.chat_is_up();
    assert_eq!(reader.times(), [""; 0]);
    rota.advance(30);
    other.put_on_call("U4").is(200);
    let before = rota.topic("C1");
    assert_eq!(
        reader.times(),
        [""; 0],
        "said although the platform asked to wait"
    );
    assert_eq!(before, "Rotation: nobody is on call, next Person U3");
    rotation.rotate();
    assert_eq!(reader.times(), [""; 0]);
    assert_eq!(
        rota.group("G1"),
        "U1",
        "changed although the platform asked to wait"
    );
    rota.advance(60);
    let messages_seen: Vec<String> = reader.times();
    assert_eq!(messages_seen.len(), 5, "{messages_seen:?}");
    assert!(
        messages_seen
            .iter()
            .all(|line| line.starts_with("2026-01-05T08:01:30Z")),
        "{messages_seen:?}"
    );
    assert_eq!(rota.topic("C1"), "Rotation: Person U4");
    assert_eq!(rota.group("G1"), "U3");
}

#[test]
fn only_the_newest_state_is_written() {
    let rota = Rota::unreminded(4);
    let rotation = kept(&rota);
    let mut body = new_rotation("U4");
    body["userIds"] = json!([]);
    body["userGroupIds"] = json!(["G1"]);
    let follower = rota.create(body);
    let mut reader = crate::events::Reader::new(&rota);
    rota.chat_is_down();
    for person in ["U2", "U3", "U2", "U1", "U3"] {
        rotation.put_on_call(person).is(200);
        rota.chat_settles();
        rota.advance(1);
    }
    reader.news();
    rota.chat_is_up();
    rota.advance(HOUR);
    assert_eq!(rota.group("G1"), "U3");
    assert!(rota.topic("C2").starts_with("Rotation: Person U3"));
    // Callers see one change of the group.
    let news = reader.news();
    let messages_seen: Vec<&Value> = news
        .iter()
        .filter(|body| text(&body["rotationId"]) == follower.id)
        .collect();
    assert_eq!(messages_seen.len(), 1, "{messages_seen:?}");
    assert_eq!(
        messages_seen[0]["rotation"]["members"]["userGroups"][0]["users"][0]["userId"],
        "U3"
    );
    // The desired state is restored, so nothing is written.
    rota.chat_is_down();
    rotation.put_on_call("U1").is(200);
    rotation.put_on_call("U3").is(200);
    rota.chat_is_up();
    reader.news();
    rota.advance(HOUR);
    assert_eq!(reader.words(), "");
    assert_eq!(rota.group("G1"), "U3");
}

#[test]
fn a_slow_platform_is_waited_for() {
    let rota = Rota::unreminded(4);
    let rotation = kept(&rota);
    rota.set_failure_mode(json!({ "delayMs": 40 }));
    let mut reader = rota.message_reader();
    rotation.rotate();
    // Reading chat and moving the clock wait until everything is posted.
    assert_eq!(reader.lines().len(), 2);
    assert_eq!(rota.group("G1"), "U2");
    rota.to("2026-01-06T09:00Z");
    rota.chat_is_up();
    assert_eq!(rota.group("G1"), "U3");
}

#[test]
fn moods_out_of_range_are_refused() {
    let rota = Rota::unreminded(1);
    for (body, member) in [
        (json!({ "delayMs": 60_001 }), "delayMs"),
        (json!({ "delayMs": -1 }), "delayMs"),
        (json!({ "failure": "sometimes" }), "failure"),
        (json!({ "forgotten": "C1" }), "forgotten"),
    ] {
        let answer = rota.request("PUT", "/dev/chat").json(&body).send();
        answer.names(member);
    }
    let mood = json!({
        "delayMs": 1, "failure": "rateLimited", "retryAfterSeconds": 7, "forgotten": ["C1"], "noGroups": "why",
        "noEmptyGroups": true,
    });
    let answer = rota
        .request("PUT", "/dev/chat")
        .json(&mood)
        .send()
        .is(200)
        .json();
    assert_eq!(answer, mood);
}

#[test]
fn a_lane_is_held_no_longer_than_asked() {
    let rota = Rota::unreminded(4);
    let (tried, fresh) = (rota.rotation("U1 U2"), rota.rotation("U3 U4"));
    tried.tells_in("C1");
    fresh.tells_in("C2");
    rota.chat_is_down();
    tried.put_on_call("U1").is(200);
    rota.chat_settles();
    // Four tries have failed by now; its own next wait is long.
    rota.advance(2 + 10 + MINUTE);
    rota.set_failure_mode(json!({ "failure": "rateLimited", "retryAfterSeconds": 3 }));
    rota.advance(5 * MINUTE);
    let now = rota.now();
    fresh.put_on_call("U3").is(200);
    rota.chat_is_up();
    let next = |rotation: &Rot| instant(&rotation.chat_status()["topics"][0]["nextAttemptAt"]);
    assert_eq!(
        [next(&tried), next(&fresh)],
        [plus(&now, 5 * MINUTE), plus(&now, 3)]
    );
    rota.advance(3);
    assert_eq!(rota.topic("C2"), "Rotation: Person U3");
    rota.advance(5 * MINUTE);
    assert_eq!(rota.topic("C1"), "Rotation: Person U1");
}

#[test]
fn a_wait_outlives_the_server() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = || {
        Start::default()
            .env("ROTA_CHAT_REMINDER_BEFORE", "0s")
            .db(&db)
    };
    let rota = start().go();
    rota.people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rota.set_failure_mode(json!({ "failure": "rateLimited", "retryAfterSeconds": 90 }));
    rotation.put_on_call("U1").is(200);
    rota.chat_settles();
    let id = rotation.id.clone();
    rota.stop();
    let rota = start().go();
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    rotation.put_on_call("U2").is(200);
    let mut reader = rota.message_reader();
    assert_eq!(int(&rotation.chat_status()["messages"]["pending"]), 3);
    rota.advance(89);
    assert_eq!(reader.lines(), [""; 0]);
    rota.advance(1);
    let messages_seen = ["U1", "U2", "U1"].map(|user| format!("2026-01-05T08:01:30Z {user}"));
    assert_eq!(reader.times(), messages_seen);
}
