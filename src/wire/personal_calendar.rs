//! Calendars of people, and the absences that they and rota have of a person.

use super::body::{self, clearable, present};
use super::moment::Moment;
use super::repeated::{Repeated, Resource};
use super::strict::strict;
use super::to_i32;
use crate::domain::absence::AbsenceSource;
use crate::domain::audit::host;
use crate::domain::ids::UserId;
use crate::domain::personal_calendar as domain;
use crate::domain::refusal::Refusal;
use crate::domain::time::Interval;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict! {
    PersonalCalendarRequest => PersonalCalendar,
    PersonalCalendarPatch => PersonalCalendar,
}

/// A calendar of a person, whose events become absences. Its address is a secret and is not shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonalCalendar {
    pub id: String,
    pub user_id: String,
    pub name: Option<String>,
    /// The host of its address.
    pub host: String,
    pub counts: domain::Counts,
    /// Words that count with `outOfOffice`: whole words, without regard to case and accents.
    pub words: Vec<String>,
    pub state: domain::State,
    /// When it was last read without an error.
    pub last_read_at: Option<Moment>,
    /// Why it cannot be read, or which events cannot be.
    pub last_error: Option<String>,
    /// Absences from now on.
    pub events_ahead: i32,
    pub created_at: Moment,
}

/// An absence of a person, stored by rota or read from one of their calendars.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonAbsence {
    pub user_id: String,
    pub from: Moment,
    /// Exclusive.
    pub until: Moment,
    /// The summary of the event, where it is of a calendar; only the person and workspace admins see that.
    pub reason: Option<String>,
    pub source: AbsenceSource,
    /// Null for a stored absence.
    pub calendar_id: Option<String>,
}

/// A calendar to add.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonalCalendarRequest {
    /// The address of an iCalendar feed, https or webcal. It is a secret.
    url: String,
    /// At most 100 characters.
    #[serde(default)]
    name: Option<String>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "domain::Counts")]
    counts: Option<domain::Counts>,
    /// Replaces the usual words: at most 50, each of at most 50 characters.
    #[serde(default)]
    words: Option<Vec<String>>,
}

/// Changes of a calendar. What is left out stays.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonalCalendarPatch {
    /// At most 100 characters; null removes it.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<String>")]
    name: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "domain::Counts")]
    counts: Option<domain::Counts>,
    /// At most 50 words, each of at most 50 characters; null for the usual ones.
    #[serde(default, deserialize_with = "clearable")]
    #[schemars(with = "Option<Vec<String>>")]
    words: Option<Option<Vec<String>>>,
}

/// Reads a calendar to add.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse(bytes: &[u8], user: UserId) -> Result<domain::NewCalendar, Refusal> {
    let request: PersonalCalendarRequest = body::parse(bytes)?;
    let settings = domain::CalendarEdit {
        name: Some(request.name),
        counts: request.counts,
        words: Some(request.words),
    };
    settings.check()?;
    Ok(domain::NewCalendar {
        user,
        address: domain::SecretAddress::parse(&request.url)?,
        settings,
    })
}

/// Reads changes of a calendar.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse_patch(bytes: &[u8]) -> Result<domain::CalendarEdit, Refusal> {
    let request: PersonalCalendarPatch = body::parse(bytes)?;
    let edit = domain::CalendarEdit {
        name: request.name,
        counts: request.counts,
        words: request.words,
    };
    edit.check()?;
    Ok(edit)
}

/// The members that PATCH does not change.
static SHOWN: Resource = Resource {
    name: "calendar",
    routes: &[
        ("id", None),
        ("userId", None),
        (
            "host",
            Some("POST /v1/users/{userId}/calendars to add another address"),
        ),
        ("state", READ),
        ("lastReadAt", READ),
        ("lastError", READ),
        ("eventsAhead", READ),
        ("createdAt", None),
    ],
};
const READ: Option<&str> = Some("POST /v1/users/{userId}/calendars/{calendarId}/read");

