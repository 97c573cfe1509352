//! The pages that administer the workspace: keys and tokens, the audit log, the directory, boards, and how the server stands.

pub mod audit;
pub mod boards;
pub mod directory;
pub mod keys;
pub mod overview;
pub mod tokens;

use crate::domain::refusal::{Refusal, invalid};
use crate::server::Problem;
use crate::web::parts::fields::Choice;
use crate::web::visit::Visit;
use maud::{Markup, html};
use std::time::Duration;

/// Refuses people who do not administer the workspace.
fn check(visit: &Visit) -> Result<(), Problem> {
    Ok(visit.caller.check_administer()?)
}

/// The way back, above the heading of a page.
fn crumbs() -> Markup {
    html! { p.crumb { a href="/admin" { "Admin" } } }
}

const DAY: u64 = 24 * 60 * 60;

/// After how long keys and tokens may expire: what the form sends, what it is called, and the seconds; the first is the usual one.
const LIFETIMES: [(&str, &str, Option<u64>); 6] = [
    ("90d", "After 90 days", Some(90 * DAY)),
    ("1d", "After a day", Some(DAY)),
    ("7d", "After a week", Some(7 * DAY)),
    ("30d", "After 30 days", Some(30 * DAY)),
    ("365d", "After a year", Some(365 * DAY)),
    ("never", "Never", None),
];

fn lifetimes() -> [Choice; 6] {
    LIFETIMES.map(|(value, label, _)| Choice::new(value, label))
}

/// How long what is made lives, as the form says in `expires`; `None` is forever.
fn lifetime(visit: &Visit) -> Result<Option<Duration>, Refusal> {
    let chosen = visit.form.one("expires");
    let known = LIFETIMES.iter().find(|(value, _, _)| *value == chosen);
    match known {
        Some((_, _, seconds)) => Ok(seconds.map(Duration::from_secs)),
        None => invalid("expires", "choose one of the list"),
    }
}
