//! Webhook endpoints: register, replace, disable, enable, rotate the secret, delete, send a test event (rules.md 16).

use super::{App, Error, Result, audit, outbox};
use crate::client::{Url, UrlError};
use crate::domain::audit::{AuditedChange, Author, Summary, host, quoted, webhook_changes};
use crate::domain::event::Event;
use crate::domain::ids::{SecretId, WebhookId};
use crate::domain::refusal::{Refusal, UrlFault};
use crate::domain::tiers::TierLimits;
use crate::domain::webhook::{
    CurrentSecret, Delivery, Disabled, DisabledReason, MAX_WEBHOOKS, PreviousSecret, SigningSecret,
    Webhook, WebhookSpec,
};
use crate::store::{self, ReadTx, WriteTx};
use crate::wire::etag::{self, Precondition};
use crate::wire::signature;
use jiff::{SignedDuration, Timestamp};

/// The period over which held deliveries become due once an endpoint is enabled.
const RELEASED_WITHIN: SignedDuration = SignedDuration::from_secs(60);

/// The URL as it will be requested, checked without the network.
pub fn target(app: &App, url: &str) -> Result<String, Refusal> {
    Ok(read_url(app, url)?.as_str().to_owned())
}

fn read_url(app: &App, url: &str) -> Result<Url, Refusal> {
    app.webhook_client().url(url).map_err(refused)
}

/// Resolves the host and checks its addresses. Call it before a write, because it waits for the network.
fn check_addresses(app: &App, url: &str) -> Result<(), Refusal> {
    let url = read_url(app, url)?;
    app.webhook_client().check(&url).map_err(refused)
}

fn refused(error: UrlError) -> Refusal {
    match error {
        UrlError::Malformed(detail) => Refusal::WebhookUrl(UrlFault::Malformed, detail),
        UrlError::SchemeNotAllowed(detail) => {
            Refusal::WebhookUrl(UrlFault::SchemeNotAllowed, detail)
        }
        UrlError::HostNotResolvable(detail) => {
            Refusal::WebhookUrl(UrlFault::HostNotResolvable, detail)
        }
        UrlError::PrivateAddress(detail) => Refusal::WebhookUrl(UrlFault::PrivateAddress, detail),
    }
}

/// The endpoints, oldest first.
pub fn list(app: &App) -> Result<Vec<Webhook>> {
    Ok(app.store().read(store::list_webhooks)?)
}

/// An endpoint by id.
pub fn read(app: &App, id: &WebhookId) -> Result<Webhook> {
    app.store().read(|tx| load(tx, id))
}

pub(super) fn load(tx: &ReadTx, id: &WebhookId) -> Result<Webhook> {
    Ok(store::load_webhook(tx, id)?.ok_or(Refusal::NotFound("webhook endpoint"))?)
}

/// Registers an endpoint: checks the URL, then the tier, then the limit. The result contains the secret.
pub fn register(app: &App, author: &Author, spec: WebhookSpec) -> Result<Webhook> {
    check_addresses(app, &spec.url)?;
    let shared = app.clone();
    audit::write(app.store(), author, move |tx, _| {
        check_tier(&shared.tier_limits())?;
        if store::list_webhooks(&tx.as_read())?.len() >= MAX_WEBHOOKS {
            return Err(Refusal::WebhookLimit.into());
        }
        let webhook = Webhook {
            id: WebhookId::from(tx.mint("whk_")),
            name: spec.name,
            url: spec.url,
            event_types: spec.event_types,
            disabled: None,
            current: mint(tx),
            previous: None,
            version: 1,
            created_at: tx.now(),
            updated_at: None,
        };
        store::insert_webhook(tx, &webhook)?;
        let (name, host) = (quoted(&webhook.name), host(&webhook.url));
        let registered = format!("webhook endpoint {name} registered at {host}");
        let change = AuditedChange::of(webhook.id.as_str(), registered);
        Ok((webhook, Some(change)))
    })
}

