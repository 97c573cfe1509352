//! Converts nominal days to ordered instants.

use super::nominal::Nominal;
use super::{Cadence, Kind, Skips};
use crate::domain::days::{self, SHUT_LIMIT};
use crate::domain::holidays::Calendar;
use jiff::Timestamp;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;

/// Local days within which instants may be out of order: a zone may skip a whole day (Samoa, 2011-12-30), and a time in a gap
/// becomes a later instant than one shortly after the gap.
const SLACK: i64 = 2;

/// The hand-overs after an instant, in order.
pub struct HandOvers<'a> {
    nominal: Nominal<'a>,
    calendar: &'a Calendar,
    /// The skips that move hand-overs. A workday cadence has no nominal day that is skipped.
    skips: Option<&'a Skips>,
    tz: &'static TimeZone,
    times: Vec<Time>,
    starts_at: Timestamp,
    after: Timestamp,
    /// Nominal days up to here can be before `starts_at`.
    early: i64,
    /// The next nominal day to examine.
    upcoming: Option<i64>,
    /// The last day found that hand-overs move to.
    open: i64,
    /// Found but not returned yet: a later day may still have an earlier instant.
    pending: BTreeSet<Timestamp>,
}

impl<'a> HandOvers<'a> {
    pub(super) fn new(cadence: &'a Cadence, calendar: &'a Calendar, after: Timestamp) -> Self {
        let anchor = cadence.anchor();
        let tz = cadence.zone.tz();
        let moves = cadence.kind != Kind::Workday && cadence.skips.skip_any();
        let first = days::number(anchor.date());
        let mut walk = HandOvers {
            nominal: Nominal::new(cadence, calendar, anchor),
            calendar,
            skips: moves.then_some(&cadence.skips),
            tz,
            times: cadence.times(),
            starts_at: cadence.starts_at,
            after,
            early: first + SLACK,
            upcoming: None,
            open: i64::MIN,
            pending: BTreeSet::new(),
        };
        let here = days::number(tz.to_datetime(after).date());
        let begin = walk.run_start(here - SLACK, first - SLACK);
        walk.upcoming = walk.nominal.on_or_after(begin);
        walk
    }

    /// The first day, not before `bound`, from which hand-overs can move to `day` or later.
    fn run_start(&self, day: i64, bound: i64) -> i64 {
        let lowest = bound.max(day - SHUT_LIMIT);
        let mut start = day.max(bound);
        while start > lowest && self.is_skipped(start - 1) {
            start -= 1;
        }
        start
    }

    fn is_skipped(&self, day: i64) -> bool {
        self.skips.is_some_and(|skips| {
            days::date(day).is_some_and(|date| skips.skips(self.calendar, date))
        })
    }

    /// The day to which a hand-over on `day` moves; `None` if everything is shut for years.
    fn open_from(&mut self, day: i64) -> Option<i64> {
        if self.skips.is_none() {
            return Some(day);
        }
        // All days of a run move to the same day, so each run is searched once.
        if self.open < day {
            self.open = (day..day + SHUT_LIMIT).find(|&day| !self.is_skipped(day))?;
        }
        Some(self.open)
    }

    fn instant(&self, day: i64, time: Time) -> Option<Timestamp> {
        let local = days::date(day)?.to_datetime(time);
        let instant = self.tz.to_ambiguous_timestamp(local);
        instant.compatible().ok()
    }

    /// Adds the hand-overs of one nominal day and returns the next day to examine.
    fn take_up(&mut self, day: i64) -> Option<i64> {
        let open = self.open_from(day)?;
        // There are no hand-overs after the end of the calendar.
        days::date(open)?;
        for &time in &self.times {
            let exists = |at| at >= self.starts_at;
            if day <= self.early && !self.instant(day, time).is_some_and(exists) {
                continue;
            }
            let found = self.instant(open, time);
            self.pending.extend(found.filter(|&at| at > self.after));
        }
        // Other nominal days up to `open` have the same instants.
        let onward = if day <= self.early { day } else { open };
        self.nominal.on_or_after(onward + 1)
    }
}

impl Iterator for HandOvers<'_> {
    type Item = Timestamp;

    fn next(&mut self) -> Option<Timestamp> {
        loop {
            if let Some(&first) = self.pending.first() {
                let here = || days::number(self.tz.to_datetime(first).date());
                if self.upcoming.is_none_or(|day| day >= here() + SLACK) {
                    return self.pending.pop_first();
                }
            }
            let day = self.upcoming?;
            self.upcoming = self.take_up(day);
        }
    }
}
