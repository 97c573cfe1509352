//! The only way to write a rotation: the caller, the rotation, the precondition and the operation. An API handler, a development
//! route, an inbound webhook and a command build the same [`Mutation`] and run it in the same way.

use super::chat_ids::{self, NamedIds};
use super::draft::Draft;
use super::{ActionError, App, Error, Result};
use crate::domain::access::{Principal, Scope};
use crate::domain::audit::{Author, Origin};
use crate::domain::event::Act;
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{ChangeId, RotationId};
use crate::domain::refusal::Refusal;
use crate::domain::rotation::Rotation;
use crate::store::{self, ReadTx, WriteTx};
use crate::wire::etag::{self, Precondition};
use jiff::Timestamp;

/// An operation on one rotation.
pub trait Operation: Sized + Send + 'static {
    /// The name in the log.
    const NAME: &'static str;

    /// Whether [`prepare`](Operation::prepare) has something to do.
    const PREPARES: bool = false;

    /// The result, in addition to the rotation.
    type Output: Send + 'static;

    /// The stored result of an earlier run of the same operation; `None` if this is the first. It is checked before rights and
    /// precondition: a retry gets the original response whatever has changed since.
    fn replay(
        &self,
        _: &ReadTx,
        _: &Rotation,
        _: &Principal,
        _: Timestamp,
    ) -> Result<Option<Self::Output>> {
        Ok(None)
    }

    /// Refuses callers who may not do this, and names that do not exist in the rotation. By default everyone who may edit the
    /// rotation may do it.
    fn admit(&self, _: &ReadTx, rotation: &Rotation, caller: &Principal) -> Result<()> {
        Ok(caller.check_edit(rotation)?)
    }

    /// The people and channels that it names. Where the chat platform is asked for unknown ones, that happens before the write,
    /// for callers who would be admitted to the current rotation.
    fn named(&self) -> NamedIds {
        NamedIds::default()
    }

    /// Calls external services, which must not happen in a transaction. Runs before the write, for callers who would be admitted
    /// to the current rotation.
    fn prepare(&mut self, _: &App, _: &Rotation) -> Result<()> {
        Ok(())
    }

    /// Whether it would change who is on duty, or whom duty passes to, by other means than a partner's schedule. It is refused on
    /// a rotation that follows one.
    fn changes_duty(&self, _: &Rotation) -> bool {
        false
    }

    /// Makes the change and stores the draft.
    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, caller: &Principal)
    -> Result<Self::Output>;
}

/// A write to one rotation.
pub struct Mutation<'a, O> {
    pub author: &'a Author,
    pub rotation: &'a RotationId,
    /// Checked only here, after the rights.
    pub precondition: &'a Precondition,
    pub operation: O,
}

/// The result of a mutation.
#[derive(Clone, Debug)]
pub struct Written<T> {
    /// The rotation after the write; a deleted one as it was before.
    pub rotation: Rotation,
    pub output: T,
    /// The changes that wait which this write makes fail when their time comes.
    pub will_fail: Vec<ChangeId>,
}

impl<T> Written<T> {
    /// The original response of a retry.
    fn replayed(rotation: Rotation, output: T) -> Written<T> {
        Written {
            rotation,
            output,
            will_fail: Vec::new(),
        }
    }
}

/// The changes that wait in a rotation and would fail as it stands.
fn failing(draft: &Draft) -> Vec<ChangeId> {
    let rotation = &draft.rotation;
    let Some(last) = rotation.waiting.last() else {
        return Vec::new();
    };
    let dealing = DealingContext::new(draft.calendar, &rotation.absences);
    let failing = forecast::failing(rotation, dealing, last.at);
    failing.into_iter().map(|change| change.id).collect()
}

