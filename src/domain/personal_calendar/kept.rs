//! A calendar as it is kept: where it is read, when, and how that went.

use super::Counts;
use super::words::{self, Words};
use crate::domain::ids::{PersonalCalendarId, UserId};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::words::words;
use jiff::{SignedDuration, Timestamp};
use std::fmt;

/// Calendars of one person at the most.
pub const MOST_OF_A_PERSON: usize = 5;

/// The longest name, in characters.
const LONGEST_NAME: usize = 100;

/// Words of one calendar at the most, and the longest of them, in characters.
const MOST_WORDS: usize = 50;
const LONGEST_WORD: usize = 50;

/// How long what was read last counts while a calendar cannot be read.
pub const TRUSTED: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The longest wait after failures, unless the usual one is longer.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(1);

/// An unchanged calendar is read whole again after this time: instances of events that recur come into sight.
const WHOLE_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// How often calendars are read unless it is set.
pub const READ_EVERY: SignedDuration = SignedDuration::from_mins(15);

/// An address that is a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretAddress(pub String);

impl SecretAddress {
    /// Reads the address of a calendar. `webcal` is another word for https.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for one without a scheme.
    pub fn parse(url: &str) -> Result<SecretAddress, Refusal> {
        let url = url.trim();
        let is_webcal = |scheme: &str| {
            let mut words = ["webcal", "webcals"].iter();
            words.any(|word| scheme.eq_ignore_ascii_case(word))
        };
        match url.split_once("://") {
            Some((scheme, rest)) if is_webcal(scheme) => {
                Ok(SecretAddress(format!("https://{rest}")))
            }
            Some(_) => Ok(SecretAddress(url.to_owned())),
            None => invalid(
                "url",
                "send the whole address of a calendar, such as https://calendar.example.com/a.ics",
            ),
        }
    }
}

impl fmt::Debug for SecretAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// A calendar of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalCalendar {
    pub id: PersonalCalendarId,
    pub user: UserId,
    pub address: SecretAddress,
    pub name: Option<String>,
    pub counts: Counts,
    /// `None` for the usual ones.
    pub words: Option<Vec<String>>,
    pub created_at: Timestamp,
    pub reading: Reading,
}

/// The outcome of the readings of a calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Rises with each change of what is read, and each reading: a reading that began before one is not applied.
    pub revision: i64,
    /// Validators of what was read last.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// The last reading that succeeded, and the last one that was not answered "not modified".
    pub read_at: Option<Timestamp>,
    pub whole_at: Option<Timestamp>,
    /// How many have failed since.
    pub failures: u32,
    /// Why the last one failed, or which events it could not read.
    pub error: Option<String>,
    /// The last reading has become too old to count.
    pub is_unknown: bool,
    pub due_at: Timestamp,
    /// To be read at once.
    pub is_asked: bool,
}

impl Reading {
    /// Of a calendar that was just added: it is read at once.
    pub fn asked_at(now: Timestamp) -> Reading {
        Reading {
            revision: 0,
            etag: None,
            last_modified: None,
            read_at: None,
            whole_at: None,
            failures: 0,
            error: None,
            is_unknown: false,
            due_at: now,
            is_asked: true,
        }
    }
}

words! {
    /// What is known of a calendar: `new`, it has not been read yet; `current`; `stale`, it cannot be read, and what was read last
    /// counts; `unknown`, it has not been readable for a week, and nothing of it counts.
    pub enum State as CalendarState {
        New = "new",
        Current = "current",
        Stale = "stale",
        Unknown = "unknown",
    }
}

/// When a server reads calendars.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub every: SignedDuration,
    /// A development clock that stands still: no spreading and no longer waits after failures.
    pub is_frozen: bool,
}

impl PersonalCalendar {
    /// Which words count.
    pub fn words(&self) -> Words {
        match &self.words {
            Some(words) => Words::new(words.iter().map(String::as_str)),
            None => Words::default(),
        }
    }

    /// The words as they are shown.
    pub fn shown_words(&self) -> Vec<String> {
        let usual = || words::DEFAULT.map(str::to_owned).to_vec();
        self.words.clone().unwrap_or_else(usual)
    }

    pub fn state(&self) -> State {
        match &self.reading {
            reading if reading.is_unknown => State::Unknown,
            reading if reading.read_at.is_none() => State::New,
            reading if reading.failures > 0 => State::Stale,
            _ => State::Current,
        }
    }

    /// Whether a reading at an instant may ask only for what has changed.
    pub fn asks_for_changes(&self, now: Timestamp) -> bool {
        let whole = self.reading.whole_at;
        !self.reading.is_unknown && whole.is_some_and(|at| now.duration_since(at) < WHOLE_EVERY)
    }

