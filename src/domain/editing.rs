//! The edits of a rotation, as functions of the rotation alone. A write stores the result, a preview shows it; both
//! call the same (rules.md 6.4).

use super::absence::Absences;
use super::absence_policy::AbsencePolicy;
use super::edit::RotationPatch;
use super::forecast;
use super::grid::{self, GridSpec, Mint, RosterSpec};
use super::handover::{Change, DealingContext, Edit, WindowChange};
use super::holidays::Calendar;
use super::ids::{RosterId, UserId};
use super::refusal::Refusal;
use super::rotation::{Members, Reason, Rotation};
use super::tiers::TierLimits;
use jiff::Timestamp;
use std::sync::Arc;

/// Everything that an edit needs beside the rotation. Everything due by `at` must have been done.
#[derive(Clone, Copy)]
pub struct Editing<'a> {
    pub calendar: &'a Calendar,
    pub limits: TierLimits,
    /// When the edit takes effect: not before the rotation was last judged.
    pub at: Timestamp,
    /// Whether whoever comes on is dealt, and windows are judged, by each edit. A step of the forecast does both once, after all
    /// edits of its instant.
    pub deals: bool,
}

/// Who is in a rotation, and when they are absent.
#[derive(Clone, Debug)]
pub struct People {
    pub members: Members,
    pub policy: AbsencePolicy,
    /// Those that count with these members and this policy.
    pub absences: Arc<Absences>,
}

