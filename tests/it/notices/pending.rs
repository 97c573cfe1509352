//! What is pending, when it is sent, and who may send it.

use super::{notices_to, send};
use crate::support::*;
use crate::web::Browser;
use serde_json::{Value, json};

/// rules.md 28.2.
#[test]
fn only_what_may_move_shifts_is_pending() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let pending = rotation.get("/pending-notices").is(200).json();
    let since = at(text(&pending["since"]));
    let real = jiff::Timestamp::now();
    assert!(real.duration_since(since).as_secs() < 60, "{pending}");
    let delay = at(text(&pending["sendsAt"])).duration_since(since);
    assert!((60..65).contains(&delay.as_secs()), "{pending}");
    let actors = pending["actors"].as_array().unwrap();
    assert_eq!(actors.len(), 1, "{pending}");
    assert_eq!(actors[0]["kind"], "key");
    send(&rotation);
    rotation.get("/pending-notices").is(204);
    rotation
        .patch(json!({ "name": "Other", "description": "x" }))
        .is(200);
    rotation
        .put("/mention-settings", json!({ "expiresAfterMinutes": 5 }))
        .is(200);
    rotation.ask_cover("U2", "06 07", "U1");
    rotation.get("/pending-notices").is(204);
    for change in [
        json!({ "userIds": ["U1", "U2"] }),
        json!({ "enabled": false }),
        json!({ "enabled": true }),
    ] {
        rotation.patch(change.clone()).is(200);
        assert_eq!(
            rotation.get("/pending-notices").is(200).json()["actors"]
                .as_array()
                .unwrap()
                .len(),
            1,
            "{change}"
        );
        send(&rotation);
    }
    let token = rota.token("U1");
    rotation
        .with(&token)
        .away("U1", "2026-02-01T00:00Z", "2026-02-02T00:00Z");
    rotation.away("U1", "2026-02-03T00:00Z", "2026-02-04T00:00Z");
    let pending = rotation.get("/pending-notices").is(200).json();
    let actors: Vec<Value> = pending["actors"].as_array().unwrap().clone();
    let kinds: Vec<&str> = actors.iter().map(|actor| text(&actor["kind"])).collect();
    assert_eq!(kinds, ["person", "key"]);
}

#[test]
fn owners_and_admins_tell_people_now() {
    let rota = Rota::unreminded(4);
    let rotation = rota.daily("U1 U2 U3", 1);
    let path = rotation.path("/pending-notices/send");
    let member = rota.token("U2");
    rota.with(&member).request("POST", &path).send().is(403);
    rota.with(&rota.key("read:rotations"))
        .request("POST", &path)
        .send()
        .is(403);
    rota.with(&rota.key("read:oncall"))
        .get(&rotation.path("/pending-notices"))
        .is(403);
    rota.with(&member)
        .get(&rotation.path("/pending-notices"))
        .is(200);
    rota.caller()
        .get("/v1/rotations/rot_none/pending-notices")
        .is(404);
    rota.caller()
        .request("POST", "/v1/rotations/rot_none/pending-notices/send")
        .send()
        .is(404);
    let owner = rota.token("U1");
    rota.with(&owner).request("POST", &path).send().is(200);
    rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    let told = rota
        .with(&owner)
        .request("POST", &path)
        .send()
        .is(200)
        .json();
    assert!(!told["told"].as_array().unwrap().is_empty(), "{told}");
    let entry = rota.newest_entry();
    assert_eq!(entry["action"], "sendPendingNotices");
    assert!(
        text(&entry["summary"]).starts_with("told of moved shifts: "),
        "{entry}"
    );
}

/// rules.md 28.3.
#[test]
fn people_are_told_after_the_delay_in_real_time() {
    let start = Start::default()
        .env("ROTA_CHAT_REMINDER_BEFORE", "0s")
        .env("ROTA_NOTICES_DELAY", "1s");
    let rota = start.go();
    rota.people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let settled = || rotation.get("/pending-notices").status() == 204;
    eventually("the first plan", settled);
    rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    rotation.get("/pending-notices").is(200);
    eventually("the notice", || !notices_to(&rota, "U2").is_empty());
    rotation.get("/pending-notices").is(204);
}

#[test]
fn the_page_of_a_rotation_says_who_is_told_and_when() {
    let rota = Rota::unreminded(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    send(&rotation);
    let page = format!("/rotations/{}", rotation.id);
    let owner = Browser::signed_in(&rota, "U1");
    let shown = owner.get(&page).is(200).text();
    assert!(!shown.contains("told at") && !shown.contains("Told "));
    rotation.away("U2", "2026-01-06T00:00Z", "2026-01-07T00:00Z");
    let shown = owner.get(&page).is(200).text();
    assert!(shown.contains("people are told at ") && shown.contains("data-action=\"tell\""));
    let member = Browser::signed_in(&rota, "U2");
    let shown = member.get(&page).is(200).text();
    assert!(shown.contains("people are told at ") && !shown.contains("data-action=\"tell\""));
    member.post(&format!("{page}/tell"), &[]).is(403);
    let answer = owner.post(&format!("{page}/tell"), &[]);
    let shown = owner.follow(&answer.is(303));
    assert!(shown.contains("Told to 3 people."), "{shown}");
    let (_, line) = shown
        .split_once("<p class=\"muted\">Told ")
        .expect("a line");
    let (line, _) = line.split_once("</p>").expect("its end");
    let names = "Person U1</bdi>, <bdi>Person U2</bdi>, <bdi>Person U3</bdi>";
    assert!(line.contains(" ago: ") && line.contains(names), "{line}");
    let inbox = member.get("/me/inbox").is(200).text();
    assert!(inbox.contains("Your shifts in Rotation moved."));
    let link = inbox
        .split("href=\"")
        .find(|part| part.contains("/shifts/"))
        .expect("a link");
    let link = link.split('"').next().unwrap();
    member.get(link).is(200);
}
