//! The future of each cell: whose turns come, and who holds it. Agreements are judged by it.

use super::held::{Held, stretches};
use super::{Forecast, Limits, too_far, with_coming, without_requests};
use crate::domain::arrangement::{TurnKind, TurnSelection};
use crate::domain::handover::DealingContext;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::request::Pending;
use crate::domain::rotation::Rotation;
use crate::domain::time::{FOREVER, Interval, without};
use jiff::{SignedDuration, Timestamp};

/// The limits of the forecast of the cells: some fifteen milliseconds, for which other writers wait.
const LIMITS: Limits = Limits::work(300_000);

/// How far ahead an agreement without an end is judged.
const FORESIGHT: SignedDuration = SignedDuration::from_hours(366 * 24);

/// The instant up to which a period that ends at `until` is judged, as seen from `now`: all of it, or one year of a period
/// that ends never.
pub fn horizon(now: Timestamp, until: Timestamp) -> Timestamp {
    match until >= FOREVER {
        true => now.saturating_add(FORESIGHT).unwrap_or(FOREVER),
        false => until,
    }
}

/// The forecast of one cell, whether its window is open or shut: its stretches, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CellForecast(Vec<Held>);

/// The forecast of each cell of the rotation [`with_coming`] ones from now to the [`horizon`] of an instant, itself included.
///
/// # Errors
/// Refuses an instant so far ahead that others would have to wait.
pub fn cells(
    rotation: &Rotation,
    dealing: DealingContext,
    until: Timestamp,
) -> Result<Vec<CellForecast>, Refusal> {
    let horizon = horizon(rotation.stamps.judged_at, until);
    match known_cells(rotation, dealing, horizon) {
        (cells, None) => Ok(cells),
        (_, Some(_)) => too_far(),
    }
}

/// The forecasts of cells as far as the limits allow, and up to which instant where that is not all of it.
pub fn known_cells(
    rotation: &Rotation,
    dealing: DealingContext,
    until: Timestamp,
) -> (Vec<CellForecast>, Option<Timestamp>) {
    let mut future = without_requests(rotation);
    let whole = with_coming(rotation, dealing.calendar);
    let mut cells = vec![CellForecast::default(); whole.cells.len()];
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    let end = until.saturating_add(INSTANT).unwrap_or(Timestamp::MAX);
    let (ended, running) = stretches(&mut forecast, &whole.cells, end, usize::MAX, false);
    for stretch in ended.into_iter().chain(running) {
        cells[stretch.cell].0.push(stretch);
    }
    (cells, forecast.cut_off_at())
}

/// The shortest time that there is.
const INSTANT: SignedDuration = SignedDuration::from_nanos(1);

impl CellForecast {
    /// The stretches that a person holds, cut to a period.
    fn held_by(&self, user: &UserId, period: Interval) -> impl Iterator<Item = Interval> {
        let theirs = self.0.iter().filter(|one| one.user.as_ref() == Some(user));
        theirs.filter_map(move |one| one.period.meets(period))
    }

    /// Whether one person holds the cell over the whole period.
    pub fn is_held_by(&self, user: &UserId, period: Interval) -> bool {
        let mut meeting = self
            .0
            .iter()
            .filter(|one| one.period.meets(period).is_some());
        meeting.all(|one| one.user.as_ref() == Some(user))
    }

    /// Whether one person holds the cell at some time in the period.
    pub fn is_held_some_time_by(&self, user: &UserId, period: Interval) -> bool {
        self.held_by(user, period).next().is_some()
    }

    /// Whether nobody has the cell at any time in the period.
    pub fn is_vacant(&self, period: Interval) -> bool {
        let mut held = self
            .0
            .iter()
            .filter(|held| held.period.meets(period).is_some());
        held.all(|held| held.is_there && held.user.is_none() && held.outside.is_none())
    }

    /// Gives the cell to somebody for a period, as far as it is there.
    pub fn take_over(&mut self, user: &UserId, period: Interval) {
        let mut held = Vec::new();
        for one in self.0.drain(..) {
            if !one.is_there {
                held.push(one);
                continue;
            }
            let parts = without(&[one.period], &[period]).into_iter();
            held.extend(parts.map(|period| Held {
                period,
                ..one.clone()
            }));
            let taken = one.period.meets(period);
            held.extend(taken.map(|period| Held {
                period,
                user: Some(user.clone()),
                ..one
            }));
        }
        self.0 = held;
    }

    /// The dealt turns, one after the other, with their people; the running one from where it began, the last one to the end of
    /// time.
    pub fn turns(&self) -> impl Iterator<Item = (&UserId, Interval)> {
        let turns = self
            .0
            .chunk_by(|one, next| one.dealt_at() == next.dealt_at());
        turns.filter_map(|turn| {
            let (user, from) = turn[0].dealt.as_ref()?;
            let until = turn[turn.len() - 1].period.until;
            let from = *from;
            Some((user.as_ref()?, Interval { from, until }))
        })
    }

    /// Whether a period is exactly a dealt turn.
    pub fn is_turn(&self, period: Interval) -> bool {
        self.turns().any(|(_, turn)| turn == period)
    }

    /// The part of a turn that a period takes over: all of one to come, or what is left of the running one.
    pub fn selection(&self, period: Interval, now: Timestamp) -> Option<TurnSelection> {
        let mut turns = self.turns().map(|(_, turn)| turn);
        let turn = turns.find(|turn| turn.until == period.until)?;
        let kind = if turn.from <= now && turn.from <= period.from {
            TurnKind::RemainingTurn
        } else if turn.from == period.from {
            TurnKind::FullTurn
        } else {
            return None;
        };
        Some(TurnSelection { kind, turn })
    }
}

