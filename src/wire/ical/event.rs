//! Reading events.

use super::component::Component;
use super::error::EventError;
use super::line::Line;
use super::rule;
use super::value::{Moment, duration, moment, text, texts};
use super::zones::Zones;
use crate::domain::personal_calendar::{About, Busy};
use crate::domain::recurrence::zone::Zone;
use crate::domain::recurrence::{Changes, Extra, Times, When};
use jiff::SignedDuration;

/// Dates beside the rules of one event, and rules, that are read.
const MOST_DATES: usize = 10_000;
const MOST_RULES: usize = 10;

/// What is kept of a summary, in characters.
const LONGEST_SUMMARY: usize = 200;

/// An event of a calendar.
#[derive(Clone, Debug)]
pub struct Event {
    pub times: Times,
    pub about: About,
}

/// Reads an event.
pub fn read(component: &Component, zones: &Zones) -> Result<Event, EventError> {
    let start = component.line("DTSTART").ok_or(EventError::NoStart)?;
    let start = single("DTSTART", start, zones)?;
    let end = end(component, &start, zones)?;
    if component.line("EXRULE").is_some() {
        return Err(EventError::ExceptionRule);
    }
    let rules = component.all("RRULE").map(|line| rule::read(line.value()));
    let rules = rules.take(MOST_RULES).collect::<Result<_, _>>()?;
    let sequence = component
        .value("SEQUENCE")
        .and_then(|number| number.parse().ok());
    let uid = component.value("UID").filter(|uid| !uid.is_empty());
    let changes = component.line("RECURRENCE-ID").map(|line| {
        let range = line.parameter("RANGE").unwrap_or_default();
        Ok(Changes {
            instance: single("RECURRENCE-ID", line, zones)?,
            onwards: range.eq_ignore_ascii_case("THISANDFUTURE"),
        })
    });
    let times = Times {
        uid: uid.map(str::to_owned),
        sequence: sequence.unwrap_or(0),
        also: also(component, zones)?,
        except: except(component, zones)?,
        changes: changes.transpose()?,
        start,
        end,
        rules,
    };
    Ok(Event {
        times,
        about: about(component),
    })
}

fn about(component: &Component) -> About {
    let is = |name: &str, value: &str| {
        component
            .value(name)
            .is_some_and(|own| own.eq_ignore_ascii_case(value))
    };
    let busy = component
        .value("X-MICROSOFT-CDO-BUSYSTATUS")
        .map(|status| match status {
            status if status.eq_ignore_ascii_case("FREE") => Busy::Free,
            status if status.eq_ignore_ascii_case("OOF") => Busy::OutOfOffice,
            _ => Busy::Other,
        });
    let declined = component.all("ATTENDEE").filter(|line| {
        let answer = line.parameter("PARTSTAT").unwrap_or_default();
        answer.eq_ignore_ascii_case("DECLINED")
    });
    let addresses = declined.flat_map(|line| {
        let address = line.value().trim();
        let mail = match address.get(..7) {
            Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => &address[7..],
            _ => address,
        };
        [Some(mail), line.parameter("EMAIL")].into_iter().flatten()
    });
    let summary = component.value("SUMMARY").map(text);
    About {
        summary: summary.map(|summary| summary.chars().take(LONGEST_SUMMARY).collect()),
        categories: component
            .all("CATEGORIES")
            .flat_map(|line| texts(line.value()))
            .collect(),
        is_cancelled: is("STATUS", "CANCELLED"),
        is_transparent: is("TRANSP", "TRANSPARENT"),
        busy,
        declined: addresses.map(str::to_owned).collect(),
    }
}

/// The end of an event, by its end or its duration, which is added on the wall clock. A day without either ends with it.
fn end(component: &Component, start: &When, zones: &Zones) -> Result<When, EventError> {
    let day = SignedDuration::from_hours(24);
    let end = if let Some(line) = component.line("DTEND") {
        single("DTEND", line, zones)?
    } else if let Some(value) = component.value("DURATION") {
        let wrong = || EventError::Property("DURATION", value.into());
        start
            .moved(duration(value).ok_or_else(wrong)?)
            .ok_or_else(wrong)?
    } else if start.whole_day {
        start.moved(day).ok_or(EventError::EndsBeforeStart)?
    } else {
        start.clone()
    };
    let (Some(from), Some(until)) = (start.instant(), end.instant()) else {
        return Err(EventError::Property("DTSTART", start.civil.to_string()));
    };
    match until < from || (until == from && start.whole_day) {
        // Programs write the day itself where the day after is meant.
        true if start.whole_day => start.moved(day).ok_or(EventError::EndsBeforeStart),
        true => Err(EventError::EndsBeforeStart),
        false => Ok(end),
    }
}

/// The local time of a moment in the zone that its line names.
fn when(name: &'static str, line: &Line, text: &str, zones: &Zones) -> Result<When, EventError> {
    let moment = moment(text.trim()).ok_or_else(|| EventError::Property(name, text.into()))?;
    let zone = match (moment, line.parameter("TZID")) {
        (Moment::Utc(_), _) => Zone::utc(),
        (Moment::Local(_), Some(zone)) => zones.get(zone)?,
        (Moment::Local(_), None) | (Moment::Day(_), _) => zones.home().clone(),
    };
    Ok(When {
        civil: moment.civil(),
        whole_day: matches!(moment, Moment::Day(_)),
        zone,
    })
}

fn single(name: &'static str, line: &Line, zones: &Zones) -> Result<When, EventError> {
    when(name, line, line.value(), zones)
}

fn also(component: &Component, zones: &Zones) -> Result<Vec<Extra>, EventError> {
    let mut also = Vec::new();
    for line in component.all("RDATE") {
        listed(line, "RDATE", also.len())?;
        for item in line
            .value()
            .split(',')
            .filter(|item| !item.trim().is_empty())
        {
            let (start, end) = match item.split_once('/') {
                Some((start, end)) => (start, Some(end.trim())),
                None => (item, None),
            };
            let start = when("RDATE", line, start, zones)?;
            let end = match end {
                None => None,
                Some(end) => match duration(end) {
                    Some(length) => Some(start.moved(length).ok_or(EventError::EndsBeforeStart)?),
                    None => Some(when("RDATE", line, end, zones)?),
                },
            };
            also.push(Extra { start, end });
        }
    }
    Ok(also)
}

fn except(component: &Component, zones: &Zones) -> Result<Vec<When>, EventError> {
    let mut except = Vec::new();
    for line in component.all("EXDATE") {
        listed(line, "EXDATE", except.len())?;
        for item in line
            .value()
            .split(',')
            .filter(|item| !item.trim().is_empty())
        {
            except.push(when("EXDATE", line, item, zones)?);
        }
    }
    Ok(except)
}

fn listed(line: &Line, name: &'static str, before: usize) -> Result<(), EventError> {
    let count = before + line.value().bytes().filter(|byte| *byte == b',').count();
    match line.is_cut || count >= MOST_DATES {
        true => Err(EventError::TooLong(name)),
        false => Ok(()),
    }
}
