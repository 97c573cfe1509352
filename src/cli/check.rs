//! `rota check`: reports errors in the configuration and the database. Changes neither.

use super::output::{answer, tell};
use super::outward::{Receivers, outward};
use super::run::{countries_without_holidays, holidays_end};
use super::workspace::{days, development_clock, existing_database, parse_clock, settings};
use super::{Failure, Place};
use crate::actions::reach::{self, InboxOnly};
use crate::carriers::Carriers;
use crate::domain::holidays::Calendar;
use crate::domain::ids::RotationId;
use crate::runtime::clock::Clock;
use crate::store::{
    Error, Inspection, ReadTx, list_broken_chains, list_overlaps, list_rotation_names,
    load_rotation,
};

pub const EXAMPLES: &str = "\
Reads everything and changes nothing, also while a server runs. Prints a line for each thing that is wrong. Exit code 0 if
nothing is, 1 if anything is.

Examples:
  rota check
  rota check --config /etc/rota/rota.toml";

/// Looks, prints what is wrong a line each, and fails if anything is.
pub fn run(place: Place) -> Result<(), Failure> {
    // A wrong configuration is a finding, not a usage error.
    check(place).map_err(|failure| match failure {
        Failure::Usage(sentence) | Failure::Failed(sentence) => Failure::Failed(sentence),
    })
}

fn check(place: Place) -> Result<(), Failure> {
    let config = settings(place)?;
    let calendar = days(&config)?;
    // Certificate authorities are read as a server would.
    let outward = outward(String::new(), &config, Receivers::Public)?;
    let path = existing_database(&config)?;
    let database = Inspection::open(&path)?;
    let problems = problems(&database, &calendar)?;
    if problems.is_empty() {
        note_inbox_only(&database, &outward.carriers)?;
    }
    for problem in &problems {
        answer(problem)?;
    }
    match problems.len() {
        0 => {
            tell(&format!("{}: nothing is wrong", path.display()));
            Ok(())
        }
        count => Err(Failure::Failed(format!(
            "{}: {count} found to be wrong",
            path.display()
        ))),
    }
}

fn problems(database: &Inspection, calendar: &Calendar) -> Result<Vec<String>, Failure> {
    let differences = database.differences();
    for harmless in &differences.harmless {
        tell(&format!("note: {harmless}, and harmless"));
    }
    // Tables of another program could be constructed to make queries run forever.
    if !differences.wrong.is_empty() {
        return Ok(differences.wrong.clone());
    }
    let mut problems = database.integrity_problems()?;
    problems.extend(database.unready());
    // Rows of a damaged file may be wrong and those of an older schema cannot be read, so further checks would be
    // misleading.
    if !problems.is_empty() {
        return Ok(problems);
    }
    for (rotation, cell) in database.read(list_broken_chains)? {
        problems.push(format!(
            "the history of {cell} of {rotation} has a gap or an overlap"
        ));
    }
    for (rotation, cell) in database.read(list_overlaps)? {
        problems.push(format!("arrangements over {cell} of {rotation} overlap"));
    }
    let now = match parse_clock(database.read(development_clock)?)? {
        Some(at) => at,
        None => Clock::system().now(),
    };
    for country in database.read(|tx| countries_without_holidays(tx, calendar, now))? {
        problems.push(holidays_end(calendar, country));
    }
    Ok(problems)
}

/// Notes whom messages reach by the inbox alone, which is not wrong.
fn note_inbox_only(database: &Inspection, carriers: &Carriers) -> Result<(), Failure> {
    let found = database.read(|tx: &ReadTx| -> Result<InboxOnly, Error> {
        let mut found = InboxOnly::default();
        for listed in list_rotation_names(tx)? {
            if let Some(rotation) = load_rotation(tx, &RotationId::from(listed.id.as_str()))? {
                found.add(reach::with_carriers(tx, carriers, &rotation)?);
            }
        }
        Ok(found)
    })?;
    let users: Vec<&str> = found.users.iter().map(|user| user.as_str()).collect();
    let channels: Vec<&str> = found
        .channels
        .iter()
        .map(|channel| channel.as_str())
        .collect();
    for (who, ids) in [("people", users), ("channels", channels)] {
        if !ids.is_empty() {
            tell(&format!(
                "note: messages reach these {who} by the inbox alone: {}",
                ids.join(", ")
            ));
        }
    }
    Ok(())
}
