//! One window: its covered hours, and the cadence of its hand-overs.

mod aside;
mod form;
mod read;

use super::coverage::{self, GridForm};
use super::weigh;
use crate::actions::ActionError;
use crate::domain::edit::Edits;
use crate::domain::grid::{CadenceSpec, GridSpec, WindowSpec};
use crate::domain::ids::WindowId;
use crate::domain::rotation::{Mode, Rotation};
use crate::domain::wording;
use crate::domain::zones::ZoneName;
use crate::server::{Outcome, Problem};
use crate::web::answer;
use crate::web::form::{Errors, Form};
use crate::web::pages::{editable, failing, times};
use crate::web::parts::cadence;
use crate::web::parts::time::Times;
use crate::web::visit::Visit;
use form::{LINES, form, values};
use maud::{Markup, html};
use read::read;
use std::hash::{DefaultHasher, Hash, Hasher};

const FIELDS: [&str; 14] = [
    "name",
    "timeZone",
    "coverage",
    "cadence.type",
    "cadence.timeZone",
    "cadence.startsAt",
    "cadence.period",
    "cadence.daysOfWeek",
    "cadence.dayOfWeek",
    "cadence.weeksInMonth",
    "cadence.times",
    "cadence.skipWeekends",
    "cadence.skipNationalHolidays",
    "cadence.countryCodes",
];

/// The four parts of a stretch.
const STRETCH: [&str; 4] = ["startDay", "startTime", "endDay", "endTime"];

/// The field that says which values of the form its reader has seen the changes of.
const SHOWN: &str = "shown";

/// What the fields of a form say, as one short text. A form that is saved as it was shown need not be shown again.
fn fingerprint(form: &Form) -> String {
    let aside = ["step", "ifMatch", "operationId", "seen", SHOWN];
    let mut fields: Vec<_> = form.fields().collect();
    fields.retain(|(name, _)| !aside.contains(name));
    fields.sort_by_key(|(name, _)| *name);
    let mut hash = DefaultHasher::new();
    fields.hash(&mut hash);
    format!("{:016x}", hash.finish())
}

fn times_in(visit: &Visit, zone: ZoneName) -> Times {
    Times {
        zone,
        now: visit.now,
    }
}

/// The window that the path names: its place, or where a new one will be.
fn place(visit: &Visit, rotation: &Rotation) -> Result<usize, Problem> {
    let named = visit.part(2);
    let id = WindowId::from(named);
    let known = rotation.windows.iter().position(|window| window.id == id);
    match named {
        "new" => Ok(rotation.windows.len()),
        _ => known.ok_or_else(answer::nothing_here),
    }
}

