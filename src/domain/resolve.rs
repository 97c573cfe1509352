//! Who holds a cell, and why: the one order of precedence. A running arrangement takes precedence over the dealt turn, and
//! the holder is on call while the window is open (rules.md 4.3 and 8.1).

use super::arrangement::Arranged;
use super::holidays::Calendar;
use super::ids::{ArrangementId, UserId};
use super::rotation::{Cell, Holder, Rotation, Skipped, Window};
use jiff::Timestamp;

/// Somebody's hold on a cell, as last judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold<'r> {
    Arranged(&'r Arranged),
    Dealt(&'r Holder),
}

impl<'r> Hold<'r> {
    /// Who holds the cell.
    pub fn user(self) -> &'r UserId {
        match self {
            Hold::Arranged(arranged) => &arranged.user,
            Hold::Dealt(holder) => &holder.user,
        }
    }

    /// The arrangement that they hold it by.
    pub fn arrangement(self) -> Option<&'r ArrangementId> {
        match self {
            Hold::Arranged(arranged) => Some(&arranged.id),
            Hold::Dealt(_) => None,
        }
    }

    /// Absent people passed over when the turn was dealt.
    pub fn skipped(self) -> &'r [Skipped] {
        match self {
            Hold::Arranged(_) => &[],
            Hold::Dealt(holder) => &holder.skipped,
        }
    }
}

/// The arrangement that runs over a cell.
pub fn arranged<'r>(rotation: &'r Rotation, cell: &Cell) -> Option<&'r Arranged> {
    let runs = |arranged: &&Arranged| arranged.running && arranged.cell == cell.id;
    rotation.arranged.iter().find(runs)
}

/// Who holds a cell, whether its window is open or shut.
pub fn holder<'r>(rotation: &'r Rotation, cell: &'r Cell) -> Option<Hold<'r>> {
    if cell.stopped {
        return None;
    }
    let dealt = || cell.holder.as_ref().map(Hold::Dealt);
    arranged(rotation, cell).map(Hold::Arranged).or_else(dealt)
}

/// Who is on call in a cell: whoever holds it while its window is open.
pub fn on_call<'r>(rotation: &'r Rotation, cell: &'r Cell) -> Option<Hold<'r>> {
    holder(rotation, cell).filter(|_| rotation.windows[cell.window].open)
}

/// Those who are on call, each once, in the order of slots.
pub fn everybody_on_call(rotation: &Rotation) -> Vec<UserId> {
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

/// When a hold began and when it ends, whatever the coverage; `turn_ends` is when the dealt turn passes on. A dealt turn is
/// cut by the arrangements that it meets, an arrangement by nothing.
pub fn bounds(
    rotation: &Rotation,
    cell: &Cell,
    hold: Hold,
    turn_ends: Option<Timestamp>,
) -> (Timestamp, Option<Timestamp>) {
    match hold {
        Hold::Arranged(arranged) => {
            // A disabled rotation stays as it is: nothing ends by the clock.
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

/// When the turns of each window pass on; `None` where nothing is scheduled: on manual and on disabled rotations.
pub fn turn_ends(rotation: &Rotation, calendar: &Calendar) -> Vec<Option<Timestamp>> {
    let next = |window: &Window| {
        let cadence = window.cadence.as_ref().filter(|_| rotation.enabled)?;
        cadence.next(calendar, rotation.stamps.judged_at)
    };
    rotation.windows.iter().map(next).collect()
}
