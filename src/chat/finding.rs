//! Lines of `rota slack check` and `rota matrix check`.

use super::call_error::{CallError, Class};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// How far the clocks may be apart, in seconds.
const APART: i64 = 60;

/// A line of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub is_right: bool,
    /// The checks and their findings.
    pub text: String,
}

impl Finding {
    /// Nothing is amiss.
    pub fn right(text: impl Into<String>) -> Finding {
        let (is_right, text) = (true, text.into());
        Finding { is_right, text }
    }

    /// Something is amiss.
    pub fn wrong(text: impl Into<String>) -> Finding {
        let (is_right, text) = (false, text.into());
        Finding { is_right, text }
    }

    /// How far the clocks are apart, by the time that an answer of `by` names.
    pub(super) fn clock(date: Option<&str>, now: Timestamp, by: &str) -> Finding {
        let date = date.and_then(|date| {
            let read = DateTimeParser::new().relaxed_weekday(true);
            read.parse_timestamp(date).ok()
        });
        let Some(date) = date else {
            return Finding::wrong(format!("clock: {by} does not say what time it is"));
        };
        let apart = now.duration_since(date).as_secs();
        match apart.abs() <= APART {
            true => Finding::right(format!("clock: {apart} s from {by}'s")),
            false => Finding::wrong(format!(
                "clock: {apart} s from {by}'s; set the clock of this machine"
            )),
        }
    }
}

/// Why a call of a check failed.
pub(super) fn why(class: Class, by: &str) -> String {
    match class {
        Class::Wait(length) => format!("{by} asks to wait for {} s", length.as_secs()),
        Class::Transient(why) => why,
        Class::Refused(refusal) => CallError::Refused(refusal).to_string(),
        Class::Paused(pause) => CallError::Paused(pause).to_string(),
    }
}
