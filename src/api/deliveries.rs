//! /v1/webhooks/{webhookId}/deliveries: the delivery log of an endpoint. These resources have no ETag, and their writes need
//! none.

use super::answer::{self, Outcome};
use super::collection::{self, Items, More};
use super::extract::Call;
use super::operation::{Kind, LARGEST_PAGE, Operation, operation, parameter, text};
use crate::actions::ActionError;
use crate::actions::deliveries::{self, Log};
use crate::domain::ids::RotationId;
use crate::domain::webhook::{DeliveryState, EventType};
use crate::store::DeliveryFilter;
use crate::wire::body::invalid;
use crate::wire::delivery::{self, Cancelled, Delivery, DeliveryAttempt};
use crate::wire::page::Page;

const STATES: &[&str] = &["pending", "delivered", "exhausted", "cancelled"];

const EVENT_TYPES: &[&str] = &[
    "duty.changed",
    "nobody.on_call",
    "rotation.created",
    "rotation.updated",
    "rotation.deleted",
    "webhook.test",
];

pub const LIST: Operation = operation("listDeliveries", "webhooks", "List deliveries")
    .about("The deliveries of an endpoint, newest first. Finished ones are kept 30 days.")
    .query(&[
        parameter("state", Kind::OneOf(STATES), "Only those in this state."),
        parameter(
            "eventType",
            Kind::OneOf(EVENT_TYPES),
            "Only those of this event type.",
        ),
        text("rotationId", "Only those about this rotation."),
    ])
    .gives_page::<Delivery>("A page of deliveries.");

/// GET deliveries.
pub fn list(call: &Call) -> Outcome {
    let query = &call.query;
    let page = query.page()?;
    let filter = DeliveryFilter {
        state: query.choice("state", STATES, DeliveryState::parse)?,
        event_type: query.choice("eventType", EVENT_TYPES, EventType::parse)?,
        rotation: query.one("rotationId")?.map(RotationId::from),
    };
    let id = call.path.id("webhookId");
    let (found, total) = deliveries::list(call.app, &id, filter, page)?;
    let shown = found.iter().map(delivery::render).collect();
    answer::listed(shown, page, total)
}

pub const ATTEMPTS: Operation = operation("listDeliveryAttempts", "webhooks", "List attempts of a delivery")
    .about("Every finished attempt, oldest first and always on one page: `page` and `pageSize` are refused.")
    .gives::<Page<DeliveryAttempt>>(200, "The attempts, all on one page.");

/// GET attempts.
pub fn attempts(call: &Call) -> Outcome {
    for name in ["page", "pageSize"] {
        if call.query.one(name)?.is_some() {
            return Ok(invalid(name, "attempts are always on one page; omit it")?);
        }
    }
    let (webhook, id) = (call.path.id("webhookId"), call.path.id("deliveryId"));
    let log = deliveries::attempts(call.app, &webhook, &id)?;
    let all = log.attempts.len();
    let mut items = Items::default();
    let mut shown = show(log, 0, all, &mut items)?;
    let more = (shown < all).then(|| -> More {
        let app = call.app.clone();
        Box::new(move |items| {
            let log = deliveries::attempts(&app, &webhook, &id)?;
            let before = std::mem::replace(&mut shown, 0);
            shown = show(log, before, all, items)?;
            // A log that has become shorter is complete.
            Ok(before < shown && shown < all)
        })
    });
    let count = u32::try_from(all).unwrap_or(u32::MAX);
    let size = count.max(LARGEST_PAGE);
    let envelope = Page::new(Vec::new(), 1, size, count.into());
    collection::page(call, envelope, items, more)
}

/// Adds attempts up to the first `all` to the items of a page, after the first `shown`, until there are enough for one step.
/// Returns how many have been shown. Attempts are only ever added.
fn show(log: Log, shown: usize, all: usize, items: &mut Items) -> Result<usize, ActionError> {
    let rendered = delivery::attempts(&log.delivery, &log.body, log.attempts, shown);
    let mut at = shown;
    for attempt in rendered.take(all - shown) {
        items.push(&attempt)?;
        at += 1;
        if items.is_enough() {
            break;
        }
    }
    Ok(at)
}

pub const CANCEL: Operation = operation("cancelDelivery", "webhooks", "Cancel a delivery")
    .about("Cancels an unfinished delivery, including one in flight. The endpoint does not change.")
    .gives::<Cancelled>(200, "Whether it was cancelled.");

/// POST cancel.
pub fn cancel(call: &Call) -> Outcome {
    let (webhook, id) = (call.path.id("webhookId"), call.path.id("deliveryId"));
    let cancelled = deliveries::cancel(call.app, &call.author(), &webhook, &id)?;
    answer::json(200, &Cancelled { cancelled })
}

pub const RESEND: Operation = operation("resendDelivery", "webhooks", "Send a delivery again")
    .about("Sends a finished delivery again: same id, same bytes, a new retry schedule. Attempt numbers continue; rounds begin \
        at 1. A delivery with 200 attempts is not sent again.")
    .gives::<Delivery>(202, "The queued delivery.")
    .refuses(&["payment_required", "webhook_endpoint_disabled", "delivery_unfinished", "delivery_attempts_exhausted"]);

/// POST resend.
pub fn resend(call: &Call) -> Outcome {
    let (webhook, id) = (call.path.id("webhookId"), call.path.id("deliveryId"));
    let queued = deliveries::resend(call.app, &call.author(), &webhook, &id)?;
    answer::json(202, &delivery::render(&queued))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_resending_is_told() {
        let limit = format!("{} attempts", crate::domain::webhook::MAX_ATTEMPTS);
        assert!(RESEND.about.contains(&limit), "{}", RESEND.about);
    }

    #[test]
    fn filters_name_everything_that_there_is() {
        let states: Vec<&str> = DeliveryState::ALL.map(DeliveryState::name).to_vec();
        assert_eq!(STATES, states);
        let types = EventType::SUBSCRIBABLE.into_iter();
        let types: Vec<&str> = types
            .chain([EventType::WebhookTest])
            .map(EventType::name)
            .collect();
        assert_eq!(EVENT_TYPES, types);
    }
}
