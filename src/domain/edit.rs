//! Parsed requests of callers. Actions check whether they fit the current state.

use super::absence_policy::{AbsencePolicy, PolicyChange};
use super::arrangement::TurnSelection;
use super::books::{Dealing, DealingChange};
use super::fault::Fault;
use super::grid::{GridSpec, RosterSpec};
use super::ids::{AbsenceId, ArrangementId, CellId, ChannelId, GroupId, RosterId, UserId};
use super::limits::{
    GROUPS, NAME, PEOPLE, REASON, check_acknowledged, check_length, check_list, check_most,
    check_order, check_title, within,
};
use super::mention::{MOST_MINUTES, MentionSettings};
use super::refusal::{Refusal, invalid};
use super::time::Interval;
use super::warning_kinds::{MOST_REST_HOURS, WarningKind, WarningSettings};
use super::weekly::ChannelSummary;
use std::collections::BTreeSet;

/// The most absences that are looked at together.
const ABSENCES: usize = 100;
const OWNERS: usize = 50;
const CHANNELS: usize = 50;
/// The longest description or template of a topic, in characters.
const TEXT: usize = 4_000;
/// The longest code of a rotation.
const CODE: usize = 40;
/// The longest name of what manages a rotation.
const MANAGED_BY: usize = 64;
/// The longest handle of a user group, in characters.
const HANDLE: usize = 80;
/// The most people that are put on call at once.
const ON_CALL: usize = 400;
/// The most recipients of a request.
const RECIPIENTS: usize = 100;
/// The longest key of a leg, in characters.
const KEY: usize = 200;

/// A rotation to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRotation {
    pub name: String,
    pub description: Option<String>,
    /// Upper case.
    pub code: Option<String>,
    pub public: bool,
    /// 1 to 20.
    pub lanes: usize,
    pub owners: Vec<UserId>,
    pub channels: Vec<ChannelId>,
    pub users: Vec<UserId>,
    pub groups: Vec<GroupId>,
    pub summary: Option<ChannelSummary>,
    pub dealing: Dealing,
    pub absence_policy: AbsencePolicy,
}

impl NewRotation {
    /// The rotation, if it keeps the limits, with its code in upper case.
    pub fn checked(self) -> Result<NewRotation, Refusal> {
        check_title("name", &self.name, NAME)?;
        check_length("description", self.description.as_deref(), TEXT)?;
        check_owners(&self.owners)?;
        check_list("channels", &self.channels, CHANNELS)?;
        if let Some(summary) = &self.summary {
            summary.check_among(self.channels.iter())?;
        }
        check_list("userIds", &self.users, PEOPLE)?;
        check_list("userGroupIds", &self.groups, GROUPS)?;
        let code = self.code.as_deref().map(code).transpose()?;
        Ok(NewRotation { code, ..self })
    }
}

/// Changes to a rotation. `None` keeps a member, `Some(None)` clears it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RotationPatch {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    /// Upper case.
    pub code: Option<Option<String>>,
    pub public: Option<bool>,
    pub enabled: Option<bool>,
    pub owners: Option<Vec<UserId>>,
    pub users: Option<Vec<UserId>>,
    pub groups: Option<Vec<GroupId>>,
    pub skips_are_off_time: Option<bool>,
    pub double_cover: Option<bool>,
    pub absence_policy: Option<PolicyChange>,
    pub dealing: Option<DealingChange>,
    pub enable_topic: Option<bool>,
    pub topic_template: Option<Option<String>>,
    pub managed_by: Option<Option<String>>,
    pub summary: Option<Option<ChannelSummary>>,
}

