//! The model's time: whole minutes from where it begins, by weeks from a Monday, midnight UTC.

use std::sync::Arc;

/// Minutes since the start.
pub type Minute = i64;

/// An hour in minutes.
pub const HOUR: Minute = 60;
/// A day in minutes.
pub const DAY: Minute = 24 * HOUR;
/// A week in minutes.
pub const WEEK: Minute = 7 * DAY;

/// A half-open interval: `from` is included, `until` is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub from: Minute,
    pub until: Minute,
}

impl Span {
    /// Whether it contains a minute.
    pub fn holds(self, at: Minute) -> bool {
        self.from <= at && at < self.until
    }

    /// The intersection of the two.
    pub fn meets(self, other: Span) -> Option<Span> {
        let shared = Span {
            from: self.from.max(other.from),
            until: self.until.min(other.until),
        };
        (shared.from < shared.until).then_some(shared)
    }

    /// The part from a minute on.
    pub fn rest(self, now: Minute) -> Option<Span> {
        self.meets(Span {
            from: now,
            until: Minute::MAX,
        })
    }
}

/// When a window is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hours {
    Always,
    /// Nine to five, Monday to Friday.
    Office,
    /// Eight in the evening to eight in the morning, every day.
    Nights,
    /// No two touch.
    Listed(Arc<[Span]>),
}

impl Hours {
    /// The open stretches of a week, counted from Monday; one may reach into the next week.
    pub fn stretches(&self) -> Vec<Span> {
        let daily = |days: i64, from: i64, hours: i64| {
            (0..days)
                .map(|day| Span {
                    from: day * DAY + from * HOUR,
                    until: day * DAY + (from + hours) * HOUR,
                })
                .collect()
        };
        match self {
            Hours::Always | Hours::Listed(_) => Vec::new(),
            Hours::Office => daily(5, 9, 8),
            Hours::Nights => daily(7, 20, 12),
        }
    }

    /// The stretches of the weeks around a minute.
    fn around(&self, at: Minute) -> Vec<Span> {
        if let Hours::Listed(spans) = self {
            return spans.to_vec();
        }
        let monday = at - at.rem_euclid(WEEK);
        let weeks = (-1..=2).map(|week| monday + week * WEEK);
        let stretches = weeks.flat_map(|week| {
            let later = move |open: Span| Span {
                from: week + open.from,
                until: week + open.until,
            };
            self.stretches().into_iter().map(later)
        });
        stretches.collect()
    }

    /// The open stretches that begin before a span's end and end after it begins. Two weeks of a longer one tell all of it.
    pub fn open_in(&self, span: Span) -> Vec<Span> {
        let span = Span {
            until: span.until.min(span.from.saturating_add(2 * WEEK)),
            ..span
        };
        if *self == Hours::Always {
            return vec![span];
        }
        let around = self.around(span.from).into_iter();
        around.filter_map(|open| open.meets(span)).collect()
    }

    /// Whether it is open at a minute.
    pub fn open_at(&self, at: Minute) -> bool {
        *self == Hours::Always || self.around(at).iter().any(|open| open.holds(at))
    }

    /// The first minute after another at which it opens or shuts. No two stretches touch, so every edge is one.
    pub fn next_flip(&self, after: Minute) -> Option<Minute> {
        let stretches = self.around(after).into_iter();
        let edges = stretches.flat_map(|span| [span.from, span.until]);
        edges.filter(|at| *at > after).min()
    }
}

/// The hand-overs of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cadence {
    /// Counted from `starts`.
    Counted {
        /// Times of day every so many days; empty means every so many weeks at the start time.
        times: Vec<Minute>,
        period: i64,
        starts: Minute,
    },
    Listed(Arc<[Minute]>),
}

impl Cadence {
    /// The first hand-over after a minute.
    pub fn next(&self, after: Minute) -> Minute {
        let (times, period, starts) = match self {
            Cadence::Counted {
                times,
                period,
                starts,
            } => (times, *period, *starts),
            Cadence::Listed(all) => {
                let next = all.iter().find(|at| **at > after);
                return *next.expect("a hand-over follows");
            }
        };
        let later = |at: &Minute| *at > after && *at >= starts;
        if times.is_empty() {
            let step = period * WEEK;
            let weeks = (after - starts).div_euclid(step).max(-1);
            let near = (weeks..weeks + 3).map(|n| starts + n * step);
            return near.filter(later).min().expect("a hand-over follows");
        }
        let first = starts.div_euclid(DAY);
        let day = after.div_euclid(DAY).max(first);
        let near = day..=day + 2 * period;
        near.filter(|day| (day - first) % period == 0)
            .flat_map(|day| times.iter().map(move |time| day * DAY + time))
            .filter(later)
            .min()
            .expect("a hand-over follows")
    }
}
