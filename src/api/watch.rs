//! Health, readiness and metrics of the server.

use super::Api;
use super::answer::{self, Outcome};
use super::operation::{Body, Gives, Operation, gives, shape};
use crate::actions::{App, DELIVERY, Error, TIMER, directory_sync};
use crate::domain::chat::PlatformState;
use crate::domain::linked::Link;
use crate::domain::snapshot::{OpenSlot, Queue};
use crate::domain::zones;
use crate::metrics::{self, ChatHealth, Snapshot, StorageHealth};
use crate::runtime::background::Watch;
use crate::runtime::heartbeat::{Heartbeat, late_after};
use crate::server::{Body as Bytes, Problem, Request, Response};
use crate::store::{self, Access as Way, ReadTx};
use crate::wire::moment::Moment;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Who may read metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Everyone, with all metrics.
    Open,
    /// Everyone, without names and ids of rotations and people; all metrics with such a key.
    #[default]
    Limited,
    /// API keys that may read who is on call in every rotation.
    Key,
}

/// The detail of metrics for a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// All metrics.
    Whole,
    /// Without names and ids of rotations and people.
    WithoutNames,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The health of the server.
#[derive(Serialize, JsonSchema)]
pub struct Health {
    /// Always `ok`; an unhealthy server returns 503 or does not respond.
    status: &'static str,
    /// The version of the program.
    version: &'static str,
}

pub const HEALTH: Operation = Operation {
    id: "getHealth",
    tag: "service",
    summary: "Check the server's health",
    about: "Whether the process responds and can read its database.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "The server is healthy.", shape::<Health>)],
    refuses: &[],
};

/// GET healthz.
pub fn health(api: &Api, _: &Request) -> Outcome {
    let read = api.app.store().read(store::load_team);
    read.map_err(Problem::unavailable)?;
    let health = Health {
        status: "ok",
        version: VERSION,
    };
    answer::json(200, &health)
}

/// The readiness of the server.
#[derive(Serialize, JsonSchema)]
pub struct Readiness {
    /// Always `ready`; a server that is not ready returns 503.
    status: &'static str,
    timer: TimerState,
    delivery: DeliverySide,
    storage: StorageState,
    clock: ClockState,
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

pub const READINESS: Operation = Operation {
    id: "getReadiness",
    tag: "service",
    summary: "Check the server's readiness",
    about: "503 `not_ready` if the timer or the delivery loop has made no progress for 20 seconds or has failed for as long, \
            where a write takes as long, or while the server stops; also from the moment at which a read or a write fails because \
            of the storage, until one succeeds again, and where the database is damaged until the next start. Where nobody writes, \
            the server does once a minute. `detail` names what is wrong. An event that an endpoint does not take is shown and makes \
            nothing unready.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "The server is ready.", shape::<Readiness>)],
    refuses: &[(503, "not_ready")],
};

/// GET readyz.
pub fn readiness(api: &Api, _: &Request) -> Outcome {
    let (app, runtime) = (&api.app, api.app.runtime());
    let mut late = Vec::new();
    if runtime.is_stopping() {
        late.push("the server is stopping".to_owned());
    }
    let watched = runtime.watched().into_iter();
    let watched = watched.filter(|one| one.watch == Watch::Readiness);
    late.extend(watched.filter_map(|one| problem_of(&one.heartbeat)));
    let (timer, delivery) = (runtime.heartbeat(TIMER), runtime.heartbeat(DELIVERY));
    for (name, heartbeat) in [(TIMER, &timer), (DELIVERY, &delivery)] {
        late.extend(heartbeat.is_none().then(|| no_thread(name)));
    }
    late.extend(app.store().health().problems());
    if !late.is_empty() {
        return Err(Problem::not_ready(late.join("; ")));
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
            timer: TimerState {
                last_tick_at: ago(app, ticked).into(),
                age_seconds: seconds(ticked),
            },
            delivery: DeliverySide {
                last_look_at: ago(app, looked).into(),
                age_seconds: seconds(looked),
                pending: queue.pending,
                oldest_undelivered: oldest,
            },
            storage: storage(app),
            clock: ClockState {
                behind_seconds: seconds(app.clock().behind()),
            },
        },
    )
}

