//! `rota login-link`: links that sign a person in to the pages once.

use super::named;
use super::operator::operator;
use super::outgoing::LISTEN;
use super::output::{answer, tell};
use super::workspace::{database, open, settings};
use super::{Failure, Place};
use crate::actions::due::BASE_URL_FACT;
use crate::actions::sessions;
use crate::config;
use crate::store::{ReadTx, load_fact};
use clap::Args;
use std::time::Duration;

const EXAMPLES: &str = "\
The link shows who it signs in, and a button that uses it up.

Examples:
  rota login-link --user UADA
  rota login-link --user UADA --for 24h";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The person: a name, an address or an id
    #[arg(long, value_name = "PERSON")]
    user: String,
    /// How long it can be used: 90s, 15m, 24h, 7d
    #[arg(long = "for", value_name = "DURATION", default_value = "15m", value_parser = config::lifetime)]
    lifetime: Duration,
}

/// Prints a link, alone on its line.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let config = settings(place)?;
    let store = open(&database(&config)?)?;
    let kept = store.read(|tx: &ReadTx| load_fact(tx, BASE_URL_FACT))?;
    let set = config.base_url.as_ref().map(ToString::to_string);
    let base_url = set.or(kept).unwrap_or_else(|| format!("http://{LISTEN}"));
    let user = store.read(|tx: &ReadTx| named::person(tx, &flags.user))?;
    let author = operator("login-link");
    let (secret, expires_at) =
        sessions::create_link(&store, &author, user.clone(), flags.lifetime)?;
    tell(&format!(
        "signs {user} in once, until {expires_at}; it is shown this once:"
    ));
    answer(&format!("{base_url}/login?link={secret}"))
}
