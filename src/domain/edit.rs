//! Parsed requests of callers. Actions check whether they fit the current state.

use super::absence_policy::PolicyChange;
use super::arrangement::TurnSelection;
use super::ids::{ArrangementId, CellId, ChannelId, GroupId, UserId};
use super::time::Interval;
use super::warning_kinds::WarningKind;
use std::collections::BTreeSet;

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
    pub enable_topic: Option<bool>,
    pub topic_template: Option<Option<String>>,
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
    pub replaces: Option<ArrangementId>,
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

/// The members of a request that acts on something others may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answering {
    pub expected_revision: u64,
    /// Ids of conflicts.
    pub acknowledged: Vec<String>,
    /// Keys of legs that have begun.
    pub started_legs: Vec<String>,
}

/// The chat user group to sync with the people on call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DutyGroupChoice {
    /// An existing group.
    Group(GroupId),
    /// The group with a handle, without its `@`. Created if it does not exist.
    Handle(String),
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

/// Changes to which warnings a rotation wants. `None` keeps a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarningChange {
    /// The kinds that are switched off.
    pub off: Option<BTreeSet<WarningKind>>,
    pub short_rest_hours: Option<u32>,
}
