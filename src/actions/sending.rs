//! What the delivery loop does to the queue: takes what is due, records outcomes, recovers after a crash (rules.md 16).
//!
//! All of it may be lost with the power, though not with the process: what was sent and not recorded is sent again, with
//! the same id and bytes.

use super::webhooks::disable_for;
use super::{App, Fault};
use crate::client::Request;
use crate::domain::ids::WebhookId;
use crate::domain::ladder::{Failure, Next};
use crate::domain::webhook::{AttemptResult, DeliveryState, DisabledReason, Outcome};
use crate::store::{self, Lane, Taken, WriteTx};
use crate::wire::{event, signature};
use jiff::Timestamp;
use std::sync::Arc;

/// Deliveries given up in one commit because their time is over, so that other writers get their turn.
const EXPIRED_AT_ONCE: usize = 200;

/// An attempt to be made: written down already.
#[derive(Clone, Debug)]
pub struct Job {
    pub webhook: WebhookId,
    pub url: String,
    /// All of the request's.
    pub headers: Vec<(String, String)>,
    pub body: String,
    taken: Taken,
    /// Under which number of recalls it was taken.
    recalls: u64,
}

impl Job {
    /// How the log names it.
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
    /// Whether the answer carried a Retry-After that can be read, whatever its status.
    pub asked_to_wait: bool,
}

impl Done {
    /// How the log tells it: `failed 503`, `no_response timeout`.
    pub fn told(&self) -> String {
        let (result, outcome) = (&self.result, self.result.outcome.name());
        match (result.status, result.error) {
            (Some(status), _) => format!("{outcome} {status}"),
            (None, Some(error)) => format!("{outcome} {}", error.name()),
            (None, None) => outcome.to_owned(),
        }
    }
}

/// What a commit for a lane came to.
#[derive(Debug, Default)]
struct Stepped {
    job: Option<Arc<Job>>,
    /// Deliveries that finished in it.
    delivered: u64,
    exhausted: u64,
}

impl Stepped {
    /// Counts what finished, now that it is committed, and answers what was taken.
    fn counted(self, app: &App) -> Option<Arc<Job>> {
        let metrics = app.metrics();
        metrics.finished(DeliveryState::Delivered, self.delivered);
        metrics.finished(DeliveryState::Exhausted, self.exhausted);
        self.job
    }
}

/// One commit for a lane: what was done is recorded, what was taken and not sent is put back, and, unless that is all,
/// what is due next is taken.
#[derive(Clone, Debug)]
pub struct Step {
    pub webhook: WebhookId,
    pub lane: Lane,
    pub done: Option<Arc<Done>>,
    pub put_back: Option<Arc<Job>>,
    pub take: bool,
}

impl Step {
    /// Does it, and waits for the commit.
    pub fn run(self, app: &App) -> Result<Option<Arc<Job>>, Fault> {
        let shared = app.clone();
        let stepped = app.store().write_log(move |tx| self.within(&shared, tx));
        stepped.map(|stepped| stepped.counted(app))
    }

    fn within(self, app: &App, tx: &mut WriteTx) -> Result<Stepped, Fault> {
        let mut stepped = Stepped::default();
        if let Some(done) = &self.done {
            record(app, tx, done, &mut stepped)?;
        }
        if let Some(job) = &self.put_back {
            store::put_back(tx, &job.taken)?;
        }
        if self.take {
            let job = take(app, tx, &self.webhook, self.lane, &mut stepped.exhausted)?;
            stepped.job = job.map(Arc::new);
        }
        Ok(stepped)
    }
}

