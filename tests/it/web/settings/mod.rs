//! The settings of a rotation: every form end to end, who may use it, and what is said when something is wrong.

mod absences;
mod chat;
mod details;
mod grid;
mod people;
mod rights;
mod rosters;

use super::Browser;
use crate::support::{MONDAY, Rot, Rota, directory};
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
