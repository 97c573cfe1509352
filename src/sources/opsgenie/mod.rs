//! Opsgenie's REST API.

mod parse;

use super::line::{PartnerClient, segment};
use super::people::People;
use super::schedule::{OneOverride, Schedule};
use super::units::{self, TimelineResponse};
use super::{Failure, KeySettings, Source, is_id};
use crate::client::{Proxy, Tls};
use crate::domain::external::{
    Definition, Outline, OutsidePerson, Partner, ReadFailure, ScheduleSummary, Timeline,
};
use crate::domain::time::Interval;
pub(super) use parse::Recipient;
use parse::{Data, User};
use serde::Deserialize;
use std::time::Duration;

/// Opsgenie.
pub struct Opsgenie {
    line: PartnerClient,
    people: People,
}

impl Opsgenie {
    /// A reader with these settings.
    pub fn new(settings: &KeySettings, tls: &Tls, proxy: Option<Proxy>) -> Opsgenie {
        let key = settings.api_key.reveal();
        let headers = [
            ("Authorization", format!("GenieKey {key}")),
            ("Accept", "application/json".to_owned()),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value));
        Opsgenie {
            line: PartnerClient::new(tls, proxy, &settings.url, headers.to_vec()),
            people: People::default(),
        }
    }

    fn get<T: for<'de> Deserialize<'de>>(&self, path: &str) -> Result<T, Failure> {
        let answer: Data<T> = self.line.get(path)?;
        Ok(answer.data)
    }

    fn read_people(&self, ids: &[String]) -> Result<Vec<OutsidePerson>, Failure> {
        let mut people = Vec::new();
        for id in ids {
            match self.get::<User>(&format!("/v2/users/{}", segment(id))) {
                Ok(user) => people.push(user.person(id)),
                // They are gone.
                Err(failure) if failure.kind == ReadFailure::NotFound => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(people)
    }
}

/// Refuses what cannot be the id of a schedule.
pub(super) fn checked(schedule: &str) -> Result<String, Failure> {
    match is_id(schedule) {
        true => Ok(segment(schedule)),
        false => Err(Failure::new(
            ReadFailure::NotFound,
            format!("{schedule:?} is not the id of a schedule"),
        )),
    }
}

impl Source for Opsgenie {
    fn partner(&self) -> Partner {
        Partner::Ops
    }

    fn schedules(&self) -> Result<Vec<ScheduleSummary>, Failure> {
        let listed: Vec<Schedule<Recipient>> = self.get("/v2/schedules")?;
        Ok(listed.iter().map(Schedule::summary).collect())
    }

    fn definition(&self, schedule: &str, span: Interval) -> Result<Definition, Failure> {
        let path = format!("/v2/schedules/{}", checked(schedule)?);
        let read: Schedule<Recipient> = self.get(&format!("{path}?identifierType=id"))?;
        let overrides: Vec<OneOverride<Recipient>> = self.get(&format!("{path}/overrides"))?;
        read.definition(&overrides, Some(span))
    }

    fn timeline(&self, schedule: &str, span: Interval) -> Result<Timeline, Failure> {
        let path = format!("/v2/schedules/{}/timeline", checked(schedule)?);
        units::read(
            span,
            |weeks, date| -> Result<TimelineResponse<Recipient>, _> {
                self.get(&format!(
                "{path}?identifierType=id&expand=base,override,forwarding&intervalUnit=weeks&interval={}&date={}",
                weeks,
                segment(&date.to_string()),
            ))
            },
        )
    }

    fn reading(&self, schedule: &str, span: Interval) -> Result<(Outline, Timeline), Failure> {
        let path = format!("/v2/schedules/{}?identifierType=id", checked(schedule)?);
        let read: Schedule<Recipient> = self.get(&path)?;
        Ok((read.outline(), self.timeline(schedule, span)?))
    }

    fn people(&self, ids: &[String]) -> Result<Vec<OutsidePerson>, Failure> {
        self.people.of(ids, |missing| self.read_people(missing))
    }

    fn forget_people(&self) {
        self.people.forget();
    }

    fn wait(&self) -> Duration {
        self.line.held()
    }
}
