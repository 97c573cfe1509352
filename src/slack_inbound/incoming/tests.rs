use super::*;
use serde_json::json;

fn read(class: Class, payload: &Value) -> Incoming {
    Incoming::parse(class, payload).expect("a payload that can be read")
}

fn click(trigger: &str, value: &str) -> Value {
    json!({
        "type": "block_actions", "team": { "id": "T1" }, "user": { "id": "U2", "team_id": "T1" }, "trigger_id": trigger,
        "container": { "type": "message", "message_ts": "17.1", "channel_id": "D1", "is_ephemeral": false },
        "channel": { "id": "D1" }, "message": { "ts": "17.1" }, "response_url": "https://hooks.slack.com/a",
        "actions": [{ "type": "button", "action_id": "accept", "block_id": "b", "value": value, "action_ts": "1.1" }],
    })
}

#[test]
fn a_command() {
    let payload = json!({
        "token": "x", "team_id": "T1", "channel_id": "C1", "user_id": "U2", "user_name": "ana", "command": "/rota",
        "text": "  set <@U1|ana> ", "response_url": "https://hooks.slack.com/c", "trigger_id": "1.2.a", "future": [1],
    });
    let expected = Incoming {
        id: format!(
            "1.2.a {}",
            hashed("payload", [payload.to_string().as_str()])
        ),
        team: Some("T1".into()),
        user: Some("U2".into()),
        kind: Kind::Command(Command {
            command: "/rota".into(),
            text: "set <@U1|ana>".into(),
            channel: "C1".into(),
            response_url: Some("https://hooks.slack.com/c".into()),
            trigger_id: Some("1.2.a".into()),
        }),
    };
    assert_eq!(read(Class::Command, &payload), expected);
}

#[test]
fn a_click_on_a_message() {
    let incoming = read(Class::Interaction, &click("9.9.z", "cov_1"));
    assert_eq!(incoming.team.as_deref(), Some("T1"));
    let Kind::Actions(actions) = incoming.kind else {
        panic!("a click");
    };
    let place = Place::Message {
        channel: "D1".into(),
        ts: "17.1".into(),
        thread_ts: None,
        is_ephemeral: false,
    };
    assert_eq!(actions.place, place);
    assert_eq!(actions.actions[0].action_id, "accept");
    assert_eq!(actions.actions[0].entered.one(), Some("cov_1"));
}

#[test]
fn clicking_twice_is_one_operation() {
    let operation = |payload: &Value| read(Class::Interaction, payload).operation_id();
    let first = operation(&click("1.a", "cov_1"));
    assert_eq!(first, operation(&click("2.b", "cov_1")));
    assert_ne!(first, operation(&click("2.b", "cov_2")));
    let mut elsewhere = click("1.a", "cov_1");
    elsewhere["container"]["message_ts"] = json!("18.1");
    assert_ne!(first, operation(&elsewhere));
    assert!(first.len() <= 64, "{first}");
}

#[test]
fn a_view_has_what_was_entered() {
    let payload = json!({
        "type": "view_submission", "team": { "id": "T1" }, "user": { "id": "U2" }, "trigger_id": "1.2.a",
        "view": { "id": "V1", "type": "modal", "callback_id": "cover", "private_metadata": "rot_1", "hash": "1.abc",
            "state": { "values": {
                "reason": { "text": { "type": "plain_text_input", "value": " Dentist " } },
                "empty": { "text": { "type": "plain_text_input", "value": null } },
                "turn": { "pick": { "type": "static_select", "selected_option": { "text": {}, "value": "cel_1" } } },
                "whom": { "pick": { "type": "multi_users_select", "selected_users": ["U3", "U4"] } },
                "from": { "pick": { "type": "datetimepicker", "selected_date_time": 1_700_000_000 } },
                "on": { "pick": { "type": "datepicker", "selected_date": "2026-11-22" } },
                "sure": { "box": { "type": "checkboxes", "selected_options": [{ "value": "absence" }] } },
            } } },
    });
    let Kind::ViewSubmission(view) = read(Class::Interaction, &payload).kind else {
        panic!("a modal");
    };
    assert_eq!(
        (view.id.as_str(), view.callback_id.as_str()),
        ("V1", "cover")
    );
    assert_eq!(
        (view.private_metadata.as_str(), view.hash.as_str()),
        ("rot_1", "1.abc")
    );
    for (block, action, expected) in [
        ("reason", "text", &[" Dentist "][..]),
        ("empty", "text", &[]),
        ("turn", "pick", &["cel_1"]),
        ("whom", "pick", &["U3", "U4"]),
        ("from", "pick", &["1700000000"]),
        ("on", "pick", &["2026-11-22"]),
        ("sure", "box", &["absence"]),
        ("sure", "other", &[]),
    ] {
        assert_eq!(view.values.of(block, action).0, expected, "{block}");
    }
    assert_eq!(
        view.values.filled("reason", "text").as_deref(),
        Some("Dentist")
    );
    assert_eq!(view.values.filled("empty", "text"), None);
    assert!(view.values.of("sure", "box").has("absence"));
}

