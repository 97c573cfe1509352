//! Answers of Opsgenie's API (pure).

use super::super::Failure;
use super::super::json::{Instant, said, span};
use super::super::units::{self, Rotation, TimelineResponse, Who, kind_of};
use crate::domain::external::{
    Definition, Member, MemberKind, Outline, OutsideOverride, OutsidePerson, OutsideZone, Partner,
    ScheduleSummary, Timeline,
};
use crate::domain::time::Interval;
use serde::Deserialize;

/// The envelope of every answer.
#[derive(Deserialize)]
pub(super) struct Data<T> {
    pub(super) data: T,
}

#[derive(Deserialize)]
pub(super) struct Schedule {
    id: String,
    name: Option<String>,
    timezone: Option<String>,
    enabled: Option<bool>,
    #[serde(default)]
    rotations: Vec<Rotation<Recipient>>,
}

/// A participant, the holder of a period, or who overrides.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::sources) struct Recipient {
    r#type: Option<String>,
    id: Option<String>,
    /// In a timeline: the name of a team, or the mail address of a person.
    name: Option<String>,
    /// The mail address of a person.
    username: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OneOverride {
    alias: Option<String>,
    user: Option<Recipient>,
    start_date: Instant,
    end_date: Instant,
    #[serde(default)]
    rotations: Vec<OfRotation>,
}

#[derive(Deserialize)]
struct OfRotation {
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct User {
    username: Option<String>,
    full_name: Option<String>,
}

impl Who for Recipient {
    fn member(&self) -> Member {
        let kind = kind_of(self.r#type.as_deref().unwrap_or("user"));
        if kind == MemberKind::Empty || (self.id.is_none() && self.username.is_none()) {
            return Member::empty();
        }
        let is_address = |text: &String| text.contains('@');
        let named = said(&self.name);
        let email = said(&self.username).or_else(|| named.clone().filter(is_address));
        Member {
            kind,
            id: said(&self.id).or_else(|| said(&self.username)),
            name: named.filter(|name| !is_address(name)),
            email: email.filter(|_| kind == MemberKind::User),
        }
    }
}

impl User {
    pub(super) fn person(self, id: &str) -> OutsidePerson {
        OutsidePerson {
            participant_id: id.to_owned(),
            name: said(&self.full_name),
            email: said(&self.username).filter(|name| name.contains('@')),
        }
    }
}

impl Schedule {
    pub(super) fn summary(&self) -> ScheduleSummary {
        ScheduleSummary {
            id: self.id.clone(),
            name: said(&self.name).unwrap_or_else(|| self.id.clone()),
            zone: said(&self.timezone).map(|zone| OutsideZone::of(&zone)),
            web_url: None,
        }
    }

    fn zone(&self) -> OutsideZone {
        let zone = said(&self.timezone);
        OutsideZone::of(zone.as_deref().unwrap_or("UTC"))
    }

    pub(super) fn outline(&self) -> Outline {
        Outline {
            name: self.summary().name,
            zone: self.zone(),
            participants: units::participant_ids(self.rotations.iter()),
            people: self.people(),
        }
    }

    /// The people who take turns, with their addresses.
    fn people(&self) -> Vec<OutsidePerson> {
        let mut people: Vec<OutsidePerson> = Vec::new();
        for member in units::participants(self.rotations.iter()) {
            if let (MemberKind::User, Some(id)) = (member.kind, member.id)
                && !people.iter().any(|known| known.participant_id == id)
            {
                people.push(OutsidePerson {
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
        overrides: &[OneOverride],
        within: Option<Interval>,
    ) -> Result<Definition, Failure> {
        let rotations = self.rotations.iter().map(Rotation::rotation);
        let rotations = rotations.collect::<Result<Vec<_>, _>>()?;
        let overrides = overrides.iter().filter_map(|given| {
            let span = span(given.start_date, given.end_date)?;
            if within.is_some_and(|within| span.meets(within).is_none()) {
                return None;
            }
            let user = given.user.as_ref();
            Some(OutsideOverride {
                id: said(&given.alias),
                member: user.map_or_else(Member::empty, Recipient::member),
                span,
                rotation_ids: (given.rotations.iter())
                    .filter_map(|one| one.id.clone())
                    .collect(),
            })
        });
        let mut overrides: Vec<OutsideOverride> = overrides.collect();
        overrides.sort_by_key(|one| one.span.from);
        Ok(Definition {
            zone: self.zone(),
            summary: self.summary(),
            enabled: self.enabled.unwrap_or(true),
            layered: false,
            rotations,
            overrides,
            people: self.people(),
        })
    }
}

/// The definition in an answer, for a file that an operator has.
pub fn definition_of(answer: serde_json::Value) -> Result<Definition, Failure> {
    let data = unwrapped(answer);
    let schedule: Schedule = serde_json::from_value(data).map_err(wrong)?;
    schedule.definition(&[], None)
}

/// The timeline in an answer, for a file that an operator has.
pub fn timeline_of(answer: serde_json::Value, span: Interval) -> Result<Timeline, Failure> {
    let answer: TimelineResponse<Recipient> =
        serde_json::from_value(unwrapped(answer)).map_err(wrong)?;
    units::timeline(&[answer], span)
}

/// What the envelope holds, if there is one.
fn unwrapped(mut answer: serde_json::Value) -> serde_json::Value {
    match answer.get_mut("data") {
        Some(data) => data.take(),
        None => answer,
    }
}

fn wrong(error: serde_json::Error) -> Failure {
    Failure::invalid(format!("{}: {error}", Partner::Ops.title()))
}
