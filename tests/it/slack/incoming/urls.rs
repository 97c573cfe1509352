//! The request URLs: signatures, the handshake of a URL, what is stored already.

use crate::support::slack::{
    APP_TOKEN, SIGNING_SECRET, Slack, body, click, command, event, posted, seconds, signature,
};
use crate::support::*;
use serde_json::{Value, json};

const PATHS: [&str; 3] = ["/slack/events", "/slack/commands", "/slack/interactivity"];

fn started(slack: &Slack) -> Rota {
    let rota = slack
        .start()
        .env("ROTA_SLACK_SIGNING_SECRET", SIGNING_SECRET)
        .go();
    slack.read_directory(&rota);
    rota
}

/// Sends bytes with these headers.
fn sent(rota: &Rota, path: &str, headers: &[(&str, &str)], bytes: &[u8]) -> Answer {
    let request = rota.anyone().request("POST", path).body(bytes);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value)
    });
    request.send()
}

fn sample(path: &str, url: &str) -> Value {
    match path {
        "/slack/events" => event(json!({ "type": "app_home_opened", "user": "U1", "tab": "home" })),
        "/slack/commands" => command("U1", "help", url),
        _ => click("U1", ("C1", "1.1"), ("accept", "cov_1"), url),
    }
}

/// rules.md 21.8.
#[test]
fn only_what_slack_has_signed_is_taken() {
    let slack = Slack::with_people(3);
    let rota = started(&slack);
    let now = seconds();
    for path in PATHS {
        let (body, _) = body(path, &sample(path, &slack.response_url()));
        let bytes = body.as_bytes();
        let right = |at: i64| signature(SIGNING_SECRET, &at.to_string(), bytes);
        for (at, signature, status) in [
            (Some(now.to_string()), Some(right(now)), 200),
            // Another secret, an older scheme, another body, another time.
            (
                Some(now.to_string()),
                Some(signature("other", &now.to_string(), bytes)),
                401,
            ),
            (
                Some(now.to_string()),
                Some(right(now).replace("v0=", "v1=")),
                401,
            ),
            (Some(now.to_string()), Some(right(now).to_uppercase()), 401),
            (
                Some(now.to_string()),
                Some(signature(SIGNING_SECRET, &now.to_string(), b"other")),
                401,
            ),
            (Some((now - 1).to_string()), Some(right(now)), 401),
            (Some(format!("0{now}")), Some(right(now)), 401),
            (Some(now.to_string()), Some(String::new()), 401),
            (Some(now.to_string()), None, 401),
            (None, Some(right(now)), 401),
            // More than five minutes away, in both directions.
            (Some((now - 310).to_string()), Some(right(now - 310)), 401),
            (Some((now + 310).to_string()), Some(right(now + 310)), 401),
            (Some((now - 280).to_string()), Some(right(now - 280)), 200),
        ] {
            let mut headers = vec![("Content-Type", "application/x-www-form-urlencoded")];
            if let Some(at) = &at {
                headers.push(("X-Slack-Request-Timestamp", at));
            }
            if let Some(signature) = &signature {
                headers.push(("X-Slack-Signature", signature));
            }
            let answer = sent(&rota, path, &headers, bytes);
            assert_eq!(
                answer.status(),
                status,
                "{path} {at:?} {signature:?}: {}",
                answer.text()
            );
        }
    }
}

#[test]
fn a_signature_that_is_sent_twice_is_refused() {
    let slack = Slack::with_people(3);
    let rota = started(&slack);
    let at = seconds().to_string();
    let (path, kind) = (PATHS[0], "application/x-www-form-urlencoded");
    let (body, _) = body(path, &sample(path, &slack.response_url()));
    let right = signature(SIGNING_SECRET, &at, body.as_bytes());
    let headers = [
        ("Content-Type", kind),
        ("X-Slack-Request-Timestamp", at.as_str()),
        ("X-Slack-Signature", right.as_str()),
    ];
    sent(&rota, path, &headers, body.as_bytes()).is(200);
    for name in ["X-Slack-Request-Timestamp", "X-Slack-Signature"] {
        let twice = [&headers[..], &[(name, "1")]].concat();
        sent(&rota, path, &twice, body.as_bytes()).is(400);
    }
}

/// rules.md 21.8.
#[test]
fn the_age_of_a_signature_goes_by_the_real_clock() {
    let slack = Slack::with_people(1);
    let rota = started(&slack);
    // The development clock is years away, and moves.
    rota.advance(7 * DAY);
    let answer = posted(
        &rota,
        "/slack/commands",
        &command("U1", "help", &slack.response_url()),
    );
    assert_eq!(answer.status(), 200);
}

