//! Applies arrangements, covers and swaps to a rotation and to its model.

use super::answers::Step;
use super::forecast::{Forecast, Hold, NEVER, Turn};
use super::model::{Cell, Key, Model, State, Who};
use super::once;
use super::ops::{Op, Slot, WILD};
use super::rules::Sent;
use super::time::{DAY, Minute, Span};
use super::walk::{Outcome, Walk, fail, member, person, round};
use crate::actions::answering::AnswerRequest;
use crate::actions::once::{OperationKey, Receipt};
use crate::actions::proposals::{self, Propose};
use crate::actions::tests::*;
use crate::domain::edit::{Answering, NewCover, NewLeg, NewSwap};
use crate::domain::refusal::Refusal;
use crate::domain::request::{self, RequestKind};
use crate::wire;
use crate::wire::request::{CoverRequest, SwapRequest};
use serde_json::Value;

/// How far ahead the turns are that slots refer to.
const AHEAD: Minute = 15 * DAY;

impl Walk<'_> {
    pub fn agree(&mut self, op: &Op, before: &Model) -> Outcome {
        match op {
            Op::Assign(place, who, slot, sure) => {
                let who = self.somebody(*who);
                self.assign(before, (*place, who, *slot, *sure))
            }
            Op::Reassign(which, new, stale) => match self.some_arrangement(*which) {
                Some(which) => self.reassign(before, which, *new, *stale),
                None => Ok(()),
            },
            Op::EndAssignment(which, stale) => match self.some_arrangement(*which) {
                Some(which) => self.end_assignment(before, which, *stale),
                None => Ok(()),
            },
            Op::Ask(place, slot, who, people) => self.ask(before, (*place, *slot), *who, people),
            Op::Offer(turns, wrong) => match self.shifts(*turns) {
                Some(shifts) => self.offer(before, shifts, *wrong),
                None => Ok(()),
            },
            Op::Answer(which, who, step, sure) => match self.some_request(*which, *step) {
                Some(which) => self.answer(before, which, (*who, *step), *sure),
                None => Ok(()),
            },
            _ => unreachable!("done elsewhere"),
        }
    }

    /// One of the active arrangements, most of the time.
    fn some_arrangement(&self, n: usize) -> Option<usize> {
        let all: Vec<usize> = (0..self.arrangements.len()).collect();
        let plays = |index: &&usize| !self.model.arrangements[**index].gone;
        let playing: Vec<usize> = all.iter().filter(plays).copied().collect();
        latest(n, all, playing)
    }

    /// One of the requests in the required state, most of the time.
    fn some_request(&self, n: usize, step: Step) -> Option<usize> {
        let state = match step {
            Step::End => State::Accepted,
            _ => State::Pending,
        };
        let all: Vec<usize> = (0..self.requests.len()).collect();
        let stands = |index: &&usize| {
            let request = &self.model.requests[**index];
            request.state == state && (step != Step::End || request.is_cover())
        };
        let standing: Vec<usize> = all.iter().filter(stands).copied().collect();
        latest(n, all, standing)
    }

    /// The interval of a slot.
    pub fn slot(&self, place: usize, slot: Slot) -> (Key, Span) {
        let (now, key) = (
            self.model.now,
            self.model.cells[place % self.model.cells.len()].key,
        );
        let turn = |n: usize| {
            let forecast = self.model.forecast(now + AHEAD);
            let ends = |turn: &&Turn| turn.span.until != NEVER;
            let turns: Vec<Turn> = forecast.turns(key).iter().filter(ends).copied().collect();
            turns.get(n).or(turns.last()).map(|turn| turn.span)
        };
        let day = Span {
            from: now,
            until: now + DAY,
        };
        let span = match slot {
            Slot::Arranged(n, head, tail) => match self.some_arrangement(n) {
                Some(index) => {
                    let arrangement = &self.model.arrangements[index];
                    let span = Span {
                        from: arrangement.span.from + head,
                        until: arrangement.span.until - tail,
                    };
                    let runs = |cell: &Cell| cell.key == arrangement.cell;
                    let cell = self.model.cells.iter().find(|cell| runs(cell));
                    return (cell.map_or(key, |cell| cell.key), span);
                }
                None => day,
            },
            Slot::Turn(n) => turn(n).unwrap_or(day),
            Slot::Part(n, from, long) => {
                let from = turn(n).unwrap_or(day).from.max(now) + from;
                Span {
                    from,
                    until: from + long,
                }
            }
            Slot::Span(from, long) => Span {
                from: now + from,
                until: now + from + long,
            },
        };
        (key, span)
    }

    /// Makes a write that conflicts may refuse; acknowledges them if `sure`. One in some is repeated, and must return the same
    /// response.
    pub fn insist(
        &mut self,
        sure: bool,
        write: impl Fn(OperationKey, Vec<String>) -> Result<Receipt, ActionError>,
    ) -> Result<Receipt, ActionError> {
        let key = self.key();
        let mut acknowledged = Vec::new();
        let mut outcome = write(key.clone(), Vec::new());
        if let (true, Err(ActionError::Refused(Refusal::ConflictsNotAcknowledged(conflicts)))) =
            (sure, &outcome)
        {
            acknowledged = conflicts.iter().map(|found| found.id.clone()).collect();
            outcome = write(key.clone(), acknowledged.clone());
        }
        if let (true, Ok(receipt)) = (key.id.ends_with('3'), &outcome) {
            let again = write(key, acknowledged).expect("the first answer");
            assert!(receipt.is_new);
            let repeated = Receipt {
                is_new: false,
                ..receipt.clone()
            };
            assert_eq!(again, repeated);
        }
        outcome
    }

    /// Records the ids that a write created.
    pub fn learn(&mut self, receipt: Option<Receipt>) -> Outcome {
        let Some(receipt) = receipt else {
            return Ok(());
        };
        let answer: Value = serde_json::from_str(&receipt.answer).expect("JSON");
        if answer["rotationVersion"] != self.version {
            return fail(format!("version {} foreseen: {answer}", self.version));
        }
        let records = answer["arrangements"].as_array().expect("records");
        for new in &self.model.arrangements[self.arrangements.len()..] {
            let (from, until) = (self.instant(new.span.from), self.instant(new.span.until));
            let is_it = |record: &&Value| {
                let text_of = |member: &str| record[member].as_str().expect("a text").to_owned();
                let instant_of = |member: &str| at(&text_of(member));
                !self.arrangements.contains(&text_of("id"))
                    && text_of("cellId") == self.cell_id(new.cell).as_str()
                    && text_of("userId") == person(new.who).as_str()
                    && (instant_of("from"), instant_of("to")) == (from, until)
            };
            let Some(record) = records.iter().find(is_it) else {
                return fail(format!("{new:?} foreseen: {answer}"));
            };
            let id = record["id"].as_str().expect("an id").to_owned();
            self.arrangements.push(id);
        }
        if self.model.requests.len() > self.requests.len() {
            let id = answer["request"]["request"]["id"].as_str();
            self.requests.push(id.expect("an id").to_owned());
        }
        Ok(())
    }

    /// The revision to send: the current one, or a wrong one.
    pub fn revision(&self, current: u64, stale: bool) -> u64 {
        current + u64::from(stale)
    }

    /// The holder of a cell at the start of a span, or now if it has begun.
    fn holder(&self, forecast: &Forecast, cell: Key, span: Span) -> Option<Who> {
        let from = span.from.max(self.model.now);
        let first = Span {
            from,
            until: from + 1,
        };
        self.model.holding(forecast, &[], cell, first)[0].1
    }

    fn ask(
        &mut self,
        before: &Model,
        (place, slot): (usize, Slot),
        who: Option<Who>,
        people: &[Who],
    ) -> Outcome {
        let (cell, span) = self.slot(place, slot);
        let forecast = self.model.forecast(span.from.max(before.now));
        let who = who.or(self.holder(&forecast, cell, span)).unwrap_or(1);
        let mut recipients: Vec<Who> = Vec::new();
        for other in people.iter().map(|who| self.somebody(*who)) {
            // A request to oneself is refused, so it is tried only occasionally.
            let oneself = other == who && people.contains(&WILD);
            if (oneself || other != who) && !recipients.contains(&other) {
                recipients.push(other);
            }
        }
        if recipients.is_empty() {
            return Ok(());
        }
        let own = Hold { cell, who, span };
        let new = NewCover {
            cell: self.cell_id(cell),
            asked: self.interval(span),
            recipients: recipients.iter().map(|who| person(*who)).collect(),
            reason: String::new(),
            turn_selection: None,
            acknowledged: Vec::new(),
        };
        let (app, id) = (self.app, self.id.clone());
        if self.once_in_a_while()
            && let Ok((_, preview)) = proposals::preview(app, &member(who), &id, &new)
        {
            let rendered = wire::arrangement::preview(&preview);
            let rendered = serde_json::to_value(rendered).expect("JSON");
            self.compare_preview(&rendered, own, Some(who))?;
        }
        let verdict = self.model.ask(own, &recipients);
        let outcome = self.insist(false, |key, _| {
            let ask = Propose(new.clone());
            once::requested::<CoverRequest, _>(app, &member(who), &id, key, ask)
        });
        let receipt = self.written(before, verdict, outcome, false)?;
        self.learn(receipt)
    }

    /// Two shifts of two people, as close to the given ones as possible.
    fn shifts(&self, turns: [(usize, usize); 2]) -> Option<[Hold; 2]> {
        let forecast = self.model.forecast(self.model.now + AHEAD);
        let pick = |(place, n): (usize, usize), not: Option<Who>| {
            let cell = self.model.cells[place % self.model.cells.len()].key;
            let held = |turn: &Turn| {
                let who = self.holder(&forecast, cell, turn.span)?;
                let fits = turn.span.until != NEVER && turn.span.from > self.model.now;
                (fits && Some(who) != not).then_some(Hold {
                    cell,
                    who,
                    span: turn.span,
                })
            };
            let all: Vec<Hold> = forecast.turns(cell).iter().filter_map(held).collect();
            all.get(n).or(all.last()).copied()
        };
        let first = pick(turns[0], None)?;
        Some([first, pick(turns[1], Some(first.who))?])
    }

    fn offer(&mut self, before: &Model, mut shifts: [Hold; 2], wrong: Minute) -> Outcome {
        shifts[0].span.until += wrong;
        let [requester, recipient] = shifts.map(|shift| shift.who);
        let leg = |(index, shift): (usize, &Hold)| NewLeg {
            key: index.to_string(),
            cell: self.cell_id(shift.cell),
            holder: person(shift.who),
            period: self.interval(shift.span),
        };
        let new = NewSwap {
            recipient: person(recipient),
            legs: shifts.iter().enumerate().map(leg).collect(),
            reason: String::new(),
            acknowledged: Vec::new(),
        };
        let (app, id) = (self.app, self.id.clone());
        let verdict = self.model.offer(requester, recipient, shifts);
        let outcome = self.insist(false, |key, _| {
            let offer = Propose(new.clone());
            once::requested::<SwapRequest, _>(app, &member(requester), &id, key, offer)
        });
        let receipt = self.written(before, verdict, outcome, false)?;
        self.learn(receipt)
    }

    fn answer(
        &mut self,
        before: &Model,
        which: usize,
        (who, step): (Option<Who>, Step),
        [acknowledged, keys, stale]: [bool; 3],
    ) -> Outcome {
        let request = &before.requests[which];
        let cover = request.is_cover();
        let recipient = request.recipients[which % request.recipients.len()];
        let fitting = match step {
            // Only a cover can be ended.
            Step::End if !cover => return Ok(()),
            Step::Accept | Step::Decline => recipient,
            Step::End if which.is_multiple_of(2) => {
                request.accepted_by.unwrap_or(request.requester)
            }
            Step::Cancel | Step::End => request.requester,
        };
        let who = who.unwrap_or(fitting);
        let revision = self.revision(request.revision, stale);
        let sent = Sent {
            stale,
            acknowledged,
            keys,
        };
        let verdict = self.model.answer(which, who, step, &sent);
        let (app, id) = (self.app, self.id.clone());
        let named = self.requests[which].clone();
        let outcome = self.insist(acknowledged, |key, acknowledged| {
            let names = ["0".to_owned(), "1".to_owned()];
            let answering = Answering {
                expected_revision: revision,
                acknowledged,
                started_legs: if keys { names.to_vec() } else { Vec::new() },
            };
            let answer = AnswerRequest {
                kind: kind(cover),
                request: named.as_str().into(),
                step: wire_step(step),
                answering,
            };
            let caller = member(who);
            match cover {
                true => once::requested::<CoverRequest, _>(app, &caller, &id, key, answer),
                false => once::requested::<SwapRequest, _>(app, &caller, &id, key, answer),
            }
        });
        let receipt = self.written(before, verdict, outcome, false)?;
        self.learn(receipt)
    }
}

/// The `n`-th last of the fitting ones; of all if none fits, and occasionally anyway.
fn latest(n: usize, all: Vec<usize>, fitting: Vec<usize>) -> Option<usize> {
    let among = if n == 5 || fitting.is_empty() {
        all
    } else {
        fitting
    };
    round(n, among.len()).map(|place| among[among.len() - 1 - place])
}

/// A request with one leg is a cover.
pub fn kind(cover: bool) -> RequestKind {
    match cover {
        true => RequestKind::Cover,
        false => RequestKind::Swap,
    }
}

fn wire_step(step: Step) -> request::Step {
    match step {
        Step::Accept => request::Step::Accept,
        Step::Decline => request::Step::Decline,
        Step::Cancel => request::Step::Cancel,
        Step::End => request::Step::End,
    }
}

/// The name of a state.
pub fn state_name(state: State) -> &'static str {
    match state {
        State::Pending => "pending",
        State::Accepted => "accepted",
        State::Declined => "declined",
        State::Cancelled => "cancelled",
        State::Expired => "expired",
        State::Ended => "ended",
    }
}
