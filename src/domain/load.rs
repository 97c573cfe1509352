//! How much each person is on call: hours, and those of nights and weekends among them (rules.md 7.4).

use super::ids::UserId;
use super::time::Interval;
use super::zones::ZoneName;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::{SignedDuration, Timestamp, ToSpan};
use std::collections::BTreeMap;

/// Somebody on call for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub user: UserId,
    pub period: Interval,
    /// In which nights and weekends are judged.
    pub zone: ZoneName,
}

/// How much one person is on call in a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// All of it. Being on call in two places at once counts once.
    pub hours: SignedDuration,
    /// What of it lies after now, as planned.
    pub planned: SignedDuration,
    /// Between 22:00 and 06:00.
    pub nights: SignedDuration,
    /// On Saturdays and Sundays.
    pub weekends: SignedDuration,
}

/// What everybody in a list is on call for within a range.
pub fn loads(mut held: Vec<Held>, range: Interval, now: Timestamp) -> BTreeMap<UserId, Load> {
    held.sort_by_key(|one| (one.period.from, one.period.until));
    let mut counted: BTreeMap<UserId, Timestamp> = BTreeMap::new();
    let mut loads: BTreeMap<UserId, Load> = BTreeMap::new();
    for one in held {
        let before = counted.entry(one.user.clone()).or_insert(range.from);
        let rest = one
            .period
            .meets(range)
            .and_then(|period| period.since(*before));
        let Some(period) = rest else {
            continue;
        };
        *before = period.until;
        let load = loads.entry(one.user).or_default();
        load.hours += period.until.duration_since(period.from);
        if let Some(ahead) = period.since(now) {
            load.planned += ahead.until.duration_since(ahead.from);
        }
        load.nights += shared(period, one.zone, |date| {
            Some((
                date.at(22, 0, 0, 0),
                date.checked_add(1.day()).ok()?.at(6, 0, 0, 0),
            ))
        });
        load.weekends += shared(period, one.zone, |date| {
            let is_off = matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday);
            let next = date.checked_add(1.day()).ok().filter(|_| is_off)?;
            Some((date.at(0, 0, 0, 0), next.at(0, 0, 0, 0)))
        });
    }
    loads
}

/// How much of a period lies in stretches of local time, one at most that begins on each day.
fn shared(
    period: Interval,
    zone: ZoneName,
    stretch: impl Fn(Date) -> Option<(DateTime, DateTime)>,
) -> SignedDuration {
    let at = |local: DateTime| zone.tz().to_ambiguous_timestamp(local).compatible().ok();
    let date = |at: Timestamp| zone.tz().to_datetime(at).date();
    // The night before the first day reaches into it.
    let first = date(period.from).checked_sub(1.day()).unwrap_or(Date::MIN);
    let last = date(period.until);
    let days = first.series(1.day()).take_while(|day| *day <= last);
    let lengths = days.filter_map(|day| {
        let (from, until) = stretch(day)?;
        let stretch = Interval {
            from: at(from)?,
            until: at(until)?,
        };
        let both = period.meets(stretch)?;
        Some(both.until.duration_since(both.from))
    });
    lengths.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    fn held(user: &str, from: &str, until: &str, zone: &str) -> Held {
        Held {
            user: UserId::from(user),
            period: Interval {
                from: at(from),
                until: at(until),
            },
            zone: ZoneName::parse(zone).expect("a zone"),
        }
    }

    #[test]
    fn hours_of_nights_and_weekends() {
        let range = Interval {
            from: at("2026-01-05T00:00:00Z"),
            until: at("2026-11-01T00:00:00Z"),
        };
        let now = at("2026-01-06T00:00:00Z");
        for (held, expected) in [
            // A day and a night in the week: Monday is the fifth.
            (
                vec![held(
                    "A",
                    "2026-01-05T09:00:00Z",
                    "2026-01-06T09:00:00Z",
                    "UTC",
                )],
                "A 24 9 8 0",
            ),
            // What lies before the range does not count.
            (
                vec![held(
                    "A",
                    "2026-01-04T20:00:00Z",
                    "2026-01-05T01:00:00Z",
                    "UTC",
                )],
                "A 1 0 1 0",
            ),
            // The same hours are another night, and a weekend, elsewhere.
            (
                vec![held(
                    "A",
                    "2026-01-09T20:00:00Z",
                    "2026-01-09T23:00:00Z",
                    "Asia/Tokyo",
                )],
                "A 3 3 1 3",
            ),
            // In two places at once.
            (
                vec![
                    held("A", "2026-01-10T08:00:00Z", "2026-01-10T12:00:00Z", "UTC"),
                    held("A", "2026-01-10T10:00:00Z", "2026-01-10T14:00:00Z", "UTC"),
                    held("B", "2026-01-10T10:00:00Z", "2026-01-10T11:00:00Z", "UTC"),
                ],
                "A 6 6 0 6, B 1 1 0 1",
            ),
            // The night in which the clocks go back is an hour longer; a weekend of it too.
            (
                vec![held(
                    "A",
                    "2026-10-24T20:00:00Z",
                    "2026-10-25T05:00:00Z",
                    "Europe/Oslo",
                )],
                "A 9 9 9 9",
            ),
            // A whole week has two days of weekend and seven nights.
            (
                vec![held(
                    "A",
                    "2026-01-12T00:00:00Z",
                    "2026-01-19T00:00:00Z",
                    "UTC",
                )],
                "A 168 168 56 48",
            ),
        ] {
            let found = loads(held.clone(), range, now);
            let hours = |length: SignedDuration| length.as_secs() / 3600;
            let shown = found.iter().map(|(user, load)| {
                let parts = [load.hours, load.planned, load.nights, load.weekends].map(hours);
                let parts = parts.map(|part| part.to_string());
                format!("{user} {}", parts.join(" "))
            });
            assert_eq!(shown.collect::<Vec<_>>().join(", "), expected, "{held:?}");
        }
    }
}
