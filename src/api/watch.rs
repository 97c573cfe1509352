//! For whoever watches over the server: whether it lives, whether it does its work, and its metrics.

use super::Api;
use super::answer::{self, Outcome};
use super::operation::{Body, Gives, Operation, gives, shape};
use crate::actions::{App, DELIVERY, Fault, TIMER};
use crate::domain::census::{OpenPlace, Queue};
use crate::domain::zones;
use crate::metrics::{self, Snapshot};
use crate::runtime::background::Watch;
use crate::runtime::heartbeat::{Heartbeat, late_after};
use crate::server::{Body as Bytes, Problem, Request, Response};
use crate::store::{self, ReadTx};
use crate::wire::moment::Moment;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Who may read the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Anybody who reaches the server, all of them.
    Open,
    /// Anybody, without the names and ids of rotations and people; all of them with such a key.
    #[default]
    Limited,
    /// API keys that may read who is on call in every rotation.
    Key,
}

/// How much of the metrics a caller is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// All of them.
    Whole,
    /// Without what names a rotation or a person.
    WithoutNames,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How the server is.
#[derive(Serialize, JsonSchema)]
pub struct Health {
    /// Always `ok`; a server that is not well answers 503 or not at all.
    status: &'static str,
    /// Of the program.
    version: &'static str,
}

pub const HEALTH: Operation = Operation {
    id: "getHealth",
    tag: "service",
    summary: "Whether the server is well",
    about: "The process answers and can read its database.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "It is well.", shape::<Health>)],
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

/// That the server does its work.
#[derive(Serialize, JsonSchema)]
pub struct Readiness {
    /// Always `ready`; a server that is not answers 503.
    status: &'static str,
    timer: TimerState,
    delivery: DeliverySide,
}

/// The timer, which hands over on time.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TimerState {
    /// When it last looked for what is due.
    last_tick_at: Moment,
    /// How long ago that is, in seconds.
    age_seconds: f64,
}

/// The delivery side, which sends what is queued for webhook endpoints.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeliverySide {
    /// When it last looked for what is to be sent.
    last_look_at: Moment,
    /// How long ago that is, in seconds.
    age_seconds: f64,
    /// Deliveries that have not finished.
    pending: u64,
    /// Null when enabled endpoints have taken everything. One that is old is no fault of the server: an endpoint that fails
    /// is tried for days.
    oldest_undelivered: Option<OldestUndelivered>,
}

/// The oldest event that an enabled endpoint has not taken yet.
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
    summary: "Whether the server does its work",
    about: "503 `not_ready` where the timer or the delivery side has not looked for 20 seconds or has failed for as long, \
            where a write takes as long, or while the server stops; `detail` names what is wrong. An event that an endpoint \
            does not take is shown and makes nothing unready.",
    query: &[],
    body: Body::None,
    gives: &[gives(200, "It does.", shape::<Readiness>)],
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
    late.extend(watched.filter_map(|one| complaint(&one.heartbeat)));
    let (timer, delivery) = (runtime.heartbeat(TIMER), runtime.heartbeat(DELIVERY));
    for (name, heartbeat) in [(TIMER, &timer), (DELIVERY, &delivery)] {
        late.extend(heartbeat.is_none().then(|| no_thread(name)));
    }
    if !late.is_empty() {
        return Err(Problem::not_ready(late.join("; ")));
    }
    let queue = {
        // One at a time: whoever asks a thousand times keeps one thread busy. Not the pages' own lock: whoever wants those
        // must not keep others from asking this.
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
        },
    )
}

/// What is wrong with a thread.
fn complaint(heartbeat: &Heartbeat) -> Option<String> {
    let name = heartbeat.name();
    let failing = heartbeat.failing_for();
    if let Some(failing) = failing.filter(|failing| *failing > late_after()) {
        let seconds = failing.as_secs();
        return Some(format!("{name}: what it does has failed for {seconds} s"));
    }
    match heartbeat.age() {
        None => Some(no_thread(name)),
        Some(age) if age > late_after() => {
            let seconds = age.as_secs();
            Some(format!("{name}: nothing happened for {seconds} s"))
        }
        Some(_) => None,
    }
}

