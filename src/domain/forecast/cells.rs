//! What becomes of each cell: whose turns come, and who holds it. Agreements are judged by it.

use super::{Forecast, Limits, Step, too_far, without_requests};
use crate::domain::arrangement::{TurnKind, TurnSelection};
use crate::domain::handover::DealingContext;
use crate::domain::ids::UserId;
use crate::domain::refusal::Refusal;
use crate::domain::request::Pending;
use crate::domain::resolve::{self, Hold};
use crate::domain::rotation::Rotation;
use crate::domain::time::{FOREVER, Interval};
use jiff::{SignedDuration, Timestamp};

/// What the forecast of the cells may take: some fifteen milliseconds, for which other writers wait.
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

/// A span for which a cell is one person's, or nobody's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub user: Option<UserId>,
    pub from: Timestamp,
    /// `None` where no end is known yet.
    pub until: Option<Timestamp>,
}

impl Span {
    fn meets(&self, period: Interval) -> bool {
        self.from < period.until && self.until.is_none_or(|until| until > period.from)
    }
}

/// The forecast of one cell, whether its window is open or shut.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CellForecast {
    /// The dealt turns, one after the other; the running one from where it began.
    pub dealt: Vec<Span>,
    /// Who holds the cell, by arrangement or as dealt.
    pub held: Vec<Span>,
}

/// The forecast of each cell from now to the [`horizon`] of an instant, itself included.
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

/// The same as far as the limits allow, and up to which instant where that is not all of it.
pub fn known_cells(
    rotation: &Rotation,
    dealing: DealingContext,
    until: Timestamp,
) -> (Vec<CellForecast>, Option<Timestamp>) {
    let mut future = without_requests(rotation);
    let mut cells = vec![CellForecast::default(); future.cells.len()];
    note(&mut cells, &future, rotation.stamps.judged_at);
    let mut forecast = Forecast::new(&mut future, dealing, LIMITS);
    while let Some(Step { at, rotation, .. }) = forecast.step_until(until) {
        note(&mut cells, rotation, at);
    }
    (cells, forecast.cut_off_at())
}

/// Continues each cell's spans with how the rotation stands at an instant.
fn note(cells: &mut [CellForecast], rotation: &Rotation, at: Timestamp) {
    for (forecast, cell) in cells.iter_mut().zip(&rotation.cells) {
        let dealt = cell.holder.as_ref();
        let since = dealt.map_or(at, |holder| holder.since);
        // The same person dealt again has another turn.
        let same = forecast
            .dealt
            .last()
            .is_some_and(|last| dealt.is_none() || last.from == since);
        go_on(
            &mut forecast.dealt,
            dealt.map(|holder| &holder.user),
            same,
            since,
            at,
        );
        let held = resolve::holder(rotation, cell).map(Hold::user);
        go_on(&mut forecast.held, held, true, at, at);
    }
}

/// Lets the last span go on, or ends it at `at` and begins another, where somebody else has the cell or has it anew.
fn go_on(spans: &mut Vec<Span>, user: Option<&UserId>, same: bool, from: Timestamp, at: Timestamp) {
    if let Some(last) = spans.last_mut() {
        if same && last.user.as_ref() == user {
            return;
        }
        last.until = Some(at);
    }
    spans.push(Span {
        user: user.cloned(),
        from,
        until: None,
    });
}

impl CellForecast {
    /// Whether one person holds the cell over the whole period.
    pub fn is_held_by(&self, user: &UserId, period: Interval) -> bool {
        let mut meeting = self.held.iter().filter(|span| span.meets(period));
        meeting.all(|span| span.user.as_ref() == Some(user))
    }

    /// Whether one person holds the cell at some time in the period.
    pub fn is_held_some_time_by(&self, user: &UserId, period: Interval) -> bool {
        let mut meeting = self.held.iter().filter(|span| span.meets(period));
        meeting.any(|span| span.user.as_ref() == Some(user))
    }

