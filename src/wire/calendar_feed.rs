//! Calendar feeds: as resources of the API, and as what calendar programs read (rules.md 20).

use super::body::{self, present};
use super::ical::Writer;
use super::int32::Int32;
use super::moment::Moment;
use super::strict::strict;
use crate::domain::calendar_feed as domain;
use crate::domain::duty_feed::DutyEvent;
use crate::domain::ids::RotationId;
use crate::domain::refusal::{Refusal, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

strict!(CalendarFeedRequest => CalendarFeedWithAddress);

/// A calendar feed. Its address is only in the answers that create it or replace the address.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalendarFeed {
    pub id: String,
    /// The person whose turns it shows; null for everybody's.
    pub user_id: Option<String>,
    /// The rotation that it is limited to; null for all rotations of the person.
    pub rotation_id: Option<String>,
    pub name: Option<String>,
    /// Minutes before the beginning of each event.
    pub alarms: Vec<u32>,
    pub created_at: Moment,
}

/// A calendar feed with its address, which is a secret and is not shown again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalendarFeedWithAddress {
    #[serde(flatten)]
    pub feed: CalendarFeed,
    /// Where calendar programs read it.
    pub url: String,
    /// The same address with the scheme `webcal`, which opens the calendar program.
    pub webcal_url: String,
}

/// A calendar feed to create. At least one of `userId` and `rotationId` is required.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalendarFeedRequest {
    /// Shows the turns of this person.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    user_id: Option<String>,
    /// Without `userId`, shows everybody's turns in this rotation; with it, limits the feed to this rotation.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    rotation_id: Option<String>,
    /// The name of the calendar, at most 100 characters. Made from what it shows if omitted.
    #[serde(default)]
    name: Option<String>,
    /// Minutes before the beginning of each event at which the calendar program reminds: at most 3, each from 0 to 40320.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<Int32>")]
    alarms: Option<Vec<Int32>>,
}

/// Reads a feed to create.
///
/// # Errors
/// [`Refusal::Invalid`] naming the member.
pub fn parse(bytes: &[u8]) -> Result<domain::NewFeed, Refusal> {
    let request: CalendarFeedRequest = body::parse(bytes)?;
    let mut alarms = Vec::new();
    for (index, Int32(minutes)) in request.alarms.unwrap_or_default().iter().enumerate() {
        match u32::try_from(*minutes) {
            Ok(minutes) => alarms.push(minutes),
            Err(_) => {
                return invalid(format!("alarms[{index}]"), "send minutes before, from 0");
            }
        }
    }
    let new = domain::NewFeed {
        shows: domain::Shows::of(
            request.user_id.map(Into::into),
            request.rotation_id.map(Into::into),
        )?,
        name: request.name,
        alarms,
    };
    new.check()?;
    Ok(new)
}

/// Renders a feed.
pub fn render(feed: &domain::CalendarFeed) -> CalendarFeed {
    CalendarFeed {
        id: feed.id.to_string(),
        user_id: feed.shows.user().map(ToString::to_string),
        rotation_id: feed.shows.rotation().map(ToString::to_string),
        name: feed.name.clone(),
        alarms: feed.alarms.clone(),
        created_at: feed.created_at.into(),
    }
}

/// Renders a feed with its address.
pub fn with_address(
    feed: &domain::CalendarFeed,
    base_url: &str,
    secret: &str,
) -> CalendarFeedWithAddress {
    let url = address(base_url, secret);
    let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    CalendarFeedWithAddress {
        webcal_url: format!("webcal://{rest}"),
        feed: render(feed),
        url,
    }
}

/// The address of a feed on this server.
pub fn address(base_url: &str, secret: &str) -> String {
    let base = base_url.trim_end_matches('/');
    format!("{base}/calendar/{secret}.ics")
}

/// The media type of a feed.
pub const MEDIA_TYPE: &str = "text/calendar; charset=utf-8";

/// A feed as calendar programs read it.
pub struct Rendering<'a> {
    pub feed: &'a domain::CalendarFeed,
    /// The name of the calendar.
    pub name: &'a str,
    /// The public address of the server.
    pub base_url: &'a str,
}

