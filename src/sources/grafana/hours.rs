//! The hours and the turns of a rhythm (pure).

use super::rhythm::{Pace, Rhythm};
use crate::domain::partner::{Restriction, Turn};
use jiff::civil::{DateTime, Time, Weekday};
use jiff::{SignedDuration, Span};

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The turns, the local time at which the first of them begins, and what is odd about them.
pub(super) fn turn(rhythm: &Rhythm) -> (Turn, DateTime, Option<String>) {
    let (step, start) = (rhythm.step, rhythm.start);
    let is_some_days = !rhythm.days.is_empty() && rhythm.days.len() < 7;
    match rhythm.pace {
        Pace::Hours => {
            let odd = is_some_days.then(|| "counts hours of some days only".to_owned());
            (Turn::ClockHours(step), start, odd)
        }
        Pace::Days if !is_some_days => (Turn::Days(step), start, None),
        Pace::Days => {
            let first = rhythm.days.iter().position(|day| *day == start.weekday());
            let first = first.unwrap_or(0);
            let count = rhythm.days.len();
            let step = usize::try_from(step).unwrap_or(1);
            let days: Vec<Weekday> = (0..count)
                .step_by(step.max(1))
                .map(|number| rhythm.days[(first + number) % count])
                .collect();
            let odd = (!count.is_multiple_of(step.max(1)) && rhythm.groups.len() > 1)
                .then(|| format!("hands over every {step} of its {count} days"));
            (Turn::OnDays(days), start, odd)
        }
        Pace::Weeks => {
            // Everybody has the days of whole weeks, so the first week may be one that is under way.
            let first = rhythm.days.first().copied().unwrap_or(start.weekday());
            let passed = i64::from(start.weekday().since(rhythm.week_start));
            let ahead = i64::from(first.since(rhythm.week_start));
            let anchor = start.saturating_add(Span::new().days(ahead - passed));
            (Turn::Weeks(step), anchor, None)
        }
        Pace::Months => (Turn::Months(step), start, None),
    }
}

/// The hours of a week, and what is odd about them. None are the whole week.
pub(super) fn restrictions(rhythm: &Rhythm) -> (Vec<Restriction>, Option<String>) {
    let (at, length) = (rhythm.start.time(), rhythm.length);
    let steps = i32::try_from(rhythm.step).unwrap_or(i32::MAX);
    let is_each_day = rhythm.days.is_empty() || rhythm.days.len() == 7;
    let hours = length.as_secs() / 3600;
    let odd = |unit: &str| {
        Some(format!(
            "takes place every {steps} {unit} for {hours} hours, which are not the hours of every week"
        ))
    };
    let daily = |at: Time| Restriction {
        day: None,
        from: at,
        length: length.min(DAY),
    };
    let on = |day: Weekday| Restriction {
        day: Some(day),
        from: at,
        length: length.min(DAY.saturating_mul(7)),
    };
    let overlaps = |period: SignedDuration| {
        let over = length.saturating_sub(period).as_secs() / 3600;
        (over > 0).then(|| format!("goes on for {over} hours into the next turn"))
    };
    match rhythm.pace {
        Pace::Days if is_each_day => {
            let period = DAY.saturating_mul(steps);
            match (length >= period, steps) {
                (true, _) => (Vec::new(), overlaps(period)),
                (false, 1) => (vec![daily(at)], None),
                (false, _) => (vec![daily(at)], odd("days")),
            }
        }
        Pace::Days => {
            let is_rolling = rhythm.groups.len() > 1;
            let odd = odd("days").filter(|_| steps > 1 && !is_rolling);
            let longer = overlaps(DAY).filter(|_| is_rolling);
            (
                rhythm.days.iter().copied().map(on).collect(),
                odd.or(longer),
            )
        }
        Pace::Weeks => {
            let days = match rhythm.days.as_slice() {
                [] => vec![rhythm.start.weekday()],
                days => days.to_vec(),
            };
            let period = DAY.saturating_mul(7).saturating_mul(steps);
            match (length >= period, steps) {
                (true, _) => (Vec::new(), overlaps(period)),
                (false, 1) => (days.into_iter().map(on).collect(), None),
                (false, _) => (days.into_iter().map(on).collect(), odd("weeks")),
            }
        }
        Pace::Hours => {
            let period = SignedDuration::from_hours(i64::from(steps));
            let in_a_day = 24_u32.checked_div(rhythm.step).unwrap_or(0);
            let divides = rhythm.step <= 24 && 24 % rhythm.step == 0;
            match (length >= period, divides) {
                (true, _) if is_each_day => (Vec::new(), overlaps(period)),
                (_, true) if is_each_day => {
                    let begin = (0..in_a_day).map(|number| {
                        let ahead = i64::from(number * rhythm.step);
                        at.wrapping_add(SignedDuration::from_hours(ahead))
                    });
                    (begin.map(daily).collect(), None)
                }
                (true, _) => {
                    let whole = |day: &Weekday| Restriction {
                        day: Some(*day),
                        from: Time::midnight(),
                        length: DAY,
                    };
                    (rhythm.days.iter().map(whole).collect(), None)
                }
                _ => (Vec::new(), odd("hours")),
            }
        }
        Pace::Months => {
            let odd = format!(
                "takes place every {steps} months for {hours} hours, and months differ in length"
            );
            (Vec::new(), Some(odd))
        }
    }
}
