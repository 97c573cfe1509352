//! /v1/webhooks: endpoints, their secrets and test events. Endpoints belong to the workspace, so a key's selected rotations
//! do not apply.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{
    Body, Gives, JSON, NOT_MODIFIED, Operation, PAGE, PAGE_SIZE, gives, gives_nothing,
    gives_tagged, shape,
};
use crate::actions::webhooks;
use crate::domain::webhook::Webhook;
use crate::server::Response;
use crate::wire::delivery::{self, Delivery};
use crate::wire::etag::{self, Precondition};
use crate::wire::page::Page;
use crate::wire::webhook::{
    self, RotateSecretRequest, WebhookEndpoint, WebhookReplaceRequest, WebhookRequest, WithSecret,
};
use serde::Serialize;

pub const LIST: Operation = Operation {
    id: "listWebhooks",
    tag: "webhooks",
    summary: "List endpoints",
    about: "The webhook endpoints of the workspace, oldest first; there are at most ten. Reads work on any plan.",
    query: &[PAGE, PAGE_SIZE],
    body: Body::None,
    gives: &[gives(
        200,
        "A page of endpoints.",
        shape::<Page<WebhookEndpoint>>,
    )],
    refuses: &[],
};

/// GET webhooks.
pub fn list(_: &Api, call: &Call) -> Outcome {
    let page = call.query.page()?;
    let found = answer::page_of(webhooks::list(call.app)?, page);
    let now = call.app.now();
    answer::json(200, &found.map(|found| webhook::render(&found, now)))
}

pub const REGISTER: Operation = Operation {
    id: "registerWebhook",
    tag: "webhooks",
    summary: "Register an endpoint",
    about: "Registers an endpoint for the events of every rotation in the workspace, including later ones. The URL is \
            checked first; the response has it as it will be requested. The secret is only shown in this response.",
    query: &[],
    body: Body::Required(shape::<WebhookRequest>),
    gives: &[Gives {
        status: 201,
        about: "The endpoint with its signing secret.",
        shape: Some(shape::<WithSecret>),
        headers: &["ETag", "Location"],
        media_type: JSON,
    }],
    refuses: &[
        (400, "webhook_url_malformed"),
        (400, "webhook_url_scheme_not_allowed"),
        (400, "webhook_url_host_not_resolvable"),
        (400, "webhook_url_private_address"),
        (400, "webhook_event_type_unknown"),
        (400, "webhook_event_type_not_subscribable"),
        (402, "payment_required"),
        (409, "webhook_endpoint_limit"),
    ],
};

/// POST webhooks.
pub fn register(_: &Api, call: &Call) -> Outcome {
    let spec = webhook::new_webhook(&call.body, |url| webhooks::target(call.app, url))?;
    let made = webhooks::register(call.app, &call.author(), spec)?;
    let location = format!("/v1/webhooks/{}", made.id);
    let answered = tagged(call, 201, &made, webhook::with_secret)?;
    Ok(answer::with(answered, "Location", location))
}

pub const READ: Operation = Operation {
    id: "getWebhook",
    tag: "webhooks",
    summary: "Read an endpoint",
    about: "Returns no secret. Reads work on any plan.",
    query: &[],
    body: Body::None,
    gives: &[
        gives_tagged(200, "The endpoint.", shape::<WebhookEndpoint>),
        NOT_MODIFIED,
    ],
    refuses: &[],
};

/// GET a webhook.
pub fn read(_: &Api, call: &Call) -> Outcome {
    let found = webhooks::read(call.app, &call.path.id("webhookId"))?;
    let tag = etag::webhook_tag(&found, call.app.now());
    match answer::not_modified(call.if_none_match.as_deref(), &tag) {
        Some(unchanged) => Ok(unchanged),
        None => tagged(call, 200, &found, webhook::render),
    }
}

pub const REPLACE: Operation = Operation {
    id: "replaceWebhook",
    tag: "webhooks",
    summary: "Replace an endpoint",
    about: "Replaces name, URL and event types together; all three are required. The URL is checked as at \
            registration.",
    query: &[],
    body: Body::Required(shape::<WebhookReplaceRequest>),
    gives: &[gives_tagged(200, "The endpoint.", shape::<WebhookEndpoint>)],
    refuses: &[
        (400, "webhook_url_malformed"),
        (400, "webhook_url_scheme_not_allowed"),
        (400, "webhook_url_host_not_resolvable"),
        (400, "webhook_url_private_address"),
        (400, "webhook_event_type_unknown"),
        (400, "webhook_event_type_not_subscribable"),
        (402, "payment_required"),
    ],
};

