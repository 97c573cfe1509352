//! Duty as the events of a calendar: turns as they were held, and the plan (rules.md 20).

use super::arrangement::Arranged;
use super::coverage::Hours;
use super::duty::Duty;
use super::holidays::Calendar;
use super::ids::{CellId, UserId};
use super::rotation::{Cell, Reason, Rotation};
use super::time::{FOREVER, Interval};
use super::wording;
use super::zones::ZoneName;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

/// How far back turns are shown.
const BACK: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How far ahead.
const AHEAD: SignedDuration = SignedDuration::from_hours(180 * 24);

/// How far outside the span a covered stretch may reach that is shown whole.
const MARGIN: SignedDuration = SignedDuration::from_hours(8 * 24);

/// The span that feeds show at an instant, in whole days in UTC, so that it is the same all day.
pub fn span(now: Timestamp) -> Interval {
    let day = 24 * 60 * 60;
    let midnight = now.as_second().div_euclid(day) * day;
    let midnight = Timestamp::from_second(midnight).unwrap_or(now);
    Interval {
        from: midnight.saturating_sub(BACK).unwrap_or(Timestamp::MIN),
        until: midnight.saturating_add(AHEAD).unwrap_or(Timestamp::MAX),
    }
}

/// Whether a turn may be shown that has no end yet, so that its event lasts until the end of the span and moves with the day.
pub fn may_last(rotation: &Rotation) -> bool {
    let goes_on = |cell: &Cell| {
        let window = &rotation.windows[cell.window];
        cell.holder.is_none() || window.cadence.is_none()
    };
    let forever = |over: &Arranged| over.period.until >= FOREVER;
    !rotation.enabled
        || rotation.external.is_some()
        // Another grid is to come.
        || !rotation.waiting.is_empty()
        || rotation.running().any(goes_on)
        || rotation.arranged.iter().any(forever)
}

/// Whose events are made; names are those of everybody who may be named in them.
#[derive(Clone, Copy, Debug)]
pub enum Whose<'a> {
    /// One person's; vacancies are nobody's.
    Person(&'a UserId),
    /// Everybody's, by name, and vacancies.
    Everybody,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DutyEvent {
    /// Of the slot.
    pub cell: CellId,
    /// Identifies the event together with the slot: where it begins.
    pub period: Interval,
    pub summary: String,
    /// Whose turn it is, and why they do not take it themselves.
    pub description: Option<String>,
}

/// The events of a rotation's duty that touch the span, by beginning. What has no end lasts until the end of the span.
pub fn events(
    rotation: &Rotation,
    calendar: &Calendar,
    duties: &[Duty],
    span: Interval,
    (whose, names): (Whose, &HashMap<UserId, String>),
) -> Vec<DutyEvent> {
    let name = &rotation.profile.name;
    let called = |user: &UserId| names.get(user).cloned().unwrap_or_else(|| user.to_string());
    let mut events = Vec::new();
    for duty in duties {
        let entry = &duty.entry;
        let who = match (whose, &entry.user) {
            (Whose::Person(user), Some(holder)) if user == holder => "Duty".to_owned(),
            (Whose::Person(_), _) => continue,
            (Whose::Everybody, Some(holder)) => called(holder),
            (Whose::Everybody, None) => "Nobody on call".to_owned(),
        };
        let summary = match &entry.lane_name {
            Some(lane) => format!("{who}: {name} ({lane})"),
            None => format!("{who}: {name}"),
        };
        let description = described(rotation, duty, called);
        let whole = Interval::new(entry.start, duty.end.unwrap_or(span.until));
        let periods = match &entry.user {
            Some(_) => vec![whole],
            // A disabled rotation hands over to nobody: its empty slots are no news.
            None if duty.end.is_none() && !rotation.enabled => Vec::new(),
            None if entry.reason == Reason::BusinessHoursOffline => Vec::new(),
            None => {
                let hours = rotation.hours_then(rotation.window(&duty.window), entry);
                vacant(&hours, calendar, whole, span)
            }
        };
        events.extend(periods.into_iter().map(|period| DutyEvent {
            cell: duty.cell.clone(),
            period,
            summary: summary.clone(),
            description: description.clone(),
        }));
    }
    events.retain(|event| event.period.meets(span).is_some() && !event.period.is_momentary());
    events.sort_by(|one, two| (one.period, &one.cell).cmp(&(two.period, &two.cell)));
    events
}

/// Whose turn a duty is, and why, where whoever has it stands in for somebody.
fn described(rotation: &Rotation, duty: &Duty, name: impl Fn(&UserId) -> String) -> Option<String> {
    let (turn, holder) = (duty.entry.dealt.as_ref()?, duty.entry.user.as_ref()?);
    let window = rotation.window(&duty.window);
    let cadence = window.and_then(|window| window.cadence.as_ref());
    let zone = cadence.map_or_else(ZoneName::utc, |cadence| cadence.zone);
    let day = |at: Timestamp| zone.tz().to_datetime(at).date().to_string();
    wording::for_whom(turn, holder, name, day)
}

/// The covered stretches of a vacancy that touch the span.
fn vacant(hours: &Hours, calendar: &Calendar, whole: Interval, span: Interval) -> Vec<Interval> {
    if hours.always_open() {
        return vec![whole];
    }
    let near = Interval {
        from: span.from.saturating_sub(MARGIN).unwrap_or(span.from),
        until: span.until.saturating_add(MARGIN).unwrap_or(span.until),
    };
    whole
        .meets(near)
        .map_or_else(Vec::new, |near| hours.open_between(calendar, near))
}

#[cfg(test)]
mod tests;
