//! A cache of hand-overs. A rotation needs the same ones at each of its due instants, and computing several costs little more
//! than the first one: each walk begins days earlier.

use super::Cadence;
use crate::domain::holidays::Calendar;
use jiff::Timestamp;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of cached cadences.
const CADENCES: usize = 64;

/// The maximum number of hand-overs of a cadence that are computed at once.
const MOST_AHEAD: usize = 64;

static KEPT: Mutex<Vec<CachedCadence>> = Mutex::new(Vec::new());

struct CachedCadence {
    /// The fingerprint of the calendar.
    fingerprint: u64,
    cadence: Cadence,
    known: Known,
}

/// All hand-overs after an instant, up to the last of them.
#[derive(Clone)]
struct Known {
    since: Timestamp,
    hand_overs: Vec<Timestamp>,
    /// There are no later hand-overs.
    ends: bool,
    /// How many were computed last time.
    ahead: usize,
}

impl Known {
    /// The next `n` after an instant; `None` if they are not cached.
    fn after(&self, after: Timestamp, n: usize) -> Option<&[Timestamp]> {
        if self.since > after {
            return None;
        }
        let first = self.hand_overs.partition_point(|at| *at <= after);
        let rest = &self.hand_overs[first..];
        (self.ends || rest.len() >= n).then(|| &rest[..n.min(rest.len())])
    }

    /// Computes those after an instant, more each time, because callers tend to continue.
    fn work_out(
        before: Option<Known>,
        cadence: &Cadence,
        calendar: &Calendar,
        after: Timestamp,
        n: usize,
    ) -> Known {
        let asked = before.as_ref().map_or(0, |before| 2 * before.ahead);
        let ahead = asked.min(MOST_AHEAD).max(n);
        // Cached hand-overs are kept if the new ones continue them.
        let known = before.filter(|before| before.since <= after);
        let known = known.filter(|known| known.hand_overs.last().is_some_and(|at| *at >= after));
        let (mut since, mut hand_overs) = match known {
            Some(known) => (known.since, known.hand_overs),
            None => (after, Vec::new()),
        };
        let passed = hand_overs.partition_point(|at| *at <= after);
        let spare = hand_overs.len().saturating_sub(MOST_AHEAD);
        since = (hand_overs.drain(..passed.min(spare)).next_back()).unwrap_or(since);
        let last = hand_overs.last().copied().unwrap_or(after);
        let held = hand_overs.len();
        hand_overs.extend(cadence.hand_overs(calendar, last).take(ahead));
        Known {
            since,
            ends: hand_overs.len() < held + ahead,
            hand_overs,
            ahead,
        }
    }
}

fn kept() -> MutexGuard<'static, Vec<CachedCadence>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(kept: &[CachedCadence], cadence: &Cadence, calendar: &Calendar) -> Option<usize> {
    let fingerprint = calendar.fingerprint();
    let same = |kept: &CachedCadence| kept.fingerprint == fingerprint && kept.cadence == *cadence;
    kept.iter().position(same)
}

fn look<T>(
    cadence: &Cadence,
    calendar: &Calendar,
    after: Timestamp,
    n: usize,
    read: impl Fn(&[Timestamp]) -> T,
) -> T {
    let before = {
        let kept = kept();
        let found = find(&kept, cadence, calendar).map(|index| &kept[index].known);
        if let Some(known) = found.and_then(|known| known.after(after, n)) {
            return read(known);
        }
        found.cloned()
    };
    let known = Known::work_out(before, cadence, calendar, after, n);
    let answer = read(known.after(after, n).unwrap_or_default());
    let mut kept = kept();
    match find(&kept, cadence, calendar) {
        Some(index) => kept[index].known = known,
        None => {
            // Evicts the oldest.
            if kept.len() >= CADENCES {
                kept.remove(0);
            }
            kept.push(CachedCadence {
                fingerprint: calendar.fingerprint(),
                cadence: cadence.clone(),
                known,
            });
        }
    }
    answer
}

pub(super) fn next(cadence: &Cadence, calendar: &Calendar, after: Timestamp) -> Option<Timestamp> {
    look(cadence, calendar, after, 1, |known| known.first().copied())
}

pub(super) fn upcoming(
    cadence: &Cadence,
    calendar: &Calendar,
    after: Timestamp,
    n: usize,
) -> Vec<Timestamp> {
    look(cadence, calendar, after, n, <[Timestamp]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::cadence::{Kind, Skips};
    use crate::domain::time::HhMm;
    use crate::domain::zones::ZoneName;
    use jiff::SignedDuration;

    /// In any order of calls, the cache returns the same as a new walk.
    #[test]
    fn what_is_kept_answers_as_a_new_walk_does() {
        let calendar = Calendar::embedded();
        let starts_at: Timestamp = "2030-05-06T07:00:00Z".parse().unwrap();
        let times = ["00:30", "02:30", "09:00", "17:45"];
        let times = times.map(|text| HhMm::parse(text).unwrap());
        for kind in [
            Kind::Daily {
                times: times.to_vec(),
            },
            Kind::DayOfWeek,
            Kind::DayOfMonth,
        ] {
            let cadence = Cadence {
                kind,
                zone: ZoneName::parse("Europe/Oslo").unwrap(),
                starts_at,
                period: 1,
                skips: Skips::default(),
            };
            // Forwards by a little and by a lot, backwards, far backwards, one and many at a time.
            let mut hours = vec![
                -1, 0, 1, 2, 3, 2, 30, 29, 700, 701, 5, 4000, 3999, -400, 90_000,
            ];
            hours.extend((0..400).map(|step| 12 * step));
            hours.extend((0..50).map(|step| 3000 - 60 * step));
            for (question, hour) in hours.into_iter().enumerate() {
                let (after, n) = (starts_at + SignedDuration::from_hours(hour), question % 7);
                let anew: Vec<Timestamp> = cadence.hand_overs(&calendar, after).take(n).collect();
                assert_eq!(cadence.upcoming(&calendar, after, n), anew, "{n} at {hour}");
                let next = cadence.hand_overs(&calendar, after).next();
                assert_eq!(cadence.next(&calendar, after), next, "{hour}");
                // Also exactly at one of them.
                if let Some(at) = next {
                    let then = cadence.hand_overs(&calendar, at).next();
                    assert_eq!(cadence.next(&calendar, at), then, "{at}");
                }
            }
        }
    }

    #[test]
    fn the_end_of_the_calendar_is_known_too() {
        let calendar = Calendar::embedded();
        let cadence = Cadence {
            kind: Kind::DayOfWeek,
            zone: ZoneName::utc(),
            starts_at: "9999-12-01T00:00:00Z".parse().unwrap(),
            period: 1,
            skips: Skips::default(),
        };
        let after = "9999-12-20T00:00:00Z".parse().unwrap();
        let anew: Vec<Timestamp> = cadence.hand_overs(&calendar, after).collect();
        for n in [1, 2, 9, 3] {
            let expected = &anew[..n.min(anew.len())];
            assert_eq!(cadence.upcoming(&calendar, after, n), expected, "{n}");
        }
    }
}
