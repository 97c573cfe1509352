//! Calendars of people (rules.md 24): add, list, change, remove, read now, and the absences of a person.

mod applying;
mod digesting;
mod fetching;
mod in_progress;
mod source;

pub(super) use in_progress::InProgress;
pub use source::CalendarSource;

use super::{ActionError, App, Result, audit, reads};
use crate::domain::absence::AppliesTo;
use crate::domain::access::{Principal, Role};
use crate::domain::audit::{AuditedChange, Author, Phrase, host, quoted};
use crate::domain::ids::{PersonalCalendarId, UserId};
use crate::domain::personal_calendar::{
    CalendarEdit, Counts, MOST_OF_A_PERSON, NewCalendar, Pace, PersonalCalendar, Reading,
};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::time::Interval;
use crate::store::{self, Person, ReadTx};
use fetching::NotRead;
use in_progress::Place;
use jiff::Timestamp;
use std::time::Duration;

/// A calendar, and how many absences it has from now on.
#[derive(Clone, Debug)]
pub struct KnownCalendar {
    pub calendar: PersonalCalendar,
    pub ahead: u64,
}

/// A calendar of a person, as a caller names it.
#[derive(Clone, Debug)]
pub struct Which {
    pub user: UserId,
    pub calendar: PersonalCalendarId,
}

/// An absence of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonAbsence {
    pub period: Interval,
    pub reason: Option<String>,
    /// `None` for a stored one.
    pub calendar: Option<PersonalCalendarId>,
}

/// The calendars of a person, the oldest first.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for somebody else's, [`Refusal::NotFound`] for a person who is not there.
pub fn list(app: &App, caller: &Principal, user: &UserId) -> Result<Vec<KnownCalendar>> {
    check(caller, user)?;
    let now = app.now();
    app.store().read(|tx| {
        present(tx, user)?;
        let calendars = store::list_calendars_of(tx, user)?;
        let known = calendars.into_iter().map(|one| known(tx, one, now));
        known.collect()
    })
}

/// Adds a calendar, which is read in the background.
///
/// # Errors
/// As [`list`]; [`Refusal::Invalid`] for an address that cannot be one, [`Refusal::TooManyCalendars`].
pub fn create(app: &App, author: &Author, new: NewCalendar) -> Result<KnownCalendar> {
    check_write(&author.principal, &new.user)?;
    // What it leads to is judged at each reading.
    let address = match app.calendar_client().url(&new.address.0) {
        Ok(url) => url.as_str().to_owned(),
        Err(error) => return Ok(invalid("url", error.why())?),
    };
    audit::write(app.store(), author, move |tx, _| {
        present(&tx.as_read(), &new.user)?;
        if store::list_calendars_of(&tx.as_read(), &new.user)?.len() >= MOST_OF_A_PERSON {
            return Err(Refusal::TooManyCalendars.into());
        }
        let now = tx.now();
        let mut calendar = PersonalCalendar {
            id: tx.mint("pcl_").into(),
            user: new.user,
            address: crate::domain::personal_calendar::SecretAddress(address),
            name: None,
            counts: Counts::default(),
            words: None,
            created_at: now,
            reading: Reading::asked_at(now),
        };
        calendar.change(new.settings);
        store::insert_calendar(tx, &calendar)?;
        let entry = entry(&calendar, "added");
        Ok((KnownCalendar { calendar, ahead: 0 }, Some(entry)))
    })
}

/// Changes the name of a calendar, and which of its events count. `agrees` refuses what the caller says of it where it is not so.
///
/// # Errors
/// As [`list`]; [`Refusal::NotFound`] for a calendar that is not there; those of `agrees`.
pub fn change(
    app: &App,
    author: &Author,
    which: &Which,
    edit: CalendarEdit,
    agrees: impl FnOnce(&KnownCalendar) -> Result<(), Refusal> + Send + 'static,
) -> Result<KnownCalendar> {
    check_write(&author.principal, &which.user)?;
    let which = which.clone();
    audit::write(app.store(), author, move |tx, _| {
        let before = known(&tx.as_read(), find(&tx.as_read(), &which)?, tx.now())?;
        agrees(&before)?;
        let before = before.calendar;
        let mut calendar = before.clone();
        calendar.change(edit);
        let changed = differences(&before, &calendar);
        store::save_calendar(tx, &calendar)?;
        let now = tx.now();
        let known = known(&tx.as_read(), calendar, now)?;
        let changed = changed.map(|changed| entry(&known.calendar, &changed));
        Ok((known, changed))
    })
}

