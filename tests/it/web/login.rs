//! Signing in and out, and how long it lasts.

use super::{Browser, form};
use crate::support::{self, Rota, Start, TempDir, directory};
use serde_json::json;

/// rules.md 12.5.
#[test]
fn a_link_signs_in_once() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(2);
    let mut command = support::rota(dir.path());
    command
        .args(["login-link", "--user", "U2", "--db"])
        .arg(&db);
    let (code, printed, told) = support::run(&mut command);
    assert_eq!(code, 0, "{told}");
    let link = printed.trim();
    let path = link.strip_prefix(&rota.url).expect("our own address");
    let mut browser = Browser::of(&rota);
    // Programs that preview links look as often as they like.
    for _ in 0..2 {
        let page = browser.get(path).is(200);
        assert!(page.header("set-cookie").is_none());
        assert!(page.text().contains("Person U2"));
    }
    let page = browser.get(path).text();
    let secret = super::attribute(
        form(&page, "/login").split("name=\"link\"").nth(1).unwrap(),
        "value",
    )
    .unwrap();
    let answer = browser
        .post("/login", &[("link", &secret), ("next", "/me")])
        .is(303);
    assert_eq!(answer.header("location"), Some("/me"));
    browser.keep(&answer);
    assert!(browser.get("/me").is(200).text().contains("Person U2"));
    assert_eq!(
        Browser::of(&rota)
            .post("/login", &[("link", &secret)])
            .status(),
        401
    );
    assert_eq!(browser.get(path).status(), 410);

    let (code, _, told) = support::run(
        support::rota(dir.path())
            .args(["login-link", "--user", "U9", "--db"])
            .arg(&db),
    );
    assert!(code == 1 && told.contains("U9"), "{told}");
}

#[test]
fn a_link_is_over_after_its_time() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(1);
    let mut command = support::rota(dir.path());
    command
        .args(["login-link", "--user", "U1", "--for", "10m", "--db"])
        .arg(&db);
    let (_, printed, _) = support::run(&mut command);
    let path = printed
        .trim()
        .strip_prefix(&rota.url)
        .expect("our own")
        .to_owned();
    let browser = Browser::of(&rota);
    rota.advance(599);
    browser.get(&path).is(200);
    rota.advance(1);
    assert_eq!(browser.get(&path).status(), 410);
}

