//! Carries told plans on, once a day: what comes into the horizon is told to nobody.

use super::NoticeWorker;
use super::comparing::plan_of;
use crate::actions::{App, Error, agenda};
use crate::domain::ids::RotationId;
use crate::domain::time::Interval;
use crate::domain::told_plan::ToldPlan;
use crate::store::{self, ReadTx};
use jiff::Timestamp;

/// Plans that are carried on in one commit.
const BATCH: usize = 50;

/// The last 00:00 UTC.
pub fn last_midnight(now: Timestamp) -> Timestamp {
    let day = 24 * 60 * 60;
    Timestamp::from_second(now.as_second().div_euclid(day) * day).unwrap_or(now)
}

/// Carries the plans on that are older than the last midnight.
pub fn carry_on(app: &App) -> Result<(), Error> {
    NoticeWorker::default().carry_on(app, &|| false).map(drop)
}

impl NoticeWorker {
    /// Makes the told plans of rotations that have none, those that a version without them has left. Returns how many it tried.
    pub fn begin(&mut self, app: &App) -> Result<usize, Error> {
        let untold = app.store().read(store::list_untold)?;
        for together in untold.chunks(BATCH) {
            self.make(app, together)?;
        }
        Ok(untold.len())
    }

    /// Carries the plans on that are older than the last midnight, until `stopped` returns true. Returns how many it tried.
    pub fn carry_on(&mut self, app: &App, stopped: &dyn Fn() -> bool) -> Result<usize, Error> {
        let midnight = last_midnight(app.now());
        let mut tried = 0;
        while !stopped() {
            let most = BATCH + self.failing.len();
            let old = app
                .store()
                .read(|tx| store::list_told_before(tx, midnight, most))?;
            let old = old.into_iter().filter(|id| !self.failing.contains_key(id));
            let old: Vec<RotationId> = old.take(BATCH).collect();
            if old.is_empty() {
                break;
            }
            self.make(app, &old)?;
            tried += old.len();
        }
        Ok(tried)
    }

    /// Makes the plans of these rotations anew, except of those that were marked meanwhile.
    fn make(&mut self, app: &App, ids: &[RotationId]) -> Result<(), Error> {
        let _turn = app.notices().take_turn();
        let mut plans = Vec::new();
        for id in ids {
            match app.store().read(|tx| carried(app, tx, id)) {
                Ok(Some((span, plan))) => plans.push((id.clone(), span, plan)),
                Ok(None) => {}
                Err(error) if error.is_unavailable() => return Err(error),
                Err(error) => self.note(id.clone(), &error),
            }
        }
        app.store().write(move |tx| {
            for (id, span, plan) in plans {
                let read = tx.as_read();
                let is_marked = store::load_pending_notices(&read, &id)?.is_some();
                if !is_marked && store::load_stamps(&read, &id)?.is_some() {
                    store::save_told_plan(tx, &id, (span, plan.as_ref()), None)?;
                    agenda::plan_stored(tx, &id)?;
                }
            }
            Ok(())
        })
    }
}

/// The plan of a rotation that nothing has marked, for as long as it can be told; no plan where nobody has ever been in one.
fn carried(
    app: &App,
    tx: &ReadTx,
    id: &RotationId,
) -> Result<Option<(Interval, Option<ToldPlan>)>, Error> {
    let Some(rotation) = store::load_rotation(tx, id)? else {
        return Ok(None);
    };
    let stored = store::load_told_plan(tx, id)?;
    let told = stored.and_then(|stored| stored.plan);
    let plan = plan_of(app, &rotation, told.as_ref());
    let is_first = told.is_none();
    let span = plan.span;
    Ok(Some((
        span,
        Some(plan).filter(|plan| !is_first || !plan.is_empty()),
    )))
}
