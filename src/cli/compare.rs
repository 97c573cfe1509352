//! `rota compare`: what the first server did that the database of the second lacks.

use super::output::{answer, answer_json, table};
use super::workspace::{existing_database, settings};
use super::{Failure, Place};
use crate::domain::ids::{RotationId, UserId};
use crate::store::{
    self, Error, Inspection, ReadTx, RecordedThere, SentThere, list_entries_there,
    list_recorded_there, list_sent_there,
};
use crate::wire::audit;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
OLD.db is the database of the first server, with its log beside it if there is one: carried over from its machine, or what
`rota standby` has kept there. Exit code 0 if this database has everything that is in it, 2 if something is missing here, 1 if
they cannot be compared.

Examples:
  rota compare /var/lib/rota/rota.db.epoch-1
  rota compare old.db --json | jq .entries";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The database of the first server
    #[arg(value_name = "OLD.db")]
    old: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What only the other database has.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Difference {
    entries: Vec<audit::AuditEntry>,
    sent: Vec<Sent>,
    hand_overs: Vec<HandOver>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    at: String,
    kind: &'static str,
    id: String,
    to: String,
    about: String,
    rotation_id: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HandOver {
    at: String,
    rotation_id: String,
    rotation: Option<String>,
    cell_id: String,
    /// Who came on call by the other database; null for nobody.
    user_id: Option<String>,
    name: Option<String>,
    /// Whether anything is recorded here at that instant, and who came on call by it.
    is_here: bool,
    here_user_id: Option<String>,
    here_name: Option<String>,
}

/// Compares and prints.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let db = existing_database(&settings(place)?)?;
    let (old, own) = (Inspection::open(&flags.old)?, Inspection::open(&db)?);
    for (database, path) in [(&old, &flags.old), (&own, &db)] {
        if let Some(why) = database.unready() {
            return Err(Failure::Failed(format!("{}: {why}", path.display())));
        }
    }
    let ids = [&old, &own].map(|database| database.read(store::find_epoch));
    if let [Ok(Some(theirs)), Ok(Some(ours))] = &ids
        && theirs.database_id != ours.database_id
    {
        return Err(Failure::Failed(format!(
            "{}: it is another database than {}; name the file of the server that this one took over from",
            flags.old.display(),
            db.display()
        )));
    }
    let found = old.read(|there| Ok(own.read(|here| differ(there, here))))??;
    let Difference {
        entries,
        sent,
        hand_overs,
    } = &found;
    let count = entries.len() + sent.len() + hand_overs.len();
    match flags.json {
        true => {
            let text = serde_json::to_string_pretty(&found).map_err(|error| error.to_string())?;
            answer_json(&text)?;
        }
        false if count == 0 => answer("nothing is missing here")?,
        false => print(&found)?,
    }
    match count {
        0 => Ok(()),
        count => Err(Failure::Usage(format!(
            "{count} things in {} are missing here",
            flags.old.display()
        ))),
    }
}

fn differ(there: &ReadTx, here: &ReadTx) -> Result<Difference, Error> {
    let entries = list_entries_there(there, here)?;
    let sent = list_sent_there(there, here)?;
    let recorded = list_recorded_there(there, here)?;
    let hand_overs = recorded
        .into_iter()
        .map(|entry| hand_over(there, here, entry));
    Ok(Difference {
        entries: entries.into_iter().map(audit::render).collect(),
        sent: sent.into_iter().map(shown).collect(),
        hand_overs: hand_overs.collect::<Result<_, Error>>()?,
    })
}

fn shown(sent: SentThere) -> Sent {
    Sent {
        at: sent.at.to_string(),
        kind: sent.kind,
        id: sent.id,
        to: sent.to,
        about: sent.about,
        rotation_id: Some(sent.rotation).filter(|id| !id.is_empty()),
    }
}

fn hand_over(there: &ReadTx, here: &ReadTx, entry: RecordedThere) -> Result<HandOver, Error> {
    let name = |tx: &ReadTx, user: Option<&String>| -> Result<Option<String>, Error> {
        let found = user.map(|user| store::load_name(tx, &UserId::from(user.as_str())));
        Ok(found.transpose()?.flatten().map(|(name, _)| name))
    };
    let here_user = entry.here.clone().flatten();
    Ok(HandOver {
        at: entry.at.to_string(),
        rotation: store::load_rotation_name(there, &RotationId::from(entry.rotation.as_str()))?,
        name: name(there, entry.user.as_ref())?,
        here_name: name(here, here_user.as_ref())?,
        rotation_id: entry.rotation,
        cell_id: entry.cell,
        user_id: entry.user,
        is_here: entry.here.is_some(),
        here_user_id: here_user,
    })
}

fn print(found: &Difference) -> Result<(), Failure> {
    if !found.entries.is_empty() {
        let rows = found.entries.iter().map(|entry| {
            let actor = entry.actor.name.clone().or(entry.actor.id.clone());
            vec![
                entry.at.0.to_string(),
                actor.unwrap_or_else(|| entry.actor.kind.name().to_owned()),
                entry.action.clone(),
                entry.summary.clone(),
            ]
        });
        answer("What was done there:")?;
        answer(&table(
            &["AT", "ACTOR", "ACTION", "SUMMARY"],
            &rows.collect::<Vec<_>>(),
        ))?;
    }
    if !found.sent.is_empty() {
        let rows = found.sent.iter().map(|sent| {
            vec![
                sent.at.clone(),
                sent.kind.to_owned(),
                sent.about.clone(),
                sent.to.clone(),
                sent.id.clone(),
            ]
        });
        answer("What was sent there:")?;
        answer(&table(
            &["AT", "KIND", "ABOUT", "TO", "ID"],
            &rows.collect::<Vec<_>>(),
        ))?;
    }
    if !found.hand_overs.is_empty() {
        let somebody = |name: &Option<String>| name.clone().unwrap_or_else(|| "nobody".into());
        let rows = found.hand_overs.iter().map(|hand_over| {
            let here = match hand_over.is_here {
                true => somebody(&hand_over.here_name),
                false => "-".into(),
            };
            vec![
                hand_over.at.clone(),
                hand_over.rotation.clone().unwrap_or_default(),
                somebody(&hand_over.name),
                here,
            ]
        });
        answer("Who came on call there:")?;
        answer(&table(
            &["AT", "ROTATION", "THERE", "HERE"],
            &rows.collect::<Vec<_>>(),
        ))?;
    }
    Ok(())
}
