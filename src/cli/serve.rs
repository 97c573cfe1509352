//! `rota serve`: the production server; and what both it and `rota standby` do: each may become the other while it runs.

use super::host::Host;
use super::operator::operator;
use super::outgoing::Receivers;
use super::run::{Bootstrap, Ended, Time, requests};
use super::signals::Signals;
use super::standby::{self, Copies};
use super::workspace::{Program, database, settings_with};
use super::{Failure, Place};
use crate::api;
use crate::config::{BaseUrl, Config, Listen};
use crate::store::Lock;
use clap::Args;
use std::path::Path;

const EXAMPLES: &str = "\
SIGTERM and SIGINT stop it: running requests finish, at most 10 seconds; another one a second later ends it at once.

Examples:
  rota serve
  rota serve --db /var/lib/rota/rota.db --listen 0.0.0.0:8080 --base-url https://rota.example.org
  rota serve --config /etc/rota/rota.toml";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    #[command(flatten)]
    pub address: Address,
}

/// The flags of a server.
#[derive(Args)]
pub struct Address {
    /// Where to listen; port 0 picks a free one and logs it [env: ROTA_LISTEN] [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<Listen>,
    /// The public URL of this server: `self` in webhooks begins with it [env: ROTA_BASE_URL]
    #[arg(long, value_name = "URL")]
    base_url: Option<BaseUrl>,
}

/// What a process is to its database, with its socket and the lock of the database once it has them.
pub enum Part {
    Primary(Option<(Host, Lock)>),
    Standby(Option<(Host, Lock)>, Copies),
    Over,
}

/// Serves until stopped.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let config = configured(place, flags.address)?;
    act(&config, &signals, Part::Primary(None))
}

/// The settings of a server.
pub fn configured(place: Place, address: Address) -> Result<Config, Failure> {
    let flags = Config {
        listen: address.listen,
        base_url: address.base_url,
        ..Config::default()
    };
    settings_with(place, flags, Program::Server)
}

/// Acts a part until the process is stopped, and the parts that follow from it.
pub fn act(config: &Config, signals: &Signals, first: Part) -> Result<(), Failure> {
    let db = database(config)?;
    let mut part = first;
    loop {
        part = match part {
            Part::Primary(held) => primary(config, signals, &db, held)?,
            Part::Standby(held, copies) => standby::serve(config, signals, &db, held, copies)?,
            Part::Over => return Ok(()),
        };
    }
}

fn primary(
    config: &Config,
    signals: &Signals,
    db: &Path,
    held: Option<(Host, Lock)>,
) -> Result<Part, Failure> {
    let login = config.login().map_err(Failure::Usage)?;
    let limits = config.plan.tier_limits();
    let mut bootstrap =
        Bootstrap::open_on(held, db, config, Time::System, limits, Receivers::Public)?;
    bootstrap.begin_fence(config)?;
    bootstrap.begin_chat()?;
    bootstrap.catch_up(config, signals, &operator("serve"))?;
    let limits = requests(config.rate_limit, api::Limits::default());
    let edges = bootstrap.edges(config, login, limits)?;
    log::info!("the public URL is {}", bootstrap.app.base_url());
    let delivery = bootstrap.deliver()?;
    let sources = bootstrap.sources(false);
    match bootstrap.serve(signals, edges, delivery, &sources, || Ok(()))? {
        Ended::Stopped => Ok(Part::Over),
        Ended::GaveWay(host, lock, peer) => {
            let copies = standby::give_way(db, &peer)?;
            Ok(Part::Standby(Some((host, lock)), copies))
        }
    }
}
