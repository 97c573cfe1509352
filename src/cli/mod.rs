//! The command line: one file for each command.
//!
//! Answers go to standard output, everything said about them to standard error. Exit codes: 0 done, 1 failed, 2 wrong
//! usage or configuration; `rota check` finds a wrong configuration, so that is 1 there.

mod backup;
mod check;
mod demo;
mod dev;
mod directory;
mod key;
mod logging;
mod notify;
mod openapi;
mod output;
mod outward;
mod restore;
mod run;
mod scratch;
mod serve;
mod signals;
mod token;
mod verify;
mod workspace;

use crate::config::LogFilter;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

const ABOUT: &str = "On-call rotations for one chat workspace: one binary, one SQLite file.";

const EXAMPLES: &str = "\
Examples:
  rota dev                                             try it: a demo workspace, keys printed
  rota serve --db /var/lib/rota/rota.db                run it
  rota directory import people.json                    load people, groups and channels
  rota key create --name ci --scope read:oncall        mint an API key
  rota backup rota-$(date +%F).db                      copy the database while it is in use

Settings come from flags, then ROTA_* environment variables, then the config file, then defaults.";

#[derive(Parser)]
#[command(name = "rota", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
struct Rota {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    command: Command,
}

/// Where the data and the settings are. Every command takes these.
#[derive(Args, Clone, Debug)]
pub struct Place {
    /// The database file [env: ROTA_DB] [default: rota.db; for `dev` a temporary one]
    #[arg(long, value_name = "PATH", global = true, display_order = 90)]
    db: Option<PathBuf>,
    /// A config file in TOML [env: ROTA_CONFIG]
    #[arg(long, value_name = "FILE", global = true, display_order = 91)]
    config: Option<PathBuf>,
    /// What is logged: error, warn, info, debug or off, or levels of modules [env: ROTA_LOG] [default: info]
    #[arg(long, value_name = "LEVEL", global = true, display_order = 92)]
    log: Option<LogFilter>,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server
    Serve(serve::Flags),
    /// Run a server for local development, with a demo workspace and everything needed to call it
    Dev(dev::Flags),
    /// Mint and manage team API keys
    #[command(subcommand)]
    Key(key::Command),
    /// Mint and manage access tokens that act as one person
    #[command(subcommand)]
    Token(token::Command),
    /// Load and show the people, user groups and channels of the workspace
    #[command(subcommand)]
    Directory(directory::Command),
    /// Copy the database to a new file, also while a server uses it
    Backup(backup::Flags),
    /// Put a copy in the place of the database and keep what it replaces
    Restore(restore::Flags),
    /// Look for what is wrong with the configuration and the database
    Check,
    /// Print the OpenAPI document of the HTTP API
    Openapi,
    /// Verify the signature of a webhook delivery, its body on standard input
    Verify(verify::Flags),
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// The command line or the configuration is wrong: exit code 2.
    Usage(String),
    /// It was understood and could not be done: exit code 1.
    Failed(String),
}

/// For errors that are told in one sentence already.
impl From<String> for Failure {
    fn from(sentence: String) -> Failure {
        Failure::Failed(sentence)
    }
}

impl From<crate::store::Fault> for Failure {
    fn from(fault: crate::store::Fault) -> Failure {
        Failure::Failed(fault.to_string())
    }
}

impl From<crate::store::Stop> for Failure {
    fn from(stop: crate::store::Stop) -> Failure {
        match stop {
            crate::store::Stop::Refused(refusal) => Failure::Failed(output::sentence(&refusal)),
            crate::store::Stop::Failed(fault) => fault.into(),
        }
    }
}

/// Does what the command line says.
pub fn run() -> ExitCode {
    let rota = match Rota::try_parse() {
        Ok(rota) => rota,
        Err(error) => {
            // Help and version come this way too. Where it cannot be written there is nobody to tell.
            drop(error.print());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let (code, sentence) = match dispatch(rota) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Failed(sentence)) => (1, sentence),
        Err(Failure::Usage(sentence)) => (2, sentence),
    };
    output::tell(&format!("rota: {sentence}"));
    ExitCode::from(code)
}

fn dispatch(rota: Rota) -> Result<(), Failure> {
    let place = rota.place;
    match rota.command {
        Command::Serve(flags) => serve::run(place, flags),
        Command::Dev(flags) => dev::run(place, flags),
        Command::Key(command) => key::run(place, command),
        Command::Token(command) => token::run(place, command),
        Command::Directory(command) => directory::run(place, command),
        Command::Backup(flags) => backup::run(place, flags),
        Command::Restore(flags) => restore::run(place, flags),
        Command::Check => check::run(place),
        Command::Openapi => openapi::run(),
        Command::Verify(flags) => verify::run(place, flags),
    }
}
