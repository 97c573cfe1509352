//! /v1/webhooks: endpoints, their secrets and test events. Endpoints belong to the workspace, so a key's selected rotations
//! do not apply.

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, operation, refusals};
use crate::actions::webhooks;
use crate::domain::webhook::Webhook;
use crate::server::Response;
use crate::wire::delivery::{self, Delivery};
use crate::wire::etag::{self, Precondition};
use crate::wire::webhook::{
    self, RotateSecretRequest, WebhookEndpoint, WebhookReplaceRequest, WebhookRequest, WithSecret,
};
use serde::Serialize;

pub const LIST: Operation = operation("listWebhooks", "webhooks", "List endpoints")
    .about("The webhook endpoints of the workspace, oldest first; there are at most ten. Reads work on any plan.")
    .gives_page::<WebhookEndpoint>("A page of endpoints.");

/// GET webhooks.
pub fn list(call: &Call) -> Outcome {
    let page = call.query.page()?;
    let found = answer::page_of(webhooks::list(call.app)?, page);
    let now = call.app.now();
    answer::json(200, &found.map(|found| webhook::render(&found, now)))
}

pub const REGISTER: Operation = operation("registerWebhook", "webhooks", "Register an endpoint")
    .about("Registers an endpoint for the events of every rotation in the workspace, including later ones. The URL is \
        checked first; the response has it as it will be requested. The secret is only shown in this response.")
    .takes::<WebhookRequest>()
    .gives_with::<WithSecret>(201, "The endpoint with its signing secret.", &["ETag", "Location"])
    .refuses(refusals::REGISTER_WEBHOOK);

/// POST webhooks.
pub fn register(call: &Call) -> Outcome {
    let spec = webhook::new_webhook(&call.body, |url| webhooks::target(call.app, url))?;
    let made = webhooks::register(call.app, &call.author(), spec)?;
    let location = format!("/v1/webhooks/{}", made.id);
    let answered = tagged(call, 201, &made, webhook::with_secret)?;
    Ok(answered.with("Location", location))
}

pub const READ: Operation = operation("getWebhook", "webhooks", "Read an endpoint")
    .about("Returns no secret. Reads work on any plan.")
    .gives_tagged::<WebhookEndpoint>("The endpoint.")
    .or_not_modified();

/// GET a webhook.
pub fn read(call: &Call) -> Outcome {
    let found = webhooks::read(call.app, &call.path.id("webhookId"))?;
    let tag = etag::webhook_tag(&found, call.app.now());
    match answer::not_modified(call.if_none_match.as_deref(), &tag) {
        Some(unchanged) => Ok(unchanged),
        None => tagged(call, 200, &found, webhook::render),
    }
}

pub const REPLACE: Operation = operation("replaceWebhook", "webhooks", "Replace an endpoint")
    .about("Replaces name, URL and event types together; all three are required. The URL is checked as at \
        registration.")
    .takes::<WebhookReplaceRequest>()
    .gives_tagged::<WebhookEndpoint>("The endpoint.")
    .refuses(refusals::REPLACE_WEBHOOK);

/// PUT a webhook.
pub fn replace(call: &Call, precondition: &Precondition) -> Outcome {
    let spec = webhook::replacement(&call.body, |url| webhooks::target(call.app, url))?;
    let id = call.path.id("webhookId");
    let changed = webhooks::replace(call.app, &call.author(), &id, precondition, spec)?;
    tagged(call, 200, &changed, webhook::render)
}

pub const REMOVE: Operation = operation("deleteWebhook", "webhooks", "Delete an endpoint")
    .about("Deletes its deliveries, too. Works on any plan.")
    .gives_nothing("Deleted.");

/// DELETE a webhook.
pub fn remove(call: &Call, precondition: &Precondition) -> Outcome {
    webhooks::remove(
        call.app,
        &call.author(),
        &call.path.id("webhookId"),
        precondition,
    )?;
    Ok(Response::empty(204))
}

pub const DISABLE: Operation = operation("disableWebhook", "webhooks", "Disable an endpoint")
    .about("Nothing is sent to it and new events are not queued; queued deliveries are held. Works on any plan.")
    .gives_tagged::<WebhookEndpoint>("The endpoint; unchanged if it was already disabled.");

/// POST disable.
pub fn disable(call: &Call, precondition: &Precondition) -> Outcome {
    let id = call.path.id("webhookId");
    let changed = webhooks::disable(call.app, &call.author(), &id, precondition)?;
    tagged(call, 200, &changed, webhook::render)
}

pub const ENABLE: Operation = operation("enableWebhook", "webhooks", "Enable an endpoint")
    .about("Events are sent to it again, and held deliveries are released.")
    .gives_tagged::<WebhookEndpoint>("The endpoint; unchanged if it was already enabled.")
    .refuses(refusals::PLAN);

/// POST enable.
pub fn enable(call: &Call, precondition: &Precondition) -> Outcome {
    let id = call.path.id("webhookId");
    let changed = webhooks::enable(call.app, &call.author(), &id, precondition)?;
    tagged(call, 200, &changed, webhook::render)
}

pub const ROTATE: Operation = operation("rotateWebhookSecret", "webhooks", "Rotate the signing secret")
    .about("Creates a new secret, which is only shown in this response. The previous one also signs during the grace period.")
    .may_take::<RotateSecretRequest>()
    .gives_tagged::<WithSecret>("The endpoint with its new signing secret.")
    .refuses(refusals::PLAN);

/// POST rotate.
pub fn rotate(call: &Call, precondition: &Precondition) -> Outcome {
    let grace = webhook::grace(&call.body)?;
    let id = call.path.id("webhookId");
    let changed = webhooks::rotate_secret(call.app, &call.author(), &id, precondition, grace)?;
    tagged(call, 200, &changed, webhook::with_secret)
}

pub const TEST: Operation = operation("testWebhook", "webhooks", "Send a test event")
    .about("Queues a `webhook.test` event regardless of the endpoint's event types. It contains the state of the rotation that \
        changed last; the delivery log has the outcome.")
    .gives::<Delivery>(202, "The queued delivery.")
    .refuses(&["payment_required", "webhook_endpoint_disabled", "no_rotation"]);

/// POST test.
pub fn test(call: &Call) -> Outcome {
    let queued = webhooks::test(call.app, &call.author(), &call.path.id("webhookId"))?;
    answer::json(202, &delivery::render(&queued))
}

/// Renders an endpoint with its ETag, both at one instant, because the end of a grace period changes them.
fn tagged<T: Serialize>(
    call: &Call,
    status: u16,
    found: &Webhook,
    render: fn(&Webhook, jiff::Timestamp) -> T,
) -> Outcome {
    let now = call.app.now();
    let body = answer::json(status, &render(found, now))?;
    Ok(body.with("ETag", etag::webhook_tag(found, now)))
}