/// PUT a webhook.
pub fn replace(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let spec = webhook::replacement(&call.body, |url| webhooks::target(call.app, url))?;
    let id = call.path.id("webhookId");
    let changed = webhooks::replace(call.app, &call.author(), &id, precondition, spec)?;
    tagged(call, 200, &changed, webhook::render)
}

pub const REMOVE: Operation = Operation {
    id: "deleteWebhook",
    tag: "webhooks",
    summary: "Delete an endpoint",
    about: "Deletes its deliveries, too. Works on any plan.",
    query: &[],
    body: Body::None,
    gives: &[gives_nothing("Deleted.")],
    refuses: &[],
};

/// DELETE a webhook.
pub fn remove(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    webhooks::remove(
        call.app,
        &call.author(),
        &call.path.id("webhookId"),
        precondition,
    )?;
    Ok(Response::empty(204))
}

pub const DISABLE: Operation = Operation {
    id: "disableWebhook",
    tag: "webhooks",
    summary: "Disable an endpoint",
    about: "Nothing is sent to it and new events are not queued; queued deliveries are held. Works on any plan.",
    query: &[],
    body: Body::None,
    gives: &[gives_tagged(
        200,
        "The endpoint; unchanged if it was already disabled.",
        shape::<WebhookEndpoint>,
    )],
    refuses: &[],
};

/// POST disable.
pub fn disable(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let id = call.path.id("webhookId");
    let changed = webhooks::disable(call.app, &call.author(), &id, precondition)?;
    tagged(call, 200, &changed, webhook::render)
}

pub const ENABLE: Operation = Operation {
    id: "enableWebhook",
    tag: "webhooks",
    summary: "Enable an endpoint",
    about: "Events are sent to it again, and held deliveries are released.",
    query: &[],
    body: Body::None,
    gives: &[gives_tagged(
        200,
        "The endpoint; unchanged if it was already enabled.",
        shape::<WebhookEndpoint>,
    )],
    refuses: &[(402, "payment_required")],
};

/// POST enable.
pub fn enable(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let id = call.path.id("webhookId");
    let changed = webhooks::enable(call.app, &call.author(), &id, precondition)?;
    tagged(call, 200, &changed, webhook::render)
}

pub const ROTATE: Operation = Operation {
    id: "rotateWebhookSecret",
    tag: "webhooks",
    summary: "Rotate the signing secret",
    about: "Creates a new secret, which is only shown in this response. The previous one also signs during the grace period.",
    query: &[],
    body: Body::Optional(shape::<RotateSecretRequest>),
    gives: &[gives_tagged(
        200,
        "The endpoint with its new signing secret.",
        shape::<WithSecret>,
    )],
    refuses: &[(402, "payment_required")],
};

/// POST rotate.
pub fn rotate(_: &Api, call: &Call, precondition: &Precondition) -> Outcome {
    let grace = webhook::grace(&call.body)?;
    let id = call.path.id("webhookId");
    let changed = webhooks::rotate_secret(call.app, &call.author(), &id, precondition, grace)?;
    tagged(call, 200, &changed, webhook::with_secret)
}

pub const TEST: Operation = Operation {
    id: "testWebhook",
    tag: "webhooks",
    summary: "Send a test event",
    about: "Queues a `webhook.test` event regardless of the endpoint's event types. It contains the state of the rotation that \
            changed last; the delivery log has the outcome.",
    query: &[],
    body: Body::None,
    gives: &[gives(202, "The queued delivery.", shape::<Delivery>)],
    refuses: &[
        (402, "payment_required"),
        (409, "webhook_endpoint_disabled"),
        (409, "no_rotation"),
    ],
};

/// POST test.
pub fn test(_: &Api, call: &Call) -> Outcome {
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
    Ok(answer::with(body, "ETag", etag::webhook_tag(found, now)))
}
