//! Misbehaving receivers, addresses that are not permitted, and endpoints that do not delay each other.

use crate::cli::{key, on};
use crate::support::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An attempt in one line: outcome, status and error.
pub fn attempt_line(attempt: &Value) -> String {
    let status = attempt
        .get("statusCode")
        .map_or("-".into(), Value::to_string);
    format!(
        "{} {status} {}",
        text(&attempt["outcome"]),
        text(&attempt["error"])
    )
}

pub fn hook<'a>(rota: &'a Rota, id: &str) -> Hook<'a> {
    Hook {
        by: rota.caller(),
        id: id.to_owned(),
        secret: String::new(),
    }
}

/// The only attempt of a test event, made before the clock is moved.
#[track_caller]
fn only_attempt(hook: &Hook, delivery: &str) -> Value {
    let attempts = hook.attempts(delivery);
    assert_eq!(attempts.len(), 1, "{attempts:?}");
    attempts[0].clone()
}

/// Whether the next attempt is that of round 2, and not a quick retry.
fn waits(attempt: &Value) -> bool {
    let next = attempt["nextAttemptDueAt"].as_str();
    next.is_some_and(|next| at(next) >= at(&plus(MONDAY, 30)))
}

/// A server on Monday with a rotation, so that test events can be sent.
fn with_rotation(start: Start) -> Rota {
    let rota = start.go();
    rota.people(3);
    rota.rotation("U1 U2 U3");
    rota
}

