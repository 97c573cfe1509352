//! How long before their turns people are reminded (rules.md 19.10).

use super::fault::Fault;
use super::refusal::{Refusal, invalid};
use super::text::text;
use super::time;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most reminders of a turn.
pub const MOST: usize = 5;

/// Reminders of a turn that are this close to the first of them are one.
const TOGETHER: SignedDuration = SignedDuration::from_mins(5);

/// A length from five minutes to thirty days, shown as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    text: String,
    length: SignedDuration,
}

text! { Lead = "a duration from 5m to 30d, such as 15m, 24h or 7d"; }

impl Lead {
    /// Parses a length; `None` for one that is too short or too long.
    pub fn parse(text: &str) -> Option<Lead> {
        let length = SignedDuration::try_from(time::length(text)?).ok()?;
        let (least, most) = (
            SignedDuration::from_mins(5),
            SignedDuration::from_hours(30 * 24),
        );
        (least..=most).contains(&length).then(|| Lead {
            text: text.to_owned(),
            length,
        })
    }
}

impl fmt::Display for Lead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The reminders that a person wants of each turn, in the order in which they were written, each length once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Leads(Vec<Lead>);

impl Leads {
    /// Reminders of these lengths.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for too many.
    pub fn new(sent: Vec<Lead>) -> Result<Leads, Refusal> {
        if sent.len() > MOST {
            return invalid(
                "remindBefore",
                Fault::TooMany {
                    most: MOST,
                    sent: sent.len(),
                },
            );
        }
        let mut leads: Vec<Lead> = Vec::new();
        for lead in sent {
            if leads.iter().all(|known| known.length != lead.length) {
                leads.push(lead);
            }
        }
        Ok(Leads(leads))
    }

    /// As they were written.
    pub fn texts(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }

    /// Those that are sent, the earliest first: of several that are close together the first.
    pub fn lengths(&self) -> Vec<SignedDuration> {
        let mut all: Vec<SignedDuration> = self.0.iter().map(|lead| lead.length).collect();
        all.sort();
        let mut sent: Vec<SignedDuration> = Vec::new();
        for length in all.into_iter().rev() {
            if sent.last().is_none_or(|first| *first - length > TOGETHER) {
                sent.push(length);
            }
        }
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads(texts: &[&str]) -> Leads {
        let leads = texts.iter().map(|text| Lead::parse(text).expect(text));
        Leads::new(leads.collect()).expect("few enough")
    }

    /// rules.md 19.10.
    #[test]
    fn close_reminders_are_one_and_are_counted_from_the_first() {
        for (written, minutes) in [
            (&["1h", "24h"][..], &[1440, 60][..]),
            (&["60m", "57m", "55m", "54m"], &[60, 54]),
            (&["10m", "5m"], &[10]),
            (&[], &[]),
        ] {
            let sent: Vec<i64> = (leads(written).lengths().iter())
                .map(|length| length.as_mins())
                .collect();
            assert_eq!(sent, minutes, "{written:?}");
        }
    }

    #[test]
    fn lengths_have_bounds_and_count_once() {
        for bad in [
            "4m", "299s", "31d", "721h", "", "1", "m", "-5m", "1w", "5 m",
        ] {
            assert_eq!(Lead::parse(bad), None, "{bad}");
        }
        assert_eq!(leads(&["1h", "60m", "300s"]).texts(), ["1h", "300s"]);
        let six = ["5m", "6m", "7m", "8m", "9m", "9m"].map(|text| Lead::parse(text).expect(text));
        let many = Leads::new(six.to_vec());
        assert_eq!(crate::tests::member(&many), Some("remindBefore"));
    }
}
