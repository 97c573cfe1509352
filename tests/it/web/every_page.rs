//! What holds of every page: headers, hosts, origins, errors, assets.

use super::Browser;
use crate::support::{Rota, Start};

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; \
                      frame-ancestors 'none'; base-uri 'none'";

#[test]
fn every_answer_carries_the_headers() {
    let rota = Rota::with_people(2);
    let ada = Browser::signed_in(&rota, "U1");
    let stranger = Browser::of(&rota);
    let answers = [
        ada.get("/"),
        ada.get("/rotations"),
        ada.get("/nothing"),
        ada.get("/rotations/NOTHING"),
        stranger.get("/"),
        stranger.get("/login"),
        stranger.request("POST", "/login").send(),
    ];
    for answer in answers {
        assert_eq!(
            answer.header("content-security-policy"),
            Some(POLICY),
            "{}",
            answer.what
        );
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(
            answer.header("cache-control"),
            Some("no-store"),
            "{}",
            answer.what
        );
    }
}

#[test]
fn pages_are_whole() {
    let rota = Start::default().demo().go();
    let ada = Browser::signed_in(&rota, "UADA");
    for path in [
        "/",
        "/rotations",
        "/rotations/new",
        "/rotations/PLATFORM",
        "/rotations/support",
        "/rotations/PLATFORM/rotate",
        "/rotations/PLATFORM/on-call",
        "/rotations/PLATFORM/assign",
        "/rotations/PLATFORM/cover",
        "/rotations/PLATFORM/swap",
        "/rotations/PLATFORM/history",
        "/rotations/PLATFORM/load",
        "/rotations/PLATFORM/settings",
        "/rotations/PLATFORM/settings/grid",
        "/rotations/PLATFORM/settings/windows/new",
        "/requests",
        "/reports/duty",
        "/people",
        "/people/UALAN",
        "/me",
        "/me/absences/new",
        "/login",
    ] {
        let page = ada.get(path).is(200);
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8"),
            "{path}"
        );
        let text = page.text();
        assert_eq!(text.matches("<h1").count(), 1, "{path}");
        for part in [
            "<html lang=\"en\"",
            "<main id=\"main\"",
            "<header class=\"top\"",
            "<footer",
            "class=\"skip\" href=\"#main\"",
        ] {
            assert_eq!(text.matches(part).count(), 1, "{path}: {part}");
        }
        assert!(
            !text.contains(" style=") && !text.contains("<script>") && !text.contains(" onclick"),
            "{path}"
        );
        assert!(text.len() < 110_000, "{path}: {}", text.len());
    }
}

#[test]
fn other_hosts_are_refused_and_the_api_takes_any() {
    let rota = Rota::with_people(1);
    let browser = Browser::of(&rota);
    for (host, status) in [
        ("127.0.0.1", 200),
        ("localhost:9", 200),
        ("[::1]", 200),
        ("evil.example", 421),
        ("rota.evil.example:80", 421),
    ] {
        // The last of two lines would be refused as such, so the usual one is left out by a raw request.
        let mut connection = crate::support::Connection::open(rota.address());
        connection.send(format!(
            "GET /login HTTP/1.1\r\nHost: {host}\r\nAccept: text/html\r\n\r\n"
        ));
        let reply = connection.answer("GET").expect("an answer");
        assert_eq!(reply.status, status, "{host}");
        connection.send(format!(
            "GET /v1/openapi.json HTTP/1.1\r\nHost: {host}\r\n\r\n"
        ));
        assert_eq!(
            connection.answer("GET").expect("an answer").status,
            200,
            "{host}"
        );
    }
    browser.get("/login").is(200);
}

#[test]
fn forms_are_taken_from_our_own_pages_alone() {
    let rota = Rota::with_people(1);
    let ada = Browser::signed_in(&rota, "U1");
    let own = rota.url.clone();
    for (headers, status) in [
        (vec![("Sec-Fetch-Site", "same-origin")], 303),
        (
            vec![("Sec-Fetch-Site", "same-site"), ("Origin", own.as_str())],
            403,
        ),
        (vec![("Sec-Fetch-Site", "cross-site")], 403),
        (vec![("Sec-Fetch-Site", "none")], 403),
        (vec![("Origin", own.as_str())], 303),
        (vec![("Origin", "https://evil.example")], 403),
        (vec![("Origin", "null")], 403),
        (vec![], 403),
        // Sent twice it says two things, of which another program may have judged the other one.
        (
            vec![
                ("Sec-Fetch-Site", "same-origin"),
                ("Sec-Fetch-Site", "cross-site"),
            ],
            400,
        ),
        (
            vec![("Origin", own.as_str()), ("Origin", "https://evil.example")],
            400,
        ),
        (
            vec![
                ("Sec-Fetch-Site", "same-origin"),
                ("Origin", own.as_str()),
                ("Origin", own.as_str()),
            ],
            400,
        ),
        (
            vec![
                ("Sec-Fetch-Site", "same-origin"),
                ("Content-Type", "application/json"),
            ],
            400,
        ),
        (
            vec![("Sec-Fetch-Site", "same-origin"), ("Cookie", "other=1")],
            400,
        ),
    ] {
        let mut request = ada
            .request("POST", "/me/zone")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body("timeZone=Europe%2FParis");
        for (name, value) in &headers {
            request = request.header(name, value);
        }
        let answer = request.send();
        assert_eq!(answer.status(), status, "{headers:?}");
    }
}

#[test]
fn errors_are_pages_where_a_browser_asks() {
    let rota = Rota::with_people(1);
    let ada = Browser::signed_in(&rota, "U1");
    for (path, accept, kind) in [
        ("/nothing", "text/html", "text/html; charset=utf-8"),
        ("/nothing", "application/json", "application/problem+json"),
        (
            "/rotations/rot_none",
            "text/html",
            "text/html; charset=utf-8",
        ),
        ("/v1/nothing", "text/html", "application/problem+json"),
    ] {
        let answer = rota.anyone().request("GET", path).header("Accept", accept);
        let answer = match path.starts_with("/rotations") {
            true => ada.request("GET", path).send(),
            false => answer.send(),
        };
        assert_eq!(
            (answer.status(), answer.header("content-type")),
            (404, Some(kind)),
            "{path} {accept}"
        );
    }
    let wrong = ada.post("/rotations/rot_none", &[]);
    assert_eq!(wrong.status(), 405);
    assert_eq!(wrong.header("allow"), Some("GET, HEAD"));
    let typed = ada
        .request("POST", "/me/zone")
        .header("Sec-Fetch-Site", "same-origin")
        .json(&serde_json::json!({}));
    assert_eq!(typed.send().status(), 415);
}

#[test]
fn assets_are_kept_for_ever_under_their_hash() {
    let rota = Rota::with_people(1);
    let browser = Browser::of(&rota);
    let page = browser.get("/login").is(200).text();
    let at = page.find("/static/").expect("an asset");
    let path = page[at..].split('"').next().expect("a path").to_owned();
    for asset in ["style.css", "script.js", "icon.svg", "icons.svg"] {
        let (folder, _) = path.rsplit_once('/').expect("a folder");
        let answer = browser.get(&format!("{folder}/{asset}")).is(200);
        assert_eq!(
            answer.header("cache-control"),
            Some("public, max-age=31536000, immutable")
        );
        let etag = answer.etag();
        let again = browser.request("GET", &format!("{folder}/{asset}"));
        again.header("If-None-Match", &etag).send().is(304);
    }
    browser.get("/static/other/style.css").is(404);
}
