//! What is to become of each cell: whose turns come, and who holds it, by the same code that the timer runs. Agreements are
//! judged by it (contract section 10).

use super::arrangement::{TurnKind, TurnSelection};
use super::handover::{DealingContext, Memo};
use super::ids::UserId;
use super::plan::{MOST_STEPS, too_far, without_requests};
use super::refusal::Refusal;
use super::request::Pending;
use super::resolve::{self, Hold};
use super::rotation::Rotation;
use super::time::{FOREVER, Interval};
use jiff::{SignedDuration, Timestamp};

/// What one outlook may take at the most, as [`Outcome::work`](super::handover::Outcome::work) counts: some fifteen
/// milliseconds, for which other writers wait.
const MOST_WORK: usize = 300_000;

/// Instants that a look at who comes next may take, and what that may take: many are made, and none is worth waiting for.
const MOST_GLANCES: usize = 100;
/// See [`MOST_GLANCES`].
const MOST_GLANCE_WORK: usize = 100_000;

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

/// A stretch for which a cell is one person's, or nobody's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub user: Option<UserId>,
    pub from: Timestamp,
    /// `None` where no end is known yet.
    pub until: Option<Timestamp>,
}

impl Stretch {
    fn meets(&self, period: Interval) -> bool {
        self.from < period.until && self.until.is_none_or(|until| until > period.from)
    }
}

/// What is to become of one cell, whether its window is open or shut.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Outlook {
    /// The dealt turns, one after the other; the running one from where it began.
    pub dealt: Vec<Stretch>,
    /// Who holds the cell, by arrangement or as dealt.
    pub held: Vec<Stretch>,
}

/// What is to become of each cell from now to the [`horizon`] of an instant, itself included.
///
/// Refuses an instant so far ahead that walking there would keep others waiting.
pub fn ahead(
    rotation: &Rotation,
    dealing: DealingContext,
    until: Timestamp,
) -> Result<Vec<Outlook>, Refusal> {
    let horizon = horizon(rotation.stamps.judged_at, until);
    match foresee(rotation, dealing, horizon) {
        (outlooks, None) => Ok(outlooks),
        (_, Some(_)) => Err(too_far()),
    }
}

/// The same as far as it can be told in the time that there is, and up to which instant where that is not all of it.
pub fn foresee(
    rotation: &Rotation,
    dealing: DealingContext,
    until: Timestamp,
) -> (Vec<Outlook>, Option<Timestamp>) {
    let mut future = without_requests(rotation);
    let mut cells = vec![Outlook::default(); future.cells.len()];
    let mut note = |future: &Rotation, at: Timestamp| {
        for (outlook, cell) in cells.iter_mut().zip(&future.cells) {
            let dealt = cell.holder.as_ref();
            let since = dealt.map_or(at, |holder| holder.since);
            // The same person dealt again has another turn.
            let same = outlook
                .dealt
                .last()
                .is_some_and(|last| dealt.is_none() || last.from == since);
            go_on(
                &mut outlook.dealt,
                dealt.map(|holder| &holder.user),
                same,
                since,
                at,
            );
            let held = resolve::holder(future, cell).map(Hold::user);
            go_on(&mut outlook.held, held, true, at, at);
        }
    };
    note(&future, rotation.stamps.judged_at);
    let (mut steps, mut work, mut memo) = (0, 0, Memo::default());
    while let Some(at) = memo.next_due(&future, dealing).filter(|at| *at <= until) {
        work += memo.step(&mut future, dealing, at).work;
        note(&future, at);
        steps += 1;
        if steps > MOST_STEPS || work > MOST_WORK {
            return (cells, Some(at));
        }
    }
    (cells, None)
}

/// A rotation as it is to stand just before an instant, and at it with everything due then done; `None` where that is too far
/// ahead to be told.
pub fn stand(
    rotation: &Rotation,
    dealing: DealingContext,
    at: Timestamp,
) -> Option<(Rotation, Rotation)> {
    let mut walk = Walk::new(rotation, MOST_STEPS, MOST_WORK);
    loop {
        let next = walk.next_due(dealing)?;
        if next >= at {
            let before = walk.future.clone();
            if next == at {
                walk.step(dealing, at)?;
            }
            return Some((before, walk.future));
        }
        walk.step(dealing, next)?;
    }
}

/// The rotation at the first instant at which it stands as asked for; `None` where that does not come soon.
pub fn stand_when(
    rotation: &Rotation,
    dealing: DealingContext,
    stands: impl Fn(&Rotation) -> bool,
) -> Option<Rotation> {
    let mut walk = Walk::new(rotation, MOST_GLANCES, MOST_GLANCE_WORK);
    loop {
        let next = walk.next_due(dealing)?;
        walk.step(dealing, next)?;
        if stands(&walk.future) {
            return Some(walk.future);
        }
    }
}

/// A walk ahead of time, within bounds.
struct Walk {
    future: Rotation,
    memo: Memo,
    steps: usize,
    work: usize,
}

impl Walk {
    fn new(rotation: &Rotation, steps: usize, work: usize) -> Walk {
        Walk {
            future: without_requests(rotation),
            memo: Memo::default(),
            steps,
            work,
        }
    }

    fn next_due(&mut self, dealing: DealingContext) -> Option<Timestamp> {
        self.memo.next_due(&self.future, dealing)
    }

