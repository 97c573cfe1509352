//! A token that Slack no longer takes.

use super::{status, texts, unreminded};
use crate::support::slack::Slack;
use crate::support::*;

/// rules.md 14.8.
#[test]
fn a_revoked_token_pauses_everything_and_nothing_is_lost() {
    for code in [
        "token_revoked",
        "invalid_auth",
        "account_inactive",
        "token_expired",
        "not_authed",
    ] {
        let slack = Slack::with_people(2);
        let rota = unreminded(&slack);
        let rotation = rota.daily("U1 U2", 1);
        rotation.posts_in("C1");
        slack.team().refuse_bot(Some(code));
        rota.to("2026-01-06T09:00Z");
        let chat = rota.get("/v1/chat").ok().json();
        assert_eq!(chat["platform"], "slack");
        assert_eq!(chat["state"], "paused", "{chat}");
        assert!(text(&chat["lastError"]).contains(code), "{chat}");
        rota.get("/readyz").ok();
        let metrics = rota.get("/metrics").ok().text();
        assert!(metrics.contains("rota_chat_up 0"), "{metrics}");
        let error = status(&rotation)["messages"]["lastError"].clone();
        assert!(text(&error).contains(code), "{error}");
        // Duty goes on.
        assert_eq!(rotation.on_call(), "U2");
        let before = slack.calls("chat.postMessage").len();
        // What the creation has left to send may have met the refusal a day earlier, and the platform was asked since.
        let asked_before = slack.calls("auth.test").len();
        rota.advance(23 * 3600 - 60);
        assert_eq!(
            slack.calls("chat.postMessage").len(),
            before,
            "nothing is sent meanwhile"
        );
        // Every five minutes it is asked.
        let asked = slack.calls("auth.test").len() - asked_before;
        assert!((270..=282).contains(&asked), "{asked}");
        slack.team().refuse_bot(None);
        rota.advance(300);
        eventually("it is posted", || slack.posted("C1").len() == 1);
        assert!(texts(&slack, "C1")[0].starts_with("Rotation: <@U2> takes over"));
        assert_eq!(rota.get("/v1/chat").ok().json()["state"], "up");
    }
}

#[test]
fn topics_and_groups_say_why_they_wait_and_until_when() {
    let slack = Slack::with_people(2);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2", 1);
    rotation.posts_in("C1");
    rotation.tells_in("C2");
    let id = rotation.bind_handle("on-duty");
    eventually("it is filled", || slack.team().group_people(&id) == ["U1"]);
    slack.team().refuse_bot(Some("token_revoked"));
    rota.to("2026-01-06T09:00Z");
    for (at, next) in [
        ("2026-01-06T09:00Z", "2026-01-06T09:05Z"),
        ("2026-01-06T12:02Z", "2026-01-06T12:05Z"),
    ] {
        rota.to(at);
        let chat = status(&rotation);
        for shown in [&chat["onDutyGroup"], &chat["topics"][0]] {
            assert!(
                text(&shown["lastError"]).contains("token_revoked"),
                "{chat}"
            );
            assert_eq!(instant(&shown["nextAttemptAt"]), next, "{chat}");
            assert_eq!(shown["inStep"], false, "{chat}");
        }
    }
    slack.team().refuse_bot(None);
    rota.to("2026-01-06T12:05Z");
    eventually("both are in step", || {
        let chat = status(&rotation);
        [&chat["onDutyGroup"], &chat["topics"][0]]
            .into_iter()
            .all(|shown| shown["lastError"].is_null() && shown["nextAttemptAt"].is_null())
    });
}

#[test]
fn a_restart_asks_at_once() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let slack = Slack::with_people(2);
    let rota = slack
        .start()
        .env("ROTA_CHAT_REMINDER_BEFORE", "0s")
        .db(&db)
        .go();
    slack.read_directory(&rota);
    let rotation = rota.daily("U1 U2", 1);
    rotation.posts_in("C1");
    slack.team().refuse_bot(Some("token_revoked"));
    rota.to("2026-01-06T09:00Z");
    assert!(slack.posted("C1").is_empty());
    rota.stop();
    slack.team().refuse_bot(None);
    let _rota = slack.start().clock("2026-01-06T09:01Z").db(&db).go();
    eventually("it is posted", || slack.posted("C1").len() == 1);
}

#[test]
fn a_missing_scope_is_named() {
    let slack = Slack::with_people(2);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2", 1);
    rotation.posts_in("C1");
    slack.team().scope("chat:write", false);
    rota.to("2026-01-06T09:00Z");
    let chat = rota.get("/v1/chat").ok().json();
    assert_eq!(chat["state"], "paused", "{chat}");
    let error = text(&chat["lastError"]);
    assert!(
        error.contains("missing_scope") && error.contains("chat:write"),
        "{error}"
    );
    slack.team().scope("chat:write", true);
    rota.advance(300);
    eventually("it is posted", || slack.posted("C1").len() == 1);
}
