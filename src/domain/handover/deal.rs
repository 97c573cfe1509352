//! Slots emptied, dealt, filled and assigned: who comes onto a slot in a change, and who was passed over.

use super::memo::Memo;
use super::{Change, DealingContext, absent, trading};
use crate::domain::absence_policy::PassOver;
use crate::domain::dealing::{self, Missing, Question};
use crate::domain::ids::UserId;
use crate::domain::roster::Order;
use crate::domain::rotation::{Holder, PassedOver, Reason, Rotation};
use crate::domain::trace::{Decision, Traced};
use jiff::Timestamp;
use std::sync::Arc;

/// The work of each person passed over, against asking about one: they are kept and shown with the turn. This also bounds the
/// memory of a forecast whose slots are dealt past hundreds of people.
const WORK_OF_A_NAME: usize = 4;

impl Change<'_> {
    /// Empties the cells named and deals them again in the order of slots.
    pub fn hand_over(&mut self, cells: &[usize], reason: Reason) {
        for &cell in cells {
            let relieves = self.relieves(cell);
            self.empty(cell, reason, !relieves);
        }
        for (index, &cell) in cells.iter().enumerate() {
            let relieves = self.relieves(cell);
            self.deal(cell, &cells[index + 1..], reason, true, !relieves);
        }
    }

    /// Deals every empty slot of an enabled `auto` rotation; a manual one deals only when told to.
    /// A slot that this change emptied keeps the reason it was emptied for.
    pub fn fill(&mut self, reason: Reason) {
        self.fill_slots(reason, true);
    }

    /// Deals every empty slot after absences changed. They raise no version, so a slot that stays empty keeps the list that it
    /// shows of people passed over.
    pub fn fill_after_absence(&mut self, reason: Reason) {
        self.fill_slots(reason, false);
    }

    fn fill_slots(&mut self, reason: Reason, notes: bool) {
        if self.rotation.deals_itself() {
            let cells = self.rotation.cells.iter().enumerate();
            let empty = cells.filter(|(_, cell)| cell.holder.is_none());
            let empty: Vec<usize> = empty.map(|(index, _)| index).collect();
            for (index, &cell) in empty.iter().enumerate() {
                let reason = self.touched[cell].unwrap_or(reason);
                self.deal(cell, &empty[index + 1..], reason, notes, false);
            }
        }
    }

    /// Whether whoever held a slot goes away in this change.
    fn relieves(&self, cell: usize) -> bool {
        self.relieved.iter().any(|(left, _)| *left == cell)
    }

    /// Takes whoever holds a slot off it, if anybody does, at a hand-over or otherwise.
    fn empty(&mut self, cell: usize, reason: Reason, by_hand_over: bool) {
        self.note_end(cell, by_hand_over);
        self.put(cell, None, Vec::new(), reason);
    }

    fn note_end(&mut self, cell: usize, by_hand_over: bool) {
        if self.trades()
            && let Some(holder) = self.rotation.cells[cell].holder.clone()
        {
            self.note_ended(cell, &holder, by_hand_over);
        }
    }

    /// Whether a running cell deals from a roster that this person is in: their absences concern the rotation.
    pub fn deals_to(&mut self, user: &UserId) -> bool {
        (0..self.rotation.cells.len()).any(|cell| {
            !self.rotation.cells[cell].stopped && self.order(cell).1.turn_of(user).is_some()
        })
    }

    /// Whether an absence ends now of somebody who may be dealt a slot.
    pub(super) fn is_somebody_back(&mut self) -> bool {
        let absences = self.dealing.absences;
        absences.ending_at(self.at).any(|user| self.deals_to(user))
    }

    /// Assigns a slot to somebody, as told. Somebody who holds it already goes on holding the turn they have.
    /// The window's next turn in the roster becomes the position after them, if they are in it.
    pub fn assign(&mut self, cell: usize, user: &UserId, reason: Reason) {
        let present = self.rotation.cells[cell].holder.as_ref();
        if present.is_none_or(|holder| &holder.user != user) {
            let holder = Holder {
                user: user.clone(),
                since: self.at,
                skipped: Vec::new(),
                dealt: None,
            };
            self.note_end(cell, false);
            self.put(cell, Some(holder), Vec::new(), reason);
        }
        let (roster, order) = self.order(cell);
        if let Some(turn) = order.turn_of(user) {
            self.set_next_turn(cell, roster, (turn + 1) % order.people.len());
        }
    }

    /// Takes whoever holds a slot off it.
    pub fn clear(&mut self, cell: usize, reason: Reason) {
        if self.rotation.cells[cell].holder.is_some() {
            self.empty(cell, reason, false);
        }
    }

    /// Deals an empty slot. Where nobody is found and it `notes`, the slot keeps who was passed over. A turn that begins because
    /// the slot `hands_over` may be dealt to somebody who is away now and comes back during it. Between hand-overs nobody who is
    /// away is put onto a slot that they would have had to hand over.
    fn deal(
        &mut self,
        cell: usize,
        waiting: &[usize],
        reason: Reason,
        notes: bool,
        hands_over: bool,
    ) {
        if self.rotation.cells[cell].stopped {
            return;
        }
        if self.trades() {
            return self.deal_traded(cell, waiting, reason, notes, hands_over);
        }
        let (roster, order) = self.order(cell);
        let (rotation, memo, dealing, at) =
            (&*self.rotation, &mut self.memo, self.dealing, self.at);
        let asked = &mut self.asked;
        let window = &rotation.windows[rotation.cells[cell].window].id;
        let trace = rotation.trace.as_ref();
        let wants = trace.is_some_and(|trace| trace.wants(&rotation.cells[cell].id));
        let mut steps = wants.then(Vec::new);
        let next_turn = rotation.rosters[roster].next_turn(window).unwrap_or(0);
        if let Some(steps) = &mut steps {
            steps.push(Traced::Order {
                roster: rotation.rosters[roster].id.clone(),
                window: window.clone(),
                next_turn,
                order: Arc::clone(&order),
            });
        }
        let turn = match rotation.absence_policy.pass_over {
            PassOver::AtHandOver => None,
            PassOver::DuringTurn => {
                let index = rotation.cells[cell].window;
                Some(memo.covered_turn(rotation, index, dealing.calendar, at))
            }
        };
        let here_now = turn.is_none() || (!hands_over && absent::relieves(rotation));
        let mut search = dealing::deal(&mut Question {
            order: &order.people,
            next_turn,
            double_cover: rotation.double_cover,
            away: &mut |user| {
                *asked += 1;
                let now = here_now.then(|| dealing.absences.at(user, at)).flatten();
                match (now, &turn) {
                    (Some(absence), _) => Some(Missing {
                        absence,
                        partly: None,
                    }),
                    (None, Some(turn)) => turn.missing(dealing.absences, user, asked),
                    (None, None) => None,
                }
            },
            elsewhere: &mut |user| {
                let slot = memo.in_the_way(rotation, dealing.calendar, cell, user, at)?;
                Some(rotation.cells[slot].id.clone())
            },
            trace: steps.as_mut(),
        });
        let relieved = self.relieved.iter().find(|(left, _)| *left == cell);
        if let Some((_, relieved)) = relieved
            && !search
                .skipped
                .iter()
                .any(|skipped| skipped.user == relieved.user)
        {
            search.skipped.insert(0, relieved.clone());
            if let Some(steps) = &mut steps {
                steps.insert(1, Traced::Absent(relieved.clone()));
            }
        }
        if let (Some(trace), Some(mut steps)) = (&mut self.rotation.trace, steps) {
            if search.dealt.is_none() {
                steps.push(Traced::NobodyLeft);
            }
            let at = self.at;
            let id = self.rotation.cells[cell].id.clone();
            trace.keep(id, Decision { at, reason, steps });
        }
        self.asked += WORK_OF_A_NAME * search.passed_over.len();
        match search.dealt {
            Some(dealt) => {
                self.set_next_turn(cell, roster, dealt.next_turn);
                let holder = Holder {
                    user: dealt.user,
                    since: self.at,
                    skipped: search.skipped,
                    dealt: None,
                };
                self.put(cell, Some(holder), search.passed_over, reason);
            }
            None if notes && self.rotation.cells[cell].passed_over != search.passed_over => {
                self.rotation.cells[cell].passed_over = search.passed_over;
                self.searched = true;
            }
            None => {}
        }
    }

    /// The same where missed turns are traded.
    fn deal_traded(
        &mut self,
        cell: usize,
        waiting: &[usize],
        reason: Reason,
        notes: bool,
        hands_over: bool,
    ) {
        let (roster, order) = self.order(cell);
        let during = self.rotation.absence_policy.pass_over == PassOver::DuringTurn;
        let here_now = !during || (!hands_over && absent::relieves(self.rotation));
        let id = self.rotation.cells[cell].id.clone();
        let trace = self.rotation.trace.as_ref();
        let wants = trace.is_some_and(|trace| trace.wants(&id));
        let window = &self.rotation.windows[self.rotation.cells[cell].window].id;
        let first = Traced::Order {
            roster: self.rotation.rosters[roster].id.clone(),
            window: window.clone(),
            next_turn: self.rotation.rosters[roster].next_turn(window).unwrap_or(0),
            order: Arc::clone(&order),
        };
        let mut found = self.trade(cell, roster, waiting, [here_now, hands_over]);
        if let Some(trace) = self.rotation.trace.as_mut().filter(|_| wants) {
            let mut steps = vec![first];
            steps.append(&mut found.steps);
            steps.push(match &found.dealt {
                Some((user, _)) => Traced::Chosen {
                    user: user.clone(),
                    turn: order.turn_of(user).unwrap_or(0),
                },
                None => Traced::NobodyLeft,
            });
            let at = self.at;
            trace.keep(id, Decision { at, reason, steps });
        }
        self.asked += WORK_OF_A_NAME * found.passed_over.len();
        let dealt = trading::dealt_turn(&found);
        match found.dealt {
            Some((user, _)) => {
                let holder = Holder {
                    user,
                    since: self.at,
                    skipped: found.skipped,
                    dealt,
                };
                self.put(cell, Some(holder), found.passed_over, reason);
            }
            None if notes && self.rotation.cells[cell].passed_over != found.passed_over => {
                self.rotation.cells[cell].passed_over = found.passed_over;
                self.searched = true;
            }
            None => {}
        }
    }

    fn set_next_turn(&mut self, cell: usize, roster: usize, turn: usize) {
        let rotation = &mut *self.rotation;
        let window = &rotation.windows[rotation.cells[cell].window].id;
        rotation.rosters[roster].set_next_turn(window, turn);
    }

    /// The one way onto and off a slot.
    fn put(
        &mut self,
        cell: usize,
        holder: Option<Holder>,
        passed_over: Vec<PassedOver>,
        reason: Reason,
    ) {
        let slot = &mut self.rotation.cells[cell];
        self.memo.moved(cell, slot.holder.as_ref(), holder.as_ref());
        slot.holder = holder;
        slot.passed_over = passed_over;
        self.touched[cell] = Some(reason);
    }

    /// A cell's roster, by its index, and the order of its people.
    pub(super) fn order(&mut self, cell: usize) -> (usize, Arc<Order>) {
        let index = self
            .rotation
            .roster_index(self.rotation.cells[cell].roster.as_ref());
        (index, self.memo.order(self.rotation, index))
    }
}

/// Whether somebody who takes two slots now would be on call in both at once before either is handed over.
pub fn would_double(
    rotation: &Rotation,
    dealing: DealingContext,
    [one, other]: [usize; 2],
    at: Timestamp,
) -> bool {
    let windows = [one, other].map(|slot| rotation.cells[slot].window);
    Memo::default().turns_meet(rotation, dealing.calendar, windows, at)
}
