//! New rotation, with its patterns.

use super::{Browser, attribute};
use crate::support::{MONDAY, Rota, directory, int};
use serde_json::{Value, json};

/// A server whose first person administers the workspace.
fn with_admin(people: usize) -> Rota {
    let rota = Rota::at(MONDAY);
    let mut file = directory(people);
    file["users"][0]["isAdmin"] = json!(true);
    rota.import(&file);
    rota
}

fn created(rota: &Rota, fields: &[(&str, &str)]) -> Value {
    let ada = Browser::signed_in(rota, "U1");
    let page = ada.get("/rotations/new").is(200).text();
    let mut sent = vec![("name", "New"), ("code", "new")];
    // Lines for people are sent in their order, so they are not taken from the page.
    sent.extend_from_slice(fields);
    let answer = ada.fill_in(&page, "/rotations", &sent).is(303);
    assert_eq!(answer.header("location"), Some("/rotations/NEW"));
    let found = rota.get("/v1/rotations?code=NEW").is(200).json();
    // Sent again it is the same one.
    ada.fill_in(&page, "/rotations", &sent).is(303);
    assert_eq!(int(&rota.get("/v1/rotations").json()["totalItems"]), 1);
    found["data"][0].clone()
}

#[test]
fn a_weekly_rotation() {
    let rota = with_admin(4);
    let fields = [
        ("userIds", "U3"),
        ("userIds", "person u1"),
        ("userIds", "u2@example.com"),
        ("userIds", ""),
        ("pattern", "weekly"),
        ("timeZone", "Europe/Paris"),
        ("time", "10:00"),
        ("dayOfWeek", "tuesday"),
    ];
    let rotation = created(&rota, &fields);
    let people: Vec<&str> = rotation["members"]["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["userId"].as_str().unwrap())
        .collect();
    assert_eq!(people, ["U3", "U1", "U2"]);
    let cadence = &rotation["windows"][0]["cadence"];
    assert_eq!(
        (cadence["type"].as_str(), cadence["timeZone"].as_str()),
        (Some("dayOfWeek"), Some("Europe/Paris"))
    );
    assert_eq!(cadence["nextEvents"][0], "2026-01-06T09:00:00Z");
    assert_eq!(rotation["owners"], json!(["U1"]));
}

#[test]
fn weekdays_and_weekends_of_two() {
    let rota = with_admin(6);
    let people = ["U1", "U2", "U3", "U4", "U5", "U6"].map(|user| ("userIds", user));
    let mut fields = people.to_vec();
    fields.extend([
        ("pattern", "weekdayWeekend"),
        ("lanes", "2"),
        ("timeZone", "UTC"),
        ("time", "09:00"),
        ("weekendTime", "17:00"),
    ]);
    let rotation = created(&rota, &fields);
    assert_eq!(rotation["windows"].as_array().unwrap().len(), 2);
    assert_eq!(rotation["cells"].as_array().unwrap().len(), 4);
    assert_eq!(rotation["windows"][1]["coverage"][0]["startDay"], "friday");
    assert_eq!(rotation["mode"], "auto");
}

#[test]
fn follow_the_sun() {
    let rota = with_admin(6);
    let mut fields = vec![("pattern", "followTheSun"), ("userIds", "")];
    for (name, user) in [
        ("firstUserIds", "U1"),
        ("firstUserIds", "U2"),
        ("secondUserIds", "U3"),
        ("secondUserIds", "U4"),
        ("thirdUserIds", "U5"),
    ] {
        fields.push((name, user));
    }
    let rotation = created(&rota, &fields);
    let rosters: Vec<usize> = rotation["rosters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["order"].as_array().unwrap().len())
        .collect();
    assert_eq!(rosters, [5, 2, 2, 1]);
    assert_eq!(rotation["windows"][0]["timeZone"], "Asia/Tokyo");
}

#[test]
fn daily_and_by_hand() {
    for (pattern, mode) in [("daily", "auto"), ("manual", "manual")] {
        let rota = with_admin(2);
        let rotation = created(
            &rota,
            &[("userIds", "U1"), ("userIds", "U2"), ("pattern", pattern)],
        );
        assert_eq!(rotation["mode"], mode);
    }
}

#[test]
fn what_is_wrong_is_said_beside_what_was_typed() {
    let rota = with_admin(2);
    let ada = Browser::signed_in(&rota, "U1");
    let page = ada.get("/rotations/new").is(200).text();
    for (fields, field) in [
        (vec![("name", "A"), ("userIds", "nobody")], "userIds"),
        (vec![("name", "A"), ("userIds", "")], "userIds"),
        (vec![("name", " "), ("userIds", "U1")], "name"),
        (
            vec![("name", "A"), ("code", "no blanks"), ("userIds", "U1")],
            "code",
        ),
        (
            vec![("name", "A"), ("userIds", "U1"), ("timeZone", "EST")],
            "timeZone",
        ),
    ] {
        let answer = ada.fill_in(&page, "/rotations", &fields).is(400).text();
        assert!(
            answer.contains(&format!("href=\"#f-{field}\"")),
            "{field}: {answer}"
        );
    }
    assert_eq!(int(&rota.get("/v1/rotations").json()["totalItems"]), 0);
    let more = ada
        .fill_in(&page, "/rotations", &[("name", "Kept"), ("more", "true")])
        .is(200)
        .text();
    assert!(more.contains("value=\"Kept\"") && more.matches("name=\"userIds\"").count() > 8);
    let bob = Browser::signed_in(&rota, "U2");
    bob.get("/rotations/new").is(403);
    assert!(!bob.get("/rotations").text().contains("/rotations/new"));
}

/// Browsers press the first button of a form when somebody types Enter in a field of it.
#[test]
fn enter_presses_the_main_button_and_not_more_lines() {
    let rota = with_admin(3);
    let ada = Browser::signed_in(&rota, "U1");
    let rotation = rota.daily("U1 U2", 1);
    let settings = format!("/rotations/{}/settings", rotation.id);
    let grid = ada.get(&format!("{settings}/grid")).is(200).text();
    let window = grid
        .split("href=\"")
        .find(|link| link.contains("/settings/windows/") && !link.contains("/new\""))
        .and_then(|link| link.split('"').next())
        .expect("the page of a window");
    for (path, action, sent) in [
        ("/rotations/new", "/rotations", None),
        (window, window, Some("look")),
    ] {
        let page = ada.get(path).is(200).text();
        let form = super::form(&page, action);
        let button = form.split("<button ").nth(1).expect("a button");
        let button = button.split('>').next().unwrap();
        assert!(button.contains("type=\"submit\""), "{button}");
        assert_eq!(attribute(button, "value").as_deref(), sent, "{button}");
        assert!(!button.contains("formnovalidate"), "{button}");
        assert!(form.contains("name=\"more\""), "{form}");
    }
}
