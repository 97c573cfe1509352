//! The rhythm of a recurring shift, and shifts that share one (pure).

use super::super::Failure;
use super::parse::{GivenShift, instant};
use crate::domain::zones::ZoneName;
use jiff::civil::{Date, DateTime, Weekday, date};
use jiff::{SignedDuration, Span, Timestamp};
use std::collections::BTreeMap;

/// The unit that a rhythm counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pace {
    Hours,
    Days,
    Weeks,
    Months,
}

/// A recurring shift in its local time: groups of people who take turns.
#[derive(Clone, Debug)]
pub(super) struct Rhythm {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) level: i64,
    pub(super) zone: ZoneName,
    pub(super) pace: Pace,
    /// How many units there are from one turn to the next.
    pub(super) step: u32,
    /// From the first turn on.
    pub(super) groups: Vec<Vec<String>>,
    /// The days on which it takes place; every day of its turn if empty.
    pub(super) days: Vec<Weekday>,
    pub(super) week_start: Weekday,
    /// When it takes place first.
    pub(super) start: DateTime,
    pub(super) length: SignedDuration,
    pub(super) begins: DateTime,
    pub(super) until: Option<Timestamp>,
    /// What of its rule is left out.
    pub(super) left_out: Vec<&'static str>,
}

impl Rhythm {
    /// The rhythm of a shift.
    pub(super) fn of(given: &GivenShift, zone: ZoneName) -> Result<Rhythm, Failure> {
        let wrong = |what: &str, value: &dyn std::fmt::Debug| {
            let title = given.title();
            Failure::invalid(format!(
                "the shift {title:?} has an unknown {what}: {value:?}"
            ))
        };
        let pace = match given.frequency.as_deref().unwrap_or_default() {
            "hourly" => Pace::Hours,
            "daily" => Pace::Days,
            "weekly" => Pace::Weeks,
            "monthly" => Pace::Months,
            other => return Err(wrong("frequency", &other)),
        };
        let mut left_out = Vec::new();
        let mut days = Vec::new();
        for day in given.by_day.iter().flatten() {
            match weekday(day) {
                Some(day) if pace != Pace::Months => days.push(day),
                // Such as 1MO, the first Monday of a month.
                _ => left_out.push("by_day"),
            }
        }
        let week_start = given.week_start.as_deref();
        let week_start = week_start.map_or(Some(Weekday::Sunday), weekday);
        let week_start = week_start.ok_or_else(|| wrong("week_start", &given.week_start))?;
        days.sort_by_key(|day| day.since(week_start));
        days.dedup();
        if given.by_month.iter().flatten().next().is_some() {
            left_out.push("by_month");
        }
        let of_month = i64::from(given.start.0.day());
        if !(given.by_monthday.iter().flatten()).all(|day| pace == Pace::Months && *day == of_month)
        {
            left_out.push("by_monthday");
        }
        left_out.dedup();
        let mut groups = match given.r#type.as_str() {
            "rolling_users" => given.rolling_users.clone().unwrap_or_default(),
            "recurrent_event" => vec![given.users.clone().unwrap_or_default()],
            other => return Err(wrong("type", &other)),
        };
        let first = given.start_rotation_from_user_index.unwrap_or(0);
        if !groups.is_empty() {
            let count = groups.len();
            groups.rotate_left(first % count);
        }
        let mut start = given.start.0;
        // The first day of the shift that is one of its days.
        let is_day = days.is_empty() || days.contains(&start.weekday());
        if let Some(next) = days.first().filter(|_| !is_day) {
            let ahead = i64::from(start.weekday().until(*next));
            start = start.saturating_add(Span::new().days(ahead));
        }
        Ok(Rhythm {
            id: given.id.clone(),
            name: given.title(),
            level: given.level.unwrap_or(0),
            zone,
            pace,
            step: given.interval.unwrap_or(1).max(1),
            groups,
            days,
            week_start,
            start,
            length: SignedDuration::from_secs(given.duration.max(0)),
            begins: given
                .rotation_start
                .map_or(start, |begins| begins.0.max(start)),
            until: given
                .until
                .and_then(|until| instant(until.0, ZoneName::utc())),
            left_out,
        })
    }

    /// The number of the unit that the first turn lies in, counted from a day long ago.
    fn phase(&self) -> i64 {
        let day = self.start.date();
        let first = date(1970, 1, 1);
        let days = |from: Date| i64::from((day - from).get_days());
        match self.pace {
            Pace::Hours => days(first) * 24 + i64::from(self.start.hour()),
            Pace::Days => days(first),
            Pace::Weeks => {
                let ahead = i64::from(first.weekday().until(self.week_start));
                days(first.saturating_add(Span::new().days(ahead))).div_euclid(7)
            }
            Pace::Months => i64::from(day.year()) * 12 + i64::from(day.month()),
        }
    }

    /// How many units pass until everybody has had a turn.
    fn cycle(&self) -> i64 {
        i64::from(self.step) * i64::try_from(self.groups.len()).unwrap_or(1)
    }

    /// Whether others can have turns between its turns.
    fn is_sparse(&self) -> bool {
        let unit = match self.pace {
            Pace::Hours => SignedDuration::from_hours(1),
            Pace::Days => SignedDuration::from_hours(24),
            Pace::Weeks => SignedDuration::from_hours(7 * 24),
            Pace::Months => SignedDuration::from_hours(31 * 24),
        };
        let rule = self.pace != Pace::Days || self.days.is_empty();
        rule && self.step > 1
            && self.length < unit.saturating_mul(i32::try_from(self.step).unwrap_or(i32::MAX))
    }

    /// Whether another one differs in nothing but its people and the unit in which it begins.
    fn rhymes(&self, other: &Rhythm) -> bool {
        let within = |one: &Rhythm| match one.pace {
            Pace::Hours => (
                i64::from(one.start.minute()),
                one.start.time().with().hour(0).build().ok(),
            ),
            Pace::Days => (0, Some(one.start.time())),
            Pace::Weeks if !one.days.is_empty() => (0, Some(one.start.time())),
            Pace::Weeks => {
                let day = one.start.weekday().since(one.week_start);
                (i64::from(day), Some(one.start.time()))
            }
            Pace::Months => (i64::from(one.start.day()), Some(one.start.time())),
        };
        self.pace == other.pace
            && self.cycle() == other.cycle()
            && self.days == other.days
            && self.week_start == other.week_start
            && self.length == other.length
            && self.level == other.level
            && self.zone == other.zone
            && self.until == other.until
            && self.left_out == other.left_out
            && within(self) == within(other)
    }
}

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}

