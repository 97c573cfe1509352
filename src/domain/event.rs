//! The events that a change of a rotation publishes (rules.md 16.1).

use super::external::Who;
use super::holidays::Calendar;
use super::ids::ArrangementId;
use super::resolve;
use super::rotation::{Cell, Rotation};
use super::webhook::EventType;
use crate::domain::words::words;
use jiff::Timestamp;

/// The origin of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Something due: a hand-over, the opening or shutting of a window, the end of an absence, the start or end of an
    /// arrangement.
    Clock,
    /// Someone was put on call or taken off by hand.
    Duty,
    /// The rotation was edited: its profile, channels, coverage, rosters or members.
    Edit,
    /// An arrangement was created, changed or ended. Publishes an update if nobody else comes on call.
    Arrangement,
    /// A partner's schedule was read. Publishes an update if only what is ahead changed.
    Reading,
    /// A write without an event of its own: an absence, a pending request.
    WithoutEvent,
    /// A person's calendar was read: as [`Act::WithoutEvent`], but nobody changed who is on call by hand.
    Calendar,
}

words! {
    /// The cause of the change: `scheduled` for a hand-over, a window that opens or shuts, or cover that resumes after an
    /// edit; `manual` for a person's action.
    pub enum Cause as EventCause {
        Scheduled = "scheduled",
        Manual = "manual",
    }
}

words! {
    /// Why nobody is on call: `nobody-on-call-unplanned`, a window is open but its slot is empty;
    /// `nobody-on-call-as-arranged`, every window is shut.
    pub enum Nobody as NobodyReason {
        Unplanned = "nobody-on-call-unplanned",
        AsArranged = "nobody-on-call-as-arranged",
    }
}

impl Nobody {
    /// Why nobody is on call in a rotation. Only valid if nobody is.
    pub fn of(rotation: &Rotation) -> Nobody {
        match rotation.windows.iter().any(|window| window.open) {
            true => Nobody::Unplanned,
            false => Nobody::AsArranged,
        }
    }
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Created,
    Updated,
    Deleted,
    DutyChanged {
        /// `None` if an arrangement began or ended as scheduled.
        cause: Option<Cause>,
    },
    NobodyOnCall {
        reason: Nobody,
        /// When a window opens next; `None` if one is open or none will open.
        resumes_at: Option<Timestamp>,
    },
    Test,
}

impl Event {
    /// Its type in the API.
    pub fn kind(self) -> EventType {
        match self {
            Event::Created => EventType::RotationCreated,
            Event::Updated => EventType::RotationUpdated,
            Event::Deleted => EventType::RotationDeleted,
            Event::DutyChanged { .. } => EventType::DutyChanged,
            Event::NobodyOnCall { .. } => EventType::NobodyOnCall,
            Event::Test => EventType::WebhookTest,
        }
    }
}

/// The events of a committed change, at most one of each kind, in the order they are sent.
pub fn news(before: &Rotation, after: &Rotation, act: Act, calendar: &Calendar) -> Vec<Event> {
    if before.external.is_some() || after.external.is_some() {
        return news_from_outside(before, after, act);
    }
    let changes = changes(before, after);
    let duty_changed = changes.iter().any(Slot::changed);
    let mut news = Vec::new();
    if act == Act::Edit || (act == Act::Arrangement && !duty_changed) {
        news.push(Event::Updated);
    }
    if duty_changed {
        let cause = cause(act, &changes);
        news.push(Event::DutyChanged { cause });
    }
    if let Some(reason) = nobody(after, &changes) {
        let resumes_at = match reason {
            Nobody::Unplanned => None,
            Nobody::AsArranged => opens_next(after, calendar),
        };
        news.push(Event::NobodyOnCall { reason, resumes_at });
    }
    news
}

/// The events of a change of a rotation that follows a partner's schedule, or did or will. Somebody who is unknown here is on call
/// like anybody else.
fn news_from_outside(before: &Rotation, after: &Rotation, act: Act) -> Vec<Event> {
    let (was, is) = (who(before), who(after));
    let duty_changed = was != is;
    let ahead = act == Act::Reading && !duty_changed && differs_ahead(before, after);
    let mut news = Vec::new();
    if act == Act::Edit || ahead {
        news.push(Event::Updated);
    }
    if duty_changed {
        let cause = match act {
            Act::Clock | Act::Reading | Act::Calendar => Cause::Scheduled,
            Act::Edit | Act::WithoutEvent if was.is_empty() => Cause::Scheduled,
            _ => Cause::Manual,
        };
        news.push(Event::DutyChanged { cause: Some(cause) });
    }
    if is.is_empty() && !was.is_empty() {
        news.push(Event::NobodyOnCall {
            reason: Nobody::of(after),
            resumes_at: None,
        });
    }
    news
}

/// Whether a reading changed more than the shifts that run now: a partner cuts a long one at the end of each answer, and that it
/// is known a little further is no news.
fn differs_ahead(before: &Rotation, after: &Rotation) -> bool {
    let mut after = after.clone();
    if let (Some(is), Some(was)) = (&mut after.external, &before.external) {
        is.current.clone_from(&was.current);
    }
    !after.same_as(before)
}

/// Everybody on call, in a fixed order.
pub fn who(rotation: &Rotation) -> Vec<Who> {
    match &rotation.external {
        Some(external) => external.who(),
        None => {
            let people = resolve::everybody_on_call(rotation).into_iter();
            let mut who: Vec<Who> = people.map(Who::Here).collect();
            who.sort();
            who
        }
    }
}

