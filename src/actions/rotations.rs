//! Changes and deletes rotations.

use super::chat_ids::NamedIds;
use super::draft::Draft;
use super::duty_group::check_no_circle;
use super::membership::{check_groups_included, check_people, known_groups, known_people};
use super::mutation::Operation;
use super::{Error, Result};
use crate::domain::access::Principal;
use crate::domain::edit::RotationPatch;
use crate::domain::editing::People;
use crate::domain::event::Act;
use crate::domain::holidays::Calendar;
use crate::domain::ids::GroupId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::{GroupMembers, Members, Rotation};
use crate::domain::tiers::TierLimits;
use crate::store::{self, MemberLists, ReadTx, WriteTx};
use std::sync::Arc;

/// Changes the members of a rotation that the patch contains.
pub struct PatchRotation(pub RotationPatch);

/// The people that a patch names.
fn named(patch: &RotationPatch) -> NamedIds {
    let lists = [&patch.owners, &patch.users];
    NamedIds::people(lists.into_iter().flatten().flatten())
}

impl Operation for PatchRotation {
    const NAME: &'static str = "patch rotation";
    type Output = ();

    fn changes_duty(&self, rotation: &Rotation) -> bool {
        changes_duty(&self.0, rotation)
    }

    fn named(&self) -> NamedIds {
        named(&self.0)
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let PatchRotation(patch) = self;
        check_patch(&tx.as_read(), &patch, &draft.rotation, &draft.tier_limits)?;
        check_code(&tx.as_read(), &patch, &draft.rotation)?;
        let then = people_then(&tx.as_read(), &patch, &draft.rotation)?;
        if let Some((lists, _)) = &then {
            store::save_members(tx, &draft.rotation.id, lists)?;
        }
        let editing = draft.editing(tx);
        editing.patch(&mut draft.rotation, &patch, then.map(|(_, people)| people));
        draft.store(tx, Act::Edit)?;
        Ok(())
    }
}

/// Whether a patch would change who is on duty, or whom duty passes to.
pub(super) fn changes_duty(patch: &RotationPatch, rotation: &Rotation) -> bool {
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
        || patch.dealing.as_ref().is_some_and(|change| {
            rotation.dealing.changed(change).as_ref() != Ok(&rotation.dealing)
        })
}

/// Refuses a patch that names who or what is not there, or that the tier does not include.
pub(super) fn check_patch(
    tx: &ReadTx,
    patch: &RotationPatch,
    rotation: &Rotation,
    limits: &TierLimits,
) -> Result<()> {
    let owners = patch.owners.as_ref();
    // Owners sent as they stand may have left the workspace since.
    let owners = owners.filter(|owners| **owners != rotation.profile.owners);
    known_people(tx, "owners", owners.map_or(&[], Vec::as_slice))?;
    known_people(tx, "userIds", patch.users.as_deref().unwrap_or_default())?;
    known_groups(tx, patch.groups.as_deref().unwrap_or_default())?;
    if let Some(filled) = &rotation.profile.duty_group {
        let member = |index| format!("userGroupIds[{index}]");
        check_no_circle(tx, patch.groups.iter().flatten(), filled, member)?;
    }
    if let Some(Some(summary)) = &patch.summary {
        let channels = rotation.profile.channels.iter();
        summary.check_among(channels.map(|setting| &setting.channel))?;
    }
    check_groups_included(
        limits,
        patch
            .groups
            .as_ref()
            .is_some_and(|groups| !groups.is_empty()),
    )?;
    if patch.users.is_some() || patch.groups.is_some() {
        let members = &rotation.members;
        let groups: Vec<GroupId> = members
            .groups
            .iter()
            .map(|group| group.group.clone())
            .collect();
        let users = patch.users.as_deref().unwrap_or(&members.users);
        let groups = patch.groups.as_deref().unwrap_or(&groups);
        check_people(tx, limits, Some(&rotation.id), users, groups)?;
    }
    if let Some(change) = &patch.dealing {
        let changed = rotation.dealing.changed(change)?;
        let then = people_then(tx, patch, rotation)?;
        let members = then.as_ref().map(|(_, people)| &people.members);
        let members = members.unwrap_or(&rotation.members);
        if change.shares.is_some() {
            changed.check_members(|user| members.contains(user))?;
        }
    }
    Ok(())
}

/// Refuses a patch whose code another rotation has.
pub(super) fn check_code(tx: &ReadTx, patch: &RotationPatch, rotation: &Rotation) -> Result<()> {
    if let Some(Some(code)) = &patch.code
        && store::rotation_by_code(tx, code)?.is_some_and(|holder| holder != rotation.id)
    {
        return Err(Refusal::RotationCodeTaken(code.clone()).into());
    }
    Ok(())
}

/// The lists that a patch changes which [`check_patch`] lets pass, and who is in the rotation then, with the absences that count; `None`
/// where it changes neither a list nor the policy.
pub(super) fn people_then(
    tx: &ReadTx,
    patch: &RotationPatch,
    rotation: &Rotation,
) -> Result<Option<(MemberLists, People)>> {
    let Members { users, groups } = &rotation.members;
    // A list sent unchanged is not written: that would delete people who are deactivated temporarily.
    let same_groups = |wanted: &Vec<GroupId>| wanted.iter().eq(groups.iter().map(|one| &one.group));
    let lists = MemberLists {
        users: patch.users.clone().filter(|wanted| wanted != users),
        groups: patch.groups.clone().filter(|wanted| !same_groups(wanted)),
    };
    let policy = match &patch.absence_policy {
        Some(change) => {
            let changed = rotation.absence_policy.changed(change);
            changed.map_err(|fault| Refusal::invalid("absencePolicy.minimumHours", fault))?
        }
        None => rotation.absence_policy,
    };
    if lists == MemberLists::default() && policy == rotation.absence_policy {
        return Ok(None);
    }
    let followed = |group: &GroupId| -> Result<GroupMembers, Error> {
        Ok(GroupMembers {
            group: group.clone(),
            users: store::list_people_of_group(tx, group)?,
        })
    };
    let groups = match &lists.groups {
        Some(wanted) => wanted.iter().map(followed).collect::<Result<_, _>>()?,
        None => groups.clone(),
    };
    let members = Members {
        users: lists.users.clone().unwrap_or_else(|| users.clone()),
        groups,
    };
    let with = Rotation {
        members: members.clone(),
        absence_policy: policy,
        ..rotation.clone()
    };
    let people = People {
        members,
        policy,
        absences: Arc::new(store::load_absences(tx, &with)?),
    };
    Ok(Some((lists, people)))
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
        changes_duty(&self.patch, rotation)
    }

    fn named(&self) -> NamedIds {
        named(&self.patch)
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, caller: &Principal) -> Result<()> {
        (self.agrees)(&draft.rotation, draft.calendar)?;
        PatchRotation(self.patch).apply(tx, draft, caller)
    }
}

/// Deletes a rotation with everything in it.
pub struct DeleteRotation;

impl Operation for DeleteRotation {
    const NAME: &'static str = "delete rotation";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        Ok(draft.delete(tx)?)
    }
}
