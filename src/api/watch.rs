//! Health and metrics of the server.

use super::Api;
use super::answer::{self, Outcome};
use super::operation::{Operation, operation};
use super::readiness::{age, ago};
use crate::actions::{Error, TIMER, backup, directory_sync};
use crate::domain::chat::PlatformState;
use crate::domain::external::Link;
use crate::domain::snapshot::{OpenSlot, Queue};
use crate::domain::zones;
use crate::metrics::{self, ChatHealth, Snapshot, StorageHealth};
use crate::server::{Body as Bytes, Problem, Request, Response};
use crate::store::{self, Access as Way, ReadTx};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{Cursor, Read};
use std::sync::{Arc, PoisonError};

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

pub const HEALTH: Operation = operation("getHealth", "service", "Check the server's health")
    .about("Whether the process responds and can read its database.")
    .gives::<Health>(200, "The server is healthy.");

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

pub const METRICS: Operation = operation("getMetrics", "service", "Metrics for Prometheus")
    .about("In the text format 0.0.4: requests, how late hand-overs were, deliveries, and who is on call. People and slots are \
        identified by their ids, rotations also by their names. Metrics that identify a rotation or a person \
        (`rota_rotation_info`, `rota_on_call`, `rota_nobody_on_call_seconds`, `rota_warnings`) need an API key with the scope \
        `read:oncall` that is not limited to some rotations; without a credential they are left out. `[metrics] access` \
        changes that: `open` shows everything to anybody, `key` refuses a request without a key.")
    .gives_text("The metrics.", metrics::MEDIA_TYPE);

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
            backed_up_at: backup::last(tx)?.map(|made| made.at),
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
    backed_up_at: Option<Timestamp>,
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
        chat: app.remote().map(|remote| ChatHealth {
            up: remote.state().0 == PlatformState::Up,
            socket_connected: remote.has_socket().then(|| remote.is_socket_connected()),
        }),
        directory_read_at: app
            .remote()
            .map(|_| state.directory_read_at.unwrap_or(Timestamp::UNIX_EPOCH)),
        backed_up_at: state.backed_up_at,
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
