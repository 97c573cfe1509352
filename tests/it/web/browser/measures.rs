//! What is measured on pages as they are laid out: heights, print, forced colours, motion.

use super::enter;
use super::world::{PAGES, Role, World};
use crate::support::Rota;
use crate::support::browser::Window;
use serde_json::json;

const HEIGHT: &str = "return document.documentElement.scrollHeight";

fn height(window: &Window) -> i64 {
    let height = window.run(HEIGHT, json!([]));
    height.as_i64().expect("a height")
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn no_page_is_too_long() {
    let Some(window) = Window::open() else {
        return;
    };
    let world = World::named(str::to_owned);
    enter(&window, &world.rota, Role::Owner.user(), "/");
    let mut wrong = Vec::new();
    for page in PAGES.iter().filter(|page| !page.path.starts_with("/docs")) {
        let path = world.path(page);
        window.size(1280, 900);
        window.go(&format!("{}{path}", world.rota.url));
        let most = match page.path {
            "/rotations/OPS?span=28d" => 2_500,
            "/me" => 3_000,
            _ => i64::MAX,
        };
        let wide = height(&window);
        window.size(375, 800);
        let narrow = height(&window);
        if wide > most || narrow > 5_000 {
            wrong.push(format!("{path}: {wide} and {narrow} pixels"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rotation with everything that a bar can be, as one of its people sees it.
fn with_all_kinds(window: &Window) -> Rota {
    let rota = Rota::with_people(3);
    let rotation = rota.daily("U1 U2 U3", 1);
    rotation.assign_at(0, "U3", "07T12 07T18");
    for user in ["U1", "U2", "U3"] {
        rotation.away(user, "2026-01-12T00:00Z", "2026-01-13T12:00Z");
    }
    enter(window, &rota, "U2", &format!("/rotations/{}", rotation.id));
    rota
}

#[test]
fn on_paper_turns_are_a_list_without_buttons() {
    let Some(window) = Window::open() else {
        return;
    };
    let _rota = with_all_kinds(&window);
    window.medium("print", ("prefers-color-scheme", "light"));
    let seen = "const seen = (one) => one.checkVisibility();
        const some = (what) => [...document.querySelectorAll(what)].some(seen);
        return [some('.top, .phone-nav, nav, button, .btn, .tl'), some('.agenda a[data-start]'), some('h1')]";
    assert_eq!(window.run(seen, json!([])), json!([false, true, true]));
}

#[test]
fn without_colours_bars_own_turns_and_gaps_are_told_apart() {
    let Some(window) = Window::open() else {
        return;
    };
    let _rota = with_all_kinds(&window);
    window.medium("", ("forced-colors", "active"));
    let drawn =
        "return ['.bar:not(.me,.gap,.ovr)', '.bar.me:not(.gap)', '.bar.gap'].map((what) => {
            const style = getComputedStyle(document.querySelector(`.tl ${what} > a`));
            return style.borderTopStyle + ' ' + style.borderTopWidth + ' ' + style.outlineStyle;
        })";
    let found = window.run(drawn, json!([]));
    let kinds: Vec<&str> = found
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one.as_str())
        .collect();
    assert_eq!(kinds.len(), 3, "{found}");
    assert!(
        kinds.iter().all(|one| !one.starts_with("none")),
        "{kinds:?}"
    );
    assert!(
        kinds[0] != kinds[1] && kinds[1] != kinds[2] && kinds[0] != kinds[2],
        "{kinds:?}"
    );
}

#[test]
fn nothing_moves_for_whoever_wishes_so() {
    let Some(window) = Window::open() else {
        return;
    };
    let _rota = with_all_kinds(&window);
    let moving = "for (const one of document.querySelectorAll('details')) one.open = !one.open;
        const ends = (one) => Number.isFinite(one.effect.getComputedTiming().activeDuration) ?
            one.effect.getComputedTiming().activeDuration : Infinity;
        return document.getAnimations().filter((one) => ends(one) > 10).length";
    assert_eq!(window.run(moving, json!([])), 0);
}
