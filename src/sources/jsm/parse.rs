//! Answers of Jira Service Management Operations and of Jira (pure).

use super::super::Failure;
use super::super::json::{Instant, said, span};
use super::super::units::{self, Rotation, TimelineResponse, Who, kind_of};
use crate::domain::external::{
    Definition, Member, MemberKind, Outline, OutsideOverride, OutsidePerson, OutsideZone, Partner,
    ScheduleSummary, Timeline,
};
use crate::domain::time::Interval;
use serde::Deserialize;

/// A page of a listing.
#[derive(Deserialize)]
pub(super) struct Page<T> {
    #[serde(default = "Vec::new")]
    pub(super) values: Vec<T>,
    links: Option<Links>,
}

#[derive(Deserialize)]
struct Links {
    /// A path with the offset of the next page. Only the offset is used.
    next: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tenant {
    cloud_id: String,
}

#[derive(Deserialize)]
pub(super) struct Schedule {
    id: String,
    name: Option<String>,
    timezone: Option<String>,
    enabled: Option<bool>,
    #[serde(default)]
    rotations: Option<Vec<Rotation<Responder>>>,
}

/// A participant, the holder of a period, or who overrides.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::sources) struct Responder {
    r#type: String,
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OneOverride {
    alias: Option<String>,
    responder: Option<Responder>,
    start_date: Instant,
    end_date: Instant,
    #[serde(default)]
    rotation_ids: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct User {
    /// Absent or empty where the person hides it.
    email_address: Option<String>,
    display_name: Option<String>,
}

impl<T> Page<T> {
    /// The offset of the next page.
    pub(super) fn next(&self) -> Option<usize> {
        let next = self.links.as_ref()?.next.as_ref()?;
        let (_, query) = next.split_once('?')?;
        let offset = query
            .split('&')
            .find_map(|field| field.strip_prefix("offset="))?;
        offset.parse().ok()
    }
}

impl Tenant {
    pub(super) fn id(self) -> Result<String, Failure> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        match !self.cloud_id.is_empty() && self.cloud_id.chars().all(plain) {
            true => Ok(self.cloud_id),
            false => Err(Failure::invalid("the site has no cloud id")),
        }
    }
}

impl Who for Responder {
    fn member(&self) -> Member {
        let kind = kind_of(&self.r#type);
        match said(&self.id) {
            Some(id) if kind != MemberKind::Empty => Member {
                kind,
                ..Member::user(id)
            },
            _ => Member::empty(),
        }
    }
}

impl User {
    pub(super) fn person(self, id: &str) -> OutsidePerson {
        OutsidePerson {
            participant_id: id.to_owned(),
            name: said(&self.display_name),
            email: said(&self.email_address),
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
            participants: units::participant_ids(self.rotations.iter().flatten()),
            people: Vec::new(),
        }
    }

    /// How the schedule is made, with the overrides that overlap a span, or all.
    pub(super) fn definition(
        &self,
        overrides: &[OneOverride],
        within: Option<Interval>,
    ) -> Result<Definition, Failure> {
        let rotations = self.rotations.iter().flatten().map(Rotation::rotation);
        let overrides = overrides.iter().filter_map(|given| {
            let span = span(given.start_date, given.end_date)?;
            if within.is_some_and(|within| span.meets(within).is_none()) {
                return None;
            }
            let responder = given.responder.as_ref();
            Some(OutsideOverride {
                id: said(&given.alias),
                member: responder.map_or_else(Member::empty, Responder::member),
                span,
                rotation_ids: given.rotation_ids.clone().unwrap_or_default(),
            })
        });
        let mut overrides: Vec<OutsideOverride> = overrides.collect();
        overrides.sort_by_key(|one| one.span.from);
        Ok(Definition {
            zone: self.zone(),
            summary: self.summary(),
            enabled: self.enabled.unwrap_or(true),
            layered: false,
            rotations: rotations.collect::<Result<_, _>>()?,
            overrides,
            people: Vec::new(),
        })
    }
}

/// The definition in an answer, for a file that an operator has.
pub fn definition_of(answer: serde_json::Value) -> Result<Definition, Failure> {
    let schedule: Schedule = serde_json::from_value(answer).map_err(wrong)?;
    schedule.definition(&[], None)
}

/// The timeline in an answer, for a file that an operator has.
pub fn timeline_of(answer: serde_json::Value, span: Interval) -> Result<Timeline, Failure> {
    let answer: TimelineResponse<Responder> = serde_json::from_value(answer).map_err(wrong)?;
    units::timeline(&[answer], span)
}

fn wrong(error: serde_json::Error) -> Failure {
    Failure::invalid(format!("{}: {error}", Partner::Desk.title()))
}