fn mint(tx: &mut WriteTx) -> CurrentSecret {
    CurrentSecret {
        id: SecretId::from(tx.mint("sec_")),
        secret: SigningSecret(format!("{}{}", signature::SECRET_PREFIX, tx.mint_secret())),
        created_at: tx.now(),
    }
}

/// Call it within the write, because a downgrade could happen before it.
pub(super) fn check_tier(limits: &TierLimits) -> Result<(), Refusal> {
    if limits.has_webhooks() {
        return Ok(());
    }
    Err(Refusal::PaymentRequired(
        "".into(),
        "webhook endpoints need the Pro plan; they can be read, disabled and deleted on any plan"
            .into(),
    ))
}

/// Replaces name, URL and event types together. Checks existence and precondition, then the URL, then the tier.
pub fn replace(
    app: &App,
    author: &Author,
    id: &WebhookId,
    precondition: &Precondition,
    spec: WebhookSpec,
) -> Result<Webhook> {
    app.store()
        .read(|tx| admitted(tx, app.now(), id, precondition))?;
    check_addresses(app, &spec.url)?;
    let shared = app.clone();
    edit(app, author, id, precondition, move |tx, webhook| {
        check_tier(&shared.tier_limits())?;
        if webhook.url != spec.url {
            store::note_healthy(tx, &webhook.id)?;
        }
        webhook.name = spec.name;
        webhook.url = spec.url;
        webhook.event_types = spec.event_types;
        Ok(())
    })
}

/// Disables an endpoint by hand. One that is already disabled keeps its reason.
pub fn disable(
    app: &App,
    author: &Author,
    id: &WebhookId,
    precondition: &Precondition,
) -> Result<Webhook> {
    edit(app, author, id, precondition, |tx, webhook| {
        webhook.disabled = webhook.disabled.or(Some(Disabled {
            reason: DisabledReason::Manual,
            since: tx.now(),
        }));
        Ok(())
    })
}

/// Enables an endpoint and releases its held deliveries.
pub fn enable(
    app: &App,
    author: &Author,
    id: &WebhookId,
    precondition: &Precondition,
) -> Result<Webhook> {
    let shared = app.clone();
    edit(app, author, id, precondition, move |tx, webhook| {
        check_tier(&shared.tier_limits())?;
        if let Some(disabled) = webhook.disabled.take() {
            // A clock that was set back must not shorten the life of held deliveries.
            let held = tx.now().duration_since(disabled.since);
            let held = held.max(SignedDuration::ZERO);
            store::note_healthy(tx, &webhook.id)?;
            store::release(tx, &webhook.id, held, RELEASED_WITHIN)?;
        }
        Ok(())
    })
}

/// Gives an endpoint a new secret. The old one also signs for `grace`, from 0.
pub fn rotate_secret(
    app: &App,
    author: &Author,
    id: &WebhookId,
    precondition: &Precondition,
    grace: SignedDuration,
) -> Result<Webhook> {
    let shared = app.clone();
    edit(app, author, id, precondition, move |tx, webhook| {
        check_tier(&shared.tier_limits())?;
        let outgoing = std::mem::replace(&mut webhook.current, mint(tx));
        webhook.previous = (!grace.is_zero()).then(|| PreviousSecret {
            id: outgoing.id,
            secret: outgoing.secret,
            expires_at: tx.now().saturating_add(grace).unwrap_or(Timestamp::MAX),
        });
        Ok(())
    })
}

/// Deletes an endpoint and its deliveries.
pub fn remove(
    app: &App,
    author: &Author,
    id: &WebhookId,
    precondition: &Precondition,
) -> Result<()> {
    let (id, precondition) = (id.clone(), precondition.clone());
    audit::write(app.store(), author, move |tx, _| {
        let gone = admitted(&tx.as_read(), tx.now(), &id, &precondition)?;
        store::remove_webhook(tx, &id)?;
        let deleted = format!("webhook endpoint {} deleted", quoted(&gone.name));
        Ok(((), Some(AuditedChange::of(id.as_str(), deleted))))
    })
}

