//! Hours and hand-overs: the windows as they are, with the covered week drawn and the next hand-overs; and the lanes, which readers
//! know as rows.

use super::coverage::{self, GridForm};
use super::{Change, Saved, action, carried, carry_out, page};
use crate::domain::edit::RotationPatch;
use crate::domain::grid::{GridSpec, HandleSpec, LaneSpec};
use crate::domain::rotation::{Rotation, Window};
use crate::domain::wording;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::{editable, times};
use crate::web::parts::cadence;
use crate::web::parts::fields::{Filled, hidden};
use crate::web::parts::place;
use crate::web::visit::Visit;
use maud::{Markup, html};

const PART: &str = "grid";

/// Hand-overs that are listed of each window.
const NEXT: usize = 5;

/// GET: the grid.
pub fn show(visit: &Visit) -> Outcome {
    form(
        visit,
        &editable(visit)?,
        200,
        &Form::default(),
        &Errors::default(),
    )
}

/// The name of a window.
pub fn window_name(rotation: &Rotation, index: usize) -> String {
    place::window_name(&rotation.windows[index])
}

fn form(
    visit: &Visit,
    rotation: &Rotation,
    status: u16,
    values: &Form,
    errors: &Errors,
) -> Result<Response, Problem> {
    let content = html! {
        section aria-labelledby="windows" {
            div.head {
                h2 #windows { "Hours" }
                p.actions { a.btn href=(action(rotation, "windows/new")) { "Add hours" } }
            }
            p.muted { "When somebody is on call, and when the next person comes on. Weekdays and weekends can have turns of their own." }
            @for (index, window) in rotation.windows.iter().enumerate() {
                (window_card(visit, rotation, index, window))
            }
        }
        (lanes(visit, rotation, values, errors))
        (double_cover(visit, rotation, errors))
    };
    page(visit, rotation, PART, (status, errors), content)
}

fn window_card(visit: &Visit, rotation: &Rotation, index: usize, window: &Window) -> Markup {
    let times = times(visit);
    let calendar = visit.app().calendar();
    let next = window.cadence.as_ref().filter(|_| rotation.enabled);
    let next = next.map_or_else(Vec::new, |cadence| {
        cadence.upcoming(calendar, visit.now, NEXT)
    });
    html! {
        div.card.pad data-window=(window.id) {
            h3 { bdi { (window_name(rotation, index)) } }
            dl.kv {
                dt { "Covered" }
                dd {
                    (wording::hours(&window.coverage))
                    @if let Some(zone) = window.zone { " (" (zone.as_str()) ")" }
                }
                dt { "Hand-overs" } dd { (wording::cadence(window.cadence.as_ref())) }
                @if !next.is_empty() {
                    dt { "Next five" }
                    dd { ul.items { @for at in &next { li { (times.show_with(*at, window.zone)) } } } }
                }
            }
            (cadence::week(&[(String::new(), window.coverage.as_slice(), true)]))
            p.actions {
                a.btn.s href=(action(rotation, &format!("windows/{}", window.id))) {
                    "Change" span.sr { ": " (window_name(rotation, index)) }
                }
            }
        }
    }
}

