//! Makes absences of the body of a calendar, within bounds.

use crate::domain::personal_calendar::PersonalCalendar;
use crate::domain::recurrence::expand::{InstanceQuery, expand};
use crate::domain::recurrence::zone::Zone;
use crate::domain::recurrence::{TooMuch, Work};
use crate::domain::time::Interval;
use crate::store::{MirroredAbsence, Person};
use crate::wire::ical::reader::{self, Terms, Unreadable};
use jiff::{SignedDuration, Timestamp};

/// Occurrences that are kept of a calendar.
const MOST: usize = 5_000;

/// The work that one calendar may take, about a second of processor time.
const WORK: u64 = 20_000_000;

/// How far back and ahead absences are known.
const BACK: SignedDuration = SignedDuration::from_hours(7 * 24);
const AHEAD: SignedDuration = SignedDuration::from_hours(400 * 24);

/// The absences of a calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absences {
    /// By their beginning.
    pub list: Vec<MirroredAbsence>,
    /// Which events could not be read.
    pub error: Option<String>,
}

/// The work that one calendar may take, with room for so many bytes.
pub fn work<'a>(room: u64, may_go_on: &'a dyn Fn() -> Result<(), TooMuch>) -> Work<'a> {
    Work::watched(WORK, room, may_go_on)
}

/// The absences of a body.
///
/// # Errors
/// What is wrong with all of it, for people. It has no absences then, not those that were found so far.
pub fn read(
    body: &[u8],
    calendar: &PersonalCalendar,
    person: Option<&Person>,
    now: Timestamp,
    work: &mut Work,
) -> Result<Absences, String> {
    let zone = person.and_then(|person| person.time_zone.as_deref());
    let zone = zone.and_then(Zone::by_name).unwrap_or_else(Zone::utc);
    let email = person.and_then(|person| person.email.as_deref());
    let add = |far: SignedDuration| now.saturating_add(far).unwrap_or(now);
    let span = Interval::new(add(-BACK), add(AHEAD));
    let words = calendar.words();
    let terms = Terms {
        person: &zone,
        until: span.until,
        counts: &|about| about.counts(calendar.counts, &words, email),
    };
    let wanted = InstanceQuery {
        span,
        near: now,
        most: MOST,
    };
    let why = |error: Unreadable| error.to_string();
    let read = reader::read(body, &terms, work).map_err(why)?;
    let found = expand(&read.times, &|event| read.said[event].counts, wanted, work);
    let found = found.map_err(|end| why(end.into()))?;
    let mut absences: Vec<MirroredAbsence> = found
        .instances
        .into_iter()
        .map(|instance| MirroredAbsence {
            period: instance.period,
            reason: read.said[instance.event].summary.clone().map(String::from),
        })
        .collect();
    absences.sort();
    absences.dedup();
    let first = match read.first {
        Some(first) => first.to_string(),
        None => "it recurs in a way that takes too long".to_owned(),
    };
    Ok(Absences {
        list: absences,
        error: match read.failed + found.failed {
            0 => None,
            1 => Some(format!("1 event could not be read: {first}")),
            failed => Some(format!(
                "{failed} events could not be read; of the first: {first}"
            )),
        },
    })
}
