//! The readings of calendars that run now, and the memory that they may hold.
//!
//! The body of each counts as the largest one. What is made of a body is reserved by its length before it is read, from a part that
//! all readings share.

use crate::domain::ids::PersonalCalendarId;
use crate::domain::refusal::Refusal;
use crate::runtime::background::POLL;
use crate::runtime::clock::monotonic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Readings at once, of different calendars.
pub(super) const MOST: usize = 4;

/// The largest calendar, in bytes.
pub(super) const LARGEST: usize = 10 * MIB;

/// The memory of all readings, in bytes: their bodies, and what is made of these.
const ALL: usize = 64 * MIB;
const MADE: usize = ALL - MOST * LARGEST;

/// The limit of what one reading makes of a body, in bytes. The rest is for a small calendar beside a large one.
const MADE_BY_ONE: usize = MADE - 4 * MIB;

/// The size that any body may be made into, in bytes. The time zones of a small one are larger than it is.
const MADE_OF_ANY: usize = MIB;

/// The memory of a reading besides its result: one component of the calendar, and the instances of one event.
const WORKING: usize = 2 * MIB;

/// How long a reading waits for others to finish with theirs.
const PATIENCE: Duration = Duration::from_secs(5);

/// Seconds after which somebody who was turned away may ask again.
const RETRY_AFTER: u64 = 5;

const MIB: usize = 1024 * 1024;

/// The readings that run now. Clones share them.
#[derive(Clone, Default)]
pub(in crate::actions) struct InProgress(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    readings: Vec<Reading>,
    /// The calendars for whose reading somebody waits who asked for another one.
    waiting: Vec<PersonalCalendarId>,
    made: usize,
    /// Whether a large reading has ended since somebody asked.
    has_freed: bool,
}

struct Reading {
    of: PersonalCalendarId,
    unwanted: Arc<AtomicBool>,
    /// Whether somebody asked for it.
    is_asked: bool,
}

/// Why no reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::actions) enum Busy {
    /// The calendar is being read.
    Calendar,
    /// So many others are.
    Server,
}

/// A reading, until it is dropped.
pub(in crate::actions) struct Place {
    shared: Arc<Shared>,
    calendar: PersonalCalendarId,
    unwanted: Arc<AtomicBool>,
    made: usize,
}

impl From<Busy> for Refusal {
    fn from(busy: Busy) -> Refusal {
        let why = match busy {
            Busy::Calendar => "the calendar is being read already",
            Busy::Server => "the server is reading as many calendars as it can at once",
        };
        Refusal::TooManyReadings(why, RETRY_AFTER)
    }
}

impl InProgress {
    /// Begins a reading.
    pub(in crate::actions) fn begin(&self, calendar: &PersonalCalendarId) -> Result<Place, Busy> {
        self.0.lock().begin(&self.0, calendar, false)
    }

    /// Begins a reading that somebody asked for. Waits for one that the loop began, such as the first one of a new calendar. Only
    /// one waits for each calendar.
    pub(super) fn begin_asked(
        &self,
        calendar: &PersonalCalendarId,
        patience: Duration,
    ) -> Result<Place, Busy> {
        let mut state = self.0.lock();
        if state.waiting.contains(calendar) {
            return Err(Busy::Calendar);
        }
        state.waiting.push(calendar.clone());
        let is_read = |state: &State| state.is_read_unasked(calendar);
        let mut state = self.0.wait_while(state, patience, is_read);
        state.waiting.retain(|of| of != calendar);
        state.begin(&self.0, calendar, true)
    }

    /// Begins a reading as soon as it can, within a time.
    pub(super) fn begin_within(
        &self,
        calendar: &PersonalCalendarId,
        patience: Duration,
    ) -> Result<Place, Busy> {
        let is_busy = |state: &State| state.busy(calendar).is_some();
        let mut state = self.0.wait_while(self.0.lock(), patience, is_busy);
        state.begin(&self.0, calendar, false)
    }

    /// Whether a large reading has ended since the last call.
    pub(super) fn take_freed(&self) -> bool {
        std::mem::take(&mut self.0.lock().has_freed)
    }

    /// Has the reading of a calendar end, if there is one: the calendar is gone.
    pub(super) fn end(&self, calendar: &PersonalCalendarId) {
        for reading in &self.0.lock().readings {
            if reading.of == *calendar {
                reading.unwanted.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while something holds, within a time.
    fn wait_while<'s>(
        &self,
        state: MutexGuard<'s, State>,
        patience: Duration,
        holds: impl Fn(&State) -> bool,
    ) -> MutexGuard<'s, State> {
        let waited = self
            .changed
            .wait_timeout_while(state, patience, |state| holds(state));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>, left: Duration) -> MutexGuard<'s, State> {
        match self.changed.wait_timeout(state, left) {
            Ok((state, _)) => state,
            Err(poisoned) => poisoned.into_inner().0,
        }
    }
}

impl State {
    /// Why no reading of a calendar can begin; `None` where one can.
    fn busy(&self, calendar: &PersonalCalendarId) -> Option<Busy> {
        let mut readings = self.readings.iter();
        if readings.any(|reading| reading.of == *calendar) {
            return Some(Busy::Calendar);
        }
        (self.readings.len() >= MOST).then_some(Busy::Server)
    }

