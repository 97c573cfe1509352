//! Scheduled changes of mentions: reminders and expiry, and nothing more once closed or deleted.

use crate::support::*;
use serde_json::json;

/// The messages to the first channel from the second one on: the time of day, and the first or last words.
#[track_caller]
fn notices(rota: &Rota) -> Vec<String> {
    let chat = rota.get("/dev/chat").ok().json();
    let messages = chat["messages"].as_array().unwrap().clone();
    let line = |message: &serde_json::Value| {
        let (at, said) = (instant(&message["at"]), text(&message["text"]));
        let time = at.strip_prefix("2026-01-05T").unwrap_or(&at);
        let kind = [
            ("asks for", "asks"),
            ("still waits", "waits"),
            ("has answered", "expired"),
            (" answers ", "answered"),
            ("has passed", "passed"),
        ];
        let kind = kind.iter().find(|(words, _)| said.contains(words));
        let asked: Vec<&str> = words_of(said);
        format!("{time} {} {}", kind.expect("a notice").1, asked.join("+"))
            .trim_end()
            .to_owned()
    };
    let here = messages
        .iter()
        .filter(|message| message["channelId"] == "C1");
    here.map(line).collect()
}

/// The people who are notified by a message.
fn words_of(said: &str) -> Vec<&str> {
    let marks = said.split("@Person ").skip(1);
    marks.map(|rest| rest.split(' ').next().unwrap()).collect()
}

#[test]
fn it_expires_after_an_hour() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 2);
    let mention = rotation.mention("U4");
    mention.step("U1", "pass").is(200);
    rota.to("2026-01-05T08:59:59Z");
    assert_eq!(mention.state_line(), "open U1+U2 without U1");
    assert_eq!(notices(&rota), ["08:00Z asks U1+U2"]);
    rota.to("2026-01-05T09:00Z");
    assert_eq!(mention.state_line(), "expired U1+U2 without U1");
    assert_eq!(instant(&mention.record()["closedAt"]), "2026-01-05T09:00Z");
    rota.to("2026-01-05T23:00Z");
    assert_eq!(notices(&rota), ["08:00Z asks U1+U2", "09:00Z expired"]);
    let posted = "Rotation: nobody on call has answered Person U4.";
    assert_eq!(rota.messages_to("C1")[1], posted);
}

#[test]
fn reminders_come_at_their_time_and_end_with_it() {
    let asks = "08:00Z asks U1+U2";
    for (settings, script, expected) in [
        (
            json!({ "remindAfterMinutes": 20 }),
            "",
            &["08:20Z waits U1+U2", "08:40Z waits U1+U2", "09:00Z expired"][..],
        ),
        (
            json!({ "remindAfterMinutes": 25, "expiresAfterMinutes": 30 }),
            "",
            &["08:25Z waits U1+U2", "08:30Z expired"],
        ),
        // Notices at or after the end are not sent.
        (
            json!({ "remindAfterMinutes": 30, "expiresAfterMinutes": 30 }),
            "",
            &["08:30Z expired"],
        ),
        (
            json!({ "remindAfterMinutes": 90, "expiresAfterMinutes": 1 }),
            "",
            &["08:01Z expired"],
        ),
        // People who have passed are not notified again.
        (
            json!({ "remindAfterMinutes": 20 }),
            "08:10 U1 pass",
            &["08:20Z waits U2", "08:40Z waits U2", "09:00Z expired"],
        ),
        (
            json!({ "remindAfterMinutes": 20 }),
            "08:30 U2 acknowledge",
            &["08:20Z waits U1+U2", "08:30Z answered"],
        ),
        (
            json!({ "remindAfterMinutes": 20 }),
            "08:05 U2 pass, 08:30 U1 pass",
            &["08:20Z waits U1", "08:30Z passed"],
        ),
        (
            json!({ "remindAfterMinutes": null }),
            "",
            &["09:00Z expired"],
        ),
    ] {
        let rota = Rota::with_people(4);
        let rotation = rota.daily("U1 U2 U3", 2);
        rotation.set_mention_settings(settings.clone());
        let mention = rotation.mention("U4");
        for step in script.split(", ").filter(|step| !step.is_empty()) {
            let [time, user, step] = words(step).try_into().unwrap();
            rota.to(&format!("2026-01-05T{time}Z"));
            mention.step(&user, &step).is(200);
        }
        // In one move: each is still sent at its instant.
        rota.to("2026-01-05T12:00Z");
        let posted = notices(&rota);
        assert_eq!(posted[0], asks);
        assert_eq!(posted[1..], *expected, "{settings} {script}");
    }
}

