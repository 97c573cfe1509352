//! Every use of agreements once, so that their statements are recorded.

use super::once;
use crate::actions::answering::AnswerRequest;
use crate::actions::arrangements;
use crate::actions::assignments::{Assign, EndArrangement};
use crate::actions::covers::AskForCover;
use crate::actions::once::OperationKey;
use crate::actions::requests::{self, Start};
use crate::actions::swaps::OfferSwap;
use crate::actions::tests::*;
use crate::domain::absence::Absences;
use crate::domain::edit::{Answering, NewAssignment, NewCover, NewLeg, NewSwap};
use crate::domain::forecast;
use crate::domain::handover::DealingContext;
use crate::domain::ids::{ArrangementId, RequestId};
use crate::domain::request::{RequestKind, RequestState, Step};
use crate::wire::request::{CoverRequest, SwapRequest};

/// Creates, lists, cuts, ends and loses each kind of agreement in a rotation with a cell that is held and dealt weekly.
pub fn every_use(app: &App, id: &RotationId) {
    let uses = Uses {
        app,
        id,
        any: Precondition::Any,
    };
    // Two people and more slots, so that each may hold several.
    let doubly = RotationPatch {
        double_cover: Some(true),
        ..RotationPatch::default()
    };
    write(app, &caller(), id, &uses.any, PatchRotation(doubly)).expect("a patch");
    let (holder, other) = uses.people();
    let now = app.now();
    let asked = uses.hours(10, 20);
    let arrangement = uses.assign(&other, asked);
    uses.assign(&other, uses.hours(30, 40));
    let range = Interval {
        from: now,
        until: now + SignedDuration::from_hours(1000),
    };
    let page = Page {
        number: 1,
        size: 10,
    };
    arrangements::list(app, &caller(), id, range, page).expect("a list");
    arrangements::read(app, &caller(), id, &arrangement).expect("an arrangement");
    let end = EndArrangement {
        arrangement,
        expected_revision: 1,
    };
    once::arranged(app, &caller(), id, uses.key(), end).expect("its end");
    let cover = uses.ask(&other, &holder, uses.hours(30, 40));
    uses.take(RequestKind::Cover, &holder, cover, Step::Accept);
    dev_clock::advance(app, now + SignedDuration::from_hours(35), &|| tell(app))
        .expect("some hours");
    let (kind, start) = (RequestKind::Cover, Start::First);
    requests::list(app, &caller(), id, kind, range, start).expect("a list");
    uses.offer_and_lose();
}

struct Uses<'a> {
    app: &'a App,
    id: &'a RotationId,
    any: Precondition,
}

fn person(user: &UserId) -> Principal {
    Principal::Person {
        user: user.clone(),
        name: "test".into(),
        role: Role::Member,
        via: Via::Token("tok_1".into()),
    }
}

