//! Retries of deliveries (rules.md 16.3).

use super::webhook::{AttemptResult, Outcome, SendError};
use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// The maximum jitter as a fraction of a step, up to [`MOST_JITTER`].
const JITTER: f64 = 0.1;
const MOST_JITTER: SignedDuration = SignedDuration::from_mins(15);

/// The longest wait that a receiver can request.
const LONGEST_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// The waits between the tries of round 1.
const QUICK_RETRIES: [SignedDuration; 2] =
    [SignedDuration::from_secs(1), SignedDuration::from_secs(4)];

/// No round begins later than this after the delivery was created.
pub const LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The last instant at which a round may begin of a delivery that was created, or sent again, at `made_at`.
pub fn expires_at(made_at: Timestamp) -> Timestamp {
    made_at.saturating_add(LIFE).unwrap_or(made_at)
}

/// The waits from each round to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetrySchedule(Vec<SignedDuration>);

impl Default for RetrySchedule {
    /// 9 rounds: at once, then +30 s, 5 m, 30 m, 2 h, 6 h, 12 h, 24 h, 24 h.
    fn default() -> RetrySchedule {
        let minutes = [5, 30, 2 * 60, 6 * 60, 12 * 60, 24 * 60, 24 * 60];
        let later = minutes.map(SignedDuration::from_mins);
        RetrySchedule(
            std::iter::once(SignedDuration::from_secs(30))
                .chain(later)
                .collect(),
        )
    }
}

/// The retry state of a delivery after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryState {
    /// The round of the attempt, from 1.
    pub round: u32,
    /// Tries in this round, including the failed attempt.
    pub tries: u32,
    /// No round begins after this instant.
    pub expires_at: Timestamp,
}

/// An attempt that did not deliver.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'a> {
    pub result: &'a AttemptResult,
    /// Whether the response had a valid Retry-After, whatever its status.
    pub asked_to_wait: bool,
    pub ended_at: Timestamp,
}

/// The step after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Another attempt, in this round.
    Again {
        at: Timestamp,
        round: u32,
    },
    Exhausted,
}

impl RetrySchedule {
    /// The steps after the first round, which is immediate.
    pub fn new(steps: Vec<SignedDuration>) -> RetrySchedule {
        RetrySchedule(steps)
    }

    /// The number of rounds.
    pub fn rounds(&self) -> u32 {
        u32::try_from(self.0.len() + 1).unwrap_or(u32::MAX)
    }

    /// The step after a failed attempt. `chance`, from 0 to 1, sets the jitter.
    pub fn next(&self, state: RetryState, failure: Failure, chance: f64) -> Next {
        let ended_at = failure.ended_at;
        if let Some(wait) = quick_retry(state, failure) {
            let at = ended_at.saturating_add(wait).unwrap_or(ended_at);
            return Next::Again {
                at,
                round: state.round,
            };
        }
        let Some(step) = self.0.get(state.round as usize - 1) else {
            return Next::Exhausted;
        };
        let asked = SignedDuration::from_secs(failure.result.retry_after_seconds.unwrap_or(0));
        let wait = jittered(*step, chance).max(asked.min(LONGEST_RETRY_AFTER));
        match ended_at.checked_add(wait) {
            Ok(at) if at <= state.expires_at => Next::Again {
                at,
                round: state.round + 1,
            },
            _ => Next::Exhausted,
        }
    }
}

/// The wait before another try within round 1: after a failure that is probably transient, unless the receiver sent a
/// Retry-After.
fn quick_retry(state: RetryState, failure: Failure) -> Option<SignedDuration> {
    let passing = match (failure.result.error, failure.result.status) {
        (Some(SendError::Connection | SendError::NameResolution), _) => true,
        (None, Some(500 | 502 | 503 | 504)) => !failure.asked_to_wait,
        _ => false,
    };
    let wait = QUICK_RETRIES.get(state.tries.checked_sub(1)? as usize)?;
    (state.round == 1 && passing).then_some(*wait)
}

fn jittered(step: SignedDuration, chance: f64) -> SignedDuration {
    let most = step.mul_f64(JITTER).min(MOST_JITTER);
    step + most.mul_f64(chance.clamp(0.0, 1.0))
}

/// Parses a Retry-After header.
///
/// Returns the requested seconds; a date in the past is 0, an invalid value is `None` (RFC 9110, section 10.2.3).
pub fn retry_after(header: &str, now: Timestamp) -> Option<i64> {
    let text = header.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that overflows still asks for a long wait.
        return Some(text.parse().unwrap_or(i64::MAX));
    }
    let wait = http_date(text, now)?.duration_since(Offset::UTC.to_datetime(now));
    Some(wait.as_secs().max(0))
}

