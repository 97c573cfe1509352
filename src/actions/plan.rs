//! The workspace's plan (contract section 11).

use super::frame::{self, Draft};
use super::{Desk, Stop};
use crate::domain::handover::Flips;
use crate::domain::rotation::{Reason, Rotation};
use crate::domain::tiers::Plan;
use crate::store::{self, WriteTx};

/// What the plan was when lanes were last stopped or let run.
const FACT: &str = "plan";

/// Puts the workspace on a plan: further lanes stop, or run again and are dealt. Does nothing where it is on it.
pub fn switch(desk: &Desk, plan: Plan) -> Result<(), Stop> {
    desk.set_plan(plan);
    let shared = desk.clone();
    desk.store().write(move |tx| {
        if store::load_fact(&tx.as_read(), FACT)?.as_deref() == Some(plan.tier.name()) {
            return Ok(());
        }
        let affected = store::list_many_laned(&tx.as_read())?;
        let write = |tx: &mut WriteTx| Ok(store::save_fact(tx, FACT, plan.tier.name())?);
        frame::follow(&shared, tx, &affected, write, stop_or_run)
    })
}

fn stop_or_run(tx: &WriteTx, draft: &mut Draft, _: &Rotation) {
    for cell in &mut draft.rotation.cells {
        cell.stopped = !draft.plan.runs_lane(cell.lane);
        if cell.stopped {
            cell.holder = None;
        }
    }
    draft.change(tx, Flips::ByEdit, |change| {
        change.fill(Reason::CoverageChanged)
    });
}
