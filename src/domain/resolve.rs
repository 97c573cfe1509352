//! Resolves the holder of a cell. A running arrangement takes precedence over the dealt turn, and the holder is on call while
//! the window is open (rules.md 4.3 and 8.1).

use super::absence::Away;
use super::arrangement::Arranged;
use super::books::DealtTurn;
use super::external::External;
use super::holidays::Calendar;
use super::ids::{ArrangementId, UserId};
use super::rotation::{Cell, Holder, NextTurn, PassedOver, Roster, Rotation, Skipped, Window};
use super::time::Interval;
use jiff::Timestamp;

/// How a person holds a cell, as last judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold<'r> {
    Arranged(&'r Arranged),
    Dealt(&'r Holder),
}

impl<'r> Hold<'r> {
    /// The holder of the cell.
    pub fn user(self) -> &'r UserId {
        match self {
            Hold::Arranged(arranged) => &arranged.user,
            Hold::Dealt(holder) => &holder.user,
        }
    }

    /// The arrangement by which they hold it.
    pub fn arrangement(self) -> Option<&'r ArrangementId> {
        match self {
            Hold::Arranged(arranged) => Some(&arranged.id),
            Hold::Dealt(_) => None,
        }
    }

    /// The absent people who were skipped when the turn was dealt.
    pub fn skipped(self) -> &'r [Skipped] {
        match self {
            Hold::Arranged(_) => &[],
            Hold::Dealt(holder) => &holder.skipped,
        }
    }

    /// Whose own turn it is, where missed turns were traded when it was dealt.
    pub fn dealt(self) -> Option<&'r DealtTurn> {
        match self {
            Hold::Arranged(_) => None,
            Hold::Dealt(holder) => holder.dealt.as_ref(),
        }
    }
}

/// The running arrangement over a cell.
pub fn arranged<'r>(rotation: &'r Rotation, cell: &Cell) -> Option<&'r Arranged> {
    let runs = |arranged: &&Arranged| arranged.running && arranged.cell == cell.id;
    rotation.arranged.iter().find(runs)
}

/// The holder of a cell, whether its window is open or shut.
pub fn holder<'r>(rotation: &'r Rotation, cell: &'r Cell) -> Option<Hold<'r>> {
    if cell.stopped {
        return None;
    }
    let dealt = || cell.holder.as_ref().map(Hold::Dealt);
    arranged(rotation, cell).map(Hold::Arranged).or_else(dealt)
}

/// The person on call in a cell: its holder while its window is open.
pub fn on_call<'r>(rotation: &'r Rotation, cell: &'r Cell) -> Option<Hold<'r>> {
    holder(rotation, cell).filter(|_| rotation.windows[cell.window].open)
}

/// Who was passed over for a cell because they are on call elsewhere: where its dealt holder is on call, and where its window
/// is open and nobody was found.
pub fn passed_over<'r>(rotation: &'r Rotation, cell: &'r Cell) -> &'r [PassedOver] {
    let is_dealt = !matches!(holder(rotation, cell), Some(Hold::Arranged(_)));
    match is_dealt && !cell.stopped && rotation.windows[cell.window].open {
        true => &cell.passed_over,
        false => &[],
    }
}

/// Those who are on call, each once, in the order of slots.
pub fn everybody_on_call(rotation: &Rotation) -> Vec<UserId> {
    if let Some(external) = &rotation.external {
        return external.on_call();
    }
    let mut people: Vec<UserId> = Vec::new();
    for cell in rotation.running() {
        if let Some(hold) = on_call(rotation, cell)
            && !people.contains(hold.user())
        {
            people.push(hold.user().clone());
        }
    }
    people
}

/// Whether anybody is on call, people included who are unknown here.
pub fn is_anybody_on_call(rotation: &Rotation) -> bool {
    let outside = rotation.external.as_ref().and_then(External::outsider);
    outside.is_some() || !everybody_on_call(rotation).is_empty()
}

/// The start and end of a hold, regardless of coverage. `turn_ends` is when the dealt turn ends. Arrangements cut a dealt turn;
/// nothing cuts an arrangement.
pub fn bounds(
    rotation: &Rotation,
    cell: &Cell,
    hold: Hold,
    turn_ends: Option<Timestamp>,
) -> (Timestamp, Option<Timestamp>) {
    match hold {
        Hold::Arranged(arranged) => {
            // A disabled rotation does not change: nothing ends as scheduled.
            let until = rotation.enabled.then_some(arranged.period.until);
            (arranged.period.from, until)
        }
        Hold::Dealt(holder) => {
            let comes = |arranged: &&Arranged| rotation.enabled && arranged.cell == cell.id;
            let next = rotation.arranged.iter().filter(comes);
            let next = next.map(|arranged| arranged.period.from).min();
            let since = cell
                .arranged_until
                .map_or(holder.since, |ended| ended.max(holder.since));
            (since, turn_ends.into_iter().chain(next).min())
        }
    }
}

/// The absences of whoever is on call in each cell that fall in their assignment, by slot; cells without any are left out.
pub fn absences_on_call(rotation: &Rotation, calendar: &Calendar) -> Vec<(usize, Vec<Away>)> {
    if rotation.absences.is_empty() {
        return Vec::new();
    }
    let away = |(slot, cell)| {
        let hold = on_call(rotation, cell)?;
        rotation.absences.of(hold.user()).next()?;
        Some((slot, cell, hold))
    };
    let away: Vec<_> = rotation.cells.iter().enumerate().filter_map(away).collect();
    if away.is_empty() {
        return Vec::new();
    }
    let ends = turn_ends(rotation, calendar);
    let shown = away.into_iter().map(|(slot, cell, hold)| {
        let (from, until) = bounds(rotation, cell, hold, ends[cell.window]);
        let until = until.unwrap_or(Timestamp::MAX);
        let assignment = Interval { from, until };
        (slot, rotation.absences.meeting(hold.user(), assignment))
    });
    shown.filter(|(_, absences)| !absences.is_empty()).collect()
}

/// When the turns of each window end; `None` if nothing is scheduled: in manual and disabled rotations, and where
/// a partner's shift has no end.
pub fn turn_ends(rotation: &Rotation, calendar: &Calendar) -> Vec<Option<Timestamp>> {
    if let Some(external) = &rotation.external {
        let first = external.first().filter(|_| rotation.enabled);
        let ends = first.and_then(|first| first.shift.ends_at());
        return vec![ends; rotation.windows.len()];
    }
    let next = |window: &Window| {
        let cadence = window.cadence.as_ref().filter(|_| rotation.enabled)?;
        cadence.next(calendar, rotation.stamps.judged_at)
    };
    rotation.windows.iter().map(next).collect()
}

/// The next turn of a roster that is shown for all of its windows: that of the window whose hand-over comes next, the first
/// among equals and where none is to come. `turn_ends` is what [`turn_ends`] answers.
pub fn next_turn(rotation: &Rotation, roster: &Roster, turn_ends: &[Option<Timestamp>]) -> usize {
    let comes = |next: &&NextTurn| {
        let mut windows = rotation.windows.iter();
        let window = windows.position(|window| window.id == next.window);
        let ends = window.and_then(|window| turn_ends[window]);
        ends.unwrap_or(Timestamp::MAX)
    };
    let first = roster.next_turns.iter().min_by_key(comes);
    first.map_or(0, |next| next.turn)
}
