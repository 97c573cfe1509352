//! `rota audit`: who changed what.

use super::named;
use super::output::{JsonLines, answer, local, table};
use super::workspace::{database, open, settings};
use super::{Failure, Place};
use crate::actions::audit;
use crate::config;
use crate::domain::audit::{ActorFilter, AuditEntry, AuditFilter};
use crate::store::{ReadTx, Store};
use crate::wire::audit as wire;
use clap::Args;
use jiff::Timestamp;

const EXAMPLES: &str = "\
Every committed change and every refused credential, newest first. ACTOR is a person, the id of a key, a system user, or a
kind: key, person, inboundWebhook, chat, partner, clock, operator. Times are in this machine's zone; those of --json are in UTC.

Examples:
  rota audit                                             the newest 50
  rota audit --actor operator --limit 10                 what commands changed
  rota audit --rotation PLATFORM --actor ada             what ada changed in one rotation
  rota audit --action authenticate                       refused credentials
  rota audit --from 2026-11-23T00:00:00Z --json --limit 100000 | jq -r '.[].summary'";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// Entries at or after this instant
    #[arg(long, value_name = "INSTANT", value_parser = config::instant)]
    from: Option<Timestamp>,
    /// Entries before this instant
    #[arg(long, value_name = "INSTANT", value_parser = config::instant)]
    to: Option<Timestamp>,
    /// By this actor: a kind, or the id, name or address of a key or a person
    #[arg(long, value_name = "ACTOR")]
    actor: Option<String>,
    /// Of this rotation: its code, name or id; it may have been deleted
    #[arg(long, value_name = "ROTATION")]
    rotation: Option<String>,
    /// By this operation of the API or this command
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    /// Print a JSON list, an entry on each line
    #[arg(long)]
    json: bool,
}

/// Prints the entries.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    if let (Some(from), Some(to)) = (flags.from, flags.to)
        && to <= from
    {
        let wrong = "--to: send an instant later than --from";
        return Err(Failure::Usage(wrong.into()));
    }
    let store = open(&database(&settings(place)?)?)?;
    let (actor, rotation) = store.read(|tx: &ReadTx| -> Result<_, Failure> {
        let rotation = flags.rotation.as_deref();
        let rotation = rotation.map(|name| named::rotation_or_gone(tx, name));
        let actor = flags.actor.as_deref().map(|name| actor(tx, name));
        Ok((actor.transpose()?, rotation.transpose()?))
    })?;
    let filter = AuditFilter {
        from: flags.from,
        until: flags.to,
        actor,
        rotation,
        action: flags.action,
    };
    match flags.json {
        true => print_json(&store, &filter, flags.limit),
        false => print_table(&store, &filter, flags.limit),
    }
}

/// The actor that a text names. What is no name of a person is what the record has.
fn actor(tx: &ReadTx, name: &str) -> Result<ActorFilter, Failure> {
    match ActorFilter::parse(name) {
        ActorFilter::Id(id) => Ok(match named::person(tx, name) {
            Ok(user) => ActorFilter::Id(user.to_string()),
            Err(_) => ActorFilter::Id(id),
        }),
        kind => Ok(kind),
    }
}

/// As it is read: however many entries there are, few are held.
fn print_json(store: &Store, filter: &AuditFilter, limit: u32) -> Result<(), Failure> {
    let mut lines = JsonLines::default();
    audit::each(store, filter, limit, |entry| {
        lines.item(&wire::render(entry))
    })?;
    lines.end()
}

fn print_table(store: &Store, filter: &AuditFilter, limit: u32) -> Result<(), Failure> {
    let mut rows = Vec::new();
    audit::each(store, filter, limit, |entry| {
        rows.push(row(entry));
        Ok::<_, Failure>(())
    })?;
    let heads = ["AT", "ACTOR", "ACTION", "ROTATION", "ADDRESS", "SUMMARY"];
    answer(&table(&heads, &rows))
}

fn row(entry: AuditEntry) -> Vec<String> {
    let dash = |value: Option<String>| value.unwrap_or_else(|| "-".into());
    let kind = entry.actor.kind.name();
    let actor = match (entry.actor.name, entry.actor.id) {
        (Some(name), Some(id)) => format!("{kind} {id} ({name})"),
        (_, Some(id)) => format!("{kind} {id}"),
        _ => kind.to_owned(),
    };
    vec![
        local(entry.at),
        actor,
        entry.action,
        dash(entry.rotation.map(|id| id.to_string())),
        dash(entry.address),
        entry.summary,
    ]
}
