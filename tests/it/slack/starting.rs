//! The start on Slack: whose workspace it is, and what is wrong.

use crate::support::slack::{Failure, Slack};
use crate::support::*;
use std::time::{Duration, Instant};

#[test]
fn the_workspace_is_the_one_of_the_token() {
    let slack = Slack::with_people(3);
    let rota = slack.go();
    let team = rota.get("/v1/keys/self").ok();
    assert_eq!(team.json()["teamId"], "T1");
    let calls = slack.calls("auth.test");
    assert_eq!(calls.len(), 1);
    // What belongs to the local platform is not there.
    assert_eq!(rota.get("/dev/chat").status(), 404);
    assert_eq!(rota.request("PUT", "/dev/chat").send().status(), 404);
    let metrics = rota.get("/metrics").ok();
    let line = "rota_chat_requests_total{method=\"auth.test\",outcome=\"ok\"} 1";
    assert!(metrics.text().contains(line), "{}", metrics.text());
}

#[test]
fn a_token_of_another_workspace_ends_the_start() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let slack = Slack::with_people(1);
    slack.start().db(&db).go().stop();
    slack.team().id = "T2".into();
    let Err((status, log)) = slack.start().db(&db).attempt() else {
        panic!("it started");
    };
    assert_eq!(status.code(), Some(1), "{log}");
    let last = log.trim_end().lines().last().unwrap_or_default();
    assert!(last.contains("T2") && last.contains("T1"), "{last}");
}

#[test]
fn people_of_the_local_platform_end_the_start() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let local = Start::default().db(&db).go();
    local.people(2);
    local.stop();
    let slack = Slack::with_people(1);
    let Err((status, log)) = slack.start().db(&db).attempt() else {
        panic!("it started");
    };
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("local platform"), "{log}");
    assert!(slack.calls("auth.test").is_empty());
}

#[test]
fn a_refused_token_does_not_stop_the_server() {
    let slack = Slack::with_people(1);
    slack.team().refuse_bot(Some("token_revoked"));
    let rota = slack.start().go();
    rota.get("/readyz").ok();
    assert!(rota.process.log.text().contains("token_revoked"));
    assert!(!rota.process.log.text().contains("xoxb-"));
    // Asked again five minutes later, on the clock of the server.
    slack.team().refuse_bot(None);
    rota.advance(301);
    eventually("the workspace is known", || {
        rota.get("/v1/keys/self").ok().json()["teamId"] == "T1"
    });
}

#[test]
fn a_slack_that_is_away_is_asked_again() {
    let slack = Slack::with_people(1);
    slack.fail("auth.test", Failure::Status(503), 1);
    let rota = slack.start().go();
    eventually("the workspace is known", || {
        rota.get("/v1/keys/self").ok().json()["teamId"] == "T1"
    });
    assert_eq!(slack.calls("auth.test").len(), 2);
}

pub fn a_slack_that_hangs_does_not_hold_up_the_start_or_a_move_of_the_clock() {
    let slack = Slack::with_people(1);
    slack.team().down = Some(Failure::Slow(14_000));
    let began = Instant::now();
    let rota = slack.start().go();
    assert!(began.elapsed() < Duration::from_secs(12));
    rota.get("/readyz").ok();
    // The reading of the start may still be under way.
    let began = Instant::now();
    rota.advance(3_600);
    assert!(began.elapsed() < Duration::from_secs(35));
    slack.heal();
}

pub fn a_move_of_the_clock_waits_for_a_slack_that_hangs_no_longer_than_half_a_minute() {
    let slack = Slack::with_people(4);
    let rota = slack.go();
    // A hand-over has messages, a topic, and a group, each of which needs several calls.
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C1");
    rotation.tells_in("C2");
    let id = rotation.bind_handle("on-duty");
    eventually("it is filled", || slack.team().group_people(&id) == ["U1"]);
    slack.team().down = Some(Failure::Slow(13_000));
    let began = Instant::now();
    rota.to("2026-01-07T09:00Z");
    let took = began.elapsed();
    assert!(took < Duration::from_secs(36), "{took:?}");
    assert_eq!(rotation.on_call(), "U3");
    slack.heal();
    // What was under way is brought to its end.
    rota.advance(600);
    eventually("the group follows", || {
        slack.team().group_people(&id) == ["U3"]
    });
}

#[test]
fn settings_that_do_not_fit_are_told() {
    for (env, wrong) in [
        (vec![], "slack needs a bot token"),
        (
            vec![("ROTA_SLACK_BOT_TOKEN", "secret-1")],
            "ROTA_SLACK_BOT_TOKEN: this is not a bot token",
        ),
        (
            vec![
                ("ROTA_SLACK_BOT_TOKEN", "xoxb-secret-1"),
                ("ROTA_SLACK_BOT_TOKEN_FILE", "/etc/hosts"),
            ],
            "ROTA_SLACK_BOT_TOKEN_FILE: it is set twice",
        ),
        (
            vec![("ROTA_SLACK_BOT_TOKEN_FILE", "/does/not/exist")],
            "ROTA_SLACK_BOT_TOKEN_FILE: /does/not/exist: ",
        ),
        (
            vec![
                ("ROTA_SLACK_BOT_TOKEN", "xoxb-secret-1"),
                ("ROTA_SLACK_API_URL", "http://slack.com/api/"),
            ],
            "ROTA_SLACK_API_URL: ",
        ),
    ] {
        let start = Start::default().env("ROTA_CHAT_PLATFORM", "slack");
        let start = env
            .iter()
            .fold(start, |start, (name, value)| start.env(name, value));
        let Err((status, log)) = start.attempt() else {
            panic!("it started: {env:?}");
        };
        assert_eq!(status.code(), Some(2), "{log}");
        assert!(log.contains(wrong) && !log.contains("secret-1"), "{log}");
    }
}
