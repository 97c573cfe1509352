//! The workspace's plan (contract section 11).

use super::mutation::{self, Draft};
use super::{App, Stop, webhooks};
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::rotation::Rotation;
use crate::domain::tiers::Plan;
use crate::domain::webhook::DisabledReason;
use crate::store::{self, WriteTx};

/// What the plan was when lanes were last stopped or let run.
const FACT: &str = "plan";

/// Puts the workspace on a plan: further lanes stop, or run again and are dealt; a plan without webhooks disables the
/// endpoints, and going back leaves them for their owner to enable. Does nothing where it is on it.
pub fn switch(app: &App, plan: Plan) -> Result<(), Stop> {
    let (shared, before) = (app.clone(), app.plan());
    let switched = app.store().write(move |tx| {
        // Within the write, whose lanes are dealt by it, and so that no write goes by a plan that is not in the file.
        shared.set_plan(plan);
        if store::load_fact(&tx.as_read(), FACT)?.as_deref() == Some(plan.tier.name()) {
            return Ok(());
        }
        let affected = store::list_many_laned(&tx.as_read())?;
        let write = |tx: &mut WriteTx| {
            if !plan.has_webhooks() {
                webhooks::disable_all(tx, DisabledReason::PlanDowngrade)?;
            }
            // On-duty groups empty or fill with the plan.
            store::request_full_sync(tx)?;
            Ok(store::save_fact(tx, FACT, plan.tier.name())?)
        };
        mutation::follow(&shared, tx, &affected, Act::Edit, write, stop_or_run)
    });
    if switched.is_err() {
        app.set_plan(before);
    }
    switched
}

fn stop_or_run(tx: &WriteTx, draft: &mut Draft, before: &Rotation) {
    for cell in &mut draft.rotation.cells {
        cell.stopped = !draft.plan.runs_lane(cell.lane);
        if cell.stopped {
            cell.holder = None;
        }
    }
    draft.redeal(tx, before, WindowChange::ByEdit, |_| ());
}
