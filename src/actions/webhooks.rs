//! Webhook endpoints: register, replace, disable, enable, rotate the secret, delete, send a test event (rules.md 16).

use super::{App, Fault, Stop, outbox};
use crate::client::{Url, UrlError};
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

/// Over this time what was held falls due again, once an endpoint is enabled.
const RELEASED_WITHIN: SignedDuration = SignedDuration::from_secs(60);

/// The URL as it will be requested, judged without the network.
pub fn target(app: &App, url: &str) -> Result<String, Refusal> {
    Ok(read_url(app, url)?.as_str().to_owned())
}

fn read_url(app: &App, url: &str) -> Result<Url, Refusal> {
    app.webhook_client().url(url).map_err(refused)
}

/// Resolves the host and judges its addresses. To be done before a write: it waits for the network.
fn judge(app: &App, url: &str) -> Result<(), Refusal> {
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
pub fn list(app: &App) -> Result<Vec<Webhook>, Stop> {
    Ok(app.store().read(store::list_webhooks)?)
}

/// One endpoint.
pub fn read(app: &App, id: &WebhookId) -> Result<Webhook, Stop> {
    app.store().read(|tx| load(tx, id))
}

pub(super) fn load(tx: &ReadTx, id: &WebhookId) -> Result<Webhook, Stop> {
    Ok(store::load_webhook(tx, id)?.ok_or(Refusal::NotFound("webhook endpoint"))?)
}

/// Registers an endpoint: judges the URL, then the tier, then the limit. The secret is within.
pub fn register(app: &App, spec: WebhookSpec) -> Result<Webhook, Stop> {
    judge(app, &spec.url)?;
    let shared = app.clone();
    let webhook = app.store().write(move |tx| -> Result<Webhook, Stop> {
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
        Ok(webhook)
    })?;
    log::info!("webhook {}: registered", webhook.id);
    Ok(webhook)
}

fn mint(tx: &mut WriteTx) -> CurrentSecret {
    CurrentSecret {
        id: SecretId::from(tx.mint("sec_")),
        secret: SigningSecret(format!("{}{}", signature::SECRET_PREFIX, tx.mint_secret())),
        created_at: tx.now(),
    }
}

/// To be asked within the write: before it, a downgrade could come in between.
pub(super) fn check_tier(limits: &TierLimits) -> Result<(), Refusal> {
    if limits.has_webhooks() {
        return Ok(());
    }
    Err(Refusal::PaymentRequired(
        "webhook endpoints need the Pro plan; they can be read, disabled and deleted on any".into(),
    ))
}

/// Replaces name, URL and event types together: existence and validator, then the URL, then the tier.
pub fn replace(
    app: &App,
    id: &WebhookId,
    precondition: &Precondition,
    spec: WebhookSpec,
) -> Result<Webhook, Stop> {
    app.store()
        .read(|tx| admitted(tx, app.now(), id, precondition))?;
    judge(app, &spec.url)?;
    let shared = app.clone();
    edit(app, id, precondition, "replaced", move |tx, webhook| {
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

/// Disables an endpoint by hand. One that is disabled stays as it is, for the reason that it has.
pub fn disable(app: &App, id: &WebhookId, precondition: &Precondition) -> Result<Webhook, Stop> {
    edit(app, id, precondition, "disabled, manual", |tx, webhook| {
        webhook.disabled = webhook.disabled.or(Some(Disabled {
            reason: DisabledReason::Manual,
            since: tx.now(),
        }));
        Ok(())
    })
}

/// Enables an endpoint and lets go of what was held for it.
pub fn enable(app: &App, id: &WebhookId, precondition: &Precondition) -> Result<Webhook, Stop> {
    let shared = app.clone();
    edit(app, id, precondition, "enabled", move |tx, webhook| {
        check_tier(&shared.tier_limits())?;
        if let Some(disabled) = webhook.disabled.take() {
            // A clock that was set back must not shorten the life of what was held.
            let held = tx.now().duration_since(disabled.since);
            let held = held.max(SignedDuration::ZERO);
            store::note_healthy(tx, &webhook.id)?;
            store::release(tx, &webhook.id, held, RELEASED_WITHIN)?;
        }
        Ok(())
    })
}

/// Gives an endpoint a new secret; the old one signs beside it for `grace`, from 0.
pub fn rotate_secret(
    app: &App,
    id: &WebhookId,
    precondition: &Precondition,
    grace: SignedDuration,
) -> Result<Webhook, Stop> {
    let shared = app.clone();
    edit(
        app,
        id,
        precondition,
        "secret rotated",
        move |tx, webhook| {
            check_tier(&shared.tier_limits())?;
            let outgoing = std::mem::replace(&mut webhook.current, mint(tx));
            webhook.previous = (!grace.is_zero()).then(|| PreviousSecret {
                id: outgoing.id,
                secret: outgoing.secret,
                expires_at: tx.now().saturating_add(grace).unwrap_or(Timestamp::MAX),
            });
            Ok(())
        },
    )
}

/// Deletes an endpoint; its deliveries end with it.
pub fn remove(app: &App, id: &WebhookId, precondition: &Precondition) -> Result<(), Stop> {
    let (gone, precondition) = (id.clone(), precondition.clone());
    app.store().write(move |tx| -> Result<(), Stop> {
        admitted(&tx.as_read(), tx.now(), &gone, &precondition)?;
        Ok(store::remove_webhook(tx, &gone)?)
    })?;
    log::info!("webhook {id}: deleted");
    Ok(())
}

/// Queues a test event with the state of the rotation that changed last, for this endpoint whatever it subscribes to.
pub fn test(app: &App, id: &WebhookId) -> Result<Delivery, Stop> {
    let (shared, id) = (app.clone(), id.clone());
    app.store().write(move |tx| {
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
        let made = outbox::queue(tx, &shared, &rotation, Event::Test, &[webhook.id])?;
        let queued = match made.first() {
            Some(delivery) => store::load_delivery(&tx.as_read(), &id, delivery)?,
            None => None,
        };
        let queued = queued.ok_or_else(|| Fault::Corrupt("a delivery was not queued".into()))?;
        Ok(queued.0.delivery)
    })
}

/// Disables every endpoint that is enabled.
pub(super) fn disable_all(tx: &mut WriteTx, reason: DisabledReason) -> Result<(), Fault> {
    for webhook in store::list_webhooks(&tx.as_read())? {
        if webhook.disabled.is_none() {
            disable_for(tx, webhook, reason)?;
        }
    }
    Ok(())
}

/// Disables an endpoint by itself.
pub(super) fn disable_for(
    tx: &mut WriteTx,
    mut webhook: Webhook,
    reason: DisabledReason,
) -> Result<(), Fault> {
    let since = tx.now();
    webhook.disabled = Some(Disabled { reason, since });
    log::warn!("webhook {}: disabled, {}", webhook.id, reason.name());
    save(tx, webhook).map(drop)
}

/// The endpoint, if it is there and the validator is current.
fn admitted(
    tx: &ReadTx,
    now: Timestamp,
    id: &WebhookId,
    precondition: &Precondition,
) -> Result<Webhook, Stop> {
    let webhook = load(tx, id)?;
    if !precondition.admits(&etag::webhook_tag(&webhook, now)) {
        return Err(Refusal::StaleValidator.into());
    }
    Ok(webhook)
}

/// A write to one endpoint, told in the log by what was `done`. Where it changes nothing, nothing is stored.
fn edit(
    app: &App,
    id: &WebhookId,
    precondition: &Precondition,
    done: &str,
    act: impl FnOnce(&mut WriteTx, &mut Webhook) -> Result<(), Stop> + Send + 'static,
) -> Result<Webhook, Stop> {
    let (id, precondition) = (id.clone(), precondition.clone());
    let (webhook, changed) = app
        .store()
        .write(move |tx| -> Result<(Webhook, bool), Stop> {
            let before = admitted(&tx.as_read(), tx.now(), &id, &precondition)?;
            let mut webhook = before.clone();
            act(tx, &mut webhook)?;
            match webhook == before {
                true => Ok((before, false)),
                false => Ok((save(tx, webhook)?, true)),
            }
        })?;
    if changed {
        log::info!("webhook {}: {done}", webhook.id);
    }
    Ok(webhook)
}

fn save(tx: &mut WriteTx, mut webhook: Webhook) -> Result<Webhook, Fault> {
    webhook.version += 1;
    webhook.updated_at = Some(tx.now());
    store::save_webhook(tx, &webhook)?;
    Ok(webhook)
}