/// Joins shifts that take turns with one another: the same but for the units in which they begin, which are evenly spaced.
pub(super) fn joined(rhythms: Vec<Rhythm>) -> Vec<Rhythm> {
    let mut sets: Vec<Vec<Rhythm>> = Vec::new();
    for one in rhythms {
        let set = sets
            .iter_mut()
            .find(|set| set[0].is_sparse() && set[0].rhymes(&one));
        match set {
            Some(set) if one.is_sparse() => set.push(one),
            _ => sets.push(vec![one]),
        }
    }
    sets.into_iter().flat_map(in_turn).collect()
}

/// One rhythm of a set, if their turns are evenly spaced; otherwise they stay apart.
fn in_turn(mut set: Vec<Rhythm>) -> Vec<Rhythm> {
    set.sort_by_key(|one| one.start);
    let Some((first, _)) = set.split_first() else {
        return set;
    };
    let cycle = first.cycle().max(1);
    let origin = first.phase();
    let mut turns: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for one in &set {
        for (number, group) in one.groups.iter().enumerate() {
            let number = i64::try_from(number).unwrap_or(0);
            let phase = (one.phase() - origin + number * i64::from(one.step)).rem_euclid(cycle);
            let turn = turns.entry(phase).or_default();
            turn.extend(group.iter().cloned());
        }
    }
    let count = i64::try_from(turns.len()).unwrap_or(1).max(1);
    let step = cycle / count;
    let is_even = cycle % count == 0 && turns.keys().all(|phase| phase % step == 0);
    match (set.len(), is_even) {
        (2.., true) => {
            let names: Vec<&str> = set.iter().map(|one| one.name.as_str()).collect();
            let name = names.join(" + ");
            let begins = set.iter().map(|one| one.begins).min();
            let mut one = set.swap_remove(0);
            one.name = name;
            one.begins = begins.unwrap_or(one.begins);
            one.step = u32::try_from(step).unwrap_or(1);
            one.groups = turns.into_values().collect();
            vec![one]
        }
        _ => set,
    }
}
