//! PagerDuty: schedules of its REST API v2, and shift-based schedules, which only v3 can read.

mod v2;
mod v3;

use super::json::said;
use super::line::{PartnerClient, segment};
use super::people::People;
use super::{Failure, KeySettings, Source, is_id, pieces};
use crate::client::{Proxy, Tls};
use crate::domain::external::{
    Definition, Outline, OutsidePerson, Partner, ReadFailure, ScheduleSummary, Shift, Timeline,
};
use crate::domain::time::Interval;
use serde::Deserialize;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The longest span of one request, in days: PagerDuty answers at most three months.
const LONGEST_DAYS: i64 = 31;

/// Up to so many people are read one by one; more by listing everybody.
const ONE_BY_ONE: usize = 20;

/// The most pages of a listing.
const MOST_PAGES: usize = 1_000;

/// PagerDuty.
pub struct PagerDuty {
    line: PartnerClient,
    people: People,
    /// The schedules that v2 does not have, so that they are asked of v3 at once.
    shift_based: Mutex<HashSet<String>>,
}

/// A page of a listing.
#[derive(Deserialize)]
struct Page<T> {
    #[serde(alias = "schedules", alias = "users", alias = "overrides")]
    items: Vec<T>,
    #[serde(default)]
    more: bool,
}

#[derive(Deserialize)]
struct User {
    id: String,
    name: Option<String>,
    summary: Option<String>,
    email: Option<String>,
}

#[derive(Deserialize)]
struct OneUser {
    user: User,
}

impl From<User> for OutsidePerson {
    fn from(user: User) -> OutsidePerson {
        OutsidePerson {
            name: said(&user.name).or_else(|| said(&user.summary)),
            email: said(&user.email),
            participant_id: user.id,
        }
    }
}

