//! Turns as invitations by mail (rules.md 19.15): what a letter says of one, and how many letters a person gets.

use super::ids::{CellId, RotationId, UserId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How long a turn without an end is in a calendar: as far ahead as feeds look.
pub const WITHOUT_END: SignedDuration = SignedDuration::from_hours(180 * 24);

/// Alarms of an invitation at the most.
pub const MOST_ALARMS: usize = 2;

/// What a calendar program knows an invitation by: a turn that begins elsewhere is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnKey {
    pub user: UserId,
    pub cell: CellId,
    pub start: Timestamp,
}

impl TurnKey {
    /// The UID, which no calendar feed has.
    pub fn uid(&self) -> String {
        let start = self.start.as_millisecond();
        format!("turn-{}-{}-{start}@rota", self.cell, self.user)
    }
}

/// A covered stretch of a person's turn that they are to be invited to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    pub key: TurnKey,
    pub rotation: RotationId,
    pub until: Timestamp,
    pub summary: String,
}

/// What a letter asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Enters the turn, or changes its end.
    Request,
    /// Takes it out.
    Cancel,
}

impl Method {
    /// As RFC 5546 names it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Request => "REQUEST",
            Method::Cancel => "CANCEL",
        }
    }
}

/// A letter about one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnLetter {
    pub method: Method,
    /// With the end that was told last, if it is taken out.
    pub turn: Turn,
    pub sequence: u32,
}

/// Letters to one person within [`MINUTE`].
const MOST_A_MINUTE: usize = 20;
/// See [`MOST_A_MINUTE`].
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// When the latest letters to a person were sent, oldest first: as many as may be within a minute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pace(Vec<i64>);

impl Pace {
    /// When the next letter may be sent.
    pub fn next(&self, now: Timestamp) -> Timestamp {
        let first = match self.0.len() < MOST_A_MINUTE {
            true => None,
            false => self.0.first(),
        };
        let first = first.and_then(|first| Timestamp::from_millisecond(*first).ok());
        let next = first.and_then(|first| first.checked_add(MINUTE).ok());
        next.map_or(now, |next| next.max(now))
    }

    /// Counts a letter.
    pub fn count(&mut self, now: Timestamp) {
        self.0.push(now.as_millisecond());
        let over = self.0.len().saturating_sub(MOST_A_MINUTE);
        self.0.drain(..over);
    }
}

/// The alarms of invitations: of the person's reminders the nearest, the earliest first.
pub fn alarms(mut reminders: Vec<SignedDuration>) -> Vec<SignedDuration> {
    reminders.sort();
    reminders.truncate(MOST_ALARMS);
    reminders.reverse();
    reminders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_767_600_000 + second).unwrap()
    }

    /// rules.md 19.15.
    #[test]
    fn twenty_letters_are_sent_within_any_minute() {
        let mut pace = Pace::default();
        for second in 0..20 {
            assert_eq!(pace.next(at(second)), at(second));
            pace.count(at(second));
        }
        assert_eq!(pace.next(at(20)), at(60));
        assert_eq!(pace.next(at(61)), at(61));
        pace.count(at(61));
        assert_eq!(pace.next(at(61)), at(61));
        pace.count(at(61));
        assert_eq!(pace.next(at(61)), at(62));
    }

    #[test]
    fn the_two_nearest_reminders_are_alarms() {
        let minutes = |all: &[i64]| -> Vec<SignedDuration> {
            all.iter()
                .map(|one| SignedDuration::from_mins(*one))
                .collect()
        };
        for (reminders, expected) in [
            (&[][..], &[][..]),
            (&[15], &[15]),
            (&[10_080, 15, 720], &[720, 15]),
        ] {
            assert_eq!(alarms(minutes(reminders)), minutes(expected));
        }
    }

    #[test]
    fn a_uid_is_of_person_cell_and_start() {
        let key = TurnKey {
            user: "U1".into(),
            cell: "cel_1".into(),
            start: at(0),
        };
        assert_eq!(key.uid(), "turn-cel_1-U1-1767600000000@rota");
    }
}
