//! Dealing where a missed turn is traded: whose turn it is, who pays back, who takes a turn instead, who helps (rules.md 29).
//!
//! The order never moves for an absence. Whoever cannot take their turn trades it with the next who can, and owes them one.

use super::absence::Skipped;
use super::books::{Credit, Dealing, Dealt, MissedTurn, Trade, WHOLE};
use super::dealing::Missing;
use super::entry::PassedOver;
use super::ids::{CellId, TradeId, UserId};
use super::roster::{NextTurn, Position};
use super::trace::{Cannot, Hindrance, Traced};
use jiff::Timestamp;

/// How somebody stands to a turn, from the worst to the best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    Absent(Missing),
    /// On call in another cell at the same time.
    Elsewhere(OtherTurn),
    /// Able, but too near to another turn of theirs.
    Unrested(OtherTurn),
    Rested,
    /// Rested, and not on end with another turn of theirs.
    Free,
}

/// Another turn of somebody: when it begins, and when its covered time ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherTurn {
    pub cell: CellId,
    pub from: Timestamp,
    pub until: Timestamp,
}

impl Standing {
    fn is_free(&self) -> bool {
        matches!(self, Standing::Free)
    }

    fn is_rested(&self) -> bool {
        matches!(self, Standing::Rested | Standing::Free)
    }

    fn is_able(&self) -> bool {
        self.is_rested() || matches!(self, Standing::Unrested(_))
    }
}

/// The turn that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The one that is dealt.
    Now,
    /// One of the turns to come, by its index.
    ToCome(usize),
}

/// As what somebody would take a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It is their own: their own turns to come do not count.
    Owner,
    Another,
}

/// One of the turns to come of the line, as if nobody were away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToCome {
    pub owner: UserId,
    pub cell: CellId,
    pub from: Timestamp,
}

/// What the rule asks about people and time.
pub trait World {
    /// How somebody stands to a turn.
    fn standing(&mut self, user: &UserId, turn: Which, part: Part) -> Standing;
    /// The turns to come of a line, up to a round.
    fn to_come(&mut self, line: &NextTurn) -> Vec<ToCome>;
    /// Looks for somebody as where missed turns are lost, from a position: double cover, and whoever is absent for the shortest
    /// time.
    fn last_resort(&mut self, first: usize, found: &mut Found) -> Option<UserId>;
}

/// The turn that is dealt, and where it is dealt from.
pub struct Place<'a> {
    pub order: &'a [Position],
    pub dealing: &'a Dealing,
    pub cell: &'a CellId,
    pub from: Timestamp,
    pub until: Timestamp,
}

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Whose own turn it is; `None` where nobody is in the order.
    pub owner: Option<UserId>,
    pub dealt: Option<(UserId, Dealt)>,
    /// Who would have come before, but is absent, each once.
    pub skipped: Vec<Skipped>,
    /// Who would have come before, but is on call elsewhere, each once.
    pub passed_over: Vec<PassedOver>,
    /// What was decided, for an explanation.
    pub steps: Vec<Traced>,
}

impl Found {
    /// Notes why somebody who would have come before cannot have it, each once.
    fn cannot(&mut self, user: &UserId, standing: &Standing) {
        let (why, from, until, other) = match standing {
            Standing::Absent(Missing { absence, .. }) => {
                if self.skipped.iter().all(|known| known.user != *user) {
                    self.skipped.push(absence.clone());
                }
                (Hindrance::Absent, absence.from, absence.until, None)
            }
            Standing::Elsewhere(turn) => {
                if self.passed_over.iter().all(|known| known.user != *user) {
                    self.passed_over.push(PassedOver {
                        user: user.clone(),
                        cell: turn.cell.clone(),
                    });
                }
                (
                    Hindrance::Elsewhere,
                    Some(turn.from),
                    Some(turn.until),
                    Some(turn),
                )
            }
            Standing::Unrested(turn) => (
                Hindrance::Rest,
                Some(turn.from),
                Some(turn.until),
                Some(turn),
            ),
            Standing::Rested | Standing::Free => return,
        };
        let is_known = |step: &Traced| matches!(step, Traced::Cannot(one) if one.user == *user);
        if !self.steps.iter().any(is_known) {
            self.steps.push(Traced::Cannot(Cannot {
                user: user.clone(),
                why,
                from,
                until,
                cell: other.map(|turn| turn.cell.clone()),
            }));
        }
    }

