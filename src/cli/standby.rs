//! `rota standby`: answers from copies of another server's database, and takes over when it is told to.

use super::Failure;
use super::host::{Change, Host};
use super::operator::operator;
use super::outgoing::{Receivers, outward, trusted};
use super::part::{Address, Copies, Part};
use super::run::{EdgeParts, LOOP_GRACE, end_of, requests, rules, supervise};
use super::signals::Signals;
use super::workspace::{database, days};
use crate::actions::promotion;
use crate::actions::standby::Standby;
use crate::actions::{App, Outward};
use crate::api;
use crate::cli::notify::Manager;
use crate::client::Client;
use crate::config::Config;
use crate::memory;
use crate::runtime::background::{LoopSpec, POLL, StopFlag, Watch, stop_all};
use crate::runtime::clock::{Clock, real_time};
use crate::runtime::heartbeat::Heartbeat;
use crate::runtime::supervisor::StopServer;
use crate::runtime::wakeup::Wakeup;
use crate::server::room::RequestBudget;
use crate::server::{Dispatch, Gate, Header, Problem, Request, Service};
use crate::slack_inbound::RequestUrls;
use crate::standby::copying::Copying;
use crate::standby::peers::{self, Peer};
use crate::standby::{Settings, Source};
use crate::store::{
    Epoch, Inspection, Lock, Marker, Promotion, Stage, Store, WorkingCopy, find_epoch, load_marker,
    load_promotion, remove_marker, remove_promotion, save_marker, set_epoch_aside,
};
use clap::Args;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

const EXAMPLES: &str = "\
[standby] in the config file says where the first server is. Everything that only reads is answered here too, for now; changes are
made at the first server. `rota promote` lets it take over.

Examples:
  rota standby
  rota standby --config /etc/rota/rota.toml";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    #[command(flatten)]
    pub address: Address,
}

/// What the database that is there makes of the standby.
pub fn begin(config: &Config, settings: Settings) -> Result<Part, Failure> {
    let db = database(config)?;
    let is_own = db.exists() && load_marker(&db)?.is_none();
    if !is_own || matches!(settings.source, Source::File { .. }) {
        return Ok(Part::Standby(None, Copies::Taken(settings)));
    }
    let lock = Lock::take(&db)?;
    let own = Inspection::open(&db)?.read(find_epoch)?;
    let client = Client::new(&trusted(config)?, true, None);
    let answered = peers::ask_all(&client, &settings.servers());
    let answered: Vec<Peer> = answered.into_iter().flatten().collect();
    let id = own.as_ref().map(|own| own.database_id.as_str());
    let first = peers::primary(&answered, id);
    if let (Some(own), Some(first)) = (&own, first)
        && first.epoch > own.number
    {
        let aside = set_epoch_aside(&db, own.number, real_time())?;
        log::warn!(
            "{}: {} writes this database in epoch {}; what is here is kept as {}",
            db.display(),
            first.url,
            first.epoch,
            aside.display()
        );
        drop(lock);
        return Ok(Part::Standby(None, Copies::Taken(settings)));
    }
    if own.as_ref().is_some_and(was_promoted) {
        log::info!("{}: it was promoted; serving it", db.display());
        drop(lock);
        return Ok(Part::Primary(None));
    }
    Err(Failure::Usage(format!(
        "{}: it is no copy of {}, which does not write it in a later epoch; move it away, or run `rota serve`",
        db.display(),
        settings.first()
    )))
}

/// Whether the epoch of a database began with a promotion.
fn was_promoted(epoch: &Epoch) -> bool {
    epoch.number > 1
}

/// Marks a database that another server writes now.
pub fn give_way(db: &Path, peer: &Peer) -> Result<Copies, Failure> {
    let marker = Marker {
        first: peer.url.clone(),
        copied_at: real_time(),
        epoch: peer.epoch,
        is_copy: false,
    };
    save_marker(db, &marker)?;
    Ok(Copies::Ended(peer.url.clone()))
}

