//! Shared by `rota serve` and `rota dev`: opening the database, catching up, serving until stopped.

use super::Failure;
use super::notify::Manager;
use super::outgoing::{LISTEN, Receivers, outward, trusted};
use super::output::tell;
use super::signals::Signals;
use super::workspace::{Missing, days, open_store, open_with_clock};
use crate::actions::calendars::{self, CalendarSource};
use crate::actions::directory_sync::DirectorySource;
use crate::actions::partners::Partners;
use crate::actions::partners::reading::LinkedSchedules;
use crate::actions::platform::{self, StartError};
use crate::actions::polling::Source;
use crate::actions::{App, Outward, dev_clock, directory_sync, due, tier};
use crate::admission::Admission;
use crate::api::{self, Api};
use crate::chat::Chat;
use crate::chat_watch;
use crate::client::Tls;
use crate::config::{Config, RateLimitPart};
use crate::delivery::{self, Delivery};
use crate::domain::audit::Author;
use crate::domain::holidays::{Calendar, CountryCode};
use crate::domain::tiers::TierLimits;
use crate::first_run;
use crate::matrix_inbound;
use crate::mcp::Mcp;
use crate::memory;
use crate::notices;
use crate::oidc::{Provider, SignIns};
use crate::runtime::background::{LoopThread, Watch, stop_all};
use crate::runtime::clock::Clock;
use crate::runtime::supervisor::{self, Cause, StopServer, Supervision};
use crate::runtime::wakeup::Wakeup;
use crate::scim::{self, Scim};
use crate::server::rate::Rates;
use crate::server::room::RequestBudget;
use crate::server::{Dispatch, Edge, Limits, Server, TrustedProxies};
use crate::slack_inbound::interactions::{Interactions, start_home_tabs};
use crate::slack_inbound::{self, RequestUrls};
use crate::sources;
use crate::storage_watch;
use crate::store::{
    ActionError, Error, Lock, ReadTx, Store, count_rotations, latest_change, list_cadences,
};
use crate::sync::Sources;
use crate::timer;
use crate::warning_watch;
use crate::web::{Login, Web};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long running requests may take after a stop is requested.
const GRACE: Duration = Duration::from_secs(10);

/// How long background loops may take to finish the current commit, while running requests finish.
const LOOP_GRACE: Duration = Duration::from_secs(2);

/// Merges the configured rate limits with the defaults in `unset`. If `unset` is off, any setting turns the limits
/// on.
pub fn requests(set: RateLimitPart, unset: api::Limits) -> api::Limits {
    if set == RateLimitPart::default() {
        return unset;
    }
    let usual = api::Limits::default();
    api::Limits {
        requests_per_minute: set.requests_per_minute.unwrap_or(usual.requests_per_minute),
        burst: set.burst.unwrap_or(usual.burst),
    }
}

/// The clock of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// The system clock, even if the database has a development clock.
    System,
    /// The database's development clock, or the system clock if it has none. An instant sets the development clock.
    Development(Option<Timestamp>),
}

/// An opened database and a bound address, before serving.
pub struct Bootstrap {
    pub app: App,
    /// The memory budget shared by the requests of all edges.
    pub budget: RequestBudget,
    server: Server,
    /// The certificate authorities of outgoing connections.
    tls: Tls,
    manager: Arc<Manager>,
    /// Identifies the data that due instants depend on, besides the rotations.
    rules: String,
    /// Whether the set-up address is printed unasked: not where somebody else says who may sign in.
    prints_setup: bool,
    /// What takes what comes in from Slack.
    inbound: Vec<LoopThread>,
    /// Keeps other servers from using the database.
    _lock: Lock,
}

