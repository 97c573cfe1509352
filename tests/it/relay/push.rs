//! Push by ntfy: who sets it, what is published, what is tried again, and the test of all ways.

use super::ntfy::Ntfy;
use super::{lines, listed, mailing};
use crate::support::*;
use serde_json::{Value, json};

const PATH: &str = "/v1/users/U1/notifications";

/// A development server without reminders.
fn quiet() -> Start {
    Start::default().env("ROTA_CHAT_REMINDER_BEFORE", "0s")
}

/// Chooses a push address, with every kind.
#[track_caller]
fn put(by: &Caller, user: &str, push: Value) -> Answer {
    let path = format!("/v1/users/{user}/notifications");
    let kinds = ["onDuty", "offDuty", "coverAsked", "mention", "summary"];
    let body = json!({ "mail": false, "kinds": kinds, "push": push });
    by.request("PUT", &path).json(&body).send()
}

/// rules.md 19.13.
#[test]
fn messages_are_published_to_the_topic_of_their_person() {
    let ntfy = Ntfy::new();
    let rota = quiet().env("ROTA_BASE_URL", "https://rota.example").go();
    rota.people(3);
    let token = rota.token("U1");
    let own = rota.with(&token);
    put(
        &own,
        "U1",
        json!({ "url": ntfy.topic("secret-1"), "token": "tk_right" }),
    )
    .is(200);
    let rotation = rota.rotation("U1 U2");
    rotation.put_on_call("U1").is(200);
    rota.advance(0);
    let published = ntfy.published();
    let [one] = published.as_slice() else {
        panic!("one message: {published:?}");
    };
    assert_eq!(one.authorization.as_deref(), Some("Bearer tk_right"));
    let expected = json!({
        "topic": "secret-1",
        "title": "Rotation",
        "message": "You are on duty for Rotation.",
        "click": format!("https://rota.example/rotations/{}", rotation.id),
        "priority": 3,
        "tags": ["rota"],
    });
    assert_eq!(one.body, expected);
    assert_eq!(
        lines(&listed(&rota.caller(), "userId=U1")),
        ["U1 onDuty sent inbox,push"]
    );
    let status = rotation.chat_status();
    assert_eq!(status["inboxOnly"]["userIds"], json!(["U2"]));
    // Each person who is asked by a mention is reached directly, too, and urgently.
    rotation.mention("U3");
    rota.advance(0);
    let published = ntfy.published();
    let last = published.last().expect("a mention");
    assert_eq!(last.body["priority"], 4);
    assert!(
        text(&last.body["message"]).contains("asks for whoever is on call"),
        "{last:?}"
    );
    assert!(
        text(&last.body["click"]).contains("/mentions/men_"),
        "{last:?}"
    );
    // Of other kinds only the inbox tells.
    let body = json!({ "mail": false, "kinds": ["mention"] });
    own.request("PUT", PATH).json(&body).send().is(200);
    rotation.put_on_call("U2").is(200);
    rota.advance(0);
    assert_eq!(ntfy.published().len(), published.len());
}

/// rules.md 19.13.
#[test]
fn an_address_is_its_persons_own() {
    let ntfy = Ntfy::new();
    let rota = Start::default().env("ROTA_LOG", "debug").go();
    let mut people = directory(3);
    people["users"][1]["isAdmin"] = json!(true);
    rota.import(&people);
    let (token, admins) = (rota.token("U1"), rota.token("U2"));
    let (own, admin) = (rota.with(&token), rota.with(&admins));
    let url = ntfy.topic("my-hidden-topic");
    let shown = put(&own, "U1", json!({ "url": url, "token": "tk_right" }))
        .is(200)
        .json();
    assert_eq!(shown["push"], json!({ "url": url }));
    assert_eq!(own.get(PATH).is(200).json()["push"], json!({ "url": url }));
    let host = json!({ "host": format!("127.0.0.1:{}", ntfy.port) });
    for other in [&admin, &rota.caller()] {
        let read = other.get(PATH).is(200).json();
        assert_eq!(read["push"], host);
        // What was read may be sent back; another address may not.
        other.request("PUT", PATH).json(&read).send().is(200);
        put(other, "U1", json!({ "url": ntfy.topic("theirs") })).is(403);
        put(other, "U1", json!({ "token": "tk_theirs" })).is(403);
    }
    assert_eq!(own.get(PATH).is(200).json()["push"], json!({ "url": url }));
    // The token stays with its address.
    put(&own, "U1", json!({})).is(200);
    own.request("POST", &format!("{PATH}/test")).send().is(200);
    assert_eq!(
        ntfy.published()[0].authorization.as_deref(),
        Some("Bearer tk_right")
    );
    put(&own, "U1", json!({ "token": null })).is(200);
    own.request("POST", &format!("{PATH}/test")).send().is(200);
    assert_eq!(ntfy.published()[1].authorization, None);
    put(&admin, "U1", Value::Null).is(200);
    assert_eq!(own.get(PATH).is(200).json()["push"], Value::Null);
    put(&own, "U1", json!({ "token": "tk_right" })).refused(400, "invalid_request");
    let entries = rota.caller().get("/v1/audit?pageSize=100").is(200).text();
    let (_, log) = rota.stop();
    for secret in ["my-hidden-topic", "tk_right"] {
        assert!(
            !entries.contains(secret) && !log.contains(secret),
            "{secret}"
        );
    }
}

