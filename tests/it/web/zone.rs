//! The zone in which a person reads times: what they chose, else the directory's, else UTC.

use super::{Browser, with_admin};
use crate::support::*;
use serde_json::{Value, json};

#[test]
fn a_chosen_zone_is_kept_and_can_be_undone() {
    let rota = with_admin(Start::default(), 2);
    let person = Browser::signed_in(&rota, "U2");
    let foot = |browser: &Browser| {
        let page = browser.get("/").is(200).text();
        let rest = page.split_once("Times in ").expect("the zone").1.to_owned();
        rest.split(' ').next().unwrap().to_owned()
    };
    assert_eq!(foot(&person), "Europe/Oslo");
    let chosen = person
        .fill("/me", "/me/zone", &[("timeZone", "Asia/Tokyo")])
        .is(303);
    let page = person.follow(&chosen);
    assert_eq!(foot(&person), "Asia/Tokyo");
    // It is the person's, in every browser.
    let other = Browser::signed_in(&rota, "U2");
    assert_eq!(foot(&other), "Asia/Tokyo");
    assert_eq!(foot(&Browser::signed_in(&rota, "U1")), "Europe/Oslo");
    // The first form of the page is Undo.
    person.fill_in(&page, "/me/zone", &[]).is(303);
    assert_eq!(foot(&person), "Europe/Oslo");
    let page = person
        .post("/me/zone", &[("timeZone", "<Mars>")])
        .is(400)
        .text();
    assert!(page.contains("href=\"#f-timeZone\"") && !page.contains("<Mars>"));
}

#[test]
fn without_a_zone_times_are_in_utc() {
    let rota = Rota::at(MONDAY);
    let mut file = directory(1);
    file["users"][0]["timeZone"] = Value::Null;
    rota.import(&file);
    let person = Browser::signed_in(&rota, "U1");
    assert!(person.get("/").text().contains("Times in UTC "));
}

#[test]
fn sessions_are_listed_and_ended() {
    let rota = with_admin(Start::default(), 2);
    let (here, there) = (
        Browser::signed_in(&rota, "U2"),
        Browser::signed_in(&rota, "U2"),
    );
    let page = here.get("/me").is(200).text();
    assert_eq!(page.matches("name=\"sessionId\"").count(), 2);
    let ids: Vec<&str> = page.split("name=\"sessionId\" value=\"").skip(1).collect();
    let ids: Vec<&str> = ids
        .iter()
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    let own = page
        .split("this one")
        .next()
        .unwrap()
        .matches("name=\"sessionId\"")
        .count();
    let other = ids[1 - own];
    // Nobody ends the session of somebody else.
    let stranger = Browser::signed_in(&rota, "U1");
    stranger
        .post("/me/sessions/end", &[("sessionId", other)])
        .is(404);
    here.post("/me/sessions/end", &[("sessionId", other)])
        .is(303);
    assert_eq!(there.get("/me").status(), 303);
    here.get("/me").is(200);
    here.post("/me/sessions/end", &[("sessionId", ids[own])])
        .is(303);
    assert_eq!(here.get("/me").status(), 303);
}

#[test]
fn names_hold_anything_on_the_pages_of_admins() {
    let rota = Rota::at(MONDAY);
    let mut file = directory(2);
    file["users"][0]["isAdmin"] = json!(true);
    file["users"][1]["displayName"] = json!("</option><script>alert(1)</script>");
    rota.import(&file);
    let mut body = new_rotation("U2");
    body["name"] = json!("<img src=x onerror=alert(1)>");
    rota.create(body);
    let admin = Browser::signed_in(&rota, "U1");
    let body =
        json!({ "name": "<script>x</script>", "url": rota.receiver().url(), "eventTypes": [] });
    let hook = rota.post("/v1/webhooks", body).is(201).json();
    let hook = format!("/webhooks/{}", text(&hook["endpoint"]["id"]));
    for path in [
        "/admin",
        "/admin/keys",
        "/admin/tokens",
        "/admin/audit",
        "/admin/directory",
        "/admin/boards",
        "/webhooks",
        "/webhooks/new",
        &hook,
        &format!("{hook}/edit"),
        &format!("{hook}/delete"),
    ] {
        let page = admin.get(path).is(200).text();
        for raw in ["<script>", "<img src=x", " style=", " onclick"] {
            assert!(!page.contains(raw), "{path}: {raw}");
        }
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
    }
}
