//! Doing what is due: many rotations in one commit, and yet a failing one holds up no other.

use super::draft::Draft;
use super::{App, Fault, mentions, reminders};
use crate::domain::event::Act;
use crate::domain::handover::{Change, WindowChange};
use crate::domain::ids::RotationId;
use crate::domain::rotation::Reason;
use crate::fault;
use crate::runtime::clock::monotonic;
use crate::store::{self, WriteTx};
use jiff::Timestamp;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Rotations that share a commit: enough to make the disk's cost small, few enough to keep other writers short.
const BATCH: usize = 200;

/// How long one job may go on before other writers get their turn; what is left is done by the next.
const JOB_TIME: Duration = Duration::from_millis(50);

/// The longest time a failing rotation is left alone.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(600);

/// Goes over what is due, remembering which rotations failed and when to try them again.
#[derive(Debug, Default)]
pub struct Sweep {
    failing: HashMap<RotationId, BackOff>,
}

#[derive(Clone, Copy, Debug)]
struct BackOff {
    delay: Duration,
    until: Instant,
}

impl Sweep {
    /// Does everything due now in every rotation; answers how many moved on.
    pub fn run(&mut self, app: &App) -> Result<usize, Fault> {
        self.run_until(app, &|| false)
    }

    /// The same, ending between two jobs once `stopped` says so, which is asked before each of them.
    pub fn run_until(&mut self, app: &App, stopped: &dyn Fn() -> bool) -> Result<usize, Fault> {
        let mut done = 0;
        loop {
            if stopped() {
                return Ok(done);
            }
            let (now, limit) = (app.now(), BATCH + self.failing.len());
            let due = app.store().read(|tx| store::list_due(tx, now, limit))?;
            // Longest due first, so whatever still fails is among them; what is not has been mended or deleted.
            self.failing.retain(|id, _| due.contains(id));
            let ready: Vec<RotationId> =
                due.into_iter().filter(|id| !self.is_waiting(id)).collect();
            if ready.is_empty() {
                return Ok(done);
            }
            let outcomes = match run_batch(app, &ready) {
                Err(fault) if fault.is_damage() => run_each(app, &ready, stopped)?,
                outcomes => outcomes?,
            };
            fault::point("due.batch");
            for (id, outcome) in outcomes {
                match outcome {
                    Ok(due) => {
                        self.failing.remove(&id);
                        if let Some(due) = due {
                            let late = Duration::try_from(app.now().duration_since(due));
                            app.metrics().observe_lateness(late.unwrap_or_default());
                        }
                        done += 1;
                    }
                    Err(fault) => self.note(id, &fault),
                }
            }
        }
    }

    fn is_waiting(&self, id: &RotationId) -> bool {
        self.failing
            .get(id)
            .is_some_and(|back_off| back_off.until > monotonic())
    }