#[test]
fn addresses_that_cannot_be_are_refused() {
    let rota = Start::default().go();
    rota.people(1);
    let token = rota.token("U1");
    let own = rota.with(&token);
    for url in [
        "ntfy.sh/topic",
        "https://me:secret@ntfy.sh/topic",
        "https://ntfy.sh/topic?auth=x",
        "https://ntfy.sh/a/topic",
        "https://ntfy.sh/",
        "https://ntfy.sh/t.pic",
        "ftp://ntfy.sh/topic",
        "http://192.0.2.1/topic",
        "https://10.0.0.1/topic",
        "https://169.254.169.254/topic",
        "https://[fd00::1]/topic",
    ] {
        let answer = put(&own, "U1", json!({ "url": url })).refused(400, "invalid_request");
        let detail = text(&answer["detail"]);
        assert!(detail.starts_with("push.url: "), "{url}: {detail}");
        assert!(!detail.contains("secret"), "{detail}");
    }
    for (push, path) in [
        (json!({ "url": 7 }), "push.url"),
        (json!({ "token": "tk_1" }), "push.url"),
        (
            json!({ "url": "https://198.51.100.7/t", "token": "a b" }),
            "push.token",
        ),
        (json!({ "topic": "t" }), "push.topic"),
        (json!("https://ntfy.sh/t"), "push"),
    ] {
        let answer = put(&own, "U1", push).refused(400, "invalid_request");
        let detail = text(&answer["detail"]);
        assert!(detail.starts_with(&format!("{path}: ")), "{path}: {detail}");
    }
}

/// rules.md 19.13.
#[test]
fn refusals_are_tried_again_or_given_up() {
    let ntfy = Ntfy::new();
    let rota = quiet().go();
    rota.people(2);
    let token = rota.token("U1");
    let own = rota.with(&token);
    put(&own, "U1", json!({ "url": ntfy.topic("open") })).is(200);
    let rotation = rota.rotation("U1 U2");
    ntfy.then(503, "");
    ntfy.then(429, "Retry-After: 90\r\n");
    rotation.put_on_call("U1").is(200);
    rota.advance(0);
    let query = "userId=U1";
    assert_eq!(
        lines(&listed(&rota.caller(), query)),
        ["U1 onDuty waiting inbox"]
    );
    let failure = own.get(PATH).is(200).json()["lastFailure"].clone();
    assert_eq!(
        (text(&failure["by"]), instant(&failure["at"])),
        ("push", "2026-01-05T08:00Z".into())
    );
    assert!(text(&failure["error"]).contains("503"), "{failure}");
    rota.advance(2);
    assert_eq!(ntfy.published().len(), 0);
    rota.advance(89);
    assert_eq!(ntfy.published().len(), 0);
    rota.advance(1);
    assert_eq!(ntfy.published().len(), 1);
    assert_eq!(
        lines(&listed(&rota.caller(), query)),
        ["U1 onDuty sent inbox,push"]
    );
    // What the server refuses for good is given up, and shown.
    put(
        &own,
        "U1",
        json!({ "url": ntfy.topic("secret"), "token": "tk_wrong" }),
    )
    .is(200);
    rotation.put_on_call("U2").is(200);
    rota.advance(0);
    let dropped = &listed(&rota.caller(), query)[0];
    assert_eq!(
        lines(std::slice::from_ref(dropped)),
        ["U1 offDuty dropped inbox"]
    );
    assert_eq!(
        dropped["error"],
        "the push server answered 403 (code 40301)"
    );
    let failure = own.get(PATH).is(200).json()["lastFailure"].clone();
    assert_eq!(failure["error"], dropped["error"]);
}

/// rules.md 19.14.
#[test]
fn a_test_says_which_ways_work() {
    let (ntfy, smtp) = (Ntfy::new(), super::Smtp::secure());
    let rota = mailing(&smtp).go();
    rota.people(2);
    let token = rota.token("U1");
    let own = rota.with(&token);
    let test = |by: &Caller| by.request("POST", &format!("{PATH}/test")).send();
    let kinds = json!({ "mail": true, "kinds": [], "push": { "url": ntfy.topic("secret") } });
    own.request("PUT", PATH).json(&kinds).send().is(200);
    let ways = test(&own).is(200).json();
    let expected = json!({ "ways": [
        { "by": "inbox", "ok": true, "error": null },
        { "by": "mail", "ok": true, "error": null },
        { "by": "push", "ok": false, "error": "the push server answered 403 (code 40301)" },
    ] });
    assert_eq!(ways, expected);
    assert_eq!(smtp.lines(), ["u1@example.com: Test of rota"]);
    let inbox = listed(&rota.caller(), "userId=U1");
    assert!(
        text(&inbox[0]["text"]).starts_with("This is a test of rota."),
        "{inbox:?}"
    );
    let other = rota.token("U2");
    test(&rota.with(&other)).is(403);
    rota.caller()
        .request("POST", "/v1/users/nobody/notifications/test")
        .send()
        .is(404);
    for _ in 1..10 {
        test(&own).is(200);
    }
    let many = test(&own).is(429);
    assert!(many.header("retry-after").is_some());
}
