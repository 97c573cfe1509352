//! Reading a calendar.

use super::component::walk;
use super::error::EventError;
use super::event::{self, HEAD};
use super::zones::{Described, Zones};
use crate::domain::personal_calendar::About;
use crate::domain::recurrence::zone::Zone;
use crate::domain::recurrence::{Times, Work};
use jiff::Timestamp;

pub use super::component::Unreadable;

/// What a calendar has.
#[derive(Debug, Default)]
pub struct Calendar {
    /// When its events happen.
    pub times: Vec<Times>,
    /// What is kept of each event beside that.
    pub said: Vec<Said>,
    /// Events that cannot be read.
    pub failed: usize,
    /// What is wrong with the first of them.
    pub first: Option<EventError>,
}

/// What is kept of an event beside its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Whether it counts.
    pub counts: bool,
    /// Of one that counts.
    pub summary: Option<Box<str>>,
}

/// How a calendar is read.
pub struct Terms<'a> {
    /// The zone of dates and floating times, unless the calendar names one.
    pub person: &'a Zone,
    /// The calendar's own time zones have rules up to here.
    pub until: Timestamp,
    /// Whether an event counts. It takes a time that rises with the length of the texts alone.
    pub counts: &'a dyn Fn(&About) -> bool,
}

/// Reads a calendar. An event that cannot be read is left out and counted.
///
/// # Errors
/// [`Unreadable`], also where the work ends.
pub fn read(body: &[u8], terms: &Terms, work: &mut Work) -> Result<Calendar, Unreadable> {
    // Zones may stand after the events that name them.
    let mut described: Vec<Described> = Vec::new();
    let mut events = 0;
    let names = ["VCALENDAR", "VTIMEZONE", "STANDARD", "DAYLIGHT"];
    walk(body, &names, work, &mut |at, component, work| {
        if described.len() <= at {
            work.keep(size_of::<Described>())?;
            described.resize_with(at + 1, Described::default);
        }
        events += usize::from(component.name == "VEVENT");
        described[at].take(component, work)
    })?;
    // As large as they become: lists that grow leave memory behind that nobody else can use.
    let mut calendar = Calendar {
        times: Vec::with_capacity(events),
        said: Vec::with_capacity(events),
        ..Calendar::default()
    };
    let mut zones: Option<(usize, Zones)> = None;
    walk(body, &["VEVENT"], work, &mut |at, component, work| {
        if component.name != "VEVENT" {
            return Ok(());
        }
        let zones = match &mut zones {
            Some((of, zones)) if *of == at => zones,
            other => {
                let zones = Zones::new(&described[at], terms.person, terms.until, work)?;
                &mut other.insert((at, zones)).1
            }
        };
        match event::read(&component, zones, work) {
            Ok((times, about)) => {
                work.spend(2 * about.length() as u64)?;
                let counts = (terms.counts)(&about);
                let summary = about.summary.filter(|_| counts);
                let text = summary.as_ref().map_or(0, |text| HEAD + text.len());
                work.keep(size_of::<Said>() + text)?;
                calendar.times.push(times);
                calendar.said.push(Said {
                    counts,
                    summary: summary.map(String::into_boxed_str),
                });
            }
            Err(EventError::TooMuch(end)) => return Err(end),
            Err(error) => {
                calendar.failed += 1;
                calendar.first.get_or_insert(error);
            }
        }
        Ok(())
    })?;
    Ok(calendar)
}
