//! Topics: the template, several channels and rotations, and what changes them.

use crate::support::*;
use serde_json::json;

fn template(rotation: &Rot, template: &str) {
    rotation.patch(json!({ "topicTemplate": template })).is(200);
}

#[test]
fn the_usual_topic_says_who_until_when_and_who_is_next() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    assert_eq!(rota.topic("C1"), "-");
    rotation.tells_in("C1 C2");
    let says = "Rotation: Person U1 until 2026-01-06 09:00, next Person U2";
    assert_eq!([rota.topic("C1"), rota.topic("C2")], [says, says]);
    rota.to("2026-01-06T09:00Z");
    let says = "Rotation: Person U2 until 2026-01-07 09:00, next Person U3";
    assert_eq!([rota.topic("C1"), rota.topic("C2")], [says, says]);
    // Also by hand, and with nobody.
    rotation.put_on_call("U1").is(200);
    assert_eq!(
        rota.topic("C1"),
        "Rotation: Person U1 until 2026-01-07 09:00, next Person U2"
    );
    rotation.clear().is(200);
    assert_eq!(
        rota.topic("C1"),
        "Rotation: nobody is on call, next Person U2"
    );
    // This one has no scheduled hand-overs.
    let manual = rota.rotation("U1 U2");
    manual.put_on_call("U1").is(200);
    rotation.delete();
    manual.tells_in("C1");
    assert_eq!(rota.topic("C1"), "Rotation: Person U1");
}

#[test]
fn each_token_has_its_value() {
    let rota = Rota::with_people(4);
    let rotation = rota.rotation("U1 U2 U3 U4");
    let daily = cadence(
        "daily",
        "Europe/Oslo",
        "2026-01-06T09:00",
        json!({ "times": ["09:00"] }),
    );
    rotation.cover(2, &[always(daily)]);
    rotation
        .patch(json!({ "description": "About it", "code": "ops" }))
        .is(200);
    rotation.tells_in("C1");
    rotation.bind_handle("duty-team");
    assert_eq!(rotation.on_call(), "U1 U2");
    for (token, value) in [
        ("%NAME%", "Rotation"),
        ("%DESCRIPTION%", "About it"),
        ("%CODE%", "OPS"),
        ("%DUTY_SIZE%", "2"),
        ("%USER%", "Person U1, Person U2"),
        ("%USERHANDLE%", "@Person U1, @Person U2"),
        ("%USERID%", "U1, U2"),
        ("%NEXT_USER%", "Person U3, Person U4"),
        ("%NEXT_USERHANDLE%", "@Person U3, @Person U4"),
        ("%NEXT_USERID%", "U3, U4"),
        ("%UNTIL%", "2026-01-06 09:00"),
        ("%UNTIL_UTC%", "2026-01-06 08:00"),
        ("%NEXT_UNTIL%", "2026-01-07 09:00"),
        ("%NEXT_UNTIL_UTC%", "2026-01-07 08:00"),
        ("%DUTYHANDLE%", "@duty-team"),
        // Unknown tokens stay as written.
        ("%NOBODY% %user% 100% %", "%NOBODY% %user% 100% %"),
        ("100%%CODE%%", "100%OPS%"),
        ("a %CODE%b%USERID%c", "a OPSbU1, U2c"),
    ] {
        template(&rotation, token);
        assert_eq!(rota.topic("C1"), value, "{token}");
    }
    rotation.patch(json!({ "topicTemplate": null })).is(200);
    let usual = "Rotation: Person U1, Person U2 until 2026-01-06 09:00, next Person U3, Person U4";
    assert_eq!(rota.topic("C1"), usual);
}

#[test]
fn what_has_no_value_is_not_available() {
    let rota = Rota::with_people(1);
    let rotation = rota.rotation("U1");
    rotation.put_on_call("U1").is(200);
    rotation.patch(json!({ "userIds": [] })).is(200);
    assert_eq!(rotation.on_call(), "");
    rotation.tells_in("C1");
    for token in [
        "DESCRIPTION",
        "CODE",
        "USER",
        "USERHANDLE",
        "USERID",
        "NEXT_USER",
        "NEXT_USERHANDLE",
        "NEXT_USERID",
        "UNTIL",
        "UNTIL_UTC",
        "NEXT_UNTIL",
        "NEXT_UNTIL_UTC",
        "DUTYHANDLE",
    ] {
        template(&rotation, &format!("%{token}%"));
        assert_eq!(rota.topic("C1"), "N/A", "{token}");
    }
    template(&rotation, "%DUTY_SIZE%");
    assert_eq!(rota.topic("C1"), "0");
}

#[test]
fn two_rotations_share_a_channel() {
    let rota = Rota::with_people(4);
    let first = rota.daily("U1 U2", 1);
    let second = rota.daily("U3 U4", 1);
    second.patch(json!({ "name": "Second" })).is(200);
    for rotation in [&second, &first] {
        template(rotation, "%NAME% %USERID%");
        rotation.tells_in("C1");
    }
    second.tells_in("C2");
    // In the order of creation.
    assert_eq!(rota.topic("C1"), "Rotation U1 | Second U3");
    assert_eq!(rota.topic("C2"), "Second U3");
    second.rotate();
    assert_eq!(rota.topic("C1"), "Rotation U1 | Second U4");
    first.patch(json!({ "enableTopic": false })).is(200);
    assert_eq!(rota.topic("C1"), "Second U4");
    second.delete();
    assert_eq!([rota.topic("C1"), rota.topic("C2")], ["-", "-"]);
    first.patch(json!({ "enableTopic": true })).is(200);
    assert_eq!(rota.topic("C1"), "Rotation U1");
}

