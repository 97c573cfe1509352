//! `rota export`: rotations of the server as a file.

use super::super::Failure;
use super::super::output::{answer_data, answer_json};
use super::directory::Directory;
use super::document;
use super::fault::advice;
use super::server::{Remote, Server};
use super::written::{Exported, file, text};
use crate::cli::progress::Progress;
use clap::Args;
use serde_json::Value;

const EXAMPLES: &str = "\
Writes what `rota plan` and `rota apply` read, to standard output: rotations by code, then those without one by id. The same
state gives the same bytes. Who is on call, absences, covers and the record are no part of it.

Examples:
  rota export > rotations.toml
  rota export DB NET > databases.toml
  rota export --json | jq '.rotation[].code'";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The codes of the rotations [default: all that the key sees]
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
    /// Print the file as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    remote: Remote,
}

/// A rotation with what routes of their own show of it.
struct Whole {
    rotation: Value,
    mentions: Value,
    warnings: Value,
}

pub fn run(flags: Flags) -> Result<(), Failure> {
    let server = flags.remote.connect()?;
    let mut rotations = server.list("/v1/rotations")?;
    rotations.sort_by(|one, other| {
        let key = |rotation: &Value| {
            let part = |member| text(rotation, member).unwrap_or_default().to_owned();
            (rotation["code"].is_null(), part("code"), part("id"))
        };
        key(one).cmp(&key(other))
    });
    if !flags.codes.is_empty() {
        rotations = chosen(&rotations, &flags.codes)?;
    }
    let mut progress = Progress::new("reading", rotations.len());
    let mut wholes = Vec::new();
    for rotation in rotations {
        progress.step();
        wholes.push(whole(&server, rotation)?);
    }
    drop(progress);
    let exported: Vec<Exported> = wholes
        .iter()
        .map(|whole| Exported {
            rotation: &whole.rotation,
            mentions: &whole.mentions,
            warnings: &whole.warnings,
        })
        .collect();
    let file = file(&exported, &Directory::new(&server))?;
    match flags.json {
        true => answer_json(&document::json(&file)?),
        false => answer_data(document::toml(&file)?.trim_end()),
    }
}

/// The rotations with these codes.
pub fn chosen(rotations: &[Value], codes: &[String]) -> Result<Vec<Value>, Failure> {
    let known: Vec<&str> = rotations
        .iter()
        .filter_map(|rotation| text(rotation, "code"))
        .collect();
    for code in codes {
        if !known.iter().any(|known| known.eq_ignore_ascii_case(code)) {
            let advice = advice(code, &known);
            let what =
                format!("there is no rotation with the code {code} that the key sees; {advice}");
            return Err(Failure::Failed(what));
        }
    }
    let is_chosen = |rotation: &&Value| {
        let own = text(rotation, "code").unwrap_or_default();
        codes.iter().any(|code| code.eq_ignore_ascii_case(own))
    };
    Ok(rotations.iter().filter(is_chosen).cloned().collect())
}

fn whole(server: &Server, rotation: Value) -> Result<Whole, Failure> {
    let id = text(&rotation, "id").unwrap_or_default();
    let mentions = server
        .get(&format!("/v1/rotations/{id}/mention-settings"))?
        .body;
    let warnings = server
        .get(&format!("/v1/rotations/{id}/warning-settings"))?
        .body;
    Ok(Whole {
        rotation,
        mentions,
        warnings,
    })
}