/// Parses a date of RFC 9110, section 5.6.7, in the current form and both obsolete ones. Returns a civil date in UTC, because
/// the last days of the year 9999 are beyond any [`Timestamp`]. A wrong weekday is ignored: it is no reason not to
/// wait.
fn http_date(text: &str, now: Timestamp) -> Option<DateTime> {
    let read = |format: &str, text: &str| strtime::parse(format, text).ok();
    let zones = ["GMT", "UTC", "+0000", "-0000"];
    let Some(text) = zones.iter().find_map(|zone| text.strip_suffix(zone)) else {
        let (_weekday, text) = text.split_once(' ')?;
        return read("%b %d %H:%M:%S %Y", text.trim_start())?
            .to_datetime()
            .ok();
    };
    let (_weekday, text) = text.trim_end().split_once(", ")?;
    match read("%d %b %Y %H:%M:%S", text) {
        Some(date) => date.to_datetime().ok(),
        None => nearest(read("%d-%b-%y %H:%M:%S", text)?, now),
    }
}

/// Resolves a year of two digits: the last one that is at most 50 years in the future.
fn nearest(mut date: BrokenDownTime, now: Timestamp) -> Option<DateTime> {
    let now = Offset::UTC.to_datetime(now);
    let latest = now.checked_add(50.years()).unwrap_or(DateTime::MAX);
    let year_of_century = date.year()?.rem_euclid(100);
    let century = now.year() - now.year().rem_euclid(100);
    [100, 0, -100].into_iter().find_map(|later| {
        date.set_year(Some(century + later + year_of_century))
            .ok()?;
        date.to_datetime().ok().filter(|date| *date <= latest)
    })
}

