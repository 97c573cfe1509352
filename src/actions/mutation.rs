//! The frame of every write to a rotation: load it, let what fell due happen, judge the caller and the validator, act,
//! and store what changed with the record of it.

use super::{App, Fault, Stop, notifications, outbox};
use crate::domain::absence::Absences;
use crate::domain::access::Principal;
use crate::domain::agreement::AgreementContext;
use crate::domain::event::{self, Act};
use crate::domain::handover::{self, Change, DealingContext, Memo, WindowChange};
use crate::domain::holidays::Calendar;
use crate::domain::ids::RotationId;
use crate::domain::outlook;
use crate::domain::refusal::Refusal;
use crate::domain::request::Pending;
use crate::domain::roster;
use crate::domain::rotation::{Reason, Rotation};
use crate::domain::takeover;
use crate::domain::tiers::Plan;
use crate::store::{self, ReadTx, WriteTx};
use crate::wire::etag::{self, Precondition};
use jiff::Timestamp;

/// A rotation being changed within a write.
pub struct Draft<'a> {
    pub rotation: Rotation,
    pub absences: Absences,
    pub calendar: &'a Calendar,
    pub plan: Plan,
    app: &'a App,
    /// As stored.
    before: Rotation,
    /// Something changed beside the rotation's own state that its validator covers: a record of an arrangement or of a
    /// request.
    pub touched: bool,
}

impl<'a> Draft<'a> {
    /// Loads a rotation with what dealing needs; `None` when there is none of that id.
    pub fn load(tx: &ReadTx, app: &'a App, id: &RotationId) -> Result<Option<Draft<'a>>, Fault> {
        let Some(rotation) = store::load_rotation(tx, id)? else {
            return Ok(None);
        };
        let absences = store::load_absences(tx, &rotation)?;
        let before = rotation.clone();
        Ok(Some(Draft {
            rotation,
            absences,
            calendar: app.calendar(),
            plan: app.plan(),
            app,
            before,
            touched: false,
        }))
    }

    /// What agreements are judged by, now.
    pub fn context(&self, tx: &WriteTx) -> AgreementContext<'_> {
        AgreementContext {
            rotation: &self.rotation,
            dealing: DealingContext {
                calendar: self.calendar,
                absences: &self.absences,
            },
            now: self.instant(tx),
        }
    }

    /// A change of duty now, by a write.
    pub fn change(
        &mut self,
        tx: &WriteTx,
        window_change: WindowChange,
        act: impl FnOnce(&mut Change),
    ) {
        let at = self.instant(tx);
        let dealing = DealingContext {
            calendar: self.calendar,
            absences: &self.absences,
        };
        let mut change = Change::begin(&mut self.rotation, dealing, at, window_change);
        act(&mut change);
        change.finish();
    }

    /// The next instant at which something falls due in it.
    pub fn next_due(&self) -> Option<Timestamp> {
        handover::next_due(
            &self.rotation,
            DealingContext {
                calendar: self.calendar,
                absences: &self.absences,
            },
        )
    }

    /// The instant that a write counts as: never before what has been judged already.
    pub fn instant(&self, tx: &WriteTx) -> Timestamp {
        tx.now().max(self.rotation.stamps.judged_at)
    }

    /// Does everything due up to now, instant by instant, as one committed change that is news of where it ended up. What
    /// shows nowhere raises no version. Answers the first instant that was due.
    pub fn catch_up(&mut self, tx: &mut WriteTx) -> Result<Option<Timestamp>, Fault> {
        let (mut first, mut shows) = (None, false);
        let dealing = DealingContext {
            calendar: self.calendar,
            absences: &self.absences,
        };
        let mut memo = Memo::default();
        let mut due = memo.next_due(&self.rotation, dealing);
        while let Some(at) = due.filter(|at| *at <= tx.now()) {
            let outcome = memo.step(&mut self.rotation, dealing, at);
            store::begin_entries(tx, &self.rotation, &outcome.begun)?;
            (first, shows) = (first.or(Some(at)), shows || outcome.shows);
            due = memo.next_due(&self.rotation, dealing);
        }
        if first.is_some() {
            self.save(tx, Act::Clock, shows, due)?;
        }
        Ok(first)
    }

    /// Stores the draft if the write changed anything, and answers with the rotation.
    pub fn store(mut self, tx: &mut WriteTx, act: Act) -> Result<Rotation, Fault> {
        self.settle(tx, act)?;
        Ok(self.rotation)
    }

