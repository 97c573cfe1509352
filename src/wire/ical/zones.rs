//! Finding the time zones that a calendar names.

use super::component::Component;
use super::error::EventError;
use super::{rule, value};
use crate::domain::recurrence::zone::{Observance, OwnZone, Zone};
use crate::domain::recurrence::{TooMuch, Work};
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// Zones of one calendar, other names that are kept, and dates of one observance.
const MOST: usize = 500;

/// Rules of one observance that are looked at.
const MOST_RULES: usize = 10;

/// The work that the rules of one zone may take.
const WORK: u64 = 100_000;

/// The work of looking for a name in tzdata and among the names of Windows.
const WORK_OF_NAME: u64 = 64;

/// What is kept of a name, beside its text, in bytes.
const SIZE_OF_NAME: usize = 64;

/// What a calendar has of its time zones.
#[derive(Debug, Default)]
pub struct Described<'a> {
    /// Its own zones, at most [`MOST`].
    own: Vec<Component<'a>>,
    /// The name of the zone of dates and floating times.
    home: Option<String>,
}

/// The zones of one calendar.
pub struct Zones<'a> {
    own: HashMap<&'a str, Own<'a>>,
    /// Where dates and floating times are.
    home: Zone,
    until: Timestamp,
    /// Names of others that were looked for.
    found: HashMap<String, Option<Zone>>,
}

/// A zone of the calendar's own.
struct Own<'a> {
    component: &'a Component<'a>,
    /// What it comes to, once it was looked for. `None` within where it cannot be used.
    found: Option<Option<Zone>>,
}

impl<'a> Described<'a> {
    /// Takes a component of the calendar, or the calendar itself.
    ///
    /// # Errors
    /// [`TooMuch::Room`].
    pub fn take(&mut self, component: Component<'a>, work: &mut Work) -> Result<(), TooMuch> {
        match &component.name[..] {
            "VTIMEZONE" if self.own.len() < MOST => {
                work.keep(component.size())?;
                self.own.push(component);
            }
            "VCALENDAR" => {
                self.home = component.value("X-WR-TIMEZONE").map(str::to_owned);
                work.keep(self.home.as_ref().map_or(0, String::len))?;
            }
            _ => {}
        }
        Ok(())
    }
}

impl<'a> Zones<'a> {
    /// The zones of a calendar. `person` is the zone of the person whose calendar it is; `until` is the last instant that matters.
    ///
    /// # Errors
    /// [`TooMuch`].
    pub fn new(
        described: &'a Described<'a>,
        person: &Zone,
        until: Timestamp,
        work: &mut Work,
    ) -> Result<Zones<'a>, TooMuch> {
        let mut own = HashMap::new();
        for component in &described.own {
            work.spend(1)?;
            if let Some(name) = component.value("TZID") {
                let found = None;
                own.entry(name).or_insert(Own { component, found });
            }
        }
        let mut zones = Zones {
            own,
            home: person.clone(),
            until,
            found: HashMap::new(),
        };
        if let Some(name) = &described.home
            && let Some(named) = zones.find(name, work)?
        {
            zones.home = named;
        }
        Ok(zones)
    }

    /// Where dates and floating times are.
    pub fn home(&self) -> &Zone {
        &self.home
    }

    /// The zone of a name: by its name, in tzdata or Windows, or by the rules that the calendar has for it.
    pub fn get(&mut self, name: &str, work: &mut Work) -> Result<Zone, EventError> {
        let found = self.find(name, work)?;
        found.ok_or_else(|| EventError::Zone(name.into()))
    }

    /// What is found once is kept, also that a zone cannot be used.
    fn find(&mut self, name: &str, work: &mut Work) -> Result<Option<Zone>, TooMuch> {
        let name = name.trim();
        work.look_through(name.len())?;
        if let Some(own) = self.own.get_mut(name) {
            if let Some(found) = &own.found {
                return Ok(found.clone());
            }
            work.spend(WORK_OF_NAME)?;
            let found = match Zone::by_name(name) {
                None => own_zone(own.component, self.until, work)?,
                known => known,
            };
            own.found = Some(found.clone());
            return Ok(found);
        }
        if let Some(found) = self.found.get(name) {
            return Ok(found.clone());
        }
        work.spend(WORK_OF_NAME)?;
        let found = Zone::by_name(name);
        // Where a calendar has very many names they are looked for again, which takes little.
        if self.found.len() < MOST {
            work.keep(SIZE_OF_NAME + name.len())?;
            self.found.insert(name.into(), found.clone());
        }
        Ok(found)
    }
}

fn own_zone(zone: &Component, until: Timestamp, work: &mut Work) -> Result<Option<Zone>, TooMuch> {
    if let Some(name) = zone.value("X-LIC-LOCATION") {
        work.spend(WORK_OF_NAME)?;
        if let Some(zone) = Zone::by_name(name) {
            return Ok(Some(zone));
        }
    }
    let observances = zone.within.iter().map(observance);
    let Some(observances) = observances.collect::<Option<Vec<Observance>>>() else {
        return Ok(None);
    };
    match work.part(WORK, |work| OwnZone::new(&observances, until, work)) {
        Ok(own) => {
            let own = own.map(Arc::new);
            work.keep(own.as_ref().map_or(0, |own| own.size()))?;
            Ok(own.map(Zone::Own))
        }
        Err(TooMuch::Part) => Ok(None),
        Err(end) => Err(end),
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
    let rules = component.all("RRULE").take(MOST_RULES);
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
