//! `rota matrix login` and `rota matrix check`: setting up the account of a Matrix workspace.

use super::outgoing::trusted;
use super::output::{answer, answer_findings};
use super::workspace::{database, settings};
use super::{Failure, Place};
use crate::chat::matrix::{Matrix, RoomUse, UsedRoom, login};
use crate::client::Secret;
use crate::config::Config;
use crate::domain::ids::RotationId;
use crate::metrics::Metrics;
use crate::runtime::clock::Clock;
use crate::store::{Error, Inspection, ReadTx, list_rotation_names, load_rotation};
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

const LOGIN_EXAMPLES: &str = "\
Reads the password from standard input, and prints the token alone on its line. The token is always of the device ROTA: with a
later one nothing is sent twice. An older token of this device no longer works afterwards.

Examples:
  rota matrix login --homeserver https://matrix.example.org --user @rota:example.org < password > /etc/rota/matrix-token";

const CHECK_EXAMPLES: &str = "\
Asks the homeserver with the settings in [matrix], and changes nothing. Prints a line for each thing; exit code 1 if anything
is amiss that rota or a rotation of the database needs.

Examples:
  rota matrix check
  rota matrix check --config /etc/rota/rota.toml";

#[derive(Subcommand)]
pub enum Command {
    /// Sign the account in, and print its access token
    #[command(after_help = LOGIN_EXAMPLES)]
    Login(Login),
    /// Ask the homeserver whether everything is set up as rota needs it
    #[command(after_help = CHECK_EXAMPLES)]
    Check,
}

#[derive(Args)]
pub struct Login {
    /// The address of the homeserver
    #[arg(long, value_name = "URL")]
    homeserver: String,
    /// The account, such as @rota:example.org
    #[arg(long, value_name = "ID")]
    user: String,
}

/// Runs a subcommand.
pub fn run(place: Place, command: Command) -> Result<(), Failure> {
    match command {
        Command::Login(flags) => sign_in(place, &flags),
        Command::Check => check(place),
    }
}

fn sign_in(place: Place, flags: &Login) -> Result<(), Failure> {
    let config = settings(place)?;
    let homeserver =
        crate::chat::matrix::Homeserver::read(&flags.homeserver, &config.webhooks.allow_nets());
    let homeserver = homeserver.map_err(|why| Failure::Usage(format!("--homeserver: {why}")))?;
    let mut password = String::new();
    std::io::stdin()
        .lock()
        .read_to_string(&mut password)
        .map_err(|error| format!("the password cannot be read from standard input: {error}"))?;
    let password = password.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        return Err(Failure::Usage(
            "standard input has no password; write it there, on one line".into(),
        ));
    }
    let token = login(
        &homeserver,
        &trusted(&config)?,
        &flags.user,
        &Secret::new(password),
    )?;
    answer(token.reveal())
}

fn check(place: Place) -> Result<(), Failure> {
    let config = settings(place)?;
    let tls = trusted(&config)?;
    let found = config.matrix().map_err(Failure::Usage)?;
    let found = found.ok_or_else(|| {
        Failure::Usage(format!(
            "{}: it is not \"matrix\"; write platform = \"matrix\" below [chat]",
            config.origins.of("chat.platform")
        ))
    })?;
    let used = used_rooms(&config)?;
    let clock = Arc::new(Clock::system());
    let matrix = Matrix::new(
        found,
        &tls,
        Arc::clone(&clock),
        Arc::new(Metrics::default()),
    );
    answer_findings(&matrix.check(clock.now(), &used))
}

/// The rooms that rotations of the database use; none where there is no database.
fn used_rooms(config: &Config) -> Result<Vec<UsedRoom>, Failure> {
    let path = database(config)?;
    if !path.exists() {
        return Ok(Vec::new());
    }
    let rooms = Inspection::open(&path)?.read(|tx: &ReadTx| -> Result<_, Error> {
        let mut rooms: BTreeMap<String, RoomUse> = BTreeMap::new();
        for listed in list_rotation_names(tx)? {
            let Some(rotation) = load_rotation(tx, &RotationId::from(listed.id.as_str()))? else {
                continue;
            };
            for channel in &rotation.profile.channels {
                let used = rooms.entry(channel.channel.to_string()).or_default();
                used.posts |= channel.posts_messages;
            }
            for channel in rotation.profile.topic_channels() {
                rooms.entry(channel.to_string()).or_default().sets_topic = true;
            }
            if let Some(group) = &rotation.profile.duty_group {
                rooms.entry(group.to_string()).or_default().fills = true;
            }
        }
        Ok(rooms)
    })?;
    let used = |(id, used)| UsedRoom { id, used };
    Ok(rooms.into_iter().map(used).collect())
}