/// Whether a person holds a cell and another one in a period, and both windows are open at once at some time in what they share:
/// `open_together` says so of two cells and a span.
pub fn is_doubled(
    cells: &[CellForecast],
    cell: usize,
    user: &UserId,
    period: Interval,
    open_together: &mut dyn FnMut([usize; 2], Interval) -> bool,
) -> bool {
    let here: Vec<Interval> = cells[cell].held_by(user, period).collect();
    let others = cells.iter().enumerate().filter(|(index, _)| *index != cell);
    let there = others.flat_map(|(index, forecast)| {
        let theirs = forecast.held_by(user, period);
        theirs.map(move |there| (index, there))
    });
    let mut shared = there.flat_map(|(index, there)| {
        let shared = here.iter().filter_map(move |here| here.meets(there));
        shared.map(move |span| (index, span))
    });
    shared.any(|(index, span)| open_together([cell, index], span))
}

/// Whether whoever a pending request relies on still holds, as planned, what is to change hands: all of it, or what lies
/// before the instant that the forecast is `known` up to.
pub fn keeps(
    rotation: &Rotation,
    cells: &[CellForecast],
    known: Option<Timestamp>,
    pending: &Pending,
) -> bool {
    pending.legs.iter().all(|leg| {
        let cell = rotation.slot_of(&leg.cell);
        let rest = leg.period.since(rotation.stamps.judged_at);
        cell.zip(rest).is_some_and(|(cell, rest)| {
            let until = known.map_or(rest.until, |known| rest.until.min(known));
            let rest = Interval { until, ..rest };
            rest.is_empty() || cells[cell].is_held_by(&leg.holder, rest)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_second(hour * 3600).unwrap()
    }

    fn span(from: i64, until: i64) -> Interval {
        Interval {
            from: at(from),
            until: at(until),
        }
    }

    /// Turns one after the other, each held as dealt: `a 10 b 20 - 30 c`, from hour 0 on.
    fn forecast(text: &str) -> CellForecast {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut from = at(0);
        let stretch = |pair: &[&str]| {
            let until = pair.get(1).map(|hour| at(hour.parse().unwrap()));
            let until = until.unwrap_or(Timestamp::MAX);
            let user = (pair[0] != "-").then(|| UserId::from(pair[0]));
            let period = Interval { from, until };
            from = until;
            Held {
                cell: 0,
                period,
                dealt: user.clone().map(|user| (Some(user), period.from)),
                user,
                outside: None,
                is_open: true,
                is_there: true,
            }
        };
        CellForecast(words.chunks(2).map(stretch).collect())
    }

    #[test]
    fn what_of_a_turn_a_period_takes_over() {
        let cell = forecast("a 10 b 20 - 30 c");
        for (from, until, now, expected) in [
            (10, 20, 5, Some((TurnKind::FullTurn, 10))),
            // The running turn, from wherever: only what is left of it can be taken over.
            (0, 10, 0, Some((TurnKind::RemainingTurn, 0))),
            (5, 10, 5, Some((TurnKind::RemainingTurn, 0))),
            (7, 10, 5, Some((TurnKind::RemainingTurn, 0))),
            // Parts of turns, more than one turn, the end of a turn to come, nobody's, and one without an end.
            (5, 9, 5, None),
            (5, 20, 5, None),
            (12, 20, 5, None),
            (20, 30, 5, None),
            (30, 40, 5, None),
        ] {
            let found = cell.selection(span(from, until), at(now));
            let found = found.map(|found| (found.kind, found.turn));
            let expected = expected.map(|(kind, from)| (kind, span(from, until)));
            assert_eq!(found, expected, "{from} to {until} at {now}");
        }
        assert!(cell.is_turn(span(10, 20)) && cell.is_turn(span(0, 10)));
        assert!(!cell.is_turn(span(10, 19)) && !cell.is_turn(span(20, 30)));
    }

    #[test]
    fn who_holds_a_cell_throughout() {
        let cell = forecast("a 10 b 20 - 30 a");
        for (user, from, until, throughout, some_time) in [
            ("a", 0, 10, true, true),
            ("a", 5, 10, true, true),
            ("a", 5, 11, false, true),
            ("b", 10, 20, true, true),
            ("b", 9, 20, false, true),
            ("b", 20, 30, false, false),
            ("a", 20, 31, false, true),
            ("a", 30, 99, true, true),
            ("c", 0, 99, false, false),
        ] {
            let held = (
                cell.is_held_by(&user.into(), span(from, until)),
                cell.is_held_some_time_by(&user.into(), span(from, until)),
            );
            assert_eq!(held, (throughout, some_time), "{user} {from} to {until}");
        }
    }

    #[test]
    fn nobody_holds_two_cells_unless_they_swap() {
        let doubled = |cells: &[CellForecast], user: &str, from, until| {
            let always = &mut |_, _| true;
            let never = &mut |_, _| false;
            let (user, period) = (UserId::from(user), span(from, until));
            assert!(!is_doubled(cells, 0, &user, period, never));
            is_doubled(cells, 0, &user, period, always)
        };
        let mut cells = [forecast("a 10 b"), forecast("b 10 a 20 c")];
        cells[0].take_over(&"b".into(), span(5, 15));
        assert!(doubled(&cells, "b", 5, 15));
        cells[1].take_over(&"a".into(), span(5, 10));
        assert!(!doubled(&cells, "b", 5, 15));
        cells[0].take_over(&"c".into(), span(15, 21));
        assert!(doubled(&cells, "c", 15, 21) && !doubled(&cells, "c", 15, 20));
    }
}
