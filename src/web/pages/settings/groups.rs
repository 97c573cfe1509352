//! User groups by name.

use crate::domain::ids::GroupId;
use crate::server::Problem;
use crate::store::{Group, Page, list_groups, load_group};
use crate::web::visit::Visit;

/// User groups that a form offers at the most.
const OFFERED: u32 = 500;

/// The user groups of the workspace that a form offers.
pub fn offered(visit: &Visit) -> Result<Vec<Group>, Problem> {
    let page = Page::first(OFFERED);
    let (groups, _) = visit
        .app()
        .store()
        .read(|tx| list_groups(tx, None, false, page))?;
    Ok(groups)
}

/// What a user group is called.
pub fn name(group: &Group) -> String {
    let handle = group
        .handle
        .as_ref()
        .map(|handle| format!("@{}", handle.trim_start_matches('@')));
    let named = group.name.clone().or(handle);
    named.unwrap_or_else(|| group.id.to_string())
}

/// The same by its id.
pub fn called(visit: &Visit, id: &GroupId) -> Result<String, Problem> {
    let found = visit.app().store().read(|tx| load_group(tx, id))?;
    Ok(found.as_ref().map_or_else(|| id.to_string(), name))
}