/// Reads what a PATCH repeats of the calendar.
///
/// # Errors
/// [`Refusal::Invalid`] if a member is not valid JSON.
pub fn repeated(bytes: &[u8]) -> Result<Repeated, Refusal> {
    Repeated::read_beside::<PersonalCalendarPatch>(bytes, &SHOWN)
}

/// Renders a calendar. `ahead` is how many absences it has from now on.
pub fn render(calendar: &domain::PersonalCalendar, ahead: u64) -> PersonalCalendar {
    PersonalCalendar {
        id: calendar.id.to_string(),
        user_id: calendar.user.to_string(),
        name: calendar.name.clone(),
        host: bare_host(&calendar.address.0),
        counts: calendar.counts,
        words: calendar.shown_words(),
        state: calendar.state(),
        last_read_at: calendar.reading.read_at.map(Moment),
        last_error: calendar.reading.error.clone(),
        events_ahead: to_i32(usize::try_from(ahead).unwrap_or(usize::MAX)),
        created_at: calendar.created_at.into(),
    }
}

/// The host of an address, with its port if it has one.
fn bare_host(address: &str) -> String {
    let host = host(address);
    host.split_once("://")
        .map_or("", |(_, host)| host)
        .to_owned()
}

/// Renders an absence of a person.
pub fn render_absence(
    user: &UserId,
    period: Interval,
    reason: Option<String>,
    calendar: Option<String>,
) -> PersonAbsence {
    let instant = |at: Timestamp| Moment::from(at);
    PersonAbsence {
        user_id: user.to_string(),
        from: instant(period.from),
        until: instant(period.until),
        reason,
        source: match calendar {
            Some(_) => AbsenceSource::Calendar,
            None => AbsenceSource::Stored,
        },
        calendar_id: calendar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused() {
        for (sent, refused) in [
            (r#"{"url":"https://x.example/a.ics"}"#, None),
            (
                r#"{"url":"webcal://x.example/a.ics","name":null,"counts":"busy","words":["Kur"]}"#,
                None,
            ),
            (r#"{"name":"a"}"#, Some("url")),
            (r#"{"url":"x.example/a.ics"}"#, Some("url")),
            (
                r#"{"url":"https://x.example/a.ics","counts":"some"}"#,
                Some("counts"),
            ),
            (
                r#"{"url":"https://x.example/a.ics","words":["--"]}"#,
                Some("words[0]"),
            ),
            (
                r#"{"url":"https://x.example/a.ics","name":""}"#,
                Some("name"),
            ),
            (
                r#"{"url":"https://x.example/a.ics","user":"U1"}"#,
                Some("user"),
            ),
        ] {
            let outcome = parse(sent.as_bytes(), "U1".into());
            assert_eq!(crate::tests::member(&outcome), refused, "{sent}");
        }
        let address = |url: &str| domain::SecretAddress::parse(url).unwrap().0;
        assert_eq!(
            address("webcal://x.example/a.ics"),
            "https://x.example/a.ics"
        );
        assert_eq!(
            address(" WEBCALS://x.example/a.ics"),
            "https://x.example/a.ics"
        );
    }

    #[test]
    fn every_member_of_a_calendar_is_changed_by_patch_or_has_a_route() {
        let changed = crate::wire::strict::members_of::<PersonalCalendarPatch>();
        let shown = crate::wire::strict::members_of::<PersonalCalendar>();
        for member in shown.iter() {
            let routed = SHOWN.routes.iter().any(|(name, _)| name == member);
            assert!(changed.contains(member) != routed, "{member}");
        }
        for (member, _) in SHOWN.routes {
            assert!(shown.iter().any(|name| name == member), "{member}");
        }
    }

    #[test]
    fn a_patch_clears_and_keeps() {
        let read = |body: &str| parse_patch(body.as_bytes()).unwrap();
        assert!(read("{}").name.is_none() && read("{}").words.is_none());
        assert_eq!(read(r#"{"name":null}"#).name, Some(None));
        assert_eq!(read(r#"{"words":null}"#).words, Some(None));
        assert_eq!(
            read(r#"{"counts":"all"}"#).counts,
            Some(domain::Counts::All)
        );
    }
}
