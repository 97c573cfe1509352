//! Changing and deleting rotations.

use super::Stop;
use super::draft::Draft;
use super::duty_group::check_no_circle;
use super::membership::{check_groups_included, check_people, known_groups, known_people};
use super::mutation::Operation;
use crate::domain::access::Principal;
use crate::domain::edit::RotationPatch;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::GroupId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{self, MemberLists, ReadTx, WriteTx};

/// Changes the members of a rotation that the patch names.
pub struct PatchRotation(pub RotationPatch);

impl Operation for PatchRotation {
    const NAME: &'static str = "patch rotation";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
        let PatchRotation(patch) = self;
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
        draft.settle(tx, Act::Edit)?;
        Ok(())
    }
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
        &draft.tier_limits,
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
        check_people(
            tx,
            &draft.tier_limits,
            Some(&draft.rotation.id),
            users,
            groups,
        )?;
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
pub struct DeleteRotation;

impl Operation for DeleteRotation {
    const NAME: &'static str = "delete rotation";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), Stop> {
        Ok(draft.delete(tx)?)
    }
}
