//! Reading schedules of partner paging systems: PagerDuty, Opsgenie and Jira Service Management. Nothing is ever written there.
//! Schedules of GoAlert and Grafana OnCall are read as well, to be imported and not to be followed.
//!
//! Each partner is a [`Source`]; what can be imported is an [`Importable`]. It sends requests and turns the answers into [`external`](crate::domain::partner) values;
//! parsing is pure and apart from the requests. A request takes at most 10 s and reads at most 10 MB. Limits of requests that
//! a partner states are kept to a half, and a wait that it asks for is waited out.
//!
//! | File | Part |
//! |---|---|
//! | `settings` | what the operator sets |
//! | `failure` | why a reading failed |
//! | `line` | requests to a partner |
//! | `pace` | how fast they follow one another (pure) |
//! | `people` | people who were read a short while ago |
//! | `json` | members of answers that need more than their type (pure) |
//! | `pagerduty` | PagerDuty, v2 and v3 |
//! | `opsgenie`, `jsm` | Opsgenie and Jira Service Management |
//! | `units` | their schedules and timelines, which have the same form (pure) |
//! | `importable` | what an import reads |
//! | `goalert`, `grafana` | GoAlert and Grafana OnCall, which are only imported |

mod failure;
mod goalert;
mod grafana;
mod importable;
mod jsm;
mod json;
mod opsgenie;
mod pace;
mod pagerduty;
mod partner_client;
mod people;
mod schedule;
mod settings;
#[cfg(test)]
mod tests;
mod units;

pub use failure::Failure;
pub use goalert::{GoAlert, QUERY as GOALERT_QUERY};
pub use grafana::GrafanaOnCall;
pub use importable::{Importable, ReadSchedule};
pub use jsm::Jsm;
pub use opsgenie::Opsgenie;
pub use pagerduty::PagerDuty;
pub use settings::{DeskSettings, GrafanaSettings, KeySettings, Settings};

use crate::client::Tls;
use crate::domain::partner::{
    Definition, Origin, Outline, Partner, PartnerPerson, ScheduleSummary, Timeline,
};
use crate::domain::time::Interval;
use jiff::SignedDuration;
use std::sync::Arc;
use std::time::Duration;

/// A partner whose schedules can be read.
///
/// A call sends one or more requests and blocks its thread meanwhile: no longer than a request takes for each of them, and as
/// long as the partner's limit asks for between them.
pub trait Source: Send + Sync {
    /// Which partner it is.
    fn partner(&self) -> Partner;

    /// All schedules, in the partner's order.
    fn schedules(&self) -> Result<Vec<ScheduleSummary>, Failure>;

    /// How a schedule is made, with the overrides that overlap a span.
    ///
    /// # Errors
    /// [`Failure`], `not_found` for a schedule that there is not.
    fn definition(&self, schedule: &str, span: Interval) -> Result<Definition, Failure>;

    /// Who is on call over a span.
    ///
    /// # Errors
    /// [`Failure`], `not_found` for a schedule that there is not.
    fn timeline(&self, schedule: &str, span: Interval) -> Result<Timeline, Failure>;

    /// Reads the data for a rotation that follows a schedule: how the schedule is made, and who is on call over a span.
    ///
    /// # Errors
    /// [`Failure`], `not_found` for a schedule that there is not.
    fn reading(&self, schedule: &str, span: Interval) -> Result<(Outline, Timeline), Failure>;

    /// Names and addresses of people, in the order of the ids. What was read is kept for some minutes. Somebody whom the
    /// partner does not know has neither.
    fn people(&self, ids: &[String]) -> Result<Vec<PartnerPerson>, Failure>;

    /// Forgets what is kept of people, so that the next call reads them.
    fn forget_people(&self);

    /// How long until a request may be sent: zero, or what is left of a wait that the partner asked for. Until then every call
    /// that needs a request fails at once with `rate_limited`.
    fn wait(&self) -> Duration;
}