#[test]
fn a_reminder_says_who_waits() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 2);
    rotation.set_mention_settings(json!({ "remindAfterMinutes": 20 }));
    rotation.mention("U4");
    rota.to("2026-01-05T08:19:59Z");
    assert_eq!(rota.messages_to("C1").len(), 1);
    rota.to("2026-01-05T08:20Z");
    let waits = "@Person U1 @Person U2 Person U4 still waits for whoever is on call in Rotation.";
    assert_eq!(rota.messages_to("C1")[1..], [waits]);
}

#[test]
fn reminders_reach_whoever_is_on_call_by_then() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.set_mention_settings(json!({ "remindAfterMinutes": 20 }));
    rotation.mention("U4");
    // Duty changes meanwhile.
    rotation.rotate();
    assert_eq!(rotation.on_call(), "U2");
    rota.to("2026-01-05T08:20Z");
    assert_eq!(notices(&rota), ["08:00Z asks U1", "08:20Z waits U2"]);
    // If nobody is on call any more, those who were notified.
    rotation.clear().is(200);
    rota.to("2026-01-05T08:40Z");
    assert_eq!(notices(&rota)[2..], ["08:40Z waits U1+U2"]);
}

#[test]
fn each_mention_has_its_own_time() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let first = rotation.mention("U4");
    rota.to("2026-01-05T08:30Z");
    rotation.set_mention_settings(json!({ "expiresAfterMinutes": 10 }));
    let second = rotation.mention("U4");
    rota.to("2026-01-05T08:40Z");
    // The first keeps its settings.
    assert_eq!(
        (first.state_line(), second.state_line()),
        ("open U1".into(), "expired U1".into())
    );
    rota.to("2026-01-05T09:00Z");
    assert_eq!(first.state_line(), "expired U1");
    let posted = [
        "08:00Z asks U1",
        "08:30Z asks U1",
        "08:40Z expired",
        "09:00Z expired",
    ];
    assert_eq!(notices(&rota), posted);
}

#[test]
fn a_disabled_rotation_lets_them_run_out() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let (taken, late) = (rotation.mention("U4"), rotation.mention("U4"));
    rotation.patch(json!({ "enabled": false })).is(200);
    assert_eq!(taken.after("U1", "acknowledge"), "acknowledged U1 by U1");
    rota.to("2026-01-05T09:00Z");
    assert_eq!(late.state_line(), "expired U1");
}

#[test]
fn they_are_gone_with_the_rotation() {
    let rota = Rota::with_people(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.set_mention_settings(json!({ "remindAfterMinutes": 20 }));
    let mention = rotation.mention("U4");
    let token = rota.token("U1");
    rota.caller().delete_if(&rotation.path(""), "*").is(204);
    rota.get(&mention.path("")).refused(404, "");
    for step in ["acknowledge", "pass"] {
        let path = mention.path(&format!("/{step}"));
        rota.with(&token)
            .request("POST", &path)
            .send()
            .refused(404, "");
    }
    // Nothing of it becomes due any more.
    rota.to("2026-01-05T12:00Z");
    assert_eq!(notices(&rota), ["08:00Z asks U1"]);
}
