//! Why a window is open or shut.

use super::{Step, Unrecorded};
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::coverage::Hours;
use crate::domain::duty_at::was_open;
use crate::domain::holidays::Calendar;
use crate::domain::rotation::{Cell, Entry, Reason, Rotation, Window};
use crate::domain::zones::ZoneName;
use jiff::{SignedDuration, Timestamp};

/// A stretch for which a window is open, or for which it is shut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// `None` where it is always open, and where the beginning of shut hours is not known.
    pub from: Option<Timestamp>,
    /// `None` where no end is known.
    pub until: Option<Timestamp>,
    pub zone: Option<ZoneName>,
}

/// Whether the window of a cell is open as last judged, and the step that says why. `at` is the instant asked about; that of a
/// disabled rotation is the instant since which it stands still, under the hours of then.
pub fn opening(
    rotation: &Rotation,
    cell: &Cell,
    calendar: &Calendar,
    at: Timestamp,
) -> (bool, Step) {
    let window = &rotation.windows[cell.window];
    let whole = match rotation.enabled {
        true => rotation.hours(window),
        false => rotation.hours_then(Some(window), &cell.entry),
    };
    let off = off_day(whole.off.is_some(), window, calendar, at);
    let step = match (window.open, off) {
        (true, _) => open(&whole, calendar, at),
        (false, Some(off)) => off,
        (false, None) => Step::WindowShut(Opening {
            from: None,
            until: whole.at(calendar, at).next.map(|next| next.from),
            zone: window.zone,
        }),
    };
    (window.open, step)
}

fn open(hours: &Hours, calendar: &Calendar, at: Timestamp) -> Step {
    let current = hours.at(calendar, at).current;
    Step::WindowOpen(Opening {
        from: current.map(|stretch| stretch.from),
        until: current.map(|stretch| stretch.until),
        zone: hours.zone,
    })
}

/// The opening by an entry of the record. `window` is the one of today, where it is still there.
pub fn opening_recorded(
    rotation: &Rotation,
    window: Option<&Window>,
    (entry, end): (&Entry, Option<Timestamp>),
    calendar: &Calendar,
    at: Timestamp,
) -> (bool, Vec<Step>) {
    let whole = rotation.hours_then(window, entry);
    let held = Hours {
        off: None,
        ..whole.clone()
    };
    let is_anybody = entry.user.is_some() || entry.outside.is_some();
    if is_anybody || was_open(rotation, window, entry, calendar, at) {
        // Days off may have changed since: the entry says that the hours were open.
        let hours = match whole.at(calendar, at).open {
            true => &whole,
            false => &held,
        };
        return (true, vec![open(hours, calendar, at)]);
    }
    let shut = Step::WindowShut(Opening {
        from: Some(entry.start).filter(|_| entry.reason == Reason::BusinessHoursOffline),
        until: end,
        zone: held.zone,
    });
    let by_hours = !held.at(calendar, at).open;
    let off = window.and_then(|window| off_day(rotation.skips_are_off_time, window, calendar, at));
    let steps = match off {
        _ if by_hours => vec![shut],
        Some(off) => vec![off],
        None => vec![shut, Step::NotRecorded(Unrecorded::DayOff)],
    };
    (false, steps)
}

/// The day off that shuts a window which its hours alone would open.
fn off_day(
    skips_are_off: bool,
    window: &Window,
    calendar: &Calendar,
    at: Timestamp,
) -> Option<Step> {
    let cadence = window.cadence.as_ref().filter(|_| skips_are_off)?;
    let alone = Hours {
        zone: window.zone,
        coverage: window.coverage.clone(),
        off: None,
    };
    if !alone.at(calendar, at).open {
        return None;
    }
    let date = cadence.zone.tz().to_datetime(at).date();
    let skips = cadence.effective_skips();
    let one = |country: &_| Skips {
        countries: vec![*country],
        ..skips.clone().into_owned()
    };
    let mut countries = skips.countries.iter();
    let country = countries.find(|country| one(country).skips(calendar, date))?;
    Some(Step::OffDay {
        date,
        country: *country,
        is_weekend: skips.weekends && calendar.is_weekend(*country, date),
        name: calendar.name(*country, date).map(str::to_owned),
    })
}

/// Whether a cadence has a hand-over at an instant and, if that was to be on a skipped day, when.
pub(super) fn hand_over(
    cadence: &Cadence,
    calendar: &Calendar,
    at: Timestamp,
) -> (bool, Option<Timestamp>) {
    let is_next = |cadence: &Cadence| {
        let before = at - SignedDuration::from_millis(1);
        cadence.next(calendar, before) == Some(at)
    };
    if !is_next(cadence) {
        return (false, None);
    }
    let moves = cadence.kind != Kind::Workday && cadence.skips.skip_any();
    let nominal = Cadence {
        skips: Skips::default(),
        ..cadence.clone()
    };
    if !moves || is_next(&nominal) {
        return (true, None);
    }
    let tz = cadence.zone.tz();
    let time = tz.to_datetime(at).time();
    let earliest = at - MOST_MOVED;
    let earlier = nominal.hand_overs(calendar, earliest);
    let earlier = earlier.take_while(|earlier| *earlier < at);
    let same_time = earlier.filter(|earlier| tz.to_datetime(*earlier).time() == time);
    (true, same_time.last())
}

/// How far a hand-over is looked for that skipped days have moved.
const MOST_MOVED: SignedDuration = SignedDuration::from_hours(31 * 24);
