//! On-duty groups.

use super::{status, unreminded};
use crate::support::slack::{Failure, SIGNING_SECRET, Slack, event, posted};
use crate::support::*;
use serde_json::json;

#[test]
fn a_group_of_our_own_follows_the_people_on_call() {
    let slack = Slack::with_people(3);
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2 U3", 1);
    let id = rotation.bind_handle("on-duty");
    eventually("it is filled", || slack.team().group_people(&id) == ["U1"]);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(slack.team().group_people(&id), ["U2"]);
    // Nobody is on call: it is disabled, never emptied.
    rotation.clear().is(200);
    eventually("it is disabled", || {
        slack.calls("usergroups.disable").len() == 1
    });
    assert_eq!(slack.team().group_people(&id), ["U2"]);
    // Enabled before it is filled.
    rotation.put_on_call("U3").is(200);
    eventually("it is filled again", || {
        slack.team().group_people(&id) == ["U3"]
    });
    let calls = slack.team().calls.clone();
    let order: Vec<&str> = calls
        .iter()
        .map(|call| call.method.as_str())
        .filter(|method| ["usergroups.enable", "usergroups.users.update"].contains(method))
        .collect();
    assert_eq!(
        order[order.len() - 2..],
        ["usergroups.enable", "usergroups.users.update"]
    );
}

#[test]
fn disabling_is_tried_until_slack_does_it() {
    for failure in [Failure::Code("internal_error"), Failure::TooMany(1)] {
        let slack = Slack::with_people(2);
        let rota = unreminded(&slack);
        let rotation = rota.daily("U1 U2", 1);
        let id = rotation.bind_handle("on-duty");
        eventually("it is filled", || slack.team().group_people(&id) == ["U1"]);
        slack.fail("usergroups.disable", failure, 1);
        rotation.clear().is(200);
        eventually("it is tried", || {
            slack.calls("usergroups.disable").len() == 1
        });
        rota.advance(2);
        eventually("it is disabled", || slack.team().is_disabled(&id));
        // A group that is disabled already is no failure.
        rotation.put_on_call("U1").is(200);
        eventually("it is enabled", || !slack.team().is_disabled(&id));
        let disabled = || slack.calls("usergroups.disable").len();
        let before = disabled();
        slack.team().group(&id, json!({ "date_delete": 1 }));
        rotation.clear().is(200);
        eventually("it is in step", || {
            let group = status(&rotation)["onDutyGroup"].clone();
            group["nextAttemptAt"].is_null() && group["disabled"] == true
        });
        let status = status(&rotation);
        assert!(status["onDutyGroup"]["lastError"].is_null(), "{status}");
        // Nor is it disabled at each of the next syncs.
        rotation.patch(json!({ "name": "Another name" })).ok();
        rotation.bind(&id);
        rota.advance(1);
        assert_eq!(disabled(), before);
    }
}

#[test]
fn too_many_calls_of_one_method_hold_up_no_other_group() {
    let slack = Slack::with_people(4);
    let rota = unreminded(&slack);
    let (waiting, other) = (rota.daily("U1 U2", 1), rota.daily("U1 U2 U3", 1));
    let (first, second) = (waiting.bind_handle("first"), other.bind_handle("second"));
    eventually("both are filled", || {
        let team = slack.team();
        [&first, &second].map(|id| team.group_people(id)) == [["U1"], ["U1"]]
    });
    slack.fail("usergroups.disable", Failure::TooMany(300), 1);
    waiting.clear().is(200);
    eventually("it is refused", || {
        slack.calls("usergroups.disable").len() == 1
    });
    other.put_on_call("U3").is(200);
    eventually("the other one is filled", || {
        slack.team().group_people(&second) == ["U3"]
    });
    // What the waiting group needs now is another method.
    waiting.put_on_call("U2").is(200);
    eventually("it is filled", || {
        slack.team().group_people(&first) == ["U2"]
    });
    assert_eq!(slack.calls("usergroups.disable").len(), 1);
}

