//! The events of one instant: slots emptied, dealt and filled, windows judged, the record written. Every write goes
//! through [`Change`], and so does every step of a [`Forecast`](super::forecast::Forecast).

mod absent;
mod agreements;
mod deal;
mod edit;
mod external;
mod memo;
mod record;
mod trading;

use super::absence::{Absences, Skipped};
use super::holidays::Calendar;
use super::ids::ArrangementId;
use super::request::Pending;
use super::resolve;
use super::rotation::{Cell, Mode, Reason, Rotation};
use super::time::just_before;
pub use deal::would_double;
pub use edit::Edit;
use jiff::Timestamp;
pub(super) use memo::Memo;
pub use record::first_entry;
pub use trading::is_absent;

/// The surroundings that dealing and judging need beside the rotation.
#[derive(Clone, Copy)]
pub struct DealingContext<'a> {
    pub calendar: &'a Calendar,
    /// The absences that count in this rotation and end after it was last judged.
    pub absences: &'a Absences,
}

impl<'a> DealingContext<'a> {
    /// The context of a rotation with these absences.
    pub fn new(calendar: &'a Calendar, absences: &'a Absences) -> DealingContext<'a> {
        DealingContext { calendar, absences }
    }
}

/// The cause of a window's opening or shutting in a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowChange {
    /// Time went by: also while the rotation was disabled.
    ByClock,
    /// Somebody edited the hours or the days off.
    ByEdit,
}

/// A change of one rotation's duty at one instant. Decide first, then [`Change::finish`] judges the windows and begins
/// the entries that the record needs, one a cell at most.
pub struct Change<'a> {
    pub rotation: &'a mut Rotation,
    dealing: DealingContext<'a>,
    at: Timestamp,
    window_change: WindowChange,
    /// Why a cell's slot was emptied or dealt in this change.
    touched: Vec<Option<Reason>>,
    /// The arrangement that ran over each cell when this change began.
    ran: Vec<Option<ArrangementId>>,
    /// Why a cell's arrangement began or ended in this change.
    moved: Vec<Option<Reason>>,
    /// The slots whose holders go away in this change, with the absence.
    relieved: Vec<(usize, Skipped)>,
    /// How many people dealing has asked about and passed over, as work.
    asked: usize,
    /// Whether a slot that stays empty has another list of people passed over.
    searched: bool,
    memo: Memo,
}

