//! How Opsgenie and Jira Service Management say a schedule and its overrides, which is nearly the same (pure).

use super::Failure;
use super::json::{Instant, said, span};
use super::units::{self, Rotation, TimelineResponse, Who};
use crate::domain::partner::{
    Definition, Member, MemberKind, Outline, Partner, PartnerOverride, PartnerPerson, PartnerZone,
    ScheduleSummary, Timeline,
};
use crate::domain::time::Interval;
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
#[serde(bound = "W: DeserializeOwned")]
pub(super) struct Schedule<W> {
    id: String,
    name: Option<String>,
    timezone: Option<String>,
    enabled: Option<bool>,
    rotations: Option<Vec<Rotation<W>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound = "W: DeserializeOwned")]
pub(super) struct OneOverride<W> {
    alias: Option<String>,
    #[serde(alias = "user", alias = "responder")]
    who: Option<W>,
    start_date: Instant,
    end_date: Instant,
    rotations: Option<Vec<OfRotation>>,
    rotation_ids: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct OfRotation {
    id: Option<String>,
}

impl<W: Who> Schedule<W> {
    pub(super) fn summary(&self) -> ScheduleSummary {
        ScheduleSummary {
            id: self.id.clone(),
            name: said(&self.name).unwrap_or_else(|| self.id.clone()),
            zone: said(&self.timezone).map(|zone| PartnerZone::of(&zone)),
            web_url: None,
        }
    }

    fn zone(&self) -> PartnerZone {
        let zone = said(&self.timezone);
        PartnerZone::of(zone.as_deref().unwrap_or("UTC"))
    }

    pub(super) fn outline(&self) -> Outline {
        Outline {
            name: self.summary().name,
            zone: self.zone(),
            participants: units::participant_ids(self.rotations.iter().flatten()),
            people: self.people(),
        }
    }

    /// The people who take turns, with their addresses, where the partner says these here.
    fn people(&self) -> Vec<PartnerPerson> {
        let mut people: Vec<PartnerPerson> = Vec::new();
        for member in units::participants(self.rotations.iter().flatten()).filter(|_| W::IS_NAMED) {
            if let (MemberKind::User, Some(id)) = (member.kind, member.id)
                && !people.iter().any(|known| known.participant_id == id)
            {
                people.push(PartnerPerson {
                    participant_id: id,
                    name: member.name,
                    email: member.email,
                });
            }
        }
        people
    }

    /// How the schedule is made, with the overrides that overlap a span, or all.
    pub(super) fn definition(
        &self,
        overrides: &[OneOverride<W>],
        within: Option<Interval>,
    ) -> Result<Definition, Failure> {
        let rotations = self.rotations.iter().flatten().map(Rotation::rotation);
        let overrides = overrides.iter().filter_map(|given| {
            let span = span(given.start_date, given.end_date)?;
            if within.is_some_and(|within| span.meets(within).is_none()) {
                return None;
            }
            let of = given.rotations.iter().flatten();
            let ids = given.rotation_ids.iter().flatten();
            Some(PartnerOverride {
                id: said(&given.alias),
                member: given.who.as_ref().map_or_else(Member::empty, W::member),
                span,
                rotation_ids: of
                    .filter_map(|one| one.id.clone())
                    .chain(ids.cloned())
                    .collect(),
            })
        });
        let mut overrides: Vec<PartnerOverride> = overrides.collect();
        overrides.sort_by_key(|one| one.span.from);
        Ok(Definition {
            zone: self.zone(),
            summary: self.summary(),
            enabled: self.enabled.unwrap_or(true),
            layered: false,
            exceptions: Vec::new(),
            unsaid: Vec::new(),
            differs_at_clock_changes: false,
            rotations: rotations.collect::<Result<_, _>>()?,
            overrides,
            people: self.people(),
        })
    }
}

/// The definition in an answer, for a file that an operator has.
pub(super) fn definition_of<W: Who + DeserializeOwned>(
    answer: serde_json::Value,
    partner: Partner,
) -> Result<Definition, Failure> {
    let schedule: Schedule<W> = read(answer, partner)?;
    schedule.definition(&[], None)
}

/// The timeline in an answer, for a file that an operator has.
pub(super) fn timeline_of<W: Who + DeserializeOwned>(
    answer: serde_json::Value,
    partner: Partner,
    span: Interval,
) -> Result<Timeline, Failure> {
    let answer: TimelineResponse<W> = read(answer, partner)?;
    units::timeline(&[answer], span)
}

/// What an answer holds, in Opsgenie's envelope or without one.
fn read<T: DeserializeOwned>(
    mut answer: serde_json::Value,
    partner: Partner,
) -> Result<T, Failure> {
    let answer = match answer.get_mut("data") {
        Some(data) => data.take(),
        None => answer,
    };
    serde_json::from_value(answer)
        .map_err(|error| Failure::invalid(format!("{}: {error}", partner.title())))
}
