//! Duty by hand: rotate, set on duty, assign, end; undone, retried, and refused when others were first.

use super::{Browser, form, turns};
use crate::support::{Rota, always, daily, hours, int, weekdays};
use serde_json::{Value, json};

/// Who is on call, by the API.
fn on_call(rota: &Rota, id: &str) -> Vec<String> {
    let answer = rota
        .get(&format!("/v1/rotations/{id}/on-call"))
        .is(200)
        .json();
    let entries = answer["onCall"].as_array().expect("entries").clone();
    entries
        .iter()
        .map(|entry| entry["userId"].as_str().unwrap_or("-").to_owned())
        .collect()
}

fn etag(rota: &Rota, id: &str) -> String {
    rota.get(&format!("/v1/rotations/{id}")).etag()
}

#[test]
fn rotating_shows_who_comes_and_hands_over() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let path = format!("/rotations/{}", rotation.id);
    assert_eq!(on_call(&rota, &rotation.id), ["U1"]);
    let page = ada.get(&format!("{path}/rotate")).is(200).text();
    let off = page
        .find("Person U1</bdi></a></span> goes off")
        .expect("who goes off");
    assert!(
        page[off..].contains("Person U2</bdi></a></span> comes on"),
        "{page}"
    );
    let answer = ada.fill_in(&page, &format!("{path}/rotate"), &[]).is(303);
    assert_eq!(answer.header("location"), Some(path.as_str()));
    assert_eq!(on_call(&rota, &rotation.id), ["U2"]);
    let page = ada.follow(&answer);
    assert!(
        page.contains("role=\"status\"") && !page.contains(">Undo<"),
        "{page}"
    );
    // The line is told once.
    assert!(!ada.get(&path).text().contains("role=\"status\""));
}

#[test]
fn a_form_that_is_sent_twice_is_done_once() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let action = format!("/rotations/{}/rotate", rotation.id);
    let page = ada.get(&action).is(200).text();
    for _ in 0..3 {
        ada.fill_in(&page, &action, &[]).is(303);
        assert_eq!(on_call(&rota, &rotation.id), ["U2"]);
    }
}

#[test]
fn setting_on_duty_is_undone() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let action = format!("/rotations/{}/on-call", rotation.id);
    let answer = ada.fill(&action, &action, &[("userIds", "U3")]).is(303);
    assert_eq!(on_call(&rota, &rotation.id), ["U3"]);
    let page = ada.follow(&answer);
    assert!(page.contains("Person U3"), "{page}");
    ada.fill_in(&page, &action, &[]).is(303);
    assert_eq!(on_call(&rota, &rotation.id), ["U1"]);
    // Nobody, and back. The line about what was undone has been read.
    ada.get(&format!("/rotations/{}", rotation.id)).is(200);
    ada.fill(&action, &action, &[("userIds", "")]).is(400);
    assert_eq!(on_call(&rota, &rotation.id), ["U1"]);
    let nobody = [("userIds", ""), ("confirmed", "true")];
    let answer = ada.fill(&action, &action, &nobody).is(303);
    assert_eq!(on_call(&rota, &rotation.id), [""; 0]);
    let page = ada.follow(&answer);
    ada.fill_in(&page, &action, &[]).is(303);
    assert_eq!(on_call(&rota, &rotation.id), ["U1"]);
}

#[test]
fn changed_since_you_looked() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let action = format!("/rotations/{}/on-call", rotation.id);
    let page = ada.get(&action).is(200).text();
    let path = format!("/v1/rotations/{}/rotate", rotation.id);
    rota.caller()
        .post_if(&path, &etag(&rota, &rotation.id), json!({}))
        .is(200);
    let answer = ada.fill_in(&page, &action, &[("userIds", "U3")]).is(412);
    assert_eq!(on_call(&rota, &rotation.id), ["U2"]);
    let changed = answer.text();
    let was = changed.find("Person U1").expect("who was");
    assert!(changed[was..].contains("Person U2"), "{changed}");
    ada.fill_in(&changed, &action, &[]).is(303);
    assert_eq!(on_call(&rota, &rotation.id), ["U3"]);
}

/// Neither what differs nor what others changed names anybody or anything by an id.
#[test]
fn what_has_changed_meanwhile_is_told_by_name() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    let mut grid = rotation.grid(2, &[always(daily())]);
    grid["lanes"][0]["name"] = json!("Primary");
    grid["lanes"][1]["name"] = json!("Secondary");
    rotation.put("/coverage", grid).is(200);
    let ada = Browser::signed_in(&rota, "U1");
    let action = format!("/rotations/{}/on-call", rotation.id);
    let page = ada.get(&action).is(200).text();
    rotation.put_on_call("U3 U2").is(200);
    let changed = ada.fill_in(&page, &action, &[]).is(412).text();
    let (_, told) = changed.split_once("What differs").expect("a heading");
    let (told, _) = told.split_once("<form").expect("a form");
    let told: String = told
        .split('<')
        .map(|part| part.split_once('>').map_or("", |(_, text)| text))
        .collect();
    assert!(told.contains("On call in Primary was "), "{told}");
    let since = "on duty in lane \"Primary\": Person U1 to Person U3";
    assert!(told.replace("&quot;", "\"").contains(since), "{told}");
    for id in ["cel_", "lan_", "win_", ": U", "to U"] {
        assert!(!told.contains(id), "{id}: {told}");
    }
}