fn lanes(visit: &Visit, rotation: &Rotation, values: &Form, errors: &Errors) -> Markup {
    let to = action(rotation, PART);
    let names = rotation.lanes.iter().enumerate().map(|(index, lane)| {
        let field = format!("lanes[{index}].name");
        let typed = values.names(&field).then(|| values.one(&field).to_owned());
        (
            field,
            typed.or_else(|| lane.name.clone()).unwrap_or_default(),
        )
    });
    let typed = [("lanes.name".to_owned(), values.one("lanes.name").to_owned())];
    let shown = Form::with(names.chain(typed));
    let filled = Filled {
        values: &shown,
        errors,
    };
    let last = rotation.lanes.len() - 1;
    html! {
        section aria-labelledby="lanes" {
            h2 #lanes { "On call at the same time" }
            p.muted { "One person is on call in each row, so with two rows two people are on call at once. The first row gets people first." }
            form.card.pad method="post" action=(to) {
                @for (index, lane) in rotation.lanes.iter().enumerate() {
                    (hidden(&format!("lanes[{index}].id"), lane.id.as_str()))
                    (filled.input("text", &format!("lanes[{index}].name"), &format!("Name of row {}", index + 1), "", false))
                }
                @if last == 0 { p.hint { "The name of the only row is kept, and shown once there are two." } }
                (carried(visit, rotation))
                p.actions { button.btn type="submit" name="step" value="names" { "Save names" } }
            }
            @if last > 0 {
                form.card.pad method="post" action=(to) {
                    (carried(visit, rotation))
                    ol.order {
                        @for (index, lane) in rotation.lanes.iter().enumerate() {
                            @let name = place::lane_name(rotation, index);
                            li {
                                div.split {
                                    bdi { (name) }
                                    span.actions {
                                        @if index > 0 { button.btn.s type="submit" name="step" value=(format!("up {}", lane.id)) { "Up" span.sr { ": " (name) } } }
                                        @if index < last { button.btn.s type="submit" name="step" value=(format!("down {}", lane.id)) { "Down" span.sr { ": " (name) } } }
                                        button.btn.s.bad type="submit" name="step" value=(format!("remove {}", lane.id)) { "Remove" span.sr { ": " (name) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            form.card.pad method="post" action=(to) {
                (carried(visit, rotation))
                (filled.input("text", "lanes.name", "Name of a new row", "", false))
                p.actions { button.btn type="submit" name="step" value="add" { "Add a row" } }
            }
        }
    }
}

fn double_cover(visit: &Visit, rotation: &Rotation, errors: &Errors) -> Markup {
    let values = Form::with([("doubleCover", rotation.double_cover.to_string())]);
    let filled = Filled {
        values: &values,
        errors,
    };
    html! {
        section.card.pad aria-labelledby="double" {
            h2 #double { "When people are short" }
            form method="post" action=(action(rotation, PART)) {
                (filled.tick("doubleCover", "One person may be on call twice at the same time"))
                (carried(visit, rotation))
                p.actions { button.btn type="submit" name="step" value="double" { "Save" } }
            }
        }
    }
}

/// POST.
pub fn save(visit: &Visit) -> Outcome {
    let rotation = editable(visit)?;
    if visit.form.names("edit") {
        return form(visit, &rotation, 200, &visit.form, &Errors::default());
    }
    let again = |status, errors: Errors| form(visit, &rotation, status, &visit.form, &errors);
    let step = visit.form.one("step");
    if step == "double" {
        let setting = |double_cover| RotationPatch {
            double_cover: Some(double_cover),
            ..RotationPatch::default()
        };
        let ticked = setting(visit.form.has("doubleCover", "true"));
        let saved = Saved {
            part: PART,
            names: &["doubleCover"],
            told: "The setting was saved.",
            before: Some(Change::Patch(setting(rotation.double_cover))),
        };
        return carry_out(visit, &rotation, Ok(Change::Patch(ticked)), saved, again);
    }
    let mut grid = GridSpec::of(&rotation);
    let removes = step.starts_with("remove ");
    let more = match removes {
        true => html! { p { "The row goes, with its turns to come. Its record stays." } },
        false => html! {},
    };
    let told = arrange(visit, step, &mut grid);
    let names: Vec<String> = (0..rotation.lanes.len())
        .map(|index| format!("lanes[{index}].name"))
        .chain([
            format!("lanes[{}].name", rotation.lanes.len()),
            "lanes.name".into(),
        ])
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let wished = GridForm {
        part: PART,
        grid: Ok(grid),
        path: "",
        names: &names,
        remarked: &[],
        more,
        told: told.to_owned(),
        restores: !removes,
        is_seen: false,
    };
    coverage::save(visit, &rotation, wished, again)
}

/// Lets a grid have the lanes that a step asks for; answers what is said of it.
fn arrange(visit: &Visit, step: &str, grid: &mut GridSpec) -> &'static str {
    let (verb, id) = step.split_once(' ').unwrap_or((step, ""));
    let lanes = &mut grid.lanes;
    let named = |name: &str| Some(visit.form.filled(name).map(str::to_owned));
    let is = |lane: &LaneSpec, id: &str| lane.handle.id.as_deref() == Some(id);
    let place = lanes.iter().position(|lane| is(lane, id));
    match (verb, place) {
        ("up", Some(at)) if at > 0 => lanes.swap(at, at - 1),
        ("down", Some(at)) if at + 1 < lanes.len() => lanes.swap(at, at + 1),
        ("remove", Some(at)) => {
            lanes.remove(at);
            grid.cells.retain(|cell| cell.lane != id);
            return "The row was removed.";
        }
        ("add", _) => {
            lanes.push(LaneSpec {
                handle: HandleSpec::default(),
                name: named("lanes.name"),
            });
            return "The row was added.";
        }
        ("names", _) => {
            for index in 0..lanes.len() {
                let id = visit.form.one(&format!("lanes[{index}].id"));
                if let Some(lane) = lanes.iter_mut().find(|lane| is(lane, id)) {
                    lane.name = named(&format!("lanes[{index}].name"));
                }
            }
            return "The names were saved.";
        }
        _ => {}
    }
    "The order of rows was saved."
}