impl RotationPatch {
    /// The changes, if they keep the limits, with the code in upper case.
    pub fn checked(self) -> Result<RotationPatch, Refusal> {
        if let Some(name) = &self.name {
            check_title("name", name, NAME)?;
        }
        for (path, text) in [
            ("description", &self.description),
            ("topicTemplate", &self.topic_template),
        ] {
            let text = text.as_ref().and_then(Option::as_deref);
            check_length(path, text, TEXT)?;
        }
        if let Some(Some(name)) = &self.managed_by {
            check_managed_by("managedBy", name)?;
        }
        if let Some(owners) = &self.owners {
            check_owners(owners)?;
        }
        check_list("userIds", self.users.as_deref().unwrap_or_default(), PEOPLE)?;
        let groups = self.groups.as_deref().unwrap_or_default();
        check_list("userGroupIds", groups, GROUPS)?;
        let code = match self.code {
            Some(Some(text)) => Some(Some(code(&text)?)),
            other => other,
        };
        Ok(RotationPatch { code, ..self })
    }
}

fn check_owners(owners: &[UserId]) -> Result<(), Refusal> {
    if owners.is_empty() {
        return invalid("owners", "send at least one user id");
    }
    check_list("owners", owners, OWNERS)
}

/// Refuses what is no name of a file that edits come from.
pub fn check_managed_by(path: &str, name: &str) -> Result<(), Refusal> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
    match (1..=MANAGED_BY).contains(&name.len()) && name.bytes().all(plain) {
        true => Ok(()),
        false => invalid(
            path,
            format!("send 1 to {MANAGED_BY} of A-Z a-z 0-9 . _ / -, or null"),
        ),
    }
}

/// A rotation's code in upper case.
fn code(text: &str) -> Result<String, Refusal> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if (1..=CODE).contains(&text.len()) && text.bytes().all(plain) {
        return Ok(text.to_ascii_uppercase());
    }
    invalid("code", format!("send 1 to {CODE} of A-Z a-z 0-9 - _"))
}

/// A change of what a channel receives. `None` keeps a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelChange {
    pub posts_messages: Option<bool>,
    pub syncs_topic: Option<bool>,
}

/// An absence to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAbsence {
    pub user: UserId,
    pub period: Interval,
    pub reason: Option<String>,
    /// Applies to all rotations, not only to the one in the path.
    pub everywhere: bool,
}

impl NewAbsence {
    /// The absence, if it keeps the limits.
    pub fn checked(self) -> Result<NewAbsence, Refusal> {
        check_length("reason", self.reason.as_deref(), REASON)?;
        check_order("until", self.period)?;
        Ok(self)
    }
}

/// A channel of the whole list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelSpec {
    pub channel: ChannelId,
    pub change: ChannelChange,
}

/// Edits of a rotation that are made together. They are applied in the order of these members, a summary after the channels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edits {
    pub patch: Option<RotationPatch>,
    pub coverage: Option<GridSpec>,
    /// `None` is the common roster.
    pub rosters: Vec<(Option<RosterId>, RosterSpec)>,
    pub absences: Vec<NewAbsence>,
    pub removed_absences: Vec<AbsenceId>,
    /// People who leave the rotation together.
    pub leavers: Vec<UserId>,
    /// All channels.
    pub channels: Option<Vec<ChannelSpec>>,
    /// `Some(None)` unbinds the user group.
    pub duty_group: Option<Option<DutyGroupChoice>>,
    pub mentions: Option<SettingsChange>,
    pub warnings: Option<WarningChange>,
}

impl Edits {
    /// The edits, if there are not too many of them.
    pub fn checked(self) -> Result<Edits, Refusal> {
        if self.absences.len() > ABSENCES {
            return invalid("absences", format!("send at most {ABSENCES}"));
        }
        check_list("removeAbsenceIds", &self.removed_absences, ABSENCES)?;
        check_list("remove", &self.leavers, PEOPLE)?;
        let channels = self.channels.as_deref().unwrap_or_default();
        check_most("channels", channels.len(), CHANNELS)?;
        for (index, spec) in channels.iter().enumerate() {
            if channels[..index]
                .iter()
                .any(|one| one.channel == spec.channel)
            {
                return invalid(format!("channels[{index}].channelId"), Fault::Repeated);
            }
        }
        Ok(self)
    }
}

/// An assignment of a cell to a person for an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAssignment {
    pub cell: CellId,
    pub user: UserId,
    pub asked: Interval,
    pub turn_selection: Option<TurnSelection>,
    /// Ids of conflicts.
    pub acknowledged: Vec<String>,
    /// The arrangement that it replaces.
    pub replaces: Option<Replaced>,
    /// Whether it is an override that is imported: any member may hold it, in hours that are the partner's, and what else they
    /// have to do is the partner's business, so conflicts that can be acknowledged are.
    pub imported: bool,
}

