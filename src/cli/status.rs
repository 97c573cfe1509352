//! `rota status`: whether the server is up, what is due, what waits, and what is wrong. Changes nothing.

use super::outgoing::LISTEN;
use super::output::{answer, answer_json, printable};
use super::workspace::{database, development_clock, parse_clock, settings};
use super::{Failure, Place};
use crate::actions::status;
use crate::client::{Client, Limits, Request, Tls, Trust};
use crate::config::Config;
use crate::runtime::clock::Clock;
use crate::store::{self, Error, Inspection, Lock, ReadTx};
use clap::Args;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

const EXAMPLES: &str = "\
The server is found by the lock beside the database, else by `listen`. Exit code 0 if it is ready, 1 if it is not.

Examples:
  rota status
  rota status --config /etc/rota/rota.toml
  rota status --json | jq .wrong";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is asked of the server may take this long.
const PATIENCE: Duration = Duration::from_secs(5);

/// From how many seconds on it is wrong that the system clock was set back.
const CLOCK_BEHIND: f64 = 60.0;

/// How many rotations are named of those in which nobody is on call.
const NAMED: usize = 5;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    ready: bool,
    server: Server,
    database: String,
    /// `None` where the database cannot be read.
    work: Option<Work>,
    wrong: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Server {
    state: State,
    /// Where it answers.
    url: Option<String>,
    /// Who holds the lock, as they signed it.
    holder: Option<String>,
    /// What it says of itself, or why it does not answer.
    detail: Option<String>,
    /// The last read or write that the storage failed since the start, although it works again.
    last_failure: Option<LastFailure>,
    /// By how many seconds the system clock was set back, as the server has seen.
    clock_behind_seconds: Option<f64>,
    #[serde(flatten)]
    part: Part,
}

/// What the server is to its database, as it says.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Part {
    /// `primary` or `standby`.
    role: Option<String>,
    epoch: Option<u64>,
    /// When the copy of a standby is from, and how old it is.
    copied_at: Option<String>,
    age_seconds: Option<f64>,
    /// The standbys that took copies lately.
    standbys: Vec<Standby>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Standby {
    address: String,
    /// How old what it has is.
    age_seconds: f64,
}

/// What the server says that its storage failed last.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LastFailure {
    /// `read` or `write`.
    operation: String,
    at: String,
    cause: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum State {
    Ready,
    NotReady,
    /// It holds the lock and has not begun to listen.
    Starting,
    /// It holds the lock and does not answer.
    Silent,
    /// A command holds the lock.
    Restoring,
    Down,
}

/// What the database says.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Work {
    /// Rotations with something due that has not been done.
    overdue: u64,
    next_due_at: Option<String>,
    pending_deliveries: u64,
    oldest_delivery: Option<Waiting>,
    pending_messages: u64,
    enabled_endpoints: u64,
    disabled_endpoints: u64,
    /// Slots in which nobody is on call although somebody should be.
    nobody_on_call: usize,
    /// The last copy by `rota backup --into`.
    last_backup: Option<LastBackup>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LastBackup {
    at: String,
    file: String,
    bytes: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Waiting {
    delivery_id: String,
    event_type: String,
    created_at: String,
}

/// Looks and prints; fails where the server is not ready.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let config = settings(place)?;
    let path = database(&config)?;
    let status = look(&config, &path)?;
    if flags.json {
        let text = serde_json::to_string_pretty(&status).map_err(|error| error.to_string())?;
        answer_json(&text)?;
    } else {
        answer(&lines(&status).join("\n"))?;
    }
    match status.ready {
        true => Ok(()),
        false => Err(Failure::Failed("the server is not ready".into())),
    }
}

fn look(config: &Config, path: &Path) -> Result<Status, Failure> {
    let mut wrong = Vec::new();
    let holder = Lock::holder(path).unwrap_or_else(|why| {
        wrong.push(why);
        None
    });
    let server = server(config, path, holder)?;
    if server.state != State::Ready {
        let url = server.url.iter().map(|url| format!(" at {url}"));
        let detail = server.detail.iter().map(|detail| format!(": {detail}"));
        let rest: String = url.chain(detail).collect();
        wrong.push(format!("the server {}{rest}", server.state.words()));
    }
    if let Some(behind) = server.clock_behind_seconds.filter(|it| *it >= CLOCK_BEHIND) {
        wrong.push(format!(
            "the system clock was set back and is {behind:.0} s behind what the server has seen; hand-overs and retries wait for as long"
        ));
    }
    let work = match read(path) {
        Ok((work, complaints)) => {
            wrong.extend(complaints);
            Some(work)
        }
        Err(why) => {
            wrong.push(why);
            None
        }
    };
    Ok(Status {
        ready: server.state == State::Ready,
        server,
        database: path.display().to_string(),
        work,
        wrong,
    })
}

