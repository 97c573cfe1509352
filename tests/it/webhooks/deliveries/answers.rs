//! The outcome of an attempt by its response, or without one.

use super::*;
use serde_json::json;

#[test]
fn every_2xx_is_a_delivery_and_nothing_else_is() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    for (status, outcome, error) in [
        (200, "delivered", "-"),
        (201, "delivered", "-"),
        (202, "delivered", "-"),
        (204, "delivered", "-"),
        (299, "delivered", "-"),
        (300, "failed", "-"),
        (301, "failed", "redirect_not_followed"),
        (302, "failed", "redirect_not_followed"),
        (303, "failed", "redirect_not_followed"),
        (304, "failed", "-"),
        (305, "failed", "-"),
        (307, "failed", "redirect_not_followed"),
        (308, "failed", "redirect_not_followed"),
        (399, "failed", "-"),
        (400, "failed", "-"),
        (410, "failed", "-"),
        (500, "failed", "-"),
        (599, "failed", "-"),
    ] {
        let elsewhere = rota.receiver();
        receiver.answers(json!({ "status": status, "headers": { "Location": elsewhere.url() } }));
        let id = hook.test();
        rota.advance(0);
        assert_eq!(
            hook.attempt_log(&id),
            [format!("1.1 {outcome} {status} {error}")]
        );
        assert_eq!(elsewhere.requests().len(), 0, "{status}");
        let finished = outcome == "delivered";
        assert_eq!(hook.state(&id) == "delivered", finished, "{status}");
        assert_eq!(hook.cancel(&id), !finished, "{status}");
    }
}

#[test]
fn the_beginning_of_the_answer_is_kept() {
    let rota = server();
    let (hook, receiver) = rota.hook("");
    let wide = "\u{e9}".repeat(3000);
    let pagers = "\u{1f4df}".repeat(2000);
    for (body, kept, truncated) in [
        (String::new(), String::new(), false),
        ("ok \"\u{e9}\"\n".into(), "ok \"\u{e9}\"\n".into(), false),
        ("x".repeat(4096), "x".repeat(4096), false),
        ("x".repeat(4097), "x".repeat(4096), true),
        ("x".repeat(100_000), "x".repeat(4096), true),
        (wide.clone(), "\u{e9}".repeat(2048), true),
        (
            format!("x{wide}"),
            format!("x{}", "\u{e9}".repeat(2047)),
            true,
        ),
        (
            format!("xxx{pagers}"),
            format!("xxx{}", "\u{1f4df}".repeat(1023)),
            true,
        ),
        (pagers[..4096].to_owned(), pagers[..4096].to_owned(), false),
    ] {
        for status in [200, 400] {
            receiver.answers(json!({ "status": status, "body": body }));
            let id = hook.test();
            rota.advance(0);
            let attempt = hook.newest_attempt(&id);
            let name = format!("{status} {} bytes", body.len());
            assert_eq!(attempt["responseBodySnippet"], kept, "{name}");
            assert_eq!(attempt["responseBodyTruncated"], truncated, "{name}");
            hook.cancel(&id);
        }
    }
}