fn no_thread(name: &str) -> String {
    format!("{name}: its thread is not there")
}

fn age(heartbeat: Option<&Heartbeat>) -> Duration {
    heartbeat.and_then(Heartbeat::age).unwrap_or_default()
}

/// In seconds, to the millisecond.
fn seconds(age: Duration) -> f64 {
    age.as_millis() as f64 / 1000.0
}

/// When something was by the server's clock; one that stands still shows the same instant always.
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
            (`rota_rotation_info`, `rota_on_call`, `rota_nobody_on_call_seconds`) need an API key with the scope \
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

/// What is remembered from one page of metrics to the next. Whoever renders one holds it: one at a time, so that nobody
/// loads the server by asking often.
#[derive(Default)]
pub struct Remembered(
    /// What was read, and what commits had told when it was.
    Option<(u64, Census)>,
);

/// What is large and changes with commits alone.
struct Census {
    /// Rendered.
    on_call: Arc<str>,
    nobody: Vec<OpenPlace>,
    enabled: u64,
    disabled: u64,
}

impl Census {
    fn read(tx: &ReadTx) -> Result<Census, Fault> {
        let rotations = store::list_rotation_names(tx)?;
        let mut places = store::list_open_places(tx)?;
        let on_call = metrics::on_call(&rotations, &places).into();
        places.retain(|place| place.enabled && place.user.is_none());
        for place in &mut places {
            place.since = store::nobody_since(tx, place)?;
        }
        let enabled = rotations.iter().filter(|rotation| rotation.enabled).count() as u64;
        Ok(Census {
            on_call,
            nobody: places,
            enabled,
            disabled: rotations.len() as u64 - enabled,
        })
    }
}

/// GET metrics.
pub fn metrics(api: &Api, detail: Detail) -> Outcome {
    let app = &api.app;
    let mut remembered = api.page.lock().unwrap_or_else(PoisonError::into_inner);
    // Read before the census is: what a later commit changes is then read again.
    let generation = app.store().signals().generation();
    let kept = remembered.0.take().filter(|(of, _)| *of == generation);
    let (census, state) = app.store().read(|tx| -> Result<_, Fault> {
        let census = kept.map_or_else(|| Census::read(tx), |(_, census)| Ok(census))?;
        let state = State {
            queue: store::load_queue(tx)?,
            next_due: store::next_due(tx)?,
            database_bytes: store::database_bytes(tx)?,
        };
        Ok((census, state))
    })?;
    let head = render(api, &census, &state, detail);
    let on_call = match detail {
        Detail::Whole => Arc::clone(&census.on_call),
        Detail::WithoutNames => Arc::default(),
    };
    remembered.0 = Some((generation, census));
    drop(remembered);
    let size = head.len() + on_call.len();
    let body = Cursor::new(head).chain(Cursor::new(Text(on_call)));
    let body = Bytes::from_reader_and_size(body, size);
    Ok(Response::new(200, metrics::MEDIA_TYPE, body))
}

/// Bytes of a text that many answers share.
struct Text(Arc<str>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// What is small and read anew for each page.
struct State {
    queue: Queue,
    /// The earliest instant at which anything falls due in a rotation.
    next_due: Option<Timestamp>,
    database_bytes: u64,
}

fn render(api: &Api, census: &Census, state: &State, detail: Detail) -> String {
    let app = &api.app;
    let schema = store::schema_version().to_string();
    app.metrics().render(&Snapshot {
        now: app.now(),
        queue: &state.queue,
        next_due: state.next_due,
        nobody: &census.nobody,
        names: detail == Detail::Whole,
        enabled_rotations: census.enabled,
        disabled_rotations: census.disabled,
        database_bytes: state.database_bytes,
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