impl Bootstrap {
    /// Opens or creates the database and binds the address. The workspace starts on `limits`.
    pub fn open(
        db: &Path,
        config: &Config,
        time: Time,
        limits: TierLimits,
        receivers: Receivers,
    ) -> Result<Bootstrap, Failure> {
        let manager = Arc::new(Manager::from_environment());
        manager.status("opening the database");
        // The settings are judged before anything is made.
        let calendar = days(config)?;
        let tls = trusted(config)?;
        let partners = config.partners().map_err(Failure::Usage)?;
        let outward = outward(String::new(), config, &tls, receivers)?;
        let slack = config.slack().map_err(Failure::Usage)?;
        let matrix = config.matrix().map_err(Failure::Usage)?;
        let mut lock = Lock::take_known(db)?;
        let process = std::process::id();
        lock.sign(&format!("process {process}"))?;
        let (store, clock) = match time {
            Time::System => {
                let clock = Arc::new(Clock::system());
                let store = open_store(db, Arc::clone(&clock), Missing::Create, Some(&lock))?;
                (store, clock)
            }
            Time::Development(at) => open_with_clock(db, Missing::Create, at, Some(&lock))?,
        };
        let listen = config
            .listen
            .as_ref()
            .map_or(LISTEN.into(), |listen| listen.to_string());
        let proxies = TrustedProxies::new(config.http.trusted_proxies());
        let server = Server::bind(&listen, Limits::default(), proxies).map_err(|error| {
            format!("cannot listen on {listen}: {error}; --listen HOST:PORT names another address")
        })?;
        lock.sign(&format!(
            "process {process} at {}",
            url(server.local_addr())
        ))?;
        let own = url(server.local_addr());
        let base_url = config.base_url.as_ref().map_or(own, ToString::to_string);
        let outward = Outward {
            base_url,
            ..outward
        };
        let rules = rules(&calendar, outward.reminder_before);
        let app = App::new(store, calendar, clock, limits, outward);
        let partners = Partners::new(partners.poll_every, sources::readers(&partners, &tls));
        let app = app.with_audit_kept(config.audit.keep);
        let app = app.with_notices(config.notices.settings());
        let app = app.with_partners(partners);
        let app = match (slack, matrix) {
            (Some(settings), _) => app.with_slack(settings, &tls),
            (None, Some(settings)) => app.with_matrix(settings, &tls),
            (None, None) => app,
        };
        Ok(Bootstrap {
            app,
            budget: RequestBudget::default(),
            server,
            tls,
            manager,
            rules,
            prints_setup: true,
            inbound: Vec::new(),
            _lock: lock,
        })
    }

    /// Asks the chat platform whose workspace it is. To be called before anything is written to the database.
    pub fn begin_chat(&self) -> Result<(), Failure> {
        platform::begin(&self.app).map_err(|error| match error {
            StartError::Wrong(why) => self.named(why),
            StartError::Store(error) => self.named(error),
        })
    }

    /// Wraps the chat platform.
    pub fn put_chat(&mut self, put: impl FnOnce(Arc<dyn Chat>) -> Arc<dyn Chat>) {
        self.app = self.app.clone().with_chat(put);
    }

    /// The URL of the server on this machine.
    pub fn url(&self) -> String {
        url(self.server.local_addr())
    }

    /// Processes everything that became due while the server was down, and switches the workspace to the configured tier. A
    /// signal ends it after the current step.
    pub fn catch_up(
        &self,
        config: &Config,
        signals: &Signals,
        operator: &Author,
    ) -> Result<(), Failure> {
        let caught_up = self.come_up_to_date(config, signals, operator);
        caught_up.map_err(|stop| match stop {
            ActionError::Failed(error) => self.named(error),
            refused => refused.into(),
        })
    }

    /// An error with the path of the database.
    fn named(&self, what: impl std::fmt::Display) -> Failure {
        Failure::Failed(format!("{}: {what}", self.app.store().path().display()))
    }