#[test]
fn a_group_that_somebody_switches_is_switched_back() {
    let slack = Slack::with_people(2);
    let rota = slack
        .start()
        .env("ROTA_CHAT_REMINDER_BEFORE", "0s")
        .env("ROTA_SLACK_SIGNING_SECRET", SIGNING_SECRET)
        .go();
    slack.read_directory(&rota);
    let rotation = rota.daily("U1 U2", 1);
    let id = rotation.bind_handle("on-duty");
    let switch = |disabled_at: u32| {
        slack
            .team()
            .group(&id, json!({ "date_delete": disabled_at }))
    };
    let say = || {
        let group = slack.team().groups.last().cloned();
        let said = json!({ "type": "subteam_updated", "subteam": group });
        posted(&rota, "/slack/events", &event(said)).ok();
    };
    let in_step = |disabled| {
        eventually("it is in step", || {
            let group = status(&rotation)["onDutyGroup"].clone();
            group["nextAttemptAt"].is_null() && group["disabled"] == disabled
        });
    };
    eventually("it is filled", || slack.team().group_people(&id) == ["U1"]);
    in_step(false);
    // Somebody is on call, and the group is disabled: by an event, and by a reading.
    switch(99);
    say();
    eventually("it is enabled", || !slack.team().is_disabled(&id));
    in_step(false);
    switch(99);
    slack.read_directory(&rota);
    eventually("it is enabled again", || !slack.team().is_disabled(&id));
    // Nobody is on call, and the group is enabled.
    rotation.clear().is(200);
    eventually("it is disabled", || slack.team().is_disabled(&id));
    in_step(true);
    switch(0);
    say();
    eventually("it is disabled again", || slack.team().is_disabled(&id));
    in_step(true);
    switch(0);
    slack.read_directory(&rota);
    eventually("and again", || slack.team().is_disabled(&id));
    in_step(true);
    // What is in step is left alone.
    let calls = || {
        let methods = ["usergroups.enable", "usergroups.disable"];
        methods.map(|method| slack.calls(method).len())
    };
    let before = calls();
    say();
    slack.read_directory(&rota);
    assert_eq!(calls(), before);
}

/// rules.md 14.9.
#[test]
fn an_adopted_group_is_never_emptied_or_disabled() {
    let slack = Slack::with_people(3);
    slack.team().group("S1", json!({ "users": ["U1"] }));
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2", 1);
    rotation.bind("S1");
    rota.to("2026-01-06T09:00Z");
    assert_eq!(slack.team().group_people("S1"), ["U2"]);
    rotation.clear().is(200);
    eventually("the drift is shown", || {
        text(&status(&rotation)["onDutyGroup"]["lastError"]).contains("adopted")
    });
    assert_eq!(slack.team().group_people("S1"), ["U2"]);
    assert!(slack.calls("usergroups.disable").is_empty());
}

#[test]
fn a_plan_that_permits_groups_again_is_noticed_by_a_reading() {
    let slack = Slack::with_people(2);
    let rota = unreminded(&slack);
    let can_create = |expected: bool| {
        let capabilities = rota.get("/v1/user-groups/capabilities").ok().json();
        assert_eq!(capabilities["canCreate"], expected, "{capabilities}");
    };
    let refused = Failure::Code("plan_upgrade_required");
    slack.fail("usergroups.list", refused, 1);
    slack.read_directory(&rota);
    can_create(false);
    slack.read_directory(&rota);
    can_create(true);
    // A list that works does not say that groups may be made.
    slack.team().no_groups = Some("plan_upgrade_required");
    let rotation = rota.daily("U1 U2", 1);
    let refused = rotation.try_bind(json!({ "handle": "on-duty" }));
    refused.refused(409, "user_group_not_manageable");
    slack.read_directory(&rota);
    can_create(false);
}

#[test]
fn a_workspace_that_permits_no_groups_is_told() {
    for (code, can_create) in [
        ("permission_denied", true),
        ("plan_upgrade_required", false),
        ("paid_teams_only", false),
    ] {
        let slack = Slack::with_people(2);
        slack.team().no_groups = Some(code);
        let rota = unreminded(&slack);
        let rotation = rota.daily("U1 U2", 1);
        let etag = rotation.etag();
        let answer = rotation.try_bind(json!({ "handle": "on-duty" }));
        answer.refused(409, "user_group_not_manageable");
        assert_eq!(rotation.etag(), etag, "nothing is written");
        let capabilities = rota.get("/v1/user-groups/capabilities").ok().json();
        assert_eq!(capabilities["canCreate"], can_create, "{capabilities}");
        assert_eq!(
            capabilities["reason"].is_null(),
            can_create,
            "{capabilities}"
        );
        // Slack is asked again each time: the plan may have changed.
        slack.team().no_groups = None;
        rotation.try_bind(json!({ "handle": "on-duty" })).is(200);
        let capabilities = rota.get("/v1/user-groups/capabilities").ok().json();
        assert_eq!(capabilities["canCreate"], true);
    }
}

#[test]
fn a_workspace_whose_plan_lists_no_groups_has_people() {
    for code in ["plan_upgrade_required", "paid_teams_only"] {
        let slack = Slack::with_people(2);
        slack.team().no_groups = Some(code);
        slack.fail("usergroups.list", Failure::Code(code), 100);
        let rota = unreminded(&slack);
        let capabilities = rota.get("/v1/user-groups/capabilities").ok().json();
        assert_eq!(capabilities["canCreate"], false, "{capabilities}");
        assert!(text(&capabilities["reason"]).contains("paid"));
        let rotation = rota.daily("U1 U2", 1);
        let answer = rotation.try_bind(json!({ "handle": "on-duty" }));
        answer.refused(409, "user_group_not_manageable");
    }
}

