//! Jira Service Management Operations. Its schedules name people by account ids alone; names and addresses are Jira's.

mod parse;

use super::line::{PartnerClient, segment};
use super::opsgenie::checked;
use super::people::People;
use super::schedule::{OneOverride, Schedule};
use super::units::{self, TimelineResponse};
use super::{DeskSettings, Failure, Source};
use crate::client::{Proxy, Tls};
use crate::domain::external::{
    Definition, Outline, OutsidePerson, Partner, ReadFailure, ScheduleSummary, Timeline,
};
use crate::domain::time::Interval;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
pub(super) use parse::Responder;
use parse::{Page, Tenant, User};
use serde::de::DeserializeOwned;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The most items of a page.
const PAGE: usize = 50;

/// The most pages of a listing.
const MOST_PAGES: usize = 1_000;

/// Jira Service Management.
pub struct Jsm {
    /// The API of schedules.
    line: PartnerClient,
    /// The site, with the same credentials.
    site: PartnerClient,
    /// The site without credentials.
    open_site: PartnerClient,
    /// As set, or as the site said.
    cloud_id: Mutex<Option<String>>,
    people: People,
}

impl Jsm {
    /// A reader with these settings.
    pub fn new(settings: &DeskSettings, tls: &Tls, proxy: Option<Proxy>) -> Jsm {
        let token = settings.api_token.reveal();
        let login = STANDARD.encode(format!("{}:{token}", settings.email));
        let accept = ("Accept".to_owned(), "application/json".to_owned());
        let headers = vec![
            ("Authorization".to_owned(), format!("Basic {login}")),
            accept.clone(),
        ];
        Jsm {
            line: PartnerClient::new(tls, proxy.clone(), &settings.url, headers.clone()),
            site: PartnerClient::new(tls, proxy.clone(), &settings.site, headers),
            open_site: PartnerClient::new(tls, proxy, &settings.site, vec![accept]),
            cloud_id: Mutex::new(settings.cloud_id.clone()),
            people: People::default(),
        }
    }

    /// What the site says about itself.
    fn tenant(&self) -> Result<Tenant, Failure> {
        let read = self.open_site.get("/_edge/tenant_info");
        read.map_err(|failure: Failure| match failure.kind {
            // Callers take this kind for a schedule that there is not.
            ReadFailure::NotFound => Failure::invalid(
                "the site has no tenant information; set partners.deskPartner.site to a site of Jira, or cloud_id",
            ),
            _ => failure,
        })
    }

    /// The beginning of every path.
    fn root(&self) -> Result<String, Failure> {
        let known = || {
            let known = self.cloud_id.lock().unwrap_or_else(PoisonError::into_inner);
            known.clone()
        };
        let id = match known() {
            Some(id) => id,
            None => {
                let id = self.tenant()?.id()?;
                let mut known = self.cloud_id.lock().unwrap_or_else(PoisonError::into_inner);
                known.insert(id).clone()
            }
        };
        Ok(format!("/jsm/ops/api/{}/v1", segment(&id)))
    }

    /// All items of a listing.
    fn pages<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, Failure> {
        let mut all = Vec::new();
        let mut offset = 0;
        for _ in 0..MOST_PAGES {
            let page: Page<T> = self
                .line
                .get(&format!("{path}?size={PAGE}&offset={offset}"))?;
            let next = page.next();
            all.extend(page.values);
            match next {
                Some(next) if next > offset => offset = next,
                _ => return Ok(all),
            }
        }
        Err(Failure::invalid("the listing does not end"))
    }

    fn read_people(&self, ids: &[String]) -> Result<Vec<OutsidePerson>, Failure> {
        let mut people = Vec::new();
        for id in ids {
            let path = format!("/rest/api/3/user?accountId={}", segment(id));
            match self.site.get::<User>(&path) {
                Ok(user) => people.push(user.person(id)),
                // They are gone.
                Err(failure) if failure.kind == ReadFailure::NotFound => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(people)
    }
}

impl Source for Jsm {
    fn partner(&self) -> Partner {
        Partner::Desk
    }

    fn schedules(&self) -> Result<Vec<ScheduleSummary>, Failure> {
        let listed: Vec<Schedule<Responder>> =
            self.pages(&format!("{}/schedules", self.root()?))?;
        Ok(listed.iter().map(Schedule::summary).collect())
    }

    fn definition(&self, schedule: &str, span: Interval) -> Result<Definition, Failure> {
        let schedule = checked(schedule)?;
        let path = format!("{}/schedules/{schedule}", self.root()?);
        let read: Schedule<Responder> = self.line.get(&path)?;
        let overrides: Vec<OneOverride<Responder>> = self.pages(&format!("{path}/overrides"))?;
        read.definition(&overrides, Some(span))
    }

    fn timeline(&self, schedule: &str, span: Interval) -> Result<Timeline, Failure> {
        let schedule = checked(schedule)?;
        let path = format!("{}/schedules/{schedule}/timeline", self.root()?);
        units::read(
            span,
            |weeks, date| -> Result<TimelineResponse<Responder>, _> {
                self.line.get(&format!(
                "{path}?intervalUnit=weeks&interval={}&date={}&expand=base&expand=override&expand=forwarding",
                weeks,
                segment(&date.to_string()),
            ))
            },
        )
    }

    fn reading(&self, schedule: &str, span: Interval) -> Result<(Outline, Timeline), Failure> {
        let path = format!("{}/schedules/{}", self.root()?, checked(schedule)?);
        let read: Schedule<Responder> = self.line.get(&path)?;
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
