//! The model's forecast: dealt turns as intervals, with arrangements over them.

use super::model::{Key, Model, Request, State, Who};
use super::time::{Minute, Span};

/// A dealt turn. `until` is [`NEVER`] without a known end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub who: Option<Who>,
    pub span: Span,
}

/// The end of a turn without a known end.
pub const NEVER: Minute = Minute::MAX;

/// A person who holds a cell for an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    pub cell: Key,
    pub who: Who,
    pub span: Span,
}

/// The dealt turns of each cell up to an instant, including the running one from its start.
pub struct Forecast {
    turns: Vec<(Key, Vec<Turn>)>,
}

impl Forecast {
    /// The dealt turns of a cell.
    pub fn turns(&self, cell: Key) -> &[Turn] {
        let found = self.turns.iter().find(|(key, _)| *key == cell);
        found.map_or(&[], |(_, turns)| turns)
    }
}

impl Model {
    /// Deals the future on a copy.
    pub fn forecast(&self, until: Minute) -> Forecast {
        let mut future = self.clone();
        let mut turns: Vec<(Key, Vec<Turn>)> =
            self.cells.iter().map(|cell| (cell.key, vec![])).collect();
        loop {
            for (cell, (_, turns)) in future.cells.iter().zip(&mut turns) {
                let from = cell.holder.map_or(future.now, |(_, since)| since);
                let who = cell.holder.map(|(who, _)| who);
                if let Some(last) = turns.last_mut() {
                    if (last.who, last.span.from) == (who, from) || (last.who, who) == (None, None)
                    {
                        continue;
                    }
                    last.span.until = future.now;
                }
                let span = Span { from, until: NEVER };
                turns.push(Turn { who, span });
            }
            match future.next_due().filter(|at| *at <= until) {
                Some(at) => future.step(at),
                None => return Forecast { turns },
            };
        }
    }

    /// Who holds a cell over a span, in parts and regardless of coverage: first `taken`, then arrangements, then the dealt
    /// holder.
    pub fn holding(
        &self,
        forecast: &Forecast,
        taken: &[Hold],
        cell: Key,
        span: Span,
    ) -> Vec<(Span, Option<Who>)> {
        let taken = taken.iter().filter(|hold| hold.cell == cell);
        let taken: Vec<_> = taken.map(|hold| (hold.span, Some(hold.who))).collect();
        let arranged = self.arrangements.iter();
        let arranged = arranged.filter(|arranged| arranged.cell == cell && !arranged.gone);
        let arranged = arranged.map(|arranged| (arranged.span, Some(arranged.who)));
        let dealt = forecast
            .turns(cell)
            .iter()
            .map(|turn| (turn.span, turn.who));
        let layers: Vec<(Span, Option<Who>)> =
            taken.into_iter().chain(arranged).chain(dealt).collect();
        let mut edges: Vec<Minute> = layers
            .iter()
            .flat_map(|(layer, _)| [layer.from, layer.until])
            .chain([span.from, span.until])
            .filter(|edge| span.from <= *edge && *edge <= span.until)
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let piece = |edges: &[Minute]| {
            let top = layers.iter().find(|(layer, _)| layer.holds(edges[0]));
            let span = Span {
                from: edges[0],
                until: edges[1],
            };
            (span, top.and_then(|(_, who)| *who))
        };
        edges.windows(2).map(piece).collect()
    }

    /// Whether a person holds a cell over a whole span.
    pub fn holds(&self, forecast: &Forecast, who: Who, cell: Key, span: Span) -> bool {
        let mut pieces = self.holding(forecast, &[], cell, span).into_iter();
        pieces.all(|(_, holder)| holder == Some(who))
    }

    /// Whether these holds together put one of these people on call in two cells at once without `doubleCover`.
    pub fn doubles(&self, forecast: &Forecast, taken: &[Hold]) -> bool {
        let window = |key: Key| {
            let cell = self.cells.iter().find(|cell| cell.key == key);
            cell.map(|cell| cell.window)
        };
        let others = |hold: &Hold| {
            let others = self.cells.iter().filter(|cell| cell.key != hold.cell);
            let mut pieces = others.flat_map(|cell| {
                let held = self.holding(forecast, taken, cell.key, hold.span);
                held.into_iter().map(|(span, who)| (cell.window, span, who))
            });
            pieces.any(|(other, span, who)| {
                let at_once = |window| self.open_together(window, other, span);
                who == Some(hold.who) && window(hold.cell).is_some_and(at_once)
            })
        };
        !self.double_cover && taken.iter().any(others)
    }

    /// Whether a span takes over a whole dealt turn, and which turn.
    pub fn selection(&self, forecast: &Forecast, cell: Key, span: Span) -> Option<(bool, Span)> {
        let turns = forecast.turns(cell).iter();
        let turn = turns
            .filter(|turn| turn.who.is_some())
            .find(|turn| turn.span.until == span.until)?;
        let begun = turn.span.from <= self.now;
        let whole = !begun && turn.span.from == span.from;
        let rest = begun && turn.span.from <= span.from;
        (whole || rest).then_some((whole, turn.span))
    }

    /// Expires the pending requests whose holders do not hold the duty as planned to its end. Does nothing in a disabled
    /// rotation.
    ///
    /// The end of a pending request fills empty slots. Those of requests that are lost do not come, so that what is foreseen from
    /// the first of them on is seen anew without them.
    pub fn expire_lost(&mut self) {
        while self.enabled() && self.expire_some() {}
    }

    /// Expires the lost requests that begin before the first of them ends. Whether there was one.
    fn expire_some(&mut self) -> bool {
        let pending = |request: &&Request| request.state == State::Pending;
        let all: Vec<&Request> = self.requests.iter().filter(pending).collect();
        let Some(until) = all.iter().map(|request| request.until()).max() else {
            return false;
        };
        let forecast = self.forecast(until);
        let is_lost = |request: &Request| {
            let kept = request.legs.iter().all(|leg| {
                let runs = self.cells.iter().any(|cell| cell.key == leg.cell);
                let rest = leg.span.rest(self.now);
                runs && rest.is_some_and(|rest| self.holds(&forecast, leg.holder, leg.cell, rest))
            });
            request.state == State::Pending && !kept
        };
        let lost = (0..self.requests.len()).filter(|index| is_lost(&self.requests[*index]));
        let lost: Vec<usize> = lost.collect();
        let spans = |index: usize| self.requests[index].legs.iter().map(|leg| leg.span);
        let ends = lost.iter().flat_map(|index| spans(*index));
        let Some(first) = ends.map(|span| span.until).min() else {
            return false;
        };
        let begins_before = |index: &usize| spans(*index).any(|span| span.from < first);
        let certain: Vec<usize> = lost.into_iter().filter(begins_before).collect();
        for index in certain {
            self.requests[index].expire();
        }
        true
    }
}
