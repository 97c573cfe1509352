//! Rotations follow what SCIM changes.

use crate::actions::directory_sync::{follow_changes_of, request_syncs};
use crate::actions::mutation::follow_held;
use crate::actions::{App, Result};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::directory_reading::DirectoryChanges;
use crate::domain::ids::{RotationId, UserId};
use crate::runtime::clock::real_time;
use crate::store::{self, WriteTx};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long nothing must have changed before rotations follow, in real time: what belongs together comes one after the other.
const QUIET: Duration = Duration::from_millis(250);

/// How long the first change waits at the most.
const LONGEST: Duration = Duration::from_millis(600);

/// How often a look is taken while nothing is known to wait: a write must not pay for waking somebody.
const LOOK: Duration = Duration::from_millis(200);

/// Writes changes of the directory. Rotations of people who leave follow in the transaction; the others keep their members until
/// [`follow_now`].
pub(super) fn write_changes(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    changes: &DirectoryChanges,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let is_leaving = |user: &UserId| {
        let mut people = changes.people.iter();
        people.any(|person| person.id == *user && !person.is_active())
    };
    let moved = changes.moved.iter().cloned();
    let (leaving, coming): (Vec<UserId>, Vec<UserId>) = moved.partition(is_leaving);
    let by = match &author.principal {
        Principal::Key { id, name, .. } => (id.as_str(), name.as_str()),
        _ => ("", ""),
    };
    let at = real_time();
    for group in &changes.regrouped {
        // Of a group that no rotation follows, nobody is a newcomer.
        let one = std::slice::from_ref(group);
        if !store::list_rotations_concerned(&tx.as_read(), &[], one)?.is_empty() {
            store::hold_order(tx, group)?;
        }
    }
    for rotation in store::list_rotations_concerned(&tx.as_read(), &coming, &changes.regrouped)? {
        store::hold_members(tx, &rotation, at, by)?;
    }
    let mut concerned: BTreeSet<RotationId> =
        store::list_rotations_concerned(&tx.as_read(), &leaving, &[])?
            .into_iter()
            .collect();
    for user in &leaving {
        concerned.extend(store::list_holding(&tx.as_read(), user)?);
    }
    let concerned: Vec<RotationId> = concerned.into_iter().collect();
    follow_changes_of(app, tx, author, changes, &concerned, |tx| {
        leaving
            .iter()
            .try_for_each(|user| store::drop_held(tx, user))
    })?;
    request_syncs(tx, changes)
}

/// Lets every rotation follow what SCIM has changed, in one transaction. Answers how many did.
///
/// # Errors
/// If the storage fails.
pub fn follow_now(app: &App) -> Result<usize> {
    if app.store().read(store::held_since)?.is_none() {
        return Ok(0);
    }
    let shared = app.clone();
    app.store().write(move |tx| follow_held(&shared, tx))
}

/// Lets rotations follow once a provider has said what it has to say.
#[derive(Debug, Default)]
pub struct FollowWorker;

impl FollowWorker {
    /// Follows what has waited long enough. Answers how long to wait until the next look.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn run(&self, app: &App) -> Result<Duration> {
        let Some(since) = app.store().read(store::held_since)? else {
            return Ok(LOOK);
        };
        let now = real_time();
        // A clock that was set back makes nobody wait.
        let age = |at| Duration::try_from(now.duration_since(at)).unwrap_or(LONGEST);
        let left = QUIET.saturating_sub(age(since.last_at));
        let left = left.min(LONGEST.saturating_sub(age(since.first_at)));
        if !left.is_zero() {
            return Ok(left);
        }
        let followed = follow_now(app)?;
        log::debug!("SCIM: {followed} rotations followed");
        Ok(LOOK)
    }
}
