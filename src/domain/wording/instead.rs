//! For whom somebody takes a turn that is not their own.

use super::Words;
use crate::domain::books::{Dealt, DealtTurn};
use crate::domain::forecast::HandoverNotice;
use crate::domain::ids::UserId;

impl Words<'_> {
    /// For everybody: whose turn it is, after the name of whoever takes it.
    pub(super) fn for_whom(&self, handover: &HandoverNotice) -> String {
        let owner = handover.instead.as_ref();
        owner.map_or(String::new(), |instead| {
            format!(" (for {})", self.name(&instead.owner))
        })
    }

    /// For whoever takes it: whose turn it is, and what is given back.
    pub(super) fn instead(&self, handover: &HandoverNotice) -> String {
        let Some(instead) = &handover.instead else {
            return String::new();
        };
        let owner = self.name(&instead.owner);
        let turn = instead.turn.map(|at| self.renderer.time(at, handover.zone));
        match (instead.dealt, turn) {
            (Dealt::Trade, Some(turn)) => {
                format!(", instead of {owner}, who takes yours from {turn}")
            }
            (Dealt::Trade, None) => format!(", instead of {owner}, who owes you a turn"),
            (Dealt::Repayment, Some(turn)) => format!(", for {owner}, who took yours of {turn}"),
            (Dealt::Repayment, None) => format!(", for {owner}, who took a turn of yours"),
            (Dealt::Own | Dealt::Help | Dealt::ShortRest, _) => format!(", instead of {owner}"),
        }
    }
}

/// The same of a turn in a calendar, as a sentence; `None` for somebody's own turn. `name` is what its owner is called, `day` how
/// the beginning of a turn is said.
pub fn for_whom(
    turn: &DealtTurn,
    holder: &UserId,
    name: impl Fn(&UserId) -> String,
    day: impl Fn(jiff::Timestamp) -> String,
) -> Option<String> {
    let owner = name(turn.instead_of(holder)?);
    Some(match (turn.dealt, turn.since) {
        (Dealt::Trade, _) => format!("Instead of {owner}, who takes a turn in return."),
        (Dealt::Repayment, Some(since)) => {
            format!("For {owner}, in return for the turn of {}.", day(since))
        }
        (Dealt::Repayment, None) => format!("For {owner}, in return for a turn."),
        (Dealt::Help, _) => format!("Instead of {owner}, to help out."),
        (Dealt::Own | Dealt::ShortRest, _) => format!("Instead of {owner}; nobody was rested."),
    })
}