    /// Notes that a reading has succeeded. `whole` are the validators of a body; `None` where nothing was modified.
    pub fn succeeded(
        &mut self,
        now: Timestamp,
        pace: Pace,
        whole: Option<(Option<String>, Option<String>)>,
        error: Option<String>,
    ) {
        let reading = &mut self.reading;
        if let Some((etag, last_modified)) = whole {
            (reading.etag, reading.last_modified) = (etag, last_modified);
            reading.whole_at = Some(now);
            reading.error = error;
        } else if reading.failures > 0 {
            // What was wrong with single events of the body is not known any more.
            reading.error = None;
        }
        reading.read_at = Some(now);
        reading.revision += 1;
        (reading.failures, reading.is_unknown, reading.is_asked) = (0, false, false);
        self.reading.due_at = self.after(now, pace.every, pace);
    }

    /// Notes that a reading has failed.
    pub fn failed(&mut self, now: Timestamp, pace: Pace, why: String) {
        let trusted_from = self.reading.read_at.unwrap_or(self.created_at);
        let too_old = trusted_from
            .saturating_add(TRUSTED)
            .unwrap_or(Timestamp::MAX);
        let reading = &mut self.reading;
        reading.failures = reading.failures.saturating_add(1);
        reading.revision += 1;
        reading.error = Some(why);
        reading.is_unknown |= too_old <= now;
        reading.is_asked = false;
        let failures = reading.failures.min(12);
        let longest = LONGEST_WAIT.max(pace.every);
        let wait = match pace.is_frozen {
            true => pace.every,
            false => pace.every.saturating_mul(1 << failures).min(longest),
        };
        let next = self.after(now, wait, pace);
        self.reading.due_at = match too_old > now {
            true => next.min(too_old),
            false => next,
        };
    }

    /// An instant a wait after another; on a clock that runs, up to a tenth earlier, so that calendars are not all read at once.
    fn after(&self, now: Timestamp, wait: SignedDuration, pace: Pace) -> Timestamp {
        let spread = match pace.is_frozen {
            true => 0,
            false => {
                let sum = self
                    .id
                    .as_str()
                    .bytes()
                    .fold(0_i64, |sum, byte| sum * 31 % 1000 + i64::from(byte));
                wait.as_secs() / 10 * (sum % 1000) / 1000
            }
        };
        let wait = wait.saturating_sub(SignedDuration::from_secs(spread));
        now.saturating_add(wait).unwrap_or(Timestamp::MAX)
    }

    /// Takes other settings. What was read counts until it is read anew, which is asked for where they concern it.
    pub fn change(&mut self, edit: CalendarEdit) {
        let before = (self.counts, self.words.clone());
        if let Some(name) = edit.name {
            self.name = name;
        }
        self.counts = edit.counts.unwrap_or(self.counts);
        if let Some(words) = edit.words {
            self.words = words;
        }
        if before != (self.counts, self.words.clone()) {
            self.reading.revision += 1;
            self.reading.is_asked = true;
            (self.reading.etag, self.reading.last_modified) = (None, None);
            self.reading.whole_at = None;
        }
    }
}

/// A calendar to add.
#[derive(Clone, Debug)]
pub struct NewCalendar {
    pub user: UserId,
    pub address: SecretAddress,
    pub settings: CalendarEdit,
}

/// Settings of a calendar to change; `None` stays.
#[derive(Clone, Debug, Default)]
pub struct CalendarEdit {
    pub name: Option<Option<String>>,
    pub counts: Option<Counts>,
    pub words: Option<Option<Vec<String>>>,
}