/// Finds the server and asks whether it is ready.
fn server(config: &Config, path: &Path, holder: Option<String>) -> Result<Server, Failure> {
    let Some(holder) = holder else {
        let url = listening_at(config);
        let found = match url.as_deref().map(ask).transpose()?.flatten() {
            Some(answer) if answer.state == State::Ready => ServerStatus {
                detail: Some(format!("it does not use {}", path.display())),
                ..answer
            },
            Some(found) => found,
            None => ServerStatus::of(State::Down, Some("`rota serve` starts it".into())),
        };
        let url = url.filter(|_| found.state != State::Down);
        return Ok(found.server(url, None));
    };
    let url = holder.split_once(" at ").map(|(_, url)| url.to_owned());
    let silent = || ServerStatus::of(State::Silent, Some("it does not answer".into()));
    let found = match &url {
        Some(url) => ask(url)?.unwrap_or_else(silent),
        None if holder.starts_with("process ") => ServerStatus::of(State::Starting, None),
        None => ServerStatus::of(State::Restoring, Some(holder.clone())),
    };
    Ok(found.server(url, Some(holder)))
}

/// What is known of a server once it was asked.
struct ServerStatus {
    state: State,
    detail: Option<String>,
    last_failure: Option<LastFailure>,
    clock_behind_seconds: Option<f64>,
    part: Part,
}

impl ServerStatus {
    fn of(state: State, detail: Option<String>) -> ServerStatus {
        ServerStatus {
            state,
            detail,
            last_failure: None,
            clock_behind_seconds: None,
            part: Part::default(),
        }
    }

    fn server(self, url: Option<String>, holder: Option<String>) -> Server {
        Server {
            state: self.state,
            url,
            holder,
            detail: self.detail,
            last_failure: self.last_failure,
            clock_behind_seconds: self.clock_behind_seconds,
            part: self.part,
        }
    }
}

/// The address of the settings as a URL on this machine; `None` where the system picks the port.
fn listening_at(config: &Config) -> Option<String> {
    let listen = config.listen.as_ref();
    let listen = listen.map_or(LISTEN.to_owned(), ToString::to_string);
    match listen.parse::<SocketAddr>() {
        Ok(address) if address.port() == 0 => None,
        Ok(address) => Some(super::host::url(address)),
        Err(_) => Some(format!("http://{listen}")),
    }
}

/// What a server says of itself; `None` where none of ours answers.
fn ask(url: &str) -> Result<Option<ServerStatus>, Failure> {
    let tls = Tls::load(Trust::Bundled, None)?;
    let url = format!("{url}/readyz");
    let request = Request::get(&url).within(Limits {
        total: PATIENCE,
        body_bytes: 64 * 1024,
        ..Limits::default()
    });
    let Ok(response) = Client::new(&tls, true, None).send(&request) else {
        return Ok(None);
    };
    let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let text = |name: &str| body[name].as_str().map(str::to_owned);
    Ok(match (response.status, text("status"), text("code")) {
        (200, Some(status), _) if status == "ready" => Some(ServerStatus {
            // An older server does not say.
            last_failure: LastFailure::deserialize(&body["storage"]["lastFailure"]).ok(),
            clock_behind_seconds: body["clock"]["behindSeconds"].as_f64(),
            part: Part::deserialize(&body).unwrap_or_default(),
            ..ServerStatus::of(State::Ready, None)
        }),
        (503, _, Some(_)) => Some(ServerStatus::of(State::NotReady, text("detail"))),
        _ => None,
    })
}

impl State {
    /// What the server is or does.
    fn words(self) -> &'static str {
        match self {
            State::Ready => "is ready",
            State::NotReady => "is not ready",
            State::Starting => "is starting",
            State::Silent => "is silent",
            State::Restoring => "is stopped, the database is being restored",
            State::Down => "is down",
        }
    }
}

/// What is due and what waits, and what is wrong with it.
fn read(path: &Path) -> Result<(Work, Vec<String>), String> {
    if !path.exists() {
        return Err(store::missing_database(path));
    }
    let database = Inspection::open(path)?;
    if let Some(why) = database.unready() {
        return Err(format!("{}: {why}", path.display()));
    }
    let clock = database.read(development_clock)?;
    let clock = parse_clock(clock).map_err(|failure| match failure {
        Failure::Usage(sentence) | Failure::Failed(sentence) => sentence,
    })?;
    let now = clock.unwrap_or_else(|| Clock::system().now());
    database.read(|tx| work(tx, now))
}

