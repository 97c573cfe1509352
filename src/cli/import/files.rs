//! Schedules in files.

use crate::cli::Failure;
use crate::domain::partner::{Origin, Partner, PartnerPerson};
use crate::domain::time::Interval;
use crate::sources::{self, ReadSchedule};
use serde::Deserialize;
use std::path::Path;

/// A schedule of a partner in a file.
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

/// Reads a file, of the schedule that is named where it has several.
pub(super) fn read(
    path: &Path,
    origin: Origin,
    named: Option<&str>,
    span: Interval,
) -> Result<ReadSchedule, Failure> {
    let name = path.display();
    let text = std::fs::read(path).map_err(|error| format!("{name}: {error}"))?;
    let read = match origin {
        Origin::Partner(partner) => return of_partner(&name.to_string(), &text, partner, span),
        Origin::GoAlert => sources::goalert_file(&text),
        Origin::GrafanaOnCall => sources::grafana_file(&text, named, span),
    };
    read.map_err(|failure| Failure::Failed(format!("{name}: {}", failure.detail)))
}

fn of_partner(
    name: &str,
    text: &[u8],
    partner: Partner,
    span: Interval,
) -> Result<ReadSchedule, Failure> {
    let file: File = serde_json::from_slice(text).map_err(|error| format!("{name}: {error}"))?;
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
    let people = file.users.into_iter().map(|person| PartnerPerson {
        participant_id: person.id,
        name: person.name,
        email: person.email,
    });
    Ok(ReadSchedule {
        definition: definition.map_err(wrong("schedule"))?,
        timeline: timeline.map_err(wrong("timeline"))?,
        people: people.collect(),
    })
}
