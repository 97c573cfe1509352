//! The delivery queue: takes what is due, records outcomes, recovers after a crash (rules.md 16).
//!
//! These writes may be lost on a power failure, but not when the process ends: what was sent and not recorded is sent again,
//! with the same id and bytes.

use super::webhooks::disable_for;
use super::{App, Error};
use crate::client::Request;
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::ids::WebhookId;
use crate::domain::retry_schedule::{Failure, Next};
use crate::domain::webhook::{AttemptResult, DeliveryState, DisabledReason, Outcome};
use crate::store::{self, Queue, Taken, WriteTx};
use crate::wire::{event, signature};
use jiff::Timestamp;
use std::sync::Arc;

/// The maximum number of expired deliveries per commit, so that other writers are not delayed.
const EXPIRED_AT_ONCE: usize = 200;

/// An attempt that is recorded and not yet made.
#[derive(Clone, Debug)]
pub struct Job {
    pub webhook: WebhookId,
    pub url: String,
    /// All headers of the request.
    pub headers: Vec<(String, String)>,
    pub body: String,
    taken: Taken,
    /// The number of recalls when it was taken.
    recalls: u64,
}

impl Job {
    /// The name in the log.
    pub fn name(&self) -> String {
        let (webhook, id, number) = (&self.webhook, &self.taken.id, self.taken.number);
        format!("webhook {webhook} delivery {id} attempt {number}")
    }

    /// Whether it may still be sent as it was taken: no endpoint has changed and no delivery was cancelled since.
    pub fn is_current(&self, app: &App) -> bool {
        self.recalls == app.store().signals().recalls()
    }
}

/// An attempt that was made.
#[derive(Clone, Debug)]
pub struct Done {
    pub job: Arc<Job>,
    pub result: AttemptResult,
    /// Whether the response had a valid Retry-After, whatever its status.
    pub asked_to_wait: bool,
}

impl Done {
    /// The result in the log: `failed 503`, `no_response timeout`.
    pub fn outcome(&self) -> String {
        let (result, outcome) = (&self.result, self.result.outcome.name());
        match (result.status, result.error) {
            (Some(status), _) => format!("{outcome} {status}"),
            (None, Some(error)) => format!("{outcome} {}", error.name()),
            (None, None) => outcome.to_owned(),
        }
    }
}

/// The result of a commit for a queue.
#[derive(Debug, Default)]
struct StepResult {
    job: Option<Arc<Job>>,
    /// Deliveries that finished in the commit.
    delivered: u64,
    exhausted: u64,
}

impl StepResult {
    /// Updates the metrics after the commit. Returns the taken job.
    fn counted(self, app: &App) -> Option<Arc<Job>> {
        let metrics = app.metrics();
        metrics.finished(DeliveryState::Delivered, self.delivered);
        metrics.finished(DeliveryState::Exhausted, self.exhausted);
        self.job
    }
}

/// One commit for a queue: records what was done, puts back what was not sent, and, if `take` is set, takes what is due
/// next.
#[derive(Clone, Debug)]
pub struct Step {
    pub webhook: WebhookId,
    pub queue: Queue,
    pub done: Option<Arc<Done>>,
    pub put_back: Option<Arc<Job>>,
    pub take: bool,
}

impl Step {
    /// Runs it and waits for the commit.
    pub fn run(self, app: &App) -> Result<Option<Arc<Job>>, Error> {
        let shared = app.clone();
        let result = app.store().write_log(move |tx| self.within(&shared, tx));
        result.map(|result| result.counted(app))
    }

    fn within(self, app: &App, tx: &mut WriteTx) -> Result<StepResult, Error> {
        let mut result = StepResult::default();
        if let Some(done) = &self.done {
            record(app, tx, done, &mut result)?;
        }
        if let Some(job) = &self.put_back {
            store::put_back(tx, &job.taken)?;
        }
        if self.take {
            let job = take(app, tx, &self.webhook, self.queue, &mut result.exhausted)?;
            result.job = job.map(Arc::new);
        }
        Ok(result)
    }
}