    /// Stores the draft if the write changed anything: one version more, the record of what began and ended, the next due
    /// instant, and the news. Answers whether there is anything to send.
    pub fn settle(&mut self, tx: &mut WriteTx, act: Act) -> Result<bool, Fault> {
        if self.may_lose_duties(act) {
            self.expire_lost();
        }
        if self.rotation.same_as(&self.before) && !self.touched {
            if act == Act::Aside {
                // Another absence, another person who is next.
                notifications::request_topic_sync(tx, &self.rotation)?;
            }
            return Ok(false);
        }
        let at = self.instant(tx);
        let kept = |cell: &crate::domain::rotation::Cell| {
            self.rotation.cells.iter().any(|c| c.id == cell.id)
        };
        for gone in self.before.cells.iter().filter(|cell| !kept(cell)) {
            store::end_entry(tx, &self.before.id, &gone.id, at)?;
        }
        let entry_before = |id| {
            self.before
                .cells
                .iter()
                .find(|cell| &cell.id == id)
                .map(|cell| &cell.entry)
        };
        let begun: Vec<usize> = (0..self.rotation.cells.len())
            .filter(|&index| {
                let cell = &self.rotation.cells[index];
                entry_before(&cell.id) != Some(&cell.entry)
            })
            .collect();
        store::begin_entries(tx, &self.rotation, &begun)?;
        let due = self.next_due();
        self.save(tx, act, true, due)
    }

    /// Whether the write may have taken a duty from whoever a pending request relies on: a disabled rotation stays as it is,
    /// and names and channels change nobody's duty.
    fn may_lose_duties(&self, act: Act) -> bool {
        let any = self.rotation.enabled && !self.rotation.pending.is_empty();
        any && (act == Act::Aside || !self.rotation.same_duty_as(&self.before))
    }

    /// Has pending requests expire whose duties are no longer held, as planned, by whoever is to give them away, as far
    /// ahead as can be told. Time alone does not bring that about, for what happens is what was planned.
    fn expire_lost(&mut self) {
        let pending = &self.rotation.pending;
        let until = pending.iter().map(Pending::until).max();
        let dealing = DealingContext {
            calendar: self.calendar,
            absences: &self.absences,
        };
        let judged_at = self.rotation.stamps.judged_at;
        let until = until.unwrap_or(judged_at);
        let horizon = outlook::horizon(judged_at, until);
        let (outlooks, known) = outlook::foresee(&self.rotation, dealing, horizon);
        let known = known.or(Some(horizon).filter(|horizon| *horizon < until));
        let keeps = |pending: &&Pending| outlook::keeps(&self.rotation, &outlooks, known, pending);
        self.rotation.pending = pending.iter().filter(keeps).cloned().collect();
    }

    fn save(
        &mut self,
        tx: &mut WriteTx,
        act: Act,
        shows: bool,
        due: Option<Timestamp>,
    ) -> Result<bool, Fault> {
        if shows {
            self.rotation.stamps.version += 1;
            self.rotation.stamps.updated_at = self.instant(tx);
        }
        self.plan_reminder(tx);
        store::save_rotation(tx, &self.before, &self.rotation, due)?;
        let mut queued = false;
        if shows {
            let (before, after) = (&self.before, &self.rotation);
            let news = event::news(before, after, act, self.calendar);
            queued = outbox::announce(tx, self.app, after, &news)?;
            queued |= notifications::change(tx, self.app, before, after, act, &news)?;
        }
        self.before = self.rotation.clone();
        self.touched = false;
        Ok(queued)
    }

    /// Says when somebody is to be reminded next; what is due already is left to be told.
    pub fn plan_reminder(&mut self, tx: &WriteTx) {
        let (now, before) = (tx.now(), self.app.reminder_before());
        if self.rotation.stamps.remind_at.is_none_or(|at| at > now) {
            self.rotation.stamps.remind_at =
                takeover::next_reminder(&self.rotation, self.calendar, before, now);
        }
    }

    /// Reads the members anew, after the lists or the directory changed, and the absences that count with them.
    pub fn reload_members(&mut self, tx: &WriteTx) -> Result<(), Fault> {
        self.rotation.members = store::load_members(&tx.as_read(), &self.rotation.id)?;
        self.absences = store::load_absences(&tx.as_read(), &self.rotation)?;
        Ok(())
    }

    /// Takes over a changed membership: next turns keep pointing at the same people, those who left come off duty, and
    /// empty slots are dealt where the change concerns dealing.
    pub fn follow_members(&mut self, tx: &WriteTx, before: &Rotation, window_change: WindowChange) {
        let orders: Vec<_> = before
            .rosters
            .iter()
            .map(|roster| (roster.id.clone(), before.order(roster)))
            .collect();
        for index in 0..self.rotation.rosters.len() {
            let roster = &self.rotation.rosters[index];
            if let Some((_, old)) = orders.iter().find(|(id, _)| *id == roster.id) {
                let new = self.rotation.order(roster);
                self.rotation.rosters[index].next_turn =
                    roster::repoint(old, roster.next_turn, &new);
            }
        }
        self.redeal(tx, before, window_change, |change| change.clear_leavers());
    }

