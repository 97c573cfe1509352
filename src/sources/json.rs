//! Members of answers that need more than their type (pure).

use crate::domain::time::Interval;
use jiff::Timestamp;
use serde::de::{Deserialize, Deserializer, Error};

/// An instant with an offset, kept to the millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instant(pub(super) Timestamp);

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Instant, D::Error> {
        let text = String::deserialize(from)?;
        parse(&text)
            .map(Instant)
            .ok_or_else(|| D::Error::custom("an instant is not RFC 3339"))
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    let at: Timestamp = text.trim().parse().ok()?;
    Timestamp::from_millisecond(at.as_millisecond()).ok()
}

/// A span of two instants; `None` if it is empty.
pub(super) fn span(from: Instant, until: Instant) -> Option<Interval> {
    let span = Interval::new(from.0, until.0);
    (!span.is_empty()).then_some(span)
}

/// A text that says something; `None` for an empty one.
pub(super) fn said(text: &Option<String>) -> Option<String> {
    text.clone().filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_of_partners_are_read() {
        for (text, instant) in [
            ("2015-11-09T08:00:00-05:00", Some("2015-11-09T13:00:00Z")),
            ("2024-01-29T00:00:00Z", Some("2024-01-29T00:00:00Z")),
            (
                "2024-02-01T08:11:21.263456Z",
                Some("2024-02-01T08:11:21.263Z"),
            ),
            (
                "2024-02-01T08:11:21.263+0200",
                Some("2024-02-01T06:11:21.263Z"),
            ),
            ("2024-02-01T08:11:21", None),
            ("yesterday", None),
        ] {
            let read = parse(text).map(|at| at.to_string());
            assert_eq!(read.as_deref(), instant, "{text}");
        }
    }
}