    fn come_up_to_date(
        &self,
        config: &Config,
        signals: &Signals,
        operator: &Author,
    ) -> Result<(), ActionError> {
        let app = &self.app;
        let latest = app
            .store()
            .read(|tx: &ReadTx| -> Result<_, Error> { latest_change(tx) })?;
        if let Some(latest) = latest {
            app.clock().note(latest);
        }
        let mut rules_changed = false;
        if !signals.told_to_stop() {
            due::keep_base_url(app)?;
            rules_changed = due::check_rules(app, &self.rules)?;
        }
        self.manager.status("catching up");
        let moved = due::catch_up_until(app, &|| signals.told_to_stop())?;
        if moved > 0 {
            log::info!("caught up: {moved} rotations processed");
        }
        if app.clock().is_frozen() {
            dev_clock::keep_clock(app)?;
        }
        if signals.told_to_stop() {
            return Ok(());
        }
        if rules_changed {
            due::follow_rules(app, &self.rules)?;
        }
        due::run_beside(app)?;
        tier::switch(app, operator, config.plan.tier_limits())?;
        let (calendar, now) = (app.calendar(), app.now());
        let ended = app
            .store()
            .read(|tx: &ReadTx| countries_without_holidays(tx, calendar, now))?;
        for country in ended {
            log::warn!("{}", holidays_end(calendar, country));
        }
        Ok(())
    }

    /// All edges of a production server. A new edge is registered here.
    ///
    /// # Errors
    /// If what comes in from the chat platform cannot be taken.
    pub fn edges(
        &mut self,
        config: &Config,
        login: Login,
        limits: api::Limits,
    ) -> Result<Vec<Box<dyn Edge>>, Failure> {
        self.prints_setup = !login.says_who_administers();
        let (app, budget) = (self.app.clone(), self.budget.clone());
        let access = config.metrics.access();
        let base_url = config.base_url.as_ref().map(ToString::to_string);
        let listen = self.server.local_addr().to_string();
        let sign_ins = login.provider.clone().map(|settings| {
            let sign_ins = SignIns::new(Provider::new(settings, &self.tls), app.base_url());
            log::info!("OpenID Connect redirect URI: {}", sign_ins.redirect_uri());
            sign_ins
        });
        // Shared: a person has one rate, by tokens and on the pages.
        let rates = Arc::new(Rates::new(limits));
        let web = Web::new(
            app.clone(),
            login,
            &listen,
            Arc::clone(&rates),
            budget.clone(),
        );
        let web = web.with_api(api::openapi::document);
        let web = web.with_sign_ins(sign_ins);
        let inbound = self.inbound()?;
        let admission = Arc::new(Admission::new(rates));
        Ok(vec![
            Box::new(Mcp::new(
                app.clone(),
                Arc::clone(&admission),
                budget.clone(),
            )),
            Box::new(Scim::new(
                app.clone(),
                Arc::clone(&admission),
                budget.clone(),
            )),
            Box::new(Api::new(
                app,
                admission,
                access,
                budget,
                base_url,
                api::openapi::document,
            )),
            Box::new(web),
            Box::new(inbound),
        ])
    }

    /// Starts to take what comes in from Slack. Its loops are stopped with the others.
    fn inbound(&mut self) -> Result<RequestUrls, Failure> {
        let (opened, directory) = (Wakeup::default(), Box::new(directory_sync::note));
        let handler = Interactions::new(self.app.clone(), opened.clone());
        let started = slack_inbound::start(&self.app, handler, directory);
        let started = started.map_err(|error| self.named(format_args!("Slack: {error}")))?;
        self.inbound = started.loops;
        if let Some(slack) = self.app.slack()
            && slack.settings().takes_input()
        {
            let homes = start_home_tabs(self.app.clone(), Arc::clone(slack), opened);
            let homes = homes.map_err(|error| self.named(format_args!("home tabs: {error}")))?;
            self.inbound.push(homes);
        }
        Ok(started.edge)
    }

