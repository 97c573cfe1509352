//! Reading a calendar.

use super::component::{Component, Unreadable};
use super::error::EventError;
use super::event::{self, Event};
use super::zones::Zones;
use crate::domain::recurrence::zone::Zone;
use jiff::Timestamp;

/// What a calendar has.
#[derive(Debug, Default)]
pub struct Calendar {
    pub events: Vec<Event>,
    /// Events that cannot be read.
    pub failed: usize,
    /// What is wrong with the first of them.
    pub first: Option<EventError>,
}

/// Reads a calendar. Dates and floating times are in the zone that it names, or else in `person`; its own time zones have rules
/// up to `until`. An event that cannot be read is left out and counted.
pub fn read(body: &[u8], person: &Zone, until: Timestamp) -> Result<Calendar, Unreadable> {
    let mut calendar = Calendar::default();
    for component in Component::calendars(body)? {
        let zones = Zones::new(&component, person, until);
        for event in component
            .within
            .iter()
            .filter(|within| within.name == "VEVENT")
        {
            match event::read(event, &zones) {
                Ok(event) => calendar.events.push(event),
                Err(error) => {
                    calendar.failed += 1;
                    calendar.first.get_or_insert(error);
                }
            }
        }
    }
    Ok(calendar)
}