fn work(tx: &ReadTx, now: Timestamp) -> Result<(Work, Vec<String>), Error> {
    let mut wrong = Vec::new();
    let found = status::read(tx, now)?;
    let overdue = found.overdue;
    if let Some(since) = found.late_since() {
        wrong.push(format!(
            "{overdue} rotations wait for what has been due since {since}; a running server does it"
        ));
    }
    if let Some(oldest) = found.undelivered() {
        wrong.push(format!(
            "a webhook endpoint has not taken {} ({}) since {}",
            oldest.event_type, oldest.id, oldest.created_at
        ));
    }
    for id in found.nobody_in.iter().take(NAMED) {
        let rotation = store::load_rotation(tx, id)?;
        let name = rotation.map(|rotation| rotation.profile.name);
        let name = name.unwrap_or_default();
        wrong.push(format!("nobody is on call in {} ({id})", printable(&name)));
    }
    if found.nobody_in.len() > NAMED {
        let more = found.nobody_in.len() - NAMED;
        wrong.push(format!("nobody is on call in {more} more rotations"));
    }
    let queue = found.queue;
    let oldest = queue.oldest.map(|oldest| Waiting {
        delivery_id: oldest.id.to_string(),
        event_type: oldest.event_type,
        created_at: oldest.created_at.to_string(),
    });
    let work = Work {
        overdue,
        next_due_at: found.next_due.map(|next| next.to_string()),
        pending_deliveries: queue.pending,
        oldest_delivery: oldest,
        pending_messages: queue.messages,
        enabled_endpoints: queue.enabled_endpoints,
        disabled_endpoints: queue.disabled_endpoints,
        nobody_on_call: found.open_slots,
        last_backup: found.last_backup.map(|made| LastBackup {
            at: made.at.to_string(),
            file: made.file,
            bytes: made.bytes,
        }),
    };
    Ok((work, wrong))
}

/// The status for people, a line each.
fn lines(status: &Status) -> Vec<String> {
    let server = &status.server;
    let url = server.url.iter().map(|url| format!(" at {url}"));
    let state = server.state.words();
    let state = state.strip_prefix("is ").unwrap_or(state);
    let holder = server.holder.as_deref().unwrap_or_default();
    let process = holder.split(" at ").next().unwrap_or_default();
    let process = (!process.is_empty()).then(|| format!(" ({process})"));
    let mut lines = vec![
        format!(
            "server      {state}{}{}",
            url.collect::<String>(),
            process.unwrap_or_default()
        ),
        format!("database    {}", status.database),
    ];
    if let (Some(role), Some(epoch)) = (&server.part.role, server.part.epoch) {
        let copied = server.part.copied_at.iter().zip(server.part.age_seconds);
        let copied = copied.map(|(at, age)| format!(", its copy of {at} is {age:.0} s old"));
        lines.push(format!(
            "role        {role} of epoch {epoch}{}",
            copied.collect::<String>()
        ));
    }
    for standby in &server.part.standbys {
        let (address, age) = (&standby.address, standby.age_seconds);
        lines.push(format!(
            "standby     {address}, with what is {age:.0} s old"
        ));
    }
    if let Some(work) = &status.work {
        let next = match &work.next_due_at {
            Some(next) => format!("next at {next}"),
            None => "nothing to come".into(),
        };
        lines.push(match work.overdue {
            0 => format!("due         nothing is overdue, {next}"),
            count => format!("due         {count} rotations are overdue, {next}"),
        });
        let oldest = work.oldest_delivery.iter();
        let oldest =
            oldest.map(|one| format!(", the oldest {} of {}", one.event_type, one.created_at));
        lines.push(format!(
            "deliveries  {} waiting{}; {} endpoints enabled, {} disabled",
            work.pending_deliveries,
            oldest.collect::<String>(),
            work.enabled_endpoints,
            work.disabled_endpoints
        ));
        lines.push(format!("messages    {} waiting", work.pending_messages));
        lines.push(match &work.last_backup {
            Some(made) => format!(
                "backup      {} to {}, {} bytes",
                made.at, made.file, made.bytes
            ),
            None => "backup      none by `rota backup --into`".into(),
        });
    }
    if let Some(last) = &server.last_failure {
        lines.push(format!(
            "last fault  a {} at {}: {}",
            last.operation, last.at, last.cause
        ));
    }
    match status.wrong.is_empty() {
        true => lines.push("wrong       nothing".into()),
        false => lines.extend(status.wrong.iter().map(|why| format!("wrong       {why}"))),
    }
    if let (State::Ready, Some(note)) = (server.state, &server.detail) {
        lines.push(format!("note        {note}"));
    }
    lines
}
