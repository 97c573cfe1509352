//! Checks people, groups and channels of a rotation: they must exist, and the tier must include them.

use super::Result;
use crate::domain::facts::refuse_first;
use crate::domain::fault::Fault;
use crate::domain::ids::{ChannelId, GroupId, UserId};
use crate::domain::tiers::TierLimits;
use crate::store::{self, ReadTx};
use std::collections::BTreeSet;

/// Refuses a person who is not in the workspace. `member` is the name of the list.
pub(super) fn known_people(tx: &ReadTx, member: &str, users: &[UserId]) -> Result<()> {
    known_among(tx, member, users, users)
}

/// The same of only some of the people of a list.
pub(super) fn known_among(
    tx: &ReadTx,
    member: &str,
    users: &[UserId],
    some: &[UserId],
) -> Result<()> {
    let unknown = store::unknown_people(tx, some)?;
    let fault = |id: &UserId| Fault::NotInWorkspace(id.clone());
    Ok(refuse_first(
        member,
        users,
        |id| unknown.contains(id),
        fault,
    )?)
}

/// Refuses unknown user groups of `userGroupIds`.
pub(super) fn known_groups(tx: &ReadTx, groups: &[GroupId]) -> Result<()> {
    let unknown = store::unknown_groups(tx, groups)?;
    let fault = |id: &GroupId| format!("no user group of the workspace has the id `{id}`").into();
    Ok(refuse_first(
        "userGroupIds",
        groups,
        |id| unknown.contains(id),
        fault,
    )?)
}

/// Refuses `channels` in which the app is not a member.
pub(super) fn joined_channels(tx: &ReadTx, channels: &[ChannelId]) -> Result<()> {
    let unknown = store::unknown_channels(tx, channels)?;
    let fault = |id: &ChannelId| {
        format!("the app is not in a channel `{id}`; invite it there first").into()
    };
    Ok(refuse_first(
        "channels",
        channels,
        |id| unknown.contains(id),
        fault,
    )?)
}

/// Checks the tier's limit for a new rotation. People are counted once.
pub(super) fn check_people(
    tx: &ReadTx,
    limits: &TierLimits,
    users: &[UserId],
    groups: &[GroupId],
) -> Result<()> {
    let Some(most) = limits.max_people else {
        return Ok(());
    };
    let present = store::list_people_in_rotations(tx, None)?;
    let now = present.len();
    let mut then: BTreeSet<UserId> = present.into_iter().collect();
    then.extend(users.iter().cloned());
    for group in groups {
        then.extend(store::list_people_of_group(tx, group)?);
    }
    Ok(limits.check_people(most, then.len(), now)?)
}
