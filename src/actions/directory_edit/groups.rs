//! Adds, changes and deletes user groups.

use super::{Check, check_local, differing, refused};
use crate::actions::directory_sync::follow_changes;
use crate::actions::{ActionError, App, audit, membership};
use crate::domain::audit::{AuditedChange, Author, quoted};
use crate::domain::directory::{Group, Source};
use crate::domain::directory_edit::GroupPatch;
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::refusal::{DirectoryFault, Refusal};
use crate::store::{self, ReadTx};

/// A change of a user group.
pub struct GroupEdit {
    pub group: GroupId,
    pub patch: GroupPatch,
    pub check: Check<Group>,
}

/// A user group by id, with its people in order.
pub fn load_group(tx: &ReadTx, id: &GroupId) -> Result<Option<Group>, ActionError> {
    let Some(group) = store::load_group(tx, id)? else {
        return Ok(None);
    };
    let users = store::list_group_people(tx, id)?;
    Ok(Some(Group { users, ..group }))
}

/// Adds a user group.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for callers who may not, [`Refusal::Directory`] where the chat platform owns the directory and
/// for values that another group has, [`Refusal::Invalid`] for people whom the workspace does not have.
pub fn create_group(
    app: &App,
    author: &Author,
    id: Option<String>,
    with: GroupPatch,
) -> Result<Group, ActionError> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        check_local(&shared)?;
        let id = match id {
            Some(id) => GroupId::from(id),
            None => GroupId::from(tx.mint("grp_")),
        };
        if store::load_group(&tx.as_read(), &id)?.is_some() {
            return Err(refused("id", DirectoryFault::DuplicateId).into());
        }
        let mut group = Group {
            id,
            team_id: store::load_team(&tx.as_read())?.id,
            name: None,
            handle: None,
            users: Vec::new(),
            source: Source::Page,
        };
        with.apply(&mut group);
        check(&tx.as_read(), None, &group)?;
        let mut changes = DirectoryChanges::default();
        changes.add_group(None, group.clone());
        let said = format!("user group added: {}", name(&group));
        follow_changes(&shared, tx, author, &changes)?;
        let change = AuditedChange::of(group.id.as_str(), said);
        Ok((group, Some(change)))
    })
}

/// Changes a user group.
///
/// # Errors
/// As [`create_group`]; [`Refusal::NotFound`] if there is no such group, those of the check, and [`Refusal::Directory`] for a
/// group that is provisioned.
pub fn edit_group(app: &App, author: &Author, edit: GroupEdit) -> Result<Group, ActionError> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        let before = load_group(&tx.as_read(), &edit.group)?;
        let before = before.ok_or(Refusal::NotFound("group"))?;
        (edit.check)(&before)?;
        check_local(&shared)?;
        let mut group = before.clone();
        edit.patch.apply(&mut group);
        if group == before {
            return Ok((group, None));
        }
        check_not_provisioned(&before)?;
        check(&tx.as_read(), Some(&before), &group)?;
        let mut changes = DirectoryChanges::default();
        changes.add_group(Some(&before), group.clone());
        let changed = changed(&before, &group);
        let said = format!("user group changed: {}: {changed}", name(&group));
        follow_changes(&shared, tx, author, &changes)?;
        let change = AuditedChange::of(group.id.as_str(), said);
        Ok((group, Some(change)))
    })
}

/// Deletes a user group. Rotations that follow it lose its people, as with a directory file without it.
///
/// # Errors
/// As [`edit_group`].
pub fn remove_group(
    app: &App,
    author: &Author,
    id: GroupId,
    check: Check<Group>,
) -> Result<(), ActionError> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        let found = load_group(&tx.as_read(), &id)?;
        let found = found.ok_or(Refusal::NotFound("group"))?;
        check(&found)?;
        check_local(&shared)?;
        check_not_provisioned(&found)?;
        let changes = DirectoryChanges {
            lost_groups: vec![id.clone()],
            regrouped: vec![id.clone()],
            ..DirectoryChanges::default()
        };
        let said = format!("user group deleted: {}", name(&found));
        follow_changes(&shared, tx, author, &changes)?;
        Ok(((), Some(AuditedChange::of(id.as_str(), said))))
    })
}

/// What an audit entry says of a change.
pub(in crate::actions) fn changed(before: &Group, after: &Group) -> String {
    differing(&[
        ("name", before.name != after.name),
        ("handle", before.handle != after.handle),
        ("people", before.users != after.users),
    ])
}

fn name(group: &Group) -> String {
    quoted(group.name.as_deref().unwrap_or(group.id.as_str()))
}

fn check_not_provisioned(group: &Group) -> Result<(), Refusal> {
    match group.source {
        Source::Scim => Err(refused("", DirectoryFault::GroupIsProvisioned)),
        _ => Ok(()),
    }
}

/// Refuses a handle that another group has, and newcomers who are not in the workspace.
fn check(tx: &ReadTx, before: Option<&Group>, after: &Group) -> Result<(), ActionError> {
    if let Some(handle) = &after.handle
        && before.is_none_or(|before| before.handle != after.handle)
        && store::is_group_handle_taken(tx, handle, &after.id)?
    {
        return Err(refused("handle", DirectoryFault::DuplicateHandle).into());
    }
    let known = |user: &&UserId| before.is_none_or(|before| !before.users.contains(user));
    let newcomers: Vec<UserId> = after.users.iter().filter(known).cloned().collect();
    membership::known_among(tx, "userIds", &after.users, &newcomers)
}
