//! `rota serve`: the production server.

use super::operator::operator;
use super::outgoing::Receivers;
use super::run::{Bootstrap, Time, requests};
use super::signals::Signals;
use super::workspace::{Program, database, settings_with};
use super::{Failure, Place};
use crate::api;
use crate::config::{BaseUrl, Config, Listen};
use clap::Args;

const EXAMPLES: &str = "\
SIGTERM and SIGINT stop it: running requests finish, at most 10 seconds; another one a second later ends it at once.

Examples:
  rota serve
  rota serve --db /var/lib/rota/rota.db --listen 0.0.0.0:8080 --base-url https://rota.example.org
  rota serve --config /etc/rota/rota.toml";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// Where to listen; port 0 picks a free one and logs it [env: ROTA_LISTEN] [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<Listen>,
    /// The public URL of this server: `self` in webhooks begins with it [env: ROTA_BASE_URL]
    #[arg(long, value_name = "URL")]
    base_url: Option<BaseUrl>,
}

/// Serves until stopped.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let flags = Config {
        listen: flags.listen,
        base_url: flags.base_url,
        ..Config::default()
    };
    let config = settings_with(place, flags, Program::Server)?;
    let login = config.login().map_err(Failure::Usage)?;
    let mut bootstrap = Bootstrap::open(
        &database(&config)?,
        &config,
        Time::System,
        config.plan.tier_limits(),
        Receivers::Public,
    )?;
    bootstrap.begin_chat()?;
    bootstrap.catch_up(&config, &signals, &operator("serve"))?;
    let limits = requests(config.rate_limit, api::Limits::default());
    let edges = bootstrap.edges(&config, login, limits)?;
    log::info!("the public URL is {}", bootstrap.app.base_url());
    let delivery = bootstrap.deliver()?;
    let sources = bootstrap.sources(false);
    bootstrap.serve(&signals, edges, delivery, &sources, || Ok(()))
}
