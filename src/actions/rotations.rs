//! Changing and deleting rotations.

use super::duty_group::check_no_circle;
use super::membership::{check_groups_included, check_people, known_groups, known_people};
use super::mutation::{self, Draft, edit};
use super::{App, Stop, notifications, outbox};
use crate::domain::access::Principal;
use crate::domain::edit::{ChannelChange, RotationPatch};
use crate::domain::event::Event;
use crate::domain::grid::{self, GridSpec};
use crate::domain::handover::WindowChange;
use crate::domain::ids::{ChannelId, GroupId, RosterId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{ChannelSetting, Narrowed, Rotation};
use crate::store::{self, MemberLists, ReadTx};
use crate::wire::etag::Precondition;

/// Channels that a rotation may tell (contract section 17 "Grid", limits).
const MAX_CHANNELS: usize = 50;

/// Changes the members of a rotation that the patch names (contract section 5, rule 9).
pub fn patch(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    patch: RotationPatch,
) -> Result<Rotation, Stop> {
    edit(app, caller, id, precondition, move |tx, draft| {
        check_patch(&tx.as_read(), &patch, draft)?;
        apply_profile(&patch, &mut draft.rotation);
        let before = draft.rotation.clone();
        // A list sent as it stands is not written: it would forget people who are deactivated for a while.
        let groups = before.members.groups.iter().map(|group| &group.group);
        let lists = MemberLists {
            users: patch.users.filter(|users| *users != before.members.users),
            groups: patch.groups.filter(|wanted| !wanted.iter().eq(groups)),
        };
        if lists != MemberLists::default() {
            store::save_members(tx, &draft.rotation.id, &lists)?;
            draft.reload_members(tx)?;
        }
        draft.rotation.enabled = patch.enabled.unwrap_or(draft.rotation.enabled);
        draft.rotation.double_cover = patch.double_cover.unwrap_or(draft.rotation.double_cover);
        draft.rotation.skips_are_off_time = patch
            .skips_are_off_time
            .unwrap_or(draft.rotation.skips_are_off_time);
        if before.enabled && !draft.rotation.enabled {
            // Everything due by now is done: it stands still as of now.
            draft.rotation.stamps.judged_at = draft.instant(tx);
        }
        if !draft.rotation.same_as(&before) {
            // Enabling judges the windows now: what opened or shut meanwhile did so by the clock.
            let enabled = draft.rotation.enabled && !before.enabled;
            let window_change = if enabled {
                WindowChange::ByClock
            } else {
                WindowChange::ByEdit
            };
            draft.follow_members(tx, &before, window_change);
        }
        Ok(())
    })
}

fn check_patch(tx: &ReadTx, patch: &RotationPatch, draft: &Draft) -> Result<(), Stop> {
    known_people(tx, "owners", patch.owners.as_deref().unwrap_or_default())?;
    known_people(tx, "userIds", patch.users.as_deref().unwrap_or_default())?;
    known_groups(tx, patch.groups.as_deref().unwrap_or_default())?;
    if let Some(filled) = &draft.rotation.profile.duty_group {
        let member = |index| format!("userGroupIds[{index}]");
        check_no_circle(tx, patch.groups.iter().flatten(), filled, member)?;
    }
    check_groups_included(
        &draft.plan,
        patch
            .groups
            .as_ref()
            .is_some_and(|groups| !groups.is_empty()),
    )?;
    if patch.users.is_some() || patch.groups.is_some() {
        let members = &draft.rotation.members;
        let groups: Vec<GroupId> = members
            .groups
            .iter()
            .map(|group| group.group.clone())
            .collect();
        let users = patch.users.as_deref().unwrap_or(&members.users);
        let groups = patch.groups.as_deref().unwrap_or(&groups);
        check_people(tx, &draft.plan, Some(&draft.rotation.id), users, groups)?;
    }
    if let Some(Some(code)) = &patch.code
        && store::code_holder(tx, code)?.is_some_and(|holder| holder != draft.rotation.id)
    {
        return Err(Refusal::RotationCodeTaken(code.clone()).into());
    }
    Ok(())
}

fn apply_profile(patch: &RotationPatch, rotation: &mut Rotation) {
    fn set<T: Clone>(slot: &mut T, value: &Option<T>) {
        if let Some(value) = value {
            slot.clone_from(value);
        }
    }
    let profile = &mut rotation.profile;
    set(&mut profile.name, &patch.name);
    set(&mut profile.description, &patch.description);
    set(&mut profile.code, &patch.code);
    set(&mut profile.public, &patch.public);
    set(&mut profile.owners, &patch.owners);
    set(&mut profile.enable_topic, &patch.enable_topic);
    set(&mut profile.topic_template, &patch.topic_template);
}

/// Deletes a rotation with everything in it.
pub fn delete(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
) -> Result<(), Stop> {
    let shared = app.clone();
    let exists = |_: &ReadTx, _: &Rotation| Ok(());
    mutation::judged(app, caller, id, precondition, exists, move |tx, draft| {
        store::remove_rotation(tx, &draft.rotation.id)?;
        outbox::announce(tx, &shared, &draft.rotation, &[Event::Deleted])?;
        notifications::deleted(tx, &draft.rotation)?;
        Ok(())
    })
}

/// Says what a channel is told; adds it if absent, removes it when it is told nothing
/// (api.md "PUT .../channels/{channelId}").
pub fn set_channel(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    channel: ChannelId,
    change: ChannelChange,
) -> Result<Rotation, Stop> {
    let named = channel.clone();
    let exists = move |tx: &ReadTx, rotation: &Rotation| {
        let told = rotation
            .profile
            .channels
            .iter()
            .any(|setting| setting.channel == named);
        if !told && !store::is_known_channel(tx, &named)? {
            return Err(Refusal::NotFound("channel").into());
        }
        Ok(())
    };
    mutation::edit_within(app, caller, id, precondition, exists, move |_, draft| {
        let profile = &mut draft.rotation.profile;
        let known = profile
            .channels
            .iter()
            .position(|setting| setting.channel == channel);
        let index = known.unwrap_or_else(|| {
            let syncs_topic = profile.enable_topic;
            profile.channels.push(ChannelSetting {
                channel,
                posts_messages: true,
                syncs_topic,
            });
            profile.channels.len() - 1
        });
        let setting = &mut profile.channels[index];
        setting.posts_messages = change.posts_messages.unwrap_or(setting.posts_messages);
        setting.syncs_topic = change.syncs_topic.unwrap_or(setting.syncs_topic);
        if !setting.posts_messages && !setting.syncs_topic {
            profile.channels.remove(index);
        }
        if profile.channels.len() > MAX_CHANNELS {
            return Err(Refusal::Invalid(format!(
                "a rotation has at most {MAX_CHANNELS} channels"
            ))
            .into());
        }
        Ok(())
    })
}

/// Replaces the grid and deals the places that this leaves empty (api.md "PUT .../coverage").
pub fn replace_coverage(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    spec: GridSpec,
) -> Result<Rotation, Stop> {
    edit(app, caller, id, precondition, move |tx, draft| {
        let (at, before) = (draft.instant(tx), draft.rotation.clone());
        grid::replace(
            &mut draft.rotation,
            &spec,
            &draft.plan,
            draft.calendar,
            at,
            &mut |prefix| tx.mint(prefix),
        )?;
        if !draft.rotation.same_as(&before) {
            draft.redeal(tx, &before, WindowChange::ByEdit, |_| ());
        }
        Ok(())
    })
}

/// Narrows or reorders a roster to some of the members (contract section 5, rule 2).
pub fn narrow_roster(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    roster: RosterId,
    narrowed: Narrowed,
) -> Result<Rotation, Stop> {
    let named = roster.clone();
    let exists = move |_: &ReadTx, rotation: &Rotation| {
        let there = rotation
            .rosters
            .iter()
            .any(|known| known.id.as_ref() == Some(&named));
        if there {
            Ok(())
        } else {
            Err(Refusal::NotFound("roster").into())
        }
    };
    mutation::edit_within(app, caller, id, precondition, exists, move |tx, draft| {
        let before = draft.rotation.clone();
        let index = before.roster_index(Some(&roster));
        if let Some(stranger) = narrowed
            .users
            .iter()
            .position(|user| !before.has_member(user))
        {
            let detail = format!("userIds[{stranger}]: not a member of this rotation");
            return Err(Refusal::Invalid(detail).into());
        }
        let follows = |group: &GroupId| {
            before
                .members
                .groups
                .iter()
                .any(|known| &known.group == group)
        };
        if let Some(stranger) = narrowed.groups.iter().position(|group| !follows(group)) {
            let detail = format!("userGroupIds[{stranger}]: not a user group of this rotation");
            return Err(Refusal::Invalid(detail).into());
        }
        draft.rotation.rosters[index].narrowed = Some(narrowed);
        if !draft.rotation.same_as(&before) {
            draft.follow_members(tx, &before, WindowChange::ByEdit);
        }
        Ok(())
    })
}