/// How a receiver in the test responds.
enum Does {
    Says(&'static str),
    Hangs,
    /// Sends this much and nothing more.
    Stalls(&'static str),
}

pub fn answers_that_break_off() {
    use Does::*;
    let rota = server();
    let own = OwnReceiver::open();
    let hook = rota.hook_at(&own.url(), "");
    for (does, reply, snippet, wait) in [
        (Says(""), "1.1 no_response - connection", None, 1),
        (
            Says("SSH-2.0-OpenSSH_9.9\r\n"),
            "1.1 no_response - invalid_response",
            None,
            30,
        ),
        (
            Says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"),
            "1.1 delivered 200 -",
            Some(("part", true)),
            0,
        ),
        (
            Says("HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\npart"),
            "1.1 failed 500 -",
            Some(("part", true)),
            1,
        ),
        (
            Says("HTTP/1.0 200 OK\r\n\r\nto the end"),
            "1.1 delivered 200 -",
            Some(("to the end", false)),
            0,
        ),
        (
            Stalls("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"),
            "1.1 delivered 200 -",
            Some(("part", true)),
            0,
        ),
        (Hangs, "1.1 no_response - timeout", None, 30),
    ] {
        let id = hook.test();
        let arrival = own.arrival();
        let open = match does {
            Says(answer) => {
                arrival.raw(answer);
                None
            }
            Stalls(answer) => Some(arrival.stall(answer)),
            Hangs => Some(arrival.stall("")),
        };
        rota.advance(0);
        drop(open);
        assert_eq!(hook.attempt_log(&id), [reply]);
        let attempt = hook.newest_attempt(&id);
        let kept = attempt.get("responseBodySnippet").map(text);
        assert_eq!(kept, snippet.map(|(text, _)| text), "{reply}");
        let truncated = snippet.is_some_and(|(_, truncated)| truncated);
        assert_eq!(attempt["responseBodyTruncated"], truncated, "{reply}");
        let wait_is = hook.wait(&id).map_or(0, |wait| wait / 1000);
        assert!(
            (wait..=wait * 11 / 10).contains(&wait_is),
            "{reply}: {wait_is} s"
        );
        let spent = int(&attempt["durationMs"]);
        if reply.ends_with("timeout") {
            assert!((9_900..20_000).contains(&spent), "{spent} ms");
        }
        hook.cancel(&id);
        own.is_left_alone();
    }
}

#[test]
fn what_is_no_answer_has_no_status() {
    let rota = server();
    let own = OwnReceiver::open();
    for (url, error) in [
        ("http://127.0.0.1:1/".to_owned(), "connection"),
        (format!("https://{}/", own.authority()), "secure_connection"),
    ] {
        let hook = rota.hook_at(&url, "");
        let id = hook.test();
        if error == "secure_connection" {
            drop(own.connection());
        }
        rota.advance(0);
        let attempt = hook.newest_attempt(&id);
        assert_eq!(attempt_line(&attempt), format!("1.1 no_response - {error}"));
        for absent in [
            "statusCode",
            "responseBodySnippet",
            "retryAfterSecondsRequested",
        ] {
            assert_eq!(attempt.get(absent), None, "{absent}");
        }
        assert_eq!(attempt["responseBodyTruncated"], false);
        assert!(text(&attempt["requestBody"]).contains(&id));
        assert!(hook.cancel(&id));
    }
}

#[test]
fn the_url_is_judged_again_at_every_send() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let own = OwnReceiver::open();
    let rota = Start::default().running_clock().db(&db).go();
    rota.people(3);
    rota.rotation("U1 U2 U3");
    // What development permits is not permitted in production.
    let hooks = [
        (format!("https://{}/", own.authority()), "private_address"),
        (own.url(), "invalid_url"),
    ]
    .map(|(url, error)| (rota.hook_at(&url, "").id, error));
    assert_eq!(rota.stop().0.code(), Some(0));
    let key = crate::cli::key(&db, "--scope manage:webhooks");
    let rota = serve(crate::cli::on(&db, "serve --listen 127.0.0.1:0"), &key);
    for (endpoint, error) in hooks {
        let hook = Hook::again(&rota, &endpoint);
        let id = hook.test();
        eventually("the attempt in the log", || !hook.attempts(&id).is_empty());
        let attempt = hook.newest_attempt(&id);
        assert_eq!(attempt_line(&attempt), format!("1.1 no_response - {error}"));
        for absent in ["statusCode", "durationMs", "responseBodySnippet"] {
            assert_eq!(attempt.get(absent), None, "{error}: {absent}");
        }
        assert!(text(&attempt["requestBody"]).contains(&id));
        is_step(hook.wait(&id), 30);
    }
    own.is_left_alone();
}
