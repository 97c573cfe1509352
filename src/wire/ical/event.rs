//! Reading events.

use super::component::Component;
use super::error::EventError;
use super::line::ContentLine;
use super::rule;
use super::value::{Moment, duration, moment, text, texts};
use super::zones::Zones;
use crate::domain::personal_calendar::{About, Busy};
use crate::domain::recurrence::rule::Rule;
use crate::domain::recurrence::zone::Zone;
use crate::domain::recurrence::{Changes, Extra, More, Times, When, Work};
use jiff::SignedDuration;

/// Dates beside the rules of one event, and rules, that are read.
const MOST_DATES: usize = 10_000;
const MOST_RULES: usize = 10;

/// Categories and declined addresses of one event that are looked at.
const MOST_CATEGORIES: usize = 100;
const MOST_DECLINED: usize = 10_000;

/// What is looked at of a summary or a category, in characters.
const LONGEST_SUMMARY: usize = 200;

/// The work of one event, and of one date of it.
const WORK: u64 = 8;
const WORK_OF_DATE: u64 = 2;

/// What is kept of a text or list beside its content, in bytes.
pub(super) const HEAD: usize = 16;

/// Reads an event: when it happens, and what it says beside that.
pub fn read(
    component: &Component,
    zones: &mut Zones,
    work: &mut Work,
) -> Result<(Times, About), EventError> {
    work.spend(WORK)?;
    if component.is_cut {
        return Err(EventError::TooLong("VEVENT"));
    }
    let start = component.line("DTSTART").ok_or(EventError::NoStart)?;
    let start = single("DTSTART", start, zones, work)?;
    let end = end(component, &start, zones, work)?;
    if component.line("EXRULE").is_some() {
        return Err(EventError::ExceptionRule);
    }
    let rules = component.all("RRULE").map(|line| rule::read(line.value()));
    let rules = rules.take(MOST_RULES).collect::<Result<_, _>>()?;
    let sequence = component
        .value("SEQUENCE")
        .and_then(|number| number.parse().ok());
    let uid = component.value("UID").filter(|uid| !uid.is_empty());
    let changes = match component.line("RECURRENCE-ID") {
        Some(line) => {
            let range = line.parameter("RANGE").unwrap_or_default();
            Some(Changes {
                instance: single("RECURRENCE-ID", line, zones, work)?,
                onwards: range.eq_ignore_ascii_case("THISANDFUTURE"),
            })
        }
        None => None,
    };
    let mut also = also(component, zones, work)?;
    let mut except = except(component, zones, work)?;
    also.shrink_to_fit();
    except.shrink_to_fit();
    let more = More {
        also,
        except,
        rules,
        changes,
    };
    let times = Times {
        uid: uid.map(Into::into),
        sequence: sequence.unwrap_or(0),
        start,
        end,
        more: boxed(more),
    };
    work.keep(size(&times))?;
    Ok((times, about(component)))
}

fn boxed(more: More) -> Option<Box<More>> {
    let lists = more.rules.len() + more.also.len() + more.except.len();
    (lists > 0 || more.changes.is_some()).then(|| Box::new(more))
}

/// The bytes that an event keeps.
fn size(times: &Times) -> usize {
    let uid = times.uid.as_ref().map_or(0, |uid| HEAD + uid.len());
    let more = times.more.as_ref().map_or(0, |more| {
        let rules: usize = more.rules.iter().map(Rule::size).sum();
        let dates = size_of_val(&more.also[..]) + size_of_val(&more.except[..]);
        size_of::<More>() + 4 * HEAD + rules + dates
    });
    size_of::<Times>() + uid + more
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
    let short = |text: String| text.chars().take(LONGEST_SUMMARY).collect::<String>();
    let categories = component
        .all("CATEGORIES")
        .flat_map(|line| texts(line.value()));
    About {
        summary: component.value("SUMMARY").map(text).map(short),
        categories: categories.take(MOST_CATEGORIES).map(short).collect(),
        is_cancelled: is("STATUS", "CANCELLED"),
        is_transparent: is("TRANSP", "TRANSPARENT"),
        busy,
        declined: addresses.take(MOST_DECLINED).map(str::to_owned).collect(),
    }
}

