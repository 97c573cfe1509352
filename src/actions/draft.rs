//! A rotation while a write changes it: what became due, what changed, and the resulting history and events.

use super::outbox::{self, Occurs};
use super::{App, Error, agenda, audit, duty_log, notifications, told_plan};
use crate::domain::access::Principal;
use crate::domain::agreement::AgreementContext;
use crate::domain::audit::{
    Actor, AuditedChange, Author, CLOCK, Doer, Phrase, Summary, quoted, rotation_changes,
};
use crate::domain::editing::Editing;
use crate::domain::event::{self, Act, Event};
use crate::domain::forecast::{self, Changed, Ended, Forecast, Limits};
use crate::domain::handover::{self, Change, DealingContext, WindowChange};
use crate::domain::holidays::Calendar;
use crate::domain::ids::{CellId, ChangeId, RotationId, UserId};
use crate::domain::request::Pending;
use crate::domain::rotation::Rotation;
use crate::domain::staged::ChangeState;
use crate::domain::tiers::TierLimits;
use crate::domain::time::Interval;
use crate::domain::told_plan::ToldOtherwise;
use crate::domain::trace::Trace;
use crate::store::{self, MemberLists, ReadTx, WriteTx};
use jiff::Timestamp;
use std::sync::Arc;

/// A rotation that is changed by a write.
pub struct Draft<'a> {
    pub rotation: Rotation,
    pub calendar: &'a Calendar,
    pub tier_limits: TierLimits,
    app: &'a App,
    author: &'a Author,
    /// The stored state.
    before: Rotation,
    /// Whether a record outside the rotation's own state changed that its ETag covers: an arrangement or a
    /// request.
    has_changed_record: bool,
    /// A change outside the rotation's own state, for the audit entry: its id and summary.
    description: Option<(String, Summary)>,
    /// What its people have messages of their own about.
    told_otherwise: Vec<ToldOtherwise>,
    /// The change applied last of those that waited.
    applied: Option<ChangeId>,
}

