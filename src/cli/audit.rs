//! `rota audit`: who changed what.

use super::output::{answer, answer_json, table};
use super::workspace::{database, open, settings};
use super::{Failure, Place};
use crate::actions::audit;
use crate::config;
use crate::domain::audit::{ActorFilter, AuditEntry, AuditFilter};
use crate::domain::ids::RotationId;
use crate::store::Store;
use crate::wire::audit as wire;
use clap::Args;
use jiff::Timestamp;

const EXAMPLES: &str = "\
Every committed change and every refused credential, newest first. ACTOR is the id of a key, a person or a system user, or
a kind: key, person, inboundWebhook, chat, partner, clock, operator.

Examples:
  rota audit                                             the newest 50
  rota audit --actor operator --limit 10                 what commands changed
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
    /// By this actor
    #[arg(long, value_name = "ACTOR")]
    actor: Option<String>,
    /// Of this rotation; it may have been deleted
    #[arg(long, value_name = "ID")]
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
    let filter = AuditFilter {
        from: flags.from,
        until: flags.to,
        actor: flags.actor.as_deref().map(ActorFilter::parse),
        rotation: flags.rotation.map(RotationId::from),
        action: flags.action,
    };
    match flags.json {
        true => print_json(&store, &filter, flags.limit),
        false => print_table(&store, &filter, flags.limit),
    }
}

/// As it is read: however many entries there are, few are held.
fn print_json(store: &Store, filter: &AuditFilter, limit: u32) -> Result<(), Failure> {
    let mut begin = "[";
    audit::each(store, filter, limit, |entry| {
        let text =
            serde_json::to_string(&wire::render(entry)).map_err(|error| error.to_string())?;
        let line = format!("{begin}{text}");
        begin = ",";
        answer_json(&line)
    })?;
    match begin {
        "[" => answer_json("[]"),
        _ => answer_json("]"),
    }
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
        entry.at.to_string(),
        actor,
        entry.action,
        dash(entry.rotation.map(|id| id.to_string())),
        dash(entry.address),
        entry.summary,
    ]
}
