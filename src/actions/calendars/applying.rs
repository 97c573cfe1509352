//! Applies what a reading found: the absences of the calendar, and the rotations that they concern.

use super::fetching::{CalendarResponse, Reading};
use super::{App, Result, entry, pace};
use crate::actions::{absences, audit};
use crate::domain::absence::joined;
use crate::domain::audit::Author;
use crate::domain::ids::UserId;
use crate::domain::personal_calendar::PersonalCalendar;
use crate::domain::time::Interval;
use crate::store::{self, MirroredAbsence, WriteTx};
use jiff::Timestamp;

/// Applies a reading of a calendar as it was then. One that was removed or changed meanwhile is left alone. `by_somebody` notes
/// the reading in the audit log even if it changes nothing.
pub(super) fn apply(
    app: &App,
    author: &Author,
    seen: &PersonalCalendar,
    reading: Reading,
    by_somebody: bool,
) -> Result<()> {
    let (shared, seen) = (app.clone(), seen.clone());
    audit::write(app.store(), author, move |tx, author| {
        let stored = store::load_calendar(&tx.as_read(), &seen.id)?;
        let Some(mut calendar) = stored else {
            return Ok(((), None));
        };
        if calendar.reading.revision != seen.reading.revision {
            let entry = by_somebody.then(|| entry(&calendar, "read"));
            return Ok(((), entry));
        }
        let (now, pace) = (tx.now(), pace(&shared));
        let before = store::list_mirrored(&tx.as_read(), &calendar.id)?;
        let (after, said) = match reading {
            Ok(CalendarResponse::NotModified) => {
                calendar.succeeded(now, pace, None, None);
                (None, "read, not modified".to_owned())
            }
            Ok(CalendarResponse::Calendar(body)) => {
                let validators = Some((body.etag, body.last_modified));
                let absences = body.absences;
                calendar.succeeded(now, pace, validators, absences.error);
                let said = format!("read, {} absences", absences.list.len());
                (Some(absences.list), said)
            }
            Err(why) => {
                calendar.failed(now, pace, why);
                let gone = calendar.reading.is_unknown.then(Vec::new);
                (gone, "could not be read".to_owned())
            }
        };
        let after = after.filter(|after| *after != before);
        let is_noted = by_somebody || after.is_some();
        let entry = is_noted.then(|| entry(&calendar, &said));
        let Some(after) = after else {
            store::save_calendar(tx, &calendar)?;
            return Ok(((), entry));
        };
        replace(&shared, tx, author, &calendar, &after, |tx| {
            store::save_mirrored(tx, &calendar, &after)?;
            Ok(store::save_calendar(tx, &calendar)?)
        })?;
        Ok(((), entry))
    })
}

/// Lets `write` replace the absences of a calendar by `after`. Where that changes when the person is absent, the rotations that they
/// are in are judged as when a stored absence changes.
pub(super) fn replace(
    app: &App,
    tx: &mut WriteTx,
    author: &Author,
    calendar: &PersonalCalendar,
    after: &[MirroredAbsence],
    write: impl FnOnce(&mut WriteTx) -> Result<()>,
) -> Result<()> {
    let user = &calendar.user;
    let all = store::list_mirrored_of(&tx.as_read(), user, Timestamp::MIN)?;
    let periods = |own: &dyn Fn() -> Vec<Interval>, is_own: bool| {
        let others = all.iter().filter(|(id, _)| is_own || *id != calendar.id);
        let others = others.map(|(_, absence)| absence.period);
        let all = others.chain(own()).map(|period| (user.clone(), period));
        joined(all.collect::<Vec<(UserId, Interval)>>())
    };
    let before = periods(&Vec::new, true);
    let after = periods(
        &|| after.iter().map(|absence| absence.period).collect(),
        false,
    );
    match before == after {
        true => write(tx),
        false => absences::follow_person(app, tx, author, user, write),
    }
}
