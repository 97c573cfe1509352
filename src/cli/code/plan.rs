//! `rota plan`: what files would change, in names.

use super::super::Failure;
use super::super::output::{answer_data, answer_json};
use super::directory::Directory;
use super::fault::Source;
use super::file;
use super::paint::Paint;
use super::planning::{self, Asked, failed};
use super::server::Remote;
use super::subject::When;
use super::words;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Shows settings from what to what, who would be on call instead of whom and when, everybody's hours before and after, and
warnings that appear and go. Writes nothing. The files are TOML, or JSON where the name ends in .json; `rota export` writes
one. What a file leaves out is not touched.

Exit code 0: nothing to change. 1: something is wrong in the files, or the server refuses it. 2: there is something to change.

Examples:
  rota plan rotations.toml
  rota plan team-a.toml team-b.toml --at next-hand-over
  rota plan rotations.toml --prune --json | jq -r .planId";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The files, read as one
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How many days of the plan to compare, 1 to 366
    #[arg(long, value_name = "DAYS", default_value_t = 90, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
    #[command(flatten)]
    choice: Choice,
    /// Print JSON: the id of the plan, and each rotation as POST /v1/plan answers
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    remote: Remote,
}

/// What is planned, and when.
#[derive(Args)]
pub struct Choice {
    /// When the changes begin: now, next-hand-over, or an instant; new rotations begin now
    #[arg(long, value_name = "WHEN", default_value = "now")]
    at: When,
    /// Delete rotations that have a `managed_by` of the files and are in none of them
    #[arg(long)]
    prune: bool,
    /// Take rotations that are managed by another file, or by none that these name
    #[arg(long)]
    take_over: bool,
}

impl Choice {
    pub fn asked(self, days: u16) -> Asked {
        Asked {
            days,
            at: self.at,
            prune: self.prune,
            take_over: self.take_over,
        }
    }
}

/// The default of `--at` in help.
impl std::fmt::Display for When {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            When::Now => "now",
            When::NextHandOver => "next-hand-over",
            When::At(text) => text,
        })
    }
}

/// Reads files.
///
/// # Errors
/// All that is wrong in them, a line each.
pub fn read(paths: &[PathBuf]) -> Result<file::Files, Failure> {
    let one = |path: &PathBuf| {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| named(path, &error.to_string()))?;
        Ok((Source::new(&path.display().to_string()), text))
    };
    let texts: Vec<_> = paths.iter().map(one).collect::<Result<_, Failure>>()?;
    file::read(&texts).map_err(|faults| failed(&faults))
}

fn named(path: &Path, why: &str) -> Failure {
    Failure::Failed(format!("{}: {why}", path.display()))
}

pub fn run(flags: Flags) -> Result<ExitCode, Failure> {
    let files = read(&flags.files)?;
    let server = flags.remote.connect()?;
    let directory = Directory::new(&server);
    let asked = flags.choice.asked(flags.days);
    let plan = planning::plan(&server, &directory, files, &asked)?;
    match flags.json {
        true => answer_json(&plan.json().to_string())?,
        false => answer_data(&words::plan(
            &plan,
            &directory,
            &asked.at,
            Paint::for_output(),
        ))?,
    }
    let refusals = plan.refusals();
    match (refusals.is_empty(), plan.changes_nothing()) {
        (false, _) => Err(failed(&refusals)),
        (true, true) => Ok(ExitCode::SUCCESS),
        (true, false) => Ok(ExitCode::from(2)),
    }
}
