//! The open stretches that were worked out lately. They reach weeks ahead, and a window is looked at again at each instant at
//! which anything falls due in its rotation.

use super::{Hours, Openings, View};
use crate::domain::holidays::Calendar;
use jiff::Timestamp;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Windows whose stretches are kept: all of the largest grid.
const WINDOWS: usize = 32;

static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

struct Kept {
    /// Of the calendar.
    fingerprint: u64,
    hours: Hours,
    openings: Openings,
}

fn kept() -> MutexGuard<'static, Vec<Kept>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(kept: &[Kept], hours: &Hours, calendar: &Calendar) -> Option<usize> {
    let fingerprint = calendar.fingerprint();
    let same = |kept: &Kept| kept.fingerprint == fingerprint && kept.hours == *hours;
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
                // The oldest goes.
                if kept.len() >= WINDOWS {
                    kept.remove(0);
                }
                kept.push(Kept {
                    fingerprint: calendar.fingerprint(),
                    hours: hours.clone(),
                    openings: openings.clone(),
                });
            }
        }
    }
    (view, openings)
}
