//! Processes what is due: many rotations per commit, and a failing one does not delay others.

use super::draft::Draft;
use super::{App, Error, agenda, mentions, reminders, told_plan};
use crate::domain::audit::CLOCK;
use crate::domain::event::Act;
use crate::domain::handover::{Change, WindowChange};
use crate::domain::ids::RotationId;
use crate::domain::rotation::{Reason, Rotation};
use crate::failpoint;
use crate::runtime::clock::monotonic;
use crate::store::{self, WriteTx};
use jiff::Timestamp;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Rotations per commit: enough to make the cost of a sync small, few enough not to delay other writers.
const BATCH: usize = 200;

/// The time limit of one job, so that other writers are not delayed. The next job continues.
const JOB_TIME: Duration = Duration::from_millis(50);

/// The longest wait before a failing rotation is retried.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(600);

/// Processes what is due, and records which rotations failed and when to retry them.
#[derive(Debug, Default)]
pub struct DueWorker {
    failing: HashMap<RotationId, BackOff>,
}

#[derive(Clone, Copy, Debug)]
struct BackOff {
    delay: Duration,
    until: Instant,
}

impl DueWorker {
    /// Processes everything due now in every rotation. Returns how many changed.
    pub fn run(&mut self, app: &App) -> Result<usize, Error> {
        self.run_until(app, &|| false)
    }

    /// As [`DueWorker::run`], but ends between two jobs once `stopped` returns true.
    pub fn run_until(&mut self, app: &App, stopped: &dyn Fn() -> bool) -> Result<usize, Error> {
        self.run_to(app, None, stopped)
    }

    /// As [`DueWorker::run_until`], but carries out each due instant of the workspace apart, in order: each is a change of its own,
    /// with events of its own, as if there had been a timer all along.
    pub fn run_in_order(&mut self, app: &App, stopped: &dyn Fn() -> bool) -> Result<usize, Error> {
        let mut done = 0;
        loop {
            let (now, next) = (app.now(), app.store().read(store::next_due)?);
            let Some(at) = next.filter(|at| *at <= now) else {
                return Ok(done);
            };
            let moved = self.run_to(app, Some(at), stopped)?;
            if moved == 0 {
                // One that fails stays due first. The others do not wait for it.
                return Ok(done + self.run_until(app, stopped)?);
            }
            done += moved;
        }
    }

