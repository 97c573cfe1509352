//! Lanes and windows: the grid as it is, with the covered week drawn and the next hand-overs; and the lanes.

use super::coverage::{self, GridForm};
use super::{Before, action, carried, done, page, patch};
use crate::domain::rotation::{Rotation, Window};
use crate::domain::wording;
use crate::server::{Outcome, Problem, Response};
use crate::web::form::{Errors, Form};
use crate::web::pages::{editable, times};
use crate::web::parts::cadence;
use crate::web::parts::fields::{Filled, hidden};
use crate::web::visit::Visit;
use maud::{Markup, html};
use serde_json::{Value, json};

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

/// What a window is called.
pub fn window_name(rotation: &Rotation, index: usize) -> String {
    let name = rotation.windows[index].name.clone();
    name.unwrap_or_else(|| match rotation.windows.len() {
        1 => "The window".to_owned(),
        _ => format!("Window {}", index + 1),
    })
}

/// What a lane is called.
pub fn lane_name(rotation: &Rotation, index: usize) -> String {
    let name = rotation.lanes[index].name.clone();
    name.unwrap_or_else(|| format!("Lane {}", index + 1))
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
                h2 #windows { "Windows" }
                p.actions { a.button href=(action(rotation, "windows/new")) { "Add a window" } }
            }
            p.muted { "A window is covered hours with a cadence of hand-overs. Most rotations have one." }
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
        div.card data-window=(window.id) {
            h3 { bdi { (window_name(rotation, index)) } }
            dl.facts {
                dt { "Covered" }
                dd {
                    (wording::hours(&window.coverage))
                    @if let Some(zone) = window.zone { " (" (zone.as_str()) ")" }
                }
                dt { "Hand-overs" } dd { (wording::cadence(window.cadence.as_ref())) }
                @if !next.is_empty() {
                    dt { "Next five" }
                    dd { ul.list { @for at in &next { li { (times.show_with(*at, window.zone)) } } } }
                }
            }
            (cadence::week(&window.coverage))
            p.actions {
                a.button.small href=(action(rotation, &format!("windows/{}", window.id))) {
                    "Change" span.unseen { ": " (window_name(rotation, index)) }
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
            h2 #lanes { "Lanes" }
            p.muted { "One person holds each lane, so two lanes are two people on duty at once. The first is dealt first." }
            form.card method="post" action=(to) {
                @for (index, lane) in rotation.lanes.iter().enumerate() {
                    (hidden(&format!("lanes[{index}].id"), lane.id.as_str()))
                    (filled.input("text", &format!("lanes[{index}].name"), &format!("Name of lane {}", index + 1), "", false))
                }
                @if last == 0 { p.hint { "The name of the only lane is kept, and shown once there are two." } }
                (carried(visit, rotation))
                p.actions { button type="submit" name="step" value="names" { "Save names" } }
            }
            @if last > 0 {
                form.card method="post" action=(to) {
                    (carried(visit, rotation))
                    ol.order {
                        @for (index, lane) in rotation.lanes.iter().enumerate() {
                            @let name = lane_name(rotation, index);
                            li {
                                div.split {
                                    bdi { (name) }
                                    span.actions {
                                        @if index > 0 { button.small type="submit" name="step" value=(format!("up {}", lane.id)) { "Up" span.unseen { ": " (name) } } }
                                        @if index < last { button.small type="submit" name="step" value=(format!("down {}", lane.id)) { "Down" span.unseen { ": " (name) } } }
                                        button.small.danger type="submit" name="step" value=(format!("remove {}", lane.id)) { "Remove" span.unseen { ": " (name) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            form.card method="post" action=(to) {
                (carried(visit, rotation))
                (filled.input("text", "lanes.name", "Name of a new lane", "", false))
                p.actions { button type="submit" name="step" value="add" { "Add a lane" } }
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
        section.card aria-labelledby="double" {
            h2 #double { "When people are short" }
            form method="post" action=(action(rotation, PART)) {
                (filled.tick("doubleCover", "One person may be on call in two places at once"))
                (carried(visit, rotation))
                p.actions { button type="submit" name="step" value="double" { "Save" } }
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
        let body = json!({ "doubleCover": visit.form.has("doubleCover", "true") });
        return match patch(visit, &rotation, &body, &["doubleCover"], again)? {
            Ok(receipt) => {
                let before = Before::patch(json!({ "doubleCover": rotation.double_cover }));
                let told = "The setting was saved.".to_owned();
                done(visit, &rotation, PART, (told, Some(before)), &receipt)
            }
            Err(page) => Ok(page),
        };
    }
    let mut body = coverage::body(visit, &rotation)?;
    let removes = step.starts_with("remove ");
    let more = match removes {
        true => html! { p { "The lane goes, with its turns to come. Its record stays." } },
        false => html! {},
    };
    let told = arrange(visit, step, &mut body);
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
        body: &body,
        path: "",
        names: &names,
        remarked: &[],
        more,
        told: told.to_owned(),
        restores: !removes,
    };
    coverage::save(visit, &rotation, wished, again)
}

/// Lets a body have the lanes that a step asks for; answers what is said of it.
fn arrange(visit: &Visit, step: &str, body: &mut Value) -> &'static str {
    let (verb, id) = step.split_once(' ').unwrap_or((step, ""));
    let Some(lanes) = body["lanes"].as_array_mut() else {
        return "";
    };
    let named = |name: &str| Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    let place = lanes.iter().position(|lane| lane["id"] == id);
    match (verb, place) {
        ("up", Some(at)) if at > 0 => lanes.swap(at, at - 1),
        ("down", Some(at)) if at + 1 < lanes.len() => lanes.swap(at, at + 1),
        ("remove", Some(at)) => {
            lanes.remove(at);
            let cells = body["cells"].as_array_mut();
            cells
                .into_iter()
                .for_each(|cells| cells.retain(|cell| cell["laneId"] != id));
            return "The lane was removed.";
        }
        ("add", _) => {
            lanes.push(json!({ "name": named(visit.form.one("lanes.name")) }));
            return "The lane was added.";
        }
        ("names", _) => {
            for index in 0..lanes.len() {
                let id = visit.form.one(&format!("lanes[{index}].id")).to_owned();
                let name = named(visit.form.one(&format!("lanes[{index}].name")));
                if let Some(lane) = lanes.iter_mut().find(|lane| lane["id"] == id) {
                    lane["name"] = json!(name);
                }
            }
            return "The names were saved.";
        }
        _ => {}
    }
    "The order of lanes was saved."
}
