//! Changes that wait, on the page of their rotation.

use super::{Browser, action, world};
use crate::support::*;
use serde_json::json;

#[test]
fn changes_that_wait_head_the_page_and_are_cancelled_there() {
    let rota = world();
    let rotation = rota.daily("U1 U2", 1);
    let page = format!("/rotations/{}", rotation.id);
    let (owner, member) = (
        Browser::signed_in(&rota, "U1"),
        Browser::signed_in(&rota, "U2"),
    );
    assert!(!owner.get(&page).is(200).text().contains("Planned changes"));
    let body = json!({
        "operationId": unique("planned"), "at": "2026-01-08T09:00:00Z", "note": "Changes teams", "remove": ["U2"],
    });
    let made = rota
        .caller()
        .post_if(&rotation.path("/changes"), &rotation.etag(), body)
        .is(201)
        .json();
    let shown = owner.get(&page).is(200).text();
    for words in ["Planned changes", "people", "Changes teams", "by <bdi>"] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    let cancel = format!("{page}/changes/{}/cancel", text(&made["id"]));
    assert!(shown.contains(&cancel), "{shown}");
    assert!(!member.get(&page).is(200).text().contains(&cancel));
    let answer = owner.fill(&page, &cancel, &[]).is(303);
    assert!(
        owner
            .follow(&answer)
            .contains("The planned change was cancelled.")
    );
    assert!(!owner.get(&page).is(200).text().contains("Planned changes"));
}

#[test]
fn forms_ask_when_an_edit_is_made() {
    let rota = world();
    let rotation = rota.daily("U1 U2 U3", 1);
    let owner = Browser::signed_in(&rota, "U1");
    let to = action(&rotation, "people");
    let page = owner.get(&to).is(200).text();
    assert!(page.contains("At the next hand-over"), "{page}");
    let fields = [
        ("step", "remove U2"),
        ("when", "nextHandOver"),
        ("confirmed", "true"),
    ];
    let answer = owner.fill(&to, &to, &fields).is(303);
    assert!(owner.follow(&answer).contains("The change is planned."));
    assert_eq!(rotation.order(), "U1 U2 U3");
    let fields = [
        ("step", "remove U3"),
        ("when", "at"),
        ("whenAt", "soon"),
        ("confirmed", "true"),
    ];
    assert!(
        owner
            .fill(&to, &to, &fields)
            .is(400)
            .text()
            .contains("f-whenAt")
    );
    rota.to("2026-01-06T09:00:00Z");
    assert_eq!(
        (rotation.order().as_str(), rotation.on_call().as_str()),
        ("U1 U3", "U3")
    );
}
