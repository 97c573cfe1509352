//! The model's answers to requests: the first acceptance wins, and cuts overlapping arrangements.

use super::forecast::Hold;
use super::model::{Arrangement, Kind, Model, Request, State, Who};
use super::rules::{Refused, Sent, Verdict};
use super::time::Span;

/// An action on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Accept,
    Decline,
    Cancel,
    End,
}

/// U1 owns the rotation.
const OWNER: Who = 1;

impl Model {
    pub fn answer(&mut self, index: usize, who: Who, step: Step, sent: &Sent) -> Verdict {
        let request = &self.requests[index];
        self.check_part(index, who, step)?;
        self.check_state(request, step)?;
        if sent.stale {
            return Err(vec![Refused::RequestChanged]);
        }
        match step {
            Step::Accept => self.accept(index, who, sent)?,
            Step::Decline => {
                let request = &mut self.requests[index];
                if !request.declined.contains(&who) {
                    request.declined.push(who);
                    let declined = |asked: &Who| request.declined.contains(asked);
                    let all = request.recipients.iter().all(declined);
                    request.become_state(if all { State::Declined } else { State::Pending });
                }
            }
            Step::Cancel => self.requests[index].become_state(State::Cancelled),
            Step::End => {
                let made: Vec<usize> = self.requests[index]
                    .legs
                    .iter()
                    .flat_map(|leg| leg.made.clone())
                    .collect();
                for arrangement in made {
                    self.end_arrangement(arrangement);
                }
                self.requests[index].become_state(State::Ended);
            }
        }
        self.judge();
        self.expire_lost();
        Ok(())
    }

    fn check_part(&self, index: usize, who: Who, step: Step) -> Verdict {
        let request = &self.requests[index];
        let asks = who == request.requester;
        let is_there = |hold: &Hold| self.cells.iter().any(|cell| cell.key == hold.cell);
        let stays = |(hold, _): (Hold, Who)| self.members.contains(&hold.who) || !is_there(&hold);
        let has_part = match step {
            Step::Accept => {
                request.recipients.contains(&who)
                    && self.taken_over(index, who).into_iter().all(stays)
            }
            Step::Decline => request.recipients.contains(&who),
            Step::Cancel => asks || who == OWNER,
            Step::End => asks || request.accepted_by == Some(who),
        };
        has_part.then_some(()).ok_or(vec![Refused::Denied])
    }

    fn check_state(&self, request: &Request, step: Step) -> Verdict {
        let open = match step {
            Step::Accept if request.is_cover() && request.state == State::Accepted => {
                return Err(vec![Refused::AlreadyAccepted]);
            }
            Step::Accept | Step::Decline | Step::Cancel => request.state == State::Pending,
            Step::End => request.state == State::Accepted && request.until() > self.now,
        };
        if !open {
            return Err(vec![Refused::NotPending]);
        }
        match self.enabled() {
            true => Ok(()),
            false => Err(vec![Refused::Disabled]),
        }
    }

    /// The future part of each leg with its new holder, and the previous holder.
    pub fn taken_over(&self, index: usize, who: Who) -> Vec<(Hold, Who)> {
        let legs = self.requests[index].legs.iter();
        let taken = |leg: &super::model::Leg| {
            let hold = Hold {
                cell: leg.cell,
                who: leg.assignee.unwrap_or(who),
                span: leg.span.rest(self.now).unwrap_or(leg.span),
            };
            (hold, leg.holder)
        };
        legs.map(taken).collect()
    }

    fn accept(&mut self, index: usize, who: Who, sent: &Sent) -> Verdict {
        let taken_over = self.taken_over(index, who);
        let taken: Vec<Hold> = taken_over.iter().map(|(hold, _)| *hold).collect();
        let ends = taken.iter().map(|hold| hold.span.until);
        let forecast = self.forecast(ends.max().expect("a leg"));
        if self.doubles(&forecast, &taken) {
            return Err(vec![Refused::Invalid]);
        }
        let request = &self.requests[index];
        let cover = request.is_cover();
        let started = request.legs.iter().any(|leg| leg.span.from <= self.now);
        let mut refused = Vec::new();
        if started && !cover && !sent.keys {
            refused.push(Refused::StartedLeg);
        }
        for (hold, from) in &taken_over {
            if !self.holds(&forecast, *from, hold.cell, hold.span) {
                refused.push(Refused::NotYourDuty);
            }
            for found in self.in_the_way(*hold, Some(*from)) {
                if found.blocks {
                    refused.push(Refused::Blocks);
                } else if !sent.acknowledged {
                    refused.push(Refused::Unacknowledged);
                }
            }
        }
        if !refused.is_empty() {
            return Err(refused);
        }
        for hold in &taken {
            self.cut(*hold);
        }
        for (leg, hold) in taken.into_iter().enumerate() {
            let made = self.arrangements.len();
            self.arrangements.push(Arrangement {
                cell: hold.cell,
                who: hold.who,
                span: hold.span,
                kind: if cover { Kind::Cover } else { Kind::Swap },
                gone: false,
                cancelled: false,
                revision: 1,
            });
            let leg = &mut self.requests[index].legs[leg];
            leg.made.push(made);
            leg.assignee = Some(hold.who);
        }
        self.requests[index]
            .declined
            .retain(|declined| *declined != who);
        self.requests[index].accepted_by = Some(who);
        self.requests[index].become_state(State::Accepted);
        Ok(())
    }

    /// Removes a span from the arrangements over a cell. If one is cut in the middle, its later part becomes an arrangement of
    /// the same agreement.
    fn cut(&mut self, hold: Hold) {
        for index in 0..self.arrangements.len() {
            let other = self.arrangements[index].clone();
            let over = !other.gone && other.cell == hold.cell;
            if !over || other.span.meets(hold.span).is_none() {
                continue;
            }
            let pieces = [
                Span {
                    from: other.span.from,
                    until: hold.span.from,
                },
                Span {
                    from: hold.span.until,
                    until: other.span.until,
                },
            ];
            let left: Vec<Span> = pieces
                .into_iter()
                .filter(|piece| piece.from < piece.until)
                .collect();
            match left[..] {
                [] => self.end_arrangement(index),
                [piece] => {
                    self.arrangements[index].span = piece;
                    self.arrangements[index].revision += 1;
                }
                _ => {
                    self.arrangements[index].span = left[0];
                    self.arrangements[index].revision += 1;
                    self.arrangements.push(Arrangement {
                        span: left[1],
                        revision: 1,
                        ..other
                    });
                    let later = self.arrangements.len() - 1;
                    let legs = self.requests.iter_mut();
                    for leg in legs.flat_map(|request| &mut request.legs) {
                        if leg.made.contains(&index) {
                            leg.made.push(later);
                        }
                    }
                }
            }
        }
    }
}