fn differences(before: &PersonalCalendar, after: &PersonalCalendar) -> Option<String> {
    let name = |calendar: &PersonalCalendar| calendar.name.as_deref().map_or("none".into(), quoted);
    let mut parts = Vec::new();
    if before.name != after.name {
        parts.push(format!("name {} to {}", name(before), name(after)));
    }
    if before.counts != after.counts {
        let (before, after) = (before.counts.name(), after.counts.name());
        parts.push(format!("counts {before} to {after}"));
    }
    if before.words != after.words {
        parts.push("words changed".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Removes a calendar with its absences. The rotations that the person is in are judged as when a stored absence is deleted.
pub fn remove(app: &App, author: &Author, which: &Which) -> Result<()> {
    check_write(&author.principal, &which.user)?;
    let (shared, which, id) = (app.clone(), which.clone(), &which.calendar);
    let removed = audit::write(app.store(), author, move |tx, author| {
        let calendar = find(&tx.as_read(), &which)?;
        applying::replace(&shared, tx, author, &calendar, &[], |tx| {
            Ok(store::remove_calendar(tx, &calendar.id)?)
        })?;
        Ok(((), Some(entry(&calendar, "removed"))))
    });
    if removed.is_ok() {
        app.calendar_readings().end(id);
    }
    removed
}

/// How long a request waits for a reading that began by itself: longer than that of a server which answers.
const OWN_READING: Duration = Duration::from_secs(3);

/// Reads a calendar now. That it cannot be read is no error: the calendar says so.
///
/// # Errors
/// As [`change`]; [`Refusal::TooManyReadings`] while somebody else has it read, or as many others are read as may be at once.
pub fn read_now(app: &App, author: &Author, which: &Which) -> Result<KnownCalendar> {
    check_write(&author.principal, &which.user)?;
    app.store().read(|tx| find(tx, which))?;
    let readings = app.calendar_readings();
    let place = readings.begin_asked(&which.calendar, OWN_READING);
    read_in(app, author, which, place.map_err(Refusal::from)?)
}

/// Reads a calendar that was just added, unless the loop has read it meanwhile. Waits for its reading to end and for a place, and
/// leaves it to the loop where that takes longer than `patience`.
pub fn read_first(app: &App, author: &Author, which: &Which, patience: Duration) -> Result<()> {
    check_write(&author.principal, &which.user)?;
    let readings = app.calendar_readings();
    let Ok(place) = readings.begin_within(&which.calendar, patience) else {
        return Ok(());
    };
    let calendar = app.store().read(|tx| find(tx, which))?;
    if !calendar.reading.is_asked {
        return Ok(());
    }
    match read_in(app, author, which, place) {
        Ok(_) | Err(ActionError::Refused(Refusal::TooManyReadings(..))) => Ok(()),
        Err(error) => Err(error),
    }
}

fn read_in(app: &App, author: &Author, which: &Which, place: Place) -> Result<KnownCalendar> {
    // As it is now that no other reading of it runs.
    let calendar = app.store().read(|tx| find(tx, which))?;
    let reading = match fetching::fetch(app, &calendar, place) {
        Ok(reading) => reading,
        Err(NotRead::Busy(busy)) => return Err(Refusal::from(busy).into()),
        Err(NotRead::Failed(error)) => return Err(error.into()),
        Err(NotRead::Unwanted) => {
            app.store().read(|tx| find(tx, which))?;
            return Err(store::Error::Stopped.into());
        }
    };
    applying::apply(app, author, &calendar, reading, true)?;
    let now = app.now();
    app.store().read(|tx| known(tx, find(tx, which)?, now))
}

/// Whether a large reading has ended since the last call, so that memory can be returned to the system.
pub fn take_freed(app: &App) -> bool {
    app.calendar_readings().take_freed()
}

/// The absences of a person that overlap a range, by their beginning: stored ones in rotations that the caller sees, and those of
/// calendars.
pub fn absences_of(
    app: &App,
    caller: &Principal,
    user: &UserId,
    from: Option<Timestamp>,
    until: Option<Timestamp>,
) -> Result<Vec<PersonAbsence>> {
    check(caller, user)?;
    let is_private = !matches!(caller, Principal::Person { .. });
    let from = from.unwrap_or(Timestamp::MIN);
    app.store().read(|tx| {
        present(tx, user)?;
        let mut found = Vec::new();
        for absence in store::list_absences_of(tx, user, from)? {
            let is_seen = match &absence.applies_to {
                AppliesTo::AllRotations => true,
                AppliesTo::Rotation(id) => reads::visible(tx, caller, id).is_ok(),
            };
            if is_seen {
                found.push(PersonAbsence {
                    period: absence.period,
                    reason: absence.reason,
                    calendar: None,
                });
            }
        }
        for (calendar, mirrored) in store::list_mirrored_of(tx, user, from)? {
            found.push(PersonAbsence {
                period: mirrored.period,
                reason: mirrored.reason.filter(|_| !is_private),
                calendar: Some(calendar),
            });
        }
        found.retain(|absence| until.is_none_or(|until| absence.period.from < until));
        found.sort_by(|a, b| (a.period, &a.calendar).cmp(&(b.period, &b.calendar)));
        Ok(found)
    })
}

fn known(tx: &ReadTx, calendar: PersonalCalendar, now: Timestamp) -> Result<KnownCalendar> {
    let ahead = store::count_mirrored(tx, &calendar.id, now)?;
    Ok(KnownCalendar { calendar, ahead })
}

fn find(tx: &ReadTx, which: &Which) -> Result<PersonalCalendar> {
    present(tx, &which.user)?;
    let calendar = store::load_calendar(tx, &which.calendar)?;
    let calendar = calendar.filter(|calendar| calendar.user == which.user);
    Ok(calendar.ok_or(Refusal::NotFound("calendar"))?)
}

/// The person, if they are in the workspace.
fn present(tx: &ReadTx, user: &UserId) -> Result<Person> {
    let person = store::load_person(tx, user)?;
    let person = person.filter(|person| !person.is_deleted && !person.is_external);
    Ok(person.ok_or(Refusal::NotFound("user"))?)
}

/// Calendars are the person's own matter, and that of those who administer the workspace.
fn check(caller: &Principal, user: &UserId) -> Result<(), Refusal> {
    match caller {
        Principal::Person { user: me, role, .. } if me == user || *role == Role::Admin => Ok(()),
        Principal::Person { .. } => Err(Refusal::ResourceDenied(
            "only the person and workspace admins see somebody's calendars".into(),
        )),
        _ => Ok(()),
    }
}

/// A calendar counts in every rotation, so a key that is limited to some of them writes none.
fn check_write(caller: &Principal, user: &UserId) -> Result<(), Refusal> {
    check(caller, user)?;
    match caller.reach() {
        crate::domain::access::Reach::Selected(_) => Err(Refusal::ResourceDenied(
            "a key limited to some rotations cannot write calendars, which count in all of them"
                .into(),
        )),
        _ => Ok(()),
    }
}

fn entry(calendar: &PersonalCalendar, done: &str) -> AuditedChange {
    let host = host(&calendar.address.0);
    let summary = Phrase::from("calendar of ").and(&calendar.user);
    let summary = summary.and(format!(" at {host}: {done}"));
    AuditedChange::of(calendar.id.as_str(), summary)
}

/// When calendars are read on this server.
fn pace(app: &App) -> Pace {
    Pace {
        every: app.calendars_read_every(),
        is_frozen: app.clock().is_frozen(),
    }
}
