//! The delivery log of an endpoint: read it, cancel a delivery, send one again (rules.md 16).

use super::webhooks::{check_tier, load};
use super::{ActionError, App, Result, audit};
use crate::domain::audit::{AuditedChange, Author, quoted};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::refusal::Refusal;
use crate::domain::webhook::{Attempt, Delivery, DeliveryState, MAX_ATTEMPTS, Webhook};
use crate::store::{self, DeliveryFilter, DeliveryRecord, Page, ReadTx};
use crate::wire::event;
use jiff::Timestamp;

/// A page of an endpoint's deliveries, newest first, and the total number.
pub fn list(
    app: &App,
    webhook: &WebhookId,
    filter: DeliveryFilter,
    page: Page,
) -> Result<(Vec<Delivery>, u64)> {
    app.store().read(|tx| {
        load(tx, webhook)?;
        Ok(store::list_deliveries(tx, webhook, &filter, page)?)
    })
}

/// How the deliveries of an endpoint fare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    /// Deliveries that have not finished.
    pub waiting: u64,
    /// The first failed attempt of those events that came after the last success; `None` where none has failed since.
    pub failing_since: Option<Timestamp>,
}

/// How the deliveries of an endpoint fare.
pub fn health(app: &App, webhook: &WebhookId) -> Result<Health> {
    let filter = DeliveryFilter {
        state: Some(DeliveryState::Pending),
        ..DeliveryFilter::default()
    };
    let page = Page { number: 1, size: 1 };
    app.store().read(|tx| {
        load(tx, webhook)?;
        Ok(Health {
            waiting: store::list_deliveries(tx, webhook, &filter, page)?.1,
            failing_since: store::failing_since(tx, webhook)?,
        })
    })
}

/// A delivery and its attempts.
#[derive(Clone, Debug)]
pub struct Log {
    pub delivery: Delivery,
    /// The request body of every attempt.
    pub body: String,
    /// The finished attempts, oldest first.
    pub attempts: Vec<Attempt>,
}

/// The attempts of a delivery.
pub fn attempts(app: &App, webhook: &WebhookId, id: &DeliveryId) -> Result<Log> {
    app.store().read(|tx| {
        let (record, frozen) = find(tx, webhook, id)?;
        Ok(Log {
            body: event::body(id.as_str(), &frozen),
            attempts: store::list_attempts(tx, record.sequence)?,
            delivery: record.delivery,
        })
    })
}

fn find(tx: &ReadTx, webhook: &WebhookId, id: &DeliveryId) -> Result<(DeliveryRecord, String)> {
    load(tx, webhook)?;
    Ok(store::load_delivery(tx, webhook, id)?.ok_or(Refusal::NotFound("delivery"))?)
}

/// Cancels an unfinished delivery. An attempt in flight ends by itself and is logged. `false` if the delivery had
/// finished.
pub fn cancel(app: &App, author: &Author, webhook: &WebhookId, id: &DeliveryId) -> Result<bool> {
    let (webhook, id) = (webhook.clone(), id.clone());
    let cancelled = audit::write(app.store(), author, move |tx, _| {
        let (record, _) = find(&tx.as_read(), &webhook, &id)?;
        let unfinished = record.delivery.state == DeliveryState::Pending;
        if !unfinished {
            return Ok::<_, ActionError>((false, None));
        }
        store::cancel(tx, record.sequence)?;
        let endpoint = load(&tx.as_read(), &webhook)?;
        let change = changed(&endpoint, &record.delivery, DeliveryState::Cancelled);
        Ok((true, Some(change)))
    })?;
    let count = u64::from(cancelled);
    (app.metrics()).finished(DeliveryState::Cancelled, count);
    Ok(cancelled)
}

/// Sends a finished delivery again: same id, same bytes, a new retry schedule. Limited by [`MAX_ATTEMPTS`].
pub fn resend(
    app: &App,
    author: &Author,
    webhook: &WebhookId,
    id: &DeliveryId,
) -> Result<Delivery> {
    let (shared, webhook, id) = (app.clone(), webhook.clone(), id.clone());
    audit::write(app.store(), author, move |tx, _| {
        let endpoint = load(&tx.as_read(), &webhook)?;
        let (record, _) = find(&tx.as_read(), &webhook, &id)?;
        check_tier(&shared.tier_limits())?;
        if record.delivery.state == DeliveryState::Pending || record.in_flight {
            return Err(Refusal::DeliveryUnfinished.into());
        }
        if record.delivery.attempts >= MAX_ATTEMPTS {
            return Err(Refusal::DeliveryAttempts.into());
        }
        if endpoint.disabled.is_some() {
            return Err(Refusal::WebhookDisabled.into());
        }
        store::restart_schedule(tx, record.sequence)?;
        let delivery = find(&tx.as_read(), &webhook, &id)?.0.delivery;
        let change = changed(&endpoint, &record.delivery, delivery.state);
        Ok((delivery, Some(change)))
    })
}

fn changed(webhook: &Webhook, before: &Delivery, after: DeliveryState) -> AuditedChange {
    let states = (before.state.name(), after.name());
    let name = quoted(&webhook.name);
    let summary = format!("delivery to {name}: {} to {}", states.0, states.1);
    AuditedChange {
        rotation: Some(before.rotation.clone()),
        ..AuditedChange::of(before.id.as_str(), summary)
    }
}
