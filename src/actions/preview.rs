//! What an edit of a rotation would come to, before it is made: the rotation as it would stand, and who would be on call in the
//! next days (rules.md 6.4). Changes nothing.

use super::{ActionError, App, reads};
use crate::domain::absence_policy::PolicyChange;
use crate::domain::access::Principal;
use crate::domain::forecast::{self, Difference};
use crate::domain::grid::{self, GridSpec};
use crate::domain::handover::{DealingContext, Edit, WindowChange};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// How far ahead a preview looks.
pub const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// An edit that can be looked at before it is made.
pub enum Wanted {
    Coverage(GridSpec),
    /// `skipsAreOffTime`.
    OffTime(bool),
    Absences(PolicyChange),
    /// Without these people among those added one by one.
    Without(Vec<UserId>),
}

/// What an edit would come to.
#[derive(Clone, Debug)]
pub struct Preview {
    /// As it is stored, for its validator.
    pub stored: Rotation,
    /// As it would stand. Ids of what is new are not those that it gets.
    pub then: Rotation,
    pub range: Interval,
    /// Where others would be on call in the range, by start.
    pub differences: Vec<Difference>,
}

/// Looks at an edit.
///
/// # Errors
/// As the edit itself, for whoever may not make it or where it does not fit; [`Refusal::Invalid`](crate::domain::refusal::Refusal)
/// where it takes too much to forecast.
pub fn of(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    wanted: &Wanted,
) -> Result<Preview, ActionError> {
    let (stored, (then, range, differences)) =
        reads::in_context(app, caller, id, |tx, context| {
            let before = context.rotation;
            caller.check_edit(before)?;
            before.check_own()?;
            let mut then = before.clone();
            if let Wanted::Absences(change) = wanted {
                then.absence_policy = before
                    .absence_policy
                    .changed(change)
                    .map_err(Refusal::Invalid)?;
                then.absences = Arc::new(store::load_absences(tx, &then)?);
            }
            let absences = Arc::clone(&then.absences);
            let dealing = DealingContext {
                absences: &absences,
                ..context.dealing
            };
            let edit = Edit {
                before,
                dealing,
                at: context.now,
                window_change: WindowChange::ByEdit,
            };
            match wanted {
                Wanted::Coverage(spec) => {
                    let mut minted = 0;
                    let mut mint = |prefix: &str| {
                        minted += 1;
                        format!("{prefix}new{minted}")
                    };
                    let (limits, calendar) = (app.tier_limits(), app.calendar());
                    grid::replace(&mut then, spec, &limits, calendar, context.now, &mut mint)?;
                    if !then.same_as(before) {
                        edit.redeal(&mut then, |_| ());
                    }
                }
                Wanted::OffTime(off) => {
                    then.skips_are_off_time = *off;
                    if !then.same_as(before) {
                        edit.follow_members(&mut then);
                    }
                }
                Wanted::Absences(_) => {
                    if !then.same_as(before) {
                        edit.redeal(&mut then, |_| ());
                    }
                }
                Wanted::Without(gone) => {
                    then.members.users.retain(|user| !gone.contains(user));
                    if !then.same_as(before) {
                        edit.follow_members(&mut then);
                    }
                }
            }
            let range = Interval {
                from: context.now,
                until: context.now.saturating_add(AHEAD).unwrap_or(Timestamp::MAX),
            };
            let differences =
                forecast::differences([(before, context.dealing), (&then, dealing)], range)?;
            Ok((then, range, differences))
        })?;
    Ok(Preview {
        stored,
        then,
        range,
        differences,
    })
}
