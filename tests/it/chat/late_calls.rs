//! Changes during a call of the platform, and calls that come too late.

use crate::cli::on;
use crate::support::*;
use serde_json::json;

/// A rotation with a synced group and topic, and `U1` on call.
fn kept(rota: &Rota) -> Rot<'_> {
    rota.import_with(4, &[("G1", "U4")], &[("C1", "plans")]);
    let rotation = rota.rotation("U1 U2 U3");
    rotation
        .patch(json!({ "topicTemplate": "%USERID%" }))
        .is(200);
    rotation.tells_in("C1");
    rotation.bind("G1");
    rotation.put_on_call("U1").is(200);
    rota.chat_settles();
    rotation
}

#[test]
fn quick_changes_end_in_the_newest() {
    let rota = Rota::unreminded(4);
    let rotation = kept(&rota);
    rota.set_failure_mode(json!({ "delayMs": 15 }));
    // Whatever the state of the queues when the next one comes.
    for turn in 0..40 {
        let user = ["U2", "U3", "U1"][turn % 3];
        rotation.put_on_call(user).is(200);
    }
    rota.chat_settles();
    assert_eq!(
        (rota.topic("C1"), rota.group("G1")),
        ("U2".into(), "U4 U2".into())
    );
    let standing = rotation.chat_status();
    assert_eq!(standing["onDutyGroup"]["inStep"], json!(true));
    assert_eq!(standing["topics"][0]["inStep"], json!(true));
    // Our topic is not mistaken for the previous one, nor our people for strangers.
    rotation.patch(json!({ "enableTopic": false })).is(200);
    rotation.unbind();
    rota.chat_settles();
    assert_eq!(
        (rota.topic("C1"), rota.group("G1")),
        ("plans".into(), "U4".into())
    );
}

#[test]
fn a_directory_replaced_meanwhile_knows_better() {
    let rota = Rota::unreminded(4);
    let rotation = kept(&rota);
    rota.set_failure_mode(json!({ "delayMs": 15 }));
    for round in 0..6 {
        rotation.put_on_call(["U2", "U1"][round % 2]).is(200);
        let by_hand = format!("by hand {round}");
        rota.import(&directory_with(4, &[("G1", "U3 U4")], &[("C1", &by_hand)]));
        // Members are removed, the stranger stays.
        let on_call = rotation.on_call();
        assert_eq!(rota.group("G1"), format!("U4 {on_call}"));
        rotation.patch(json!({ "enableTopic": false })).is(200);
        rota.chat_settles();
        assert_eq!(rota.topic("C1"), by_hand);
        rotation.patch(json!({ "enableTopic": true })).is(200);
        rota.chat_settles();
        assert_eq!(rota.topic("C1"), on_call);
    }
}

#[test]
fn a_member_who_leaves_meanwhile_is_no_stranger() {
    let rota = Rota::unreminded(4);
    let rotation = kept(&rota);
    rota.set_failure_mode(json!({ "delayMs": 15 }));
    for _ in 0..5 {
        rotation.put_on_call("U2").is(200);
        rotation.patch(json!({ "userIds": ["U1", "U3"] })).is(200);
        rotation.put_on_call("U1").is(200);
        rota.chat_settles();
        assert_eq!(rota.group("G1"), "U4 U1");
        rotation
            .patch(json!({ "userIds": ["U1", "U2", "U3"] }))
            .is(200);
    }
}

#[test]
fn what_is_of_yesterday_is_not_said() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = |clock: &str| {
        Start::default()
            .clock(clock)
            .db(&db)
            .env("ROTA_CHAT_REMINDER_BEFORE", "0s")
            .go()
    };
    let rota = start("2026-01-05T08:00:00Z");
    rota.people(2);
    let rotation = rota.rotation("U1 U2");
    rota.set_failure_mode(json!({ "delayMs": 60_000 }));
    rotation.put_on_call("U1").is(200);
    let id = rotation.id.clone();
    rota.process.signal("KILL");
    drop(rota);
    // The message was queued, and no server was running.
    let rota = start("2026-01-06T08:00:01Z");
    let rotation = Rot {
        by: rota.caller(),
        id,
    };
    assert_eq!(rota.messages().len(), 0);
    let standing = rotation.chat_status();
    assert_eq!(standing["messages"]["pending"], 0);
    assert_eq!(
        standing["messages"]["lastError"],
        "it could not be sent in time"
    );
    rotation.put_on_call("U2").is(200);
    assert_eq!(rota.messages().len(), 2);
}

#[test]
fn news_is_said_at_once_after_an_outage() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2", 1);
    rotation.posts_in("C1");
    rota.chat_is_down();
    rotation.rotate();
    // Long enough for the longest wait.
    rota.advance(HOUR);
    rota.chat_is_up();
    let mut reader = rota.message_reader();
    rotation.mention("U3");
    let mut posted = reader.lines();
    posted.retain(|line| line.starts_with("C1: "));
    assert_eq!(posted.len(), 2, "{posted:?}");
    assert!(
        posted[0].starts_with("C1: Rotation: @Person U2 takes over"),
        "{posted:?}"
    );
    assert!(
        posted[1].starts_with("C1: @Person U2 Person U3 asks"),
        "{posted:?}"
    );
}

#[test]
fn an_adopted_group_that_cannot_be_empty_is_not_forgotten() {
    let rota = Rota::unreminded(4);
    rota.import_with(4, &[("G1", "")], &[]);
    let (one, two) = (rota.daily("U1", 1), rota.daily("U2 U3", 1));
    one.bind("G1");
    rota.set_failure_mode(json!({ "noEmptyGroups": true }));
    one.unbind();
    assert_eq!(rota.group("G1"), "U1");
    two.bind("G1");
    assert_eq!(rota.group("G1"), "U2");
}

#[test]
fn an_export_leaves_out_what_rota_keeps() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = Start::default()
        .db(&db)
        .env("ROTA_CHAT_REMINDER_BEFORE", "0s");
    let rota = start.go();
    let rotation = kept(&rota);
    let own = rota.rotation("U3");
    let group = own.bind_handle("ours");
    own.put_on_call("U3").is(200);
    rota.chat_settles();
    let (code, file, _) = run(&mut on(&db, "directory export"));
    assert_eq!(code, 0);
    rotation.put_on_call("U2").is(200);
    own.patch(json!({ "userIds": ["U4"] })).is(200);
    rota.import(&serde_json::from_str(&file).expect("the file"));
    assert_eq!(rota.topic("C1"), "U2");
    assert_eq!([rota.group("G1"), rota.group(&group)], ["U4 U2", ""]);
    rotation.patch(json!({ "enableTopic": false })).is(200);
    rota.chat_settles();
    assert_eq!(rota.topic("C1"), "plans");
}