    /// `None` where the bounds are reached.
    fn step(&mut self, dealing: DealingContext, at: Timestamp) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        let work = self.memo.step(&mut self.future, dealing, at).work;
        self.work = self.work.checked_sub(work)?;
        Some(())
    }
}

/// Lets the last stretch go on, or ends it at `at` and begins another, where somebody else has the cell or has it anew.
fn go_on(
    stretches: &mut Vec<Stretch>,
    user: Option<&UserId>,
    same: bool,
    from: Timestamp,
    at: Timestamp,
) {
    if let Some(last) = stretches.last_mut() {
        if same && last.user.as_ref() == user {
            return;
        }
        last.until = Some(at);
    }
    stretches.push(Stretch {
        user: user.cloned(),
        from,
        until: None,
    });
}

impl Outlook {
    /// Whether one person holds the cell over the whole period.
    pub fn is_held_by(&self, user: &UserId, period: Interval) -> bool {
        let mut meeting = self.held.iter().filter(|stretch| stretch.meets(period));
        meeting.all(|stretch| stretch.user.as_ref() == Some(user))
    }

    /// Whether one person holds the cell at some time in the period.
    pub fn is_held_some_time_by(&self, user: &UserId, period: Interval) -> bool {
        let mut meeting = self.held.iter().filter(|stretch| stretch.meets(period));
        meeting.any(|stretch| stretch.user.as_ref() == Some(user))
    }

    /// Puts the cell into somebody's hands for a period.
    pub fn take_over(&mut self, user: &UserId, period: Interval) {
        let mut held = Vec::new();
        for stretch in self.held.drain(..) {
            let before = stretch
                .until
                .map_or(period.from, |until| until.min(period.from));
            if stretch.from < before {
                held.push(Stretch {
                    until: Some(before),
                    ..stretch.clone()
                });
            }
            if stretch.until.is_none_or(|until| until > period.until) {
                held.push(Stretch {
                    from: stretch.from.max(period.until),
                    ..stretch
                });
            }
        }
        held.push(Stretch {
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
        let ends = |stretch: &&Stretch| stretch.user.is_some() && stretch.until == Some(until);
        let turn = self.dealt.iter().find(ends)?;
        Some(Interval {
            from: turn.from,
            until,
        })
    }
}

/// Whether a person holds a cell and another one at once at some time in a period.
pub fn is_doubled(outlooks: &[Outlook], cell: usize, user: &UserId, period: Interval) -> bool {
    let theirs = |outlook: &Outlook| -> Vec<Interval> {
        let held = outlook
            .held
            .iter()
            .filter(|stretch| stretch.user.as_ref() == Some(user));
        let whole = held.map(|stretch| Interval {
            from: stretch.from,
            until: stretch.until.unwrap_or(Timestamp::MAX),
        });
        whole.filter_map(|stretch| stretch.meets(period)).collect()
    };
    let here = theirs(&outlooks[cell]);
    let others = outlooks
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != cell);
    others
        .flat_map(|(_, outlook)| theirs(outlook))
        .any(|there| here.iter().any(|here| here.meets(there).is_some()))
}

/// Whether whoever a pending request relies on still holds, as planned, what is to change hands: all of it, or what lies
/// before the instant that the plan is `known` up to.
pub fn keeps(
    rotation: &Rotation,
    outlooks: &[Outlook],
    known: Option<Timestamp>,
    pending: &Pending,
) -> bool {
    pending.duties.iter().all(|duty| {
        let cell = rotation.place_of(&duty.cell);
        let rest = duty.period.since(rotation.stamps.judged_at);
        cell.zip(rest).is_some_and(|(cell, rest)| {
            let until = known.map_or(rest.until, |known| rest.until.min(known));
            let rest = Interval { until, ..rest };
            rest.is_empty() || outlooks[cell].is_held_by(&duty.holder, rest)
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

    /// Stretches one after the other: `a 10 b 20 - 30 c`, from hour 0 on.
    fn stretches(text: &str) -> Vec<Stretch> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut from = at(0);
        let stretch = |pair: &[&str]| {
            let until = pair.get(1).map(|hour| at(hour.parse().unwrap()));
            let stretch = Stretch {
                user: (pair[0] != "-").then(|| pair[0].into()),
                from,
                until,
            };
            from = until.unwrap_or(from);
            stretch
        };
        words.chunks(2).map(stretch).collect()
    }

    fn outlook(dealt: &str, held: &str) -> Outlook {
        Outlook {
            dealt: stretches(dealt),
            held: stretches(held),
        }
    }

    #[test]
    fn what_of_a_turn_a_period_takes_over() {
        let cell = outlook("a 10 b 20 - 30 c", "");
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
        let cell = outlook("", "a 10 b 20 - 30 a");
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
        let doubled = |cells: &[Outlook], user: &str, from, until| {
            is_doubled(cells, 0, &user.into(), span(from, until))
        };
        let mut cells = [outlook("", "a 10 b"), outlook("", "b 10 a 20 c")];
        cells[0].take_over(&"b".into(), span(5, 15));
        assert!(doubled(&cells, "b", 5, 15));
        cells[1].take_over(&"a".into(), span(5, 10));
        assert!(!doubled(&cells, "b", 5, 15));
        cells[0].take_over(&"c".into(), span(15, 21));
        assert!(doubled(&cells, "c", 15, 21) && !doubled(&cells, "c", 15, 20));
    }
}
