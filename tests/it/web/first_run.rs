//! From an empty server to the first admin, by the address that it prints.

use super::Browser;
use crate::cli::on;
use crate::support::*;
use serde_json::json;

/// The secret of the last set-up address that a server printed, once it has printed so many.
#[track_caller]
pub fn printed(rota: &Rota, times: usize) -> String {
    let line = "nobody can sign in yet. Open this once, within one hour, to become the admin:\n  ";
    eventually("the set-up address is printed", || {
        rota.process.log.text().matches(line).count() >= times
    });
    let log = rota.process.log.text();
    assert_eq!(log.matches(line).count(), times, "{log}");
    let (_, rest) = log.rsplit_once(line).unwrap();
    let address = rest.lines().next().unwrap();
    let (base, secret) = address.split_once("/setup/").expect("an address");
    assert_eq!(base, rota.url);
    assert_eq!(secret.len(), 22, "{secret}");
    secret.to_owned()
}

/// Who a browser is signed in as.
#[track_caller]
fn is_signed_in(browser: &mut Browser, answer: &Answer, name: &str) {
    browser.keep(answer);
    let page = browser.get("/me").is(200).text();
    assert!(
        page.contains(&format!("<bdi>{name}</bdi>")),
        "{name}: {page}"
    );
}

fn ana() -> Vec<(&'static str, &'static str)> {
    vec![
        ("displayName", "Ana"),
        ("email", "ana@example.org"),
        ("timeZone", "Europe/Oslo"),
    ]
}

/// rules.md 12.12.
#[test]
fn whoever_opens_the_printed_address_becomes_the_admin() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = Start::default().db(&db).go();
    let secret = printed(&rota, 1);
    let path = format!("/setup/{secret}");
    let mut browser = Browser::of(&rota);
    for _ in 0..2 {
        let page = browser.get(&path).is(200);
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        assert!(page.text().contains("Become the admin"), "{}", page.text());
    }
    let wrong = browser.post(&path, &[("displayName", " "), ("timeZone", "Europe/Oslo")]);
    assert!(wrong.is(400).text().contains("There is a problem"));
    let done = browser.post(&path, &ana()).is(303);
    assert_eq!(done.header("location"), Some("/"));
    is_signed_in(&mut browser, &done, "Ana");
    let users = rota.get("/v1/users").is(200).json();
    let user = &users["data"][0];
    assert_eq!(text(&user["source"]), "page");
    assert_eq!(user["isAdmin"], json!(true));
    let audited = rota.get("/v1/audit?action=setUp").is(200).json();
    assert_eq!(int(&audited["totalItems"]), 1);
    assert_eq!(audited["data"][0]["actor"]["id"], user["id"]);
    // Used, and an admin exists.
    let over = "This address was used or is too old. On the server: rota setup-link";
    for answer in [browser.get(&path), browser.post(&path, &ana())] {
        let answer = answer.is(404);
        assert!(answer.text().contains(over), "{}", answer.text());
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    }
    // Nowhere but in the line that was printed.
    let log = rota.process.log.text();
    assert_eq!(log.matches(&secret).count(), 1, "{log}");
    for end in ["", "-wal"] {
        let stored = std::fs::read(format!("{}{end}", db.display())).unwrap_or_default();
        let holds = stored
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        assert!(!holds, "rota.db{end}");
    }
}

#[test]
fn of_two_at_once_one_becomes_the_admin() {
    let rota = Start::default().go();
    let path = format!("/setup/{}", printed(&rota, 1));
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let send = || {
            let browser = Browser::of(&rota);
            browser.post(&path, &ana()).status()
        };
        let both: Vec<_> = (0..2).map(|_| scope.spawn(send)).collect();
        both.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let mut answers = answers;
    answers.sort_unstable();
    assert_eq!(answers, [303, 404]);
    assert_eq!(int(&rota.get("/v1/users").is(200).json()["totalItems"]), 1);
}

