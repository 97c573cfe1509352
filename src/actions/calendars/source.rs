//! Reads all calendars again and again.

use super::fetching::NotRead;
use super::in_progress::{Busy, Place};
use super::{App, applying, fetching};
use crate::actions::polling::{Readings, Source, Which};
use crate::actions::{ActionError, Error};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::ids::{PersonalCalendarId, UserId};
use crate::domain::personal_calendar::PersonalCalendar;
use crate::runtime::background::POLL;
use crate::runtime::wakeup::Wakeup;
use crate::store;
use jiff::Timestamp;
use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

/// Calendars that the loop reads at once. One place of all is left to those who ask for a reading.
const AT_ONCE: usize = super::in_progress::MOST - 1;

/// The author of the loop's own readings.
static READER: Author = Author::local(Principal::Clock, "readPersonalCalendar");

/// The calendars of all people.
pub struct CalendarSource {
    app: App,
}

/// The readings of one turn.
#[derive(Default)]
struct Turn {
    waiting: VecDeque<PersonalCalendar>,
    /// Whose calendars are being read: of one person one at a time, so that nobody's servers hold up all others.
    reading: Vec<UserId>,
    threads: usize,
    /// Whether a reading has begun.
    has_read: bool,
    done: Readings,
    error: Option<Error>,
}

impl CalendarSource {
    pub fn new(app: App) -> CalendarSource {
        CalendarSource { app }
    }

    /// The next calendar that can be read now.
    fn take(&self, turn: &Mutex<Turn>) -> Option<(PersonalCalendar, Place)> {
        let mut turn = lock(turn);
        if turn.error.is_some() || self.app.runtime().is_stopping() {
            turn.waiting.clear();
        }
        let mut at = 0;
        while let Some(calendar) = turn.waiting.get(at) {
            if turn.reading.contains(&calendar.user) {
                at += 1;
                continue;
            }
            let begun = self.app.calendar_readings().begin(&calendar.id);
            if begun.as_ref().err() == Some(&Busy::Server) {
                return None;
            }
            let calendar = turn.waiting.remove(at)?;
            // One that somebody else reads now is left to them.
            if let Ok(place) = begun {
                turn.reading.push(calendar.user.clone());
                turn.has_read = true;
                return Some((calendar, place));
            }
        }
        None
    }

    /// Reads calendars as long as one can be read now.
    fn work(&self, turn: &Mutex<Turn>) {
        let mut has_read = false;
        while let Some((calendar, place)) = self.take(turn) {
            has_read = true;
            let read = catch_unwind(AssertUnwindSafe(|| self.read_one(&calendar, place)));
            let mut turn = lock(turn);
            turn.reading.retain(|user| *user != calendar.user);
            match read {
                Ok(Ok(None)) => {}
                Ok(Ok(Some(is_read))) => turn.done = turn.done + Readings::one(is_read),
                Ok(Err(error)) => turn.error = Some(error),
                Err(_) => {
                    let what = format!("reading the calendar {}", calendar.id);
                    turn.error = Some(Error::Panicked(what));
                }
            }
        }
        let mut turn = lock(turn);
        turn.threads -= 1;
        // Not where there was nothing that could be read: the loop would look again and again.
        let is_done = turn.threads == 0 && turn.waiting.is_empty();
        let is_news = has_read || (is_done && turn.has_read);
        drop(turn);
        if is_news {
            self.wakeup().wake();
        }
    }

    /// Whether the calendar could be read; `None` where it was left for later, or was read or changed meanwhile.
    fn read_one(&self, listed: &PersonalCalendar, place: Place) -> Result<Option<bool>, Error> {
        let stored = self
            .app
            .store()
            .read(|tx| store::load_calendar(tx, &listed.id))?;
        let is_same = |one: &PersonalCalendar| one.reading.revision == listed.reading.revision;
        let Some(calendar) = stored.filter(is_same) else {
            return Ok(None);
        };
        let reading = match fetching::fetch(&self.app, &calendar, place) {
            Ok(reading) => reading,
            Err(NotRead::Failed(error)) => return Err(error),
            Err(NotRead::Busy(_) | NotRead::Unwanted) => return Ok(None),
        };
        let is_read = reading.is_ok();
        self.app.metrics().calendar_read(is_read);
        match applying::apply(&self.app, &READER, &calendar, reading, false) {
            Ok(()) => Ok(Some(is_read)),
            Err(ActionError::Failed(error)) => Err(error),
            Err(ActionError::Refused(refusal)) => {
                log::warn!("calendar {}: not applied: {refusal:?}", calendar.id);
                Ok(Some(false))
            }
        }
    }

    /// Notes those that somebody has asked for and that are not known yet, before the others. Returns how many threads may start,
    /// which it counts as started, and whether all is done.
    fn look(
        &self,
        turn: &Mutex<Turn>,
        known: &mut HashSet<(PersonalCalendarId, i64)>,
    ) -> Result<(usize, bool), Error> {
        let asked = self.app.store().read(store::list_asked_calendars)?;
        let mut turn = lock(turn);
        for calendar in asked.into_iter().rev() {
            if known.insert(key(&calendar)) {
                turn.waiting.push_front(calendar);
            }
        }
        let more = turn.waiting.len().min(AT_ONCE - turn.threads);
        turn.threads += more;
        Ok((more, turn.threads == 0))
    }
}

/// A calendar as it is before a reading or a change of what is read.
fn key(calendar: &PersonalCalendar) -> (PersonalCalendarId, i64) {
    (calendar.id.clone(), calendar.reading.revision)
}

fn lock(turn: &Mutex<Turn>) -> MutexGuard<'_, Turn> {
    turn.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Source for CalendarSource {
    fn name(&self) -> &'static str {
        "sync: calendars"
    }

    fn wakeup(&self) -> &Wakeup {
        &self.app.store().signals().calendars
    }

    fn next(&self) -> Result<Option<Timestamp>, Error> {
        self.app
            .store()
            .read(|tx| match store::list_asked_calendars(tx)?.is_empty() {
                true => store::next_calendar_due(tx),
                false => Ok(Some(Timestamp::MIN)),
            })
    }

    /// Those that somebody asks for meanwhile are read too, before the others: a reading that takes long delays none of them.
    fn read(&self, which: Which) -> Result<Readings, Error> {
        let now = self.app.now();
        let listed = self.app.store().read(|tx| match which {
            Which::New => Ok(Vec::new()),
            Which::All => store::list_all_calendars(tx),
            Which::Due => store::list_due_calendars(tx, now),
        })?;
        let mut known = listed.iter().map(key).collect();
        let turn = Mutex::new(Turn {
            waiting: listed.into(),
            ..Turn::default()
        });
        let work = || self.work(&turn);
        std::thread::scope(|scope| -> Result<(), Error> {
            loop {
                let seen = self.wakeup().generation();
                let (more, is_done) = self.look(&turn, &mut known)?;
                if is_done {
                    return Ok(());
                }
                for _ in 0..more {
                    let spawned = Builder::new().name("calendars".into());
                    // Without another thread this one reads.
                    if spawned.spawn_scoped(scope, work).is_err() {
                        work();
                    }
                }
                self.wakeup().wait(seen, POLL);
            }
        })?;
        let turn = turn.into_inner().unwrap_or_else(PoisonError::into_inner);
        turn.error.map_or(Ok(turn.done), Err)
    }
}