#[test]
fn a_member_token_signs_in() {
    let rota = Rota::with_people(2);
    let token = rota.token("U1");
    let mut browser = Browser::of(&rota);
    let answer = browser
        .post(
            "/login",
            &[("token", &token), ("next", "https://evil.example")],
        )
        .is(303);
    assert_eq!(answer.header("location"), Some("/"));
    let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
    assert!(cookie.starts_with("__Host-rota="), "{cookie}");
    for part in ["; Secure", "; HttpOnly", "; SameSite=Lax", "; Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    browser.keep(&answer);
    browser.get("/me").is(200);
    for wrong in [
        token.replace("svc_mbr_", "svc_key_"),
        format!("{token}x"),
        "x".into(),
    ] {
        let page = Browser::of(&rota)
            .post("/login", &[("token", &wrong)])
            .is(401);
        let text = page.text();
        assert!(
            text.contains("id=\"errors\"") && text.contains("href=\"#f-token\""),
            "{text}"
        );
        assert!(!text.contains(&wrong) || wrong == "x");
    }
}

#[test]
fn the_api_never_looks_at_cookies_and_pages_never_at_credentials() {
    let rota = Rota::with_people(1);
    let ada = Browser::signed_in(&rota, "U1");
    ada.request("GET", "/v1/rotations")
        .send()
        .refused(401, "missing_credential");
    let token = rota.token("U1");
    let answer = rota.with(&token).get("/me");
    assert_eq!(
        (answer.status(), answer.header("location")),
        (303, Some("/login?next=/me"))
    );
}

#[test]
fn whoever_is_not_signed_in_is_sent_to_sign_in() {
    let rota = Rota::with_people(1);
    let stranger = Browser::of(&rota);
    for (path, location) in [
        ("/", "/login"),
        ("/me", "/login?next=/me"),
        (
            "/rotations/A?from=2026-01-05&span=7d",
            "/login?next=/rotations/A%3Ffrom%3D2026-01-05%26span%3D7d",
        ),
    ] {
        let answer = stranger.get(path).is(303);
        assert_eq!(answer.header("location"), Some(location));
    }
}

/// rules.md 12.5.
#[test]
fn a_session_ends_unused_after_its_lifetime_and_by_hand() {
    let rota = Rota::with_people(1);
    let day = 24 * 3600;
    let ada = Browser::signed_in(&rota, "U1");
    for _ in 0..3 {
        rota.advance(13 * day);
        ada.get("/me").is(200);
    }
    rota.advance(14 * day);
    ada.get("/me").is(303);

    let bob = Browser::signed_in(&rota, "U1");
    for _ in 0..8 {
        rota.advance(11 * day);
        bob.get("/me").is(200);
    }
    rota.advance(2 * day);
    bob.get("/me").is(303);

    let first = Browser::signed_in(&rota, "U1");
    let second = Browser::signed_in(&rota, "U1");
    let page = second.get("/me").is(200).text();
    assert_eq!(page.matches("/me/sessions/end").count(), 2, "{page}");
    first.post("/logout", &[]).is(303);
    first.get("/me").is(303);
    second.get("/me").is(200);
}

#[test]
fn deactivating_a_person_ends_their_sessions() {
    let rota = Rota::with_people(2);
    let ada = Browser::signed_in(&rota, "U1");
    let bob = Browser::signed_in(&rota, "U2");
    rota.import(&directory(1));
    ada.get("/me").is(200);
    bob.get("/me").is(303);
    // Being back does not bring the session back.
    rota.import(&directory(2));
    bob.get("/me").is(303);
}

#[test]
fn signing_in_begins_another_session() {
    let rota = Rota::with_people(1);
    let mut browser = Browser::signed_in(&rota, "U1");
    let before = Browser {
        rota: &rota,
        cookie: browser.cookie.clone(),
    };
    let answer = browser.get("/login?as=U1").is(303);
    browser.keep(&answer);
    assert_ne!(browser.cookie, before.cookie);
    before.get("/me").is(303);
    browser.get("/me").is(200);
}

#[test]
fn failed_tries_are_slowed_down_and_sessions_are_not() {
    let rota = Start::default()
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 600)
        .go();
    rota.people(1);
    let ada = Browser::signed_in(&rota, "U1");
    let stranger = Browser::of(&rota);
    for _ in 0..10 {
        stranger.post("/login", &[("token", "svc_mbr_a_b")]).is(401);
    }
    let answer = stranger.post("/login", &[("token", "svc_mbr_a_b")]).is(429);
    assert!(answer.header("retry-after").is_some());
    ada.get("/me").is(200);
}

#[test]
fn a_proxy_is_believed_from_its_networks() {
    let people = |rota: &Rota| rota.people(2);
    for (trusted, secret, sent, expected) in [
        ("127.0.0.0/8", None, "U1", 200),
        ("127.0.0.0/8", None, "U9", 403),
        ("10.0.0.0/8", None, "U1", 303),
        ("127.0.0.0/8", Some("none"), "U1", 303),
    ] {
        let mut start = Start::default()
            .env("ROTA_LOGIN_PROXY_HEADER", "Remote-User")
            .env("ROTA_LOGIN_PROXY_MATCH", "id")
            .env("ROTA_LOGIN_PROXY_TRUSTED", trusted);
        if secret.is_some() {
            start = start.env(
                "ROTA_LOGIN_PROXY_SECRET_HEADER",
                "X-Proxy: 0123456789abcdef",
            );
        }
        let rota = start.go();
        people(&rota);
        let request = Browser::of(&rota)
            .request("GET", "/me")
            .header("Remote-User", sent);
        let answer = request.header("X-Forwarded-For", "127.0.0.1").send();
        assert_eq!(answer.status(), expected, "{trusted} {sent}");
        if secret.is_some() {
            let request = Browser::of(&rota)
                .request("GET", "/me")
                .header("Remote-User", sent);
            request.header("X-Proxy", "0123456789abcdef").send().is(200);
        }
    }
    let (_, log) = Start::default()
        .env("ROTA_LOGIN_PROXY_HEADER", "Remote-User")
        .attempt()
        .err()
        .expect("no start");
    assert!(log.contains("login.proxy.trusted"), "{log}");
}

