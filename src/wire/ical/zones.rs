//! Finding the time zones that a calendar names.

use super::component::Component;
use super::error::EventError;
use super::{rule, value};
use crate::domain::recurrence::Work;
use crate::domain::recurrence::zone::{Observance, OwnZone, Zone};
use jiff::Timestamp;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Zones and observances of one calendar, and rules and dates of one observance, that are looked at.
const MOST: usize = 500;

/// The work that one zone may take.
const WORK: u64 = 100_000;

/// The zones of one calendar.
pub struct Zones<'a> {
    own: Vec<(&'a str, &'a Component<'a>)>,
    /// Where dates and floating times are.
    home: Zone,
    until: Timestamp,
    found: RefCell<HashMap<String, Option<Zone>>>,
}

impl<'a> Zones<'a> {
    /// The zones of a calendar. `person` is the zone of the person whose calendar it is; `until` is the last instant that matters.
    pub fn new(calendar: &'a Component<'a>, person: &Zone, until: Timestamp) -> Zones<'a> {
        let own = calendar
            .within
            .iter()
            .filter(|within| within.name == "VTIMEZONE")
            .take(MOST);
        let mut zones = Zones {
            own: own
                .filter_map(|zone| Some((zone.value("TZID")?, zone)))
                .collect(),
            home: person.clone(),
            until,
            found: RefCell::default(),
        };
        let named = calendar
            .value("X-WR-TIMEZONE")
            .and_then(|name| zones.find(name));
        if let Some(named) = named {
            zones.home = named;
        }
        zones
    }

    /// Where dates and floating times are.
    pub fn home(&self) -> &Zone {
        &self.home
    }

    /// The zone of a name: by its name, in tzdata or Windows, or by the rules that the calendar has for it.
    pub fn get(&self, name: &str) -> Result<Zone, EventError> {
        self.find(name).ok_or_else(|| EventError::Zone(name.into()))
    }

    fn find(&self, name: &str) -> Option<Zone> {
        let name = name.trim();
        if let Some(found) = self.found.borrow().get(name) {
            return found.clone();
        }
        let found = Zone::by_name(name).or_else(|| self.own_zone(name));
        let mut known = self.found.borrow_mut();
        // Where a calendar has very many names they are looked for again, but for its own zones, which take work.
        if known.len() < MOST || matches!(found, Some(Zone::Own(_))) {
            known.insert(name.into(), found.clone());
        }
        found
    }

    fn own_zone(&self, name: &str) -> Option<Zone> {
        let (_, zone) = self.own.iter().find(|(own, _)| *own == name)?;
        if let Some(zone) = zone.value("X-LIC-LOCATION").and_then(Zone::by_name) {
            return Some(zone);
        }
        let observances = zone.within.iter().take(MOST).map(observance);
        let observances: Vec<Observance> = observances.collect::<Option<_>>()?;
        let own = OwnZone::new(&observances, self.until, &mut Work::new(WORK));
        Some(Zone::Own(Arc::new(own.ok()??)))
    }
}

fn observance(component: &Component) -> Option<Observance> {
    let dates = component
        .all("RDATE")
        .flat_map(|line| line.value().split(','));
    let dates = dates.take(MOST).map(|date| {
        let begin = date.split('/').next()?;
        Some(value::moment(begin.trim())?.civil())
    });
    let rules = component.all("RRULE").take(10);
    Some(Observance {
        start: value::moment(component.value("DTSTART")?)?.civil(),
        before: value::offset(component.value("TZOFFSETFROM")?)?,
        after: value::offset(component.value("TZOFFSETTO")?)?,
        rules: rules
            .map(|line| rule::read(line.value()).ok())
            .collect::<Option<_>>()?,
        dates: dates.collect::<Option<_>>()?,
    })
}