impl<'a> Change<'a> {
    /// Begins a change. `at` must not lie before [`Stamps::judged_at`](super::rotation::Stamps).
    pub fn begin(
        rotation: &'a mut Rotation,
        dealing: DealingContext<'a>,
        at: Timestamp,
        window_change: WindowChange,
    ) -> Change<'a> {
        Change::with(rotation, dealing, at, window_change, Memo::default())
    }

    /// Begins a change with what is known of the rotation's windows and rosters already.
    fn with(
        rotation: &'a mut Rotation,
        dealing: DealingContext<'a>,
        at: Timestamp,
        window_change: WindowChange,
        memo: Memo,
    ) -> Change<'a> {
        let touched = vec![None; rotation.cells.len()];
        let moved = touched.clone();
        let running = |cell| resolve::arranged(rotation, cell).map(|arranged| arranged.id.clone());
        let ran = rotation.cells.iter().map(running).collect();
        Change {
            rotation,
            dealing,
            at,
            window_change,
            touched,
            ran,
            moved,
            relieved: Vec::new(),
            asked: 0,
            searched: false,
            memo,
        }
    }

    /// Takes people who are no longer members off duty and ends their arrangements (rules.md 2.11 and 8.4).
    pub fn clear_leavers(&mut self) {
        for gone in self.void(|rotation, arranged| !rotation.has_member(&arranged.user)) {
            if let Some(cell) = self.rotation.slot_of(&gone.cell) {
                self.moved[cell] = Some(Reason::RemovalOfActiveDuty);
            }
        }
        if self.rotation.external.is_some() {
            // An override puts people on call who are no members. Who has left is known of no longer.
            return;
        }
        for cell in 0..self.rotation.cells.len() {
            let holder = self.rotation.cells[cell].holder.as_ref();
            if holder.is_some_and(|holder| !self.rotation.has_member(&holder.user)) {
                self.clear(cell, Reason::RemovalOfActiveDuty);
            }
        }
    }

    /// Does everything that falls due at this instant: hand-overs of all windows due and of the slots whose holders go away,
    /// emptied together and dealt in the order of slots, then one fill. Answers whether there was a hand-over.
    fn everything_due(&mut self) -> bool {
        let before = self.rotation.stamps.judged_at;
        let mut is_due = |window| {
            let next = self
                .memo
                .hand_over(self.rotation, window, self.dealing.calendar, before);
            next == Some(self.at)
        };
        let due: Vec<bool> = (0..self.rotation.windows.len()).map(&mut is_due).collect();
        let leaving = self.relieve_now(&due);
        let cells: Vec<usize> = (0..self.rotation.cells.len())
            .filter(|&cell| {
                let is_due = due[self.rotation.cells[cell].window];
                (is_due && !self.rotation.cells[cell].stopped) || leaving.contains(&cell)
            })
            .collect();
        self.hand_over(&cells, Reason::NextOnScheduledDuty);
        let any = due.contains(&true);
        if self.rotation.running().any(|cell| cell.holder.is_none()) {
            if any || self.is_edge(before) {
                self.fill(Reason::NextOnScheduledDuty);
            } else if self.is_somebody_back() {
                self.fill_after_absence(Reason::NextOnScheduledDuty);
            }
        }
        any
    }

    /// Whether a window opens or shuts now, an arrangement begins or ends, or a request expires.
    fn is_edge(&mut self, before: Timestamp) -> bool {
        let (at, calendar) = (self.at, self.dealing.calendar);
        agreements(self.rotation).any(|due| due == at)
            || (0..self.rotation.windows.len()).any(|window| {
                let view = self.memo.view(self.rotation, window, calendar, before);
                view.changes_at == Some(at)
            })
    }

    /// Judges arrangements and windows and begins the entries needed. A disabled rotation stays frozen as of the instant it was
    /// judged last, also under an edit of its hours.
    pub fn finish(self) -> Outcome {
        self.finished().0
    }

    /// Finishes the change, and gives back what has become known of windows and rosters.
    fn finished(mut self) -> (Outcome, Memo) {
        let agreements = self.judge_agreements();
        self.follow_schedule();
        let was_open: Vec<bool> = self
            .rotation
            .windows
            .iter()
            .map(|window| window.open)
            .collect();
        if self.rotation.enabled {
            self.judge_windows();
            self.rotation.stamps.judged_at = self.at;
        }
        self.announce();
        let begun = self.begin_entries(&was_open);
        let flipped = self
            .rotation
            .windows
            .iter()
            .zip(was_open)
            .any(|(window, was)| window.open != was);
        let touched = self.touched.iter().filter(|why| why.is_some()).count();
        let outcome = Outcome {
            // Who holds a slot shows also while its window is shut and beneath an arrangement.
            shows: flipped || agreements || !begun.is_empty() || touched > 0 || self.searched,
            work: self.rotation.cells.len()
                + WORK_OF_A_WINDOW * self.rotation.windows.len()
                + WORK_OF_A_TURN * (touched + begun.len())
                + self.asked
                + self.memo.take_work(),
            begun,
        };
        (outcome, self.memo)
    }

    /// Opens and shuts windows.
    fn judge_windows(&mut self) {
        for index in 0..self.rotation.windows.len() {
            let view = self
                .memo
                .view(self.rotation, index, self.dealing.calendar, self.at);
            self.rotation.windows[index].open = view.open;
        }
    }
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The cells (indices into [`Rotation::cells`]) that began an entry.
    pub begun: Vec<usize>,
    /// Whether anything that is shown of the rotation is different now: the end of an absence that fills no slot
    /// shows nowhere.
    pub shows: bool,
    /// The work it took, as far as that depends on the size of the rotation and on what happened.
    pub work: usize,
}

/// The work of looking at a window, against looking at a cell whose turn goes on.
pub(super) const WORK_OF_A_WINDOW: usize = 4;

/// The work of a turn that ends or begins, against looking at a cell whose turn goes on.
pub(super) const WORK_OF_A_TURN: usize = 20;

