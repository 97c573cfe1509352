//! Ids that a write names and nobody knows: Slack is asked for each once.

use crate::support::slack::{Failure, Slack};
use crate::support::*;
use serde_json::json;

/// rules.md 17.8.
#[test]
fn whoever_joined_since_the_last_reading_is_asked_for() {
    let slack = Slack::with_people(2);
    let rota = slack.go();
    slack.team().person("U7", json!({}));
    slack.team().channel("C7", json!({}));
    slack.team().channel("C8", json!({}));
    let mut body = new_rotation("U1 U7");
    body["owners"] = json!(["U7", "U1"]);
    body["channels"] = json!(["C1", "C7"]);
    let rotation = rota.create(body);
    assert_eq!(slack.calls("users.info").len(), 1);
    assert_eq!(
        slack
            .calls("conversations.info")
            .iter()
            .filter(|call| call.arguments["channel"] == "C7")
            .count(),
        1
    );
    rotation.put_on_call("U7").ok();
    assert_eq!(rota.get("/v1/users/U7").is(200).json()["displayName"], "u7");
    // Other routes ask, too.
    slack.team().person("U8", json!({}));
    rotation
        .patch(json!({ "userIds": ["U1", "U8"], "owners": ["U1"] }))
        .is(200);
    rotation
        .put("/channels/C8", json!({ "postsMessages": true }))
        .ok();
    assert_eq!(slack.calls("users.info").len(), 2);
    slack.team().person("U9", json!({}));
    rota.token("U9");
    assert_eq!(slack.calls("users.info").len(), 3);
    // What is known is not asked for.
    rotation.patch(json!({ "userIds": ["U1", "U9"] })).is(200);
    assert_eq!(slack.calls("users.info").len(), 3);
}

#[test]
fn requests_and_mentions_ask_for_whom_they_name() {
    let slack = Slack::with_people(3);
    let rota = slack.go();
    let rotation = rota.daily("U1 U2 U3", 1);
    let asked_for = |user: &str| {
        let calls = slack.calls("users.info");
        let about = calls.iter().filter(|call| call.arguments["user"] == user);
        about.count()
    };
    slack.team().person("U7", json!({}));
    slack.team().channel("C7", json!({}));
    let mention = "mention?userId=U7&channelId=C7&message=Help";
    let opened = rotation.inbound().post(mention).is(200).json();
    assert_eq!(asked_for("U7"), 1);
    assert!(!text(&opened["mentionId"]).is_empty(), "{opened}");
    rotation
        .inbound()
        .post("mention?userId=U99&channelId=C7&message=Help")
        .refused(400, "invalid_request");
    // Whoever is asked to take over must be in the roster, which somebody new is not.
    for (sort, body) in [
        ("cover-requests", rotation.cover_body("06 07", "U98")),
        (
            "swap-requests",
            rotation.swap_body("U97", &[("a", "U2", 0, "06 07"), ("b", "U97", 0, "07 08")]),
        ),
    ] {
        let refused = rotation.seen_by("U2").request(sort, body);
        refused.refused(400, "invalid_request");
    }
    assert_eq!((asked_for("U98"), asked_for("U97")), (1, 1));
}

#[test]
fn an_absence_asks_for_whom_it_names() {
    let slack = Slack::with_people(2);
    let rota = slack.go();
    let rotation = rota.rotation("U1 U2");
    slack.team().person("U7", json!({}));
    let absent = |user: &str| {
        let (from, until) = ("2026-01-06T09:00:00Z", "2026-01-08T09:00:00Z");
        let body = json!({ "userId": user, "from": from, "until": until });
        rota.post(&format!("/v1/rotations/{}/availability", rotation.id), body)
    };
    // Whoever is new is in no rotation yet.
    absent("U7").refused(400, "invalid_request");
    assert_eq!(slack.calls("users.info").len(), 1);
    assert_eq!(rota.get("/v1/users/U7").is(200).json()["displayName"], "u7");
    absent("U8").refused(404, "not_found");
    assert_eq!(slack.calls("users.info").len(), 2);
}

#[test]
fn whoever_slack_does_not_know_is_refused_after_one_question() {
    let slack = Slack::with_people(2);
    slack.team().channel("C5", json!({ "is_member": false }));
    let rota = slack.go();
    let rotation = rota.rotation("U1 U2");
    let count = |method: &str| slack.calls(method).len();
    for (index, refused) in [
        rota.try_create(new_rotation("U1 U99")),
        rotation.patch(json!({ "userIds": ["U98", "U1"] })),
        rotation.put_on_call("U97"),
        rotation.try_assign(0, "U96", "2026-01-06T12:00Z", "2026-01-06T14:00Z"),
    ]
    .into_iter()
    .enumerate()
    {
        let problem = refused.refused(400, "invalid_request");
        assert!(
            text(&problem["detail"]).contains(&format!("U{}", 99 - index)),
            "{problem}"
        );
    }
    assert!(
        (3..=4).contains(&count("users.info")),
        "{}",
        count("users.info")
    );
    let asked = count("conversations.info");
    let posts = json!({ "postsMessages": true });
    rotation.put("/channels/C99", posts).is(404);
    let mut body = new_rotation("U1");
    body["channels"] = json!(["C5"]);
    rota.try_create(body).refused(400, "invalid_request");
    assert_eq!(count("conversations.info"), asked + 2);
    // What no id of Slack looks like is not asked for.
    rota.try_create(new_rotation("U1 x'y"))
        .refused(400, "invalid_request");
    let before = count("users.info");
    rota.try_create(new_rotation("U1 ../../x"))
        .refused(400, "invalid_request");
    assert_eq!(count("users.info"), before);
}

/// rules.md 17.8.
#[test]
fn whoever_may_not_write_makes_nobody_ask() {
    let slack = Slack::with_people(3);
    let rota = slack.go();
    let rotation = rota.rotation("U1 U2");
    slack.team().person("U9", json!({}));
    let outsider = rotation.with(&rota.token("U3"));
    let patch = json!({ "userIds": ["U1", "U9"] });
    assert!((403..=404).contains(&outsider.patch(patch.clone()).status()));
    let path = rotation.path("");
    rotation
        .by
        .patch_if(&path, "\"old\"", patch.clone())
        .is(412);
    assert!(slack.calls("users.info").is_empty());
    rotation.patch(patch).is(200);
}

#[test]
fn a_slack_that_does_not_answer_refuses_nobody_else() {
    let slack = Slack::with_people(2);
    let rota = slack.go();
    slack.team().person("U9", json!({}));
    slack.fail("users.info", Failure::Status(503), 1);
    rota.try_create(new_rotation("U1 U9"))
        .refused(400, "invalid_request");
    rota.rotation("U1 U2");
    // Asked again by the next write.
    rota.rotation("U1 U9");
}
