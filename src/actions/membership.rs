//! Whether people and groups may be put into a rotation: they are known, and the plan includes them.

use super::Stop;
use crate::domain::ids::{GroupId, RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::tiers::Plan;
use crate::store::{self, ReadTx};
use std::collections::BTreeSet;

/// Refuses somebody who is not in the workspace, naming their place in the list `member`.
pub(super) fn known_people(tx: &ReadTx, member: &str, users: &[UserId]) -> Result<(), Stop> {
    match store::unknown_people(tx, users)?.first() {
        Some(unknown) => {
            let index = users
                .iter()
                .position(|user| user == unknown)
                .unwrap_or_default();
            Err(Refusal::Invalid(format!(
                "{member}[{index}]: nobody in the workspace has the id `{unknown}`"
            ))
            .into())
        }
        None => Ok(()),
    }
}

/// The same for the user groups of `userGroupIds`.
pub(super) fn known_groups(tx: &ReadTx, groups: &[GroupId]) -> Result<(), Stop> {
    match store::unknown_groups(tx, groups)?.first() {
        Some(unknown) => {
            let index = groups
                .iter()
                .position(|group| group == unknown)
                .unwrap_or_default();
            let detail = format!(
                "userGroupIds[{index}]: no user group of the workspace has the id `{unknown}`"
            );
            Err(Refusal::Invalid(detail).into())
        }
        None => Ok(()),
    }
}

/// Refuses user groups on a plan without them.
pub(super) fn check_groups_included(plan: &Plan, wanted: bool) -> Result<(), Stop> {
    if wanted && !plan.has_user_groups() {
        return Err(
            Refusal::PaymentRequired("userGroupIds: user groups need the Pro plan".into()).into(),
        );
    }
    Ok(())
}

/// People count once each however many rotations they are in; those of `but` are replaced by `users` and `groups`.
pub(super) fn check_people(
    tx: &ReadTx,
    plan: &Plan,
    but: Option<&RotationId>,
    users: &[UserId],
    groups: &[GroupId],
) -> Result<(), Stop> {
    let Some(most) = plan.max_people else {
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
    // A workspace that has more people than its plan includes may still let some go.
    if others.len() as u64 > most && others.len() > present {
        let detail = format!(
            "the plan includes {most} people across all rotations; this would make {}",
            others.len()
        );
        return Err(Refusal::PaymentRequired(detail).into());
    }
    Ok(())
}
