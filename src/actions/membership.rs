//! Whether people, groups and channels may be put into a rotation: they are known, and the tier includes them.

use super::Stop;
use crate::domain::ids::{ChannelId, GroupId, RotationId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::tiers::TierLimits;
use crate::store::{self, ReadTx};
use std::collections::BTreeSet;

/// Refuses the first of a list that is unknown: `sentence` says so, given its place.
fn refuse_first<T: PartialEq>(
    named: &[T],
    unknown: &[T],
    sentence: impl Fn(usize, &T) -> String,
) -> Result<(), Stop> {
    let first = named
        .iter()
        .enumerate()
        .find(|(_, id)| unknown.contains(id));
    match first {
        Some((index, id)) => Ok(invalid(sentence(index, id))?),
        None => Ok(()),
    }
}

/// Refuses somebody who is not in the workspace, naming their place in the list `member`.
pub(super) fn known_people(tx: &ReadTx, member: &str, users: &[UserId]) -> Result<(), Stop> {
    refuse_first(users, &store::unknown_people(tx, users)?, |index, id| {
        format!("{member}[{index}]: nobody in the workspace has the id `{id}`")
    })
}

/// The same for the user groups of `userGroupIds`.
pub(super) fn known_groups(tx: &ReadTx, groups: &[GroupId]) -> Result<(), Stop> {
    refuse_first(groups, &store::unknown_groups(tx, groups)?, |index, id| {
        format!("userGroupIds[{index}]: no user group of the workspace has the id `{id}`")
    })
}

/// The same for `channels`, in which the app must be already.
pub(super) fn joined_channels(tx: &ReadTx, channels: &[ChannelId]) -> Result<(), Stop> {
    refuse_first(
        channels,
        &store::unknown_channels(tx, channels)?,
        |index, id| {
            format!("channels[{index}]: the app is not in a channel `{id}`; invite it there first")
        },
    )
}

/// Refuses user groups on a tier without them.
pub(super) fn check_groups_included(limits: &TierLimits, wanted: bool) -> Result<(), Stop> {
    if wanted && !limits.has_user_groups() {
        return Err(
            Refusal::PaymentRequired("userGroupIds: user groups need the Pro plan".into()).into(),
        );
    }
    Ok(())
}

/// People count once each however many rotations they are in; those of `but` are replaced by `users` and `groups`.
pub(super) fn check_people(
    tx: &ReadTx,
    limits: &TierLimits,
    but: Option<&RotationId>,
    users: &[UserId],
    groups: &[GroupId],
) -> Result<(), Stop> {
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
    // A workspace that has more people than its tier includes may still let some go.
    if others.len() as u64 > most && others.len() > present {
        let detail = format!(
            "the plan includes {most} people across all rotations; this would make {}",
            others.len()
        );
        return Err(Refusal::PaymentRequired(detail).into());
    }
    Ok(())
}
