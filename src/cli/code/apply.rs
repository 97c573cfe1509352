//! `rota apply`: makes rotations what files say of them.

use super::super::Failure;
use super::super::output::{answer_data, answer_json, tell};
use super::applying::{self, Outcome};
use super::directory::Directory;
use super::paint::Paint;
use super::plan::{Choice, read};
use super::plan_id;
use super::planning::{self, Plan, failed};
use super::server::Remote;
use super::words::{self, label};
use clap::Args;
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Shows the plan, asks, then writes each rotation in one change. All rotations are checked before the first is written, and each
is written only if it is what was planned. A run that stops says what it wrote; the next one goes on. Changes of the same
`managed_by` that wait are replaced: the newest file holds.

Exit code 0: done, or nothing to change. 1: something is wrong, or the answer was no.

Examples:
  rota apply rotations.toml
  rota apply rotations.toml --yes --plan \"$(rota plan rotations.toml --json | jq -r .planId)\"
  rota apply rotations.toml --at next-hand-over
  rota apply rotations.toml --prune";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// The files, read as one
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Do not ask; needed where there is no terminal
    #[arg(long)]
    yes: bool,
    /// Only if the plan has this id still
    #[arg(long, value_name = "ID")]
    plan: Option<String>,
    #[command(flatten)]
    choice: Choice,
    /// Print JSON: the id of the plan, what was written, and what failed
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    remote: Remote,
}

/// How many days of the plan are compared.
const DAYS: u16 = 90;

pub fn run(flags: Flags) -> Result<(), Failure> {
    let files = read(&flags.files)?;
    let server = flags.remote.connect()?;
    let directory = Directory::new(&server);
    let asked = flags.choice.asked(DAYS);
    let plan = planning::plan(&server, &directory, files, &asked)?;
    let shown = || words::plan(&plan, &directory, &asked.at, Paint::for_output());
    match flags.json {
        // Standard output is for programs then.
        true if !flags.yes && !plan.changes_nothing() => tell(&shown()),
        true => {}
        false => answer_data(&shown())?,
    }
    let refusals = plan.refusals();
    if !refusals.is_empty() {
        tell("nothing was written");
        return Err(failed(&refusals));
    }
    if let Some(id) = flags.plan.filter(|id| *id != plan.id) {
        let what = plan_id::difference(&id, &plan.subjects, &plan.pruned, &plan.others);
        return Err(Failure::Failed(format!(
            "nothing was written: the plan {id} is not the same any more, and is {} now; {what}",
            plan.id
        )));
    }
    if plan.changes_nothing() {
        return match flags.json {
            true => answer_json(&Outcome::default().json(&plan.id).to_string()),
            false => Ok(()),
        };
    }
    if !flags.yes {
        ask(&plan)?;
    }
    let outcome = applying::apply(&server, &directory, &plan, &asked);
    if flags.json {
        answer_json(&outcome.json(&plan.id).to_string())?;
    }
    report(outcome, flags.json)
}

/// Asks whether to go on, then for each rotation whether to delete it.
fn ask(plan: &Plan) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Failed(
            "nothing was written: there is no terminal to ask at; add --yes".into(),
        ));
    }
    let writes = plan
        .subjects
        .iter()
        .any(|subject| subject.action() != "none");
    let whole = writes.then(|| "Apply these changes?".to_owned());
    let deletes = plan.pruned.iter().map(|rotation| {
        format!(
            "Delete {}? Its record goes with it, and nothing brings it back.",
            label(rotation)
        )
    });
    for question in whole.into_iter().chain(deletes) {
        if !is_yes(&question)? {
            return Err(Failure::Failed("nothing was written".into()));
        }
    }
    Ok(())
}

fn is_yes(question: &str) -> Result<bool, Failure> {
    let unheard = |error: std::io::Error| Failure::Failed(format!("nothing was written: {error}"));
    let mut terminal = std::io::stderr().lock();
    let question = super::super::output::visible(question);
    write!(terminal, "{question} [y/N] ")
        .and_then(|()| terminal.flush())
        .map_err(unheard)?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(unheard)?;
    let answer = answer.trim();
    Ok(["y", "yes"]
        .iter()
        .any(|yes| answer.eq_ignore_ascii_case(yes)))
}

/// Says what was written and what was not.
fn report(outcome: Outcome, is_json: bool) -> Result<(), Failure> {
    let listed = |labels: &[String]| match labels.is_empty() {
        true => "nothing".to_owned(),
        false => labels.join(", "),
    };
    let written = listed(&outcome.labels);
    let Some(failed) = outcome.failed else {
        if !is_json {
            answer_data(&format!(
                "Written: {}",
                super::super::output::visible(&written)
            ))?;
        }
        return Ok(());
    };
    tell(&format!("written: {written}"));
    if !outcome.left_out.is_empty() {
        tell(&format!("not tried: {}", outcome.left_out.join(", ")));
    }
    Err(Failure::Failed(format!(
        "{}: {}; run it again to go on",
        failed.label, failed.why
    )))
}