impl NewAssignment {
    /// The assignment, if it keeps the limits.
    pub fn checked(self) -> Result<NewAssignment, Refusal> {
        check_order("to", self.asked)?;
        check_acknowledged("acknowledgedConflictIds", &self.acknowledged)?;
        Ok(self)
    }
}

/// An arrangement that an assignment replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    pub arrangement: ArrangementId,
    /// Only checked by the write.
    pub expected_revision: u64,
}

/// A cover request to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCover {
    pub cell: CellId,
    pub asked: Interval,
    /// 1 to 100, each once.
    pub recipients: Vec<UserId>,
    pub reason: String,
    pub turn_selection: Option<TurnSelection>,
    /// Ids of conflicts, for a preview.
    pub acknowledged: Vec<String>,
}

impl NewCover {
    /// The request, if it keeps the limits.
    pub fn checked(self) -> Result<NewCover, Refusal> {
        check_length("reason", Some(&self.reason), REASON)?;
        if self.recipients.is_empty() {
            return invalid("recipientUserIds", "send at least one person to ask");
        }
        check_list("recipientUserIds", &self.recipients, RECIPIENTS)?;
        check_order("to", self.asked)?;
        check_acknowledged("acknowledgedConflictIds", &self.acknowledged)?;
        Ok(self)
    }
}

/// A swap request to create: two legs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSwap {
    pub recipient: UserId,
    /// Two, with different keys.
    pub legs: Vec<NewLeg>,
    pub reason: String,
    /// Ids of conflicts.
    pub acknowledged: Vec<String>,
}

/// A leg of a swap request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLeg {
    pub key: String,
    pub cell: CellId,
    pub holder: UserId,
    pub period: Interval,
}

impl NewSwap {
    /// The request, if it keeps the limits.
    pub fn checked(self) -> Result<NewSwap, Refusal> {
        check_length("reason", Some(&self.reason), REASON)?;
        let [one, other] = &self.legs[..] else {
            return invalid("legs", format!("send exactly two, not {}", self.legs.len()));
        };
        if one.key == other.key {
            return invalid(
                "legs[1].key",
                "the same as the key of the other leg; send a different one",
            );
        }
        for (index, leg) in self.legs.iter().enumerate() {
            let path = format!("legs[{index}].");
            if leg.key.is_empty() {
                return invalid(format!("{path}key"), "empty; send a name for the leg");
            }
            check_length(&format!("{path}key"), Some(&leg.key), KEY)?;
            check_order(&format!("{path}to"), leg.period)?;
        }
        check_acknowledged("acknowledgedConflictIds", &self.acknowledged)?;
        Ok(self)
    }
}

/// The members of a request that acts on something others may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answering {
    pub expected_revision: u64,
    /// Ids of conflicts.
    pub acknowledged: Vec<String>,
    /// Keys of legs that have begun.
    pub started_legs: Vec<String>,
}

impl Answering {
    /// The members, if they keep the limits.
    pub fn checked(self) -> Result<Answering, Refusal> {
        check_acknowledged("acknowledgedConflictIds", &self.acknowledged)?;
        check_acknowledged("acknowledgedStartedLegKeys", &self.started_legs)?;
        Ok(self)
    }
}

/// The chat user group to sync with the people on call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DutyGroupChoice {
    /// An existing group.
    Group(GroupId),
    /// The group with a handle, without its `@`. Created if it does not exist.
    Handle(String),
}

impl DutyGroupChoice {
    /// The group of an id.
    pub fn group(id: &str) -> Result<DutyGroupChoice, Refusal> {
        match id {
            "" => invalid("userGroupId", "send an id, not an empty string"),
            id => Ok(DutyGroupChoice::Group(id.into())),
        }
    }

