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
    let ada = Browser::signed_in(&rota, "U1");
    let page = ada.get("/rotations/new").is(200).text();
    assert_eq!(page.matches("name=\"sunTimeZone\"").count(), 2);
    // Everybody is ticked where their own zone is: all six are of Oslo.
    assert_eq!(page.matches("name=\"firstUserIds\"").count(), 6);
    let more = ada
        .fill_in(&page, "/rotations", &[("step", "zone")])
        .is(200)
        .text();
    assert_eq!(more.matches("name=\"sunTimeZone\"").count(), 3);
    let mut fields = vec![
        ("name", "New"),
        ("code", "new"),
        ("pattern", "followTheSun"),
    ];
    for zone in ["Asia/Tokyo", "Europe/Berlin", "America/New_York"] {
        fields.extend([
            ("sunTimeZone", zone),
            ("sunStart", "09:00"),
            ("sunEnd", "17:00"),
        ]);
    }
    for (name, user) in [
        ("firstUserIds", "U1"),
        ("firstUserIds", "U2"),
        ("secondUserIds", "U3"),
        ("secondUserIds", "U4"),
        ("thirdUserIds", "U5"),
    ] {
        fields.push((name, user));
    }
    let none = ada.fill_in(
        &more,
        "/rotations",
        &[&fields[..], &[("thirdUserIds", "")]].concat(),
    );
    assert_eq!(none.status(), 303);
    let found = rota.get("/v1/rotations?code=NEW").is(200).json();
    let rotation = &found["data"][0];
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
fn office_hours() {
    let rota = with_admin(3);
    let fields = [
        ("pattern", "officeHours"),
        ("days", "monday"),
        ("days", "thursday"),
        ("daysFrom", "08:00"),
        ("daysTo", "18:00"),
        ("timeZone", "Europe/Oslo"),
    ];
    let rotation = created(&rota, &fields);
    let coverage = rotation["windows"][0]["coverage"].as_array().unwrap();
    let days: Vec<&str> = coverage
        .iter()
        .map(|one| one["startDay"].as_str().unwrap())
        .collect();
    assert_eq!(days, ["monday", "thursday"]);
    assert_eq!(rotation["windows"][0]["cadence"]["type"], "daily");
    assert_eq!(rotation["dealing"]["missedTurn"], "traded");
    // With twelve people or fewer all of them take turns.
    assert_eq!(rotation["members"]["users"].as_array().unwrap().len(), 3);
}

#[test]
fn it_can_be_looked_at_and_people_moved_before_anything_is_saved() {
    let rota = with_admin(3);
    let ada = Browser::signed_in(&rota, "U1");
    let page = ada.get("/rotations/new").is(200).text();
    let events = int(&rota.get("/v1/audit").is(200).json()["totalItems"]);
    let fields = [
        ("pattern", "officeHours"),
        ("step", "show"),
        ("timeZone", "Europe/Oslo"),
    ];
    let shown = ada.fill_in(&page, "/rotations", &fields).is(200).text();
    for part in [
        "The first four weeks",
        "no gap",
        "Hours of each person",
        "Person U1",
        "turns, ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let moved = ada
        .fill_in(&page, "/rotations", &[("step", "up:U2")])
        .is(200)
        .text();
    let at = |page: &str, user: &str| {
        page.find(&format!("name=\"offered\" value=\"{user}\""))
            .unwrap()
    };
    assert!(at(&page, "U1") < at(&page, "U2"));
    assert!(at(&moved, "U2") < at(&moved, "U1"));
    let by_name = [
        ("userIds", "U1"),
        ("userIds", "Person U3"),
        ("step", "more"),
    ];
    let added = ada.fill_in(&page, "/rotations", &by_name).is(200).text();
    let ticked = |user: &str| added.contains(&format!("name=\"userIds\" value=\"{user}\" checked"));
    assert!(ticked("U3") && !ticked("U2"), "{added}");
    assert_eq!(int(&rota.get("/v1/rotations").json()["totalItems"]), 0);
    assert_eq!(
        int(&rota.get("/v1/audit").is(200).json()["totalItems"]),
        events
    );
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
    let fields = [("name", "Kept"), ("step", "down:U1")];
    let moved = ada.fill_in(&page, "/rotations", &fields).is(200).text();
    assert!(moved.contains("value=\"Kept\""), "{moved}");
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
        assert!(form.contains("more"), "{form}");
    }
}
