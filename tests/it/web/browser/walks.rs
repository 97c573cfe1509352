//! The jobs that people come for, counted in clicks from the first page, with the script and without: links, buttons, ticks and
//! choices count, typing is free.

use super::enter;
use crate::support::browser::{Named, Window};
use crate::support::{Rota, Start, directory};
use crate::web::first_run::printed;
use Named::{Button, Choice, Link};
use serde_json::{Value, json};

/// Does a job in a window with the script, and in one without.
fn with_and_without(job: impl Fn(&Window)) {
    for has_script in [true, false] {
        let Some(window) = Window::open() else {
            return;
        };
        if !has_script {
            window.without_scripts();
        }
        job(&window);
    }
}

/// Opens the first page as a person.
fn at_home(window: &Window, rota: &Rota, user: &str) {
    enter(window, rota, user, "/");
    window.sees("Who is on call");
    window.take_clicks();
}

#[track_caller]
fn took(window: &Window, most: usize) {
    let clicks = window.take_clicks();
    assert!(clicks <= most, "{clicks} clicks, and not {most}");
}

/// A server whose first person administers the workspace.
fn with_admin(people: usize) -> Rota {
    let rota = Start::default().go();
    let mut file = directory(people);
    file["users"][0]["isAdmin"] = json!(true);
    rota.import(&file);
    rota
}

/// Ticks these people of a list and no others, a click for each that changes.
fn tick(window: &Window, field: &str, users: &[&str]) {
    let script = "const boxes = [...document.querySelectorAll(`[name=${arguments[0]}]`)];
        const wrong = boxes.filter((box) => box.checked != arguments[1].includes(box.value));
        for (const box of wrong) box.click();
        return wrong.length";
    let clicks = window.run(script, json!([field, users]));
    for _ in 0..clicks.as_u64().expect("a number") {
        window.count();
    }
}