/// The end of an event, by its end or its duration, which is added on the wall clock. A day without either ends with it.
fn end(
    component: &Component,
    start: &When,
    zones: &mut Zones,
    work: &mut Work,
) -> Result<When, EventError> {
    let day = SignedDuration::from_hours(24);
    let end = if let Some(line) = component.line("DTEND") {
        single("DTEND", line, zones, work)?
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

/// The times of one line, which are in the zone that it names.
struct Dated<'l> {
    name: &'static str,
    line: &'l ContentLine<'l>,
    /// Looked for once, where a time needs it.
    zone: Option<Zone>,
}

impl<'l> Dated<'l> {
    fn new(name: &'static str, line: &'l ContentLine<'l>) -> Dated<'l> {
        let zone = None;
        Dated { name, line, zone }
    }

    fn when(&mut self, text: &str, zones: &mut Zones, work: &mut Work) -> Result<When, EventError> {
        work.spend(WORK_OF_DATE)?;
        let wrong = || EventError::Property(self.name, text.into());
        let moment = moment(text.trim()).ok_or_else(wrong)?;
        let zone = match moment {
            Moment::Utc(_) => Zone::utc(),
            Moment::Day(_) => zones.home().clone(),
            Moment::Local(_) => match &self.zone {
                Some(zone) => zone.clone(),
                None => {
                    let zone = match self.line.parameter("TZID") {
                        Some(name) => zones.get(name, work)?,
                        None => zones.home().clone(),
                    };
                    self.zone.insert(zone).clone()
                }
            },
        };
        Ok(When {
            civil: moment.civil(),
            whole_day: matches!(moment, Moment::Day(_)),
            zone,
        })
    }
}

fn single(
    name: &'static str,
    line: &ContentLine,
    zones: &mut Zones,
    work: &mut Work,
) -> Result<When, EventError> {
    Dated::new(name, line).when(line.value(), zones, work)
}

fn also(
    component: &Component,
    zones: &mut Zones,
    work: &mut Work,
) -> Result<Vec<Extra>, EventError> {
    let mut also = Vec::new();
    for line in component.all("RDATE") {
        let mut dated = Dated::new("RDATE", line);
        for item in listed(line, "RDATE", also.len())? {
            let (start, end) = match item.split_once('/') {
                Some((start, end)) => (start, Some(end.trim())),
                None => (item, None),
            };
            let start = dated.when(start, zones, work)?;
            let end = match end {
                None => None,
                Some(end) => match duration(end) {
                    Some(length) => Some(start.moved(length).ok_or(EventError::EndsBeforeStart)?),
                    None => Some(dated.when(end, zones, work)?),
                },
            };
            also.push(Extra { start, end });
        }
    }
    Ok(also)
}

fn except(
    component: &Component,
    zones: &mut Zones,
    work: &mut Work,
) -> Result<Vec<When>, EventError> {
    let mut except = Vec::new();
    for line in component.all("EXDATE") {
        let mut dated = Dated::new("EXDATE", line);
        for item in listed(line, "EXDATE", except.len())? {
            except.push(dated.when(item, zones, work)?);
        }
    }
    Ok(except)
}

/// The items of a list.
fn listed<'l>(
    line: &'l ContentLine,
    name: &'static str,
    before: usize,
) -> Result<impl Iterator<Item = &'l str>, EventError> {
    let items = line.value().split(',');
    let count = before + line.value().bytes().filter(|byte| *byte == b',').count();
    match line.is_cut || count >= MOST_DATES {
        true => Err(EventError::TooLong(name)),
        false => Ok(items.filter(|item| !item.trim().is_empty())),
    }
}