    fn give(&mut self, user: UserId, dealt: Dealt) {
        self.dealt = Some((user, dealt));
    }
}

impl NextTurn {
    /// Finds whose turn is next and moves on. Returns their position and those who sat out. `None` where nobody is in the order.
    pub fn next_owner(
        &mut self,
        order: &[Position],
        dealing: &Dealing,
    ) -> Option<(usize, Vec<UserId>)> {
        let everybody_helps = people_with_a_share(order, dealing) == 0;
        let mut sat_out: Vec<UserId> = Vec::new();
        for step in 0.. {
            let turn = (self.turn + step) % order.len().max(1);
            let user = &order.get(turn)?.user;
            let percent = match everybody_helps {
                true => WHOLE,
                false => dealing.percent(user),
            };
            if self.grows(user, percent) {
                self.turn = (turn + 1) % order.len();
                return Some((turn, sat_out));
            }
            if !sat_out.contains(user) {
                sat_out.push(user.clone());
            }
        }
        None
    }

    /// Whether the credit of somebody who is come to pays for the turn.
    fn grows(&mut self, user: &UserId, percent: u8) -> bool {
        if percent == 0 || percent >= WHOLE {
            return percent > 0;
        }
        let begins = Credit {
            user: user.clone(),
            percent,
            credit: WHOLE - percent,
        };
        let known = self
            .books
            .credits
            .iter()
            .position(|credit| credit.user == *user);
        let known = known.unwrap_or_else(|| {
            self.books.credits.push(begins.clone());
            self.books.credits.len() - 1
        });
        let credit = &mut self.books.credits[known];
        if credit.percent != percent {
            *credit = begins;
        }
        credit.credit += percent;
        let pays = credit.credit >= WHOLE;
        if pays {
            credit.credit -= WHOLE;
        }
        pays
    }

    /// Forgets credits, help and trades of those who have left the order, or of everybody where missed turns are lost.
    pub fn keep(&mut self, order: &[Position], dealing: &Dealing) {
        let trades = dealing.missed_turn == MissedTurn::Traded;
        let stays = |user: &UserId| trades && order.iter().any(|position| position.user == *user);
        self.books.credits.retain(|credit| {
            stays(&credit.user) && dealing.percent(&credit.user) == credit.percent
        });
        self.books.helped.retain(|(user, _)| stays(user));
        self.books
            .trades
            .retain(|trade| stays(&trade.owes) && stays(&trade.owed));
    }

    /// Deals the next turn.
    pub fn deal(&mut self, place: &Place, world: &mut dyn World) -> Found {
        let mut found = Found::default();
        let Some((turn, sat_out)) = self.next_owner(place.order, place.dealing) else {
            return found;
        };
        let owner = place.order[turn].user.clone();
        found.owner = Some(owner.clone());
        found.steps.push(Traced::OwnTurn {
            user: owner.clone(),
            turn,
            sat_out,
        });
        let round = round(place.order, place.dealing);
        let older = self.books.trades.len();
        if let Some(trade) = self.repays(&owner, round, world) {
            let trade = self.books.trades.remove(trade);
            found.steps.push(repaid(&trade));
            found.give(trade.owes, Dealt::Repayment);
        } else {
            let standing = world.standing(&owner, Which::Now, Part::Owner);
            if standing.is_rested() {
                found.give(owner, Dealt::Own);
            } else {
                found.cannot(&owner, &standing);
                self.replace(place, &owner, standing.is_able(), turn, &mut found, world);
            }
        }
        if found.dealt.is_some() {
            let older = older.min(self.books.trades.len());
            for trade in &mut self.books.trades[..older] {
                trade.dealt_since = trade.dealt_since.saturating_add(1);
            }
        }
        found
    }