/// The outcome for a response status.
pub fn outcome_of(status: u16) -> (Outcome, Option<SendError>) {
    match status {
        200..=299 => (Outcome::Delivered, None),
        301 | 302 | 303 | 307 | 308 => (Outcome::Failed, Some(SendError::RedirectNotFollowed)),
        _ => (Outcome::Failed, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDED: &str = "2026-03-02T09:00:00Z";

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn result(status: Option<u16>, error: Option<SendError>, asked: Option<i64>) -> AttemptResult {
        AttemptResult {
            outcome: Outcome::Failed,
            status,
            error,
            duration: None,
            snippet: None,
            retry_after_seconds: asked,
        }
    }

    /// The seconds until the next try, with its round; `None` if the retry schedule has ended.
    fn follows(round: u32, tries: u32, result: &AttemptResult, chance: f64) -> Option<(i64, u32)> {
        let state = RetryState {
            round,
            tries,
            expires_at: at(ENDED) + LIFE,
        };
        let failure = Failure {
            result,
            asked_to_wait: result.retry_after_seconds.is_some(),
            ended_at: at(ENDED),
        };
        match RetrySchedule::default().next(state, failure, chance) {
            Next::Again { at: due, round } => {
                Some((due.duration_since(at(ENDED)).as_secs(), round))
            }
            Next::Exhausted => None,
        }
    }

    /// rules.md 16.3.
    #[test]
    fn nine_rounds_and_no_more() {
        let steps = [30, 300, 1800, 7200, 21600, 43200, 86400, 86400];
        assert_eq!(RetrySchedule::default().rounds(), 9);
        let refused = result(Some(404), None, None);
        for (index, step) in steps.iter().enumerate() {
            let round = index as u32 + 1;
            assert_eq!(follows(round, 1, &refused, 0.0), Some((*step, round + 1)));
            let most = (step / 10).min(900);
            assert_eq!(
                follows(round, 1, &refused, 1.0),
                Some((step + most, round + 1))
            );
        }
        assert_eq!(follows(9, 1, &refused, 0.0), None);
    }

    #[test]
    fn round_one_tries_quickly_what_may_pass() {
        use SendError::*;
        for (status, error, quick) in [
            (None, Some(Connection), true),
            (None, Some(NameResolution), true),
            (Some(500), None, true),
            (Some(502), None, true),
            (Some(503), None, true),
            (Some(504), None, true),
            (Some(501), None, false),
            (Some(429), None, false),
            (Some(400), None, false),
            (Some(302), Some(RedirectNotFollowed), false),
            (None, Some(Timeout), false),
            (None, Some(SecureConnection), false),
            (None, Some(PrivateAddress), false),
            (None, Some(InvalidResponse), false),
            (None, Some(InvalidUrl), false),
            (None, Some(Internal), false),
        ] {
            let result = result(status, error, None);
            let parsed = format!("{status:?} {error:?}");
            let (first, second) = match quick {
                true => (Some((1, 1)), Some((4, 1))),
                false => (Some((30, 2)), Some((30, 2))),
            };
            assert_eq!(follows(1, 1, &result, 0.0), first, "{parsed}");
            assert_eq!(follows(1, 2, &result, 0.0), second, "{parsed}");
            assert_eq!(follows(1, 3, &result, 0.0), Some((30, 2)), "{parsed}");
            assert_eq!(follows(2, 1, &result, 0.0), Some((300, 3)), "{parsed}");
        }
    }

    /// rules.md 16.3.
    #[test]
    fn retry_after_only_lengthens() {
        for (round, asked, expected) in [
            (1, 0, 30),
            (1, 10, 30),
            (1, 31, 31),
            (1, 86400, 86400),
            (1, 90000, 86400),
            (1, i64::MAX, 86400),
            (2, 60, 300),
        ] {
            let result = result(Some(503), None, Some(asked));
            assert_eq!(
                follows(round, 1, &result, 0.0),
                Some((expected, round + 1)),
                "{asked}"
            );
        }
        // The step is jittered; the receiver's Retry-After is not.
        let result = result(Some(429), None, Some(100));
        assert_eq!(follows(1, 1, &result, 1.0), Some((100, 2)));
    }

    #[test]
    fn no_round_begins_after_a_week() {
        let refused = result(Some(404), None, None);
        for (left, again) in [(30_000, true), (29_999, false)] {
            let state = RetryState {
                round: 1,
                tries: 1,
                expires_at: at(ENDED) + SignedDuration::from_millis(left),
            };
            let failure = Failure {
                result: &refused,
                asked_to_wait: false,
                ended_at: at(ENDED),
            };
            let next = RetrySchedule::default().next(state, failure, 0.0);
            assert_eq!(next != Next::Exhausted, again, "{left}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        for (header, expected) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("99999999999999999999", Some(i64::MAX)),
            ("Mon, 02 Mar 2026 09:02:00 GMT", Some(120)),
            ("Sun, 02 Mar 2026 09:02:00 GMT", Some(120)),
            ("Mon, 02 Mar 2026 08:00:00 GMT", Some(0)),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("Mon, 02 Mar 2026", None),
            ("Mon, 2 Mar 2026 09:02:00 UTC", Some(120)),
            ("Mon, 02 Mar 2026 09:02:00 -0000", Some(120)),
            ("Mon, 02 Mar 2026 09:02:00 +0100", None),
            ("Mon, 02 Mar 2026 09:02:00 EST", None),
            ("Mon, 02 Mar 2026 09:02:00", None),
            ("Mon, 30 Feb 2026 09:02:00 GMT", None),
            // A date beyond all instants still asks for a long wait.
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(251_629_858_799)),
            // The format of RFC 850.
            ("Monday, 02-Mar-26 09:02:00 GMT", Some(120)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(0)),
            ("Monday, 02-Mar-76 09:00:00 GMT", Some(1_577_923_200)),
            ("Monday, 02-Mar-76 09:00:01 GMT", Some(0)),
            ("Monday, 29-Feb-00 09:00:00 GMT", Some(0)),
            ("Monday, 29-Feb-27 09:00:00 GMT", None),
            ("Monday, 02-Mar-26 09:02:00", None),
            ("Monday, 02-Mar-2026 09:02:00 GMT", None),
            // The format of asctime.
            ("Mon Mar  2 09:02:00 2026", Some(120)),
            ("Mon Mar 12 09:00:00 2026", Some(864_000)),
            ("Sun Nov  6 08:49:37 1994", Some(0)),
            ("Fri Dec 31 23:59:59 9999", Some(251_629_858_799)),
            ("Mon Mar  2 09:02:00 2026 GMT", None),
        ] {
            assert_eq!(retry_after(header, at(ENDED)), expected, "{header:?}");
        }
    }

    #[test]
    fn a_year_of_two_digits_is_the_next_century_at_its_turn() {
        let now = at("2099-12-31T23:59:59Z");
        let header = "Friday, 01-Jan-00 00:00:59 GMT";
        assert_eq!(retry_after(header, now), Some(60));
    }
}
