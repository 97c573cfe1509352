//! `rota directory`: the people, user groups and channels of the chat platform.

use super::operator::operator;
use super::outgoing::trusted;
use super::output::{answer, answer_json, printable, sentence, tell};
use super::workspace::{Missing, app, database, open, settings};
use super::{Failure, Place};
use crate::actions::directory::{self, Consent, Imported};
use crate::actions::directory_sync::{self, Synced};
use crate::actions::platform::{self, StartError};
use crate::actions::{ActionError, App};
use crate::config::{Config, Platform};
use crate::domain::directory::Directory;
use crate::domain::import::{Concern, ImportChanges, LeftAlone, PersonName};
use crate::runtime::clock::monotonic;
use crate::wire::body;
use crate::wire::directory::{self as wire, ImportFile};
use clap::{Args, Subcommand};
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = r#"The file:
  { "team": { "id": "T1", "name": "Acme" },
    "users": [ { "id": "U1", "displayName": "ada", "email": "ada@example.org",
                 "timeZone": "Europe/Oslo", "isAdmin": true } ],
    "groups": [ { "id": "S1", "name": "Platform", "handle": "platform", "userIds": ["U1"] } ],
    "channels": [ { "id": "C1", "name": "on-call", "appIsMember": true } ] }

It replaces what files had before: people left out are deactivated and come off duty. People, groups and channels that a
page, the API or SCIM made are left alone where the file does not have them. A user may have "handle" and "phone". What changes is printed, a line for each
person who is added, changes or leaves, and for each rotation that loses somebody on duty or all of its members.

Where somebody on duty would leave, or more than a fifth of the people and more than two, nothing is imported without
--yes, and the exit code is 1.

Examples:
  rota directory import people.json --dry-run
  rota directory import people.json
  rota directory import people.json --yes
  rota directory export | jq .users | less"#;

const SYNC_EXAMPLES: &str = "\
The server reads them by itself every 15 minutes (sync_every of [slack] or [matrix]) and follows what it is told in between.
People whom Slack calls deactivated, and people who left the space of Matrix, come off duty. A reading from which more than ten
people and more than a fifth are missing is not applied without --accept-removals: the platform may have answered wrongly.

Examples:
  rota directory sync
  rota directory sync --accept-removals";

/// How long a reading waits where the platform asks it to.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Subcommand)]
pub enum Command {
    /// Replace the directory with a file; rotations follow at once
    #[command(after_help = EXAMPLES)]
    Import(Import),
    /// Print the directory as a file that `import` takes
    Export,
    /// Read people, user groups and channels from Slack or Matrix now
    #[command(after_help = SYNC_EXAMPLES)]
    Sync(Sync),
}

#[derive(Args)]
pub struct Import {
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE.json")]
    file: PathBuf,
    /// Print what the import would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Import even if people on duty, or many people, would leave
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

#[derive(Args)]
pub struct Sync {
    /// Apply the reading even if many people are missing from it
    #[arg(long)]
    accept_removals: bool,
}

/// Runs a subcommand.
pub fn run(place: Place, command: Command) -> Result<(), Failure> {
    let config = settings(place)?;
    match command {
        Command::Import(flags) => import(&config, flags),
        Command::Export => export(&config),
        Command::Sync(flags) => sync(&config, &flags),
    }
}

/// The name of the chat platform.
fn platform(config: &Config) -> &'static str {
    match config.chat.platform() {
        Platform::Local => "local",
        Platform::Slack => "slack",
        Platform::Matrix => "matrix",
    }
}

fn import(config: &Config, flags: Import) -> Result<(), Failure> {
    if let platform @ ("slack" | "matrix") = platform(config) {
        return Err(Failure::Failed(format!(
            "nothing was imported: [chat] platform is \"{platform}\", and people, groups and channels are read from there; \
             `rota directory sync` reads them now"
        )));
    }
    let name = flags.file.display();
    let text = read(&flags.file).map_err(|error| format!("{name}: {error}"))?;
    let file: ImportFile =
        body::parse(&text).map_err(|refusal| format!("{name}: {}", sentence(&refusal)))?;
    let counts = (file.users.len(), file.groups.len(), file.channels.len());
    let directory = wire::read(file).map_err(ActionError::from)?;
    let consent = match (flags.dry_run, flags.yes) {
        (true, _) => Consent::DryRun,
        (false, true) => Consent::Given,
        (false, false) => Consent::Unasked,
    };
    let Imported { changes, applied } = carry_out(config, directory, consent)?;
    for line in lines(&changes) {
        answer(&line)?;
    }
    if let Some(line) = left_alone(changes.left_alone) {
        answer(&line)?;
    }
    if applied {
        let (users, groups, channels) = counts;
        tell(&format!(
            "imported {users} users, {groups} groups, {channels} channels"
        ));
        return Ok(());
    }
    let needed = changes.concern().map(|concern| why(concern, &changes));
    match (flags.dry_run, needed) {
        (true, None) => tell("nothing was imported: this was a dry run"),
        (true, Some(why)) => tell(&format!(
            "nothing was imported: this was a dry run; {why}, so the import needs --yes"
        )),
        (false, why) => {
            let why = why.unwrap_or_default();
            let what = "if that is meant, run it again with --yes";
            return Err(Failure::Failed(format!(
                "{name}: nothing was imported: {why}; {what}"
            )));
        }
    }
    Ok(())
}

