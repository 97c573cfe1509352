//! Applies the parts of edits to a rotation, each by the check and the function of the write that it belongs to. Writes, previews
//! and steps of the forecast call the same.

use super::edit::{ChannelSpec, DutyGroupChoice, Edits, NewAbsence, RotationPatch};
use super::edit::{SettingsChange, WarningChange};
use super::editing::Editing;
use super::facts::{Facts, refuse_first};
use super::fault::Fault;
use super::grid::{GridSpec, Mint, RosterSpec};
use super::ids::{AbsenceId, ChannelId, GroupId, RosterId, UserId};
use super::refusal::{Refusal, invalid};
use super::rotation::{ChannelSetting, Rotation};
use super::tiers::TierLimits;
use super::weekly::ChannelSummary;
use std::borrow::Cow;

/// One part of edits.
pub enum Part<'e> {
    Patch(Box<Cow<'e, RotationPatch>>),
    Coverage(&'e GridSpec),
    /// `None` is the common roster.
    Roster(Option<&'e RosterId>, &'e RosterSpec),
    Absence(&'e NewAbsence),
    RemoveAbsence(&'e AbsenceId),
    /// People who leave together.
    Leave(&'e [UserId]),
    Channels(&'e [ChannelSpec]),
    Summary(Option<&'e ChannelSummary>),
    DutyGroup(Option<&'e DutyGroupChoice>),
    Mentions(SettingsChange),
    Warnings(&'e WarningChange),
}

impl Edits {
    /// The parts in the order in which they are applied, each with the member of the request that it is.
    pub fn parts(&self) -> Vec<(String, Part<'_>)> {
        let mut parts = Vec::new();
        // A summary names channels of the whole list.
        let later = self.patch.as_ref().and_then(|patch| patch.summary.as_ref());
        let later = later.filter(|_| self.channels.is_some());
        if let Some(patch) = &self.patch {
            let patch = match later {
                Some(_) => Cow::Owned(RotationPatch {
                    summary: None,
                    ..patch.clone()
                }),
                None => Cow::Borrowed(patch),
            };
            parts.push(("rotation".to_owned(), Part::Patch(Box::new(patch))));
        }
        let coverage = self.coverage.iter().map(Part::Coverage);
        parts.extend(coverage.map(|part| ("coverage".to_owned(), part)));
        for (id, spec) in &self.rosters {
            let name = id.as_ref().map_or("", RosterId::as_str);
            let part = Part::Roster(id.as_ref(), spec);
            parts.push((format!("rosters.{name}"), part));
        }
        for (index, new) in self.absences.iter().enumerate() {
            parts.push((format!("absences[{index}]"), Part::Absence(new)));
        }
        for (index, id) in self.removed_absences.iter().enumerate() {
            parts.push((
                format!("removeAbsenceIds[{index}]"),
                Part::RemoveAbsence(id),
            ));
        }
        if !self.leavers.is_empty() {
            parts.push(("remove".to_owned(), Part::Leave(&self.leavers)));
        }
        if let Some(channels) = &self.channels {
            parts.push(("channels".to_owned(), Part::Channels(channels)));
        }
        let later = later.map(|summary| Part::Summary(summary.as_ref()));
        parts.extend(later.map(|part| ("rotation".to_owned(), part)));
        if let Some(choice) = &self.duty_group {
            parts.push(("onDutyGroup".to_owned(), Part::DutyGroup(choice.as_ref())));
        }
        let mentions = self.mentions.map(Part::Mentions);
        parts.extend(mentions.map(|part| ("mentionSettings".to_owned(), part)));
        let warnings = self.warnings.as_ref().map(Part::Warnings);
        parts.extend(warnings.map(|part| ("warningSettings".to_owned(), part)));
        parts
    }

    /// Whether a part would change who is on duty, or whom duty passes to.
    pub fn changes_duty(&self, rotation: &Rotation) -> bool {
        self.coverage.is_some()
            || !self.rosters.is_empty()
            || !self.leavers.is_empty()
            || self
                .patch
                .as_ref()
                .is_some_and(|patch| patch.changes_duty(rotation))
    }
}

impl RotationPatch {
    /// Whether it would change who is on duty, or whom duty passes to.
    pub fn changes_duty(&self, rotation: &Rotation) -> bool {
        let differs = |sent: Option<bool>, is: bool| sent.is_some_and(|sent| sent != is);
        let users = self.users.as_ref();
        users.is_some_and(|users| *users != rotation.members.users)
            || self
                .groups
                .as_ref()
                .is_some_and(|groups| !groups.is_empty())
            || differs(self.double_cover, rotation.double_cover)
            || differs(self.skips_are_off_time, rotation.skips_are_off_time)
            || self.absence_policy.as_ref().is_some_and(|change| {
                rotation.absence_policy.changed(change) != Ok(rotation.absence_policy)
            })
            || self.dealing.as_ref().is_some_and(|change| {
                rotation.dealing.changed(change).as_ref() != Ok(&rotation.dealing)
            })
    }
}

/// Applies parts of edits.
pub struct Applying<'a, 'm> {
    pub editing: Editing<'a>,
    pub facts: &'a Facts,
    pub mint: &'m mut Mint<'m>,
    /// Whether people who are gone already may be taken out.
    pub forgives_gone: bool,
}

impl Applying<'_, '_> {
    /// Applies all parts.
    ///
    /// # Errors
    /// The refusal of the first part that is refused, its path below the part's. The rotation may have changed by then.
    pub fn all(&mut self, edits: &Edits, rotation: &mut Rotation) -> Result<(), Refusal> {
        for (name, part) in edits.parts() {
            self.part(part, rotation)
                .map_err(|refusal| refusal.under(&name))?;
        }
        Ok(())
    }

    /// Applies one part. Absences are no state of a rotation: they are the caller's to record.
    ///
    /// # Errors
    /// Names the member, as the route that the part belongs to does. Then the rotation is as it was.
    pub fn part(&mut self, part: Part, rotation: &mut Rotation) -> Result<(), Refusal> {
        let (editing, facts) = (self.editing, self.facts);
        match part {
            Part::Patch(patch) => {
                if patch.changes_duty(rotation) {
                    rotation.check_own()?;
                }
                facts.check_patch(&patch, rotation, &editing.limits)?;
                facts.check_code(&patch, rotation)?;
                let people = facts.people_then(&patch, rotation)?;
                editing.patch(rotation, &patch, people);
            }
            Part::Coverage(spec) => {
                rotation.check_own()?;
                editing.replace_grid(rotation, spec, &mut *self.mint)?;
            }
            Part::Roster(id, spec) => {
                check_roster(rotation, id)?;
                rotation.check_own()?;
                editing.write_roster(rotation, id, spec)?;
            }
            Part::Absence(_) | Part::RemoveAbsence(_) => {}
            Part::Leave(users) => self.leave(users, rotation)?,
            Part::Channels(specs) => set_channels(facts, specs, rotation)?,
            Part::Summary(summary) => {
                if let Some(summary) = summary {
                    let channels = rotation.profile.channels.iter();
                    summary.check_among(channels.map(|setting| &setting.channel))?;
                }
                rotation.profile.summary = summary.cloned();
            }
            Part::DutyGroup(choice) => {
                let group =
                    choice.map(|choice| facts.duty_group(choice, rotation, &editing.limits));
                rotation.profile.duty_group = group.transpose()?;
            }
            Part::Mentions(change) => {
                rotation.profile.mentions = rotation.profile.mentions.changed(change);
            }
            Part::Warnings(change) => rotation.profile.warnings.change(change),
        }
        Ok(())
    }

    /// Takes people out who were added individually.
    fn leave(&self, users: &[UserId], rotation: &mut Rotation) -> Result<(), Refusal> {
        rotation.check_own()?;
        let is_added = |user: &UserId| rotation.members.users.contains(user);
        if !self.forgives_gone {
            refuse_first(
                "",
                users,
                |user| !is_added(user),
                |user| match rotation.has_member(user) {
                    true => format!("{user} takes part through a user group; take them out of it")
                        .into(),
                    false => Fault::NotMember(user.clone()),
                },
            )?;
        }
        let mut members = rotation.members.clone();
        members.users.retain(|user| !users.contains(user));
        if members != rotation.members {
            self.editing.set_members(rotation, members);
        }
        Ok(())
    }
}

/// Refuses a roster that no cell names.
///
/// # Errors
/// [`Refusal::NotFound`].
pub fn check_roster(rotation: &Rotation, id: Option<&RosterId>) -> Result<(), Refusal> {
    let mut known = rotation.rosters.iter();
    match known.any(|roster| roster.id.as_ref() == id) {
        true => Ok(()),
        false => Err(Refusal::NotFound("roster")),
    }
}

/// Replaces the channels. One with neither setting is taken out.
fn set_channels(
    facts: &Facts,
    specs: &[ChannelSpec],
    rotation: &mut Rotation,
) -> Result<(), Refusal> {
    let profile = &mut rotation.profile;
    let known = |channel: &ChannelId| {
        let listed = profile.channels.iter();
        listed
            .into_iter()
            .find(|setting| setting.channel == *channel)
    };
    let mut channels = Vec::new();
    for (index, spec) in specs.iter().enumerate() {
        let was = known(&spec.channel);
        if was.is_none() && !facts.channels.contains(&spec.channel) {
            return invalid(
                format!("[{index}].channelId"),
                format!("no channel of the workspace has the id `{}`", spec.channel),
            );
        }
        let posts = was.is_none_or(|was| was.posts_messages);
        let syncs = was.map_or(profile.enable_topic, |was| was.syncs_topic);
        let setting = ChannelSetting {
            channel: spec.channel.clone(),
            posts_messages: spec.change.posts_messages.unwrap_or(posts),
            syncs_topic: spec.change.syncs_topic.unwrap_or(syncs),
        };
        if setting.posts_messages || setting.syncs_topic {
            channels.push(setting);
        }
    }
    profile.channels = channels;
    let stays = |channel: &ChannelId| {
        let mut kept = profile.channels.iter();
        kept.any(|setting| setting.channel == *channel)
    };
    if let Some(summary) = profile.summary.take() {
        let gone: Vec<ChannelId> = summary
            .channels
            .iter()
            .filter(|one| !stays(one))
            .cloned()
            .collect();
        profile.summary = gone
            .iter()
            .try_fold(summary, |summary, channel| summary.without(channel));
    }
    Ok(())
}

impl Facts {
    /// The user group of a choice. The one of a handle that nobody has yet is made before the choice is written.
    fn duty_group(
        &self,
        choice: &DutyGroupChoice,
        rotation: &Rotation,
        limits: &TierLimits,
    ) -> Result<GroupId, Refusal> {
        let (member, group) = match choice {
            DutyGroupChoice::Group(group) if !self.groups.contains_key(group) => {
                return invalid(
                    "userGroupId",
                    format!("no user group of the workspace has the id `{group}`"),
                );
            }
            DutyGroupChoice::Group(group) => ("userGroupId", group.clone()),
            DutyGroupChoice::Handle(handle) => match self.handles.get(handle) {
                Some(group) => ("handle", group.clone()),
                None => ("handle", GroupId::from(format!("@{handle}"))),
            },
        };
        let followed = rotation.members.groups.iter().map(|group| &group.group);
        self.check_no_circle(followed, &group, |_| member.to_owned())?;
        limits.check_duty_groups()?;
        if let Some(why) = &self.no_binding {
            return Err(Refusal::GroupNotManageable(why.clone()));
        }
        Ok(group)
    }
}
