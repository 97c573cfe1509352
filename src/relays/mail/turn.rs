//! The words of a letter that invites somebody to a turn of theirs.

use crate::domain::turn_invitation::{Method, TurnLetter};
use crate::domain::wording;
use crate::domain::zones::ZoneName;
use crate::relays::plain::plain;

/// An invitation to a turn, in words.
#[derive(Clone, Debug)]
pub struct TurnWords<'a> {
    pub letter: &'a TurnLetter,
    /// The reader's.
    pub zone: ZoneName,
    /// Where the reader chooses what they are mailed.
    pub settings: String,
}

impl TurnWords<'_> {
    /// The subject.
    pub fn subject(&self) -> String {
        let turn = &self.letter.turn;
        let summary = plain(&turn.summary);
        let begins = wording::moment(turn.key.start, self.zone);
        match self.letter.method {
            Method::Request => format!("{summary}, {begins}"),
            Method::Cancel => format!("Cancelled: {summary}, {begins}"),
        }
    }

    /// The text, with lines that end in `\n`.
    pub fn text(&self) -> String {
        let turn = &self.letter.turn;
        let summary = plain(&turn.summary);
        let from = wording::moment(turn.key.start, self.zone);
        let until = wording::moment(turn.until, self.zone);
        let said = match self.letter.method {
            Method::Request => "You are on call:",
            Method::Cancel => "You are no longer on call:",
        };
        format!(
            "{said}\n\n{summary}\n{from} to {until} ({})\n\nTo get no more invitations: {}\n",
            self.zone, self.settings
        )
    }
}
