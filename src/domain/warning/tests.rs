//! Tables of each kind, and random worlds beside a second implementation that looks at every quarter of an hour.

mod kinds;
mod walk;

use super::{Around, Duty, FINDERS, Known, Plan, Warning, WarningFilter, found};
use crate::domain::absence::Absences;
use crate::domain::cadence::{Cadence, Kind, Skips};
use crate::domain::coverage::Stretch;
use crate::domain::forecast::{self, Budget, Held};
use crate::domain::handover::{DealingContext, Edit, WindowChange};
use crate::domain::holidays::Calendar;
use crate::domain::ids::UserId;
use crate::domain::rotation::tests::rotation as plain;
use crate::domain::rotation::{Lane, Rotation, Window};
use crate::domain::time::{HhMm, Interval};
use crate::domain::warning_kinds::WarningKind;
use crate::domain::zones::ZoneName;
use jiff::civil::Weekday;
use jiff::{SignedDuration, Timestamp};

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn span(from: &str, until: &str) -> Interval {
    Interval {
        from: at(from),
        until: at(until),
    }
}

/// A Monday on which nothing is special: the fifth of January 2026 in UTC.
const BEGUN: &str = "2026-01-05T00:00:00Z";

fn cadence(kind: Kind, zone: &str, starts_at: &str) -> Cadence {
    Cadence {
        kind,
        zone: ZoneName::parse(zone).expect("a zone"),
        starts_at: at(starts_at),
        period: 1,
        skips: Skips::default(),
    }
}

fn weekly() -> Cadence {
    cadence(Kind::DayOfWeek, "UTC", BEGUN)
}

fn daily(times: &[&str], zone: &str) -> Cadence {
    let times = times.iter().map(|time| HhMm::parse(time).expect("a time"));
    let times = times.collect();
    cadence(Kind::Daily { times }, zone, "2026-01-01T00:00:00Z")
}

pub fn stretch(start_day: Weekday, start: &str, end_day: Weekday, end: &str) -> Stretch {
    let time = |text| HhMm::parse(text).expect("a time");
    Stretch {
        start_day,
        start_time: time(start),
        end_day,
        end_time: time(end),
    }
}

/// The same hours on every day.
pub fn every_day(start: &str, end: &str) -> Vec<Stretch> {
    let days = (0..7).map(|day| Weekday::from_monday_zero_offset(day).expect("a day"));
    days.map(|day| stretch(day, start, day, end)).collect()
}

/// A rotation of the people `a`, `b` and so on, with so many lanes in each window, begun at an instant and dealt.
fn rotation(
    people: usize,
    lanes: usize,
    windows: Vec<(Cadence, Vec<Stretch>)>,
    begun: &str,
    absences: &Absences,
) -> Rotation {
    let before = plain();
    let mut rotation = before.clone();
    let (cell, window) = (rotation.cells.remove(0), rotation.windows.remove(0));
    rotation.stamps.judged_at = at(begun);
    rotation.members.users = (0..people).map(user).collect();
    rotation.lanes = (0..lanes)
        .map(|lane| Lane {
            id: format!("lan_{lane}").as_str().into(),
            key: None,
            name: None,
        })
        .collect();
    for (column, (cadence, coverage)) in windows.into_iter().enumerate() {
        rotation.windows.push(Window {
            id: format!("win_{column}").as_str().into(),
            zone: Some(cadence.zone),
            coverage,
            cadence: Some(cadence),
            ..window.clone()
        });
        for lane in 0..lanes {
            let mut cell = cell.clone();
            cell.id = format!("cel_{column}_{lane}").as_str().into();
            (cell.lane, cell.window) = (lane, column);
            rotation.cells.push(cell);
        }
    }
    for roster in &mut rotation.rosters {
        roster.next_turns.clear();
    }
    rotation.follow(&rotation.clone());
    let calendar = Calendar::embedded();
    let edit = Edit {
        before: &before,
        dealing: DealingContext {
            calendar: &calendar,
            absences,
        },
        at: at(begun),
        window_change: WindowChange::ByEdit,
    };
    edit.redeal(&mut rotation, |_| ());
    rotation
}

