//! The components of a calendar.

use super::line::{Line, Lines};
use std::fmt;

/// How deep components may stand within one another. An alarm of an event of a calendar is at three.
const DEEPEST: usize = 8;

/// Components of one calendar that are kept.
const MOST: usize = 100_000;

/// A component and what it has within it.
#[derive(Debug)]
pub struct Component<'a> {
    /// In upper case.
    pub name: String,
    /// The lines of the properties that are read.
    pub lines: Vec<Line<'a>>,
    pub within: Vec<Component<'a>>,
}

/// Why a body cannot be read as a calendar at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    NotACalendar,
    Unfinished,
    TooDeep,
    TooMany,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unreadable::NotACalendar => {
                "the address does not lead to a calendar: it must answer an iCalendar feed"
            }
            Unreadable::Unfinished => "the calendar is incomplete: a component has no end",
            Unreadable::TooDeep => {
                "the calendar has components within one another more than 8 deep"
            }
            Unreadable::TooMany => "the calendar has more than 100,000 components",
        })
    }
}

/// Components that are read. Others are left out with all that they have.
const READ: [&str; 5] = ["VCALENDAR", "VEVENT", "VTIMEZONE", "STANDARD", "DAYLIGHT"];

/// Properties that are read.
const PROPERTIES: [&str; 21] = [
    "ATTENDEE",
    "CATEGORIES",
    "DTEND",
    "DTSTART",
    "DURATION",
    "EXDATE",
    "EXRULE",
    "RDATE",
    "RECURRENCE-ID",
    "RRULE",
    "SEQUENCE",
    "STATUS",
    "SUMMARY",
    "TRANSP",
    "UID",
    "X-MICROSOFT-CDO-BUSYSTATUS",
    "X-WR-TIMEZONE",
    "TZID",
    "X-LIC-LOCATION",
    "TZOFFSETFROM",
    "TZOFFSETTO",
];

impl<'a> Component<'a> {
    fn new(name: String) -> Component<'a> {
        Component {
            name,
            lines: Vec::new(),
            within: Vec::new(),
        }
    }

    /// The calendars of a body.
    pub fn calendars(body: &'a [u8]) -> Result<Vec<Component<'a>>, Unreadable> {
        let mut calendars = Vec::new();
        let mut open: Vec<Component> = Vec::new();
        let mut kept = 0;
        for line in Lines::new(body) {
            let Some(line) = line else {
                // A page of a sign-in begins like this.
                if open.is_empty() {
                    return Err(Unreadable::NotACalendar);
                }
                continue;
            };
            if line.is("BEGIN") {
                let name = line.value().trim().to_ascii_uppercase();
                if open.is_empty() && name != "VCALENDAR" {
                    return Err(Unreadable::NotACalendar);
                }
                if open.len() == DEEPEST {
                    return Err(Unreadable::TooDeep);
                }
                kept += 1;
                if kept > MOST {
                    return Err(Unreadable::TooMany);
                }
                open.push(Component::new(name));
            } else if line.is("END") {
                let name = line.value().trim();
                let Some(done) = open
                    .pop()
                    .filter(|done| done.name.eq_ignore_ascii_case(name))
                else {
                    return Err(Unreadable::Unfinished);
                };
                match open.last_mut() {
                    Some(outer) if READ.contains(&&done.name[..]) => outer.within.push(done),
                    Some(_) => {}
                    None => calendars.push(done),
                }
            } else {
                let Some(inner) = open.last_mut() else {
                    return Err(Unreadable::NotACalendar);
                };
                if PROPERTIES.iter().any(|known| line.is(known)) && READ.contains(&&inner.name[..])
                {
                    inner.lines.push(line);
                }
            }
        }
        match (open.is_empty(), calendars.is_empty()) {
            (false, _) => Err(Unreadable::Unfinished),
            (true, true) => Err(Unreadable::NotACalendar),
            (true, false) => Ok(calendars),
        }
    }

    /// The first line of a property.
    pub fn line(&self, name: &str) -> Option<&Line<'a>> {
        self.lines.iter().find(|line| line.is(name))
    }

    /// All lines of a property.
    pub fn all<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b Line<'a>> {
        self.lines.iter().filter(move |line| line.is(name))
    }

    /// The value of the first line of a property, without blanks around it.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.line(name).map(|line| line.value().trim())
    }
}
