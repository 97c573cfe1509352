//! Reads all calendars again and again.

use super::{App, applying, fetching};
use crate::actions::outside::{Readings, Source, Which};
use crate::actions::{ActionError, Error};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::personal_calendar::PersonalCalendar;
use crate::runtime::wakeup::Wakeup;
use crate::store;
use jiff::Timestamp;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Calendars that are read at once. Each may be as large as ten megabytes.
const AT_ONCE: usize = 4;

/// What the loop's own readings are written under.
static READER: Author = Author::local(Principal::Clock, "readPersonalCalendar");

/// The calendars of all people.
pub struct CalendarSource {
    app: App,
}

impl CalendarSource {
    pub fn new(app: App) -> CalendarSource {
        CalendarSource { app }
    }

    fn read_one(&self, calendar: &PersonalCalendar) -> Result<bool, Error> {
        let reading = fetching::fetch(&self.app, calendar)?;
        let is_read = reading.is_ok();
        self.app.metrics().calendar_read(is_read);
        match applying::apply(&self.app, &READER, calendar, reading, false) {
            Ok(()) => Ok(is_read),
            Err(ActionError::Failed(error)) => Err(error),
            Err(ActionError::Refused(refusal)) => {
                log::warn!("calendar {}: not applied: {refusal:?}", calendar.id);
                Ok(false)
            }
        }
    }
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

    fn read(&self, which: Which) -> Result<Readings, Error> {
        let now = self.app.now();
        let calendars = self.app.store().read(|tx| -> Result<_, Error> {
            Ok(match which {
                Which::New => store::list_asked_calendars(tx)?,
                Which::All => store::list_all_calendars(tx)?,
                Which::Due => {
                    let mut due = store::list_due_calendars(tx, now)?;
                    let asked = store::list_asked_calendars(tx)?;
                    due.extend(asked.into_iter().filter(|one| one.reading.due_at > now));
                    due
                }
            })
        })?;
        let (next, read, failed) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let error = Mutex::new(None);
        let work = || {
            while let Some(calendar) = calendars.get(next.fetch_add(1, Ordering::Relaxed)) {
                match self.read_one(calendar) {
                    Ok(true) => read.fetch_add(1, Ordering::Relaxed),
                    Ok(false) => failed.fetch_add(1, Ordering::Relaxed),
                    Err(one) => {
                        *error.lock().unwrap_or_else(PoisonError::into_inner) = Some(one);
                        return;
                    }
                };
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..AT_ONCE.min(calendars.len()) {
                // Without another thread this one reads them all.
                let spawned = std::thread::Builder::new().name("calendars".into());
                drop(spawned.spawn_scoped(scope, work));
            }
            work();
        });
        match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(Readings {
                read: read.into_inner(),
                failed: failed.into_inner(),
            }),
        }
    }
}