    fn is_read_unasked(&self, calendar: &PersonalCalendarId) -> bool {
        let mut readings = self.readings.iter();
        readings.any(|reading| reading.of == *calendar && !reading.is_asked)
    }

    fn begin(
        &mut self,
        shared: &Arc<Shared>,
        calendar: &PersonalCalendarId,
        is_asked: bool,
    ) -> Result<Place, Busy> {
        if let Some(busy) = self.busy(calendar) {
            return Err(busy);
        }
        let unwanted = Arc::new(AtomicBool::new(false));
        self.readings.push(Reading {
            of: calendar.clone(),
            unwanted: Arc::clone(&unwanted),
            is_asked,
        });
        Ok(Place {
            shared: Arc::clone(shared),
            calendar: calendar.clone(),
            unwanted,
            made: 0,
        })
    }
}

impl Place {
    /// Whether nobody wants the result any more.
    pub(in crate::actions) fn is_unwanted(&self) -> bool {
        self.unwanted.load(Ordering::Relaxed)
    }

    /// Reserves the memory for what is made of a body, and answers how many bytes may be kept.
    ///
    /// # Errors
    /// [`Busy`] where others hold it for too long, or the server stops.
    pub(super) fn reserve(
        &mut self,
        body: usize,
        is_stopping: impl Fn() -> bool,
    ) -> Result<u64, Busy> {
        let bytes = (WORKING + MADE_OF_ANY + 2 * body).min(MADE_BY_ONE);
        let deadline = monotonic() + PATIENCE;
        let mut state = self.shared.lock();
        while state.made + bytes > MADE {
            let left = deadline.saturating_duration_since(monotonic());
            if left.is_zero() || self.is_unwanted() || is_stopping() {
                return Err(Busy::Server);
            }
            state = self.shared.wait(state, left.min(POLL));
        }
        state.made += bytes;
        self.made += bytes;
        Ok((bytes - WORKING) as u64)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.readings.retain(|reading| reading.of != self.calendar);
        state.made -= self.made;
        state.has_freed |= self.made > WORKING + 2 * MADE_OF_ANY;
        self.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> PersonalCalendarId {
        format!("pcl_{number}").into()
    }

    #[test]
    fn one_of_a_calendar_and_so_many_of_all() {
        let readings = InProgress::default();
        let mut places: Vec<Place> = (0..MOST)
            .map(|number| readings.begin(&id(number)).expect("a place"))
            .collect();
        assert_eq!(readings.begin(&id(0)).err(), Some(Busy::Calendar));
        assert_eq!(readings.begin(&id(MOST)).err(), Some(Busy::Server));
        // The end of one makes room for another, which may wait for it.
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let patience = Duration::from_secs(60);
                readings.begin_within(&id(MOST), patience).is_ok()
            });
            drop(places.pop());
            assert!(waiting.join().unwrap());
        });
        assert!(readings.begin(&id(MOST)).is_ok());
        let at_once = readings.begin_within(&id(0), Duration::ZERO);
        assert_eq!(at_once.err(), Some(Busy::Calendar));
    }

    /// Whoever adds a calendar and asks for a reading at once waits for the one that began by itself.
    #[test]
    fn one_who_asks_waits_for_the_reading_of_the_loop() {
        let readings = InProgress::default();
        let patience = Duration::from_secs(60);
        let ask = |patience| readings.begin_asked(&id(0), patience).map(drop).err();
        let by_loop = readings.begin(&id(0)).expect("a place");
        assert_eq!(ask(Duration::ZERO), Some(Busy::Calendar));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| ask(patience));
            while readings.0.lock().waiting.is_empty() {
                std::thread::yield_now();
            }
            assert_eq!(ask(patience), Some(Busy::Calendar));
            drop(by_loop);
            assert_eq!(waiting.join().unwrap(), None);
        });
        // Nobody waits for what somebody else asked for.
        let asked = readings.begin_asked(&id(0), patience).expect("a place");
        assert_eq!(ask(patience), Some(Busy::Calendar));
        drop(asked);
        assert_eq!(ask(patience), None);
    }

    #[test]
    fn all_readings_hold_no_more_than_64_mebibytes() {
        let readings = InProgress::default();
        let place = |number| readings.begin(&id(number)).expect("a place");
        let [mut one, mut other] = [place(0), place(1)];
        // A small calendar is read beside the largest one, and a second large one after it.
        let most = one.reserve(LARGEST, || false).expect("all of it");
        assert!(most >= 18 * MIB as u64 && MOST * LARGEST + one.made <= ALL);
        let mut small = place(2);
        assert!(small.reserve(400 * 1024, || false).is_ok());
        let held = readings.0.lock().made;
        assert!(MOST * LARGEST + held <= ALL, "{held}");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| other.reserve(LARGEST, || false).is_ok());
            drop(one);
            assert!(waiting.join().unwrap());
        });
        drop((other, small));
        assert_eq!(readings.0.lock().made, 0);
    }

    #[test]
    fn a_reading_learns_that_its_calendar_is_gone() {
        let readings = InProgress::default();
        let one = readings.begin(&id(1)).expect("a place");
        let other = readings.begin(&id(2)).expect("a place");
        readings.end(&id(1));
        readings.end(&id(3));
        assert!(one.is_unwanted() && !other.is_unwanted());
    }
}
