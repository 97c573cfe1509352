//! The delivery log of an endpoint: read it, cancel a delivery, send one again (rules.md 16).

use super::webhooks::{check_tier, load};
use super::{App, Stop};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::refusal::Refusal;
use crate::domain::webhook::{Attempt, Delivery, DeliveryState, MAX_ATTEMPTS};
use crate::store::{self, DeliveryFilter, DeliveryRecord, Page, ReadTx};
use crate::wire::event;

/// A page of an endpoint's deliveries, newest first, and how many there are in all.
pub fn list(
    app: &App,
    webhook: &WebhookId,
    filter: DeliveryFilter,
    page: Page,
) -> Result<(Vec<Delivery>, u64), Stop> {
    app.store().read(|tx| {
        load(tx, webhook)?;
        Ok(store::list_deliveries(tx, webhook, &filter, page)?)
    })
}

/// What is known of one delivery.
#[derive(Clone, Debug)]
pub struct Log {
    pub delivery: Delivery,
    /// As posted by every attempt.
    pub body: String,
    /// Those that have ended, oldest first.
    pub attempts: Vec<Attempt>,
}

/// The attempts of a delivery.
pub fn attempts(app: &App, webhook: &WebhookId, id: &DeliveryId) -> Result<Log, Stop> {
    app.store().read(|tx| {
        let (record, frozen) = find(tx, webhook, id)?;
        Ok(Log {
            body: event::body(id.as_str(), &frozen),
            attempts: store::list_attempts(tx, record.sequence)?,
            delivery: record.delivery,
        })
    })
}

fn find(
    tx: &ReadTx,
    webhook: &WebhookId,
    id: &DeliveryId,
) -> Result<(DeliveryRecord, String), Stop> {
    load(tx, webhook)?;
    Ok(store::load_delivery(tx, webhook, id)?.ok_or(Refusal::NotFound("delivery"))?)
}

/// Ends a delivery that is unfinished, also one on the wire: that attempt ends by itself and is logged. `false` when it
/// had finished.
pub fn cancel(app: &App, webhook: &WebhookId, id: &DeliveryId) -> Result<bool, Stop> {
    let (webhook, id) = (webhook.clone(), id.clone());
    let cancelled = app.store().write(move |tx| {
        let (record, _) = find(&tx.as_read(), &webhook, &id)?;
        let unfinished = record.delivery.state == DeliveryState::Pending;
        if unfinished {
            store::cancel(tx, record.sequence)?;
        }
        Ok::<_, Stop>(unfinished)
    })?;
    let count = u64::from(cancelled);
    (app.metrics()).finished(DeliveryState::Cancelled, count);
    Ok(cancelled)
}

/// Sends a finished delivery anew: same id, same bytes, a new ladder. Not without end: see [`MAX_ATTEMPTS`].
pub fn resend(app: &App, webhook: &WebhookId, id: &DeliveryId) -> Result<Delivery, Stop> {
    let (shared, webhook, id) = (app.clone(), webhook.clone(), id.clone());
    app.store().write(move |tx| {
        let endpoint = load(&tx.as_read(), &webhook)?;
        let (record, _) = find(&tx.as_read(), &webhook, &id)?;
        check_tier(&shared.tier_limits())?;
        if record.delivery.state == DeliveryState::Pending || record.on_the_wire {
            return Err(Refusal::DeliveryUnfinished.into());
        }
        if record.delivery.attempts >= MAX_ATTEMPTS {
            return Err(Refusal::DeliveryAttempts.into());
        }
        if endpoint.disabled.is_some() {
            return Err(Refusal::WebhookDisabled.into());
        }
        store::send_anew(tx, record.sequence)?;
        Ok(find(&tx.as_read(), &webhook, &id)?.0.delivery)
    })
}
