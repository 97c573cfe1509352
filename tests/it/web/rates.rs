//! How often people read pages, sign in and send forms.

use super::{Browser, with_admin};
use crate::support::*;
use std::time::{Duration, Instant};

/// A server at which people make so many requests at once, and then one a minute.
fn slow(burst: u32) -> Rota {
    let start = Start::default()
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 1)
        .env("ROTA_RATE_LIMIT_BURST", burst);
    with_admin(start, 2)
}

#[test]
fn a_person_has_one_rate_by_sessions_and_tokens() {
    let rota = slow(6);
    let (token, other) = (rota.token("U2"), rota.token("U2"));
    // Signing in is a request.
    let first = Browser::signed_in(&rota, "U2");
    let second = Browser::signed_in(&rota, "U2");
    first.get("/me").is(200);
    second.get("/me").is(200);
    rota.with(&token).get("/v1/rotations").ok();
    rota.with(&other).get("/v1/rotations").ok();
    let refused = first.get("/me").is(429);
    let wait: u64 = refused
        .header("retry-after")
        .expect("a wait")
        .parse()
        .expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    assert!(refused.text().contains("<h1"), "{}", refused.text());
    second
        .post("/me/zone", &[("timeZone", "Europe/Paris")])
        .is(429);
    rota.with(&token)
        .get("/v1/rotations")
        .refused(429, "rate_limited");
    // What needs no session, and somebody else, are not concerned.
    first.get("/docs").is(200);
    Browser::signed_in(&rota, "U1").get("/me").is(200);
}

#[test]
fn signing_in_counts() {
    let rota = slow(4);
    let token = rota.token("U2");
    let tries: Vec<u16> = (0..7)
        .map(|_| {
            Browser::of(&rota)
                .post("/login", &[("token", &token)])
                .status()
        })
        .collect();
    assert_eq!(tries, [303, 303, 303, 303, 429, 429, 429]);
    assert_eq!(rota.audited("action=signIn"), 4);
    // A session that signs in again is counted once.
    let mut browser = Browser::of(&rota);
    browser.keep(&browser.get("/login?as=U1").is(303));
    for status in [303, 303, 303, 429] {
        let token = rota.token("U1");
        let answer = browser.post("/login", &[("token", &token)]).is(status);
        browser.keep(&answer);
    }
}

#[test]
fn a_refused_sign_in_does_not_use_a_link_up() {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let start = Start::default()
        .db(&db)
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 1)
        .env("ROTA_RATE_LIMIT_BURST", 1);
    let rota = with_admin(start, 2);
    let link = crate::cli::succeeds(&db, "login-link --user U2");
    let path = link.trim().strip_prefix(&rota.url).expect("our own");
    let (_, secret) = path.split_once("link=").expect("a secret");
    Browser::signed_in(&rota, "U2");
    let stranger = Browser::of(&rota);
    stranger.post("/login", &[("link", secret)]).is(429);
    stranger.get(path).is(200);
}

/// Real time counts, and a busy machine may stand still: tried until all presses are within a second.
#[test]
fn a_button_that_is_pressed_six_times_is_one_write() {
    let rota = Rota::with_people(1);
    let browser = Browser::signed_in(&rota, "U1");
    let token = rota.token("U1");
    let feeds = |name: &str| {
        let made = rota.with(&token).all("/v1/calendar-feeds");
        made.iter().filter(|feed| feed["name"] == name).count()
    };
    for attempt in 0..15 {
        let name = format!("Try {attempt}");
        let began = Instant::now();
        let led: Vec<Option<String>> = (0..6)
            .map(|press| {
                let id = format!("{attempt}-{press}");
                let fields = [
                    ("operationId", id.as_str()),
                    ("shows", "mine"),
                    ("name", &name),
                ];
                let answer = browser.post("/me/feeds", &fields).is(303);
                answer.header("location").map(str::to_owned)
            })
            .collect();
        if began.elapsed() < Duration::from_millis(900) {
            assert_eq!(feeds(&name), 1);
            assert!(led.iter().all(|path| *path == led[0]), "{led:?}");
            // What says something else is another form.
            let other = format!("{name}, too");
            let fields = [("operationId", "x"), ("shows", "mine"), ("name", &other)];
            browser.post("/me/feeds", &fields).is(303);
            assert_eq!((feeds(&name), feeds(&other)), (1, 1));
            return;
        }
    }
    panic!("six forms take longer than a second");
}

#[test]
fn a_button_that_is_pressed_at_once_is_one_write() {
    let rota = Rota::with_people(1);
    let browser = Browser::signed_in(&rota, "U1");
    let token = rota.token("U1");
    for attempt in 0..15 {
        let name = format!("Try {attempt}");
        let began = Instant::now();
        std::thread::scope(|scope| {
            for press in 0..6 {
                let (browser, name) = (&browser, &name);
                scope.spawn(move || {
                    let id = format!("{attempt}-{press}");
                    let fields = [
                        ("operationId", id.as_str()),
                        ("shows", "mine"),
                        ("name", name),
                    ];
                    browser.post("/me/feeds", &fields).is(303);
                });
            }
        });
        if began.elapsed() < Duration::from_millis(900) {
            let made = rota.with(&token).all("/v1/calendar-feeds");
            assert_eq!(made.iter().filter(|feed| feed["name"] == name).count(), 1);
            return;
        }
    }
    panic!("six forms take longer than a second");
}