/// Queues a test event with the state of the last changed rotation, for this endpoint regardless of its event types.
pub fn test(app: &App, author: &Author, id: &WebhookId) -> Result<Delivery> {
    let (shared, id) = (app.clone(), id.clone());
    audit::write(app.store(), author, move |tx, _| {
        let webhook = load(&tx.as_read(), &id)?;
        check_tier(&shared.tier_limits())?;
        if webhook.disabled.is_some() {
            return Err(Refusal::WebhookDisabled.into());
        }
        let latest = shared.store().signals().changed_last();
        let changed_last = store::last_changed_rotation(&tx.as_read(), latest.as_ref())?;
        let rotation = match &changed_last {
            Some(id) => store::load_rotation(&tx.as_read(), id)?,
            None => None,
        };
        let rotation = rotation.ok_or(Refusal::NoRotation)?;
        let made = outbox::queue(
            tx,
            &shared,
            &rotation,
            (Event::Test, None),
            &[webhook.id],
            outbox::Occurs::Now,
        )?;
        let queued = match made.first() {
            Some(delivery) => store::load_delivery(&tx.as_read(), &id, delivery)?,
            None => None,
        };
        let queued = queued.ok_or_else(|| Error::Corrupt("a delivery was not queued".into()))?;
        let delivery = queued.0.delivery;
        let change = AuditedChange {
            rotation: Some(delivery.rotation.clone()),
            ..AuditedChange::of(
                id.as_str(),
                format!("test event queued as delivery {}", delivery.id),
            )
        };
        Ok((delivery, Some(change)))
    })
}

/// Disables all enabled endpoints.
pub(super) fn disable_all(
    tx: &mut WriteTx,
    author: &Author,
    reason: DisabledReason,
) -> Result<(), Error> {
    for webhook in store::list_webhooks(&tx.as_read())? {
        if webhook.disabled.is_none() {
            disable_for(tx, author, webhook, reason)?;
        }
    }
    Ok(())
}

/// Disables an endpoint, whoever is the reason.
pub(super) fn disable_for(
    tx: &mut WriteTx,
    author: &Author,
    mut webhook: Webhook,
    reason: DisabledReason,
) -> Result<(), Error> {
    let (before, since) = (webhook.clone(), tx.now());
    webhook.disabled = Some(Disabled { reason, since });
    log::warn!("webhook {}: disabled, {}", webhook.id, reason.name());
    audit::record(tx, author, changed(&before, &webhook))?;
    save(tx, webhook).map(drop)
}

/// The endpoint, if it exists and the precondition holds.
fn admitted(
    tx: &ReadTx,
    now: Timestamp,
    id: &WebhookId,
    precondition: &Precondition,
) -> Result<Webhook> {
    let webhook = load(tx, id)?;
    precondition.check(|| etag::webhook_tag(&webhook, now))?;
    Ok(webhook)
}

/// The audit entry's part of an endpoint that is another now.
fn changed(before: &Webhook, after: &Webhook) -> AuditedChange {
    let mut summary = Summary::from(format!("webhook endpoint {}", quoted(&before.name)));
    summary.append(webhook_changes(before, after));
    AuditedChange::of(before.id.as_str(), summary)
}

/// A write to one endpoint. Where it changes nothing, nothing is stored.
fn edit(
    app: &App,
    author: &Author,
    id: &WebhookId,
    precondition: &Precondition,
    act: impl FnOnce(&mut WriteTx, &mut Webhook) -> Result<()> + Send + 'static,
) -> Result<Webhook> {
    let (id, precondition) = (id.clone(), precondition.clone());
    audit::write(app.store(), author, move |tx, _| {
        let before = admitted(&tx.as_read(), tx.now(), &id, &precondition)?;
        let mut webhook = before.clone();
        act(tx, &mut webhook)?;
        if webhook == before {
            return Ok((before, None));
        }
        let change = changed(&before, &webhook);
        Ok((save(tx, webhook)?, Some(change)))
    })
}

fn save(tx: &mut WriteTx, mut webhook: Webhook) -> Result<Webhook, Error> {
    webhook.version += 1;
    webhook.updated_at = Some(tx.now());
    store::save_webhook(tx, &webhook)?;
    Ok(webhook)
}