#[test]
fn nothing_is_written_while_topics_are_off() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let both = json!({ "postsMessages": true, "syncsTopic": true });
    let shown = rotation.put("/channels/C1", both).is(200).json();
    assert_eq!(shown["channelSettings"][0]["syncsTopic"], false);
    rotation.rotate();
    assert_eq!(rota.topic("C1"), "-");
    assert_eq!(rotation.chat_status()["topics"], json!([]));
    let shown = rotation
        .patch(json!({ "enableTopic": true }))
        .is(200)
        .json();
    assert_eq!(shown["channelSettings"][0]["syncsTopic"], true);
    assert_eq!(
        rota.topic("C1"),
        "Rotation: Person U2 until 2026-01-06 09:00, next Person U1"
    );
}

#[test]
fn a_long_topic_is_cut_on_a_word() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation.tells_in("C1");
    for (length, template_text) in [
        (250, format!("{}x", "word ".repeat(49) + "abcd")),
        (250, "é".repeat(250)),
    ] {
        template(&rotation, &template_text);
        assert_eq!(rota.topic("C1"), template_text);
        assert_eq!(template_text.chars().count(), length);
    }
    template(&rotation, &"word ".repeat(60));
    let cut = rota.topic("C1");
    assert_eq!(cut, format!("{}…", "word ".repeat(50).trim_end()));
    assert!(cut.chars().count() <= 250);
    // A name is shown as a whole or not at all.
    template(&rotation, &format!("{}%USER% and more", "word ".repeat(49)));
    assert_eq!(
        rota.topic("C1"),
        format!("{}…", "word ".repeat(49).trim_end())
    );
}

#[test]
fn an_absence_changes_who_is_next() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.tells_in("C1");
    let etag = rotation.etag();
    let next = |who: &str| format!("Rotation: Person U1 until 2026-01-06 09:00, next Person {who}");
    assert_eq!(rota.topic("C1"), next("U2"));
    let away = rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    assert_eq!(rota.topic("C1"), next("U3"));
    rotation.back(&away);
    assert_eq!(rota.topic("C1"), next("U2"));
    // An absence is not a change of the rotation.
    assert_eq!(rotation.etag(), etag);
    // An arrangement is, because it changes the forecast.
    rotation.assign(0, "U3", "2026-01-06T09:00Z", "2026-01-07T09:00Z");
    assert_eq!(rota.topic("C1"), next("U3"));
}

#[test]
fn a_new_name_in_the_directory_shows() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation.tells_in("C1");
    let mut renamed = directory(2);
    renamed["users"][0]["displayName"] = json!("Ada");
    renamed["users"][1]["displayName"] = json!(null);
    rota.import(&renamed);
    assert_eq!(
        rota.topic("C1"),
        "Rotation: Ada until 2026-01-06 09:00, next Real U2"
    );
}

#[test]
fn a_new_name_shows_that_a_command_brings() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation.tells_in("C1");
    assert!(rota.topic("C1").contains("Person U1"));
    let mut renamed = directory(2);
    renamed["users"][0]["displayName"] = json!("Ada");
    std::fs::write(dir.join("people.json"), renamed.to_string()).unwrap();
    crate::cli::succeeds(&db, "directory import people.json");
    // Nobody queries chat: the server updates it by itself.
    let shows = || text(&rotation.get("/chat").is(200).json()["topics"][0]["topic"]).to_owned();
    eventually("the new name", || shows().contains("Ada"));
}

#[test]
fn windows_that_open_and_shut_show() {
    let rota = Rota::with_people(2);
    let rotation = rota.rotation("U1 U2");
    rotation.cover(1, &[hours("UTC", &weekdays("09:00", "17:00"), daily())]);
    rotation.tells_in("C1");
    template(&rotation, "%USERID% %NEXT_USERID%");
    for (instant, topic) in [
        ("2026-01-05T08:00Z", "N/A U1"),
        ("2026-01-05T09:00Z", "U1 U2"),
        ("2026-01-05T17:00Z", "N/A U2"),
        ("2026-01-06T09:00Z", "U2 U1"),
    ] {
        rota.to(instant);
        assert_eq!(rota.topic("C1"), topic, "{instant}");
    }
}

#[test]
fn a_disabled_rotation_still_tells_who_holds_it() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    rotation.tells_in("C1");
    rotation.patch(json!({ "enabled": false })).is(200);
    // There is no next hand-over.
    assert_eq!(rota.topic("C1"), "Rotation: Person U1");
    rota.to("2026-01-07T09:00Z");
    assert_eq!(rota.topic("C1"), "Rotation: Person U1");
    rotation.patch(json!({ "enabled": true })).is(200);
    assert_eq!(
        rota.topic("C1"),
        "Rotation: Person U1 until 2026-01-08 09:00, next Person U2"
    );
}