    /// Deals what is left of a turn whose holder goes away. The order does not move.
    pub fn relieve(&mut self, place: &Place, holder: &Skipped, world: &mut dyn World) -> Found {
        let owner = &holder.user;
        let mut found = Found {
            owner: Some(owner.clone()),
            ..Found::default()
        };
        let absence = holder.clone();
        let partly = None;
        found.cannot(owner, &Standing::Absent(Missing { absence, partly }));
        self.replace(place, owner, false, self.turn, &mut found, world);
        found
    }

    /// The trade that a debtor of an owner closes by taking the turn that is dealt.
    fn repays(&self, owner: &UserId, round: usize, world: &mut dyn World) -> Option<usize> {
        let mut rested = None;
        for (index, trade) in self.books.trades.iter().enumerate() {
            if trade.owed != *owner {
                continue;
            }
            let standing = world.standing(&trade.owes, Which::Now, Part::Another);
            if standing.is_free() {
                return Some(index);
            }
            if standing.is_rested() && trade.dealt_since as usize > round {
                rested = rested.or(Some(index));
            }
        }
        rested
    }

    /// Finds somebody in the place of an owner who does not take the turn: by a trade, else with help.
    fn replace(
        &mut self,
        place: &Place,
        owner: &UserId,
        owner_able: bool,
        owner_turn: usize,
        found: &mut Found,
        world: &mut dyn World,
    ) {
        if place.order.iter().any(|position| position.user == *owner)
            && self.trade(place, owner, found, world)
        {
            return;
        }
        if self.help(place, owner, owner_able, found, world) {
            return;
        }
        let known = found.steps.len();
        if let Some(user) = world.last_resort(owner_turn, found) {
            found.steps.insert(known, Traced::RestNotKept);
            found.give(user, Dealt::ShortRest);
        }
    }

    /// Trades the turn for one to come. Returns whether somebody takes it.
    fn trade(
        &mut self,
        place: &Place,
        owner: &UserId,
        found: &mut Found,
        world: &mut dyn World,
    ) -> bool {
        let to_come = world.to_come(self);
        let others = to_come.iter().enumerate();
        let others = others.filter(|(_, turn)| turn.owner != *owner);
        let candidates: Vec<Candidate> = others
            .map(|(index, turn)| Candidate {
                index,
                taker: world.standing(&turn.owner, Which::Now, Part::Another),
                giver: world.standing(owner, Which::ToCome(index), Part::Another),
            })
            .collect();
        let matches: [fn(&Candidate) -> bool; 4] = [
            |both| both.taker.is_free() && both.giver.is_free(),
            |both| both.taker.is_free() && both.giver.is_rested(),
            |both| both.taker.is_rested() && both.giver.is_free(),
            |both| both.taker.is_rested() && both.giver.is_rested(),
        ];
        let best = matches
            .iter()
            .find_map(|matches| candidates.iter().position(matches));
        for candidate in &candidates[..best.unwrap_or(candidates.len())] {
            found.cannot(&to_come[candidate.index].owner, &candidate.taker);
        }
        let Some(best) = best else {
            return false;
        };
        let given = &to_come[candidates[best].index];
        let taker = given.owner.clone();
        let owes = |trade: &Trade| trade.owes == taker && trade.owed == *owner;
        if let Some(known) = self.books.trades.iter().position(owes) {
            let closed = self.books.trades.remove(known);
            found.steps.push(repaid(&closed));
            found.give(taker, Dealt::Repayment);
        } else {
            found.steps.push(Traced::Trade {
                owes: owner.clone(),
                owed: taker.clone(),
                returns: (given.cell.clone(), given.from),
            });
            self.books.trades.push(Trade {
                id: self.trade_id(place),
                owes: owner.clone(),
                owed: taker.clone(),
                cell: place.cell.clone(),
                from: place.from,
                until: place.until,
                dealt_since: 0,
            });
            found.give(taker, Dealt::Trade);
        }
        true
    }

    /// The id of the trade of a turn. It is made of what the trade is about, so that plan and record agree.
    fn trade_id(&self, place: &Place) -> TradeId {
        let about = format!("{} {}", place.cell, place.from.as_millisecond());
        // A turn that is rotated away at the instant at which it began is dealt twice then.
        (0..)
            .map(|again: u32| id_of(&format!("{about} {again}")))
            .find(|id| self.books.trades.iter().all(|known| known.id != *id))
            .unwrap_or_else(|| id_of(&about))
    }

