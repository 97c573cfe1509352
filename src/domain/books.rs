//! What is kept of traded turns: how a rotation deals, what the people of a line owe each other, and whose turn somebody has
//! (rules.md 27). The rule itself is in [`trading`](super::trading).

use super::fault::Fault;
use super::ids::{CellId, TradeId, UserId, WindowId};
use super::limits::{PEOPLE, check_most, within};
use super::refusal::{Refusal, invalid};
use super::stored::{self, listed};
use super::words::words;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a rotation says of missed turns, rest and shares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dealing {
    pub missed_turn: MissedTurn,
    /// Hours between any two turns of a person: 0 to [`MOST_REST_HOURS`].
    pub rest_hours: u8,
    /// People with another share than all of their turns.
    pub shares: Vec<Share>,
}

/// The most hours of rest.
pub const MOST_REST_HOURS: u8 = 48;

/// The percent that means every turn.
pub const WHOLE: u8 = 100;

words! {
    /// What becomes of the turn of somebody who cannot take it.
    pub enum MissedTurn default Lost {
        /// It is lost, and everybody after them moves up.
        Lost = "lost",
        /// Somebody else takes it and is owed one; the order does not move.
        Traded = "traded",
    }
}

/// The share of one person in the turns of each line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub user: UserId,
    /// 0 (a stand-in, who only helps) to [`WHOLE`].
    pub percent: u8,
}

impl Share {
    /// The share at an index of a list, if it keeps the limits.
    pub fn new(index: usize, user: UserId, percent: i32) -> Result<Share, Refusal> {
        let most = u32::from(WHOLE);
        let percent = within(
            &format!("dealing.shares[{index}].percent"),
            percent,
            0..=most,
        )?;
        let percent = u8::try_from(percent).unwrap_or(WHOLE);
        Ok(Share { user, percent })
    }
}

/// Changes to how a rotation deals. `None` keeps a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DealingChange {
    pub missed_turn: Option<MissedTurn>,
    pub rest_hours: Option<u8>,
    /// The whole list.
    pub shares: Option<Vec<Share>>,
}

impl DealingChange {
    /// The hours of rest, if they are within the limits.
    pub fn hours(hours: i32) -> Result<u8, Refusal> {
        let most = u32::from(MOST_REST_HOURS);
        let hours = within("dealing.restHours", hours, 0..=most)?;
        Ok(u8::try_from(hours).unwrap_or(MOST_REST_HOURS))
    }

    /// The changes, if they keep the limits.
    pub fn checked(self) -> Result<DealingChange, Refusal> {
        let shares = self.shares.as_deref().unwrap_or_default();
        check_most("dealing.shares", shares.len(), PEOPLE)?;
        for (index, share) in shares.iter().enumerate() {
            if shares[..index].iter().any(|known| known.user == share.user) {
                let path = format!("dealing.shares[{index}].userId");
                return invalid(path, Fault::Repeated);
            }
        }
        Ok(self)
    }
}

impl Dealing {
    /// How a new rotation deals. Those that were there before the rule deal by the default.
    pub fn of_new() -> Dealing {
        Dealing {
            missed_turn: MissedTurn::Traded,
            ..Dealing::default()
        }
    }

    /// Refuses shares of people who are no members.
    pub fn check_members(&self, is_member: impl Fn(&UserId) -> bool) -> Result<(), Refusal> {
        for (index, share) in self.shares.iter().enumerate() {
            if !is_member(&share.user) {
                let path = format!("dealing.shares[{index}].userId");
                return invalid(path, Fault::NotMember(share.user.clone()));
            }
        }
        Ok(())
    }

    /// The dealing after a change. Where missed turns become lost, rest and shares go.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] for rest or shares where missed turns are lost.
    pub fn changed(&self, change: &DealingChange) -> Result<Dealing, Refusal> {
        let missed_turn = change.missed_turn.unwrap_or(self.missed_turn);
        if missed_turn == MissedTurn::Lost {
            let needs = "needs missedTurn `traded`";
            if change.rest_hours.is_some_and(|hours| hours > 0) {
                return invalid(
                    "dealing.restHours",
                    format!("{needs}; send 0 or leave it out"),
                );
            }
            if change
                .shares
                .as_ref()
                .is_some_and(|shares| !shares.is_empty())
            {
                return invalid(
                    "dealing.shares",
                    format!("{needs}; send [] or leave it out"),
                );
            }
            return Ok(Dealing::default());
        }
        Ok(Dealing {
            missed_turn,
            rest_hours: change.rest_hours.unwrap_or(self.rest_hours),
            shares: change.shares.clone().unwrap_or_else(|| self.shares.clone()),
        })
    }

    /// The share of a person, in percent.
    pub fn percent(&self, user: &UserId) -> u8 {
        let share = self.shares.iter().find(|share| &share.user == user);
        share.map_or(WHOLE, |share| share.percent)
    }
}

/// What the people of a line, the order of one roster for one window, owe each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Books {
    /// Of those with a part of the turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credits: Vec<Credit>,
    /// How often each person has helped, without those who never did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub helped: Vec<(UserId, u32)>,
    /// The open trades, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trades: Vec<Trade>,
}

/// A turn that has ended, as long as rest counts from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedTurn {
    pub window: WindowId,
    pub cell: CellId,
    pub user: UserId,
    pub since: Timestamp,
    /// When its covered time ended.
    pub covered_until: Timestamp,
    /// When it was handed over at a hand-over of the window; `None` where it ended in another way.
    pub handed_over_at: Option<Timestamp>,
}

/// Whose turn somebody holds, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DealtTurn {
    pub owner: UserId,
    pub dealt: Dealt,
}

listed! {
    EndedTurn: |one| EndedList(
        one.window.clone(), one.cell.clone(), one.user.clone(), one.since, one.covered_until, one.handed_over_at
    ),
        EndedList(window, cell, user, since, covered_until, handed_over_at) in EndedList => EndedTurn {
            window,
            cell,
            user,
            since,
            covered_until,
            handed_over_at,
        };
    DealtTurn: |one| (&one.owner, one.dealt), (owner, dealt) in (UserId, Dealt) => DealtTurn { owner, dealt };
}

#[derive(Serialize, Deserialize)]
struct EndedList(
    WindowId,
    CellId,
    UserId,
    #[serde(with = "stored")] Timestamp,
    #[serde(with = "stored")] Timestamp,
    #[serde(with = "stored")] Option<Timestamp>,
);

/// The credit of somebody with a part of the turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credit {
    pub user: UserId,
    /// The share that it was counted with; with another one it begins again.
    pub percent: u8,
    /// Below [`WHOLE`], which a turn costs.
    pub credit: u8,
}

/// A turn that somebody took for somebody else and that has not been paid back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trade {
    pub id: TradeId,
    pub owes: UserId,
    /// Whoever took the turn.
    pub owed: UserId,
    /// The cell of the turn that was taken.
    pub cell: CellId,
    #[serde(with = "stored")]
    pub from: Timestamp,
    #[serde(with = "stored")]
    pub until: Timestamp,
    /// How many turns of the line were dealt since.
    pub dealt_since: u32,
}

words! {
    /// Why somebody has a turn, where missed turns are traded.
    pub enum Dealt {
        /// It is their own.
        Own = "own",
        /// They took it from whoever's it is, who owes them one.
        Trade = "trade",
        /// They owed it to whoever's it is.
        Repayment = "repayment",
        /// They help out; nothing is owed.
        Help = "help",
        /// Nobody was rested.
        ShortRest = "shortRest",
    }
}
