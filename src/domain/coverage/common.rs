//! Whether two windows are open at the same time: what decides if one person can hold a slot of each (rules.md 2.3).
//!
//! Open stretches are computed a few weeks at a time, only as far ahead as a question needs, and kept with the last answer, so
//! that a walk from instant to instant computes each stretch once.

use super::Hours;
use crate::domain::holidays::Calendar;
use crate::domain::time::Interval;
use jiff::{SignedDuration, Timestamp};

/// How far the stretches of a window are computed at once.
const AHEAD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// Times when two windows are open at once. Holds for windows whose hours stay as they are.
#[derive(Default)]
pub struct CommonHours {
    windows: Vec<Option<Ahead>>,
    /// By both windows, the lower index first.
    pairs: Vec<Option<Common>>,
    /// How many stretches were computed or looked at.
    pub work: usize,
}

/// The open stretches of a window within a span.
struct Ahead {
    hours: Hours,
    known: Interval,
    open: Vec<Interval>,
}

/// No common time lies in `since..first.from` or, where there is none, in `since..until`.
#[derive(Clone, Copy)]
struct Common {
    since: Timestamp,
    until: Timestamp,
    first: Option<Interval>,
}

impl CommonHours {
    /// Whether two windows, of so many, are open at once at some instant of a span. `hours` answers the hours of a window.
    pub fn meet(
        &mut self,
        count: usize,
        [one, other]: [usize; 2],
        hours: &dyn Fn(usize) -> Hours,
        calendar: &Calendar,
        span: Interval,
    ) -> bool {
        self.windows.resize_with(count, || None);
        self.pairs.resize(count * count, None);
        let pair = one.min(other) * count + one.max(other);
        let mut from = span.from;
        let mut known = self.pairs[pair].filter(|common| common.since <= from);
        if let Some(common) = known {
            match common.first {
                Some(first) if from < first.until => return first.from < span.until,
                Some(_) => known = None,
                None if span.until <= common.until => return false,
                // Nothing is known of what lies between.
                None if common.until < from => known = None,
                None => from = common.until,
            }
        }
        let since = known.map_or(from, |common| common.since);
        let mut first = None;
        while first.is_none() && from < span.until {
            let until = from.saturating_add(AHEAD).unwrap_or(Timestamp::MAX);
            let part = Interval::new(from, until.min(span.until));
            for window in [one, other] {
                self.look_ahead(window, hours, calendar, part);
            }
            first = self.first_common([one, other], part);
            from = part.until;
        }
        self.pairs[pair] = Some(Common {
            since,
            until: from,
            first,
        });
        first.is_some()
    }

    /// The stretches that meet a span in which one of so many windows is open, in order; those at its edges may reach beyond it.
    pub fn open(
        &mut self,
        count: usize,
        window: usize,
        hours: &dyn Fn(usize) -> Hours,
        calendar: &Calendar,
        span: Interval,
    ) -> &[Interval] {
        self.windows.resize_with(count, || None);
        self.look_ahead(window, hours, calendar, span);
        let ahead = self.windows[window].as_ref();
        let open = ahead.map_or(&[][..], |ahead| ahead.open.as_slice());
        let first = open.partition_point(|stretch| stretch.until <= span.from);
        let end = open.partition_point(|stretch| stretch.from < span.until);
        self.work += end - first;
        &open[first..end]
    }

    /// Has the open stretches of a window known within a span.
    fn look_ahead(
        &mut self,
        window: usize,
        hours: &dyn Fn(usize) -> Hours,
        calendar: &Calendar,
        span: Interval,
    ) {
        let ahead = self.windows[window].get_or_insert_with(|| Ahead {
            hours: hours(window),
            known: Interval::new(span.from, span.from),
            open: Vec::new(),
        });
        if !(ahead.known.from <= span.from && span.from <= ahead.known.until) {
            ahead.open.clear();
            ahead.known.from = span.from;
            ahead.known.until = span.from;
        }
        while ahead.known.until < span.until {
            let from = ahead.known.until;
            let until = from.saturating_add(AHEAD).unwrap_or(Timestamp::MAX);
            let more = ahead.hours.open_between(calendar, Interval { from, until });
            self.work += more.len();
            ahead.open.extend(more);
            ahead.known.until = until;
        }
    }

