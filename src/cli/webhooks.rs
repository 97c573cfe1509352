//! `rota webhooks` and `rota deliveries`: where events go, and what became of them.

use super::named;
use super::output::{Listed, answer, answer_lines, instant_or_dash, table};
use super::workspace::{Missing, database, open, open_with_clock, settings};
use super::{Failure, Place};
use crate::domain::ids::{RotationId, WebhookId};
use crate::domain::webhook::{Attempt, Delivery, DeliveryState, Webhook};
use crate::store::{self, DeliveryFilter, Page, ReadTx};
use crate::wire::{delivery as wire_delivery, webhook as wire};
use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Examples:
  rota deliveries                                      the newest 50
  rota deliveries --failed                             what was not taken, and why
  rota deliveries --rotation PLATFORM --webhook pager --limit 10";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct DeliveryFlags {
    /// Only those that were given up or cancelled, and those whose last attempt failed
    #[arg(long)]
    failed: bool,
    /// Only to this endpoint: its id or name
    #[arg(long, value_name = "ENDPOINT")]
    webhook: Option<String>,
    /// Only of this rotation: its code, name or id; it may have been deleted
    #[arg(long, value_name = "ROTATION")]
    rotation: Option<String>,
    /// How many at most, the newest
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EndpointLine {
    #[serde(flatten)]
    endpoint: wire::WebhookEndpoint,
    /// Deliveries that have not finished.
    waiting: u64,
    /// The first failed attempt since the last success.
    failing_since: Option<String>,
    /// Why the newest attempt that failed did.
    last_error: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeliveryLine {
    #[serde(flatten)]
    delivery: wire_delivery::Delivery,
    webhook_id: String,
    webhook_name: String,
    last_attempt_at: Option<String>,
    /// Why the last attempt failed; `None` where it did not.
    error: Option<String>,
}

/// Prints the endpoints, oldest first.
pub fn list(place: Place, flags: Listed) -> Result<(), Failure> {
    let path = database(&settings(place)?)?;
    let (store, clock) = open_with_clock(&path, Missing::Refuse, None, None)?;
    let now = clock.now();
    let lines = store.read(|tx: &ReadTx| -> Result<Vec<EndpointLine>, Failure> {
        let all = store::list_webhooks(tx)?;
        all.iter().map(|one| endpoint(tx, one, now)).collect()
    })?;
    if flags.json {
        return answer_lines(lines);
    }
    let row = |line: &EndpointLine| {
        let state = line.endpoint.disabled_reason.map(|why| why.name());
        vec![
            line.endpoint.id.clone(),
            line.endpoint.name.clone(),
            state.map_or("enabled".to_owned(), |why| format!("disabled: {why}")),
            line.waiting.to_string(),
            line.failing_since.clone().unwrap_or_default(),
            line.last_error.clone().unwrap_or_default(),
            line.endpoint.url.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = lines.iter().map(row).collect();
    let heads = [
        "ID",
        "NAME",
        "STATE",
        "WAITING",
        "FAILING SINCE",
        "LAST ERROR",
        "URL",
    ];
    answer(&table(&heads, &rows))
}

fn endpoint(tx: &ReadTx, webhook: &Webhook, now: Timestamp) -> Result<EndpointLine, Failure> {
    let waiting = of_state(DeliveryState::Pending);
    let (_, waiting) = store::list_deliveries(tx, &webhook.id, &waiting, Page::first(1))?;
    let failing_since = store::failing_since(tx, &webhook.id)?;
    let mut last_error = None;
    if failing_since.is_some() {
        let newest = unfinished_or_failed(tx, &webhook.id, None, 20)?;
        for delivery in &newest {
            last_error = last_attempt(tx, &webhook.id, delivery)?.and_then(why);
            if last_error.is_some() {
                break;
            }
        }
    }
    Ok(EndpointLine {
        endpoint: wire::render(webhook, now),
        waiting,
        failing_since: failing_since.map(|at| at.to_string()),
        last_error,
    })
}

fn of_state(state: DeliveryState) -> DeliveryFilter {
    DeliveryFilter {
        state: Some(state),
        ..DeliveryFilter::default()
    }
}

/// Deliveries of an endpoint that were not taken or not yet, the newest first.
fn unfinished_or_failed(
    tx: &ReadTx,
    webhook: &WebhookId,
    rotation: Option<&RotationId>,
    limit: u32,
) -> Result<Vec<Delivery>, store::Error> {
    let mut found = Vec::new();
    for state in [
        DeliveryState::Pending,
        DeliveryState::Exhausted,
        DeliveryState::Cancelled,
    ] {
        let filter = DeliveryFilter {
            rotation: rotation.cloned(),
            ..of_state(state)
        };
        found.extend(store::list_deliveries(tx, webhook, &filter, Page::first(limit))?.0);
    }
    found.sort_by_key(|one| Reverse(one.created_at));
    Ok(found)
}

fn last_attempt(
    tx: &ReadTx,
    webhook: &WebhookId,
    delivery: &Delivery,
) -> Result<Option<Attempt>, store::Error> {
    let Some((record, _)) = store::load_delivery(tx, webhook, &delivery.id)? else {
        return Ok(None);
    };
    Ok(store::list_attempts(tx, record.sequence)?.pop())
}

/// Why an attempt failed: what went wrong, or the status that came.
fn why(attempt: Attempt) -> Option<String> {
    let result = attempt.result;
    let status = result.status.map(|status| format!("status {status}"));
    let error = result.error.map(|error| error.name().replace('_', " "));
    match result.outcome {
        crate::domain::webhook::Outcome::Delivered => None,
        outcome => Some(
            error
                .or(status)
                .unwrap_or_else(|| outcome.name().to_owned()),
        ),
    }
}

/// Prints deliveries of all endpoints or of one, the newest first.
pub fn deliveries(place: Place, flags: DeliveryFlags) -> Result<(), Failure> {
    let store = open(&database(&settings(place)?)?)?;
    let (lines, rotations) = store.read(|tx: &ReadTx| -> Result<_, Failure> {
        let names = store::list_rotation_names(tx)?;
        let names = names.into_iter().map(|one| {
            let shown = one.code.unwrap_or(one.name);
            (one.id.to_string(), shown)
        });
        Ok((delivered(tx, &flags)?, names.collect::<BTreeMap<_, _>>()))
    })?;
    if flags.json {
        return answer_lines(lines);
    }
    let row = |line: &DeliveryLine| {
        let delivery = &line.delivery;
        let rotation = rotations.get(&delivery.rotation_id);
        let due = delivery.next_attempt_due_at.as_ref().map(|due| due.0);
        vec![
            delivery.delivery_id.clone(),
            delivery.created_at.0.to_string(),
            line.webhook_name.clone(),
            delivery.event_type.name().to_owned(),
            rotation.unwrap_or(&delivery.rotation_id).clone(),
            delivery.state.name().to_owned(),
            delivery.attempts.to_string(),
            line.error.clone().unwrap_or_default(),
            instant_or_dash(due),
        ]
    };
    let rows: Vec<Vec<String>> = lines.iter().map(row).collect();
    let heads = [
        "ID",
        "AT",
        "ENDPOINT",
        "EVENT",
        "ROTATION",
        "STATE",
        "ATTEMPTS",
        "ERROR",
        "NEXT ATTEMPT",
    ];
    answer(&table(&heads, &rows))
}

fn delivered(tx: &ReadTx, flags: &DeliveryFlags) -> Result<Vec<DeliveryLine>, Failure> {
    let rotation = flags.rotation.as_deref();
    let rotation = rotation.map(|name| named::rotation_or_gone(tx, name));
    let rotation = rotation.transpose()?;
    let mut lines: Vec<DeliveryLine> = Vec::new();
    for webhook in endpoints(tx, flags.webhook.as_deref())? {
        let of_webhook = match flags.failed {
            true => unfinished_or_failed(tx, &webhook.id, rotation.as_ref(), flags.limit)?,
            false => {
                let filter = DeliveryFilter {
                    rotation: rotation.clone(),
                    ..DeliveryFilter::default()
                };
                store::list_deliveries(tx, &webhook.id, &filter, Page::first(flags.limit))?.0
            }
        };
        for delivery in of_webhook {
            let last = last_attempt(tx, &webhook.id, &delivery)?;
            let last_attempt_at = last.as_ref().map(|attempt| attempt.at.to_string());
            let error = last.and_then(why);
            if flags.failed && delivery.state == DeliveryState::Pending && error.is_none() {
                continue;
            }
            lines.push(DeliveryLine {
                delivery: wire_delivery::render(&delivery),
                webhook_id: webhook.id.to_string(),
                webhook_name: webhook.name.clone(),
                last_attempt_at,
                error,
            });
        }
    }
    lines.sort_by_key(|line| Reverse(line.delivery.created_at.0));
    lines.truncate(usize::try_from(flags.limit).unwrap_or(usize::MAX));
    Ok(lines)
}

/// All endpoints, or the one with an id, or those with a name.
fn endpoints(tx: &ReadTx, named: Option<&str>) -> Result<Vec<Webhook>, Failure> {
    let mut all = store::list_webhooks(tx)?;
    if let Some(named) = named {
        all.retain(|one| one.id.as_str() == named || one.name.eq_ignore_ascii_case(named));
        if all.is_empty() {
            return Err(Failure::Failed(format!(
                "there is no endpoint {named:?}; `rota webhooks` lists them"
            )));
        }
    }
    Ok(all)
}
