//! What is wrong with an event.

use crate::domain::recurrence::TooMuch;
use std::fmt;

/// What is shown of what is wrong, in characters.
const SHOWN: usize = 60;

/// Why an event cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventError {
    NoStart,
    /// A property with a value that it cannot have.
    Property(&'static str, String),
    Zone(String),
    /// Part of a recurrence rule.
    Rule(String),
    /// It recurs by the hour or more often.
    TooOften,
    EndsBeforeStart,
    /// Too many dates, or a line that is too long.
    TooLong(&'static str),
    /// It has the exception rules of an older standard.
    ExceptionRule,
    /// Not the event: the reading has ended at one of its bounds.
    TooMuch(TooMuch),
}

impl From<TooMuch> for EventError {
    fn from(end: TooMuch) -> EventError {
        EventError::TooMuch(end)
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| -> String {
            let visible = text.chars().map(crate::domain::zones::shown);
            visible.take(SHOWN).collect()
        };
        match self {
            EventError::NoStart => write!(f, "it has no DTSTART"),
            EventError::Property(name, value) => write!(f, "{name} cannot be `{}`", shown(value)),
            EventError::Zone(name) => write!(f, "the time zone `{}` is not known", shown(name)),
            EventError::Rule(part) => write!(f, "RRULE cannot have `{}`", shown(part)),
            EventError::TooOften => write!(f, "it recurs more often than once a day"),
            EventError::EndsBeforeStart => write!(f, "it ends before it starts"),
            EventError::TooLong(name) => write!(f, "{name} is too long"),
            EventError::ExceptionRule => write!(f, "EXRULE is not supported"),
            EventError::TooMuch(_) => write!(f, "the calendar takes too long to read"),
        }
    }
}
