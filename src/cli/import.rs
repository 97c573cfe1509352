//! `rota import`: schedules of partner paging systems as rotations, with a proof that both say the same.

mod codes;
mod printing;

use super::operator::operator;
use super::output::{answer, printable, table, tell};
use super::outward::trusted;
use super::workspace::{Missing, app, existing_database, settings};
use super::{Failure, Place};
use crate::actions::App;
use crate::actions::import_schedule::{self, ImportOptions, Imported, Outcome, Reading};
use crate::config::Config;
use crate::domain::blueprint::Agreement;
use crate::domain::external::{MemberKind, OutsidePerson, Partner};
use crate::domain::ids::UserId;
use crate::domain::time::Interval;
use crate::sources::{self, Source};
use clap::Args;
use jiff::SignedDuration;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str = "\
Reads a schedule with the settings in [partners], makes a rotation of it, and compares the plan of both minute by minute.
Without --apply nothing is written; with it nothing is written where both differ, or the timeline ends too early to tell,
unless --accept-differences. Exit code 0 if they agree on every minute, or with --accept-differences; otherwise 1.

A file has { \"partner\", \"schedule\", \"timeline\", \"users\": [{ \"id\", \"email\", \"name\" }] }: the definition and the final
timeline as the partner's API answers them.

Examples:
  rota import opsPartner 8a1e2bb4-0000-4f0e-9e0c-111111111111
  rota import opsPartner 8a1e2bb4-0000-4f0e-9e0c-111111111111 --code DB --owner U1 --apply
  rota import opsPartner --from schedule.json
  rota import opsPartner --all";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// pagerPartner (PagerDuty), opsPartner (Opsgenie) or deskPartner (Jira Service Management)
    #[arg(value_name = "PARTNER")]
    partner: String,
    /// The partner's id of the schedule
    #[arg(
        value_name = "SCHEDULE",
        required_unless_present_any = ["all", "from"],
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
}

/// A schedule in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    partner: String,
    schedule: serde_json::Value,
    timeline: serde_json::Value,
    users: Vec<FilePerson>,
}

#[derive(Deserialize)]
struct FilePerson {
    id: String,
    email: Option<String>,
    name: Option<String>,
}

/// Runs the command.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let partner = Partner::parse(&flags.partner).ok_or_else(|| {
        let known = Partner::ALL.map(Partner::name).join(", ");
        Failure::Usage(format!(
            "{:?} is no partner; write one of {known}",
            flags.partner
        ))
    })?;
    let config = settings(place)?;
    existing_database(&config)?;
    let source = match flags.from {
        Some(_) => None,
        None => Some(source(&config, partner)?),
    };
    let app = app(&config, Missing::Refuse)?;
    let until = app
        .now()
        .checked_add(SignedDuration::from_hours(24 * flags.days));
    let span = Interval::new(app.now(), until.map_err(|error| error.to_string())?);
    match (&source, &flags.schedule, &flags.from) {
        (Some(source), Some(schedule), _) => {
            let reading = read(source.as_ref(), schedule, span)?;
            one(&app, &flags, partner, reading, span)
        }
        (Some(source), None, _) => all(&app, &flags, source.as_ref(), span),
        (None, _, Some(file)) => {
            let reading = read_file(file, partner, span)?;
            is_of(&reading, flags.schedule.as_deref(), file)?;
            one(&app, &flags, partner, reading, span)
        }
        (None, _, None) => Err(Failure::Usage(
            "name a schedule, or a file by --from".to_owned(),
        )),
    }
}

/// The reader of a partner with settings.
fn source(config: &Config, partner: Partner) -> Result<Arc<dyn Source>, Failure> {
    let settings = config.partners().map_err(Failure::Usage)?;
    let readers = sources::readers(&settings, &trusted(config)?);
    let mut readers = readers.into_iter();
    readers.find(|reader| reader.partner() == partner).ok_or_else(|| {
        let name = partner.name();
        Failure::Usage(format!(
            "partners.{name}: missing; write [partners.{name}] with the key of {} in the config file",
            partner.title()
        ))
    })
}

fn read(source: &dyn Source, schedule: &str, span: Interval) -> Result<Reading, Failure> {
    let wrong = |failure: sources::Failure| {
        let partner = source.partner().title();
        Failure::Failed(format!("{partner} cannot be read: {schedule}: {failure}"))
    };
    let definition = source.definition(schedule, span).map_err(wrong)?;
    let timeline = source.timeline(schedule, span).map_err(wrong)?;
    let mut ids = definition.participant_ids();
    let shifts = timeline.shifts.iter().map(|shift| &shift.member);
    let overrides = definition.overrides.iter().map(|one| &one.member);
    for member in shifts.chain(overrides) {
        if let (MemberKind::User, Some(id)) = (member.kind, &member.id)
            && !ids.contains(id)
        {
            ids.push(id.clone());
        }
    }
    let people = source.people(&ids).map_err(wrong)?;
    Ok(Reading {
        partner: source.partner(),
        definition,
        timeline,
        people,
    })
}

fn read_file(path: &Path, partner: Partner, span: Interval) -> Result<Reading, Failure> {
    let name = path.display();
    let text = std::fs::read(path).map_err(|error| format!("{name}: {error}"))?;
    let file: File = serde_json::from_slice(&text).map_err(|error| format!("{name}: {error}"))?;
    if file.partner != partner.name() {
        return Err(Failure::Failed(format!(
            "{name}: partner: this is a schedule of {:?}; write rota import {0:?}",
            file.partner
        )));
    }
    let wrong = |member: &str| {
        let begin = format!("{name}: {member}: ");
        move |failure: sources::Failure| Failure::Failed(begin + &failure.detail)
    };
    let definition = sources::definition_of(partner, file.schedule, span);
    let timeline = sources::timeline_of(partner, file.timeline, span);
    let people = file.users.into_iter().map(|person| OutsidePerson {
        participant_id: person.id,
        name: person.name,
        email: person.email,
    });
    Ok(Reading {
        partner,
        definition: definition.map_err(wrong("schedule"))?,
        timeline: timeline.map_err(wrong("timeline"))?,
        people: people.collect(),
    })
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

fn one(
    app: &App,
    flags: &Flags,
    partner: Partner,
    reading: Reading,
    span: Interval,
) -> Result<(), Failure> {
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
        partner.title()
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
fn all(app: &App, flags: &Flags, source: &dyn Source, span: Interval) -> Result<(), Failure> {
    let schedules = source.schedules().map_err(|failure| {
        Failure::Failed(format!(
            "{} cannot be read: {failure}",
            source.partner().title()
        ))
    })?;
    let (mut rows, mut wrong) = (Vec::new(), 0);
    let mut used: BTreeMap<String, String> = BTreeMap::new();
    for summary in schedules {
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
