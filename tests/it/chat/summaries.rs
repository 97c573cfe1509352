//! Weekly summaries: of a person's next days, and of a rotation's coming week in channels.

use crate::support::*;
use serde_json::{Value, json};

fn put(rota: &Rota, user: &str, summary: Value) -> Answer {
    let path = format!("/v1/users/{user}/notifications");
    let body = json!({ "mail": true, "kinds": [], "summary": summary });
    rota.caller().request("PUT", &path).json(&body).send()
}

/// The texts of the messages of a kind, with when they were queued, oldest first.
fn texts(rota: &Rota, query: &str, kind: &str) -> Vec<String> {
    let path = format!("/v1/messages?pageSize=100&{query}");
    let list = rota.caller().get(&path).is(200).json();
    let of_kind = |message: &&Value| message["kind"] == kind;
    let messages = list["data"].as_array().expect("messages").iter().rev();
    let line = |message: &Value| format!("{} {}", instant(&message["at"]), text(&message["text"]));
    messages.filter(of_kind).map(line).collect()
}

/// rules.md 19.11.
#[test]
fn people_have_a_summary_of_all_their_rotations() {
    let rota = Rota::with_people(3);
    // The 5th is a Monday, and it is 08:00; U1 is in Oslo.
    put(&rota, "U1", json!({ "day": "tuesday", "time": "08:30" })).is(200);
    put(&rota, "U3", json!({ "day": "tuesday", "time": "07:30" })).is(200);
    rota.to("2026-01-06T09:00Z");
    assert_eq!(texts(&rota, "userId=U1", "summary"), Vec::<String>::new());
    let rotation = rota.rotation("U1 U2");
    let monday = weekly("UTC", "2026-01-12T09:00");
    rotation.cover(1, &[always(monday)]);
    rotation.put_on_call("U2").is(200);
    rotation.away("U1", "2026-01-20T00:00Z", "2026-01-22T00:00Z");
    rota.to("2026-01-13T08:00Z");
    let found = texts(&rota, "userId=U1", "summary");
    assert_eq!(
        found,
        ["2026-01-13T07:30Z Your next 14 days.\n\
          You are on call for Rotation from 2026-01-12 10:00 (Europe/Oslo) to 2026-01-19 10:00 (Europe/Oslo).\n\
          You are on call for Rotation from 2026-01-26 10:00 (Europe/Oslo) to 2026-02-02 10:00 (Europe/Oslo).\n\
          You are away from 2026-01-20 01:00 (Europe/Oslo) to 2026-01-22 01:00 (Europe/Oslo)."]
    );
    let path = "/v1/messages?userId=U1&pageSize=100";
    let list = rota.caller().get(path).is(200).json();
    let mut listed = list["data"].as_array().expect("messages").iter();
    let summary = listed.find(|message| message["kind"] == "summary");
    let summary = summary.expect("a summary");
    assert_eq!(summary["rotationId"], Value::Null);
    assert_eq!(summary["reached"][0]["by"], "inbox");
    // Whoever has nothing ahead gets none.
    assert_eq!(texts(&rota, "userId=U3", "summary"), Vec::<String>::new());
}

/// rules.md 19.11.
#[test]
fn a_summary_names_covers_and_requests() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let accepted = rotation.ask_cover("U2", "06 07", "U3");
    accepted.step("U3", "accept").is(200);
    rotation.ask_cover("U3", "07 08", "U2");
    put(&rota, "U2", json!({ "day": "monday", "time": "12:00" })).is(200);
    rota.to("2026-01-05T12:00Z");
    let found = texts(&rota, "userId=U2", "summary");
    let [summary] = found.as_slice() else {
        panic!("one summary: {found:?}");
    };
    for line in [
        "Person U3 covers Rotation for you from 2026-01-06 10:00 (Europe/Oslo) to 2026-01-07 10:00 (Europe/Oslo).",
        "Person U3 waits for your answer to a cover request in Rotation.",
    ] {
        assert!(summary.contains(line), "{line}\n{summary}");
    }
}

