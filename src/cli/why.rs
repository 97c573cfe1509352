//! `rota why`: who is on call at an instant, and the steps that decided it, from the record or the plan.

use super::named;
use super::operator::operator;
use super::output::{answer, answer_json};
use super::workspace::{Missing, app, settings};
use super::{Failure, Place};
use crate::actions::explain::{self, Question};
use crate::actions::reads;
use crate::config;
use crate::domain::access::Principal;
use crate::domain::explain::ExplainedCell;
use crate::domain::forecast;
use crate::domain::rotation::Rotation;
use crate::store::{ReadTx, load_name};
use crate::wire::explain as wire;
use clap::Args;
use jiff::Timestamp;

const EXAMPLES: &str = "\
Works while the server is down. What was is read from the record, what comes from the plan.

Examples:
  rota why PLATFORM
  rota why PLATFORM --at 2026-11-24T03:12:00+01:00
  rota why PLATFORM --at 2026-12-24T18:00:00Z --not linus      why it is somebody else then";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The rotation: its code, its name or its id
    #[arg(value_name = "ROTATION")]
    rotation: String,
    /// At another instant than now
    #[arg(long, value_name = "INSTANT", value_parser = config::instant)]
    at: Option<Timestamp>,
    /// Why this person is not on call then: a name, an address or an id
    #[arg(long, value_name = "PERSON")]
    not: Option<String>,
    /// Print JSON, as GET /v1/rotations/{rotationId}/explain answers
    #[arg(long)]
    json: bool,
}

/// Prints who is on call in each place of the rotation, with a line for each step.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let app = app(&settings(place)?, Missing::Refuse)?;
    let (id, not) = app.store().read(|tx: &ReadTx| -> Result<_, Failure> {
        let not = flags.not.as_deref().map(|name| named::person(tx, name));
        Ok((named::rotation(tx, &flags.rotation)?, not.transpose()?))
    })?;
    let caller: Principal = operator("why").principal;
    let asked = Question {
        at: flags.at,
        user: not.as_ref(),
        ..Question::default()
    };
    let rotation = reads::rotation(&app, &caller, &id)?;
    let found = explain::of(&app, &caller, &id, asked)?;
    if flags.json {
        let found = wire::render(found, app.calendar());
        return answer_json(&serde_json::to_string(&found).map_err(|error| error.to_string())?);
    }
    let mut lines = vec![format!("{}, {}", rotation.profile.name, found.at)];
    for cell in &found.cells {
        let who = match &cell.user {
            Some(user) => {
                let name = app.store().read(|tx: &ReadTx| load_name(tx, user))?;
                name.map_or_else(|| user.to_string(), |(name, _)| name)
            }
            None => "nobody of the workspace".to_owned(),
        };
        lines.push(String::new());
        lines.push(match slot(&rotation, cell) {
            Some(slot) => format!("{slot}: {who}"),
            None => who,
        });
        let told = cell.steps.iter().map(|told| &told.text);
        let told = told.chain(cell.why_not.iter().map(|not| &not.text));
        lines.extend(told.map(|text| format!("  - {text}")));
    }
    answer(&lines.join("\n"))
}

/// The names of lane and window, where they have any; of a place that is gone, that it is.
fn slot(rotation: &Rotation, cell: &ExplainedCell) -> Option<String> {
    let Some(slot) = rotation.slot_of(&cell.cell) else {
        return Some("hours that are gone".to_owned());
    };
    let names = forecast::slot_name(rotation, &rotation.cells[slot]);
    (!names.is_empty()).then(|| names.join(", "))
}