/// Answers from copies until the process is stopped or takes over.
pub fn serve(
    config: &Config,
    signals: &Signals,
    db: &Path,
    held: Option<(Host, Lock)>,
    copies: Copies,
) -> Result<Part, Failure> {
    let mut login = config.login().map_err(Failure::Usage)?;
    // A provider would be asked, and a session of it is written.
    login.provider = None;
    let calendar = days(config)?;
    let tls = trusted(config)?;
    let outward = outward(String::new(), config, &tls, Receivers::Public)?;
    let manager = Arc::new(Manager::from_environment());
    let (mut host, mut lock) = match held {
        Some(held) => held,
        None => {
            let lock = Lock::take(db)?;
            (Host::bind(config)?, lock)
        }
    };
    lock.sign(&format!("process {} at {}", std::process::id(), host.url()))?;
    WorkingCopy::remove_left(db)?;
    let (first, mut hosts) = match &copies {
        Copies::Taken(settings) => (settings.first().to_owned(), settings.servers()),
        Copies::Ended(first) => (first.clone(), vec![first.clone()]),
    };
    hosts.extend(config.peers());
    let base_url = config.base_url.as_ref();
    let base_url = base_url.map_or_else(|| host.url(), ToString::to_string);
    let rules = rules(&calendar, outward.reminder_before);
    let outward = Outward {
        base_url,
        ..outward
    };
    let clock = Arc::new(Clock::system());
    let limits = config.plan.tier_limits();
    let standby = Arc::new(Standby::new(&first, hosts, config.stale_after()));
    let nothing =
        Store::open_working_copy(WorkingCopy::empty(db)?, Arc::clone(&clock), real_time())?;
    let nothing = nothing.read_only(Arc::clone(standby.first()));
    let app = App::new(nothing, calendar, clock, limits, outward);
    let app = app.with_standby(Arc::clone(&standby));
    let app = match config.slack().map_err(Failure::Usage)? {
        Some(settings) => app.with_slack(settings, &tls),
        None => app,
    };
    let runtime = Arc::clone(app.runtime());
    let rate = requests(config.rate_limit, api::Limits::default());
    let parts = EdgeParts::new(config, login, rate, &host, &RequestBudget::default(), &tls);
    let stop_server: StopServer = {
        let (stopper, runtime, manager) =
            (host.stopper(), Arc::clone(&runtime), Arc::clone(&manager));
        Arc::new(move || {
            runtime.begin_stop();
            manager.stopping();
            stopper.stop();
        })
    };
    let stop_at_signal = Arc::clone(&stop_server);
    signals.on_stop(move || stop_at_signal());
    // A server that gave way goes on answering from its last state until it is opened as a copy.
    let opened = Arc::new(Mutex::new(None::<Arc<dyn Service>>));
    let switch = match &copies {
        Copies::Taken(_) => Some(host.answer(answering(&parts, &app))?),
        Copies::Ended(_) => None,
    };
    let settings = match copies {
        Copies::Taken(settings) => settings,
        Copies::Ended(first) => Settings {
            source: Source::File { written_at: first },
            every: POLL,
            stale_after: config.stale_after(),
            peers: Vec::new(),
        },
    };
    let (kept, put) = (Arc::clone(&opened), switch.clone());
    let copier = Arc::clone(&standby);
    let copies_wakeup = Wakeup::default();
    let copying = Copying {
        settings,
        client: Client::new(&tls, true, None),
        database: db.to_owned(),
        app: app.clone(),
        standby: copier,
        rules,
        operator: operator("standby"),
        limits,
        wakeup: copies_wakeup.clone(),
        serve: Box::new(move |app| {
            let service = answering(&parts, &app);
            match &put {
                Some(switch) => switch.set(service),
                None => *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(service),
            }
        }),
    };
    log::info!("standing by at http://{}", host.address());
    let started = match switch {
        Some(_) => copying.start(),
        None => copying.answer_from_own(),
    };
    let mut loops = started.map_err(|error| format!("the standby: {error}"))?;
    if let Some(service) = opened.lock().unwrap_or_else(PoisonError::into_inner).take() {
        host.answer(service)?;
    }
    loops.push(watch_for_promotion(&app, db, &host, copies_wakeup)?);
    runtime.watch(host.heartbeat(), Watch::Liveness);
    let supervisor = supervise(&app, Heartbeat::new("storage"), &manager, stop_server)?;
    memory::release_program();
    manager.ready(&format!("standing by at http://{}", host.address()));
    // The server that it was may have found the other one twice.
    let change = loop {
        match host.wait() {
            Change::GaveWay(_) => {}
            change => break change,
        }
    };
    let was_asked = runtime.is_stopping();
    runtime.begin_stop();
    standby.end();
    stop_all(loops, LOOP_GRACE);
    let cause = supervisor.stop();
    if let Change::Promoted = change {
        take_over(db)?;
        return Ok(Part::Primary(Some((host, lock))));
    }
    let ended = crate::runtime::supervisor::Cause::Thread("accept loop");
    end_of(cause.or((!was_asked).then_some(ended)))?;
    log::info!("stopped");
    Ok(Part::Over)
}