impl Editing<'_> {
    /// Replaces the grid and its rosters, and deals the slots that this leaves empty.
    ///
    /// # Errors
    /// Names the member that does not fit; then the rotation is as it was.
    pub fn replace_grid(
        self,
        rotation: &mut Rotation,
        spec: &GridSpec,
        mint: &mut Mint,
    ) -> Result<(), Refusal> {
        let before = rotation.clone();
        grid::replace(rotation, spec, &self.limits, self.calendar, self.at, mint)?;
        self.redeal(&before, rotation);
        Ok(())
    }

    /// Writes a roster: narrows or reorders it to some of the members, and sets its next turns.
    ///
    /// # Errors
    /// Names the member that does not fit; then the rotation is as it was.
    ///
    /// # Panics
    /// For a roster that the rotation does not have.
    pub fn write_roster(
        self,
        rotation: &mut Rotation,
        roster: Option<&RosterId>,
        spec: &RosterSpec,
    ) -> Result<(), Refusal> {
        let (before, index) = (rotation.clone(), rotation.roster_index(roster));
        if let Err(refusal) = grid::write_one(&before, rotation, index, spec) {
            *rotation = before;
            return Err(refusal);
        }
        self.redeal(&before, rotation);
        Ok(())
    }

    /// Changes what a patch contains. Its people and groups and its policy are in `people`, where they change.
    pub fn patch(self, rotation: &mut Rotation, patch: &RotationPatch, people: Option<People>) {
        apply_profile(patch, rotation);
        let before = rotation.clone();
        if let Some(people) = people {
            rotation.members = people.members;
            rotation.absence_policy = people.policy;
            rotation.absences = people.absences;
            // Whoever is taken out and comes back later begins with a whole share, as it is shown.
            let members = &rotation.members;
            rotation
                .dealing
                .shares
                .retain(|share| members.contains(&share.user));
        }
        let dealing = patch.dealing.as_ref();
        if let Some(Ok(dealing)) = dealing.map(|change| rotation.dealing.changed(change)) {
            rotation.dealing = dealing;
        }
        rotation.enabled = patch.enabled.unwrap_or(rotation.enabled);
        rotation.double_cover = patch.double_cover.unwrap_or(rotation.double_cover);
        rotation.skips_are_off_time = patch
            .skips_are_off_time
            .unwrap_or(rotation.skips_are_off_time);
        if before.enabled && !rotation.enabled {
            // Everything due by now is processed, so it is frozen as of now.
            rotation.stamps.judged_at = self.at;
        }
        if !rotation.same_as(&before) {
            // Enabling judges the windows now: what opened or shut meanwhile counts as scheduled.
            let enabled = rotation.enabled && !before.enabled;
            let window_change = if enabled {
                WindowChange::ByClock
            } else {
                WindowChange::ByEdit
            };
            let absences = Arc::clone(&rotation.absences);
            let edit = Edit {
                window_change,
                ..self.edit(&before, &absences)
            };
            self.follow(edit, rotation);
        }
    }

    /// Takes people out of the rotation, individually and as people of its user groups.
    pub fn leave(self, rotation: &mut Rotation, leavers: &[UserId]) {
        let mut members = rotation.members.clone();
        let stays = |user: &UserId| !leavers.contains(user);
        members.users.retain(stays);
        for group in &mut members.groups {
            group.users.retain(stays);
        }
        self.set_members(rotation, members);
    }

    /// Changes the members to some of them.
    pub fn set_members(self, rotation: &mut Rotation, members: Members) {
        let people = People {
            members,
            policy: rotation.absence_policy,
            absences: Arc::clone(&rotation.absences),
        };
        self.patch(rotation, &RotationPatch::default(), Some(people));
    }

    /// Looks at the rotation again after the absences of a person changed, which were `before` until now: a slot that they hold is
    /// handed over where it is by its policy, and empty slots are dealt where they may be dealt to the person.
    pub fn follow_absences(self, rotation: &mut Rotation, user: &UserId, before: &Absences) {
        let absences = Arc::clone(&rotation.absences);
        let dealing = self.dealing(&absences);
        let leaves =
            |holder: &UserId| holder == user && absences.has_new_one(before, user, self.at);
        let mut change = Change::begin(rotation, dealing, self.at, WindowChange::ByEdit);
        change.relieve(leaves, Reason::NextOnScheduledDuty);
        if change.deals_to(user) {
            change.fill_after_absence(Reason::CoverageChanged);
        }
        change.finish();
    }

    /// Expires the pending requests whose duty an edit has taken from their requesters. `aside`: an absence changed, which
    /// does not show in the rotation itself.
    pub fn expire_lost(self, before: &Rotation, rotation: &mut Rotation, aside: bool) {
        // A disabled rotation does not change, and names and channels change nobody's duty.
        let any = rotation.enabled && !rotation.pending.is_empty();
        if any && (aside || !rotation.same_duty_as(before)) {
            let absences = Arc::clone(&rotation.absences);
            forecast::expire_lost(rotation, self.dealing(&absences));
        }
    }

    /// Applies a changed membership, as [`Edit::follow_members`].
    pub fn follow_members(self, before: &Rotation, rotation: &mut Rotation) {
        let absences = Arc::clone(&rotation.absences);
        self.follow(self.edit(before, &absences), rotation);
    }

    /// Lets next turns and, where this deals, duty follow a changed membership.
    fn follow(self, edit: Edit, rotation: &mut Rotation) {
        match self.deals {
            true => edit.follow_members(rotation),
            false => rotation.follow(edit.before),
        }
    }

    /// Deals the empty slots if dealing has other inputs than before.
    pub fn redeal(self, before: &Rotation, rotation: &mut Rotation) {
        if rotation.same_as(before) || !self.deals {
            return;
        }
        let absences = Arc::clone(&rotation.absences);
        self.edit(before, &absences).redeal(rotation, |_| ());
    }

    fn edit<'e>(self, before: &'e Rotation, absences: &'e Absences) -> Edit<'e>
    where
        Self: 'e,
    {
        Edit {
            before,
            dealing: self.dealing(absences),
            at: self.at,
            window_change: WindowChange::ByEdit,
        }
    }

    fn dealing<'d>(self, absences: &'d Absences) -> DealingContext<'d>
    where
        Self: 'd,
    {
        DealingContext::new(self.calendar, absences)
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
    set(&mut profile.managed_by, &patch.managed_by);
    set(&mut profile.summary, &patch.summary);
}
