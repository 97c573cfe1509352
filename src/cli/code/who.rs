//! `rota who`: who is on call.

use super::super::Failure;
use super::super::output::{answer, answer_json, table};
use super::directory::Directory;
use super::export::chosen;
use super::server::Remote;
use super::written::text;
use crate::client::encode;
use crate::wire::moment::parse_instant;
use clap::Args;
use serde_json::Value;

const EXAMPLES: &str = "\
Needs read:oncall and read:rotations; names of people need read:directory.

Examples:
  rota who
  rota who DB NET
  rota who DB --at 2026-12-24T18:00:00+01:00";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The codes of the rotations [default: all that the key sees]
    #[arg(value_name = "CODE")]
    codes: Vec<String>,
    /// At another instant than now, as planned
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    at: Option<String>,
    /// Print JSON: the lines of GET /v1/on-call
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    remote: Remote,
}

fn instant(text: &str) -> Result<String, String> {
    match parse_instant(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err("write an instant with its offset, such as 2026-11-30T09:00:00+01:00".into()),
    }
}

pub fn run(flags: Flags) -> Result<(), Failure> {
    let server = flags.remote.connect()?;
    let path = match &flags.at {
        Some(at) => format!("/v1/on-call?at={}", encode(at)),
        None => "/v1/on-call".to_owned(),
    };
    let mut lines = server.list(&path)?;
    if !flags.codes.is_empty() {
        lines = chosen(&lines, &flags.codes)?;
    }
    if flags.json {
        return answer_json(&Value::from(lines).to_string());
    }
    let directory = Directory::new(&server);
    let mut rows = Vec::new();
    for line in &lines {
        let own = [
            text(line, "code").unwrap_or("-"),
            text(line, "name").unwrap_or_default(),
        ];
        let own = own.map(str::to_owned).to_vec();
        let entries = line["onCall"].as_array().map_or(&[][..], Vec::as_slice);
        if entries.is_empty() {
            let reason = match text(line, "nobodyOnCallReason") {
                Some("nobody-on-call-as-arranged") => "nobody: outside the covered hours",
                Some(_) => "nobody",
                None => "nobody known",
            };
            rows.push(
                [
                    own.clone(),
                    vec![reason.into(), String::new(), String::new()],
                ]
                .concat(),
            );
        }
        for entry in entries {
            let person = text(entry, "userId").unwrap_or_default();
            let person = directory
                .person_called(person)
                .unwrap_or_else(|| person.to_owned());
            let until = text(entry, "coveredUntil").unwrap_or_default().to_owned();
            rows.push([own.clone(), vec![person, slot(entry), until]].concat());
        }
    }
    answer(&table(
        &["CODE", "ROTATION", "ON CALL", "SLOT", "UNTIL"],
        &rows,
    ))
}

/// Lane and window of an entry, where they have names.
pub fn slot(entry: &Value) -> String {
    let names = ["laneName", "windowName"].map(|member| text(entry, member));
    names.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
