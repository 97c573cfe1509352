//! What people say to rota on a homeserver of the test's own.

use crate::support::matrix::{Homeserver, ROOM};
use crate::support::*;
use serde_json::{Value, json};

/// A server with a rotation of everybody, dealt weekly, in which Ana is on call.
fn start(server: &Homeserver) -> (Rota, String) {
    let rota = super::start()
        .clock("2026-11-23T08:00:00Z")
        .env("ROTA_MATRIX_HOMESERVER", &server.url)
        .env("ROTA_NOTICES_DELAY", "0s")
        .go();
    let body = json!({
        "name": "Platform", "code": "PLAT", "owners": ["@ana:example.org"],
        "userIds": ["@ana:example.org", "@bo:example.org", "@cyd:example.org"],
    });
    let made = rota
        .request("POST", "/v1/rotations")
        .header("Idempotency-Key", "1")
        .json(&body)
        .send();
    let made = made.is(201).json();
    let path = format!("/v1/rotations/{}", text(&made["id"]));
    let cadence =
        json!({ "type": "dayOfWeek", "timeZone": "UTC", "startsAt": "2026-11-16T08:00:00Z" });
    let grid = json!({
        "lanes": [{ "id": "l" }], "windows": [{ "id": "w", "timeZone": "UTC", "cadence": cadence }],
        "cells": [{ "laneId": "l", "windowId": "w", "rosterId": null }],
    });
    rota.put_if(&format!("{path}/coverage"), "*", grid).ok();
    let on_call = json!({ "userIds": ["@ana:example.org"] });
    rota.put_if(&format!("{path}/on-call"), "*", on_call).ok();
    (rota, path)
}

fn three() -> Homeserver {
    Homeserver::with(&[("ana", "Ana"), ("bo", "Bo"), ("cyd", "Bo")])
}

/// The answer to an event, once it is there.
fn answer(server: &Homeserver, event: &str) -> (String, String) {
    eventually("an answer", || !server.answers(event).is_empty());
    let sent = server.answers(event).remove(0);
    (sent.event, text(&sent.content["body"]).to_owned())
}

fn states(rota: &Rota) -> Vec<String> {
    let listed = rota.get("/v1/requests").ok().json();
    let listed = listed["data"].as_array().unwrap().iter();
    let state = |one: &Value| text(&one["request"]["state"]).to_owned();
    listed.map(state).collect()
}

/// rules.md 31.1, 31.2, 31.3.
#[test]
fn what_is_said_is_answered_once_and_where_it_may_be() {
    let server = three();
    let [_, own, _] = ["ana", "bo", "cyd"].map(|local| server.direct(local));
    let (rota, path) = start(&server);
    // The rotation is neither public nor does it post there.
    let said = server.say("bo", ROOM, json!({ "body": "!rota" }));
    assert!(
        answer(&server, &said)
            .1
            .starts_with("No rotation is shown here")
    );
    let said = server.say("bo", ROOM, json!({ "body": "!rota plat" }));
    assert_eq!(
        answer(&server, &said).1,
        "I have answered in our direct room."
    );
    let shown = |text: &String| text.starts_with("Platform (PLAT)\nAna until ");
    assert!(
        server.texts(&own).iter().any(shown),
        "{:?}",
        server.texts(&own)
    );
    rota.caller()
        .patch_if(&path, "*", json!({ "public": true }))
        .ok();
    let said = server.say("bo", ROOM, json!({ "body": "!rota plat" }));
    let (_, told) = answer(&server, &said);
    assert!(
        told.contains("Ana until Mon 30 Nov 2026, 08:00 (UTC), then "),
        "{told}"
    );
    // In the direct room without the word; nothing of what is no command.
    let said = server.say("bo", &own, json!({ "body": "me" }));
    assert!(answer(&server, &said).1.starts_with("Your turns"));
    let edit = json!({ "rel_type": "m.replace", "event_id": said });
    let edited = server.say("bo", &own, json!({ "body": "* me", "m.relates_to": edit }));
    // The homeserver does not know where to go on: nothing is answered twice.
    server.forget();
    let late = server.say("bo", &own, json!({ "body": "!rota help" }));
    answer(&server, &late);
    assert_eq!(server.answers(&said).len(), 1);
    assert!(server.answers(&edited).is_empty());
    assert_eq!(server.unknown(), Vec::<String>::new());
}

