//! Every page as everybody, light and dark, narrow and wide: heading, rights, frame, sideways scrolling, targets, contrast.

use super::world::{PAGES, Page, Role, World};
use super::{checks, enter};
use crate::support::browser::Window;
use serde_json::json;

/// Looks at every page as a role, and fails with all that is wrong.
#[track_caller]
fn sweep(role: Role) {
    let Some(window) = Window::open() else {
        return;
    };
    let axe = checks::axe();
    if let Some(script) = &axe {
        window.preload(script);
    }
    let world = World::named(str::to_owned);
    enter(&window, &world.rota, role.user(), "/");
    let mut wrong = Vec::new();
    for page in PAGES {
        let path = world.path(page);
        let mut note = |what: String| wrong.push(format!("{path}: {what}"));
        window.size(1920, 1000);
        window.go(&format!("{}{path}", world.rota.url));
        arrived(&window, page, role, &mut note);
        // What one may not see looks the same everywhere.
        if !page.seen_by.contains(&role) && !page.seen_by.is_empty() {
            continue;
        }
        // Owners are offered nearly everything, so their pages are looked at in every way.
        let ways: &[(u32, &str)] = match role {
            Role::Owner => &[
                (1920, "light"),
                (1920, "dark"),
                (1280, "dark"),
                (1280, "light"),
                (768, "light"),
                (768, "dark"),
                (375, "dark"),
                (375, "light"),
                (320, "light"),
                (320, "dark"),
            ],
            _ => &[(1920, "dark"), (320, "light")],
        };
        for &(width, scheme) in ways {
            window.scheme(scheme);
            window.size(width, 900);
            // Names of members of the API, and entries of the log, are as long as they are.
            let has_short_names =
                !page.path.starts_with("/docs") && !page.path.starts_with("/admin");
            for one in checks::layout(&window, has_short_names) {
                note(format!("{width} {scheme}: {one}"));
            }
            // Most rules look at the document, which is the same in every width and scheme.
            let rules: &[&str] = match (width, scheme) {
                (320, "light") => &[],
                (1920 | 375, _) if role == Role::Owner => &["color-contrast", "target-size"],
                _ => continue,
            };
            if axe.is_some() {
                for one in checks::violations(&window, rules) {
                    note(format!("{width} {scheme}: {one}"));
                }
            }
        }
        window.scheme("light");
    }
    assert!(wrong.is_empty(), "{role:?}:\n{}", wrong.join("\n"));
}

/// Compares the heading and the status with what the role is to see.
fn arrived(window: &Window, page: &Page, role: Role, note: &mut impl FnMut(String)) {
    let script = "return [performance.getEntriesByType('navigation')[0].responseStatus,
                          document.querySelector('h1').innerText.trim()]";
    let found = window.run(script, json!([]));
    let (status, heading) = (found[0].as_i64().unwrap_or(0), found[1].as_str());
    let heading = heading.unwrap_or_default();
    let fits = match page.seen_by.contains(&role) {
        true => status == 200 && (page.heading.is_empty() || heading == page.heading),
        false => [
            (403, "Not allowed"),
            (404, "Nothing here"),
            (409, "Conflict"),
        ]
        .contains(&(status, heading)),
    };
    if !fits {
        note(format!("{role:?} got {status} {heading:?}"));
    }
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn for_an_owner() {
    sweep(Role::Owner);
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn for_a_member() {
    sweep(Role::Member);
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn for_an_admin() {
    sweep(Role::Admin);
}

#[test]
#[ignore = "minutes in a browser: .ci/run runs it"]
fn for_an_outsider() {
    sweep(Role::Outsider);
}
