//! How fast requests may follow one another (pure).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The time that a stated limit counts over, where the partner does not say otherwise.
const WINDOW: Duration = Duration::from_secs(60);

/// How long to wait after a refusal that does not say how long.
const UNTOLD: Duration = Duration::from_secs(60);

/// The longest wait that is believed.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The most requests that are remembered, so that a large limit takes no memory.
const REMEMBERED: usize = 10_000;

/// The limits that a partner stated, and the requests that count.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Half of the stated limit, and the time that it counts over.
    half: Option<(usize, Duration)>,
    /// When requests were sent, the oldest first.
    sent: VecDeque<Instant>,
    /// No request before this instant: the partner asked for it.
    held_until: Option<Instant>,
}

/// Whether a request may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Now. It has been counted.
    Now,
    /// After this long: half of the limit is used up.
    In(Duration),
    /// The partner asked not to be called for this long.
    Held(Duration),
}

impl Pace {
    /// Asks to send a request.
    pub(super) fn ask(&mut self, now: Instant) -> Turn {
        let held = self.held(now);
        if !held.is_zero() {
            return Turn::Held(held);
        }
        let (half, window) = self.half.unwrap_or((REMEMBERED, WINDOW));
        while self.sent.front().is_some_and(|at| now - *at >= window) {
            self.sent.pop_front();
        }
        if self.sent.len() >= half {
            // Room comes when the oldest of the last `half` requests leaves the window.
            let oldest = self.sent[self.sent.len() - half];
            return Turn::In((oldest + window).saturating_duration_since(now));
        }
        self.sent.push_back(now);
        Turn::Now
    }

    /// The rest of a wait that the partner asked for.
    pub(super) fn held(&self, now: Instant) -> Duration {
        self.held_until
            .map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    /// Takes note of the limit that an answer states.
    pub(super) fn note(&mut self, headers: &[(String, String)]) {
        let limit = header(headers, "ratelimit-limit")
            .or_else(|| header(headers, "x-ratelimit-limit"))
            .and_then(leading_number);
        if let Some(limit) = limit {
            let half = usize::try_from(limit / 2).unwrap_or(REMEMBERED);
            self.half = Some((half.clamp(1, REMEMBERED), WINDOW));
        }
    }

    /// Takes note of a refusal: no request for as long as it says, which is returned.
    pub(super) fn refused(
        &mut self,
        headers: &[(String, String)],
        now: Instant,
        wall: jiff::Timestamp,
    ) -> Duration {
        let wait = stated_wait(headers, wall).unwrap_or(UNTOLD).min(LONGEST);
        self.held_until = Some(now + wait);
        wait
    }
}

/// How long a refusal says to wait: the longest, if several headers say it.
fn stated_wait(headers: &[(String, String)], wall: jiff::Timestamp) -> Option<Duration> {
    let seconds = |name: &str| {
        let number = header(headers, name).and_then(leading_number);
        number.map(Duration::from_secs)
    };
    let instant = |name: &str| {
        let text = header(headers, name)?.trim();
        let parser = jiff::fmt::rfc2822::DateTimeParser::new().relaxed_weekday(true);
        let at = text
            .parse()
            .ok()
            .or_else(|| parser.parse_timestamp(text).ok())?;
        Duration::try_from(wall.duration_until(at)).ok()
    };
    [
        seconds("retry-after").or_else(|| instant("retry-after")),
        seconds("ratelimit-reset"),
        seconds("x-ratelimit-period-in-sec"),
        // An instant: a number would be one of the two that are in use, seconds left or seconds since 1970.
        instant("x-ratelimit-reset"),
    ]
    .into_iter()
    .flatten()
    .max()
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = headers.iter().find(|(given, _)| given == name);
    found.map(|(_, value)| value.as_str())
}

/// The whole number that a header consists of, or begins with as in `960, 960;w=60`.
fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let ends = rest.is_empty() || rest.starts_with([',', ';', '.']);
    digits.parse().ok().filter(|_| ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(own).collect()
    }

    #[test]
    fn half_of_a_stated_limit_is_used() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        for name in ["ratelimit-limit", "x-ratelimit-limit"] {
            let mut pace = Pace::default();
            pace.note(&headers(&[(name, "5")]));
            assert_eq!(pace.ask(at(0)), Turn::Now);
            assert_eq!(pace.ask(at(10)), Turn::Now);
            assert_eq!(pace.ask(at(20)), Turn::In(Duration::from_secs(40)));
            assert_eq!(pace.ask(at(60)), Turn::Now);
            assert_eq!(pace.ask(at(60)), Turn::In(Duration::from_secs(10)));
        }
    }

    #[test]
    fn a_smaller_limit_counts_what_was_sent_before_it_was_stated() {
        let start = Instant::now();
        let mut pace = Pace::default();
        for _ in 0..10 {
            assert_eq!(pace.ask(start), Turn::Now);
        }
        pace.note(&headers(&[("ratelimit-limit", "1")]));
        assert_eq!(pace.ask(start), Turn::In(WINDOW));
        assert_eq!(pace.ask(start + WINDOW), Turn::Now);
    }

    #[test]
    fn a_refusal_is_waited_out_as_told() {
        let wall: jiff::Timestamp = "2026-11-23T10:00:00Z".parse().expect("an instant");
        for (given, seconds) in [
            (vec![("retry-after", "7")], 7),
            (vec![("retry-after", "Mon, 23 Nov 2026 10:01:30 GMT")], 90),
            (vec![("ratelimit-reset", "33")], 33),
            (vec![("x-ratelimit-period-in-sec", "12")], 12),
            (vec![("x-ratelimit-reset", "2026-11-23T10:05Z")], 300),
            (vec![("retry-after", "7"), ("ratelimit-reset", "9")], 9),
            (vec![("retry-after", "soon")], 60),
            (vec![("retry-after", "3600")], 3600),
            (vec![("retry-after", "99999999")], 86_400),
            (vec![], 60),
        ] {
            let now = Instant::now();
            let mut pace = Pace::default();
            let wait = Duration::from_secs(seconds);
            assert_eq!(pace.refused(&headers(&given), now, wall), wait, "{given:?}");
            assert_eq!(pace.ask(now), Turn::Held(wait), "{given:?}");
            assert_eq!(pace.ask(now + wait), Turn::Now, "{given:?}");
        }
    }

    #[test]
    fn limits_may_have_a_policy_behind_them() {
        for (text, number) in [
            ("960", Some(960)),
            ("960, 960;w=60", Some(960)),
            ("960;w=60", Some(960)),
            (" 12.5", Some(12)),
            ("", None),
            ("-1", None),
            ("12 requests", None),
            ("2026-11-23T10:05Z", None),
        ] {
            assert_eq!(leading_number(text), number, "{text}");
        }
    }
}
