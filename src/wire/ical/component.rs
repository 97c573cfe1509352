//! The components of a calendar.

use super::line::{ContentLine, Lines};
use crate::domain::recurrence::{TooMuch, Work};
use std::fmt;

/// How deep components may stand within one another. An alarm of an event of a calendar is at three.
const DEEPEST: usize = 8;

/// Components of one body.
const MOST: usize = 100_000;

/// Lines of one component that are read, and the bytes of all of them. An event with ten thousand dates fits.
const MOST_LINES: usize = 12_000;
const LONGEST: usize = 1024 * 1024;

/// Components within one that are read.
const MOST_WITHIN: usize = 500;

/// The work of one line, beside its length: which property it is, and finding it when it is read.
const WORK_OF_LINE: u64 = 3;

/// A component and what it has within it.
#[derive(Debug)]
pub struct Component<'a> {
    /// In upper case.
    pub name: String,
    /// The lines of the properties that are read.
    pub lines: Vec<ContentLine<'a>>,
    pub within: Vec<Component<'a>>,
    /// Whether lines are missing because there are too many.
    pub is_cut: bool,
    /// The bytes of the lines.
    length: usize,
}

/// Why a body cannot be read as a calendar at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    NotACalendar,
    Unfinished,
    TooDeep,
    TooMany,
    /// The reading has ended at one of its bounds.
    TooMuch(TooMuch),
}

impl From<TooMuch> for Unreadable {
    fn from(end: TooMuch) -> Unreadable {
        Unreadable::TooMuch(end)
    }
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
            Unreadable::TooMuch(TooMuch::Room) => "the calendar has too many events or dates",
            Unreadable::TooMuch(TooMuch::Unwanted) => "nobody wants the calendar any more",
            Unreadable::TooMuch(_) => {
                "the calendar takes too long to read: it has too many events, or events that recur in too many ways"
            }
        })
    }
}

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

/// What takes the components of a body: the number of their calendar, and the component.
pub type Take<'t, 'a> = &'t mut dyn FnMut(usize, Component<'a>, &mut Work) -> Result<(), TooMuch>;

/// Gives the calendars of a body, and the components directly within them, when they end. Of components that are not called by one of
/// these names the lines are left out, and of what is within them all but the observances of zones.
pub fn walk<'a>(
    body: &'a [u8],
    names: &[&str],
    work: &mut Work,
    take: Take<'_, 'a>,
) -> Result<(), Unreadable> {
    let mut open: Vec<Component> = Vec::new();
    let (mut seen, mut calendars) = (0, 0);
    let mut lines = Lines::new(body);
    loop {
        let before = lines.left();
        let line = lines.next();
        work.spend(WORK_OF_LINE)?;
        work.look_through(before - lines.left())?;
        let Some(line) = line else { break };
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
            seen += 1;
            if seen > MOST {
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
            match &mut open[..] {
                [] => {
                    take(calendars, done, work)?;
                    calendars += 1;
                }
                [_] => take(calendars, done, work)?,
                [.., outer] if outer.name == "VTIMEZONE" && outer.within.len() < MOST_WITHIN => {
                    work.keep(done.size())?;
                    outer.within.push(done);
                }
                _ => {}
            }
        } else {
            let Some(inner) = open.last_mut() else {
                return Err(Unreadable::NotACalendar);
            };
            if PROPERTIES.iter().any(|known| line.is(known)) && names.contains(&&inner.name[..]) {
                inner.add(line);
            }
        }
    }
    match (open.is_empty(), calendars == 0) {
        (false, _) => Err(Unreadable::Unfinished),
        (true, true) => Err(Unreadable::NotACalendar),
        (true, false) => Ok(()),
    }
}

impl<'a> Component<'a> {
    fn new(name: String) -> Component<'a> {
        Component {
            name,
            lines: Vec::new(),
            within: Vec::new(),
            is_cut: false,
            length: 0,
        }
    }

    fn add(&mut self, line: ContentLine<'a>) {
        self.length += line.length();
        self.is_cut |= self.lines.len() == MOST_LINES || self.length > LONGEST;
        if !self.is_cut {
            self.lines.push(line);
        }
    }

    /// The bytes that it keeps, without what is within it.
    pub fn size(&self) -> usize {
        let lines = self.length + self.lines.len() * size_of::<ContentLine>();
        size_of::<Component>() + self.name.len() + lines
    }

    /// The first line of a property.
    pub fn line(&self, name: &str) -> Option<&ContentLine<'a>> {
        self.lines.iter().find(|line| line.is(name))
    }

    /// All lines of a property.
    pub fn all<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b ContentLine<'a>> {
        self.lines.iter().filter(move |line| line.is(name))
    }

    /// The value of the first line of a property, without blanks around it.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.line(name).map(|line| line.value().trim())
    }
}
