//! Topics of channels.

use super::{status, unreminded};
use crate::support::slack::{Failure, Slack};
use crate::support::*;
use serde_json::json;

#[test]
fn a_topic_is_set_only_when_it_differs() {
    let slack = Slack::with_people(3);
    slack
        .team()
        .channel("C1", json!({ "topic": { "value": "Talk &amp; tea" } }));
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.patch(json!({ "name": "R&D <core>" }));
    rotation.tells_in("C1");
    eventually("the topic is set", || {
        slack.team().topics_set.get("C1") == Some(&1)
    });
    let topic = slack.team().topic("C1");
    assert_eq!(topic, "R&D <core>: u1 until 2026-01-06 09:00, next u2");
    // A change that the topic does not show sets nothing.
    rotation.patch(json!({ "description": "other" }));
    rotation.put_on_call("U1").is(200);
    rota.advance(60);
    assert_eq!(slack.team().topics_set["C1"], 1);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(slack.team().topics_set["C1"], 2);
    let topics = &status(&rotation)["topics"];
    assert_eq!(topics[0]["lastError"], json!(null), "{topics}");
    // What stood there before is put back.
    rotation.delete();
    eventually("it is restored", || {
        slack.team().topic("C1") == "Talk & tea"
    });
}

#[test]
fn a_long_topic_fits_with_its_escapes() {
    let slack = Slack::with_people(2);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2", 1);
    rotation.patch(
        json!({ "name": "&<>".repeat(25), "topicTemplate": "%NAME% %NAME% %NAME% %USERHANDLE%" }),
    );
    rotation.tells_in("C1");
    eventually("the topic is set", || {
        slack.team().topics_set.get("C1") == Some(&1)
    });
    let call = slack.calls("conversations.setTopic").remove(0);
    assert!(text(&call.arguments["topic"]).chars().count() <= 250);
}

#[test]
fn a_channel_that_slack_refuses_is_shown_and_left() {
    let slack = Slack::with_people(2);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2", 1);
    slack.fail("conversations.setTopic", Failure::Code("is_archived"), 1);
    rotation.tells_in("C1");
    eventually("it is refused", || {
        slack.calls("conversations.setTopic").len() == 1
    });
    eventually("it is shown", || {
        text(&status(&rotation)["topics"][0]["lastError"]).contains("is_archived")
    });
    rota.advance(3600);
    assert_eq!(slack.calls("conversations.setTopic").len(), 1);
    // The next hand-over tries anew.
    rota.to("2026-01-06T09:00Z");
    assert_eq!(slack.team().topics_set["C1"], 1);
}
