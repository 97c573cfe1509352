//! Sessions end with what they began with, and administrators list and end those of others.

use super::{Browser, with_admin};
use crate::cli::{fails_with, on, succeeds};
use crate::support::*;
use serde_json::json;

/// A server with its database, of whose people U1 is a workspace admin.
fn world() -> (TempDir, std::path::PathBuf, Rota) {
    let dir = TempDir::new();
    let db = dir.join("rota.db");
    let rota = with_admin(Start::default().db(&db), 3);
    (dir, db, rota)
}

/// A browser that has signed in with a token.
#[track_caller]
fn by_token<'a>(rota: &'a Rota, token: &str) -> Browser<'a> {
    let mut browser = Browser::of(rota);
    browser.keep(&browser.post("/login", &[("token", token)]).is(303));
    browser.get("/me").is(200);
    browser
}

/// The id of a token.
fn id_of(token: &str) -> String {
    format!("tok_{}", token.split('_').nth(2).expect("an id"))
}

#[test]
fn a_session_ends_when_its_token_is_revoked() {
    let (_dir, db, rota) = world();
    let (first, second) = (rota.token("U2"), rota.token("U2"));
    let (one, other) = (by_token(&rota, &first), by_token(&rota, &second));
    let named = Browser::signed_in(&rota, "U2");
    succeeds(&db, &format!("token revoke {}", id_of(&first)));
    one.get("/me").is(303);
    other.get("/me").is(200);
    let entries = rota.audit("action=token%20revoke");
    assert_eq!(
        text(&entries[0]["summary"]),
        "member token of Person U2 revoked; 1 session ended"
    );
    let admin = Browser::signed_in(&rota, "U1");
    let action = format!("/admin/tokens/{}/revoke", id_of(&second));
    admin.fill("/admin/tokens", &action, &[]).is(303);
    other.get("/me").is(303);
    named.get("/me").is(200);
}

#[test]
fn a_session_ends_when_its_token_expires() {
    let (_dir, db, rota) = world();
    let token = succeeds(&db, "token create --user U2 --expires 1h");
    let browser = by_token(&rota, token.trim());
    rota.advance(3_599);
    browser.get("/me").is(200);
    assert!(succeeds(&db, "login sessions --user U2").contains("token"));
    rota.advance(1);
    browser.get("/me").is(303);
    assert!(!succeeds(&db, "login sessions --user U2").contains("U2"));
}

#[test]
fn whoever_is_no_administrator_any_more_has_no_rights_of_one() {
    let (_dir, _, rota) = world();
    let browser = by_token(&rota, &rota.token("U1"));
    browser.get("/admin").is(200);
    rota.people(3);
    browser.get("/admin").is(403);
    browser.get("/me").is(200);
}

/// rules.md 12.9.
#[test]
fn what_somebody_who_left_could_act_by_does_not_come_back() {
    let (_dir, db, rota) = world();
    let rotation = rota.daily("U1 U2", 1);
    let token = rota.token("U2");
    let (browser, own) = (by_token(&rota, &token), rota.with(&token));
    let link = succeeds(&db, "login-link --user U2 --for 7d");
    let link = link.trim().strip_prefix(&rota.url).expect("our own");
    let everybody = json!({ "rotationId": rotation.id });
    let feeds = [
        (&own, json!({ "userId": "U2" })),
        (&own, everybody.clone()),
        (
            &rota.caller(),
            json!({ "userId": "U2", "rotationId": rotation.id }),
        ),
        (&rota.caller(), everybody),
    ];
    let feeds = feeds.map(|(maker, body)| {
        let made = maker.post("/v1/calendar-feeds", body).is(201).json();
        let url = text(&made["url"]).to_owned();
        url.strip_prefix(&rota.url).expect("our own").to_owned()
    });
    let readable = || {
        feeds
            .each_ref()
            .map(|path| rota.anyone().get(path).status() == 200)
    };
    assert_eq!(readable(), [true; 4]);
    let state = || {
        let list: serde_json::Value =
            serde_json::from_str(&succeeds(&db, "token list --json")).expect("JSON");
        let all = list.as_array().expect("tokens");
        let own = all.iter().find(|one| id_of(&token) == text(&one["id"]));
        text(&own.expect("the token")["state"]).to_owned()
    };
    assert_eq!(state(), "enabled");
    // On leave is not gone.
    rotation.away("U2", "2026-01-06T08:00Z", "2026-01-07T08:00Z");
    assert_eq!((state().as_str(), readable()), ("enabled", [true; 4]));
    let admin = Browser::signed_in(&rota, "U1");
    let mut people = directory(3);
    people["users"][0]["isAdmin"] = json!(true);
    let everybody = people.clone();
    people["users"].as_array_mut().expect("a list").remove(1);
    for file in [&people, &everybody] {
        rota.import(file);
        own.get("/v1/rotations").refused(401, "disabled");
        assert_eq!(readable(), [false, false, false, true]);
        browser.get("/me").is(303);
        let refused = Browser::of(&rota).post("/login", &[("token", &token)]);
        assert_eq!(refused.status(), 401);
        assert_eq!(Browser::of(&rota).get(link).status(), 410);
        assert_eq!(state(), "disabled");
        assert!(
            admin
                .get("/admin/tokens")
                .is(200)
                .text()
                .contains("Disabled")
        );
    }
    // New ones work.
    let token = rota.token("U2");
    rota.with(&token).get("/v1/rotations").ok();
    by_token(&rota, &token);
    let feed = json!({ "userId": "U2" });
    rota.with(&token).post("/v1/calendar-feeds", feed).is(201);
}

