//! Hours of a week, as minutes from Monday 00:00.

use super::Slot;
use crate::domain::coverage::{Hours, Stretch};
use crate::domain::holidays::Calendar;
use crate::domain::partner::Restriction;
use crate::domain::time::{HhMm, Interval};
use jiff::civil::Weekday;

const DAY: i64 = 24 * 60;
const WEEK: i64 = 7 * DAY;

/// Minutes of a week: intervals that neither overlap nor touch, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Week(Vec<(i64, i64)>);

impl Week {
    #[cfg(test)]
    pub(super) fn empty() -> Week {
        Week(Vec::new())
    }

    /// The hours that restrictions leave, and whether they are whole minutes.
    pub(super) fn of(restrictions: &[Restriction]) -> (Week, bool) {
        if restrictions.is_empty() {
            return (Week(vec![(0, WEEK)]), true);
        }
        let mut pieces = Vec::new();
        let mut is_exact = true;
        for one in restrictions {
            is_exact &= one.from.second() == 0 && one.length.as_secs() % 60 == 0;
            let from = i64::from(one.from.hour()) * 60 + i64::from(one.from.minute());
            let length = (one.length.as_secs() / 60).clamp(0, WEEK);
            let days: Vec<i64> = match one.day {
                Some(day) => vec![i64::from(day.to_monday_zero_offset())],
                None => (0..7).collect(),
            };
            for day in days {
                let from = day * DAY + from;
                let until = from + length;
                pieces.push((from, until.min(WEEK)));
                pieces.push((0, (until - WEEK).max(0)));
            }
        }
        (Week::merged(pieces), is_exact)
    }

    fn merged(mut pieces: Vec<(i64, i64)>) -> Week {
        pieces.retain(|(from, until)| from < until);
        pieces.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::new();
        for (from, until) in pieces {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(until),
                _ => merged.push((from, until)),
            }
        }
        Week(merged)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_whole(&self) -> bool {
        self.0 == [(0, WEEK)]
    }

    #[cfg(test)]
    pub(super) fn and(&self, other: &Week) -> Week {
        Week::merged(self.0.iter().chain(&other.0).copied().collect())
    }

    pub(super) fn without(&self, other: &Week) -> Week {
        let mut left = self.0.clone();
        for &(from, until) in &other.0 {
            let cut = |(a, b): (i64, i64)| [(a, b.min(from)), (a.max(until), b)];
            left = left
                .into_iter()
                .flat_map(cut)
                .filter(|(a, b)| a < b)
                .collect();
        }
        Week::merged(left)
    }

    /// As a window has them; none for the whole week. What goes over the end of the week is one stretch.
    pub(super) fn stretches(&self) -> Vec<Stretch> {
        let mut pieces = self.0.clone();
        if self.is_whole() {
            return Vec::new();
        }
        let wraps = pieces.len() > 1
            && pieces.first().is_some_and(|first| first.0 == 0)
            && pieces.last().is_some_and(|last| last.1 == WEEK);
        if wraps {
            let first = pieces.remove(0);
            if let Some(last) = pieces.last_mut() {
                last.1 = first.1;
            }
        }
        let stretch = |(from, until): (i64, i64)| Stretch {
            start_day: weekday(from),
            start_time: time(from),
            end_day: weekday(until),
            end_time: time(until),
        };
        pieces.into_iter().map(stretch).collect()
    }
}

fn weekday(minute: i64) -> Weekday {
    let day = i8::try_from(minute.rem_euclid(WEEK) / DAY).unwrap_or(0);
    Weekday::from_monday_zero_offset(day).unwrap_or(Weekday::Monday)
}

fn time(minute: i64) -> HhMm {
    let minute = minute.rem_euclid(DAY);
    HhMm::of(minute)
}

/// The parts of a period in which a slot's window is open.
pub(super) fn open(slot: &Slot, calendar: &Calendar, period: Interval) -> Vec<Interval> {
    let hours = Hours {
        zone: Some(slot.zone),
        coverage: slot.coverage.clone(),
        off: None,
    };
    let mut parts = Vec::new();
    let mut at = period.from;
    while at < period.until {
        let view = hours.at(calendar, at);
        let until = view
            .changes_at
            .map_or(period.until, |next| next.min(period.until));
        if view.open {
            parts.push(Interval { from: at, until });
        }
        at = until;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;
    use jiff::civil::time;

    fn restriction(day: Option<Weekday>, hour: i8, hours: i64) -> Restriction {
        Restriction {
            day,
            from: time(hour, 0, 0, 0),
            length: SignedDuration::from_hours(hours),
        }
    }

    fn shown(week: &Week) -> Vec<String> {
        let day = |day: Weekday| format!("{day:?}")[..3].to_owned();
        let row = |one: &Stretch| {
            format!(
                "{} {}..{} {}",
                day(one.start_day),
                one.start_time,
                day(one.end_day),
                one.end_time
            )
        };
        week.stretches().iter().map(row).collect()
    }

    #[test]
    fn restrictions_are_hours_of_a_week() {
        let week = |all: &[Restriction]| Week::of(all).0;
        let day = restriction(None, 8, 12);
        let weekend = restriction(Some(Weekday::Saturday), 0, 48);
        let night = restriction(Some(Weekday::Sunday), 20, 10);
        assert_eq!(shown(&week(&[])), Vec::<String>::new());
        assert_eq!(shown(&week(&[weekend])), ["Sat 00:00..Mon 00:00"]);
        assert_eq!(shown(&week(&[night])), ["Sun 20:00..Mon 06:00"]);
        assert_eq!(shown(&week(&[day]))[0], "Mon 08:00..Mon 20:00");
        assert_eq!(shown(&week(&[day])).len(), 7);
        assert_eq!(
            week(&[restriction(None, 8, 24)]),
            Week::empty().and(&week(&[]))
        );
        assert_eq!(
            shown(&week(&[]).without(&week(&[weekend]))),
            ["Mon 00:00..Sat 00:00"]
        );
        let nights = week(&[]).without(&week(&[day]));
        assert_eq!(shown(&nights)[6], "Sun 20:00..Mon 08:00");
        assert_eq!(nights.and(&week(&[day])), week(&[]));
        assert!(week(&[day]).without(&week(&[])).is_empty());
    }
}
