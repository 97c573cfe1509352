//! The window that its form asks for.

use super::{STRETCH, times_in};
use crate::domain::cadence::{CadenceType, Draft};
use crate::domain::coverage::Stretch;
use crate::domain::grid::{CadenceSpec, HandleSpec, WindowSpec, ZoneSpec};
use crate::domain::holidays::CountryCode;
use crate::domain::limits::{time_of_day, whole_number};
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::{Rotation, Window};
use crate::domain::wording::{DAYS, weekday};
use crate::domain::zones::ZoneName;
use crate::web::form::{Errors, Form};
use crate::web::parts::time;
use crate::web::visit::Visit;
use jiff::Timestamp;

/// The window that a form asks for. What is left open is added to the errors.
pub fn read(
    visit: &Visit,
    rotation: &Rotation,
    index: usize,
    errors: &mut Errors,
    remarked: &mut Vec<String>,
) -> Result<WindowSpec, Refusal> {
    let (form, window) = (&visit.form, rotation.windows.get(index));
    let handle = window.map(|window| HandleSpec::id(window.id.as_str()));
    let manual = WindowSpec {
        handle: handle.unwrap_or_default(),
        name: form.filled("name").map(str::to_owned),
        zone: ZoneSpec::Empty,
        coverage: Vec::new(),
        cadence: CadenceSpec::Manual,
    };
    if form.one("cadence.type") == "manual" {
        return Ok(manual);
    }
    let hours = hours(form, errors);
    let starts_at = starts_at(visit, window, errors, remarked);
    Ok(WindowSpec {
        zone: ZoneSpec::named("timeZone", form.one("timeZone"))?,
        coverage: hours?,
        cadence: cadence(form, starts_at)?,
        ..manual
    })
}

fn cadence(form: &Form, starts_at: Option<Timestamp>) -> Result<CadenceSpec, Refusal> {
    let listed = |name: &str| {
        let parts = form.one(name).split([',', ' ', ';']).map(str::trim);
        let parts = parts.filter(|part| !part.is_empty()).enumerate();
        parts.collect::<Vec<_>>()
    };
    let Some(kind) = CadenceType::parse(form.one("cadence.type")) else {
        return invalid("cadence.type", "choose one");
    };
    let zone = match ZoneName::parse(form.one("cadence.timeZone")) {
        Ok(zone) => zone,
        Err(refusal) => return invalid("cadence.timeZone", format!("{refusal}")),
    };
    let country = |(index, code)| match CountryCode::known(code) {
        Ok(country) => Ok(country),
        Err(why) => invalid(format!("cadence.countryCodes[{index}]"), why),
    };
    let week = |(index, week): (usize, String)| {
        whole_number(&format!("cadence.weeksInMonth[{index}]"), &week)
    };
    let weeks = match kind {
        CadenceType::NthWeekdayOfMonth => form.list("cadence.weeksInMonth"),
        _ => Vec::new(),
    };
    let time = |(index, time)| time_of_day(&format!("cadence.times[{index}]"), time);
    let times = match kind {
        CadenceType::Daily => listed("cadence.times"),
        _ => Vec::new(),
    };
    let draft = Draft {
        kind,
        zone: Some(zone),
        starts_at,
        period: Some(whole_number(
            "cadence.period",
            form.one("cadence.period").trim(),
        )?),
        skip_weekends: form.has("cadence.skipWeekends", "true"),
        skip_national_holidays: form.has("cadence.skipNationalHolidays", "true"),
        countries: listed("cadence.countryCodes")
            .into_iter()
            .map(country)
            .collect::<Result<_, _>>()?,
        days_of_week: form.all("cadence.daysOfWeek").filter_map(weekday).collect(),
        day_of_week: weekday(form.one("cadence.dayOfWeek")),
        weeks_in_month: weeks
            .into_iter()
            .enumerate()
            .map(week)
            .collect::<Result<_, _>>()?,
        times: times.into_iter().map(time).collect::<Result<_, _>>()?,
    };
    let cadence = draft.checked("cadence")?;
    Ok(cadence.map_or(CadenceSpec::Manual, CadenceSpec::Timed))
}

/// The first hand-over. Where the form has it as it is, it stays exactly that: also where its local time is there twice.
fn starts_at(
    visit: &Visit,
    window: Option<&Window>,
    errors: &mut Errors,
    remarked: &mut Vec<String>,
) -> Option<Timestamp> {
    // A zone that is none is refused with the rest of the cadence.
    let zone = ZoneName::parse(visit.form.one("cadence.timeZone")).unwrap_or(visit.zone);
    let typed = visit.form.one("cadence.startsAt");
    let known = window.and_then(|window| window.cadence.as_ref());
    let known = known.filter(|known| {
        known.zone == zone && times_in(visit, zone).value(known.starts_at) == typed
    });
    if let Some(known) = known {
        return Some(known.starts_at);
    }
    let Some(typed) = time::parse(typed, zone) else {
        errors.add(
            "cadence.startsAt",
            "Enter a date and a time, such as 2026-11-23 09:00.",
        );
        return None;
    };
    remarked.extend(typed.remark(zone));
    Some(typed.at)
}

fn hours(form: &Form, errors: &mut Errors) -> Result<Vec<Stretch>, Refusal> {
    let mut hours = Vec::new();
    if form.one("covered") == "all" {
        return Ok(hours);
    }
    for line in 0..form.all("startDay").count() {
        let part = |name: &'static str| form.all(name).nth(line).unwrap_or_default();
        let parts = STRETCH.map(part);
        match parts.iter().filter(|part| !part.is_empty()).count() {
            0 => {}
            4 => hours.push(stretch(hours.len(), parts)?),
            _ => errors.add(
                "coverage",
                format!(
                    "Fill in line {} of the hours, or leave all of it empty.",
                    line + 1
                ),
            ),
        }
    }
    let (from, to) = (form.one("daysFrom"), form.one("daysTo"));
    let chosen = form.list("days");
    if !chosen.is_empty() && (from.is_empty() || to.is_empty()) {
        errors.add(
            "daysFrom",
            "Enter from when to when, for the days that are ticked.",
        );
        return Ok(hours);
    }
    for (index, day) in DAYS
        .iter()
        .enumerate()
        .filter(|(_, day)| chosen.iter().any(|one| one == **day))
    {
        let next = DAYS[(index + 1) % 7];
        let last = if to <= from { next } else { day };
        hours.push(stretch(hours.len(), [day, from, last, to])?);
    }
    if hours.is_empty() && errors.is_empty() && form.one("covered") == "some" {
        errors.add("days", "Tick at least one day, or choose all hours.");
    }
    Ok(hours)
}

fn stretch(index: usize, parts: [&str; 4]) -> Result<Stretch, Refusal> {
    let path = |part: usize| format!("coverage[{index}].{}", STRETCH[part]);
    let day = |part: usize| match weekday(parts[part]) {
        Some(day) => Ok(day),
        None => invalid(path(part), "choose a day"),
    };
    let time = |part: usize| time_of_day(&path(part), parts[part]);
    Ok(Stretch {
        start_day: day(0)?,
        start_time: time(1)?,
        end_day: day(2)?,
        end_time: time(3)?,
    })
}
