//! A walk over the entries of one cell, for the people in them.

use crate::domain::books::{Dealt, DealtTurn};
use crate::domain::ids::UserId;
use crate::domain::rotation::{Entry, Reason};
use crate::domain::time::Interval;
use jiff::Timestamp;

/// Something that counts for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// They are on call for a while, which is not empty.
    Held(Interval),
    Counted(Counted, Timestamp),
}

/// The kind of time that is counted of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// They begin a turn, or held one when the range began.
    Turn,
    /// Duty came to them from somebody else.
    HandOver,
    /// A turn was dealt past them, because they were absent or on call elsewhere.
    PassedOver,
    /// Others took duty of theirs by a cover.
    CoverGiven,
    /// They took duty of others by a cover.
    CoverTaken,
    Swap,
    /// They were notified of a mention.
    Mention,
    /// They acknowledged a mention.
    Acknowledged,
    /// A turn of theirs was their own, where missed turns are traded.
    OwnTurn,
    /// They took a turn for somebody who owed them one for it.
    Traded,
    /// They took a turn for somebody to whom they owed one.
    Repaid,
    /// They took a turn for somebody, and nothing was owed.
    Helped,
}

impl Counted {
    /// What a turn is to whoever has it, where missed turns are traded.
    fn of(turn: &DealtTurn, holder: &UserId) -> Counted {
        match turn.dealt {
            Dealt::Trade => Counted::Traded,
            Dealt::Repayment => Counted::Repaid,
            _ if turn.owner == *holder => Counted::OwnTurn,
            Dealt::Own | Dealt::Help | Dealt::ShortRest => Counted::Helped,
        }
    }
}

/// Walks the entries of one cell that touch a range, in order.
///
/// A turn goes on while nobody else comes between and nothing is dealt: hours that begin again, and edits, begin no turn. Somebody
/// dealt twice in a row has two turns and one hand-over.
#[derive(Clone, Debug)]
pub struct Walk {
    range: Interval,
    /// Who was on call last; `None` before the first entry with anybody.
    last: Option<Vec<UserId>>,
}

impl Walk {
    /// Begins at the first entry that touches the range.
    pub fn of(range: Interval) -> Walk {
        Walk { range, last: None }
    }

    /// Reads the next entry, which ends at `until`.
    pub fn entry(
        &mut self,
        entry: &Entry,
        until: Timestamp,
        tell: &mut dyn FnMut(&UserId, Happening),
    ) {
        let begins = self.range.from <= entry.start && entry.start < self.range.until;
        let is_dealt = entry.arrangement.is_none() && deals(entry.reason);
        if begins && is_dealt {
            let absent = entry.skipped.iter().map(|skipped| &skipped.user);
            let busy = entry.passed_over.iter().map(|passed| &passed.user);
            for user in absent.chain(busy) {
                tell(user, Happening::Counted(Counted::PassedOver, entry.start));
            }
        }
        let mut people: Vec<UserId> = entry.user.iter().chain(&entry.beside).cloned().collect();
        people.dedup();
        if people.is_empty() {
            return;
        }
        let period = Interval::new(entry.start, until);
        if let Some(period) = period.meets(self.range) {
            for user in &people {
                let had_it = self.last.as_ref().map(|last| last.contains(user));
                // Before the first entry of the range it is not known who was on call; hours that begin again go on.
                let is_first = had_it.is_none() && entry.reason == Reason::BusinessHoursBackOnline;
                if had_it != Some(true) || (begins && is_dealt) {
                    tell(user, Happening::Counted(Counted::Turn, period.from));
                    if let Some(turn) = &entry.dealt {
                        let counted = Counted::of(turn, user);
                        tell(user, Happening::Counted(counted, period.from));
                    }
                }
                if begins && had_it != Some(true) && !is_first {
                    tell(user, Happening::Counted(Counted::HandOver, period.from));
                }
                tell(user, Happening::Held(period));
            }
        }
        self.last = Some(people);
    }
}

/// Whether an entry with this reason begins with a deal.
fn deals(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::NextOnScheduledDuty | Reason::RotateToNextOnDuty | Reason::AfterMention
    )
}