/// Queues a test event for each of these, by name, and waits until all were attempted.
#[track_caller]
fn attempt_all<'a>(rota: &'a Rota, urls: &[(&'static str, String)]) -> Vec<(Hook<'a>, String)> {
    let queued = urls.iter().map(|(_, url)| {
        let hook = rota.hook_at(url, "");
        let delivery = hook.test();
        (hook, delivery)
    });
    let queued: Vec<_> = queued.collect();
    rota.advance(0);
    queued
}

pub fn a_receiver_that_hangs_has_ten_seconds() {
    let rota = with_rotation(Start::default());
    let outlet = Outlet::new(Behavior::reads(|post| match post.path.as_str() {
        "/head" => Then::Trickle("HTTP/1.1 200 OK\r\nX: ", "x"),
        "/hints" => Then::Trickle("", "HTTP/1.1 103 Early Hints\r\n\r\n"),
        "/body" => Then::Trickle("HTTP/1.1 202 OK\r\nContent-Length: 4000\r\n\r\nsome", "x"),
        "/stalls" => Then::Trickle("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsom", ""),
        _ => Then::Hang,
    }));
    let url = |path: &str| format!("{}{path}", outlet.url());
    let urls = [
        ("hangs", url("hangs")),
        ("trickles its head", url("head")),
        ("sends hints for ever", url("hints")),
        ("shakes no hands", outlet.https("127.0.0.1")),
        ("trickles its body", url("body")),
        ("stalls in its body", url("stalls")),
    ];
    let queued = attempt_all(&rota, &urls);
    for ((name, _), (hook, delivery)) in urls.iter().zip(&queued) {
        let attempt = only_attempt(hook, delivery);
        let took = int(&attempt["durationMs"]);
        if name.ends_with("its body") {
            let status = if name.starts_with("trickles") {
                202
            } else {
                200
            };
            assert_eq!(
                attempt_line(&attempt),
                format!("delivered {status} -"),
                "{name}"
            );
            assert!((2_000..8_000).contains(&took), "{name}: {took} ms");
            assert!(
                text(&attempt["responseBodySnippet"]).starts_with("som"),
                "{name}"
            );
            assert_eq!(attempt["responseBodyTruncated"], true, "{name}");
            assert!(attempt.get("nextAttemptDueAt").is_none(), "{name}");
        } else {
            assert_eq!(attempt_line(&attempt), "no_response - timeout", "{name}");
            assert!((10_000..12_000).contains(&took), "{name}: {took} ms");
            assert!(attempt.get("responseBodySnippet").is_none(), "{name}");
            assert!(waits(&attempt), "{name}: {attempt}");
        }
    }
    assert_eq!(outlet.connections(), urls.len());
    // Waiting uses no processor time.
    let spent = processor_seconds(rota.process.id());
    assert!(spent.is_none_or(|spent| spent < 3.0), "{spent:?} s");
}

/// The processor time of a process, if the system reports it.
fn processor_seconds(pid: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name, which may contain spaces; in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |n: usize| fields.get(n)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

#[test]
fn whatever_a_receiver_answers_is_told_as_it_was() {
    let rota = with_rotation(Start::default());
    let target = Outlet::new(Behavior::says(200));
    let elsewhere = target.url();
    let outlet = Outlet::new(Behavior::reads(move |post| {
        let kind = post.path.trim_start_matches('/');
        let say = |text: String| Then::Say(text.into_bytes());
        match kind {
            "garbage" => say("SSH-2.0-OpenSSH_9.9\r\n".into()),
            "zeros" => say("\0".repeat(100)),
            "length" => say("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n".into()),
            "huge" => say(format!(
                "HTTP/1.1 200 OK\r\nX: {}\r\n\r\n",
                "y".repeat(1 << 20)
            )),
            "large" => say(format!("HTTP/1.1 200 OK\r\n\r\n{}", "z".repeat(10 << 20))),
            "empty" => say("HTTP/1.1 204 No Content\r\n\r\n".into()),
            "closes" => Then::Close,
            "half" => say("HTTP/1.1 200 OK\r\nContent-".into()),
            code => say(format!(
                "HTTP/1.1 {code} -\r\nLocation: {elsewhere}\r\nContent-Length: 4\r\n\r\nover"
            )),
        }
    }));
    let resets = Outlet::new(Behavior::Resets);
    let cases: Vec<(&'static str, &str, Option<&str>)> = vec![
        ("garbage", "no_response - invalid_response", None),
        ("zeros", "no_response - invalid_response", None),
        ("length", "no_response - invalid_response", None),
        ("huge", "no_response - invalid_response", None),
        ("large", "delivered 200 -", None),
        ("empty", "delivered 204 -", Some("")),
        ("closes", "no_response - connection", None),
        ("half", "no_response - connection", None),
        ("resets", "no_response - connection", None),
        ("301", "failed 301 redirect_not_followed", Some("over")),
        ("302", "failed 302 redirect_not_followed", Some("over")),
        ("303", "failed 303 redirect_not_followed", Some("over")),
        ("307", "failed 307 redirect_not_followed", Some("over")),
        ("308", "failed 308 redirect_not_followed", Some("over")),
        ("304", "failed 304 -", None),
        ("410", "failed 410 -", Some("over")),
        ("500", "failed 500 -", Some("over")),
    ];
    let url = |kind: &str| match kind {
        "resets" => resets.url(),
        kind => format!("{}{kind}", outlet.url()),
    };
    // A workspace has at most ten endpoints.
    for cases in cases.chunks(10) {
        let urls: Vec<_> = cases.iter().map(|(kind, ..)| (*kind, url(kind))).collect();
        let queued = attempt_all(&rota, &urls);
        for ((kind, expected, snippet), (hook, delivery)) in cases.iter().zip(&queued) {
            let attempt = only_attempt(hook, delivery);
            assert_eq!(attempt_line(&attempt), *expected, "{kind}");
            let shown = attempt["responseBodySnippet"].as_str();
            let took = int(&attempt["durationMs"]);
            assert!((0..8_000).contains(&took), "{kind}: {took} ms");
            match *kind {
                "large" => {
                    assert_eq!(shown.map(str::len), Some(4096));
                    assert_eq!(attempt["responseBodyTruncated"], true);
                }
                "304" => {}
                kind => assert_eq!(shown, *snippet, "{kind}"),
            }
            let state = if expected.starts_with("delivered") {
                "delivered"
            } else {
                "pending"
            };
            assert_eq!(hook.newest()["state"], state, "{kind}");
            hook.by.delete_if(&hook.path(), "*").is(204);
        }
    }
    assert_eq!(target.connections(), 0, "a redirect was followed");
}

#[test]
fn tls_is_believed_or_nothing_is_sent() {
    let ca = format!("{CERTS}/ca.pem");
    let trusting = with_rotation(Start::default().env("ROTA_WEBHOOKS_EXTRA_CA_FILE", ca));
    let public = with_rotation(Start::default());
    let certified = |name| Outlet::secure(name, Behavior::says(200));
    let (good, expired, elsewhere) = (
        certified("good"),
        certified("expired"),
        certified("elsewhere"),
    );
    let plain = Outlet::new(Behavior::Blurts("HTTP/1.1 400 Bad Request\r\n\r\n"));
    let resets = Outlet::new(Behavior::Resets);
    let bad = "no_response - secure_connection";
    for (name, rota, url, expected) in [
        (
            "a name",
            &trusting,
            good.https("localhost"),
            "delivered 200 -",
        ),
        (
            "an address",
            &trusting,
            good.https("127.0.0.1"),
            "delivered 200 -",
        ),
        ("expired", &trusting, expired.https("localhost"), bad),
        ("another name", &trusting, elsewhere.https("localhost"), bad),
        ("unknown authority", &public, good.https("localhost"), bad),
        ("no TLS", &trusting, plain.https("localhost"), bad),
        ("resets", &trusting, resets.https("localhost"), bad),
    ] {
        let queued = attempt_all(rota, &[(name, url)]);
        let attempt = only_attempt(&queued[0].0, &queued[0].1);
        assert_eq!(attempt_line(&attempt), expected, "{name}");
        assert!(attempt.get("durationMs").is_some(), "{name}");
        assert_eq!(waits(&attempt), expected == bad, "{name}: {attempt}");
    }
    assert_eq!(good.posts().len(), 2);
    assert!(expired.posts().is_empty() && elsewhere.posts().is_empty());
}

/// `rota serve` with the operator's settings.
pub fn serving(db: &Path, key: &str, settings: &[(&str, &str)]) -> Rota {
    let mut command = on(db, "serve --listen 127.0.0.1:0");
    command.env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
    command.envs(settings.iter().copied());
    serve(command, key)
}

/// rules.md 16.6.
#[test]
fn addresses_are_judged_when_they_are_dialled() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let retry_schedule = ["1s"; 40].join(",");
    let secure = Outlet::secure("good", Behavior::Resets);
    let plain = Outlet::new(Behavior::says(500));
    let ids: Vec<(String, String)> = {
        let rota = Start::default().running_clock().db(&db);
        let rota = with_rotation(rota.env("ROTA_WEBHOOKS_LADDER", &retry_schedule));
        let ids = [secure.https("localhost"), plain.url()].map(|url| {
            let hook = rota.hook_at(&url, "");
            let delivery = hook.test();
            eventually("an attempt", || !hook.attempts(&delivery).is_empty());
            (hook.id, delivery)
        });
        assert_eq!(rota.stop().0.code(), Some(0));
        ids.into()
    };
    let before = (secure.connections(), plain.connections());
    assert!(before.0 > 0 && before.1 > 0);
    // From now on they would respond.
    secure.now(Behavior::says(200));
    plain.now(Behavior::says(200));
    let key = key(&db, "--scope manage:webhooks");
    let ca = format!("{CERTS}/ca.pem");
    let mut settings = vec![
        ("ROTA_WEBHOOKS_LADDER", retry_schedule.as_str()),
        ("ROTA_WEBHOOKS_EXTRA_CA_FILE", ca.as_str()),
    ];
    let server = serving(&db, &key, &settings);
    for ((id, delivery), error) in ids.iter().zip(["private_address", "invalid_url"]) {
        let hook = hook(&server, id);
        let refused = |attempt: &Value| attempt_line(attempt) == format!("no_response - {error}");
        eventually(error, || hook.attempts(delivery).iter().any(refused));
        let attempts = hook.attempts(delivery);
        let refused: Vec<_> = attempts.into_iter().filter(refused).collect();
        for attempt in refused {
            assert!(attempt.get("durationMs").is_none(), "{attempt}");
            assert!(!attempt["requestHeaders"].as_array().unwrap().is_empty());
        }
        let newest = hook.newest();
        assert_eq!(newest["state"], "pending");
    }
    assert_eq!(server.stop().0.code(), Some(0));
    assert_eq!((secure.connections(), plain.connections()), before);

    settings.push(("ROTA_WEBHOOKS_ALLOW_NETS", "127.0.0.0/8, ::1/128"));
    let server = serving(&db, &key, &settings);
    let opened = hook(&server, &ids[0].0);
    eventually("the delivery", || opened.newest()["state"] == "delivered");
    assert_eq!(secure.posts().len(), 1);
    assert_eq!(secure.posts()[0].id, ids[0].1);
    // A setting permits addresses, never http.
    let closed = hook(&server, &ids[1].0);
    let made = closed.attempts(&ids[1].1).len();
    eventually("another attempt", || {
        closed.attempts(&ids[1].1).len() > made
    });
    assert_eq!(plain.connections(), before.1);
}

#[test]
fn proxies_of_the_environment_are_not_used() {
    let proxy = Outlet::new(Behavior::says(502));
    let ca = format!("{CERTS}/ca.pem");
    let mut start = Start::default().env("ROTA_WEBHOOKS_EXTRA_CA_FILE", ca);
    for name in [
        "http_proxy",
        "HTTP_PROXY",
        "https_proxy",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ] {
        start = start.env(name, proxy.url());
    }
    let rota = with_rotation(start.env("no_proxy", "").env("NO_PROXY", ""));
    let (plain, secure) = (
        Outlet::new(Behavior::says(200)),
        Outlet::secure("good", Behavior::says(200)),
    );
    let urls = [("http", plain.url()), ("https", secure.https("localhost"))];
    for (hook, delivery) in attempt_all(&rota, &urls) {
        assert_eq!(
            attempt_line(&only_attempt(&hook, &delivery)),
            "delivered 200 -"
        );
    }
    assert_eq!((plain.posts().len(), secure.posts().len()), (1, 1));
    assert_eq!(proxy.connections(), 0);
}

#[test]
fn endpoints_that_hang_hold_up_nobody() {
    let rota = with_rotation(Start::default());
    let outlet = Outlet::new(Behavior::reads(|post| match post.path.as_str() {
        "/9" => status(200),
        _ => Then::Hang,
    }));
    let hooks: Vec<Hook> = (0..10)
        .map(|n| rota.hook_at(&format!("{}{n}", outlet.url()), "duty.changed"))
        .collect();
    let rotation = rota.rotation("U1 U2 U3");
    for n in 0..12 {
        rotation.put_on_call(["U1", "U2", "U3"][n % 3]).is(200);
        eventually("the news", || outlet.posts_to("/9").len() == n + 1);
    }
    eventually("all dialled", || {
        (0..9).all(|n| !outlet.posts_to(&format!("/{n}")).is_empty())
    });
    let versions = |path: &str| -> Vec<i64> {
        let posts = outlet.posts_to(path);
        posts
            .iter()
            .map(|post| int(&post.json()["version"]))
            .collect()
    };
    let ninth = versions("/9");
    assert!(ninth.is_sorted(), "{ninth:?}");
    for (n, hook) in hooks[..9].iter().enumerate() {
        let path = format!("/{n}");
        // One first attempt, one retry; the others wait.
        assert!(outlet.most_at_once(&path) <= 2, "{path}");
        assert_eq!(versions(&path)[0], ninth[0]);
        assert_eq!(hook.deliveries().len(), 12);
    }
    eventually("an end", || hooks[9].newest()["state"] == "delivered");
}

/// Ten endpoints, disabled and enabled while rotations and time change.
#[test]
fn endpoints_disabled_and_enabled_under_load() {
    const WRITES: usize = 25;
    let rota = Rota::with_people(3);
    // Every other delivery needs a second attempt.
    let odd = |id: &str| id.ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']);
    let seen = std::sync::Mutex::new(BTreeSet::new());
    let outlet = Outlet::new(Behavior::reads(move |post| {
        let id = post.id.clone();
        let first = seen.lock().unwrap().insert(id.clone());
        status(if odd(&id) && first { 500 } else { 200 })
    }));
    let hooks: Vec<Hook> = (0..10)
        .map(|n| rota.hook_at(&format!("{}{n}", outlet.url()), ALL_EVENTS))
        .collect();
    let rotations = [rota.rotation("U1 U2 U3"), rota.rotation("U1 U2 U3")];
    let writing = AtomicUsize::new(rotations.len());
    let written = || writing.load(Ordering::SeqCst) == 0;
    std::thread::scope(|scope| {
        for rotation in &rotations {
            let writing = &writing;
            scope.spawn(move || {
                for n in 0..WRITES {
                    rotation.put_on_call(["U1", "U2", "U3"][n % 3]).is(200);
                }
                writing.fetch_sub(1, Ordering::SeqCst);
            });
        }
        for hooks in hooks.chunks(5) {
            let written = &written;
            scope.spawn(move || {
                for hook in hooks.iter().cycle() {
                    if written() {
                        break;
                    }
                    hook.act("disable").is(200);
                    hook.act("enable").is(200);
                }
            });
        }
        while !written() {
            rota.advance(7);
        }
    });
    for hook in &hooks {
        hook.act("enable").is(200);
    }
    rota.advance(600);

    let mut ids = BTreeSet::new();
    for (n, hook) in hooks.iter().enumerate() {
        let path = format!("/{n}");
        let mut deliveries = rota.caller().all(&format!("{}/deliveries", hook.path()));
        deliveries.reverse();
        let posts = outlet.posts_to(&path);
        let mut began = vec![];
        for delivery in &deliveries {
            let id = text(&delivery["deliveryId"]);
            assert_eq!(delivery["state"], "delivered", "{delivery}");
            assert!(ids.insert(id.to_owned()), "{id} twice");
            let sent: Vec<&Post> = posts.iter().filter(|post| post.id == id).collect();
            assert_eq!(sent.len() as i64, int(&delivery["attempts"]), "{delivery}");
            assert!(sent.iter().all(|post| post.body == sent[0].body));
            // The receiver returns 2xx only for the last.
            assert_eq!(sent.len(), if odd(id) { 2 } else { 1 }, "{id}");
            began.push(id.to_owned());
        }
        let mut first = vec![];
        for post in &posts {
            let id = post.id.clone();
            if !first.contains(&id) {
                first.push(id);
            }
        }
        assert_eq!(
            first, began,
            "{path}: first attempts in the order of the commits"
        );
        assert!(outlet.most_at_once(&path) <= 2, "{path}");
    }
    assert!(!ids.is_empty());
    assert!(hooks.iter().all(|hook| hook.read()["state"] == "enabled"));
}