/// The text of the page in one line.
fn said(window: &Window) -> String {
    let text = window.text();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn only_rotation(rota: &Rota) -> Value {
    rota.get("/v1/rotations").json()["data"][0].clone()
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn weekdays_and_weekends_for_six() {
    with_and_without(|window| {
        let rota = with_admin(6);
        at_home(window, &rota, "U1");
        window.click(Link("New rotation"));
        window.fill("Name", "Payments");
        // With few people all are ticked.
        window.click(Choice("Weekdays and weekends"));
        window.click(Button("Create rotation"));
        window.sees("Payments was created");
        took(window, 8);
        let windows = only_rotation(&rota)["windows"].clone();
        assert_eq!(windows.as_array().map(Vec::len), Some(2));
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn follow_the_sun_in_two_zones() {
    with_and_without(|window| {
        let rota = with_admin(6);
        at_home(window, &rota, "U1");
        window.click(Link("New rotation"));
        window.fill("Name", "Around the clock");
        window.click(Choice("Follow the sun"));
        tick(window, "firstUserIds", &["U1", "U2", "U3"]);
        tick(window, "secondUserIds", &["U4", "U5", "U6"]);
        window.click(Button("Create rotation"));
        window.sees("Around the clock was created");
        took(window, 14);
        let windows = only_rotation(&rota)["windows"].clone();
        assert_eq!(windows.as_array().map(Vec::len), Some(2));
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn from_the_printed_address_to_the_first_rotation_of_six() {
    with_and_without(|window| {
        let rota = Start::default().go();
        let secret = printed(&rota, 1);
        window.go(&format!("{}/setup/{secret}", rota.url));
        window.take_clicks();
        window.fill("Name", "Ana");
        window.fill("Time zone", "Europe/Oslo");
        window.click(Button("Become the admin"));
        window.sees("Getting started");
        let lines = "Linus, linus@example.org\nGrace\nKatherine\nAda\nBarbara";
        window.fill("People, one a line", lines);
        window.click(Button("Add people"));
        window.sees("5 people were added");
        window.click(Link("Make it"));
        window.fill("Name", "Platform");
        window.click(Button("Create rotation"));
        window.sees("Platform was created");
        took(window, 8);
        let order = only_rotation(&rota);
        assert_eq!(order["name"], "Platform");
        assert!(
            said(window).contains("Order of people"),
            "the page of the rotation"
        );
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn a_person_is_added_and_signs_in() {
    with_and_without(|window| {
        let rota = with_admin(1);
        at_home(window, &rota, "U1");
        window.click_within("//nav[@aria-label='Main']", Link("People"));
        window.fill("Name", "Grace");
        window.click(Button("Add"));
        window.sees("Shown this once");
        let link = "return document.querySelector('code.secret').innerText";
        let link = window.run(link, json!([]));
        window.go(link.as_str().expect("a link"));
        window.click(Button("Sign in as Grace"));
        window.sees("Who is on call");
        took(window, 3);
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn who_is_on_call_now() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        rota.daily("U1 U2 U3", 1);
        at_home(window, &rota, "U3");
        let card = "return document.querySelector('.nowcard').innerText";
        let card = window.run(card, json!([]));
        assert!(
            card.as_str().is_some_and(|card| card.contains("Person U1")),
            "{card}"
        );
        took(window, 0);
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn a_request_is_answered() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        let rotation = rota.daily("U1 U2 U3", 1);
        rotation.ask_cover("U2", "06 06T18", "U3");
        at_home(window, &rota, "U3");
        window.click(Button("Accept"));
        window.sees("You have accepted");
        took(window, 1);
        assert_eq!(rotation.agreements().len(), 1);
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn a_gap_is_taken() {
    with_and_without(|window| {
        let rota = Rota::with_people(2);
        let rotation = rota.daily("U1 U2", 1);
        rotation.clear();
        at_home(window, &rota, "U2");
        window.click(Link("Take it"));
        let button = "return document.querySelector('button[data-action=take]').innerText.trim()";
        let button = window.run(button, json!([]));
        let button = button.as_str().expect("a button").to_owned();
        assert!(button.starts_with("Person U2 takes "), "{button}");
        window.click(Button(&button));
        window.sees("Order of people");
        took(window, 2);
        assert_eq!(rotation.agreements().len(), 1);
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn ill_tomorrow_and_cover_asked_for_all() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        let rotation = rota.daily("U1 U2 U3", 1);
        at_home(window, &rota, "U1");
        // The turn of today lasts until tomorrow morning, and stays theirs: somebody has to cover it.
        window.click(Link("I am away"));
        window.fill("From", "2026-01-06T00:00");
        window.fill("Until", "2026-01-07T00:00");
        window.click(Button("Save and see what stands"));
        window.sees("Still yours meanwhile");
        window.click(Button("Ask for cover for all of it"));
        window.sees("One request was sent");
        took(window, 4);
        assert_eq!(rotation.agreements().len(), 0);
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn who_was_on_call_on_tuesday_at_three_twelve() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        rota.daily("U1 U2 U3", 1);
        rota.to("2026-01-09T12:00Z");
        at_home(window, &rota, "U3");
        // Tuesday, 03:12 in Oslo: U1 had the night of Monday.
        window.click_within("//main", Link("Rotation"));
        window.click(Link("Record"));
        window.fill("Who was it at", "2026-01-06T03:12");
        window.click(Button("Show"));
        window.sees("Tue 6 Jan 03:12");
        took(window, 3);
        let then = "return document.querySelector('[aria-labelledby=then]').innerText";
        let then = window.run(then, json!([]));
        assert!(
            then.as_str().is_some_and(|then| then.contains("Person U1")),
            "{then}"
        );
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn my_turns_in_my_calendar() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        rota.daily("U1 U2 U3", 1);
        at_home(window, &rota, "U2");
        window.click(Link("My next turns"));
        window.click(Button("Make a calendar address"));
        window.sees("Shown this once");
        took(window, 3);
        let address = "return document.querySelector('code.secret').innerText";
        let address = window.run(address, json!([]));
        let address = address.as_str().expect("an address");
        let path = address.strip_prefix(&rota.url).expect("of this server");
        let feed = rota.anyone().get(path).is(200).text();
        assert!(feed.contains("DTSTART:202604"), "{feed}");
    });
}
