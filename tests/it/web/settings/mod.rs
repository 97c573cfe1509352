//! The settings of a rotation: every form end to end, who may use it, and what is said when something is wrong.

mod absences;
mod chat;
mod details;
mod grid;
mod managed;
mod people;
mod planned;
mod rights;
mod rosters;

use super::Browser;
use crate::support::{Answer, MONDAY, Rot, Rota, directory};
use serde_json::json;

/// The address that forms of a part post to.
fn action(rotation: &Rot, part: &str) -> String {
    format!("/rotations/{}/settings/{part}", rotation.id)
}

/// Five people; U5 administers the workspace.
fn world() -> Rota {
    let rota = Rota::at(MONDAY);
    let mut file = directory(5);
    file["users"][4]["isAdmin"] = json!(true);
    rota.import(&file);
    rota
}

/// Confirms what a form would change, where it says so first.
#[track_caller]
fn confirmed(browser: &Browser, to: &str, answer: Answer) -> Answer {
    if answer.status() != 200 {
        return answer.is(303);
    }
    let page = answer.text();
    assert!(page.contains("What would change"), "{page}");
    browser.fill_in(&page, to, &[("confirmed", "true")]).is(303)
}

/// Fills in and sends a form, and confirms what it would change.
#[track_caller]
fn save(browser: &Browser, to: &str, fields: &[(&str, &str)]) -> Answer {
    confirmed(browser, to, browser.fill(to, to, fields))
}

/// Presses Undo on a page.
#[track_caller]
fn undo(browser: &Browser, rotation: &Rot, page: &str) -> String {
    assert!(page.contains(">Undo<"), "no Undo: {page}");
    let done = browser.fill_in(page, &action(rotation, "restore"), &[]);
    let page = browser.follow(&done.is(303));
    assert!(
        page.contains("undone") && !page.contains(">Undo<"),
        "{page}"
    );
    page
}
