//! The length of turns as a cadence.

use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::partner::{PartnerRotation, Turn};
use crate::domain::time::HhMm;
use crate::domain::zones::ZoneName;
use jiff::SignedDuration;

/// A cadence, and what it does not say of the turns.
pub(super) struct Turns {
    pub(super) cadence: Cadence,
    /// Where the definition can mean another cadence as well. The partner's timeline says which one it is.
    pub(super) other: Option<Cadence>,
    pub(super) unsaid: Option<String>,
}

/// The hand-overs of a rotation, counted from its anchor.
pub(super) fn of(rotation: &PartnerRotation, zone: ZoneName) -> Turns {
    let cadence = |kind, zone: ZoneName, period| Cadence {
        kind,
        zone,
        starts_at: rotation.anchor,
        period,
        skips: Skips::default(),
    };
    let local = zone.tz().to_datetime(rotation.anchor).time();
    let at = i64::from(local.hour()) * 60 + i64::from(local.minute());
    let daily = |period| {
        let times = vec![HhMm::of(at)];
        cadence(Kind::Daily { times }, zone, period)
    };
    let weekly = |period| cadence(Kind::DayOfWeek, zone, period);
    let mut other = None;
    let (cadence, unsaid) = match &rotation.turn {
        Turn::Weeks(weeks) => (weekly(*weeks), None),
        Turn::Months(months) => (
            cadence(Kind::DayOfMonth, zone, *months),
            late_day(rotation, zone),
        ),
        Turn::OnDays(days) => (cadence(Kind::DaysOfWeekList(days.clone()), zone, 1), None),
        Turn::Days(days) => (daily(*days), None),
        Turn::Hours(hours) => match hourly(rotation, *hours, ZoneName::utc()) {
            Some(cadence) => {
                other = hourly(rotation, *hours, zone).filter(|local| *local != cadence);
                (cadence, None)
            }
            None => (daily((hours / 24).max(1)), Some(odd(*hours, rotation))),
        },
        Turn::ClockHours(hours) => match hourly(rotation, *hours, zone) {
            Some(cadence) => (cadence, None),
            None => (daily((hours / 24).max(1)), Some(odd(*hours, rotation))),
        },
        Turn::Seconds(seconds) => {
            let why = format!("has turns of {seconds} seconds, which are no whole hours");
            (daily((seconds / 86_400).max(1)), Some(why))
        }
        Turn::Shifts {
            rules,
            length,
            in_a_row,
        } => match (simple(rules), in_a_row) {
            (Some(rule), Some(in_a_row)) if rule.is_continuous(*length) => {
                let count = rule.interval.saturating_mul(*in_a_row);
                match rule.frequency {
                    Frequency::Weekly => (weekly(count), None),
                    Frequency::Daily => (daily(count), None),
                }
            }
            (_, None) => {
                let why = "has several people on call together in one slot".to_owned();
                (weekly(1), Some(why))
            }
            _ => {
                let why = format!(
                    "has shifts by a rule that a cadence does not have: {}",
                    rules.join(" ")
                );
                (weekly(1), Some(why))
            }
        },
    };
    Turns {
        cadence,
        other,
        unsaid,
    }
}

fn odd(hours: u32, rotation: &PartnerRotation) -> String {
    let anchor = rotation.anchor;
    format!(
        "has turns of {hours} hours, which neither divide a day nor are whole days, counted from {anchor}"
    )
}

/// What is not said of months that lack the day of the hand-over: here it is their last day.
fn late_day(rotation: &PartnerRotation, zone: ZoneName) -> Option<String> {
    let anchor = zone.tz().to_datetime(rotation.anchor);
    let day = anchor.day();
    (day > 28).then(|| {
        format!(
            "hands over on day {day} of a month, first on {}; in a shorter month that is its last day here",
            anchor.date()
        )
    })
}

/// Turns of hours that divide a day, or are whole days, by the clock of a zone. Where a partner lets hours pass, that is UTC: the
/// local time of a hand-over moves when the clocks change. Where it keeps the local times, it is the zone of the schedule.
fn hourly(rotation: &PartnerRotation, hours: u32, zone: ZoneName) -> Option<Cadence> {
    let anchor = zone.tz().to_datetime(rotation.anchor).time();
    let at = i64::from(anchor.hour()) * 60 + i64::from(anchor.minute());
    let (times, period) = if hours.is_multiple_of(24) {
        (vec![HhMm::of(at)], hours / 24)
    } else if 24 % hours == 0 {
        let step = i64::from(hours) * 60;
        let times = (0..24 / i64::from(hours)).map(|number| HhMm::of(at + number * step));
        let mut times: Vec<HhMm> = times.collect();
        times.sort();
        (times, 1)
    } else {
        return None;
    };
    Some(Cadence {
        kind: Kind::Daily { times },
        zone,
        starts_at: rotation.anchor,
        period,
        skips: Skips::default(),
    })
}

enum Frequency {
    Daily,
    Weekly,
}

/// A rule that is no more than a frequency and an interval.
struct Rule {
    frequency: Frequency,
    interval: u32,
}

impl Rule {
    /// Whether shifts follow one another without a break.
    fn is_continuous(&self, length: SignedDuration) -> bool {
        let days = match self.frequency {
            Frequency::Daily => 1,
            Frequency::Weekly => 7,
        };
        // A local day has an hour more or less twice a year.
        let expected = SignedDuration::from_hours(24 * days * i64::from(self.interval));
        (length - expected).abs() <= SignedDuration::from_hours(1)
    }
}

fn simple(rules: &[String]) -> Option<Rule> {
    let [rule] = rules else { return None };
    let mut read = Rule {
        frequency: Frequency::Daily,
        interval: 1,
    };
    for part in rule.trim_start_matches("RRULE:").split(';') {
        match part.split_once('=')? {
            ("FREQ", "DAILY") => read.frequency = Frequency::Daily,
            ("FREQ", "WEEKLY") => read.frequency = Frequency::Weekly,
            ("INTERVAL", number) => read.interval = number.parse().ok().filter(|n| *n > 0)?,
            ("WKST", _) => {}
            _ => return None,
        }
    }
    Some(read)
}
