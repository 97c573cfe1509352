//! Retry-After and the retry schedule.

use crate::domain::retry_schedule::{Failure, LIFE, Next, RetrySchedule, RetryState, retry_after};
use crate::domain::webhook::{AttemptResult, Outcome, SendError};
use crate::tests::{bent_text, try_out};
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

/// Dates that every format can express, including the last days of the year 9999.
fn some_date() -> impl Strategy<Value = DateTime> {
    let year = prop_oneof![4 => 1990..2110_i16, 1 => 1..10_000_i16];
    (year, 1..=12_i8, 1..=31_i8, 0..24_i8, 0..60_i8, 0..60_i8).prop_filter_map(
        "a day that is",
        |(year, month, day, hour, minute, second)| {
            Some(
                Date::new(year, month, day)
                    .ok()?
                    .at(hour, minute, second, 0),
            )
        },
    )
}

fn some_now() -> impl Strategy<Value = Timestamp> {
    let usual = 1_600_000_000_000..4_200_000_000_000_i64;
    let any = Timestamp::MIN.as_millisecond()..=Timestamp::MAX.as_millisecond();
    prop_oneof![5 => usual, 1 => any]
        .prop_map(|ms| Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX))
}

/// The seconds until a date; 0 if it is past.
fn ahead(date: DateTime, now: Timestamp) -> i64 {
    date.duration_since(Offset::UTC.to_datetime(now))
        .as_secs()
        .max(0)
}

#[test]
fn a_date_is_a_wait_in_each_of_its_forms() {
    let forms = [
        "%a, %d %b %Y %H:%M:%S GMT",
        "%a %b %e %H:%M:%S %Y",
        "%A, %d-%b-%y %H:%M:%S GMT",
    ];
    try_out(
        4_000,
        30..=100,
        (0..forms.len(), some_date(), some_now()),
        |(form, date, now)| {
            let text = date.strftime(forms[form]).to_string();
            // Formats except the last have the century.
            if form < 2 && date.year() >= 1000 {
                prop_assert_eq!(
                    retry_after(&text, now),
                    Some(ahead(date, now)),
                    "{} at {}",
                    text,
                    now
                );
            }
            let read = retry_after(&text, now);
            if form == 2 {
                let here = Offset::UTC.to_datetime(now);
                // The last year with these two digits that is at most fifty years in the future.
                let fits = |year: i16| {
                    let day = Date::new(year, date.month(), date.day()).ok()?;
                    let moved = day.to_datetime(date.time());
                    let latest = here
                        .checked_add(jiff::Span::new().years(50))
                        .unwrap_or(DateTime::MAX);
                    (moved <= latest).then_some(moved)
                };
                let years = (here.year() - 130..=here.year().saturating_add(51)).rev();
                let expected = years
                    .filter(|year| year.rem_euclid(100) == date.year().rem_euclid(100) && *year > 0)
                    .find_map(fits);
                // A leap day may be more than a century back.
                if here.year() > 200 && here.year() < 9900 {
                    prop_assert_eq!(
                        read,
                        expected.map(|at| ahead(at, now)),
                        "{} at {}",
                        text,
                        now
                    );
                }
            }
            Ok(read.is_some_and(|seconds| seconds > 0))
        },
    );
}