/// What answers from a state.
fn answering(parts: &EdgeParts, app: &App) -> Arc<dyn Service> {
    let now = app.clone();
    let mut edges = parts.edges(app);
    edges.push(Box::new(RequestUrls::of_standby(app)));
    let dispatch = Dispatch::new(app.metrics(), edges, move || now.clock().now());
    Arc::new(dispatch.behind(Box::new(StandbyGate(app.clone()))))
}

/// What holds for every request of a standby.
struct StandbyGate(App);

/// What is answered without a copy.
const ALWAYS: [&str; 2] = ["/healthz", "/v1/epoch"];

impl Gate for StandbyGate {
    fn admit(&self, request: &Request) -> Result<(), Problem> {
        let path = request.target().split('?').next().unwrap_or_default();
        let standby = self.0.standby();
        let is_empty = standby.is_some_and(|standby| standby.copied().is_none());
        match is_empty && !ALWAYS.contains(&path) {
            true => {
                let why = standby.and_then(|standby| standby.unready());
                Err(Problem::not_ready(why.unwrap_or_default()))
            }
            false => Ok(()),
        }
    }

    fn stamp(&self) -> Option<Header> {
        let copied = self.0.standby()?.copied()?;
        Some(("Rota-Copied-At".into(), copied.at.to_string().into()))
    }
}

/// Waits for `rota promote`.
fn watch_for_promotion(
    app: &App,
    db: &Path,
    host: &Host,
    copies: Wakeup,
) -> Result<crate::runtime::background::LoopThread, Failure> {
    let (database, changes) = (db.to_owned(), host.changes());
    let spec = LoopSpec {
        name: "standby: promotion",
        wakeup: Wakeup::default(),
        stop: StopFlag::default(),
        watch: Watch::Liveness,
    };
    let mut is_told = false;
    let started = app.runtime().start(spec, move |_| -> Result<_, String> {
        match load_promotion(&database)?.map(|promotion| promotion.stage) {
            Some(Stage::Now) if !is_told => {
                is_told = true;
                log::info!("promoted: this standby takes over");
                // Without a receiver the process is ending.
                drop(changes.send(Change::Promoted));
            }
            Some(Stage::Planned) => copies.wake(),
            _ => {}
        }
        Ok(POLL)
    });
    Ok(started.map_err(|error| format!("the standby: {error}"))?)
}

/// Makes the copy the database: its epoch begins, and from then on it is no copy. Interrupted, it is done again.
pub fn take_over(db: &Path) -> Result<(), Failure> {
    let Some(promotion) = load_promotion(db)? else {
        return Ok(());
    };
    begin_epoch(db, &promotion)?;
    Ok(remove_promotion(db)?)
}

/// Begins the epoch of a promotion in a copy.
pub fn begin_epoch(db: &Path, promotion: &Promotion) -> Result<(), Failure> {
    let store = Store::open_locked(db, Arc::new(Clock::system()), false)?;
    promotion::promote(&store, promotion)?;
    drop(store);
    Ok(remove_marker(db)?)
}