#[test]
fn a_url_is_verified() {
    let slack = Slack::with_people(1);
    let rota = started(&slack);
    let challenge = json!({ "token": "x", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P", "type": "url_verification" });
    let answer = posted(&rota, "/slack/events", &challenge).ok();
    assert_eq!(
        answer.json(),
        json!({ "challenge": challenge["challenge"] })
    );
    // Of Slack alone.
    let unsigned = sent(
        &rota,
        "/slack/events",
        &[],
        challenge.to_string().as_bytes(),
    );
    assert_eq!(unsigned.status(), 401);
    let check = json!({ "ssl_check": "1", "token": "x" });
    assert_eq!(posted(&rota, "/slack/commands", &check).ok().text(), "");
}

#[test]
fn what_is_stored_does_nothing_again_whatever_the_headers_say() {
    let slack = Slack::with_people(1);
    let rota = started(&slack);
    // Nobody knows U8, so that they are told so in the answer.
    let payload = command("U8", "help", &slack.response_url());
    let first = posted(&rota, "/slack/commands", &payload).ok();
    assert!(
        first.json()["text"]
            .as_str()
            .unwrap()
            .contains("does not know you")
    );
    let (bytes, _) = body("/slack/commands", &payload);
    for number in ["1", "2", "3", "garbage"] {
        let at = seconds().to_string();
        let headers = [
            ("X-Slack-Request-Timestamp", at.as_str()),
            (
                "X-Slack-Signature",
                &signature(SIGNING_SECRET, &at, bytes.as_bytes()),
            ),
            ("X-Slack-Retry-Num", number),
            ("X-Slack-Retry-Reason", "http_timeout"),
        ];
        assert_eq!(
            sent(&rota, "/slack/commands", &headers, bytes.as_bytes())
                .ok()
                .text(),
            ""
        );
    }
    // Two at the same moment are one, too.
    let payload = event(json!({ "type": "app_home_opened", "user": "U8", "tab": "home" }));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let (bytes, _) = body("/slack/events", &payload);
                let at = seconds().to_string();
                let signed = signature(SIGNING_SECRET, &at, bytes.as_bytes());
                let mut connection = Connection::open(rota.address());
                connection.send(format!(
                    "POST /slack/events HTTP/1.1\r\nHost: h\r\nX-Slack-Request-Timestamp: {at}\r\nX-Slack-Signature: {signed}\r\n\
                     Content-Length: {}\r\n\r\n{bytes}",
                    bytes.len()
                ));
                assert_eq!(connection.answer("POST").expect("an answer").status, 200);
            });
        }
    });
    eventually("the home tab", || !slack.calls("views.publish").is_empty());
    assert_eq!(slack.calls("views.publish").len(), 1);
}

#[test]
fn garbage_that_is_signed_is_refused() {
    let slack = Slack::with_people(1);
    let rota = started(&slack);
    for (path, bytes) in [
        ("/slack/events", &b"{"[..]),
        ("/slack/events", b""),
        ("/slack/events", b"\xff\xfe"),
        ("/slack/events", b"[]"),
        ("/slack/events", br#"{"type":"event_callback"}"#),
        ("/slack/commands", b"command=%ff"),
        ("/slack/commands", b""),
        ("/slack/commands", b"text=help"),
        (
            "/slack/commands",
            b"command=/rota&text=help&channel_id=C1&user_id=U1&user_id=U2",
        ),
        (
            "/slack/commands",
            b"command=/rota&text=help&te%78t=me&channel_id=C1&user_id=U1",
        ),
        ("/slack/interactivity", b"payload={}&payload={}"),
        ("/slack/interactivity", b"payload=%7B"),
        ("/slack/interactivity", b"other=1"),
        ("/slack/interactivity", b"payload=[]"),
        (
            "/slack/interactivity",
            b"payload=%7B%22type%22%3A%22block_actions%22%7D",
        ),
    ] {
        let at = seconds().to_string();
        let headers = [
            ("X-Slack-Request-Timestamp", at.as_str()),
            ("X-Slack-Signature", &signature(SIGNING_SECRET, &at, bytes)),
        ];
        let answer = sent(&rota, path, &headers, bytes);
        assert_eq!(
            answer.status(),
            400,
            "{path} {}",
            String::from_utf8_lossy(bytes)
        );
    }
    rota.anyone()
        .get("/slack/events")
        .refused(405, "method_not_allowed");
    rota.anyone().get("/slack").refused(404, "not_found");
    rota.anyone().get("/slack/other").refused(404, "not_found");
}

#[test]
fn without_a_signing_secret_there_are_no_request_urls() {
    let slack = Slack::with_people(1);
    let (without, local) = (slack.go(), Rota::with_people(1));
    for rota in [&without, &local] {
        for path in PATHS {
            let answer = posted(rota, path, &sample(path, ""));
            assert_eq!(answer.status(), 404, "{path}");
        }
    }
    assert!(without.process.log.text().contains("nothing comes in"));
}

#[test]
fn nothing_of_what_comes_in_is_in_the_log() {
    let slack = Slack::with_people(1);
    let rota = slack
        .start()
        .env("ROTA_SLACK_SIGNING_SECRET", SIGNING_SECRET)
        .env("ROTA_LOG", "debug")
        .go();
    slack.read_directory(&rota);
    let payload = command("U1", "a private text", &slack.response_url());
    posted(&rota, "/slack/commands", &payload).ok();
    let id = payload["trigger_id"].as_str().unwrap();
    eventually("a line about it", || rota.process.log.text().contains(id));
    let log = rota.process.log.text();
    for secret in ["private", SIGNING_SECRET, "/response/"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[test]
fn nothing_of_a_socket_is_in_the_log_however_much_is_logged() {
    let slack = Slack::with_people(1);
    let sockets = slack.socket_mode();
    let start = slack.start().env("ROTA_SLACK_APP_TOKEN", APP_TOKEN);
    let rota = start.env("ROTA_LOG", "trace").go();
    sockets.await_greeted(1);
    let payload = command("U1", "a private text", &slack.response_url());
    sockets.acknowledged(&sockets.send("slash_commands", payload));
    let log = rota.process.log.text();
    assert!(log.contains("DEBUG"), "{log}");
    for secret in ["private", "ticket", APP_TOKEN] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}
