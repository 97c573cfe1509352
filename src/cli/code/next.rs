//! `rota next`: each cell's next turn, or one's own.

use super::super::Failure;
use super::super::output::{answer, answer_json, table};
use super::directory::Directory;
use super::export::chosen;
use super::server::{Remote, Server};
use super::who::slot;
use super::written::text;
use crate::runtime::clock::Clock;
use crate::wire::moment::parse_instant;
use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::slice;

const EXAMPLES: &str = "\
With a code, the turn that comes next in each cell of the rotation. Without one, the next turn of the person whose member
token it is, in any rotation. Looks 366 days ahead.

Examples:
  rota next DB
  rota next --key-file ~/.config/rota/token";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The code of the rotation [default: the next turn of the token's person]
    #[arg(value_name = "CODE")]
    code: Option<String>,
    /// Print JSON: items of the schedule
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    remote: Remote,
}

/// How far is looked, in days: most turns are near.
const HORIZONS: [i64; 2] = [35, 366];

pub fn run(flags: Flags) -> Result<(), Failure> {
    let server = flags.remote.connect()?;
    let found = match &flags.code {
        Some(code) => of_rotation(&server, code)?,
        None => own(&server)?,
    };
    if flags.json {
        return answer_json(&Value::from(found).to_string());
    }
    let directory = Directory::new(&server);
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|turn| {
            let person = match (text(turn, "userId"), text(turn, "externalName")) {
                (Some(id), _) => directory.person_called(id).unwrap_or_else(|| id.to_owned()),
                (None, outside) => outside.unwrap_or("nobody").to_owned(),
            };
            let member = |name: &str| text(turn, name).unwrap_or_default().to_owned();
            match flags.code {
                Some(_) => vec![slot(turn), person, member("start"), member("end")],
                None => vec![
                    member("rotationName"),
                    slot(turn),
                    member("start"),
                    member("end"),
                ],
            }
        })
        .collect();
    let heads = match flags.code {
        Some(_) => ["SLOT", "NEXT", "FROM", "UNTIL"],
        None => ["ROTATION", "SLOT", "FROM", "UNTIL"],
    };
    match rows.is_empty() {
        true => answer("No turn is planned in the next 366 days."),
        false => answer(&table(&heads, &rows)),
    }
}

/// The range of so many days from the server's time on.
fn range(now: Timestamp, days: i64) -> String {
    let until = now + SignedDuration::from_hours(24 * days);
    format!("from={now}&to={until}")
}

fn begins_after(turn: &Value, at: Timestamp) -> bool {
    text(turn, "start")
        .and_then(parse_instant)
        .is_some_and(|start| start > at)
}

/// Each cell's next turn: the first that begins, and does not go on after shut hours with the one that runs.
fn of_rotation(server: &Server, code: &str) -> Result<Vec<Value>, Failure> {
    let reply = server.get(&format!(
        "/v1/rotations?pageSize=1&code={}",
        crate::client::encode(code)
    ))?;
    let now = reply.date.unwrap_or_else(|| Clock::system().now());
    let rotation = match reply.body["data"].as_array().and_then(|data| data.first()) {
        Some(rotation) => rotation.clone(),
        // Only to say which codes there are.
        None => chosen(
            &server.list("/v1/rotations")?,
            slice::from_ref(&code.to_owned()),
        )?
        .into_iter()
        .next()
        .unwrap_or_default(),
    };
    let id = text(&rotation, "id").unwrap_or_default();
    let cells = rotation["cells"].as_array().map_or(&[][..], Vec::as_slice);
    let running: Vec<&Value> = cells
        .iter()
        .filter(|cell| cell["stopped"] != true)
        .collect();
    let mut found: Vec<Option<Value>> = vec![None; running.len()];
    for days in HORIZONS {
        let range = range(now, days);
        let path = format!("/v1/rotations/{id}/schedule?{range}&kind=turn&kind=arrangement");
        let turns = server.list(&path)?;
        for (cell, found) in running.iter().zip(&mut found) {
            let ends = text(&cell["holder"], "until").and_then(parse_instant);
            let is_next = |turn: &&Value| {
                let of_it = turn["cellId"] == cell["id"] && begins_after(turn, now);
                let goes_on = turn["kind"] == "turn"
                    && turn["userId"] == cell["holder"]["userId"]
                    && ends.is_none_or(|ends| {
                        !begins_after(turn, ends - SignedDuration::from_millis(1))
                    });
                of_it && !goes_on
            };
            *found = turns.iter().find(is_next).cloned();
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    Ok(found.into_iter().flatten().collect())
}

/// The next turn of the person whose token it is.
fn own(server: &Server) -> Result<Vec<Value>, Failure> {
    let mut now = None;
    for days in HORIZONS {
        let at = match now {
            Some(at) => at,
            None => {
                let reply = server.get("/v1/users/me").map_err(|trouble| match trouble.status() {
                    Some(404) => Failure::Failed(
                        "a key is nobody's: name the code of a rotation, or use a member token; `rota token create` makes one"
                            .into(),
                    ),
                    _ => trouble.into(),
                })?;
                reply.date.unwrap_or_else(|| Clock::system().now())
            }
        };
        now = Some(at);
        let shifts = server.list(&format!("/v1/users/me/shifts?{}", range(at, days)))?;
        if let Some(next) = shifts.into_iter().find(|shift| begins_after(shift, at)) {
            return Ok(vec![next]);
        }
    }
    Ok(Vec::new())
}
