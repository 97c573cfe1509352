//! Whether the server is ready, by its threads, its storage and its clock.

use super::Api;
use super::answer::{self, Outcome};
use super::operation::{Operation, operation};
use crate::actions::replica::SeenStandby;
use crate::actions::{App, DELIVERY, TIMER, replica};
use crate::domain::standby::ServerRole;
use crate::runtime::background::Watch;
use crate::runtime::heartbeat::{Heartbeat, late_after};
use crate::server::{Problem, Request};
use crate::store::{self, Access};
use crate::wire::moment::Moment;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The readiness of the server.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Readiness {
    /// Always `ready`; a server that is not ready returns 503.
    status: &'static str,
    role: ServerRole,
    /// As `GET /v1/epoch` has it.
    epoch: u64,
    /// On a standby, when the copy is from that it answers from. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    copied_at: Option<Moment>,
    /// On a standby, the age of the copy in seconds, by the clock of the standby. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_seconds: Option<f64>,
    /// The standbys that took copies in the last minutes. Only for the machine itself; absent otherwise, and if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    standbys: Option<Vec<StandbyState>>,
    /// Absent on a standby.
    #[serde(skip_serializing_if = "Option::is_none")]
    timer: Option<TimerState>,
    /// Absent on a standby.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery: Option<DeliverySide>,
    storage: StorageState,
    clock: ClockState,
}

/// A standby that takes copies of this server's database.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StandbyState {
    address: String,
    /// How old what it has is, in seconds.
    age_seconds: f64,
}

/// The system clock.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClockState {
    /// By how many seconds it was set back and has not caught up; 0 if it was not.
    behind_seconds: f64,
}

/// The storage, by what was really read and written.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StorageState {
    /// When something was last read; when the server opened the database if nothing was.
    last_read_at: Moment,
    /// When something was last written, the same.
    last_write_at: Moment,
    /// What failed last, although it works again; null if nothing has failed since the start.
    last_failure: Option<StorageFailure>,
}

/// A read or a write that the storage failed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StorageFailure {
    /// `read` or `write`.
    operation: &'static str,
    at: Moment,
    /// What was wrong, such as `the disk is full`.
    cause: &'static str,
}

/// The timer, which makes hand-overs on time.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TimerState {
    /// When it last checked for due work.
    last_tick_at: Moment,
    /// How long ago that is, in seconds.
    age_seconds: f64,
}

/// The delivery loop, which sends events to webhook endpoints.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeliverySide {
    /// When it last checked for due deliveries.
    last_look_at: Moment,
    /// How long ago that is, in seconds.
    age_seconds: f64,
    /// Deliveries that have not finished.
    pending: u64,
    /// Null if enabled endpoints have received everything. An old one does not mean that the server is not ready: an endpoint
    /// that fails is retried for days.
    oldest_undelivered: Option<OldestUndelivered>,
}

/// The oldest event with an unfinished delivery to an enabled endpoint.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OldestUndelivered {
    delivery_id: String,
    event_type: String,
    created_at: Moment,
    /// Its age, in seconds.
    age_seconds: f64,
}

pub const READINESS: Operation = operation("getReadiness", "service", "Check the server's readiness")
    .about("503 `not_ready` if the timer or the delivery loop has made no progress for 20 seconds or has failed for as long, \
        where a write takes as long, or while the server stops; also from the moment at which a read or a write fails because \
        of the storage, until one succeeds again, and where the database is damaged until the next start. Where nobody writes, \
        the server does once a minute. `detail` names what is wrong. An event that an endpoint does not take is shown and makes \
        nothing unready. A standby is ready while its copy is younger than `[standby] stale_after`.")
    .gives::<Readiness>(200, "The server is ready.")
    .refuses(&["not_ready"]);

