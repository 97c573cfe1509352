//! Reads rotations, as far as the caller may see them.

use super::{App, Result};
use crate::domain::access::{Principal, Reach};
use crate::domain::agreement::AgreementContext;
use crate::domain::forecast::{Forecast, Limits};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RotationId, UserId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{self, Error, Page, READ_AT_ONCE, ReadTx, RotationFilter, Store, Visible};
use jiff::Timestamp;
use std::collections::HashMap;

/// One rotation.
pub fn rotation(app: &App, caller: &Principal, id: &RotationId) -> Result<Rotation> {
    app.store().read(|tx| visible(tx, caller, id))
}

/// The id of a rotation that somebody names by its id or by its code, whatever the case.
pub fn rotation_named(app: &App, caller: &Principal, name: &str) -> Result<RotationId> {
    app.store().read(|tx| {
        let id = RotationId::from(name);
        let by_code = || store::rotation_by_code(tx, &name.to_ascii_uppercase());
        let known = match store::load_stamps(tx, &id)? {
            Some(_) => Some(id),
            None => by_code()?,
        };
        let id = known.ok_or(Refusal::NotFound("rotation"))?;
        Ok(visible(tx, caller, &id)?.id)
    })
}

/// The names of rotations, for a caller who sees all of them; without missing ones.
///
/// # Errors
/// Where the caller does not, and when the storage cannot be read.
pub fn rotation_names<'a>(
    app: &App,
    caller: &Principal,
    ids: impl IntoIterator<Item = &'a RotationId>,
) -> Result<HashMap<RotationId, String>> {
    caller.check_administer()?;
    app.store().read(|tx| {
        let mut names = HashMap::new();
        for id in ids {
            if let Some(name) = store::load_rotation_name(tx, id)? {
                names.insert(id.clone(), name);
            }
        }
        Ok(names)
    })
}

/// The rotations in which a person is planned: those of which they are a member, and those whose lists have them by a change that
/// waits.
pub(super) fn rotations_of(tx: &ReadTx, user: &UserId) -> Result<Vec<RotationId>> {
    let mut all = store::list_rotations_of(tx, user)?;
    let mut joining = store::list_rotations_to_join(tx, user)?;
    joining.retain(|id| !all.contains(id));
    all.append(&mut joining);
    Ok(all)
}

pub(super) fn visible(tx: &ReadTx, caller: &Principal, id: &RotationId) -> Result<Rotation> {
    let rotation = store::load_rotation(tx, id)?.ok_or(Refusal::NotFound("rotation"))?;
    caller.check_see(&rotation)?;
    Ok(rotation)
}

/// Checks something against the rotation with everything due by now processed, without storing it. Returns the stored
/// rotation, for its ETag.
pub(super) fn in_context<T>(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    check: impl FnOnce(&ReadTx, &AgreementContext) -> Result<T>,
) -> Result<(Rotation, T)> {
    app.store().read(|tx| {
        let stored = visible(tx, caller, id)?;
        let now = app.now();
        let current = caught_up(app, &stored, now);
        let dealing = DealingContext::new(app.calendar(), &current.absences);
        let context = AgreementContext {
            rotation: &current,
            dealing,
            now: now.max(current.stamps.judged_at),
        };
        let checked = check(tx, &context)?;
        Ok((stored, checked))
    })
}

/// A rotation with everything due by now processed.
pub(super) fn caught_up(app: &App, stored: &Rotation, now: Timestamp) -> Rotation {
    let dealing = DealingContext::new(app.calendar(), &stored.absences);
    let mut current = stored.clone();
    let mut forecast = Forecast::new(&mut current, dealing, Limits::NONE);
    while forecast.step_until(now).is_some() {}
    current
}

/// Rotations one after the other, without those that are not there. A few at a time are read from one snapshot, so that none is held
/// for long.
pub(super) fn one_by_one(
    store: &Store,
    ids: &[RotationId],
) -> impl Iterator<Item = Result<Rotation, Error>> {
    ids.chunks(READ_AT_ONCE).flat_map(
        |ids| match store.read(|tx| store::load_rotations(tx, ids)) {
            Ok(found) => found.into_iter().flatten().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        },
    )
}

/// The rotations that lists show to a caller.
pub(super) fn visible_to(caller: &Principal) -> Visible {
    let (among, seen_by) = match caller.reach() {
        Reach::All => (None, None),
        Reach::Nothing => (Some(Vec::new()), None),
        Reach::Selected(ids) => (Some(ids.to_vec()), None),
        Reach::SeenBy(user) => (None, Some(user.clone())),
        // Nobody has the empty id: what they see is public.
        Reach::Public => (None, Some("".into())),
    };
    Visible { among, seen_by }
}

/// Rotations of a page that have not been shown yet.
pub type Unshown = std::vec::IntoIter<RotationId>;

/// Passes the rotations of a page that the caller may see to `show`, one by one from one snapshot, until it returns false.
/// Returns the remaining ones and the total number.
pub fn rotations(
    app: &App,
    caller: &Principal,
    filter: RotationFilter,
    page: Page,
    show: impl FnMut(&Rotation) -> Result<bool>,
) -> Result<(Unshown, u64)> {
    let filter = narrowed(caller, filter);
    app.store().read(|tx| {
        let (ids, total) = store::list_rotations(tx, &filter, page)?;
        let mut ids = ids.into_iter();
        show_each(tx, caller, &mut ids, show)?;
        Ok((ids, total))
    })
}

/// Passes more rotations of a page to `show`, from a new snapshot. Rotations that are gone or hidden by now are omitted.
pub fn more_rotations(
    app: &App,
    caller: &Principal,
    unshown: &mut Unshown,
    show: impl FnMut(&Rotation) -> Result<bool>,
) -> Result<()> {
    app.store().read(|tx| show_each(tx, caller, unshown, show))
}

/// A filter narrowed to the rotations that are there for a caller.
pub(super) fn narrowed(caller: &Principal, filter: RotationFilter) -> RotationFilter {
    RotationFilter {
        visible: visible_to(caller),
        ..filter
    }
}

fn show_each(
    tx: &ReadTx,
    caller: &Principal,
    unshown: &mut Unshown,
    mut show: impl FnMut(&Rotation) -> Result<bool>,
) -> Result<()> {
    for id in unshown {
        let found = store::load_rotation(tx, &id)?;
        let visible = found.filter(|rotation| caller.check_see(rotation).is_ok());
        if let Some(rotation) = visible
            && !show(&rotation)?
        {
            break;
        }
    }
    Ok(())
}