impl CalendarEdit {
    /// Refuses names and words that are too long or too many.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] naming the member.
    pub fn check(&self) -> Result<(), Refusal> {
        if let Some(Some(name)) = &self.name {
            let length = name.chars().count();
            if length == 0 || length > LONGEST_NAME {
                return invalid(
                    "name",
                    format!("send 1 to {LONGEST_NAME} characters, or null"),
                );
            }
        }
        let Some(Some(words)) = &self.words else {
            return Ok(());
        };
        if words.len() > MOST_WORDS {
            return invalid("words", format!("send at most {MOST_WORDS}"));
        }
        for (index, word) in words.iter().enumerate() {
            if word.chars().count() > LONGEST_WORD || !word.chars().any(char::is_alphanumeric) {
                return invalid(
                    format!("words[{index}]"),
                    format!(
                        "send a word of at most {LONGEST_WORD} characters, with a letter or digit"
                    ),
                );
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn calendar() -> PersonalCalendar {
        let now = at("2026-11-22T12:00:00Z");
        PersonalCalendar {
            id: "pcl_1".into(),
            user: "U1".into(),
            address: SecretAddress("https://calendar.example.com/secret.ics".into()),
            name: None,
            counts: Counts::default(),
            words: None,
            created_at: now,
            reading: Reading::asked_at(now),
        }
    }

    /// rules.md 24.7.
    #[test]
    fn failures_wait_longer_and_longer_and_end_in_nothing_known() {
        let running = Pace {
            every: READ_EVERY,
            is_frozen: false,
        };
        let mut now = at("2026-11-22T12:00:00Z");
        let mut one = calendar();
        assert_eq!(one.state(), State::New);
        one.succeeded(now, running, Some((Some("\"1\"".into()), None)), None);
        assert_eq!((one.state(), one.reading.is_asked), (State::Current, false));
        let wait = |one: &PersonalCalendar, now: Timestamp| {
            one.reading.due_at.duration_since(now).as_mins()
        };
        assert!((13..=15).contains(&wait(&one, now)));
        for longest in [30, 60, 60, 60] {
            now = one.reading.due_at;
            one.failed(now, running, "no".into());
            let wait = wait(&one, now);
            assert!((longest * 9 / 10..=longest).contains(&wait), "{wait}");
            assert_eq!(one.state(), State::Stale);
        }
        let week = at("2026-11-29T12:00:00Z");
        one.failed(at("2026-11-29T11:59:59Z"), running, "no".into());
        assert_eq!((one.state(), one.reading.due_at), (State::Stale, week));
        one.failed(week, running, "no".into());
        assert_eq!(one.state(), State::Unknown);
        assert!(!one.asks_for_changes(week) && one.reading.due_at > week);
        one.succeeded(week, running, Some((None, None)), None);
        assert_eq!(
            (one.state(), one.reading.error.clone()),
            (State::Current, None)
        );
        assert!(!format!("{one:?}").contains("secret.ics"));
    }

    #[test]
    fn a_frozen_clock_reads_at_each_interval() {
        let frozen = Pace {
            every: READ_EVERY,
            is_frozen: true,
        };
        let now = at("2026-11-22T12:00:00Z");
        let mut one = calendar();
        for _ in 0..5 {
            one.failed(now, frozen, "no".into());
            assert_eq!(one.reading.due_at, at("2026-11-22T12:15:00Z"));
        }
        one.succeeded(now, frozen, Some((None, None)), None);
        assert_eq!(one.reading.due_at, at("2026-11-22T12:15:00Z"));
        assert!(one.asks_for_changes(at("2026-11-23T11:59:59Z")));
        assert!(!one.asks_for_changes(at("2026-11-23T12:00:00Z")));
    }

    #[test]
    fn settings_that_concern_what_was_read_have_it_read_anew() {
        for (edit, is_asked) in [
            (
                CalendarEdit {
                    name: Some(Some("Team".into())),
                    ..CalendarEdit::default()
                },
                false,
            ),
            (
                CalendarEdit {
                    counts: Some(Counts::OutOfOffice),
                    ..CalendarEdit::default()
                },
                false,
            ),
            (
                CalendarEdit {
                    counts: Some(Counts::Busy),
                    ..CalendarEdit::default()
                },
                true,
            ),
            (
                CalendarEdit {
                    words: Some(Some(vec!["Kur".into()])),
                    ..CalendarEdit::default()
                },
                true,
            ),
        ] {
            let mut one = calendar();
            one.reading.is_asked = false;
            one.change(edit.clone());
            assert_eq!(one.reading.is_asked, is_asked, "{edit:?}");
        }
    }

    #[test]
    fn names_and_words_are_bounded() {
        let words = |words: &[&str]| CalendarEdit {
            words: Some(Some(words.iter().map(|word| (*word).to_owned()).collect())),
            ..CalendarEdit::default()
        };
        let name = |name: &str| CalendarEdit {
            name: Some(Some(name.into())),
            ..CalendarEdit::default()
        };
        for (edit, is_good) in [
            (CalendarEdit::default(), true),
            (name("Holidays"), true),
            (name(""), false),
            (name(&"x".repeat(101)), false),
            (words(&[]), true),
            (words(&["kur"; 50]), true),
            (words(&["kur"; 51]), false),
            (words(&["--"]), false),
            (words(&[&"x".repeat(51)]), false),
        ] {
            assert_eq!(edit.check().is_ok(), is_good, "{edit:?}");
        }
    }
}