impl Rendering<'_> {
    /// Renders events, each with its rotation.
    pub fn calendar(&self, events: &[(RotationId, DutyEvent)]) -> String {
        let mut out = Writer::default();
        out.line("BEGIN", "VCALENDAR");
        out.line("VERSION", "2.0");
        out.line("PRODID", "-//rota//duty//EN");
        out.line("CALSCALE", "GREGORIAN");
        out.line("METHOD", "PUBLISH");
        out.text("NAME", self.name);
        out.text("X-WR-CALNAME", self.name);
        out.line("REFRESH-INTERVAL;VALUE=DURATION", "PT1H");
        out.line("X-PUBLISHED-TTL", "PT1H");
        for (rotation, event) in events {
            self.event(&mut out, rotation, event);
        }
        out.line("END", "VCALENDAR");
        out.finish()
    }

    fn event(&self, out: &mut Writer, rotation: &RotationId, event: &DutyEvent) {
        let revision = &self.feed.revision;
        let base = self.base_url.trim_end_matches('/');
        let began = event.period.from.as_millisecond();
        out.line("BEGIN", "VEVENT");
        out.line("UID", &format!("{}-{began}@rota", event.cell));
        out.instant("DTSTAMP", revision.changed_at);
        out.instant("LAST-MODIFIED", revision.changed_at);
        out.line("SEQUENCE", &revision.sequence.to_string());
        out.instant("DTSTART", event.period.from);
        out.instant("DTEND", event.period.until);
        out.text("SUMMARY", &event.summary);
        out.line("URL", &format!("{base}/rotations/{rotation}"));
        out.line("TRANSP", "TRANSPARENT");
        for minutes in &self.feed.alarms {
            out.line("BEGIN", "VALARM");
            out.line("ACTION", "DISPLAY");
            out.text("DESCRIPTION", &event.summary);
            out.line("TRIGGER", &format!("-PT{minutes}M"));
            out.line("END", "VALARM");
        }
        out.line("END", "VEVENT");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_written_with_their_alarms() {
        let at = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
        let feed = domain::CalendarFeed {
            id: "cal_1".into(),
            shows: domain::Shows::Rotation("rot_1".into()),
            name: None,
            alarms: vec![15],
            created_by: None,
            created_at: at("2026-11-01T00:00:00Z"),
            revision: domain::Revision {
                state: None,
                sequence: 7,
                changed_at: at("2026-11-20T12:00:00Z"),
            },
            gone: None,
        };
        let event = DutyEvent {
            cell: "cel_1".into(),
            period: crate::domain::time::Interval {
                from: at("2026-11-23T08:00:00Z"),
                until: at("2026-11-24T08:00:00Z"),
            },
            summary: "Zoë\nEND:VCALENDAR: Ops".into(),
        };
        let rendering = Rendering {
            feed: &feed,
            name: "Ops; night",
            base_url: "https://rota.example.org/",
        };
        let expected = "BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//rota//duty//EN
CALSCALE:GREGORIAN
METHOD:PUBLISH
NAME:Ops\\; night
X-WR-CALNAME:Ops\\; night
REFRESH-INTERVAL;VALUE=DURATION:PT1H
X-PUBLISHED-TTL:PT1H
BEGIN:VEVENT
UID:cel_1-1795420800000@rota
DTSTAMP:20261120T120000Z
LAST-MODIFIED:20261120T120000Z
SEQUENCE:7
DTSTART:20261123T080000Z
DTEND:20261124T080000Z
SUMMARY:Zoë\\nEND:VCALENDAR: Ops
URL:https://rota.example.org/rotations/rot_1
TRANSP:TRANSPARENT
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:Zoë\\nEND:VCALENDAR: Ops
TRIGGER:-PT15M
END:VALARM
END:VEVENT
END:VCALENDAR
";
        let written = rendering.calendar(&[("rot_1".into(), event)]);
        assert_eq!(written, expected.replace('\n', "\r\n"));
    }

    #[test]
    fn what_is_refused() {
        for (sent, refused) in [
            (r#"{"userId":"U1"}"#, None),
            (
                r#"{"userId":"U1","rotationId":"rot_1","name":null,"alarms":[0,"15"]}"#,
                None,
            ),
            ("{}", Some("userId")),
            (r#"{"userId":null,"rotationId":"rot_1"}"#, Some("userId")),
            (r#"{"userId":"U1","alarms":[10,-1]}"#, Some("alarms[1]")),
            (r#"{"userId":"U1","alarms":"10"}"#, Some("alarms")),
            (r#"{"userId":"U1","alarm":[10]}"#, Some("alarm")),
        ] {
            let outcome = parse(sent.as_bytes());
            assert_eq!(crate::tests::member(&outcome), refused, "{sent}");
        }
    }
}
