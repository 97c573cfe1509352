//! The calendar that a reader makes of the letters that invite them to their turns.

use super::smtp::{Letter, Smtp};
use crate::support::*;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// The letters that are invitations.
pub fn invitations(smtp: &Smtp) -> Vec<Letter> {
    let mut letters = smtp.letters();
    letters.retain(|letter| letter.data.contains("text/calendar"));
    letters
}

/// The value of a line of a calendar, unfolded.
pub fn line(calendar: &str, name: &str) -> String {
    let calendar = calendar.replace("\n ", "");
    let mut lines = calendar.lines();
    let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    found
        .unwrap_or_else(|| panic!("no {name}: {calendar}"))
        .to_owned()
}

/// `20260106T090000Z` as the API has it.
fn moment(text: &str) -> Timestamp {
    let civil: jiff::civil::DateTime = text.trim_end_matches('Z').parse().expect("a time");
    civil
        .to_zoned(jiff::tz::TimeZone::UTC)
        .expect("UTC")
        .timestamp()
}

/// A calendar that follows letters: beginning and end by UID, and the sequence of each UID.
#[derive(Default)]
pub struct Reader {
    events: BTreeMap<String, (Timestamp, Timestamp)>,
    sequences: BTreeMap<String, i64>,
    read: usize,
}

impl Reader {
    /// Reads the letters to an address that came since. Returns `REQUEST 0 01-06T09:00Z` of each.
    #[track_caller]
    pub fn read(&mut self, smtp: &Smtp, address: &str) -> Vec<String> {
        let letters = invitations(smtp);
        let mut lines = Vec::new();
        for letter in letters
            .iter()
            .skip(self.read)
            .filter(|letter| letter.to == address)
        {
            let calendar = letter.part("calendar");
            let method = line(&calendar, "METHOD");
            assert!(
                letter.data.contains(&format!(
                    "Content-Type: text/calendar; method={method}; charset=utf-8"
                )),
                "{}",
                letter.data
            );
            let uid = line(&calendar, "UID");
            let sequence: i64 = line(&calendar, "SEQUENCE").parse().expect("a number");
            let before = self.sequences.insert(uid.clone(), sequence);
            assert!(before.is_none_or(|before| before < sequence), "{calendar}");
            let bounds = ["DTSTART", "DTEND"].map(|name| moment(&line(&calendar, name)));
            assert_eq!(line(&calendar, "ORGANIZER"), "mailto:rota@example.org");
            assert_eq!(
                line(&calendar, "ATTENDEE;PARTSTAT=ACCEPTED;RSVP=FALSE"),
                format!("mailto:{address}")
            );
            match method.as_str() {
                "REQUEST" => {
                    self.events.insert(uid, (bounds[0], bounds[1]));
                }
                _ => {
                    assert_eq!(line(&calendar, "STATUS"), "CANCELLED");
                    assert!(!calendar.contains("VALARM"), "{calendar}");
                    self.events.remove(&uid);
                }
            }
            let begins = short(bounds[0]);
            lines.push(format!("{method} {sequence} {}", &begins[5..]));
        }
        self.read = letters.len();
        lines
    }

    /// What is in the calendar from an instant on.
    pub fn after(&self, now: Timestamp) -> Vec<(Timestamp, Timestamp)> {
        let mut all: Vec<_> = self.events.values().copied().collect();
        all.retain(|(from, _)| *from > now);
        all.sort();
        all
    }
}
