//! Rotations that a file manages.

use super::{Browser, action, world};
use crate::support::text;
use serde_json::json;

#[test]
fn pages_say_what_manages_a_rotation_and_still_edit() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let ada = Browser::signed_in(&rota, "U1");
    let pages = [
        format!("/rotations/{}", rotation.id),
        action(&rotation, "people"),
        action(&rotation, "details"),
    ];
    let says = |page: &str| ada.get(page).is(200).text();
    for page in &pages {
        assert!(!says(page).contains("Managed by"), "{page}");
    }
    let manager = json!({ "managedBy": "platform-team" });
    let answer = rotation.patch(manager.clone()).is(200);
    assert_eq!(answer.json()["managedBy"], manager["managedBy"]);
    let remark =
        "Managed by <bdi>platform-team</bdi>: edits on this page are overwritten by its file";
    for page in &pages {
        assert!(says(page).contains(remark), "{page}");
    }
    let summary = rota.newest_entry()["summary"].clone();
    assert!(text(&summary).contains("managedBy"), "{summary}");
    let to = action(&rotation, "people");
    ada.fill(&to, &to, &[("step", "down U1")]).is(303);
    assert_eq!(rotation.order(), "U2 U1");
}