impl Uses<'_> {
    fn rotation(&self) -> Rotation {
        reads::rotation(self.app, &caller(), self.id).expect("a rotation")
    }

    /// The holder of the first cell, and another person.
    fn people(&self) -> (UserId, UserId) {
        let rotation = self.rotation();
        let holder = rotation.cells[0].holder.clone().expect("somebody").user;
        let mut others = rotation.members.users.iter();
        let other = others.rfind(|user| **user != holder);
        (holder, other.expect("somebody else").clone())
    }

    fn hours(&self, from: i64, until: i64) -> Interval {
        let at = |hours| self.app.now() + SignedDuration::from_hours(hours);
        Interval {
            from: at(from),
            until: at(until),
        }
    }

    fn key(&self) -> OperationKey {
        OperationKey {
            id: format!("op-{}", self.rotation().stamps.version),
            body_hash: [0; 32],
        }
    }

    fn assign(&self, user: &UserId, asked: Interval) -> ArrangementId {
        let new = NewAssignment {
            cell: self.rotation().cells[0].id.clone(),
            user: user.clone(),
            asked,
            turn_selection: None,
            acknowledged: Vec::new(),
            replaces: None,
        };
        once::arranged(self.app, &caller(), self.id, self.key(), Assign(new)).expect("one");
        let arranged = self.rotation().arranged;
        let made = arranged.iter().find(|arranged| arranged.period == asked);
        made.expect("the one made").id.clone()
    }

    /// Creates a cover request. Returns its id.
    fn ask(&self, holder: &UserId, recipient: &UserId, asked: Interval) -> RequestId {
        let new = NewCover {
            cell: self.rotation().cells[0].id.clone(),
            asked,
            recipients: vec![recipient.clone()],
            reason: String::new(),
            turn_selection: None,
            acknowledged: Vec::new(),
        };
        let (by, ask) = (person(holder), AskForCover(new));
        once::requested::<CoverRequest, _>(self.app, &by, self.id, self.key(), ask).expect("one");
        self.rotation().pending[0].id.clone()
    }

    fn take(&self, kind: RequestKind, by: &UserId, request: RequestId, step: Step) {
        let answer = AnswerRequest {
            kind,
            request: request.clone(),
            step,
            answering: Answering {
                expected_revision: 1,
                ..Answering::default()
            },
        };
        let by = person(by);
        once::requested::<CoverRequest, _>(self.app, &by, self.id, self.key(), answer)
            .expect("a step");
        requests::read(self.app, &by, self.id, kind, &request).expect("it");
    }

    /// Offers two future turns, and removes one of the two people.
    fn offer_and_lose(&self) {
        let rotation = self.rotation();
        let dealing = DealingContext {
            calendar: self.app.calendar(),
            absences: &Absences::default(),
        };
        let far = self.hours(0, 24 * 60).until;
        let forecasts = forecast::cells(&rotation, dealing, far).expect("turns");
        let dealt = |(cell, cells): (usize, &forecast::CellForecast)| {
            let turns = cells.turns();
            let turns = turns.map(|(user, turn)| (cell, user.clone(), turn));
            turns.collect::<Vec<_>>()
        };
        let turns = forecasts.iter().enumerate().flat_map(dealt);
        let to_come = |(_, _, turn): &(usize, UserId, Interval)| {
            turn.from > self.app.now() && turn.until < Timestamp::MAX
        };
        let mut turns: Vec<_> = turns.filter(to_come).collect();
        let first = turns[0].1.clone();
        let other = turns.iter().position(|(_, user, _)| *user != first);
        turns.swap(1, other.expect("a turn of somebody else"));
        turns.truncate(2);
        let leg = |(cell, user, turn): &(usize, UserId, Interval)| NewLeg {
            key: turn.from.to_string() + &cell.to_string(),
            cell: rotation.cells[*cell].id.clone(),
            holder: user.clone(),
            period: *turn,
        };
        let legs: Vec<NewLeg> = turns.iter().map(leg).collect();
        let (one, other) = (legs[0].holder.clone(), legs[1].holder.clone());
        let new = NewSwap {
            recipient: other,
            legs,
            reason: String::new(),
            acknowledged: Vec::new(),
        };
        let (by, offer) = (person(&one), OfferSwap(new));
        once::requested::<SwapRequest, _>(self.app, &by, self.id, self.key(), offer).expect("one");
        let swap = self.rotation().pending[0].id.clone();
        let alone = RotationPatch {
            users: Some(vec![one]),
            ..RotationPatch::default()
        };
        write(
            self.app,
            &caller(),
            self.id,
            &self.any,
            PatchRotation(alone),
        )
        .expect("a patch");
        assert_eq!(self.rotation().pending, []);
        let kind = RequestKind::Swap;
        let read = requests::read(self.app, &caller(), self.id, kind, &swap);
        let state = read.expect("it").1.request.state;
        assert_eq!(state, RequestState::Expired);
    }
}