    /// The outside sources. A new kind of source is registered here. With `reads_at_start` the directory of the chat platform is
    /// read at the start however new the last reading is.
    pub fn sources(&self, reads_at_start: bool) -> Arc<Sources> {
        let calendars = CalendarSource::new(self.app.clone());
        let mut sources: Vec<Box<dyn Source>> = vec![Box::new(calendars)];
        if let Some(remote) = self.app.remote() {
            let (app, remote) = (self.app.clone(), Arc::clone(remote));
            sources.push(Box::new(DirectorySource::new(app, remote, reads_at_start)));
        }
        for partner in self.app.partners().connected() {
            sources.push(Box::new(LinkedSchedules::new(self.app.clone(), partner)));
        }
        Arc::new(Sources::new(self.app.clone(), sources))
    }

    /// Starts sending what is queued.
    pub fn deliver(&self) -> Result<Delivery, Failure> {
        let failed = |error| self.named(format_args!("cannot start deliveries: {error}"));
        delivery::start(self.app.clone()).map_err(failed)
    }

    /// Serves these edges until a signal, then waits for running requests and deliveries. `ready` is called when requests are
    /// answered.
    pub fn serve(
        self,
        signals: &Signals,
        edges: Vec<Box<dyn Edge>>,
        delivery: Delivery,
        sources: &Sources,
        ready: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let address = self.server.local_addr();
        let runtime = Arc::clone(self.app.runtime());
        let stop_server: StopServer = {
            let (stopper, sending) = (self.server.stopper(), delivery.handle());
            let (runtime, manager) = (Arc::clone(&runtime), Arc::clone(&self.manager));
            let app = self.app.clone();
            Arc::new(move || {
                runtime.begin_stop();
                manager.stopping();
                // A calendar whose server hangs holds up neither its loop nor whoever asked for it.
                app.calendar_client().shut_down();
                if let Some(remote) = app.remote() {
                    remote.shut_down();
                }
                sending.stop();
                stopper.stop();
            })
        };
        let stop_at_signal = Arc::clone(&stop_server);
        signals.on_stop(move || stop_at_signal());
        if signals.told_to_stop() {
            delivery.stop(GRACE);
            log::info!("stopped");
            return Ok(());
        }
        let mut loops = start_loops(&self.app, sources)?;
        if self.prints_setup {
            let printed = first_run::print(&self.app, &print_setup());
            printed.map_err(|error| {
                Failure::Failed(format!("{}: {error}", self.app.store().path().display()))
            })?;
            let started = first_run::start(self.app.clone(), print_setup());
            loops.push(started.map_err(|error| format!("the first run: {error}"))?);
        }
        loops.extend(self.inbound);
        runtime.watch(self.server.heartbeat(), Watch::Liveness);
        let manager = Arc::clone(&self.manager);
        let [checked, rescued, tidied] = std::array::from_fn(|_| self.app.clone());
        let supervisor = supervisor::start(Supervision {
            runtime: Arc::clone(&runtime),
            storage: self.app.store().heartbeat().clone(),
            check_database: Box::new(move || {
                checked.store().check_files().map_err(|e| e.to_string())
            }),
            rescue_database: Box::new(move || rescue_log(rescued.store())),
            tidy: Box::new(move || tidy(&tidied)),
            ping_every: manager.ping_every(),
            ping: Box::new(move || manager.ping()),
            stop_server,
        });
        let supervisor = supervisor.map_err(|error| format!("the supervisor: {error}"))?;
        log::info!("listening on http://{address}");
        let rotations = self.app.store().read(|tx: &ReadTx| count_rotations(tx));
        if rotations.is_ok_and(|count| count == 0) {
            let base = self.app.base_url();
            log::info!(
                "there is no rotation yet: make one at {base}/rotations/new, with `rota apply` or by the API"
            );
        }
        memory::release_program();
        ready()?;
        self.manager
            .ready(&format!("listening on http://{address}"));
        let app = self.app.clone();
        let dispatch = Dispatch::new(self.app.metrics(), edges, move || app.now());
        self.server.run(Arc::new(dispatch), GRACE);
        let was_asked = runtime.is_stopping();
        // Threads that end from now on were asked to.
        runtime.begin_stop();
        stop_all(loops, LOOP_GRACE);
        delivery.stop(GRACE);
        let cause = supervisor.stop();
        match cause.or((!was_asked).then_some(Cause::Thread("accept loop"))) {
            None => {}
            Some(Cause::Thread(name)) => {
                return Err(Failure::Failed(format!(
                    "the thread of the {name} had ended; nothing is lost, start it again"
                )));
            }
            Some(Cause::Database(why)) => return Err(Failure::Failed(why)),
        }
        log::info!("stopped");
        Ok(())
    }
}