    /// Processes what is due up to an instant; up to now without one.
    fn run_to(
        &mut self,
        app: &App,
        until: Option<Timestamp>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<usize, Error> {
        let mut done = 0;
        loop {
            if stopped() {
                return Ok(done);
            }
            let (to, limit) = (
                until.unwrap_or_else(|| app.now()),
                BATCH + self.failing.len(),
            );
            let due = app.store().read(|tx| store::list_due(tx, to, limit))?;
            // Earliest due first, so a rotation that still fails is among them. Others were repaired or deleted.
            self.failing.retain(|id, _| due.contains(id));
            let ready: Vec<RotationId> =
                due.into_iter().filter(|id| !self.is_waiting(id)).collect();
            if ready.is_empty() {
                return Ok(done);
            }
            let outcomes = match run_batch(app, &ready, until) {
                Err(error) if error.is_damage() => run_each(app, &ready, until, stopped)?,
                outcomes => outcomes?,
            };
            failpoint::point("due.batch");
            for (id, outcome) in outcomes {
                match outcome {
                    Ok(due) => {
                        self.failing.remove(&id);
                        if let Some(due) = due.filter(|_| app.standby().is_none()) {
                            let late = Duration::try_from(app.now().duration_since(due));
                            app.metrics().observe_lateness(late.unwrap_or_default());
                        }
                        done += 1;
                    }
                    Err(error) => self.note(id, &error),
                }
            }
        }
    }

    fn is_waiting(&self, id: &RotationId) -> bool {
        self.failing
            .get(id)
            .is_some_and(|back_off| back_off.until > monotonic())
    }

    fn note(&mut self, id: RotationId, error: &Error) {
        let last = self.failing.get(&id).map(|back_off| back_off.delay);
        let delay = last.map_or(Duration::from_secs(1), |last| {
            (last * 2).min(LONGEST_BACK_OFF)
        });
        log::error!(
            "timer: rotation {id}: {error}; next try in {} s",
            delay.as_secs()
        );
        self.failing.insert(
            id,
            BackOff {
                delay,
                until: monotonic() + delay,
            },
        );
    }
}

/// The first instant that was due in a rotation; `None` if nothing was.
type Outcome = Result<Option<Timestamp>, Error>;
type Outcomes = Vec<(RotationId, Outcome)>;

/// Processes as many of these as fit into one job, at least one. They need no savepoints while all succeed, because separate
/// savepoints cost a third of the work, and are read several at once. If one fails, the job is undone and another gives each its
/// own.
fn run_batch(app: &App, ids: &[RotationId], until: Option<Timestamp>) -> Result<Outcomes, Error> {
    let (shared, all) = (app.clone(), ids.to_vec());
    let together = app
        .store()
        .write(move |tx| in_job_time(&shared, tx, &all, until));
    match together {
        Err(error) if !error.is_unavailable() => {
            let (shared, all) = (app.clone(), ids.to_vec());
            app.store().write(move |tx| {
                let deadline = monotonic() + JOB_TIME;
                let mut outcomes = Vec::with_capacity(all.len());
                for id in all {
                    let outcome = tx.part(|tx| catch_up(&shared, tx, &id, until));
                    outcomes.push((id, outcome));
                    if monotonic() > deadline {
                        break;
                    }
                }
                Ok(outcomes)
            })
        }
        outcomes => outcomes,
    }
}

/// Processes these, each in its own job, until `stopped` returns true, which is checked before each.
///
/// # Errors
/// If the storage fails other than by a damaged page: then it fails for all of them.
fn run_each(
    app: &App,
    ids: &[RotationId],
    until: Option<Timestamp>,
    stopped: &dyn Fn() -> bool,
) -> Result<Outcomes, Error> {
    let mut outcomes = Vec::with_capacity(ids.len());
    for id in ids.iter().take_while(|_| !stopped()) {
        let (shared, own) = (app.clone(), id.clone());
        match app
            .store()
            .write(move |tx| catch_up(&shared, tx, &own, until))
        {
            Err(error) if error.is_unavailable() && !error.is_damage() => return Err(error),
            outcome => outcomes.push((id.clone(), outcome)),
        }
    }
    Ok(outcomes)
}

/// Processes these until the time of the job is up or an error ends it.
fn in_job_time(
    app: &App,
    tx: &mut WriteTx,
    ids: &[RotationId],
    until: Option<Timestamp>,
) -> Result<Outcomes, Error> {
    let deadline = monotonic() + JOB_TIME;
    let mut outcomes = Vec::with_capacity(ids.len());
    let (mut left, mut at_once) = (ids, 1);
    while !left.is_empty() {
        let together;
        (together, left) = left.split_at(at_once.min(left.len()));
        // Few at first: what is read beyond the time of the job is read for nothing.
        at_once = (2 * at_once).min(store::READ_AT_ONCE);
        // None of them depends on what falls due in another.
        let rotations = store::load_rotations(&tx.as_read(), together)?;
        for (id, rotation) in together.iter().zip(rotations) {
            let outcome = rotation.map(|rotation| moved_on(app, tx, rotation, until));
            outcomes.push((id.clone(), Ok(outcome.transpose()?.flatten())));
            if monotonic() > deadline {
                return Ok(outcomes);
            }
        }
    }
    Ok(outcomes)
}

fn catch_up(app: &App, tx: &mut WriteTx, id: &RotationId, until: Option<Timestamp>) -> Outcome {
    let rotation = store::load_rotation(&tx.as_read(), id)?;
    rotation.map_or(Ok(None), |rotation| moved_on(app, tx, rotation, until))
}

/// Does what is due in a rotation up to an instant; up to now without one.
fn moved_on(app: &App, tx: &mut WriteTx, rotation: Rotation, until: Option<Timestamp>) -> Outcome {
    let mut draft = Draft::of(app, &CLOCK, rotation);
    let due = draft.catch_up_to(tx, until.unwrap_or(tx.now()))?;
    if due.is_none() {
        // Nothing was due, so the stored instant is outdated. Corrected, because otherwise it would be due permanently.
        store::save_due(tx, &draft.rotation.id, draft.next_due())?;
    }
    Ok(due)
}

/// The next instant at which anything is due: in a rotation, a reminder, on the agenda, a mention.
pub fn next(app: &App) -> Result<Option<Timestamp>, Error> {
    app.store().read(|tx| {
        let next = [
            store::next_due(tx)?,
            store::next_reminder(tx)?,
            store::next_mention(tx)?,
            store::next_on_agenda(tx)?,
        ];
        Ok(next.into_iter().flatten().min())
    })
}

/// Processes what is due outside rotations, after the rotations: reminders, the agenda and mentions.
pub fn run_beside(app: &App) -> Result<(), Error> {
    reminders::run(app)?;
    agenda::run(app)?;
    mentions::run(app)
}

/// Processes everything due up to now.
pub fn catch_up_all(app: &App) -> Result<usize, Error> {
    DueWorker::default().run(app)
}

/// As [`catch_up_all`], but each due instant apart, and it ends early once `stopped` returns true.
pub fn catch_up_in_order(app: &App, stopped: &dyn Fn() -> bool) -> Result<usize, Error> {
    DueWorker::default().run_in_order(app, stopped)
}

/// As [`catch_up_all`], but ends early once `stopped` returns true; the next start continues.
pub fn catch_up_until(app: &App, stopped: &dyn Fn() -> bool) -> Result<usize, Error> {
    DueWorker::default().run_until(app, stopped)
}

/// The fact that stores the public URL of the server.
pub const BASE_URL_FACT: &str = "base_url";

/// Stores the public URL, so that events written by commands use the server's.
pub fn keep_base_url(app: &App) -> Result<(), Error> {
    let kept = app.store().read(|tx| store::load_fact(tx, BASE_URL_FACT))?;
    if kept.as_deref() == Some(app.base_url()) {
        return Ok(());
    }
    let own = app.base_url().to_owned();
    app.store()
        .write(move |tx| store::save_fact(tx, BASE_URL_FACT, &own))
}

/// The fact that identifies the data with which next due instants and open windows were computed.
const RULES_FACT: &str = "rules";

/// Compares the data with which next due instants were computed to the current data. If it differs, holidays or time zones
/// may have changed, and all due instants are computed again; call [`follow_rules`] once everything due is processed.
/// Returns whether it differs.
pub fn check_rules(app: &App, rules: &str) -> Result<bool, Error> {
    let remembered = app.store().read(|tx| store::load_fact(tx, RULES_FACT))?;
    if remembered.as_deref() == Some(rules) {
        return Ok(false);
    }
    let shared = app.clone();
    app.store().write(move |tx| -> Result<(), Error> {
        for id in store::list_rotation_ids(&tx.as_read())? {
            if let Some(mut draft) = Draft::load(&tx.as_read(), &shared, &CLOCK, &id)? {
                store::save_due(tx, &id, draft.next_due())?;
                draft.plan_reminder(tx);
                store::save_reminder(tx, &id, draft.rotation.stamps.remind_at)?;
                agenda::reminders_may_move(tx, &id)?;
                // Different days off mean different turns: a duty may no longer be its requester's.
                draft.store(tx, Act::WithoutEvent)?;
                told_plan::mark(
                    tx,
                    &CLOCK,
                    &id,
                    "the data of holidays or time zones changed",
                )?;
            }
        }
        Ok(())
    })?;
    Ok(true)
}

/// Judges every rotation by the current data and stores its identification: a new holiday may shut an open window, and
/// another version of the program may count members differently.
pub fn follow_rules(app: &App, rules: &str) -> Result<(), Error> {
    let (shared, rules) = (app.clone(), rules.to_string());
    app.store().write(move |tx| {
        for id in store::list_rotation_ids(&tx.as_read())? {
            if let Some(mut draft) = Draft::load(&tx.as_read(), &shared, &CLOCK, &id)? {
                draft.catch_up(tx)?;
                draft.change(tx, WindowChange::ByClock, |change| {
                    let members = |change: &Change| {
                        let mut holders =
                            change.rotation.cells.iter().flat_map(|cell| &cell.holder);
                        holders.all(|holder| change.rotation.has_member(&holder.user))
                    };
                    if !members(change) {
                        change.clear_leavers();
                        change.fill(Reason::CoverageChanged);
                    }
                });
                draft.store(tx, Act::Clock)?;
            }
        }
        store::save_fact(tx, RULES_FACT, &rules)
    })
}
