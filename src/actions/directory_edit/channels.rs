//! Adds, changes and deletes channels.

use super::{Check, check_own, differing, refused};
use crate::actions::directory_sync::follow_changes;
use crate::actions::{ActionError, App, audit};
use crate::domain::audit::{AuditedChange, Author, quoted};
use crate::domain::directory::{Channel, Source};
use crate::domain::directory_edit::ChannelPatch;
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::ChannelId;
use crate::domain::refusal::{DirectoryFault, Refusal};
use crate::store;

/// A change of a channel.
pub struct ChannelEdit {
    pub channel: ChannelId,
    pub patch: ChannelPatch,
    pub check: Check<Channel>,
}

/// Adds a channel.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for callers who may not, [`Refusal::Directory`] where the chat platform owns the directory and
/// for an id that another channel has.
pub fn create_channel(
    app: &App,
    author: &Author,
    id: Option<String>,
    with: ChannelPatch,
) -> Result<Channel, ActionError> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        check_own(&shared)?;
        let id = match id {
            Some(id) => ChannelId::from(id),
            None => ChannelId::from(tx.mint("chn_")),
        };
        if store::load_channel(&tx.as_read(), &id)?.is_some() {
            return Err(refused("id", DirectoryFault::DuplicateId).into());
        }
        let mut channel = Channel {
            id,
            team_id: store::load_team(&tx.as_read())?.id,
            name: None,
            is_private: false,
            app_is_member: true,
            topic: None,
            source: Source::Page,
        };
        with.apply(&mut channel);
        let mut changes = DirectoryChanges::default();
        changes.add_channel(None, channel.clone());
        let said = format!("channel added: {}", name(&channel));
        follow_changes(&shared, tx, author, &changes)?;
        let change = AuditedChange::of(channel.id.as_str(), said);
        Ok((channel, Some(change)))
    })
}

/// Changes a channel.
///
/// # Errors
/// As [`create_channel`]; [`Refusal::NotFound`] if there is no such channel, and those of the check.
pub fn edit_channel(app: &App, author: &Author, edit: ChannelEdit) -> Result<Channel, ActionError> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        let before = store::load_channel(&tx.as_read(), &edit.channel)?;
        let before = before.ok_or(Refusal::NotFound("channel"))?;
        (edit.check)(&before)?;
        check_own(&shared)?;
        let mut channel = before.clone();
        edit.patch.apply(&mut channel);
        if channel == before {
            return Ok((channel, None));
        }
        let mut changes = DirectoryChanges::default();
        changes.add_channel(Some(&before), channel.clone());
        let changed = differing(&[
            ("name", before.name != channel.name),
            ("private", before.is_private != channel.is_private),
            ("membership", before.app_is_member != channel.app_is_member),
        ]);
        let said = format!("channel changed: {}: {changed}", name(&channel));
        follow_changes(&shared, tx, author, &changes)?;
        let change = AuditedChange::of(channel.id.as_str(), said);
        Ok((channel, Some(change)))
    })
}

/// Deletes a channel. Nothing more is posted there.
///
/// # Errors
/// As [`edit_channel`].
pub fn remove_channel(
    app: &App,
    author: &Author,
    id: ChannelId,
    check: Check<Channel>,
) -> Result<(), ActionError> {
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, author| {
        author.principal.check_directory()?;
        let found = store::load_channel(&tx.as_read(), &id)?;
        let found = found.ok_or(Refusal::NotFound("channel"))?;
        check(&found)?;
        check_own(&shared)?;
        let changes = DirectoryChanges {
            lost_channels: vec![id.clone()],
            ..DirectoryChanges::default()
        };
        let said = format!("channel deleted: {}", name(&found));
        follow_changes(&shared, tx, author, &changes)?;
        Ok(((), Some(AuditedChange::of(id.as_str(), said))))
    })
}

fn name(channel: &Channel) -> String {
    quoted(channel.name.as_deref().unwrap_or(channel.id.as_str()))
}