/// Starts the background loops of the server.
fn start_loops(app: &App, sources: &Sources) -> Result<Vec<LoopThread>, Failure> {
    let timer = timer::start(app.clone()).map_err(|error| format!("the timer: {error}"))?;
    let mut loops = vec![timer];
    loops.extend(sources.start().map_err(|error| format!("sync: {error}"))?);
    let warnings = warning_watch::start(app.clone());
    loops.push(warnings.map_err(|error| format!("the count of warnings: {error}"))?);
    let notices = notices::start(app.clone());
    loops.push(notices.map_err(|error| format!("the loop of notices: {error}"))?);
    if app.remote().is_none() {
        let provisioning = scim::start(app.clone());
        loops.push(provisioning.map_err(|error| format!("the loop of provisioning: {error}"))?);
    }
    let storage = storage_watch::start(app.clone());
    loops.push(storage.map_err(|error| format!("the watch of the storage: {error}"))?);
    if let Some(remote) = app.remote() {
        let started = chat_watch::start(app.clone(), Arc::clone(remote));
        loops.push(started.map_err(|error| format!("the watch of the chat platform: {error}"))?);
    }
    if let Some(matrix) = app.matrix() {
        let started = matrix_inbound::start(app, matrix);
        loops.extend(started.map_err(|error| format!("what comes in from Matrix: {error}"))?);
    }
    Ok(loops)
}

/// Prints the set-up address where the operator reads it, and not as a line of the log.
fn print_setup() -> first_run::Print {
    Box::new(tell)
}

/// Saves a log that was deleted while the database was open.
fn rescue_log(store: &Store) {
    match store.rescue_log() {
        Ok(true) => log::info!("storage: the deleted log was checkpointed into the database file"),
        Ok(false) => {}
        Err(error) => log::error!("storage: the log is lost: {error}"),
    }
}

/// Releases the memory that large calendars or a burst of large responses have left in the heap and in the caches of readers.
fn tidy(app: &App) {
    // Both are asked, so that neither is left for the next time.
    if memory::take_freed() | calendars::take_freed(app) {
        app.store().close_idle_readers();
        memory::trim();
    }
}

/// The address as a URL; an unspecified one listens on loopback too.
pub fn url(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    format!("http://{address}")
}

/// Identifies the program, its holiday and time zone data, and the reminder period.
fn rules(calendar: &Calendar, reminder_before: SignedDuration) -> String {
    format!(
        "rota {} data {:016x} reminders {} s",
        env!("CARGO_PKG_VERSION"),
        calendar.fingerprint(),
        reminder_before.as_secs()
    )
}

/// Countries whose holidays some rotation skips but whose data end before this year.
pub fn countries_without_holidays(
    tx: &ReadTx,
    calendar: &Calendar,
    now: Timestamp,
) -> Result<BTreeSet<CountryCode>, Error> {
    let year = now.to_zoned(jiff::tz::TimeZone::UTC).year();
    let mut ended = BTreeSet::new();
    for cadence in list_cadences(tx)? {
        let skips = cadence.effective_skips();
        if skips.national_holidays {
            let countries = skips.countries.iter().copied();
            ended.extend(countries.filter(|country| calendar.covers_until(*country) < year));
        }
    }
    Ok(ended)
}

/// The warning for such a country.
pub fn holidays_end(calendar: &Calendar, country: CountryCode) -> String {
    format!(
        "holidays of {country} are known until {} only; add this year's with a [holidays] file",
        calendar.covers_until(country)
    )
}
