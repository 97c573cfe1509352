//! The command line: one file per command.
//!
//! Results go to standard output, messages to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage or configuration;
//! in `rota check` a wrong configuration is a finding, so it is 1. In the commands of `code` wrong usage is 1 too: there 2 says
//! that `rota plan` found changes.

mod audit;
mod backup;
mod check;
mod code;
mod completions;
mod demo;
mod dev;
mod directory;
mod import;
mod key;
mod logging;
mod login;
mod login_link;
mod manual;
mod named;
mod notify;
mod openapi;
mod operator;
mod outgoing;
mod output;
mod people;
mod relay;
mod report;
mod restore;
mod run;
mod scratch;
mod serve;
mod setup_link;
mod signals;
mod slack;
mod status;
mod token;
mod verify;
mod webhooks;
mod why;
mod workspace;

use crate::config::LogFilter;
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

const ABOUT: &str = "On-call rotations for one chat workspace: one binary, one SQLite file.";

const EXAMPLES: &str = "\
Examples:
  rota dev                                             try it: a demo workspace, keys printed
  rota serve --db /var/lib/rota/rota.db                run it
  rota directory import people.json                    load people, groups and channels
  rota key create --name ci --scope read:oncall        mint an API key
  rota status                                          is it up, and is anything wrong
  rota why PLATFORM --at 2026-11-24T03:12:00Z          who was on call, and why
  rota deliveries --failed                             what was not delivered, and why
  rota plan rotations.toml                             what a file of rotations would change
  rota backup rota-$(date +%F).db                      copy the database while it is in use

Settings come from flags, then ROTA_* environment variables, then the config file, then defaults. Only `serve`, `dev`, `restore`
and `directory import` make a database.";

#[derive(Parser)]
#[command(name = "rota", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
struct Rota {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    command: Command,
}

/// The location of data and settings. Every command has these flags.
#[derive(Args, Clone, Debug)]
pub struct Place {
    /// The database file [env: ROTA_DB] [default: rota.db; for `dev` a temporary one]
    #[arg(long, value_name = "PATH", global = true, display_order = 90)]
    db: Option<PathBuf>,
    /// A config file in TOML [env: ROTA_CONFIG] [default: /etc/rota/rota.toml if it is there and no database is named; none for
    /// `dev`]
    #[arg(long, value_name = "FILE", global = true, display_order = 91)]
    config: Option<PathBuf>,
    /// Log levels: error, warn, info, debug or off, or levels per module [env: ROTA_LOG] [default: info]
    #[arg(long, value_name = "LEVEL", global = true, display_order = 92)]
    log: Option<LogFilter>,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server
    Serve(serve::Flags),
    /// Run a server for local development, with a demo workspace and everything needed to call it
    Dev(dev::Flags),
    /// Create and manage team API keys
    #[command(subcommand)]
    Key(key::Command),
    /// Create and manage access tokens that act as one person
    #[command(subcommand)]
    Token(token::Command),
    /// Make a link that signs a person in to the pages once
    LoginLink(login_link::Flags),
    /// Make an address at which the first admin is made, while there is none
    SetupLink(setup_link::Flags),
    /// Manage how people sign in to the pages
    #[command(subcommand)]
    Login(login::Command),
    /// Load and show the people, user groups and channels of the workspace
    #[command(subcommand)]
    Directory(directory::Command),
    /// Import a schedule of a partner as a rotation, and prove that both say the same
    Import(import::Flags),
    /// Try the mail server
    #[command(subcommand)]
    Mail(relay::MailCommand),
    /// Try the incoming webhooks of channels
    #[command(subcommand)]
    Chat(relay::ChatCommand),
    /// Set up the app of a Slack workspace
    #[command(subcommand)]
    Slack(slack::Command),
    /// Show who is on call in a rotation at an instant, and the steps that decided it
    Why(why::Flags),
    /// List the people of the workspace, and what they are on call for
    People(people::Flags),
    /// List webhook endpoints, and how they fare
    Webhooks(output::Listed),
    /// List webhook deliveries, the newest first, and why they failed
    Deliveries(webhooks::DeliveryFlags),
    /// Show who changed what, newest first
    Audit(audit::Flags),
    /// Show who carries how much duty, by the record and the plan
    Report(report::Flags),
    #[command(flatten)]
    Code(code::Command),
    /// Copy the database to a new file, also while a server uses it
    Backup(backup::Flags),
    /// Replace the database with a copy and keep the replaced one
    Restore(restore::Flags),
    /// Look for what is wrong with the configuration and the database
    #[command(after_help = check::EXAMPLES)]
    Check,
    /// Show whether the server is up, what is due, what waits and what is wrong
    Status(status::Flags),
    /// Print the OpenAPI document of the HTTP API
    Openapi,
    /// Verify the signature of a webhook delivery, its body on standard input
    Verify(verify::Flags),
    /// Print the completions of this command line for a shell
    Completions(completions::Flags),
    /// Write the manual pages
    #[command(hide = true)]
    Manual(manual::Flags),
}

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The command line or the configuration is wrong: exit code 2.
    Usage(String),
    /// The command failed: exit code 1.
    Failed(String),
}

