//! GET /v1/rotations/{rotationId}/chat: desired state, last known state and errors; user groups that cannot be empty.

use crate::support::*;
use serde_json::{Value, json};

/// U4 in no rotation, user groups with these people.
fn with_groups(groups: &[(&str, &str)]) -> Rota {
    let rota = Rota::unreminded(4);
    rota.import_with(4, groups, &[]);
    rota
}

fn group(rotation: &Rot) -> Value {
    rotation.chat_status()["onDutyGroup"].clone()
}

#[test]
fn in_step_there_is_nothing_to_tell() {
    let rota = with_groups(&[("G1", "U4")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    rotation.tells_in("C1");
    rotation.posts_in("C2");
    let says = "Rotation: Person U1 until 2026-01-06 09:00, next Person U2";
    assert_eq!(
        rotation.chat_status(),
        json!({
            "onDutyGroup": {
                "userGroupId": "G1", "handle": "g1", "owned": false, "wantedUserIds": ["U4", "U1"],
                "userIds": ["U4", "U1"], "disabled": false, "inStep": true, "lastError": null, "nextAttemptAt": null,
            },
            "topics": [{
                "channelId": "C1", "wanted": says, "topic": says, "inStep": true, "lastError": null,
                "nextAttemptAt": null,
            }],
            "messages": { "pending": 0, "lastError": null },
            "inboxOnly": { "userIds": ["U1", "U2"], "channelIds": ["C2"] },
        })
    );
}

#[test]
fn out_of_step_it_shows_what_should_be_and_when() {
    let rota = with_groups(&[("G1", "U4")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    rotation.tells_in("C1");
    rota.chat_is_down();
    rotation.rotate();
    let error = "the chat platform failed: it answered with an error";
    let next = "2026-01-05T08:00:02Z";
    assert_eq!(
        rotation.chat_status(),
        json!({
            "onDutyGroup": {
                "userGroupId": "G1", "handle": "g1", "owned": false, "wantedUserIds": ["U4", "U2"],
                "userIds": ["U4", "U1"], "disabled": false, "inStep": false, "lastError": error,
                "nextAttemptAt": next,
            },
            "topics": [{
                "channelId": "C1", "wanted": "Rotation: Person U2 until 2026-01-06 09:00, next Person U1",
                "topic": "Rotation: Person U1 until 2026-01-06 09:00, next Person U2", "inStep": false,
                "lastError": error, "nextAttemptAt": next,
            }],
            "messages": { "pending": 2, "lastError": error },
            "inboxOnly": { "userIds": ["U1", "U2"], "channelIds": [] },
        })
    );
    rota.chat_is_up();
    rota.advance(2);
    let standing = rotation.chat_status();
    for kept in [&standing["onDutyGroup"], &standing["topics"][0]] {
        assert_eq!(
            [&kept["inStep"], &kept["lastError"], &kept["nextAttemptAt"]],
            [&json!(true), &Value::Null, &Value::Null]
        );
    }
    assert_eq!(
        standing["messages"],
        json!({ "pending": 0, "lastError": null })
    );
}

#[test]
fn a_forgotten_group_is_told_and_asked_for_again() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    rota.set_failure_mode(json!({ "forgotten": ["G1"] }));
    rotation.rotate();
    let shown = group(&rotation);
    assert_eq!(text(&shown["lastError"]), "there is no `G1`");
    assert_eq!(instant(&shown["nextAttemptAt"]), "2026-01-05T08:00:02Z");
    rota.chat_is_up();
    rota.advance(2);
    assert_eq!(rota.group("G1"), "U2");
    // After a deletion on the platform there is no group to remove anyone from.
    rota.set_failure_mode(json!({ "forgotten": ["G1"] }));
    rotation.unbind();
    rota.chat_is_up();
    rota.advance(HOUR);
    assert_eq!(rota.group("G1"), "U2");
}

#[test]
fn a_channel_that_was_left_is_told() {
    let rota = Rota::unreminded(2);
    let rotation = rota.daily("U1 U2", 1);
    // Public, and the app is not a member.
    rotation.tells_in("C3");
    let topic = rotation.chat_status()["topics"][0].clone();
    assert_eq!(
        text(&topic["lastError"]),
        "the app is not in the channel `C3`"
    );
    assert_eq!(
        (&topic["topic"], &topic["inStep"]),
        (&Value::Null, &json!(false))
    );
    let mut invited = directory(2);
    invited["channels"][2]["appIsMember"] = json!(true);
    rota.import(&invited);
    assert_eq!(
        rota.topic("C3"),
        "Rotation: Person U1 until 2026-01-06 09:00, next Person U2"
    );
}

#[test]
fn an_own_group_is_disabled_while_nobody_is_on_call() {
    let rota = with_groups(&[]);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), daily())]);
    rota.to("2026-01-05T09:00Z");
    let own = rotation.bind_handle("own");
    rota.set_failure_mode(json!({ "noEmptyGroups": true }));
    assert_eq!(rota.group(&own), "U1");
    rota.to("2026-01-05T17:00Z");
    // The last person in it cannot be removed.
    assert_eq!(rota.group(&own), "U1 disabled");
    let shown = group(&rotation);
    assert_eq!(
        [&shown["disabled"], &shown["inStep"]],
        [&json!(true), &json!(true)]
    );
    assert_eq!(
        [&shown["lastError"], &shown["nextAttemptAt"]],
        [&Value::Null, &Value::Null]
    );
    rota.to("2026-01-06T09:00Z");
    assert_eq!(rota.group(&own), "U2");
    assert_eq!(group(&rotation)["disabled"], json!(false));
    rotation.clear().is(200);
    assert_eq!(rota.group(&own), "U2 disabled");
    rotation.put_on_call("U2").is(200);
    assert_eq!(rota.group(&own), "U2");
    rotation.delete();
    assert_eq!(rota.group(&own), "U2 disabled");
    // The next rotation to use it enables it again.
    let next = rota.daily("U3", 1);
    assert_eq!(next.bind_handle("own"), own);
    assert_eq!(rota.group(&own), "U3");
}

