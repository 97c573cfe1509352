//! Everything by keyboard: the skip link, and every control reached with its focus seen.

use super::enter;
use super::world::{PAGES, Role, World};
use crate::support::browser::{ENTER, TAB, Window};
use serde_json::json;

/// What takes the focus by Tab, and where it was: marked on the page.
const WATCH: &str = "
    // The button that Enter presses is nobody's to reach.
    const all = 'a[href], button:not([aria-hidden]), input:not([type=hidden]), select, textarea, summary';
    const reached = (one) => one.type != 'radio' || one.checked;
    window.stops = [...document.querySelectorAll(all)].filter((one) => one.checkVisibility() && reached(one));
    window.seen = new Set(); window.unseen = [];
    addEventListener('focusin', ({ target }) => {
        seen.add(target);
        const style = getComputedStyle(target);
        const isShown = style.outlineStyle != 'none' && parseFloat(style.outlineWidth) >= 2;
        const box = target.getBoundingClientRect();
        const isThere = box.right > 0 && box.width > 1;
        if (target != document.body && !(isShown && isThere)) unseen.push(target.outerHTML.slice(0, 120));
    });
    const inner = stops.filter((one) => ['date', 'time', 'datetime-local'].includes(one.type)).length;
    // What scrolls by itself takes the focus too.
    const scrolls = document.querySelectorAll('pre').length;
    document.activeElement.blur();
    getSelection().removeAllRanges();
    return stops.length + inner * 7 + scrolls + 4;";

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn every_control_is_reached_and_its_focus_seen() {
    let Some(window) = Window::open() else {
        return;
    };
    let world = World::named(str::to_owned);
    let mut wrong = Vec::new();
    enter(&window, &world.rota, Role::Owner.user(), "/");
    for page in PAGES {
        let path = world.path(page);
        window.go(&format!("{}{path}", world.rota.url));
        let tabs = window.run(WATCH, json!([])).as_u64().expect("a number");
        window.press(&vec![TAB; tabs as usize]);
        let found = window.run(
            "return stops.filter((one) => !seen.has(one)).map((one) => 'not reached: ' + one.outerHTML.slice(0, 120))
                .concat(unseen.map((one) => 'focus not seen: ' + one))",
            json!([]),
        );
        for one in found.as_array().expect("a list") {
            wrong.push(format!("{path}: {one}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_skip_link_leads_to_the_content() {
    let Some(window) = Window::open() else {
        return;
    };
    let world = World::named(str::to_owned);
    enter(&window, &world.rota, Role::Owner.user(), "/");
    window.press(&[TAB]);
    let shown = "return document.activeElement.className + document.activeElement.getBoundingClientRect().left";
    assert_eq!(window.run(shown, json!([])), "skip12");
    window.press(&[ENTER]);
    window.becomes(
        "the content has the focus",
        "return document.activeElement.id == 'main'",
    );
    // What follows is the first control of the content.
    window.press(&[TAB]);
    window.becomes(
        "a control of the content",
        "return document.activeElement.matches('main *')",
    );
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn enter_in_the_name_creates_a_rotation() {
    let Some(window) = Window::open() else {
        return;
    };
    let world = World::named(str::to_owned);
    enter(&window, &world.rota, Role::Admin.user(), "/rotations/new");
    window.fill("Name", "By Enter");
    window.run(
        "document.getElementById('f-userIds').value = 'U1'; document.getElementById('f-name').focus()",
        json!([]),
    );
    window.press(&[ENTER]);
    window.sees("By Enter was created.");
}
