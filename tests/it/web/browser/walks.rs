//! The jobs that people come for, each in at most five clicks from the first page: links and buttons count, typing is free.

use super::enter;
use crate::support::browser::{Named, Window};
use crate::support::{Rota, Start, directory};
use Named::{Button, Choice, Link};
use serde_json::json;

/// Opens the first page as a person.
fn at_home(rota: &Rota, user: &str) -> Option<Window> {
    let window = Window::open()?;
    enter(&window, rota, user, "/");
    window.sees("Who is on call");
    window.take_clicks();
    Some(window)
}

#[track_caller]
fn few(window: &Window) {
    let clicks = window.take_clicks();
    assert!((1..=5).contains(&clicks), "{clicks} clicks");
}

/// A server whose first person administers the workspace.
fn with_admin(people: usize) -> Rota {
    let rota = Start::default().go();
    let mut file = directory(people);
    file["users"][0]["isAdmin"] = json!(true);
    rota.import(&file);
    rota
}

/// Ticks these people of a list and no others.
fn tick(window: &Window, field: &str, users: &[&str]) {
    let script = "for (const box of document.querySelectorAll(`[name=${arguments[0]}]`)) {
            box.checked = arguments[1].includes(box.value);
        }";
    window.run(script, json!([field, users]));
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn weekdays_and_weekends_for_six() {
    let rota = with_admin(6);
    let Some(window) = at_home(&rota, "U1") else {
        return;
    };
    window.click(Link("Rotations"));
    window.click(Link("New rotation"));
    window.fill("Name", "Payments");
    // With few people all are ticked.
    window.click(Choice("Weekdays and weekends"));
    window.click(Button("Create rotation"));
    window.sees("Payments was created");
    few(&window);
    let rotation = &rota.get("/v1/rotations").json()["data"][0];
    assert_eq!(rotation["windows"].as_array().map(Vec::len), Some(2));
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn follow_the_sun_in_two_zones() {
    let rota = with_admin(6);
    let Some(window) = at_home(&rota, "U1") else {
        return;
    };
    window.click(Link("Rotations"));
    window.click(Link("New rotation"));
    window.fill("Name", "Around the clock");
    window.click(Choice("Follow the sun"));
    tick(&window, "firstUserIds", &["U1", "U2", "U3"]);
    tick(&window, "secondUserIds", &["U4", "U5", "U6"]);
    window.click(Button("Create rotation"));
    window.sees("Around the clock was created");
    few(&window);
    let rotation = &rota.get("/v1/rotations").json()["data"][0];
    assert_eq!(rotation["windows"].as_array().map(Vec::len), Some(2));
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn ill_tomorrow() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let Some(window) = at_home(&rota, "U2") else {
        return;
    };
    window.click(Link("I am away"));
    window.fill("From", "2026-01-06T00:00");
    window.fill("Until", "2026-01-07T00:00");
    window.click(Button("Save and see what stands"));
    window.sees("you are not on call while you are away");
    few(&window);
    assert_eq!(rotation.planned("06 07"), ["U3 06 07"]);
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn ill_tomorrow_in_the_midst_of_a_turn() {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    let Some(window) = at_home(&rota, "U1") else {
        return;
    };
    // The turn of today lasts until tomorrow morning, and stays theirs: somebody has to cover it.
    window.click(Link("I am away"));
    window.fill("From", "2026-01-06T00:00");
    window.fill("Until", "2026-01-07T00:00");
    window.click(Button("Save and see what stands"));
    window.click(Link("Ask for cover"));
    window.click(Choice("Person U3"));
    window.click(Button("Ask for cover"));
    window.sees("Your request was sent");
    few(&window);
    assert_eq!(rotation.agreements().len(), 0);
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn who_was_on_call_on_tuesday_at_three_twelve() {
    let rota = Rota::with_people(3);
    rota.daily("U1 U2 U3", 1);
    rota.to("2026-01-09T12:00Z");
    let Some(window) = at_home(&rota, "U3") else {
        return;
    };
    // Tuesday, 03:12 in Oslo: U1 had the night of Monday.
    window.click_within("//main", Link("Rotation"));
    window.click(Link("Record"));
    window.fill("Who was it at", "2026-01-06T03:12");
    window.click(Button("Show"));
    window.sees("Tue 6 Jan 03:12");
    few(&window);
    let then = "return document.querySelector('[aria-labelledby=then]').innerText";
    let then = window.run(then, json!([]));
    assert!(
        then.as_str().is_some_and(|then| then.contains("Person U1")),
        "{then}"
    );
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn my_turns_for_three_months_in_my_calendar() {
    let rota = Rota::with_people(3);
    rota.daily("U1 U2 U3", 1);
    let Some(window) = at_home(&rota, "U2") else {
        return;
    };
    window.click(Link("My next turns"));
    window.click(Button("Make a calendar address"));
    window.sees("Shown this once");
    few(&window);
    let address = "return document.querySelector('code.secret').innerText";
    let address = window.run(address, json!([]));
    let address = address.as_str().expect("an address");
    let path = address.strip_prefix(&rota.url).expect("of this server");
    let feed = rota.anyone().get(path).is(200).text();
    assert!(feed.contains("DTSTART:202604"), "{feed}");
}
