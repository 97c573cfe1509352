//! `rota import`: schedules of other paging systems as rotations, with a proof that both say the same.

mod codes;
mod files;
mod printing;

use super::operator::operator;
use super::outgoing::trusted;
use super::output::{answer, answer_document, printable, table, tell};
use super::progress::Progress;
use super::workspace::{Missing, app, existing_database, settings};
use super::{Failure, Place};
use crate::actions::App;
use crate::actions::import_schedule::{self, ImportOptions, Imported, Outcome, Reading};
use crate::config::Config;
use crate::domain::blueprint::Agreement;
use crate::domain::ids::UserId;
use crate::domain::partner::Origin;
use crate::domain::time::Interval;
use crate::sources::{self, GOALERT_QUERY, Importable, ReadSchedule};
use clap::Args;
use jiff::SignedDuration;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Reads a schedule with the settings in [partners], makes a rotation of it, and compares the plan of both minute by minute.
Without --apply nothing is written; with it nothing is written where both differ, or the timeline ends too early to tell,
unless --accept-differences. Exit code 0 if they agree on every minute, or with --accept-differences; otherwise 1.

A file has { \"partner\", \"schedule\", \"timeline\", \"users\": [{ \"id\", \"email\", \"name\" }] }: the definition and the final
timeline as the partner's API answers them. Of goAlert it is an answer as it is, or a list of answers; of grafanaOnCall it has
the answers, or their results, as \"schedules\", \"shifts\", \"users\" and \"timeline\".

A key of GoAlert belongs to one query: --query prints the one that its key has to be made for.

Examples:
  rota import opsPartner 8a1e2bb4-0000-4f0e-9e0c-111111111111
  rota import opsPartner 8a1e2bb4-0000-4f0e-9e0c-111111111111 --code DB --owner U1 --apply
  rota import opsPartner --from schedule.json
  rota import opsPartner --all
  rota import goAlert --query";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// pagerPartner (PagerDuty), opsPartner (Opsgenie), deskPartner (Jira Service Management), goAlert or grafanaOnCall
    #[arg(value_name = "PARTNER")]
    partner: String,
    /// The partner's id of the schedule
    #[arg(
        value_name = "SCHEDULE",
        required_unless_present_any = ["all", "from", "query"],
        conflicts_with = "all"
    )]
    schedule: Option<String>,
    /// Every schedule, with a table at the end
    #[arg(long, conflicts_with_all = ["from", "code"])]
    all: bool,
    /// The code of the rotation, which finds it again [default: made of the schedule's name or id]
    #[arg(long, value_name = "CODE")]
    code: Option<String>,
    /// The id of the person who owns a new rotation [default: an administrator, else whoever has the first turn]
    #[arg(long, value_name = "USER")]
    owner: Option<String>,
    /// How many days are compared
    #[arg(long, value_name = "DAYS", default_value_t = 90, value_parser = clap::value_parser!(i64).range(1..=366))]
    days: i64,
    /// Write the rotation
    #[arg(long)]
    apply: bool,
    /// Read the schedule from a file instead of the partner
    #[arg(long, value_name = "FILE.json")]
    from: Option<PathBuf>,
    /// Write the rotation also where it differs from the schedule
    #[arg(long)]
    accept_differences: bool,
    /// Print the query that a key of GoAlert has to be made for, and do nothing else
    #[arg(long, conflicts_with_all = ["schedule", "all", "code", "owner", "apply", "from", "accept_differences"])]
    query: bool,
}