fn take(
    app: &App,
    tx: &mut WriteTx,
    webhook: &WebhookId,
    queue: Queue,
    exhausted: &mut u64,
) -> Result<Option<Job>, Error> {
    // Read before the endpoint, so that a later recall is noticed before the delivery is sent.
    let recalls = app.store().signals().recalls();
    let endpoint = store::load_webhook(&tx.as_read(), webhook)?;
    let Some(endpoint) = endpoint.filter(|endpoint| endpoint.disabled.is_none()) else {
        return Ok(None);
    };
    let now = tx.now();
    let mut expired = 0;
    let head = loop {
        match store::head(&tx.as_read(), webhook, queue, now)? {
            Some(head) if head.expired && expired < EXPIRED_AT_ONCE => {
                store::finish(tx, head.sequence, DeliveryState::Exhausted)?;
                expired += 1;
            }
            head => break head,
        }
    };
    *exhausted += expired as u64;
    if expired > 0 {
        log::warn!("webhook {webhook}: {expired} deliveries expired after a week of retries");
    }
    let Some(head) = head.filter(|head| !head.expired && head.due_at <= now) else {
        return Ok(None);
    };
    let (taken, frozen) = store::take(tx, head.sequence)?;
    let body = event::body(taken.id.as_str(), &frozen);
    // The receiver compares it with its own clock, so it is the system time even if that was set back.
    let timestamp = app.clock().now().as_second();
    let secrets = endpoint.secrets_at(now);
    let secrets: Vec<&str> = secrets.iter().map(|secret| secret.0.as_str()).collect();
    let signature = signature::header(&secrets, timestamp, body.as_bytes());
    let mut request = Request::post(&endpoint.url)
        .header("Content-Type", "application/json")
        .header(signature::TIMESTAMP_HEADER, &timestamp.to_string())
        .header(signature::SIGNATURE_HEADER, &signature);
    request.body = body.as_bytes().into();
    let headers = app.webhook_client().headers(&request);
    store::begin_attempt(tx, &taken, now, app.retry_schedule().rounds(), &headers)?;
    Ok(Some(Job {
        webhook: webhook.clone(),
        url: endpoint.url,
        headers,
        body,
        taken,
        recalls,
    }))
}

fn record(app: &App, tx: &mut WriteTx, done: &Done, result: &mut StepResult) -> Result<(), Error> {
    let (taken, webhook) = (&done.job.taken, &done.job.webhook);
    store::end_attempt(tx, taken, &done.result)?;
    if done.result.outcome == Outcome::Delivered {
        store::note_healthy(tx, webhook)?;
        return match store::finish_delivered(tx, taken)? {
            true => {
                result.delivered += 1;
                Ok(())
            }
            false => store::end_flight(tx, taken.sequence),
        };
    }
    let Some(retry_state) = store::load_retry_state(&tx.as_read(), taken)? else {
        return store::end_flight(tx, taken.sequence);
    };
    let failure = Failure {
        result: &done.result,
        asked_to_wait: done.asked_to_wait,
        ended_at: tx.now(),
    };
    match app
        .retry_schedule()
        .next(retry_state, failure, tx.mint_share())
    {
        Next::Again { at, round } => {
            // Logged once per delivery; later rounds are in its log.
            if (retry_state.round, round) == (1, 2) {
                log::warn!("{}: {}, next try at {at}", done.job.name(), done.outcome());
            }
            store::try_again(tx, taken.sequence, at, round)
        }
        Next::Exhausted => {
            store::finish(tx, taken.sequence, DeliveryState::Exhausted)?;
            result.exhausted += 1;
            log::warn!("{}: {}, given up", done.job.name(), done.outcome());
            give_up_on(tx, webhook, taken.sequence)
        }
    }
}

/// Time, as endpoints are disabled by it.
static HEALTH: Author = Author::local(Principal::Clock, "disableWebhook");

/// Disables an endpoint without any success since a delivery to it was queued.
fn give_up_on(tx: &mut WriteTx, id: &WebhookId, sequence: i64) -> Result<(), Error> {
    let webhook = store::load_webhook(&tx.as_read(), id)?;
    let Some(webhook) = webhook.filter(|webhook| webhook.disabled.is_none()) else {
        return Ok(());
    };
    if store::counts_as_failure(&tx.as_read(), id, sequence)? {
        disable_for(tx, &HEALTH, webhook, DisabledReason::DeliveryFailures)?;
    }
    Ok(())
}

/// Recovers after a restart: attempts that were in flight are interrupted and due at once.
pub fn start_over(app: &App) -> Result<usize, Error> {
    app.store().write(store::end_interrupted)
}

/// Whether an attempt has no outcome yet.
pub fn any_in_flight(app: &App) -> Result<bool, Error> {
    app.store().read(store::any_in_flight)
}

/// The non-empty queues, each with its earliest due instant.
pub fn queues(app: &App) -> Result<Vec<(WebhookId, Queue, Timestamp)>, Error> {
    app.store().read(store::list_queues)
}

/// When the next attempt is due; `None` if there is none.
pub fn next(app: &App) -> Result<Option<Timestamp>, Error> {
    Ok(queues(app)?.into_iter().map(|(_, _, due)| due).min())
}

/// The sequence of the newest delivery ever.
pub fn newest(app: &App) -> Result<i64, Error> {
    app.store().read(store::newest_delivery)
}

/// The number of deliveries up to a sequence that are in flight, or due and not taken.
pub fn unfinished(app: &App, newest: i64) -> Result<u64, Error> {
    let now = app.now();
    app.store()
        .read(|tx| store::count_unfinished(tx, newest, now))
}