    /// Lets an edit act on duty, then deals the empty slots if dealing has something else to go by than `before`.
    pub fn redeal(
        &mut self,
        tx: &WriteTx,
        before: &Rotation,
        window_change: WindowChange,
        act: impl FnOnce(&mut Change),
    ) {
        let concerned = !self.rotation.deals_like(before);
        self.change(tx, window_change, |change| {
            act(change);
            if concerned {
                change.fill(Reason::CoverageChanged);
            }
        });
    }
}

/// Judges a write to one rotation: refuses an unknown, hidden or foreign one, lets what fell due happen first, checks
/// what else the path names (`exists`) and the validator, then acts. An error of the act undoes the act alone; what fell
/// due stays done.
pub fn judged<T: Send + 'static>(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    exists: impl FnOnce(&ReadTx, &Rotation) -> Result<(), Stop> + Send + 'static,
    act: impl FnOnce(&mut WriteTx, Draft) -> Result<T, Stop> + Send + 'static,
) -> Result<T, Stop> {
    let caller = caller.clone();
    let admit = move |tx: &ReadTx, rotation: &Rotation| {
        caller.check_edit(rotation)?;
        exists(tx, rotation)?;
        Ok(None)
    };
    admitted(app, id, precondition, admit, act)
}

/// The same with `admit` in the place of the rule that the rotation's editors write: it refuses, lets the write go on, or
/// answers at once.
pub fn admitted<T: Send + 'static>(
    app: &App,
    id: &RotationId,
    precondition: &Precondition,
    admit: impl FnOnce(&ReadTx, &Rotation) -> Result<Option<T>, Stop> + Send + 'static,
    act: impl FnOnce(&mut WriteTx, Draft) -> Result<T, Stop> + Send + 'static,
) -> Result<T, Stop> {
    let (shared, id, precondition) = (app.clone(), id.clone(), precondition.clone());
    let outcome = app
        .store()
        .write(move |tx| -> Result<Result<T, Stop>, Stop> {
            let Some(mut draft) = Draft::load(&tx.as_read(), &shared, &id)? else {
                return Ok(Err(Refusal::NotFound("rotation").into()));
            };
            let was_due = draft.catch_up(tx)?.is_some();
            if let Some(outcome) = admit(&tx.as_read(), &draft.rotation).transpose() {
                return Ok(outcome);
            }
            if !precondition.admits(&etag::tag(&draft.rotation, draft.calendar)) {
                return Ok(Err(Refusal::StaleValidator.into()));
            }
            if was_due {
                // What fell due stays done, so the act alone is undone when it fails.
                return Ok(tx.part(|tx| act(tx, draft)));
            }
            act(tx, draft).map(Ok)
        });
    outcome?
}

/// A judged write that puts people on duty or takes them off it, and stores that.
pub fn duty(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    act: impl FnOnce(&mut WriteTx, &mut Draft) -> Result<(), Stop> + Send + 'static,
) -> Result<Rotation, Stop> {
    let exists = |_: &ReadTx, _: &Rotation| Ok(());
    judged(
        app,
        caller,
        id,
        precondition,
        exists,
        stored(Act::Duty, act),
    )
}

/// A judged write that edits the rotation and stores it.
pub fn edit(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    act: impl FnOnce(&mut WriteTx, &mut Draft) -> Result<(), Stop> + Send + 'static,
) -> Result<Rotation, Stop> {
    edit_within(app, caller, id, precondition, |_, _| Ok(()), act)
}

/// The same for a path that names something within the rotation.
pub fn edit_within(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    precondition: &Precondition,
    exists: impl FnOnce(&ReadTx, &Rotation) -> Result<(), Stop> + Send + 'static,
    act: impl FnOnce(&mut WriteTx, &mut Draft) -> Result<(), Stop> + Send + 'static,
) -> Result<Rotation, Stop> {
    judged(
        app,
        caller,
        id,
        precondition,
        exists,
        stored(Act::Edit, act),
    )
}

/// An act whose outcome is stored, as news of this kind.
fn stored(
    news: Act,
    act: impl FnOnce(&mut WriteTx, &mut Draft) -> Result<(), Stop>,
) -> impl FnOnce(&mut WriteTx, Draft) -> Result<Rotation, Stop> {
    move |tx, mut draft| {
        act(tx, &mut draft)?;
        Ok(draft.store(tx, news)?)
    }
}

/// Lets rotations follow what a write does to the things they depend on (the directory, absences, the plan): `before`
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
            befores.push(draft.before);
        }
    }
    let answer = write(tx)?;
    for before in befores {
        if let Some(mut draft) = Draft::load(&tx.as_read(), app, &before.id)? {
            follow(tx, &mut draft, &before);
            // What the directory changed beneath the rotation is a change of it as well.
            draft.before = before;
            draft.store(tx, act)?;
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
