//! The model's rules for writes: whether a write succeeds, the possible refusals, and its changes.

use super::forecast::{Forecast, Hold, NEVER};
use super::model::{Absence, Arrangement, Cell, Key, Kind, Leg, Model, Request, State, Who};
use super::time::Span;

/// Why a write is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Invalid,
    Denied,
    Disabled,
    NotYourDuty,
    Blocks,
    Unacknowledged,
    Repair,
    ArrangementChanged,
    NotPending,
    AlreadyAccepted,
    RequestChanged,
    StartedLeg,
}

/// Success, or the possible refusals: if several apply, their order is not specified.
pub type Verdict = Result<(), Vec<Refused>>;

/// A conflict with a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InTheWay {
    pub span: Span,
    pub who: Who,
    pub blocks: bool,
}

fn refuse(reasons: Vec<(bool, Refused)>) -> Verdict {
    let found: Vec<Refused> = reasons
        .into_iter()
        .filter_map(|(holds, refused)| holds.then_some(refused))
        .collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// The validity of a request's members.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// The revision is not the current one.
    pub stale: bool,
    /// All conflicts that may be acknowledged are.
    pub acknowledged: bool,
    /// Legs that have begun are named.
    pub keys: bool,
}

impl Model {
    fn cell(&self, key: Key) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.key == key)
    }

    /// Whether no minute of a span is covered. In a rotation that stands still that is not asked.
    fn is_uncovered(&self, key: Key, span: Span) -> bool {
        let open = |cell: &Cell| self.windows[cell.window].hours.open_in(span);
        self.enabled() && self.cell(key).is_some_and(|cell| open(cell).is_empty())
    }

    /// After every successful write: expires lost requests and continues the history.
    pub fn judge_again(&mut self) {
        self.judge();
        self.expire_lost();
    }

    // Changes of duty by hand.

    pub fn rotate(&mut self, places: &[usize]) -> Verdict {
        refuse(vec![(!self.enabled(), Refused::Disabled)])?;
        self.hand_over(places);
        self.fill();
        self.judge_again();
        Ok(())
    }

    pub fn clear(&mut self, places: &[usize]) -> Verdict {
        refuse(vec![(!self.enabled(), Refused::Disabled)])?;
        for &place in places {
            self.empty(place);
        }
        self.judge_again();
        Ok(())
    }

    fn empty(&mut self, place: usize) {
        if self.cells[place].holder.take().is_some() {
            self.cells[place].passed.clear();
        }
    }

    pub fn seat(&mut self, users: &[Who]) -> Verdict {
        let open = |place: &usize| self.windows[self.cells[*place].window].open;
        let all: Vec<usize> = (0..self.cells.len()).collect();
        let some: Vec<usize> = all.iter().copied().filter(open).collect();
        let places = if some.is_empty() { all } else { some };
        let at_once = |one: usize, other: usize| {
            let [one, other] = [one, other].map(|index| self.cells[places[index]].window);
            let until = self.turn_ends(one).min(self.turn_ends(other));
            let from = self.now;
            self.open_together(one, other, Span { from, until })
        };
        let twice = |index: usize| {
            let named = (0..index).filter(|before| users[*before] == users[index]);
            let mut named = named.filter(|_| index < places.len());
            named.any(|before| at_once(before, index))
        };
        let invalid = users.len() > places.len()
            || users.iter().any(|who| !self.members.contains(who))
            || (!self.double_cover && (0..users.len()).any(twice));
        refuse(vec![(invalid, Refused::Invalid)])?;
        refuse(vec![(!self.enabled(), Refused::Disabled)])?;
        for (index, place) in places.into_iter().enumerate() {
            let Some(&who) = users.get(index) else {
                self.empty(place);
                continue;
            };
            if self.cells[place].holder.is_none_or(|(held, _)| held != who) {
                self.cells[place].holder = Some((who, self.now));
                self.cells[place].skipped.clear();
                self.cells[place].passed.clear();
            }
            let turn = self.members.iter().position(|member| *member == who);
            let window = self.cells[place].window;
            self.next_turns[window] = (turn.expect("a member") + 1) % self.members.len();
        }
        self.judge_again();
        Ok(())
    }

    // Edits.

    pub fn away(&mut self, absence: Absence) -> Verdict {
        let stranger = !self.members.contains(&absence.who);
        refuse(vec![(stranger, Refused::Invalid)])?;
        if !self.absences.contains(&absence) {
            self.absences.push(absence);
            let leaving =
                self.leaving(|model, _, who| who == absence.who && absence.span.holds(model.now));
            self.hand_over(&leaving);
            self.refill(absence);
        }
        Ok(())
    }

    pub fn back(&mut self, index: usize) -> Verdict {
        let absence = self.absences.remove(index);
        self.refill(absence);
        Ok(())
    }

    /// An absence of a member that has not ended makes dealing run again.
    fn refill(&mut self, absence: Absence) {
        if absence.span.until > self.now && self.members.contains(&absence.who) {
            self.fill_noting(false);
        }
        self.judge_again();
    }

    /// Each next turn keeps pointing at its person, or at the next remaining person of the old order.
    pub fn set_members(&mut self, members: Vec<Who>) -> Verdict {
        if members == self.members {
            return Ok(());
        }
        let old = std::mem::replace(&mut self.members, members);
        let windows = self.next_turns.len();
        for (k, next_turn) in self.next_turns.iter_mut().enumerate() {
            let round = (0..old.len()).map(|step| old[(*next_turn + step) % old.len()]);
            let next = round
                .filter_map(|who| self.members.iter().position(|member| *member == who))
                .next();
            // Where the list was empty they are spread over it.
            let spread = k * self.members.len() / windows;
            *next_turn = next.unwrap_or(if old.is_empty() { spread } else { 0 });
        }
        let members = self.members.clone();
        self.void(|lost| !members.contains(&lost.who));
        for cell in &mut self.cells {
            if cell
                .holder
                .take_if(|(who, _)| !self.members.contains(who))
                .is_some()
            {
                cell.passed.clear();
            }
        }
        self.fill();
        self.judge_again();
        Ok(())
    }

    pub fn enable(&mut self, enabled: bool) -> Verdict {
        if enabled != self.enabled() {
            self.frozen = (!enabled).then_some(self.now);
            self.fill();
            self.judge_again();
        }
        Ok(())
    }

    /// Changes the grid and fills the slots that become empty. Has no effect if nothing changes.
    pub fn regrid(&mut self, change: impl FnOnce(&mut Model)) -> Verdict {
        let before = (self.shown(), self.lanes.clone());
        change(self);
        if before != (self.shown(), self.lanes.clone()) {
            self.fill();
            self.judge_again();
        }
        Ok(())
    }

    // Agreements.

    /// All conflicts of a hold, except with arrangements in `own` over the cell.
    pub fn in_the_way(&self, hold: Hold, own: Option<Who>) -> Vec<InTheWay> {
        let away = self.counted(hold.who).into_iter();
        let away = away.map(|span| (span, hold.who, false));
        let others = self
            .arrangements
            .iter()
            .filter(|other| !other.gone && other.cell == hold.cell && Some(other.who) != own);
        let others = others.map(|other| (other.span, other.who, true));
        let meeting = |(span, who, blocks): (Span, Who, bool)| {
            let span = span.meets(hold.span)?;
            Some(InTheWay { span, who, blocks })
        };
        let mut found: Vec<InTheWay> = away.chain(others).filter_map(meeting).collect();
        found.sort();
        found
    }

    fn conflicts(&self, holds: &[(Hold, Option<Who>)], acknowledged: bool) -> [(bool, Refused); 2] {
        let found: Vec<InTheWay> = holds
            .iter()
            .flat_map(|(hold, own)| self.in_the_way(*hold, *own))
            .collect();
        let blocks = found.iter().any(|found| found.blocks);
        let some = found.iter().any(|found| !found.blocks);
        [
            (blocks, Refused::Blocks),
            (some && !acknowledged, Refused::Unacknowledged),
        ]
    }

    fn lay(&mut self, hold: Hold, kind: Kind) -> usize {
        self.arrangements.push(Arrangement {
            cell: hold.cell,
            who: hold.who,
            span: hold.span,
            kind,
            gone: false,
            cancelled: false,
            revision: 1,
        });
        self.arrangements.len() - 1
    }

    fn assignment(&self, asked: Hold) -> Result<Hold, Vec<Refused>> {
        let hold = asked.span.rest(self.now).map(|span| Hold { span, ..asked });
        let hold = hold.filter(|_| self.cell(asked.cell).is_some());
        let hold = hold.filter(|_| self.members.contains(&asked.who));
        let hold = hold.filter(|hold| !self.is_uncovered(hold.cell, hold.span));
        let hold = hold.filter(|hold| !self.doubles(&self.forecast(hold.span.until), &[*hold]));
        if self.enabled() {
            hold.ok_or(vec![Refused::Invalid])
        } else if hold.is_some() {
            Err(vec![Refused::Disabled])
        } else {
            Err(vec![Refused::Invalid])
        }
    }

    pub fn assign(&mut self, asked: Hold, sent: &Sent) -> Verdict {
        let hold = self.assignment(asked)?;
        refuse(self.conflicts(&[(hold, None)], sent.acknowledged).into())?;
        self.lay(hold, Kind::Direct);
        self.judge_again();
        Ok(())
    }

    fn current(&self, index: usize, sent: &Sent) -> [(bool, Refused); 2] {
        let arrangement = &self.arrangements[index];
        let agreed = arrangement.kind != Kind::Direct;
        [
            (agreed, Refused::Repair),
            (
                !agreed && (sent.stale || arrangement.gone),
                Refused::ArrangementChanged,
            ),
        ]
    }

    pub fn reassign(&mut self, index: usize, asked: Hold, sent: &Sent) -> Verdict {
        let mut without = self.clone();
        without.arrangements[index].gone = true;
        let hold = without.assignment(asked)?;
        let conflicts = without.conflicts(&[(hold, None)], sent.acknowledged);
        refuse([self.current(index, sent), conflicts].concat())?;
        self.end_arrangement(index);
        self.arrangements[index].cancelled = true;
        self.lay(hold, Kind::Direct);
        self.judge_again();
        Ok(())
    }

    pub fn end_assignment(&mut self, index: usize, sent: &Sent) -> Verdict {
        let disabled = [(!self.enabled(), Refused::Disabled)];
        refuse([&self.current(index, sent)[..], &disabled].concat())?;
        self.end_arrangement(index);
        self.judge_again();
        Ok(())
    }

    pub fn ask(&mut self, own: Hold, recipients: &[Who]) -> Verdict {
        let invalid = refuse(vec![(true, Refused::Invalid)]);
        let (Some(span), Some(_)) = (own.span.rest(self.now), self.cell(own.cell)) else {
            return invalid;
        };
        let forecast = self.forecast(span.until);
        let offers = recipients.iter().map(|&who| Hold { who, span, ..own });
        let offers: Vec<(Hold, Option<Who>)> = offers.map(|hold| (hold, Some(own.who))).collect();
        let wrong =
            |(offer, _): &(Hold, _)| offer.who == own.who || !self.members.contains(&offer.who);
        if offers.iter().any(wrong) {
            return invalid;
        }
        refuse(vec![
            (!self.enabled(), Refused::Disabled),
            (
                !self.holds(&forecast, own.who, own.cell, span),
                Refused::NotYourDuty,
            ),
            (self.is_uncovered(own.cell, span), Refused::Invalid),
            self.conflicts(&offers, true)[0],
        ])?;
        let leg = Leg {
            cell: own.cell,
            holder: own.who,
            assignee: None,
            span: own.span,
            made: Vec::new(),
        };
        self.request(vec![leg], own.who, recipients.to_vec());
        Ok(())
    }

    fn request(&mut self, legs: Vec<Leg>, requester: Who, recipients: Vec<Who>) {
        self.requests.push(Request {
            legs,
            requester,
            recipients,
            declined: Vec::new(),
            accepted_by: None,
            state: State::Pending,
            revision: 1,
        });
        self.judge_again();
    }

    fn is_turn(&self, forecast: &Forecast, hold: Hold) -> bool {
        let mut turns = forecast.turns(hold.cell).iter();
        turns.any(|turn| turn.who.is_some() && turn.span == hold.span && turn.span.until != NEVER)
    }

    /// `theirs` are two shifts with their holders.
    pub fn offer(&mut self, requester: Who, recipient: Who, theirs: [Hold; 2]) -> Verdict {
        let takes = |hold: &Hold| match hold.who == requester {
            true => recipient,
            false => requester,
        };
        let forecast = self.forecast(theirs[0].span.until.max(theirs[1].span.until));
        let taken = theirs.map(|hold| Hold {
            who: takes(&hold),
            ..hold
        });
        let wrong = |hold: &Hold| {
            hold.span.from <= self.now
                || self.cell(hold.cell).is_none()
                || !(hold.who == requester || hold.who == recipient)
                || self.is_uncovered(hold.cell, hold.span)
                || !self.is_turn(&forecast, *hold)
                || !self.holds(&forecast, hold.who, hold.cell, hold.span)
                || !self.members.contains(&takes(hold))
        };
        let invalid = requester == recipient
            || theirs[0].who == theirs[1].who
            || theirs.iter().any(wrong)
            || self.doubles(&forecast, &taken);
        refuse(vec![(invalid, Refused::Invalid)])?;
        let holds = [0, 1].map(|leg| (taken[leg], Some(theirs[leg].who)));
        refuse(vec![
            (!self.enabled(), Refused::Disabled),
            self.conflicts(&holds, true)[0],
        ])?;
        let legs = theirs.iter().zip(taken).map(|(hold, taken)| Leg {
            cell: hold.cell,
            holder: hold.who,
            assignee: Some(taken.who),
            span: hold.span,
            made: Vec::new(),
        });
        let legs = legs.collect();
        self.request(legs, requester, vec![recipient]);
        Ok(())
    }
}