/// rules.md 31.4.
#[test]
fn a_name_that_fits_two_people_is_refused() {
    let server = three();
    let own = server.direct("ana");
    let (rota, path) = start(&server);
    let on_call = || {
        let shown = rota.get(&format!("{path}/on-call")).ok().json();
        text(&shown["onCall"][0]["userId"]).to_owned()
    };
    for (typed, told, who) in [
        ("PLAT set bo", "Done. On call now: Bo.", "@bo:example.org"),
        (
            "PLAT set @CYD",
            "Done. On call now: Bo.",
            "@cyd:example.org",
        ),
        (
            "PLAT set @ana:example.org",
            "Done. On call now: Ana.",
            "@ana:example.org",
        ),
        (
            "PLAT set @Ana:example.org",
            "Nobody in this rotation is called",
            "@ana:example.org",
        ),
    ] {
        let said = server.say("ana", &own, json!({ "body": typed }));
        let (_, answered) = answer(&server, &said);
        let expected = match typed {
            // The local part of one is the display name of both.
            "PLAT set bo" => {
                "Several people in this rotation are called “bo”: @bo:example.org and @cyd:example.org."
            }
            _ => told,
        };
        assert!(answered.contains(expected), "{typed}: {answered}");
        if typed != "PLAT set bo" {
            assert_eq!(on_call(), who, "{typed}");
        }
    }
}

/// rules.md 31.5, 31.6.
#[test]
fn what_is_asked_for_is_confirmed_and_answered_by_reactions() {
    let server = three();
    let (anas, bos) = (server.direct("ana"), server.direct("bo"));
    server.direct("cyd");
    let (rota, _) = start(&server);
    let typed = "PLAT cover @bo:example.org 2026-11-24 10:00 to 2026-11-24 12:00 the dentist";
    let said = server.say("ana", &anas, json!({ "body": typed }));
    let (asked, told) = answer(&server, &said);
    assert!(
        told.contains("You ask Bo to cover Platform (PLAT): Tue 24 Nov 2026, 10:00 (UTC)"),
        "{told}"
    );
    eventually("both reactions", || server.reactions(&asked) == 2);
    // Of somebody else, and of another kind.
    server.react("bo", &anas, &asked, "✅");
    server.react("ana", &anas, &asked, "👍");
    assert!(states(&rota).is_empty());
    server.react("ana", &anas, &asked, "✅\u{fe0f}");
    eventually("it is sent", || states(&rota) == ["pending"]);
    eventually("the reactions go", || server.reactions(&asked) == 0);
    let question = || {
        server.sent(|sent| {
            sent.room == bos
                && sent.content["body"]
                    .to_string()
                    .contains("asks you to cover")
        })
    };
    eventually("Bo is asked", || !question().is_empty());
    let question = question().remove(0).event;
    eventually("both reactions", || server.reactions(&question) == 2);
    server.react("ana", &bos, &question, "❌");
    server.react("bo", &bos, &question, "❌");
    eventually("Bo has declined", || states(&rota) == ["declined"]);
    eventually("the reactions go", || server.reactions(&question) == 0);
    // Too late.
    let said = server.say("ana", &anas, json!({ "body": typed }));
    let (asked, _) = answer(&server, &said);
    eventually("both reactions", || server.reactions(&asked) == 2);
    rota.advance(15 * 60);
    eventually("the reactions go", || server.reactions(&asked) == 0);
    server.react("ana", &anas, &asked, "✅");
    let said = server.say("ana", &anas, json!({ "body": "PLAT cover tomorrow" }));
    assert_eq!(
        answer(&server, &said).1,
        "Write it like this: !rota PLAT cover @bo 2026-12-09 08:00 to 2026-12-10 08:00 reason"
    );
    assert_eq!(states(&rota), ["declined"]);
}

#[test]
fn an_account_that_is_suspended_pauses_the_platform() {
    let server = three();
    let own = server.direct("ana");
    let (rota, _) = start(&server);
    eventually("what waits is sent", || !server.texts(&own).is_empty());
    server.fail(403, json!({ "errcode": "M_USER_SUSPENDED", "error": "no" }));
    let said = server.say("ana", &own, json!({ "body": "me" }));
    let state = || rota.get("/v1/chat").ok().json();
    eventually("it is paused", || state()["state"] == "paused");
    assert!(text(&state()["lastError"]).contains("M_USER_SUSPENDED"));
    rota.advance(301);
    answer(&server, &said);
    assert_eq!(server.answers(&said).len(), 1);
    assert_eq!(state()["state"], "up");
}
