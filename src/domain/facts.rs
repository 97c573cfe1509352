//! What edits of a rotation have to know of the workspace. It is read beforehand, so that the edits themselves are pure: a write, a
//! preview and a step of the forecast apply them by the same functions.

use super::absence::Absences;
use super::absence_policy::AbsencePolicy;
use super::edit::RotationPatch;
use super::editing::People;
use super::fault::Fault;
use super::ids::{ChannelId, GroupId, RotationId, UserId};
use super::refusal::{Refusal, invalid};
use super::rotation::{GroupMembers, Members, Rotation};
use super::tiers::TierLimits;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The state of the people, groups and channels that edits name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The people of them who are not in the workspace.
    pub unknown_people: BTreeSet<UserId>,
    /// The user groups of them that are there, with their people.
    pub groups: BTreeMap<GroupId, Vec<UserId>>,
    /// The user groups that are there by their handles.
    pub handles: BTreeMap<String, GroupId>,
    /// The channels of them that the platform has.
    pub channels: BTreeSet<ChannelId>,
    /// The rotations that have the codes named.
    pub codes: BTreeMap<String, RotationId>,
    /// The user groups that an on-duty group fills: itself, and by way of rotations that take their members from it.
    pub filled: BTreeMap<GroupId, Vec<GroupId>>,
    /// Why no user group can be filled with the people on call, if none can.
    pub no_binding: Option<String>,
    /// Where the tier limits people: those of other rotations, and how many there are in all.
    pub people: Option<(BTreeSet<UserId>, usize)>,
    /// The absences of everybody who is a member before or after, by the policy.
    pub absences: Vec<(AbsencePolicy, Arc<Absences>)>,
}

/// Refuses the first unknown item of a list. `member` is the name of the list.
pub fn refuse_first<T>(
    member: &str,
    named: &[T],
    is_unknown: impl Fn(&T) -> bool,
    fault: impl Fn(&T) -> Fault,
) -> Result<(), Refusal> {
    match named.iter().position(is_unknown) {
        Some(index) => invalid(format!("{member}[{index}]"), fault(&named[index])),
        None => Ok(()),
    }
}

impl Facts {
    fn known_people(&self, member: &str, users: &[UserId]) -> Result<(), Refusal> {
        let is_unknown = |user: &UserId| self.unknown_people.contains(user);
        refuse_first(member, users, is_unknown, |id| {
            Fault::NotInWorkspace(id.clone())
        })
    }

    /// Refuses a patch that names who or what is not there, or that the tier does not include.
    ///
    /// # Errors
    /// Names the member.
    pub fn check_patch(
        &self,
        patch: &RotationPatch,
        rotation: &Rotation,
        limits: &TierLimits,
    ) -> Result<(), Refusal> {
        let owners = patch.owners.as_ref();
        // Owners sent as they stand may have left the workspace since.
        let owners = owners.filter(|owners| **owners != rotation.profile.owners);
        self.known_people("owners", owners.map_or(&[], Vec::as_slice))?;
        self.known_people("userIds", patch.users.as_deref().unwrap_or_default())?;
        let groups = patch.groups.as_deref().unwrap_or_default();
        let is_unknown = |group: &GroupId| !self.groups.contains_key(group);
        refuse_first("userGroupIds", groups, is_unknown, |id| {
            format!("no user group of the workspace has the id `{id}`").into()
        })?;
        if let Some(filled) = &rotation.profile.duty_group {
            let member = |index| format!("userGroupIds[{index}]");
            self.check_no_circle(groups, filled, member)?;
        }
        if let Some(Some(summary)) = &patch.summary {
            let channels = rotation.profile.channels.iter();
            summary.check_among(channels.map(|setting| &setting.channel))?;
        }
        limits.check_groups(!groups.is_empty())?;
        self.check_people(patch, rotation, limits)?;
        if let Some(change) = &patch.dealing {
            let changed = rotation.dealing.changed(change)?;
            let then = self.people_then(patch, rotation)?;
            let members = then
                .as_ref()
                .map_or(&rotation.members, |people| &people.members);
            if change.shares.is_some() {
                changed.check_members(|user| members.contains(user))?;
            }
        }
        Ok(())
    }