/// A reader for each partner with settings.
pub fn readers(settings: &Settings, tls: &Tls) -> Vec<Arc<dyn Source>> {
    let mut readers: Vec<Arc<dyn Source>> = Vec::new();
    let proxy = || settings.proxy.clone();
    if let Some(own) = &settings.pager {
        readers.push(Arc::new(PagerDuty::new(own, tls, proxy())));
    }
    if let Some(own) = &settings.ops {
        readers.push(Arc::new(Opsgenie::new(own, tls, proxy())));
    }
    if let Some(own) = &settings.desk {
        readers.push(Arc::new(Jsm::new(own, tls, proxy())));
    }
    readers
}

/// The reader of a system that schedules are imported from, if it has settings.
pub fn importer(settings: &Settings, tls: &Tls, origin: Origin) -> Option<Box<dyn Importable>> {
    let proxy = settings.proxy.clone();
    match origin {
        Origin::Partner(partner) => {
            let mut readers = readers(settings, tls).into_iter();
            let reader = readers.find(|reader| reader.partner() == partner)?;
            Some(Box::new(reader))
        }
        Origin::GoAlert => {
            let own = settings.go_alert.as_ref()?;
            Some(Box::new(GoAlert::new(own, tls, proxy)))
        }
        Origin::GrafanaOnCall => {
            let own = settings.grafana_on_call.as_ref()?;
            Some(Box::new(GrafanaOnCall::new(own, tls, proxy)))
        }
    }
}

/// The schedule in a file of an operator, which has answers of GoAlert.
///
/// # Errors
/// [`Failure`] if it is not as documented.
pub fn goalert_file(text: &[u8]) -> Result<ReadSchedule, Failure> {
    goalert::read_text(text)
}

/// A schedule in a file of an operator, which has answers of Grafana OnCall; `named` is its id. `span` is what is to be known.
///
/// # Errors
/// [`Failure`] if it is not as documented.
pub fn grafana_file(
    text: &[u8],
    named: Option<&str>,
    span: Interval,
) -> Result<ReadSchedule, Failure> {
    grafana::read_text(text, named, span)
}

/// The definition in an answer of the partner's API, for files.
///
/// # Errors
/// [`Failure`] if it is not as documented.
pub fn definition_of(
    partner: Partner,
    answer: serde_json::Value,
    span: Interval,
) -> Result<Definition, Failure> {
    match partner {
        Partner::Pager => pagerduty::definition_of(answer, span),
        Partner::Ops => schedule::definition_of::<opsgenie::Recipient>(answer, partner),
        Partner::Desk => schedule::definition_of::<jsm::Responder>(answer, partner),
    }
}

/// The final timeline in an answer of the partner's API, for files.
///
/// # Errors
/// [`Failure`] if it is not as documented.
pub fn timeline_of(
    partner: Partner,
    answer: serde_json::Value,
    span: Interval,
) -> Result<Timeline, Failure> {
    match partner {
        Partner::Pager => pagerduty::timeline_of(answer, span),
        Partner::Ops => schedule::timeline_of::<opsgenie::Recipient>(answer, partner, span),
        Partner::Desk => schedule::timeline_of::<jsm::Responder>(answer, partner, span),
    }
}

/// Whether a text can be the id of a schedule. An empty one would ask for the listing.
fn is_id(text: &str) -> bool {
    let dots = text.chars().all(|c| c == '.');
    !dots && text.len() <= 200 && !text.chars().any(char::is_control)
}

/// Cuts a span into pieces of at most so many days.
fn pieces(span: Interval, days: i64) -> Vec<Interval> {
    let length = SignedDuration::from_hours(24 * days);
    let mut pieces = Vec::new();
    let mut from = span.from;
    loop {
        let until = from.saturating_add(length).unwrap_or(span.until);
        let until = until.min(span.until);
        pieces.push(Interval { from, until });
        if until >= span.until {
            return pieces;
        }
        from = until;
    }
}