/// Runs the command.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let origin = Origin::parse(&flags.partner).ok_or_else(|| {
        let known = Origin::ALL.map(Origin::name).join(", ");
        Failure::Usage(format!(
            "{:?} is no partner; write one of {known}",
            flags.partner
        ))
    })?;
    if flags.query {
        return query(origin);
    }
    let config = settings(place)?;
    existing_database(&config)?;
    let source = match flags.from {
        Some(_) => None,
        None => Some(source(&config, origin)?),
    };
    let app = app(&config, Missing::Refuse)?;
    let until = app
        .now()
        .checked_add(SignedDuration::from_hours(24 * flags.days));
    let span = Interval::new(app.now(), until.map_err(|error| error.to_string())?);
    match (&source, &flags.schedule, &flags.from) {
        (Some(source), Some(schedule), _) => {
            let reading = read(source.as_ref(), schedule, span)?;
            one(&app, &flags, reading, span)
        }
        (Some(source), None, _) => all(&app, &flags, source.as_ref(), span),
        (None, named, Some(file)) => {
            let read = files::read(file, origin, named.as_deref(), span)?;
            let reading = reading(origin, read);
            is_of(&reading, flags.schedule.as_deref(), file)?;
            one(&app, &flags, reading, span)
        }
        (None, _, None) => Err(Failure::Usage(
            "name a schedule, or a file by --from".to_owned(),
        )),
    }
}

/// Prints the document that a key is made for.
fn query(origin: Origin) -> Result<(), Failure> {
    match origin {
        Origin::GoAlert => answer_document(GOALERT_QUERY),
        other => Err(Failure::Usage(format!(
            "--query: keys of {} belong to no query; leave it out",
            other.title()
        ))),
    }
}

/// The reader of a system with settings.
fn source(config: &Config, origin: Origin) -> Result<Box<dyn Importable>, Failure> {
    let settings = config.partners().map_err(Failure::Usage)?;
    sources::importer(&settings, &trusted(config)?, origin).ok_or_else(|| {
        let name = origin.name();
        Failure::Usage(format!(
            "partners.{name}: missing; write [partners.{name}] with the key of {} in the config file",
            origin.title()
        ))
    })
}

fn read(source: &dyn Importable, schedule: &str, span: Interval) -> Result<Reading, Failure> {
    let origin = source.origin();
    let read = source.read(schedule, span).map_err(|failure| {
        let partner = origin.title();
        Failure::Failed(format!("{partner} cannot be read: {schedule}: {failure}"))
    })?;
    Ok(reading(origin, read))
}

fn reading(origin: Origin, read: ReadSchedule) -> Reading {
    Reading {
        origin,
        definition: read.definition,
        timeline: read.timeline,
        people: read.people,
    }
}

/// Refuses a file of another schedule than the one that was named.
fn is_of(reading: &Reading, named: Option<&str>, file: &Path) -> Result<(), Failure> {
    let found = &reading.definition.summary.id;
    match named {
        Some(named) if named != found => Err(Failure::Failed(format!(
            "{}: schedule: this is the schedule {found:?}, not {named:?}; name that one, or leave it out",
            file.display()
        ))),
        _ => Ok(()),
    }
}

/// Imports one reading as the rotation of a code.
fn import(
    app: &App,
    flags: &Flags,
    reading: Reading,
    code: &str,
    span: Interval,
) -> Result<Imported, Failure> {
    let wanted = ImportOptions {
        code: code.to_owned(),
        is_code_chosen: flags.code.is_some(),
        owner: flags.owner.as_deref().map(UserId::from),
        span,
        apply: flags.apply,
        accept_differences: flags.accept_differences,
    };
    Ok(import_schedule::import(
        app,
        &operator("import"),
        reading,
        wanted,
    )?)
}

fn one(app: &App, flags: &Flags, reading: Reading, span: Interval) -> Result<(), Failure> {
    let origin = reading.origin;
    let summary = reading.definition.summary.clone();
    let code = match &flags.code {
        None => codes::of(&summary.name, &summary.id),
        Some(code) => code.to_ascii_uppercase(),
    };
    if !codes::is_code(&code) {
        return Err(Failure::Usage(format!(
            "--code: {code:?} is not a code; write 1 to 40 of A-Z 0-9 - _"
        )));
    }
    let imported = import(app, flags, reading, &code, span)?;
    answer(&format!(
        "{} {:?} of {} as rotation {code}",
        printable(&summary.id),
        summary.name,
        origin.title()
    ))?;
    for line in printing::lines(&imported) {
        answer(&line)?;
    }
    conclude(flags, &imported.agreement, &[imported.outcome])
}