#[test]
fn assigning_says_who_else_is_concerned_and_is_undone() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let (path, action) = (
        format!("/rotations/{}", rotation.id),
        format!("/rotations/{}/assign", rotation.id),
    );
    // The directory has everybody in Oslo, an hour ahead of UTC.
    let fields = [
        ("userId", "U3"),
        ("from", "2026-01-06T10:00"),
        ("to", "2026-01-07T10:00"),
    ];
    let weighed = ada.fill(&action, &action, &fields).is(200).text();
    assert!(
        weighed.contains("Off call then") && weighed.contains("Person U2"),
        "{weighed}"
    );
    let answer = ada.fill_in(&weighed, &action, &[]).is(303);
    let page = ada.follow(&answer);
    let expected = "2026-01-06T09:00:00Z U3".to_owned();
    assert!(turns(&page).contains(&expected), "{:?}", turns(&page));
    assert!(page.contains("put on call"), "{page}");
    // Undo ends it.
    let undo = page.find("/arrangements/").expect("a way to end it");
    let id = page[undo..].split('/').nth(2).expect("an id").to_owned();
    let end = format!("{path}/arrangements/{id}/end");
    let answer = ada.fill_in(&page, &end, &[]).is(303);
    let page = ada.follow(&answer);
    assert!(!turns(&page).contains(&expected), "{:?}", turns(&page));
    // And undoing that assigns again.
    ada.fill_in(&page, &action, &[]).is(303);
    assert!(turns(&ada.get(&path).text()).contains(&expected));
}

#[test]
fn a_form_keeps_what_was_typed_and_links_to_what_is_wrong() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let action = format!("/rotations/{}/assign", rotation.id);
    for (from, to, field) in [
        ("", "2026-01-07T10:00", "from"),
        ("2026-01-06T10:00", "tomorrow", "to"),
        ("2026-01-06T10:00", "2026-01-06T10:00", "to"),
        ("2026-01-01T10:00", "2026-01-02T10:00", "to"),
    ] {
        let page = ada
            .fill(
                &action,
                &action,
                &[("userId", "U2"), ("from", from), ("to", to)],
            )
            .is(400)
            .text();
        let summary = page.find("id=\"errors\"").expect("a summary");
        assert!(
            summary < page.find("<h1").expect("a heading"),
            "the summary comes first"
        );
        assert!(
            page.contains(&format!("href=\"#f-{field}\"")),
            "{field}: {page}"
        );
        assert!(page.contains("tabindex=\"-1\" autofocus"));
        let shown = form(&page, &action);
        assert!(
            shown.contains(&format!("value=\"{from}\"")) && shown.contains("value=\"U2\" selected"),
            "{shown}"
        );
    }
}

#[test]
fn local_times_that_the_clocks_skip_or_repeat_are_said() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let action = format!("/rotations/{}/assign", rotation.id);
    for (from, to, taken) in [
        (
            "2026-03-29T02:30",
            "2026-03-29T06:00",
            "2026-03-29T01:30:00Z",
        ),
        (
            "2026-10-25T02:30",
            "2026-10-25T06:00",
            "2026-10-25T00:30:00Z",
        ),
    ] {
        let fields = [("userId", "U1"), ("from", from), ("to", to)];
        let page = ada.fill(&action, &action, &fields).is(200).text();
        assert!(
            page.contains("Europe/Oslo") && page.contains(taken),
            "{page}"
        );
        ada.fill_in(&page, &action, &[]).is(303);
    }
}

#[test]
fn an_absent_person_is_a_box_to_tick() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let away =
        json!({ "userId": "U3", "from": "2026-01-06T00:00:00Z", "until": "2026-01-08T00:00:00Z" });
    rota.post(&format!("/v1/rotations/{}/availability", rotation.id), away)
        .ok();
    let ada = Browser::signed_in(&rota, "U1");
    let action = format!("/rotations/{}/assign", rotation.id);
    let fields = [
        ("userId", "U3"),
        ("from", "2026-01-06T12:00"),
        ("to", "2026-01-06T14:00"),
    ];
    let page = ada.fill(&action, &action, &fields).is(200).text();
    let at = page
        .find("acknowledgedConflictIds\" value=\"")
        .expect("a box");
    let id = super::attribute(&page[at..], "value").expect("an id");
    // Not ticked, it asks again.
    let again = ada.fill_in(&page, &action, &[]).is(200).text();
    assert!(again.contains("acknowledgedConflictIds"));
    ada.fill_in(&page, &action, &[("acknowledgedConflictIds", &id)])
        .is(303);
}