#[test]
fn an_own_group_that_was_never_filled_is_disabled_as_well() {
    let rota = with_groups(&[]);
    rota.set_failure_mode(json!({ "noEmptyGroups": true }));
    let rotation = rota.rotation("U1 U2");
    let own = rotation.bind_handle("own");
    assert_eq!(rota.group(&own), "disabled");
    rotation.put_on_call("U1").is(200);
    assert_eq!(rota.group(&own), "U1");
}

#[test]
fn an_own_group_with_strangers_is_not_empty() {
    let rota = with_groups(&[]);
    let rotation = rota.daily("U1 U2", 1);
    let own = rotation.bind_handle("own");
    // Someone adds a stranger.
    let mut all = directory_with(4, &[(&own, "U1 U4")], &[]);
    all["groups"][0]["handle"] = json!("own");
    rota.import(&all);
    rota.set_failure_mode(json!({ "noEmptyGroups": true }));
    rotation.clear().is(200);
    assert_eq!(rota.group(&own), "U4");
    assert_eq!(group(&rotation)["owned"], json!(true));
}

#[test]
fn an_adopted_group_is_left_and_the_drift_is_shown() {
    let rota = with_groups(&[("G1", "")]);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("G1");
    rota.set_failure_mode(json!({ "noEmptyGroups": true }));
    rotation.clear().is(200);
    assert_eq!(rota.group("G1"), "U1");
    let shown = group(&rotation);
    assert_eq!(
        [&shown["disabled"], &shown["inStep"]],
        [&json!(false), &json!(false)]
    );
    assert_eq!(
        [&shown["wantedUserIds"], &shown["userIds"]],
        [&json!([]), &json!(["U1"])]
    );
    assert!(text(&shown["lastError"]).contains("adopted"), "{shown}");
    // Nothing is due: it waits for a person to come on call.
    assert_eq!(shown["nextAttemptAt"], Value::Null);
    rotation.put_on_call("U2").is(200);
    assert_eq!(rota.group("G1"), "U2");
    let shown = group(&rotation);
    assert_eq!(
        [&shown["inStep"], &shown["lastError"]],
        [&json!(true), &Value::Null]
    );
}

#[test]
fn an_empty_topic_is_in_step_as_well() {
    let rota = Rota::unreminded(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation.tells_in("C1");
    let blank = json!({ "topicTemplate": "%DESCRIPTION%", "description": " " });
    rotation.patch(blank).is(200);
    assert_eq!(rota.topic("C1"), "-");
    let topic = rotation.chat_status()["topics"][0].clone();
    assert_eq!(
        [&topic["inStep"], &topic["lastError"]],
        [&json!(true), &Value::Null]
    );
}

#[test]
fn people_who_are_gone_come_out_once_the_platform_is_back() {
    let rota = with_groups(&[("G1", "U4"), ("G2", ""), ("G3", "")]);
    let shrinking = rota.daily("U1 U2", 1);
    let doomed = rota.daily("U1 U2", 1);
    let moving = rota.daily("U1 U2", 1);
    shrinking.bind("G1");
    doomed.bind("G2");
    moving.bind("G3");
    assert_eq!(
        [rota.group("G1"), rota.group("G2"), rota.group("G3")],
        ["U4 U1", "U1", "U1"]
    );
    let other = moving.bind_handle("other");
    rota.chat_is_down();
    shrinking.patch(json!({ "userIds": ["U2"] })).is(200);
    doomed.delete();
    moving.unbind();
    rota.chat_settles();
    assert_eq!(
        [rota.group("G1"), rota.group("G2"), rota.group(&other)],
        ["U4 U1", "U1", "U1"]
    );
    rota.chat_is_up();
    rota.advance(2);
    assert_eq!(
        [rota.group("G1"), rota.group("G2"), rota.group(&other)],
        ["U4 U2", "", ""]
    );
}
