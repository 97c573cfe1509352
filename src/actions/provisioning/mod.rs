//! Writes and reads of SCIM: people and user groups as a provider of identities has them (rules.md 17.14 to 17.19).
//!
//! They write the records that the directory's own writes do. Somebody who is deactivated leaves rotations in the transaction of the
//! write. Everything else is followed a moment later, by the worker here, so that what a provider says in several requests is followed
//! as one change.

mod following;
mod groups;
mod people;

pub use following::{FollowWorker, follow_now};
pub use groups::{GroupChange, create_group, edit_group, remove_group};
pub use people::{PersonChange, create_person, edit_person, remove_person};

use super::directory_edit::check_local;
use super::{App, Result};
use crate::domain::access::Principal;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::provisioning::{ProvisionedGroup, ProvisionedPerson, ScimFault};
use crate::domain::refusal::Refusal;
use crate::store;

/// Refuses callers who may not, and where the chat platform owns the directory.
///
/// # Errors
/// [`Refusal::ScopeDenied`], [`Refusal::ResourceDenied`] and [`Refusal::Directory`].
pub fn check(app: &App, caller: &Principal) -> Result<(), Refusal> {
    if !matches!(caller, Principal::Key { .. }) {
        return Err(Refusal::ScopeDenied(
            "SCIM needs an API key with the scope `manage:directory`, not a token of a person"
                .into(),
        ));
    }
    caller.check_directory()?;
    check_local(app)
}

/// Everybody who is listed, by id.
///
/// # Errors
/// If the storage fails.
pub fn list_people(app: &App) -> Result<Vec<ProvisionedPerson>> {
    Ok(app.store().read(store::list_provisioned_people)?)
}

/// A person who is listed.
///
/// # Errors
/// [`Refusal::NotFound`].
pub fn find_person(app: &App, user: &UserId) -> Result<ProvisionedPerson> {
    let found = app
        .store()
        .read(|tx| store::load_provisioned_person(tx, user))?;
    Ok(found.ok_or(Refusal::NotFound("user"))?)
}

/// All user groups, by id.
///
/// # Errors
/// If the storage fails.
pub fn list_groups(app: &App) -> Result<Vec<ProvisionedGroup>> {
    Ok(app.store().read(store::list_provisioned_groups)?)
}

/// A user group.
///
/// # Errors
/// [`Refusal::NotFound`].
pub fn find_group(app: &App, group: &GroupId) -> Result<ProvisionedGroup> {
    let found = app
        .store()
        .read(|tx| store::load_provisioned_group(tx, group))?;
    Ok(found.ok_or(Refusal::NotFound("group"))?)
}

fn refused(fault: ScimFault, detail: impl Into<String>) -> Refusal {
    Refusal::Provisioning(fault, detail.into())
}
