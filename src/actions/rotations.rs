//! Changes and deletes rotations.

use super::ActionError;
use super::chat_ids::Named;
use super::draft::Draft;
use super::duty_group::check_no_circle;
use super::membership::{check_groups_included, check_people, known_groups, known_people};
use super::mutation::Operation;
use crate::domain::access::Principal;
use crate::domain::edit::RotationPatch;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::holidays::Calendar;
use crate::domain::ids::GroupId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{self, MemberLists, ReadTx, WriteTx};

/// Changes the members of a rotation that the patch contains.
pub struct PatchRotation(pub RotationPatch);

/// The people that a patch names.
fn named(patch: &RotationPatch) -> Named {
    let lists = [&patch.owners, &patch.users];
    Named::people(lists.into_iter().flatten().flatten())
}

impl Operation for PatchRotation {
    const NAME: &'static str = "patch rotation";
    type Output = ();

    fn changes_duty(&self, rotation: &Rotation) -> bool {
        let PatchRotation(patch) = self;
        let differs = |sent: Option<bool>, is: bool| sent.is_some_and(|sent| sent != is);
        let users = patch.users.as_ref();
        users.is_some_and(|users| *users != rotation.members.users)
            || patch
                .groups
                .as_ref()
                .is_some_and(|groups| !groups.is_empty())
            || differs(patch.double_cover, rotation.double_cover)
            || differs(patch.skips_are_off_time, rotation.skips_are_off_time)
            || patch.absence_policy.as_ref().is_some_and(|change| {
                rotation.absence_policy.changed(change) != Ok(rotation.absence_policy)
            })
    }

    fn named(&self) -> Named {
        named(&self.0)
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), ActionError> {
        let PatchRotation(patch) = self;
        check_patch(&tx.as_read(), &patch, draft)?;
        apply_profile(&patch, &mut draft.rotation);
        let before = draft.rotation.clone();
        // A list sent unchanged is not written: that would delete people who are deactivated temporarily.
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
        if let Some(change) = &patch.absence_policy {
            draft.rotation.absence_policy = before
                .absence_policy
                .changed(change)
                .map_err(Refusal::Invalid)?;
            draft.reload_absences(tx)?;
        }
        if before.enabled && !draft.rotation.enabled {
            // Everything due by now is processed, so it is frozen as of now.
            draft.rotation.stamps.judged_at = draft.instant(tx);
        }
        if !draft.rotation.same_as(&before) {
            // Enabling judges the windows now: what opened or shut meanwhile counts as scheduled.
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

fn check_patch(tx: &ReadTx, patch: &RotationPatch, draft: &Draft) -> Result<(), ActionError> {
    let owners = patch.owners.as_ref();
    // Owners sent as they stand may have left the workspace since.
    let owners = owners.filter(|owners| **owners != draft.rotation.profile.owners);
    known_people(tx, "owners", owners.map_or(&[], Vec::as_slice))?;
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
        && store::rotation_by_code(tx, code)?.is_some_and(|holder| holder != draft.rotation.id)
    {
        return Err(Refusal::RotationCodeTaken(code.clone()).into());
    }
    Ok(())
}

/// [`PatchRotation`] for a caller who repeats what the rotation shows.
pub struct PatchShown {
    pub patch: RotationPatch,
    pub agrees: Agrees,
}

/// Refuses what a caller says of a rotation where it is not so.
pub type Agrees = Box<dyn FnOnce(&Rotation, &Calendar) -> Result<(), Refusal> + Send>;

impl Operation for PatchShown {
    const NAME: &'static str = PatchRotation::NAME;
    type Output = ();

    fn changes_duty(&self, rotation: &Rotation) -> bool {
        // What PATCH cannot change is refused by what the rotation shows, whatever drives it.
        let PatchShown { patch, .. } = self;
        PatchRotation(patch.clone()).changes_duty(rotation)
    }

    fn named(&self) -> Named {
        named(&self.patch)
    }

    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        caller: &Principal,
    ) -> Result<(), ActionError> {
        (self.agrees)(&draft.rotation, draft.calendar)?;
        PatchRotation(self.patch).apply(tx, draft, caller)
    }
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

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<(), ActionError> {
        Ok(draft.delete(tx)?)
    }
}
