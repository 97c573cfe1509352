//! People: the list, adding one and many, inviting, and what a new workspace still lacks.

use super::{Browser, with_admin};
use crate::support::*;
use serde_json::json;

#[test]
fn somebody_is_added_and_signs_in_by_the_link_that_is_shown_once() {
    let rota = with_admin(Start::default(), 2);
    let ada = Browser::signed_in(&rota, "U1");
    let fields = [
        ("displayName", "Grace"),
        ("timeZone", "America/New_York"),
        ("phone", "+12025550100"),
    ];
    let answer = ada.fill("/people", "/people", &fields).is(303);
    let page = ada.follow(&answer);
    let (_, link) = page
        .split_once(&format!("{}/in/", rota.url))
        .expect("a link");
    let secret: String = link
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    assert!(page.contains("invited, not seen"), "{page}");
    assert!(
        !ada.get("/people").text().contains(&secret),
        "it is shown once"
    );
    let mut grace = Browser::of(&rota);
    let path = format!("/in/{secret}");
    assert!(grace.get(&path).is(200).text().contains("Sign in as"));
    grace.keep(&grace.post(&path, &[]).is(303));
    assert!(grace.get("/me").is(200).text().contains("Grace"));
    let users = rota.get("/v1/users?q=grace").is(200).json();
    assert_eq!(text(&users["data"][0]["source"]), "page");
    // Others see the list, and neither the form nor who signs in.
    let other = Browser::signed_in(&rota, "U2")
        .get("/people")
        .is(200)
        .text();
    assert!(
        !other.contains("Add a person") && !other.contains("Signed in"),
        "{other}"
    );
    let crafted = [("displayName", "X"), ("operationId", "x")];
    Browser::signed_in(&rota, "U2")
        .post("/people", &crafted)
        .is(403);
}

#[test]
fn many_are_added_as_lines_all_or_none() {
    let rota = with_admin(Start::default(), 1);
    let ada = Browser::signed_in(&rota, "U1");
    let send = |lines: &str| {
        ada.post(
            "/people",
            &[("people", lines), ("operationId", &unique("op"))],
        )
    };
    let refused = send("Linus, linus@example.org, Europe/Helsinki\nGrace, u1@example.com").is(409);
    assert!(refused.text().contains("Line 2: "), "{}", refused.text());
    assert!(refused.text().contains("Linus, linus@example.org"));
    send("Linus, linus@example.org, Helsinki").is(400);
    send(&"x\n".repeat(201)).is(400);
    assert_eq!(int(&rota.get("/v1/users").is(200).json()["totalItems"]), 1);
    send("Linus, linus@example.org, Europe/Helsinki\nGrace\tgrace@example.org\nBarbara").is(303);
    let users = rota.get("/v1/users?q=grace").is(200).json();
    assert_eq!(text(&users["data"][0]["timeZone"]), "Europe/Oslo");
    assert_eq!(int(&rota.get("/v1/users").is(200).json()["totalItems"]), 4);
}

#[test]
fn what_a_new_workspace_lacks_is_shown_until_it_is_done_or_hidden() {
    let rota = with_admin(Start::default(), 1);
    let ada = Browser::signed_in(&rota, "U1");
    let home = || ada.get("/").is(200).text();
    let first = home();
    assert!(
        first.contains("Getting started") && first.contains("1 of 4"),
        "{first}"
    );
    let fields = [("people", "Linus, linus@example.org")];
    let answer = ada.fill_in(&first, "/people", &fields).is(303);
    assert_eq!(answer.header("location"), Some("/"));
    assert!(home().contains("2 of 4"), "{}", home());
    rota.create(json!({ "name": "R", "owners": ["U1"], "userIds": ["U1"] }));
    assert!(home().contains("3 of 4"), "{}", home());
    ada.post("/getting-started/hide", &[]).is(303);
    assert!(!home().contains("Getting started"));
    let rota = with_admin(Start::default(), 2);
    let ada = Browser::signed_in(&rota, "U1");
    rota.create(json!({ "name": "R", "owners": ["U1"], "userIds": ["U1"] }));
    assert!(ada.get("/").text().contains("3 of 4"));
    Browser::signed_in(&rota, "U2");
    assert!(!ada.get("/").text().contains("Getting started"));
}
