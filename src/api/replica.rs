//! /v1/replica and /v1/epoch: for the standbys of this server.

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, operation};
use crate::actions::{hand_over, replica};
use crate::domain::standby::ServerRole;
use crate::server::{Body, Problem, Request, Response};
use crate::wire::moment::Moment;
use crate::wire::replica::{self as wire, ReplicaHandOver, ReplicaHandOverRequest};
use schemars::JsonSchema;
use serde::Serialize;

/// The media type of a database.
pub const MEDIA_TYPE: &str = "application/vnd.sqlite3";

/// When the answer is from, as Rota-Copied-At has it.
pub const COPIED_AT: &str = "Rota-Copied-At";

/// The epoch that the answer is from.
const EPOCH_HEADER: &str = "Rota-Epoch";

/// A client that takes less, in bytes a second, is cut off: the next copy waits for it.
const LEAST_RATE: u32 = 1_000_000;

/// Which database this is, and which of its servers is right.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EpochState {
    /// Names the database; its copies have the same. Absent on a standby without a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    database_id: Option<String>,
    /// From 1. It rises by one when a standby takes over. 0 on a standby without a copy.
    epoch: u64,
    role: ServerRole,
    /// When the epoch began. Absent on a standby without a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Moment>,
    /// Names the process that answers.
    instance: String,
}

pub const EPOCH: Operation = operation(
    "getEpoch",
    "service",
    "Read the id and the epoch of the database",
)
.about("Of two servers of one database that both write it, the one of the higher epoch is right.")
.gives::<EpochState>(200, "The id, the epoch and the role of the server.");

/// GET epoch.
pub fn epoch(api: &Api, _: &Request) -> Outcome {
    let standby = api.app.standby();
    let found = match standby.is_some_and(|standby| standby.copied().is_none()) {
        true => None,
        false => Some(replica::epoch(&api.app)?),
    };
    let state = EpochState {
        epoch: found.as_ref().map_or(0, |epoch| epoch.number),
        role: api.app.role(),
        since: found.as_ref().map(|epoch| epoch.since.into()),
        database_id: found.map(|epoch| epoch.database_id),
        instance: api.app.instance().to_owned(),
    };
    answer::json(200, &state)
}

pub const READ: Operation = operation("getReplica", "service", "Copy the database")
    .about("The whole database as one consistent file, with every secret in it. Its ETag changes with every commit; what is current \
        is answered with 304 however often it is asked for. Otherwise one copy is made at a time, and one every two seconds.")
    .gives_file("The database. `Rota-Copied-At` says when it is from, `Rota-Epoch` of which epoch.", MEDIA_TYPE)
    .or_not_modified();

/// GET replica.
pub fn read(call: &Call) -> Outcome {
    let app = call.app;
    let epoch = replica::epoch(app)?.number.to_string();
    // Before the validator is read: what is committed later is not in it.
    let now = app.now();
    let current = replica::tag(app)?;
    if let Some(unchanged) = answer::not_modified(call.if_none_match.as_deref(), &current) {
        app.replicas().note(call.address, now);
        return Ok(unchanged
            .with(COPIED_AT, now.to_string())
            .with(EPOCH_HEADER, epoch));
    }
    let taken = replica::take(app, &call.author())?;
    let (replica, tag) = taken.map_err(Problem::rate_limited)?;
    app.replicas().note(call.address, replica.copied_at);
    let copied_at = replica.copied_at.to_string();
    let size =
        usize::try_from(replica.size).map_err(|error| Problem::internal(error.to_string()))?;
    let body = Body::from_reader_and_size(replica, size);
    Ok(Response::new(200, MEDIA_TYPE, body)
        .at_least(LEAST_RATE)
        .with("ETag", tag)
        .with("Cache-Control", "no-store")
        .with(COPIED_AT, copied_at)
        .with(EPOCH_HEADER, epoch))
}

pub const HAND_OVER: Operation = operation("handOver", "service", "Hand over to a standby")
    .about("For `rota promote --planned`. Without `epoch` it ends writes and background loops, so that the standby can take a last copy; \
        reads go on. With `epoch` the server yields for good and answers as a standby. If that does not come within 10 seconds, writes \
        go on here.")
    .takes::<ReplicaHandOverRequest>()
    .gives::<ReplicaHandOver>(200, "How far the hand-over is.")
    .refuses(&["hand_over_ended"]);

/// POST hand-over.
pub fn hand_over(call: &Call) -> Outcome {
    let asked = wire::hand_over(&call.body)?;
    let to = asked.instance.as_str();
    let shown = match asked.epoch {
        None => ReplicaHandOver::waits(hand_over::begin(call.app, &call.author(), to)?),
        Some(epoch) => ReplicaHandOver::over(hand_over::finish(call.app, to, epoch)?),
    };
    answer::json(200, &shown)
}
