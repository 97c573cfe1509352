//! Readings from which many people are missing.

use super::{people, sync};
use crate::support::slack::Slack;
use crate::support::*;
use serde_json::json;

/// rules.md 17.5.
#[test]
fn many_who_are_missing_are_kept_until_somebody_agrees() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let slack = Slack::with_people(30);
    let rota = slack.start().db(&db).go();
    let rotation = rota.daily("U1 U30", 1);
    rotation.put_on_call("U30").ok();
    let all = people(&rota);
    slack.team().users.truncate(19);
    slack
        .team()
        .person("U1", json!({ "profile": { "display_name": "Ada" } }));
    // Nothing of such a reading is applied.
    assert_eq!(sync(&rota), (0, 1));
    assert_eq!(people(&rota), all);
    assert_eq!(rota.get("/v1/users/U1").json()["displayName"], "u1");
    assert_eq!(rotation.on_call(), "U30");
    let log = rota.process.log.text();
    assert!(
        log.contains("11 of 30 people are missing from Slack's list"),
        "{log}"
    );
    assert!(
        log.contains("rota directory sync --accept-removals"),
        "{log}"
    );
    // Once somebody has agreed, the running server follows.
    let (status, said) = super::command::directory_sync(&slack, &db, "");
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("11 of 30 people are missing"), "{said}");
    let (status, said) = super::command::directory_sync(&slack, &db, "--accept-removals");
    assert_eq!(status, 0, "{said}");
    assert!(
        said.contains("read 19 users, 0 groups, 3 channels"),
        "{said}"
    );
    eventually("the people are gone", || {
        people(&rota).split(' ').count() == 19
    });
    eventually("the next one is on call", || rotation.on_call() == "U1");
    assert_eq!(sync(&rota), (1, 0));
}

#[test]
fn few_who_are_missing_leave() {
    let slack = Slack::with_people(30);
    let rota = slack.go();
    slack.team().users.truncate(20);
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(people(&rota).split(' ').count(), 20);
}

/// rules.md 17.5.
#[test]
fn those_whom_slack_calls_deactivated_leave_however_many() {
    let slack = Slack::with_people(30);
    let rota = slack.go();
    for number in 2..=30 {
        slack
            .team()
            .person(&format!("U{number}"), json!({ "deleted": true }));
    }
    assert_eq!(sync(&rota), (1, 0));
    assert_eq!(people(&rota), "U1");
}

/// rules.md 17.5.
#[test]
fn a_reading_without_anybody_is_not_believed() {
    let slack = Slack::with_people(3);
    let rota = slack.go();
    slack.team().users.clear();
    assert_eq!(sync(&rota), (0, 1));
    assert_eq!(people(&rota), "U1 U2 U3");
}