impl PagerDuty {
    /// A reader with these settings.
    pub fn new(settings: &KeySettings, tls: &Tls, proxy: Option<Proxy>) -> PagerDuty {
        let key = settings.api_key.reveal();
        let headers = [
            ("Authorization", format!("Token token={key}")),
            (
                "Accept",
                "application/vnd.pagerduty+json;version=2".to_owned(),
            ),
            // Required, although nothing is sent.
            ("Content-Type", "application/json".to_owned()),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value));
        PagerDuty {
            line: PartnerClient::new(tls, proxy, &settings.url, headers.to_vec()),
            people: People::default(),
            shift_based: Mutex::default(),
        }
    }

    /// All items of a listing. `path` has a query.
    fn pages<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        size: usize,
    ) -> Result<Vec<T>, Failure> {
        let mut all = Vec::new();
        for _ in 0..MOST_PAGES {
            // A page may have fewer items than were asked for.
            let offset = all.len();
            let page: Page<T> = self
                .line
                .get(&format!("{path}limit={size}&offset={offset}"))?;
            let is_last = !page.more || page.items.is_empty();
            all.extend(page.items);
            if is_last {
                return Ok(all);
            }
        }
        Err(Failure::invalid("the listing does not end"))
    }

    fn is_shift_based(&self, schedule: &str) -> bool {
        let known = self
            .shift_based
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known.contains(schedule)
    }

    /// Asks v2, and v3 where v2 does not know the schedule: it answers 404 or 400 to one that is shift-based.
    fn either<T>(
        &self,
        schedule: &str,
        v2: impl FnOnce() -> Result<T, Failure>,
        v3: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if !is_id(schedule) {
            let why = format!("{schedule:?} is not the id of a schedule");
            return Err(Failure::new(ReadFailure::NotFound, why));
        }
        let mut refused = None;
        if !self.is_shift_based(schedule) {
            match v2() {
                Err(failure) if failure.kind == ReadFailure::NotFound => {}
                Err(failure) if failure.status == Some(400) => refused = Some(failure),
                answered => return answered,
            }
        }
        let answered = match (v3(), refused) {
            // It is no schedule of v3, so v2 refused it for another reason.
            (Err(failure), Some(refused)) if failure.kind == ReadFailure::NotFound => Err(refused),
            (answered, _) => answered,
        };
        let mut known = self
            .shift_based
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match &answered {
            Ok(_) => known.insert(schedule.to_owned()),
            Err(_) => known.remove(schedule),
        };
        answered
    }

    fn v2_schedule(&self, schedule: &str, span: Interval) -> Result<v2::Schedule, Failure> {
        let answer: v2::ScheduleResponse = self.line.get(&format!(
            "/schedules/{}?since={}&until={}&overflow=true",
            segment(schedule),
            segment(&span.from.to_string()),
            segment(&span.until.to_string()),
        ))?;
        Ok(answer.schedule)
    }

    fn v3_schedule(&self, schedule: &str, span: Interval) -> Result<v3::Schedule, Failure> {
        let answer: v3::ScheduleResponse = self.line.get(&format!(
            "/v3/schedules/{}?since={}&until={}&overflow=true&include%5B%5D=final_schedule",
            segment(schedule),
            segment(&span.from.to_string()),
            segment(&span.until.to_string()),
        ))?;
        Ok(answer.schedule)
    }

    fn v2_overrides(&self, schedule: &str, span: Interval) -> Result<Vec<v2::Override>, Failure> {
        let mut all = Vec::new();
        for span in pieces(span, LONGEST_DAYS) {
            let page: Page<v2::Override> = self.line.get(&format!(
                "/schedules/{}/overrides?since={}&until={}&overflow=true",
                segment(schedule),
                segment(&span.from.to_string()),
                segment(&span.until.to_string()),
            ))?;
            all.extend(page.items);
        }
        Ok(all)
    }

    fn v3_overrides(&self, schedule: &str, span: Interval) -> Result<Vec<v3::Override>, Failure> {
        let path = format!(
            "/v3/schedules/{}/overrides?since={}&until={}&overflow=true&",
            segment(schedule),
            segment(&span.from.to_string()),
            segment(&span.until.to_string()),
        );
        self.pages(&path, 100)
    }

    fn read_people(&self, ids: &[String]) -> Result<Vec<OutsidePerson>, Failure> {
        if ids.len() > ONE_BY_ONE {
            let users: Vec<User> = self.pages("/users?", 100)?;
            return Ok(users.into_iter().map(OutsidePerson::from).collect());
        }
        let mut people = Vec::new();
        for id in ids {
            match self.line.get::<OneUser>(&format!("/users/{}", segment(id))) {
                Ok(answer) => people.push(answer.user.into()),
                // They are gone.
                Err(failure) if failure.kind == ReadFailure::NotFound => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(people)
    }
}

impl Source for PagerDuty {
    fn partner(&self) -> Partner {
        Partner::Pager
    }

    fn schedules(&self) -> Result<Vec<ScheduleSummary>, Failure> {
        let listed: Vec<v2::Listed> = self.pages("/schedules?", 100)?;
        let mut all: Vec<ScheduleSummary> = listed.into_iter().map(v2::Listed::summary).collect();
        let shift_based: Vec<v3::Listed> = match self.pages("/v3/schedules?", 1000) {
            Ok(listed) => listed,
            // The account has no shift-based schedules, or the key may not see them.
            Err(failure)
                if matches!(failure.kind, ReadFailure::NotFound | ReadFailure::Forbidden) =>
            {
                Vec::new()
            }
            Err(failure) => return Err(failure),
        };
        for listed in shift_based {
            let summary = listed.summary();
            if !all.iter().any(|known| known.id == summary.id) {
                all.push(summary);
            }
        }
        Ok(all)
    }

    fn definition(&self, schedule: &str, span: Interval) -> Result<Definition, Failure> {
        // The definition does not depend on the span, and a short one has a small answer.
        let short = pieces(span, 1)[0];
        self.either(
            schedule,
            || {
                let read = self.v2_schedule(schedule, short)?;
                let overrides = self.v2_overrides(schedule, span)?;
                read.definition(&overrides, span)
            },
            || {
                let read = self.v3_schedule(schedule, short)?;
                let overrides = self.v3_overrides(schedule, span)?;
                Ok(read.definition(&overrides, span))
            },
        )
    }

    fn timeline(&self, schedule: &str, span: Interval) -> Result<Timeline, Failure> {
        Ok(self.reading(schedule, span)?.1)
    }

    fn reading(&self, schedule: &str, span: Interval) -> Result<(Outline, Timeline), Failure> {
        let ask = |piece| {
            self.either(
                schedule,
                || {
                    let read = self.v2_schedule(schedule, piece)?;
                    Ok((read.outline(), read.shifts()?))
                },
                || {
                    let read = self.v3_schedule(schedule, piece)?;
                    Ok((read.outline(), read.shifts()?))
                },
            )
        };
        // One answer has both. That of the last piece is the newest.
        let mut pieces = pieces(span, LONGEST_DAYS);
        let last = pieces.pop().unwrap_or(span);
        let mut parts = Vec::new();
        for piece in pieces {
            parts.push(ask(piece)?.1);
        }
        let (outline, part) = ask(last)?;
        parts.push(part);
        Ok((outline, put_together(parts, span)))
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

/// The ids of rotations in the partner's order, and shifts.
type Part = (Vec<String>, Vec<Shift>);

/// A timeline of answers that follow one another.
fn put_together(parts: Vec<Part>, span: Interval) -> Timeline {
    let mut whole = Timeline {
        known: span,
        answered: span,
        rotations: Vec::new(),
        shifts: Vec::new(),
    };
    for (rotations, shifts) in parts {
        for id in rotations {
            if !whole.rotations.contains(&id) {
                whole.rotations.push(id);
            }
        }
        whole.shifts.extend(shifts);
    }
    whole.joined()
}

/// The definition in an answer of the API, for a file that an operator has.
///
/// # Errors
/// A sentence about what is missing.
pub(super) fn definition_of(
    answer: serde_json::Value,
    span: Interval,
) -> Result<Definition, Failure> {
    let is_v3 = answer["schedule"]["type"] == "schedule_v3";
    let wrong = |error: serde_json::Error| Failure::invalid(error.to_string());
    match is_v3 {
        true => Ok(v3::ScheduleResponse::deserialize(answer)
            .map_err(wrong)?
            .schedule
            .definition(&[], span)),
        false => v2::ScheduleResponse::deserialize(answer)
            .map_err(wrong)?
            .schedule
            .definition(&[], span),
    }
}

/// The timeline in an answer of the API.
///
/// # Errors
/// A sentence about what is missing.
pub(super) fn timeline_of(answer: serde_json::Value, span: Interval) -> Result<Timeline, Failure> {
    let is_v3 = answer["schedule"]["type"] == "schedule_v3";
    let wrong = |error: serde_json::Error| Failure::invalid(error.to_string());
    let part = match is_v3 {
        true => v3::ScheduleResponse::deserialize(answer)
            .map_err(wrong)?
            .schedule
            .shifts()?,
        false => v2::ScheduleResponse::deserialize(answer)
            .map_err(wrong)?
            .schedule
            .shifts()?,
    };
    // A file does not say for which span it was asked.
    let last = part.1.iter().map(|shift| shift.span.until).max();
    let until = last.map_or(span.until, |last| last.clamp(span.from, span.until));
    Ok(put_together(vec![part], Interval { until, ..span }))
}
