//! Reads the form of a window into a body of the API.

use super::{STRETCH, times_in};
use crate::domain::rotation::Rotation;
use crate::domain::wording::DAYS;
use crate::domain::zones::ZoneName;
use crate::web::form::{Errors, Form};
use crate::web::parts::time;
use crate::web::visit::Visit;
use serde_json::{Map, Value, json};

/// The window that a form asks for, as the body of the API has it.
pub fn read(
    visit: &Visit,
    rotation: &Rotation,
    index: usize,
    errors: &mut Errors,
    remarked: &mut Vec<String>,
) -> Map<String, Value> {
    let form = &visit.form;
    let mut window = Map::new();
    window.insert("name".into(), json!(form.filled("name")));
    let kind = form.one("cadence.type");
    if kind == "manual" {
        window.insert("timeZone".into(), json!(""));
        window.insert("cadence".into(), json!({ "type": "manual" }));
        return window;
    }
    window.insert("timeZone".into(), json!(form.one("timeZone")));
    window.insert("coverage".into(), json!(read_hours(form, errors)));
    let listed = |name: &str| {
        let parts = form.one(name).split([',', ' ', ';']).map(str::trim);
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut cadence = Map::new();
    let mut put = |name: &str, value: Value| {
        cadence.insert(name.to_owned(), value);
    };
    put("type", json!(kind));
    put("timeZone", json!(form.one("cadence.timeZone")));
    put("period", json!(form.one("cadence.period").trim()));
    put(
        "skipWeekends",
        json!(form.has("cadence.skipWeekends", "true")),
    );
    put(
        "skipNationalHolidays",
        json!(form.has("cadence.skipNationalHolidays", "true")),
    );
    put("countryCodes", json!(listed("cadence.countryCodes")));
    match kind {
        "daysOfWeekList" => put("daysOfWeek", json!(form.list("cadence.daysOfWeek"))),
        "daily" => put("times", json!(listed("cadence.times"))),
        "nthWeekdayOfMonth" => {
            put("dayOfWeek", json!(form.one("cadence.dayOfWeek")));
            put("weeksInMonth", json!(form.list("cadence.weeksInMonth")));
        }
        _ => {}
    }
    // A zone that is none is refused with the rest of the body.
    let zone = ZoneName::parse(form.one("cadence.timeZone")).unwrap_or(visit.zone);
    let typed = form.one("cadence.startsAt");
    let known = rotation
        .windows
        .get(index)
        .and_then(|window| window.cadence.as_ref());
    let known = known.filter(|known| {
        known.zone == zone && times_in(visit, zone).value(known.starts_at) == typed
    });
    match (known, time::parse(typed, zone)) {
        // As it is: also where its local time is there twice.
        (Some(known), _) => put("startsAt", json!(known.starts_at.to_string())),
        (None, Some(typed)) => {
            remarked.extend(typed.remark(zone));
            put("startsAt", json!(typed.at.to_string()));
        }
        (None, None) => errors.add(
            "cadence.startsAt",
            "Enter a date and a time, such as 2026-11-23 09:00.",
        ),
    }
    window.insert("cadence".into(), Value::Object(cadence));
    window
}

fn read_hours(form: &Form, errors: &mut Errors) -> Vec<Value> {
    let mut hours = Vec::new();
    for line in 0..form.all("startDay").count() {
        let part = |name: &'static str| form.all(name).nth(line).unwrap_or_default();
        let parts = STRETCH.map(part);
        match parts.iter().filter(|part| !part.is_empty()).count() {
            0 => {}
            4 => hours.push(stretch(parts)),
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
        return hours;
    }
    for (index, day) in DAYS
        .iter()
        .enumerate()
        .filter(|(_, day)| chosen.iter().any(|one| one == **day))
    {
        let next = DAYS[(index + 1) % 7];
        hours.push(stretch([
            day,
            from,
            if to <= from { next } else { day },
            to,
        ]));
    }
    hours
}

fn stretch(parts: [&str; 4]) -> Value {
    let members = STRETCH.iter().zip(parts);
    members
        .map(|(name, part)| (name.to_string(), json!(part)))
        .collect::<Map<_, _>>()
        .into()
}