    /// Gives the cell to somebody for a period.
    pub fn take_over(&mut self, user: &UserId, period: Interval) {
        let mut held = Vec::new();
        for span in self.held.drain(..) {
            let before = span
                .until
                .map_or(period.from, |until| until.min(period.from));
            if span.from < before {
                held.push(Span {
                    until: Some(before),
                    ..span.clone()
                });
            }
            if span.until.is_none_or(|until| until > period.until) {
                held.push(Span {
                    from: span.from.max(period.until),
                    ..span
                });
            }
        }
        held.push(Span {
            user: Some(user.clone()),
            from: period.from,
            until: Some(period.until),
        });
        self.held = held;
    }

    /// Whether a period is exactly a dealt turn.
    pub fn is_turn(&self, period: Interval) -> bool {
        self.turn_until(period.until)
            .is_some_and(|turn| turn == period)
    }

    /// What of a turn a period takes over: all of one to come, or what is left of the running one.
    pub fn selection(&self, period: Interval, now: Timestamp) -> Option<TurnSelection> {
        let turn = self.turn_until(period.until)?;
        let kind = if turn.from <= now && turn.from <= period.from {
            TurnKind::RemainingTurn
        } else if turn.from == period.from {
            TurnKind::FullTurn
        } else {
            return None;
        };
        Some(TurnSelection { kind, turn })
    }

    fn turn_until(&self, until: Timestamp) -> Option<Interval> {
        let ends = |span: &&Span| span.user.is_some() && span.until == Some(until);
        let turn = self.dealt.iter().find(ends)?;
        Some(Interval {
            from: turn.from,
            until,
        })
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
    let theirs = |forecast: &CellForecast| -> Vec<Interval> {
        let held = forecast
            .held
            .iter()
            .filter(|span| span.user.as_ref() == Some(user));
        let whole = held.map(|span| Interval {
            from: span.from,
            until: span.until.unwrap_or(Timestamp::MAX),
        });
        whole.filter_map(|span| span.meets(period)).collect()
    };
    let here = theirs(&cells[cell]);
    let others = cells.iter().enumerate().filter(|(index, _)| *index != cell);
    let there = others.flat_map(|(index, forecast)| {
        let theirs = theirs(forecast).into_iter();
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
    pending.duties.iter().all(|duty| {
        let cell = rotation.slot_of(&duty.cell);
        let rest = duty.period.since(rotation.stamps.judged_at);
        cell.zip(rest).is_some_and(|(cell, rest)| {
            let until = known.map_or(rest.until, |known| rest.until.min(known));
            let rest = Interval { until, ..rest };
            rest.is_empty() || cells[cell].is_held_by(&duty.holder, rest)
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

    /// Spans one after the other: `a 10 b 20 - 30 c`, from hour 0 on.
    fn spans(text: &str) -> Vec<Span> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut from = at(0);
        let span = |pair: &[&str]| {
            let until = pair.get(1).map(|hour| at(hour.parse().unwrap()));
            let span = Span {
                user: (pair[0] != "-").then(|| pair[0].into()),
                from,
                until,
            };
            from = until.unwrap_or(from);
            span
        };
        words.chunks(2).map(span).collect()
    }

    fn forecast(dealt: &str, held: &str) -> CellForecast {
        CellForecast {
            dealt: spans(dealt),
            held: spans(held),
        }
    }

    #[test]
    fn what_of_a_turn_a_period_takes_over() {
        let cell = forecast("a 10 b 20 - 30 c", "");
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
        let cell = forecast("", "a 10 b 20 - 30 a");
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
        let mut cells = [forecast("", "a 10 b"), forecast("", "b 10 a 20 c")];
        cells[0].take_over(&"b".into(), span(5, 15));
        assert!(doubled(&cells, "b", 5, 15));
        cells[1].take_over(&"a".into(), span(5, 10));
        assert!(!doubled(&cells, "b", 5, 15));
        cells[0].take_over(&"c".into(), span(15, 21));
        assert!(doubled(&cells, "c", 15, 21) && !doubled(&cells, "c", 15, 20));
    }
}
