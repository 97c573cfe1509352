//! Weekly stretches and off days as sorted lists of instants.

use super::{OffDays, Stretch};
use crate::domain::days;
use crate::domain::holidays::Calendar;
use crate::domain::time::{HhMm, Interval, joined};
use crate::domain::zones::ZoneName;
use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

const DAY: i64 = 24 * 60;
const WEEK: i64 = 7 * DAY;

/// Local minutes since Monday 00:00, from and until. A piece that runs into the next week ends after `WEEK`.
pub(super) type Piece = (i64, i64);

/// Converts stretches to disjoint, ordered pieces with gaps between them. Overlapping and adjacent ones are merged, also around
/// the end of the week.
pub(super) fn weekly(coverage: &[Stretch]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = coverage.iter().map(Stretch::minutes).collect();
    pieces.sort_unstable();
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for (from, until) in pieces {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(until),
            _ => joined.push((from, until)),
        }
    }
    // The last pieces continue into the first ones of the next week.
    while let [first, .., last] = joined[..] {
        if last.1 - WEEK < first.0 {
            break;
        }
        joined.remove(0);
        let end = joined.len() - 1;
        joined[end].1 = last.1.max(first.1 + WEEK);
    }
    joined
}

impl Stretch {
    /// The local minutes since Monday 00:00 that it begins and ends at. The end is after the start, and lies beyond the week
    /// where the stretch goes on in the next one.
    pub fn minutes(&self) -> (i64, i64) {
        let minute = |day: Weekday, time: HhMm| {
            let time = time.civil();
            let minutes = i64::from(time.hour()) * 60 + i64::from(time.minute());
            i64::from(day.to_monday_zero_offset()) * DAY + minutes
        };
        let from = minute(self.start_day, self.start_time);
        let until = minute(self.end_day, self.end_time);
        let until = if until > from {
            until
        } else if self.start_day == self.end_day && until < from {
            until + DAY
        } else {
            until + WEEK
        };
        (from, until)
    }
}

/// Whether the pieces cover every minute of the week.
pub(super) fn is_whole_week(pieces: &[Piece]) -> bool {
    matches!(pieces, [(from, until)] if until - from >= WEEK)
}

/// This many weeks before and after the instant, or as far as the calendar goes.
pub(super) fn around(at: Timestamp, weeks: i64) -> Interval {
    let reach = SignedDuration::from_hours(weeks * 7 * 24);
    Interval {
        from: at.checked_sub(reach).unwrap_or(Timestamp::MIN),
        until: at.checked_add(reach).unwrap_or(Timestamp::MAX),
    }
}

/// The pieces as disjoint, ordered instants with gaps between them. Complete within `around`; not clipped at its
/// edges.
pub(super) fn instants(zone: ZoneName, pieces: &[Piece], around: Interval) -> Vec<Interval> {
    let tz = zone.tz();
    let monday_of = |at: Timestamp| {
        let day = days::number(tz.to_datetime(at).date());
        day - days::weekday(day) as i64
    };
    // A piece ends at most two weeks after the Monday of its week.
    let mondays = (monday_of(around.from) - 14..=monday_of(around.until)).step_by(7);
    let mut found: Vec<Interval> = Vec::new();
    for monday in mondays {
        let instant = |minutes: i64| {
            let time = Time::constant((minutes % DAY / 60) as i8, (minutes % 60) as i8, 0, 0);
            instant(tz, monday + minutes / DAY, time)
        };
        for &(from, until) in pieces {
            if let (Some(from), Some(until)) = (instant(from), instant(until)) {
                found.push(Interval { from, until });
            }
        }
    }
    // A piece that begins in a gap and ends soon after has no length or a negative one: it is left out.
    joined(found)
}

/// The off days that overlap `around` in order, with consecutive days merged.
pub(super) fn off_days(off: &OffDays, calendar: &Calendar, around: Interval) -> Vec<Interval> {
    let tz = off.zone.tz();
    let day_of = |at: Timestamp| days::number(tz.to_datetime(at).date());
    let mut found = Vec::new();
    let mut run = None;
    // One more day at each end: a time of the previous day may be after midnight if a zone skips a day.
    for day in day_of(around.from) - 1..=day_of(around.until) + 1 {
        let is_off = days::date(day).is_some_and(|date| off.skips.skips(calendar, date));
        if is_off {
            run.get_or_insert(day);
        } else if let Some(first) = run.take() {
            found.extend(run_of_days(tz, first, day));
        }
    }
    if let Some(first) = run {
        found.extend(run_of_days(tz, first, day_of(around.until) + 2));
    }
    joined(found)
}

fn run_of_days(tz: &TimeZone, first: i64, end: i64) -> Option<Interval> {
    // A midnight without an instant is before the first or after the last one; day 0 is between them.
    let midnight = |day: i64| match instant(tz, day, Time::midnight()) {
        Some(midnight) => midnight,
        None if day < 0 => Timestamp::MIN,
        None => Timestamp::MAX,
    };
    let (from, until) = (midnight(first), midnight(end));
    // The day that Samoa skipped has no length.
    (from < until).then_some(Interval { from, until })
}

fn instant(tz: &TimeZone, day: i64, time: Time) -> Option<Timestamp> {
    let local = days::date(day)?.to_datetime(time);
    tz.to_ambiguous_timestamp(local).compatible().ok()
}