/// A dry run on a missing database does not create it: everything in the file would be new.
fn carry_out(config: &Config, directory: Directory, consent: Consent) -> Result<Imported, Failure> {
    if consent == Consent::DryRun && !database(config)?.exists() {
        return Ok(Imported {
            changes: ImportChanges::of_people(&[], &directory.people),
            applied: false,
        });
    }
    let app = app(config, Missing::Create)?;
    let author = operator("directory import");
    Ok(directory::import(&app, &author, directory, consent)?)
}

/// The changes, one per line.
fn lines(changes: &ImportChanges) -> Vec<String> {
    if changes.is_empty() {
        return vec!["no person changes".into()];
    }
    let added = changes.added.iter();
    let added = added.map(|person| format!("added     {}", shown(person)));
    let changed = changes.changed.iter();
    let changed =
        changed.map(|(person, what)| format!("changed   {}: {}", shown(person), what.join(", ")));
    let leaving = changes.leaving.iter();
    let leaving = leaving.map(|person| format!("leaving   {}", shown(person)));
    let rotations = changes.rotations.iter().flat_map(|loss| {
        let name = format!("rotation  {} ({})", printable(&loss.name), loss.id);
        let off_duty = list(&loss.off_duty);
        let duty = (!loss.off_duty.is_empty()).then(|| format!("{name} loses on duty: {off_duty}"));
        let everybody = loss.is_empty.then(|| format!("{name} loses everybody"));
        duty.into_iter().chain(everybody)
    });
    let people = added.chain(changed).chain(leaving);
    people.chain(rotations).collect()
}

/// What the file does not have and the import leaves alone.
fn left_alone(left: LeftAlone) -> Option<String> {
    let counts = [
        (left.people, "users"),
        (left.groups, "groups"),
        (left.channels, "channels"),
    ];
    let some = counts.iter().filter(|(count, _)| *count > 0);
    let some: Vec<String> = some
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    (!some.is_empty()).then(|| {
        let what = some.join(", ");
        format!("left alone, because no file made them: {what}")
    })
}

/// Why the import needs consent.
fn why(concern: Concern, changes: &ImportChanges) -> String {
    match concern {
        Concern::OnDuty => {
            let mut people: Vec<PersonName> = Vec::new();
            for person in changes.rotations.iter().flat_map(|loss| &loss.off_duty) {
                if !people.contains(person) {
                    people.push(person.clone());
                }
            }
            format!("it takes off duty {}", list(&people))
        }
        Concern::ManyLeave => format!(
            "{} of {} people would leave",
            changes.leaving.len(),
            changes.people_before
        ),
    }
}

fn list(people: &[PersonName]) -> String {
    let shown: Vec<String> = people.iter().map(shown).collect();
    shown.join(", ")
}

fn shown(person: &PersonName) -> String {
    format!(
        "{} ({})",
        printable(&person.name),
        printable(person.id.as_str())
    )
}

fn read(path: &PathBuf) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut text)?;
        return Ok(text);
    }
    std::fs::read(path)
}

fn sync(config: &Config, flags: &Sync) -> Result<(), Failure> {
    let slack = config.slack().map_err(Failure::Usage)?;
    let matrix = config.matrix().map_err(Failure::Usage)?;
    let open = || -> Result<App, Failure> {
        let (app, tls) = (app(config, Missing::Refuse)?, trusted(config)?);
        Ok(match (slack, matrix) {
            (Some(settings), _) => app.with_slack(settings, &tls),
            (None, Some(settings)) => app.with_matrix(settings, &tls),
            (None, None) => app,
        })
    };
    let app = match platform(config) {
        "local" => None,
        _ => Some(open()?),
    };
    let Some((app, remote)) = app.as_ref().and_then(|app| Some((app, app.remote()?))) else {
        let why = "there is nothing to read: [chat] platform is \"local\", whose directory is the file of \
                   `rota directory import`";
        return Err(Failure::Failed(why.into()));
    };
    platform::begin(app).map_err(|error| match error {
        StartError::Wrong(why) => why,
        StartError::Store(error) => error.to_string(),
    })?;
    let deadline = monotonic() + PATIENCE;
    let synced = directory_sync::sync(app, &**remote, flags.accept_removals, deadline);
    match synced.map_err(|error| error.to_string())? {
        Synced::Applied {
            people,
            groups,
            channels,
        } => tell(&format!(
            "read {people} users, {groups} groups, {channels} channels"
        )),
        other => {
            return Err(Failure::Failed(
                other.error(remote.names().title).unwrap_or_default(),
            ));
        }
    }
    Ok(())
}

fn export(config: &Config) -> Result<(), Failure> {
    let store = open(&database(config)?)?;
    let file = wire::file(directory::export(&store)?);
    let text = serde_json::to_string_pretty(&file).map_err(|error| error.to_string())?;
    answer_json(&text)
}
