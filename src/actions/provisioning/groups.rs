//! User groups of SCIM.

use super::following::write_changes;
use super::refused;
use crate::actions::directory_edit::changed_group;
use crate::actions::{App, Result, audit};
use crate::domain::audit::{AuditedChange, Author, Phrase};
use crate::domain::directory::{Group, Source};
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::{GroupId, UserId};
use crate::domain::provisioning::{GroupImage, ProvisionedGroup, ScimFault, handle_of};
use crate::domain::refusal::Refusal;
use crate::store::{self, ReadTx, WriteTx};
use std::collections::HashSet;

/// What a request makes of a user group as it stands, or why not.
pub type GroupChange = Box<dyn FnOnce(&ProvisionedGroup) -> Result<GroupImage, Refusal> + Send>;

/// Adds a user group. Its handle comes from its name, and stays.
///
/// # Errors
/// [`Refusal::Provisioning`] for members who are not listed.
pub fn create_group(app: &App, author: &Author, image: GroupImage) -> Result<ProvisionedGroup> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        super::check(&shared, &author.principal)?;
        check_members(&tx.as_read(), &image.users, &[])?;
        let id = GroupId::from(tx.mint("grp_"));
        let read = tx.as_read();
        let handle = handle_of(&image.name, |handle| {
            store::is_group_handle_taken(&read, handle, &id)
        })?;
        let group = Group {
            id: id.clone(),
            team_id: store::load_team(&read)?.id,
            name: Some(image.name.clone()),
            handle: Some(handle),
            users: image.users.clone(),
            source: Source::Scim,
        };
        let mut changes = DirectoryChanges::default();
        changes.add_group(None, group);
        write_changes(&shared, tx, author, &changes)?;
        store::save_provisioned_group(tx, &id, &image.attributes)?;
        let said = Phrase::from("user group added: ").and(&id);
        let change = AuditedChange::of(id.as_str(), said);
        Ok((found(tx, &id)?, Some(change)))
    })
}

/// Changes a user group.
///
/// # Errors
/// [`Refusal::NotFound`] if there is no such group, those of the change, and [`Refusal::Provisioning`] for members who are not
/// listed.
pub fn edit_group(
    app: &App,
    author: &Author,
    id: GroupId,
    change: GroupChange,
) -> Result<ProvisionedGroup> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        super::check(&shared, &author.principal)?;
        let known = found(tx, &id)?;
        let image = change(&known)?;
        check_members(&tx.as_read(), &image.users, &known.group.users)?;
        let before = &known.group;
        let group = Group {
            // A name that was only shown, because there was none, is no change.
            name: match shown_name(before) == image.name {
                true => before.name.clone(),
                false => Some(image.name.clone()),
            },
            users: image.users.clone(),
            source: Source::Scim,
            ..before.clone()
        };
        let said = changed_group(before, &group);
        let has_other_attributes = known.attributes.as_ref() != Some(&image.attributes);
        let mut changes = DirectoryChanges::default();
        changes.add_group(Some(before), group);
        write_changes(&shared, tx, author, &changes)?;
        if has_other_attributes {
            store::save_provisioned_group(tx, &id, &image.attributes)?;
        }
        let said = match said.is_empty() && has_other_attributes {
            true => "attributes of the provider".to_owned(),
            false => said,
        };
        let words = Phrase::from("user group changed: ").and(&id);
        let words = words.and(format!(": {said}"));
        let change = (!said.is_empty()).then(|| AuditedChange::of(id.as_str(), words));
        Ok((found(tx, &id)?, change))
    })
}

/// The name by which a user group is listed.
pub(super) fn shown_name(group: &Group) -> &str {
    let known = group.name.as_deref().or(group.handle.as_deref());
    known.unwrap_or(group.id.as_str())
}

/// Deletes a user group.
///
/// # Errors
/// As [`edit_group`].
pub fn remove_group(
    app: &App,
    author: &Author,
    id: GroupId,
    check: impl FnOnce(&ProvisionedGroup) -> Result<(), Refusal> + Send + 'static,
) -> Result<()> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        super::check(&shared, &author.principal)?;
        check(&found(tx, &id)?)?;
        let said = Phrase::from("user group deleted: ").and(&id);
        let changes = DirectoryChanges {
            lost_groups: vec![id.clone()],
            regrouped: vec![id.clone()],
            ..DirectoryChanges::default()
        };
        write_changes(&shared, tx, author, &changes)?;
        Ok(((), Some(AuditedChange::of(id.as_str(), said))))
    })
}

fn found(tx: &WriteTx, id: &GroupId) -> Result<ProvisionedGroup> {
    let found = store::load_provisioned_group(&tx.as_read(), id)?;
    Ok(found.ok_or(Refusal::NotFound("group"))?)
}

/// Refuses newcomers who are not listed.
fn check_members(tx: &ReadTx, users: &[UserId], before: &[UserId]) -> Result<()> {
    let known: HashSet<&UserId> = before.iter().collect();
    for user in users {
        if !known.contains(user) && store::load_provisioned_person(tx, user)?.is_none() {
            let detail = format!("members: nobody is listed with the id {user}; send ids of Users");
            return Err(refused(ScimFault::InvalidValue, detail).into());
        }
    }
    Ok(())
}