/// rules.md 19.11.
#[test]
fn channels_get_the_coming_week() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2", 1);
    rotation.posts_in("C1");
    let summary = json!({
        "day": "tuesday", "time": "08:00", "timeZone": "Europe/Oslo", "channelIds": ["C1"],
    });
    let body = json!({ "summary": summary });
    let patched = rotation.patch(body).is(200).json();
    assert_eq!(patched["summary"], summary);
    assert!(
        text(&rota.newest_entry()["summary"]).contains("none to tuesday 08:00 (Europe/Oslo) in ")
    );
    rotation.away("U2", "2026-01-06T08:00Z", "2026-01-20T00:00Z");
    rotation.away("U1", "2026-01-08T08:00Z", "2026-01-09T08:00Z");
    rota.to("2026-01-06T07:00Z");
    let found = texts(&rota, "channelId=C1", "weekAhead");
    let [week] = found.as_slice() else {
        panic!("one summary: {found:?}");
    };
    for line in [
        "2026-01-06T07:00Z Rotation: the next 7 days.",
        "Person U1 is on call from",
        "Person U2 is away from 2026-01-06 09:00 (Europe/Oslo)",
        "Person U1 is away from 2026-01-08 09:00 (Europe/Oslo) to 2026-01-09 09:00 (Europe/Oslo).",
    ] {
        assert!(week.contains(line), "{line}\n{week}");
    }
    // A disabled rotation says nothing; taking the channel off ends the summary.
    rotation.patch(json!({ "enabled": false })).is(200);
    rota.to("2026-01-14T00:00Z");
    assert_eq!(texts(&rota, "channelId=C1", "weekAhead").len(), 1);
    rotation.patch(json!({ "enabled": true })).is(200);
    rota.to("2026-01-21T00:00Z");
    assert_eq!(texts(&rota, "channelId=C1", "weekAhead").len(), 2);
    let off = json!({ "postsMessages": false, "syncsTopic": false });
    rotation.put("/channels/C1", off).is(200);
    assert_eq!(rotation.read()["summary"], Value::Null);
}

#[test]
fn summaries_that_do_not_fit_are_refused() {
    let rota = Rota::with_people(1);
    let rotation = rota.daily("U1", 1);
    rotation.posts_in("C1");
    let of = |member: &str, value: Value| {
        let mut summary = json!({
            "day": "monday", "time": "08:00", "timeZone": "UTC", "channelIds": ["C1"],
        });
        summary[member] = value;
        summary
    };
    for (summary, path) in [
        (of("day", json!("mon")), "summary.day"),
        (of("time", json!("8:00")), "summary.time"),
        (of("timeZone", json!("EST")), "summary.timeZone"),
        (of("channelIds", json!([])), "summary.channelIds"),
        (
            of("channelIds", json!(["C1", "C2"])),
            "summary.channelIds[1]",
        ),
        (
            of("channelIds", json!(["C1", "C1"])),
            "summary.channelIds[1]",
        ),
        (json!({ "day": "monday" }), "summary.time"),
        (json!("weekly"), "summary"),
    ] {
        let answer = rotation.patch(json!({ "summary": summary })).is(400).json();
        let detail = text(&answer["detail"]).to_owned();
        assert!(detail.starts_with(&format!("{path}: ")), "{path}: {detail}");
    }
    for (summary, path) in [
        (json!({ "day": "funday", "time": "08:00" }), "summary.day"),
        (json!({ "day": "monday", "time": "24:00" }), "summary.time"),
        (json!({ "day": "monday" }), "summary.time"),
        (json!([]), "summary"),
    ] {
        let detail = put(&rota, "U1", summary).is(400).json()["detail"].clone();
        assert!(text(&detail).starts_with(&format!("{path}: ")), "{detail}");
    }
    // As it is created, too.
    let mut body = new_rotation("U1");
    body["channels"] = json!(["C1"]);
    body["summary"] = of("channelIds", json!(["C2"]));
    rota.caller().try_create("second", body.clone()).is(400);
    body["summary"] = of("channelIds", json!(["C1"]));
    let made = rota
        .caller()
        .try_create("third", body.clone())
        .is(201)
        .json();
    assert_eq!(made["summary"], body["summary"]);
}