    /// The group with a handle, with or without its `@`.
    pub fn handle(handle: &str) -> Result<DutyGroupChoice, Refusal> {
        let bare = handle.strip_prefix('@').unwrap_or(handle);
        let fits = |c: char| c.is_alphanumeric() || ".-_".contains(c);
        match bare.chars().count() {
            1..=HANDLE if bare.chars().all(fits) => Ok(DutyGroupChoice::Handle(bare.to_owned())),
            _ => invalid(
                "handle",
                format!("send 1 to {HANDLE} letters, digits, `.`, `-` and `_`"),
            ),
        }
    }
}

/// The people to put on call, in slot order. Whether one may be named twice depends on the rotation.
pub fn check_on_call(users: &[UserId]) -> Result<(), Refusal> {
    match users.len() {
        0 => invalid("userIds", "send at least one; use DELETE to clear duty"),
        1..=ON_CALL => Ok(()),
        sent => invalid(
            "userIds",
            Fault::TooMany {
                most: ON_CALL,
                sent,
            },
        ),
    }
}

/// The cells to hand over now; `None` means all.
pub fn check_hand_over(cells: Option<&[CellId]>) -> Result<(), Refusal> {
    match cells {
        None => Ok(()),
        Some([]) => invalid(
            "cellIds",
            "send at least one, or omit the member to hand over all cells",
        ),
        Some(cells) => check_list("cellIds", cells, ON_CALL),
    }
}

/// Changes to a rotation's mention settings. `None` keeps a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettingsChange {
    pub expires_after_minutes: Option<u32>,
    /// `Some(None)` reminds only once.
    pub remind_after_minutes: Option<Option<u32>>,
    pub one_at_a_time: Option<bool>,
    pub rotate_after_acknowledgement: Option<bool>,
}

impl MentionSettings {
    /// The settings after a change.
    pub fn changed(self, change: SettingsChange) -> MentionSettings {
        let remind = change.remind_after_minutes;
        let rotates = change.rotate_after_acknowledgement;
        MentionSettings {
            expires_after_minutes: (change.expires_after_minutes)
                .unwrap_or(self.expires_after_minutes),
            remind_after_minutes: remind.unwrap_or(self.remind_after_minutes),
            one_at_a_time: change.one_at_a_time.unwrap_or(self.one_at_a_time),
            rotate_after_acknowledgement: rotates.unwrap_or(self.rotate_after_acknowledgement),
        }
    }
}

impl WarningSettings {
    /// Makes a change.
    pub fn change(&mut self, change: &WarningChange) {
        if let Some(off) = &change.off {
            self.off.clone_from(off);
        }
        if let Some(hours) = change.short_rest_hours {
            self.short_rest_hours = hours;
        }
    }
}

impl SettingsChange {
    /// The changes with the limits of the minutes checked.
    pub fn with_minutes(
        self,
        expires_after: Option<i32>,
        remind_after: Option<Option<i32>>,
    ) -> Result<SettingsChange, Refusal> {
        let minutes = |path, sent: i32| within(path, sent, 1..=MOST_MINUTES);
        let expires = expires_after.map(|sent| minutes("expiresAfterMinutes", sent));
        let remind = |sent: Option<i32>| {
            let minutes = sent.map(|sent| minutes("remindAfterMinutes", sent));
            minutes.transpose()
        };
        Ok(SettingsChange {
            expires_after_minutes: expires.transpose()?,
            remind_after_minutes: remind_after.map(remind).transpose()?,
            ..self
        })
    }
}

/// Changes to which warnings a rotation wants. `None` keeps a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarningChange {
    /// The kinds that are switched off.
    pub off: Option<BTreeSet<WarningKind>>,
    pub short_rest_hours: Option<u32>,
}

impl WarningChange {
    /// The changes with the limits of the hours checked.
    pub fn new(
        off: Option<BTreeSet<WarningKind>>,
        short_rest_hours: Option<i32>,
    ) -> Result<WarningChange, Refusal> {
        let hours = |sent| within("shortRestHours", sent, 1..=MOST_REST_HOURS);
        Ok(WarningChange {
            off,
            short_rest_hours: short_rest_hours.map(hours).transpose()?,
        })
    }
}