    /// Refuses a patch whose code another rotation has.
    ///
    /// # Errors
    /// [`Refusal::RotationCodeTaken`].
    pub fn check_code(&self, patch: &RotationPatch, rotation: &Rotation) -> Result<(), Refusal> {
        match &patch.code {
            Some(Some(code)) if self.codes.get(code).is_some_and(|id| *id != rotation.id) => {
                Err(Refusal::RotationCodeTaken(code.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Refuses an on-duty group from which the members of its rotation come, directly or through other rotations: each hand-over
    /// would remove people from it permanently. `member` returns the path of the request member of a group by its index.
    ///
    /// # Errors
    /// Names the first of them.
    pub fn check_no_circle<'g>(
        &self,
        followed: impl IntoIterator<Item = &'g GroupId>,
        filled: &GroupId,
        member: impl Fn(usize) -> String,
    ) -> Result<(), Refusal> {
        let reached = self.filled.get(filled).map_or(&[] as &[_], Vec::as_slice);
        let is_filled = |group: &GroupId| group == filled || reached.contains(group);
        let mut followed = followed.into_iter().enumerate();
        match followed.find(|(_, group)| is_filled(group)) {
            None => Ok(()),
            Some((index, group)) => invalid(
                member(index),
                format!(
                    "the rotation takes its members from `{group}`, which `{filled}` would fill, itself or by way \
                     of other rotations, so whoever goes off duty would leave the rotation; choose another user group"
                ),
            ),
        }
    }

    /// Checks the tier's limit. People are counted once.
    fn check_people(
        &self,
        patch: &RotationPatch,
        rotation: &Rotation,
        limits: &TierLimits,
    ) -> Result<(), Refusal> {
        let changes = patch.users.is_some() || patch.groups.is_some();
        let (Some(most), Some((others, present)), true) =
            (limits.max_people, &self.people, changes)
        else {
            return Ok(());
        };
        let members = self.members_then(patch, &rotation.members);
        let mut all: BTreeSet<&UserId> = others.iter().collect();
        all.extend(&members.users);
        all.extend(members.groups.iter().flat_map(|group| &group.users));
        // A workspace with more people than its tier includes may still remove some.
        limits.check_people(most, all.len(), *present)
    }

    fn members_then(&self, patch: &RotationPatch, now: &Members) -> Members {
        let followed = |group: &GroupId| GroupMembers {
            group: group.clone(),
            users: self.groups.get(group).cloned().unwrap_or_default(),
        };
        // A list sent unchanged stays as it is, in which people may be deactivated temporarily.
        let same =
            |wanted: &Vec<GroupId>| wanted.iter().eq(now.groups.iter().map(|one| &one.group));
        Members {
            users: patch.users.clone().unwrap_or_else(|| now.users.clone()),
            groups: match &patch.groups {
                Some(wanted) if !same(wanted) => wanted.iter().map(followed).collect(),
                _ => now.groups.clone(),
            },
        }
    }

    /// Who is in the rotation after a patch that [`check_patch`](Facts::check_patch) lets pass, with the absences that count; `None`
    /// where it changes neither a list nor the policy.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for a policy that cannot be.
    pub fn people_then(
        &self,
        patch: &RotationPatch,
        rotation: &Rotation,
    ) -> Result<Option<People>, Refusal> {
        let policy = match &patch.absence_policy {
            Some(change) => {
                let changed = rotation.absence_policy.changed(change);
                changed.map_err(|fault| Refusal::invalid("absencePolicy.minimumHours", fault))?
            }
            None => rotation.absence_policy,
        };
        let members = self.members_then(patch, &rotation.members);
        if members == rotation.members && policy == rotation.absence_policy {
            return Ok(None);
        }
        Ok(Some(People {
            members,
            policy,
            absences: self.absences(policy, rotation),
        }))
    }

    /// The absences that count by a policy.
    fn absences(&self, policy: AbsencePolicy, rotation: &Rotation) -> Arc<Absences> {
        let known = self.absences.iter().find(|(known, _)| *known == policy);
        Arc::clone(known.map_or(&rotation.absences, |(_, absences)| absences))
    }
}
