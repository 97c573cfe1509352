//! `rota dev`: the server for local development.

use super::output::answer;
use super::outward::Receivers;
use super::run::{Station, Time, requests};
use super::scratch::Scratch;
use super::signals::Signals;
use super::workspace::{database, settings_with};
use super::{Failure, Place, demo};
use crate::actions::development::{self, Credentials};
use crate::api;
use crate::chat::{FailureControl, FaultyChat};
use crate::config::{self, Config, Listen};
use crate::dev::{Chores, Dev};
use crate::domain::ids::UserId;
use crate::domain::tiers::{Tier, TierLimits};
use clap::Args;
use jiff::Timestamp;
use std::sync::Arc;

const EXAMPLES: &str = "\
Prints ROTA_URL, ROTA_API_KEY (every scope) and ROTA_TOKEN_<USER_ID> for each person, a line each, then `ready`.

Examples:
  rota dev
  rota dev --db dev.db                        keep the data for the next start
  rota dev --clock 2026-11-23T09:00:00Z       time stands still; POST /dev/clock moves it

Routes of `rota dev` alone, without a credential:
  POST /dev/clock {\"advanceSeconds\":3600}      with --clock: moves it through everything due
  POST /dev/receiver/NAME                      a webhook receiver; GET shows what it got, DELETE forgets it
  PUT  /dev/receiver/NAME {\"status\":503}       what it answers; also headers, delayMs, body
  GET  /dev/chat                               messages, topics and user groups of the local chat platform
  PUT  /dev/chat {\"failure\":\"error\"}          how it behaves; also \"rateLimited\" with retryAfterSeconds, delayMs
  PUT  /dev/plan {\"name\":\"free\"}               or \"pro\"";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// Where to listen; port 0 picks a free one [env: ROTA_LISTEN] [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<Listen>,
    /// Let time stand still at this instant until it is moved
    #[arg(long, value_name = "INSTANT", value_parser = config::instant)]
    clock: Option<Timestamp>,
    /// Begin without the demo workspace
    #[arg(long)]
    empty: bool,
}

/// Serves until told to stop. Without a database named it is a temporary one, gone at the end.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let config = settings_with(
        place,
        Config {
            listen: flags.listen,
            ..Config::default()
        },
    )?;
    let (db, _scratch) = match &config.db {
        Some(_) => (database(&config)?, None),
        None => {
            let scratch = Scratch::new()?;
            signals.remove_at_end(scratch.path());
            (scratch.path().join("rota.db"), Some(scratch))
        }
    };
    // What `mktemp` makes holds nothing either.
    let fresh = std::fs::metadata(&db).map_or(true, |file| file.len() == 0);
    // The demo has what only Pro includes; catching up then puts the workspace on the tier of the settings.
    let limits = if fresh {
        TierLimits::of(Tier::Pro)
    } else {
        config.plan.tier_limits()
    };
    let mut station = Station::open(
        &db,
        &config,
        Time::Development(flags.clock),
        limits,
        Receivers::Local,
    )?;
    let failures = FailureControl::default();
    station.put_chat(|chat| Arc::new(FaultyChat::around(chat, failures.clone())));
    if fresh && !flags.empty {
        demo::fill(&station.app)?;
    }
    station.catch_up(&config, &signals)?;
    let credentials = development::renew(station.app.store())?;
    let lines = lines(&station.url(), &credentials);
    let limits = requests(config.rate_limit, api::Limits::OFF);
    let delivery = station.deliver()?;
    let (sending, chat) = (delivery.handle(), delivery.handle());
    let chores = Chores {
        all: Box::new(move || sending.settle()),
        chat: Box::new(move || chat.settle_chat()),
    };
    let mut edges = station.edges(&config, limits);
    let (app, budget) = (station.app.clone(), station.budget.clone());
    edges.push(Box::new(Dev::new(app, failures, chores, budget)));
    station.serve(&signals, edges, delivery, move || {
        lines.iter().try_for_each(|line| answer(line))
    })
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
    lines.push("ready".into());
    lines
}
