//! Boards: made, listed and withdrawn.

use super::{check, crumbs};
use crate::actions::{boards, overview};
use crate::domain::board::{Board, NewBoard};
use crate::domain::ids::{BoardId, RotationId};
use crate::domain::zones::{self, ZoneName};
use crate::server::{Outcome, Problem, Response};
use crate::store::{Page, RotationFilter, RotationOrder};
use crate::web::form::{Errors, Form};
use crate::web::notes::Note;
use crate::web::pages::{path_of, refused, times};
use crate::web::parts::confirm;
use crate::web::parts::fields::{self, Choice, Filled, hidden};
use crate::web::visit::Visit;
use crate::web::{answer, layout};
use jiff::SignedDuration;
use maud::{Markup, html};
use std::collections::HashMap;

const FIELDS: [&str; 3] = ["title", "rotationIds", "timeZone"];

/// Rotations that can be chosen from, by name.
const OFFERED: u32 = 1000;

/// GET /admin/boards.
pub fn show(visit: &Visit) -> Outcome {
    check(visit)?;
    let values = Form::with([("timeZone", visit.zone.as_str())]);
    page(visit, 200, &values, &Errors::default())
}

/// The rotations that can be chosen, each with its code and name.
fn offered(visit: &Visit) -> Result<Vec<(RotationId, Option<String>, String)>, Problem> {
    let filter = RotationFilter {
        order: RotationOrder::Name,
        ..RotationFilter::default()
    };
    let page = Page::first(OFFERED);
    let none = SignedDuration::ZERO;
    let (all, _) = overview::rotations(visit.app(), &visit.caller, filter, page, none)?;
    let named = all.into_iter().map(|one| {
        let profile = one.rotation.profile;
        (one.rotation.id, profile.code, profile.name)
    });
    Ok(named.collect())
}

fn page(visit: &Visit, status: u16, values: &Form, errors: &Errors) -> Result<Response, Problem> {
    let all = boards::list(visit.app(), &visit.author("listBoards"))?;
    let offered = offered(visit)?;
    let content = html! {
        (fields::summary(errors))
        (crumbs())
        h1 { "Boards" }
        p {
            "A board shows who is on call in rotations that you choose, in large type, to whoever has its address: "
            "names, and no mail addresses. It loads itself again every minute."
        }
        (list(visit, &all, &offered))
        @if offered.is_empty() {
            p.muted { "There are no rotations yet. " a href="/rotations/new" { "New rotation" } }
        } @else { (form(Filled { values, errors }, &offered)) }
    };
    Ok(layout::page_with(visit, status, "Boards", content))
}

fn list(visit: &Visit, all: &[Board], offered: &[(RotationId, Option<String>, String)]) -> Markup {
    let times = times(visit);
    let known: HashMap<&RotationId, (&Option<String>, &String)> = offered
        .iter()
        .map(|(id, code, name)| (id, (code, name)))
        .collect();
    html! {
        section.card.flush aria-label="Boards" {
            @if all.is_empty() { div.pad { p.muted { "There are no boards yet." } } } @else {
                table.rows {
                    caption.sr { "Boards, the oldest first" }
                    thead { tr { th scope="col" { "Title" } th scope="col" { "Rotations" } th scope="col" { "Times in" } th scope="col" { "Made" } th scope="col" { span.sr { "Actions" } } } }
                    tbody {
                        @for board in all {
                            tr data-board=(board.id) {
                                th scope="row" { bdi { (board.title) } }
                                td data-label="Rotations" {
                                    @for (index, id) in board.rotations.iter().enumerate() {
                                        @if index > 0 { ", " }
                                        @match known.get(id) {
                                            Some((code, name)) => a href=(path_of(id, code.as_deref())) { bdi { (name) } },
                                            None => span.muted { "deleted" },
                                        }
                                    }
                                }
                                td data-label="Times in" { (board.zone.as_str()) }
                                td data-label="Made" { (times.show(board.created_at)) }
                                td {
                                    form.bare method="post" action=(format!("/admin/boards/{}/withdraw", board.id)) {
                                        (hidden("operationId", &confirm::operation_id()))
                                        button.btn.s.bad type="submit" { "Withdraw" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn form(filled: Filled, offered: &[(RotationId, Option<String>, String)]) -> Markup {
    let rotations: Vec<Choice> = offered
        .iter()
        .map(|(id, _, name)| Choice {
            value: id.to_string(),
            label: html! { bdi { (name) } },
        })
        .collect();
    let zones: Vec<Choice> = zones::names().map(|name| Choice::new(name, name)).collect();
    html! {
        form.card.pad method="post" action="/admin/boards" {
            h2 { "New board" }
            (hidden("operationId", &confirm::operation_id()))
            (filled.input("text", "title", "Title", "", true))
            (filled.boxes("rotationIds", "Rotations", "", &rotations))
            (filled.select("timeZone", "Times in", "", &zones))
            p.hint { "Its address is shown once, on the next page." }
            p.actions { button.btn.go type="submit" { "Make the board" } }
        }
    }
}

/// POST /admin/boards.
pub fn create(visit: &Visit) -> Outcome {
    check(visit)?;
    visit.once(|| {
        let again = |status, errors: Errors| page(visit, status, &visit.form, &errors);
        let zone = match ZoneName::parse(visit.form.one("timeZone")) {
            Ok(zone) => zone,
            Err(refusal) => {
                let mut errors = Errors::default();
                errors.add("timeZone", crate::web::form::sentence(&refusal.to_string()));
                return again(400, errors);
            }
        };
        let ids = visit.form.list("rotationIds").into_iter();
        let new = NewBoard {
            title: visit.form.one("title").trim().to_owned(),
            rotations: ids.map(RotationId::from).collect(),
            zone,
        };
        let made = boards::create(visit.app(), &visit.author("createBoard"), new);
        let (_, secret) = match refused(visit, made, &FIELDS, again)? {
            Ok(made) => made,
            Err(page) => return Ok(page),
        };
        let base = visit.app().base_url().trim_end_matches('/');
        visit.note(Note {
            secret: Some(format!("{base}/board/{secret}")),
            ..Note::new("The board was made. Below is its address.")
        });
        Ok(answer::see("/admin/boards"))
    })
}

/// POST /admin/boards/{board}/withdraw.
pub fn withdraw(visit: &Visit) -> Outcome {
    check(visit)?;
    visit.once(|| {
        let (author, id) = (visit.author("withdrawBoard"), BoardId::from(visit.part(0)));
        let gone = boards::withdraw(visit.app(), &author, &id)?;
        let text = format!("The board {} was withdrawn.", gone.title);
        visit.note(Note::new(text));
        Ok(answer::see("/admin/boards"))
    })
}
