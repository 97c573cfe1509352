//! The daily jobs, by clicking and typing: the same with the script and without.

use super::enter;
use crate::support::browser::{Named, Window};
use crate::support::{Rot, Rota};
use Named::{Button, Choice, Link};
use serde_json::json;

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

fn rotation(rota: &Rota) -> (Rot<'_>, String) {
    let rotation = rota.daily("U1 U2 U3", 1);
    let path = format!("/rotations/{}", rotation.id);
    (rotation, path)
}

/// Opens the page of the turn that begins then, with something to do.
fn open(window: &Window, start: &str, doing: &str) {
    let script = "const bar = document.querySelector(`.bar [data-start='${arguments[0]}']`);
        location.href = bar.getAttribute('href') + arguments[1];";
    window.run(script, json!([start, doing]));
    window.sees("What do you want to do?");
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn rotating_and_setting_on_duty() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        let (rotation, path) = rotation(&rota);
        enter(window, &rota, "U1", &path);
        window.click(Link("Hand over now"));
        window.sees("Person U2 comes on");
        window.click(Button("Hand over now"));
        window.sees("was handed over");
        assert_eq!(rotation.on_call(), "U2");
        window.click(Link("Put somebody on call"));
        window.run(
            "document.querySelector('select[name=userIds]').value = 'U3'",
            json!([]),
        );
        window.click(Button("Put on call"));
        window.sees("Undo");
        assert_eq!(rotation.on_call(), "U3");
        window.click(Button("Undo"));
        window.becomes(
            "what was undone is said",
            "return !document.body.innerText.includes('Undo')
                || document.querySelector('[data-start]').dataset.user == 'U2'",
        );
        assert_eq!(rotation.on_call(), "U2");
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn assigning_and_ending() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        let (rotation, path) = rotation(&rota);
        enter(window, &rota, "U1", &format!("{path}/assign"));
        window.fill("Who", "Person U3");
        // The directory has everybody in Oslo, an hour ahead of UTC.
        window.fill("From", "2026-01-06T10:00");
        window.fill("Until", "2026-01-07T10:00");
        window.click(Button("Give to somebody"));
        window.sees("Off call then: ");
        window.click(Button("Give to somebody"));
        window.sees("Person U3 takes");
        assert_eq!(rotation.planned("06 07"), ["U3 06 07"]);
        open(window, "2026-01-06T09:00:00Z", "");
        window.click(Button("End it: the plan counts again"));
        window.sees("no longer put on call: the plan counts again");
        assert_eq!(rotation.planned("06 07"), ["U2 06 07"]);
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn asking_for_cover_and_answering() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        let (rotation, path) = rotation(&rota);
        enter(window, &rota, "U2", &path);
        open(window, "2026-01-06T09:00:00Z", "?do=cover");
        // Something is wrong first, and what was typed is kept.
        window.fill("Reason, optional", "dentist");
        window.click(Button("Ask for cover, Tue 10:00 to Wed 10:00"));
        window.sees("There is a problem");
        window.becomes(
            "the summary is focused",
            "return document.activeElement.id == 'errors'",
        );
        window.click(Link("Choose whom to ask."));
        window.becomes(
            "the field is focused",
            "return document.activeElement.name == 'recipientUserIds'",
        );
        assert_eq!(
            window.run("return document.querySelector('textarea').value", json!([])),
            "dentist"
        );
        window.click(Choice("Person U3"));
        window.click(Button("Ask for cover"));
        window.sees("Your request was sent");
        enter(window, &rota, "U3", "/");
        window.sees("asks you to cover Tue 6 Jan");
        window.click(Button("Accept"));
        window.sees("accepted");
        assert_eq!(rotation.planned("06 07"), ["U3 06 07"]);
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn swapping() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        let (rotation, path) = rotation(&rota);
        enter(window, &rota, "U2", &path);
        open(window, "2026-01-06T09:00:00Z", "?do=swap");
        let theirs = "const theirs = document.querySelector('select[name=theirs]');
            theirs.value = [...theirs.options].find((o) => o.text.includes('Person U3')).value;";
        window.run(theirs, json!([]));
        window.click(Button("Offer the swap"));
        window.sees("Your offer was sent");
        enter(window, &rota, "U3", "/");
        window.click(Button("Accept"));
        window.sees("accepted");
        assert_eq!(rotation.planned("06 08"), ["U3 06 07", "U2 07 08"]);
    });
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn being_away_and_back() {
    with_and_without(|window| {
        let rota = Rota::with_people(3);
        let (rotation, _) = rotation(&rota);
        enter(window, &rota, "U2", "/");
        window.click(Link("I am away"));
        window.fill("From", "2026-01-06T00:00");
        window.fill("Until", "2026-01-08T00:00");
        window.click(Button("Save and see what stands"));
        window.sees("Still yours meanwhile");
        assert_eq!(rotation.planned("06 07"), ["U3 06 07"]);
        window.click(Button("Undo"));
        window.sees("My next five");
        assert_eq!(rotation.planned("06 07"), ["U2 06 07"]);
    });
}