/// For errors that are already a sentence.
impl From<String> for Failure {
    fn from(sentence: String) -> Failure {
        Failure::Failed(sentence)
    }
}

impl From<crate::store::Error> for Failure {
    fn from(error: crate::store::Error) -> Failure {
        Failure::Failed(error.to_string())
    }
}

/// So that what a command reads can fail in its own words. Nobody watches the storage's health in a command.
impl crate::store::StoreError for Failure {
    fn of_storage(&self) -> Option<&crate::store::Error> {
        None
    }
}

impl From<crate::store::ActionError> for Failure {
    fn from(error: crate::store::ActionError) -> Failure {
        match error {
            crate::store::ActionError::Refused(refusal) => {
                Failure::Failed(output::sentence(&refusal))
            }
            crate::store::ActionError::Failed(error) => error.into(),
        }
    }
}

/// Runs the command line.
pub fn run() -> ExitCode {
    let rota = match Rota::try_parse() {
        Ok(rota) => rota,
        Err(error) => {
            // Includes help and version. If it cannot be printed, there is nowhere to report that.
            drop(error.print());
            let code = match (error.use_stderr(), asks_of_code()) {
                (true, true) => 1,
                _ => u8::try_from(error.exit_code()).unwrap_or(2),
            };
            return ExitCode::from(code);
        }
    };
    if let Err(sentence) = signals::outlive_file_limits() {
        output::tell(&format!("rota: {sentence}"));
    }
    let (code, sentence) = match dispatch(rota) {
        Ok(code) => return code,
        Err(Failure::Failed(sentence)) => (1, sentence),
        Err(Failure::Usage(sentence)) => (2, sentence),
    };
    output::tell(&format!("rota: {sentence}"));
    ExitCode::from(code)
}

/// Whether a command line that is wrong is one of the commands of `code`.
fn asks_of_code() -> bool {
    let read = Rota::command().ignore_errors(true).try_get_matches();
    let name = read.as_ref().ok().and_then(|read| read.subcommand_name());
    name.is_some_and(|name| code::NAMES.contains(&name))
}

fn dispatch(rota: Rota) -> Result<ExitCode, Failure> {
    let place = rota.place;
    match rota.command {
        Command::Code(command) => return code::run(command),
        Command::Serve(flags) => serve::run(place, flags),
        Command::Dev(flags) => dev::run(place, flags),
        Command::Key(command) => key::run(place, command),
        Command::Token(command) => token::run(place, command),
        Command::LoginLink(flags) => login_link::run(place, flags),
        Command::SetupLink(flags) => setup_link::run(place, flags),
        Command::Login(command) => login::run(place, command),
        Command::Directory(command) => directory::run(place, command),
        Command::Import(flags) => import::run(place, flags),
        Command::Mail(command) => relay::mail(place, command),
        Command::Chat(command) => relay::chat(place, command),
        Command::Slack(command) => slack::run(place, command),
        Command::Why(flags) => why::run(place, flags),
        Command::People(flags) => people::run(place, flags),
        Command::Webhooks(flags) => webhooks::list(place, flags),
        Command::Deliveries(flags) => webhooks::deliveries(place, flags),
        Command::Audit(flags) => audit::run(place, flags),
        Command::Report(flags) => report::run(place, flags),
        Command::Backup(flags) => backup::run(place, flags),
        Command::Restore(flags) => restore::run(place, flags),
        Command::Check => check::run(place),
        Command::Status(flags) => status::run(place, flags),
        Command::Openapi => openapi::run(),
        Command::Verify(flags) => verify::run(place, flags),
        Command::Completions(flags) => completions::run(flags),
        Command::Manual(flags) => manual::run(flags),
    }
    .map(|()| ExitCode::SUCCESS)
}
