//! `rota serve`: the production server.

use super::Failure;
use super::host::Host;
use super::operator::operator;
use super::outgoing::Receivers;
use super::part::{Address, Part};
use super::run::{Bootstrap, Ended, Time, requests};
use super::signals::Signals;
use super::standby;
use crate::api;
use crate::config::Config;
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

/// Writes the database until the process is stopped, or until another server writes it.
pub fn primary(
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
        Ended::GaveWay(held, peer) => {
            let copies = standby::give_way(db, &peer)?;
            Ok(Part::Standby(Some(*held), copies))
        }
    }
}