    fn first_common(&mut self, windows: [usize; 2], span: Interval) -> Option<Interval> {
        let open = |window: usize| {
            let ahead = self.windows[window].as_ref();
            let open = ahead.map_or(&[][..], |ahead| ahead.open.as_slice());
            &open[open.partition_point(|stretch| stretch.until <= span.from)..]
        };
        let [mut one, mut other] = windows.map(open);
        while let ([first, ..], [second, ..]) = (one, other) {
            self.work += 1;
            if let Some(common) = first.meets(*second) {
                return common.meets(span);
            }
            match first.until <= second.until {
                true => one = &one[1..],
                false => other = &other[1..],
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::hours;
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    /// Answers do not depend on what was asked before.
    #[test]
    fn questions_come_in_any_order() {
        let week = "mon 09:00 - mon 17:00,tue 09:00 - tue 17:00,wed 09:00 - wed 17:00,thu 09:00 - thu 17:00,fri 09:00 - fri 17:00";
        let all = [hours("UTC", week), hours("UTC", "")];
        let calendar = Calendar::embedded();
        let begin = at("2026-11-23T00:00:00Z");
        let hour = |hour: i64| begin + SignedDuration::from_hours(hour);
        let span = |from: i64, until: i64| Interval {
            from: hour(from),
            until: hour(until),
        };
        // Nights, with days between them; then from day to night and back.
        for order in [
            vec![span(68, 81), span(212, 225), span(177, 200)],
            vec![span(17, 33), span(41, 57), span(30, 35), span(20, 30)],
            vec![
                span(89, 105),
                span(17, 33),
                span(89, 106),
                span(0, 9),
                span(0, 500),
            ],
        ] {
            let mut kept = CommonHours::default();
            for asked in order {
                let known = |window: usize| all[window].clone();
                let meet =
                    |common: &mut CommonHours| common.meet(2, [0, 1], &known, &calendar, asked);
                let fresh = meet(&mut CommonHours::default());
                assert_eq!(meet(&mut kept), fresh, "{asked:?}");
            }
        }
    }

    #[test]
    fn windows_meet_where_both_are_open() {
        let weekdays = "mon 09:00 - mon 17:00,tue 09:00 - tue 17:00,wed 09:00 - wed 17:00,thu 09:00 - thu 17:00,fri 09:00 - fri 17:00";
        let nights = "mon 17:00 - tue 09:00,tue 17:00 - wed 09:00,wed 17:00 - thu 09:00,thu 17:00 - fri 09:00";
        for (one, other, from, until, expected) in [
            // 2026-11-23 is a Monday.
            (
                ("UTC", weekdays),
                ("UTC", ""),
                "2026-11-23T00:00:00Z",
                "2026-11-23T09:00:00Z",
                false,
            ),
            (
                ("UTC", weekdays),
                ("UTC", ""),
                "2026-11-23T00:00:00Z",
                "2026-11-23T09:00:01Z",
                true,
            ),
            (
                ("UTC", weekdays),
                ("UTC", weekdays),
                "2026-11-28T00:00:00Z",
                "2026-11-30T09:00:00Z",
                false,
            ),
            (
                ("UTC", weekdays),
                ("UTC", nights),
                "2026-11-23T00:00:00Z",
                "2027-11-23T00:00:00Z",
                false,
            ),
            // In winter London's nights are Oslo's from an hour later.
            (
                ("Europe/Oslo", weekdays),
                ("Europe/London", nights),
                "2026-11-24T00:00:00Z",
                "2026-11-24T08:00:00Z",
                false,
            ),
            (
                ("Europe/Oslo", weekdays),
                ("Europe/London", nights),
                "2026-11-24T00:00:00Z",
                "2026-11-24T08:00:01Z",
                true,
            ),
            (
                ("UTC", "sat 00:00 - mon 00:00"),
                ("UTC", "mon 00:00 - sat 00:00"),
                "2026-11-23T00:00:00Z",
                "2030-11-23T00:00:00Z",
                false,
            ),
            // Off days shut a window that has no hours of its own.
            (
                ("Europe/Oslo off=weekends:NO", ""),
                ("UTC", "sat 00:00 - mon 00:00"),
                "2026-11-28T00:00:00Z",
                "2026-12-05T00:00:00Z",
                true,
            ),
            (
                ("Europe/Oslo off=weekends:NO", ""),
                ("Europe/Oslo", "sat 00:00 - mon 00:00"),
                "2026-11-28T00:00:00Z",
                "2027-12-05T00:00:00Z",
                false,
            ),
        ] {
            let windows = [hours(one.0, one.1), hours(other.0, other.1)];
            let span = Interval {
                from: at(from),
                until: at(until),
            };
            for order in [[0, 1], [1, 0]] {
                let mut common = CommonHours::default();
                let of = |window: usize| windows[window].clone();
                let calendar = Calendar::embedded();
                let found = common.meet(2, order, &of, &calendar, span);
                assert_eq!(found, expected, "{one:?} {other:?} {from} to {until}");
            }
        }
    }

    /// Whatever was asked before, the answer is that of a first question, and of every minute.
    #[test]
    fn what_is_kept_answers_as_a_new_look_does() {
        let calendar = Calendar::embedded();
        let windows = [
            hours("UTC", "mon 08:00 - mon 20:00,sat 10:00 - sun 10:00"),
            hours("UTC", "mon 20:00 - tue 08:00,sun 09:30 - sun 11:00"),
            hours("UTC", "wed 00:00 - wed 00:30"),
            hours("UTC", ""),
        ];
        let of = |window: usize| windows[window].clone();
        let begun = at("2026-11-23T00:00:00Z");
        let minute = |minutes: i64| begun + SignedDuration::from_mins(minutes);
        let open = |window: usize, minutes: i64| of(window).at(&calendar, minute(minutes)).open;
        let mut kept = CommonHours::default();
        let mut seed: i64 = 7;
        for question in 0..600 {
            let mut roll = |most: i64| {
                seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
                seed / 65_536 % most
            };
            let pair = [roll(4) as usize, roll(4) as usize];
            // Forwards mostly, as a walk asks, and sometimes back.
            let from = question * 30 - if roll(8) == 0 { roll(4) * 720 } else { 0 };
            let until = from + 30 * roll(3 * 7 * 48);
            let span = Interval {
                from: minute(from),
                until: minute(until),
            };
            let found = kept.meet(4, pair, &of, &calendar, span);
            let anew = CommonHours::default().meet(4, pair, &of, &calendar, span);
            let mut half_hours = (from..until).step_by(30);
            let expected = half_hours.any(|at| pair.iter().all(|window| open(*window, at)));
            assert_eq!((found, anew), (expected, expected), "{pair:?} {span:?}");
        }
    }
}
