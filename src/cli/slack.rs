//! `rota slack manifest` and `rota slack check`: setting up the app of a Slack workspace.

use super::outgoing::trusted;
use super::output::{answer_findings, answer_json};
use super::workspace::settings;
use super::{Failure, Place};
use crate::chat::Finding;
use crate::chat::slack::{ManifestSettings, Slack, manifest};
use crate::config::BaseUrl;
use crate::metrics::Metrics;
use crate::runtime::clock::Clock;
use crate::slack_inbound;
use clap::{Args, Subcommand};
use std::sync::Arc;

const MANIFEST_EXAMPLES: &str = "\
Create the app at https://api.slack.com/apps, From a manifest. Without --base-url it uses Socket Mode: the server needs no
public address, but an app token.

Examples:
  rota slack manifest
  rota slack manifest --name on-call --command /oncall
  rota slack manifest --base-url https://rota.example.org";

const CHECK_EXAMPLES: &str = "\
Asks Slack with the settings in [slack], and needs no database. Prints a line for each thing; exit code 1 if anything is
amiss.

Examples:
  rota slack check
  rota slack check --config /etc/rota/rota.toml";

#[derive(Subcommand)]
pub enum Command {
    /// Print the manifest from which Slack makes the app
    #[command(after_help = MANIFEST_EXAMPLES)]
    Manifest(Manifest),
    /// Ask Slack whether the app is set up as rota needs it
    #[command(after_help = CHECK_EXAMPLES)]
    Check,
}

#[derive(Args)]
pub struct Manifest {
    /// The public URL of the server, to which Slack then sends what people say and click
    #[arg(long, value_name = "URL")]
    base_url: Option<BaseUrl>,
    /// The name of the app
    #[arg(long, value_name = "NAME", default_value = "rota", value_parser = name)]
    name: String,
    /// The slash command
    #[arg(long, value_name = "COMMAND", default_value = "/rota", value_parser = command)]
    command: String,
}

/// Runs a subcommand.
pub fn run(place: Place, command: Command) -> Result<(), Failure> {
    match command {
        Command::Manifest(flags) => print(&flags),
        Command::Check => check(place),
    }
}

fn print(flags: &Manifest) -> Result<(), Failure> {
    let base_url = flags.base_url.as_ref().map(ToString::to_string);
    let document = manifest(ManifestSettings {
        name: &flags.name,
        command: &flags.command,
        base_url: base_url.as_deref(),
    });
    let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    answer_json(&text)
}

fn check(place: Place) -> Result<(), Failure> {
    let config = settings(place)?;
    let tls = trusted(&config)?;
    let found = config.slack().map_err(Failure::Usage)?;
    let found = found.ok_or_else(|| {
        Failure::Usage(format!(
            "{}: it is not \"slack\"; write platform = \"slack\" below [chat]",
            config.origins.of("chat.platform")
        ))
    })?;
    let (has_socket, has_urls) = (found.app_token.is_some(), found.signing_secret.is_some());
    let clock = Arc::new(Clock::system());
    let slack = Slack::new(
        found,
        &tls,
        Arc::clone(&clock),
        Arc::new(Metrics::default()),
    );
    let mut findings = slack.check(clock.now());
    findings.push(match (has_socket, has_urls) {
        (true, _) => {
            let opened = slack_inbound::try_socket(&slack);
            Finding {
                is_right: opened.is_ok(),
                text: match opened {
                    Ok(()) => "socket: one opens".into(),
                    Err(why) => format!("socket: {why}"),
                },
            }
        }
        (false, true) => Finding::right("socket: none is needed; Slack sends to the request URLs"),
        // That is permitted: what goes out needs neither.
        (false, false) => Finding::right(
            "socket: none, because slack.app_token is not set; commands and buttons do not arrive",
        ),
    });
    answer_findings(&findings)
}

/// The longest name of an app, in characters.
const LONGEST_NAME: usize = 35;

/// The longest command, in characters.
const LONGEST_COMMAND: usize = 32;

fn name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let fits = (1..=LONGEST_NAME).contains(&text.chars().count());
    match fits && !text.chars().any(char::is_control) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?} is no name of an app; write 1 to {LONGEST_NAME} characters, such as rota"
        )),
    }
}

fn command(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let bare = text.strip_prefix('/').filter(|bare| !bare.is_empty());
    let fits = text.chars().count() <= LONGEST_COMMAND;
    match bare.filter(|bare| bare.chars().all(plain) && fits) {
        Some(_) => Ok(text.to_lowercase()),
        None => Err(format!(
            "{text:?} is no command; write a slash and a word of at most {LONGEST_COMMAND} characters, such as /rota"
        )),
    }
}
