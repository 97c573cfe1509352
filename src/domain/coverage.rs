//! The hours that a window covers (rules.md 4).
//!
//! Stretches that overlap or abut are one, and they are joined as local times of a week, before they become instants: so
//! no change to summer time can open a hole between two stretches that overlap. Each end becomes an instant by the one
//! rule for local times. Off days are then cut out.

mod known;
mod spans;
#[cfg(test)]
mod tests;

use super::cadence::{Cadence, Skips};
use super::days;
use super::holidays::Calendar;
use super::time::{HhMm, Interval};
use super::zones::ZoneName;
use jiff::Timestamp;
use jiff::civil::Weekday;
use std::sync::Arc;

/// A weekly stretch of covered hours (api.md, "Coverage stretch").
///
/// One that ends earlier on its own day ends the next day; one that ends on an earlier weekday ends in the next week;
/// start equal to end is the whole week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub start_day: Weekday,
    pub start_time: HhMm,
    pub end_day: Weekday,
    pub end_time: HhMm,
}

/// Days that count as shut, 00:00 to 24:00 in their zone (`skipsAreOffTime`).
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
    /// The zone of the stretches; `None` on a manual rotation, which has none.
    pub zone: Option<ZoneName>,
    /// Empty means the whole week.
    pub coverage: Vec<Stretch>,
    pub off: Option<OffDays>,
}

/// A window at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub open: bool,
    /// The open stretch that the instant lies in; `None` when shut, and when nothing ends the stretch.
    pub current: Option<Interval>,
    /// The open stretch after it, or the next one when shut. One that nothing ends is cut after about ten years.
    pub next: Option<Interval>,
    /// The first instant strictly after this one at which `open` changes; `None` when it never does.
    pub changes_at: Option<Timestamp>,
}

/// How far around the instant is looked, in weeks before and after: a little first, further only when the answer is not
/// there yet. The last one is where looking ends.
const REACHES: [i64; 5] = [1, 2, 9, 60, days::SHUT_LIMIT / 7];

impl Hours {
    /// Whether nothing ever shuts the window: no coverage is named and no day can be off.
    pub fn always_open(&self) -> bool {
        self.whole_week_by_default() && !self.has_off_days()
    }

    /// The window at that instant.
    pub fn at(&self, calendar: &Calendar, at: Timestamp) -> View {
        self.look_at(calendar, at).0
    }

    /// The window at an instant, with the open stretches around it that tell so; `None` where nothing ever shuts it, or
    /// none of the reaches tells it for sure.
    fn look_at(&self, calendar: &Calendar, at: Timestamp) -> (View, Option<Openings>) {
        if self.always_open() {
            return (ENDLESS, None);
        }
        known::look_at(self, calendar, at)
    }

    /// The same worked out anew.
    fn work_out(&self, calendar: &Calendar, at: Timestamp) -> (View, Option<Openings>) {
        let weekly = match self.zone {
            Some(zone) if !self.coverage.is_empty() => {
                let pieces = spans::weekly(&self.coverage);
                (!spans::is_whole_week(&pieces)).then_some((zone, pieces))
            }
            _ => None,
        };
        let off = self.off.as_ref().filter(|off| off.skips.skip_any());
        if weekly.is_none() && off.is_none() {
            return (ENDLESS, None);
        }
        let (mut view, mut openings) = (ENDLESS, None);
        for reach in REACHES {
            let around = spans::around(at, reach);
            let mut open = match &weekly {
                Some((zone, pieces)) => spans::instants(*zone, pieces, around),
                None => vec![around],
            };
            if let Some(off) = off {
                open = spans::without(&open, &spans::off_days(off, calendar, around));
            }
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

    fn whole_week_by_default(&self) -> bool {
        self.zone.is_none() || self.coverage.is_empty()
    }

    fn has_off_days(&self) -> bool {
        self.off.as_ref().is_some_and(|off| off.skips.skip_any())
    }
}

/// The open stretches of a window around an instant, kept for the instants that follow.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    open: Arc<[Interval]>,
    /// Where they are known; nowhere at first.
    around: Option<Interval>,
}

impl Openings {
    /// What [`Hours::at`] answers, where that is known already.
    pub fn known_at(&self, at: Timestamp) -> Option<View> {
        let around = self.around.filter(|around| around.contains(at))?;
        let (view, settled) = look(&self.open, at, around);
        settled.then_some(view)
    }

    /// The same worked out anew, and kept; `hours` and `calendar` are the same every time.
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

/// Reads the view off the open stretches `around` the instant, and whether a wider look could change it.
fn look(open: &[Interval], at: Timestamp, around: Interval) -> (View, bool) {
    let ahead = open.partition_point(|stretch| stretch.until <= at);
    let current = open.get(ahead).filter(|stretch| stretch.contains(at));
    let next = open.get(ahead + usize::from(current.is_some())).copied();
    // Off days are known up to the edge alone: a stretch beyond it may lie on one.
    let next = next.filter(|stretch| stretch.from < around.until);
    // Whatever reaches the edge of what was looked at may go on beyond it.
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