    /// Has somebody help who is owed nothing for it. Returns whether somebody takes the turn.
    fn help(
        &mut self,
        place: &Place,
        owner: &UserId,
        owner_able: bool,
        found: &mut Found,
        world: &mut dyn World,
    ) -> bool {
        let people = place.order.len();
        let from_next = (0..people).map(|step| (self.turn + step) % people);
        let users: Vec<UserId> = from_next
            .map(|turn| place.order[turn].user.clone())
            .collect();
        let others = users.iter().filter(|user| *user != owner);
        let standings: Vec<(&UserId, Standing)> = others
            .map(|user| (user, world.standing(user, Which::Now, Part::Another)))
            .collect();
        let count = |user: &UserId| {
            let helped = self.books.helped.iter().find(|(known, _)| known == user);
            helped.map_or(0, |(_, count)| *count)
        };
        let levels: [fn(&Standing) -> bool; 3] =
            [Standing::is_free, Standing::is_rested, Standing::is_able];
        let mut chosen = None;
        for (level, is_good) in levels.iter().enumerate() {
            let good = standings.iter().filter(|(_, standing)| is_good(standing));
            let mut good: Vec<&UserId> = good.map(|(user, _)| *user).collect();
            let is_last = level + 1 == levels.len();
            if is_last && owner_able {
                let mut place_of = users.iter();
                let at = place_of.position(|user| user == owner);
                let at = at.unwrap_or(users.len());
                let before = |user: &&UserId| {
                    users
                        .iter()
                        .position(|known| known == *user)
                        .is_some_and(|place| place < at)
                };
                good.insert(good.partition_point(before), owner);
            }
            // The first of those who helped least.
            if let Some(user) = good.into_iter().min_by_key(|user| count(user)) {
                chosen = Some((user.clone(), is_last));
                break;
            }
        }
        let until = match &chosen {
            Some((user, _)) => standings.iter().position(|(known, _)| *known == user),
            None => None,
        };
        for (user, standing) in &standings[..until.unwrap_or(standings.len())] {
            found.cannot(user, standing);
        }
        let Some((user, short)) = chosen else {
            return false;
        };
        if short {
            found.steps.push(Traced::RestNotKept);
        } else {
            found.steps.push(Traced::Help {
                user: user.clone(),
                before: count(&user),
            });
        }
        if user != *owner {
            match self
                .books
                .helped
                .iter_mut()
                .find(|(known, _)| *known == user)
            {
                Some((_, count)) => *count += 1,
                None => self.books.helped.push((user.clone(), 1)),
            }
        }
        let dealt = match short {
            true => Dealt::ShortRest,
            false => Dealt::Help,
        };
        found.give(user, dealt);
        true
    }
}

/// Somebody whose turn to come may be traded for the turn that is dealt.
struct Candidate {
    /// Of the turn to come.
    index: usize,
    /// How its owner stands to the turn that is dealt.
    taker: Standing,
    /// How the owner of the turn that is dealt stands to it.
    giver: Standing,
}

fn repaid(trade: &Trade) -> Traced {
    Traced::Repayment {
        trade: trade.id.clone(),
        user: trade.owes.clone(),
        since: trade.from,
    }
}

/// As many turns as there are people with a share.
pub fn round(order: &[Position], dealing: &Dealing) -> usize {
    match people_with_a_share(order, dealing) {
        0 => order.len(),
        people => people,
    }
}

fn people_with_a_share(order: &[Position], dealing: &Dealing) -> usize {
    let positions = order.iter();
    let with_share = positions.filter(|position| dealing.percent(&position.user) > 0);
    with_share.count()
}

/// An id of the usual form for a text, by FNV-1a with 128 bits.
fn id_of(text: &str) -> TradeId {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mixed = text.bytes().fold(BASIS, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    });
    let mut rest = mixed;
    let digit = |_| {
        let digit = DIGITS[(rest % 62) as usize];
        rest /= 62;
        char::from(digit)
    };
    let letters: String = (0..20).map(digit).collect();
    format!("trd_{letters}").into()
}
