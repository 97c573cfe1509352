//! `rota people`: the people of the workspace.

use super::output::{answer, answer_lines, table};
use super::workspace::{Missing, database, open_with_clock, settings};
use super::{Failure, Place};
use crate::actions::sessions;
use crate::domain::directory::Person;
use crate::domain::ids::UserId;
use crate::store::{self, Page, PersonFilter, ReadTx, Store};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Examples:
  rota people
  rota people ada                                      those whose name has these letters
  rota people --json | jq -r '.[] | select(.onCall != []) | .displayName'";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// Letters of the name
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// Only those who are deactivated, who are left out otherwise
    #[arg(long)]
    deactivated: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    id: String,
    display_name: String,
    email: Option<String>,
    time_zone: Option<String>,
    is_admin: bool,
    is_deactivated: bool,
    source: &'static str,
    /// Codes or names of rotations.
    on_call: Vec<String>,
    sessions: usize,
}

/// Prints a line for each person, by name.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let config = settings(place)?;
    let (store, clock) = open_with_clock(&database(&config)?, Missing::Refuse, None, None)?;
    let mut sessions: BTreeMap<UserId, usize> = BTreeMap::new();
    for session in sessions::list_all(&store, &config.login.rules(), clock.now())? {
        *sessions.entry(session.user).or_default() += 1;
    }
    let lines = lines(&store, &flags, &sessions)?;
    if flags.json {
        return answer_lines(lines);
    }
    let row = |line: &Line| {
        vec![
            line.id.clone(),
            line.display_name.clone(),
            line.email.clone().unwrap_or_default(),
            line.time_zone.clone().unwrap_or_default(),
            if line.is_admin { "admin" } else { "member" }.to_owned(),
            line.source.to_owned(),
            line.sessions.to_string(),
            line.on_call.join(", "),
        ]
    };
    let rows: Vec<Vec<String>> = lines.iter().map(row).collect();
    let heads = [
        "ID",
        "NAME",
        "ADDRESS",
        "ZONE",
        "ROLE",
        "FROM",
        "SIGNED IN",
        "ON CALL",
    ];
    answer(&table(&heads, &rows))
}

fn lines(
    store: &Store,
    flags: &Flags,
    sessions: &BTreeMap<UserId, usize>,
) -> Result<Vec<Line>, Failure> {
    store.read(|tx: &ReadTx| -> Result<_, Failure> {
        let filter = PersonFilter {
            text: flags.text.clone(),
            deleted: flags.deactivated,
            ..PersonFilter::default()
        };
        let (people, _) = store::list_people(tx, &filter, false, Page::first(u32::MAX))?;
        let on_call = on_call(tx)?;
        let line = |person: Person| Line {
            id: person.id.to_string(),
            display_name: person.name().to_owned(),
            is_admin: person.is_admin,
            is_deactivated: person.is_deleted,
            source: person.source.name(),
            on_call: on_call.get(&person.id).cloned().unwrap_or_default(),
            sessions: sessions.get(&person.id).copied().unwrap_or_default(),
            email: person.email,
            time_zone: person.time_zone,
        };
        Ok(people.into_iter().map(line).collect())
    })
}

/// Whoever is on call, with the rotations.
fn on_call(tx: &ReadTx) -> Result<BTreeMap<UserId, Vec<String>>, store::Error> {
    let names = store::list_rotation_names(tx)?;
    let mut held: BTreeMap<UserId, Vec<String>> = BTreeMap::new();
    for slot in store::list_open_slots(tx)? {
        let named = names.iter().find(|one| one.id == slot.rotation);
        let (Some(user), Some(named)) = (slot.user, named) else {
            continue;
        };
        let of_user = held.entry(user).or_default();
        let name = named.code.as_ref().unwrap_or(&named.name);
        if of_user.last() != Some(name) {
            of_user.push(name.clone());
        }
    }
    Ok(held)
}
