//! The note about a write that the next page shows: one line, a way to undo it, and a secret that is shown once. Kept in
//! memory for whoever it is said to, for one reading.

use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// One line about a write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    pub text: String,
    pub undo: Option<Undo>,
    /// A secret that is shown this once, such as a token.
    pub secret: Option<String>,
}

impl Note {
    /// A line without more.
    pub fn new(text: impl Into<String>) -> Note {
        Note {
            text: text.into(),
            ..Note::default()
        }
    }

    /// With the write that restores the state before.
    pub fn with_undo(self, undo: Undo) -> Note {
        Note {
            undo: Some(undo),
            ..self
        }
    }
}

/// A form that undoes a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    pub action: String,
    pub fields: Vec<(&'static str, String)>,
}

/// How long a note waits for its reader.
const KEPT: SignedDuration = SignedDuration::from_mins(5);

/// Notes kept at the most.
const MOST: usize = 10_000;

/// The notes that wait for their readers.
#[derive(Default)]
pub struct Notes(Mutex<HashMap<String, (Note, Timestamp)>>);

impl Notes {
    /// Keeps a note for a reader, in the place of one that they have not read.
    pub fn put(&self, reader: &str, note: Note, now: Timestamp) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() >= MOST {
            notes.retain(|_, (_, at)| is_fresh(*at, now));
        }
        if notes.len() < MOST {
            notes.insert(reader.to_owned(), (note, now));
        }
    }

    /// Takes the note of a reader.
    pub fn take(&self, reader: &str, now: Timestamp) -> Option<Note> {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (note, at) = notes.remove(reader)?;
        is_fresh(at, now).then_some(note)
    }
}

/// How long a write can be undone, and writes that can be undone at the most.
const UNDONE: SignedDuration = SignedDuration::from_hours(24);
const MOST_UNDONE: usize = 500;

/// What restores the state before writes, by the names that forms carry.
pub struct Undos<T>(Mutex<HashMap<String, (T, Timestamp)>>);

impl<T> Default for Undos<T> {
    fn default() -> Undos<T> {
        Undos(Mutex::default())
    }
}

impl<T: Clone> Undos<T> {
    /// Keeps what restores a state. The oldest makes room.
    pub fn put(&self, name: &str, restores: T, now: Timestamp) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (_, at)| now.duration_since(*at) < UNDONE);
        if kept.len() >= MOST_UNDONE {
            let oldest = kept.iter().min_by_key(|(_, (_, at))| *at);
            let oldest = oldest.map(|(name, _)| name.clone()).unwrap_or_default();
            kept.remove(&oldest);
        }
        kept.insert(name.to_owned(), (restores, now));
    }

    /// What has this name.
    pub fn get(&self, name: &str) -> Option<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(name).map(|(restores, _)| restores.clone())
    }
}

fn is_fresh(at: Timestamp, now: Timestamp) -> bool {
    now.duration_since(at) < KEPT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_once_and_soon() {
        let at = |second| Timestamp::from_second(second).expect("in range");
        let notes = Notes::default();
        notes.put("ses_1", Note::new("done"), at(0));
        assert_eq!(notes.take("ses_2", at(1)), None);
        assert_eq!(notes.take("ses_1", at(1)), Some(Note::new("done")));
        assert_eq!(notes.take("ses_1", at(1)), None);
        notes.put("ses_1", Note::new("late"), at(0));
        assert_eq!(notes.take("ses_1", at(300)), None);
    }

    #[test]
    fn the_last_writes_can_be_undone() {
        let undos = Undos::default();
        let at = |second| Timestamp::from_second(second).expect("in range");
        for number in 0..=MOST_UNDONE {
            undos.put(&number.to_string(), number, at(number as i64));
        }
        assert_eq!(undos.get("0"), None);
        assert_eq!((undos.get("1"), undos.get("1")), (Some(1), Some(1)));
        undos.put("later", 7, at(0) + UNDONE + SignedDuration::from_secs(5));
        assert_eq!((undos.get("5"), undos.get("6")), (None, Some(6)));
    }
}
