//! The workspace's tier.

use super::draft::Draft;
use super::mutation;
use super::{App, Result, webhooks};
use crate::domain::audit::Author;
use crate::domain::event::Act;
use crate::domain::rotation::Rotation;
use crate::domain::tiers::TierLimits;
use crate::domain::webhook::DisabledReason;
use crate::store::{self, WriteTx};

/// The fact with the tier by which lanes were last stopped or started.
const FACT: &str = "plan";

/// Switches the workspace to a tier: lanes stop, or start and are dealt. A tier without webhooks disables the endpoints, which
/// a switch back does not enable. Has no effect if the tier is current.
pub fn switch(app: &App, author: &Author, limits: TierLimits) -> Result<()> {
    let (shared, before) = (app.clone(), app.tier_limits());
    let author = author.clone();
    let switched = app.store().write(move |tx| {
        // Within the write, because it deals lanes by the new tier, and so that no write uses a tier that is not stored.
        shared.set_tier_limits(limits);
        if store::load_fact(&tx.as_read(), FACT)?.as_deref() == Some(limits.tier.name()) {
            return Ok(());
        }
        let affected = store::list_with_several_lanes(&tx.as_read())?;
        let write = |tx: &mut WriteTx| {
            if !limits.has_webhooks() {
                webhooks::disable_all(tx, &author, DisabledReason::TierDowngrade)?;
            }
            // On-duty groups become empty or filled with the tier.
            store::request_full_sync(tx)?;
            Ok(store::save_fact(tx, FACT, limits.tier.name())?)
        };
        let by = (&author, Act::Edit);
        mutation::follow(&shared, tx, by, &affected, write, stop_or_run)
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
            cell.passed_over.clear();
        }
    }
    let editing = draft.editing(tx);
    editing.redeal(before, &mut draft.rotation);
}