/// A place in which somebody else is on call than before a change, or nobody.
#[derive(Clone, Copy, Debug)]
pub struct Move<'a> {
    /// The place, and the rotation that has it: as it is after the change, unless it is gone.
    pub place: (&'a Rotation, &'a Cell),
    pub was: Option<&'a str>,
    pub is: Option<&'a str>,
}

/// Whoever came on call or off with a change, in the order of places.
pub fn moves<'a>(before: &'a Rotation, after: &'a Rotation) -> Vec<Move<'a>> {
    let changes = changes(before, after);
    let moved = changes.iter().filter(|slot| slot.changed());
    let moved = moved.map(|slot| Move {
        place: slot.place,
        was: slot.was,
        is: slot.is,
    });
    moved.collect()
}

/// A slot before and after a change.
struct Slot<'a> {
    place: (&'a Rotation, &'a Cell),
    was: Option<&'a str>,
    is: Option<&'a str>,
    /// Whether the slot existed before.
    known: bool,
    /// Whether the slot still exists.
    kept: bool,
    /// Whether the slot still exists and its window is open.
    open: bool,
    /// Whether its window was shut before.
    was_shut: bool,
    /// Whether an arrangement over it began or ended.
    rearranged: bool,
}

impl Slot<'_> {
    fn changed(&self) -> bool {
        self.was != self.is
    }

    /// Whether the slot is open and empty, and was filled before or has just opened. A new slot counts if one with a holder
    /// vanished: an edit that replaces slots gives them new ids.
    fn left_empty(&self, somebody_vanished: bool) -> bool {
        let new = !self.known && somebody_vanished;
        self.open && self.is.is_none() && (self.was.is_some() || self.was_shut || new)
    }

    fn vanished_with_somebody(&self) -> bool {
        !self.kept && self.was.is_some()
    }
}

/// Every running slot before or after the change.
fn changes<'a>(before: &'a Rotation, after: &'a Rotation) -> Vec<Slot<'a>> {
    fn on_call<'a>(rotation: &'a Rotation, cell: &'a Cell) -> Option<&'a str> {
        resolve::on_call(rotation, cell).map(|hold| hold.user().as_str())
    }
    fn arranged<'a>(rotation: &'a Rotation, cell: &Cell) -> Option<&'a ArrangementId> {
        resolve::arranged(rotation, cell).map(|arranged| &arranged.id)
    }
    let find = |rotation: &'a Rotation, slot: usize, like: &Cell| {
        let slot = rotation.slot_near(&like.id, slot)?;
        Some(&rotation.cells[slot])
    };
    let kept = after.cells.iter().enumerate().map(|(slot, cell)| {
        let known = find(before, slot, cell);
        Slot {
            place: (after, cell),
            was: known.and_then(|known| on_call(before, known)),
            is: on_call(after, cell),
            known: known.is_some(),
            kept: true,
            open: after.windows[cell.window].open && !cell.stopped,
            was_shut: known.is_some_and(|known| !before.windows[known.window].open),
            rearranged: known.and_then(|known| arranged(before, known)) != arranged(after, cell),
        }
    });
    let gone = before
        .cells
        .iter()
        .enumerate()
        .filter(|(slot, cell)| find(after, *slot, cell).is_none());
    let gone = gone.map(|(_, cell)| Slot {
        place: (before, cell),
        was: on_call(before, cell),
        is: None,
        known: true,
        kept: false,
        open: false,
        was_shut: false,
        rearranged: false,
    });
    kept.chain(gone).collect()
}

/// The cause of a change of the people on call. Cover that resumes after an edit is `scheduled`, because it replaces nobody.
/// Scheduled changes of arrangements have no cause.
fn cause(act: Act, changes: &[Slot]) -> Option<Cause> {
    let mut changed = changes.iter().filter(|slot| slot.changed());
    match act {
        Act::Clock if changed.any(|slot| slot.rearranged) => None,
        Act::Clock | Act::Reading | Act::Calendar => Some(Cause::Scheduled),
        Act::Duty | Act::Arrangement => Some(Cause::Manual),
        Act::Edit | Act::WithoutEvent => match changed.all(|slot| slot.was.is_none()) {
            true => Some(Cause::Scheduled),
            false => Some(Cause::Manual),
        },
    }
}

/// Whether a change left nobody on call, and why. A window that shuts publishes nothing while another one is covered, as in
/// follow-the-sun rotations.
fn nobody(after: &Rotation, changes: &[Slot]) -> Option<Nobody> {
    let somebody_vanished = changes.iter().any(Slot::vanished_with_somebody);
    let left_empty = |slot: &Slot| slot.left_empty(somebody_vanished);
    if changes.iter().any(left_empty) {
        return Some(Nobody::Unplanned);
    }
    let somebody_was = changes.iter().any(|slot| slot.was.is_some());
    let somebody_is = changes.iter().any(|slot| slot.is.is_some());
    (somebody_was && !somebody_is).then(|| Nobody::of(after))
}

/// When the first of the windows opens.
fn opens_next(rotation: &Rotation, calendar: &Calendar) -> Option<Timestamp> {
    let opens = |window| {
        let hours = rotation.hours(window);
        let view = hours.at(calendar, rotation.stamps.judged_at);
        view.next.map(|stretch| stretch.from)
    };
    rotation.windows.iter().filter_map(opens).min()
}

#[cfg(test)]
mod tests;