/// rules.md 12.12.
#[test]
fn the_address_works_for_an_hour_and_another_voids_it() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = Start::default().db(&db).go();
    let browser = Browser::of(&rota);
    let first = printed(&rota, 1);
    browser.get(&format!("/setup/{first}")).is(200);
    rota.advance(3600);
    browser.get(&format!("/setup/{first}")).is(404);
    let made = || {
        let (code, output, _) = run(&mut on(&db, "setup-link --for 2h"));
        assert_eq!(code, 0);
        let address = output.trim().to_owned();
        address
            .strip_prefix(&rota.url)
            .expect("the server's address")
            .to_owned()
    };
    let (one, two) = (made(), made());
    browser.get(&one).is(404);
    rota.advance(3600);
    browser.get(&two).is(200);
    browser.post(&two, &ana()).is(303);
    let (code, _, errors) = run(&mut on(&db, "setup-link"));
    assert_eq!(code, 1);
    assert!(errors.contains("rota login-link"), "{errors}");
}

/// rules.md 12.12.
#[test]
fn it_is_printed_again_when_the_last_admin_goes() {
    let rota = Start::default().go();
    let first = printed(&rota, 1);
    let mut all = directory(2);
    all["users"][0]["isAdmin"] = json!(true);
    rota.import(&all);
    let mut browser = Browser::of(&rota);
    browser.get(&format!("/setup/{first}")).is(404);
    all["users"][0]["isDeleted"] = json!(true);
    rota.import(&all);
    let second = printed(&rota, 2);
    assert_ne!(first, second);
    browser.get(&format!("/setup/{first}")).is(404);
    // One of the people of the file.
    let page = browser.get(&format!("/setup/{second}")).is(200).text();
    assert!(
        page.contains("Person U2") && !page.contains("Person U1"),
        "{page}"
    );
    browser
        .post(&format!("/setup/{second}"), &[("userId", "U1")])
        .is(400);
    let done = browser.post(&format!("/setup/{second}"), &[("userId", "U2")]);
    is_signed_in(&mut browser, &done.is(303), "Person U2");
    let user = rota.get("/v1/users/U2").is(200).json();
    assert_eq!(user["isAdmin"], json!(true));
}

#[test]
fn guessing_is_slowed_down() {
    let rota = Start::default()
        .env("ROTA_RATE_LIMIT_REQUESTS_PER_MINUTE", 600)
        .go();
    printed(&rota, 1);
    let browser = Browser::of(&rota);
    for n in 0..10 {
        browser.get(&format!("/setup/guess{n}")).is(404);
    }
    let slowed = browser.get("/setup/guess").is(429);
    assert!(slowed.header("retry-after").is_some());
}

#[test]
fn requests_are_logged_without_the_secret() {
    let rota = Start::default().env("ROTA_LOG", "debug").go();
    let secret = printed(&rota, 1);
    let browser = Browser::of(&rota);
    browser.get(&format!("/setup/{secret}")).is(200);
    browser.get("/in/abcdefgh").is(404);
    eventually("the request is logged", || {
        rota.process.log.text().contains("/setup/...")
    });
    let log = rota.process.log.text();
    assert!(!log.contains("abcdefgh"), "{log}");
    assert_eq!(log.matches(&secret).count(), 1);
}

/// rules.md 12.12.
#[test]
fn nothing_is_printed_where_somebody_else_says_who_signs_in() {
    let rota = Start::default()
        .env("ROTA_LOGIN_PROXY_HEADER", "Remote-User")
        .env("ROTA_LOGIN_PROXY_TRUSTED", "127.0.0.1/32")
        .go();
    eventually("it listens", || {
        rota.process.log.text().contains("listening on")
    });
    assert!(!rota.process.log.text().contains("nobody can sign in yet"));
}

#[test]
fn a_link_signs_in_once_by_its_button() {
    let dir = TempDir::new();
    let db = dir.path().join("rota.db");
    let rota = Start::default().db(&db).go();
    let mut all = directory(1);
    all["users"][0]["isAdmin"] = json!(true);
    rota.import(&all);
    let (_, output, _) = run(&mut on(&db, "login-link --user U1"));
    let secret = output.trim().rsplit('=').next().unwrap().to_owned();
    let path = format!("/in/{secret}");
    let mut browser = Browser::of(&rota);
    for _ in 0..2 {
        let page = browser.get(&path).is(200).text();
        assert!(page.contains("Person U1"), "{page}");
    }
    let done = browser.post(&path, &[]).is(303);
    is_signed_in(&mut browser, &done, "Person U1");
    let over = browser.get(&path).is(404).text();
    let said = "This link was used or is too old. Ask the admin for another";
    assert!(over.contains(said), "{over}");
}