#[test]
fn a_disabled_rotation_offers_nothing() {
    let rota = Rota::with_people(2);
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let path = format!("/rotations/{}", rotation.id);
    let before = ada.get(&format!("{path}/on-call")).text();
    let patched = rota.caller().patch_if(
        &format!("/v1{path}"),
        &etag(&rota, &rotation.id),
        json!({ "enabled": false }),
    );
    let version: Value = patched.is(200).json();
    assert!(int(&version["openSeats"]) >= 0);
    let page = ada.get(&path).is(200).text();
    assert!(
        !page.contains("/rotate\"") && page.contains("disabled"),
        "{page}"
    );
    ada.get(&format!("{path}/rotate")).is(409);
    ada.fill_in(&before, &format!("{path}/on-call"), &[])
        .is(412);
}

/// rules.md 8.7.
#[test]
fn members_take_hours_that_nobody_has_and_no_others() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let path = format!("/rotations/{}", rotation.id);
    let nobody = [
        ("userIds", ""),
        ("confirmed", "true"),
        ("ifMatch", "*"),
        ("operationId", "y"),
    ];
    let ada = Browser::signed_in(&rota, "U1");
    ada.post(&format!("{path}/on-call"), &nobody).is(303);
    let bob = Browser::signed_in(&rota, "U2");
    // The first page leads to the hours that nobody has, filled in; a button takes them.
    let home = bob.get("/").is(200).text();
    let link = home.split("href=\"").find(|link| link.contains("do=take"));
    let link = link
        .and_then(|link| link.split('"').next())
        .expect("a link");
    let page = bob.get(&link.replace("&amp;", "&")).is(200).text();
    assert!(page.contains("Person U2</bdi> takes"), "{page}");
    let answer = bob.fill_in(&page, &format!("{path}/assign"), &[]).is(303);
    assert_eq!(answer.header("location"), Some(path.as_str()));
    assert!(bob.follow(&answer).contains("Person U2 takes"));
    // Hours that somebody has, and other people, are for owners.
    let fields = [
        ("cellId", rotation.place(0)),
        ("from", "2026-01-08T10:00".to_owned()),
        ("to", "2026-01-08T12:00".to_owned()),
        ("ifMatch", "*".to_owned()),
        ("operationId", "x".to_owned()),
    ];
    for user in ["U2", "U3"] {
        let mut sent: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        sent.push(("userId", user));
        bob.post(&format!("{path}/assign"), &sent).is(403);
    }
}

#[test]
fn crafted_forms_do_no_more_than_pages_offer() {
    let rota = Rota::with_people(3);
    let rotation = rota.rotation("U1 U2 U3");
    rotation.cover(2, &[hours("UTC", &weekdays("08:00", "18:00"), daily())]);
    let path = format!("/rotations/{}", rotation.id);
    let ada = Browser::signed_in(&rota, "U1");
    let before = rotation.on_call();
    // Nobody is put off call without the box: neither all nor the second of two.
    let to = format!("{path}/on-call");
    let page = ada.get(&to).is(200).text();
    assert!(page.contains("without anybody"), "{page}");
    for people in [&["", ""][..], &["U3", ""], &["U3"], &[]] {
        let mut fields: Vec<(&str, &str)> = people.iter().map(|user| ("userIds", *user)).collect();
        if fields.is_empty() {
            fields.push(("userIds", ""));
        }
        let answer = ada.fill_in(&page, &to, &fields).is(400).text();
        assert!(answer.contains("Tick the box"), "{people:?}: {answer}");
        assert_eq!(rotation.on_call(), before);
    }
    let done = ada.fill_in(&page, &to, &[("userIds", ""), ("confirmed", "true")]);
    done.is(303);
    assert_ne!(rotation.on_call(), before);
    // Nobody is asked to cover hours that are not covered.
    let bob = Browser::signed_in(&rota, "U2");
    let to = format!("{path}/cover");
    let asked = [
        ("cellId", rotation.place(0)),
        ("from", "2026-01-06T20:00".to_owned()),
        ("to", "2026-01-06T22:00".to_owned()),
        ("recipientUserIds", "U3".to_owned()),
        ("confirmed", "true".to_owned()),
    ];
    let asked: Vec<(&str, &str)> = asked
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let page = bob.fill(&to, &to, &asked).is(400).text();
    assert!(
        page.contains("No covered hours lie between Tue 6 Jan 20:00"),
        "{page}"
    );
}