#[test]
fn a_wait_is_never_less_than_none() {
    let whole = prop_oneof![
        "[0-9]{1,25}",
        "(Mon|Sun), [0-3][0-9] (Nov|Feb|feb) [0-9]{4} [0-2][0-9]:[0-5][0-9]:[0-6][0-9] (GMT|UTC|[+-]0000)",
        "(Monday|X), [0-3][0-9]-(Nov|Feb)-[0-9]{2} [0-2][0-9]:[0-5][0-9]:[0-6][0-9] GMT",
        "(Mon|Sun) (Nov|Feb) [ 0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-6][0-9] [0-9]{4}",
    ];
    try_out(
        4_000,
        30..=90,
        (bent_text(whole), some_now()),
        |(text, now)| {
            let read = retry_after(&text, now);
            prop_assert!(
                read.is_none_or(|seconds| seconds >= 0),
                "{:?} is {:?}",
                text,
                read
            );
            prop_assert_eq!(retry_after(&format!("  {text}\t"), now), read);
            let digits =
                !text.trim().is_empty() && text.trim().bytes().all(|byte| byte.is_ascii_digit());
            if digits {
                let seconds = text.trim().bytes().fold(0_u128, |sum, byte| {
                    (sum * 10 + u128::from(byte - b'0')).min(i64::MAX as u128)
                });
                prop_assert_eq!(read.map(i128::from), Some(seconds as i128));
            }
            if let (Some(read), false) = (read, digits) {
                // A second later the wait is a second shorter.
                if let Ok(later) = now.checked_add(SignedDuration::from_secs(1)) {
                    let less = retry_after(&text, later);
                    let century = less.is_some_and(|less| less > read || read > less + 1);
                    prop_assert!(
                        century || less == Some((read - 1).max(0)),
                        "{} at {}: {} {:?}",
                        text,
                        now,
                        read,
                        less
                    );
                    prop_assert!(!century || text.contains('-'));
                }
            }
            Ok(read.is_some())
        },
    );
}

fn some_result() -> impl Strategy<Value = AttemptResult> {
    let error = prop::option::of(prop::sample::select(SendError::ALL.to_vec()));
    let asked = prop::option::weighted(0.3, prop_oneof![0..200_000_i64, Just(i64::MAX)]);
    (prop::option::of(300..600_u16), error, asked).prop_map(
        |(status, error, retry_after_seconds)| AttemptResult {
            outcome: Outcome::Failed,
            status,
            error,
            duration: None,
            snippet: None,
            retry_after_seconds,
        },
    )
}

/// Every delivery ends within its rounds, its tries and its week, whatever fails.
#[test]
fn every_ladder_ends() {
    let step = prop_oneof![0..120_i64, 0..=LIFE.as_secs()].prop_map(SignedDuration::from_secs);
    let retry_schedule = prop_oneof![
        Just(RetrySchedule::default()),
        prop::collection::vec(step, 0..12).prop_map(RetrySchedule::new),
    ];
    let failures = prop::collection::vec((some_result(), 0.0..=1.0_f64, 0..10_000_i64), 40);
    let made = prop_oneof![4 => 0..4_000_000_000_i64, 1 => 253_402_000_000..=253_402_207_200_i64];
    try_out(
        1_500,
        40..=100,
        (retry_schedule, failures, made),
        |(retry_schedule, failures, made)| {
            let made = Timestamp::from_second(made).unwrap_or(Timestamp::MAX);
            let expires_at = crate::domain::retry_schedule::expires_at(made);
            let (mut at, mut round, mut tries, mut attempts) = (made, 1, 1, 0);
            for (result, chance, took) in &failures {
                attempts += 1;
                prop_assert!(
                    attempts <= retry_schedule.rounds() + 2,
                    "{} attempts",
                    attempts
                );
                let ended_at = at
                    .saturating_add(SignedDuration::from_millis(*took))
                    .unwrap_or(at);
                let state = RetryState {
                    round,
                    tries,
                    expires_at,
                };
                let failure = Failure {
                    result,
                    asked_to_wait: result.retry_after_seconds.is_some(),
                    ended_at,
                };
                match retry_schedule.next(state, failure, *chance) {
                    Next::Exhausted => return Ok(round > 1),
                    Next::Again {
                        at: due,
                        round: next,
                    } => {
                        prop_assert!(due >= ended_at);
                        let wait = due.duration_since(ended_at);
                        if next == round {
                            prop_assert!(
                                round == 1 && tries <= 2 && wait <= SignedDuration::from_secs(4)
                            );
                            tries += 1;
                        } else {
                            prop_assert_eq!(next, round + 1);
                            prop_assert!(next <= retry_schedule.rounds() && due <= expires_at);
                            let asked = result.retry_after_seconds.unwrap_or(0).min(86_400);
                            prop_assert!(wait >= SignedDuration::from_secs(asked));
                            (round, tries) = (next, 1);
                        }
                        at = due;
                    }
                }
            }
            Err(TestCaseError::fail("it has no end"))
        },
    );
}
