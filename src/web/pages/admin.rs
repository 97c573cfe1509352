//! What administers the workspace: keys and tokens, the audit log, the directory, boards, and how the server stands.

pub mod boards;

use crate::server::Problem;
use crate::web::visit::Visit;
use maud::{Markup, html};

/// Refuses people who do not administer the workspace.
fn check(visit: &Visit) -> Result<(), Problem> {
    Ok(visit.caller.check_administer()?)
}

/// The way back, above the heading of a page.
fn crumbs() -> Markup {
    html! { p.crumbs { a href="/admin" { "Admin" } } }
}