    fn note(&mut self, id: RotationId, fault: &Fault) {
        let last = self.failing.get(&id).map(|back_off| back_off.delay);
        let delay = last.map_or(Duration::from_secs(1), |last| {
            (last * 2).min(LONGEST_BACK_OFF)
        });
        log::error!(
            "timer: rotation {id}: {fault}; next try in {} s",
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

/// The first instant that was due in a rotation; `None` where nothing was.
type Outcome = Result<Option<Timestamp>, Fault>;
type Outcomes = Vec<(RotationId, Outcome)>;

/// Catches up as many of these as fit into one job, at least one. They share one part as long as all goes well, for
/// keeping what it takes to undo each of them costs a third of the work; where one fails, each has a part of its own.
fn run_batch(app: &App, ids: &[RotationId]) -> Result<Outcomes, Fault> {
    let (shared, ids) = (app.clone(), ids.to_vec());
    app.store().write(move |tx| {
        let together = tx.part(|tx| in_job_time(&ids, |id| catch_up(&shared, tx, id).map(Ok)));
        together.or_else(|fault: Fault| match fault.is_damage() {
            // Nothing that shares its transaction could be committed.
            true => Err(fault),
            false => in_job_time(&ids, |id| Ok(tx.part(|tx| catch_up(&shared, tx, id)))),
        })
    })
}

/// Catches these up, each in a job of its own, until `stopped` says so, which is asked before each of them.
///
/// # Errors
/// When the storage fails in another way than by a damaged page: then it fails for all of them.
fn run_each(app: &App, ids: &[RotationId], stopped: &dyn Fn() -> bool) -> Result<Outcomes, Fault> {
    let mut outcomes = Vec::with_capacity(ids.len());
    for id in ids.iter().take_while(|_| !stopped()) {
        let (shared, own) = (app.clone(), id.clone());
        match app.store().write(move |tx| catch_up(&shared, tx, &own)) {
            Err(fault) if fault.is_unavailable() && !fault.is_damage() => return Err(fault),
            outcome => outcomes.push((id.clone(), outcome)),
        }
    }
    Ok(outcomes)
}

/// The outcomes of an act until the job's time is up or an error ends it.
fn in_job_time(
    ids: &[RotationId],
    mut act: impl FnMut(&RotationId) -> Result<Outcome, Fault>,
) -> Result<Outcomes, Fault> {
    let begun = monotonic();
    let mut outcomes = Vec::with_capacity(ids.len());
    for id in ids {
        outcomes.push((id.clone(), act(id)?));
        if begun.elapsed() > JOB_TIME {
            break;
        }
    }
    Ok(outcomes)
}

fn catch_up(app: &App, tx: &mut WriteTx, id: &RotationId) -> Outcome {
    let Some(mut draft) = Draft::load(&tx.as_read(), app, id)? else {
        return Ok(None);
    };
    let due = draft.catch_up(tx)?;
    if due.is_none() {
        // Nothing was due after all, so the stored instant is out of date: mend it, or it would be asked for for ever.
        store::save_due(tx, id, draft.next_due())?;
    }
    Ok(due)
}

/// The next instant at which anything falls due: in a rotation, somebody to remind, a mention.
pub fn next(app: &App) -> Result<Option<Timestamp>, Fault> {
    app.store().read(|tx| {
        let next = [
            store::next_due(tx)?,
            store::next_reminder(tx)?,
            store::next_mention(tx)?,
        ];
        Ok(next.into_iter().flatten().min())
    })
}

/// Does what is due beside duty, once duty is as it should be: reminders, and what becomes of mentions.
pub fn run_beside(app: &App) -> Result<(), Fault> {
    reminders::run(app)?;
    mentions::run(app)
}

/// Does everything due up to now.
pub fn catch_up_all(app: &App) -> Result<usize, Fault> {
    Sweep::default().run(app)
}

/// The same, ending early once it is told to stop; the next start does the rest.
pub fn catch_up_until(app: &App, stopped: &dyn Fn() -> bool) -> Result<usize, Fault> {
    Sweep::default().run_until(app, stopped)
}

/// The name of the fact that keeps where others reach the server.
pub const BASE_URL_FACT: &str = "base_url";

/// Remembers where others reach the server: commands that write news name it as the server does.
pub fn keep_base_url(app: &App) -> Result<(), Fault> {
    let kept = app.store().read(|tx| store::load_fact(tx, BASE_URL_FACT))?;
    if kept.as_deref() == Some(app.base_url()) {
        return Ok(());
    }
    let own = app.base_url().to_owned();
    app.store()
        .write(move |tx| store::save_fact(tx, BASE_URL_FACT, &own))
}

/// The fact that says what next due instants and open windows were computed with.
const RULES_FACT: &str = "rules";

/// Compares what next due instants were computed with to what is remembered. Where it differs all of them are computed again,
/// because holidays or time zones may have changed; [`follow_rules`] is then to be called once everything due is done.
/// Returns whether it differs.
pub fn check_rules(app: &App, rules: &str) -> Result<bool, Fault> {
    let remembered = app.store().read(|tx| store::load_fact(tx, RULES_FACT))?;
    if remembered.as_deref() == Some(rules) {
        return Ok(false);
    }
    let shared = app.clone();
    app.store().write(move |tx| -> Result<(), Fault> {
        for id in store::list_rotation_ids(&tx.as_read())? {
            if let Some(mut draft) = Draft::load(&tx.as_read(), &shared, &id)? {
                store::save_due(tx, &id, draft.next_due())?;
                draft.plan_reminder(tx);
                store::save_reminder(tx, &id, draft.rotation.stamps.remind_at)?;
                // Other days off, other turns: a duty may no longer be its requester's.
                draft.settle(tx, Act::Aside)?;
            }
        }
        Ok(())
    })?;
    Ok(true)
}

/// Judges every rotation by the rules that apply now, and remembers them: a day that has become a holiday may shut a window
/// that is open, and who counts as a member may have changed with the program.
pub fn follow_rules(app: &App, rules: &str) -> Result<(), Fault> {
    let (shared, rules) = (app.clone(), rules.to_string());
    app.store().write(move |tx| {
        for id in store::list_rotation_ids(&tx.as_read())? {
            if let Some(mut draft) = Draft::load(&tx.as_read(), &shared, &id)? {
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
                draft.settle(tx, Act::Clock)?;
            }
        }
        store::save_fact(tx, RULES_FACT, &rules)
    })
}
