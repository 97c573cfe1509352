//! Answers of Grafana OnCall (pure).

use super::super::importable::ReadSchedule;
use super::super::json::said;
use crate::domain::partner::{
    Definition, Exception, PartnerPerson, PartnerZone, ScheduleSummary, Timeline,
};
use crate::domain::time::Interval;
use crate::domain::zones::ZoneName;
use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A page of a listing.
#[derive(Deserialize)]
pub(super) struct Page<T> {
    pub(super) next: Option<String>,
    pub(super) results: Vec<T>,
}

#[derive(Clone, Deserialize)]
pub(super) struct Schedule {
    pub(super) id: String,
    name: Option<String>,
    pub(super) r#type: String,
    pub(super) time_zone: Option<String>,
    shifts: Option<Vec<String>>,
    pub(super) ical_url_overrides: Option<String>,
    pub(super) enable_web_overrides: Option<bool>,
}

/// A shift of a schedule, as it was entered.
#[derive(Clone, Deserialize)]
pub(super) struct GivenShift {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) r#type: String,
    schedule: Option<String>,
    pub(super) time_zone: Option<String>,
    pub(super) level: Option<i64>,
    pub(super) start: Local,
    pub(super) rotation_start: Option<Local>,
    /// In seconds.
    pub(super) duration: i64,
    pub(super) frequency: Option<String>,
    pub(super) interval: Option<u32>,
    /// In UTC, as no other time here.
    pub(super) until: Option<Local>,
    pub(super) week_start: Option<String>,
    pub(super) by_day: Option<Vec<String>>,
    pub(super) by_month: Option<Vec<i64>>,
    pub(super) by_monthday: Option<Vec<i64>>,
    pub(super) users: Option<Vec<String>>,
    pub(super) rolling_users: Option<Vec<Vec<String>>>,
    pub(super) start_rotation_from_user_index: Option<usize>,
}

#[derive(Clone, Deserialize)]
pub(super) struct User {
    id: String,
    email: Option<String>,
    username: Option<String>,
}

/// A local date and time.
#[derive(Clone, Copy)]
pub(super) struct Local(pub(super) DateTime);

impl<'de> Deserialize<'de> for Local {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Local, D::Error> {
        let text = String::deserialize(from)?;
        let read = text.trim_end_matches('Z').parse();
        read.map(Local)
            .map_err(|_| D::Error::custom(format!("{text:?} is not a date and time")))
    }
}

/// Results in a file: a list, or an answer as it is that has all of them.
pub(super) struct Results<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Results<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Results<T>, D::Error> {
        from.deserialize_any(ResultsVisitor(PhantomData))
    }
}

struct ResultsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ResultsVisitor<T> {
    type Value = Results<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the results of an answer, or the answer")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Results<T>, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = list.next_element()? {
            all.push(one);
        }
        Ok(Results(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut answer: A) -> Result<Results<T>, A::Error> {
        let mut results = None;
        while let Some(member) = answer.next_key::<String>()? {
            match member.as_str() {
                "results" => results = Some(answer.next_value()?),
                "next" => {
                    if let Some(next) = answer.next_value::<Option<String>>()? {
                        return Err(A::Error::custom(format!(
                            "the answer has another page at {next:?}; write the results of all pages as one list"
                        )));
                    }
                }
                _ => drop(answer.next_value::<IgnoredAny>()?),
            }
        }
        results
            .map(Results)
            .ok_or_else(|| A::Error::missing_field("results"))
    }
}

impl Schedule {
    pub(super) fn summary(&self) -> ScheduleSummary {
        ScheduleSummary {
            id: self.id.clone(),
            name: said(&self.name).unwrap_or_else(|| self.id.clone()),
            zone: said(&self.time_zone).map(|zone| PartnerZone::of(&zone)),
            web_url: None,
        }
    }

    /// Whether its shifts are in a calendar that only Grafana OnCall reads.
    pub(super) fn is_ical(&self) -> bool {
        self.r#type == "ical"
    }

    /// What is said of a schedule whose shifts the API does not give.
    pub(super) fn unread(&self, now: Timestamp) -> ReadSchedule {
        let nothing = Interval::new(now, now);
        let mut definition = self.definition(PartnerZone::of("UTC"));
        definition.unsaid.push(
            "the schedule follows a calendar (iCal), whose shifts the API does not give; make a schedule of type web with the same \
             shifts in Grafana OnCall and import that one, or make the rotation by hand"
                .to_owned(),
        );
        ReadSchedule {
            definition,
            timeline: Timeline {
                known: nothing,
                answered: nothing,
                rotations: Vec::new(),
                shifts: Vec::new(),
            },
            people: Vec::new(),
        }
    }

    pub(super) fn definition(&self, zone: PartnerZone) -> Definition {
        Definition {
            summary: self.summary(),
            zone,
            enabled: true,
            layered: false,
            rotations: Vec::new(),
            overrides: Vec::new(),
            people: Vec::new(),
            exceptions: Vec::new(),
            unsaid: Vec::new(),
            differs_at_clock_changes: true,
        }
    }

    /// Whether a shift is one of this schedule.
    pub(super) fn has(&self, shift: &GivenShift) -> bool {
        let listed = self.shifts.iter().flatten().any(|id| *id == shift.id);
        listed || shift.schedule.as_ref().is_none_or(|id| *id == self.id)
    }
}

impl User {
    pub(super) fn person(&self) -> PartnerPerson {
        PartnerPerson {
            participant_id: self.id.clone(),
            name: said(&self.username),
            email: said(&self.email),
        }
    }
}

impl GivenShift {
    pub(super) fn title(&self) -> String {
        said(&self.name).unwrap_or_else(|| self.id.clone())
    }

    /// Whether it takes place once.
    pub(super) fn is_single(&self) -> bool {
        matches!(self.r#type.as_str(), "single_event" | "override") || self.frequency.is_none()
    }

    /// The zone that was set for it.
    pub(super) fn own_zone(&self) -> Option<PartnerZone> {
        said(&self.time_zone).map(|zone| PartnerZone::of(&zone))
    }

    /// The only time of a shift without a rhythm.
    pub(super) fn once(&self, zone: ZoneName) -> Option<Interval> {
        let ends = self
            .start
            .0
            .saturating_add(SignedDuration::from_secs(self.duration));
        let until = instant(ends, zone)?;
        let cut = self.until.and_then(|at| instant(at.0, ZoneName::utc()));
        let until = cut.map_or(until, |cut| cut.min(until));
        let span = Interval::new(instant(self.start.0, zone)?, until);
        (!span.is_empty()).then_some(span)
    }

    pub(super) fn exception(&self, zone: ZoneName) -> Option<Exception> {
        let kind = match self.r#type.as_str() {
            "override" => "override",
            _ => "single event",
        };
        Some(Exception {
            what: format!("the {kind} {:?}", self.title()),
            span: self.once(zone)?,
        })
    }
}

/// The instant of a local time.
pub(super) fn instant(local: DateTime, zone: ZoneName) -> Option<Timestamp> {
    zone.tz().to_timestamp(local).ok()
}