/// GET: the form as the window is; a new one begins like the first.
pub fn show(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let index = place(visit, &rotation)?;
    let values = values(visit, &rotation, index);
    let beside = aside::stored(visit, &rotation, index)?;
    let shown = (200, &values, &Errors::default());
    form(visit, &rotation, index, shown, beside)
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    let index = place(visit, &rotation)?;
    if visit.form.one("step") == "remove" {
        return remove(visit, &rotation, index);
    }
    if visit.form.names("more") {
        let lines: usize = visit.form.one("lines").parse().unwrap_or(LINES);
        let fields = visit
            .form
            .fields()
            .filter(|(name, _)| !matches!(*name, "more" | "lines"));
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let more = ("lines".to_owned(), (lines + LINES).to_string());
        let grown = Form::with(fields.chain([more]));
        let beside = aside::stored(visit, &rotation, index)?;
        let shown = (200, &grown, &Errors::default());
        return form(visit, &rotation, index, shown, beside);
    }
    let again = |status, errors: Errors| {
        let beside = aside::stored(visit, &rotation, index)?;
        form(
            visit,
            &rotation,
            index,
            (status, &visit.form, &errors),
            beside,
        )
    };
    if visit.form.names("edit") {
        return again(200, Errors::default());
    }
    let (mut errors, mut remarked) = (Errors::default(), Vec::new());
    let asked = read(visit, &rotation, index, &mut errors, &mut remarked);
    if !errors.is_empty() {
        return again(400, errors);
    }
    let more = match &asked {
        Ok(window) => shown(visit, window),
        Err(_) => html! {},
    };
    let path = format!("windows[{index}]");
    if visit.form.one("step") == "show" {
        let window = asked.as_ref().ok().cloned();
        let edits = asked.and_then(|asked| put(&rotation, index, asked).checked());
        let edits = edits.map(|coverage| Edits {
            coverage: Some(coverage),
            ..Edits::default()
        });
        let looked = edits
            .map_err(ActionError::from)
            .and_then(|edits| aside::look(visit, &rotation, window.as_ref(), edits));
        let looked = weigh::within(looked, &path);
        let beside = match failing(visit, &rotation.id, looked, &FIELDS, again)? {
            Ok(looked) => aside::looked_at(visit, &rotation, index, &looked)?,
            Err(page) => return Ok(page),
        };
        let seen = (SHOWN.to_owned(), fingerprint(&visit.form));
        let fields = visit.form.fields().filter(|(name, _)| *name != SHOWN);
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let values = Form::with(fields.chain([seen]));
        let shown = (200, &values, &Errors::default());
        return form(visit, &rotation, index, shown, beside);
    }
    let grid = asked.map(|asked| put(&rotation, index, asked));
    let told = match index < rotation.windows.len() {
        true => "The hours were saved.",
        false => "The hours were added.",
    };
    let wished = GridForm {
        part: "grid",
        grid,
        path: &path,
        names: &FIELDS,
        remarked: &remarked,
        more,
        told: told.to_owned(),
        restores: true,
        is_seen: remarked.is_empty() && visit.form.one(SHOWN) == fingerprint(&visit.form),
    };
    coverage::save(visit, &rotation, wished, again)
}

fn remove(visit: &Visit, rotation: &Rotation, index: usize) -> Outcome {
    let mut grid = GridSpec::of(rotation);
    if let Some(window) = rotation.windows.get(index) {
        grid.windows.iter_mut().for_each(|windows| {
            windows.remove(index);
        });
        grid.cells.retain(|cell| cell.window != window.id.as_str());
    }
    let wished = GridForm {
        part: "grid",
        grid: Ok(grid),
        path: "",
        names: &[],
        remarked: &[],
        more: html! { p { "These hours go, with their turns to come. Their record stays." } },
        told: "The hours were removed.".to_owned(),
        restores: false,
        is_seen: false,
    };
    coverage::save(visit, rotation, wished, |status, errors| {
        let values = values(visit, rotation, index);
        let beside = aside::stored(visit, rotation, index)?;
        form(visit, rotation, index, (status, &values, &errors), beside)
    })
}

/// The grid with the window. By hand or by cadences is for all windows at once.
fn put(rotation: &Rotation, index: usize, asked: WindowSpec) -> GridSpec {
    let mut grid = GridSpec::of(rotation);
    let windows = grid.windows.get_or_insert_default();
    let is_manual = asked.cadence == CadenceSpec::Manual;
    if is_manual != (rotation.mode() == Mode::Manual) {
        for window in windows.iter_mut() {
            window.cadence = asked.cadence.clone();
            window.zone = asked.zone;
            window.coverage = Vec::new();
        }
    }
    match windows.get_mut(index) {
        Some(window) => *window = asked,
        None => windows.push(asked),
    }
    grid
}

/// A window in words and drawn, with its next hand-overs.
fn shown(visit: &Visit, window: &WindowSpec) -> Markup {
    let timed = match &window.cadence {
        CadenceSpec::Timed(cadence) => Some(cadence),
        _ => None,
    };
    let next = timed.map_or_else(Vec::new, |cadence| {
        cadence.upcoming(visit.app().calendar(), visit.now, 5)
    });
    let times = times(visit);
    html! {
        dl.kv {
            dt { "Covered" } dd { (wording::hours(&window.coverage)) }
            dt { "Hand-overs" } dd { (wording::cadence(timed)) }
            @if !next.is_empty() {
                dt { "Next five" }
                dd { ul.items { @for at in &next { li { (times.show_with(*at, timed.map(|cadence| cadence.zone))) } } } }
            }
        }
        (cadence::week(&[(String::new(), window.coverage.as_slice(), true)]))
    }
}
