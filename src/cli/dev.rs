//! `rota dev`: the server for local development.

use super::operator::operator;
use super::outgoing::Receivers;
use super::output::answer;
use super::run::{Bootstrap, Time, requests};
use super::scratch::Scratch;
use super::signals::Signals;
use super::workspace::{Program, database, settings_with};
use super::{Failure, Place, demo};
use crate::actions::App;
use crate::actions::development::{self, Credentials};
use crate::actions::polling::Which;
use crate::api;
use crate::chat::{FailureControl, FaultyChat};
use crate::config::{self, Config, Listen};
use crate::dev::{Dev, PendingWork};
use crate::domain::chat::PlatformState;
use crate::domain::ids::UserId;
use crate::domain::tiers::{Tier, TierLimits};
use crate::runtime::clock::monotonic;
use clap::Args;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

const EXAMPLES: &str = "\
Prints ROTA_URL, ROTA_API_KEY (every scope), ROTA_TOKEN_<USER_ID> for each person and ROTA_WEB, which signs in to the
pages, a line each, then `ready`. The pages take anybody at /login?as=USER_ID.

Examples:
  rota dev
  rota dev --db dev.db                        keep the data for the next start
  rota dev --clock 2026-11-23T09:00:00Z       freeze the clock until POST /dev/clock moves it

Routes of `rota dev` alone, without a credential:
  POST /dev/clock {\"advanceSeconds\":3600}       with --clock: moves it through everything due
  POST /dev/receiver/NAME                       a webhook receiver; GET shows what it got, DELETE forgets it
  PUT  /dev/receiver/NAME {\"status\":503}        what it answers; also headers, delayMs, body
  GET  /dev/chat                                messages, topics and user groups of the local chat platform
  PUT  /dev/chat {\"failure\":\"error\"}            how it behaves; also \"rateLimited\" with retryAfterSeconds, delayMs
  POST /dev/sync                                reads every outside source now
  PUT  /dev/plan {\"name\":\"free\"}                or \"pro\"; a server of your own is Pro, and Free
                                                is there to develop against a limited plan";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// Where to listen; port 0 picks a free one [env: ROTA_LISTEN] [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<Listen>,
    /// Freeze the clock at this instant; POST /dev/clock moves it
    #[arg(long, value_name = "INSTANT", value_parser = config::instant)]
    clock: Option<Timestamp>,
    /// Start without the demo workspace
    #[arg(long)]
    empty: bool,
}

/// Serves until stopped. Without a database path it uses a temporary one, which is removed at the end.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let config = settings_with(
        place,
        Config {
            listen: flags.listen,
            ..Config::default()
        },
        Program::Development,
    )?;
    let mut login = config.login().map_err(Failure::Usage)?;
    login.rules.development = true;
    let (db, _scratch) = match &config.db {
        Some(_) => (database(&config)?, None),
        None => {
            let scratch = Scratch::new()?;
            signals.remove_at_end(scratch.path());
            (scratch.path().join("rota.db"), Some(scratch))
        }
    };
    // A file created by `mktemp` is empty, too.
    let fresh = std::fs::metadata(&db).map_or(true, |file| file.len() == 0);
    // The demo requires Pro; catching up then switches the workspace to the configured tier.
    let limits = if fresh {
        TierLimits::of(Tier::Pro)
    } else {
        config.plan.tier_limits()
    };
    let mut bootstrap = Bootstrap::open(
        &db,
        &config,
        Time::Development(flags.clock),
        limits,
        Receivers::Local,
    )?;
    let failures = FailureControl::default();
    bootstrap.begin_chat()?;
    let is_local = bootstrap.app.remote().is_none();
    if is_local {
        bootstrap.put_chat(|chat| Arc::new(FaultyChat::new(chat, failures.clone())));
    }
    // The people of a chat platform come from there.
    if fresh && !flags.empty && is_local {
        demo::fill(&bootstrap.app)?;
    }
    bootstrap.catch_up(&config, &signals, &operator("dev"))?;
    let sources = bootstrap.sources(true);
    // Before the tokens of people are made. What cannot be read now is read later.
    sources
        .read(Which::New, monotonic() + patience(&bootstrap.app))
        .map_err(|error| error.to_string())?;
    let credentials = development::renew(bootstrap.app.store(), &operator("dev"))?;
    let lines = lines(&bootstrap.url(), &credentials);
    let limits = requests(config.rate_limit, api::Limits::OFF);
    let delivery = bootstrap.deliver()?;
    let (sending, chat) = (delivery.handle(), delivery.handle());
    let reading = Arc::clone(&sources);
    let pending_work = PendingWork {
        all: Box::new(move |until| sending.drain(until)),
        chat: Box::new(move |until| chat.drain_chat(until)),
        sources: Box::new(move |which, until| reading.read(which, until)),
    };
    let mut edges = bootstrap.edges(&config, login, limits)?;
    let (app, budget) = (bootstrap.app.clone(), bootstrap.budget.clone());
    edges.push(Box::new(Dev::new(app, failures, pending_work, budget)));
    bootstrap.serve(&signals, edges, delivery, &sources, move || {
        lines.iter().try_for_each(|line| answer(line))
    })
}

/// How long the start waits for outside sources: not long for a chat platform that has not answered before.
fn patience(app: &App) -> Duration {
    let remote = app.remote();
    match remote.is_none_or(|remote| remote.state().0 == PlatformState::Up) {
        true => Duration::from_secs(30),
        false => Duration::from_secs(3),
    }
}

/// The path that signs in to the pages: as an administrator, where the workspace has one.
fn sign_in(credentials: &Credentials) -> String {
    match &credentials.first {
        Some(user) => format!("/login?as={user}"),
        None => "/login".to_owned(),
    }
}

fn lines(url: &str, credentials: &Credentials) -> Vec<String> {
    let mut lines = vec![
        format!("ROTA_URL={url}"),
        format!("ROTA_API_KEY={}", credentials.key),
    ];
    let named = |(user, token): &(UserId, String)| {
        format!("ROTA_TOKEN_{}={token}", user.as_str().to_uppercase())
    };
    lines.extend(credentials.tokens.iter().map(named));
    lines.push(format!("ROTA_WEB={url}{}", sign_in(credentials)));
    lines.push("ready".into());
    lines
}
