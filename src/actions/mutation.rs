//! The one way to write a rotation: who asks, which rotation, what they saw of it, and the operation. An API handler, a
//! development route, an inbound webhook and a command build the same [`Mutation`] and run it in the same way.

use super::draft::Draft;
use super::{App, Fault, Stop};
use crate::domain::access::Principal;
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{self, ReadTx, WriteTx};
use crate::wire::etag::{self, Precondition};
use jiff::Timestamp;

/// What somebody does to one rotation.
pub trait Operation: Sized + Send + 'static {
    /// What the log calls it.
    const NAME: &'static str;

    /// Whether [`prepare`](Operation::prepare) has something to do.
    const PREPARES: bool = false;

    /// What it comes to, beside the rotation itself.
    type Output: Send + 'static;

    /// What the same operation returned when it was carried out before; `None` where this is the first time. It comes before
    /// the rights and the validator: a retry gets the original response whatever has changed since.
    fn replay(
        &self,
        _: &ReadTx,
        _: &Rotation,
        _: &Principal,
        _: Timestamp,
    ) -> Result<Option<Self::Output>, Stop> {
        Ok(None)
    }

    /// Refuses a caller who may not do this, and anything named within the rotation that is not there. By default whoever may
    /// edit the rotation may do it.
    fn admit(&self, _: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<(), Stop> {
        Ok(caller.check_edit(rotation)?)
    }

    /// Asks the outside world, which no transaction may wait for. Runs before the write, for callers who would be let in with
    /// the rotation as it stands.
    fn prepare(&mut self, _: &App, _: &Rotation) -> Result<(), Stop> {
        Ok(())
    }

    /// Does the work and settles the draft.
    fn apply(
        self,
        tx: &mut WriteTx,
        draft: &mut Draft,
        caller: &Principal,
    ) -> Result<Self::Output, Stop>;
}

/// A write to one rotation.
pub struct Mutation<'a, O> {
    pub caller: &'a Principal,
    pub rotation: &'a RotationId,
    /// Checked here and nowhere else, after the rights.
    pub precondition: &'a Precondition,
    pub operation: O,
}

/// What a mutation came to.
#[derive(Clone, Debug)]
pub struct Written<T> {
    /// As it stands after the write; a deleted one as it stood before.
    pub rotation: Rotation,
    pub output: T,
}

impl<O: Operation> Mutation<'_, O> {
    /// Carries the write out in one transaction: what fell due comes first, then the original response to a retry, the
    /// rights, the validator and the operation. An error of the operation undoes the operation alone; what fell due stays done.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] where there is no such rotation, [`Refusal::StaleValidator`] where the precondition does not hold,
    /// and whatever the operation refuses.
    pub fn run(mut self, app: &App) -> Result<Written<O::Output>, Stop> {
        if O::PREPARES {
            let (rotation, known) = app.store().read(|tx| -> Result<_, Stop> {
                let rotation = store::load_rotation(tx, self.rotation)?;
                let rotation = rotation.ok_or(Refusal::NotFound("rotation"))?;
                let known = self.judge(tx, &rotation, app, app.now())?;
                Ok((rotation, known))
            })?;
            match known {
                Some(output) => return Ok(Written { rotation, output }),
                None => self.operation.prepare(app, &rotation)?,
            }
        }
        let (shared, caller) = (app.clone(), self.caller.clone());
        let (id, precondition) = (self.rotation.clone(), self.precondition.clone());
        let operation = self.operation;
        let outcome = app
            .store()
            .write(move |tx| -> Result<Result<_, Stop>, Stop> {
                let Some(mut draft) = Draft::load(&tx.as_read(), &shared, &id)? else {
                    return Ok(Err(Refusal::NotFound("rotation").into()));
                };
                let was_due = draft.catch_up(tx)?.is_some();
                let mutation = Mutation {
                    caller: &caller,
                    rotation: &id,
                    precondition: &precondition,
                    operation,
                };
                match mutation.judge(&tx.as_read(), &draft.rotation, &shared, tx.now()) {
                    Ok(None) => {}
                    Ok(Some(output)) => {
                        let rotation = draft.rotation;
                        return Ok(Ok(Written { rotation, output }));
                    }
                    Err(stop) => return Ok(Err(stop)),
                }
                if was_due {
                    // What fell due stays done, so the operation alone is undone when it fails.
                    return Ok(tx.part(|tx| mutation.apply(tx, draft)));
                }
                mutation.apply(tx, draft).map(Ok)
            });
        outcome?
    }

    /// Whether the operation may go on; the output where it was carried out before.
    fn judge(
        &self,
        tx: &ReadTx,
        rotation: &Rotation,
        app: &App,
        now: Timestamp,
    ) -> Result<Option<O::Output>, Stop> {
        let known = self.operation.replay(tx, rotation, self.caller, now)?;
        if known.is_some() {
            return Ok(known);
        }
        self.operation.admit(tx, rotation, self.caller)?;
        let current = || etag::tag(rotation, app.calendar());
        match *self.precondition == Precondition::Any || self.precondition.admits(&current()) {
            true => Ok(None),
            false => Err(Refusal::StaleValidator.into()),
        }
    }

    fn apply(self, tx: &mut WriteTx, mut draft: Draft) -> Result<Written<O::Output>, Stop> {
        let output = self.operation.apply(tx, &mut draft, self.caller)?;
        debug_assert!(draft.is_settled(), "{} stored nothing", O::NAME);
        log::debug!("{}: {} {}", self.caller, O::NAME, self.rotation);
        let rotation = draft.rotation;
        Ok(Written { rotation, output })
    }
}

/// Lets rotations follow what a write does to the things they depend on (the directory, absences, the tier): `before`
/// is loaded, `write` done, and each rotation that `affected` names is given to `follow` with its state before. `act` says
/// what kind of news it is where a rotation changes.
pub fn follow<T>(
    app: &App,
    tx: &mut WriteTx,
    affected: &[RotationId],
    act: Act,
    write: impl FnOnce(&mut WriteTx) -> Result<T, Stop>,
    follow: impl Fn(&WriteTx, &mut Draft, &Rotation),
) -> Result<T, Stop> {
    let mut befores = Vec::with_capacity(affected.len());
    for id in affected {
        if let Some(mut draft) = Draft::load(&tx.as_read(), app, id)? {
            draft.catch_up(tx)?;
            befores.push(draft.into_before());
        }
    }
    let answer = write(tx)?;
    for before in befores {
        if let Some(mut draft) = Draft::load(&tx.as_read(), app, &before.id)? {
            follow(tx, &mut draft, &before);
            draft.changed_from(before);
            draft.settle(tx, act)?;
        }
    }
    Ok(answer)
}

/// Replaces the directory and lets every rotation follow, in one transaction; topics and on-duty groups are looked at.
pub fn follow_directory(
    app: &App,
    replace: impl FnOnce(&mut WriteTx) -> Result<(), Fault> + Send + 'static,
) -> Result<(), Stop> {
    let shared = app.clone();
    app.store().write(move |tx| {
        let all = store::list_rotation_ids(&tx.as_read())?;
        let replace = |tx: &mut WriteTx| {
            replace(tx)?;
            Ok(store::request_full_sync(tx)?)
        };
        follow(
            &shared,
            tx,
            &all,
            Act::Edit,
            replace,
            |tx, draft, before| draft.follow_members(tx, before, WindowChange::ByEdit),
        )
    })
}
