//! Reminders that people choose themselves.

use crate::support::*;
use serde_json::{Value, json};

const NONE: [&str; 0] = [];

fn put(rota: &Rota, user: &str, before: Value) -> Answer {
    let path = format!("/v1/users/{user}/notifications");
    let body = json!({ "mail": true, "kinds": [], "remindBefore": before });
    rota.caller().request("PUT", &path).json(&body).send()
}

fn choose(rota: &Rota, user: &str, before: &[&str]) {
    put(rota, user, json!(before)).is(200);
}

/// rules.md 19.10.
#[test]
fn people_choose_when_they_are_reminded_and_channels_keep_the_servers() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.posts_in("C1");
    choose(&rota, "U2", &["24h", "30m", "26m", "1800s"]);
    choose(&rota, "U3", &[]);
    let mut chat = rota.message_reader();
    rota.to("2026-01-06T08:59:59Z");
    assert_eq!(
        chat.times(),
        [
            "2026-01-05T09:00Z U2",
            "2026-01-06T08:00Z C1",
            "2026-01-06T08:30Z U2"
        ]
    );
    rota.to("2026-01-07T08:59:59Z");
    // On the 6th at 09:00 the hand-over itself; then nothing for U3 on the 7th.
    let later = chat.times();
    assert_eq!(
        later.last().map(String::as_str),
        Some("2026-01-07T08:00Z C1")
    );
    rota.to("2026-01-08T09:00Z");
    // U1 follows the server.
    assert!(
        chat.times().contains(&"2026-01-08T08:00Z U1".to_owned()),
        "the server reminds U1"
    );
    // A day before U2's next turn on the 9th, and shortly before it.
    choose(&rota, "U2", &["1d", "15m"]);
    let mut chat = rota.message_reader();
    rota.to("2026-01-09T08:59Z");
    let of_u2: Vec<String> = (chat.messages().iter())
        .filter(|message| recipient(message) == "U2")
        .map(|message| instant(&message["at"]))
        .collect();
    assert_eq!(of_u2, ["2026-01-09T08:45Z"], "the day before is over");
}

/// rules.md 19.10.
#[test]
fn reminders_follow_the_plan_and_are_sent_once() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    for user in ["U1", "U2", "U3"] {
        choose(&rota, user, &["2h"]);
    }
    let mut chat = rota.message_reader();
    rota.to("2026-01-06T06:59Z");
    assert_eq!(chat.lines(), NONE);
    rota.to("2026-01-06T07:00Z");
    assert_eq!(chat.times(), ["2026-01-06T07:00Z U2"]);
    // Leaving and coming back changes nothing for U2; U3's time was over when the turn came to be theirs.
    let absence = rotation.away("U2", "2026-01-06T00:00Z", "2026-01-06T23:00Z");
    rota.to("2026-01-06T07:30Z");
    rotation.back(&absence);
    choose(&rota, "U2", &[]);
    choose(&rota, "U2", &["2h"]);
    rota.to("2026-01-06T08:59Z");
    assert_eq!(chat.lines(), NONE);
    // U3 is away from the next turn: U1 is reminded of it instead.
    rota.to("2026-01-06T12:00Z");
    rotation.away("U3", "2026-01-07T00:00Z", "2026-01-07T23:00Z");
    let mut chat = rota.message_reader();
    rota.to("2026-01-07T08:59Z");
    assert_eq!(chat.times(), ["2026-01-07T07:00Z U1"]);
}

/// rules.md 19.10.
#[test]
fn who_goes_on_is_not_reminded() {
    let rota = Rota::with_people(1);
    rota.daily("U1", 1);
    choose(&rota, "U1", &["2h"]);
    let mut chat = rota.message_reader();
    rota.to("2026-01-07T08:59Z");
    assert_eq!(chat.lines(), NONE);
}

#[test]
fn reminders_out_of_bounds_are_refused() {
    let rota = Rota::with_people(1);
    for (before, path) in [
        (json!(["1h", "4m"]), "remindBefore[1]"),
        (json!(["31d"]), "remindBefore[0]"),
        (json!(["soon"]), "remindBefore[0]"),
        (json!([60]), "remindBefore[0]"),
        (json!("1h"), "remindBefore"),
        (
            json!(["5m", "15m", "30m", "1h", "2h", "3h"]),
            "remindBefore",
        ),
    ] {
        let detail = put(&rota, "U1", before).is(400).json()["detail"].clone();
        assert!(text(&detail).starts_with(&format!("{path}: ")), "{detail}");
    }
    let path = "/v1/users/U1/notifications";
    choose(&rota, "U1", &["7d", "1h", "60m"]);
    let shown = rota.caller().get(path).is(200).json()["remindBefore"].clone();
    assert_eq!(shown, json!(["7d", "1h"]));
    assert!(text(&rota.newest_entry()["summary"]).contains("7d, 1h"));
    // One that is left out stays.
    let body = json!({ "mail": false, "kinds": [] });
    let kept = rota.caller().request("PUT", path).json(&body).send();
    assert_eq!(kept.is(200).json()["remindBefore"], shown);
    put(&rota, "U1", Value::Null).is(200);
    let shown = rota.caller().get(path).is(200).json()["remindBefore"].clone();
    assert_eq!(shown, Value::Null);
}