/// rules.md 14.9.
#[test]
fn people_whom_slack_refuses_are_left_out_and_shown() {
    let slack = Slack::with_people(3);
    slack.team().person("U2", json!({ "is_restricted": true }));
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2 U3", 2);
    let id = rotation.bind_handle("on-duty");
    eventually("the other one is in it", || {
        slack.team().group_people(&id) == ["U1"]
    });
    eventually("it is shown", || {
        text(&status(&rotation)["onDutyGroup"]["lastError"]).contains("U2")
    });
    rota.to("2026-01-06T09:00Z");
    assert_eq!(slack.team().group_people(&id), ["U1", "U3"]);
}

#[test]
fn a_group_does_not_keep_the_one_before_when_nobody_on_call_is_taken() {
    let slack = Slack::with_people(3);
    slack.team().person("U2", json!({ "is_restricted": true }));
    slack.team().group("S1", json!({ "users": ["U1"] }));
    let rota = unreminded(&slack);
    let (rotation, adopting) = (rota.daily("U1 U2 U3", 1), rota.daily("U1 U2 U3", 1));
    let id = rotation.bind_handle("on-duty");
    adopting.bind("S1");
    eventually("it is filled", || slack.team().group_people(&id) == ["U1"]);
    rota.to("2026-01-06T09:00Z");
    eventually("it is disabled", || slack.team().is_disabled(&id));
    eventually("it is shown", || {
        text(&status(&rotation)["onDutyGroup"]["lastError"]).contains("does not take U2")
    });
    // An adopted one is left as it is.
    eventually("the drift is shown", || {
        let status = status(&adopting);
        let error = text(&status["onDutyGroup"]["lastError"]);
        error.contains("does not take U2") && error.contains("adopted")
    });
    assert!(!slack.team().is_disabled("S1"));
    rota.to("2026-01-07T09:00Z");
    for id in [id.as_str(), "S1"] {
        eventually("it is filled again", || {
            slack.team().group_people(id) == ["U3"]
        });
        assert!(!slack.team().is_disabled(id));
    }
    assert!(status(&rotation)["onDutyGroup"]["lastError"].is_null());
}

#[test]
fn a_group_that_is_not_ours_to_fill_is_shown() {
    let slack = Slack::with_people(2);
    slack
        .team()
        .group("S1", json!({ "not_ours": true, "users": ["U2"] }));
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2", 1);
    rotation.try_bind(json!({ "userGroupId": "S1" })).is(200);
    eventually("it is shown", || {
        text(&status(&rotation)["onDutyGroup"]["lastError"]).contains("permission_denied")
    });
    assert_eq!(slack.team().group_people("S1"), ["U2"]);
}

#[test]
fn twenty_calls_a_minute_and_the_newest_state_only() {
    let slack = Slack::with_people(4);
    for number in 1..=25 {
        slack
            .team()
            .group(&format!("S{number}"), json!({ "users": ["U4"] }));
    }
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C1");
    rotation.bind("S1");
    for _ in 0..30 {
        rotation.rotate();
    }
    eventually("the messages do not wait", || {
        !slack.posted("C1").is_empty()
    });
    for method in ["usergroups.users.update", "usergroups.list"] {
        assert!(slack.calls(method).len() <= 20, "{method}");
    }
}

#[test]
fn one_listing_serves_all_groups_that_are_due() {
    let slack = Slack::with_people(3);
    let groups = ["S1", "S2", "S3", "S4", "S5", "S6"];
    for group in groups {
        slack.team().group(group, json!({ "users": ["U3"] }));
    }
    let rota = unreminded(&slack);
    for group in groups {
        rota.daily("U1 U2", 1).bind(group);
    }
    let before = slack.calls("usergroups.list").len();
    rota.to("2026-01-06T09:00Z");
    for group in groups {
        assert_eq!(slack.team().group_people(group), ["U3", "U2"], "{group}");
    }
    // Those that are due at the same time, and the reading of the directory.
    let after = slack.calls("usergroups.list").len();
    assert!(after - before < groups.len(), "{before} {after}");
}

#[test]
fn a_handle_that_is_known_is_not_asked_for() {
    let slack = Slack::with_people(2);
    slack.team().group("S1", json!({ "handle": "known" }));
    let rota = unreminded(&slack);
    let rotation = rota.daily("U1 U2", 1);
    for _ in 0..25 {
        let bound = rotation.try_bind(json!({ "handle": "Known" }));
        assert_eq!(text(&bound.is(200).json()["onDutyUserGroupId"]), "S1");
    }
    assert!(slack.calls("usergroups.list").len() < 5);
    slack.read_directory(&rota);
    // One that somebody has made since the directory was read is adopted.
    slack
        .team()
        .group("S2", json!({ "handle": "late", "users": ["U1"] }));
    assert_eq!(rotation.bind_handle("late"), "S2");
    rotation.clear().is(200);
    eventually("the drift is shown", || {
        text(&status(&rotation)["onDutyGroup"]["lastError"]).contains("adopted")
    });
    assert!(slack.calls("usergroups.disable").is_empty());
}
