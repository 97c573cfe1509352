//! A rotation while a write changes it: what fell due, what changed, and the record and the news of both.

use super::{App, Fault, notifications, outbox};
use crate::domain::absence::Absences;
use crate::domain::access::Principal;
use crate::domain::agreement::AgreementContext;
use crate::domain::event::{self, Act, Event};
use crate::domain::forecast::{self, Forecast, Limits};
use crate::domain::handover::{self, Change, DealingContext, WindowChange};
use crate::domain::holidays::Calendar;
use crate::domain::ids::RotationId;
use crate::domain::request::Pending;
use crate::domain::roster;
use crate::domain::rotation::{Reason, Rotation};
use crate::domain::tiers::TierLimits;
use crate::store::{self, ReadTx, WriteTx};
use jiff::Timestamp;

/// A rotation being changed within a write.
pub struct Draft<'a> {
    pub rotation: Rotation,
    pub absences: Absences,
    pub calendar: &'a Calendar,
    pub tier_limits: TierLimits,
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
            tier_limits: app.tier_limits(),
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
        let mut forecast = Forecast::new(&mut self.rotation, dealing, Limits::NONE);
        while let Some(step) = forecast.step_until(tx.now()) {
            store::begin_entries(tx, step.rotation, &step.outcome.begun)?;
            (first, shows) = (first.or(Some(step.at)), shows || step.outcome.shows);
        }
        let due = forecast.next_due();
        if first.is_some() {
            self.save(tx, Act::Clock, shows, due)?;
            log::debug!("{}: {} moved on", Principal::Clock, self.rotation.id);
        }
        Ok(first)
    }

    /// Starts from another state than the one that is stored: what was written beneath the rotation is a change of it too.
    pub fn changed_from(&mut self, before: Rotation) {
        self.before = before;
    }

    /// As it was loaded, with what fell due since.
    pub fn into_before(self) -> Rotation {
        self.before
    }

    /// Stores the draft if the write changed anything: one version more, the record of what began and ended, the next due
    /// instant, and the news. Answers whether there is anything to send.
    pub fn settle(&mut self, tx: &mut WriteTx, act: Act) -> Result<bool, Fault> {
        if self.may_lose_duties(act) {
            self.expire_lost();
        }
        if self.is_settled() {
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

    /// Deletes the rotation with everything in it, and tells of it.
    pub fn delete(&mut self, tx: &mut WriteTx) -> Result<(), Fault> {
        store::remove_rotation(tx, &self.rotation.id)?;
        outbox::announce(tx, self.app, &self.rotation, &[Event::Deleted])?;
        notifications::deleted(tx, &self.rotation)
    }

    /// Whether everything that changed is stored.
    pub fn is_settled(&self) -> bool {
        self.rotation.same_as(&self.before) && !self.touched
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
        let horizon = forecast::horizon(judged_at, until);
        let (cells, known) = forecast::known_cells(&self.rotation, dealing, horizon);
        let known = known.or(Some(horizon).filter(|horizon| *horizon < until));
        let keeps = |pending: &&Pending| forecast::keeps(&self.rotation, &cells, known, pending);
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
                forecast::next_reminder(&self.rotation, self.calendar, before, now);
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
