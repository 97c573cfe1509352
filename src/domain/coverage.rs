//! The hours that a window covers (rules.md 4).
//!
//! Overlapping and adjacent stretches are merged as local times of a week, before they become instants. A change to or from
//! daylight saving time therefore never opens a gap between overlapping stretches. Each end is converted by the rule for
//! local times. Off days are then removed.

mod common;
mod known;
mod spans;
#[cfg(test)]
mod tests;

use super::cadence::{Cadence, Skips};
use super::days;
use super::holidays::Calendar;
use super::stored::{As, listed};
use super::time::{HhMm, Interval, without};
use super::zones::ZoneName;
pub use common::CommonHours;
use jiff::Timestamp;
use jiff::civil::Weekday;
use std::sync::Arc;

/// A weekly stretch of covered hours.
///
/// If it ends earlier on its own day, it ends the next day. If it ends on an earlier weekday, it ends in the next week. If the
/// start equals the end, it is the whole week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub start_day: Weekday,
    pub start_time: HhMm,
    pub end_day: Weekday,
    pub end_time: HhMm,
}

listed! {
    Stretch: |one| (As(one.start_day), one.start_time, As(one.end_day), one.end_time),
        (As(start_day), start_time, As(end_day), end_time) in (As<Weekday>, HhMm, As<Weekday>, HhMm) => Stretch {
            start_day,
            start_time,
            end_day,
            end_time,
        };
}

/// Days that count as shut, from 00:00 to 24:00 in their zone (`skipsAreOffTime`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffDays {
    pub zone: ZoneName,
    pub skips: Skips,
}

impl OffDays {
    /// The days that the cadence skips, in its zone.
    pub fn of(cadence: &Cadence) -> OffDays {
        OffDays {
            zone: cadence.zone,
            skips: cadence.effective_skips().into_owned(),
        }
    }
}

/// When a window is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hours {
    /// The zone of the stretches; `None` on a manual rotation.
    pub zone: Option<ZoneName>,
    /// Empty means the whole week.
    pub coverage: Vec<Stretch>,
    pub off: Option<OffDays>,
}

/// The state of a window at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub open: bool,
    /// The open stretch that contains the instant; `None` if the window is shut or never shuts.
    pub current: Option<Interval>,
    /// The next open stretch. One without an end is cut after about ten years.
    pub next: Option<Interval>,
    /// The first instant strictly after this one at which `open` changes; `None` if it never does.
    pub changes_at: Option<Timestamp>,
}

/// The searched weeks before and after the instant: few at first, more only if the answer is not found. The last one is the
/// limit.
const REACHES: [i64; 5] = [1, 2, 9, 60, days::SHUT_LIMIT / 7];

impl Hours {
    /// Whether the window never shuts: it has no coverage and no off days.
    pub fn always_open(&self) -> bool {
        self.whole_week_by_default() && !self.has_off_days()
    }

    /// The state of the window at an instant.
    pub fn at(&self, calendar: &Calendar, at: Timestamp) -> View {
        self.look_at(calendar, at).0
    }

    /// The state at an instant, with the open stretches around it; `None` if the window never shuts or no search reach gives a
    /// definite answer.
    fn look_at(&self, calendar: &Calendar, at: Timestamp) -> (View, Option<Openings>) {
        if self.always_open() {
            return (ENDLESS, None);
        }
        known::look_at(self, calendar, at)
    }

    /// As `look_at`, without the cache.
    fn work_out(&self, calendar: &Calendar, at: Timestamp) -> (View, Option<Openings>) {
        let weekly = self.weekly();
        if weekly.is_none() && !self.has_off_days() {
            return (ENDLESS, None);
        }
        let (mut view, mut openings) = (ENDLESS, None);
        for reach in REACHES {
            let around = spans::around(at, reach);
            let open = self.open_around(weekly.as_ref(), calendar, around);
            let settled;
            (view, settled) = look(&open, at, around);
            if settled {
                openings = Some(Openings {
                    open: open.into(),
                    around: Some(around),
                });
                break;
            }
        }
        (view, openings)
    }

