//! Holidays: duty on them, and the end of what is known of them.

use super::Warning;
use super::scene::Scene;
use crate::domain::cadence::Cadence;
use crate::domain::holidays::CountryCode;
use crate::domain::ids::UserId;
use crate::domain::time::{Interval, joined, within};
use crate::domain::warning_kinds::WarningKind;
use crate::domain::zones::ZoneName;
use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan};
use std::collections::BTreeMap;

/// Somebody is on call on a national holiday of a country of the cadence, from 00:00 to 24:00 in its zone.
pub(super) fn holiday_duty(scene: &Scene) -> Vec<Warning> {
    let mut found = Vec::new();
    for (index, window) in scene.rotation.windows.iter().enumerate() {
        let Some(cadence) = &window.cadence else {
            continue;
        };
        let holidays = holidays(scene, cadence);
        let cells =
            (0..scene.rotation.cells.len()).filter(|&cell| scene.cell(cell).window == index);
        for cell in cells {
            let mut on_call: BTreeMap<&UserId, Vec<Interval>> = BTreeMap::new();
            for held in scene.held_in(cell) {
                if let Some(user) = held.on_call() {
                    on_call.entry(user).or_default().push(held.period);
                }
            }
            for (user, on_call) in on_call {
                let on_call = joined(on_call);
                for (day, country, whole) in &holidays {
                    let mut periods = within(&on_call, *whole);
                    let Some(first) = periods.next() else {
                        continue;
                    };
                    let until = periods.last().map_or(first.until, |last| last.until);
                    let text = format!(
                        "{} is on call{} on {day}, a holiday in {country}.",
                        scene.name(user),
                        scene.place(cell)
                    );
                    let period = Interval { until, ..first };
                    let users = vec![user.clone()];
                    found.push(scene.in_cell(WarningKind::HolidayDuty, cell, period, users, text));
                }
            }
        }
    }
    found
}

/// The holidays in the range, each with the first country that has it.
fn holidays(scene: &Scene, cadence: &Cadence) -> Vec<(Date, CountryCode, Interval)> {
    let countries = &cadence.skips.countries;
    if countries.is_empty() {
        return Vec::new();
    }
    let tz = cadence.zone.tz();
    let (first, last) = (
        tz.to_datetime(scene.range.from).date(),
        tz.to_datetime(scene.range.until).date(),
    );
    let days = first.series(1.day()).take_while(|day| *day <= last);
    let holidays = days.filter_map(|day| {
        let mut countries = countries.iter();
        let calendar = scene.dealing.calendar;
        let country = countries.find(|country| calendar.is_national_holiday(**country, day))?;
        let whole = Interval {
            from: midnight(cadence.zone, day)?,
            until: midnight(cadence.zone, day.checked_add(1.day()).ok()?)?,
        };
        Some((day, *country, whole))
    });
    holidays.collect()
}

/// The first instant of a day in a zone.
fn midnight(zone: ZoneName, day: Date) -> Option<Timestamp> {
    let local = day.at(0, 0, 0, 0);
    zone.tz().to_ambiguous_timestamp(local).compatible().ok()
}

/// What is known of the holidays of a country of a cadence ends before the range does.
pub(super) fn ends_soon(scene: &Scene) -> Vec<Warning> {
    let windows = scene.rotation.windows.iter();
    let cadences = windows.filter_map(|window| window.cadence.as_ref());
    let countries = cadences.flat_map(|cadence| {
        let countries = cadence.skips.countries.iter();
        countries.map(|country| (*country, cadence.zone))
    });
    let countries: BTreeMap<CountryCode, ZoneName> = countries.collect();
    let mut found = Vec::new();
    for (country, zone) in countries {
        let last = scene.dealing.calendar.covers_until(country);
        let ends = midnight(zone, date(last.saturating_add(1).min(9999), 1, 1));
        let rest = ends.and_then(|ends| scene.range.since(ends));
        found.extend(rest.map(|period| {
            let text = format!("The holidays of {country} are known up to the end of {last}.");
            scene.of_all(WarningKind::EndsSoon, period, Vec::new(), text)
        }));
    }
    found
}
