//! Checks people, groups and channels of a rotation: they must exist, and the tier must include them.

use super::Result;
use crate::domain::fault::Fault;
use crate::domain::ids::{ChannelId, GroupId, RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::tiers::TierLimits;
use crate::store::{self, ReadTx};
use std::collections::BTreeSet;

/// Refuses the first unknown item of a list. `member` is the name of the list.
fn refuse_first<T: PartialEq>(
    member: &str,
    named: &[T],
    unknown: &[T],
    fault: impl Fn(&T) -> Fault,
) -> Result<()> {
    let first = named
        .iter()
        .enumerate()
        .find(|(_, id)| unknown.contains(id));
    match first {
        Some((index, id)) => Ok(invalid(format!("{member}[{index}]"), fault(id))?),
        None => Ok(()),
    }
}

/// Refuses a person who is not in the workspace. `member` is the name of the list.
pub(super) fn known_people(tx: &ReadTx, member: &str, users: &[UserId]) -> Result<()> {
    refuse_first(member, users, &store::unknown_people(tx, users)?, |id| {
        Fault::NotInWorkspace(id.clone())
    })
}

/// The same of only some of the people of a list.
pub(super) fn known_among(
    tx: &ReadTx,
    member: &str,
    users: &[UserId],
    some: &[UserId],
) -> Result<()> {
    refuse_first(member, users, &store::unknown_people(tx, some)?, |id| {
        Fault::NotInWorkspace(id.clone())
    })
}

/// Refuses unknown user groups of `userGroupIds`.
pub(super) fn known_groups(tx: &ReadTx, groups: &[GroupId]) -> Result<()> {
    let unknown = store::unknown_groups(tx, groups)?;
    refuse_first("userGroupIds", groups, &unknown, |id| {
        format!("no user group of the workspace has the id `{id}`").into()
    })
}

/// Refuses `channels` in which the app is not a member.
pub(super) fn joined_channels(tx: &ReadTx, channels: &[ChannelId]) -> Result<()> {
    let unknown = store::unknown_channels(tx, channels)?;
    refuse_first("channels", channels, &unknown, |id| {
        format!("the app is not in a channel `{id}`; invite it there first").into()
    })
}

/// Refuses user groups on a tier without them.
pub(super) fn check_groups_included(limits: &TierLimits, wanted: bool) -> Result<()> {
    if wanted && !limits.has_user_groups() {
        return Err(Refusal::PaymentRequired(
            "userGroupIds".into(),
            "user groups need the Pro plan".into(),
        )
        .into());
    }
    Ok(())
}

/// Checks the tier's limit. People are counted once; those of the rotation `but` are replaced by `users` and `groups`.
pub(super) fn check_people(
    tx: &ReadTx,
    limits: &TierLimits,
    but: Option<&RotationId>,
    users: &[UserId],
    groups: &[GroupId],
) -> Result<()> {
    let Some(most) = limits.max_people else {
        return Ok(());
    };
    let mut others: BTreeSet<UserId> = store::list_people_in_rotations(tx, but)?
        .into_iter()
        .collect();
    let present = match but {
        Some(_) => store::list_people_in_rotations(tx, None)?.len(),
        None => others.len(),
    };
    others.extend(users.iter().cloned());
    for group in groups {
        others.extend(store::list_people_of_group(tx, group)?);
    }
    // A workspace with more people than its tier includes may still remove some.
    if others.len() as u64 > most && others.len() > present {
        let detail = format!(
            "the plan includes {most} people across all rotations; this would make {}",
            others.len()
        );
        return Err(Refusal::PaymentRequired("".into(), detail).into());
    }
    Ok(())
}
