//! Readings that fail: nothing changes, and they are repeated.

use super::{calls, people, sync};
use crate::support::slack::{Failure, Slack};
use crate::support::*;
use serde_json::json;

/// rules.md 17.4.
#[test]
fn half_a_reading_changes_nothing() {
    let slack = Slack::with_people(12);
    slack.team().page = 5;
    let rota = slack.go();
    // Slack permits twenty calls of a method of user groups a minute, so not every failure is tried everywhere.
    for (method, calls_before, failures) in [
        (
            "users.list",
            1,
            &[
                Failure::Code("internal_error"),
                Failure::Status(502),
                Failure::Closes,
                Failure::Code("some_error_of_tomorrow"),
            ][..],
        ),
        ("usergroups.list", 0, &[Failure::Garbage, Failure::Closes]),
        (
            "conversations.list",
            0,
            &[Failure::Garbage, Failure::Code("fatal_error")],
        ),
    ] {
        for failure in failures {
            let id = unique("U").replace('-', "");
            slack
                .team()
                .person("U1", json!({ "profile": { "display_name": id } }));
            slack.fail(method, Failure::Slow(0), calls_before);
            slack.fail(method, failure.clone(), 1);
            assert_eq!(sync(&rota), (0, 1), "{method} {failure:?}");
            let shown = rota.get("/v1/users/U1").json()["displayName"].clone();
            assert_ne!(shown, json!(id), "{method} {failure:?}");
            slack.heal();
            assert_eq!(sync(&rota), (1, 0), "{method} {failure:?}");
            assert_eq!(rota.get("/v1/users/U1").json()["displayName"], json!(id));
        }
    }
    assert_eq!(people(&rota).split(' ').count(), 12);
}

#[test]
fn a_failed_reading_is_repeated_before_its_next_time() {
    let slack = Slack::with_people(1);
    slack.fail("users.list", Failure::Status(503), 4);
    let rota = slack.start().go();
    assert_eq!(calls(&slack), [1, 0, 0]);
    // After 2 s, 10 s, a minute and 5 minutes.
    for (seconds, expected) in [(1, 1), (1, 2), (9, 2), (1, 3), (60, 4), (299, 4), (1, 5)] {
        rota.advance(seconds);
        assert_eq!(calls(&slack)[0], expected, "{seconds}");
    }
    assert_eq!(people(&rota), "U1");
    // From then on as usual.
    rota.advance(899);
    assert_eq!(calls(&slack), [5, 1, 1]);
    rota.advance(1);
    assert_eq!(calls(&slack), [6, 2, 2]);
}

#[test]
fn a_reading_waits_where_slack_asks_it_to() {
    let slack = Slack::with_people(12);
    slack.team().page = 5;
    slack.fail("users.list", Failure::Slow(0), 1);
    slack.fail("users.list", Failure::TooMany(1), 1);
    slack.fail("conversations.list", Failure::TooMany(1), 1);
    let rota = slack.go();
    assert_eq!(people(&rota).split(' ').count(), 12);
    let pages = slack.calls("users.list");
    let outcomes: Vec<&str> = pages.iter().map(|call| call.outcome.as_str()).collect();
    // The page that was refused is asked for again, not the whole list.
    assert_eq!(outcomes, ["ok", "429", "ok", "ok"]);
    assert!(pages[2].at.duration_since(pages[1].at).as_millis() >= 1_000);
    // Where Slack asks for more than anybody waits, the reading fails.
    slack.fail("users.list", Failure::TooMany(600), 1);
    assert_eq!(sync(&rota), (0, 1));
    assert_eq!(people(&rota).split(' ').count(), 12);
}

#[test]
fn a_token_is_taken_away_and_given_back() {
    let slack = Slack::with_people(2);
    let rota = slack.go();
    slack.team().refuse_bot(Some("token_revoked"));
    slack.team().person("U3", json!({}));
    assert_eq!(sync(&rota), (0, 1));
    let made = calls(&slack);
    // While the platform is paused nothing is asked but whether it still is.
    assert_eq!(sync(&rota), (0, 1));
    assert_eq!(calls(&slack), made);
    assert_eq!(people(&rota), "U1 U2");
    slack.team().refuse_bot(None);
    rota.advance(301);
    assert_eq!(people(&rota), "U1 U2 U3");
    // A scope that is missing pauses too.
    slack.team().scope("usergroups:read", false);
    slack.team().scope("usergroups:write", false);
    assert_eq!(sync(&rota), (0, 1));
    slack.team().scope("usergroups:read", true);
    rota.advance(301);
    assert_eq!(sync(&rota), (1, 0));
}

#[test]
fn a_slack_that_is_away_at_the_start_is_read_later() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let slack = Slack::with_people(2);
    slack.team().down = Some(Failure::Status(503));
    let rota = slack.start().db(&db).go();
    assert_eq!(people(&rota), "");
    slack.heal();
    rota.advance(3);
    assert_eq!(people(&rota), "U1 U2");
    assert_eq!(rota.get("/v1/users/U1").ok().json()["teamId"], "T1");
    rota.stop();
    // The database is known to be Slack's.
    let later = "2026-01-05T09:00Z";
    let rota = slack.start().clock(later).db(&db).go();
    assert_eq!(people(&rota), "U1 U2");
}

#[test]
fn duty_goes_on_while_slack_is_away() {
    let slack = Slack::with_people(2);
    let rota = slack.go();
    let rotation = rota.daily("U1 U2", 1);
    let before = rotation.on_call();
    slack.team().down = Some(Failure::Status(503));
    rota.advance(2 * 86_400);
    assert_ne!(rotation.on_call(), before);
}