#[test]
fn a_header_of_a_proxy_that_is_sent_twice_names_nobody() {
    let rota = Start::default()
        .env("ROTA_LOGIN_PROXY_HEADER", "Remote-User")
        .env("ROTA_LOGIN_PROXY_MATCH", "id")
        .env("ROTA_LOGIN_PROXY_TRUSTED", "127.0.0.0/8")
        .env(
            "ROTA_LOGIN_PROXY_SECRET_HEADER",
            "X-Proxy: 0123456789abcdef",
        )
        .go();
    rota.people(2);
    let named = || {
        let request = Browser::of(&rota).request("GET", "/me");
        let request = request.header("Remote-User", "U1");
        request.header("X-Proxy", "0123456789abcdef")
    };
    named().send().is(200);
    named().header("remote-user", "U2").send().is(400);
    named().header("X-Proxy", "0123456789abcdef").send().is(400);
}

#[test]
fn two_cookies_of_one_name_are_no_session() {
    let rota = Rota::with_people(1);
    let ada = Browser::signed_in(&rota, "U1");
    let own = ada.cookie.clone().expect("a cookie");
    let twice = format!("__Host-rota=other; {own}");
    for (cookie, status) in [(format!("other=1; {own}"), 200), (twice, 400)] {
        let request = Browser::of(&rota).request("GET", "/me");
        let answer = request.header("Cookie", &cookie).send();
        assert_eq!(answer.status(), status, "{cookie}");
    }
}

/// rules.md 12.5.
#[test]
fn public_rotations_are_read_without_signing_in_where_that_is_set() {
    let rota = Start::default().env("ROTA_LOGIN_PUBLIC", true).go();
    rota.people(3);
    let mut body = support::new_rotation("U1 U2");
    body["public"] = json!(true);
    body["name"] = json!("Open");
    body["code"] = json!("OPEN");
    rota.create(body.clone());
    body["public"] = json!(false);
    body["name"] = json!("Closed");
    body["code"] = json!("CLOSED");
    rota.create(body);
    let stranger = Browser::of(&rota);
    let page = stranger.get("/").is(200).text();
    assert!(
        page.contains("Open") && !page.contains("Closed") && !page.contains("@example.com"),
        "{page}"
    );
    let page = stranger.get("/rotations/OPEN").is(200).text();
    assert!(
        !page.contains("@example.com") && !page.contains("/people/"),
        "{page}"
    );
    stranger.get("/rotations/CLOSED").is(404);
    for path in ["/people", "/me", "/requests", "/rotations"] {
        stranger.get(path).is(303);
    }
}

#[test]
fn cookies_over_plain_http_elsewhere_have_another_name() {
    let rota = Start::default()
        .env("ROTA_BASE_URL", "http://rota.lan:8080")
        .go();
    rota.people(1);
    let answer = Browser::of(&rota).get("/login?as=U1").is(303);
    let cookie = answer.header("set-cookie").expect("a cookie");
    assert!(
        cookie.starts_with("rota=") && !cookie.contains("Secure"),
        "{cookie}"
    );
}

/// Whoever opens a new server is told how to get in, and whoever reads its log.
#[test]
fn a_server_without_people_says_what_to_do() {
    let rota = Start::default().go();
    let browser = Browser::of(&rota);
    let steps = [
        "Nobody is in the workspace yet",
        "rota setup-link",
        "rota directory import people.json",
        "rota login-link --user ID",
    ];
    let page = browser.get("/login").is(200).text();
    for step in steps {
        assert!(page.contains(step), "{step}: {page}");
    }
    rota.people(1);
    let page = browser.get("/login").is(200).text();
    assert!(!page.contains(steps[0]), "{page}");
}

#[test]
fn a_server_with_people_says_nothing_of_it() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = Start::default().db(&db).go();
    rota.people(1);
    drop(rota);
    let rota = Start::default().db(&db).go();
    let log = &rota.process.log;
    support::eventually("it listens", || log.text().contains("listening on"));
    assert!(!log.text().contains("nobody is in the workspace"));
}
