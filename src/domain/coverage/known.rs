//! A cache of open stretches. They reach weeks ahead, and a rotation needs the state of its windows at each of its due
//! instants.

use super::{Hours, Openings, View};
use crate::domain::holidays::Calendar;
use jiff::Timestamp;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of cached windows: all of the largest grid.
const WINDOWS: usize = 32;

static KEPT: Mutex<Vec<CachedHours>> = Mutex::new(Vec::new());

struct CachedHours {
    /// The fingerprint of the calendar.
    fingerprint: u64,
    hours: Hours,
    openings: Openings,
}

fn kept() -> MutexGuard<'static, Vec<CachedHours>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(kept: &[CachedHours], hours: &Hours, calendar: &Calendar) -> Option<usize> {
    let fingerprint = calendar.fingerprint();
    let same = |kept: &CachedHours| kept.fingerprint == fingerprint && kept.hours == *hours;
    kept.iter().position(same)
}

pub(super) fn look_at(
    hours: &Hours,
    calendar: &Calendar,
    at: Timestamp,
) -> (View, Option<Openings>) {
    {
        let kept = kept();
        let found = find(&kept, hours, calendar).map(|index| &kept[index].openings);
        if let Some((openings, view)) = found.and_then(|known| Some((known, known.known_at(at)?))) {
            return (view, Some(openings.clone()));
        }
    }
    let (view, openings) = hours.work_out(calendar, at);
    if let Some(openings) = &openings {
        let mut kept = kept();
        match find(&kept, hours, calendar) {
            Some(index) => kept[index].openings = openings.clone(),
            None => {
                // Evicts the oldest.
                if kept.len() >= WINDOWS {
                    kept.remove(0);
                }
                kept.push(CachedHours {
                    fingerprint: calendar.fingerprint(),
                    hours: hours.clone(),
                    openings: openings.clone(),
                });
            }
        }
    }
    (view, openings)
}