#[test]
fn administrators_list_and_end_sessions_of_others() {
    let (_dir, db, rota) = world();
    let admin = Browser::signed_in(&rota, "U1");
    let (first, second) = (
        by_token(&rota, &rota.token("U2")),
        Browser::signed_in(&rota, "U2"),
    );
    let action = "/people/U2/sessions/end";
    // Nobody else sees or ends them.
    let member = Browser::signed_in(&rota, "U3");
    for (browser, status) in [(&member, 403), (&second, 403)] {
        assert!(!browser.get("/people/U2").is(200).text().contains(action));
        browser.post(action, &[("operationId", "a")]).is(status);
    }
    let page = admin.get("/people/U2").is(200).text();
    assert_eq!(page.matches(action).count(), 3, "{page}");
    assert!(page.contains("a member token"), "{page}");
    let ids = succeeds(&db, "login sessions --user U2");
    let line = ids.lines().find(|line| line.contains("token"));
    let id = line.expect("a session").split(' ').next().expect("an id");
    // Somebody else's session does not exist for a member.
    member
        .post("/me/sessions/end", &[("sessionId", id)])
        .is(404);
    first.get("/me").is(200);
    let ended = admin
        .post(action, &[("operationId", "b"), ("sessionId", id)])
        .is(303);
    assert!(admin.follow(&ended).contains("The session was ended."));
    first.get("/me").is(303);
    second.get("/me").is(200);
    let entries = rota.audit("action=login%20end");
    assert_eq!(text(&entries[0]["summary"]), "session of Person U2 ended");
    let ended = admin
        .fill("/people/U2", action, &[("sessionId", "")])
        .is(303);
    assert!(
        admin
            .follow(&ended)
            .contains("Sessions ended: 1. Unused links taken back: 0.")
    );
    second.get("/me").is(303);
    assert!(admin.get("/people/U2").is(200).text().contains("Nowhere."));
}

#[test]
fn the_operator_lists_and_ends_sessions() {
    let (_dir, db, rota) = world();
    let (ada, bob) = (
        Browser::signed_in(&rota, "U1"),
        Browser::signed_in(&rota, "U2"),
    );
    let other = Browser::signed_in(&rota, "U2");
    let listed = |line: &str| -> Vec<String> {
        let list = succeeds(&db, line);
        assert!(list.starts_with("ID "), "{list}");
        let words = |line: &str| {
            line.split_whitespace()
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        };
        list.lines().skip(1).map(words).collect()
    };
    assert_eq!(listed("login sessions").len(), 3);
    let own = listed("login sessions --user U1");
    let (id, user) = own[0].split_once(' ').expect("two words");
    assert_eq!((own.len(), user), (1, "U1"));
    succeeds(&db, &format!("login end {id}"));
    ada.get("/me").is(303);
    fails_with(
        run(&mut on(&db, &format!("login end {id}"))),
        &[id, "session"],
    );
    // The links of a person, too.
    let link = succeeds(&db, "login-link --user U2");
    let path = link
        .trim()
        .strip_prefix(&rota.url)
        .expect("our own")
        .to_owned();
    succeeds(&db, "login end --user U2");
    bob.get("/me").is(303);
    other.get("/me").is(303);
    Browser::of(&rota).get(&path).is(410);
    assert!(listed("login sessions").is_empty());
    fails_with(run(&mut on(&db, "login end --user U9")), &["U9", "person"]);
    let (code, _, told) = run(&mut on(&db, "login end"));
    assert_eq!(code, 2, "{told}");
    let (code, _, told) = run(&mut on(&db, "login end ses_1 --user U2"));
    assert_eq!(code, 2, "{told}");
    let summaries: Vec<String> = (rota.audit("action=login%20end").iter())
        .map(|entry| text(&entry["summary"]).to_owned())
        .collect();
    let expected = [
        "of Person U2: sessions ended: 2; unused links taken back: 1",
        "session of Person U1 ended",
    ];
    assert_eq!(summaries, expected);
}
