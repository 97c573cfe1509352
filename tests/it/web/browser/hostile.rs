//! Names that hold anything: nothing runs, nothing is cut off, nothing scrolls sideways.

use super::world::{PAGES, Role, World};
use super::{checks, enter};
use crate::support::browser::Window;

fn hostile(kind: usize, plain: &str) -> String {
    match kind {
        0 => format!("<script>alert(1)</script><img src=x onerror=alert(2)>{plain}\"'&amp;"),
        1 => format!(
            "\u{202e}\u{5de}\u{5d9}\u{5e9}\u{5d4}\u{5d5} \u{627}\u{644}\u{639}\u{631}\u{628}\u{64a}\u{629} {plain}"
        ),
        2 => format!("{plain}{}", "W".repeat(200))
            .chars()
            .take(200)
            .collect(),
        _ => format!(
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{1f3f3}\u{fe0f}\u{200d}\u{1f308} {plain}"
        ),
    }
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn names_that_hold_anything() {
    let Some(window) = Window::open() else {
        return;
    };
    let kind = std::cell::Cell::new(0);
    let world = World::named(|plain| {
        kind.set(kind.get() + 1);
        hostile(kind.get() % 4, plain)
    });
    enter(&window, &world.rota, Role::Owner.user(), "/");
    let mut wrong = Vec::new();
    for page in PAGES {
        let path = world.path(page);
        // An alert that opened would fail this and every later step.
        window.go(&format!("{}{path}", world.rota.url));
        for width in [320, 1280] {
            window.size(width, 900);
            let found = checks::layout(&window, false);
            wrong.extend(found.iter().map(|one| format!("{path} at {width}: {one}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