#[test]
fn events() {
    let event = |event: Value| {
        let payload =
            json!({ "type": "event_callback", "event_id": "Ev1", "team_id": "T1", "event": event });
        let incoming = read(Class::Event, &payload);
        assert_eq!(incoming.id, "Ev1");
        (incoming.user, incoming.kind)
    };
    let mention = json!({ "type": "app_mention", "user": "U2", "text": "<@U0> OPS", "ts": "1.1", "channel": "C1" });
    let expected = AppMention {
        channel: "C1".into(),
        ts: "1.1".into(),
        thread_ts: None,
        text: "<@U0> OPS".into(),
        is_bot: false,
    };
    assert_eq!(
        event(mention),
        (Some("U2".into()), Kind::Event(Event::AppMention(expected)))
    );
    let home = json!({ "type": "app_home_opened", "user": "U2", "channel": "D1", "tab": "home" });
    assert_eq!(
        event(home),
        (Some("U2".into()), Kind::Event(Event::AppHomeOpened))
    );
    let messages = json!({ "type": "app_home_opened", "user": "U2", "tab": "messages" });
    assert_eq!(
        event(messages).1,
        Kind::Event(Event::Other("app_home_opened".into()))
    );
    for name in [
        "team_join",
        "user_change",
        "subteam_updated",
        "channel_rename",
        "group_left",
        "member_left_channel",
    ] {
        let inner = json!({ "type": name, "user": { "id": "U2" } });
        assert_eq!(
            event(inner.clone()),
            (None, Kind::Event(Event::Directory(inner))),
            "{name}"
        );
    }
    assert_eq!(
        event(json!({ "type": "reaction_added" })).1,
        Kind::Event(Event::Other("reaction_added".into()))
    );
}

#[test]
fn what_is_missing_is_named() {
    for (class, payload, missing) in [
        (Class::Command, json!({}), "/command"),
        (Class::Command, json!({ "command": 1 }), "/command"),
        (Class::Command, json!({ "command": "/rota" }), "/channel_id"),
        (Class::Interaction, json!([]), "/type"),
        (
            Class::Interaction,
            json!({ "type": "block_actions" }),
            "/actions",
        ),
        (
            Class::Interaction,
            json!({ "type": "block_actions", "actions": [] }),
            "/actions",
        ),
        (
            Class::Interaction,
            json!({ "type": "view_submission", "view": {} }),
            "/view/id",
        ),
        (Class::Event, json!({ "type": "event_callback" }), "/event"),
        (Class::Event, json!(null), "/type"),
    ] {
        assert_eq!(
            Incoming::parse(class, &payload),
            Err(Unreadable(missing)),
            "{payload}"
        );
    }
}

#[test]
fn only_the_same_payload_is_the_same() {
    let command = |text: &str| json!({ "command": "/rota", "text": text, "channel_id": "C1", "user_id": "U2", "trigger_id": "1.2.a" });
    let id = |text: &str| read(Class::Command, &command(text)).id;
    assert_eq!(id("back"), id("back"));
    assert_ne!(id("back"), id("me"), "a trigger id of two commands");
    let id = |value: &str| read(Class::Interaction, &click("9.9.z", value)).id;
    assert_eq!(id("cov_1"), id("cov_1"));
    assert_ne!(id("cov_1"), id("cov_2"), "a trigger id of two clicks");
}

#[test]
fn kinds_that_are_not_used_are_named() {
    let shortcut = json!({ "type": "shortcut", "trigger_id": "1" });
    assert_eq!(
        read(Class::Interaction, &shortcut).kind,
        Kind::Other("shortcut".into())
    );
    let limited = json!({ "type": "app_rate_limited", "team_id": "T1" });
    let incoming = read(Class::Event, &limited);
    assert_eq!(incoming.kind, Kind::Other("app_rate_limited".into()));
    // Without an id of its own it is known by what it contains.
    assert_eq!(incoming.id, read(Class::Event, &limited).id);
    assert!(incoming.id.starts_with("slack-payload-"));
}