    /// The stretches of a span in which the window is open, in order and within the span.
    pub fn open_between(&self, calendar: &Calendar, span: Interval) -> Vec<Interval> {
        let open = self.open_around(self.weekly().as_ref(), calendar, span);
        let within = open.into_iter().filter_map(|stretch| stretch.meets(span));
        within.collect()
    }

    /// When the last open stretch of a span ends; `None` if the window is shut throughout.
    pub fn open_until(&self, calendar: &Calendar, span: Interval) -> Option<Timestamp> {
        if self.always_open() {
            return Some(span.until);
        }
        let mut looked_at = span.until;
        for reach in REACHES {
            let from = spans::around(span.until, reach).from.max(span.from);
            let part = Interval::new(from, looked_at);
            if let Some(last) = self.open_between(calendar, part).last() {
                return Some(last.until);
            }
            if from == span.from {
                break;
            }
            looked_at = from;
        }
        None
    }

    /// The hours of a week, where they are not all of it.
    fn weekly(&self) -> Option<(ZoneName, Vec<spans::Piece>)> {
        let zone = self.zone.filter(|_| !self.coverage.is_empty())?;
        let pieces = spans::weekly(&self.coverage);
        (!spans::is_whole_week(&pieces)).then_some((zone, pieces))
    }

    /// The open stretches, at least everywhere in `around`; nothing is cut at its edges.
    fn open_around(
        &self,
        weekly: Option<&(ZoneName, Vec<spans::Piece>)>,
        calendar: &Calendar,
        around: Interval,
    ) -> Vec<Interval> {
        let open = match weekly {
            Some((zone, pieces)) => spans::instants(*zone, pieces, around),
            None => vec![around],
        };
        match self.off.as_ref().filter(|_| self.has_off_days()) {
            Some(off) => without(&open, &spans::off_days(off, calendar, around)),
            None => open,
        }
    }

    fn whole_week_by_default(&self) -> bool {
        self.zone.is_none() || self.coverage.is_empty()
    }

    fn has_off_days(&self) -> bool {
        self.off.as_ref().is_some_and(|off| off.skips.skip_any())
    }
}

/// The open stretches of a window around an instant, kept for the following instants.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    open: Arc<[Interval]>,
    /// The interval in which they are computed; `None` at first.
    around: Option<Interval>,
}

impl Openings {
    /// The result of [`Hours::at`], if it is cached.
    pub fn known_at(&self, at: Timestamp) -> Option<View> {
        let around = self.around.filter(|around| around.contains(at))?;
        let (view, settled) = look(&self.open, at, around);
        settled.then_some(view)
    }

    /// Computes and caches the result. `hours` and `calendar` must be the same in every call.
    pub fn work_out(&mut self, hours: &Hours, calendar: &Calendar, at: Timestamp) -> View {
        let (view, openings) = hours.look_at(calendar, at);
        *self = openings.unwrap_or_default();
        view
    }
}

/// Open without end.
const ENDLESS: View = View {
    open: true,
    current: None,
    next: None,
    changes_at: None,
};

/// Derives the state from the open stretches in `around`, and whether a wider search could change it.
fn look(open: &[Interval], at: Timestamp, around: Interval) -> (View, bool) {
    let ahead = open.partition_point(|stretch| stretch.until <= at);
    let current = open.get(ahead).filter(|stretch| stretch.contains(at));
    let next = open.get(ahead + usize::from(current.is_some())).copied();
    // Off days are known only up to the edge: a stretch beyond it may be on one.
    let next = next.filter(|stretch| stretch.from < around.until);
    // A stretch that reaches the edge may continue beyond it.
    let cut_ahead = |stretch: &Interval| stretch.until >= around.until;
    let next_known = next.is_some_and(|stretch| !cut_ahead(&stretch));
    match current {
        Some(now) if cut_ahead(now) => (ENDLESS, false),
        Some(now) => {
            let view = View {
                open: true,
                current: Some(*now),
                next,
                changes_at: Some(now.until),
            };
            (view, next_known && now.from > around.from)
        }
        None => {
            let view = View {
                open: false,
                current: None,
                next,
                changes_at: next.map(|stretch| stretch.from),
            };
            (view, next_known)
        }
    }
}