impl<O: Operation> Mutation<'_, O> {
    /// Runs the write in one transaction: what became due first, then the original response of a retry, the rights, the
    /// precondition and the operation. An error of the operation undoes only the operation; what became due stays processed.
    ///
    /// # Errors
    /// [`Refusal::NotFound`] if there is no such rotation, [`Refusal::StaleValidator`] or [`Refusal::WeakValidator`] if the
    /// precondition fails, and the refusals of the operation.
    pub fn run(mut self, app: &App) -> Result<Written<O::Output>> {
        let named = self.operation.named();
        let asks = chat_ids::has_unknown(app, &named)?;
        if O::PREPARES || asks {
            let (rotation, replayed) = app.store().read(|tx| -> Result<_> {
                let rotation = store::load_rotation(tx, self.rotation)?;
                let rotation = rotation.ok_or(Refusal::NotFound("rotation"))?;
                let replayed = match self.admit_or_replay(tx, &rotation, app, app.now()) {
                    // It may be there by the time of the write.
                    Err(ActionError::Refused(Refusal::NotFound("channel" | "user"))) if asks => {
                        None
                    }
                    admitted => admitted?,
                };
                Ok((rotation, replayed))
            })?;
            match replayed {
                Some(output) => return Ok(Written::replayed(rotation, output)),
                None => {
                    chat_ids::ask(app, &named)?;
                    self.operation.prepare(app, &rotation)?;
                }
            }
        }
        let (shared, author) = (app.clone(), self.author.clone());
        let (id, precondition) = (self.rotation.clone(), self.precondition.clone());
        let operation = self.operation;
        let outcome = app.store().write(move |tx| -> Result<Result<_>> {
            let Some(mut draft) = Draft::load(&tx.as_read(), &shared, &author, &id)? else {
                return Ok(Err(Refusal::NotFound("rotation").into()));
            };
            let was_due = draft.catch_up(tx)?.is_some();
            let mutation = Mutation {
                author: &author,
                rotation: &id,
                precondition: &precondition,
                operation,
            };
            match mutation.admit_or_replay(&tx.as_read(), &draft.rotation, &shared, tx.now()) {
                Ok(None) => {}
                Ok(Some(output)) => {
                    return Ok(Ok(Written::replayed(draft.rotation, output)));
                }
                Err(error) => return Ok(Err(error)),
            }
            if was_due {
                // What became due stays processed, so only the operation is undone if it fails.
                return Ok(tx.part(|tx| mutation.apply(tx, draft)));
            }
            mutation.apply(tx, draft).map(Ok)
        });
        outcome?
    }

    /// Whether the operation may proceed; its stored output if it ran before.
    fn admit_or_replay(
        &self,
        tx: &ReadTx,
        rotation: &Rotation,
        app: &App,
        now: Timestamp,
    ) -> Result<Option<O::Output>> {
        let caller = &self.author.principal;
        let known = self.operation.replay(tx, rotation, caller, now)?;
        if known.is_some() {
            return Ok(known);
        }
        self.operation.admit(tx, rotation, caller)?;
        let current = || etag::tag(rotation, app.calendar());
        self.precondition.check(current)?;
        Ok(None)
    }

    fn apply(self, tx: &mut WriteTx, mut draft: Draft) -> Result<Written<O::Output>> {
        let caller = &self.author.principal;
        if draft.rotation.external.is_some() && self.operation.changes_duty(&draft.rotation) {
            return Err(Refusal::ExternalReadOnly.into());
        }
        let failed = failing(&draft);
        let output = self.operation.apply(tx, &mut draft, caller)?;
        debug_assert!(draft.is_stored(), "{} stored nothing", O::NAME);
        // What changed beside the rotation, where the rotation itself did not.
        draft.record_description(tx)?;
        log::debug!("{caller}: {} {}", O::NAME, self.rotation);
        let mut will_fail = failing(&draft);
        will_fail.retain(|id| !failed.contains(id));
        Ok(Written {
            rotation: draft.rotation,
            output,
            will_fail,
        })
    }
}

/// Lets rotations follow what a write does to the things they depend on (the directory, absences, the tier): `before`
/// is loaded, `write` done, and each rotation that `affected` names is given to `follow` with its state before. `act` says
/// what kind of news it is where a rotation changes; each that does has an audit entry of the author.
pub fn follow<T>(
    app: &App,
    tx: &mut WriteTx,
    (author, act): (&Author, Act),
    affected: &[RotationId],
    write: impl FnOnce(&mut WriteTx) -> Result<T>,
    mut follow: impl FnMut(&WriteTx, &mut Draft, &Rotation),
) -> Result<T> {
    let mut befores = Vec::with_capacity(affected.len());
    for id in affected {
        if let Some(mut draft) = Draft::load(&tx.as_read(), app, author, id)? {
            draft.catch_up(tx)?;
            befores.push(draft.into_before());
        }
    }
    let answer = write(tx)?;
    for before in befores {
        if let Some(mut draft) = Draft::load(&tx.as_read(), app, author, &before.id)? {
            draft.keep_members(tx)?;
            follow(tx, &mut draft, &before);
            draft.changed_from(before);
            draft.store(tx, act)?;
        }
    }
    Ok(answer)
}

/// Lets every rotation follow what SCIM has changed, within a write that needs them as the directory is now. What follows has the
/// audit entries of the key whose change it follows. Answers how many rotations followed.
pub fn follow_held(app: &App, tx: &mut WriteTx) -> Result<usize> {
    let held = store::list_held(&tx.as_read())?;
    let Some((_, key, name)) = held.first() else {
        store::release_all(tx)?;
        return Ok(0);
    };
    let author = Author {
        principal: Principal::Key {
            id: key.as_str().into(),
            name: name.clone(),
            scopes: vec![Scope::ManageDirectory],
            rotations: None,
        },
        action: "followScim",
        origin: Origin::default(),
    };
    let concerned: Vec<RotationId> = held.iter().map(|(id, _, _)| id.clone()).collect();
    let release = |tx: &mut WriteTx| Ok(store::release_all(tx)?);
    let by = (&author, Act::Edit);
    follow(app, tx, by, &concerned, release, |tx, draft, before| {
        let editing = draft.editing(tx);
        editing.follow_members(before, &mut draft.rotation);
    })?;
    Ok(concerned.len())
}

/// Replaces the directory and updates every rotation. Requests a sync of topics and on-duty groups. `compare` gets each rotation
/// before and after.
pub fn follow_directory(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    replace: impl FnOnce(&mut WriteTx) -> Result<(), Error>,
    mut compare: impl FnMut(&Rotation, &Rotation),
) -> Result<()> {
    follow_held(app, tx)?;
    let all = store::list_rotation_ids(&tx.as_read())?;
    let replace = |tx: &mut WriteTx| {
        replace(tx)?;
        Ok(store::request_full_sync(tx)?)
    };
    let by = (author, Act::Edit);
    follow(app, tx, by, &all, replace, |tx, draft, before| {
        let editing = draft.editing(tx);
        editing.follow_members(before, &mut draft.rotation);
        compare(before, &draft.rotation);
    })
}
