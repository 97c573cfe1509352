//! `rota directory`: the people, user groups and channels of the local chat platform.

use super::output::{answer, sentence, tell};
use super::workspace::{Missing, app, database, open, settings};
use super::{Failure, Place};
use crate::actions::{Stop, directory};
use crate::config::Config;
use crate::wire::body;
use crate::wire::directory::{self as wire, ImportFile};
use clap::{Args, Subcommand};
use std::io::Read;
use std::path::PathBuf;

const EXAMPLES: &str = r#"The file:
  { "team": { "id": "T1", "name": "Acme" },
    "users": [ { "id": "U1", "displayName": "ada", "email": "ada@example.org", "isAdmin": true } ],
    "groups": [ { "id": "S1", "name": "Platform", "handle": "platform", "userIds": ["U1"] } ],
    "channels": [ { "id": "C1", "name": "on-call", "appIsMember": true } ] }

It replaces the directory: people left out become deleted and come off duty.

Examples:
  rota directory import people.json
  rota directory export | jq .users | less"#;

#[derive(Subcommand)]
pub enum Command {
    /// Replace the directory by a file; rotations follow at once
    #[command(after_help = EXAMPLES)]
    Import(Import),
    /// Print the directory as a file that `import` takes
    Export,
}

#[derive(Args)]
pub struct Import {
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE.json")]
    file: PathBuf,
}

/// Runs one of them.
pub fn run(place: Place, command: Command) -> Result<(), Failure> {
    let config = settings(place)?;
    match command {
        Command::Import(flags) => import(&config, flags),
        Command::Export => export(&config),
    }
}

fn import(config: &Config, flags: Import) -> Result<(), Failure> {
    let name = flags.file.display();
    let text = read(&flags.file).map_err(|error| format!("{name}: {error}"))?;
    let file: ImportFile =
        body::parse(&text).map_err(|refusal| format!("{name}: {}", sentence(&refusal)))?;
    let counts = (file.users.len(), file.groups.len(), file.channels.len());
    let app = app(config, Missing::Create)?;
    directory::import(&app, wire::read(file).map_err(Stop::from)?)?;
    let (users, groups, channels) = counts;
    tell(&format!(
        "imported {users} users, {groups} groups, {channels} channels"
    ));
    Ok(())
}

fn read(path: &PathBuf) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut text)?;
        return Ok(text);
    }
    std::fs::read(path)
}

fn export(config: &Config) -> Result<(), Failure> {
    let store = open(&database(config)?, Missing::Refuse)?;
    let file = wire::file(directory::export(&store)?);
    let text = serde_json::to_string_pretty(&file).map_err(|error| error.to_string())?;
    answer(&text)
}