impl<'a> Draft<'a> {
    /// Loads a rotation with what dealing needs; `None` if there is none with that id.
    pub fn load(
        tx: &ReadTx,
        app: &'a App,
        author: &'a Author,
        id: &RotationId,
    ) -> Result<Option<Draft<'a>>, Error> {
        let rotation = store::load_rotation(tx, id)?;
        Ok(rotation.map(|rotation| Draft::of(app, author, rotation)))
    }

    /// A rotation that was loaded in the same transaction.
    pub fn of(app: &'a App, author: &'a Author, mut rotation: Rotation) -> Draft<'a> {
        let before = rotation.clone();
        rotation.trace = Some(Trace::new(None));
        Draft {
            rotation,
            calendar: app.calendar(),
            tier_limits: app.tier_limits(),
            app,
            author,
            before,
            has_changed_record: false,
            description: None,
            told_otherwise: Vec::new(),
            applied: None,
        }
    }

    /// Notes a part of a cover or swap that somebody settles: its people are told of that, not of moved shifts.
    pub fn tell_otherwise(&mut self, cell: &CellId, users: &[&UserId], period: Interval) {
        self.told_otherwise.push(ToldOtherwise {
            cell: cell.clone(),
            users: users.iter().map(|user| (*user).clone()).collect(),
            period,
        });
    }

    /// Sets the subject and the summary of the audit entry for a change outside the rotation's own state. If the rotation does
    /// not change, only this creates the entry.
    pub fn describe(&mut self, subject: &str, summary: impl Into<Summary>) {
        self.description = Some((subject.to_owned(), summary.into()));
    }

    /// As [`Draft::describe`], for a record that the rotation's ETag covers.
    pub fn describe_record(&mut self, subject: &str, summary: impl Into<Summary>) {
        self.has_changed_record = true;
        self.describe(subject, summary);
    }

    /// The author of the write.
    pub fn author(&self) -> &'a Author {
        self.author
    }

    /// The workspace.
    pub fn app(&self) -> &'a App {
        self.app
    }

    /// The context for checking agreements, as of now.
    pub fn context(&self, tx: &WriteTx) -> AgreementContext<'_> {
        AgreementContext {
            rotation: &self.rotation,
            dealing: DealingContext::new(self.calendar, &self.rotation.absences),
            now: self.instant(tx),
        }
    }

    /// The context of edits of the rotation, as of now.
    pub fn editing(&self, tx: &WriteTx) -> Editing<'a> {
        Editing {
            calendar: self.calendar,
            limits: self.tier_limits,
            at: self.instant(tx),
            deals: true,
        }
    }

    /// A change of the people on duty by a write, as of now.
    pub fn change(
        &mut self,
        tx: &WriteTx,
        window_change: WindowChange,
        act: impl FnOnce(&mut Change),
    ) {
        let at = self.instant(tx);
        let absences = Arc::clone(&self.rotation.absences);
        let dealing = DealingContext::new(self.calendar, &absences);
        let mut change = Change::begin(&mut self.rotation, dealing, at, window_change);
        act(&mut change);
        change.finish();
    }

    /// The next instant at which something is due.
    pub fn next_due(&self) -> Option<Timestamp> {
        let dealing = DealingContext::new(self.calendar, &self.rotation.absences);
        let due = handover::next_due(&self.rotation, dealing);
        let change = self.rotation.next_change();
        [due, change].into_iter().flatten().min()
    }

    /// The instant at which a write takes effect: never before the instant up to which the rotation has been judged.
    pub fn instant(&self, tx: &WriteTx) -> Timestamp {
        tx.now().max(self.rotation.stamps.judged_at)
    }

    /// Processes everything due up to now; see [`Draft::catch_up_to`].
    pub fn catch_up(&mut self, tx: &mut WriteTx) -> Result<Option<Timestamp>, Error> {
        self.catch_up_to(tx, tx.now())
    }

    /// Processes everything due up to an instant, one by one, as one committed change whose events show the final state. It happens
    /// at the due instant; what is gathered of several happens now. An invisible change does not raise the version. Returns the
    /// first due instant.
    pub fn catch_up_to(
        &mut self,
        tx: &mut WriteTx,
        until: Timestamp,
    ) -> Result<Option<Timestamp>, Error> {
        let (mut first, mut shown) = (None, Vec::new());
        let absences = Arc::clone(&self.rotation.absences);
        let dealing = DealingContext::new(self.calendar, &absences);
        let mut ended = Vec::new();
        let mut forecast = Forecast::new(&mut self.rotation, dealing, Limits::NONE);
        while let Some(step) = forecast.step_until(until) {
            let by = match &step.changed {
                Some(changed) => Self::change_grid(tx, changed, step.rotation, step.at)?,
                None => None,
            };
            store::begin_entries(tx, step.rotation, &step.outcome.begun, by.as_ref())?;
            if let Some(changed) = step.changed {
                let summary = rotation_changes(&changed.before, step.rotation);
                ended.extend(changed.ended.into_iter().map(|one| (one, summary.clone())));
            }
            first = first.or(Some(step.at));
            shown.extend(step.outcome.shows.then_some(step.at));
            let decisions = forecast.take_decisions();
            store::insert_decisions(tx, forecast.rotation(), &decisions)?;
        }
        let due = forecast.next_due();
        if !ended.is_empty() {
            self.end_changes(tx, ended)?;
        }
        self.forget_unannounced();
        if first.is_some() {
            let at = match shown[..] {
                [at] => at.max(self.rotation.stamps.updated_at),
                _ => self.instant(tx),
            };
            self.save(tx, Act::Clock, !shown.is_empty(), (due, true), at)?;
            log::debug!("{}: {} moved on", Principal::Clock, self.rotation.id);
        }
        Ok(first)
    }

    /// Ends the record of the cells that changes took away. Returns who made the last of them.
    fn change_grid(
        tx: &mut WriteTx,
        changed: &Changed,
        after: &Rotation,
        at: Timestamp,
    ) -> Result<Option<Doer>, Error> {
        for cell in &changed.before.cells {
            if after.slot_of(&cell.id).is_none() {
                store::end_entry(tx, &after.id, &cell.id, at)?;
            }
        }
        let Some(last) = changed.ended.last() else {
            return Ok(None);
        };
        let maker = store::load_maker(&tx.as_read(), &last.id)?;
        Ok(maker.map(|actor| Doer {
            actor,
            in_chat: false,
        }))
    }

    /// Records what became of changes whose time has come, each with what its instant changed.
    fn end_changes(&mut self, tx: &mut WriteTx, ended: Vec<(Ended, Summary)>) -> Result<(), Error> {
        let lists = MemberLists::changed(&self.before.members, &self.rotation.members);
        store::save_members(tx, &self.rotation.id, &lists)?;
        self.reload_absences(tx)?;
        for (change, summary) in ended {
            let maker = store::load_maker(&tx.as_read(), &change.id)?;
            let maker = maker.unwrap_or_else(|| Actor::of(&Principal::Clock));
            let (state, problem) = match &change.outcome {
                Ok(_) => (ChangeState::Applied, None),
                Err(refusal) => (ChangeState::Failed, Some(refusal)),
            };
            store::end_change(tx, &change.id, state, change.at, problem)?;
            match change.outcome {
                Ok(false) => {}
                Ok(true) => {
                    let audited = AuditedChange {
                        rotation: Some(self.rotation.id.clone()),
                        subject: Some(change.id.to_string()),
                        summary,
                    };
                    audit::record_applied(tx, maker, audited)?;
                    self.applied = Some(change.id);
                }
                Err(refusal) => {
                    let failed = (&maker, change.at, &refusal);
                    notifications::change_failed(tx, self.app, &self.rotation, failed)?;
                }
            }
        }
        Ok(())
    }

    /// Only where the rotation ended up is announced: whoever came on call meanwhile in a window that is shut again was not.
    fn forget_unannounced(&mut self) {
        let (windows, before) = (&self.rotation.windows, &self.before);
        for (slot, cell) in self.rotation.cells.iter_mut().enumerate() {
            // A change that waited may have moved it.
            let was = before.slot_near(&cell.id, slot);
            if let Some(was) = was
                && !windows[cell.window].open
                && !cell.stopped
            {
                cell.announced.clone_from(&before.cells[was].announced);
            }
        }
    }

    /// Replaces the state before the write: what was written beneath the rotation is part of the change.
    pub fn changed_from(&mut self, before: Rotation) {
        self.before = before;
    }

    /// The state as loaded, with what became due since.
    pub fn into_before(self) -> Rotation {
        self.before
    }

    /// Stores the draft if the write changed anything: the next version, history entries, the next due instant, and events.
    /// Returns whether there is anything to send.
    pub fn store(&mut self, tx: &mut WriteTx, act: Act) -> Result<bool, Error> {
        let editing = self.editing(tx);
        let is_eventless = matches!(act, Act::WithoutEvent | Act::Calendar);
        editing.expire_lost(&self.before, &mut self.rotation, is_eventless);
        let told_otherwise = std::mem::take(&mut self.told_otherwise);
        let both = (&self.before, &self.rotation);
        told_plan::mark_change(tx, self.author, both, told_otherwise)?;
        if self.is_stored() {
            if matches!(act, Act::WithoutEvent | Act::Calendar) {
                // An absence can change who is next.
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
        let by = Doer::of(&self.author.principal);
        store::begin_entries(tx, &self.rotation, &begun, by.as_ref())?;
        let decisions = self.rotation.take_decisions();
        store::insert_decisions(tx, &self.rotation, &decisions)?;
        let due = self.next_due();
        self.save(tx, act, true, (due, false), at)
    }

    /// Deletes the rotation with everything in it, and publishes the event.
    pub fn delete(&mut self, tx: &mut WriteTx) -> Result<(), Error> {
        let lost = told_plan::tell_of_deletion(tx, self.app, self.author, &self.rotation)?;
        let (id, name) = (&self.rotation.id, &self.rotation.profile.name);
        store::note_feeds_of_deleted(tx, id, name)?;
        store::call_off_turns_in(tx, id)?;
        store::remove_rotation(tx, id)?;
        store::clear_unlinked_schedules(tx)?;
        let name = quoted(&self.rotation.profile.name);
        let id = self.rotation.id.clone();
        let ended = match self.rotation.waiting.len() {
            0 => String::new(),
            1 => ", with a change that waited".to_owned(),
            many => format!(", with {many} changes that waited"),
        };
        self.describe(id.as_str(), format!("rotation {name} deleted{ended}"));
        outbox::announce(tx, self.app, &self.rotation, &[Event::Deleted], Occurs::Now)?;
        notifications::deleted(tx, self.app, &self.rotation)?;
        notifications::queue(tx, self.app, lost).map(drop)
    }

    /// Whether all changes are stored.
    pub fn is_stored(&self) -> bool {
        self.rotation.same_as(&self.before) && !self.has_changed_record
    }

    fn save(
        &mut self,
        tx: &mut WriteTx,
        act: Act,
        shows: bool,
        due: (Option<Timestamp>, bool),
        at: Timestamp,
    ) -> Result<bool, Error> {
        if shows {
            self.rotation.stamps.version += 1;
            self.rotation.stamps.updated_at = at;
        }
        self.plan_reminder(tx);
        store::save_rotation(tx, &self.before, &self.rotation, due)?;
        agenda::rotation_saved(tx, &self.before, &self.rotation)?;
        self.note_hidden_feeds(tx)?;
        let mut queued = false;
        if shows {
            match act == Act::Clock || self.author.principal == Principal::Clock {
                true => self.record_expired(tx)?,
                false => self.record(tx)?,
            }
            let (before, after) = (&self.before, &self.rotation);
            let mut news = event::news(before, after, act, self.calendar);
            let applied = self.applied.take();
            if applied.is_some() && !news.contains(&Event::Updated) {
                news.insert(0, Event::Updated);
            }
            let occurs = match act {
                Act::Clock => Occurs::Due(at),
                _ => Occurs::Now,
            };
            if !tx.is_forecast() {
                duty_log::note(tx, [before, after], &news, self.calendar)?;
            }
            queued = outbox::announce_change(tx, self.app, after, &news, applied.as_ref(), occurs)?;
            let cause = (&self.author.principal, act);
            queued |= notifications::change(tx, self.app, [before, after], cause, &news)?;
        }
        self.before = self.rotation.clone();
        self.has_changed_record = false;
        Ok(queued)
    }

    /// Calendar feeds of people who see the rotation no longer end after a while, from now on.
    fn note_hidden_feeds(&self, tx: &mut WriteTx) -> Result<(), Error> {
        let (was, is) = (&self.before.profile, &self.rotation.profile);
        let same = was.public == is.public
            && was.owners == is.owners
            && self.before.members == self.rotation.members;
        match same {
            true => Ok(()),
            false => store::note_hidden_feeds(tx, Some(&self.rotation.id)),
        }
    }

    /// Adds the audit entry set by [`Draft::describe`], unless the entry of a change of the rotation already contains it.
    pub fn record_description(&mut self, tx: &mut WriteTx) -> Result<(), Error> {
        match self.description.is_some() {
            true => self.record(tx),
            false => Ok(()),
        }
    }

    /// Adds the audit entry with the summary set by [`Draft::describe`] and the differences from the stored rotation.
    fn record(&mut self, tx: &mut WriteTx) -> Result<(), Error> {
        let id = &self.rotation.id;
        let description = self.description.take();
        let (subject, mut summary) =
            description.unwrap_or_else(|| (id.to_string(), Summary::default()));
        summary.append(rotation_changes(&self.before, &self.rotation));
        for lost in self.lost().filter(|lost| lost.id.as_str() != subject) {
            summary.add(expired(lost));
        }
        if summary.is_empty() {
            summary.add("details of duty changed");
        }
        let change = AuditedChange {
            rotation: Some(self.rotation.id.clone()),
            subject: Some(subject),
            summary,
        };
        audit::record(tx, self.author, change)
    }

    /// The requests that are no longer pending.
    fn lost(&self) -> impl Iterator<Item = &Pending> {
        let kept = |id| self.rotation.pending.iter().any(|kept| &kept.id == id);
        let before = self.before.pending.iter();
        before.filter(move |lost| !kept(&lost.id))
    }

    /// Scheduled changes are in the history, not in the audit log, except for requests that expire.
    fn record_expired(&self, tx: &mut WriteTx) -> Result<(), Error> {
        for lost in self.lost() {
            let change = AuditedChange {
                rotation: Some(self.rotation.id.clone()),
                subject: Some(lost.id.to_string()),
                summary: expired(lost).into(),
            };
            audit::record(tx, &CLOCK, change)?;
        }
        Ok(())
    }

    /// Sets the next reminder. Reminders that are already due stay due.
    pub fn plan_reminder(&mut self, tx: &WriteTx) {
        let (now, before) = (tx.now(), self.app.reminder_before());
        if self.rotation.stamps.remind_at.is_none_or(|at| at > now) {
            self.rotation.stamps.remind_at =
                forecast::next_reminder(&self.rotation, self.calendar, before, now);
        }
    }

    /// Reloads the members after the lists or the directory changed, and the absences that apply to them.
    pub fn reload_members(&mut self, tx: &WriteTx) -> Result<(), Error> {
        self.rotation.members = store::load_members(&tx.as_read(), &self.rotation.id)?;
        self.reload_absences(tx)
    }

    /// Reads the absences anew, after one of them changed or the members did.
    pub fn reload_absences(&mut self, tx: &WriteTx) -> Result<(), Error> {
        self.rotation.absences = Arc::new(store::load_absences(&tx.as_read(), &self.rotation)?);
        Ok(())
    }

    /// Has the members of a rotation that follows a partner's schedule be the people of that schedule.
    pub fn keep_members(&mut self, tx: &mut WriteTx) -> Result<(), Error> {
        let Some(external) = &self.rotation.external else {
            return Ok(());
        };
        let members = external.members();
        if external.link.is_none() || members == self.rotation.members.users {
            return Ok(());
        }
        self.set_members(tx, members)
    }

    /// Replaces the members by these people.
    pub fn set_members(&mut self, tx: &mut WriteTx, users: Vec<UserId>) -> Result<(), Error> {
        let lists = MemberLists {
            users: Some(users),
            groups: Some(Vec::new()),
        };
        store::save_members(tx, &self.rotation.id, &lists)?;
        self.reload_members(tx)
    }
}

/// The summary in the audit log of a request that has expired.
fn expired(request: &Pending) -> Phrase {
    let request = Phrase::from("request of ").and(&request.requester);
    request.and(": pending to expired")
}
