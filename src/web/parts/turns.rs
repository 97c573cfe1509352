//! Turns of a place: what is dealt at once, with the covers and swaps that lie over it.

use super::item::{Item, Kind};
use crate::domain::ids::UserId;
use jiff::Timestamp;

/// One turn: its items in order of time, never none.
pub struct Turn<'i> {
    pub items: Vec<&'i Item>,
}

impl Turn<'_> {
    /// When it begins.
    pub fn from(&self) -> Timestamp {
        self.items[0].from
    }

    /// When it ends; `None` where somebody has to hand over.
    pub fn until(&self) -> Option<Timestamp> {
        self.items.last().and_then(|item| item.until)
    }

    /// Whether one of its items runs.
    pub fn is_now(&self, now: Timestamp) -> bool {
        self.items.iter().any(|item| item.is_now(now))
    }

    /// The item that stands for it: that of whoever it was dealt to, where they have any of it.
    pub fn main(&self) -> &Item {
        let dealt = self.items.iter().find(|item| item.kind == Kind::Turn);
        dealt.unwrap_or(&self.items[0])
    }

    /// The item at an instant, or the first one after it.
    pub fn at(&self, now: Timestamp) -> &Item {
        let rest = self.items.iter().find(|item| !item.is_over(now));
        rest.unwrap_or(&self.items[0])
    }

    /// Whether somebody has any of it.
    pub fn is_of(&self, user: Option<&UserId>) -> bool {
        user.is_some() && self.items.iter().any(|item| item.user.as_ref() == user)
    }
}

/// The turns among the items of a place. Hours that are not covered part no turn.
pub fn turns(items: &[Item]) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn> = Vec::new();
    for item in items.iter().filter(|item| item.kind != Kind::Off) {
        let continued = turns.last_mut().filter(|turn| {
            let last = turn.items[turn.items.len() - 1];
            match (last.turn, item.turn) {
                (Some(one), Some(other)) => one == other,
                // A partner's schedule, and old records, deal no turns that are known.
                _ => {
                    last.user == item.user
                        && last.kind == item.kind
                        && last.until == Some(item.from)
                }
            }
        });
        match continued {
            Some(turn) => turn.items.push(item),
            None => turns.push(Turn { items: vec![item] }),
        }
    }
    turns
}
