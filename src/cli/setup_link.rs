//! `rota setup-link`: makes an address at which the first admin is made, for when nobody can sign in.

use super::operator::operator;
use super::outgoing::LISTEN;
use super::output::{answer, tell};
use super::workspace::{database, open, settings};
use super::{Failure, Place};
use crate::actions::due::BASE_URL_FACT;
use crate::actions::first_run;
use crate::config::{self, Platform};
use crate::store::{ReadTx, load_fact};
use clap::Args;
use std::time::Duration;

const EXAMPLES: &str = "\
It works beside the running server, and voids the address that was printed before. Once somebody administers the workspace,
`rota login-link` makes links that sign people in.

Examples:
  rota setup-link
  rota setup-link --for 15m";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// How long it can be used: 90s, 15m, 24h, 7d
    #[arg(long = "for", value_name = "DURATION", default_value = "1h", value_parser = config::lifetime)]
    lifetime: Duration,
}

/// Prints the address, alone on its line.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let config = settings(place)?;
    if config.chat.platform() != Platform::Local {
        let why = "people, and who administers the workspace, are read from the chat platform; `rota login-link --user ID` signs somebody in";
        return Err(Failure::Failed(why.into()));
    }
    let store = open(&database(&config)?)?;
    let kept = store.read(|tx: &ReadTx| load_fact(tx, BASE_URL_FACT))?;
    let set = config.base_url.as_ref().map(ToString::to_string);
    let base_url = set.or(kept).unwrap_or_else(|| format!("http://{LISTEN}"));
    let made = first_run::create(&store, &operator("setup-link"), flags.lifetime)?;
    let Some((secret, until)) = made else {
        let why = "somebody administers the workspace already; `rota login-link --user ID` makes a link that signs them in";
        return Err(Failure::Failed(why.into()));
    };
    tell(&format!(
        "makes whoever opens it the admin, once, until {until}; it is shown this once:"
    ));
    answer(&format!("{base_url}/setup/{secret}"))
}