/// How the storage has worked.
fn storage(app: &App) -> StorageState {
    let health = Way::ALL.map(|way| (way, app.store().health().of(way)));
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

fn age(heartbeat: Option<&Heartbeat>) -> Duration {
    heartbeat.and_then(Heartbeat::age).unwrap_or_default()
}

/// In seconds, with millisecond precision.
fn seconds(age: Duration) -> f64 {
    age.as_millis() as f64 / 1000.0
}

/// When something happened by the server's clock; always the same instant with a frozen clock.
fn ago(app: &App, age: Duration) -> Timestamp {
    let now = app.clock().now();
    match app.clock().is_frozen() {
        true => now,
        false => now - Duration::from_millis(age.as_millis() as u64),
    }
}

pub const METRICS: Operation = Operation {
    id: "getMetrics",
    tag: "service",
    summary: "Metrics for Prometheus",
    about: "In the text format 0.0.4: requests, how late hand-overs were, deliveries, and who is on call. People and slots are \
            identified by their ids, rotations also by their names. Metrics that identify a rotation or a person \
            (`rota_rotation_info`, `rota_on_call`, `rota_nobody_on_call_seconds`, `rota_warnings`) need an API key with the scope \
            `read:oncall` that is not limited to some rotations; without a credential they are left out. `[metrics] access` \
            changes that: `open` shows everything to anybody, `key` refuses a request without a key.",
    query: &[],
    body: Body::None,
    gives: &[Gives {
        status: 200,
        about: "The metrics.",
        shape: Some(shape::<String>),
        headers: &[],
        media_type: metrics::MEDIA_TYPE,
    }],
    refuses: &[],
};

/// The cache of metrics. The lock is held while a page is rendered: one at a time, so that frequent requests do not
/// overload the server.
#[derive(Default)]
pub struct MetricsCache(
    /// The cached snapshot and its commit generation.
    Option<(u64, KeptSnapshot)>,
);

/// The large parts, which change only with commits.
struct KeptSnapshot {
    /// Rendered metrics.
    on_call: Arc<str>,
    nobody: Vec<OpenSlot>,
    enabled: u64,
    disabled: u64,
}

impl KeptSnapshot {
    fn read(tx: &ReadTx) -> Result<KeptSnapshot, Error> {
        let rotations = store::list_rotation_names(tx)?;
        let mut slots = store::list_open_slots(tx)?;
        let on_call = metrics::on_call(&rotations, &slots).into();
        slots.retain(|slot| slot.enabled && slot.user.is_none());
        for slot in &mut slots {
            slot.since = store::nobody_since(tx, slot)?;
        }
        let enabled = rotations.iter().filter(|rotation| rotation.enabled).count() as u64;
        Ok(KeptSnapshot {
            on_call,
            nobody: slots,
            enabled,
            disabled: rotations.len() as u64 - enabled,
        })
    }
}

/// GET metrics.
pub fn metrics(api: &Api, detail: Detail) -> Outcome {
    let app = &api.app;
    let mut cache = api.page.lock().unwrap_or_else(PoisonError::into_inner);
    // Read before the snapshot, so that a later commit invalidates it.
    let generation = app.store().signals().generation();
    let kept = cache.0.take().filter(|(of, _)| *of == generation);
    let (snapshot, state) = app.store().read(|tx| -> Result<_, Error> {
        let snapshot = kept.map_or_else(|| KeptSnapshot::read(tx), |(_, snapshot)| Ok(snapshot))?;
        let state = State {
            queue: store::load_queue(tx)?,
            next_due: store::next_due(tx)?,
            readings: store::list_readings(tx)?,
            database_bytes: store::database_bytes(tx)?,
            directory_read_at: directory_sync::status(tx)?.last_read_at,
        };
        Ok((snapshot, state))
    })?;
    let head = render(api, &snapshot, &state, detail);
    let on_call = match detail {
        Detail::Whole => Arc::clone(&snapshot.on_call),
        Detail::WithoutNames => Arc::default(),
    };
    cache.0 = Some((generation, snapshot));
    drop(cache);
    let size = head.len() + on_call.len();
    let body = Cursor::new(head).chain(Cursor::new(Text(on_call)));
    let body = Bytes::from_reader_and_size(body, size);
    Ok(Response::new(200, metrics::MEDIA_TYPE, body))
}

/// A text shared by many responses.
struct Text(Arc<str>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// The small parts, read again for each page.
struct State {
    queue: Queue,
    /// The earliest due instant of all rotations.
    next_due: Option<Timestamp>,
    /// When each linked schedule of a partner was last read.
    readings: Vec<(Link, Option<Timestamp>)>,
    database_bytes: u64,
    directory_read_at: Option<Timestamp>,
}

fn render(api: &Api, snapshot: &KeptSnapshot, state: &State, detail: Detail) -> String {
    let app = &api.app;
    let schema = store::schema_version().to_string();
    let warnings = match detail {
        Detail::Whole => app.warned().counted(),
        Detail::WithoutNames => Arc::default(),
    };
    let storage = Way::ALL.map(|way| {
        let health = app.store().health().of(way);
        StorageHealth {
            operation: way.name(),
            works: health.failing().is_none(),
            last_success: ago(app, health.succeeded),
            failures: health.failures,
        }
    });
    app.metrics().render(&Snapshot {
        now: app.now(),
        storage: &storage,
        clock_behind: app.clock().behind(),
        queue: &state.queue,
        next_due: state.next_due,
        nobody: &snapshot.nobody,
        readings: &state.readings,
        warnings: &warnings,
        names: detail == Detail::Whole,
        enabled_rotations: snapshot.enabled,
        disabled_rotations: snapshot.disabled,
        database_bytes: state.database_bytes,
        chat: app.slack().map(|slack| ChatHealth {
            up: slack.state().0 == PlatformState::Up,
            socket_connected: (slack.settings().app_token.as_ref())
                .map(|_| slack.is_socket_connected()),
        }),
        directory_read_at: app
            .slack()
            .map(|_| state.directory_read_at.unwrap_or(Timestamp::UNIX_EPOCH)),
        started_at: api.started_at,
        last_tick: ago(app, age(app.runtime().heartbeat(TIMER).as_ref())),
        build: &[
            ("version", VERSION),
            ("tzdata", zones::tzdata_version()),
            ("sqlite", store::sqlite_version()),
            ("schema", &schema),
        ],
    })
}
