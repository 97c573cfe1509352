//! Recurring events of other people's calendars (RFC 5545): which instances they have within a span (rules.md 24).
//!
//! Written here because no maintained crate does it within bounds and without a second date library: `rrule` and
//! `icalendar` bring chrono with time zones of their own, which would disagree with the ones that hand-overs use, and take
//! seconds over hostile rules; `calcard` loses instances and does not stop at the end of a span.

pub mod expand;
pub mod rule;
pub mod windows;
mod work;
pub mod zone;

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use zone::Zone;

pub use work::{TooMuch, Work};

/// A local time as an event has it: a date or a time of day, in a zone.
#[derive(Clone, Debug)]
pub struct When {
    /// Midnight of a whole day.
    pub civil: DateTime,
    /// Whether only the date was given.
    pub whole_day: bool,
    pub zone: Zone,
}

impl When {
    /// The instant; `None` outside of jiff's years.
    pub fn instant(&self) -> Option<Timestamp> {
        self.zone.instant(self.civil)
    }

    /// Moves the local time by a distance on the wall clock; `None` outside of jiff's years.
    pub fn moved(&self, by: SignedDuration) -> Option<When> {
        Some(When {
            civil: self.civil.checked_add(by).ok()?,
            ..self.clone()
        })
    }
}

/// The times of an event of a calendar.
#[derive(Clone, Debug)]
pub struct Times {
    /// Shared by an event and the changed instances of it.
    pub uid: Option<Box<str>>,
    /// Rises with each change of the event; of two versions the higher one counts.
    pub sequence: i64,
    pub start: When,
    pub end: When,
    /// `None` for an event that happens once: most do, and a calendar may have very many.
    pub more: Option<Box<More>>,
}

/// The rules and instances of an event beside its own start and end.
#[derive(Clone, Debug, Default)]
pub struct More {
    pub rules: Vec<rule::Rule>,
    /// Instances beside those of the rules.
    pub also: Vec<Extra>,
    /// Instances that do not happen.
    pub except: Vec<When>,
    /// The instance of another event that this one changes.
    pub changes: Option<Changes>,
}

impl Times {
    fn rules(&self) -> &[rule::Rule] {
        self.more.as_ref().map_or(&[], |more| &more.rules)
    }

    fn also(&self) -> &[Extra] {
        self.more.as_ref().map_or(&[], |more| &more.also)
    }

    fn except(&self) -> &[When] {
        self.more.as_ref().map_or(&[], |more| &more.except)
    }

    fn changes(&self) -> Option<&Changes> {
        self.more.as_ref()?.changes.as_ref()
    }
}

/// An instance that stands beside those of the rules.
#[derive(Clone, Debug)]
pub struct Extra {
    pub start: When,
    /// Where it is not as long as the event.
    pub end: Option<When>,
}

/// The instance that an event changes.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Where the instance began before the change.
    pub instance: When,
    /// Whether all later instances change likewise.
    pub onwards: bool,
}