fn user(index: usize) -> UserId {
    UserId::from(char::from(b'a' + index as u8).to_string())
}

fn away(list: &[(&str, &str, &str)]) -> Absences {
    let one = |(user, from, until): &(&str, &str, &str)| (UserId::from(*user), span(from, until));
    Absences::new(list.iter().map(one).collect())
}

/// Everybody is known, and lives in UTC.
fn around(rotation: &Rotation) -> Around {
    let people = rotation.members.users.iter().map(|user| {
        let known = Known {
            name: user.as_str().to_uppercase(),
            zone: Some(ZoneName::utc()),
            is_deactivated: false,
        };
        (user.clone(), known)
    });
    Around {
        people: people.collect(),
        ..Around::default()
    }
}

/// When somebody is on call in another rotation.
#[derive(Clone)]
struct Elsewhere {
    user: UserId,
    /// Which turn of the rotation.
    turn: u32,
    period: Interval,
    /// What the rotation is called, where the reader may see it.
    named: Option<&'static str>,
}

fn elsewhere(user: &str, turn: u32, from: &str, until: &str) -> Elsewhere {
    Elsewhere {
        user: user.into(),
        turn,
        period: span(from, until),
        named: Some("Payments"),
    }
}

impl Elsewhere {
    fn held(&self) -> Held {
        Held {
            cell: 0,
            period: self.period,
            user: Some(self.user.clone()),
            outside: None,
            dealt: Timestamp::from_second(self.turn.into())
                .ok()
                .map(|at| (None, at)),
            is_open: true,
            is_there: true,
        }
    }
}

fn days(begun: &str, days: i64) -> Interval {
    let from = at(begun);
    Interval {
        from,
        until: from + SignedDuration::from_hours(24 * days),
    }
}

fn find(
    rotation: &Rotation,
    absences: &Absences,
    around: &Around,
    range: Interval,
) -> Vec<Warning> {
    find_beside(rotation, absences, (around, &[]), range)
}

/// The same with duty in another rotation.
fn find_beside(
    rotation: &Rotation,
    absences: &Absences,
    (around, there): (&Around, &[Elsewhere]),
    range: Interval,
) -> Vec<Warning> {
    let all = WarningFilter::default();
    find_wanted(rotation, absences, (around, there), range, all)
}

fn find_wanted(
    rotation: &Rotation,
    absences: &Absences,
    (around, there): (&Around, &[Elsewhere]),
    range: Interval,
    wanted: WarningFilter,
) -> Vec<Warning> {
    let calendar = Calendar::embedded();
    let dealing = DealingContext {
        calendar: &calendar,
        absences,
    };
    let held = forecast::held(rotation, dealing, range, &mut Budget::default());
    let held = held.expect("a range that can be forecast");
    let mut duty = Duty::default();
    let of_others: Vec<Held> = there.iter().map(Elsewhere::held).collect();
    let named = there.first().and_then(|there| there.named);
    duty.add(&"rot_2".into(), named, &of_others, |_| true);
    // What is known of the rotation itself is replaced.
    for held in [&of_others, &held] {
        duty.add(&rotation.id, Some("Here"), held, |_| true);
    }
    let plan = Plan {
        rotation,
        dealing,
        range,
        held: &held,
    };
    found(plan, around, &duty, wanted)
}

/// The warnings of one kind: `from/until cell users`.
fn told(found: &[Warning], kind: WarningKind) -> Vec<String> {
    let of_kind = found.iter().filter(|warning| warning.kind == kind);
    let line = |warning: &Warning| {
        let cell = warning.cell.as_ref().map_or("-", |cell| cell.as_str());
        let users: Vec<&str> = warning.users.iter().map(UserId::as_str).collect();
        let (from, until) = (warning.period.from, warning.period.until);
        format!("{from}/{until} {cell} {}", users.join("+"))
            .trim_end()
            .to_owned()
    };
    of_kind.map(line).collect()
}
