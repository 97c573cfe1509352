//! People who are away by their status.

use super::sync;
use crate::support::slack::Slack;
use crate::support::*;
use serde_json::{Value, json};

/// A status with this emoji until an instant; `None` has no end.
fn status(slack: &Slack, user: &str, emoji: &str, until: Option<&str>) {
    let expiration = until.map_or(0, |until| at(until).as_second());
    let profile = json!({ "status_emoji": emoji, "status_expiration": expiration });
    slack.team().person(user, json!({ "profile": profile }));
}

fn conflicts_of(rotation: &Rot, user: &str) -> Vec<Value> {
    let preview = rotation.preview(0, user, "2026-01-06T10:00Z", "2026-01-06T20:00Z");
    conflicts_in(&preview)
}

/// rules.md 8.2.
#[test]
fn a_status_is_a_conflict_that_can_be_acknowledged() {
    let slack = Slack::with_people(4);
    status(&slack, "U2", ":palm_tree:", None);
    status(&slack, "U3", ":airplane:", Some("2026-01-06T15:00Z"));
    status(&slack, "U4", ":coffee:", None);
    let rota = slack.go();
    let rotation = rota.daily("U1 U2 U3 U4", 1);
    assert_eq!(conflicts_of(&rotation, "U4"), Vec::<Value>::new());
    for (user, until) in [("U2", "2026-01-06T20:00Z"), ("U3", "2026-01-06T15:00Z")] {
        let found = conflicts_of(&rotation, user);
        let [conflict] = &found[..] else {
            panic!("{found:?}");
        };
        for (member, expected) in [
            ("type", json!("absence")),
            ("source", json!("chatStatus")),
            ("userId", json!(user)),
            ("canAcknowledge", json!(true)),
        ] {
            assert_eq!(conflict[member], expected, "{conflict}");
        }
        assert_eq!(instant(&conflict["from"]), "2026-01-06T10:00Z");
        assert_eq!(instant(&conflict["to"]), until);
        let mut body = rotation.assignment(0, user, "2026-01-06T10:00Z", "2026-01-06T20:00Z");
        let refused = rotation.try_preview(&body).is(200).json();
        assert_eq!(refused["canCommit"], json!(false));
        rotation.post_arrangement("", &body).is(409);
        body["acknowledgedConflictIds"] = json!([conflict["id"]]);
        let id = only_arrangement(&rotation.post_arrangement("", &body).is(200).json());
        rotation.end(&id);
    }
    // Nobody is passed over for it.
    rota.advance(25 * 3600);
    assert_eq!(rotation.on_call(), "U2");
}

#[test]
fn acceptances_name_it_too() {
    let slack = Slack::with_people(2);
    let rota = slack.go();
    let rotation = rota.daily("U1 U2", 1);
    rotation.put_on_call("U1").ok();
    let request = rotation.ask_cover("U1", "05T12 05T16", "U2");
    status(&slack, "U2", ":face_with_thermometer:", None);
    sync(&rota);
    let refused = request.step("U2", "accept").is(409).json();
    let ids = conflict_ids(&refused);
    assert_eq!(ids.len(), 1, "{refused}");
    let seen = json!({ "acknowledgedConflictIds": ids });
    request.step_with("U2", "accept", seen).is(200);
}

#[test]
fn a_status_ends_by_the_development_clock_and_by_slack() {
    let slack = Slack::with_people(3);
    status(&slack, "U2", ":palm_tree:", Some("2026-01-05T09:00Z"));
    status(&slack, "U3", ":palm_tree:", None);
    let rota = slack.go();
    let rotation = rota.daily("U1 U2 U3", 1);
    // It ends before the interval that is asked for.
    assert!(conflicts_of(&rotation, "U2").is_empty());
    assert_eq!(conflicts_of(&rotation, "U3").len(), 1);
    status(&slack, "U3", "", None);
    sync(&rota);
    assert!(conflicts_of(&rotation, "U3").is_empty());
}

#[test]
fn the_emoji_are_a_setting() {
    let slack = Slack::with_people(3);
    status(&slack, "U2", ":palm_tree:", None);
    status(&slack, "U3", ":zzz:", None);
    let rota = slack.start().env("ROTA_SLACK_AWAY_EMOJI", "zzz boat").go();
    let rotation = rota.daily("U1 U2 U3", 1);
    assert!(conflicts_of(&rotation, "U2").is_empty());
    assert_eq!(conflicts_of(&rotation, "U3").len(), 1);
}