/// Says what was written, and fails where both differ.
fn conclude(flags: &Flags, agreement: &Agreement, outcomes: &[Outcome]) -> Result<(), Failure> {
    for outcome in outcomes {
        tell(match outcome {
            Outcome::Created => "the rotation was made",
            Outcome::Updated => "the rotation was changed to the same",
            Outcome::Unchanged => "nothing was written: the rotation is the same already",
            Outcome::Differs => "nothing was written: both do not agree on every minute",
            Outcome::DryRun => "nothing was written: add --apply to write the rotation",
        });
    }
    if agreement.is_proof() || flags.accept_differences {
        return Ok(());
    }
    let (different, unproved) = (agreement.different_minutes(), agreement.unproved_minutes());
    Err(Failure::Failed(match unproved {
        0 => format!(
            "the rotation and the schedule differ in {different} minutes; --accept-differences takes that"
        ),
        _ => format!(
            "the rotation and the schedule differ in {different} minutes, and the timeline does not tell about {unproved} more; \
             read a timeline that reaches further, compare fewer --days, or take that with --accept-differences"
        ),
    }))
}

/// Imports every schedule.
fn all(app: &App, flags: &Flags, source: &dyn Importable, span: Interval) -> Result<(), Failure> {
    let schedules = source.list().map_err(|failure| {
        Failure::Failed(format!(
            "{} cannot be read: {failure}",
            source.origin().title()
        ))
    })?;
    let mut progress = Progress::new("schedule", schedules.len());
    let (mut rows, mut wrong) = (Vec::new(), 0);
    let mut used: BTreeMap<String, String> = BTreeMap::new();
    for summary in schedules {
        progress.step();
        let code = codes::of(&summary.name, &summary.id);
        let imported = match used.get(&code) {
            Some(other) => Err(Failure::Failed(format!(
                "refused: the schedule {other} has the code {code} already; import this one alone, with --code"
            ))),
            None => {
                used.insert(code.clone(), summary.id.clone());
                read(source, &summary.id, span)
                    .and_then(|reading| import(app, flags, reading, &code, span))
            }
        };
        let (code, agrees, unsaid, outcome) = match &imported {
            Ok(imported) => {
                let agreement = &imported.agreement;
                if !agreement.is_proof() && !flags.accept_differences {
                    wrong += 1;
                }
                let outcome = match imported.outcome {
                    Outcome::DryRun => "not written",
                    Outcome::Differs => "differs, not written",
                    Outcome::Created => "made",
                    Outcome::Updated => "changed",
                    Outcome::Unchanged => "unchanged",
                };
                let same = agreement.agreeing_minutes();
                let of_all = format!("{same} of {}", agreement.minutes());
                (
                    code,
                    of_all,
                    imported.unsaid.len().to_string(),
                    outcome.to_owned(),
                )
            }
            Err(Failure::Failed(why) | Failure::Usage(why)) => {
                wrong += 1;
                ("-".to_owned(), "-".to_owned(), "-".to_owned(), why.clone())
            }
        };
        rows.push(vec![
            summary.id,
            summary.name,
            code,
            agrees,
            unsaid,
            outcome,
        ]);
    }
    drop(progress);
    let heads = [
        "SCHEDULE",
        "NAME",
        "CODE",
        "MINUTES THAT AGREE",
        "NOT SAID",
        "RESULT",
    ];
    answer(table(&heads, &rows).trim_end())?;
    match wrong {
        0 => Ok(()),
        wrong => Err(Failure::Failed(format!(
            "{wrong} of {} schedules differ from their rotations, or were not imported",
            rows.len()
        ))),
    }
}