/// GET readyz.
pub fn readiness(api: &Api, request: &Request) -> Outcome {
    let (app, runtime) = (&api.app, api.app.runtime());
    let mut late = Vec::new();
    if runtime.is_stopping() {
        late.push("the server is stopping".to_owned());
    }
    let watched = runtime.watched().into_iter();
    let watched = watched.filter(|one| one.watch == Watch::Readiness);
    late.extend(watched.filter_map(|one| problem_of(&one.heartbeat)));
    let standby = app.standby();
    let (timer, delivery) = (runtime.heartbeat(TIMER), runtime.heartbeat(DELIVERY));
    match standby {
        Some(standby) => late.extend(standby.unready()),
        None => {
            for (name, heartbeat) in [(TIMER, &timer), (DELIVERY, &delivery)] {
                late.extend(heartbeat.is_none().then(|| no_thread(name)));
            }
        }
    }
    late.extend(app.store().health().problems());
    if !late.is_empty() {
        return Err(Problem::not_ready(late.join("; ")));
    }
    let epoch = replica::epoch(app)?.number;
    let copied = standby.and_then(|standby| standby.copied());
    if let Some(copied) = copied {
        return answer::json(
            200,
            &Readiness {
                status: "ready",
                role: app.role(),
                epoch,
                copied_at: Some(copied.at.into()),
                age_seconds: Some(seconds(copied.age())),
                standbys: None,
                timer: None,
                delivery: None,
                storage: storage(app),
                clock: clock(app),
            },
        );
    }
    let queue = {
        // One at a time, so that many callers keep only one thread busy. Separate from the lock for metrics, so that readers of
        // metrics do not block this check.
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        app.store().read(store::load_queue)?
    };
    let now = app.now();
    let oldest = queue.oldest.map(|event| OldestUndelivered {
        delivery_id: event.id.to_string(),
        event_type: event.event_type,
        created_at: event.created_at.into(),
        age_seconds: now.duration_since(event.created_at).as_secs_f64().max(0.0),
    });
    let (ticked, looked) = (age(timer.as_ref()), age(delivery.as_ref()));
    answer::json(
        200,
        &Readiness {
            status: "ready",
            role: app.role(),
            epoch,
            copied_at: None,
            age_seconds: None,
            standbys: (request.client_address().is_loopback())
                .then(|| standbys(app))
                .filter(|standbys| !standbys.is_empty()),
            timer: Some(TimerState {
                last_tick_at: ago(app, ticked).into(),
                age_seconds: seconds(ticked),
            }),
            delivery: Some(DeliverySide {
                last_look_at: ago(app, looked).into(),
                age_seconds: seconds(looked),
                pending: queue.pending,
                oldest_undelivered: oldest,
            }),
            storage: storage(app),
            clock: clock(app),
        },
    )
}

fn standbys(app: &App) -> Vec<StandbyState> {
    let now = app.now();
    let state = |seen: SeenStandby| StandbyState {
        address: seen.address.to_string(),
        age_seconds: now.duration_since(seen.copied_at).as_secs_f64().max(0.0),
    };
    app.replicas().seen().into_iter().map(state).collect()
}

fn clock(app: &App) -> ClockState {
    ClockState {
        behind_seconds: seconds(app.clock().behind()),
    }
}

/// How the storage has worked.
fn storage(app: &App) -> StorageState {
    let health = Access::ALL.map(|way| (way, app.store().health().of(way)));
    let [(_, reads), (_, writes)] = &health;
    let succeeded = [reads.succeeded, writes.succeeded].map(|age| ago(app, age).into());
    let failures = health.iter().filter_map(|(way, health)| {
        let failure = health.last_failure.as_ref()?;
        Some((failure.last, way.name(), failure.cause))
    });
    let last = failures.min_by_key(|(age, ..)| *age);
    let [last_read_at, last_write_at] = succeeded;
    StorageState {
        last_read_at,
        last_write_at,
        last_failure: last.map(|(age, operation, cause)| StorageFailure {
            operation,
            at: ago(app, age).into(),
            cause,
        }),
    }
}

/// What is wrong with a thread.
fn problem_of(heartbeat: &Heartbeat) -> Option<String> {
    let name = heartbeat.name();
    let failing = heartbeat.failing_for();
    if let Some(failing) = failing.filter(|failing| *failing > late_after()) {
        let seconds = failing.as_secs();
        return Some(format!("{name}: failing for {seconds} s"));
    }
    match heartbeat.age() {
        None => Some(no_thread(name)),
        Some(age) if age > late_after() => {
            let seconds = age.as_secs();
            Some(format!("{name}: no progress for {seconds} s"))
        }
        Some(_) => None,
    }
}

fn no_thread(name: &str) -> String {
    format!("{name}: its thread is not running")
}

pub(super) fn age(heartbeat: Option<&Heartbeat>) -> Duration {
    heartbeat.and_then(Heartbeat::age).unwrap_or_default()
}

/// In seconds, with millisecond precision.
fn seconds(age: Duration) -> f64 {
    age.as_millis() as f64 / 1000.0
}

/// When something happened by the server's clock; always the same instant with a frozen clock.
pub(super) fn ago(app: &App, age: Duration) -> Timestamp {
    let now = app.clock().now();
    match app.clock().is_frozen() {
        true => now,
        false => now - Duration::from_millis(age.as_millis() as u64),
    }
}