fn take(
    app: &App,
    tx: &mut WriteTx,
    webhook: &WebhookId,
    lane: Lane,
    exhausted: &mut u64,
) -> Result<Option<Job>, Fault> {
    // Read before the endpoint is: what is recalled later is noticed before it is sent.
    let recalls = app.store().signals().recalls();
    let endpoint = store::load_webhook(&tx.as_read(), webhook)?;
    let Some(endpoint) = endpoint.filter(|endpoint| endpoint.disabled.is_none()) else {
        return Ok(None);
    };
    let now = tx.now();
    let mut expired = 0;
    let head = loop {
        match store::head(&tx.as_read(), webhook, lane, now)? {
            Some(head) if head.expired && expired < EXPIRED_AT_ONCE => {
                store::finish(tx, head.sequence, DeliveryState::Exhausted)?;
                expired += 1;
            }
            head => break head,
        }
    };
    *exhausted += expired as u64;
    if expired > 0 {
        log::warn!(
            "webhook {webhook}: {expired} deliveries not tried again within a week, given up"
        );
    }
    let Some(head) = head.filter(|head| !head.expired && head.due_at <= now) else {
        return Ok(None);
    };
    let (taken, frozen) = store::take(tx, head.sequence)?;
    let body = event::body(taken.id.as_str(), &frozen);
    // The receiver compares it with its own clock, so it is the clock's, also where that was stepped back.
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
    store::begin_attempt(tx, &taken, now, app.ladder().rounds(), &headers)?;
    Ok(Some(Job {
        webhook: webhook.clone(),
        url: endpoint.url,
        headers,
        body,
        taken,
        recalls,
    }))
}

fn record(app: &App, tx: &mut WriteTx, done: &Done, stepped: &mut Stepped) -> Result<(), Fault> {
    let (taken, webhook) = (&done.job.taken, &done.job.webhook);
    store::end_attempt(tx, taken, &done.result)?;
    if done.result.outcome == Outcome::Delivered {
        store::note_healthy(tx, webhook)?;
        return match store::finish_delivered(tx, taken)? {
            true => {
                stepped.delivered += 1;
                Ok(())
            }
            false => store::take_off_the_wire(tx, taken.sequence),
        };
    }
    let Some(standing) = store::standing(&tx.as_read(), taken)? else {
        return store::take_off_the_wire(tx, taken.sequence);
    };
    let failure = Failure {
        result: &done.result,
        asked_to_wait: done.asked_to_wait,
        ended_at: tx.now(),
    };
    match app.ladder().next(standing, failure, tx.mint_share()) {
        Next::Again { at, round } => {
            // Once for a delivery; the further rounds are in its log.
            if (standing.round, round) == (1, 2) {
                log::warn!("{}: {}, next try at {at}", done.job.name(), done.told());
            }
            store::try_again(tx, taken.sequence, at, round)
        }
        Next::Exhausted => {
            store::finish(tx, taken.sequence, DeliveryState::Exhausted)?;
            stepped.exhausted += 1;
            log::warn!("{}: {}, given up", done.job.name(), done.told());
            give_up_on(tx, webhook, taken.sequence)
        }
    }
}

/// Disables an endpoint that has not once been well since a delivery to it was queued.
fn give_up_on(tx: &mut WriteTx, id: &WebhookId, sequence: i64) -> Result<(), Fault> {
    let webhook = store::load_webhook(&tx.as_read(), id)?;
    let Some(webhook) = webhook.filter(|webhook| webhook.disabled.is_none()) else {
        return Ok(());
    };
    if store::tells_of_failure(&tx.as_read(), id, sequence)? {
        disable_for(tx, webhook, DisabledReason::DeliveryFailures)?;
    }
    Ok(())
}

/// Starts over after the process ended: what was on the wire is interrupted and due at once.
pub fn start_over(app: &App) -> Result<usize, Fault> {
    app.store().write(store::end_interrupted)
}

/// The lanes with anything to send, each with when its first falls due.
pub fn lanes(app: &App) -> Result<Vec<(WebhookId, Lane, Timestamp)>, Fault> {
    app.store().read(store::list_lanes)
}

/// When the next attempt falls due; `None` when nothing is to be sent.
pub fn next(app: &App) -> Result<Option<Timestamp>, Fault> {
    Ok(lanes(app)?.into_iter().map(|(_, _, due)| due).min())
}

/// The newest delivery there ever was.
pub fn newest(app: &App) -> Result<i64, Fault> {
    app.store().read(store::newest_delivery)
}

/// How many deliveries up to the newest are on the wire or due and not taken up yet.
pub fn unsettled(app: &App, newest: i64) -> Result<u64, Fault> {
    let now = app.now();
    app.store()
        .read(|tx| store::count_unsettled(tx, newest, now))
}