impl Memo {
    /// Does everything due at `at`, which must be what [`Memo::next_due`] answered.
    pub fn step(
        &mut self,
        rotation: &mut Rotation,
        dealing: DealingContext,
        at: Timestamp,
    ) -> Outcome {
        let memo = std::mem::take(self);
        let mut change = Change::with(rotation, dealing, at, WindowChange::ByClock, memo);
        let handed_over = change.everything_due();
        let (outcome, memo) = change.finished();
        *self = memo;
        Outcome {
            shows: outcome.shows || handed_over,
            ..outcome
        }
    }
}

impl Memo {
    /// Does everything due at `at` after an edit of the rotation, which was `before` until now and has not been dealt or judged
    /// since: who has left comes off, then as [`Memo::step`], then one fill.
    pub fn step_after(
        &mut self,
        rotation: &mut Rotation,
        dealing: DealingContext,
        at: Timestamp,
        before: &Rotation,
    ) -> Outcome {
        let changed = !rotation.same_as(before);
        if changed {
            // Nothing that is known of windows and rosters holds any longer.
            *self = Memo::default();
        }
        if rotation.enabled {
            // Hand-overs that the new cadences had before are none.
            rotation.stamps.judged_at = rotation.stamps.judged_at.max(just_before(at));
        }
        let concerned = !rotation.deals_like(before);
        let memo = std::mem::take(self);
        // Hours that nobody edited open and shut by the clock, and so do those of a rotation that is enabled.
        let edits_hours = before.enabled
            && rotation.windows.iter().any(|window| {
                let known = before.window(&window.id);
                known.is_none_or(|known| before.hours(known) != rotation.hours(window))
            });
        let window_change = match edits_hours {
            true => WindowChange::ByEdit,
            false => WindowChange::ByClock,
        };
        let mut change = Change::with(rotation, dealing, at, window_change, memo);
        if changed {
            change.clear_leavers();
            if change.rotation.absence_policy != before.absence_policy {
                change.follow_policy(before);
            }
        }
        let handed_over = change.rotation.enabled && change.everything_due();
        if concerned {
            change.fill(Reason::CoverageChanged);
        }
        let (outcome, memo) = change.finished();
        *self = memo;
        let entry = |cell: &Cell| {
            let mut known = before.cells.iter();
            known
                .find(|known| known.id == cell.id)
                .map(|known| &known.entry)
        };
        let cells = rotation.cells.iter().enumerate();
        let begun = cells.filter(|(_, cell)| entry(cell) != Some(&cell.entry));
        Outcome {
            begun: begun.map(|(slot, _)| slot).collect(),
            shows: outcome.shows || handed_over || changed,
            ..outcome
        }
    }
}

/// The next instant after the last judged one at which something falls due: a hand-over, a window opening or shutting, an
/// arrangement beginning or ending, a pending request expiring, a change on a partner's schedule, where a slot stands empty the
/// end of an absence and, where people hand over who go away, the beginning of an absence of somebody who holds a slot. Nothing
/// else lets an empty slot be filled, so one that cannot be filled causes no instants of its own. `None` on a disabled
/// rotation: it is frozen.
pub fn next_due(rotation: &Rotation, dealing: DealingContext) -> Option<Timestamp> {
    Memo::default().next_due(rotation, dealing)
}

/// The next due instant that no window brings about.
fn agreements_due(rotation: &Rotation, dealing: DealingContext) -> Option<Timestamp> {
    let after = rotation.stamps.judged_at;
    let vacancy =
        rotation.mode() == Mode::Auto && rotation.running().any(|cell| cell.holder.is_none());
    let back = if vacancy {
        dealing.absences.next_end(after)
    } else {
        None
    };
    let agreements = agreements(rotation).filter(|at| *at > after);
    let leaving = absent::next_leaving(rotation, dealing.absences);
    agreements.chain(back).chain(leaving).min()
}

/// When arrangements begin and end, and pending requests expire.
fn agreements(rotation: &Rotation) -> impl Iterator<Item = Timestamp> {
    let arranged = rotation.arranged.iter();
    let bounds = arranged.flat_map(|arranged| [arranged.period.from, arranged.period.until]);
    bounds.chain(rotation.pending.iter().map(Pending::expires_at))
}

#[cfg(test)]
mod tests;
