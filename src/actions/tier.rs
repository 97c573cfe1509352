//! The workspace's tier.

use super::draft::Draft;
use super::mutation;
use super::{App, Stop, webhooks};
use crate::domain::event::Act;
use crate::domain::handover::WindowChange;
use crate::domain::rotation::Rotation;
use crate::domain::tiers::TierLimits;
use crate::domain::webhook::DisabledReason;
use crate::store::{self, WriteTx};

/// What the tier was when lanes were last stopped or let run.
const FACT: &str = "plan";

/// Puts the workspace on a tier: further lanes stop, or run again and are dealt; a tier without webhooks disables the
/// endpoints, and going back leaves them for their owner to enable. Does nothing where it is on it.
pub fn switch(app: &App, limits: TierLimits) -> Result<(), Stop> {
    let (shared, before) = (app.clone(), app.tier_limits());
    let switched = app.store().write(move |tx| {
        // Within the write, whose lanes are dealt by it, and so that no write goes by a tier that is not in the file.
        shared.set_tier_limits(limits);
        if store::load_fact(&tx.as_read(), FACT)?.as_deref() == Some(limits.tier.name()) {
            return Ok(());
        }
        let affected = store::list_many_laned(&tx.as_read())?;
        let write = |tx: &mut WriteTx| {
            if !limits.has_webhooks() {
                webhooks::disable_all(tx, DisabledReason::TierDowngrade)?;
            }
            // On-duty groups empty or fill with the tier.
            store::request_full_sync(tx)?;
            Ok(store::save_fact(tx, FACT, limits.tier.name())?)
        };
        mutation::follow(&shared, tx, &affected, Act::Edit, write, stop_or_run)
    });
    if switched.is_err() {
        app.set_tier_limits(before);
    }
    switched
}

fn stop_or_run(tx: &WriteTx, draft: &mut Draft, before: &Rotation) {
    for cell in &mut draft.rotation.cells {
        cell.stopped = !draft.tier_limits.runs_lane(cell.lane);
        if cell.stopped {
            cell.holder = None;
        }
    }
    draft.redeal(tx, before, WindowChange::ByEdit, |_| ());
}
